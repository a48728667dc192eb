//! Values of scenarios by the forms of their keys: numbers in their range, words of a list, lists of so many.

use super::constants::Constants;
use super::keys::{Form, IfAbsent};
use super::options::unknown_word;
use super::place::{Place, Text};
use super::tree::{Entry, Node, Value};
use stationary::error::Diagnostic;
use stationary::linalg::Vector;

/// What the reading of a value needs besides its form.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The key in messages.
    pub name: &'a str,
    /// The constants that numbers may name.
    pub constants: &'a Constants,
    /// What the key is if it is left out, for the remedy in messages.
    pub default: &'a IfAbsent,
}

impl Context<'_> {
    /// The error of a value that is not of its form.
    fn wrong(&self, form: &Form, node: &Node, found: &str) -> Diagnostic {
        let error = node.place.error(format!("`{}` must be {form}, found {found}", self.name));
        match self.default.value() {
            Some(value) => error.help(format!("left out, it is {value}")),
            None => error,
        }
    }
}

/// A type that values of some forms are read as.
pub(crate) trait Readable: Sized {
    /// Reads a value whose outer form is right.
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic>;

    /// The default of a key as such a value.
    fn from_default(_: &IfAbsent) -> Option<Self> {
        None
    }
}

impl Readable for f64 {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        let value = context.constants.number(context.name, node)?;
        let is_allowed = match chosen(form, node) {
            Form::Number => true,
            Form::Positive => value > 0.0,
            Form::PositiveTo(most) => value > 0.0 && value <= *most,
            Form::AtLeast(least) => value >= *least,
            Form::Between(least, most) => (*least..=*most).contains(&value),
            other => unreachable!("{other:?} is read as a number"),
        };
        if is_allowed { Ok(value) } else { Err(context.wrong(form, node, &value.to_string())) }
    }

    fn from_default(default: &IfAbsent) -> Option<Self> {
        if let IfAbsent::Number(value) = default { Some(*value) } else { None }
    }
}

impl Readable for u64 {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        let value = context.constants.number(context.name, node)?;
        // `as` saturates, so the comparison in floating point decides.
        let is_allowed = match chosen(form, node) {
            Form::Whole { least, most } => value >= *least as f64 && value <= most.unwrap_or(u64::MAX) as f64,
            Form::OneOf(numbers) => numbers.iter().any(|number| *number as f64 == value),
            other => unreachable!("{other:?} is read as a whole number"),
        };
        if is_allowed && value.fract() == 0.0 {
            return Ok(value as u64);
        }
        Err(context.wrong(form, node, &value.to_string()))
    }

    fn from_default(default: &IfAbsent) -> Option<Self> {
        if let IfAbsent::Whole(value) = default { Some(*value) } else { None }
    }
}

impl Readable for usize {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        u64::read(form, node, context).map(|value| value as usize)
    }

    fn from_default(default: &IfAbsent) -> Option<Self> {
        u64::from_default(default).map(|value| value as usize)
    }
}

impl Readable for bool {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        if let Value::Flag(flag) = node.value {
            Ok(flag)
        } else {
            Err(context.wrong(form, node, node.kind()))
        }
    }

    fn from_default(default: &IfAbsent) -> Option<Self> {
        if let IfAbsent::Flag(value) = default { Some(*value) } else { None }
    }
}

/// One of the words of its form.
impl Readable for &'static str {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        let Form::Words(words) = chosen(form, node) else { unreachable!("{form:?} is read as a word") };
        let text = Text::read(form, node, context)?;
        let word = words.iter().find(|word| **word == text.text);
        word.copied().ok_or_else(|| unknown_word(&text, &format!("value of `{}`", context.name), words))
    }

    fn from_default(default: &IfAbsent) -> Option<Self> {
        if let IfAbsent::Word(word) = default { Some(word) } else { None }
    }
}

impl Readable for Text {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        match chosen(form, node) {
            Form::Formula => node.clone().formula(context.name),
            other => node.clone().text(context.name, &other.to_string()),
        }
    }
}

impl Readable for String {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        Text::read(form, node, context).map(|text| text.text)
    }
}

/// A value and where it was written.
pub(crate) struct Placed<T> {
    pub value: T,
    pub place: Place,
}

impl<T: Readable> Readable for Placed<T> {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        Ok(Placed { value: T::read(form, node, context)?, place: node.place.clone() })
    }
}

/// The entries of a list; one value that stands for a list of itself.
impl<T: Readable> Readable for Vec<T> {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        let of = match (chosen(form, node), &node.value) {
            (Form::List { of, least, most }, Value::List(list)) => {
                if !(*least..=*most).contains(&list.len()) {
                    let at = list.get(*most).unwrap_or(node);
                    return Err(context.wrong(form, at, &format!("a list of {}", list.len())));
                }
                of
            }
            (Form::OneOrMany(of), _) => of,
            (other, _) => other,
        };
        match &node.value {
            Value::List(list) => list.iter().map(|entry| T::read(of, entry, context)).collect(),
            _ => Ok(vec![T::read(of, node, context)?]),
        }
    }

    fn from_default(default: &IfAbsent) -> Option<Self> {
        T::from_default(default).map(|value| vec![value])
    }
}

/// A value under a name of the user's choice.
pub(crate) struct Named<T> {
    pub name: Text,
    pub value: T,
}

/// The values of a table by name, in the order of the file.
impl<T: Readable> Readable for Vec<Named<T>> {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        let (Form::Named(of), Value::Table(table)) = (chosen(form, node), &node.value) else {
            unreachable!("{form:?} is read as values by name")
        };
        let named = |entry: &Entry| {
            let name = Text { text: entry.key.clone(), place: entry.key_place.clone(), index: None };
            let value = T::read(of, &entry.node, &Context { name: &entry.key, ..*context })?;
            Ok(Named { name, value })
        };
        table.iter().map(named).collect()
    }
}

/// A list of so many, each of which has the same default.
impl<T: Readable, const N: usize> Readable for [T; N] {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        let all = Vec::<T>::read(form, node, context)?;
        let count = all.len();
        all.try_into().map_err(|_| context.wrong(form, node, &format!("a list of {count}")))
    }

    fn from_default(default: &IfAbsent) -> Option<Self> {
        let all: Option<Vec<T>> = (0..N).map(|_| T::from_default(default)).collect();
        all?.try_into().ok()
    }
}

impl<const N: usize> Readable for Vector<N> {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        <[f64; N]>::read(form, node, context).map(Vector)
    }

    fn from_default(default: &IfAbsent) -> Option<Self> {
        <[f64; N]>::from_default(default).map(Vector)
    }
}

/// One of some words, or true or false.
pub(crate) enum Switch {
    /// The word.
    Word(&'static str),
    /// The flag.
    Flag(bool),
}

impl Readable for Switch {
    fn read(form: &Form, node: &Node, context: &Context<'_>) -> Result<Self, Diagnostic> {
        match node.value {
            Value::Flag(flag) => Ok(Switch::Flag(flag)),
            _ => <&str>::read(form, node, context).map(Switch::Word),
        }
    }

    fn from_default(default: &IfAbsent) -> Option<Self> {
        <&str>::from_default(default).map(Switch::Word)
    }
}

/// The alternative of a form that a value has.
pub(crate) fn chosen<'a>(form: &'a Form, node: &Node) -> &'a Form {
    match form {
        Form::AnyOf(forms) => {
            let fitting = forms.iter().find(|form| misfit(form, node).is_none());
            fitting.map_or(form, |form| chosen(form, node))
        }
        _ => form,
    }
}

/// A part of a value that is not of the kind of TOML value that its form asks for.
#[derive(Clone, Copy)]
pub(crate) struct Misfit<'a> {
    /// What was asked for.
    pub form: &'a Form,
    /// The part.
    pub node: &'a Node,
    /// Its name, in a table by names of the user's choice.
    pub name: Option<&'a str>,
}

/// The first part of a value that is not of its form. Ranges, words and lengths are not looked at.
pub(crate) fn misfit<'a>(form: &'a Form, node: &'a Node) -> Option<Misfit<'a>> {
    let whole = Misfit { form, node, name: None };
    match (form, &node.value) {
        (Form::List { of, .. } | Form::OneOrMany(of), Value::List(list)) => {
            list.iter().find_map(|entry| misfit(of, entry))
        }
        (Form::OneOrMany(of), _) => misfit(of, node).map(|_| whole),
        (Form::Named(of), Value::Table(table)) => table.iter().find_map(|entry| {
            let inner = misfit(of, &entry.node)?;
            Some(Misfit { name: inner.name.or(Some(&entry.key)), ..inner })
        }),
        (Form::AnyOf(forms), _) => {
            let mut faults = Vec::new();
            for alternative in *forms {
                faults.push(misfit(alternative, node)?);
            }
            // Of one alternative only a part is wrong: that part is meant.
            let mut deep = faults.iter().filter(|fault| !std::ptr::eq(fault.node, node));
            match (deep.next(), deep.next()) {
                (Some(only), None) => Some(*only),
                _ => Some(whole),
            }
        }
        _ => (!is_of_kind(form, &node.value)).then_some(whole),
    }
}

/// Whether a value is of the kind that a form without inner forms asks for.
fn is_of_kind(form: &Form, value: &Value) -> bool {
    match form {
        Form::Text | Form::Name(_) | Form::Words(_) | Form::Law | Form::Shape => {
            matches!(value, Value::Text(_))
        }
        Form::Formula
        | Form::Number
        | Form::Positive
        | Form::PositiveTo(_)
        | Form::AtLeast(_)
        | Form::Between(..)
        | Form::Whole { .. }
        | Form::OneOf(_) => matches!(value, Value::Text(_) | Value::Integer(_) | Value::Float(_)),
        Form::Flag => matches!(value, Value::Flag(_)),
        Form::Table | Form::Tables | Form::Materials => matches!(value, Value::Table(_)),
        Form::Integrator => matches!(value, Value::Text(_) | Value::Table(_)),
        Form::Observers => match value {
            Value::List(list) => list.iter().all(|entry| matches!(entry.value, Value::Text(_))),
            other => matches!(other, Value::Text(_)),
        },
        Form::Drawings => matches!(value, Value::List(_)),
        Form::List { .. } | Form::OneOrMany(_) | Form::Named(_) | Form::AnyOf(_) => false,
    }
}
