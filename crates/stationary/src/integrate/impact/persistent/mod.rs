//! Persistent contacts: gaps that stay closed, from where a bounce would be too short to follow until nothing presses any more.
//!
//! A persistent contact is one more constraint of the legs, with the impulses `mu_j >= 0` at their points. What presses is found from
//! short legs that are free of the gaps, one forward and one backward: `a_k`, the second derivative of gap `k` in time. The forces that
//! keep the gaps closed solve `a + W lambda = 0`, `W_kj = n_k . R n_j` ([`forces`]). A contact ends where its `lambda` vanishes: the leg is
//! cut there ([`change`]).
//!
//! Friction of a contact that slides is `-mu lambda s/|s|` on its slip `s`: at every point of the leg the impulse of the gap times that.
//! Where the slip vanishes the leg is cut and the slip is kept at zero, as a constraint `T (Q_j - q_0) + c (t_j - t_0) = 0` with `T`
//! taken in the middle of the leg, as long as the impulse that this takes is at most `mu` times that of the gap ([`friction`]).

mod begin;
mod change;
mod directions;
mod forces;
mod friction;

pub(super) use change::Change;
pub(super) use forces::Followed;

use super::Colliding;
use super::ties::{Stick, Ties};
use crate::action::DiscreteLagrangian;
use crate::archive::{Archive, Persist};
use crate::contact::generalised::{Arrival, GapTouch, Metric, Slip};
use crate::contact::{Gap, Piece};
use crate::error::Cause;
use crate::model::Bounds;
use std::ops::Range;

/// A gap that stays closed.
#[derive(Debug, Clone)]
pub struct PersistentContact {
    pub piece: Piece,
    /// The value at which the gap is kept: zero, or what it was if the contact began before the gap closed. Were it brought to zero, a short
    /// leg would gain the velocity that takes.
    pub value: f64,
    pub mode: SlipMode,
    /// Mean force of the last leg, not a number before there is one.
    pub force: f64,
}

/// A gap that a leg keeps at a value.
#[derive(Debug, Clone, Copy)]
pub struct ClosedAt {
    pub piece: Piece,
    /// Zero but for rounding.
    pub value: f64,
}

impl PersistentContact {
    /// The constraint of a leg.
    fn closed_at(&self) -> ClosedAt {
        ClosedAt { piece: self.piece, value: self.value }
    }
}

/// What the points of a persistent contact do.
#[derive(Debug, Clone, PartialEq)]
pub enum SlipMode {
    /// There is no friction.
    Smooth,
    /// Nothing slips.
    Stick,
    /// They slip in this direction.
    Slide(Vec<f64>),
}

/// Friction of a persistent contact in the present leg.
#[derive(Debug, Clone)]
pub struct FrictionRows {
    /// The number of the contact.
    pub(super) contact: usize,
    /// Rows of the ties that keep it from slipping.
    pub(super) rows: Range<usize>,
    coefficient: f64,
    /// Impulses up to this are rounding: of velocities, and of places over the length of the leg.
    noise: [f64; 2],
}

/// Slips below this, relative to the terms they are made of, are rounding.
const SLIP_NOISE: f64 = 1e-13;

/// A state with its momentum.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment<'a> {
    pub t: f64,
    pub q: &'a [f64],
    pub p: &'a [f64],
}

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// Whether a gap is persistently closed, by itself or because others are.
    pub(super) fn persists(&self, gap: usize) -> bool {
        self.persistent.iter().any(|x| x.piece.gap == gap) || self.redundant.contains(&gap)
    }

    /// The gaps that are kept closed.
    fn closed(&self) -> Vec<ClosedAt> {
        self.persistent.iter().map(PersistentContact::closed_at).collect()
    }

    /// The constraints of the system with these gaps and slips; `None` if there are none at all.
    pub(super) fn ties(&self, n: usize, closed: Vec<ClosedAt>, sticks: Vec<Stick>) -> Option<Ties<G>> {
        Ties::new(n, self.system.clone(), &self.gaps, closed, sticks)
    }

    /// A persistent contact at a place.
    fn persistent_touch(&self, i: usize, metric: &Metric, t: f64, q: &[f64]) -> GapTouch {
        let piece = self.persistent[i].piece;
        let mut room = Bounds::new(q.len(), self.gaps.count());
        self.gaps.piece(piece, t, q, false, &mut room);
        let normal = room.gradient(piece.gap).to_vec();
        let dt = room.dt()[piece.gap];
        let response = metric.response(&normal);
        let value = room.value()[piece.gap];
        GapTouch { piece, value, normal, dt, response, rate: 0.0, rounding: 0.0 }
    }

    /// All of them.
    fn persistent_touches(&self, metric: &Metric, t: f64, q: &[f64]) -> Vec<GapTouch> {
        (0..self.persistent.len()).map(|i| self.persistent_touch(i, metric, t, q)).collect()
    }

    fn persistent_slip(&self, i: usize, at: Arrival<'_>) -> Result<Slip, Cause> {
        let metric = self.metric(at)?;
        let all = self.persistent_touches(&metric, at.t, at.q);
        Ok(self.slip(&all[i], &all, &metric, at))
    }
}

impl Default for PersistentContact {
    fn default() -> Self {
        let piece = Piece::default();
        PersistentContact { piece, value: 0.0, mode: SlipMode::Smooth, force: f64::NAN }
    }
}

impl Persist for PersistentContact {
    fn pass(&mut self, archive: &mut Archive) {
        let mut mode = match &self.mode {
            SlipMode::Smooth => (0, Vec::new()),
            SlipMode::Stick => (1, Vec::new()),
            SlipMode::Slide(direction) => (2, direction.clone()),
        };
        archive.pass(&mut self.piece).pass(&mut self.value).pass(&mut mode).pass(&mut self.force);
        self.mode = match mode {
            (0usize, _) => SlipMode::Smooth,
            (1, _) => SlipMode::Stick,
            (2, direction) => SlipMode::Slide(direction),
            (other, _) => return archive.refuse(format!("slip mode {other} of a persistent contact")),
        };
    }
}

impl Default for FrictionRows {
    fn default() -> Self {
        FrictionRows { contact: 0, rows: 0..0, coefficient: 0.0, noise: [0.0; 2] }
    }
}

impl Persist for FrictionRows {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.contact).pass(&mut self.rows.start).pass(&mut self.rows.end);
        archive.pass(&mut self.coefficient).pass(&mut self.noise);
    }
}
