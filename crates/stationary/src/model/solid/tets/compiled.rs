//! Lists of tetrahedra that fire together in asynchronous runs: the same batch evaluation, with impulses on velocities as result.

use super::NeoHookeanTets;
use super::batches::{Target, Tets, add, evaluate};
use super::kernel::{Moduli, STORED};
use super::points::TetShape;
use crate::model::solid::kind::SIMPLEX_NODES;
use crate::model::solid::lanes::{Isa, Lanes, WIDEST};
use crate::model::{CompiledPotentials, NodalKicks, OVERFLOW_SAFE};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// Elements in the order of their kicks.
#[derive(Debug)]
struct CompiledTets<S> {
    len: usize,
    isa: Isa,
    /// Nodes by elements; the last element is repeated to fill the last group of [`WIDEST`].
    nodes: Vec<u32>,
    /// Stored numbers of each element, by groups of [`WIDEST`].
    stored: Vec<f64>,
    moduli: Moduli,
    top: usize,
    /// The groups with nodes of other threads, in order, and the owned nodes of each element as bits.
    shared: Vec<(u32, [u16; WIDEST])>,
    shape: PhantomData<S>,
}

/// Compiles these elements of a block; `None` if some energy may overflow for positions up to [`OVERFLOW_SAFE`].
pub(super) fn compile<S: TetShape>(
    block: &NeoHookeanTets<S>,
    list: &[u32],
    own: &dyn Fn(u32) -> bool,
) -> Option<Arc<dyn CompiledPotentials>> {
    let (len, groups) = (list.len(), list.len().div_ceil(WIDEST));
    let (mut nodes, mut stored) = (Vec::with_capacity(groups * WIDEST * S::NODES), Vec::new());
    stored.resize(groups * WIDEST * STORED, 0.0);
    let mut shared = Vec::new();
    for g in 0..groups {
        let mut owned = [0; WIDEST];
        for e in 0..WIDEST {
            let (numbers, own_nodes) = block.element(list[(g * WIDEST + e).min(len - 1)] as usize);
            // The last one is one over a volume.
            if !numbers.iter().all(|s| s.abs() < OVERFLOW_SAFE)
                || !(numbers[STORED - 1] > 1.0 / OVERFLOW_SAFE)
            {
                return None;
            }
            for (i, s) in numbers.iter().enumerate() {
                stored[(g * STORED + i) * WIDEST + e] = *s;
            }
            nodes.extend_from_slice(own_nodes);
            for (a, node) in own_nodes.iter().enumerate() {
                owned[e] |= u16::from(own(*node)) << a;
            }
        }
        if owned.iter().any(|o| *o != (1 << S::NODES) - 1) {
            shared.push((g as u32, owned));
        }
    }
    let moduli = block.moduli;
    if !(moduli.lambda.abs() < OVERFLOW_SAFE && moduli.mu.abs() < OVERFLOW_SAFE) {
        return None;
    }
    let top = nodes.iter().copied().max()? as usize;
    Some(Arc::new(CompiledTets {
        len,
        isa: block.isa,
        nodes,
        stored,
        moduli,
        top,
        shared,
        shape: PhantomData::<S>,
    }))
}

impl<S: TetShape> CompiledPotentials for CompiledTets<S> {
    unsafe fn kick(&self, range: Range<usize>, kicks: &NodalKicks<'_>) -> usize {
        assert!(kicks.at.len() > self.top && range.end <= self.len, "numbers for all nodes");
        let first = self.shared.partition_point(|(g, _)| (*g as usize) < range.start / WIDEST);
        let mut target = Kicked { kicks: *kicks, shared: &self.shared[first..], lost: [0.0; 3] };
        let tets = Tets { nodes: &self.nodes, stored: &self.stored, moduli: self.moduli };
        // SAFETY: just asserted; velocities by this function's contract.
        unsafe { evaluate::<S, _>(self.isa, tets, range, &mut target) }
    }

    fn memory(&self) -> usize {
        size_of_val(self)
            + size_of::<u32>() * self.nodes.capacity()
            + size_of::<f64>() * self.stored.capacity()
            + size_of::<(u32, [u16; WIDEST])>() * self.shared.capacity()
    }
}

/// Kicks the nodes that are owned.
struct Kicked<'a> {
    kicks: NodalKicks<'a>,
    /// From the group swept on.
    shared: &'a [(u32, [u16; WIDEST])],
    /// Where kicks of nodes that others own go.
    lost: [f64; 3],
}

impl Target for Kicked<'_> {
    const ENERGY: bool = false;
    const WEIGHED: bool = true;

    #[inline(always)]
    unsafe fn gather<S: TetShape, L: Lanes>(
        &mut self,
        _k: usize,
        nodes: &[u32],
        x: &mut [[L; 3]; SIMPLEX_NODES],
        weights: &mut [L],
    ) {
        let weight = L::splat(self.kicks.weight);
        for a in 0..S::NODES {
            // SAFETY: guaranteed by this function's contract.
            let [p, q, r, inverse] = unsafe { L::gather_four(self.kicks.at, &nodes[a..], S::NODES) };
            x[a] = [p, q, r];
            weights[a] = weight.mul(inverse);
        }
    }

    #[inline(always)]
    fn count(&mut self, _energy: f64) {}

    #[inline(always)]
    unsafe fn put<S: TetShape, L: Lanes>(
        &mut self,
        k: usize,
        lanes: Range<usize>,
        nodes: &[u32],
        local: &[f64],
    ) {
        let v = self.kicks.velocities();
        while self.shared.first().is_some_and(|(g, _)| (*g as usize) < k / WIDEST) {
            self.shared = &self.shared[1..];
        }
        if let Some((_, owned)) = self.shared.first().filter(|(g, _)| *g as usize == k / WIDEST) {
            for e in lanes {
                for a in 0..S::NODES {
                    let at = 3 * nodes[e * S::NODES + a] as usize;
                    let own = owned[k % WIDEST + e] >> a & 1 == 1;
                    // SAFETY: guaranteed by this function's contract: only owned nodes are written.
                    unsafe {
                        let to = if own { v.add(at) } else { self.lost.as_mut_ptr() };
                        add::<L, false>(&local[3 * a * L::WIDTH..], e, to);
                    }
                }
            }
            return;
        }
        for e in lanes {
            for a in 0..S::NODES {
                let at = 3 * nodes[e * S::NODES + a] as usize;
                // SAFETY: guaranteed by this function's contract; all are owned.
                unsafe { add::<L, false>(&local[3 * a * L::WIDTH..], e, v.add(at)) };
            }
        }
    }
}
