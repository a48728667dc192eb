//! Every key of scenarios, once: where it stands, what its value may be, its default, and what it means. Readers, their messages, the help
//! for unknown keys, the JSON Schema, the reference tables of the book, `stationary explain` and the keywords of Python all take it from here.

mod form;

pub use form::Form;
pub(crate) use form::{FORMULAS, IN_QUOTES, PAIR, PATTERN, STATE, TRIPLE, UNBOUNDED, VECTOR};

pub(crate) mod shared;

use crate::kinds::{KINDS, SystemKind};

/// Every list of keys, with the heading under which the scenario reference has it.
pub fn reference() -> Vec<(&'static str, &'static [Key])> {
    reference_of(KINDS)
}

/// The lists of keys of some kinds.
pub(crate) fn reference_of(kinds: &[&'static SystemKind]) -> Vec<(&'static str, &'static [Key])> {
    kinds.iter().flat_map(|kind| kind.reference).copied().collect()
}

/// The kinds of systems by name, with their keys.
pub fn kinds() -> Vec<(&'static str, &'static [Key])> {
    KINDS.iter().map(|kind| (kind.name, kind.keys)).collect()
}

/// A key of scenarios, or an option of an integrator, or a constant of a constitutive law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Where it stands: `gap.restitution`, or `support.<name>.group` in a table of the user's naming.
    pub path: &'static str,
    /// What its value may be.
    pub form: Form,
    /// Whether it must be given, and its value if it is not.
    pub default: IfAbsent,
    /// What it means, in Markdown; links are those of the scenario reference.
    pub doc: &'static str,
}

/// Whether a key must be given, and its value if it is not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum IfAbsent {
    /// It must be given; a line to add.
    Required(&'static str),
    /// It may be left out, and then says nothing.
    Optional,
    /// Other keys decide whether it must be given.
    Depends {
        /// On which, in words; empty where the meaning says it.
        when: &'static str,
        /// A line to add where it must be given.
        example: &'static str,
    },
    /// A number; of a vector, each of its components.
    Number(f64),
    /// A whole number.
    Whole(u64),
    /// True or false.
    Flag(bool),
    /// A word.
    Word(&'static str),
    /// A value that follows from others, in words.
    Derived(&'static str),
}

impl IfAbsent {
    /// The default as a user would write it; none where there is none.
    pub fn value(&self) -> Option<String> {
        match self {
            IfAbsent::Required(_) | IfAbsent::Optional | IfAbsent::Depends { .. } => None,
            IfAbsent::Number(value) => Some(form::plain_number(*value)),
            IfAbsent::Whole(value) => Some(value.to_string()),
            IfAbsent::Flag(value) => Some(value.to_string()),
            IfAbsent::Word(words) | IfAbsent::Derived(words) => Some(words.to_string()),
        }
    }

    /// Whether the key must be given, and its default, in words; nothing where the meaning says it.
    fn words(&self) -> String {
        match self {
            IfAbsent::Required(_) => "required".into(),
            IfAbsent::Depends { when, .. } => when.to_string(),
            IfAbsent::Word(word) => format!("optional, `{word}`"),
            other => match other.value() {
                Some(value) => format!("optional, {value}"),
                None => "optional".into(),
            },
        }
    }
}

impl Key {
    /// A key that must be given; `example` is a line to add.
    pub(crate) const fn required(
        path: &'static str,
        form: Form,
        example: &'static str,
        doc: &'static str,
    ) -> Self {
        Key { path, form, default: IfAbsent::Required(example), doc }
    }

    /// A key that may be left out.
    pub(crate) const fn optional(path: &'static str, form: Form, doc: &'static str) -> Self {
        Key { path, form, default: IfAbsent::Optional, doc }
    }

    /// A key that has a default, or that other keys demand.
    pub(crate) const fn new(path: &'static str, form: Form, default: IfAbsent, doc: &'static str) -> Self {
        Key { path, form, default, doc }
    }

    /// The table it stands in, `""` at the top, and its name there: `gap` and `restitution`, `support` and `group`.
    pub(crate) fn place(&self) -> (&'static str, &'static str) {
        let (section, name) = self.path.rsplit_once('.').unwrap_or(("", self.path));
        (section.strip_suffix(".<name>").unwrap_or(section), name)
    }

    /// Whether it must be there whatever else is.
    pub fn is_required(&self) -> bool {
        matches!(self.default, IfAbsent::Required(_))
    }

    /// Whether it must be given, its default and its meaning, in Markdown.
    pub fn described(&self) -> String {
        match self.default.words() {
            words if words.is_empty() => self.doc.to_string(),
            words => format!("{words}; {}", self.doc),
        }
    }

    /// What `stationary explain` says of it.
    pub fn explained(&self) -> String {
        format!("{}: {}\nExpected: {}", self.path, self.meaning(), self.form)
    }

    /// Whether it must be given, its default and its meaning, without links.
    pub fn meaning(&self) -> String {
        plain(&self.described())
    }
}

/// Text with its links replaced by their words.
fn plain(text: &str) -> String {
    let mut words = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        words.push_str(before);
        match link.split_once("](").and_then(|(name, after)| Some((name, after.split_once(')')?.1))) {
            Some((name, after)) if !name.contains('[') => {
                words.push_str(name);
                rest = after;
            }
            _ => {
                words.push('[');
                rest = link;
            }
        }
    }
    words + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_their_words() {
        assert_eq!(plain("a [claim](#claims) or [a list]"), "a claim or [a list]");
        assert_eq!(plain("a quaternion `[w, x]`, see [there](a.md)"), "a quaternion `[w, x]`, see there");
    }

    #[test]
    fn a_key_knows_its_table_and_says_whether_it_must_be_there() {
        let place = |path| Key::optional(path, Form::Text, "").place();
        assert_eq!(place("end"), ("", "end"));
        assert_eq!(place("gap.restitution"), ("gap", "restitution"));
        assert_eq!(place("support.<name>.group"), ("support", "group"));
        assert_eq!(place("body.orientation.axis"), ("body.orientation", "axis"));
        for (default, words) in [
            (IfAbsent::Required("a = 1"), "required; its meaning"),
            (IfAbsent::Optional, "optional; its meaning"),
            (IfAbsent::Depends { when: "", example: "" }, "its meaning"),
            (IfAbsent::Depends { when: "required with `b`", example: "" }, "required with `b`; its meaning"),
            (IfAbsent::Number(0.5), "optional, 0.5; its meaning"),
            (IfAbsent::Word("csv"), "optional, `csv`; its meaning"),
            (IfAbsent::Derived("the origin"), "optional, the origin; its meaning"),
        ] {
            assert_eq!(Key::new("a", Form::Number, default, "its [meaning](#a)").meaning(), words);
        }
    }

    /// Paths are unique, and every table that a key stands in is a key itself.
    #[test]
    fn every_table_of_keys_is_a_key() {
        for keys in KINDS.iter().map(|kind| kind.keys) {
            for (at, key) in keys.iter().enumerate() {
                assert!(keys[..at].iter().all(|other| other.path != key.path), "{} twice", key.path);
                let (section, _) = key.place();
                assert!(section.is_empty() || keys.iter().any(|other| other.path == section), "{}", key.path);
            }
        }
    }
}
