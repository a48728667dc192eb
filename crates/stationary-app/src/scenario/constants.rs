//! Numbers of a scenario: literal, or a text formula of the parameters.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::place::{Place, Text};
use super::tree::{Node, Value};
use stationary::error::Diagnostic;
use stationary::formula::{self, FormulaError, MAX_STEPS, Scope};

/// What constant formulas may name: the parameters so far and, in formulas written once for many coordinates, `i`.
///
/// The scenario has one allowance of work for all its constants: a long formula, or a short one with a long sum,
/// repeated over thousands of coordinates or parameters would seem never to end.
#[derive(Debug)]
pub(crate) struct Constants {
    // Shared by the options of every material, of which there may be many.
    scope: Arc<Scope>,
    // One reader at a time; a scenario may still be shared by threads.
    work: Arc<AtomicUsize>,
}

impl Clone for Constants {
    fn clone(&self) -> Self {
        self.part(1)
    }
}

impl Default for Constants {
    fn default() -> Self {
        Constants::new()
    }
}

impl Constants {
    pub fn new() -> Self {
        Constants { scope: Arc::new(Scope::new()), work: Arc::new(AtomicUsize::new(MAX_STEPS)) }
    }

    /// Makes a parameter known to the formulas that follow.
    pub fn define(&mut self, name: &str, value: f64) {
        Arc::make_mut(&mut self.scope).constant(name, value);
    }

    /// A copy with one of `parts` equal parts of the allowance, for options that are read later and each on their own.
    pub fn part(&self, parts: usize) -> Self {
        let work = self.left() / parts.max(1);
        Constants { scope: Arc::clone(&self.scope), work: Arc::new(AtomicUsize::new(work)) }
    }

    /// The same constants with the same allowance, of which both take.
    pub fn shared(&self) -> Self {
        Constants { scope: Arc::clone(&self.scope), work: Arc::clone(&self.work) }
    }

    fn left(&self) -> usize {
        self.work.load(Ordering::Relaxed)
    }

    fn leave(&self, work: usize) {
        self.work.store(work, Ordering::Relaxed);
    }

    /// A finite number.
    pub fn number(&self, key: &str, node: &Node) -> Result<f64, Diagnostic> {
        let value = match &node.value {
            Value::Integer(integer) => *integer as f64,
            Value::Float(value) => *value,
            Value::Text(text) => {
                let text = Text { text: text.clone(), place: node.place.clone(), index: None };
                return self.number_within(key, &text, 0);
            }
            _ => return Err(node.wrong(key, "a number or a formula of the parameters")),
        };
        finite(key, value, &node.place)
    }

    /// The finite number that a text has from byte `start` on.
    pub fn number_within(&self, key: &str, text: &Text, start: usize) -> Result<f64, Diagnostic> {
        let mut work = self.left();
        let value = formula::evaluate_within(&text.text[start..], &self.scope, &mut work);
        self.leave(work);
        let value = value.map_err(|e| {
            let span = e.span.start + start..e.span.end + start;
            text.formula_error(FormulaError { span, ..e })
        })?;
        finite(key, value, &text.place)
    }

    /// The values of formulas written once for many coordinates: the `k`-th of `count` uses formula `k mod length`
    /// with `i = k`.
    pub fn repeated(&self, key: &str, pattern: &[Node], count: usize) -> Result<Vec<f64>, Diagnostic> {
        self.each(count, |constants, k| {
            let node = &pattern[k % pattern.len()];
            constants.number(key, node).map_err(|d| at_index(d, k, node))
        })
    }

    /// Reads something for each of many with `i = k` for the `k`-th, out of one allowance.
    pub fn each<T>(
        &self,
        count: usize,
        mut read: impl FnMut(&Constants, usize) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        let mut constants = self.clone();
        let values = (0..count)
            .map(|k| {
                constants.define("i", k as f64);
                read(&constants, k)
            })
            .collect();
        self.leave(constants.left());
        values
    }

    /// Charges formulas that are not evaluated but copied for many coordinates, or refuses them.
    pub fn charge(&self, pattern: &[Node], count: usize) -> Result<(), Diagnostic> {
        for node in pattern {
            let Value::Text(text) = &node.value else { continue };
            let copies = text.len().saturating_mul(count / pattern.len());
            let Some(left) = self.left().checked_sub(copies) else {
                let message = format!("this formula is too long to be repeated for {count} coordinates");
                return Err(node.place.error(message).help(format!(
                    "the formulas of a scenario, repeated, may have {MAX_STEPS} characters in all"
                )));
            };
            self.leave(left);
        }
        Ok(())
    }
}

/// A value that fails for one coordinate only says for which.
pub(crate) fn at_index(mut diagnostic: Diagnostic, k: usize, node: &Node) -> Diagnostic {
    if matches!(node.value, Value::Text(_)) && diagnostic.message.contains("finite") {
        diagnostic.message.push_str(&format!(" at i = {k}"));
    }
    diagnostic
}

fn finite(key: &str, value: f64, place: &Place) -> Result<f64, Diagnostic> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(place.error(format!("`{key}` must be a finite number, found {value}")))
}
