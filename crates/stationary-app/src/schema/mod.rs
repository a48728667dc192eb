//! The JSON Schema of scenarios, for editors: keys from their tables (`scenario/keys`), integrators and observers from the registry.
//!
//! It refuses no scenario that the program takes. The converse does not hold: formulas, and what one key means for another, are
//! the program's to judge.

mod forms;

use crate::registry::{self, integrators_of};
use crate::scenario::keys::{Form, Key, formula::DRAW};
use crate::scenario::{DRAWINGS, Kind};
use serde_json::{Map, Value, json};

/// The schema, draft 2020-12.
///
/// ```
/// let schema = stationary_app::schema::schema();
/// assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
/// assert!(schema["properties"]["lagrangian"]["description"].as_str().unwrap().contains("formula"));
/// ```
pub fn schema() -> Value {
    let kinds = Kind::ALL.map(|kind| (kind, Writer { kind }.top()));
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
}

impl Writer {
    fn top(&self) -> Value {
        let mut form = self.section("");
        if self.kind == Kind::Formula {
            form["anyOf"] = json!([{ "required": ["lagrangian"] }, { "required": ["hamiltonian"] }]);
        }
        form
    }

    /// A table of keys.
    fn object<'a>(&self, keys: impl Iterator<Item = &'a Key>) -> Value {
        let mut properties = Map::new();
        let mut needed = Vec::new();
        for key in keys {
            let (_, name) = key.place();
            properties.insert(name.to_string(), self.key(key));
            if key.is_required() {
                needed.push(name);
            }
        }
        let mut form = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        if !needed.is_empty() {
            form["required"] = json!(needed);
        }
        form
    }

    /// The form of a key, with its meaning.
    fn key(&self, key: &Key) -> Value {
        let mut form = forms::schema_of(key.form, &|form| self.table(form, key.path));
        form["description"] = key.meaning().into();
        form
    }

    /// A section: its keys, or those of each table in it.
    fn section(&self, section: &str) -> Value {
        self.object(self.kind.all_keys().iter().filter(|key| key.place().0 == section))
    }

    /// The form of a key at a path that depends on other keys or on the registry.
    fn table(&self, form: Form, path: &str) -> Value {
        match form {
            Form::Table => self.section(path),
            Form::Tables => forms::named(self.section(path)),
            Form::Integrator => self.integrator(),
            Form::Observers => {
                let names: Vec<&str> = registry::observers().iter().map(|entry| entry.name).collect();
                forms::one_or_many(forms::words(&names))
            }
            Form::Materials => self.materials(),
            Form::Law => {
                let names: Vec<&str> = registry::materials().iter().map(|law| law.name).collect();
                forms::words(&names)
            }
            Form::Drawings => self.drawings(),
            Form::Shape => forms::words(&DRAWINGS.map(|(shape, _)| shape)),
            _ => unreachable!("{form:?} says all by itself"),
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
        let mut common = self.section("material");
        let each = registry::materials().iter().map(|law| {
            let mut properties = Map::new();
            properties.insert("group".into(), common["properties"]["group"].clone());
            properties.insert("law".into(), json!({ "const": law.name }));
            properties.extend(law.constants.iter().map(|key| (key.path.to_string(), self.key(key))));
            json!({
                "if": { "properties": { "law": { "const": law.name } } },
                "then": { "properties": properties, "additionalProperties": false },
            })
        });
        let each: Value = each.collect();
        if let Some(object) = common.as_object_mut() {
            // What else there may be depends on the law.
            object.remove("additionalProperties");
            object.insert("allOf".into(), each);
        }
        forms::named(common)
    }

    /// Every shape has its own keys.
    fn drawings(&self) -> Value {
        let shapes = DRAWINGS.map(|(shape, _)| shape);
        let each = DRAWINGS.map(|(shape, keys)| {
            let mut form = self.object(DRAW.iter().filter(|key| keys.contains(&key.path)));
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
}
