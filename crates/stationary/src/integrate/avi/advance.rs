//! Execution of events: the choice among the schedulers, and the drift and kick of one element.

use super::external::LoadTime;
use super::harmonic_schedule::level_part::Thread;
use super::history::Slot;
use super::turns::Turn;
use super::{Avi, AviError, Event, Queue, Schedule};
use crate::model::{PotentialFault, Potentials};

/// One event that has been executed.
#[derive(Debug, Clone, Copy)]
pub struct FiredEvent<'a> {
    /// The element.
    pub element: usize,
    /// The time.
    pub time: f64,
    /// The time by which the forces were multiplied: the element's time step.
    pub weight: f64,
    /// Positions of all nodes; those of the element are where its forces were evaluated, at the time of the event.
    pub x: &'a [f64],
}

impl<P: Potentials> Avi<P> {
    /// Executes all events up to a time: tick by tick where time steps are harmonic, otherwise by subdomains on several threads or in
    /// the order of one queue.
    pub fn advance(&mut self, until: f64) -> Result<(), AviError> {
        self.advance_to_elapsed(elapsed(self.clocks.start, until))
    }

    /// As [`advance`](Self::advance), up to a time since the start. Floating-point times far from zero are coarse: results that are to
    /// be bit-identical for every initial time need times since the start.
    pub fn advance_to_elapsed(&mut self, until: f64) -> Result<(), AviError> {
        if self.local.is_some() || matches!(self.schedule, Schedule::Queue(_)) {
            return self.run_watched(until, |_| {});
        }
        // Taken out, so that events may borrow the other fields.
        let mut schedule = std::mem::replace(&mut self.schedule, Schedule::Queue(Queue::default()));
        let result = match &mut schedule {
            Schedule::Harmonic(harmonic) => self.run_harmonic(harmonic, until),
            Schedule::Free(free) => self.run_free(free, until),
            Schedule::Queue(_) => Ok(()),
        };
        self.schedule = schedule;
        result?;
        self.time = self.time.max(until);
        Ok(())
    }

    /// As [`advance`](Self::advance), and calls `watch` after every event.
    pub fn advance_watched(&mut self, until: f64, watch: impl FnMut(FiredEvent<'_>)) -> Result<(), AviError> {
        self.run_watched(elapsed(self.clocks.start, until), watch)
    }

    fn run_watched(&mut self, until: f64, mut watch: impl FnMut(FiredEvent<'_>)) -> Result<(), AviError> {
        if self.local.is_some() {
            self.run::<true>(until, &mut watch)?;
        } else {
            self.run::<false>(until, &mut watch)?;
        }
        self.time = self.time.max(until);
        Ok(())
    }

    fn run<const LOCAL: bool>(
        &mut self,
        until: f64,
        watch: &mut impl FnMut(FiredEvent<'_>),
    ) -> Result<(), AviError> {
        // Taken out, so that events may borrow the other fields; put back whether the run succeeds or fails.
        let mut schedule = std::mem::replace(&mut self.schedule, Schedule::Queue(Queue::default()));
        let result = match &mut schedule {
            Schedule::Queue(queue) => self.run_queue::<LOCAL>(queue, until, watch),
            Schedule::Harmonic(harmonic) => self.run_harmonic_events::<LOCAL>(harmonic, until, watch),
            Schedule::Free(free) => {
                free.reset();
                let mut queue = Queue::new((0..self.clocks.step.len()).map(|k| self.clocks.next(k)));
                self.run_queue::<LOCAL>(&mut queue, until, watch)
            }
        };
        self.schedule = schedule;
        result
    }

    fn run_queue<const LOCAL: bool>(
        &mut self,
        queue: &mut Queue,
        until: f64,
        watch: &mut impl FnMut(FiredEvent<'_>),
    ) -> Result<(), AviError> {
        while let Some(event) = queue.first().filter(|e| e.time <= until) {
            let level = self.envelope.as_ref().and_then(|e| e.level_of(event.element as usize));
            if let Some(level) = level {
                self.run_level_of_queue::<LOCAL>(queue, level, watch)?;
                continue;
            }
            let next = self.fire::<LOCAL>(event, watch)?;
            queue.replace_first(next);
        }
        Ok(())
    }

    /// All events of a level at the time of the first event of the queue. No other level fires at this time.
    fn run_level_of_queue<const LOCAL: bool>(
        &mut self,
        queue: &mut Queue,
        level: usize,
        watch: &mut impl FnMut(FiredEvent<'_>),
    ) -> Result<(), AviError> {
        let Some(time) = queue.first().map(|e| e.time) else { return Ok(()) };
        let first = queue.first().map_or(0, |e| e.element as usize);
        let slot = Slot::of_event(self.clocks.event_count(first) + 1);
        self.open_boundary(level, time, slot)?;
        while let Some(event) = queue.first().filter(|e| e.time == time) {
            match self.fire::<LOCAL>(event, watch) {
                Ok(next) => queue.replace_first(next),
                Err(error) => {
                    self.close_boundary(level, false);
                    return Err(error);
                }
            }
        }
        self.close_boundary(level, true);
        Ok(())
    }

    /// Executes one event; returns the next event of its element.
    #[inline]
    pub(super) fn fire<const LOCAL: bool>(
        &mut self,
        event: Event,
        watch: &mut impl FnMut(FiredEvent<'_>),
    ) -> Result<Event, AviError> {
        let k = event.element as usize;
        let t = event.time;
        let weight = self.clocks.record_event(k, t);
        if self.clocks.varying.is_some() {
            self.check_next(k)?;
        }
        self.drift_any(k, t);
        self.kick_with_loads::<LOCAL>(k, LoadTime { t, weight, first: false }, self.turns.of(k))?;
        watch(FiredEvent { element: k, time: self.clocks.start + t, weight, x: &self.x });
        Ok(self.clocks.next(k))
    }

    /// Refuses a time step that does not lead to a later time: the element would block all others.
    pub(super) fn check_next(&self, k: usize) -> Result<(), AviError> {
        let next = self.clocks.next(k).time;
        let now = self.clocks.varying.as_ref().map_or(0.0, |v| v.last[k]);
        if next > now && next < f64::INFINITY {
            return Ok(());
        }
        let why = format!("its step is {}, which does not move its clock to a later time", next - now);
        let time = self.clocks.start + now;
        Err(AviError { time, fault: PotentialFault { number: self.potentials.number(k), why } })
    }

    /// Moves the nodes of an element to a time since the start.
    #[inline]
    pub(super) fn drift_any(&mut self, k: usize, t: f64) {
        if self.loaded_or_fixed[k] {
            let arrays = self.shared_arrays(std::ptr::null_mut(), &[]);
            // SAFETY: the arrays are those of this integrator, which is borrowed exclusively.
            unsafe { arrays.drift_element(k as u32, t) };
        }
        self.drift(k, t);
    }

    /// Moves the nodes of an element to a time since the start on straight lines.
    #[inline]
    pub(super) fn drift(&mut self, k: usize, t: f64) {
        for &a in self.potentials.nodes(k) {
            let a = a as usize;
            let ahead = t - self.node_time[a];
            for i in 3 * a..3 * a + 3 {
                self.x[i] += ahead * self.v[i];
            }
            self.node_time[a] = t;
        }
    }

    /// A kick with what acts from outside on the nodes whose [`Turn`] it is.
    #[inline]
    pub(super) fn kick_with_loads<const LOCAL: bool>(
        &mut self,
        k: usize,
        time: LoadTime,
        turn: Turn,
    ) -> Result<(), AviError> {
        if !self.loaded_or_fixed[k] {
            return self.kick::<LOCAL>(k, time);
        }
        let done = self.kick_loaded_or_fixed::<LOCAL>(k, time, turn);
        if done.is_err() {
            self.work_balance.abandon(&mut self.v, &self.inverse_mass);
        }
        done
    }

    fn kick_loaded_or_fixed<const LOCAL: bool>(
        &mut self,
        k: usize,
        time: LoadTime,
        turn: Turn,
    ) -> Result<(), AviError> {
        let arrays = self.shared_arrays(std::ptr::null_mut(), &[]);
        // SAFETY: here and below the arrays are those of this integrator, which is borrowed exclusively.
        unsafe { arrays.open_element(k as u32, turn) };
        self.kick::<LOCAL>(k, time)?;
        let dead = self.turns.dead(turn);
        let mut scratch = std::mem::take(&mut self.scratch);
        let arrays = self.shared_arrays(std::ptr::null_mut(), &[]);
        let mut thread = Thread { number: 0, scratch: &mut scratch };
        // SAFETY: as above.
        let closed = unsafe { arrays.close_element(k as u32, time, (turn, dead.as_deref()), &mut thread) };
        self.scratch = scratch;
        closed.map_err(|failure| AviError { time: self.clocks.start + time.t, fault: failure.fault })
    }

    /// `v_a -= (weight / m_a) dV_k/dx_a`, and the constant nodal forces that act with the element. In prescribed components this is the velocity
    /// of the impulses for their supports.
    #[inline]
    fn kick<const LOCAL: bool>(&mut self, k: usize, time: LoadTime) -> Result<(), AviError> {
        let LoadTime { t, weight, .. } = time;
        let nodes = self.potentials.nodes(k);
        let gradient = &mut self.scratch[..3 * nodes.len()];
        let time = self.clocks.start + t;
        let value = if self.history.is_empty() || self.potentials.history_size(k) == 0 {
            self.potentials.gradient(k, time, &self.x, gradient)
        } else {
            let at = (t, Slot::of_event(self.clocks.event_count(k)));
            // SAFETY: the history is borrowed exclusively for this call.
            let updated =
                unsafe { self.history.share().update_in(&self.potentials, k, at, &self.x, gradient) };
            updated.map(|energy| energy.stored + energy.dissipated)
        };
        let own = value.map_err(|fault| AviError { time, fault })?;
        if LOCAL {
            self.record_local(k, (time, weight), own);
        }
        let nodes = self.potentials.nodes(k);
        for (&a, gradient) in nodes.iter().zip(self.scratch.chunks_exact(3)) {
            let v = &mut self.v[3 * a as usize..][..3];
            let inverse_mass = 1.0 / self.mass[a as usize];
            for i in 0..3 {
                v[i] -= weight * inverse_mass * gradient[i];
            }
        }
        if !self.work_balance.nodal_loads.is_empty() {
            let loads = self.work_balance.nodal_loads.share();
            for &a in self.potentials.nodes(k) {
                let at = 3 * a as usize;
                let (v, x) = (&mut self.v[at..at + 3], &self.x[at..at + 3]);
                let inverse_mass = 1.0 / self.mass[a as usize];
                let (v, x) = (v.try_into().expect("three"), [x[0], x[1], x[2]]);
                // SAFETY: the loads are borrowed exclusively for this call.
                unsafe {
                    if loads.force_with(k, a).is_some() {
                        loads.apply(a, weight, inverse_mass, x, v);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The time from `start` to `until`: if a floating-point number next to the difference gives exactly `until` when added to
/// `start`, that number, otherwise the difference.
pub fn elapsed(start: f64, until: f64) -> f64 {
    let difference = until - start;
    let near = [difference, difference.next_up(), difference.next_down()];
    near.into_iter().find(|x| start + x == until).unwrap_or(difference)
}
