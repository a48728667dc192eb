//! The history of elements with memory in asynchronous runs.
//!
//! An element is updated and committed at its events, at the positions at which its force is taken: with an
//! [envelope](super::Boundary::Envelope) those of the final force. Between two barriers several threads may evaluate an element of which each has
//! nodes. There are therefore two slots for every element: all threads read the one of the last commit, the owner of its first node
//! alone writes the other, and the next barrier publishes it. Which slot is which follows from the number of events, so that nothing
//! else is shared.

use crate::model::solid::MAX_NODES;
use crate::model::{EventHistory, HistoryEnergy, Past, PotentialFault, Potentials};

/// The history of all elements, in two slots; empty if none has memory.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    /// Where the numbers of each element begin, and where those of the last end.
    first: Vec<usize>,
    /// For each element the time since the start of a commit, then its history.
    slots: [Vec<f64>; 2],
}

/// Which slot an evaluation reads, and whether it is committed to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    read: usize,
    commits: bool,
}

impl Slot {
    /// For an evaluation between events, of an element that has had so many.
    pub fn between_events(count: u64) -> Self {
        Slot { read: (count % 2) as usize, commits: false }
    }

    /// For the event after which an element has had so many; the kick at the origin is before the first and commits nothing.
    pub fn of_event(count: u64) -> Self {
        match count {
            0 => Slot::between_events(0),
            count => Slot { read: ((count - 1) % 2) as usize, commits: true },
        }
    }

    /// The same without a commit.
    pub fn uncommitted(self) -> Self {
        Slot { commits: false, ..self }
    }
}

impl History {
    /// That of elements which have never been deformed, at the start.
    pub fn new<P: Potentials>(potentials: &P) -> Self {
        let count = potentials.count();
        if (0..count).all(|k| potentials.history_size(k) == 0) {
            return History::default();
        }
        let mut first = vec![0];
        let mut slot = Vec::new();
        for k in 0..count {
            let size = potentials.history_size(k);
            if size > 0 {
                let begin = slot.len();
                slot.resize(begin + 1 + size, 0.0);
                potentials.first_history(k, &mut slot[begin + 1..]);
            }
            first.push(slot.len());
        }
        History { first, slots: [slot.clone(), slot] }
    }

    /// Whether no element has memory.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        size_of::<usize>() * self.first.capacity()
            + self.slots.iter().map(|s| size_of::<f64>() * s.capacity()).sum::<usize>()
    }

    /// The history of an element that has had so many events since the origin, as seen from a time since the start; `None` without memory.
    pub fn past(&self, k: usize, count: u64, t: f64) -> Option<Past<'_>> {
        let all =
            self.first.get(k).map(|begin| &self.slots[(count % 2) as usize][*begin..self.first[k + 1]])?;
        let (committed, history) = all.split_first()?;
        Some(Past { history, dt: t - committed })
    }

    /// The history of all elements after these numbers of events.
    pub fn save(&self, count: impl Fn(usize) -> u64) -> Vec<f64> {
        let elements = 0..self.first.len().saturating_sub(1);
        let own = |k: usize| &self.slots[(count(k) % 2) as usize][self.first[k]..self.first[k + 1]];
        elements.flat_map(own).copied().collect()
    }

    /// Continues with a history that was [saved](Self::save), whatever the numbers of events are.
    pub fn restore(&mut self, saved: &[f64]) {
        self.slots.iter_mut().for_each(|slot| slot.copy_from_slice(saved));
    }

    /// A handle for threads.
    pub fn share(&mut self) -> SharedHistory {
        let [one, other] = &mut self.slots;
        SharedHistory {
            elements: self.first.len().saturating_sub(1),
            first: self.first.as_ptr(),
            slots: [one.as_mut_ptr(), other.as_mut_ptr()],
        }
    }
}

/// [`History`] shared by threads.
///
/// # Safety
/// It is used only while the [`History`] from which it was made is borrowed. No thread reads the slot of an element that another one writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedHistory {
    elements: usize,
    first: *const usize,
    slots: [*mut f64; 2],
}

// SAFETY: the contract above.
unsafe impl Send for SharedHistory {}
// SAFETY: as above.
unsafe impl Sync for SharedHistory {}

impl SharedHistory {
    /// Whether an element has memory.
    #[inline]
    pub fn has(&self, k: usize) -> bool {
        // SAFETY: `k` is below the number of elements, and there is one more number.
        k < self.elements && unsafe { *self.first.add(k + 1) > *self.first.add(k) }
    }

    /// That of a list of elements at a time since the start, if any element has memory.
    pub fn at_event<'a>(&self, list: &'a [u32], t: f64, slot: Slot) -> Option<EventHistory<'a>> {
        let write = slot.commits.then_some(self.slots[1 - slot.read]);
        // SAFETY: the contract of `SharedHistory`.
        (self.elements > 0)
            .then(|| unsafe { EventHistory::new(t, list, self.first, (self.slots[slot.read], write)) })
    }

    /// Writes the gradient of an element with memory at a time since the start, from the positions of its own nodes, and commits.
    ///
    /// # Safety
    /// The contract of [`SharedHistory`]: if the slot commits, no other thread uses the slot of this element that is written.
    pub unsafe fn update<P: Potentials>(
        &self,
        potentials: &P,
        k: usize,
        (t, slot): (f64, Slot),
        own: &[f64],
        gradient: &mut [f64],
    ) -> Result<HistoryEnergy, PotentialFault> {
        assert!(self.has(k), "an element with memory");
        // SAFETY: the numbers of the element are within both slots; by contract nobody writes the one and reads the other.
        let (committed, history, after) = unsafe {
            let begin = *self.first.add(k);
            let size = *self.first.add(k + 1) - begin;
            let read = std::slice::from_raw_parts(self.slots[slot.read].add(begin), size);
            let write = slot
                .commits
                .then(|| std::slice::from_raw_parts_mut(self.slots[1 - slot.read].add(begin), size));
            (read[0], &read[1..], write)
        };
        let past = Past { history, dt: t - committed };
        let Some((time, after)) = after.and_then(|after| after.split_first_mut()) else {
            return potentials.update(k, own, past, gradient, None);
        };
        *time = t;
        potentials.update(k, own, past, gradient, Some(after))
    }

    /// As [`update`](Self::update), from the positions of all nodes.
    ///
    /// # Safety
    /// As for [`update`](Self::update).
    pub unsafe fn update_in<P: Potentials>(
        &self,
        potentials: &P,
        k: usize,
        at: (f64, Slot),
        x: &[f64],
        gradient: &mut [f64],
    ) -> Result<HistoryEnergy, PotentialFault> {
        let mut own = [0.0; 3 * MAX_NODES];
        let nodes = potentials.nodes(k);
        for (own, a) in own.chunks_exact_mut(3).zip(nodes) {
            own.copy_from_slice(&x[3 * *a as usize..][..3]);
        }
        // SAFETY: guaranteed by this function's contract.
        unsafe { self.update(potentials, k, at, &own[..3 * nodes.len()], gradient) }
    }
}
