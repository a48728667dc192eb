//! What the value of each key may be, as JSON Schema. Whoever adds a key to a reader adds its form here: a test fails otherwise.

use crate::scenario::Kind;
use serde_json::{Value, json};

/// Any number may be a formula of the parameters, in quotes.
pub(super) fn number() -> Value {
    json!({ "type": ["number", "string"] })
}

fn at_least(least: f64) -> Value {
    json!({ "type": ["number", "string"], "minimum": least })
}

fn positive() -> Value {
    json!({ "type": ["number", "string"], "exclusiveMinimum": 0 })
}

fn between(least: f64, most: f64) -> Value {
    json!({ "type": ["number", "string"], "minimum": least, "maximum": most })
}

/// A whole number, or a formula of the parameters that gives one.
fn whole(least: u64, most: Option<u64>) -> Value {
    let mut form = json!({ "type": ["integer", "string"], "minimum": least });
    if let Some(most) = most {
        form["maximum"] = most.into();
    }
    form
}

pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

fn flag() -> Value {
    json!({ "type": "boolean" })
}

pub(super) fn words(words: &[&str]) -> Value {
    json!({ "enum": words })
}

/// A list of this length at least and at most.
fn list(of: Value, (least, most): (usize, usize)) -> Value {
    json!({ "type": "array", "items": of, "minItems": least, "maxItems": most })
}

fn any_list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

/// One or a list of them.
pub(super) fn one_or_many(of: Value) -> Value {
    json!({ "anyOf": [of, any_list(of.clone())] })
}

/// A table whose keys are names of the user's choice.
pub(super) fn named(of: Value) -> Value {
    json!({ "type": "object", "additionalProperties": of })
}

/// Two numbers in the plane, three in space.
fn vector() -> Value {
    list(number(), (2, 3))
}

/// One formula for each coordinate, or one for all.
fn pattern() -> Value {
    json!({ "anyOf": [text(), any_list(number())] })
}

/// One number for each coordinate: by name, in order, or by one formula of `i`.
fn state() -> Value {
    json!({ "anyOf": [named(number()), any_list(number()), text()] })
}

/// The form of a key that is no table of known keys; `path` is that of the documentation.
pub(super) fn form(kind: Kind, path: &str) -> Option<Value> {
    let common = match path {
        "title" | "description" => Some(text()),
        "start" | "end" => Some(number()),
        "step" => Some(positive()),
        "end_impacts" => Some(whole(1, None)),
        "claim" => Some(one_or_many(text())),
        "parameters" => Some(named(number())),
        "output.every" => Some(whole(1, None)),
        "output.series" => Some(one_or_many(words(&["csv", "parquet"]))),
        "output.checkpoint" => Some(at_least(0.0)),
        _ => None,
    };
    common.or_else(|| match kind {
        Kind::Formula => formula(path).or_else(|| drawing(path)),
        Kind::Solid => solid(path),
        Kind::Body => body(path),
        Kind::Bodies => bodies(path),
    })
}

fn formula(path: &str) -> Option<Value> {
    Some(match path {
        "coordinates" => json!({ "anyOf": [list(text(), (1, 2000)), whole(1, Some(2000))] }),
        "lagrangian" | "hamiltonian" | "gap.gap" | "gap.name" => text(),
        "constraint" | "reduce" => one_or_many(text()),
        "force" | "one_form" => pattern(),
        "simultaneous" => words(&["projection", "sequence"]),
        "initial.position" | "initial.velocity" | "initial.momentum" | "initial.next_position" => state(),
        "symmetry" => named(pattern()),
        "probe" | "section.columns" => named(number()),
        "section.when" => number(),
        "gap.restitution" => between(0.0, 1.0),
        "gap.friction" => at_least(0.0),
        "gap.slip" => one_or_many(number()),
        "gap.at" => list(number(), (2, 3)),
        _ => return None,
    })
}

fn drawing(path: &str) -> Option<Value> {
    Some(match path {
        "draw.name" => text(),
        "draw.count" => whole(1, Some(2000)),
        "draw.at" | "draw.from" | "draw.to" => list(number(), (2, 3)),
        "draw.angle" => number(),
        "draw.radius" => positive(),
        "draw.semi_axes" => list(positive(), (2, 2)),
        "draw.points" => json!({ "type": "array", "items": list(number(), (2, 2)), "minItems": 3 }),
        _ => return None,
    })
}

fn solid(path: &str) -> Option<Value> {
    Some(match path {
        "mesh.file" | "mass.<name>.group" | "support.<name>.group" => text(),
        "mesh.scale" | "mass.<name>.mass" => positive(),
        "mesh.refine" => whole(0, Some(10)),
        "load.<name>.group" | "material.<name>.group" => {
            json!({ "anyOf": [text(), { "type": "array", "items": text(), "minItems": 1 }] })
        }
        "support.<name>.fixed" => flag(),
        "support.<name>.x" | "support.<name>.y" | "support.<name>.z" => number(),
        "load.<name>.pressure" | "probe.<name>.value" => number(),
        "load.<name>.body"
        | "load.<name>.acceleration"
        | "load.<name>.traction"
        | "load.<name>.force"
        | "initial.deformation"
        | "initial.displacement"
        | "initial.velocity"
        | "probe.<name>.at" => vector(),
        "local_energy.elements" => one_or_many(whole(0, None)),
        "output.rows" => whole(1, Some(100_000_000)),
        "output.frames" => whole(0, Some(1_000_000)),
        "output.frame_format" => words(&["vtu", "xdmf"]),
        _ => return None,
    })
}

/// The constants of the laws of materials.
pub(super) fn constant(key: &str) -> Value {
    match key {
        "plane" => words(&["strain", "stress"]),
        "second" => between(0.0, 1.0),
        "density" | "thickness" | "area" | "stiffness" => positive(),
        "length" => at_least(0.0),
        _ => number(),
    }
}

fn body(path: &str) -> Option<Value> {
    let three = || list(number(), (3, 3));
    Some(match path {
        "probe" => named(number()),
        "body.mass" => positive(),
        "body.inertia" => json!({ "anyOf": [three(), list(three(), (3, 3))] }),
        "body.position" | "body.velocity" | "body.angular_velocity" => three(),
        "body.orientation" => json!({
            "anyOf": [
                list(number(), (4, 4)),
                {
                    "type": "object",
                    "properties": { "axis": three(), "angle": number() },
                    "required": ["axis", "angle"],
                    "additionalProperties": false,
                },
            ]
        }),
        "body.potential" => number(),
        "body.fixed" => flag(),
        _ => return None,
    })
}

fn bodies(path: &str) -> Option<Value> {
    let points = || json!({ "type": "array", "items": list(number(), (2, 2)), "maxItems": 256 });
    Some(match path {
        "space" => whole(2, Some(3)),
        "gravity" => vector(),
        "restitution" | "wall.<name>.restitution" | "bodies.<name>.restitution" => between(0.0, 1.0),
        "friction" | "wall.<name>.friction" | "bodies.<name>.friction" => at_least(0.0),
        "wall.<name>.point" | "wall.<name>.normal" => vector(),
        "wall.<name>.from" | "wall.<name>.to" => list(number(), (2, 2)),
        "wall.<name>.polygon" | "bodies.<name>.vertices" => points(),
        "wall.<name>.box" | "bodies.<name>.within" => list(vector(), (2, 2)),
        "bodies.<name>.shape" => words(&["disc", "polygon", "sphere"]),
        "bodies.<name>.radius" | "bodies.<name>.mass" | "bodies.<name>.density" => positive(),
        "bodies.<name>.position" | "bodies.<name>.velocity" => vector(),
        "bodies.<name>.angle" => number(),
        "bodies.<name>.spin" => json!({ "anyOf": [number(), list(number(), (3, 3))] }),
        "bodies.<name>.count" => whole(1, Some(100_000)),
        "bodies.<name>.place" => words(&["lattice", "random"]),
        "bodies.<name>.speed" => at_least(0.0),
        "bodies.<name>.turned" => flag(),
        "bodies.<name>.seed" => whole(0, None),
        "output.impacts" => whole(0, None),
        _ => return None,
    })
}

/// The form of an option of an integrator.
pub(super) fn option(kind: Kind, method: &str, name: &str) -> Option<Value> {
    Some(match name {
        "alpha" | "gamma" => between(0.0, 1.0),
        "beta" => between(0.0, 0.5),
        "tolerance" => between(1e-16, 1e-3),
        "order" => json!({ "anyOf": [{ "enum": [2, 4, 6, 8] }, text()] }),
        "stages" | "points" => whole(if method == "gauss" { 1 } else { 2 }, Some(8)),
        "step" if method == "avi" || (kind == Kind::Solid && method == "newmark") => {
            json!({ "anyOf": [number(), named(number())] })
        }
        "step" => words(&["fixed", "energy"]),
        "smallest" => between(1e-6, 1.0),
        "largest" => between(1.0, 1e6),
        "turning" => words(&["first", "hold", "minimise", "reset"]),
        "steps" => words(&["free", "harmonic"]),
        "rule" => words(&["courant", "eigen"]),
        "fraction" => json!({ "type": ["number", "string"], "exclusiveMinimum": 0, "maximum": 10 }),
        "split" => words(&["stiffness", "optimal", "own"]),
        "limit" => words(&["body", "element"]),
        "buffer" => json!({ "enum": ["none", "ring", "jump", true, false] }),
        "events" => words(&["end", "middle"]),
        "factor" => number(),
        "threads" => whole(1, Some(255)),
        "contact_time" => positive(),
        _ => return None,
    })
}
