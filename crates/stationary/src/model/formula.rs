//! A Lagrangian from a line of text.

use super::{Jet, Lagrangian, Mass};
use crate::formula::{Expr, FormulaError, Graph, Node, Program, Scope, Var};
use crate::interrupt;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A Lagrangian given by a formula, differentiated exactly and compiled.
///
/// ```
/// use stationary::formula::{Scope, Var};
/// use stationary::model::{FormulaLagrangian, Jet, Lagrangian};
///
/// let mut scope = Scope::new();
/// scope.constant("g", 9.81).variable("y", Var::Q(0)).variable("vy", Var::V(0));
/// let l = FormulaLagrangian::new("0.5*vy^2 - g*y", &scope, 1)?;
/// let mut jet = Jet::new(1);
/// l.first(0.0, &[2.0], &[3.0], &mut jet);
/// assert_eq!((jet.dq(), jet.dv()), (&[-9.81][..], &[3.0][..]));
/// assert!(l.mass().is_some(), "separable");
/// # Ok::<(), stationary::formula::FormulaError>(())
/// ```
#[derive(Debug)]
pub struct FormulaLagrangian {
    n: usize,
    first: Program,
    gradient: Program,
    force: Program,
    mass: Option<Mass>,
    /// Second derivatives are many and explicit methods never ask: they are compiled when first wanted.
    second: OnceLock<Program>,
    /// The same with `L`.
    whole: OnceLock<Program>,
    graph: Mutex<Graph>,
    l: Node,
    lq: Vec<Node>,
    lv: Vec<Node>,
    depends_on_time: bool,
}

impl FormulaLagrangian {
    /// Reads `L` of `n` coordinates from text; the scope says what its names mean.
    pub fn new(text: &str, scope: &Scope, n: usize) -> Result<Self, FormulaError> {
        let mut graph = Graph::new();
        let l = graph.lower(&Expr::parse(text)?, scope)?;
        Ok(Self::of_node(graph, l, n))
    }

    /// `L` of `n` coordinates as a node of a graph.
    pub fn of_node(mut graph: Graph, l: Node, n: usize) -> Self {
        let variables: Vec<Var> = positions(n).chain(velocities(n)).chain([Var::T]).collect();
        let gradient = graph.gradient(l, &variables);
        let (lq, lv, lt) = (gradient[..n].to_vec(), gradient[n..2 * n].to_vec(), gradient[2 * n]);
        let place = |nodes: &[Node], from: usize| -> Vec<(Node, usize)> {
            nodes.iter().enumerate().map(|(i, node)| (*node, from + i)).collect()
        };
        let first = [vec![(l, 0), (lt, 1)], place(&lq, 2), place(&lv, 2 + n)].concat();
        FormulaLagrangian {
            n,
            first: Program::new(&graph, &first),
            gradient: Program::new(&graph, &[place(&lq, 2), place(&lv, 2 + n)].concat()),
            force: Program::new(&graph, &place(&lq, 0)),
            mass: constant_mass(&mut graph, &lv, n),
            second: OnceLock::new(),
            whole: OnceLock::new(),
            depends_on_time: graph.as_constant(lt) != Some(0.0),
            graph: Mutex::new(graph),
            l,
            lq,
            lv,
        }
    }

    /// Whether calls run machine code rather than the interpreter.
    pub fn is_compiled(&self) -> bool {
        self.first.is_compiled()
    }

    /// Operations of one evaluation of `L` and its first derivatives.
    pub fn operations(&self) -> usize {
        self.first.len()
    }

    /// Whether `t` appears in `L`.
    pub fn depends_on_time(&self) -> bool {
        self.depends_on_time
    }

    /// `-L_qq` by rows, if it is the same everywhere: the stiffness of a quadratic potential.
    pub fn constant_stiffness(&self) -> Option<Vec<f64>> {
        // Of a copy: what is compiled later from the graph must not depend on who has asked.
        let mut graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let by: Vec<Var> = positions(self.n).collect();
        let mut matrix = Vec::with_capacity(self.n * self.n);
        for node in &self.lq {
            for entry in graph.gradient(*node, &by) {
                matrix.push(-graph.as_constant(entry)?);
            }
        }
        Some(matrix)
    }

    /// The program of second derivatives, made when it is first needed; none where that was given up, and then the next
    /// who needs it makes it.
    #[inline]
    fn compiled<'a>(&self, cell: &'a OnceLock<Program>, with_value: bool) -> Option<&'a Program> {
        match cell.get() {
            Some(program) => Some(program),
            None => {
                let made = self.compile_second(with_value);
                if interrupt::requested() { None } else { Some(cell.get_or_init(|| made)) }
            }
        }
    }

    #[cold]
    fn compile_second(&self, with_value: bool) -> Program {
        let n = self.n;
        let mut graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        let (by_q, by_v): (Vec<_>, Vec<_>) = (positions(n).collect(), velocities(n).collect());
        let mut outputs = if with_value { vec![(self.l, 0)] } else { Vec::new() };
        for i in 0..n {
            outputs.extend([(self.lq[i], 2 + i), (self.lv[i], 2 + n + i)]);
            let rows = [(self.lq[i], &by_q, 0), (self.lq[i], &by_v, 1), (self.lv[i], &by_v, 2)];
            for (node, by, block) in rows {
                let row = graph.gradient(node, by);
                // Entries that are always zero keep the zero of a new jet.
                let at = 2 + 2 * n + block * n * n + i * n;
                outputs.extend(
                    row.iter()
                        .enumerate()
                        .filter(|(_, x)| graph.as_constant(**x) != Some(0.0))
                        .map(|(j, x)| (*x, at + j)),
                );
            }
        }
        Program::new(&graph, &outputs)
    }
}

pub(crate) fn positions(n: usize) -> impl Iterator<Item = Var> {
    (0..n as u32).map(Var::Q)
}

pub(crate) fn velocities(n: usize) -> impl Iterator<Item = Var> {
    (0..n as u32).map(Var::V)
}

/// The mass matrix of a separable Lagrangian: `L_v = M v` with `M` constant, free of `q` and `t`.
fn constant_mass(graph: &mut Graph, lv: &[Node], n: usize) -> Option<Mass> {
    let variables: Vec<Var> = velocities(n).chain(positions(n)).chain([Var::T]).collect();
    let mut matrix = Vec::with_capacity(n * n);
    for node in lv {
        let row = graph.gradient(*node, &variables);
        for entry in &row[..n] {
            matrix.push(graph.as_constant(*entry)?);
        }
        if !row[n..].iter().all(|x| graph.as_constant(*x) == Some(0.0)) {
            return None;
        }
    }
    // What is left of L_v at rest must vanish too; it depends on nothing, so one evaluation tells.
    let outputs: Vec<(Node, usize)> = lv.iter().enumerate().map(|(i, x)| (*x, i)).collect();
    let (rest, mut momentum) = (vec![0.0; n], vec![0.0; n]);
    Program::new(graph, &outputs).interpret(0.0, &rest, &rest, &[], &mut momentum);
    if momentum.iter().any(|p| *p != 0.0) {
        return None;
    }
    Mass::dense(n, &matrix)
}

impl Lagrangian for FormulaLagrangian {
    #[inline]
    fn dimension(&self) -> usize {
        self.n
    }
    #[inline]
    fn first(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        self.first.call(t, q, v, &[], jet.data());
    }
    #[inline]
    fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        if let Some(program) = self.compiled(&self.second, false) {
            program.call(t, q, v, &[], jet.data());
        }
    }
    #[inline]
    fn whole(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        if let Some(program) = self.compiled(&self.whole, true) {
            program.call(t, q, v, &[], jet.data());
        }
    }
    #[inline]
    fn gradient(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        self.gradient.call(t, q, v, &[], jet.data());
    }
    #[inline]
    fn mass(&self) -> Option<&Mass> {
        self.mass.as_ref()
    }
    fn uniform(&self) -> bool {
        self.mass.is_some() && self.force.is_empty()
    }
    #[inline]
    fn force(&self, t: f64, q: &[f64], force: &mut [f64]) {
        self.force.call(t, q, &[], &[], force);
    }
}
