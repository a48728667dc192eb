//! Lists of potentials that are evaluated one after another at one time, in a compiled form.

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
    /// before a batch of potentials one of which may have no value; returns the first potential that has not kicked.
    ///
    /// # Safety
    /// `kicks` has numbers for all nodes of the range. During the call no other thread reads or writes the velocities of the nodes that
    /// the potentials were compiled to own.
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
        NodalKicks { at, weight, v: v.as_mut_ptr(), borrowed: PhantomData }
    }

    /// For velocities that several threads use, each those of its own nodes.
    ///
    /// # Safety
    /// `v` points to three numbers for each node, which live as long as `at`.
    pub unsafe fn shared(at: &'a [[f64; 4]], weight: f64, v: *mut f64) -> Self {
        NodalKicks { at, weight, v, borrowed: PhantomData }
    }

    /// The velocities of all nodes, three numbers each. Only those of owned nodes may be used.
    #[inline(always)]
    pub fn velocities(&self) -> *mut f64 {
        self.v
    }
}
