//! The integrator a scenario chooses and the options it gives, read by the integrator itself.

use super::constants::Constants;
use super::keys::{Form, Key};
use super::place::{Place, Text};
use super::readable::{Context, Readable, chosen};
use super::section::{Owner, Section};
use super::tree::{self, Entry, Node, Table, Value};
use stationary::error::{Diagnostic, near_miss};

/// An integrator by name, with options.
#[derive(Debug, Clone)]
pub struct IntegratorSpec {
    /// Its name in the registry.
    pub method: Text,
    /// Everything else under `integrator`.
    pub options: Options,
}

/// Options not yet read: who owns them knows their rows.
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
    pub(crate) fn new(entries: Table, constants: Constants) -> Self {
        Options { entries, constants }
    }

    /// Where an option is written, for errors about its value that only the reader can see.
    pub fn place(&self, key: &str) -> Option<&Place> {
        self.entries.iter().find(|e| e.key == key).map(|e| &e.node.place)
    }

    /// The options as the rows of an integrator or of a law say; others are refused. `what` names their owner, which `at` chose.
    pub(crate) fn open(&self, what: &str, at: &Text, rows: Vec<Key>) -> Result<Section, Diagnostic> {
        Section::open(self.entries.clone(), rows, "", Owner::at(what, &at.place), &self.constants.part(1))
    }
}

impl Readable for Numbers {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        let Value::Table(table) = &node.value else {
            return f64::read(form, node, context).map(|value| Numbers::One(value, node.place.clone()));
        };
        let Form::Named(of) = chosen(form, node) else { unreachable!("{form:?} is read as numbers by name") };
        let named = table.iter().map(|Entry { key, key_place, node }| {
            let path = format!("{}.{key}", context.name);
            let value = f64::read(of, node, &Context { name: &path, ..*context })?;
            let name = Text { text: key.clone(), place: key_place.clone(), index: None };
            Ok(NamedNumber { name, value, place: node.place.clone() })
        });
        named.collect::<Result<_, _>>().map(Numbers::ByName)
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
