//! Discrete forces [VTI04 (26)-(28)]: the virtual work of `F(t, q, v)` over a step, by the quadrature of the discrete
//! Lagrangian.
//!
//! Where the action is `h sum_i w_i L(t_i, q_i, v_i)` with `q_i = sum_j shape_ij Q_j`, the work of the variations `dQ_j` is
//! `h sum_i w_i F(t_i, q_i, v_i) . dq_i`, so point `j` gets
//!
//! `F_j = h sum_i w_i shape_ij F(t_i, q_i, v_i)`.
//!
//! `F_d^- = F_0` and `F_d^+ = F_s`; interior points have their share. The forced equations (28) put `D_j + F_j` where `D_j`
//! was: `p0 = -D_0 - F_0`, `0 = D_j + F_j`, `p1 = D_s + F_s`. [`WithForce`] therefore is a discrete Lagrangian in all but
//! the symmetry of its second derivatives, and every integrator of discrete Lagrangians steps it. A force that is the
//! gradient of a potential gives the same steps as that potential inside `L`.

use super::{DiscreteLagrangian, Leg, QuadraturePoint, Slots};
use crate::linalg::dot;
use crate::model::{Force, ForceJet};
use std::ops::Range;

/// The impulses `F_j` that a step's points get from a force outside the action.
pub trait DiscreteForce: Send {
    /// Adds `F_j` of all points to `d` and their sum to `sum`.
    fn add_first(&mut self, leg: &Leg, d: &mut [f64], sum: &mut [f64]);

    /// Adds `F_j` of the points in `rows` to `d`, and their derivatives in the points `columns` to `dd`, laid out as in
    /// [`DiscreteLagrangian::second`].
    fn add_second(
        &mut self,
        leg: &Leg,
        d: &mut [f64],
        dd: &mut [f64],
        rows: Range<usize>,
        columns: Range<usize>,
    );

    /// Writes the force at one place.
    fn at(&mut self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]);

    /// Work over the step, `h sum_i w_i F_i . v_i`, in the shares `c_i` of its end and `1 - c_i` of its start.
    fn work_shares(&mut self, leg: &Leg) -> [f64; 2];
}

/// A force sampled where a discrete Lagrangian samples.
#[derive(Debug, Clone)]
pub struct SampledForce<F> {
    force: F,
    samples: Vec<QuadraturePoint>,
    jet: ForceJet,
    q: Vec<f64>,
    v: Vec<f64>,
    f: Vec<f64>,
}

impl<F: Force> SampledForce<F> {
    /// The force on `n` coordinates under the samples of a discrete Lagrangian.
    pub fn new(force: F, samples: Vec<QuadraturePoint>, n: usize) -> Self {
        let zeros = || vec![0.0; n];
        SampledForce { force, samples, jet: ForceJet::new(n), q: zeros(), v: zeros(), f: zeros() }
    }

    /// Takes `q` and `v` to a sample and returns the time there.
    fn place(&mut self, leg: &Leg, i: usize) -> f64 {
        let sample = &self.samples[i];
        self.q.copy_from_slice(&leg.q);
        self.v.fill(0.0);
        for (j, u) in leg.u.chunks(leg.q.len()).enumerate() {
            let (shape, slope) = (sample.shape[j + 1], sample.slope[j + 1] / leg.h);
            for k in 0..u.len() {
                self.q[k] += shape * u[k];
                self.v[k] += slope * u[k];
            }
        }
        leg.t + sample.abscissa * leg.h
    }
}

impl<F: Force> DiscreteForce for SampledForce<F> {
    fn add_first(&mut self, leg: &Leg, d: &mut [f64], sum: &mut [f64]) {
        let n = leg.q.len();
        for i in 0..self.samples.len() {
            let t = self.place(leg, i);
            self.force.value(t, &self.q, &self.v, &mut self.f);
            let QuadraturePoint { weight, shape, .. } = &self.samples[i];
            for k in 0..n {
                let impulse = weight * leg.h * self.f[k];
                sum[k] += impulse;
                for (j, phi) in shape.iter().enumerate() {
                    d[j * n + k] += phi * impulse;
                }
            }
        }
    }

    fn add_second(
        &mut self,
        leg: &Leg,
        d: &mut [f64],
        dd: &mut [f64],
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        let (n, width) = (leg.q.len(), columns.len() * leg.q.len());
        for i in 0..self.samples.len() {
            let t = self.place(leg, i);
            self.force.derivatives(t, &self.q, &self.v, &mut self.jet);
            let QuadraturePoint { weight, shape, slope, .. } = &self.samples[i];
            for (r, j) in rows.clone().enumerate() {
                let share = weight * leg.h * shape[j];
                for x in 0..n {
                    d[r * n + x] += share * self.jet.value()[x];
                }
                for (c, k) in columns.clone().enumerate() {
                    let (by_q, by_v) = (share * shape[k], share * slope[k] / leg.h);
                    for x in 0..n {
                        for y in 0..n {
                            dd[(r * n + x) * width + c * n + y] +=
                                by_q * self.jet.dq()[x * n + y] + by_v * self.jet.dv()[x * n + y];
                        }
                    }
                }
            }
        }
    }

    fn at(&mut self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]) {
        self.force.value(t, q, v, force);
    }

    fn work_shares(&mut self, leg: &Leg) -> [f64; 2] {
        let mut shares = [0.0; 2];
        for i in 0..self.samples.len() {
            let t = self.place(leg, i);
            self.force.value(t, &self.q, &self.v, &mut self.f);
            let QuadraturePoint { weight, abscissa, .. } = self.samples[i];
            let work = weight * leg.h * dot(&self.f, &self.v);
            shares[0] += abscissa * work;
            shares[1] += (1.0 - abscissa) * work;
        }
        shares
    }
}

/// A discrete Lagrangian and a discrete force besides: the discrete Lagrange-d'Alembert principle [VTI04 (27)].
#[derive(Debug, Clone)]
pub struct WithForce<D, F> {
    ld: D,
    force: F,
    spare: Vec<f64>,
}

impl<D: DiscreteLagrangian, F: Force> WithForce<D, SampledForce<F>> {
    /// Samples the force where the discrete Lagrangian samples.
    pub fn new(ld: D, force: F) -> Self {
        let (n, s) = (ld.dimension(), ld.pieces());
        let force = SampledForce::new(force, ld.samples(), n);
        WithForce { ld, force, spare: vec![0.0; (s + 1) * n] }
    }
}

impl<D: DiscreteLagrangian, F: DiscreteForce> DiscreteLagrangian for WithForce<D, F> {
    type System = D::System;

    fn system(&self) -> &D::System {
        self.ld.system()
    }
    fn pieces(&self) -> usize {
        self.ld.pieces()
    }
    fn abscissae(&self) -> &[f64] {
        self.ld.abscissae()
    }
    fn samples(&self) -> Vec<QuadraturePoint> {
        self.ld.samples()
    }

    /// Value and `D3` are those of the action: a force has neither.
    fn first(&mut self, leg: &Leg, out: &mut Slots) {
        self.ld.first(leg, out);
        self.force.add_first(leg, &mut out.d, &mut out.sum);
    }

    fn second(
        &mut self,
        leg: &Leg,
        d: &mut [f64],
        dd: &mut [f64],
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        self.ld.second(leg, d, dd, rows.clone(), columns.clone());
        self.force.add_second(leg, d, dd, rows, columns);
    }

    fn gradient(&mut self, leg: &Leg, d: &mut [f64], sum: &mut [f64]) {
        let n = leg.q.len();
        self.ld.gradient(leg, d, sum);
        self.spare.fill(0.0);
        self.force.add_first(leg, &mut self.spare, sum);
        d.iter_mut().zip(&self.spare[n..]).for_each(|(d, f)| *d += f);
    }

    fn end_position(&self) -> usize {
        self.ld.end_position()
    }
    fn enter(&mut self, t: f64, h: f64, outer: &[f64], q: &mut [f64]) {
        self.ld.enter(t, h, outer, q);
    }
    fn extra_impulse(&mut self, leg: &Leg, p: &mut [f64], tangent: Option<&mut [f64]>) -> bool {
        self.ld.extra_impulse(leg, p, tangent)
    }
    fn outer_force(&mut self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]) {
        self.force.at(t, q, v, force);
    }
    fn work_shares(&mut self, leg: &Leg) -> Option<[f64; 2]> {
        Some(self.force.work_shares(leg))
    }
}
