//! Holonomic constraints `g(t, q) = 0` [VTI04 2.5] and their derivatives. They know no step.

use super::Jet;
use super::bounds_programs::BoundsPrograms;
use crate::archive::{Archive, Persist};
use crate::formula::{Graph, Node};
use crate::linalg::{Lu, max_abs};
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
///         let out = out.parts();
///         out.value[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
///         out.dq.copy_from_slice(&[2.0 * q[0], 2.0 * q[1]]);
///     }
///     fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
///         self.first(t, q, out);
///         out.parts().dqq.copy_from_slice(&[2.0, 0.0, 0.0, 2.0]);
///     }
/// }
///
/// let mut at = Bounds::new(2, 1);
/// Circle.first(0.0, &[0.6, 0.8], &mut at);
/// assert_eq!(at.value(), [0.0]);
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

/// Constraints and their derivatives at one place, in one block that formulas write as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    n: usize,
    m: usize,
    /// `g[m], g_t[m], g_q[m*n], g_tq[m*n], g_qq[m*n*n]`.
    pub(super) data: Vec<f64>,
}

/// The parts of [`Bounds`], to be written.
#[derive(Debug)]
pub struct BoundsParts<'a> {
    /// `g_a`.
    pub value: &'a mut [f64],
    /// `g_a` differentiated in time.
    pub dt: &'a mut [f64],
    /// The gradients, row `a` that of `g_a`.
    pub dq: &'a mut [f64],
    /// The gradients of `dt`, by rows.
    pub dtq: &'a mut [f64],
    /// The second derivatives, one `n` by `n` matrix behind the other.
    pub dqq: &'a mut [f64],
}

impl Bounds {
    /// Zeros for `n` coordinates and `m` constraints.
    pub fn new(n: usize, m: usize) -> Self {
        Bounds { n, m, data: vec![0.0; Self::length(n, m)] }
    }

    fn length(n: usize, m: usize) -> usize {
        m * (2 + 2 * n + n * n)
    }

    /// All parts, to be written by a [`Constraint`].
    pub fn parts(&mut self) -> BoundsParts<'_> {
        let (n, m) = (self.n, self.m);
        let (value, rest) = self.data.split_at_mut(m);
        let (dt, rest) = rest.split_at_mut(m);
        let (dq, rest) = rest.split_at_mut(m * n);
        let (dtq, dqq) = rest.split_at_mut(m * n);
        BoundsParts { value, dt, dq, dtq, dqq }
    }

    /// `g`.
    #[inline]
    pub fn value(&self) -> &[f64] {
        &self.data[..self.m]
    }

    /// `g_t`.
    #[inline]
    pub fn dt(&self) -> &[f64] {
        &self.data[self.m..2 * self.m]
    }

    /// `g_q`, by rows.
    #[inline]
    pub fn dq(&self) -> &[f64] {
        &self.data[2 * self.m..self.m * (2 + self.n)]
    }

    /// `g_tq`, by rows.
    #[inline]
    pub fn dtq(&self) -> &[f64] {
        &self.data[self.m * (2 + self.n)..self.m * (2 + 2 * self.n)]
    }

    /// The second derivatives, one `n` by `n` matrix behind the other.
    #[inline]
    pub fn dqq(&self) -> &[f64] {
        &self.data[self.m * (2 + 2 * self.n)..]
    }

    /// Gradient of constraint `a`.
    #[inline]
    pub fn gradient(&self, a: usize) -> &[f64] {
        let from = 2 * self.m + a * self.n;
        &self.data[from..from + self.n]
    }

    /// The size of what constraint `a` is made of at a place or a velocity of this size: its rounding error is a few units in
    /// the last place of that.
    pub fn terms(&self, a: usize, x: &[f64]) -> f64 {
        self.gradient(a).iter().map(|g| g.abs()).sum::<f64>() * crate::linalg::max_abs(x)
    }

    /// The hidden constraint of `a`: how fast a motion with velocity `v` leaves it.
    #[inline]
    pub fn rate(&self, a: usize, v: &[f64]) -> f64 {
        crate::linalg::dot(self.gradient(a), v) + self.data[self.m + a]
    }

    /// Copies constraint `b` of others, all its derivatives, to the place `a`.
    pub fn copy(&mut self, a: usize, other: &Bounds, b: usize) {
        let (n, from) = (self.n, other);
        let to = self.parts();
        to.value[a] = from.value()[b];
        to.dt[a] = from.dt()[b];
        to.dq[a * n..(a + 1) * n].copy_from_slice(from.gradient(b));
        to.dtq[a * n..(a + 1) * n].copy_from_slice(&from.dtq()[b * n..(b + 1) * n]);
        let square = n * n;
        to.dqq[a * square..(a + 1) * square].copy_from_slice(&from.dqq()[b * square..(b + 1) * square]);
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
        let n = self.n;
        for (weight, hessian) in weights.iter().zip(self.dqq().chunks(n * n)) {
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
    programs: BoundsPrograms,
}

impl FormulaConstraint {
    /// The constraints that nodes of a graph stand for, of `n` coordinates.
    pub fn new(graph: &mut Graph, nodes: &[Node], n: usize) -> Self {
        FormulaConstraint { count: nodes.len(), programs: BoundsPrograms::new(graph, nodes, n) }
    }
}

/// Fills `[[L_vv, -g'^T], [g', 0]]`, constraints in units that make the entries of one size, and returns these units.
pub(crate) fn fill_saddle(lu: &mut Lu, jet: &Jet, bounds: &Bounds, n: usize) -> Vec<f64> {
    let m = bounds.value().len();
    let size = n + m;
    let inertia = max_abs(jet.dvv());
    let units: Vec<f64> = (0..m).map(|a| inertia / max_abs(bounds.gradient(a))).collect();
    let matrix = lu.matrix();
    matrix.fill(0.0);
    for i in 0..n {
        matrix[i * size..i * size + n].copy_from_slice(&jet.dvv()[i * n..(i + 1) * n]);
        for a in 0..m {
            let g = units[a] * bounds.gradient(a)[i];
            matrix[i * size + n + a] = -g;
            matrix[(n + a) * size + i] = g;
        }
    }
    units
}

impl Constraint for FormulaConstraint {
    fn count(&self) -> usize {
        self.count
    }
    #[inline]
    fn first(&self, t: f64, q: &[f64], out: &mut Bounds) {
        self.programs.first(t, q, &[], out);
    }
    #[inline]
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
        self.programs.second(t, q, &[], out);
    }
}

impl Persist for Bounds {
    fn pass(&mut self, archive: &mut Archive) {
        archive.fixed(&mut self.data);
    }
}
