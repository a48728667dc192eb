//! Saving and restoring a run.

use super::assembly::Anchor;
use super::{BuildError, Sparse};
use crate::archive::{Archive, Persist};
use crate::model::Structure;

/// All that a run needs to go on to the bit.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseState {
    /// Time of the start.
    pub start: f64,
    /// Steps made.
    pub steps: u64,
    /// Newton iterations and factorizations so far.
    pub counts: [u64; 2],
    /// Positions, momenta, increments and reactions of the last step, the forces that it hands on, and the configuration of
    /// the factors if there is one.
    pub values: Vec<f64>,
    /// The history of elements with memory, and where there are factors that with which they were made, and the times of the nodes since
    /// then; empty without memory.
    pub history: Vec<f64>,
    /// Kinetic energy that mass-proportional damping has taken.
    pub damped: f64,
}

impl<S: Structure> Persist for Sparse<S> {
    fn pass(&mut self, archive: &mut Archive) {
        let mut state = self.state();
        archive.pass(&mut state.start).pass(&mut state.steps).pass(&mut state.counts);
        archive.pass(&mut state.values).pass(&mut state.history).pass(&mut state.damped);
        if archive.reads() && archive.sound() {
            let fits = self.restore(&state).is_ok();
            archive.require(fits, "its state is not of this body and method");
        }
    }
}

impl<S: Structure> Sparse<S> {
    /// The present state.
    pub fn state(&self) -> SparseState {
        let mut values = [self.x.as_slice(), &self.p, &self.last, &self.reactions, &self.forces[0]].concat();
        if let Some(anchor) = &self.newton.anchor {
            values.extend_from_slice(&anchor.times);
            values.extend_from_slice(&anchor.x);
        }
        let mut history = self.body.history.clone();
        if let Some(anchor) = self.newton.anchor.as_ref().filter(|_| !history.is_empty()) {
            history.extend_from_slice(&anchor.history);
            history.extend_from_slice(&anchor.ahead);
        }
        let counts = [self.newton.iterations, self.newton.factorizations];
        SparseState { start: self.start, steps: self.step, counts, values, history, damped: self.damped }
    }

    /// Goes to a state of a run of the same body, method and step, to the bit.
    pub fn restore(&mut self, state: &SparseState) -> Result<(), BuildError> {
        let (n, k) = (self.x.len(), self.table.unknowns());
        let (plain, full) = (5 * n, 5 * n + k * (n + 1));
        let values = &state.values;
        if values.len() != plain && values.len() != full {
            return Err(BuildError::Unsuited(format!(
                "a saved state of {} numbers: expected {plain} or {full} for this body and method",
                values.len()
            )));
        }
        if !state.start.is_finite() {
            return Err(BuildError::Unsuited(format!("a saved state that started at time {}", state.start)));
        }
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            return Err(BuildError::Unsuited(format!(
                "number {i} of the saved state is {}: expected a finite one",
                values[i]
            )));
        }
        let m = self.body.history.len();
        let with_factors = if m > 0 && values.len() > plain { 2 * m + k } else { m };
        if state.history.len() != with_factors || !state.history.iter().all(|x| x.is_finite()) {
            return Err(BuildError::Unsuited(format!(
                "a saved history of {} numbers: expected {with_factors} finite ones for this body and method",
                state.history.len()
            )));
        }
        if values.len() > plain {
            let (times, x) = values[plain..].split_at(k);
            let (history, ahead) = state.history[m..].split_at(m);
            let anchor = Anchor {
                times: times.to_vec(),
                x: x.to_vec(),
                history: history.to_vec(),
                ahead: ahead.to_vec(),
            };
            let settled = self.newton.settle(&self.body.structure, anchor);
            settled.map_err(|cause| BuildError::Unsuited(format!("the saved state: {cause}")))?;
        } else {
            self.newton.anchor = None;
        }
        let parts = [&mut self.x, &mut self.p, &mut self.last, &mut self.reactions, &mut self.forces[0]];
        for (part, saved) in parts.into_iter().zip(values.chunks_exact(n.max(1))) {
            part.copy_from_slice(saved);
        }
        self.body.history.copy_from_slice(&state.history[..m]);
        (self.start, self.step, self.damped) = (state.start, state.steps, state.damped);
        [self.newton.iterations, self.newton.factorizations] = state.counts;
        for i in 0..n {
            self.v[i] = self.p[i] * self.body.inverse[i];
        }
        if let Some(explicit) = &mut self.explicit {
            explicit.restart(&self.p);
        }
        // As at the end of a step: held velocities are prescribed, not divided.
        let (t, mut x) = (self.time(), self.x.clone());
        self.body.structure.impose(t, &mut x, &mut self.v);
        // Those of an unknown node are from before its last correction: taken anew they would differ in the last bits.
        self.carried = state.steps > 0 && self.table.carries().is_some();
        Ok(())
    }
}
