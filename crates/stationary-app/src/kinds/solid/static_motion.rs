//! The static solution of a solid, seen like a motion: rows are its load steps.

use super::motion::Look;
use stationary::archive::{Archive, Persist};
use stationary::error::RunError;
use stationary::integrate::avi::MomentumBalance;
use stationary::integrate::statics::Statics;
use stationary::model::Potentials;
use stationary::model::solid::SolidProblem;
use std::sync::Arc;

/// Static equilibria, one after the other.
pub(super) struct StaticMotion {
    solution: Statics<Arc<SolidProblem>>,
    problem: Arc<SolidProblem>,
    /// The time from row to row.
    row: f64,
}

/// What is seen of an equilibrium besides positions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StaticLook {
    /// Work of loads and supports, and the energy that the body had at the start.
    pub work: f64,
    pub stored: f64,
    pub dissipated: f64,
    pub residual: f64,
    pub steps: u64,
    pub halvings: u64,
    pub iterations: u64,
    /// The force of each support.
    pub reactions: Vec<[f64; 3]>,
    /// The sum of all loads.
    pub loads: [f64; 3],
}

impl StaticLook {
    /// Work less stored and dissipated energy, over the largest of them.
    pub fn mismatch(&self) -> f64 {
        let scale = self.work.abs().max(self.stored.abs()).max(self.dissipated.abs());
        let rest = (self.work - (self.stored + self.dissipated)).abs();
        if scale > 0.0 { rest / scale } else { rest }
    }
}

impl StaticMotion {
    pub fn new(solution: Statics<Arc<SolidProblem>>, problem: Arc<SolidProblem>, row: f64) -> Self {
        StaticMotion { solution, problem, row }
    }

    pub fn advance(&mut self, until: f64) -> Result<(), RunError> {
        Ok(self.solution.advance(until)?)
    }

    pub fn problem(&self) -> &SolidProblem {
        &self.problem
    }

    pub fn solution(&self) -> &Statics<Arc<SolidProblem>> {
        &self.solution
    }

    /// The time from row to row.
    pub fn row(&self) -> f64 {
        self.row
    }

    /// The force of each support.
    fn reactions(&self) -> Vec<[f64; 3]> {
        let Some(supports) = Potentials::supports(&*self.problem) else { return Vec::new() };
        let mut forces = vec![[0.0; 3]; supports.count()];
        for (i, force) in self.solution.reactions().iter().enumerate() {
            if let Some(owner) = supports.owner(i) {
                forces[owner][i % 3] += force;
            }
        }
        forces
    }

    pub fn look(&self) -> Look {
        let energy = self.solution.energy();
        let counts = self.solution.counts();
        let mut loads = [0.0; 3];
        for force in self.solution.loads().as_chunks::<3>().0 {
            (0..3).for_each(|i| loads[i] += force[i]);
        }
        if self.problem.solid().has_rings() {
            // Of whole rings only the sum along the axis is not zero by symmetry.
            (loads[0], loads[2]) = (0.0, 0.0);
        }
        let x = self.solution.positions().to_vec();
        let none = [0.0; 3];
        let at_rest = || MomentumBalance { now: none, start: none, loads: none, reactions: none, scale: 0.0 };
        Look {
            t: self.solution.time(),
            elapsed: self.solution.elapsed(),
            v: vec![0.0; x.len()],
            x,
            kinetic: 0.0,
            potential: energy.stored + energy.loads,
            work: f64::NAN,
            dissipated: energy.dissipated,
            damped: 0.0,
            linear: at_rest(),
            angular: at_rest(),
            // Forces at rest have no finite impulse.
            reactions: Vec::new(),
            statics: Some(StaticLook {
                work: energy.work,
                stored: energy.stored,
                dissipated: energy.dissipated,
                residual: self.solution.residual(),
                steps: counts.steps,
                halvings: counts.halvings,
                iterations: self.solution.iterations(),
                reactions: self.reactions(),
                loads,
            }),
        }
    }
}

impl Persist for StaticMotion {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.solution);
    }
}
