//! Formulas with corners as choices between smooth ones: `abs`, `min` and `max` written with variables that say which side counts.

use super::functions::Builtin;
use super::graph::{Graph, Node, Op};
use super::scope::Var;
use std::collections::HashMap;

/// One `abs`, `min` or `max` of a formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kink {
    /// The formula bends where this vanishes; its sign decides which side counts.
    pub argument: Node,
    /// The value of the choice variable where the argument is negative; elsewhere it is 1.
    pub negative: f64,
}

impl Graph {
    /// A smooth formula that equals `of` when the variables `Var::P(first)` and following hold the choices of the kinks, which are
    /// returned in that order: `abs(u) = s u`, `min(a, b) = c a + (1 - c) b`. With other choices it is the smooth
    /// continuation of `of` across its kinks.
    ///
    /// ```
    /// use stationary::formula::{Expr, Graph, Program, Scope, Var};
    /// let mut scope = Scope::new();
    /// scope.variable("x", Var::Q(0));
    /// let mut graph = Graph::new();
    /// let bent = graph.lower(&Expr::parse("2 + abs(x)")?, &scope)?;
    /// let (smooth, kinks) = graph.unfold(bent, 0);
    /// let slope = graph.gradient(smooth, &[Var::Q(0)])[0];
    /// let mut out = [0.0];
    /// Program::new(&graph, &[(slope, 0)]).call(0.0, &[0.0], &[], &[kinks[0].negative], &mut out);
    /// assert_eq!(out, [-1.0], "the slope of the left side, at the kink");
    /// # Ok::<(), stationary::formula::FormulaError>(())
    /// ```
    pub fn unfold(&mut self, of: Node, first: u32) -> (Node, Vec<Kink>) {
        let mut below: Vec<Node> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut stack = vec![of];
        while let Some(node) = stack.pop() {
            if seen.insert(node) {
                below.push(node);
                stack.extend(self.op(node).operands());
            }
        }
        below.sort_unstable();
        let mut smooth: HashMap<Node, Node> = HashMap::new();
        let mut kinks: Vec<Kink> = Vec::new();
        for node in below {
            let at = |n: Node| smooth[&n];
            let new = match self.op(node) {
                Op::Const(_) | Op::Var(_) => node,
                Op::Neg(a) => self.neg(at(a)),
                Op::Add(a, b) => self.add(at(a), at(b)),
                Op::Sub(a, b) => self.sub(at(a), at(b)),
                Op::Mul(a, b) => self.mul(at(a), at(b)),
                Op::Div(a, b) => self.div(at(a), at(b)),
                Op::Unary(Builtin::Abs, x) => {
                    let choice = self.var(Var::P(first + kinks.len() as u32));
                    kinks.push(Kink { argument: x, negative: -1.0 });
                    self.mul(choice, at(x))
                }
                Op::Binary(function @ (Builtin::Min | Builtin::Max), a, b) => {
                    let choice = self.var(Var::P(first + kinks.len() as u32));
                    let argument = if function == Builtin::Min { self.sub(b, a) } else { self.sub(a, b) };
                    kinks.push(Kink { argument, negative: 0.0 });
                    let other = self.sub(Node::ONE, choice);
                    let (left, right) = (self.mul(choice, at(a)), self.mul(other, at(b)));
                    self.add(left, right)
                }
                Op::Unary(function, x) => self.call(function, &[at(x)]),
                Op::Binary(Builtin::Pow, a, b) => self.pow(at(a), at(b)),
                Op::Binary(function, a, b) => self.call(function, &[at(a), at(b)]),
            };
            smooth.insert(node, new);
        }
        (smooth[&of], kinks)
    }
}
