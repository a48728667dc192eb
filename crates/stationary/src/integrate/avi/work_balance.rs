//! External impulses, moments and work of loads and supports, summed by nodes [AVI03 3.5 (52)-(57)].

use super::external::rests;
use super::nodal_loads::{NodalLoads, SharedNodalLoads};
use crate::linalg::{CompensatedSum, cross};
use crate::model::{FlatPressure, Supports};

/// A compensated sum, so that millions of impulses balance to rounding.
pub(super) type Sum = CompensatedSum<f64>;

/// External impulses, moments and work on one node so far. In the order of memory a support at rest uses one line of the cache, a load the two after it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C, align(64))]
pub(super) struct NodeBalance {
    /// The moment of supports that hold a node at rest in all components is not summed: it is that of their impulse.
    reaction: [Sum; 3],
    /// Work of the supports of the node, and of the loads of those elements whose first node it is.
    work: Sum,
    load: [Sum; 3],
    load_moment: [Sum; 3],
    /// The impulse of loads that is still to be applied.
    pub impulse: [f64; 3],
    reaction_moment: [Sum; 3],
    /// The velocity of prescribed components.
    pub velocity: [f64; 3],
    /// Kinetic energy that mass-proportional damping has taken from the node.
    damped: Sum,
}

impl NodeBalance {
    /// Adds the impulse of a load on the node at `x`.
    #[inline]
    pub fn add_load(&mut self, x: &[f64], impulse: &[f64; 3]) {
        add(&mut self.load, impulse);
        add(&mut self.load_moment, &cross(x, impulse));
    }

    /// Adds the impulse of supports, and its moment.
    #[inline]
    pub fn add_reaction(&mut self, impulse: &[f64; 3], moment: &[f64; 3]) {
        add(&mut self.reaction, impulse);
        add(&mut self.reaction_moment, moment);
    }

    /// Adds the impulse of a support that holds the node at rest in all components.
    #[inline]
    pub fn add_impulse_at_rest(&mut self, impulse: &[f64; 3]) {
        add(&mut self.reaction, impulse);
    }

    /// Adds external work.
    #[inline]
    pub fn add_work(&mut self, work: f64) {
        self.work.add(work);
    }

    /// Adds kinetic energy that damping has taken.
    pub fn add_damped(&mut self, energy: f64) {
        self.damped.add(energy);
    }

    fn sums(&mut self) -> impl Iterator<Item = &mut Sum> {
        let loads = self.load.iter_mut().chain(&mut self.load_moment);
        let reactions = self.reaction.iter_mut().chain(&mut self.reaction_moment);
        loads.chain(reactions).chain([&mut self.work, &mut self.damped])
    }
}

/// External impulses, moments and work on all nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct BalanceTotals {
    load: [Sum; 3],
    load_moment: [Sum; 3],
    /// The impulse of each support.
    reaction: Vec<[Sum; 3]>,
    reaction_moment: [Sum; 3],
    work: Sum,
    damped: Sum,
}

/// External impulses and work so far, by nodes. The events of a node have the same order under every scheduler, so that its sums are
/// bit-identical.
#[derive(Debug, Clone, Default)]
pub(super) struct WorkBalance {
    /// The number of each node among `nodes`, or `u32::MAX`; empty if no node has a balance.
    slot: Vec<u32>,
    /// The nodes that have a balance, in ascending order.
    nodes: Vec<u32>,
    balances: Vec<NodeBalance>,
    /// Positions and follower forces at the last event of each element under follower loads, six numbers a node; where they are pressures on flat triangles
    /// six a triangle, the sum of the positions of its corners and the force on each of them.
    last_follower: Vec<f64>,
    /// Where the numbers of each element begin in `last_follower`, or `u32::MAX`; empty if there are none.
    follower_start: Vec<u32>,
    /// Constant nodal forces.
    pub nodal_loads: NodalLoads,
}

impl WorkBalance {
    /// Balances of `nodes`, in any order, in a mesh of `count` nodes. `follower` lists the elements under follower loads, each with
    /// the number of its nodes or flat triangles, in ascending order.
    pub fn new(
        count: usize,
        nodes: impl Iterator<Item = u32>,
        follower: &[(usize, usize)],
        nodal_loads: NodalLoads,
    ) -> Self {
        let mut all = WorkBalance { nodal_loads, ..WorkBalance::default() };
        all.nodes.extend(nodes);
        all.nodes.sort_unstable();
        all.nodes.dedup();
        all.balances = vec![NodeBalance::default(); all.nodes.len()];
        if !all.nodes.is_empty() {
            all.slot = vec![u32::MAX; count];
            all.nodes.iter().zip(0..).for_each(|(a, slot)| all.slot[*a as usize] = slot);
        }
        for (k, nodes) in follower {
            all.follower_start.resize(*k, u32::MAX);
            all.follower_start.push(all.last_follower.len() as u32);
            all.last_follower.resize(all.last_follower.len() + 6 * nodes, 0.0);
        }
        all
    }

    /// Takes the velocities of prescribed components, which are those of the nodes while nothing is fired.
    pub fn note_velocities(&mut self, v: &[f64]) {
        for (a, balance) in self.nodes.iter().zip(&mut self.balances) {
            balance.velocity.copy_from_slice(&v[3 * *a as usize..][..3]);
        }
    }

    /// The velocity of the prescribed components of a node.
    pub fn velocity(&self, a: u32) -> [f64; 3] {
        self.balances[self.slot[a as usize] as usize].velocity
    }

    /// Forgets what acts on the nodes since their first kick, where an element could not be evaluated. Prescribed components have zero in
    /// `inverse_mass`.
    pub fn abandon(&mut self, v: &mut [f64], inverse_mass: &[f64]) {
        for (a, balance) in self.nodes.iter().zip(&mut self.balances) {
            balance.impulse = [0.0; 3];
            for i in (0..3).filter(|i| inverse_mass[3 * *a as usize + i] == 0.0) {
                v[3 * *a as usize + i] = balance.velocity[i];
            }
        }
    }

    /// Whether a node has a balance.
    pub fn has(&self, a: u32) -> bool {
        self.slot.get(a as usize).is_some_and(|slot| *slot != u32::MAX)
    }

    /// A handle through which events add to the balances of their nodes.
    pub fn share(&mut self) -> SharedWorkBalance {
        SharedWorkBalance {
            nodes: self.slot.len(),
            slot: self.slot.as_ptr(),
            balances: self.balances.as_mut_ptr(),
            elements: self.follower_start.len(),
            follower_start: self.follower_start.as_ptr(),
            last_follower: self.last_follower.as_mut_ptr(),
            nodal_loads: self.nodal_loads.share(),
        }
    }

    /// The sums over all nodes, with their positions.
    pub fn totals(&self, supports: Option<&Supports>, x: &[f64]) -> BalanceTotals {
        let reaction = vec![[Sum::default(); 3]; supports.map_or(0, Supports::count)];
        let mut totals = BalanceTotals { reaction, ..BalanceTotals::default() };
        for (node, balance) in self.nodes.iter().zip(&self.balances) {
            for i in 0..3 {
                totals.load[i].join(&balance.load[i]);
                totals.load_moment[i].join(&balance.load_moment[i]);
                totals.reaction_moment[i].join(&balance.reaction_moment[i]);
                if let Some(owner) = supports.and_then(|s| s.owner(3 * *node as usize + i)) {
                    totals.reaction[owner][i].join(&balance.reaction[i]);
                }
            }
            if supports.is_some_and(|s| rests(s, *node)) {
                let impulse = balance.reaction.map(|sum| sum.total());
                add(&mut totals.reaction_moment, &cross(&x[3 * *node as usize..][..3], &impulse));
            }
            totals.work.join(&balance.work);
            totals.damped.join(&balance.damped);
        }
        for [impulse, moment] in self.nodal_loads.impulses_and_moments() {
            for i in 0..3 {
                totals.load[i].join(&impulse[i]);
                totals.load_moment[i].join(&moment[i]);
            }
        }
        totals
    }

    /// The work of the follower loads on element `k` since its last event, if they have become `force` on the way to `x`: the
    /// trapezoidal rule along the path. Velocities cannot be used: at an event the velocity of a node includes the kicks of some elements
    /// for times ahead, and lacks those of others.
    pub fn follower_work(&self, k: usize, nodes: &[u32], x: &[f64], force: &[f64]) -> f64 {
        let Some(at) = self.follower_start.get(k).filter(|at| **at != u32::MAX) else { return 0.0 };
        follower_work(&self.last_follower[*at as usize..][..6 * nodes.len()], nodes, x, force)
    }

    /// The same of a pressure on a flat triangle, with the sum of the positions of its corners and the force on each.
    pub fn work_of_triangle(&self, load: &FlatPressure, [sum, force]: &[[f64; 3]; 2]) -> f64 {
        let at = self.follower_start[load.element as usize] as usize + 6 * load.number as usize;
        let last = &self.last_follower[at..at + 6];
        (0..3).map(|i| 0.5 * (last[3 + i] + force[i]) * (sum[i] - last[i])).sum()
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        size_of::<u32>() * (self.slot.capacity() + self.nodes.capacity() + self.follower_start.capacity())
            + size_of::<NodeBalance>() * self.balances.capacity()
            + size_of::<f64>() * self.last_follower.capacity()
            + self.nodal_loads.memory()
    }

    /// All numbers of the balances, for checkpoints.
    pub fn save(&self) -> Vec<f64> {
        let mut balances = self.balances.clone();
        let mut nodal_loads = self.nodal_loads.clone();
        let sums = balances.iter_mut().flat_map(NodeBalance::sums).chain(nodal_loads.sums());
        sums.flat_map(|s| s.parts()).chain(self.last_follower.iter().copied()).collect()
    }

    /// Restores the numbers that [`save`](Self::save) returned for the same nodes.
    pub fn restore(&mut self, saved: &[f64]) {
        let (sums, follower) = saved.split_at(saved.len() - self.last_follower.len());
        let all = self.balances.iter_mut().flat_map(NodeBalance::sums).chain(self.nodal_loads.sums());
        for (sum, pair) in all.zip(sums.chunks_exact(2)) {
            *sum = Sum::from_parts([pair[0], pair[1]]);
        }
        self.last_follower.copy_from_slice(follower);
    }
}

/// [`WorkBalance`] shared by threads that work on different nodes.
///
/// # Safety
/// It is used only while the [`WorkBalance`] from which it was made is borrowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedWorkBalance {
    nodes: usize,
    slot: *const u32,
    balances: *mut NodeBalance,
    elements: usize,
    follower_start: *const u32,
    last_follower: *mut f64,
    pub nodal_loads: SharedNodalLoads,
}

// SAFETY: the unsafe methods require of their callers that threads use balances of different nodes at a time.
unsafe impl Send for SharedWorkBalance {}
// SAFETY: as above.
unsafe impl Sync for SharedWorkBalance {}

impl SharedWorkBalance {
    /// Whether a node has a balance.
    ///
    /// # Safety
    /// The contract of [`SharedWorkBalance`].
    #[inline]
    pub unsafe fn has(&self, a: u32) -> bool {
        // SAFETY: the array is alive by contract, and the node is below its length.
        (a as usize) < self.nodes && unsafe { *self.slot.add(a as usize) != u32::MAX }
    }

    /// The balance of a node that has one.
    ///
    /// # Safety
    /// The contract of [`SharedWorkBalance`]; no other reference to the balance of this node is alive.
    #[inline]
    pub unsafe fn of<'b>(&self, node: u32) -> &'b mut NodeBalance {
        assert!((node as usize) < self.nodes, "a node with a balance");
        // SAFETY: the arrays are alive by contract, and the node is below their length.
        let slot = unsafe { *self.slot.add(node as usize) };
        assert!(slot != u32::MAX, "a node with a balance");
        // SAFETY: slots are numbers of balances; the reference is unique by this function's contract.
        unsafe { &mut *self.balances.add(slot as usize) }
    }

    /// The work of the follower loads on element `k` since its last event, at an event where they have become `force` on the way to `x`; zero at the
    /// `first`.
    ///
    /// # Safety
    /// The contract of [`SharedWorkBalance`]; no other thread uses what is booked with this element.
    pub unsafe fn record_follower_work(
        &self,
        k: u32,
        first: bool,
        nodes: &[u32],
        x: &[f64],
        force: &[f64],
    ) -> f64 {
        assert!((k as usize) < self.elements, "an element under follower loads");
        // SAFETY: the arrays are alive by contract, `k` is below their length, and six numbers a node belong to the element.
        let last = unsafe {
            let at = *self.follower_start.add(k as usize);
            assert!(at != u32::MAX, "an element under follower loads");
            std::slice::from_raw_parts_mut(self.last_follower.add(at as usize), 6 * nodes.len())
        };
        // As `follower_work`.
        let mut work = 0.0;
        for ((a, force), last) in nodes.iter().zip(force.chunks_exact(3)).zip(last.as_chunks_mut::<6>().0) {
            let x = &x[3 * *a as usize..][..3];
            for i in 0..3 {
                work += 0.5 * (last[3 + i] + force[i]) * (x[i] - last[i]);
                (last[i], last[3 + i]) = (x[i], force[i]);
            }
        }
        if first {
            return 0.0;
        }
        work
    }
}

impl SharedWorkBalance {
    /// As [`record_follower_work`](Self::record_follower_work), of a pressure on a flat triangle: the sum of the positions of its corners, and the force on each.
    ///
    /// # Safety
    /// The contract of [`SharedWorkBalance`]; no other thread uses what is booked with this triangle.
    #[inline]
    pub unsafe fn record_work_of_triangle(
        &self,
        load: &FlatPressure,
        first: bool,
        sum: &[f64; 3],
        force: &[f64; 3],
    ) -> f64 {
        assert!((load.element as usize) < self.elements, "an element under follower loads");
        // SAFETY: the arrays are alive by contract, the element is below their length, and six numbers belong to each of its triangles.
        let last = unsafe {
            let at = *self.follower_start.add(load.element as usize) as usize + 6 * load.number as usize;
            &mut *self.last_follower.add(at).cast::<[f64; 6]>()
        };
        let mut work = 0.0;
        for i in 0..3 {
            work += 0.5 * (last[3 + i] + force[i]) * (sum[i] - last[i]);
            (last[i], last[3 + i]) = (sum[i], force[i]);
        }
        if first { 0.0 } else { work }
    }
}

/// Work from the positions and forces in `last`, six numbers a node, to `x` and `force`, by the trapezoidal rule.
fn follower_work(last: &[f64], nodes: &[u32], x: &[f64], force: &[f64]) -> f64 {
    let mut work = 0.0;
    for ((n, a), last) in nodes.iter().enumerate().zip(last.chunks_exact(6)) {
        for i in 0..3 {
            let displacement = x[3 * *a as usize + i] - last[i];
            work += 0.5 * (last[3 + i] + force[3 * n + i]) * displacement;
        }
    }
    work
}

impl BalanceTotals {
    /// Impulse and moment of all loads.
    pub fn loads(&self) -> [[f64; 3]; 2] {
        [&self.load, &self.load_moment].map(|sums| sums.map(|s| s.total()))
    }

    /// Impulse of each support.
    pub fn reactions(&self) -> Vec<[f64; 3]> {
        self.reaction.iter().map(|r| r.map(|s| s.total())).collect()
    }

    /// Moment of all supports.
    pub fn reaction_moment(&self) -> [f64; 3] {
        self.reaction_moment.map(|s| s.total())
    }

    /// Work of loads and supports.
    pub fn work(&self) -> f64 {
        self.work.total()
    }

    /// Kinetic energy that mass-proportional damping has taken.
    pub fn damped(&self) -> f64 {
        self.damped.total()
    }
}

#[inline]
fn add(sums: &mut [Sum; 3], terms: &[f64; 3]) {
    sums.iter_mut().zip(terms).for_each(|(sum, x)| sum.add(*x));
}
