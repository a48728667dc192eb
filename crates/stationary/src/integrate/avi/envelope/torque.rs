//! Angular momentum at a level boundary.
//!
//! The impulses of a level have no torque about the positions `y` at which its forces are evaluated. The nodes are at `x`, so that the
//! angular momentum changes by `sum_a (x_a - y_a) x dp_a`. With the exact envelope every term is zero, since `x_a - y_a` is parallel to `dp_a`;
//! what the iteration leaves is balanced by impulses `omega x (x_i - c)` on the shared node and its neighbours, with their centre `c`.

use super::super::harmonic_schedule::level_part::SharedArrays;
use super::{LevelBoundary, Mesh};
use crate::linalg::cross;
use crate::model::Potentials;

/// A shared node and its neighbours by slow elements, none of which a support holds.
pub(super) type Group = Vec<u32>;

/// Part of the largest possible determinant of the inertia below which nodes count as being on a line.
const ON_A_LINE: f64 = 1e-9;

/// For each shared node its group: all neighbours, so that the order of a mesh file changes nothing. It must not depend on positions either, which a
/// restart does not know. `None` where there are fewer than three free nodes.
pub(super) fn groups<P: Potentials>(
    mesh: &Mesh<'_, P>,
    nodes: &[u32],
    plain: &[u32],
    others: &[u32],
) -> Vec<Option<Group>> {
    let free = |a: &u32| mesh.inverse_mass[3 * *a as usize..][..3].iter().all(|i| *i > 0.0);
    let mut groups: Vec<Group> = nodes.iter().map(|a| vec![*a]).collect();
    for k in plain.iter().chain(others) {
        let own = mesh.potentials.nodes(*k as usize);
        for a in own.iter().filter(|a| free(a)) {
            let Ok(n) = nodes.binary_search(a) else { continue };
            for b in own.iter().filter(|b| free(b)) {
                if !groups[n].contains(b) {
                    groups[n].push(*b);
                }
            }
        }
    }
    groups.into_iter().map(|group| (group.len() > 2).then_some(group)).collect()
}

impl LevelBoundary {
    /// Takes the shared nodes back to where they are, and balances the torque of the impulses that the level has applied.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], with no other thread at work.
    pub unsafe fn finish<P>(&self, arrays: &SharedArrays<'_, P>) {
        let mut torques = Vec::new();
        for (a, group) in self.nodes.iter().zip(&self.groups) {
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
            let torque = cross(&lever, &change);
            if let Some(group) = group
                && torque.iter().any(|t| *t != 0.0)
            {
                torques.push((group, torque.map(|t| -t / inverse)));
            }
        }
        for (group, torque) in torques {
            // SAFETY: guaranteed by this function's contract.
            unsafe { apply_torque(group, &torque, arrays) };
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
