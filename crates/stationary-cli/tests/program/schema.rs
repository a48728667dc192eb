//! The JSON Schema of scenarios against the program that reads them.

use super::new::kinds;
use super::{Folder, stdout};
use jsonschema::Validator;
use serde_json::{Value, json};
use stationary_app::scenario::{Scenario, shipped};

fn validator() -> Validator {
    let schema = stationary_app::schema::schema();
    jsonschema::draft202012::meta::validate(&schema).expect("the schema is a schema");
    jsonschema::draft202012::new(&schema).expect("a schema")
}

fn parse(text: &str) -> Value {
    let table: toml::Table = toml::from_str(text).unwrap();
    serde_json::to_value(table).unwrap()
}

/// Shipped scenarios and templates, by name.
fn scenarios(folder: &Folder) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> =
        shipped::all().iter().map(|s| (s.name.to_string(), s.text.to_string())).collect();
    for kind in kinds(folder) {
        let file = format!("{kind}.toml");
        assert_eq!(folder.stationary(&["new", &kind, &file]).status.code(), Some(0));
        all.push((format!("new {kind}"), std::fs::read_to_string(folder.0.join(&file)).unwrap()));
    }
    all
}

#[test]
fn published_json_schema_is_that_of_the_program() {
    let folder = Folder::new("schema-file");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/scenario.schema.json");
    let printed = stdout(&folder.stationary(&["schema"]));
    if std::env::var_os("STATIONARY_UPDATE_DOCS").is_some() {
        std::fs::write(path, &printed).unwrap();
    }
    assert!(std::fs::read_to_string(path).unwrap() == printed, "refresh with STATIONARY_UPDATE_DOCS=1");
}

#[test]
fn shipped_scenarios_and_templates_are_valid_under_the_json_schema() {
    let folder = Folder::new("schema-valid");
    let validator = validator();
    let all = scenarios(&folder);
    assert!(all.len() > 40, "{}", all.len());
    for (name, text) in all {
        let errors: Vec<String> =
            validator.iter_errors(&parse(&text)).map(|e| format!("{} {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
    // So are those of the book.
    let pages = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src")).unwrap();
    let mut seen = 0;
    for page in pages.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "md")) {
        let text = std::fs::read_to_string(&page).unwrap();
        for block in text.split("```toml,scenario\n").skip(1) {
            let block = block.split("\n```").next().unwrap();
            assert!(validator.is_valid(&parse(block)), "{}: {block}", page.display());
            seen += 1;
        }
    }
    assert!(seen > 15, "{seen}");
}

/// A place in a document: keys and numbers.
type Place = Vec<String>;

fn places(value: &Value, at: &Place, into: &mut Vec<Place>) {
    let mut go = |key: String, inner: &Value| {
        let mut place = at.clone();
        place.push(key);
        into.push(place.clone());
        places(inner, &place, into);
    };
    match value {
        Value::Object(object) => object.iter().for_each(|(key, inner)| go(key.clone(), inner)),
        // Long lists have nothing new after their first entries.
        Value::Array(list) => list.iter().enumerate().take(2).for_each(|(k, inner)| go(k.to_string(), inner)),
        _ => {}
    }
}

fn put(document: &mut Value, place: &[String], value: Value) {
    let [first, rest @ ..] = place else {
        *document = value;
        return;
    };
    match document {
        Value::Array(list) => put(&mut list[first.parse::<usize>().unwrap()], rest, value),
        Value::Object(object) => put(object.entry(first.clone()).or_insert(Value::Null), rest, value),
        _ => panic!("no place"),
    }
}

/// Reads a document, and checks it; a solid, whose check takes a mesh, only where that is asked for.
fn refused(document: &Value, folder: &Folder, deep: bool) -> Option<String> {
    let text = toml::to_string(document).ok()?;
    let path = folder.0.join("mutant.toml");
    std::fs::write(&path, text).unwrap();
    let read = Scenario::open(&path, &[]);
    let done = read.and_then(|scenario| match scenario.solid() {
        Some(_) if !deep => stationary_app::registry::solid_method(&scenario.integrator).map(|_| ()),
        _ => stationary_app::run::check(&scenario).map(|_| ()),
    });
    done.err().map(|error| error.to_string())
}

/// Whatever the schema refuses the program refuses too, and whatever key the program does not know the schema does not know:
/// every value of every template and of some scenarios is replaced by others, and unknown keys are added everywhere.
#[test]
fn json_schema_and_program_refuse_the_same_scenarios() {
    let folder = Folder::new("schema-same");
    let validator = validator();
    let others = [
        json!(true),
        json!(-3),
        json!(0.5),
        json!("zzz"),
        json!([]),
        json!([true, true, true]),
        json!({}),
        json!({ "zzz": 1 }),
    ];
    let known = [
        "kepler",
        "cradle",
        "heavy-top",
        "double-well",
        "rod-molecule",
        "four-vortices",
        "star-bounce",
        "blade-1",
        "l-beam",
    ];
    let (mut tried, mut both, mut unknown) = (0, 0, 0);
    for (name, text) in scenarios(&folder) {
        if !(name.starts_with("new ") || known.contains(&name.as_str())) {
            continue;
        }
        let whole = parse(&text);
        // Parameters may use those above them, and the order of keys is lost here.
        if refused(&whole, &folder, true).is_some() {
            continue;
        }
        let mut all = Vec::new();
        places(&whole, &Vec::new(), &mut all);
        for place in &all {
            let mut changes: Vec<(Place, Value)> =
                others.iter().map(|v| (place.clone(), v.clone())).collect();
            let mut below = place.clone();
            below.push("zzz".into());
            if whole.pointer(&format!("/{}", place.join("/"))).is_some_and(Value::is_object) {
                changes.push((below, json!(1)));
            }
            for (place, value) in changes {
                let mut document = whole.clone();
                put(&mut document, &place, value);
                tried += 1;
                let valid = validator.is_valid(&document);
                let refused = refused(&document, &folder, !valid);
                assert!(valid || refused.is_some(), "{name}: the schema refuses {place:?} in\n{document:#}");
                both += usize::from(!valid);
                if let Some(message) =
                    refused.filter(|m| m.contains("unknown key") || m.contains(" is no key of "))
                {
                    unknown += 1;
                    assert!(!valid, "{name}: the schema takes {place:?}: {message}");
                }
            }
        }
        // A key that is missing.
        for key in whole.as_object().unwrap().keys() {
            let mut document = whole.clone();
            document.as_object_mut().unwrap().remove(key);
            assert!(
                validator.is_valid(&document) || refused(&document, &folder, true).is_some(),
                "{name} without {key}"
            );
        }
    }
    assert!(tried > 2000 && both > 800 && unknown > 30, "{tried} {both} {unknown}");
}

/// Every integrator with every option that it has, for every kind of scenario.
#[test]
fn integrators_of_the_json_schema_are_those_of_the_program() {
    let folder = Folder::new("schema-integrators");
    let validator = validator();
    let mut taken = 0;
    for kind in ["pendulum", "solid", "body", "bodies"] {
        folder.stationary(&["new", kind]);
        let text = std::fs::read_to_string(folder.0.join(format!("{kind}.toml"))).unwrap();
        for entry in stationary_app::registry::integrators() {
            let options = entry.options.iter().map(|o| o.path).chain(["zzz"]).map(Some).chain([None]);
            for option in options {
                let mut document = parse(&text);
                let mut integrator = json!({ "method": entry.name });
                if let Some(option) = option {
                    // Whatever is wrong with the value: it is the key that is asked about.
                    integrator[option] = json!([[]]);
                }
                document["integrator"] = integrator;
                let message = refused(&document, &folder, true).unwrap_or_default();
                let valid = validator.is_valid(&document);
                let foreign = message.contains("moves ")
                    || message.contains("does not move")
                    || message.contains("unknown key");
                match option {
                    None if message.is_empty() => assert!(valid, "{kind} {}: {message}", entry.name),
                    None if foreign || message.contains("gives every element") => {
                        assert!(!valid, "{kind} {}", entry.name)
                    }
                    _ => {
                        assert!(!valid || !message.is_empty(), "{kind} {} {option:?}: {message}", entry.name)
                    }
                }
                taken += usize::from(valid);
            }
        }
    }
    assert!(taken >= 12, "{taken}");
}
