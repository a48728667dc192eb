//! A common factor for all time steps in the middle of a run.
//!
//! A uniform factor keeps the order of the time steps: levels of harmonic steps, the order of simultaneous events, and the elements with
//! which constant nodal forces act all stay as they are.

use super::external::LoadTime;
use super::turns::Turn;
use super::{Avi, AviError, Schedule};
use crate::model::Potentials;

impl<P: Potentials> Avi<P> {
    /// Whether the time steps may be multiplied by a factor: not if they change in time by a formula.
    pub fn can_rescale(&self) -> bool {
        self.clocks.varying.is_none()
    }

    /// The number by which the first time steps have been multiplied.
    pub fn step_scale(&self) -> f64 {
        self.clocks.scale
    }

    /// Multiplies all time steps by a factor, and begins anew at the time `t` reached: event `j` of an element is then at
    /// `t + j dt_K`, or `t + (j - 1/2) dt_K`. Counts, impulses and work continue.
    ///
    /// All nodes drift to `t`. An element that last fired at `s` has applied its impulse up to `s + dt/2`, and will apply the next ones
    /// from `t` on, so that it kicks once more with the difference,
    ///
    /// ```text
    /// p_a -= (t - s - dt/2 + w) dV_K/dx_a(t),    w = dt_new/2, or 0 with midpoint events.
    /// ```
    ///
    /// These are internal forces at one set of positions: linear and angular momentum stay exact. Loads and supports act and are summed as
    /// at every event. The snapshot at `t` is the same before and after, to rounding. Elements with memory commit nothing at `t`.
    ///
    /// With an [envelope](super::Boundary::Envelope) nodes that two levels share stay where they are, so that momenta stay exact; the swing that they have
    /// at `t` is not taken back, and the snapshot differs by it.
    ///
    /// An element that cannot be evaluated at `t` is an error, which leaves the state as it was.
    ///
    /// # Panics
    /// If the time steps [change by a formula](Self::can_rescale), or the factor is not a positive number.
    pub fn rescale_steps(&mut self, factor: f64) -> Result<(), AviError> {
        assert!(self.can_rescale(), "the time steps are constant");
        assert!(factor > 0.0 && factor.is_finite(), "a positive factor");
        let before = self.state();
        let applied: Vec<f64> = (0..self.clocks.step.len()).map(|k| self.clocks.impulse_time(k)).collect();
        self.drift_all();
        let scale = self.clocks.scale * factor;
        self.restart_clocks(self.time, scale, self.clocks.all_events());
        for (k, applied) in applied.into_iter().enumerate() {
            let weight = self.time - applied + self.clocks.first_weight(k);
            // Not the first event of an element under follower loads: their work since the last one counts.
            let time = LoadTime { t: self.time, weight, first: false };
            if let Err(error) = self.kick_with_loads::<false>(k, time, Turn::ALONE) {
                assert!(self.restore(&before), "a state of its own");
                return Err(error);
            }
        }
        if let Some(local) = &mut self.local {
            local.interrupt();
        }
        self.refill();
        Ok(())
    }

    /// Begins to count events at a time since the start, with the first time steps times `scale`. What the schedule knows of the
    /// steps is discarded; a queue is to be refilled.
    pub(super) fn restart_clocks(&mut self, origin: f64, scale: f64, events_before: Vec<u64>) {
        // Before the counts that tell which slot is which begin anew.
        let history = self.history.save(|k| self.clocks.event_count(k));
        self.history.restore(&history);
        self.clocks.restart(origin, scale, events_before);
        if let Some(envelope) = &mut self.envelope {
            envelope.set_steps(&self.clocks);
        }
        if let Schedule::Harmonic(schedule) = &mut self.schedule {
            schedule.reset();
        }
    }

    /// Moves all nodes to the time reached.
    fn drift_all(&mut self) {
        let time = self.time;
        for k in 0..self.clocks.step.len() {
            self.drift_any(k, time);
        }
    }
}
