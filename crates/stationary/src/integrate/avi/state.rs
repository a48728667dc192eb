//! The whole state of an asynchronous run, to go on from later with the same bits.

use super::Avi;
use crate::archive::{Archive, Persist};
use crate::model::Potentials;

/// Everything that changes while an asynchronous integrator runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AviState {
    /// Time of the start.
    pub start: f64,
    /// Time reached since the start, as all times below.
    pub time: f64,
    /// Positions, three numbers a node.
    pub x: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Times of the nodes.
    pub clock: Vec<f64>,
    /// Events of the elements.
    pub events: Vec<u64>,
    /// Times of the last and the next event of each element, where steps change in time.
    pub changing: Vec<f64>,
    /// Momenta at the start, and impulses from outside since.
    pub accounts: Vec<f64>,
    /// Balances of energy, if followed.
    pub local: Vec<f64>,
}

impl Persist for AviState {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.start).pass(&mut self.time).pass(&mut self.x).pass(&mut self.v);
        archive.pass(&mut self.clock).pass(&mut self.events).pass(&mut self.changing);
        archive.pass(&mut self.accounts).pass(&mut self.local);
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
    /// The state now.
    pub fn state(&self) -> AviState {
        let varying = self.clocks.varying.as_ref();
        AviState {
            start: self.clocks.start,
            time: self.time,
            x: self.x.clone(),
            v: self.v.clone(),
            clock: self.clock.clone(),
            events: self.clocks.events(),
            changing: varying.map_or(Vec::new(), |v| v.last.iter().chain(&v.next).copied().collect()),
            accounts: self.origin.as_flattened().iter().copied().chain(self.accounts.save()).collect(),
            local: self.local.as_ref().map_or(Vec::new(), |l| l.save()),
        }
    }

    /// Goes on from a state of an integrator that was started with the same steps; false, and unchanged, if it does not fit.
    pub fn restore(&mut self, state: &AviState) -> bool {
        let now = self.state();
        let shape = |s: &AviState| [&s.x, &s.v, &s.clock, &s.changing, &s.accounts, &s.local].map(Vec::len);
        if shape(&now) != shape(state) || now.events.len() != state.events.len() {
            return false;
        }
        self.clocks.start = state.start;
        self.time = state.time;
        self.x.clone_from(&state.x);
        self.v.clone_from(&state.v);
        self.clock.clone_from(&state.clock);
        self.clocks.settle(&state.events);
        if let Some(varying) = &mut self.clocks.varying {
            let (last, next) = state.changing.split_at(varying.last.len());
            varying.last.copy_from_slice(last);
            varying.next.copy_from_slice(next);
        }
        let (origin, accounts) = state.accounts.split_at(6);
        self.origin.as_flattened_mut().copy_from_slice(origin);
        self.accounts.restore(accounts);
        if let Some(local) = &mut self.local {
            local.restore(&state.local);
        }
        self.refill();
        true
    }
}
