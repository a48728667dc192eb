//! The JSON Schema of scenarios, for editors: keys from their tables (`scenario/keys`), integrators and observers from the registry.
//!
//! It refuses no scenario that the program takes. The converse does not hold: formulas, and what one key means for another, are
//! the program's to judge.

mod forms;

use crate::kinds::formula::keys::{DRAW, DRAWINGS};
use crate::kinds::{KINDS, SystemKind};
use crate::registry::{self, integrators_of};
use crate::scenario::keys::{Form, IfAbsent, Key};
use serde_json::{Map, Value, json};

/// The schema, draft 2020-12.
///
/// ```
/// let schema = stationary_app::schema::schema();
/// assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
/// assert!(schema["properties"]["lagrangian"]["description"].as_str().unwrap().contains("formula"));
/// ```
pub fn schema() -> Value {
    schema_of(KINDS)
}

/// The schema of scenarios of some kinds.
pub(crate) fn schema_of(kinds: &[&'static SystemKind]) -> Value {
    let kinds: Vec<(&SystemKind, Value)> = kinds.iter().map(|kind| (*kind, Writer { kind }.top())).collect();
    let all = all_keys(&kinds);
    let needs = |key: &str| json!({ "required": [key] });
    let telling: Vec<Value> =
        kinds.iter().flat_map(|(kind, _)| kind.all_identifying_keys()).map(needs).collect();
    let chosen = kinds.iter().map(|(kind, _)| {
        let keys: Vec<Value> = kind.all_identifying_keys().map(needs).collect();
        json!({ "if": { "anyOf": keys }, "then": { "$ref": format!("#/$defs/{}", kind.name) } })
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:stationary:scenario:1",
        "title": "Scenario of stationary",
        "description": "A mechanical system, how it is moved, and what is promised of the results.",
        "type": "object",
        "properties": all,
        "additionalProperties": false,
        "anyOf": telling,
        "allOf": chosen.collect::<Vec<_>>(),
        "$defs": kinds.iter().map(|(kind, form)| (kind.name.to_string(), form.clone())).collect::<Map<_, _>>(),
    })
}

/// Every key that some kind has, by reference to each form that it has among them: editors that do not look behind a condition
/// find all keys at the top.
fn all_keys(kinds: &[(&SystemKind, Value)]) -> Map<String, Value> {
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
                list.push(json!({ "$ref": format!("#/$defs/{}/properties/{key}", kind.name) }));
            }
        }
    }
    all
}

/// Writes the schema of a kind of scenario.
struct Writer<'a> {
    kind: &'a SystemKind,
}

impl Writer<'_> {
    fn top(&self) -> Value {
        let mut form = self.section("");
        if let [_, _, ..] = self.kind.defining_keys {
            form["anyOf"] = self.kind.defining_keys.iter().map(|key| json!({ "required": [key] })).collect();
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
        self.object(self.kind.keys.iter().filter(|key| key.place().0 == section))
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
        let row = self.kind.keys.iter().find(|key| key.path == "integrator");
        let usual = match row.map(|key| key.default) {
            Some(IfAbsent::Word(name)) => Some(name),
            _ => None,
        };
        let mut each = Vec::new();
        for (entry, options) in &known {
            let mut properties = Map::new();
            let form = json!({ "const": entry.name, "description": entry.summary });
            properties.insert("method".into(), form);
            properties.extend(options.iter().map(|option| (option.path.to_string(), self.key(option))));
            let mut named = json!({ "properties": { "method": { "const": entry.name } } });
            // A table without a method has the options of the default.
            if usual.is_some_and(|usual| usual != entry.name) {
                named["required"] = json!(["method"]);
            }
            each.push(json!({
                "if": named,
                "then": { "properties": properties, "additionalProperties": false },
            }));
        }
        let mut table = json!({
            "type": "object",
            "properties": { "method": method(forms::words(&names)) },
            "allOf": each,
        });
        if usual.is_none() {
            table["required"] = json!(["method"]);
        }
        json!({ "anyOf": [forms::words(&names), table] })
    }

    /// Every law has its own constants.
    fn materials(&self) -> Value {
        let mut common = self.section("material");
        let each = registry::materials().iter().map(|law| {
            let mut properties = Map::new();
            properties.insert("group".into(), common["properties"]["group"].clone());
            properties.insert("law".into(), json!({ "const": law.name }));
            properties.extend(law.constants.iter().map(|key| (key.path.to_string(), self.key(key))));
            let needed: Vec<&str> =
                law.constants.iter().filter(|key| key.is_required()).map(|key| key.path).collect();
            json!({
                "if": { "properties": { "law": { "const": law.name } } },
                "then": { "properties": properties, "required": needed, "additionalProperties": false },
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
    use crate::kinds::KindNames;
    use crate::scenario::constants::Constants;
    use crate::scenario::section::{Owner, Section};
    use crate::scenario::tree;
    use stationary::error::Source;
    use std::sync::Arc;

    /// A row is all that a key needs: with it the reader takes the key and refuses what is not of its form, unknown keys are answered
    /// with it, and it stands in the schema, in the reference and in `explain`.
    #[test]
    fn a_key_that_is_added_as_a_row_is_known_everywhere() {
        const ROWS: &[Key] = &[
            Key::optional("damper", Form::Table, "a damper"),
            Key::new(
                "damper.ratio",
                Form::Between(0.0, 1.0),
                IfAbsent::Number(0.25),
                "part of the [critical](#a) damping",
            ),
            Key::required("damper.group", Form::Text, "group = \"left\"", "where it acts"),
        ];
        let section = |text: &str| {
            let source = Arc::new(Source { name: "a.toml".into(), text: text.into() });
            let table = tree::document(&source).unwrap();
            let owner = Owner::scenario(&source);
            Section::open(table, ROWS, "", owner, &Constants::new())?.table("damper").map(Option::unwrap)
        };
        let mut table = section("damper = { ratio = \"1/2\", group = \"a\" }").unwrap();
        assert_eq!(table.get::<f64>("ratio").unwrap(), 0.5);
        assert_eq!(table.get::<String>("group").unwrap(), "a");
        let mut table = section("damper = {}").unwrap();
        assert_eq!(table.get::<f64>("ratio").unwrap(), 0.25);
        let missing = table.get::<String>("group").unwrap_err().to_string();
        assert!(missing.contains("a.toml:1:10: `damper` has no `group`"), "{missing}");
        assert!(missing.ends_with("add: group = \"left\""), "{missing}");
        let refused =
            |text: &str| section(text).and_then(|mut t| t.get::<f64>("ratio")).unwrap_err().to_string();
        let beyond = refused("damper = { ratio = 2 }");
        assert!(beyond.starts_with("a.toml:1:20: `ratio` must be a number from 0 to 1, found 2"), "{beyond}");
        assert!(beyond.ends_with("left out, it is 0.25"), "{beyond}");
        assert!(refused("damper = { ratio = [1] }").contains("must be a number from 0 to 1, found a list"));
        assert!(
            refused("damper = { ratoi = 1 }").ends_with("did you mean `ratio`? allowed keys: ratio, group")
        );

        let kind = SystemKind {
            name: "damped",
            defining_keys: &["damper"],
            identifying_keys: &[],
            names: KindNames { one: "", many: "", made_by: "" },
            keys: ROWS,
            reference: &[],
            reserved_names: Vec::new,
            options_of: |_| None,
            read: |_| unreachable!("nothing is read as this kind"),
        };
        let schema = Writer { kind: &kind }.section("");
        let damper = &schema["properties"]["damper"];
        let ratio = &damper["properties"]["ratio"];
        assert_eq!((&ratio["minimum"], &ratio["maximum"]), (&json!(0.0), &json!(1.0)));
        assert_eq!(damper["required"], json!(["group"]));
        assert_eq!(ratio["description"], "optional, 0.25; part of the critical damping");
        assert_eq!(ROWS[1].described(), "optional, 0.25; part of the [critical](#a) damping");
        let explained =
            "damper.ratio: optional, 0.25; part of the critical damping\nExpected: a number from 0 to 1";
        assert_eq!(ROWS[1].explained(), explained);
    }

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
