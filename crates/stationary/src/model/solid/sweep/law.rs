//! The law at the quadrature points of a group of elements, and the past of laws with memory.

use super::super::lanes::WIDEST;
use super::super::material::{Inelastic, Material, PastBatch, PointBatch, Side};
use crate::model::Past;
use std::ops::Range;

/// The law of a sweep.
pub(in crate::model::solid) trait Law {
    /// Whether it has memory.
    const REMEMBERS: bool = false;
    /// Prepares the elements from `k` on, and writes what each of their points has dissipated so far.
    fn begin(&mut self, _k: usize, _committed: &mut [Side]) {}
    /// Evaluates the points of groups, with memory those of one; false where it cannot evaluate all elements.
    fn evaluate(&mut self, points: &mut [PointBatch]) -> bool;
    /// Commits some lanes of the elements from `k` on.
    fn commit(&mut self, _k: usize, _lanes: Range<usize>) {}
}

/// A law as it is at the start.
pub(in crate::model::solid) struct Elastic<'a>(pub &'a dyn Material);

impl Law for Elastic<'_> {
    fn evaluate(&mut self, points: &mut [PointBatch]) -> bool {
        self.0.stress_batch(points)
    }
}

/// The past of the elements that are swept.
pub(in crate::model::solid) trait Pasts<'a> {
    /// That of an element.
    fn past(&self, k: usize) -> Past<'a>;
    /// Whether any update is committed.
    fn commits(&self) -> bool;
    /// Where the history of an element is committed, if it is.
    fn after(&mut self, k: usize) -> Option<&mut [f64]>;
}

/// A law with memory from a past.
pub(in crate::model::solid) struct Remembering<'l, P> {
    law: &'l dyn Inelastic,
    pub pasts: P,
    /// How many elements have a past; those that fill the last group have the past of the last.
    len: usize,
    /// Numbers of history of a point.
    each: usize,
    before: Vec<Side>,
    after: Vec<Side>,
    dt: Side,
}

impl<'l, P> Remembering<'l, P> {
    pub fn new(law: &'l dyn Inelastic, points: usize, len: usize, pasts: P) -> Self {
        let each = law.history_size();
        let room = vec![[0.0; WIDEST]; points * each];
        Remembering { law, pasts, len, each, before: room.clone(), after: room, dt: [0.0; WIDEST] }
    }
}

impl<'a, P: Pasts<'a>> Law for Remembering<'_, P> {
    const REMEMBERS: bool = true;

    fn begin(&mut self, k: usize, committed: &mut [Side]) {
        for lane in 0..WIDEST {
            let past = self.pasts.past((k + lane).min(self.len - 1));
            self.dt[lane] = past.dt;
            self.before.iter_mut().zip(past.history).for_each(|(side, number)| side[lane] = *number);
        }
        for (committed, before) in committed.iter_mut().zip(self.before.chunks_exact(self.each)) {
            *committed = before[self.each - 1];
        }
    }

    fn evaluate(&mut self, points: &mut [PointBatch]) -> bool {
        for (q, at) in points.iter_mut().enumerate() {
            let of_point = q * self.each..(q + 1) * self.each;
            let after = self.pasts.commits().then(|| &mut self.after[of_point.clone()]);
            let past = PastBatch { history: &self.before[of_point], dt: self.dt, after };
            if !self.law.update_batch(at, past) {
                return false;
            }
        }
        true
    }

    fn commit(&mut self, k: usize, lanes: Range<usize>) {
        if !self.pasts.commits() {
            return;
        }
        for lane in lanes {
            if let Some(to) = self.pasts.after(k + lane) {
                to.iter_mut().zip(&self.after).for_each(|(number, side)| *number = side[lane]);
            }
        }
    }
}

/// The past of all elements of a block, one after the other, since one time.
pub(in crate::model::solid) struct BlockPast<'a> {
    pub past: Past<'a>,
    pub after: Option<&'a mut [f64]>,
    /// Numbers of history of an element.
    pub each: usize,
}

impl<'a> Pasts<'a> for BlockPast<'a> {
    fn past(&self, k: usize) -> Past<'a> {
        Past { history: &self.past.history[k * self.each..(k + 1) * self.each], dt: self.past.dt }
    }

    fn commits(&self) -> bool {
        self.after.is_some()
    }

    fn after(&mut self, k: usize) -> Option<&mut [f64]> {
        Some(&mut self.after.as_deref_mut()?[k * self.each..(k + 1) * self.each])
    }
}
