//! `stationary explain`: the maths and options of one thing.

use stationary::error::{Diagnostic, Error, near_miss};
use stationary::formula;
use stationary_app::registry::{self, Entry};
use stationary_app::scenario::shipped;

use crate::output::{say, table};
use crate::{Verdict, arguments};

/// The topic that is not in any list.
const FORMULAS: &str = "formulas";

/// Explains an integrator, an observer, a shipped scenario or the formula language.
pub fn explain(arguments: &arguments::Explain) -> Result<Verdict, Error> {
    let name = arguments.name.as_str();
    let entries = || registry::integrators().iter().chain(registry::observers());
    if let Some(entry) = entries().find(|e| e.name == name) {
        say(&explain_entry(entry));
    } else if let Some(shipped) = shipped::find(name) {
        // The file explains itself, and as it is it makes a good start for another.
        say(shipped.text.trim_end());
    } else if name == FORMULAS {
        say(&explain_formulas());
    } else {
        let scenarios = shipped::all().iter().map(|s| s.name);
        let known: Vec<&str> = entries().map(|e| e.name).chain(scenarios).chain([FORMULAS]).collect();
        let near = near_miss(name, known.iter().copied());
        let suggestion = near.map_or(String::new(), |n| format!("did you mean `{n}`? "));
        let help = format!("{suggestion}known names: {}", known.join(", "));
        return Err(Diagnostic::new(format!("nothing is called `{name}`")).help(help).into());
    }
    Ok(Verdict::Done)
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
