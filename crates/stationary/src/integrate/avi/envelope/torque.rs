//! Angular momentum at a level boundary.
//!
//! The impulses of a level have no torque about the positions `y` at which its forces are evaluated. The nodes are at `x`, so that the
//! angular momentum changes by `sum_a (x_a - y_a) x dp_a`. With the exact envelope every term is zero, since `x_a - y_a` is parallel to `dp_a`;
//! what the iteration leaves is balanced by impulses `omega x (x_i - c)` on the shared nodes of a connected part of the boundary, with their centre `c`;
//! where these are nearly on a line, on all nodes of its slow elements.

use super::super::harmonic_schedule::level_part::SharedArrays;
use super::{LevelBoundary, Mesh, of_node};
use crate::linalg::cross;
use crate::model::Potentials;

/// A connected part of a boundary: its shared nodes, and all nodes of its slow elements that no support holds. It does not depend on the order of a
/// mesh file, nor on positions, which a restart does not know.
#[derive(Debug, Clone)]
pub(super) struct Group {
    shared: Vec<u32>,
    free: Vec<u32>,
}

impl Group {
    pub fn memory(&self) -> usize {
        size_of::<u32>() * (self.shared.capacity() + self.free.capacity())
    }
}

/// Part of the cube of the mean square extent below which the determinant of the inertia says that nodes are on a line.
const ON_A_LINE: f64 = 1e-9;

/// The same for shared nodes, which need no large impulses for a torque about any axis above it: a strip thirty times as long as wide.
const WELL_SPREAD: f64 = 1e-3;

/// The connected parts of a boundary with these shared nodes and slow elements.
pub(super) fn groups<P: Potentials>(mesh: &Mesh<'_, P>, shared: &[u32], elements: &[u32]) -> Vec<Group> {
    let nodes_of = |k: &u32| mesh.potentials.nodes(*k as usize);
    let mut nodes: Vec<u32> = elements.iter().flat_map(nodes_of).copied().collect();
    nodes.sort_unstable();
    nodes.dedup();
    let place = |a: &u32| nodes.binary_search(a).expect("a node of these elements");
    // The part of each node: the first of its nodes that is known.
    let mut part: Vec<usize> = (0..nodes.len()).collect();
    let root = |part: &mut [usize], mut n: usize| {
        while part[n] != n {
            part[n] = part[part[n]];
            n = part[n];
        }
        n
    };
    for k in elements {
        let own = nodes_of(k);
        for b in &own[1..] {
            let [one, other] = [&own[0], b].map(|a| root(&mut part, place(a)));
            part[one.max(other)] = one.min(other);
        }
    }
    let is_free = |a: &u32| mesh.inverse_mass[3 * *a as usize..][..3].iter().all(|i| *i > 0.0);
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of = vec![None; nodes.len()];
    for (n, a) in nodes.iter().enumerate() {
        let first = root(&mut part, n);
        let group = *group_of[first].get_or_insert_with(|| {
            groups.push(Group { shared: Vec::new(), free: Vec::new() });
            groups.len() - 1
        });
        if shared.binary_search(a).is_ok() {
            groups[group].shared.push(*a);
        }
        if is_free(a) {
            groups[group].free.push(*a);
        }
    }
    groups
}

impl LevelBoundary {
    /// Takes the shared nodes back to where they are, and balances the torque of the impulses that the level has applied.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], with no other thread at work.
    pub unsafe fn finish<P>(&self, arrays: &SharedArrays<'_, P>) {
        for group in &self.groups {
            let Some(origin) = group.shared.first().map(|a| 3 * *a as usize) else { continue };
            // SAFETY: guaranteed by this function's contract.
            let origin = unsafe { *arrays.envelope.x.add(origin).cast::<[f64; 3]>() };
            let mut torque = [0.0; 3];
            let mut moments = Moments::about(origin);
            for a in &group.shared {
                let at = 3 * *a as usize;
                // SAFETY: guaranteed by this function's contract.
                let (x, y, v, before, inverse) = unsafe {
                    (
                        *arrays.envelope.x.add(at).cast::<[f64; 3]>(),
                        &mut *arrays.x.add(at).cast::<[f64; 3]>(),
                        *arrays.v.add(at).cast::<[f64; 3]>(),
                        *arrays.envelope.v.add(at).cast::<[f64; 3]>(),
                        *arrays.inverse_mass.add(at).cast::<[f64; 3]>(),
                    )
                };
                let lever: [f64; 3] = std::array::from_fn(|i| x[i] - y[i]);
                let change: [f64; 3] = std::array::from_fn(|i| v[i] - before[i]);
                *y = x;
                // SAFETY: as above.
                unsafe { *arrays.at.add(*a as usize).cast::<[f64; 3]>() = x };
                // A node whose components are all prescribed has no impulse.
                let inverse_mass = of_node(&inverse);
                if inverse_mass > 0.0 {
                    let own = cross(&lever, &change);
                    (0..3).for_each(|i| torque[i] -= own[i] / inverse_mass);
                }
                if inverse.iter().all(|i| *i > 0.0) {
                    moments.add(&x);
                }
            }
            if torque.iter().any(|t| *t != 0.0) {
                // SAFETY: guaranteed by this function's contract.
                unsafe { group.apply(&torque, &moments, arrays) };
            }
        }
    }

    /// Takes the shared nodes back to where they are, where the level could not act.
    ///
    /// # Safety
    /// As for [`finish`](Self::finish).
    pub unsafe fn abandon<P>(&self, arrays: &SharedArrays<'_, P>) {
        for a in &self.nodes {
            for i in 0..3 {
                let at = 3 * *a as usize + i;
                // SAFETY: guaranteed by this function's contract.
                unsafe { *arrays.x.add(at) = *arrays.envelope.x.add(at) };
            }
        }
    }
}

/// How many nodes there are, and the sums of their places relative to an origin and of the products of these.
struct Moments {
    origin: [f64; 3],
    count: usize,
    sum: [f64; 3],
    products: [[f64; 3]; 3],
}

/// The rotation of a set of nodes about its centre that has a torque.
struct Rotation {
    centre: [f64; 3],
    omega: [f64; 3],
}

impl Moments {
    fn about(origin: [f64; 3]) -> Self {
        Moments { origin, count: 0, sum: [0.0; 3], products: [[0.0; 3]; 3] }
    }

    fn add(&mut self, x: &[f64; 3]) {
        let d: [f64; 3] = std::array::from_fn(|i| x[i] - self.origin[i]);
        self.count += 1;
        for i in 0..3 {
            self.sum[i] += d[i];
            (0..3).for_each(|j| self.products[i][j] += d[i] * d[j]);
        }
    }

    /// The rotation whose impulses, with masses of one, have a torque; `None` where the determinant of the inertia is not above this part of the
    /// largest possible one.
    fn rotation(&self, torque: &[f64; 3], least: f64) -> Option<Rotation> {
        let count = self.count as f64;
        let product = |i: usize, j: usize| self.products[i][j] - self.sum[i] * self.sum[j] / count;
        let square = product(0, 0) + product(1, 1) + product(2, 2);
        let inertia = |i: usize, j: usize| if i == j { square - product(i, j) } else { -product(i, j) };
        let rows: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| inertia(i, j)));
        let adjugate = [cross(&rows[1], &rows[2]), cross(&rows[2], &rows[0]), cross(&rows[0], &rows[1])];
        let determinant: f64 = (0..3).map(|i| rows[0][i] * adjugate[0][i]).sum();
        // No number where there are no nodes.
        (determinant > least * square * square * square).then(|| Rotation {
            centre: std::array::from_fn(|i| self.origin[i] + self.sum[i] / count),
            omega: std::array::from_fn(|i| {
                (0..3).map(|j| adjugate[j][i] * torque[j]).sum::<f64>() / determinant
            }),
        })
    }
}

impl Group {
    /// Applies impulses with this torque and no sum: to the shared nodes, whose moments are given, or, where they are nearly on a line, to all nodes
    /// of the group.
    ///
    /// # Safety
    /// No other thread uses these nodes.
    unsafe fn apply<P>(&self, torque: &[f64; 3], of_shared: &Moments, arrays: &SharedArrays<'_, P>) {
        if let Some(rotation) = of_shared.rotation(torque, WELL_SPREAD) {
            // SAFETY: guaranteed by this function's contract.
            return unsafe { rotation.apply(&self.shared, arrays) };
        }
        let mut moments = Moments::about(of_shared.origin);
        for a in &self.free {
            // SAFETY: guaranteed by this function's contract.
            moments.add(unsafe { &*arrays.x.add(3 * *a as usize).cast::<[f64; 3]>() });
        }
        if let Some(rotation) = moments.rotation(torque, ON_A_LINE) {
            // SAFETY: guaranteed by this function's contract.
            unsafe { rotation.apply(&self.free, arrays) };
        }
    }
}

impl Rotation {
    /// Applies the impulses to those of these nodes that no support holds.
    ///
    /// # Safety
    /// No other thread uses these nodes.
    unsafe fn apply<P>(&self, nodes: &[u32], arrays: &SharedArrays<'_, P>) {
        for at in nodes.iter().map(|a| 3 * *a as usize) {
            // SAFETY: guaranteed by this function's contract.
            let (x, v, inverse) = unsafe {
                (
                    *arrays.x.add(at).cast::<[f64; 3]>(),
                    &mut *arrays.v.add(at).cast::<[f64; 3]>(),
                    *arrays.inverse_mass.add(at).cast::<[f64; 3]>(),
                )
            };
            if inverse.iter().all(|i| *i > 0.0) {
                let arm: [f64; 3] = std::array::from_fn(|i| x[i] - self.centre[i]);
                let impulse = cross(&self.omega, &arm);
                (0..3).for_each(|i| v[i] += inverse[i] * impulse[i]);
            }
        }
    }
}
