//! Runs the postfix code of an expression over an algebra: graph nodes for compilation, plain numbers for
//! parameters. Sums are expanded here.

use super::functions::Builtin;
use super::parser::{BinaryOp, Code, Expr};
use super::scope::{Meaning, Scope, Var};
use super::{FormulaError, Graph, MAX_NODES, Node, hint, shorten};
use crate::error::near_miss;
use crate::interrupt;
use std::ops::Range;

/// Steps of the stack machine before formulas are refused, all that go into one graph together: a sum of zeros makes
/// no nodes but takes time.
pub const MAX_STEPS: usize = 5_000_000;

/// Steps between two looks at whether to go on.
const LOOK: usize = 4096;

/// What a formula can be computed in.
pub(super) trait Algebra {
    type Value: Copy;
    fn number(&mut self, value: f64) -> Self::Value;
    fn variable(&mut self, var: Var) -> Self::Value;
    fn negate(&mut self, a: Self::Value) -> Self::Value;
    fn binary(&mut self, op: BinaryOp, a: Self::Value, b: Self::Value) -> Self::Value;
    fn call(&mut self, function: Builtin, arguments: &[Self::Value]) -> Self::Value;
    /// The number this value is for every input, if there is one.
    fn known(&self, value: Self::Value) -> Option<f64>;
    /// Counts a step of the machine; false when there is no room or no time for more.
    fn step(&mut self) -> bool {
        true
    }
}

impl Algebra for Graph {
    type Value = Node;

    fn number(&mut self, value: f64) -> Node {
        self.constant(value)
    }
    fn variable(&mut self, var: Var) -> Node {
        self.var(var)
    }
    fn negate(&mut self, a: Node) -> Node {
        self.neg(a)
    }
    fn binary(&mut self, op: BinaryOp, a: Node, b: Node) -> Node {
        match op {
            BinaryOp::Add => self.add(a, b),
            BinaryOp::Sub => self.sub(a, b),
            BinaryOp::Mul => self.mul(a, b),
            BinaryOp::Div => self.div(a, b),
            BinaryOp::Pow => self.pow(a, b),
        }
    }
    fn call(&mut self, function: Builtin, arguments: &[Node]) -> Node {
        Graph::call(self, function, arguments)
    }
    fn known(&self, value: Node) -> Option<f64> {
        self.as_constant(value)
    }
    fn step(&mut self) -> bool {
        self.steps += 1;
        let go_on = !self.steps.is_multiple_of(LOOK) || !interrupt::requested();
        go_on && self.steps <= MAX_STEPS && self.len() <= MAX_NODES
    }
}

/// Plain arithmetic, with a given meaning of the inputs and the steps it may take.
pub(super) struct Numbers<'a, F>(pub(super) F, pub(super) &'a mut usize);

impl<F: FnMut(Var) -> f64> Algebra for Numbers<'_, F> {
    type Value = f64;

    fn number(&mut self, value: f64) -> f64 {
        value
    }
    fn variable(&mut self, var: Var) -> f64 {
        (self.0)(var)
    }
    fn negate(&mut self, a: f64) -> f64 {
        -a
    }
    fn binary(&mut self, op: BinaryOp, a: f64, b: f64) -> f64 {
        match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div => a / b,
            BinaryOp::Pow => a.powf(b),
        }
    }
    fn call(&mut self, function: Builtin, arguments: &[f64]) -> f64 {
        match arguments {
            [x] => function.unary(*x),
            [first, rest @ ..] => rest.iter().fold(*first, |a, b| function.binary(a, *b)),
            [] => unreachable!("the parser checks the number of arguments"),
        }
    }
    fn known(&self, value: f64) -> Option<f64> {
        Some(value)
    }
    fn step(&mut self) -> bool {
        let left = self.1.checked_sub(1);
        *self.1 = left.unwrap_or(0);
        left.is_some()
    }
}

/// The value of a formula that depends on no variable: a parameter or an initial value given as text.
///
/// ```
/// use stationary::formula::{Scope, evaluate_constant};
/// assert_eq!(evaluate_constant("-2^2 + sum(i = 1..3, i)", &Scope::new()), Ok(2.0));
/// ```
pub fn evaluate_constant(text: &str, scope: &Scope) -> Result<f64, FormulaError> {
    evaluate_within(text, scope, &mut { MAX_STEPS })
}

/// [`evaluate_constant`] with an allowance of steps that many formulas share. It is charged for what the formula takes
/// and for its length.
pub fn evaluate_within(text: &str, scope: &Scope, steps: &mut usize) -> Result<f64, FormulaError> {
    let expr = Expr::parse(text)?;
    *steps = steps.saturating_sub(text.len());
    let mut varies = false;
    let mark = |_| {
        varies = true;
        f64::NAN
    };
    let value = run(&expr, scope, &mut Numbers(mark, steps));
    if varies {
        let message = "a constant is expected here, but the formula depends on time or coordinates";
        return Err(FormulaError::new(0..text.len(), message));
    }
    value
}

/// Computes `expr` in an algebra.
pub(super) fn run<A: Algebra>(expr: &Expr, scope: &Scope, algebra: &mut A) -> Result<A::Value, FormulaError> {
    let meanings = expr.symbols.iter().map(|name| scope.get(name)).collect();
    let mut machine = Machine { expr, scope, meanings, algebra, stack: vec![], indices: vec![] };
    machine.run(0..expr.code.len())?;
    Ok(machine.pop())
}

struct Machine<'a, A: Algebra> {
    expr: &'a Expr,
    scope: &'a Scope,
    meanings: Vec<Option<Meaning>>,
    algebra: &'a mut A,
    stack: Vec<A::Value>,
    /// Sum indices in force, innermost last.
    indices: Vec<(u32, f64)>,
}

impl<A: Algebra> Machine<'_, A> {
    fn pop(&mut self) -> A::Value {
        self.stack.pop().expect("the parser balances the code")
    }

    fn span(&self, at: usize) -> Range<usize> {
        let span = &self.expr.spans[at];
        span.start as usize..span.end as usize
    }

    fn name(&self, symbol: u32) -> &str {
        &self.expr.symbols[symbol as usize]
    }

    fn run(&mut self, range: Range<usize>) -> Result<(), FormulaError> {
        let mut at = range.start;
        while at < range.end {
            if !self.algebra.step() {
                let message = "the formula is too large once its sums are written out";
                return Err(FormulaError::new(self.span(at), message).help(format!(
                    "the limit is {MAX_NODES} different operations, {MAX_STEPS} in all, for all formulas together"
                )));
            }
            let value = match self.expr.code[at] {
                Code::Number(value) => self.algebra.number(value),
                Code::Name(symbol) => self.named(symbol, at)?,
                Code::Element(symbol) => self.element(symbol, at)?,
                Code::Negate => {
                    let a = self.pop();
                    self.algebra.negate(a)
                }
                Code::Binary(op) => {
                    let b = self.pop();
                    let a = self.pop();
                    self.algebra.binary(op, a, b)
                }
                Code::Call(function, count) => {
                    let first = self.stack.len() - count as usize;
                    let value = self.algebra.call(function, &self.stack[first..]);
                    self.stack.truncate(first);
                    value
                }
                Code::Sum { index, body } => {
                    let value = self.sum(index, at, at + 1..at + 1 + body as usize)?;
                    at += body as usize;
                    value
                }
            };
            self.stack.push(value);
            at += 1;
        }
        Ok(())
    }

    fn named(&mut self, symbol: u32, at: usize) -> Result<A::Value, FormulaError> {
        if let Some((_, value)) = self.indices.iter().rev().find(|(name, _)| *name == symbol) {
            return Ok(self.algebra.number(*value));
        }
        match self.meanings[symbol as usize] {
            Some(Meaning::Constant(value)) => Ok(self.algebra.number(value)),
            Some(Meaning::Variable(var)) => Ok(self.algebra.variable(var)),
            Some(Meaning::Array(_, len)) => {
                let name = self.name(symbol);
                Err(FormulaError::new(self.span(at), format!("`{name}` is an array and needs an index"))
                    .help(entries(name, len)))
            }
            None => Err(self.unknown(symbol, at)),
        }
    }

    fn unknown(&self, symbol: u32, at: usize) -> FormulaError {
        let name = self.name(symbol);
        let indices = self.indices.iter().map(|(symbol, _)| self.name(*symbol));
        let span = self.span(at).start..self.span(at).start + name.len();
        if let Some(why) = self.scope.withheld(name) {
            return FormulaError::new(span, format!("`{name}` has no meaning here")).help(why);
        }
        let error = FormulaError::new(span, format!("unknown name `{}`", shorten(name)));
        if Builtin::named(name).is_some() || name == "sum" {
            return error.help(format!("`{name}` is a function: write `{name}(...)`"));
        }
        if let Some(help) = hint::meant(name, self.scope) {
            return error.help(help);
        }
        // Any two single letters are one edit apart; that alone is no likeness.
        let alike =
            |near: &&str| name.chars().count() > 1 || near.to_lowercase().contains(&name.to_lowercase());
        if let Some(near) = near_miss(name, self.scope.names().chain(indices.clone()).filter(alike)) {
            return error.help(format!("did you mean `{near}`?"));
        }
        let mut known: Vec<&str> = indices.chain(self.scope.names()).take(13).collect();
        if known.len() == 13 {
            known[12] = "...";
        }
        error.help(format!("known names: {}", known.join(", ")))
    }

    fn element(&mut self, symbol: u32, at: usize) -> Result<A::Value, FormulaError> {
        let index = self.pop();
        let name = self.name(symbol);
        let (bank, len) = match self.meanings[symbol as usize] {
            Some(Meaning::Array(bank, len)) => (bank, len),
            Some(_) => {
                return Err(FormulaError::new(self.span(at), format!("`{name}` is not an array"))
                    .help(format!("write `{name}` without an index")));
            }
            None => return Err(self.unknown(symbol, at)),
        };
        let Some(value) = self.algebra.known(index) else {
            return Err(FormulaError::new(self.span(at), format!("the index of `{name}` is not a constant"))
                .help("an index is made of numbers, parameters and sum indices"));
        };
        if value.fract() != 0.0 || !value.is_finite() {
            return Err(FormulaError::new(
                self.span(at),
                format!("the index {value} of `{name}` is not an integer"),
            )
            .help(entries(name, len)));
        }
        if value < 0.0 || value >= len as f64 {
            let message = format!("the index {value} of `{name}` is out of range");
            let help = format!("{}; sum(i = a..b, ...) includes both ends", entries(name, len));
            return Err(FormulaError::new(self.span(at), message).help(help));
        }
        Ok(self.algebra.variable(bank.at(value as u32)))
    }

    fn end(&self, value: A::Value, at: usize) -> Result<f64, FormulaError> {
        let wrong = |what: String| {
            FormulaError::new(self.span(at), format!("the ends of a sum must be constant integers, {what}"))
                .help("a sum is written `sum(i = 0..9, term)`; both ends are included")
        };
        match self.algebra.known(value) {
            None => Err(wrong("but one depends on time or coordinates".into())),
            // Beyond 2^53 neighbouring integers are the same number.
            Some(v) if v.fract() != 0.0 || v.abs() > 9e15 || v.is_nan() => {
                Err(wrong(format!("but one is {v}")))
            }
            Some(v) => Ok(v),
        }
    }

    fn sum(&mut self, index: u32, at: usize, body: Range<usize>) -> Result<A::Value, FormulaError> {
        let (last, first) = (self.pop(), self.pop());
        let (mut i, last) = (self.end(first, at)?, self.end(last, at)?);
        let mut total = None;
        while i <= last {
            self.indices.push((index, i));
            self.run(body.clone())?;
            self.indices.pop();
            let term = self.pop();
            total = Some(match total {
                None => term,
                Some(total) => self.algebra.binary(BinaryOp::Add, total, term),
            });
            i += 1.0;
        }
        Ok(total.unwrap_or_else(|| self.algebra.number(0.0)))
    }
}

fn entries(name: &str, len: usize) -> String {
    match len {
        0 => format!("`{name}` has no entries"),
        1 => format!("`{name}` has one entry, {name}[0]"),
        _ => format!("`{name}` has entries 0 to {}", len - 1),
    }
}
