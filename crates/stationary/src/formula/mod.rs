//! Formulas: a line of text becomes machine code for a value and its exact derivatives.
//!
//! ```text
//! text -> Expr (postfix code) -> Graph (hash-consed, simplified) -> gradient -> Program (tape) -> machine code
//! ```
//!
//! ```
//! use stationary::formula::{Bank, Expr, Graph, Program, Scope, Var};
//!
//! let mut scope = Scope::new();
//! scope.constant("m", 2.0).variable("x", Var::Q(0)).variable("vx", Var::V(0)).array("q", Bank::Q, 1);
//! let mut graph = Graph::new();
//! let l = graph.lower(&Expr::parse("0.5*m*vx^2 - cos(q[0])")?, &scope)?;
//! let d = graph.gradient(l, &[Var::Q(0), Var::V(0)]);
//! let program = Program::new(&graph, &[(l, 0), (d[0], 1), (d[1], 2)]);
//! let mut out = [0.0; 3];
//! program.call(0.0, &[0.5], &[3.0], &[], &mut out);
//! assert_eq!(out, [9.0 - 0.5f64.cos(), 0.5f64.sin(), 6.0]);
//! # Ok::<(), stationary::formula::FormulaError>(())
//! ```
//!
//! # The language
//!
//! Numbers (`1`, `.5`, `1e-3`), names, `+ - * /`, `^` or `**` (right associative, and tighter than a minus sign
//! on its left: `-2^2` is -4), parentheses, `pi`, the [`functions`], arrays `q[i + 1]` counted from 0, and
//! `sum(i = a..b, term)` with both ends included, as in mathematics. There is no implicit multiplication.

mod derivative;
mod functions;
mod graph;
mod hint;
mod jit;
mod kinks;
mod lexer;
mod lower;
mod parser;
mod program;
mod scope;
mod simplify;
#[cfg(test)]
mod tests;

pub use functions::{Arity, Builtin, Function, functions};
pub use graph::{Graph, Node};
pub use hint::spelled;
pub use kinks::Kink;
pub use lower::evaluate_constant;
pub use lower::{MAX_STEPS, evaluate_within};
pub use parser::{BinaryOp, Expr};
pub use program::Program;
pub use scope::{Bank, Scope, Var};

use std::fmt;
use std::ops::Range;

/// Longest formula accepted, in bytes: beyond it a file was pasted into the wrong place.
pub const MAX_TEXT: usize = 1 << 20;
/// Deepest nesting of parentheses, signs, powers, calls and sums.
pub const MAX_DEPTH: usize = 200;
/// Largest number of graph nodes a formula may expand to: second derivatives multiply it.
pub const MAX_NODES: usize = 500_000;

/// What is wrong with a formula, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaError {
    /// Byte range in the formula's text, on character boundaries.
    pub span: Range<usize>,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What was expected, or a near miss.
    pub help: Option<String>,
}

impl FormulaError {
    fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        FormulaError { span, message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for FormulaError {}

/// At most 40 characters of `text`, for messages.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
