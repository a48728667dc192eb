//! Newton's method for the increments of a step and its length.

use super::{EnergySteps, ROUNDING, SEARCH};
use crate::action::{DiscreteLagrangian, Length};
use crate::error::Cause;
use crate::integrate::discrete_euler_lagrange::polish;
use crate::linalg::{self, NewtonProgress, ROUNDING_OF_POSITIONS, max_abs, small_parts_settled};

/// The matrices and vectors of Newton's method for `m` increments and the length.
#[derive(Debug, Clone, Default)]
pub(super) struct NewtonWork {
    pub matrix: Vec<f64>,
    pub block: Vec<f64>,
    pub delta: Vec<f64>,
    pub mixed: Vec<f64>,
    pivot: Vec<usize>,
    spare: Vec<f64>,
}

impl NewtonWork {
    pub fn new(n: usize, s: usize) -> Self {
        let m = n * s;
        NewtonWork {
            matrix: vec![0.0; (m + 1) * (m + 1)],
            block: vec![0.0; m * m],
            delta: vec![0.0; m + 1],
            mixed: vec![0.0; m + n],
            pivot: vec![0; m + 1],
            spare: vec![0.0; 2 * m],
        }
    }
}

/// [`NewtonWork`], borrowed, for one solution.
struct Room<'a> {
    matrix: &'a mut [f64],
    block: &'a mut [f64],
    delta: &'a mut [f64],
    mixed: &'a mut [f64],
    pivot: &'a mut [usize],
    spare: &'a mut [f64],
}

/// Up to this many increments that is on the stack.
const SMALL: usize = 4;
/// The largest change of the length in one iteration.
const CHANGE: f64 = 0.4;

impl<D: DiscreteLagrangian> EnergySteps<D> {
    /// Newton's method for the increments `leg.u`, and with `FREE` for the length `leg.h`, from what is in them.
    #[inline(always)]
    pub(super) fn solve<const FREE: bool>(&mut self, limit: usize) -> Result<Length, Cause> {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let m = n * s;
        if m <= SMALL {
            let (mut matrix, mut block) = ([0.0; (SMALL + 1) * (SMALL + 1)], [0.0; SMALL * SMALL]);
            let (mut delta, mut mixed, mut spare) = ([0.0; SMALL + 1], [0.0; 2 * SMALL], [0.0; 2 * SMALL]);
            return self.newton::<FREE>(
                limit,
                Room {
                    matrix: &mut matrix[..(m + 1) * (m + 1)],
                    block: &mut block[..m * m],
                    delta: &mut delta[..m + 1],
                    mixed: &mut mixed[..m + n],
                    pivot: &mut [0; SMALL + 1][..m + 1],
                    spare: &mut spare[..m + n],
                },
            );
        }
        let mut work = std::mem::take(&mut self.work);
        let NewtonWork { matrix, block, delta, mixed, pivot, spare } = &mut work;
        let result = self.newton::<FREE>(limit, Room { matrix, block, delta, mixed, pivot, spare });
        self.work = work;
        result
    }

    #[inline(always)]
    fn newton<const FREE: bool>(&mut self, limit: usize, room: Room<'_>) -> Result<Length, Cause> {
        let m = self.ld.dimension() * self.ld.pieces();
        let size = m + usize::from(FREE);
        let Room { matrix, block, delta, mixed, pivot, spare } = room;
        // Lengths are ill-conditioned: only fast convergence foretells its end.
        let fast = if FREE { 0.03 } else { 0.1 };
        let mut progress = NewtonProgress::new(self.tolerance).limit(limit).forecast_below(fast);
        while progress.begin() {
            let iterations = progress.iterations();
            let length = self.equations::<FREE>((matrix, block), delta, mixed);
            let balance = length.d3 + self.target;
            if FREE && self.is_indifferent(&length, mixed) {
                return Err(self.failure(length, iterations));
            }
            if !linalg::factor(matrix, pivot, size) {
                return Err(self.failure(length, iterations));
            }
            linalg::solve(matrix, pivot, delta, size);
            let change = if FREE { delta[m] / self.leg.h } else { 0.0 };
            // Far steps are cut: lengths must stay positive, and near.
            let part = if change.abs() > CHANGE { CHANGE / change.abs() } else { 1.0 };
            let u = &mut self.leg.u[..m];
            for i in 0..m {
                u[i] -= part * delta[i];
            }
            if FREE {
                self.leg.h -= part * delta[m];
            }
            let (moved, scale) = (max_abs(&delta[..m]), max_abs(u));
            if !(moved.is_finite() && change.is_finite()) {
                return Err(self.failure(length, iterations));
            }
            self.iterations += 1;
            // Of increments that have become zero the correction is infinitely many times their size.
            let relative = if moved <= change.abs() * scale { change.abs() } else { moved / scale };
            let relative = relative.min(f64::MAX);
            let n = self.ld.dimension();
            let small_parts = || small_parts_settled(&delta[..m], &self.leg.u[..m], n, scale);
            let at_rounding = || {
                moved <= ROUNDING_OF_POSITIONS * max_abs(&self.q)
                    && (!FREE || balance.abs() <= ROUNDING * length.size)
            };
            if progress.judge(relative, 1.0, small_parts, at_rounding).ends() {
                // With the length found, only the points are corrected: their own equations are well-conditioned.
                let factors = if FREE { &mut *block } else { &mut *matrix };
                if FREE && !linalg::factor(factors, pivot, m) {
                    return Err(self.failure(length, iterations));
                }
                let work = [delta, spare];
                let solve = |delta: &mut [f64]| linalg::solve(factors, pivot, delta, m);
                polish(&mut self.ld, &mut self.leg, &self.p, solve, work, &mut self.impulse);
                return Ok(length);
            }
        }
        let length = self.equations::<FREE>((matrix, block), delta, mixed);
        Err(self.failure(length, limit))
    }

    /// Whether a step of any other length would have the same energy but for rounding, as at rest: then there is no length to be found,
    /// and what the matrix says of it is noise.
    #[inline(always)]
    fn is_indifferent(&self, length: &Length, mixed: &[f64]) -> bool {
        let (n, m) = (self.ld.dimension(), self.ld.dimension() * self.ld.pieces());
        let (u, mixed) = (&self.leg.u[..m], &mixed[n..n + m]);
        let mut change = (length.d33 * self.leg.h).abs();
        for r in 0..m {
            change += (mixed[r] * u[r]).abs();
        }
        change <= ROUNDING * length.size
    }

    /// Residuals into `delta` and their derivatives into `matrix`.
    #[inline(always)]
    pub(super) fn equations<const FREE: bool>(
        &mut self,
        (matrix, block): (&mut [f64], &mut [f64]),
        delta: &mut [f64],
        mixed: &mut [f64],
    ) -> Length {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let m = n * s;
        let target = if FREE { &mut *block } else { &mut matrix[..m * m] };
        let length = self.ld.second_in_length(&self.leg, [0..s, 1..s + 1], &mut delta[..m], target, mixed);
        let length = length.unwrap_or(Length { d3: f64::NAN, d33: f64::NAN, size: f64::NAN });
        for i in 0..n {
            delta[i] += self.p[i];
        }
        if FREE {
            let width = m + 1;
            for r in 0..m {
                for c in 0..m {
                    matrix[r * width + c] = block[r * m + c];
                }
                matrix[r * width + m] = mixed[r];
                matrix[m * width + r] = mixed[n + r];
            }
            matrix[m * width + m] = length.d33;
            delta[m] = length.d3 + self.target;
        }
        length
    }

    /// Says how Newton's method failed.
    #[cold]
    fn failure(&mut self, length: Length, iterations: usize) -> Cause {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let (mut d, mut sum) = (vec![0.0; n * s], vec![0.0; n]);
        self.ld.gradient(&self.leg, &mut d, &mut sum);
        let end = &d[(s - 1) * n..];
        let rest: Vec<f64> =
            (0..n).map(|i| self.p[i] + sum[i] - (0..s).map(|j| d[j * n + i]).sum::<f64>()).collect();
        let residual = max_abs(&rest) / (max_abs(&self.p) + max_abs(end)).max(f64::MIN_POSITIVE);
        if !(residual.is_finite() && length.d3.is_finite()) {
            Cause::NotFinite { what: "the action near the step".into() }
        } else if iterations < SEARCH {
            Cause::Singular
        } else {
            Cause::Newton { iterations, residual }
        }
    }
}
