//! Angular momentum at a level boundary.
//!
//! The impulses of a level have no torque about the positions `y` at which its forces are evaluated. The nodes are at `x`, so that the
//! angular momentum changes by `sum_a (x_a - y_a) x dp_a`. With the exact envelope every term is zero, since `x_a - y_a` is parallel to `dp_a`;
//! what the iteration leaves is balanced by impulses `omega x (x_i - c)` on the shared node and two neighbours, with their centre `c`.

use super::super::harmonic_schedule::level_part::SharedArrays;
use super::{LevelBoundary, Mesh};
use crate::linalg::cross;
use crate::model::Potentials;

/// A shared node and two others that no support holds, not on a line with it.
pub(super) type Triple = [u32; 3];

/// Most neighbours among which two are chosen.
const MOST_NEIGHBOURS: usize = 16;

/// For each shared node the neighbours that make the largest triangle with it; `None` where no three free nodes make one.
pub(super) fn triples<P: Potentials>(
    mesh: &Mesh<'_, P>,
    nodes: &[u32],
    plain: &[u32],
    others: &[u32],
) -> Vec<Option<Triple>> {
    let free = |a: &u32| mesh.inverse_mass[3 * *a as usize..][..3].iter().all(|i| *i > 0.0);
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for k in plain.iter().chain(others) {
        let own = mesh.potentials.nodes(*k as usize);
        for a in own {
            let Ok(n) = nodes.binary_search(a) else { continue };
            for b in own.iter().filter(|b| *b != a && free(b)) {
                if neighbours[n].len() < MOST_NEIGHBOURS && !neighbours[n].contains(b) {
                    neighbours[n].push(*b);
                }
            }
        }
    }
    let from = |a: u32, b: u32| -> [f64; 3] {
        std::array::from_fn(|i| mesh.x[3 * b as usize + i] - mesh.x[3 * a as usize + i])
    };
    let square = |v: &[f64; 3]| v.iter().map(|v| v * v).sum::<f64>();
    let best = |(a, around): (&u32, &Vec<u32>)| {
        let mut best = None;
        let mut largest = 0.0;
        for (n, b) in around.iter().enumerate().filter(|_| free(a)) {
            let one = from(*a, *b);
            for c in &around[..n] {
                let other = from(*a, *c);
                let area = square(&cross(&one, &other));
                // A part of the largest possible, below which the three count as being on a line.
                if area > largest && area > 1e-6 * square(&one) * square(&other) {
                    largest = area;
                    best = Some([*a, *b, *c]);
                }
            }
        }
        best
    };
    nodes.iter().zip(&neighbours).map(best).collect()
}

impl LevelBoundary {
    /// Takes the shared nodes back to where they are, and balances the torque of the impulses that the level has applied.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], with no other thread at work.
    pub unsafe fn finish<P>(&self, arrays: &SharedArrays<'_, P>) {
        let mut torques = Vec::new();
        for (a, triple) in self.nodes.iter().zip(&self.triples) {
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
            if let Some(triple) = triple
                && torque.iter().any(|t| *t != 0.0)
            {
                torques.push((triple, torque.map(|t| -t / inverse)));
            }
        }
        for (triple, torque) in torques {
            // SAFETY: guaranteed by this function's contract.
            unsafe { apply_torque(triple, &torque, arrays) };
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

/// Applies impulses with this torque and no sum to three nodes.
///
/// # Safety
/// No other thread uses these nodes.
unsafe fn apply_torque<P>(triple: &Triple, torque: &[f64; 3], arrays: &SharedArrays<'_, P>) {
    // SAFETY: guaranteed by this function's contract.
    let position = |a: u32, i: usize| unsafe { *arrays.x.add(3 * a as usize + i) };
    let centre: [f64; 3] = std::array::from_fn(|i| triple.iter().map(|a| position(*a, i)).sum::<f64>() / 3.0);
    let arms: [[f64; 3]; 3] =
        std::array::from_fn(|n| std::array::from_fn(|i| position(triple[n], i) - centre[i]));
    // The inertia of the three nodes with masses of one.
    let square: f64 = arms.as_flattened().iter().map(|d| d * d).sum();
    let inertia = |i: usize, j: usize| {
        let products: f64 = arms.iter().map(|d| d[i] * d[j]).sum();
        if i == j { square - products } else { -products }
    };
    let rows: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| inertia(i, j)));
    let adjugate = [cross(&rows[1], &rows[2]), cross(&rows[2], &rows[0]), cross(&rows[0], &rows[1])];
    let determinant: f64 = (0..3).map(|i| rows[0][i] * adjugate[0][i]).sum();
    if !(determinant > 0.0) {
        return;
    }
    let omega: [f64; 3] =
        std::array::from_fn(|i| (0..3).map(|j| adjugate[j][i] * torque[j]).sum::<f64>() / determinant);
    for (a, arm) in triple.iter().zip(&arms) {
        let impulse = cross(&omega, arm);
        for i in 0..3 {
            let at = 3 * *a as usize + i;
            // SAFETY: guaranteed by this function's contract.
            unsafe { *arrays.v.add(at) += *arrays.inverse_mass.add(at) * impulse[i] };
        }
    }
}
