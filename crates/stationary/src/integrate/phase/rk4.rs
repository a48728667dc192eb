//! The classical Runge-Kutta method on phase space, the contrast.

use super::PhaseStart;
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::integrate::{Integrator, View, multiply};
use crate::linalg::max_abs;
use crate::model::{PhaseJet, PhaseSpace, TwoForm};

/// Steps `z' = Omega^-1 H_z` by the classical Runge-Kutta method. Not variational.
#[derive(Debug, Clone)]
pub struct PhaseRungeKutta4<P> {
    system: P,
    start: f64,
    h: f64,
    step: u64,
    z: Vec<f64>,
    p: Vec<f64>,
    before: Vec<f64>,
    slopes: [Vec<f64>; 4],
    trial: Vec<f64>,
    jet: PhaseJet,
}

const STAGE: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
const WEIGHT: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

impl<P: PhaseSpace> PhaseRungeKutta4<P> {
    /// Starts at a state.
    pub fn new(system: P, start: &PhaseStart) -> Result<Self, RunError> {
        let m = system.dimension();
        let mut p = vec![0.0; system.positions()];
        system.momentum(&start.z, &mut p);
        Ok(PhaseRungeKutta4 {
            start: start.t,
            h: start.h,
            step: 0,
            z: start.z.clone(),
            p,
            before: start.z.clone(),
            slopes: std::array::from_fn(|_| vec![0.0; m]),
            trial: vec![0.0; m],
            jet: PhaseJet::new(m),
            system,
        })
    }

    fn time(&self) -> f64 {
        self.start + self.step as f64 * self.h
    }

    /// The state at which stage `stage` of the step from `before` is taken.
    fn place(&mut self, stage: usize) {
        self.trial.copy_from_slice(&self.before);
        if stage > 0 {
            for (x, k) in self.trial.iter_mut().zip(&self.slopes[stage - 1]) {
                *x += STAGE[stage] * self.h * k;
            }
        }
    }

    fn one_step(&mut self) -> Result<(), Cause> {
        self.before.copy_from_slice(&self.z);
        for stage in 0..4 {
            self.place(stage);
            let t = self.time() + STAGE[stage] * self.h;
            if !self.system.rate(t, &self.trial, &mut self.jet, &mut self.slopes[stage]) {
                return Err(Cause::Singular);
            }
        }
        for i in 0..self.trial.len() {
            let mut rate = 0.0;
            for (k, w) in self.slopes.iter().zip(WEIGHT) {
                rate += w * k[i];
            }
            self.trial[i] = self.before[i] + self.h * rate;
        }
        if !max_abs(&self.trial).is_finite() {
            return Err(Cause::NotFinite { what: "the state".into() });
        }
        self.z.copy_from_slice(&self.trial);
        self.system.momentum(&self.z, &mut self.p);
        self.step += 1;
        Ok(())
    }
}

impl<P: PhaseSpace> Integrator for PhaseRungeKutta4<P> {
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

    fn discrete_energy(&mut self) -> Option<f64> {
        None
    }

    /// The method applied to the linearised equations; only where the form is constant.
    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        let TwoForm::Constant(_) = self.system.form() else { return false };
        if self.step == 0 {
            return false;
        }
        let m = self.z.len();
        let (mut jacobian, mut column) = (vec![0.0; m * m], vec![0.0; m]);
        let (mut at, mut k) = (jacobian.clone(), jacobian.clone());
        matrix.fill(0.0);
        (0..m).for_each(|i| matrix[i * m + i] = 1.0);
        for stage in 0..4 {
            self.place(stage);
            let t = self.start + (self.step - 1) as f64 * self.h + STAGE[stage] * self.h;
            self.system.second(t, &self.trial, &mut self.jet);
            let TwoForm::Constant(form) = self.system.form() else { return false };
            for c in 0..m {
                (0..m).for_each(|r| column[r] = self.jet.dzz()[r * m + c]);
                form.solve(&mut column);
                (0..m).for_each(|r| jacobian[r * m + c] = column[r]);
            }
            for (x, k) in at.iter_mut().zip(&k) {
                *x = STAGE[stage] * self.h * k;
            }
            (0..m).for_each(|i| at[i * m + i] += 1.0);
            multiply(&jacobian, &at, m, &mut k);
            for (x, k) in matrix.iter_mut().zip(&k) {
                *x += WEIGHT[stage] * self.h * k;
            }
        }
        true
    }

    fn variational(&self) -> bool {
        false
    }
}

impl<P> Persist for PhaseRungeKutta4<P> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.step).fixed(&mut self.z).fixed(&mut self.p).fixed(&mut self.before);
        self.slopes.iter_mut().for_each(|slope| _ = archive.fixed(slope));
    }
}
