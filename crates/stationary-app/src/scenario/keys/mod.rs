//! Every key of scenarios, once: where it stands, what its value may be, and what it means. Readers, the help for unknown keys, the JSON
//! Schema, the reference tables of the book and `stationary explain` all take it from here.

use std::fmt;

pub(crate) mod bodies;
pub(crate) mod body;
pub(crate) mod formula;
mod shared;
pub(crate) mod solid;

/// Every list of keys, with the heading under which the scenario reference has it.
pub fn reference() -> [(&'static str, &'static [Key]); 5] {
    [
        ("Keys", formula::KEYS),
        ("Drawing", formula::DRAW),
        ("Keys of solids", solid::KEYS),
        ("Keys of bodies", body::KEYS),
        ("Keys of bodies that collide", bodies::KEYS),
    ]
}

/// A key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Where it stands: `gap.restitution`, or `support.<name>.group` in a table of the user's naming.
    pub path: &'static str,
    /// What its value may be.
    pub form: Form,
    /// Whether it is required, its default and its meaning, in Markdown; links are those of the scenario reference.
    pub doc: &'static str,
}

/// What a value may be. Any number may be text as well: a formula.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// Text.
    Text,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// A number greater than zero.
    Positive,
    /// A number no less than this.
    AtLeast(f64),
    /// A number between two, both included.
    Between(f64, f64),
    /// A whole number.
    Whole {
        /// The least.
        least: u64,
        /// The largest, if there is one.
        most: Option<u64>,
    },
    /// One of some words.
    Words(&'static [&'static str]),
    /// A list.
    List {
        /// Of these.
        of: &'static Form,
        /// So many at least.
        least: usize,
        /// So many at most.
        most: usize,
    },
    /// One, or a list of them.
    OneOrMany(&'static Form),
    /// One of several forms.
    AnyOf(&'static [Form]),
    /// A table whose keys are names of the user's choice, with such values.
    Named(&'static Form),
    /// A table of the keys below this one.
    Table,
    /// Tables by names of the user's choice, each of the keys below this one.
    Tables,
    /// The name of an integrator, or a table with its options.
    Integrator,
    /// The name of an observer, or a list of names.
    Observers,
    /// Tables by name, each with a law of elasticity and its constants.
    Materials,
    /// The name of a law of elasticity.
    Law,
    /// A list of tables, each with a shape and its keys.
    Drawings,
    /// The name of a shape.
    Shape,
}

/// No limit to the length of a list.
pub(crate) const UNBOUNDED: usize = usize::MAX;

/// Two numbers in the plane, three in space.
pub(crate) const VECTOR: Form = Form::List { of: &Form::Number, least: 2, most: 3 };

/// One formula for each coordinate, or one for all.
pub(crate) const PATTERN: Form =
    Form::AnyOf(&[Form::Text, Form::List { of: &Form::Number, least: 0, most: UNBOUNDED }]);

/// One number for each coordinate: by name, in order, or by one formula of `i`.
pub(crate) const STATE: Form = Form::AnyOf(&[
    Form::Named(&Form::Number),
    Form::List { of: &Form::Number, least: 0, most: UNBOUNDED },
    Form::Text,
]);

impl Key {
    /// A key.
    pub(crate) const fn new(path: &'static str, form: Form, doc: &'static str) -> Self {
        Key { path, form, doc }
    }

    /// The table it stands in, `""` at the top, and its name there: `gap` and `restitution`, `support` and `group`.
    pub(crate) fn place(&self) -> (&'static str, &'static str) {
        let (section, name) = self.path.rsplit_once('.').unwrap_or(("", self.path));
        (section.strip_suffix(".<name>").unwrap_or(section), name)
    }

    /// Whether it must be there whatever else is.
    pub(crate) fn is_required(&self) -> bool {
        let Some(rest) = self.doc.strip_prefix("required") else { return false };
        !rest.starts_with(" unless") && !rest.starts_with(", ")
    }

    /// What it means, with links replaced by their words.
    pub fn meaning(&self) -> String {
        plain(self.doc)
    }
}

impl fmt::Display for Form {
    /// What is expected, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Text => write!(f, "text"),
            Form::Flag => write!(f, "`true` or `false`"),
            Form::Number => write!(f, "a number or a formula"),
            Form::Positive => write!(f, "a number greater than 0"),
            Form::AtLeast(least) => write!(f, "a number, {least} or more"),
            Form::Between(least, most) => write!(f, "a number from {least} to {most}"),
            Form::Whole { least, most: None } => write!(f, "a whole number, {least} or more"),
            Form::Whole { least, most: Some(most) } => write!(f, "a whole number from {least} to {most}"),
            Form::Words(words) => write!(f, "one of: {}", words.join(", ")),
            Form::List { of, least, most } if least == most => write!(f, "a list of {least}, each {of}"),
            Form::List { of, least, most: UNBOUNDED } => write!(f, "a list of {least} or more, each {of}"),
            Form::List { of, least, most } => write!(f, "a list of {least} to {most}, each {of}"),
            Form::OneOrMany(of) => write!(f, "{of}, or a list of such"),
            Form::AnyOf(forms) => {
                let forms: Vec<String> = forms.iter().map(Form::to_string).collect();
                write!(f, "{}", forms.join("; or "))
            }
            Form::Named(of) => write!(f, "a table by names of your choice, each {of}"),
            Form::Table => write!(f, "a table"),
            Form::Tables => write!(f, "tables by names of your choice"),
            Form::Integrator => {
                write!(f, "the name of an integrator, or a table with `method` and its options")
            }
            Form::Observers => write!(f, "the name of an observer, or a list of names"),
            Form::Materials => {
                write!(f, "tables by names of your choice, each with a `law` and its constants")
            }
            Form::Law => write!(f, "the name of a law of elasticity"),
            Form::Drawings => write!(f, "a list of tables, each with a `shape`"),
            Form::Shape => write!(f, "the name of a shape"),
        }
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
    fn a_key_knows_its_table_and_whether_it_must_be_there() {
        let key = |path, doc| Key::new(path, Form::Text, doc);
        assert_eq!(key("end", "").place(), ("", "end"));
        assert_eq!(key("gap.restitution", "").place(), ("gap", "restitution"));
        assert_eq!(key("support.<name>.group", "").place(), ("support", "group"));
        assert_eq!(key("body.orientation.axis", "").place(), ("body.orientation", "axis"));
        for doc in ["required; a table", "required in `section`; x", "required table"] {
            assert!(key("a", doc).is_required(), "{doc}");
        }
        for doc in ["optional", "required unless x", "required, unless x"] {
            assert!(!key("a", doc).is_required(), "{doc}");
        }
    }

    /// Paths are unique, and every table that a key stands in is a key itself.
    #[test]
    fn every_table_of_keys_is_a_key() {
        for keys in [formula::KEYS, solid::KEYS, body::KEYS, bodies::KEYS] {
            for (at, key) in keys.iter().enumerate() {
                assert!(keys[..at].iter().all(|other| other.path != key.path), "{} twice", key.path);
                let (section, _) = key.place();
                assert!(section.is_empty() || keys.iter().any(|other| other.path == section), "{}", key.path);
            }
        }
    }
}
