//! A reduced run, seen as one of the full system: shapes by the discrete Routhian, phases put together step by step.

use super::{DiscreteEulerLagrange, Integrator, Start, View};
use crate::action::{DiscreteLagrangian, Routh};
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::linalg::{add_compensated, dot};
use crate::model::{Lagrangian, Reduction};

/// Steps the discrete Routhian of a discrete Lagrangian and reconstructs the cyclic coordinates.
#[derive(Debug, Clone)]
pub struct Reduced<D, L> {
    shape: DiscreteEulerLagrange<Routh<D, L>>,
    reduction: Reduction,
    step: u64,
    t: f64,
    q: Vec<f64>,
    p: Vec<f64>,
    /// `mu.w` of the last step: what the action of the full system has beyond that of the reduced one.
    turned: f64,
    /// The rounding error of each phase: phases are sums over all steps.
    errors: Vec<f64>,
}

impl<D: DiscreteLagrangian, L: Lagrangian> Reduced<D, L> {
    /// Starts at a state of the full system; its momenta of the coordinates `cyclic` are the constants of the reduction.
    pub fn new(
        ld: D,
        lagrangian: L,
        cyclic: &[usize],
        start: &Start,
        tolerance: f64,
    ) -> Result<Self, RunError> {
        let reduction = Reduction::new(start.q.len(), cyclic, &start.p);
        let shape = Start { q: reduction.reduce(&start.q), p: reduction.reduce(&start.p), ..start.clone() };
        let ld = Routh::new(ld, lagrangian, reduction.clone());
        Ok(Reduced {
            shape: DiscreteEulerLagrange::new(ld, &shape)?.tolerance(tolerance),
            step: 0,
            t: start.t,
            turned: f64::NAN,
            q: start.q.clone(),
            p: start.p.clone(),
            errors: vec![0.0; cyclic.len()],
            reduction,
        })
    }

    fn one_step(&mut self) -> Result<(), RunError> {
        let (time, step) = (self.t, self.step);
        self.shape.advance(1)?;
        let Some((ld, leg)) = self.shape.last() else { return Ok(()) };
        let phases = ld.phases(leg);
        if !phases.iter().all(|x| x.is_finite()) {
            return Err(RunError {
                time,
                step,
                cause: Cause::NotFinite { what: "a cyclic coordinate".into() },
            });
        }
        for ((&i, phase), error) in self.reduction.cyclic().iter().zip(&phases).zip(&mut self.errors) {
            add_compensated(&mut self.q[i], error, *phase);
        }
        let view = self.shape.view();
        self.reduction.embed(view.q, &mut self.q);
        self.reduction.embed(view.p, &mut self.p);
        (self.t, self.step) = (view.t, view.step);
        self.turned = dot(self.reduction.momenta(), &phases);
        Ok(())
    }
}

impl<D: DiscreteLagrangian, L: Lagrangian> Integrator for Reduced<D, L> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        (0..steps).try_for_each(|_| self.one_step())
    }

    fn view(&self) -> View<'_> {
        View { step: self.step, t: self.t, q: &self.q, p: &self.p, canonical: &self.q }
    }

    fn discrete_energy(&mut self) -> Option<f64> {
        self.shape.discrete_energy()
    }

    fn action(&mut self) -> Option<f64> {
        Some(self.shape.action()? + self.turned)
    }

    /// That of the reduced step.
    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        self.shape.tangent(matrix)
    }

    fn freedom(&self) -> usize {
        self.reduction.kept().len()
    }

    fn iterations(&self) -> u64 {
        self.shape.iterations()
    }
}

impl<D, L> Persist for Reduced<D, L> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.shape).pass(&mut self.step).pass(&mut self.t);
        archive.fixed(&mut self.q).fixed(&mut self.p).pass(&mut self.turned).fixed(&mut self.errors);
    }
}
