//! Gap functions `phi(t, q) >= 0` [FET03 (2.1), 5.4]: the admissible set of a system in generalised coordinates. A gap knows no step.

use super::{ContactLaw, Simultaneous};
use crate::archive::{Archive, Persist};
use crate::model::Bounds;
use std::sync::Arc;

/// A smooth piece of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Piece {
    /// The number of the gap.
    pub gap: usize,
    /// The number of the piece.
    pub number: u64,
}

impl Persist for Piece {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.gap).pass(&mut self.number);
    }
}

/// `m` conditions `phi_k(t, q) >= 0` on `n` coordinates.
///
/// Values and derivatives are written as those of a [`Constraint`](crate::model::Constraint); the system may be on either side of that, but not below.
///
/// A gap may have corners: smooth pieces that meet. Where they meet as a minimum, all of them must stay positive; where they meet as
/// a maximum, one of them suffices. The smooth pieces are numbered; the default is one piece, number 0.
pub trait Gap: Send + Sync {
    /// The number `m`.
    fn count(&self) -> usize;

    /// Writes `phi`, `phi_q` and `phi_t`. What is always zero may keep the zero that [`Bounds::new`] gave it.
    fn first(&self, t: f64, q: &[f64], out: &mut Bounds);

    /// Also writes the second derivatives `phi_qq` and `phi_tq`.
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds);

    /// Whether every gap is an affine function of the place, at all times the same.
    fn flat(&self) -> bool {
        false
    }

    /// Writes only `phi`: what every step asks for, most often to find that all gaps are open.
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let mut bounds = Bounds::new(q.len(), self.count());
        self.first(t, q, &mut bounds);
        out.copy_from_slice(bounds.value());
    }

    /// The pieces of a gap that meet at a place, their values differing by at most `within`: it stays open if all pieces of one of
    /// the lists do.
    fn pieces(&self, _gap: usize, _t: f64, _q: &[f64], _within: f64) -> Vec<Vec<u64>> {
        vec![vec![0]]
    }

    /// Whether one piece of a gap alone counts at a place.
    fn smooth_at(&self, _gap: usize, _t: f64, _q: &[f64]) -> bool {
        true
    }

    /// As [`second`](Self::second), or [`first`](Self::first) if `twice` is not set, with a gap replaced by one of its pieces. What
    /// is written for the other gaps does not count.
    fn piece(&self, _piece: Piece, t: f64, q: &[f64], twice: bool, out: &mut Bounds) {
        if twice { self.second(t, q, out) } else { self.first(t, q, out) }
    }

    /// How many velocities say how the points that touch slip over each other; 0 to let the kinetic energy decide what is
    /// tangential.
    fn slips(&self, _gap: usize) -> usize {
        0
    }

    /// Writes these velocities `T v + c`: the rows of `T` and the `c`.
    fn slip(&self, _gap: usize, _t: f64, _q: &[f64], _rows: &mut [f64], _rest: &mut [f64]) {}
}

impl<G: Gap + ?Sized> Gap for Arc<G> {
    fn count(&self) -> usize {
        (**self).count()
    }
    #[inline]
    fn first(&self, t: f64, q: &[f64], out: &mut Bounds) {
        (**self).first(t, q, out);
    }
    #[inline]
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
        (**self).second(t, q, out);
    }
    fn flat(&self) -> bool {
        (**self).flat()
    }
    #[inline]
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]) {
        (**self).values(t, q, out);
    }
    fn pieces(&self, gap: usize, t: f64, q: &[f64], within: f64) -> Vec<Vec<u64>> {
        (**self).pieces(gap, t, q, within)
    }
    #[inline]
    fn smooth_at(&self, gap: usize, t: f64, q: &[f64]) -> bool {
        (**self).smooth_at(gap, t, q)
    }
    fn piece(&self, piece: Piece, t: f64, q: &[f64], twice: bool, out: &mut Bounds) {
        (**self).piece(piece, t, q, twice, out);
    }
    fn slips(&self, gap: usize) -> usize {
        (**self).slips(gap)
    }
    fn slip(&self, gap: usize, t: f64, q: &[f64], rows: &mut [f64], rest: &mut [f64]) {
        (**self).slip(gap, t, q, rows, rest);
    }
}

/// Gaps and their laws, one for each.
#[derive(Clone)]
pub struct Gaps {
    /// Where the system may be.
    pub gap: Arc<dyn Gap>,
    /// What happens where it touches.
    pub laws: Vec<ContactLaw>,
    /// What happens where it touches at several places at once.
    pub simultaneous: Simultaneous,
}

impl Gaps {
    /// Gaps with a law for each.
    pub fn new(gap: Arc<dyn Gap>, laws: Vec<ContactLaw>) -> Self {
        Gaps { gap, laws, simultaneous: Simultaneous::default() }
    }
}
