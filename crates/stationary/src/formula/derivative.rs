//! Reverse-mode differentiation of the graph, into the graph.

use super::functions::Rule;
use super::graph::{Graph, Node, Op};
use super::scope::Var;
use crate::interrupt;

impl Graph {
    /// The partial derivatives of a node, exact and simplified. The gradient of a gradient's entry is a row of the
    /// Hessian; where a variable does not appear, the entry is the constant 0.
    ///
    /// ```
    /// use stationary::formula::{Expr, Graph, Scope, Var};
    /// let mut scope = Scope::new();
    /// scope.constant("m", 0.3).variable("vx", Var::V(0)).variable("x", Var::Q(0));
    /// let mut graph = Graph::new();
    /// let l = graph.lower(&Expr::parse("0.5*m*vx^2 - x^4")?, &scope)?;
    /// let lv = graph.gradient(l, &[Var::V(0)])[0];
    /// let row = graph.gradient(lv, &[Var::Q(0), Var::V(0)]);
    /// assert_eq!((graph.as_constant(row[0]), graph.as_constant(row[1])), (Some(0.0), Some(0.3)));
    /// # Ok::<(), stationary::formula::FormulaError>(())
    /// ```
    pub fn gradient(&mut self, of: Node, by: &[Var]) -> Vec<Node> {
        if interrupt::requested() {
            return vec![self.constant(0.0); by.len()];
        }
        let nodes = self.reachable(of);
        let place =
            |graph: &Graph, n: Node| graph.mark.get(n.index()).map_or(0, |m| *m as usize).checked_sub(1);
        let targets: Vec<Option<usize>> =
            by.iter().map(|v| self.find(Op::Var(*v)).and_then(|n| place(self, n))).collect();
        // Only paths that lead to a target are followed: the others would build nodes nobody reads.
        let mut active = vec![false; nodes.len()];
        targets.iter().flatten().for_each(|at| active[*at] = true);
        for (at, node) in nodes.iter().enumerate() {
            active[at] |= self.op(*node).operands().any(|o| place(self, o).is_some_and(|o| active[o]));
        }
        let mut adjoint: Vec<Option<Node>> = vec![None; nodes.len()];
        adjoint[nodes.len() - 1] = Some(Node::ONE);
        for (at, node) in nodes.iter().enumerate().rev() {
            let Some(seed) = adjoint[at].filter(|_| active[at]) else { continue };
            for (which, operand) in self.op(*node).operands().enumerate() {
                let Some(to) = place(self, operand).filter(|to| active[*to]) else { continue };
                let part = self.partial(*node, which, seed);
                adjoint[to] = Some(match adjoint[to] {
                    Some(sum) => self.add(sum, part),
                    None => part,
                });
            }
        }
        nodes.iter().for_each(|n| self.mark[n.index()] = 0);
        let zero = self.constant(0.0);
        targets.iter().map(|at| at.and_then(|at| adjoint[at]).unwrap_or(zero)).collect()
    }

    /// All nodes below one, itself last, operands first. Sets `mark` to a node's place in the list plus one; the
    /// caller clears it. The cost does not depend on the rest of the graph.
    fn reachable(&mut self, of: Node) -> Vec<Node> {
        self.mark.resize(self.len().max(self.mark.len()), 0);
        let mut nodes = vec![];
        let mut stack = vec![of];
        while let Some(node) = stack.pop() {
            if self.mark[node.index()] == 0 {
                self.mark[node.index()] = 1;
                nodes.push(node);
                stack.extend(self.op(node).operands());
            }
        }
        nodes.sort_unstable();
        for (at, node) in nodes.iter().enumerate() {
            self.mark[node.index()] = at as u32 + 1;
        }
        nodes
    }

    /// `seed` times the derivative of a node by its operand number `which`.
    fn partial(&mut self, node: Node, which: usize, seed: Node) -> Node {
        let factor = match (self.op(node), which) {
            (Op::Const(_) | Op::Var(_), _) => unreachable!("leaves have no operands"),
            (Op::Neg(_), _) | (Op::Sub(..), 1) => return self.neg(seed),
            (Op::Add(..) | Op::Sub(..), _) => return seed,
            (Op::Mul(_, b), 0) => b,
            (Op::Mul(a, _), _) => a,
            (Op::Div(_, b), 0) => return self.div(seed, b),
            // -(a/(b*b)), not -(a/b)/b: one division in the chain instead of two.
            (Op::Div(a, b), _) => {
                let bb = self.mul(b, b);
                let q = self.div(a, bb);
                self.neg(q)
            }
            (Op::Unary(function, x), _) => match function.function().rule {
                Rule::Unary(_, derivative) => derivative(self, x, node),
                Rule::Binary(..) => unreachable!("{function:?} has two arguments"),
            },
            (Op::Binary(function, a, b), _) => match function.function().rule {
                Rule::Binary(_, derivatives) => derivatives[which](self, a, b, node),
                Rule::Unary(..) => unreachable!("{function:?} has one argument"),
            },
        };
        self.mul(seed, factor)
    }
}
