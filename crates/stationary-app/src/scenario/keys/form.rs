//! What the value of a key or of an option may be, and how that is said in words.

use std::fmt;

/// What a value may be. Any number may be text as well: a formula of the parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// Text.
    Text,
    /// Text that names something, and what: "the name of a group of the mesh".
    Name(&'static str),
    /// A formula of more than the parameters, which is not evaluated when it is read; a plain number may stand for it.
    Formula,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// A number greater than zero.
    Positive,
    /// A number greater than zero and no larger than this.
    PositiveTo(f64),
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
    /// One of some whole numbers.
    OneOf(&'static [u64]),
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
    /// Tables by name, each with a constitutive law and its constants.
    Materials,
    /// The name of a constitutive law.
    Law,
    /// A list of tables, each with a shape and its keys.
    Drawings,
    /// The name of a shape.
    Shape,
}

/// No limit to the length of a list.
pub(crate) const UNBOUNDED: usize = usize::MAX;

/// Two numbers.
pub(crate) const PAIR: Form = Form::List { of: &Form::Number, least: 2, most: 2 };

/// Three numbers.
pub(crate) const TRIPLE: Form = Form::List { of: &Form::Number, least: 3, most: 3 };

/// Two numbers in the plane, three in space.
pub(crate) const VECTOR: Form = Form::List { of: &Form::Number, least: 2, most: 3 };

/// Two formulas in the plane, three in space.
pub(crate) const FORMULAS: Form = Form::List { of: &Form::Formula, least: 2, most: 3 };

/// A formula that a plain number cannot stand for.
pub(crate) const IN_QUOTES: Form = Form::Name("a formula in quotes");

/// One formula for each coordinate, or one for all.
pub(crate) const PATTERN: Form =
    Form::AnyOf(&[IN_QUOTES, Form::List { of: &Form::Formula, least: 0, most: UNBOUNDED }]);

/// One number for each coordinate: by name, in order, or by one formula of `i`.
pub(crate) const STATE: Form = Form::AnyOf(&[
    Form::Named(&Form::Number),
    Form::List { of: &Form::Number, least: 0, most: UNBOUNDED },
    Form::Name("one formula of `i` for all"),
]);

impl fmt::Display for Form {
    /// What is expected, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Text => write!(f, "text"),
            Form::Name(what) => write!(f, "{what}"),
            Form::Formula => write!(f, "a formula in quotes or a number"),
            Form::Flag => write!(f, "true or false"),
            Form::Number => write!(f, "a number or a formula of the parameters"),
            Form::Positive => write!(f, "a number greater than zero"),
            Form::PositiveTo(most) => write!(f, "a number greater than zero and at most {most}"),
            Form::AtLeast(least) => write!(f, "a number, {least} or more"),
            Form::Between(least, most) => {
                write!(f, "a number from {} to {}", plain_number(*least), plain_number(*most))
            }
            Form::Whole { least, most: None } => write!(f, "a whole number, {least} or more"),
            Form::Whole { least, most: Some(most) } => write!(f, "a whole number from {least} to {most}"),
            Form::OneOf(numbers) => write!(f, "{}", alternatives(numbers)),
            Form::Words(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                write!(f, "{}", alternatives(&quoted))
            }
            Form::List { of, least, most } => write!(f, "a list of {}{}", length(*least, *most), of.plural()),
            Form::OneOrMany(of) => write!(f, "{of}, or a list of such"),
            Form::AnyOf(forms) => write!(f, "{}", alternatives(forms)),
            Form::Named(of) => write!(f, "a table by name of {}", of.plural()),
            Form::Table => write!(f, "a table"),
            Form::Tables => write!(f, "a table by name of tables"),
            Form::Integrator => {
                write!(f, "the name of an integrator, or a table with `method` and its options")
            }
            Form::Observers => write!(f, "the name of an observer, or a list of such"),
            Form::Materials => write!(f, "a table by name of tables, each with a `law` and its constants"),
            Form::Law => write!(f, "the name of a constitutive law"),
            Form::Drawings => write!(f, "a list of tables, each with a `shape`"),
            Form::Shape => write!(f, "the name of a shape"),
        }
    }
}

impl Form {
    /// Whether a value may be a table whose keys are rows of their own.
    pub fn may_be_section(&self) -> bool {
        match self {
            Form::Table => true,
            Form::AnyOf(forms) => forms.iter().any(Form::may_be_section),
            _ => false,
        }
    }

    /// Several values of this form, in words.
    fn plural(&self) -> String {
        match self {
            Form::Text => "texts".into(),
            Form::Name(what) => match what.strip_prefix("the name of a ").or(what.strip_prefix("a ")) {
                Some(rest) if what.starts_with("the name") => format!("names, each that of a {rest}"),
                Some(rest) => rest.replacen("formula", "formulas", 1).replacen("name", "names", 1),
                None => format!("values, each {what}"),
            },
            Form::Formula => "formulas".into(),
            Form::Number => "numbers or formulas of the parameters".into(),
            Form::Positive => "numbers greater than zero".into(),
            Form::List { of, least, most } => format!("lists of {}{}", length(*least, *most), of.plural()),
            other => format!("values, each {other}"),
        }
    }
}

/// How many entries a list has, in words, with a blank after them; nothing where any number is allowed.
fn length(least: usize, most: usize) -> String {
    match (least, most) {
        (0, UNBOUNDED) => String::new(),
        (0, most) => format!("at most {most} "),
        (least, UNBOUNDED) => format!("{least} or more "),
        (least, most) if least == most => format!("{least} "),
        (least, most) if least + 1 == most => format!("{least} or {most} "),
        (least, most) => format!("{least} to {most} "),
    }
}

/// `a, b or c`.
pub(crate) fn alternatives<T: ToString>(all: &[T]) -> String {
    let words: Vec<String> = all.iter().map(T::to_string).collect();
    match &words[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// A number as a person writes it: very small and very large ones with an exponent.
pub(crate) fn plain_number(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e7).contains(&value.abs()) { format!("{value:e}") } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_said_in_words() {
        let names = Form::List { of: &Form::Name("a name in quotes"), least: 1, most: 2000 };
        for (form, words) in [
            (Form::Between(1e-16, 1e-3), "a number from 1e-16 to 0.001"),
            (Form::PositiveTo(10.0), "a number greater than zero and at most 10"),
            (Form::OneOf(&[2, 4, 6, 8]), "2, 4, 6 or 8"),
            (Form::Words(&["csv", "parquet"]), "`csv` or `parquet`"),
            (FORMULAS, "a list of 2 or 3 formulas"),
            (names, "a list of 1 to 2000 names in quotes"),
            (
                Form::List { of: &PAIR, least: 3, most: UNBOUNDED },
                "a list of 3 or more lists of 2 numbers or formulas of the parameters",
            ),
            (PATTERN, "a formula in quotes or a list of formulas"),
        ] {
            assert_eq!(form.to_string(), words);
        }
    }
}
