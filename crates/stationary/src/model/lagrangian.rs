//! The continuous Lagrangian `L(t, q, v)` and its partial derivatives. It knows no step.

use super::Mass;
use std::sync::Arc;

/// A mechanical system: `n` coordinates and a function `L(t, q, v)`.
///
/// Implement it by hand for full control, derive it from one generic function with
/// [`Auto`](crate::model::Auto), or read it from text with
/// [`FormulaLagrangian`](crate::model::FormulaLagrangian).
pub trait Lagrangian: Send + Sync {
    /// Number of coordinates `n`.
    fn dimension(&self) -> usize;

    /// Writes `L`, `L_t`, `L_q`, `L_v` into `jet`.
    fn first(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet);

    /// Writes `L_q`, `L_v` and the second partials `L_qq`, `L_qv`, `L_vv` into `jet`. Entries that are always zero
    /// may keep the zero that [`Jet::new`] gave them: a jet serves one Lagrangian.
    /// `L` and `L_t` need not be touched: Newton's method has no use for them.
    fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet);

    /// Writes only `L_q` and `L_v` into `jet`.
    #[inline]
    fn gradient(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        self.first(t, q, v, jet);
    }

    /// Writes `L`, `L_q`, `L_v` and the second partials into `jet`: what a step of unknown length asks for.
    #[inline]
    fn whole(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        self.first(t, q, v, jet);
        self.second(t, q, v, jet);
    }

    /// `Some` when `L = v.M v/2 - V(t, q)` with constant `M`: such systems are *separable* and
    /// have explicit integrators.
    fn mass(&self) -> Option<&Mass> {
        None
    }

    /// Whether the force of a separable system is the same at all places and times, as weight is: it is then asked for once.
    fn uniform(&self) -> bool {
        false
    }

    /// The force `-dV/dq` of a separable system. Called only where [`mass`](Self::mass) is `Some`.
    #[inline]
    fn force(&self, t: f64, q: &[f64], force: &mut [f64]) {
        let n = self.dimension();
        let mut jet = Jet::new(n);
        self.first(t, q, &vec![0.0; n], &mut jet);
        force.copy_from_slice(jet.dq());
    }
}

impl<L: Lagrangian + ?Sized> Lagrangian for Arc<L> {
    #[inline]
    fn dimension(&self) -> usize {
        (**self).dimension()
    }
    #[inline]
    fn first(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        (**self).first(t, q, v, jet);
    }
    #[inline]
    fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        (**self).second(t, q, v, jet);
    }
    #[inline]
    fn gradient(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        (**self).gradient(t, q, v, jet);
    }
    #[inline]
    fn whole(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        (**self).whole(t, q, v, jet);
    }
    #[inline]
    fn mass(&self) -> Option<&Mass> {
        (**self).mass()
    }
    fn uniform(&self) -> bool {
        (**self).uniform()
    }
    #[inline]
    fn force(&self, t: f64, q: &[f64], force: &mut [f64]) {
        (**self).force(t, q, force);
    }
}

/// `L` and its partial derivatives at one point, in one block of memory so that compiled formulas
/// write into it directly: `L, L_t, L_q[n], L_v[n], L_qq[n*n], L_qv[n*n], L_vv[n*n]`, matrices by
/// rows, `L_qv[i*n + j]` the derivative in `q_i` and `v_j`.
#[derive(Debug, Clone)]
pub struct Jet {
    n: usize,
    data: Box<[f64]>,
}

impl Jet {
    /// A jet of zeros for `n` coordinates.
    pub fn new(n: usize) -> Self {
        Jet { n, data: vec![0.0; 2 + 2 * n + 3 * n * n].into() }
    }
    /// The whole block.
    #[inline]
    pub fn data(&mut self) -> &mut [f64] {
        &mut self.data
    }
    /// All parts, to be written by a [`Lagrangian`].
    #[inline]
    pub fn parts(&mut self) -> JetParts<'_> {
        self.parts_of(self.n)
    }
    /// All parts of a jet for `n` coordinates. Where the compiler knows `n`, it knows all lengths.
    #[inline(always)]
    pub(crate) fn parts_of(&mut self, n: usize) -> JetParts<'_> {
        let data = &mut self.data[..2 + 2 * n + 3 * n * n];
        let (scalars, rest) = data.split_at_mut(2);
        let (value, dt) = scalars.split_at_mut(1);
        let (dq, rest) = rest.split_at_mut(n);
        let (dv, rest) = rest.split_at_mut(n);
        let (dqq, rest) = rest.split_at_mut(n * n);
        let (dqv, dvv) = rest.split_at_mut(n * n);
        JetParts { value: &mut value[0], dt: &mut dt[0], dq, dv, dqq, dqv, dvv }
    }
    /// `L`.
    #[inline]
    pub fn value(&self) -> f64 {
        self.data[0]
    }
    /// `L_t`.
    #[inline]
    pub fn dt(&self) -> f64 {
        self.data[1]
    }
    /// `L_q`.
    #[inline]
    pub fn dq(&self) -> &[f64] {
        &self.data[2..2 + self.n]
    }
    /// `L_v`, the momentum of the continuous system.
    #[inline]
    pub fn dv(&self) -> &[f64] {
        &self.data[2 + self.n..2 + 2 * self.n]
    }
    /// `L_qq`, by rows.
    #[inline]
    pub fn dqq(&self) -> &[f64] {
        self.matrix(0)
    }
    /// `L_qv`, by rows (`q` rows, `v` columns).
    #[inline]
    pub fn dqv(&self) -> &[f64] {
        self.matrix(1)
    }
    /// `L_vv`, by rows: the mass matrix.
    #[inline]
    pub fn dvv(&self) -> &[f64] {
        self.matrix(2)
    }
    #[inline]
    fn matrix(&self, k: usize) -> &[f64] {
        let (n, nn) = (self.n, self.n * self.n);
        &self.data[2 + 2 * n + k * nn..2 + 2 * n + (k + 1) * nn]
    }
    /// `[L_q, L_v]` and `[L_qq, L_qv, L_vv]` of a jet for `n` coordinates. Where the compiler knows `n`, it knows
    /// all lengths.
    #[inline(always)]
    pub(crate) fn derivatives(&self, n: usize) -> ([&[f64]; 2], [&[f64]; 3]) {
        let data = &self.data[..2 + 2 * n + 3 * n * n];
        let (vectors, matrices) = data[2..].split_at(2 * n);
        let (qq, rest) = matrices.split_at(n * n);
        let (qv, vv) = rest.split_at(n * n);
        ([&vectors[..n], &vectors[n..]], [qq, qv, vv])
    }
}

/// The parts of a [`Jet`], for writing.
#[derive(Debug)]
pub struct JetParts<'a> {
    /// `L`
    pub value: &'a mut f64,
    /// `L_t`
    pub dt: &'a mut f64,
    /// `L_q`
    pub dq: &'a mut [f64],
    /// `L_v`
    pub dv: &'a mut [f64],
    /// `L_qq` by rows
    pub dqq: &'a mut [f64],
    /// `L_qv` by rows: `q` rows, `v` columns
    pub dqv: &'a mut [f64],
    /// `L_vv` by rows
    pub dvv: &'a mut [f64],
}
