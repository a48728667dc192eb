//! Other time steps in the middle of a run: a common factor for all, and halves of those of some elements.
//!
//! A common factor keeps the order of the time steps: levels of harmonic steps, the order of simultaneous events, and the elements with
//! which constant nodal forces act all stay as they are. Halves of some steps change the levels, and all that follows from them is arranged anew.

use super::clocks::StepChange;
use super::external::LoadTime;
use super::turns::Turn;
use super::{Avi, AviError, Schedule};
use crate::model::Potentials;

impl<P: Potentials> Avi<P> {
    /// Whether the time steps may be multiplied by a factor: not if they change in time by a formula.
    pub fn can_rescale(&self) -> bool {
        self.clocks.varying.is_none()
    }

    /// The number by which all first time steps have been multiplied.
    pub fn step_scale(&self) -> f64 {
        self.clocks.scale
    }

    /// How often the time step of each element has been [halved](Self::refine_steps); empty if none has.
    pub fn halvings(&self) -> &[u32] {
        &self.clocks.halvings
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
        assert!(factor > 0.0 && factor.is_finite(), "a positive factor");
        let scale = self.clocks.scale * factor;
        self.change_steps(StepChange { scale, halvings: self.clocks.halvings.clone() })
    }

    /// Gives element `k` its first time step, times the [factor](Self::step_scale) of all, divided by `2^halvings[k]`, and begins anew at the time
    /// reached as [`rescale_steps`](Self::rescale_steps) does. An empty list ends the refinement of all elements. Harmonic time steps stay harmonic;
    /// [`halvings_for`](super::halvings_for) finds numbers with which neighbouring levels differ by a factor of two at most.
    ///
    /// Constant nodal forces that act with another element from here on have acted with the former one up to `t`.
    ///
    /// # Panics
    /// If the time steps [change by a formula](Self::can_rescale), the list has another length, or halves a time step too often.
    pub fn refine_steps(&mut self, halvings: &[u32]) -> Result<(), AviError> {
        let refined = halvings.iter().any(|n| *n > 0);
        let halvings = if refined { halvings.to_vec() } else { Vec::new() };
        self.change_steps(StepChange { scale: self.clocks.scale, halvings })
    }

    fn change_steps(&mut self, change: StepChange) -> Result<(), AviError> {
        assert!(self.can_rescale(), "the time steps are constant");
        assert!(self.clocks.can_change(&change), "time steps of the same schedule");
        let before = self.state();
        let applied: Vec<f64> = (0..self.clocks.step.len()).map(|k| self.clocks.impulse_time(k)).collect();
        let same_levels = change.halvings == self.clocks.halvings;
        self.drift_all();
        self.restart_clocks(self.time, &change, self.clocks.all_events());
        let changed = self.kick_from(applied, same_levels);
        if let Err(error) = changed {
            assert!(self.restore(&before), "a state of its own");
            return Err(error);
        }
        if let Some(local) = &mut self.local {
            local.interrupt();
        }
        self.refill();
        Ok(())
    }

    /// The kicks at the time reached of elements that have applied their impulses up to these times. Where levels change the constant nodal forces
    /// act with other elements after it than before, so that there are two kicks, one for each side.
    fn kick_from(&mut self, applied: Vec<f64>, same_levels: bool) -> Result<(), AviError> {
        for (k, applied) in applied.into_iter().enumerate() {
            let after = if same_levels { self.clocks.first_weight(k) } else { 0.0 };
            self.kick_between(k, self.time - applied + after)?;
        }
        if same_levels {
            return Ok(());
        }
        self.work_balance.nodal_loads.reassign(&self.potentials, &self.clocks.step, &self.clocks.rank);
        for k in 0..self.clocks.step.len() {
            let weight = self.clocks.first_weight(k);
            if weight != 0.0 {
                self.kick_between(k, weight)?;
            }
        }
        Ok(())
    }

    /// A kick at the time reached that is no event.
    fn kick_between(&mut self, k: usize, weight: f64) -> Result<(), AviError> {
        // Not the first event of an element under follower loads: their work since the last one counts.
        self.kick_with_loads::<false>(k, LoadTime { t: self.time, weight, first: false }, Turn::ALONE)
    }

    /// Begins to count events at a time since the start, with the first time steps changed in this way. What the schedule knows of the
    /// steps is discarded; a queue is to be refilled.
    pub(super) fn restart_clocks(&mut self, origin: f64, change: &StepChange, events_before: Vec<u64>) {
        // Before the counts that tell which slot is which begin anew.
        let history = self.history.save(|k| self.clocks.event_count(k));
        self.history.restore(&history);
        let same_levels = change.halvings == self.clocks.halvings;
        self.clocks.restart(origin, change, events_before);
        if !same_levels {
            self.arrange_levels();
            return;
        }
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
