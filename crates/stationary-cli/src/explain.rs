//! `stationary explain`: the maths and options of one thing.

use stationary::error::{Diagnostic, Error, near_miss};
use stationary::formula;
use stationary_app::registry::{self, Entry, Material};
use stationary_app::scenario::keys::{Key, reference};
use stationary_app::scenario::shipped;

use crate::output::{say, table};
use crate::{Verdict, arguments};

/// The topic that is not in any list.
const FORMULAS: &str = "formulas";

/// Explains an integrator, an observer, a law of elasticity, a key of scenarios, a shipped scenario or the formula language.
pub fn explain(arguments: &arguments::Explain) -> Result<Verdict, Error> {
    let name = arguments.name.as_str();
    let entries = || registry::integrators().iter().chain(registry::observers());
    if let Some(entry) = entries().find(|e| e.name == name) {
        // Some observers are named like the key that asks for them.
        let key = explain_key(name).map_or(String::new(), |text| format!("\n\n{text}"));
        say(&format!("{}{key}", explain_entry(entry)));
    } else if let Some(law) = registry::materials().iter().find(|law| law.name == name) {
        say(&explain_material(law));
    } else if let Some(text) = explain_key(name) {
        say(&text);
    } else if let Some(shipped) = shipped::find(name) {
        // The file explains itself, and as it is it makes a good start for another.
        say(shipped.text.trim_end());
    } else if name == FORMULAS {
        say(&explain_formulas());
    } else {
        let scenarios = shipped::all().iter().map(|s| s.name);
        let laws = registry::materials().iter().map(|law| law.name);
        let known: Vec<&str> =
            entries().map(|e| e.name).chain(laws).chain(scenarios).chain([FORMULAS]).collect();
        let keys = reference().into_iter().flat_map(|(_, keys)| keys.iter().map(|key| key.path));
        let near = near_miss(name, known.iter().copied().chain(keys));
        let suggestion = near.map_or(String::new(), |n| format!("did you mean `{n}`? "));
        let help = format!(
            "{suggestion}known names: every key of scenarios, such as gap.restitution, and {}",
            known.join(", ")
        );
        return Err(Diagnostic::new(format!("nothing is called `{name}`")).help(help).into());
    }
    Ok(Verdict::Done)
}

/// What a key means in each kind of scenario that has it: one line for each meaning, then the keys below it.
fn explain_key(name: &str) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for (heading, keys) in reference() {
        let prefix = if heading == "Drawing" { "draw." } else { "" };
        let is_meant = |key: &&Key| {
            let path = format!("{prefix}{}", key.path);
            path == name || path.replace(".<name>", "") == name
        };
        let Some(key) = keys.iter().find(is_meant) else { continue };
        let mut text = format!("{prefix}{}: {}\nExpected: {}", key.path, key.meaning(), key.form);
        let below = keys
            .iter()
            .filter(|other| other.path.strip_prefix(key.path).is_some_and(|rest| rest.starts_with('.')));
        let rows: Vec<Vec<String>> = below.map(|key| vec![key.path.to_string(), key.meaning()]).collect();
        if !rows.is_empty() {
            text.push_str(&format!("\n{}", table(&rows)));
        }
        if !parts.iter().any(|part| part.ends_with(&text)) {
            parts.push(format!("{heading}\n{text}"));
        }
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn explain_material(law: &Material) -> String {
    let row = |key: &Key| vec![key.path.to_string(), key.meaning()];
    let rows: Vec<Vec<String>> = law.constants.iter().map(row).collect();
    format!(
        "{} (law of elasticity, for {})\nEnergy per reference volume: {}\n\nConstants\n{}",
        law.name,
        law.elements,
        law.energy,
        table(&rows)
    )
}

fn explain_entry(entry: &Entry) -> String {
    let mut text =
        format!("{} ({})\n{}\n\n{}\n", entry.name, entry.kind, entry.summary, entry.maths.trim_end());
    if entry.options.is_empty() {
        text.push_str("\nIt has no options.");
    } else {
        let row = |(name, default, meaning): &(&str, &str, &str)| {
            vec![name.to_string(), format!("default {default}"), meaning.to_string()]
        };
        let rows: Vec<Vec<String>> = entry.options.iter().map(row).collect();
        text.push_str(&format!("\nOptions\n{}", table(&rows)));
    }
    text
}

fn explain_formulas() -> String {
    let row = |f: &formula::Function| {
        let also =
            if f.aliases.is_empty() { String::new() } else { format!(", also {}", f.aliases.join(", ")) };
        vec![f.signature.to_string(), format!("{}{also}", f.description)]
    };
    let mut rows: Vec<Vec<String>> = formula::functions().iter().map(row).collect();
    rows.push(vec![
        "sum(i = a..b, ...)".into(),
        "sum over the whole numbers from a to b, both included".into(),
    ]);
    format!(
        "Formulas are made of numbers, parameters, + - * / ^ (or **) and brackets, the number pi, the time t, and:\n{}\n\n{}",
        "  a coordinate by its name, its velocity as `v` + name, its momentum as `p` + name;\n  \
         q[k], v[k], p[k] for coordinate number k, from 0.",
        format_args!("Functions\n{}", table(&rows))
    )
}
