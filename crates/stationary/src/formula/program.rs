//! The straight-line program of some nodes: a tape for the interpreter, machine code where there is a compiler.

use super::functions::{Binary, Builtin, Rule, SIN_COS, SinCos, Unary};
use super::graph::{Graph, Node, Op};
use super::jit::Code;
use super::scope::Var;
use crate::interrupt;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longer programs are interpreted: compilation takes time that grows with length, and calls of such programs
/// are few.
const MAX_COMPILED: usize = 20_000;

/// A place in the register file of the interpreter.
pub(super) type Register = u32;

/// One step of the tape; the result goes to the register of the same number (constants come first).
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Load(Var),
    Neg(Register),
    Add(Register, Register),
    Sub(Register, Register),
    Mul(Register, Register),
    Div(Register, Register),
    Sqrt(Register),
    Abs(Register),
    Unary(Unary, Register),
    Binary(Binary, Register, Register),
    /// Leaves the sine here and the cosine to the next step, which is `Cosine`.
    SinCos(extern "C" fn(f64) -> SinCos, Register),
    Cosine,
}

/// What both ways to run a program start from.
#[derive(Debug, Default)]
pub(super) struct Tape {
    pub(super) constants: Vec<f64>,
    pub(super) steps: Vec<Step>,
    /// Register and place in `out`, in the order of places, none twice.
    pub(super) outputs: Vec<(Register, usize)>,
    /// Shortest `q`, `v`, `p` and `out` that the program may touch.
    pub(super) lengths: [usize; 4],
}

/// A compiled set of formulas: writes chosen nodes of a [`Graph`] into chosen slots of an array. Clones share code.
#[derive(Debug, Clone)]
pub struct Program {
    tape: Arc<Tape>,
    code: Option<Arc<Code>>,
}

thread_local! {
    static REGISTERS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

impl Program {
    /// The program that writes each node to its slot of `out` (of several for one slot, the last). Only what the
    /// outputs need is computed.
    pub fn new(graph: &Graph, outputs: &[(Node, usize)]) -> Self {
        let tape = Tape::new(graph, outputs);
        // Nobody will call a program whose making is to be given up.
        let compiled = tape.steps.len() <= MAX_COMPILED && !interrupt::requested();
        let code = if compiled { Code::compile(&tape).map(Arc::new) } else { None };
        Program { tape: Arc::new(tape), code }
    }

    /// Computes the outputs.
    ///
    /// # Panics
    /// If an array is shorter than the program needs.
    #[inline]
    pub fn call(&self, t: f64, q: &[f64], v: &[f64], p: &[f64], out: &mut [f64]) {
        match &self.code {
            Some(code) => {
                self.tape.check([q.len(), v.len(), p.len(), out.len()]);
                // SAFETY: the code was compiled from this tape and touches no more than the checked lengths.
                unsafe { code.call(t, q.as_ptr(), v.as_ptr(), p.as_ptr(), out.as_mut_ptr()) }
            }
            None => self.interpret(t, q, v, p, out),
        }
    }

    /// Computes the outputs without machine code: to the last bit the same as [`call`](Self::call), slower.
    ///
    /// # Panics
    /// If an array is shorter than the program needs.
    pub fn interpret(&self, t: f64, q: &[f64], v: &[f64], p: &[f64], out: &mut [f64]) {
        self.tape.check([q.len(), v.len(), p.len(), out.len()]);
        REGISTERS.with_borrow_mut(|r| self.tape.run(r, t, [q, v, p], out));
    }

    /// Whether calls run machine code.
    pub fn is_compiled(&self) -> bool {
        self.code.is_some()
    }

    /// Number of operations, loads included.
    pub fn len(&self) -> usize {
        self.tape.steps.len()
    }

    /// Whether the outputs are constants, if there are any.
    pub fn is_empty(&self) -> bool {
        self.tape.steps.is_empty()
    }
}

impl Tape {
    fn new(graph: &Graph, outputs: &[(Node, usize)]) -> Tape {
        let live = Live::new(graph, outputs);
        let order = live.order();
        let mut register = vec![0 as Register; graph.len()];
        order.iter().enumerate().for_each(|(at, node)| register[node.index()] = at as Register);
        let mut tape = Tape::default();
        for node in order {
            match graph.op(node) {
                Op::Const(bits) => tape.constants.push(f64::from_bits(bits)),
                op => {
                    if let Op::Var(var) = op {
                        tape.reads(var);
                    }
                    tape.steps.push(live.step(op, |n| register[n.index()]));
                }
            }
        }
        let by_slot: BTreeMap<usize, Register> =
            outputs.iter().map(|(node, slot)| (*slot, register[node.index()])).collect();
        tape.outputs = by_slot.into_iter().map(|(slot, register)| (register, slot)).collect();
        tape.lengths[3] = tape.outputs.last().map_or(0, |(_, slot)| slot + 1);
        tape
    }

    fn reads(&mut self, var: Var) {
        let (bank, index) = match var {
            Var::T => return,
            Var::Q(i) => (0, i),
            Var::V(i) => (1, i),
            Var::P(i) => (2, i),
        };
        self.lengths[bank] = self.lengths[bank].max(index as usize + 1);
    }

    #[inline]
    fn check(&self, lengths: [usize; 4]) {
        let short = (0..4).any(|i| lengths[i] < self.lengths[i]);
        assert!(!short, "q, v, p, out of lengths {lengths:?} are shorter than {:?}", self.lengths);
    }

    fn run(&self, registers: &mut Vec<f64>, t: f64, banks: [&[f64]; 3], out: &mut [f64]) {
        let constants = self.constants.len();
        let count = constants + self.steps.len();
        if registers.len() < count {
            registers.resize(count, 0.0);
        }
        let registers = &mut registers[..count];
        registers[..constants].copy_from_slice(&self.constants);
        let mut cosine = f64::NAN;
        for (at, step) in self.steps.iter().enumerate() {
            let r = |at: Register| registers[at as usize];
            let value = match *step {
                Step::Load(Var::T) => t,
                Step::Load(Var::Q(i)) => banks[0][i as usize],
                Step::Load(Var::V(i)) => banks[1][i as usize],
                Step::Load(Var::P(i)) => banks[2][i as usize],
                Step::Neg(a) => -r(a),
                Step::Add(a, b) => r(a) + r(b),
                Step::Sub(a, b) => r(a) - r(b),
                Step::Mul(a, b) => r(a) * r(b),
                Step::Div(a, b) => r(a) / r(b),
                Step::Sqrt(a) => r(a).sqrt(),
                Step::Abs(a) => r(a).abs(),
                Step::Unary(f, a) => f(r(a)),
                Step::Binary(f, a, b) => f(r(a), r(b)),
                Step::SinCos(f, a) => {
                    let both = f(r(a));
                    cosine = both.cos;
                    both.sin
                }
                Step::Cosine => cosine,
            };
            registers[constants + at] = value;
        }
        for (register, slot) in &self.outputs {
            out[*slot] = registers[*register as usize];
        }
    }
}

/// The part of a graph that a program needs.
struct Live<'a> {
    graph: &'a Graph,
    nodes: Vec<Node>,
    seen: Vec<bool>,
}

impl<'a> Live<'a> {
    fn new(graph: &'a Graph, outputs: &[(Node, usize)]) -> Self {
        let mut live = Live { graph, nodes: vec![], seen: vec![false; graph.len()] };
        let mut stack: Vec<Node> = outputs.iter().map(|(node, _)| *node).collect();
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut live.seen[node.index()], true) {
                live.nodes.push(node);
                stack.extend(graph.op(node).operands());
            }
        }
        live
    }

    /// The sine or cosine of `x`, where it is needed and can share a call with its partner.
    fn partner(&self, function: Builtin, x: Node) -> Option<Node> {
        SIN_COS?;
        self.graph.find(Op::Unary(function, x)).filter(|n| self.seen[n.index()])
    }

    /// An order of evaluation: operands have smaller numbers. Constants go first, and a cosine stands behind the
    /// sine of the same angle.
    fn order(&self) -> Vec<Node> {
        let mut nodes = self.nodes.clone();
        nodes.sort_unstable_by_key(|n| match self.graph.op(*n) {
            Op::Const(_) => (0, *n, 0),
            Op::Unary(Builtin::Sin, x) => (1, self.partner(Builtin::Cos, x).map_or(*n, |cos| cos.min(*n)), 0),
            Op::Unary(Builtin::Cos, x) => (1, self.partner(Builtin::Sin, x).map_or(*n, |sin| sin.min(*n)), 1),
            _ => (1, *n, 0),
        });
        nodes
    }

    fn step(&self, op: Op, r: impl Fn(Node) -> Register) -> Step {
        match op {
            Op::Const(_) => unreachable!("constants take no step"),
            Op::Var(var) => Step::Load(var),
            Op::Neg(a) => Step::Neg(r(a)),
            Op::Add(a, b) => Step::Add(r(a), r(b)),
            Op::Sub(a, b) => Step::Sub(r(a), r(b)),
            Op::Mul(a, b) => Step::Mul(r(a), r(b)),
            Op::Div(a, b) => Step::Div(r(a), r(b)),
            Op::Unary(Builtin::Sqrt, a) => Step::Sqrt(r(a)),
            Op::Unary(Builtin::Abs, a) => Step::Abs(r(a)),
            Op::Unary(Builtin::Sin, a) if self.partner(Builtin::Cos, a).is_some() => {
                Step::SinCos(SIN_COS.expect("partners are found only where it exists"), r(a))
            }
            Op::Unary(Builtin::Cos, a) if self.partner(Builtin::Sin, a).is_some() => Step::Cosine,
            Op::Unary(function, a) => match function.function().rule {
                Rule::Unary(f, _) => Step::Unary(f, r(a)),
                Rule::Binary(..) => unreachable!("{function:?} has two arguments"),
            },
            Op::Binary(function, a, b) => match function.function().rule {
                Rule::Binary(f, _) => Step::Binary(f, r(a), r(b)),
                Rule::Unary(..) => unreachable!("{function:?} has one argument"),
            },
        }
    }
}
