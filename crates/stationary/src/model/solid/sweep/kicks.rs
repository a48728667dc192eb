//! Impulses on velocities as the result of a sweep.

use super::target::{Target, add};
use crate::model::solid::lanes::{Lanes, WIDEST};
use crate::model::{HistoryEnergy, NodalKicks};
use std::ops::Range;

/// Which nodes of a list of elements are owned.
#[derive(Debug)]
pub(in crate::model::solid) struct Owned {
    /// The groups with nodes of other threads, in order, and the owned nodes of each element as bits.
    shared: Vec<(u32, [u32; WIDEST])>,
    top: usize,
}

impl Owned {
    /// Of elements with so many nodes each, to the end of the last group.
    pub fn new(nodes: &[u32], each: usize, own: &dyn Fn(u32) -> bool) -> Self {
        let mut shared = Vec::new();
        for (g, group) in nodes.chunks_exact(WIDEST * each).enumerate() {
            let bits = |e: usize| {
                let nodes = group[e * each..][..each].iter().enumerate();
                nodes.fold(0, |bits, (a, node)| bits | u32::from(own(*node)) << a)
            };
            let owned: [u32; WIDEST] = std::array::from_fn(bits);
            if owned.iter().any(|o| o.count_ones() as usize != each) {
                shared.push((g as u32, owned));
            }
        }
        shared.shrink_to_fit();
        Owned { shared, top: nodes.iter().copied().max().unwrap_or(0) as usize }
    }

    /// Where to kick the elements from `k` on.
    ///
    /// # Panics
    /// If there are not numbers for all nodes.
    pub fn kicked<'a>(&'a self, k: usize, kicks: &NodalKicks<'a>) -> Kicked<'a> {
        assert!(kicks.at.len() > self.top, "numbers for all nodes");
        let first = self.shared.partition_point(|(g, _)| (*g as usize) < k / WIDEST);
        Kicked { kicks: *kicks, shared: &self.shared[first..], lost: [0.0; 3] }
    }

    /// Whether the first node of an element is owned.
    pub fn owns_first(&self, k: usize) -> bool {
        let found = self.shared.binary_search_by_key(&((k / WIDEST) as u32), |(g, _)| *g);
        found.is_err() || found.is_ok_and(|at| self.shared[at].1[k % WIDEST] & 1 == 1)
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        size_of::<(u32, [u32; WIDEST])>() * self.shared.capacity()
    }
}

/// Kicks the nodes that are owned.
pub(in crate::model::solid) struct Kicked<'a> {
    kicks: NodalKicks<'a>,
    /// From the group swept on.
    shared: &'a [(u32, [u32; WIDEST])],
    /// Where kicks of nodes that others own go.
    lost: [f64; 3],
}

impl Target for Kicked<'_> {
    const ENERGY: bool = false;
    const WEIGHED: bool = true;

    #[inline(always)]
    unsafe fn gather<L: Lanes>(
        &mut self,
        _k: usize,
        nodes: &[u32],
        each: usize,
        mut put: impl FnMut(usize, [L; 3], L),
    ) {
        let weight = L::splat(self.kicks.weight);
        for a in 0..each {
            // SAFETY: guaranteed by this function's contract.
            let [x, y, z, inverse] = unsafe { L::gather_four(self.kicks.at, &nodes[a..], each) };
            put(a, [x, y, z], weight.mul(inverse));
        }
    }

    #[inline(always)]
    fn count(&mut self, _energy: HistoryEnergy) {}

    #[inline(always)]
    unsafe fn put<L: Lanes, const FLAT: bool>(
        &mut self,
        k: usize,
        lanes: Range<usize>,
        nodes: &[u32],
        local: &[f64],
    ) {
        let each = nodes.len() / L::WIDTH;
        let v = self.kicks.velocities();
        while self.shared.first().is_some_and(|(g, _)| (*g as usize) < k / WIDEST) {
            self.shared = &self.shared[1..];
        }
        if let Some((_, owned)) = self.shared.first().filter(|(g, _)| *g as usize == k / WIDEST) {
            for e in lanes {
                for a in 0..each {
                    let at = 3 * nodes[e * each + a] as usize;
                    let own = owned[k % WIDEST + e] >> a & 1 == 1;
                    // SAFETY: guaranteed by this function's contract: only owned nodes are written.
                    unsafe {
                        let to = if own { v.add(at) } else { self.lost.as_mut_ptr() };
                        add::<L, false, FLAT>(&local[3 * a * L::WIDTH..], e, to);
                    }
                }
            }
            return;
        }
        for e in lanes {
            for a in 0..each {
                let at = 3 * nodes[e * each + a] as usize;
                // SAFETY: guaranteed by this function's contract; all are owned.
                unsafe { add::<L, false, FLAT>(&local[3 * a * L::WIDTH..], e, v.add(at)) };
            }
        }
    }
}
