//! The complete state of an asynchronous run, from which it can be continued bit-identically.

use super::clocks::StepChange;
use super::{Avi, Schedule};
use crate::archive::{Archive, Persist};
use crate::model::Potentials;

/// All data that change while an asynchronous integrator runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AviState {
    /// Initial time.
    pub start: f64,
    /// Time reached, counted from the start as all times below.
    pub time: f64,
    /// Positions, three numbers a node.
    pub x: Vec<f64>,
    /// Velocities, three numbers a node.
    pub v: Vec<f64>,
    /// Times of the nodes.
    pub node_time: Vec<f64>,
    /// Number of events of each element since the origin.
    pub events: Vec<u64>,
    /// The time from which events are counted: the start, or the last [change of all time steps](Avi::rescale_steps).
    pub origin: f64,
    /// The number by which the first time steps have been multiplied.
    pub scale: f64,
    /// How often the time step of each element has been [halved](Avi::refine_steps); empty if none has.
    pub halvings: Vec<u32>,
    /// Number of events of each element before the origin; empty if that is the start.
    pub events_before: Vec<u64>,
    /// Times of the last events of all elements, then of the next ones; empty if time steps are constant.
    pub event_times: Vec<f64>,
    /// Momenta at the start, and external impulses and work since.
    pub work_balance: Vec<f64>,
    /// Local energy balances, if they are recorded.
    pub local: Vec<f64>,
    /// The eigenvalues by which the iterations at level boundaries are made.
    pub envelope: Vec<f64>,
    /// For each element with memory the time of its last commit, and its history; empty if none has.
    pub history: Vec<f64>,
}

impl Persist for AviState {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.start).pass(&mut self.time).pass(&mut self.x).pass(&mut self.v);
        archive.pass(&mut self.node_time).pass(&mut self.events).pass(&mut self.event_times);
        archive.pass(&mut self.work_balance).pass(&mut self.local);
        archive.pass(&mut self.origin).pass(&mut self.scale).pass(&mut self.events_before);
        archive.pass(&mut self.halvings);
        archive.pass(&mut self.envelope).pass(&mut self.history);
    }
}

impl AviState {
    /// How the time steps differ from the first ones.
    fn change(&self) -> StepChange {
        StepChange { scale: self.scale, halvings: self.halvings.clone() }
    }
}

impl<P: Potentials> Persist for Avi<P> {
    fn pass(&mut self, archive: &mut Archive) {
        let mut state = self.state();
        archive.pass(&mut state);
        if archive.reads() && archive.sound() {
            let fits = self.restore(&state);
            archive.require(fits, "its state is not of this body and method");
        }
    }
}

impl<P: Potentials> Avi<P> {
    /// The current state.
    pub fn state(&self) -> AviState {
        let varying = self.clocks.varying.as_ref();
        AviState {
            start: self.clocks.start,
            time: self.time,
            x: self.x.clone(),
            v: self.v.clone(),
            node_time: self.node_time.clone(),
            events: self.clocks.events(),
            origin: self.clocks.origin,
            scale: self.clocks.scale,
            halvings: self.clocks.halvings.clone(),
            events_before: self.clocks.events_before.clone(),
            event_times: varying.map_or(Vec::new(), |v| v.last.iter().chain(&v.next).copied().collect()),
            work_balance: self
                .initial_momenta
                .as_flattened()
                .iter()
                .copied()
                .chain(self.work_balance.save())
                .collect(),
            local: self.local.as_ref().map_or(Vec::new(), |l| l.save()),
            envelope: self.envelope.as_ref().map_or(Vec::new(), |e| e.eigenvalues()),
            history: self.history.save(|k| self.clocks.event_count(k)),
        }
    }

    /// Continues from a state of an integrator that was started with the same time steps. Returns false, and changes nothing, if the
    /// state does not fit.
    pub fn restore(&mut self, state: &AviState) -> bool {
        let now = self.state();
        let shape = |s: &AviState| {
            let lists = [&s.x, &s.v, &s.node_time, &s.event_times, &s.work_balance, &s.local];
            (lists.map(Vec::len), s.history.len())
        };
        let count = now.events.len();
        if shape(&now) != shape(state) || count != state.events.len() || !self.has_origin(state, count) {
            return false;
        }
        let change = state.change();
        if !self.clocks.can_change(&change) {
            return false;
        }
        self.clocks.start = state.start;
        if (state.origin, &change) != (now.origin, &now.change()) {
            let same_levels = change.halvings == now.halvings;
            self.restart_clocks(state.origin, &change, state.events_before.clone());
            if !same_levels {
                self.work_balance.nodal_loads.reassign(
                    &self.potentials,
                    &self.clocks.step,
                    &self.clocks.rank,
                );
            }
        }
        let eigenvalues = self.envelope.as_ref().map_or(Vec::new(), |e| e.eigenvalues());
        if eigenvalues.len() != state.envelope.len() {
            // Only a state of other levels can differ here: the present one fits.
            self.restore(&now);
            return false;
        }
        self.clocks.events_before.clone_from(&state.events_before);
        self.time = state.time;
        self.x.clone_from(&state.x);
        self.v.clone_from(&state.v);
        self.node_time.clone_from(&state.node_time);
        self.clocks.restore_counts(&state.events);
        if let Some(varying) = &mut self.clocks.varying {
            let (last, next) = state.event_times.split_at(varying.last.len());
            varying.last.copy_from_slice(last);
            varying.next.copy_from_slice(next);
        }
        let (initial_momenta, work_balance) = state.work_balance.split_at(6);
        self.initial_momenta.as_flattened_mut().copy_from_slice(initial_momenta);
        self.work_balance.restore(work_balance);
        self.work_balance.note_velocities(&self.v);
        self.history.restore(&state.history);
        if let Some(local) = &mut self.local {
            local.restore(&state.local);
        }
        if let Some(envelope) = &mut self.envelope
            && state.envelope != eigenvalues
        {
            envelope.restore(&state.envelope, &self.clocks);
            if let Schedule::Harmonic(schedule) = &mut self.schedule {
                schedule.reset();
            }
        }
        self.refill();
        true
    }

    /// Whether the clocks can begin at the origin of a state with its scale of the time steps.
    fn has_origin(&self, state: &AviState, count: usize) -> bool {
        let unchanged = state.scale == 1.0 && state.halvings.is_empty();
        let at_start = state.origin == 0.0 && unchanged && state.events_before.is_empty();
        let later = state.origin >= 0.0 && state.origin <= state.time;
        at_start || self.can_rescale() && later && state.events_before.len() == count
    }
}
