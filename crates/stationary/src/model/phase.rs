//! The Hamiltonian side: a function `H(t, z)` on phase space and the one-form `theta(z)` that makes it move.
//!
//! The phase-space principle makes `integral theta(z).z' - H(t, z) dt` stationary [SUR04 1]: `Omega(z) z' = H_z` with
//! `Omega_ij = d_i theta_j - d_j theta_i`. For `z = (q, p)` and `theta = (p, 0)` these are Hamilton's equations; for point
//! vortices, whose Lagrangian is degenerate, `z` are the positions alone.

use super::{FormulaLagrangian, Lagrangian};
use crate::formula::{Expr, FormulaError, Graph, Node, Program, Scope, Var};
use crate::linalg::Lu;
use std::fmt;
use std::sync::Arc;

/// A system on phase space.
pub trait PhaseSpace: Send + Sync {
    /// Number of phase variables `m`, even.
    fn dimension(&self) -> usize;

    /// Writes `H`, `H_t` and `H_z`.
    fn first(&self, t: f64, z: &[f64], jet: &mut PhaseJet);

    /// Writes `H_z` and `H_zz`.
    fn second(&self, t: f64, z: &[f64], jet: &mut PhaseJet);

    /// The one-form's derivative.
    fn form(&self) -> &TwoForm;

    /// How many of the phase variables are positions in the eyes of observers: half of them where the system is canonical,
    /// all of them where a one-form was given.
    fn positions(&self) -> usize;

    /// Writes the momenta that observers see, as many as positions: `p`, or `theta(z)`.
    fn momentum(&self, z: &[f64], p: &mut [f64]);

    /// Writes `z'`. `false` where the form is degenerate.
    fn rate(&self, t: f64, z: &[f64], jet: &mut PhaseJet, rate: &mut [f64]) -> bool {
        self.first(t, z, jet);
        rate.copy_from_slice(jet.dz());
        match self.form() {
            TwoForm::Constant(constant) => {
                constant.solve(rate);
                true
            }
            TwoForm::Fibred(Fibred { omega, .. }) | TwoForm::General(omega) => {
                let mut lu = Lu::new(z.len());
                omega.call(0.0, z, &[], &[], lu.matrix());
                let regular = lu.factor();
                if regular {
                    lu.solve(rate);
                }
                regular
            }
        }
    }
}

/// The two-form `Omega = d theta`, by what it allows.
#[derive(Debug)]
pub enum TwoForm {
    /// The same everywhere: collocation at Gauss nodes keeps it exactly.
    Constant(ConstantForm),
    /// Half of the one-form's entries vanish: the discrete phase-space principle keeps it exactly.
    Fibred(Fibred),
    /// Neither; the entries of `Omega` by rows.
    General(Program),
}

/// A constant `Omega`, by rows, and its factors.
#[derive(Debug)]
pub struct ConstantForm {
    omega: Vec<f64>,
    lu: Lu,
    canonical: bool,
}

impl ConstantForm {
    /// None where the matrix is singular.
    pub fn new(omega: Vec<f64>) -> Option<Self> {
        let m = omega.len().isqrt();
        let mut lu = Lu::new(m);
        lu.matrix().copy_from_slice(&omega);
        let canonical = omega == canonical(m / 2);
        lu.factor().then_some(ConstantForm { omega, lu, canonical })
    }
    /// The matrix by rows.
    pub fn omega(&self) -> &[f64] {
        &self.omega
    }
    /// Whether it is `dq ^ dp` for `z = (q, p)`.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }
    /// Replaces `x` by `Omega^-1 x`.
    #[inline]
    pub fn solve(&self, x: &mut [f64]) {
        if self.canonical {
            let (q, p) = x.split_at_mut(x.len() / 2);
            // q' = H_p, p' = -H_q.
            q.swap_with_slice(p);
            p.iter_mut().for_each(|x| *x = -*x);
        } else {
            self.lu.solve(x);
        }
    }
}

/// `Omega` of `theta = (p, 0)`.
fn canonical(n: usize) -> Vec<f64> {
    let mut omega = vec![0.0; 4 * n * n];
    for i in 0..n {
        omega[i * 2 * n + n + i] = -1.0;
        omega[(n + i) * 2 * n + i] = 1.0;
    }
    omega
}

/// A one-form `theta_a(x, y) dx_a`: base variables `x`, and as many fibre variables `y` with no `dy`.
#[derive(Debug)]
pub struct Fibred {
    /// `theta(z).z' - H`.
    pub lagrangian: Arc<FormulaLagrangian>,
    /// Which variables are `x`.
    pub base: Vec<usize>,
    /// Which are `y`.
    pub fibre: Vec<usize>,
    /// Entries of `Omega` by rows.
    pub omega: Program,
}

/// `H` and its derivatives at one point, in one block: `H, H_t, H_z[m], H_zz[m*m]`.
#[derive(Debug, Clone)]
pub struct PhaseJet {
    m: usize,
    data: Box<[f64]>,
}

impl PhaseJet {
    /// Zeros for `m` phase variables.
    pub fn new(m: usize) -> Self {
        PhaseJet { m, data: vec![0.0; 2 + m + m * m].into() }
    }
    /// The whole block.
    #[inline]
    pub fn data(&mut self) -> &mut [f64] {
        &mut self.data
    }
    /// `H`.
    pub fn value(&self) -> f64 {
        self.data[0]
    }
    /// `H_t`.
    pub fn dt(&self) -> f64 {
        self.data[1]
    }
    /// `H_z`.
    #[inline]
    pub fn dz(&self) -> &[f64] {
        &self.data[2..2 + self.m]
    }
    /// `H_zz` by rows.
    #[inline]
    pub fn dzz(&self) -> &[f64] {
        &self.data[2 + self.m..]
    }
}

/// Why a one-form makes nothing move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseFault {
    /// The number of variables is odd.
    Odd,
    /// `Omega` is constant and singular.
    Singular,
}

impl fmt::Display for PhaseFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PhaseFault::Odd => "a one-form on an odd number of coordinates does not determine how they move",
            PhaseFault::Singular => {
                "the one-form does not determine how the coordinates move: d_i theta_j - d_j theta_i is a singular matrix"
            }
        })
    }
}

/// A Hamiltonian given by a formula, differentiated exactly and compiled.
///
/// ```
/// use stationary::formula::{Scope, Var};
/// use stationary::model::{FormulaPhase, PhaseJet, PhaseSpace};
///
/// let mut scope = Scope::new();
/// scope.variable("q", Var::Q(0)).variable("p", Var::P(0));
/// let pendulum = FormulaPhase::canonical("p^2/2 - cos(q)", &scope, 1)?;
/// let mut rate = [0.0; 2];
/// pendulum.rate(0.0, &[0.5, 3.0], &mut PhaseJet::new(2), &mut rate);
/// assert_eq!(rate, [3.0, -0.5f64.sin()]);
/// # Ok::<(), stationary::formula::FormulaError>(())
/// ```
#[derive(Debug)]
pub struct FormulaPhase {
    m: usize,
    positions: usize,
    first: Program,
    second: Program,
    /// Empty where the system is canonical.
    theta: Option<Program>,
    form: TwoForm,
    depends_on_time: bool,
}

impl FormulaPhase {
    /// `H(t, q, p)` of `n` positions and their momenta; the scope says what its names mean.
    pub fn canonical(text: &str, scope: &Scope, n: usize) -> Result<Self, FormulaError> {
        let mut graph = Graph::new();
        let h = graph.lower(&Expr::parse(text)?, scope)?;
        Ok(Self::of_nodes(graph, h, None, n).expect("the canonical form is regular"))
    }

    /// `H` as a node of a graph, and a one-form as nodes, one for each of `n` positions; without it the system is canonical.
    pub fn of_nodes(
        mut graph: Graph,
        h: Node,
        one_form: Option<&[Node]>,
        n: usize,
    ) -> Result<Self, PhaseFault> {
        let mut variables: Vec<Var> = (0..n as u32).map(Var::Q).collect();
        if one_form.is_none() {
            variables.extend((0..n as u32).map(Var::P));
        }
        let m = variables.len();
        if m % 2 == 1 {
            return Err(PhaseFault::Odd);
        }
        let gradient = graph.gradient(h, &variables);
        let time = graph.gradient(h, &[Var::T])[0];
        let mut first = vec![(h, 0), (time, 1)];
        let mut second = Vec::new();
        for (i, node) in gradient.iter().enumerate() {
            first.push((*node, 2 + i));
            second.push((*node, 2 + i));
            let row = graph.gradient(*node, &variables);
            // Entries that are always zero keep the zero of a new jet.
            let row = row.iter().enumerate().filter(|(_, x)| graph.as_constant(**x) != Some(0.0));
            second.extend(row.map(|(j, x)| (*x, 2 + m + i * m + j)));
        }
        let (first, second) = (Program::new(&graph, &first), Program::new(&graph, &second));
        let (theta, form) = match one_form {
            None => (None, TwoForm::Constant(ConstantForm::new(canonical(n)).ok_or(PhaseFault::Singular)?)),
            Some(theta) => (Some(program(&graph, theta)), form(&mut graph, h, theta)?),
        };
        let depends_on_time = graph.as_constant(time) != Some(0.0);
        Ok(FormulaPhase { m, positions: n, first, second, theta, form, depends_on_time })
    }

    /// Whether `t` appears in `H`.
    pub fn depends_on_time(&self) -> bool {
        self.depends_on_time
    }

    /// Whether calls run machine code rather than the interpreter.
    pub fn is_compiled(&self) -> bool {
        self.first.is_compiled()
    }

    /// Operations of one evaluation of `H` and its first derivatives.
    pub fn operations(&self) -> usize {
        self.first.len()
    }
}

fn program(graph: &Graph, nodes: &[Node]) -> Program {
    Program::new(graph, &nodes.iter().enumerate().map(|(i, x)| (*x, i)).collect::<Vec<_>>())
}

/// What is to be known of `d theta`.
fn form(graph: &mut Graph, h: Node, theta: &[Node]) -> Result<TwoForm, PhaseFault> {
    let m = theta.len();
    let by: Vec<Var> = (0..m as u32).map(Var::Q).collect();
    let rows: Vec<Vec<Node>> = theta.iter().map(|x| graph.gradient(*x, &by)).collect();
    let mut omega = Vec::with_capacity(m * m);
    for i in 0..m {
        for j in 0..m {
            omega.push(graph.sub(rows[j][i], rows[i][j]));
        }
    }
    let constants: Option<Vec<f64>> = omega.iter().map(|x| graph.as_constant(*x)).collect();
    if let Some(constants) = constants {
        return ConstantForm::new(constants).map(TwoForm::Constant).ok_or(PhaseFault::Singular);
    }
    let omega = program(graph, &omega);
    let vanishes = |i: &usize| graph.as_constant(theta[*i]) == Some(0.0);
    let (fibre, base): (Vec<usize>, Vec<usize>) = (0..m).partition(vanishes);
    if fibre.len() != base.len() {
        return Ok(TwoForm::General(omega));
    }
    let mut l = graph.neg(h);
    for i in &base {
        let velocity = graph.var(Var::V(*i as u32));
        let term = graph.mul(theta[*i], velocity);
        l = graph.add(l, term);
    }
    let lagrangian = Arc::new(FormulaLagrangian::of_node(graph.clone(), l, m));
    debug_assert!(lagrangian.mass().is_none(), "degenerate");
    Ok(TwoForm::Fibred(Fibred { lagrangian, base, fibre, omega }))
}

impl PhaseSpace for FormulaPhase {
    fn dimension(&self) -> usize {
        self.m
    }
    #[inline]
    fn first(&self, t: f64, z: &[f64], jet: &mut PhaseJet) {
        let (q, p) = z.split_at(self.positions);
        self.first.call(t, q, &[], p, jet.data());
    }
    #[inline]
    fn second(&self, t: f64, z: &[f64], jet: &mut PhaseJet) {
        let (q, p) = z.split_at(self.positions);
        self.second.call(t, q, &[], p, jet.data());
    }
    fn form(&self) -> &TwoForm {
        &self.form
    }
    fn positions(&self) -> usize {
        self.positions
    }
    fn momentum(&self, z: &[f64], p: &mut [f64]) {
        match &self.theta {
            Some(theta) => theta.call(0.0, z, &[], &[], p),
            None => p.copy_from_slice(&z[self.positions..]),
        }
    }
}

impl<P: PhaseSpace + ?Sized> PhaseSpace for Arc<P> {
    fn dimension(&self) -> usize {
        (**self).dimension()
    }
    #[inline]
    fn first(&self, t: f64, z: &[f64], jet: &mut PhaseJet) {
        (**self).first(t, z, jet);
    }
    #[inline]
    fn second(&self, t: f64, z: &[f64], jet: &mut PhaseJet) {
        (**self).second(t, z, jet);
    }
    fn form(&self) -> &TwoForm {
        (**self).form()
    }
    fn positions(&self) -> usize {
        (**self).positions()
    }
    fn momentum(&self, z: &[f64], p: &mut [f64]) {
        (**self).momentum(z, p);
    }
}
