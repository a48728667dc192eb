//! Names: of parameters, coordinates, velocities and momenta, no two alike.

use std::collections::HashMap;

use super::place::Place;
use super::tree::shorten;
use stationary::error::Diagnostic;
use stationary::formula::{self, Builtin};

/// Names with a fixed meaning in every formula.
const RESERVED: [(&str, &str); 2] = [("t", "the time"), ("pi", "the number pi")];

/// Every name taken so far and what it means.
pub(crate) struct Names {
    taken: HashMap<String, String>,
}

impl Names {
    /// Takes the names that have a fixed meaning in formulas of a kind of system.
    pub fn new(more: Vec<(&'static str, &'static str)>) -> Self {
        let reserved = RESERVED.into_iter().chain(more);
        let reserved = reserved.map(|(name, meaning)| (name.to_string(), meaning.to_string()));
        Names { taken: reserved.collect() }
    }

    /// Takes a name for a parameter, or says why not.
    pub fn parameter(&mut self, name: &str, place: &Place) -> Result<(), Diagnostic> {
        identifier(name, "parameter", place)?;
        self.claim(name.to_string(), "a parameter".into(), |taken| {
            place
                .error(format!("the parameter `{name}` has the name of {taken}"))
                .help("choose another name for the parameter")
        })
    }

    /// Takes the names of a coordinate, its velocity and its momentum.
    pub fn coordinate(&mut self, name: &str, place: &Place) -> Result<(), Diagnostic> {
        identifier(name, "coordinate", place)?;
        self.claim(name.to_string(), "a coordinate".into(), |taken| {
            place
                .error(format!("the coordinate `{name}` has the name of {taken}"))
                .help("choose another name for the coordinate")
        })?;
        for (letter, role) in [('v', "velocity"), ('p', "momentum")] {
            let derived = format!("{letter}{name}");
            self.claim(derived.clone(), format!("the {role} of `{name}`"), |taken| {
                place.error(format!("the {role} of `{name}`, `{derived}`, has the name of {taken}")).help(
                    format!(
                        "velocities are named `v` + coordinate, momenta `p` + coordinate: rename `{name}`"
                    ),
                )
            })?;
        }
        Ok(())
    }

    /// Takes a name for a probe: a column of its own.
    pub fn probe(&mut self, name: &str, place: &Place) -> Result<(), Diagnostic> {
        identifier(name, "probe", place)?;
        self.claim(name.to_string(), "a probe".into(), |taken| {
            place
                .error(format!("the probe `{name}` has the name of {taken}"))
                .help("choose another name for the probe")
        })
    }

    fn claim(
        &mut self,
        name: String,
        meaning: String,
        error: impl FnOnce(&str) -> Diagnostic,
    ) -> Result<(), Diagnostic> {
        if name == "sum" || Builtin::named(&name).is_some() {
            return Err(error("a function"));
        }
        if let Some(taken) = self.taken.get(&name) {
            return Err(error(taken));
        }
        self.taken.insert(name, meaning);
        Ok(())
    }
}

/// Checks that formulas can name it: a letter or `_`, then letters, digits and `_`.
pub(crate) fn identifier(name: &str, kind: &str, place: &Place) -> Result<(), Diagnostic> {
    let start = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if start && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(());
    }
    let expected = "a letter from a to z, then letters, digits or `_`, at most 64 in all";
    let help = match formula::spelled(name).filter(|plain| plain != name && plain.len() <= 64) {
        Some(plain) => format!("write `{plain}`: expected {expected}"),
        None => format!("expected {expected}"),
    };
    Err(place.error(format!("`{}` cannot name a {kind}", shorten(name))).help(help))
}
