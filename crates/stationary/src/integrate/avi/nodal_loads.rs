//! Constant nodal forces in asynchronous runs: the force on a node acts at the events of one of the elements around it.

use super::work_balance::Sum;
use crate::model::Potentials;

/// Marks a node without a force.
const NO_ELEMENT: u32 = u32::MAX;

/// The element with which the constant force on each node acts, and the impulses applied so far.
///
/// The potential `-f . x` of a constant force may be integrated with any time steps, so any element around the node would do. Chosen
/// is one with the smallest time step, since the node is kicked most often by it; among these the one that fires last, so that in a harmonic
/// schedule the constant forces of a level follow after all kicks of its elements.
#[derive(Debug, Clone, Default)]
pub(super) struct NodalLoads {
    force: Vec<[f64; 3]>,
    element: Vec<u32>,
    applied: Vec<AppliedWeights>,
}

/// What is needed for impulse and moment of the force on one node: the sum of the weights (times) with which it was applied, and
/// the sum of the weights times the positions of the node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct AppliedWeights {
    weight: Sum,
    weighted_position: [Sum; 3],
}

impl NodalLoads {
    /// For elements with these time steps and this order among simultaneous events.
    pub fn new<P: Potentials>(potentials: &P, step: &[f64], rank: &[u32]) -> Self {
        let Some(loads) = potentials.constant_loads() else { return NodalLoads::default() };
        let force = loads.forces().to_vec();
        let element = elements_of(potentials, &force, step, rank);
        let applied = vec![AppliedWeights::default(); force.len()];
        NodalLoads { force, element, applied }
    }

    /// Lets the forces act with the elements that other time steps choose; sums go on.
    pub fn reassign<P: Potentials>(&mut self, potentials: &P, step: &[f64], rank: &[u32]) {
        self.element = elements_of(potentials, &self.force, step, rank);
    }

    /// Whether there are no constant forces.
    pub fn is_empty(&self) -> bool {
        self.force.is_empty()
    }

    /// The nodes with a force: node, force, and the element with which it acts.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[f64; 3], usize)> {
        let loaded = self.force.iter().zip(&self.element).enumerate().filter(|(_, (_, k))| **k != NO_ELEMENT);
        loaded.map(|(a, (force, k))| (a, force, *k as usize))
    }

    /// The element with which the force on a node acts.
    pub fn element_of(&self, a: u32) -> Option<u32> {
        self.element.get(a as usize).copied().filter(|k| *k != NO_ELEMENT)
    }

    /// Impulse and moment of the force on each node so far.
    pub fn impulses_and_moments(&self) -> impl Iterator<Item = [[Sum; 3]; 2]> {
        self.force.iter().zip(&self.applied).map(|(f, applied)| {
            let [x, y, z] = &applied.weighted_position;
            let moment = |p: &Sum, f: f64, q: &Sum, g: f64| p.map(|p| f * p).less(&q.map(|q| g * q));
            [
                f.map(|f| applied.weight.map(|weight| f * weight)),
                [moment(y, f[2], z, f[1]), moment(z, f[0], x, f[2]), moment(x, f[1], y, f[0])],
            ]
        })
    }

    /// All sums, in a fixed order.
    pub fn sums(&mut self) -> impl Iterator<Item = &mut Sum> {
        self.applied.iter_mut().flat_map(|a| std::iter::once(&mut a.weight).chain(&mut a.weighted_position))
    }

    /// A handle for threads that work on different nodes.
    pub fn share(&mut self) -> SharedNodalLoads {
        SharedNodalLoads {
            nodes: self.force.len(),
            force: self.force.as_ptr(),
            element: self.element.as_ptr(),
            applied: self.applied.as_mut_ptr(),
        }
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        size_of::<[f64; 3]>() * self.force.capacity()
            + size_of::<u32>() * self.element.capacity()
            + size_of::<AppliedWeights>() * self.applied.capacity()
    }
}

/// The element with which the force on each node acts.
fn elements_of<P: Potentials>(potentials: &P, force: &[[f64; 3]], step: &[f64], rank: &[u32]) -> Vec<u32> {
    let mut element = vec![NO_ELEMENT; force.len()];
    if force.is_empty() {
        return element;
    }
    let better =
        |k: usize, other: usize| step[k].total_cmp(&step[other]).then(rank[other].cmp(&rank[k])).is_lt();
    for k in 0..step.len() {
        for a in potentials.nodes(k).iter().map(|a| *a as usize) {
            if force[a] != [0.0; 3] && (element[a] == NO_ELEMENT || better(k, element[a] as usize)) {
                element[a] = k as u32;
            }
        }
    }
    element
}

/// [`NodalLoads`] shared by threads that work on different nodes.
///
/// # Safety
/// It is used only while the [`NodalLoads`] from which it was made is borrowed, and a node only by the thread that works on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedNodalLoads {
    nodes: usize,
    force: *const [f64; 3],
    element: *const u32,
    applied: *mut AppliedWeights,
}

// SAFETY: the contract above requires that threads touch different nodes at a time.
unsafe impl Send for SharedNodalLoads {}
// SAFETY: as above.
unsafe impl Sync for SharedNodalLoads {}

impl SharedNodalLoads {
    /// Whether there are constant forces.
    #[inline]
    pub fn any(&self) -> bool {
        self.nodes > 0
    }

    /// The force on node `a`, if it acts at the events of element `k`.
    ///
    /// # Safety
    /// The contract of [`SharedNodalLoads`].
    #[inline]
    pub unsafe fn force_with(&self, k: usize, a: u32) -> Option<[f64; 3]> {
        if a as usize >= self.nodes {
            return None;
        }
        // SAFETY: the arrays are alive by contract, and `a` is below their length.
        unsafe { (*self.element.add(a as usize) == k as u32).then(|| *self.force.add(a as usize)) }
    }

    /// Adds the impulse of the force on a node at `x` to its velocity, and to the sums.
    ///
    /// # Safety
    /// The contract of [`SharedNodalLoads`]; the node has a force.
    #[inline]
    pub unsafe fn apply(&self, a: u32, weight: f64, inverse_mass: f64, x: [f64; 3], v: &mut [f64; 3]) {
        assert!((a as usize) < self.nodes, "a node of the mesh");
        // SAFETY: the arrays are alive by contract, `a` is below their length, and the sums of `a` belong to this thread.
        let (force, applied) = unsafe { (&*self.force.add(a as usize), &mut *self.applied.add(a as usize)) };
        for i in 0..3 {
            v[i] += weight * inverse_mass * force[i];
            applied.weighted_position[i].add(weight * x[i]);
        }
        applied.weight.add(weight);
    }
}
