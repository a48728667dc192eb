//! Events of potentials that share no node: they commute, and are executed together, each at its own time.

use std::fmt;

/// Most nodes and numbers of a potential with an [`IndependentRecord`].
pub const RECORD_NODES: usize = 10;
/// As [`RECORD_NODES`].
pub const RECORD_NUMBERS: usize = 8;

/// Most events that a kernel executes together.
pub const MOST_LANES: usize = 8;

/// A node that moves on a straight line, in one cache line: its position and velocity at its own time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct MovingNode {
    /// Position at `time`.
    pub x: [f64; 3],
    /// The time of the last event.
    pub time: f64,
    /// Velocity since then.
    pub v: [f64; 3],
    /// One over the mass.
    pub inverse_mass: f64,
}

/// What a kernel needs of a potential: its nodes, and numbers that do not change.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct IndependentRecord {
    /// Its nodes, in order.
    pub nodes: [u32; RECORD_NODES],
    /// Numbers of a meaning that the kernel knows.
    pub numbers: [f64; RECORD_NUMBERS],
}

/// An event: what the kernel needs of the potential, the time, and the factor of the gradient.
#[derive(Debug, Clone, Copy)]
pub struct IndependentEvent<'a> {
    /// The nodes of the potential; the kernel uses its own number of them.
    pub nodes: &'a [u32; RECORD_NODES],
    /// The numbers of the potential.
    pub numbers: &'a [f64; RECORD_NUMBERS],
    /// The time to which the nodes are moved.
    pub time: f64,
    /// The time by which forces are multiplied.
    pub weight: f64,
}

/// A kernel for events of potentials of one kind that share no node.
pub trait IndependentKicks: fmt::Debug + Send + Sync {
    /// Number of events that are executed best together.
    fn lanes(&self) -> usize;

    /// Number of nodes of a potential.
    fn nodes(&self) -> usize;

    /// Executes at most [`lanes`](Self::lanes) events, bit-identical to executing them one by one: moves the nodes of each potential to the
    /// time of its event, and applies `v_a -= (weight / m_a) dV_k/dx_a`. Changes nothing and returns false if some potential may have no value.
    ///
    /// # Safety
    /// The events share no node. `nodes` points to all nodes of their potentials, which no other thread uses during the call.
    unsafe fn kick(&self, events: &[IndependentEvent<'_>], nodes: *mut MovingNode) -> bool;
}
