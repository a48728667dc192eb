//! Gauss collocation on phase space with a constant form.
//!
//! The action `sum_i h b_i [theta(Z_i).Z'_i - H(t_i, Z_i)]` over polynomials `z` of degree `s` is stationary where
//! `Omega Z'_i = H_z(t_i, Z_i)` at the Gauss nodes. One stage is the implicit midpoint rule. `Omega` is kept exactly,
//! and so is every invariant that is linear or quadratic in `z`: impulses, angular momenta.

use super::tableau::Tableau;
use super::{PhaseStart, failure};
use crate::action::quadrature::{gauss, lagrange};
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::integrate::{Integrator, View};
use crate::linalg::{
    Lu, NewtonProgress, ROUNDING_OF_POSITIONS, Verdict, add_compensated, dot, max_abs, small_parts_settled,
};
use crate::model::{PhaseJet, PhaseSpace, TwoForm};

/// Nodes beyond the stages with which the integral of the one-form along a step is taken.
const FINER: usize = 8;

/// Steps a system whose form is constant. Variational.
#[derive(Debug, Clone)]
pub struct PhaseGauss<P> {
    system: P,
    omega: Vec<f64>,
    table: Tableau,
    start: f64,
    h: f64,
    step: u64,
    z: Vec<f64>,
    /// What rounding cut from `z`.
    rest: Vec<f64>,
    /// Momenta as observers see them.
    p: Vec<f64>,
    before: Vec<f64>,
    /// Slopes of the last good step, and those being solved for.
    slopes: Vec<f64>,
    trial: Vec<f64>,
    points: Vec<f64>,
    residual: Vec<f64>,
    lu: Lu,
    jet: PhaseJet,
    iterations: u64,
    tolerance: f64,
}

impl<P: PhaseSpace> PhaseGauss<P> {
    /// Starts at a state.
    ///
    /// # Panics
    /// If the form is not constant.
    pub fn new(system: P, stages: usize, start: &PhaseStart) -> Result<Self, RunError> {
        let TwoForm::Constant(form) = system.form() else { panic!("the form of the system is constant") };
        let omega = form.omega().to_vec();
        let m = system.dimension();
        let mut jet = PhaseJet::new(m);
        let mut rate = vec![0.0; m];
        system.rate(start.t, &start.z, &mut jet, &mut rate);
        let mut p = vec![0.0; system.positions()];
        system.momentum(&start.z, &mut p);
        Ok(PhaseGauss {
            omega,
            table: Tableau::gauss(stages),
            start: start.t,
            h: start.h,
            step: 0,
            z: start.z.clone(),
            rest: vec![0.0; m],
            p,
            before: start.z.clone(),
            slopes: rate.repeat(stages),
            trial: vec![0.0; m * stages],
            points: vec![0.0; m * stages],
            residual: vec![0.0; m * stages],
            lu: Lu::new(m * stages),
            jet,
            iterations: 0,
            tolerance: 1e-15,
            system,
        })
    }

    /// `sum_i b_i H(t_i, Z_i)` of the last step.
    fn quadrature_of_energy(&mut self) -> Option<f64> {
        if self.step == 0 {
            return None;
        }
        let (m, t) = (self.z.len(), self.start + (self.step - 1) as f64 * self.h);
        let mut sum = 0.0;
        for i in 0..self.table.s {
            let z = &self.points[i * m..(i + 1) * m];
            self.system.first(t + self.table.c[i] * self.h, z, &mut self.jet);
            sum += self.table.b[i] * self.jet.value();
        }
        Some(sum)
    }

    /// Sets the size of the last Newton correction, relative to the slopes, below which a step is solved.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    fn time(&self) -> f64 {
        self.start + self.step as f64 * self.h
    }

    /// `points = z0 + h a slopes`.
    fn place(&mut self) {
        let (m, s) = (self.z.len(), self.table.s);
        for i in 0..s {
            for k in 0..m {
                let mut sum = 0.0;
                for j in 0..s {
                    sum += self.table.a[i * s + j] * self.trial[j * m + k];
                }
                self.points[i * m + k] = self.before[k] + (self.rest[k] + self.h * sum);
            }
        }
    }

    /// `Omega W_i - H_z(t_i, Z_i)`, and with `matrix` its derivative in the slopes. Returns the size of its terms.
    fn equations(&mut self, t: f64, matrix: bool) -> f64 {
        self.place();
        let (m, s) = (self.z.len(), self.table.s);
        let mut size: f64 = 0.0;
        for i in 0..s {
            let (time, z) = (t + self.table.c[i] * self.h, &self.points[i * m..(i + 1) * m]);
            if matrix {
                self.system.second(time, z, &mut self.jet);
                let a = self.lu.matrix();
                for j in 0..s {
                    let factor = -self.h * self.table.a[i * s + j];
                    for r in 0..m {
                        let row = &mut a[(i * m + r) * m * s + j * m..][..m];
                        for k in 0..m {
                            row[k] = factor * self.jet.dzz()[r * m + k];
                            if i == j {
                                row[k] += self.omega[r * m + k];
                            }
                        }
                    }
                }
            } else {
                self.system.first(time, z, &mut self.jet);
            }
            for r in 0..m {
                let slope = dot(&self.omega[r * m..(r + 1) * m], &self.trial[i * m..(i + 1) * m]);
                self.residual[i * m + r] = slope - self.jet.dz()[r];
            }
            size = size.max(max_abs(self.jet.dz()));
        }
        size
    }

    fn correct(&mut self) -> f64 {
        self.lu.solve(&mut self.residual);
        for (w, d) in self.trial.iter_mut().zip(&self.residual) {
            *w -= d;
        }
        max_abs(&self.residual)
    }

    fn solve(&mut self, t: f64) -> Result<(), Cause> {
        let mut progress = NewtonProgress::new(self.tolerance);
        while progress.begin() {
            let size = self.equations(t, true);
            let residual = max_abs(&self.residual) / size.max(f64::MIN_POSITIVE);
            let regular = self.lu.factor();
            if !regular || !residual.is_finite() {
                return Err(failure(progress.iterations(), residual, regular));
            }
            let size = self.correct();
            self.iterations += 1;
            let (delta, unknowns, n) = (&*self.residual, &*self.trial, self.z.len());
            let scale = max_abs(unknowns);
            let small_parts = || small_parts_settled(delta, unknowns, n, scale);
            let at_rounding = || size * self.h <= ROUNDING_OF_POSITIONS * max_abs(&self.before);
            let verdict = progress.judge(size, scale, small_parts, at_rounding);
            if verdict.ends() {
                // What Newton's method leaves has always the same sign, and over a million steps it would add up.
                self.equations(t, false);
                self.correct();
                return Ok(());
            }
            if verdict == Verdict::Diverged {
                return Err(failure(progress.iterations(), size, true));
            }
        }
        let size = self.equations(t, false);
        Err(failure(progress.iterations(), max_abs(&self.residual) / size.max(f64::MIN_POSITIVE), true))
    }

    fn one_step(&mut self) -> Result<(), Cause> {
        let (m, s, t) = (self.z.len(), self.table.s, self.time());
        self.before.copy_from_slice(&self.z);
        self.table.extrapolate(m, &self.slopes, &mut self.trial);
        if self.step == 0 {
            self.trial.copy_from_slice(&self.slopes);
        }
        self.solve(t)?;
        if !max_abs(&self.trial).is_finite() {
            return Err(Cause::NotFinite { what: "the state".into() });
        }
        for k in 0..m {
            let mut sum = 0.0;
            for i in 0..s {
                sum += self.table.b[i] * self.trial[i * m + k];
            }
            // Compensated: the rounding of a million sums would outweigh all else.
            add_compensated(&mut self.z[k], &mut self.rest[k], self.h * sum);
        }
        std::mem::swap(&mut self.slopes, &mut self.trial);
        self.system.momentum(&self.z, &mut self.p);
        self.step += 1;
        Ok(())
    }
}

impl<P: PhaseSpace> Integrator for PhaseGauss<P> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        for _ in 0..steps {
            self.one_step().map_err(|cause| RunError { time: self.time(), step: self.step, cause })?;
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        let q = &self.z[..self.p.len()];
        View { step: self.step, t: self.time(), q, p: &self.p, canonical: q }
    }

    fn freedom(&self) -> usize {
        self.z.len() / 2
    }

    /// `h` enters the action only through `h b_i H(t + c_i h, Z_i)`.
    fn discrete_energy(&mut self) -> Option<f64> {
        if self.step == 0 {
            return None;
        }
        let (m, t) = (self.z.len(), self.start + (self.step - 1) as f64 * self.h);
        let mut energy = 0.0;
        for i in 0..self.table.s {
            let ahead = self.table.c[i] * self.h;
            self.system.first(t + ahead, &self.points[i * m..(i + 1) * m], &mut self.jet);
            energy += self.table.b[i] * (self.jet.value() + ahead * self.jet.dt());
        }
        Some(energy)
    }

    fn action(&mut self) -> Option<f64> {
        let energy = self.quadrature_of_energy()?;
        let (m, s) = (self.z.len(), self.table.s);
        let nodes: Vec<f64> = std::iter::once(0.0).chain(self.table.c.iter().copied()).collect();
        // The path is a polynomial, but a one-form given by the user need not be one.
        let rule = gauss(s + FINER);
        let mut p = vec![0.0; self.system.positions()];
        let mut action = 0.0;
        for (x, w) in rule.nodes.iter().zip(&rule.weights) {
            let (value, slope) = lagrange(&nodes, *x);
            // The increments from the start of the step; their derivative has no large terms to cancel.
            let along = |weights: &[f64], k: usize| -> f64 {
                (0..s).map(|i| weights[i + 1] * (self.points[i * m + k] - self.before[k])).sum()
            };
            let z: Vec<f64> = (0..m).map(|k| self.before[k] + along(&value, k)).collect();
            self.system.momentum(&z, &mut p);
            let speed: Vec<f64> = (0..p.len()).map(|k| along(&slope, k)).collect();
            action += w * dot(&p, &speed);
        }
        Some(action - self.h * energy)
    }

    /// The derivative in `z`: the method applied to the linearised equations.
    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        if self.step == 0 {
            return false;
        }
        let (m, s) = (self.z.len(), self.table.s);
        let t = self.start + (self.step - 1) as f64 * self.h;
        // The equations at the last step: `points` still holds its stages.
        let mut hessians = vec![0.0; s * m * m];
        for i in 0..s {
            self.system.second(t + self.table.c[i] * self.h, &self.points[i * m..(i + 1) * m], &mut self.jet);
            hessians[i * m * m..(i + 1) * m * m].copy_from_slice(self.jet.dzz());
        }
        let mut lu = Lu::new(m * s);
        for (at, x) in lu.matrix().iter_mut().enumerate() {
            let (row, column) = (at / (m * s), at % (m * s));
            let (i, r, j, k) = (row / m, row % m, column / m, column % m);
            *x = -self.h * self.table.a[i * s + j] * hessians[i * m * m + r * m + k];
            if i == j {
                *x += self.omega[r * m + k];
            }
        }
        if !lu.factor() {
            return false;
        }
        let mut slopes = vec![0.0; m * s];
        for column in 0..m {
            for (at, x) in slopes.iter_mut().enumerate() {
                *x = hessians[at * m + column];
            }
            lu.solve(&mut slopes);
            for k in 0..m {
                let mut sum = 0.0;
                for i in 0..s {
                    sum += self.table.b[i] * slopes[i * m + k];
                }
                matrix[k * m + column] = f64::from(u8::from(k == column)) + self.h * sum;
            }
        }
        true
    }

    fn iterations(&self) -> u64 {
        self.iterations
    }
}

impl<P> Persist for PhaseGauss<P> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.step).fixed(&mut self.z).fixed(&mut self.rest).fixed(&mut self.p);
        archive.fixed(&mut self.before).fixed(&mut self.slopes).fixed(&mut self.trial);
        archive.fixed(&mut self.points).pass(&mut self.iterations);
    }
}
