//! The JSON Schema of scenarios, for editors: keys from the readers, integrators and observers from the registry, what is said
//! of them from the reference.
//!
//! It refuses no scenario that the program takes. The converse does not hold: formulas, and what one key means for another, are
//! the program's to judge.

mod describe;
mod forms;

use crate::registry::{self, integrators_of};
use crate::run::materials;
use crate::scenario::{DRAWINGS, Kind};
use describe::{described, required};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The schema, draft 2020-12.
///
/// ```
/// let schema = stationary_app::schema::schema();
/// assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
/// assert!(schema["properties"]["lagrangian"]["description"].as_str().unwrap().contains("formula"));
/// ```
pub fn schema() -> Value {
    let kinds = Kind::ALL.map(|kind| (kind, Writer::new(kind).top()));
    let all = all_keys(&kinds);
    let telling = ["mesh", "body", "bodies", "lagrangian", "hamiltonian", "coordinates"];
    let chosen = kinds.iter().map(|(kind, _)| {
        let keys: Vec<Value> = telling_of(*kind).iter().map(|key| json!({ "required": [key] })).collect();
        json!({ "if": { "anyOf": keys }, "then": { "$ref": format!("#/$defs/{}", name(*kind)) } })
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:stationary:scenario:1",
        "title": "Scenario of stationary",
        "description": "A mechanical system, how it is moved, and what is promised of the results.",
        "type": "object",
        "properties": all,
        "additionalProperties": false,
        "anyOf": telling.map(|key| json!({ "required": [key] })),
        "allOf": chosen.collect::<Vec<_>>(),
        "$defs": kinds.iter().map(|(kind, form)| (name(*kind).to_string(), form.clone())).collect::<Map<_, _>>(),
    })
}

/// Every key that some kind has, by reference to each form that it has among them: editors that do not look behind a condition
/// find all keys at the top.
fn all_keys(kinds: &[(Kind, Value)]) -> Map<String, Value> {
    let mut all: Map<String, Value> = Map::new();
    let mut seen: Vec<(&str, Value)> = Vec::new();
    for (kind, form) in kinds {
        for (key, value) in form["properties"].as_object().into_iter().flatten() {
            let known = all
                .entry(key.clone())
                .or_insert_with(|| json!({ "description": value["description"], "anyOf": [] }));
            let mut bare = value.clone();
            bare["description"] = Value::Null;
            if seen.contains(&(key.as_str(), bare.clone())) {
                continue;
            }
            seen.push((key, bare));
            if let Some(list) = known["anyOf"].as_array_mut() {
                list.push(json!({ "$ref": format!("#/$defs/{}/properties/{key}", name(*kind)) }));
            }
        }
    }
    all
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Formula => "formula",
        Kind::Solid => "solid",
        Kind::Body => "body",
        Kind::Bodies => "bodies",
    }
}

fn telling_of(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Formula => &["lagrangian", "hamiltonian", "coordinates"],
        Kind::Solid => &["mesh"],
        Kind::Body => &["body"],
        Kind::Bodies => &["bodies"],
    }
}

/// Writes the schema of a kind of scenario.
struct Writer {
    kind: Kind,
    /// What the reference says of each key.
    described: HashMap<String, String>,
}

impl Writer {
    fn new(kind: Kind) -> Self {
        Writer { kind, described: described(kind) }
    }

    fn top(&self) -> Value {
        let mut form = self.object("", self.kind.keys(""));
        if self.kind == Kind::Formula {
            form["anyOf"] = json!([{ "required": ["lagrangian"] }, { "required": ["hamiltonian"] }]);
        }
        form
    }

    /// A table of known keys, whose paths begin with `prefix`.
    fn object(&self, prefix: &str, keys: &[&str]) -> Value {
        let mut properties = Map::new();
        let mut needed = Vec::new();
        for key in keys {
            let path = format!("{prefix}{key}");
            let mut form = self.value(&path);
            if let Some(text) = self.described.get(&path) {
                form["description"] = text.clone().into();
                if required(text) {
                    needed.push(*key);
                }
            }
            properties.insert(key.to_string(), form);
        }
        let mut form = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        if !needed.is_empty() {
            form["required"] = json!(needed);
        }
        form
    }

    /// A section: its keys, or those of each table in it.
    fn section(&self, section: &str) -> Value {
        self.object(&format!("{section}."), self.kind.keys(section))
    }

    fn tables(&self, section: &str) -> Value {
        forms::named(self.object(&format!("{section}.<name>."), self.kind.keys(section)))
    }

    fn value(&self, path: &str) -> Value {
        match (self.kind, path) {
            (_, "integrator") => self.integrator(),
            (_, "observe") => {
                let names: Vec<&str> = registry::observers().iter().map(|entry| entry.name).collect();
                forms::one_or_many(forms::words(&names))
            }
            (_, "initial" | "output") | (Kind::Formula, "section") | (Kind::Solid, "local_energy") => {
                self.section(path)
            }
            (Kind::Body, "body") => self.section(path),
            (Kind::Formula, "gap") => {
                let one = json!({ "anyOf": [forms::text(), self.section("gap")] });
                forms::one_or_many(one)
            }
            (Kind::Formula, "draw") => self.drawings(),
            (Kind::Solid, "mesh") => json!({ "anyOf": [forms::text(), self.section("mesh")] }),
            (Kind::Solid, "material") => self.materials(),
            (Kind::Solid, "mass" | "support" | "load" | "probe") | (Kind::Bodies, "wall" | "bodies") => {
                self.tables(path)
            }
            _ => forms::form(self.kind, path).unwrap_or_else(|| json!({})),
        }
    }

    /// A name, or a table with a method and its options.
    fn integrator(&self) -> Value {
        let known = integrators_of(self.kind);
        let names: Vec<&str> = known.iter().map(|(entry, _)| entry.name).collect();
        let method = |form: Value| {
            let mut form = form;
            form["description"] = "the name of an integrator: `stationary list`".into();
            form
        };
        let mut each = Vec::new();
        for (entry, options) in &known {
            let mut properties = Map::new();
            let form = json!({ "const": entry.name, "description": entry.summary });
            properties.insert("method".into(), form);
            for (name, default, meaning) in options {
                let form = forms::option(self.kind, entry.name, name);
                let mut form = form.unwrap_or_else(|| json!({}));
                form["description"] = format!("{meaning}; default {default}").into();
                properties.insert(name.to_string(), form);
            }
            each.push(json!({
                "if": { "properties": { "method": { "const": entry.name } } },
                "then": { "properties": properties, "additionalProperties": false },
            }));
        }
        json!({
            "anyOf": [
                forms::words(&names),
                {
                    "type": "object",
                    "properties": { "method": method(forms::words(&names)) },
                    "required": ["method"],
                    "allOf": each,
                },
            ]
        })
    }

    /// Every law has its own constants.
    fn materials(&self) -> Value {
        let laws: Vec<&str> = materials().iter().map(|(law, _)| *law).collect();
        let described = |key: &str, mut form: Value| {
            if let Some(text) = self.described.get(&format!("material.<name>.{key}")) {
                form["description"] = text.clone().into();
            }
            form
        };
        let group = described("group", self.value("material.<name>.group"));
        let each = materials().map(|(law, constants)| {
            let mut properties = Map::new();
            properties.insert("group".into(), group.clone());
            properties.insert("law".into(), json!({ "const": law }));
            properties.extend(constants.iter().map(|key| (key.to_string(), forms::constant(key))));
            json!({
                "if": { "properties": { "law": { "const": law } } },
                "then": { "properties": properties, "additionalProperties": false },
            })
        });
        forms::named(json!({
            "type": "object",
            "properties": { "group": group, "law": described("law", forms::words(&laws)) },
            "required": ["law"],
            "allOf": each,
        }))
    }

    /// Every shape has its own keys.
    fn drawings(&self) -> Value {
        let shapes = DRAWINGS.map(|(shape, _)| shape);
        let each = DRAWINGS.map(|(shape, keys)| {
            let mut form = self.object("draw.", keys);
            form["properties"]["shape"] = json!({ "const": shape });
            form.as_object_mut().map(|object| object.remove("required"));
            json!({ "if": { "properties": { "shape": { "const": shape } } }, "then": form })
        });
        json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": { "shape": forms::words(&shapes) },
                "required": ["shape"],
                "allOf": each,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every key has a form and a description, and every option of an integrator too: an empty form means that a key was added
    /// to a reader and not here.
    #[test]
    fn every_key_has_a_form_and_is_described() {
        let schema = schema();
        let mut seen = 0;
        walk(&schema["$defs"], "", &mut |path, form| {
            let Some(properties) = form.get("properties").and_then(Value::as_object) else { return };
            for (key, value) in properties {
                seen += 1;
                let said = value.as_object().unwrap();
                assert!(said.keys().any(|k| k != "description"), "{path}.{key} has no form");
                let constant =
                    value.get("const").is_some() || path.contains("material") || path.contains("draw");
                let inside = path.contains("if") || path.contains("orientation");
                assert!(
                    constant || inside || value.get("description").is_some(),
                    "{path}.{key} is not described"
                );
            }
        });
        assert!(seen > 200, "{seen}");
    }

    fn walk(value: &Value, path: &str, see: &mut dyn FnMut(&str, &Value)) {
        see(path, value);
        match value {
            Value::Object(object) => {
                object.iter().for_each(|(key, inner)| walk(inner, &format!("{path}.{key}"), see));
            }
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(k, v)| walk(v, &format!("{path}.{k}"), see))
            }
            _ => {}
        }
    }

    /// No form is left over from a key that is gone.
    #[test]
    fn the_reference_describes_no_key_that_no_reader_has() {
        for kind in Kind::ALL {
            let writer = Writer::new(kind);
            for path in writer.described.keys() {
                let parts: Vec<&str> = path.split('.').collect();
                let keys = match parts[..] {
                    [_] => kind.keys(""),
                    ["draw", _] | ["material", ..] => continue,
                    [section, ..] => kind.keys(section),
                    [] => unreachable!(),
                };
                assert!(keys.contains(parts.last().unwrap()), "{path}");
            }
        }
    }
}
