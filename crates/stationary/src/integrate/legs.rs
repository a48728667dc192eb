//! The tangent of a solved step, for any discrete Lagrangian.

use crate::action::{DiscreteLagrangian, Leg};
use crate::linalg::Lu;

/// The tangent of one solved leg, `(dq0, dp0) -> (dq1, dp1)`, into `matrix` (2n by 2n, by rows).
///
/// Varying `p0 = -D_0`, `0 = D_j`, `p1 = D_s` gives, with `H = D_k D_j L_full` and point variations
/// `dQ_k`: `sum_{k>=1} H_jk dQ_k = -H_j0 dq0 - [j = 0] dp0` for `j < s`, then `dp1 = sum_k H_sk dQ_k`.
/// With this map the discrete symplectic form [VTI04 (38)] is the canonical one.
pub fn tangent<D: DiscreteLagrangian>(ld: &mut D, leg: &Leg, matrix: &mut [f64]) -> bool {
    let (n, s) = (leg.q.len(), ld.pieces());
    let width = (s + 1) * n;
    let (mut d, mut h) = (vec![0.0; width], vec![0.0; width * width]);
    ld.second(leg, &mut d, &mut h, 0..s + 1, 0..s + 1);
    let mut lu = Lu::new(s * n);
    for r in 0..s * n {
        lu.matrix()[r * s * n..(r + 1) * s * n].copy_from_slice(&h[r * width + n..(r + 1) * width]);
    }
    if !lu.factor() {
        return false;
    }
    let mut last = h[s * n * width..].to_vec();
    ld.extra_impulse(leg, &mut vec![0.0; n], Some(&mut last));
    let mut points = vec![0.0; width];
    for column in 0..2 * n {
        points.fill(0.0);
        let (at_start, rhs) = points.split_at_mut(n);
        if column < n {
            at_start[column] = 1.0;
            for r in 0..s * n {
                rhs[r] = -h[r * width + column];
            }
        } else {
            rhs[column - n] = -1.0;
        }
        lu.solve(rhs);
        for i in 0..n {
            matrix[i * 2 * n + column] = points[s * n + i];
            matrix[(n + i) * 2 * n + column] = crate::linalg::dot(&last[i * width..(i + 1) * width], &points);
        }
    }
    true
}

/// `into = left * right` for square matrices of size `m`.
pub fn multiply(left: &[f64], right: &[f64], m: usize, into: &mut [f64]) {
    into.fill(0.0);
    for i in 0..m {
        for k in 0..m {
            let x = left[i * m + k];
            if x != 0.0 {
                for j in 0..m {
                    into[i * m + j] += x * right[k * m + j];
                }
            }
        }
    }
}
