//! The constraints of a leg: those of the system, gaps of persistent contacts, and slips of those that stick.

use super::persistent::ClosedAt;
use crate::archive::{Archive, Persist};
use crate::contact::Gap;
use crate::model::{Bounds, Constraint};
use std::sync::{Arc, Mutex, PoisonError};

/// A slip `row . (q - from) + rest (t - since)` that stays zero.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stick {
    pub row: Vec<f64>,
    pub rest: f64,
    pub from: Vec<f64>,
    pub since: f64,
}

/// All of them as one set of constraints: those of the system, then gaps, then slips.
pub struct Ties<G> {
    n: usize,
    system: Option<Arc<dyn Constraint>>,
    gaps: Arc<G>,
    closed: Vec<ClosedAt>,
    sticks: Vec<Stick>,
    /// Where gaps and constraints write what is then put together.
    room: Mutex<[Bounds; 2]>,
}

impl<G: Gap> Ties<G> {
    /// Those of `n` coordinates; `None` if there are none.
    pub fn new(
        n: usize,
        system: Option<Arc<dyn Constraint>>,
        gaps: &Arc<G>,
        closed: Vec<ClosedAt>,
        sticks: Vec<Stick>,
    ) -> Option<Self> {
        if system.is_none() && closed.is_empty() && sticks.is_empty() {
            return None;
        }
        let own = system.as_ref().map_or(0, |c| c.count());
        let room = Mutex::new([Bounds::new(n, own), Bounds::new(n, gaps.count())]);
        Some(Ties { n, system, gaps: Arc::clone(gaps), closed, sticks, room })
    }

    /// How many are the system's own.
    pub fn own(&self) -> usize {
        self.system.as_ref().map_or(0, |c| c.count())
    }

    fn write(&self, t: f64, q: &[f64], twice: bool, out: &mut Bounds) {
        let (n, own) = (self.n, self.own());
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        let [system, gaps] = &mut *room;
        if let Some(constraint) = &self.system {
            if twice {
                constraint.second(t, q, system)
            } else {
                constraint.first(t, q, system)
            }
            (0..own).for_each(|a| out.copy(a, system, a));
        }
        for (a, ClosedAt { piece, .. }) in self.closed.iter().enumerate() {
            self.gaps.piece(*piece, t, q, twice, gaps);
            out.copy(own + a, gaps, piece.gap);
        }
        let out = out.parts();
        for (a, ClosedAt { value, .. }) in self.closed.iter().enumerate() {
            out.value[own + a] -= value;
        }
        for (a, stick) in self.sticks.iter().enumerate() {
            let a = own + self.closed.len() + a;
            let along: f64 = (0..n).map(|i| stick.row[i] * (q[i] - stick.from[i])).sum();
            out.value[a] = along + stick.rest * (t - stick.since);
            out.dt[a] = stick.rest;
            out.dq[a * n..(a + 1) * n].copy_from_slice(&stick.row);
        }
    }
}

impl<G: Gap> Constraint for Ties<G> {
    fn count(&self) -> usize {
        self.own() + self.closed.len() + self.sticks.len()
    }
    fn first(&self, t: f64, q: &[f64], out: &mut Bounds) {
        self.write(t, q, false, out);
    }
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
        self.write(t, q, true, out);
    }
}

impl Persist for Stick {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.row).pass(&mut self.rest).pass(&mut self.from).pass(&mut self.since);
    }
}
