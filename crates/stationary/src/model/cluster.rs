//! Potentials that act one after another at one time, compiled for it.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// Largest position, and largest number of a potential, that [`Cluster::kick`] needs to be sure of: below it no energy of an
/// element overflows.
pub const CALM: f64 = 1e60;

/// Potentials in a fixed order, in whatever form is swept fastest.
pub trait Cluster: fmt::Debug + Send + Sync {
    /// Kicks with a range of the potentials in order, to the bits of `v_a -= (weight / m_a) dV_k/dx_a` one after another. Stops
    /// before some of which one may have no value; returns the first that has not kicked.
    ///
    /// # Safety
    /// `kicks` has numbers for all nodes of the range. While the call lasts, nobody else reads or writes the velocities of
    /// the nodes that the cluster was compiled to own.
    unsafe fn kick(&self, range: Range<usize>, kicks: &Kicks<'_>) -> usize;

    /// Bytes it takes.
    fn memory(&self) -> usize;
}

/// What may be compiled at the start of a list of potentials.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// How many of them.
    pub count: usize,
    /// Nothing if these go one by one.
    pub cluster: Option<Arc<dyn Cluster>>,
}

/// Nodes about to be kicked: where they are, with one over their masses, and what they are kicked with.
#[derive(Debug, Clone, Copy)]
pub struct Kicks<'a> {
    /// Three coordinates and one over the mass of each node; below [`CALM`] where the cluster has nodes.
    pub at: &'a [[f64; 4]],
    /// What multiplies all gradients.
    pub weight: f64,
    v: *mut f64,
    lent: PhantomData<&'a mut [f64]>,
}

impl<'a> Kicks<'a> {
    /// For velocities that nobody else has; three numbers a node.
    ///
    /// # Panics
    /// If lengths do not fit each other.
    pub fn new(at: &'a [[f64; 4]], weight: f64, v: &'a mut [f64]) -> Self {
        assert!(v.len() >= 3 * at.len(), "three velocities for each node");
        Kicks { at, weight, v: v.as_mut_ptr(), lent: PhantomData }
    }

    /// For velocities that several have, each of its own nodes.
    ///
    /// # Safety
    /// `v` points to three numbers for each node, which live as long as `at`.
    pub unsafe fn shared(at: &'a [[f64; 4]], weight: f64, v: *mut f64) -> Self {
        Kicks { at, weight, v, lent: PhantomData }
    }

    /// The velocities of all nodes, three numbers each. Only those that one owns may be touched.
    #[inline(always)]
    pub fn velocities(&self) -> *mut f64 {
        self.v
    }
}
