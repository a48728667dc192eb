//! The iteration at level boundaries, where the slower level acts with its envelope, by several threads or by one.

use super::super::level_part::{KickTime, SharedArrays, Thread};
use super::{HarmonicWorkers, Tick};
use crate::integrate::avi::envelope::{EnvelopePart, LevelBoundary};
use crate::model::Potentials;
use std::sync::atomic::Ordering;

impl<'a, P: Potentials> HarmonicWorkers<'a, P> {
    /// Sets the boundaries of levels, and each thread's part of them.
    pub(in super::super) fn set_boundaries(
        &mut self,
        parts: &'a [Vec<Option<EnvelopePart>>],
        boundaries: &'a [Option<LevelBoundary>],
    ) {
        self.boundary_parts = parts;
        self.boundaries = boundaries;
    }

    /// The boundary of the level that fires at a tick. With an envelope levels fire alone.
    pub(super) fn boundary(&self, tick: &Tick) -> Option<&'a LevelBoundary> {
        self.boundaries.get(tick.levels.start).and_then(Option::as_ref)
    }

    /// The iteration at a level boundary by one thread; whether it succeeded, or there is none.
    pub(super) unsafe fn iterate_alone(
        &self,
        tick: &Tick,
        arrays: &SharedArrays<'_, P>,
        scratch: &mut [f64],
    ) -> bool {
        let Some(boundary) = self.boundary(tick) else { return true };
        let mut overflow_safe = self.overflow_tick.load(Ordering::Relaxed) != tick.number;
        let mut thread = Thread { number: 0, scratch };
        // The owners of nodes do not matter here.
        let alone = SharedArrays { owner: &[], ..*arrays };
        let at = (tick.time, self.slot(tick, tick.levels.start));
        // SAFETY: guaranteed by this function's contract: the other threads wait.
        let iterated = unsafe { boundary.whole.iterate(&alone, at, &mut overflow_safe, &mut thread) };
        if !overflow_safe {
            self.overflow_tick.store(tick.number, Ordering::Relaxed);
        }
        if let Err(failure) = iterated {
            self.fail_at(tick.levels.start, failure);
            return false;
        }
        true
    }

    /// A thread's part of the iteration at a level boundary; whether it succeeded, `None` if the barrier was released.
    pub(super) unsafe fn iterate_together(
        &self,
        tick: &Tick,
        me: usize,
        arrays: &SharedArrays<'_, P>,
        scratch: &mut [f64],
    ) -> Option<bool> {
        let level = tick.levels.start;
        let Some(part) = &self.boundary_parts[me][level] else { return Some(true) };
        let mut thread = Thread { number: me as u8, scratch };
        // SAFETY: these nodes are owned by this thread, and others do not read these arrays now.
        unsafe { part.begin(arrays) };
        for j in 0..part.iterations() {
            let overflow_safe = self.overflow_tick.load(Ordering::Relaxed) != tick.number;
            let time = KickTime { t: tick.time, overflow_safe, slot: self.slot(tick, level).uncommitted() };
            // SAFETY: no thread moves nodes.
            if let Err(failure) = unsafe { part.evaluate(arrays, time, &mut thread) } {
                self.fail_at(level, failure);
            }
            if !self.barrier.wait() {
                return None;
            }
            // No thread can fail again before the next barrier.
            if self.failed.load(Ordering::Relaxed) {
                return Some(false);
            }
            // SAFETY: these nodes are owned by this thread, and no thread evaluates.
            if !unsafe { part.update(arrays, j) } {
                self.overflow_tick.store(tick.number, Ordering::Relaxed);
            }
            if !self.barrier.wait() {
                return None;
            }
        }
        Some(true)
    }

    /// Takes the shared nodes of a level that could not act back to where they are.
    pub(super) unsafe fn abandon_boundary(&self, tick: &Tick) {
        if let Some(boundary) = self.boundary(tick) {
            // SAFETY: guaranteed by this function's contract.
            unsafe { boundary.abandon(&self.arrays) };
        }
    }
}
