//! Constant forces on nodes in asynchronous runs: the force on a node acts with one element, its bearer.

use super::accounts::Sum;
use crate::model::Potentials;
use std::cmp::Reverse;

/// Nobody bears it.
const NOBODY: u32 = u32::MAX;

/// The bearer of the force on each node, and what the forces have done.
///
/// Any element would do: `-f . x` is a potential of its own, and may have any steps. The bearer is one of the fastest around the node, which
/// is where the node is kicked most often; of these, without a load of its own or a held node if there is one; of these the one that
/// fires last, so that in a sweep the forces of a level follow when all its elements have kicked.
#[derive(Debug, Clone, Default)]
pub(super) struct Bearers {
    force: Vec<[f64; 3]>,
    bearer: Vec<u32>,
    tally: Vec<Tally>,
}

/// What the force on one node has done: the sums of its weights, and of these times the places where it acted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Tally {
    weight: Sum,
    place: [Sum; 3],
}

impl Bearers {
    /// For elements with these steps, in their order at one time.
    pub fn new<P: Potentials>(potentials: &P, step: &[f64], rank: &[u32], guarded: &[bool]) -> Self {
        let Some(steady) = potentials.steady() else { return Bearers::default() };
        let force = steady.forces().to_vec();
        let mut bearer = vec![NOBODY; force.len()];
        let better = |k: usize, other: usize| {
            let key = |k: usize| (guarded[k], Reverse(rank[k]));
            step[k].total_cmp(&step[other]).then(key(k).cmp(&key(other))).is_lt()
        };
        for k in 0..step.len() {
            for a in potentials.nodes(k).iter().map(|a| *a as usize) {
                if force[a] != [0.0; 3] && (bearer[a] == NOBODY || better(k, bearer[a] as usize)) {
                    bearer[a] = k as u32;
                }
            }
        }
        let tally = vec![Tally::default(); force.len()];
        Bearers { force, bearer, tally }
    }

    /// No forces.
    pub fn is_empty(&self) -> bool {
        self.force.is_empty()
    }

    /// Nodes with their forces and bearers.
    pub fn all(&self) -> impl Iterator<Item = (usize, &[f64; 3], usize)> {
        let some = self.force.iter().zip(&self.bearer).enumerate().filter(|(_, (_, k))| **k != NOBODY);
        some.map(|(a, (force, k))| (a, force, *k as usize))
    }

    /// The bearer of the force on a node.
    pub fn of(&self, a: u32) -> Option<u32> {
        self.bearer.get(a as usize).copied().filter(|k| *k != NOBODY)
    }

    /// What has come from the force on each node: its impulse and its moment.
    pub fn given(&self) -> impl Iterator<Item = [[Sum; 3]; 2]> {
        self.force.iter().zip(&self.tally).map(|(f, tally)| {
            let [x, y, z] = &tally.place;
            let moment = |p: &Sum, f: f64, q: &Sum, g: f64| p.times(f).less(&q.times(g));
            [
                f.map(|f| tally.weight.times(f)),
                [moment(y, f[2], z, f[1]), moment(z, f[0], x, f[2]), moment(x, f[1], y, f[0])],
            ]
        })
    }

    /// The sums, in a fixed order.
    pub fn sums(&mut self) -> impl Iterator<Item = &mut Sum> {
        self.tally.iter_mut().flat_map(|t| std::iter::once(&mut t.weight).chain(&mut t.place))
    }

    /// For several who have different nodes in hand.
    pub fn share(&mut self) -> Bearing {
        Bearing {
            nodes: self.force.len(),
            force: self.force.as_ptr(),
            bearer: self.bearer.as_ptr(),
            tally: self.tally.as_mut_ptr(),
        }
    }

    /// Bytes it takes.
    pub fn memory(&self) -> usize {
        size_of::<[f64; 3]>() * self.force.capacity()
            + size_of::<u32>() * self.bearer.capacity()
            + size_of::<Tally>() * self.tally.capacity()
    }
}

/// [`Bearers`] lent to several who have different nodes in hand.
///
/// # Safety
/// It is used only while the one that it came from is lent, and a node only by who has it in hand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bearing {
    nodes: usize,
    force: *const [f64; 3],
    bearer: *const u32,
    tally: *mut Tally,
}

// SAFETY: all who use it promise to touch different nodes at a time.
unsafe impl Send for Bearing {}
// SAFETY: as above.
unsafe impl Sync for Bearing {}

impl Bearing {
    /// Whether there are forces at all.
    #[inline]
    pub fn any(&self) -> bool {
        self.nodes > 0
    }

    /// The force on a node, if element `k` bears it.
    ///
    /// # Safety
    /// That of the whole.
    #[inline]
    pub unsafe fn borne(&self, k: usize, a: u32) -> Option<[f64; 3]> {
        if a as usize >= self.nodes {
            return None;
        }
        // SAFETY: the caller's; there are so many.
        unsafe { (*self.bearer.add(a as usize) == k as u32).then(|| *self.force.add(a as usize)) }
    }

    /// Kicks a node at `x` with its force, and keeps the tally. Held components have nought in `inverse`.
    ///
    /// # Safety
    /// That of the whole; the node is one of those with forces.
    #[inline]
    pub unsafe fn kick(&self, a: u32, weight: f64, inverse: [f64; 3], x: [f64; 3], v: &mut [f64; 3]) {
        assert!((a as usize) < self.nodes, "a node of the mesh");
        // SAFETY: there are so many; the rest is the caller's.
        let (force, tally) = unsafe { (&*self.force.add(a as usize), &mut *self.tally.add(a as usize)) };
        for i in 0..3 {
            v[i] += weight * inverse[i] * force[i];
            tally.place[i].add(weight * x[i]);
        }
        tally.weight.add(weight);
    }
}
