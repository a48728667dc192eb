//! Holonomic constraints `g(t, q) = 0` [VTI04 2.5] and their derivatives. They know no step.

use super::formula::positions;
use crate::formula::{Graph, Node, Program, Var};
use std::sync::Arc;

/// `m` conditions `g_a(t, q) = 0` on `n` coordinates.
///
/// A motion that obeys them also obeys the hidden ones `g_q v + g_t = 0`.
///
/// ```
/// use stationary::model::{Bounds, Constraint};
///
/// /// A point on the unit circle.
/// struct Circle;
/// impl Constraint for Circle {
///     fn count(&self) -> usize {
///         1
///     }
///     fn first(&self, _t: f64, q: &[f64], out: &mut Bounds) {
///         out.value[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
///         out.dq.copy_from_slice(&[2.0 * q[0], 2.0 * q[1]]);
///     }
///     fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
///         self.first(t, q, out);
///         out.dqq.copy_from_slice(&[2.0, 0.0, 0.0, 2.0]);
///     }
/// }
///
/// let mut at = Bounds::new(2, 1);
/// Circle.first(0.0, &[0.6, 0.8], &mut at);
/// assert_eq!(at.value, [0.0]);
/// assert_eq!(at.rate(0, &[0.8, -0.6]), 0.0, "a velocity along the circle");
/// ```
pub trait Constraint: Send + Sync {
    /// The number `m`.
    fn count(&self) -> usize;

    /// Writes `g`, `g_q` and `g_t`. What is always zero may keep the zero that [`Bounds::new`] gave it.
    fn first(&self, t: f64, q: &[f64], out: &mut Bounds);

    /// Also writes the second derivatives `g_qq` and `g_tq`.
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds);
}

impl<C: Constraint + ?Sized> Constraint for Arc<C> {
    fn count(&self) -> usize {
        (**self).count()
    }
    #[inline]
    fn first(&self, t: f64, q: &[f64], out: &mut Bounds) {
        (**self).first(t, q, out);
    }
    #[inline]
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
        (**self).second(t, q, out);
    }
}

/// Constraints and their derivatives at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// `g_a`.
    pub value: Vec<f64>,
    /// `g_a` differentiated in time.
    pub dt: Vec<f64>,
    /// The gradients, row `a` that of `g_a`.
    pub dq: Vec<f64>,
    /// The gradients of `dt`, by rows.
    pub dtq: Vec<f64>,
    /// The second derivatives, one `n` by `n` matrix behind the other.
    pub dqq: Vec<f64>,
}

impl Bounds {
    /// Zeros for `n` coordinates and `m` constraints.
    pub fn new(n: usize, m: usize) -> Self {
        let zeros = |k: usize| vec![0.0; k];
        Bounds { value: zeros(m), dt: zeros(m), dq: zeros(m * n), dtq: zeros(m * n), dqq: zeros(m * n * n) }
    }

    /// Gradient of constraint `a`.
    #[inline]
    pub fn gradient(&self, a: usize) -> &[f64] {
        let n = self.dq.len() / self.value.len();
        &self.dq[a * n..(a + 1) * n]
    }

    /// The hidden constraint of `a`: how fast a motion with velocity `v` leaves it.
    pub fn rate(&self, a: usize, v: &[f64]) -> f64 {
        crate::linalg::dot(self.gradient(a), v) + self.dt[a]
    }

    /// Adds `sum_a weight_a grad g_a` to `force`.
    #[inline]
    pub fn add_force(&self, weights: &[f64], force: &mut [f64]) {
        for (a, weight) in weights.iter().enumerate() {
            for (f, g) in force.iter_mut().zip(self.gradient(a)) {
                *f += weight * g;
            }
        }
    }

    /// Adds `sum_a weight_a g_a''` to an `n` by `n` block of a matrix whose rows have `width` entries.
    #[inline]
    pub fn add_curvature(&self, weights: &[f64], matrix: &mut [f64], width: usize) {
        let n = self.dq.len() / self.value.len();
        for (weight, hessian) in weights.iter().zip(self.dqq.chunks(n * n)) {
            for x in 0..n {
                for y in 0..n {
                    matrix[x * width + y] += weight * hessian[x * n + y];
                }
            }
        }
    }
}

/// Constraints given by formulas of `t` and the coordinates, differentiated exactly and compiled.
#[derive(Debug)]
pub struct FormulaConstraint {
    count: usize,
    first: Piece,
    second: Piece,
}

/// Compiled outputs and where they go.
#[derive(Debug)]
struct Piece {
    program: Program,
    length: usize,
    /// What the program writes, behind each other.
    gradients: Vec<(usize, usize)>,
    rates: Vec<(usize, usize)>,
    hessians: Vec<(usize, usize)>,
    rate_gradients: Vec<(usize, usize)>,
}

impl FormulaConstraint {
    /// The constraints that nodes of a graph stand for, of `n` coordinates.
    pub fn new(graph: &mut Graph, nodes: &[Node], n: usize) -> Self {
        FormulaConstraint {
            count: nodes.len(),
            first: Piece::new(graph, nodes, n, false),
            second: Piece::new(graph, nodes, n, true),
        }
    }
}

impl Piece {
    fn new(graph: &mut Graph, nodes: &[Node], n: usize, second: bool) -> Self {
        let by_q: Vec<Var> = positions(n).collect();
        let mut outputs: Vec<(Node, usize)> = nodes.iter().enumerate().map(|(a, g)| (*g, a)).collect();
        // Only entries that can differ from zero are computed: of many constraints each touches few coordinates.
        let mut put = |graph: &Graph, node: Node, at: usize, places: &mut Vec<(usize, usize)>| {
            if graph.as_constant(node) != Some(0.0) {
                places.push((outputs.len(), at));
                outputs.push((node, outputs.len()));
            }
        };
        let (mut gradients, mut rates) = (Vec::new(), Vec::new());
        let (mut hessians, mut rate_gradients) = (Vec::new(), Vec::new());
        for (a, node) in nodes.iter().enumerate() {
            let row = graph.gradient(*node, &by_q);
            let rate = graph.gradient(*node, &[Var::T])[0];
            put(graph, rate, a, &mut rates);
            for (i, entry) in row.iter().enumerate() {
                put(graph, *entry, a * n + i, &mut gradients);
                if second && graph.as_constant(*entry).is_none() {
                    for (j, twice) in graph.gradient(*entry, &by_q).into_iter().enumerate() {
                        put(graph, twice, (a * n + i) * n + j, &mut hessians);
                    }
                }
            }
            if second && graph.as_constant(rate).is_none() {
                for (i, mixed) in graph.gradient(rate, &by_q).into_iter().enumerate() {
                    put(graph, mixed, a * n + i, &mut rate_gradients);
                }
            }
        }
        let (program, length) = (Program::new(graph, &outputs), outputs.len());
        Piece { program, length, gradients, rates, hessians, rate_gradients }
    }

    fn call(&self, t: f64, q: &[f64], out: &mut Bounds) {
        /// Up to this many outputs live on the stack.
        const FEW: usize = 32;
        let mut few = [0.0; FEW];
        let mut many = Vec::new();
        let values = if self.length <= FEW {
            &mut few[..self.length]
        } else {
            many.resize(self.length, 0.0);
            &mut many[..]
        };
        self.program.call(t, q, &[], &[], values);
        let m = out.value.len();
        out.value.copy_from_slice(&values[..m]);
        let places = [
            (&self.gradients, &mut out.dq),
            (&self.rates, &mut out.dt),
            (&self.hessians, &mut out.dqq),
            (&self.rate_gradients, &mut out.dtq),
        ];
        for (places, target) in places {
            for (from, to) in places {
                target[*to] = values[*from];
            }
        }
    }
}

impl Constraint for FormulaConstraint {
    fn count(&self) -> usize {
        self.count
    }
    fn first(&self, t: f64, q: &[f64], out: &mut Bounds) {
        self.first.call(t, q, out);
    }
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
        self.second.call(t, q, out);
    }
}
