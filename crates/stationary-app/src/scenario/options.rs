//! The integrator a scenario chooses and the options it gives, read by the integrator itself.

use std::ops::RangeInclusive;

use super::constants::Constants;
use super::place::{Place, Text};
use super::tree::{self, Entry, Node, Table, Value};
use stationary::error::{Diagnostic, Error, near_miss};

/// An integrator by name, with options.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Its name in the registry.
    pub method: Text,
    /// Everything else under `integrator`.
    pub options: Options,
}

/// Options not yet read. Each reader takes its key; [`Options::finish`] rejects what nobody took.
#[derive(Debug, Clone, Default)]
pub struct Options {
    entries: Table,
    constants: Constants,
}

/// One number for all, or numbers by name.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// The number and where it was written.
    One(f64, Place),
    /// In the order of the file.
    ByName(Vec<NamedNumber>),
}

/// `name = value` inside an option.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedNumber {
    /// The name and where it was written.
    pub name: Text,
    /// Its number, finite.
    pub value: f64,
    /// Where the number was written.
    pub place: Place,
}

impl Options {
    pub(super) fn new(entries: Table, constants: Constants) -> Self {
        Options { entries, constants }
    }

    /// Where an option is written, for errors about its value that only the reader can see.
    pub fn place(&self, key: &str) -> Option<&Place> {
        self.entries.iter().find(|e| e.key == key).map(|e| &e.node.place)
    }

    /// A number within a range.
    pub fn number(&mut self, key: &str, default: f64, allowed: RangeInclusive<f64>) -> Result<f64, Error> {
        Ok(self.number_if_given(key, allowed)?.unwrap_or(default))
    }

    /// A number within a range that has no default.
    pub fn number_if_given(&mut self, key: &str, allowed: RangeInclusive<f64>) -> Result<Option<f64>, Error> {
        let Some(node) = self.take(key) else { return Ok(None) };
        let value = self.constants.number(key, &node)?;
        if allowed.contains(&value) {
            return Ok(Some(value));
        }
        Err(node.place.error(format!("`{key}` must be {}, found {value}", in_words(&allowed))).into())
    }

    /// One number, or numbers by name: `step = 1e-6` or `step = { body = 1e-6, tip = 2e-7 }`.
    pub fn numbers(&mut self, key: &str) -> Result<Option<Numbers>, Error> {
        let Some(node) = self.take(key) else { return Ok(None) };
        let Value::Table(table) = node.value else {
            return match node.value {
                Value::Integer(_) | Value::Float(_) | Value::Text(_) => {
                    Ok(Some(Numbers::One(self.constants.number(key, &node)?, node.place)))
                }
                _ => Err(node.wrong(key, "a number, or a table of numbers by name").into()),
            };
        };
        let named = table.into_iter().map(|Entry { key: name, key_place, node }| {
            let value = self.constants.number(&format!("{key}.{name}"), &node)?;
            let name = Text { text: name, place: key_place, index: None };
            Ok(NamedNumber { name, value, place: node.place })
        });
        Ok(Some(Numbers::ByName(named.collect::<Result<_, Error>>()?)))
    }

    /// A formula, or a plain number in its place; who asks knows what it may name.
    pub fn formula(&mut self, key: &str) -> Result<Option<Text>, Error> {
        Ok(self.take(key).map(|node| node.formula(key)).transpose()?)
    }

    /// Any text.
    pub fn text(&mut self, key: &str) -> Result<Option<Text>, Error> {
        Ok(self.take(key).map(|node| node.text(key, "text")).transpose()?)
    }

    /// A whole number within a range.
    pub fn integer(&mut self, key: &str, default: u64, allowed: RangeInclusive<u64>) -> Result<u64, Error> {
        match self.take(key) {
            Some(node) => Ok(self.constants.integer(key, &node, &allowed)?),
            None => Ok(default),
        }
    }

    /// One of a few words.
    pub fn choice<'a>(&mut self, key: &str, default: &'a str, allowed: &[&'a str]) -> Result<&'a str, Error> {
        let Some(node) = self.take(key) else { return Ok(default) };
        let text = node.text(key, "text")?;
        match allowed.iter().find(|a| **a == text.text) {
            Some(found) => Ok(found),
            None => Err(unknown_word(&text, &format!("value of `{key}`"), allowed).into()),
        }
    }

    /// One of a list of words; true and false stand for two of them.
    pub fn word_or_flag<'a>(
        &mut self,
        key: &str,
        default: &'a str,
        allowed: &[&'a str],
        [yes, no]: [&'a str; 2],
    ) -> Result<&'a str, Error> {
        match self.entries.iter().find(|e| e.key == key).map(|e| &e.node.value) {
            Some(Value::Flag(_)) => self.flag(key, true).map(|flag| if flag { yes } else { no }),
            _ => self.choice(key, default, allowed),
        }
    }

    /// True or false.
    pub fn flag(&mut self, key: &str, default: bool) -> Result<bool, Error> {
        match self.take(key) {
            Some(Node { value: Value::Flag(flag), .. }) => Ok(flag),
            Some(node) => Err(node.wrong(key, "true or false").into()),
            None => Ok(default),
        }
    }

    /// Rejects options that were not read; `what` names their owner, `allowed` all it has.
    pub fn finish(self, what: &str, allowed: &[&str]) -> Result<(), Error> {
        match self.entries.first() {
            Some(entry) => Err(tree::unknown_key(entry, what, allowed).into()),
            None => Ok(()),
        }
    }

    fn take(&mut self, key: &str) -> Option<Node> {
        tree::take(&mut self.entries, key)
    }
}

/// A range as people say it: its ends may stand for "greater than zero" and "any".
fn in_words(range: &RangeInclusive<f64>) -> String {
    let least = match *range.start() {
        f64::MIN_POSITIVE => "greater than zero".into(),
        least if *range.end() == f64::MAX => format!("{least} or more"),
        least => format!("from {least}"),
    };
    match (*range.end(), *range.start()) {
        (f64::MAX, _) => least,
        (most, f64::MIN_POSITIVE) => format!("{least} and at most {most}"),
        (most, _) => format!("{least} to {most}"),
    }
}

/// The error of a word that is none of the allowed ones: integrators, observers, choices.
///
/// `kind` completes "unknown ...", as in `integrator`.
pub fn unknown_word(text: &Text, kind: &str, allowed: &[&str]) -> Diagnostic {
    let near = near_miss(&text.text, allowed.iter().copied());
    let suggestion = near.map_or(String::new(), |n| format!("did you mean `{n}`? "));
    text.error(format!("unknown {kind} `{}`", tree::shorten(&text.text)))
        .help(format!("{suggestion}expected one of: {}", allowed.join(", ")))
}
