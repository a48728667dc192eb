//! Newton's method for one equilibrium: tangent predictor, line search, and a verdict on the stability of what was found.
//!
//! ```text
//! r(x) = dV/dx - F = 0 on the free components,   K d = r,   x <- x - s d
//! ```
//!
//! The line search asks that the residual in the direction `d` falls, `|d.r(x - s d)| <= 0.8 |d.r(x)|`. The factors of the tangent where the
//! iteration ends are the first of the next load step, and tell whether the equilibrium is stable: Cholesky's exist only there.

use super::Target;
use super::error::StaticsCause;
use crate::integrate::sparse::{Anchor, Factors, Matrix, Pattern};
use crate::interrupt;
use crate::linalg::{dot, max_abs};
use crate::model::{HistoryEnergy, Past, Structure};

/// The part of the residual along the direction that a step may leave.
const SLACK: f64 = 0.8;
/// Trials of a line search.
const TRIALS: usize = 10;
/// Multiples of the rounding of positions that a residual may be.
const ROUNDING: f64 = 32.0 * f64::EPSILON;
/// A direction of prescribed motions is differentiated over this part of the body.
const DIFFERENCE: f64 = 1e-7;
/// Iterations with the symmetric part of an unsymmetric tangent, before its LU factors are worth their cost.
const SYMMETRIC: usize = 5;
/// Iterations after which the residual must have fallen below that of the first.
const PATIENCE: usize = 8;

/// Finds configurations of equilibrium.
pub(super) struct Solver {
    matrix: Matrix,
    factors: Factors,
    /// Places among the free components of those without stiffness.
    inert: Vec<u32>,
    anchor: Anchor,
    /// Whether the factors at hand are of the tangent at the present configuration.
    pub is_current: bool,
    tolerance: f64,
    limit: usize,
    /// Iterations so far, those of load steps that failed among them.
    pub iterations: u64,
}

/// An equilibrium.
pub(super) struct Found {
    pub x: Vec<f64>,
    /// The residual: zero but for the tolerance on free components, the reactions on prescribed ones.
    pub gradient: Vec<f64>,
    pub energy: HistoryEnergy,
    /// Largest residual over the forces, or that of rounding.
    pub residual: f64,
}

/// A trial configuration.
struct Trial {
    x: Vec<f64>,
    gradient: Vec<f64>,
    energy: HistoryEnergy,
}

impl Solver {
    pub fn new(structure: &impl Structure, tolerance: f64, limit: usize) -> Self {
        let pattern = Pattern::new(structure, 1);
        let inert = (0..).zip(&pattern.free).filter(|(_, i)| structure.is_inert(**i as usize));
        let inert = inert.map(|(g, _)| g).collect();
        // Of `A^-1 M + h^2 K` only the stiffness.
        let matrix = Matrix::new(pattern, &[0.0], 1.0);
        Solver {
            matrix,
            factors: Factors::default(),
            inert,
            anchor: Anchor::default(),
            is_current: false,
            tolerance,
            limit,
            iterations: 0,
        }
    }

    /// Number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.matrix.pattern.len() - self.inert.len()
    }

    /// The equilibrium near `x`, where an equilibrium was before. Supports are where the target has them.
    pub fn solve<S: Structure>(
        &mut self,
        structure: &S,
        target: &Target<'_>,
        x: &[f64],
    ) -> Result<Found, StaticsCause> {
        let mut loads = vec![0.0; x.len()];
        let mut trial = self.predict(structure, target, x)?;
        let first = self.residual(&trial, 1.0)[0];
        for iteration in 1..=self.limit {
            if interrupt::requested() {
                return Err(StaticsCause::Interrupted);
            }
            structure.loads(target.t, &trial.x, &mut loads)?;
            let forces = self.forces(&trial, &loads, target);
            let [largest, relative] = self.residual(&trial, forces);
            if relative <= self.tolerance {
                self.polish(structure, target, &mut trial);
                let [_, relative] = self.residual(&trial, forces);
                return self.finish(structure, target, trial, relative);
            }
            if iteration > PATIENCE && !(largest <= first) {
                return Err(StaticsCause::Newton { iterations: iteration, residual: relative });
            }
            self.iterations += 1;
            self.factor(structure, (target, target.t), &trial.x, iteration)?;
            trial = self.step(structure, target, trial, largest / forces)?;
        }
        structure.loads(target.t, &trial.x, &mut loads)?;
        let forces = self.forces(&trial, &loads, target);
        let [_, residual] = self.residual(&trial, forces);
        Err(StaticsCause::Newton { iterations: self.limit, residual })
    }

    /// What the residual is compared with: the largest of the nodal loads, reactions and forces still to be released.
    fn forces(&self, trial: &Trial, loads: &[f64], target: &Target<'_>) -> f64 {
        let free = &self.matrix.pattern.free;
        let mut reactions = trial.gradient.clone();
        free.iter().for_each(|i| reactions[*i as usize] = 0.0);
        let released = target.unbalanced.map_or(0.0, |(g, _)| max_abs(g));
        max_abs(loads).max(max_abs(&reactions)).max(released).max(f64::MIN_POSITIVE)
    }

    /// The largest residual of a free component, absolute and over the forces; the second is zero where it is rounding.
    fn residual(&self, trial: &Trial, forces: f64) -> [f64; 2] {
        let size = max_abs(&trial.x).max(f64::MIN_POSITIVE);
        let (mut largest, mut rounding) = (0.0, 0.0);
        for (g, i) in self.matrix.pattern.free.iter().enumerate() {
            let r = trial.gradient[*i as usize].abs();
            // Not `max`, which would drop NaN.
            if !(r <= largest) {
                largest = r;
            }
            let relative = r / (self.matrix.row_sums[g] * size);
            if r > 0.0 && !(relative <= rounding) {
                rounding = relative;
            }
        }
        [largest, if rounding <= ROUNDING { 0.0 } else { largest / forces }]
    }

    /// Energy and gradient in a configuration.
    fn evaluate<S: Structure>(
        &self,
        structure: &S,
        target: &Target<'_>,
        x: Vec<f64>,
    ) -> Result<Trial, StaticsCause> {
        let mut gradient = vec![0.0; x.len()];
        let energy = if target.history.is_empty() {
            HistoryEnergy::elastic(structure.gradient(target.t, &x, &mut gradient)?)
        } else {
            let past = Past { history: target.history, dt: target.dt };
            structure.update(target.t, &x, past, &mut gradient, None)?
        };
        if let Some((out_of_balance, part)) = target.unbalanced {
            for i in &self.matrix.pattern.free {
                gradient[*i as usize] -= part * out_of_balance[*i as usize];
            }
        }
        if !max_abs(&gradient).is_finite() {
            return Err(StaticsCause::NotFinite);
        }
        Ok(Trial { x, gradient, energy })
    }

    /// The first trial: a linear step from the last equilibrium with its tangent, prescribed motions included.
    fn predict<S: Structure>(
        &mut self,
        structure: &S,
        target: &Target<'_>,
        x: &[f64],
    ) -> Result<Trial, StaticsCause> {
        if !self.is_current {
            self.factor(structure, (target, target.before), x, 1)?;
        }
        self.is_current = false;
        let before = self.evaluate(structure, target, x.to_vec())?;
        let mut placed = x.to_vec();
        structure.impose(target.t, &mut placed, &mut vec![0.0; x.len()]);
        let moved: Vec<f64> = placed.iter().zip(x).map(|(a, b)| a - b).collect();
        let farthest = max_abs(&moved);
        let mut right = before.gradient.clone();
        if farthest > 0.0 {
            let part = (DIFFERENCE * max_abs(x).max(farthest) / farthest).min(1.0);
            let near = x.iter().zip(&moved).map(|(x, d)| x + part * d).collect();
            let near = self.evaluate(structure, target, near)?;
            for (r, (a, b)) in right.iter_mut().zip(near.gradient.iter().zip(&before.gradient)) {
                *r += (a - b) / part;
            }
        }
        let delta = self.direction(&right);
        let mut part = 1.0;
        loop {
            let x = self.moved(&placed, &delta, part);
            match self.evaluate(structure, target, x) {
                Ok(trial) => return Ok(trial),
                // A shorter predictor helps where loads grow, not where supports tear the elements next to them.
                Err(_) if part > 0.2 && farthest == 0.0 => part *= 0.5,
                Err(cause) => return Err(cause),
            }
        }
    }

    /// The free components of `K^-1 r`.
    fn direction(&mut self, gradient: &[f64]) -> Vec<f64> {
        let mut delta: Vec<f64> = self.matrix.pattern.free.iter().map(|i| gradient[*i as usize]).collect();
        self.factors.solve(&mut delta);
        delta
    }

    fn moved(&self, x: &[f64], delta: &[f64], part: f64) -> Vec<f64> {
        let mut x = x.to_vec();
        for (i, d) in self.matrix.pattern.free.iter().zip(delta) {
            x[*i as usize] -= part * d;
        }
        x
    }

    /// A step along Newton's direction, as long as the line search finds it good.
    fn step<S: Structure>(
        &mut self,
        structure: &S,
        target: &Target<'_>,
        from: Trial,
        relative: f64,
    ) -> Result<Trial, StaticsCause> {
        let delta = self.direction(&from.gradient);
        let along = |trial: &Trial| {
            let free = self.matrix.pattern.free.iter().map(|i| trial.gradient[*i as usize]);
            dot(&free.collect::<Vec<f64>>(), &delta)
        };
        let slope = along(&from);
        let mut part = 1.0;
        let mut best: Option<(f64, Trial)> = None;
        let mut failed = StaticsCause::NotFinite;
        for _ in 0..TRIALS {
            let trial = match self.evaluate(structure, target, self.moved(&from.x, &delta, part)) {
                Ok(trial) => trial,
                Err(cause) => {
                    failed = cause;
                    part *= 0.5;
                    continue;
                }
            };
            let left = along(&trial);
            // Near the solution the product is rounding.
            if left.abs() <= SLACK * slope.abs() || relative <= self.tolerance.sqrt() {
                return Ok(trial);
            }
            let next = if left * slope < 0.0 { slope / (slope - left) } else { 0.5 };
            if best.as_ref().is_none_or(|(least, _)| left.abs() < *least) {
                best = Some((left.abs(), trial));
            }
            part *= next.clamp(0.1, 0.9);
        }
        best.map(|(_, trial)| trial).ok_or(failed)
    }

    /// A last correction with the factors at hand, if it makes the residual smaller.
    fn polish<S: Structure>(&mut self, structure: &S, target: &Target<'_>, trial: &mut Trial) {
        let delta = self.direction(&trial.gradient);
        let x = self.moved(&trial.x, &delta, 1.0);
        if let Ok(better) = self.evaluate(structure, target, x)
            && self.residual(&better, 1.0)[0] < self.residual(trial, 1.0)[0]
        {
            *trial = better;
        }
    }

    /// The equilibrium found, if it is stable.
    fn finish<S: Structure>(
        &mut self,
        structure: &S,
        target: &Target<'_>,
        trial: Trial,
        residual: f64,
    ) -> Result<Found, StaticsCause> {
        self.factor(structure, (target, target.t), &trial.x, 1)?;
        let Trial { x, gradient, energy } = trial;
        // With memory the tangent of the next step is another one.
        self.is_current = target.history.is_empty();
        Ok(Found { x, gradient, energy, residual })
    }

    /// Factors the tangent in a configuration; an error where it is not positive.
    fn factor<S: Structure>(
        &mut self,
        structure: &S,
        (target, t): (&Target<'_>, f64),
        x: &[f64],
        iteration: usize,
    ) -> Result<(), StaticsCause> {
        let anchor = &mut self.anchor;
        (anchor.times, anchor.ahead) = (vec![t], vec![target.dt]);
        anchor.x.clear();
        anchor.x.extend_from_slice(x);
        anchor.history.clear();
        anchor.history.extend_from_slice(target.history);
        self.matrix.fill(structure, &self.anchor)?;
        self.matrix.hold(&self.inert);
        if interrupt::requested() {
            return Err(StaticsCause::Interrupted);
        }
        let symmetric = self.matrix.symmetric_part();
        let Matrix { pattern, values, .. } = &self.matrix;
        let part = symmetric.as_ref().unwrap_or(values);
        let positive = self.factors.factor_positive(pattern, part).map_err(|_| StaticsCause::Memory)?;
        if symmetric.is_some() && (!positive || iteration > SYMMETRIC) {
            return self.factors.factor_any(pattern, values).map_err(|_| StaticsCause::NotPositive);
        }
        if positive { Ok(()) } else { Err(StaticsCause::NotPositive) }
    }
}
