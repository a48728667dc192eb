//! The state on which all subdomains work, and the execution of one event on it.

use super::super::envelope::EnvelopeArrays;
use super::super::external::LoadTime;
use super::super::harmonic_schedule::level_part::{ElementFailure, SharedArrays, Thread};
use super::super::history::{SharedHistory, Slot};
use super::super::turns::Turns;
use super::super::work_balance::SharedWorkBalance;
use super::super::{AviError, Event};
use super::group::Marks;
use crate::model::{
    IndependentKicks, MOST_LANES, MovingNode, Potentials, RECORD_NODES, RECORD_NUMBERS, prefetch,
};
use std::marker::PhantomData;
use std::sync::Arc;
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

/// What an event needs of an element, in two cache lines.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct ElementRecord {
    pub step: f64,
    /// Number of events so far. Other subdomains read it, and must then see what the last event wrote.
    pub events: AtomicU64,
    /// The number of the element in the border of its subdomain, or [`INSIDE`](super::partition::INSIDE).
    pub border: u32,
    /// The kernel for its events, or [`NO_KERNEL`].
    pub kernel: u16,
    pub loaded_or_fixed: bool,
    /// Nodes and numbers for the kernel.
    pub nodes: [u32; RECORD_NODES],
    pub numbers: [f64; RECORD_NUMBERS],
}

const _: () = assert!(size_of::<ElementRecord>() == 128);

/// Marks an element whose events are executed one by one.
pub(super) const NO_KERNEL: u16 = u16::MAX;

impl Clone for ElementRecord {
    fn clone(&self) -> Self {
        let events = AtomicU64::new(self.events.load(Ordering::Relaxed));
        let ElementRecord { step, border, kernel, loaded_or_fixed, nodes, numbers, .. } = *self;
        ElementRecord { step, events, border, kernel, loaded_or_fixed, nodes, numbers }
    }
}

/// A kernel for events of elements that share no node.
#[derive(Debug, Clone)]
pub(super) struct Kernel {
    pub kicks: Arc<dyn IndependentKicks>,
    /// Number of events that it executes together.
    pub lanes: usize,
    /// Number of nodes of an element.
    pub nodes: usize,
}

impl Kernel {
    pub fn new(kicks: Arc<dyn IndependentKicks>) -> Self {
        let (lanes, nodes) = (kicks.lanes().clamp(1, MOST_LANES), kicks.nodes());
        Kernel { kicks, lanes, nodes }
    }
}

/// The nodes, shared by threads.
pub(super) struct Nodes<'a> {
    first: *mut MovingNode,
    count: usize,
    borrowed: PhantomData<&'a mut MovingNode>,
}

impl<'a> Nodes<'a> {
    pub fn new(nodes: &'a mut [MovingNode]) -> Self {
        Nodes { count: nodes.len(), first: nodes.as_mut_ptr(), borrowed: PhantomData }
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
    pub elements: &'a [ElementRecord],
    pub kernels: &'a [Kernel],
    pub nodes: Nodes<'a>,
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
    pub marks: Marks,
}

struct NodeCopy {
    x: Vec<f64>,
    v: Vec<f64>,
    node_time: Vec<f64>,
}

impl ThreadScratch {
    /// For elements of at most so many nodes, and a mesh of so many.
    pub fn new(widest: usize, nodes: usize) -> Self {
        let (local_x, gradient) = (vec![0.0; 3 * widest], vec![0.0; 9 * widest]);
        ThreadScratch { local_x, gradient, marks: Marks::new(nodes), ..Self::default() }
    }
}

impl<P: Potentials> SharedState<'_, P> {
    fn node(&self, a: u32) -> *mut MovingNode {
        assert!((a as usize) < self.nodes.count, "a node of the mesh");
        // SAFETY: `a` is below the number of nodes.
        unsafe { self.nodes.first.add(a as usize) }
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.count
    }

    /// All nodes. Only those of an element that is executed may be used.
    #[inline]
    pub fn all_nodes(&self) -> *mut MovingNode {
        self.nodes.first
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
        let element = &self.elements[other as usize];
        let time = self.time(element.events.load(Ordering::Acquire), element.step);
        event.time < time || (event.time == time && event.rank < self.rank[other as usize])
    }

    /// Prefetches the record of an element.
    #[inline(always)]
    pub fn prefetch_record(&self, k: u32) {
        let record = self.elements.as_ptr().wrapping_add(k as usize);
        prefetch(record);
        prefetch(record.cast::<u8>().wrapping_add(64));
    }

    /// Prefetches these nodes.
    #[inline(always)]
    pub fn prefetch_nodes(&self, nodes: &[u32]) {
        for a in nodes {
            prefetch(self.nodes.first.wrapping_add(*a as usize));
        }
    }

    /// Prefetches the data of an element that is executed alone.
    #[inline]
    pub fn prefetch_element(&self, k: u32) {
        self.potentials.prefetch(k as usize);
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
            let ahead = time - node.time;
            for i in 0..3 {
                node.x[i] += ahead * node.v[i];
            }
            x.copy_from_slice(&node.x);
            node.time = time;
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
            let copy = scratch.copy.get_or_insert_with(|| NodeCopy::new(self.nodes.count));
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
            unsafe { self.apply_nodal_loads(k, nodes, weight) };
        }
        Ok(())
    }

    /// Applies the constant nodal forces that act with an element.
    ///
    /// # Safety
    /// As for [`execute`](Self::execute): the thread that uses a node also uses the sums of its force.
    #[inline]
    pub unsafe fn apply_nodal_loads(&self, k: usize, nodes: &[u32], weight: f64) {
        let nodal_loads = &self.balance.nodal_loads;
        for &a in nodes {
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
            nodes: self.nodes.count,
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
        let mut copy = scratch.external_copy.take().unwrap_or_else(|| NodeCopy::new(self.nodes.count));
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
            copy.node_time[a as usize] = node.time;
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
            node.time = copy.node_time[a as usize];
        }
    }
}

impl NodeCopy {
    fn new(nodes: usize) -> Self {
        NodeCopy { x: vec![0.0; 3 * nodes], v: vec![0.0; 3 * nodes], node_time: vec![0.0; nodes] }
    }
}
