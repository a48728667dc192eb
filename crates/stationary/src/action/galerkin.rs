//! Galerkin discrete Lagrangians [VTI04 (20)-(23)]: the path is a polynomial, the action a quadrature.
//!
//! `L_full = h sum_i w_i L(t0 + a_i h, q0 + sum_j phi_j(a_i) u_j, (1/h) sum_j phi_j'(a_i) u_j)`
//!
//! with `u_j = Q_j - q0` (the shape functions add to one, so `q0` drops out of the velocity). The
//! midpoint and trapezoidal rules are the linear case with other quadratures; Gauss and Lobatto
//! give the collocation methods of those names. The coefficients are data, the code is one.

use super::quadrature::{self, Quadrature};
use super::{DiscreteLagrangian, Leg, Slots};
use crate::linalg::{Dim, Dynamic, Fixed, Storage};
use crate::model::{Jet, Lagrangian};
use std::ops::Range;

/// A polynomial path of any degree under any quadrature, for `N` coordinates and degree `S`.
///
/// The sizes are data unless [`fixed`](Self::fixed) makes them types, which changes speed and nothing else.
#[derive(Debug, Clone)]
pub struct Galerkin<L, N: Dim = Dynamic, S: Dim = Dynamic> {
    lagrangian: L,
    /// Then `L_qv` vanishes.
    separable: bool,
    n: N,
    s: S,
    rule: Quadrature,
    /// Abscissae of the points `0..=s`.
    points: Vec<f64>,
    /// `phi_j(a_i)` and `phi_j'(a_i)`, `j = 0..=s`, row `i`.
    shape: Vec<f64>,
    slope: Vec<f64>,
    table: Table,
    jet: Jet,
    q: N::Vector,
    v: N::Vector,
}

/// The coefficients of a step of length `h`, of node `i` and points `j`, `k` from 0 to `s`.
#[derive(Debug, Clone, Default)]
struct Table {
    h: f64,
    inverse_h: f64,
    /// `phi_j` and `phi_j'` at `[i][j]`.
    path: Vec<[f64; 2]>,
    /// `w h phi_j` and `w phi_j'` at `[i][j]`: what `L_q` and `L_v` are multiplied with in `D_j`.
    first: Vec<[f64; 2]>,
    /// `w h phi_j phi_k`, `w phi_j phi_k'`, `w phi_j' phi_k`, `w phi_j' phi_k'/h` at `[i][j][k]`.
    second: Vec<[f64; 4]>,
}

impl<L: Lagrangian> Galerkin<L> {
    /// Polynomials of the given degree (at least 1) under a quadrature rule.
    pub fn new(lagrangian: L, degree: usize, rule: Quadrature) -> Self {
        let n = lagrangian.dimension();
        let points = quadrature::lobatto(degree + 1).nodes;
        let (mut shape, mut slope) = (Vec::new(), Vec::new());
        for &a in &rule.nodes {
            let (value, derivative) = quadrature::lagrange(&points, a);
            shape.extend(value);
            slope.extend(derivative);
        }
        Galerkin {
            separable: lagrangian.mass().is_some(),
            lagrangian,
            n: Dynamic(n),
            s: Dynamic(degree),
            rule,
            points,
            shape,
            slope,
            table: Table::default(),
            jet: Jet::new(n),
            q: vec![0.0; n],
            v: vec![0.0; n],
        }
    }

    /// Generalised midpoint rule [VTI04 (13)]: `h L((1-alpha) q0 + alpha q1, (q1-q0)/h)`.
    pub fn midpoint(lagrangian: L, alpha: f64) -> Self {
        Self::new(lagrangian, 1, Quadrature { nodes: vec![alpha], weights: vec![1.0] })
    }

    /// Generalised trapezoidal rule [VTI04 (16)]: `h (1-alpha) L(q0, .) + h alpha L(q1, .)`.
    pub fn trapezoidal(lagrangian: L, alpha: f64) -> Self {
        Self::new(lagrangian, 1, Quadrature { nodes: vec![0.0, 1.0], weights: vec![1.0 - alpha, alpha] })
    }

    /// Gauss quadrature with `stages` nodes and polynomials of that degree: order `2 stages`.
    pub fn gauss(lagrangian: L, stages: usize) -> Self {
        Self::new(lagrangian, stages, quadrature::gauss(stages))
    }

    /// Lobatto quadrature with `points >= 2` nodes and polynomials through them: order `2 points - 2`.
    pub fn lobatto(lagrangian: L, points: usize) -> Self {
        Self::new(lagrangian, points - 1, quadrature::lobatto(points))
    }

    /// The same with its sizes, which must be these, known to the compiler.
    ///
    /// # Panics
    /// If the sizes are others.
    pub fn fixed<const N: usize, const S: usize>(self) -> Galerkin<L, Fixed<N>, Fixed<S>> {
        assert_eq!((self.n.get(), self.s.get()), (N, S), "coordinates and degree");
        let Galerkin { lagrangian, separable, rule, points, shape, slope, table, jet, .. } = self;
        let (n, s, q, v) = (Fixed, Fixed, [0.0; N], [0.0; N]);
        Galerkin { lagrangian, separable, n, s, rule, points, shape, slope, table, jet, q, v }
    }
}

impl<L: Lagrangian, N: Dim, S: Dim> Galerkin<L, N, S> {
    /// Makes the tables those of the step length.
    #[inline(always)]
    fn prepare(&mut self, h: f64) {
        if h != self.table.h {
            self.tabulate(h);
        }
    }

    #[cold]
    fn tabulate(&mut self, h: f64) {
        let width = self.s.get() + 1;
        let Table { path, first, second, .. } = &mut self.table;
        path.clear();
        first.clear();
        second.clear();
        for (i, &w) in self.rule.weights.iter().enumerate() {
            let row = i * width..(i + 1) * width;
            let (shape, slope) = (&self.shape[row.clone()], &self.slope[row]);
            for j in 0..width {
                path.push([shape[j], slope[j]]);
                first.push([w * h * shape[j], w * slope[j]]);
                for k in 0..width {
                    // In this order the matrix of second derivatives is symmetric to the last bit.
                    let mixed = (w * (shape[j] * slope[k]), w * (slope[j] * shape[k]));
                    let pure = (w * h * (shape[j] * shape[k]), w * (slope[j] * slope[k]) / h);
                    second.push([pure.0, mixed.0, mixed.1, pure.1]);
                }
            }
        }
        (self.table.h, self.table.inverse_h) = (h, 1.0 / h);
    }

    /// Position and velocity of the path at quadrature node `i`; returns the time there.
    #[inline(always)]
    fn path(&mut self, leg: &Leg, i: usize) -> f64 {
        let (n, s) = (self.n.get(), self.s.get());
        let (q, v) = (&mut self.q.as_mut_slice()[..n], &mut self.v.as_mut_slice()[..n]);
        let row = &self.table.path[i * (s + 1)..][..s + 1];
        let u = &leg.u[..s * n];
        q.copy_from_slice(&leg.q[..n]);
        v.fill(0.0);
        for j in 1..=s {
            let [phi, dphi] = row[j];
            for a in 0..n {
                q[a] += phi * u[(j - 1) * n + a];
                v[a] += dphi * u[(j - 1) * n + a];
            }
        }
        for a in 0..n {
            v[a] *= self.table.inverse_h;
        }
        leg.t + self.rule.nodes[i] * leg.h
    }

    /// Adds node `i` of the quadrature to `D_j` for the points `j` in `rows`, from the jet.
    #[inline(always)]
    fn add_first(&self, i: usize, d: &mut [f64], rows: Range<usize>) {
        let (n, s) = (self.n.get(), self.s.get());
        let ([lq, lv], _) = self.jet.derivatives(n);
        let row = &self.table.first[i * (s + 1)..][..s + 1];
        let d = &mut d[..rows.len() * n];
        for (r, j) in rows.enumerate() {
            let [a, b] = row[j];
            for k in 0..n {
                d[r * n + k] += a * lq[k] + b * lv[k];
            }
        }
    }

    /// Adds node `i` of the quadrature to the sum of all `D_j`, from the jet.
    #[inline(always)]
    fn add_sum(&self, i: usize, h: f64, out: &mut Slots) {
        let n = self.n.get();
        let ([lq, _], _) = self.jet.derivatives(n);
        let (w, sum) = (self.rule.weights[i] * h, &mut out.sum[..n]);
        for k in 0..n {
            sum[k] += w * lq[k];
        }
    }

    /// Adds node `i` to `D_j` and their sum with the same rounded `phi_j`, `phi_j'` that made the path. A symmetry of `L` is
    /// then one of `L_d` whatever the coefficients' own rounding, which would else push momenta the same way in every step.
    #[inline(always)]
    fn add_exact(&self, i: usize, h: f64, d: &mut [f64], sum: &mut [f64]) {
        let (n, s) = (self.n.get(), self.s.get());
        let ([lq, lv], _) = self.jet.derivatives(n);
        let row = &self.table.path[i * (s + 1)..][..s + 1];
        let (d, sum) = (&mut d[..s * n], &mut sum[..n]);
        let w = self.rule.weights[i];
        for k in 0..n {
            let (force, momentum) = (w * h * lq[k], w * lv[k]);
            sum[k] += force;
            for j in 1..=s {
                d[(j - 1) * n + k] += row[j][0] * force + row[j][1] * momentum;
            }
        }
    }

    /// Adds node `i` of the quadrature to the second derivatives, from the jet.
    #[inline(always)]
    fn add_second(&self, i: usize, dd: &mut [f64], rows: Range<usize>, columns: Range<usize>) {
        let (n, s) = (self.n.get(), self.s.get());
        let (_, [qq, qv, vv]) = self.jet.derivatives(n);
        let width = columns.len() * n;
        let dd = &mut dd[..rows.len() * n * width];
        let table = &self.table.second[i * (s + 1) * (s + 1)..][..(s + 1) * (s + 1)];
        for (r, j) in rows.enumerate() {
            for (c, k) in columns.clone().enumerate() {
                let [a, b, e, f] = table[j * (s + 1) + k];
                for x in 0..n {
                    for y in 0..n {
                        let (xy, yx) = (x * n + y, y * n + x);
                        let target = &mut dd[(r * n + x) * width + c * n + y];
                        *target += a * qq[xy] + f * vv[xy];
                        if !self.separable {
                            *target += b * qv[xy] + e * qv[yx];
                        }
                    }
                }
            }
        }
    }
}

impl<L: Lagrangian, N: Dim, S: Dim> DiscreteLagrangian for Galerkin<L, N, S> {
    type System = L;

    fn system(&self) -> &L {
        &self.lagrangian
    }

    #[inline(always)]
    fn dimension(&self) -> usize {
        self.n.get()
    }

    #[inline(always)]
    fn pieces(&self) -> usize {
        self.s.get()
    }

    fn abscissae(&self) -> &[f64] {
        &self.points
    }

    fn first(&mut self, leg: &Leg, out: &mut Slots) {
        self.prepare(leg.h);
        (out.value, out.d3) = (0.0, 0.0);
        out.d.fill(0.0);
        out.sum.fill(0.0);
        for i in 0..self.rule.nodes.len() {
            let (w, a) = (self.rule.weights[i], self.rule.nodes[i]);
            let t = self.path(leg, i);
            self.lagrangian.first(t, self.q.as_slice(), self.v.as_slice(), &mut self.jet);
            let l = self.jet.value();
            out.value += w * leg.h * l;
            // d/dh of h L(t0 + a h, q, u'/h): the velocity shrinks as the step grows.
            let power = crate::linalg::dot(self.v.as_slice(), self.jet.dv());
            out.d3 += w * (l + a * leg.h * self.jet.dt() - power);
            self.add_first(i, &mut out.d, 0..self.s.get() + 1);
            self.add_sum(i, leg.h, out);
        }
    }

    #[inline(always)]
    fn second(
        &mut self,
        leg: &Leg,
        d: &mut [f64],
        dd: &mut [f64],
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        self.prepare(leg.h);
        d.fill(0.0);
        dd.fill(0.0);
        for i in 0..self.rule.nodes.len() {
            let t = self.path(leg, i);
            self.lagrangian.second(t, self.q.as_slice(), self.v.as_slice(), &mut self.jet);
            self.add_first(i, d, rows.clone());
            self.add_second(i, dd, rows.clone(), columns.clone());
        }
    }

    #[inline(always)]
    fn gradient(&mut self, leg: &Leg, d: &mut [f64], sum: &mut [f64]) {
        self.prepare(leg.h);
        d.fill(0.0);
        sum.fill(0.0);
        for i in 0..self.rule.nodes.len() {
            let t = self.path(leg, i);
            self.lagrangian.gradient(t, self.q.as_slice(), self.v.as_slice(), &mut self.jet);
            self.add_exact(i, leg.h, d, sum);
        }
    }
}
