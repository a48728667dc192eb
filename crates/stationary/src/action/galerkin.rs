//! Galerkin discrete Lagrangians [VTI04 (20)-(23)]: the path is a polynomial, the action a quadrature.
//!
//! `L_full = h sum_i w_i L(t0 + a_i h, q0 + sum_j phi_j(a_i) u_j, (1/h) sum_j phi_j'(a_i) u_j)`
//!
//! with `u_j = Q_j - q0` (the shape functions add to one, so `q0` drops out of the velocity). The
//! midpoint and trapezoidal rules are the linear case with other quadratures; Gauss and Lobatto
//! give the collocation methods of those names. The coefficients are data, the code is one.

use super::quadrature::{self, Quadrature};
use super::{DiscreteLagrangian, Leg, Slots};
use crate::model::{Jet, Lagrangian};
use std::ops::Range;

/// A polynomial path of any degree under any quadrature.
#[derive(Debug, Clone)]
pub struct Galerkin<L> {
    lagrangian: L,
    rule: Quadrature,
    /// Abscissae of the points `0..=s`.
    points: Vec<f64>,
    /// `phi_j(a_i)` and `phi_j'(a_i)`, `j = 0..=s`, row `i`.
    shape: Vec<f64>,
    slope: Vec<f64>,
    jet: Jet,
    q: Vec<f64>,
    v: Vec<f64>,
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
            lagrangian,
            rule,
            points,
            shape,
            slope,
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

    /// Position and velocity of the path at quadrature node `i`; returns the time there.
    #[inline(always)]
    fn path(&mut self, leg: &Leg, i: usize) -> f64 {
        let n = self.q.len();
        let s = self.points.len() - 1;
        let row = i * (s + 1);
        self.q.copy_from_slice(&leg.q);
        self.v.fill(0.0);
        for j in 1..=s {
            let (phi, dphi) = (self.shape[row + j], self.slope[row + j] / leg.h);
            let u = &leg.u[(j - 1) * n..j * n];
            for a in 0..n {
                self.q[a] += phi * u[a];
                self.v[a] += dphi * u[a];
            }
        }
        leg.t + self.rule.nodes[i] * leg.h
    }

    /// Adds node `i` of the quadrature to `D_j` and their sum, from the jet.
    #[inline(always)]
    fn add_first(&self, i: usize, h: f64, out: &mut Slots) {
        let n = self.q.len();
        let s = self.points.len() - 1;
        let w = self.rule.weights[i];
        let (lq, lv) = (self.jet.dq(), self.jet.dv());
        for j in 0..=s {
            let a = w * h * self.shape[i * (s + 1) + j];
            let b = w * self.slope[i * (s + 1) + j];
            let d = &mut out.d[j * n..(j + 1) * n];
            for k in 0..n {
                d[k] += a * lq[k] + b * lv[k];
            }
        }
        for k in 0..n {
            out.sum[k] += w * h * lq[k];
        }
    }
}

impl<L: Lagrangian> DiscreteLagrangian for Galerkin<L> {
    type System = L;

    fn system(&self) -> &L {
        &self.lagrangian
    }

    #[inline]
    fn pieces(&self) -> usize {
        self.points.len() - 1
    }

    fn abscissae(&self) -> &[f64] {
        &self.points
    }

    #[inline]
    fn first(&mut self, leg: &Leg, out: &mut Slots) {
        (out.value, out.d3) = (0.0, 0.0);
        out.d.fill(0.0);
        out.sum.fill(0.0);
        for i in 0..self.rule.nodes.len() {
            let (w, a) = (self.rule.weights[i], self.rule.nodes[i]);
            let t = self.path(leg, i);
            self.lagrangian.first(t, &self.q, &self.v, &mut self.jet);
            let l = self.jet.value();
            out.value += w * leg.h * l;
            // d/dh of h L(t0 + a h, q, u'/h): the velocity shrinks as the step grows.
            out.d3 += w * (l + a * leg.h * self.jet.dt() - crate::linalg::dot(&self.v, self.jet.dv()));
            self.add_first(i, leg.h, out);
        }
    }

    #[inline]
    fn second(&mut self, leg: &Leg, out: &mut Slots, rows: Range<usize>, columns: Range<usize>) {
        let n = self.q.len();
        let s = self.pieces();
        let width = columns.len() * n;
        out.d.fill(0.0);
        out.sum.fill(0.0);
        out.dd[..rows.len() * n * width].fill(0.0);
        for i in 0..self.rule.nodes.len() {
            let t = self.path(leg, i);
            self.lagrangian.second(t, &self.q, &self.v, &mut self.jet);
            self.add_first(i, leg.h, out);
            let (h, w) = (leg.h, self.rule.weights[i]);
            let (qq, qv, vv) = (self.jet.dqq(), self.jet.dqv(), self.jet.dvv());
            let (shape, slope) = (&self.shape[i * (s + 1)..], &self.slope[i * (s + 1)..]);
            for (r, j) in rows.clone().enumerate() {
                for (c, k) in columns.clone().enumerate() {
                    let (a, b) = (w * h * shape[j] * shape[k], w * shape[j] * slope[k]);
                    let (e, f) = (w * slope[j] * shape[k], w * slope[j] * slope[k] / h);
                    for x in 0..n {
                        let target = &mut out.dd[(r * n + x) * width + c * n..][..n];
                        for y in 0..n {
                            let (xy, yx) = (x * n + y, y * n + x);
                            target[y] += a * qq[xy] + b * qv[xy] + e * qv[yx] + f * vv[xy];
                        }
                    }
                }
            }
        }
    }

    #[inline]
    fn impulse(&mut self, leg: &Leg, out: &mut Slots) {
        out.sum.fill(0.0);
        for i in 0..self.rule.nodes.len() {
            let t = self.path(leg, i);
            self.lagrangian.gradient_q(t, &self.q, &self.v, &mut self.jet);
            let (w, lq) = (self.rule.weights[i] * leg.h, self.jet.dq());
            for k in 0..out.sum.len() {
                out.sum[k] += w * lq[k];
            }
        }
    }
}
