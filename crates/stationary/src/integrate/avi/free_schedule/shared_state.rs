//! The state on which all subdomains work, and the execution of one event on it.

use super::super::envelope::EnvelopeArrays;
use super::super::external::{LoadTime, Turns};
use super::super::harmonic_schedule::level_part::{ElementFailure, SharedArrays, Thread};
use super::super::history::{SharedHistory, Slot};
use super::super::work_balance::SharedWorkBalance;
use super::super::{AviError, Event};
use crate::model::{Potentials, prefetch};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// One event of an element, with the time by which it multiplies forces.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeightedEvent {
    pub element: usize,
    pub time: f64,
    pub weight: f64,
    /// The history from which an element with memory is updated, and whether it is committed.
    pub slot: Slot,
}

/// The data of a node that an event needs, in one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct NodeState {
    pub x: [f64; 3],
    pub v: [f64; 3],
    pub node_time: f64,
    /// One over the mass.
    pub inverse_mass: f64,
}

/// The clock of an element.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct ElementClock {
    pub step: f64,
    /// Number of events so far. Other subdomains read it, and must then see what the last event wrote.
    pub events: u64,
    /// The number of the element in the border of its subdomain, or [`INSIDE`](super::partition::INSIDE).
    pub border: u32,
    pub loaded_or_fixed: bool,
}

/// An [`ElementClock`] whose count several threads use.
pub(super) struct SharedClock<'a> {
    pub step: f64,
    pub events: &'a AtomicU64,
    pub border: u32,
    pub loaded_or_fixed: bool,
}

/// The nodes and the clocks of the elements, shared by threads.
pub(super) struct Arrays<'a> {
    nodes: *mut NodeState,
    node_count: usize,
    clocks: *mut ElementClock,
    element_count: usize,
    borrowed: PhantomData<&'a mut NodeState>,
}

impl<'a> Arrays<'a> {
    pub fn new(nodes: &'a mut [NodeState], clocks: &'a mut [ElementClock]) -> Self {
        Arrays {
            node_count: nodes.len(),
            element_count: clocks.len(),
            nodes: nodes.as_mut_ptr(),
            clocks: clocks.as_mut_ptr(),
            borrowed: PhantomData,
        }
    }
}

/// The state on which all subdomains work.
///
/// A subdomain executes an event only if no element of another subdomain that shares a node with it has an earlier event
/// (`Subdomain::waits_for`). A node is therefore never used by two threads at once, and the next thread sees what the last one
/// wrote: counts of events are written after the nodes (release) and read before them (acquire).
pub(super) struct SharedState<'a, P> {
    pub potentials: &'a P,
    pub start: f64,
    /// The time since the start from which events are counted.
    pub origin: f64,
    pub event_shift: f64,
    pub rank: &'a [u32],
    pub mass: &'a [f64],
    pub inverse_mass: &'a [f64],
    pub balance: SharedWorkBalance,
    pub history: SharedHistory,
    pub turns: &'a Turns,
    pub arrays: Arrays<'a>,
}

// SAFETY: nodes are used as described above; all other data are only read.
unsafe impl<P: Sync> Sync for SharedState<'_, P> {}

/// Scratch space of one thread.
#[derive(Default)]
pub(super) struct ThreadScratch {
    /// Positions of the nodes of one element.
    local_x: Vec<f64>,
    /// For the gradient, the dead loads and the follower loads of one element.
    gradient: Vec<f64>,
    /// Arrays of all nodes, in which only those of the current element are up to date: for potentials that need arrays of all nodes.
    copy: Option<NodeCopy>,
    /// The same for what acts from outside.
    external_copy: Option<NodeCopy>,
}

struct NodeCopy {
    x: Vec<f64>,
    v: Vec<f64>,
    node_time: Vec<f64>,
}

impl ThreadScratch {
    /// For elements of at most so many nodes.
    pub fn new(widest: usize) -> Self {
        ThreadScratch { local_x: vec![0.0; 3 * widest], gradient: vec![0.0; 9 * widest], ..Self::default() }
    }
}

impl<P: Potentials> SharedState<'_, P> {
    fn node(&self, a: u32) -> *mut NodeState {
        assert!((a as usize) < self.arrays.node_count, "a node of the mesh");
        // SAFETY: `a` is below the number of nodes.
        unsafe { self.arrays.nodes.add(a as usize) }
    }

    /// The clock of an element, of which only the count changes.
    #[inline]
    pub fn clock(&self, k: usize) -> SharedClock<'_> {
        assert!(k < self.arrays.element_count, "an element of the mesh");
        // SAFETY: `k` is below the number of elements; the count is only used through atomics as long as `self` exists.
        unsafe {
            let clock = self.arrays.clocks.add(k);
            SharedClock {
                step: (*clock).step,
                events: AtomicU64::from_ptr(&raw mut (*clock).events),
                border: (*clock).border,
                loaded_or_fixed: (*clock).loaded_or_fixed,
            }
        }
    }

    /// The time since the start of the next event of an element that has had so many events since the origin.
    #[inline]
    pub fn time(&self, events: u64, step: f64) -> f64 {
        self.origin + ((events + 1) as f64 - self.event_shift) * step
    }

    /// Whether an event comes before the next event of an element of another subdomain. If so, all that this element did before is
    /// visible.
    #[inline]
    pub fn before(&self, event: &Event, other: u32) -> bool {
        let clock = self.clock(other as usize);
        let time = self.time(clock.events.load(Ordering::Acquire), clock.step);
        event.time < time || (event.time == time && event.rank < self.rank[other as usize])
    }

    /// Prefetches the data of an element.
    #[inline]
    pub fn prefetch_element(&self, k: u32) {
        self.potentials.prefetch(k as usize);
        prefetch(self.arrays.clocks.wrapping_add(k as usize));
    }

    /// Prefetches the nodes of an element.
    #[inline]
    pub fn prefetch_nodes(&self, k: u32) {
        for a in self.potentials.nodes(k as usize) {
            prefetch(self.arrays.nodes.wrapping_add(*a as usize));
        }
    }

    /// Moves the nodes of an element to the time of the event and kicks them.
    ///
    /// # Safety
    /// No other thread uses the nodes of the element during this call.
    #[inline]
    pub unsafe fn execute(
        &self,
        event: WeightedEvent,
        loaded_or_fixed: bool,
        scratch: &mut ThreadScratch,
    ) -> Result<(), AviError> {
        let WeightedEvent { element: k, time, weight, .. } = event;
        if loaded_or_fixed {
            // SAFETY: guaranteed by this function's contract.
            return unsafe { self.execute_loaded_or_fixed(event, scratch) };
        }
        let nodes = self.potentials.nodes(k);
        let local_x = &mut scratch.local_x[..3 * nodes.len()];
        for (&a, x) in nodes.iter().zip(local_x.chunks_exact_mut(3)) {
            // SAFETY: guaranteed by this function's contract.
            let node = unsafe { &mut *self.node(a) };
            let ahead = time - node.node_time;
            for i in 0..3 {
                node.x[i] += ahead * node.v[i];
            }
            x.copy_from_slice(&node.x);
            node.node_time = time;
        }
        let gradient = &mut scratch.gradient[..3 * nodes.len()];
        let known = if self.history.has(k) {
            // SAFETY: an element belongs to one subdomain, and so to one thread.
            let updated =
                unsafe { self.history.update(self.potentials, k, (time, event.slot), local_x, gradient) };
            Some(updated.map(|energy| energy.stored))
        } else {
            self.potentials.gradient_local(k, self.start + time, local_x, gradient)
        };
        let result = known.unwrap_or_else(|| {
            let copy = scratch.copy.get_or_insert_with(|| NodeCopy::new(self.arrays.node_count));
            for (&a, x) in nodes.iter().zip(local_x.chunks_exact(3)) {
                copy.x[3 * a as usize..][..3].copy_from_slice(x);
            }
            self.potentials.gradient(k, self.start + time, &copy.x, gradient)
        });
        result.map_err(|fault| AviError { time: self.start + time, fault })?;
        for (&a, gradient) in nodes.iter().zip(gradient.chunks_exact(3)) {
            // SAFETY: guaranteed by this function's contract.
            let node = unsafe { &mut *self.node(a) };
            for i in 0..3 {
                node.v[i] -= weight * node.inverse_mass * gradient[i];
            }
        }
        if self.balance.nodal_loads.any() {
            // SAFETY: guaranteed by this function's contract.
            unsafe { self.apply_nodal_loads(k, weight) };
        }
        Ok(())
    }

    /// Applies the constant nodal forces that act with an element.
    ///
    /// # Safety
    /// As for [`execute`](Self::execute): the thread that uses a node also uses the sums of its force.
    #[inline]
    unsafe fn apply_nodal_loads(&self, k: usize, weight: f64) {
        let nodal_loads = &self.balance.nodal_loads;
        for &a in self.potentials.nodes(k) {
            // SAFETY: guaranteed by this function's contract.
            unsafe {
                if nodal_loads.force_with(k, a).is_some() {
                    let node = &mut *self.node(a);
                    nodal_loads.apply(a, weight, node.inverse_mass, node.x, &mut node.v);
                }
            }
        }
    }

    /// The arrays in which the nodes of one element are copies.
    fn arrays_of(&self, copy: &mut NodeCopy) -> SharedArrays<'_, P> {
        SharedArrays {
            start: self.start,
            potentials: self.potentials,
            x: copy.x.as_mut_ptr(),
            v: copy.v.as_mut_ptr(),
            node_time: copy.node_time.as_mut_ptr(),
            at: std::ptr::null_mut(),
            mass: self.mass.as_ptr(),
            inverse_mass: self.inverse_mass.as_ptr(),
            envelope: EnvelopeArrays::NONE,
            history: self.history,
            balance: self.balance,
            nodes: self.arrays.node_count,
            owner: &[],
        }
    }

    /// As [`execute`](Self::execute), for an element with a node on which a load or a support acts.
    unsafe fn execute_loaded_or_fixed(
        &self,
        event: WeightedEvent,
        scratch: &mut ThreadScratch,
    ) -> Result<(), AviError> {
        let k = event.element as u32;
        let turn = self.turns.of(event.element);
        let dead = self.turns.dead(turn);
        let nodes = self.potentials.nodes(event.element);
        let mut copy = scratch.external_copy.take().unwrap_or_else(|| NodeCopy::new(self.arrays.node_count));
        // SAFETY: guaranteed by this function's contract: the thread that uses a node also uses its balance.
        let result = unsafe {
            self.copy_nodes(nodes, &mut copy);
            self.arrays_of(&mut copy).drift_element(k, event.time);
            self.arrays_of(&mut copy).open_element(k, turn);
            self.return_nodes(nodes, &copy);
            let kicked = self.execute(event, false, scratch);
            self.copy_nodes(nodes, &mut copy);
            let arrays = self.arrays_of(&mut copy);
            let mut thread = Thread { number: 0, scratch: &mut scratch.gradient };
            let time = LoadTime { t: event.time, weight: event.weight, first: false };
            let closed = kicked.and_then(|()| {
                let fault = |f: ElementFailure| AviError { time: self.start + event.time, fault: f.fault };
                arrays.close_element(k, time, (turn, dead.as_deref()), &mut thread).map_err(fault)
            });
            self.return_nodes(nodes, &copy);
            closed
        };
        scratch.external_copy = Some(copy);
        result
    }

    /// # Safety
    /// No other thread uses these nodes.
    unsafe fn copy_nodes(&self, nodes: &[u32], copy: &mut NodeCopy) {
        for &a in nodes {
            // SAFETY: guaranteed by this function's contract.
            let node = unsafe { &*self.node(a) };
            copy.x[3 * a as usize..][..3].copy_from_slice(&node.x);
            copy.v[3 * a as usize..][..3].copy_from_slice(&node.v);
            copy.node_time[a as usize] = node.node_time;
        }
    }

    /// # Safety
    /// As for [`copy_nodes`](Self::copy_nodes).
    unsafe fn return_nodes(&self, nodes: &[u32], copy: &NodeCopy) {
        for &a in nodes {
            // SAFETY: guaranteed by this function's contract.
            let node = unsafe { &mut *self.node(a) };
            node.x.copy_from_slice(&copy.x[3 * a as usize..][..3]);
            node.v.copy_from_slice(&copy.v[3 * a as usize..][..3]);
            node.node_time = copy.node_time[a as usize];
        }
    }
}

impl NodeCopy {
    fn new(nodes: usize) -> Self {
        NodeCopy { x: vec![0.0; 3 * nodes], v: vec![0.0; 3 * nodes], node_time: vec![0.0; nodes] }
    }
}
