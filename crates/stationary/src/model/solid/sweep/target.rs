//! Where a sweep of elements finds the positions of nodes, and where its gradients go.

use crate::model::HistoryEnergy;
use crate::model::solid::lanes::{Lanes, WIDEST};
use std::ops::Range;

/// Positions and gradients of a sweep. The nodes of elements are given one element after the other, for each lane one.
pub(in crate::model::solid) trait Target {
    /// Whether energies are wanted.
    const ENERGY: bool;
    /// Whether gradients are multiplied by a number of the node.
    const WEIGHED: bool;

    /// Finds position and number of each of the `each` nodes of the elements from `k` on.
    ///
    /// # Safety
    /// `nodes` are those of the elements in whose sweep this is called.
    unsafe fn gather<L: Lanes>(
        &mut self,
        k: usize,
        nodes: &[u32],
        each: usize,
        put: impl FnMut(usize, [L; 3], L),
    );

    /// The energy of the next element.
    fn count(&mut self, energy: HistoryEnergy);

    /// Puts the gradients of some lanes of the elements from `k` on, as [`Lanes::spread`] writes those of each node, to their nodes in order; flat
    /// elements have none in the third direction.
    ///
    /// # Safety
    /// As before.
    unsafe fn put<L: Lanes, const FLAT: bool>(
        &mut self,
        k: usize,
        lanes: Range<usize>,
        nodes: &[u32],
        local: &[f64],
    );
}

/// A target for elements one by one, too.
pub(super) trait SingleTarget: Target {
    /// Whether there are numbers for all nodes up to the highest.
    fn has(&self, highest: &Highest) -> bool;
    /// Puts the gradient of one element to its nodes.
    fn put_one(&mut self, k: usize, nodes: &[u32], gradient: &[f64]);
}

/// The highest node of a list of elements: the four numbers that [`Lanes::gather`] reads of it may not exist.
#[derive(Debug)]
pub(in crate::model::solid) struct Highest {
    node: usize,
    /// The groups of elements that have it, in order.
    groups: Vec<u32>,
}

impl Highest {
    /// Of elements with so many nodes each, to the end of the last group.
    pub fn new(nodes: &[u32], each: usize) -> Self {
        let node = nodes.iter().copied().max().unwrap_or(0);
        let groups = nodes.chunks_exact(WIDEST * each).enumerate();
        let groups = groups.filter(|(_, g)| g.contains(&node)).map(|(g, _)| g as u32).collect();
        Highest { node: node as usize, groups }
    }

    /// Whether there are three numbers for each node.
    pub fn is_in(&self, x: &[f64]) -> bool {
        x.len() >= 3 * (self.node + 1)
    }

    /// The groups from that of an element on.
    pub fn from(&self, k: usize) -> &[u32] {
        &self.groups[self.groups.partition_point(|g| (*g as usize) < k / WIDEST)..]
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        size_of::<u32>() * self.groups.capacity()
    }
}

/// Adds the gradients to one number for each component, or subtracts them, which makes forces.
pub(in crate::model::solid) struct Sums<'a, const GRADIENT: bool> {
    pub x: &'a [f64],
    pub out: &'a mut [f64],
    pub total: HistoryEnergy,
    /// The groups that have the node of the highest number, in order, from those swept on.
    edge: &'a [u32],
}

impl<'a, const GRADIENT: bool> Sums<'a, GRADIENT> {
    /// From the groups of [`Highest`] that are swept.
    pub fn new(x: &'a [f64], out: &'a mut [f64], edge: &'a [u32]) -> Self {
        Sums { x, out, total: HistoryEnergy::default(), edge }
    }

    /// Puts the gradient of one element, times a weight, to its nodes.
    fn put_weighted(&mut self, weight: f64, nodes: &[u32], gradient: &[f64]) {
        for (a, gradient) in nodes.iter().zip(gradient.chunks_exact(3)) {
            let out = &mut self.out[3 * *a as usize..][..3];
            (0..3).for_each(|i| out[i] += weight * gradient[i]);
        }
    }
}

impl<const GRADIENT: bool> SingleTarget for Sums<'_, GRADIENT> {
    fn has(&self, highest: &Highest) -> bool {
        highest.is_in(self.x) && highest.is_in(self.out)
    }

    fn put_one(&mut self, _k: usize, nodes: &[u32], gradient: &[f64]) {
        self.put_weighted(if GRADIENT { 1.0 } else { -1.0 }, nodes, gradient);
    }
}

impl SingleTarget for Weighted<'_> {
    fn has(&self, highest: &Highest) -> bool {
        self.sums.has(highest)
    }

    fn put_one(&mut self, k: usize, nodes: &[u32], gradient: &[f64]) {
        self.sums.put_weighted(self.weights[k], nodes, gradient);
    }
}

impl<const GRADIENT: bool> Target for Sums<'_, GRADIENT> {
    const ENERGY: bool = GRADIENT;
    const WEIGHED: bool = false;

    #[inline(always)]
    unsafe fn gather<L: Lanes>(
        &mut self,
        k: usize,
        nodes: &[u32],
        each: usize,
        mut put: impl FnMut(usize, [L; 3], L),
    ) {
        // Not from one call to the next: groups that failed together are gathered again.
        let careful = self.edge.binary_search(&((k / WIDEST) as u32)).is_ok();
        for a in 0..each {
            let x = if careful {
                let rows = rows(self.x, &nodes[a..], each);
                [L::load(&rows[0]), L::load(&rows[1]), L::load(&rows[2])]
            } else {
                // SAFETY: nodes of other groups are below the highest, for which `x` has three numbers too.
                unsafe { L::gather(self.x, &nodes[a..], each) }
            };
            put(a, x, L::splat(1.0));
        }
    }

    #[inline(always)]
    fn count(&mut self, energy: HistoryEnergy) {
        self.total.add(1.0, energy);
    }

    #[inline(always)]
    unsafe fn put<L: Lanes, const FLAT: bool>(
        &mut self,
        _k: usize,
        lanes: Range<usize>,
        nodes: &[u32],
        local: &[f64],
    ) {
        let each = nodes.len() / L::WIDTH;
        for e in lanes {
            for a in 0..each {
                let at = 3 * nodes[e * each + a] as usize;
                // SAFETY: guaranteed by this function's contract.
                unsafe {
                    add::<L, GRADIENT, FLAT>(&local[3 * a * L::WIDTH..], e, self.out.as_mut_ptr().add(at))
                };
            }
        }
    }
}

/// Adds the gradients times a number of each element.
pub(in crate::model::solid) struct Weighted<'a> {
    pub sums: Sums<'a, true>,
    /// To the end of the last group of [`WIDEST`].
    pub weights: &'a [f64],
}

impl Target for Weighted<'_> {
    const ENERGY: bool = true;
    const WEIGHED: bool = true;

    #[inline(always)]
    unsafe fn gather<L: Lanes>(
        &mut self,
        k: usize,
        nodes: &[u32],
        each: usize,
        mut put: impl FnMut(usize, [L; 3], L),
    ) {
        let weight = L::load(&self.weights[k..]);
        // SAFETY: guaranteed by this function's contract.
        unsafe { self.sums.gather::<L>(k, nodes, each, |a, x, _| put(a, x, weight)) }
    }

    #[inline(always)]
    fn count(&mut self, energy: HistoryEnergy) {
        self.sums.count(energy);
    }

    #[inline(always)]
    unsafe fn put<L: Lanes, const FLAT: bool>(
        &mut self,
        k: usize,
        lanes: Range<usize>,
        nodes: &[u32],
        local: &[f64],
    ) {
        // SAFETY: guaranteed by this function's contract.
        unsafe { self.sums.put::<L, FLAT>(k, lanes, nodes, local) }
    }
}

/// Adds the gradient of one lane to one node, or subtracts it. `x` and `y` as a pair: wider
/// stores would overlap the next node's, and wait for each other.
///
/// # Safety
/// `to` points to three numbers.
#[inline(always)]
pub(super) unsafe fn add<L: Lanes, const PLUS: bool, const FLAT: bool>(
    local: &[f64],
    e: usize,
    to: *mut f64,
) {
    let local = &local[..3 * L::WIDTH];
    let new = [local[2 * e], local[2 * e + 1], local[2 * L::WIDTH + e]];
    // SAFETY: guaranteed by this function's contract.
    unsafe {
        let (pair, z) = (to.cast::<[f64; 2]>(), to.add(2));
        let old = pair.read();
        if PLUS {
            pair.write([old[0] + new[0], old[1] + new[1]]);
            if !FLAT {
                *z += new[2];
            }
        } else {
            pair.write([old[0] - new[0], old[1] - new[1]]);
            if !FLAT {
                *z -= new[2];
            }
        }
    }
}

/// The components of nodes that may be the last, where [`Lanes::gather`] would read too far.
#[inline(never)]
fn rows(x: &[f64], nodes: &[u32], stride: usize) -> [[f64; WIDEST]; 3] {
    let mut rows = [[0.0; WIDEST]; 3];
    for (e, a) in nodes.iter().step_by(stride).enumerate() {
        for i in 0..3 {
            rows[i][e] = x[3 * *a as usize + i];
        }
    }
    rows
}
