//! Where no length keeps the energy: the bounded minimisation of [SEM99 5].

use super::EnergySteps;
use super::newton::NewtonWork;
use crate::action::DiscreteLagrangian;
use crate::error::Cause;
use crate::linalg::{Lu, dot, max_abs};

/// Iterations of the minimisation.
const LIMIT: usize = 200;
/// Corrections below this part of the unknowns end it.
const ENOUGH: f64 = 1e-12;

impl<D: DiscreteLagrangian> EnergySteps<D> {
    /// Minimises `f^2 + |g|^2`, the squared residuals of the equations of energy and momentum, over the increments and
    /// the length between its bounds [SEM99 (5.8)], from what is in `leg`, and sets the impulse so that the new momentum
    /// is `D2 L_d`. Damped Gauss-Newton steps that each lower the sum (Levenberg, Marquardt); a length at its bound that
    /// would leave it stays there.
    #[cold]
    pub(super) fn minimise(&mut self) -> Result<(), Cause> {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let size = n * s + 1;
        let bounds = [self.choice.smallest * self.first, self.choice.largest * self.first];
        let mut work = NewtonWork::new(n, s);
        let mut lu = Lu::new(size);
        let mut damping = 1e-6;
        let mut least = self.residual(&mut work);
        for _ in 0..LIMIT {
            let (residual, jacobian) = (work.delta.clone(), work.matrix.clone());
            let column = |c: usize| (0..size).map(|r| jacobian[r * size + c]).collect::<Vec<f64>>();
            let columns: Vec<Vec<f64>> = (0..size).map(column).collect();
            let mut step: Vec<f64> = columns.iter().map(|c| dot(c, &residual)).collect();
            let held = self.leg.h <= bounds[0] && step[size - 1] > 0.0
                || self.leg.h >= bounds[1] && step[size - 1] < 0.0;
            for r in 0..size {
                for c in 0..size {
                    let product = dot(&columns[r], &columns[c]);
                    let last = held && (r == size - 1 || c == size - 1);
                    lu.matrix()[r * size + c] = match (r == c, last) {
                        (true, true) => 1.0,
                        (false, true) => 0.0,
                        (true, false) => product * (1.0 + damping) + f64::MIN_POSITIVE,
                        (false, false) => product,
                    };
                }
            }
            if held {
                step[size - 1] = 0.0;
            }
            if !lu.factor() {
                damping = (damping * 10.0).max(1e-12);
                if damping > 1e12 {
                    break;
                }
                continue;
            }
            lu.solve(&mut step);
            let old = (self.leg.u.clone(), self.leg.h);
            self.leg.u.iter_mut().zip(&step).for_each(|(u, d)| *u -= d);
            self.leg.h = (old.1 - step[size - 1]).clamp(bounds[0], bounds[1]);
            let sum = self.residual(&mut work);
            let moved = max_abs(&step[..size - 1]) / max_abs(&old.0).max(f64::MIN_POSITIVE);
            let small = moved < ENOUGH && (self.leg.h - old.1).abs() < ENOUGH * old.1;
            if sum < least {
                (least, damping) = (sum, damping * 0.1);
            } else {
                (self.leg.u, self.leg.h) = old;
                (work.delta, work.matrix) = (residual, jacobian);
                damping *= 10.0;
            }
            if small || damping > 1e12 {
                break;
            }
        }
        if !least.is_finite() {
            return Err(Cause::NotFinite { what: "the action near the step".into() });
        }
        let (mut d, mut sum) = (vec![0.0; n * s], vec![0.0; n]);
        self.ld.gradient(&self.leg, &mut d, &mut sum);
        for i in 0..n {
            self.impulse[i] = d[(s - 1) * n + i] - self.p[i];
        }
        Ok(())
    }

    /// Residuals and their derivatives into `work`; their squared sum.
    fn residual(&mut self, work: &mut NewtonWork) -> f64 {
        let NewtonWork { matrix, block, delta, mixed, .. } = work;
        self.equations::<true>((matrix, block), delta, mixed);
        self.iterations += 1;
        dot(delta, delta)
    }
}
