//! The classical fourth-order Runge-Kutta method, the contrast: it discretises the equations of
//! motion, not the action, and keeps neither momenta nor the symplectic form.
//!
//! It moves `(q, p)` by `q' = v(t, q, p)`, `p' = L_q(t, q, v)`, so its results compare line by line with the
//! variational methods.

use super::{Integrator, Start, View, legs};
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::linalg::{Lu, dot};
use crate::model::{Force, ForceJet, Jet, Lagrangian, Legendre};
use std::sync::Arc;

/// Steps any system by the classical Runge-Kutta method. Not variational.
#[derive(Clone)]
pub struct RungeKutta4<L> {
    lagrangian: L,
    start: f64,
    h: f64,
    step: u64,
    state: Vec<f64>,
    before: Vec<f64>,
    /// Velocity at the start of the step: the guess that the Legendre transform starts from.
    velocity: Vec<f64>,
    slopes: [Vec<f64>; 4],
    trial: Vec<f64>,
    legendre: Legendre,
    jet: Jet,
    /// A force besides those of the Lagrangian, and its work over the last step.
    force: Option<Arc<dyn Force>>,
    work: f64,
}

/// Where the stages are, and their weights.
const STAGE: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
const WEIGHT: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

impl<L: Lagrangian> RungeKutta4<L> {
    /// Starts at a state.
    pub fn new(lagrangian: L, start: &Start) -> Result<Self, RunError> {
        let n = start.q.len();
        let state = [start.q.as_slice(), &start.p].concat();
        let zero = vec![0.0; 2 * n];
        let mut velocity = vec![0.0; n];
        let mut legendre = Legendre::new(n);
        legendre
            .velocity(&lagrangian, start.t, &start.q, &start.p, &mut velocity)
            .map_err(|cause| RunError { time: start.t, step: 0, cause })?;
        Ok(RungeKutta4 {
            lagrangian,
            start: start.t,
            h: start.h,
            step: 0,
            before: state.clone(),
            state,
            velocity,
            slopes: [zero.clone(), zero.clone(), zero.clone(), zero.clone()],
            trial: zero,
            legendre,
            jet: Jet::new(n),
            force: None,
            work: f64::NAN,
        })
    }

    /// Adds a force: `p' = L_q + F(t, q, v)`.
    pub fn force(mut self, force: Arc<dyn Force>) -> Self {
        self.force = Some(force);
        self
    }

    /// Fills `slopes[stage]` from `trial`.
    fn slope(&mut self, stage: usize) -> Result<(), Cause> {
        let n = self.velocity.len();
        let t = self.time() + STAGE[stage] * self.h;
        let (q, p) = self.trial.split_at(n);
        let (dq, dp) = self.slopes[stage].split_at_mut(n);
        dq.copy_from_slice(&self.velocity);
        self.legendre.velocity(&self.lagrangian, t, q, p, dq)?;
        self.lagrangian.gradient(t, q, dq, &mut self.jet);
        match &self.force {
            Some(force) => {
                force.value(t, q, dq, dp);
                self.work += WEIGHT[stage] * self.h * dot(dp, dq);
                dp.iter_mut().zip(self.jet.dq()).for_each(|(p, l)| *p += l);
            }
            None => dp.copy_from_slice(self.jet.dq()),
        }
        Ok(())
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
        self.before.copy_from_slice(&self.state);
        self.work = 0.0;
        for stage in 0..4 {
            self.place(stage);
            self.slope(stage)?;
        }
        for i in 0..self.trial.len() {
            let mut rate = 0.0;
            for (k, w) in self.slopes.iter().zip(WEIGHT) {
                rate += w * k[i];
            }
            self.trial[i] = self.before[i] + self.h * rate;
        }
        if !self.trial.iter().all(|x| x.is_finite()) {
            return Err(Cause::NotFinite { what: "the state".into() });
        }
        self.state.copy_from_slice(&self.trial);
        let n = self.velocity.len();
        self.velocity.copy_from_slice(&self.slopes[3][..n]);
        self.step += 1;
        Ok(())
    }

    /// The Jacobian of the vector field at stage `stage` of the last step, by rows:
    /// `v_q = -L_vv^-1 L_vq`, `v_p = L_vv^-1`, `p'_q = L_qq + F_q + (L_qv + F_v) v_q`, `p'_p = (L_qv + F_v) v_p`.
    fn jacobian(&mut self, stage: usize, matrix: &mut [f64]) -> bool {
        let n = self.velocity.len();
        let t = self.start + (self.step - 1) as f64 * self.h + STAGE[stage] * self.h;
        self.place(stage);
        let v = self.slopes[stage][..n].to_vec();
        self.lagrangian.second(t, &self.trial[..n], &v, &mut self.jet);
        let mut lu = Lu::new(n);
        lu.matrix().copy_from_slice(self.jet.dvv());
        if !lu.factor() {
            return false;
        }
        let mut outer = ForceJet::new(n);
        if let Some(force) = &self.force {
            force.derivatives(t, &self.trial[..n], &v, &mut outer);
        }
        let mut column = vec![0.0; n];
        for c in 0..2 * n {
            for i in 0..n {
                // L_vq[i][c] = L_qv[c][i].
                column[i] = if c < n { -self.jet.dqv()[c * n + i] } else { f64::from(u8::from(i == c - n)) };
            }
            lu.solve(&mut column);
            for i in 0..n {
                matrix[i * 2 * n + c] = column[i];
                let row = i * n..(i + 1) * n;
                let direct = if c < n { self.jet.dqq()[i * n + c] + outer.dq()[i * n + c] } else { 0.0 };
                let through = dot(&self.jet.dqv()[row.clone()], &column) + dot(&outer.dv()[row], &column);
                matrix[(n + i) * 2 * n + c] = direct + through;
            }
        }
        true
    }
}

impl<L: Lagrangian> Integrator for RungeKutta4<L> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        for _ in 0..steps {
            self.one_step().map_err(|cause| RunError { time: self.time(), step: self.step, cause })?;
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        let (q, p) = self.state.split_at(self.velocity.len());
        View { step: self.step, t: self.time(), q, p, canonical: q }
    }

    fn discrete_energy(&mut self) -> Option<f64> {
        None
    }

    /// The method applied to the linearised equations: `K_i = J_i (1 + a_i h K_{i-1})`, `T = 1 + h sum w_i K_i`.
    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        if self.step == 0 {
            return false;
        }
        let m = self.state.len();
        let mut j = vec![0.0; m * m];
        let (mut at, mut k) = (j.clone(), j.clone());
        let identity = |x: &mut [f64]| {
            x.fill(0.0);
            (0..m).for_each(|i| x[i * m + i] = 1.0);
        };
        identity(matrix);
        for stage in 0..4 {
            if !self.jacobian(stage, &mut j) {
                return false;
            }
            for (x, k) in at.iter_mut().zip(&k) {
                *x = STAGE[stage] * self.h * k;
            }
            (0..m).for_each(|i| at[i * m + i] += 1.0);
            legs::multiply(&j, &at, m, &mut k);
            for (x, k) in matrix.iter_mut().zip(&k) {
                *x += WEIGHT[stage] * self.h * k;
            }
        }
        true
    }

    fn work(&mut self) -> Option<f64> {
        (self.force.is_some() && self.step > 0).then_some(self.work)
    }

    fn variational(&self) -> bool {
        false
    }
}

impl<L> Persist for RungeKutta4<L> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.step).fixed(&mut self.state).fixed(&mut self.before).fixed(&mut self.velocity);
        self.slopes.iter_mut().for_each(|slope| _ = archive.fixed(slope));
        archive.pass(&mut self.work);
    }
}
