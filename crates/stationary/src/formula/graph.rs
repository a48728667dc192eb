//! The hash-consed graph: equal subexpressions are one node, and a node's operands have smaller numbers than it.

use super::FormulaError;
use super::functions::Builtin;
use super::lower;
use super::parser::Expr;
use super::scope::{Scope, Var};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A node of a [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub(super) u32);

impl Node {
    /// The constant 1 has a fixed place: simplification asks for it all the time.
    pub(super) const ONE: Node = Node(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node computes. Constants are bit patterns, with one pattern for "not a number".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Op {
    Const(u64),
    Var(Var),
    Neg(Node),
    Add(Node, Node),
    Sub(Node, Node),
    Mul(Node, Node),
    Div(Node, Node),
    Unary(Builtin, Node),
    Binary(Builtin, Node, Node),
}

impl Op {
    pub(super) fn operands(self) -> impl Iterator<Item = Node> {
        let (a, b) = match self {
            Op::Const(_) | Op::Var(_) => (None, None),
            Op::Neg(a) | Op::Unary(_, a) => (Some(a), None),
            Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) | Op::Div(a, b) | Op::Binary(_, a, b) => {
                (Some(a), Some(b))
            }
        };
        a.into_iter().chain(b)
    }
}

/// Multiply and rotate: nodes are small keys and every operation looks one up.
#[derive(Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }
    fn write_u8(&mut self, v: u8) {
        self.write_u64(u64::from(v));
    }
    fn write_u32(&mut self, v: u32) {
        self.write_u64(u64::from(v));
    }
    fn write_u64(&mut self, v: u64) {
        self.0 = (self.0.rotate_left(23) ^ v).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    fn write_isize(&mut self, v: isize) {
        self.write_u64(v as u64);
    }
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// A growing set of expressions over [`Var`]s. Building a node simplifies it.
#[derive(Debug, Clone)]
pub struct Graph {
    ops: Vec<Op>,
    index: HashMap<Op, Node, BuildHasherDefault<Mix>>,
    /// Scratch of [`Graph::reachable`]; all zero between calls.
    pub(super) mark: Vec<u32>,
    /// Steps taken to lower formulas into this graph.
    pub(super) steps: usize,
}

impl Default for Graph {
    fn default() -> Self {
        Self::new()
    }
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        let mut graph = Graph { ops: vec![], index: HashMap::default(), mark: vec![], steps: 0 };
        let one = graph.constant(1.0);
        debug_assert_eq!(one, Node::ONE);
        graph
    }

    /// Adds a parsed formula, with names resolved and sums written out.
    pub fn lower(&mut self, expr: &Expr, scope: &Scope) -> Result<Node, FormulaError> {
        lower::run(expr, scope, self)
    }

    /// Number of nodes ever built.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Never true: the constant 1 is always there.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// An input.
    pub fn var(&mut self, var: Var) -> Node {
        self.intern(Op::Var(var))
    }

    /// A number.
    pub fn constant(&mut self, value: f64) -> Node {
        let value = if value.is_nan() { f64::NAN } else { value };
        self.intern(Op::Const(value.to_bits()))
    }

    /// The number this node is for every input, if simplification found one.
    #[inline]
    pub fn as_constant(&self, node: Node) -> Option<f64> {
        match self.op(node) {
            Op::Const(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// The inputs a node depends on, in order.
    pub fn variables(&self, node: Node) -> Vec<Var> {
        let mut found = vec![];
        let mut seen = std::collections::HashSet::<Node, BuildHasherDefault<Mix>>::default();
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if seen.insert(node) {
                match self.op(node) {
                    Op::Var(var) => found.push(var),
                    op => stack.extend(op.operands()),
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether a node depends on an input.
    pub fn depends_on(&self, node: Node, var: Var) -> bool {
        self.variables(node).contains(&var)
    }

    #[inline]
    pub(super) fn op(&self, node: Node) -> Op {
        self.ops[node.index()]
    }

    /// The node of an operation as it stands, not simplified.
    pub(super) fn intern(&mut self, op: Op) -> Node {
        let next = Node(u32::try_from(self.ops.len()).expect("a graph has fewer than 2^32 nodes"));
        let node = *self.index.entry(op).or_insert(next);
        if node == next {
            self.ops.push(op);
        }
        node
    }

    pub(super) fn find(&self, op: Op) -> Option<Node> {
        self.index.get(&op).copied()
    }
}
