//! `stationary explain`: the maths and options of one thing.

use stationary::error::{Diagnostic, Error, near_miss};
use stationary::formula;
use stationary_app::registry::{self, MaterialEntry, RegistryEntry};
use stationary_app::scenario::keys::{Key, reference};
use stationary_app::scenario::shipped;

use crate::output::{say, table};
use crate::{Verdict, arguments};

/// The topic that is not in any list.
const FORMULAS: &str = "formulas";

/// Explains an integrator, an observer, a constitutive law, an option or a constant of these, a key of scenarios, a shipped scenario or
/// the formula language.
pub fn explain(arguments: &arguments::Explain) -> Result<Verdict, Error> {
    let name = arguments.name.as_str();
    let entry = entries().find(|entry| entry.name == name).map(explain_entry);
    let law = registry::materials().iter().find(|law| law.name == name).map(explain_material);
    // Some observers are named like the key that asks for them, and some options like a key.
    let parts: Vec<String> =
        [entry, law, explain_key(name), explain_option(name)].into_iter().flatten().collect();
    if !parts.is_empty() {
        say(&parts.join("\n\n"));
    } else if let Some(shipped) = shipped::find(name) {
        // The file explains itself, and as it is it makes a good start for another.
        say(shipped.text.trim_end());
    } else if name == FORMULAS {
        say(&explain_formulas());
    } else {
        return Err(unknown(name).into());
    }
    Ok(Verdict::Done)
}

/// All integrators and observers.
fn entries() -> impl Iterator<Item = &'static RegistryEntry> {
    registry::integrators().iter().chain(registry::observers())
}

/// Everything that has options or constants, with these.
fn owners() -> impl Iterator<Item = (&'static str, &'static [Key])> {
    let laws = registry::materials().iter().map(|law| (law.name, law.constants));
    entries().map(|entry| (entry.name, entry.options)).chain(laws)
}

fn unknown(name: &str) -> Diagnostic {
    let scenarios = shipped::all().iter().map(|s| s.name);
    let laws = registry::materials().iter().map(|law| law.name);
    let known: Vec<&str> = entries().map(|e| e.name).chain(laws).chain(scenarios).chain([FORMULAS]).collect();
    let keys = reference().into_iter().flat_map(|(_, keys)| keys.iter().map(|key| key.path));
    let options = owners().flat_map(|(_, options)| options.iter().map(|option| option.path));
    let near = near_miss(name, known.iter().copied().chain(keys).chain(options));
    let suggestion = near.map_or(String::new(), |n| format!("did you mean `{n}`? "));
    let help = format!(
        "{suggestion}known names: every key of scenarios, such as gap.restitution, every option, such as avi.fraction, and {}",
        known.join(", ")
    );
    Diagnostic::new(format!("nothing is called `{name}`")).help(help)
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
        let mut text = format!("{prefix}{}", key.explained());
        let below: Vec<&Key> = keys
            .iter()
            .filter(|other| other.path.strip_prefix(key.path).is_some_and(|rest| rest.starts_with('.')))
            .collect();
        if !below.is_empty() {
            text.push_str(&format!("\n{}", rows(&below)));
        }
        if !parts.iter().any(|part| part.ends_with(&text)) {
            parts.push(format!("{heading}\n{text}"));
        }
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// What an option or a constant means, `avi.fraction` of one owner or `fraction` of all that have it.
fn explain_option(name: &str) -> Option<String> {
    let mut parts: Vec<(String, Vec<&str>)> = Vec::new();
    for (owner, options) in owners() {
        let is_meant = |option: &&Key| name == option.path || name == format!("{owner}.{}", option.path);
        let Some(option) = options.iter().find(is_meant) else { continue };
        let text = option.explained();
        match parts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, owners)) => owners.push(owner),
            None => parts.push((text, vec![owner])),
        }
    }
    let said = |(text, owners): &(String, Vec<&str>)| format!("Option of {}\n{text}", owners.join(", "));
    (!parts.is_empty()).then(|| parts.iter().map(said).collect::<Vec<_>>().join("\n\n"))
}

/// A table of keys: name, value, meaning.
fn rows(keys: &[&Key]) -> String {
    let row = |key: &&Key| vec![key.path.to_string(), key.form.to_string(), key.meaning()];
    table(&keys.iter().map(row).collect::<Vec<_>>())
}

fn explain_material(law: &MaterialEntry) -> String {
    format!(
        "{} (constitutive law; elements: {})\nEnergy per reference volume: {}\n\nConstants\n{}",
        law.name,
        law.elements,
        law.energy,
        rows(&law.constants.iter().collect::<Vec<_>>())
    )
}

fn explain_entry(entry: &RegistryEntry) -> String {
    let mut text =
        format!("{} ({})\n{}\n\n{}\n", entry.name, entry.kind, entry.summary, entry.maths.trim_end());
    if entry.options.is_empty() {
        text.push_str("\nIt has no options.");
    } else {
        text.push_str(&format!("\nOptions\n{}", rows(&entry.options.iter().collect::<Vec<_>>())));
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
