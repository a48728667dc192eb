//! Forms of values as JSON Schema.

use crate::scenario::keys::{Form, UNBOUNDED};
use serde_json::{Value, json};

/// Any number may be a formula of the parameters, in quotes.
pub(super) fn number() -> Value {
    json!({ "type": ["number", "string"] })
}

fn at_least(least: f64) -> Value {
    json!({ "type": ["number", "string"], "minimum": least })
}

fn positive() -> Value {
    json!({ "type": ["number", "string"], "exclusiveMinimum": 0 })
}

fn between(least: f64, most: f64) -> Value {
    json!({ "type": ["number", "string"], "minimum": least, "maximum": most })
}

/// A whole number, or a formula of the parameters that gives one.
fn whole(least: u64, most: Option<u64>) -> Value {
    let mut form = json!({ "type": ["integer", "string"], "minimum": least });
    if let Some(most) = most {
        form["maximum"] = most.into();
    }
    form
}

pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

pub(super) fn words(words: &[&str]) -> Value {
    json!({ "enum": words })
}

/// A list of this length at least and at most.
fn list(of: Value, least: usize, most: usize) -> Value {
    let mut form = json!({ "type": "array", "items": of });
    if least > 0 {
        form["minItems"] = least.into();
    }
    if most != UNBOUNDED {
        form["maxItems"] = most.into();
    }
    form
}

/// One or a list of them.
pub(super) fn one_or_many(of: Value) -> Value {
    json!({ "anyOf": [of, list(of.clone(), 0, UNBOUNDED)] })
}

/// A table whose keys are names of the user's choice.
pub(super) fn named(of: Value) -> Value {
    json!({ "type": "object", "additionalProperties": of })
}

/// A form that says all by itself; `table` gives those that depend on other keys or on the registry.
pub(super) fn schema_of(form: Form, table: &dyn Fn(Form) -> Value) -> Value {
    let inner = |form: &Form| schema_of(*form, table);
    match form {
        Form::Text | Form::Name(_) => text(),
        Form::Formula => number(),
        Form::Flag => json!({ "type": "boolean" }),
        Form::Number => number(),
        Form::Positive => positive(),
        Form::PositiveTo(most) => {
            json!({ "type": ["number", "string"], "exclusiveMinimum": 0, "maximum": most })
        }
        Form::AtLeast(least) => at_least(least),
        Form::Between(least, most) => between(least, most),
        Form::Whole { least, most } => whole(least, most),
        Form::OneOf(numbers) => json!({ "anyOf": [{ "enum": numbers }, text()] }),
        Form::Words(all) => words(all),
        Form::List { of, least, most } => list(inner(of), least, most),
        Form::OneOrMany(of) => one_or_many(inner(of)),
        Form::AnyOf(forms) => json!({ "anyOf": forms.iter().map(inner).collect::<Vec<_>>() }),
        Form::Named(of) => named(inner(of)),
        Form::Table
        | Form::Tables
        | Form::Integrator
        | Form::Observers
        | Form::Materials
        | Form::Law
        | Form::Drawings
        | Form::Shape => table(form),
    }
}
