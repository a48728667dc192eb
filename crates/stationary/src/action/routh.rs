//! Discrete Routh reduction [SUR04 2]: cyclic coordinates leave the discrete action, their momenta stay.
//!
//! A discrete Lagrangian of a system that does not depend on the coordinates `c` depends on them through their increments
//! `w_j` alone, and makes their discrete momentum constant: `D L_d/D w_s = mu`. The discrete Routhian
//!
//! `R_d(x0, x1) = ext [L_full(x0, ..., x1; w) - mu.w_s]`
//!
//! over interior points and all increments `w` is a discrete Lagrangian of the others, with the same steps.

use super::{DiscreteLagrangian, Leg, QuadraturePoint, Slots};
use crate::linalg::{self, Lu, NewtonProgress, max_abs, small_parts_settled};
use crate::model::{Lagrangian, Reduction, Routhian};
use std::ops::Range;

/// The discrete Routhian of a discrete Lagrangian.
#[derive(Debug, Clone)]
pub struct Routh<D, L> {
    ld: D,
    system: Routhian<L>,
    /// The leg of the full system over the one of the reduced.
    leg: Leg,
    slots: Slots,
    d: Vec<f64>,
    dd: Vec<f64>,
}

impl<D: DiscreteLagrangian, L: Lagrangian> Routh<D, L> {
    /// Reduces a discrete Lagrangian of the system that `lagrangian` gives.
    pub fn new(ld: D, lagrangian: L, reduction: Reduction) -> Self {
        let (n, s) = (ld.dimension(), ld.pieces());
        let width = (s + 1) * n;
        Routh {
            system: Routhian::new(lagrangian, reduction),
            leg: Leg::new(n, s),
            slots: Slots::new(n, s),
            d: vec![0.0; width],
            dd: vec![0.0; width * width],
            ld,
        }
    }

    /// The increments of the cyclic coordinates over a step: what the reduction leaves out, to be put together again. Not
    /// numbers where the equations have no solution near the velocity of the Routhian.
    pub fn phases(&mut self, leg: &Leg) -> Vec<f64> {
        self.lift(leg);
        let last = self.leg.increment(self.ld.pieces());
        self.system.reduction().cyclic().iter().map(|&i| last[i]).collect()
    }

    /// Finds the full leg. It depends on the reduced one alone, not on what was asked before.
    fn lift(&mut self, leg: &Leg) {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let reduction = self.system.reduction();
        let k = reduction.kept().len();
        (self.leg.t, self.leg.h) = (leg.t, leg.h);
        reduction.embed(&leg.q, &mut self.leg.q);
        for j in 0..s {
            reduction.embed(&leg.u[j * k..(j + 1) * k], &mut self.leg.u[j * n..(j + 1) * n]);
        }
        self.guess(leg);
        let leave = self.leaving();
        let m = leave.len();
        let mut lu = Lu::new(m);
        let mut step = vec![0.0; m];
        let mut progress = NewtonProgress::new(4.0 * f64::EPSILON).forecast_below(0.0).stalls_from(2, 1.0);
        while progress.begin() {
            self.full_second();
            let width = (s + 1) * n;
            for (a, &i) in leave.iter().enumerate() {
                step[a] = self.d[i];
                for (b, &j) in leave.iter().enumerate() {
                    lu.matrix()[a * m + b] = self.dd[i * width + j];
                }
            }
            let momenta = self.system.reduction().momenta();
            step[m - momenta.len()..].iter_mut().zip(momenta).for_each(|(r, mu)| *r -= mu);
            if !lu.factor() {
                break;
            }
            lu.solve(&mut step);
            let mut scale = 0.0f64;
            for (&i, ds) in leave.iter().zip(&step) {
                self.leg.u[i - n] -= ds;
                scale = scale.max(self.leg.u[i - n].abs());
            }
            let size = max_abs(&step);
            let increments: Vec<f64> = leave.iter().map(|&i| self.leg.u[i - n]).collect();
            let small_parts = || {
                let cyclic = self.system.reduction().cyclic().len();
                small_parts_settled(&step, &increments, cyclic, scale)
            };
            if progress.judge(size, scale, small_parts, || size <= 1e-12 * scale).ends() {
                return;
            }
        }
        leave.iter().for_each(|&i| self.leg.u[i - n] = f64::NAN);
    }

    /// A first guess: the velocity of the Routhian half way, for the whole step.
    fn guess(&mut self, leg: &Leg) {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let last = leg.increment(s);
        let half: Vec<f64> = leg.q.iter().zip(last).map(|(q, u)| q + 0.5 * u).collect();
        let mean: Vec<f64> = last.iter().map(|u| u / leg.h).collect();
        let (_, v) = self.system.lift(leg.t + 0.5 * leg.h, &half, &mean);
        for j in 1..=s {
            let time = self.ld.abscissae()[j] * leg.h;
            for &i in self.system.reduction().cyclic() {
                self.leg.u[(j - 1) * n + i] = time * v[i];
            }
        }
    }

    /// Where the increments of the cyclic coordinates stand among those of all points, the last point's last.
    fn leaving(&self) -> Vec<usize> {
        self.numbers(1..self.ld.pieces() + 1, self.system.reduction().cyclic())
    }

    fn numbers(&self, points: Range<usize>, of: &[usize]) -> Vec<usize> {
        let n = self.ld.dimension();
        points.flat_map(|j| of.iter().map(move |i| j * n + i)).collect()
    }

    /// All second derivatives of the full discrete Lagrangian at the full leg.
    fn full_second(&mut self) {
        let points = self.ld.pieces() + 1;
        self.ld.second(&self.leg, &mut self.d, &mut self.dd, 0..points, 0..points);
    }
}

impl<D: DiscreteLagrangian, L: Lagrangian> DiscreteLagrangian for Routh<D, L> {
    type System = Routhian<L>;

    fn system(&self) -> &Routhian<L> {
        &self.system
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

    /// The derivatives are those of the full discrete Lagrangian, since that in the increments that left vanishes.
    fn first(&mut self, leg: &Leg, out: &mut Slots) {
        self.lift(leg);
        self.ld.first(&self.leg, &mut self.slots);
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let reduction = self.system.reduction();
        let last = self.leg.increment(s);
        let turned: f64 =
            reduction.cyclic().iter().zip(reduction.momenta()).map(|(&i, mu)| mu * last[i]).sum();
        (out.value, out.d3, out.dt) = (self.slots.value - turned, self.slots.d3, self.slots.dt);
        let k = reduction.kept().len();
        for (a, &i) in reduction.kept().iter().enumerate() {
            out.sum[a] = self.slots.sum[i];
            for j in 0..=s {
                out.d[j * k + a] = self.slots.d[j * n + i];
            }
        }
    }

    fn second(
        &mut self,
        leg: &Leg,
        d: &mut [f64],
        dd: &mut [f64],
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        self.lift(leg);
        self.full_second();
        let kept = self.system.reduction().kept();
        let (rows, columns) = (self.numbers(rows, kept), self.numbers(columns, kept));
        d.iter_mut().zip(&rows).for_each(|(d, &i)| *d = self.d[i]);
        let width = self.d.len();
        linalg::schur(&self.dd, width, [&rows, &columns], &self.leaving(), dd);
    }
}
