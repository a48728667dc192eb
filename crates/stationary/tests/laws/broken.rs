//! Twins that are wrong on purpose, in the ways code goes wrong: a weight, a sign, a forgotten term.

use stationary::action::{DiscreteLagrangian, Galerkin, Leg, Length, QuadraturePoint, Slots};
use stationary::model::Lagrangian;
use std::ops::Range;

/// The trapezoidal rule with its weights slightly off: still variational, no longer second order.
pub fn wrong_weight<L: Lagrangian>(l: L) -> Galerkin<L> {
    Galerkin::trapezoidal(l, 0.45)
}

/// Any discrete Lagrangian whose impulse is off by one part in `10^6`: nearly right, not variational.
pub struct WrongImpulse<D>(pub D);

impl<D: DiscreteLagrangian> DiscreteLagrangian for WrongImpulse<D> {
    type System = D::System;
    fn system(&self) -> &D::System {
        self.0.system()
    }
    fn pieces(&self) -> usize {
        self.0.pieces()
    }
    fn abscissae(&self) -> &[f64] {
        self.0.abscissae()
    }
    fn samples(&self) -> Vec<QuadraturePoint> {
        self.0.samples()
    }
    fn first(&mut self, leg: &Leg, out: &mut Slots) {
        self.0.first(leg, out);
    }
    fn second(
        &mut self,
        leg: &Leg,
        d: &mut [f64],
        dd: &mut [f64],
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        self.0.second(leg, d, dd, rows.clone(), columns.clone());
        // The same error in the last row of the second derivatives.
        let s = self.0.pieces();
        let width = columns.len() * leg.q.len();
        if rows.end == s + 1 {
            let last = (rows.len() - 1) * leg.q.len() * width;
            for x in &mut dd[last..last + leg.q.len() * width] {
                *x *= 1.0 + 1e-6;
            }
        }
    }
    fn gradient(&mut self, leg: &Leg, d: &mut [f64], sum: &mut [f64]) {
        self.0.gradient(leg, d, sum);
        let n = leg.q.len();
        for i in 0..n {
            sum[i] += 1e-6 * d[(self.0.pieces() - 1) * n + i];
        }
    }
    fn second_in_length(
        &mut self,
        leg: &Leg,
        block: [Range<usize>; 2],
        d: &mut [f64],
        dd: &mut [f64],
        mixed: &mut [f64],
    ) -> Option<Length> {
        let (n, end) = (leg.q.len(), self.0.pieces() + 1);
        let [rows, columns] = block.clone();
        let length = self.0.second_in_length(leg, block, d, dd, mixed);
        if rows.end == end {
            let last = (rows.len() - 1) * n * columns.len() * n;
            // Were the matrix wrong but symmetric, it would be that of another action, and every form kept.
            dd[last..].iter_mut().for_each(|x| *x *= 1.0 + 1e-6);
        }
        length
    }
}
