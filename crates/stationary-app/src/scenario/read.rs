//! From the tree of values to a checked [`Scenario`]: the rules of the format, key by key.

mod bodies;
mod body;
mod draw;
mod formula;
mod gap;
mod solid;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::constants::Constants;
use super::kind::Kind;
use super::names::Names;
use super::overrides;
use super::tree::{self, Node, Table, Value};
use super::{Choice, Claim, Given, Options, Output, Scenario, System, Text, moves_clock, spacing};
use stationary::error::{Diagnostic, Source};

/// Reads a scenario; see [`Scenario::read`].
pub(super) fn read(name: &str, text: &str, overrides: &[(String, String)]) -> Result<Scenario, Diagnostic> {
    let source = Arc::new(Source { name: name.to_string(), text: text.to_string() });
    let mut root = tree::document(&source)?;
    for (key, value) in overrides {
        overrides::apply(&mut root, &source, key, value)?;
    }
    let kind = Kind::of(&root, &source)?;
    kind.only(&root, "").map_err(|unknown| lead(unknown, &root))?;
    let reader = Reader { source, root, kind, names: Names::new(kind), constants: Constants::new() };
    Ok(Scenario { overrides: overrides.to_vec(), ..reader.scenario(name)? })
}

/// Keys of other programs and formats, and the key that says the same here.
const ELSEWHERE: [(&str, &str); 17] = [
    ("dt", "step"),
    ("h", "step"),
    ("time_step", "step"),
    ("timestep", "step"),
    ("t_end", "end"),
    ("tend", "end"),
    ("tmax", "end"),
    ("t_max", "end"),
    ("t0", "start"),
    ("t_start", "start"),
    ("method", "integrator.method"),
    ("q0", "initial.position"),
    ("x0", "initial.position"),
    ("v0", "initial.velocity"),
    ("p0", "initial.momentum"),
    ("L", "lagrangian"),
    ("H", "hamiltonian"),
];

/// Says where a key belongs that is none of the scenario's: the name of a parameter or a coordinate, or a key of a table.
fn lead(unknown: Diagnostic, root: &Table) -> Diagnostic {
    let source = unknown.source.as_ref();
    let here = |e: &&tree::Entry| {
        source.is_some_and(|s| Arc::ptr_eq(s, &e.key_place.source))
            && unknown.span.as_ref() == Some(&e.key_place.span)
    };
    let Some(key) = root.iter().find(here).map(|e| e.key.as_str()) else { return unknown };
    let Some(lead) = belongs(key, root) else { return unknown };
    let help = unknown.help.as_deref().map_or(String::new(), |help| format!("; {help}"));
    Diagnostic { help: Some(format!("{lead}{help}")), ..unknown }
}

/// Where a key belongs, in words.
fn belongs(key: &str, root: &Table) -> Option<String> {
    let table = |name: &str| match root.iter().find(|e| e.key == name).map(|e| &e.node.value) {
        Some(Value::Table(table)) => Some(table),
        _ => None,
    };
    let has = |name: &str| table(name).is_some_and(|t| t.iter().any(|e| e.key == key));
    if has("parameters") {
        return Some(format!("`{key}` is a parameter: write `parameters.{key}`"));
    }
    if let Some(place) = coordinate(key, root) {
        return Some(place);
    }
    if let Some(owner) = root.iter().map(|e| e.key.as_str()).find(|name| has(name)) {
        return Some(format!("`{key}` is a key of `{owner}`: write `{owner}.{key}`"));
    }
    let (_, known) = ELSEWHERE.iter().find(|(other, _)| *other == key)?;
    Some(format!("write `{known}`"))
}

/// Where the initial value of a coordinate or of its velocity stands.
fn coordinate(key: &str, root: &Table) -> Option<String> {
    let find = |table: &'_ Table, key: &str| table.iter().position(|e| e.key == key);
    let Value::List(names) = &root[find(root, "coordinates")?].node.value else { return None };
    let is = |name: &str| names.iter().position(|n| matches!(&n.value, Value::Text(text) if text == name));
    let of_motion = |letter: char| is(key.strip_prefix(letter)?).zip(key.strip_prefix(letter));
    let (what, group, (at, name)) = match (is(key), of_motion('v'), of_motion('p')) {
        (Some(at), ..) => ("a coordinate", "position", (at, key)),
        (None, Some(found), _) => ("a velocity", "velocity", found),
        (None, None, Some(found)) => ("a momentum", "momentum", found),
        _ => return None,
    };
    let listed = match root.iter().find(|e| e.key == "initial").map(|e| &e.node.value) {
        Some(Value::Table(initial)) => {
            find(initial, group).is_some_and(|k| matches!(initial[k].node.value, Value::List(_)))
        }
        _ => false,
    };
    let part = if listed { at.to_string() } else { name.to_string() };
    Some(format!("`{key}` is {what}: at the start it is `initial.{group}.{part}`"))
}

struct Reader {
    source: Arc<Source>,
    root: Table,
    kind: Kind,
    names: Names,
    constants: Constants,
}

impl Reader {
    fn scenario(mut self, name: &str) -> Result<Scenario, Diagnostic> {
        let parameters = self.parameters()?;
        let (start, end, end_impacts) = self.times()?;
        let output = self.common_output()?;
        let system = match self.kind {
            Kind::Formula => System::Formula(Arc::new(self.formula_system((start, end))?)),
            Kind::Solid => System::Solid(Arc::new(self.solid_system(&parameters, (start, end))?)),
            Kind::Body => System::Body(Arc::new(self.body_system(&parameters, (start, end))?)),
            Kind::Bodies => System::Bodies(Arc::new(self.bodies_system((start, end))?)),
        };
        Ok(Scenario {
            name: stem(name),
            folder: None,
            title: self.optional_text("title")?,
            description: self.optional_text("description")?,
            integrator: self.integrator()?,
            observe: self.texts("observe", "the name of an observer, or a list of names")?,
            claims: self.claims()?,
            output,
            overrides: Vec::new(),
            given: Given::default(),
            source: self.source,
            system,
            parameters,
            start,
            end,
            end_impacts,
        })
    }

    /// What all kinds have of `output`; the rest of it stays.
    fn common_output(&mut self) -> Result<Output, Diagnostic> {
        let table = self.root.iter_mut().find(|e| e.key == "output").map(|e| &mut e.node.value);
        match table {
            Some(Value::Table(table)) => {
                self.kind.only(table, "output")?;
                Output::take(table, &self.constants)
            }
            _ => Ok(Output::default()),
        }
    }

    fn take(&mut self, key: &str) -> Option<Node> {
        tree::take(&mut self.root, key)
    }

    fn need(&mut self, key: &str) -> Result<Node, Diagnostic> {
        self.take(key).ok_or_else(|| missing(&self.source, self.kind, key))
    }

    fn optional_text(&mut self, key: &str) -> Result<Option<String>, Diagnostic> {
        self.take(key).map(|node| node.text(key, "text").map(|t| t.text)).transpose()
    }

    /// A table of the top level; absent means empty.
    fn table(&mut self, key: &str) -> Result<Table, Diagnostic> {
        self.take(key).map_or(Ok(Vec::new()), |node| node.table(key, "a table"))
    }

    /// One text or a list of texts.
    fn texts(&mut self, key: &str, expected: &str) -> Result<Vec<Text>, Diagnostic> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Node { value: Value::List(list), .. }) => {
                list.into_iter().map(|n| n.text(key, expected)).collect()
            }
            Some(node) => Ok(vec![node.text(key, expected)?]),
        }
    }

    fn parameters(&mut self) -> Result<Vec<(String, f64)>, Diagnostic> {
        let table = self.table("parameters")?;
        let mut order: HashMap<&str, usize> = HashMap::new();
        for (at, entry) in table.iter().enumerate() {
            self.names.parameter(&entry.key, &entry.key_place)?;
            order.insert(&entry.key, at);
        }
        let mut parameters = Vec::with_capacity(table.len());
        for (at, entry) in table.iter().enumerate() {
            let value = self.constants.number(&entry.key, &entry.node).map_err(|d| {
                let named = d.source.as_ref().zip(d.span.clone()).and_then(|(s, span)| s.text.get(span));
                match named.and_then(|n| order.get_key_value(n)) {
                    Some((later, place)) if *place >= at => {
                        let help =
                            format!("`{later}` has no value yet: a parameter may use only those above it");
                        d.help(help)
                    }
                    _ => d,
                }
            })?;
            self.constants.define(&entry.key, value);
            parameters.push((entry.key.clone(), value));
        }
        Ok(parameters)
    }

    /// Start, end, and the number of impacts that ends the run.
    fn times(&mut self) -> Result<(f64, f64, Option<u64>), Diagnostic> {
        let start = match self.take("start") {
            Some(node) => self.constants.number("start", &node)?,
            None => 0.0,
        };
        let impacts = match self.take("end_impacts") {
            Some(node) => {
                if self.kind == Kind::Formula && !self.root.iter().any(|e| e.key == "gap") {
                    return Err(node
                        .place
                        .error("`end_impacts` without `gap`: nothing can be hit")
                        .help("add: gap = \"y\", a formula that must not become negative"));
                }
                Some(self.constants.integer("end_impacts", &node, &(1..=u64::MAX))?)
            }
            None => None,
        };
        if impacts.is_some() && !self.root.iter().any(|e| e.key == "end") {
            return Ok((start, f64::INFINITY, impacts));
        }
        let end_node = self.need("end")?;
        let end = self.constants.number("end", &end_node)?;
        if end <= start {
            let message = format!("`end` must be later than `start`, found {end} after {start}");
            return Err(end_node.place.error(message));
        }
        if !(end - start).is_finite() {
            let message =
                format!("`end` is too far from `start`: from {start:?} to {end:?} is no finite time");
            return Err(end_node.place.error(message));
        }
        Ok((start, end, impacts))
    }

    /// A step that moves the clock, wherever it stands between start and end.
    fn step(&self, node: &Node, (start, end): (f64, f64)) -> Result<f64, Diagnostic> {
        let step = self.constants.number("step", node)?;
        if step <= 0.0 {
            return Err(node.place.error(format!("`step` must be greater than zero, found {step}")));
        }
        // Without an end the clock must move at the start.
        let latest = if start.abs() > end.abs() || end.is_infinite() { start } else { end };
        if !moves_clock(step, latest) {
            let message = format!(
                "`step` is too small: times near {latest:?} are {:?} apart in double precision, so a step of {step:?} does not move \
                 the clock",
                spacing(latest)
            );
            return Err(node.place.error(message).help("expected a longer step, or times nearer to zero"));
        }
        Ok(step)
    }

    fn integrator(&mut self) -> Result<Choice, Diagnostic> {
        let node = self.need("integrator")?;
        let place = node.place.clone();
        if let Value::Text(text) = node.value {
            let options = Options::new(Vec::new(), self.constants.clone());
            return Ok(Choice { method: Text { text, place, index: None }, options });
        }
        let mut table = node.table("integrator", "the name of an integrator, or a table with `method`")?;
        let Some(method) = tree::take(&mut table, "method") else {
            return Err(place
                .error("`integrator` has no `method`")
                .help("expected the name of an integrator: method = \"verlet\""));
        };
        let method = method.text("method", "the name of an integrator")?;
        Ok(Choice { method, options: Options::new(table, self.constants.clone()) })
    }

    fn claims(&mut self) -> Result<Vec<Claim>, Diagnostic> {
        let texts = self.texts("claim", "a comparison in quotes, or a list of them")?;
        texts.into_iter().map(|text| Claim::read(text, &self.constants)).collect()
    }
}

/// What each required key is for, with a line to copy.
fn missing(source: &Arc<Source>, kind: Kind, key: &str) -> Diagnostic {
    let example = match (kind, key) {
        (_, "coordinates") => "coordinates = [\"x\", \"y\"]",
        (_, "lagrangian") => "lagrangian = \"0.5*m*(vx^2 + vy^2) - m*g*y\"",
        (_, "step") => "step = 0.01",
        (Kind::Formula, "end") => "end = 100.0, or with `gap` also end_impacts = 1000",
        (_, "end") => "end = 100.0",
        (Kind::Formula, "integrator") => "integrator = \"verlet\"",
        (Kind::Solid, "integrator") => "integrator = \"avi\"",
        (Kind::Body, "integrator") => "integrator = \"euler-poincare\"",
        (Kind::Bodies, "integrator") => "integrator = \"collisions\"",
        (_, "body") => "[body] with mass and inertia",
        (_, "material") => "[material.NAME] with law, density and the constants of the law",
        _ => "[initial] with position and velocity",
    };
    let mut diagnostic =
        Diagnostic::new(format!("the scenario has no `{key}`")).help(format!("add: {example}"));
    diagnostic.source = Some(Arc::clone(source));
    diagnostic
}

/// `folder/kepler.toml` names the scenario `kepler`.
fn stem(name: &str) -> String {
    let stem = Path::new(name).file_stem().map_or(name.to_string(), |s| s.to_string_lossy().into_owned());
    // The stem of `...toml` is `..`: as the name of a folder it would lead out of the results.
    if stem.chars().all(|c| c == '.') { "scenario".into() } else { stem }
}
