//! Lists of potentials that are evaluated one after another at one time, in a compiled form.

use super::Past;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// Bound on positions and on the stored numbers of a potential below which no energy of an element overflows, as
/// [`CompiledPotentials::kick`] requires.
pub const OVERFLOW_SAFE: f64 = 1e60;

/// Potentials in a fixed order, in a form that is fast to evaluate in this order.
pub trait CompiledPotentials: fmt::Debug + Send + Sync {
    /// Applies `v_a -= (weight / m_a) dV_k/dx_a` of a range of the potentials in order, bit-identical to the evaluation one by one. Stops
    /// before a batch of potentials one of which may have no value; returns the first potential that has not kicked. Potentials with memory
    /// are updated from the history of `kicks`, and committed by who owns their first node; without a history they are as at the start.
    ///
    /// # Safety
    /// `kicks` has numbers for all nodes of the range. During the call no other thread reads or writes the velocities of the nodes that
    /// the potentials were compiled to own, nor what is committed of their history.
    unsafe fn kick(&self, range: Range<usize>, kicks: &NodalKicks<'_>) -> usize;

    /// Memory in bytes.
    fn memory(&self) -> usize;
}

/// The first potentials of a list, as far as one compiled form covers them.
#[derive(Debug, Clone)]
pub struct CompiledPrefix {
    /// How many potentials of the list.
    pub count: usize,
    /// The compiled form; absent if these potentials are to be evaluated one by one.
    pub potentials: Option<Arc<dyn CompiledPotentials>>,
}

/// The nodes to be kicked: positions, inverse masses, velocities, and the common factor of the impulses.
#[derive(Debug, Clone, Copy)]
pub struct NodalKicks<'a> {
    /// Three coordinates and one over the mass of each node; the coordinates of the potentials' nodes are below [`OVERFLOW_SAFE`].
    pub at: &'a [[f64; 4]],
    /// The factor of all gradients: the time step.
    pub weight: f64,
    /// The history of the potentials, if some have memory.
    pub history: Option<EventHistory<'a>>,
    v: *mut f64,
    borrowed: PhantomData<&'a mut [f64]>,
}

impl<'a> NodalKicks<'a> {
    /// For velocities, three numbers a node, that no other thread uses.
    ///
    /// # Panics
    /// If the lengths do not fit each other.
    pub fn new(at: &'a [[f64; 4]], weight: f64, v: &'a mut [f64]) -> Self {
        assert!(v.len() >= 3 * at.len(), "three velocities for each node");
        NodalKicks { at, weight, history: None, v: v.as_mut_ptr(), borrowed: PhantomData }
    }

    /// For velocities that several threads use, each those of its own nodes.
    ///
    /// # Safety
    /// `v` points to three numbers for each node, which live as long as `at`.
    pub unsafe fn shared(at: &'a [[f64; 4]], weight: f64, v: *mut f64) -> Self {
        NodalKicks { at, weight, history: None, v, borrowed: PhantomData }
    }

    /// The velocities of all nodes, three numbers each. Only those of owned nodes may be used.
    #[inline(always)]
    pub fn velocities(&self) -> *mut f64 {
        self.v
    }
}

/// The history of a list of potentials at an event: of each the time of its last commit, then its numbers.
#[derive(Debug, Clone, Copy)]
pub struct EventHistory<'a> {
    /// The time of the event.
    pub t: f64,
    /// The potentials of the list, and where the numbers of each of all potentials begin.
    list: &'a [u32],
    first: *const usize,
    /// The numbers of the last commits, and those of this event unless it commits nothing.
    read: *const f64,
    write: Option<*mut f64>,
}

impl<'a> EventHistory<'a> {
    /// At a time, of these potentials.
    ///
    /// # Safety
    /// `first` points to a number for each of all potentials, `read` and `write` to all histories; they live as long as `list`.
    pub unsafe fn new(
        t: f64,
        list: &'a [u32],
        first: *const usize,
        (read, write): (*const f64, Option<*mut f64>),
    ) -> Self {
        EventHistory { t, list, first, read, write }
    }

    /// Whether updates are committed.
    pub fn commits(&self) -> bool {
        self.write.is_some()
    }

    /// The past of potential `i` of the list, which has so many numbers.
    ///
    /// # Safety
    /// It has as many, and no thread writes them.
    pub unsafe fn past(&self, i: usize, size: usize) -> Past<'a> {
        // SAFETY: guaranteed by the contracts of `new` and of this function.
        let numbers = unsafe {
            let begin = *self.first.add(self.list[i] as usize);
            std::slice::from_raw_parts(self.read.add(begin), size + 1)
        };
        Past { history: &numbers[1..], dt: self.t - numbers[0] }
    }

    /// Commits the time of the event for potential `i` of the list; its numbers are to be written.
    ///
    /// # Safety
    /// It has so many, and no other thread uses them.
    pub unsafe fn commit(&mut self, i: usize, size: usize) -> Option<&mut [f64]> {
        let write = self.write?;
        // SAFETY: guaranteed by the contracts of `new` and of this function.
        let numbers = unsafe {
            let begin = *self.first.add(self.list[i] as usize);
            std::slice::from_raw_parts_mut(write.add(begin), size + 1)
        };
        numbers[0] = self.t;
        Some(&mut numbers[1..])
    }
}
