//! Angular momentum at a level boundary.
//!
//! The impulses of a level have no torque about the positions `y` at which its forces are evaluated. The nodes are at `x`, so that the
//! angular momentum changes by `sum_a (x_a - y_a) x dp_a`. With the exact envelope every term is zero, since `x_a - y_a` is parallel to `dp_a`;
//! what the iteration leaves is balanced by impulses `omega x (x_i - c)` on all nodes of a connected part of the boundary, with their centre `c`.

use super::super::harmonic_schedule::level_part::SharedArrays;
use super::{LevelBoundary, Mesh};
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

/// Part of the largest possible determinant of the inertia below which nodes count as being on a line.
const ON_A_LINE: f64 = 1e-9;

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
            let mut torque = [0.0; 3];
            for a in &group.shared {
                let at = 3 * *a as usize;
                let mut lever = [0.0; 3];
                let mut change = [0.0; 3];
                let mut inverse = 0.0_f64;
                for i in 0..3 {
                    // SAFETY: guaranteed by this function's contract.
                    unsafe {
                        let x = *arrays.envelope.x.add(at + i);
                        lever[i] = x - *arrays.x.add(at + i);
                        change[i] = *arrays.v.add(at + i) - *arrays.envelope.v.add(at + i);
                        inverse = inverse.max(*arrays.inverse_mass.add(at + i));
                        *arrays.x.add(at + i) = x;
                        (*arrays.at.add(*a as usize))[i] = x;
                    }
                }
                // A node whose components are all prescribed has no impulse.
                if inverse > 0.0 {
                    let own = cross(&lever, &change);
                    (0..3).for_each(|i| torque[i] -= own[i] / inverse);
                }
            }
            if torque.iter().any(|t| *t != 0.0) {
                // SAFETY: guaranteed by this function's contract.
                unsafe { apply_torque(&group.free, &torque, arrays) };
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

/// Applies impulses with this torque and no sum to the nodes of a group, unless they lie on a line.
///
/// # Safety
/// No other thread uses these nodes.
unsafe fn apply_torque<P>(group: &[u32], torque: &[f64; 3], arrays: &SharedArrays<'_, P>) {
    // SAFETY: guaranteed by this function's contract.
    let position = |a: u32, i: usize| unsafe { *arrays.x.add(3 * a as usize + i) };
    let count = group.len();
    let centre: [f64; 3] =
        std::array::from_fn(|i| group.iter().map(|a| position(*a, i)).sum::<f64>() / count as f64);
    let arm = |a: u32| -> [f64; 3] { std::array::from_fn(|i| position(a, i) - centre[i]) };
    // The inertia of the nodes with masses of one.
    let mut products = [[0.0; 3]; 3];
    for d in group.iter().map(|a| arm(*a)) {
        (0..3).for_each(|i| (0..3).for_each(|j| products[i][j] += d[i] * d[j]));
    }
    let square = products[0][0] + products[1][1] + products[2][2];
    let inertia = |i: usize, j: usize| if i == j { square - products[i][j] } else { -products[i][j] };
    let rows: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| inertia(i, j)));
    let adjugate = [cross(&rows[1], &rows[2]), cross(&rows[2], &rows[0]), cross(&rows[0], &rows[1])];
    let determinant: f64 = (0..3).map(|i| rows[0][i] * adjugate[0][i]).sum();
    if !(determinant > ON_A_LINE * square * square * square) {
        return;
    }
    let omega: [f64; 3] =
        std::array::from_fn(|i| (0..3).map(|j| adjugate[j][i] * torque[j]).sum::<f64>() / determinant);
    for a in group {
        let impulse = cross(&omega, &arm(*a));
        for i in 0..3 {
            let at = 3 * *a as usize + i;
            // SAFETY: guaranteed by this function's contract.
            unsafe { *arrays.v.add(at) += *arrays.inverse_mass.add(at) * impulse[i] };
        }
    }
}
