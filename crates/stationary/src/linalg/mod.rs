//! Small dense linear algebra: what a step of a few coordinates needs and no more.

use crate::interrupt;

mod dim;
pub mod space;

pub use dim::{Dim, Dynamic, Fixed, Storage};

/// LU factors with partial pivoting of a square matrix stored by rows; the storage is reused.
#[derive(Debug, Clone)]
pub struct Lu {
    n: usize,
    a: Vec<f64>,
    pivot: Vec<usize>,
}

impl Lu {
    /// Room for an `n` by `n` matrix.
    pub fn new(n: usize) -> Self {
        Lu { n, a: vec![0.0; n * n], pivot: vec![0; n] }
    }

    /// The matrix to be factored, by rows: fill it, then call [`factor`](Self::factor).
    #[inline]
    pub fn matrix(&mut self) -> &mut [f64] {
        &mut self.a
    }

    /// The same as a vector, to be taken out and put back while its owner is read.
    pub(crate) fn matrix_mut(&mut self) -> &mut Vec<f64> {
        &mut self.a
    }

    /// Factors in place. `false` when a pivot vanishes (relative to the largest entry) or is not finite.
    pub fn factor(&mut self) -> bool {
        factor(&mut self.a, &mut self.pivot, self.n)
    }

    /// Replaces `b` by the solution of `A x = b`.
    pub fn solve(&self, b: &mut [f64]) {
        solve(&self.a, &self.pivot, b, self.n);
    }
}

/// Factors the `n` by `n` matrix `a` in place. `false` when a pivot vanishes (relative to the largest entry) or an
/// entry is not finite. Inlined, so that it unrolls where `n` is known.
#[inline(always)]
pub fn factor(a: &mut [f64], pivot: &mut [usize], n: usize) -> bool {
    let (a, pivot) = (&mut a[..n * n], &mut pivot[..n]);
    // Not a number or infinite when any entry is, and then no pivot lies above it.
    let floor = max_abs(a) * (f64::EPSILON * 1e-2);
    for k in 0..n {
        if n >= LONG && interrupt::requested() {
            return false;
        }
        let (mut row, mut largest) = (k, a[k * n + k].abs());
        for i in k + 1..n {
            let x = a[i * n + k].abs();
            if x > largest {
                (row, largest) = (i, x);
            }
        }
        pivot[k] = row;
        let above = largest > floor;
        if !above {
            return false;
        }
        exchange(k, row, n, |row| {
            for j in 0..n {
                a.swap(k * n + j, row * n + j);
            }
        });
        let inverse = 1.0 / a[k * n + k];
        a[k * n + k] = inverse;
        for i in k + 1..n {
            let factor = a[i * n + k] * inverse;
            a[i * n + k] = factor;
            // Few numbers are sooner subtracted than looked at.
            if n <= UNROLLED || factor != 0.0 {
                for j in k + 1..n {
                    a[i * n + j] -= factor * a[k * n + j];
                }
            }
        }
    }
    true
}

/// From so many unknowns on factoring may take long enough to be interrupted: a column of them takes some microseconds.
const LONG: usize = 128;

/// Up to this many unknowns loops are written to be unrolled.
const UNROLLED: usize = 3;

/// Calls `swap` with the `row` of a pivot for column `k` of `n` if that is another row. Of few rows it is sought: where
/// the loop unrolls, each call has a known row, and what is swapped can live in registers.
#[inline(always)]
fn exchange(k: usize, row: usize, n: usize, mut swap: impl FnMut(usize)) {
    if n <= UNROLLED {
        for i in k + 1..n {
            if row == i {
                swap(i);
            }
        }
    } else if row != k {
        swap(row);
    }
}

/// Replaces `b` by the solution of `A x = b`, given what [`factor`] left.
#[inline(always)]
pub fn solve(a: &[f64], pivot: &[usize], b: &mut [f64], n: usize) {
    let (a, pivot, b) = (&a[..n * n], &pivot[..n], &mut b[..n]);
    // Whole rows were swapped, multipliers included: all swaps come before the elimination.
    for k in 0..n {
        exchange(k, pivot[k], n, |row| b.swap(k, row));
    }
    for k in 0..n {
        let x = b[k];
        for i in k + 1..n {
            b[i] -= a[i * n + k] * x;
        }
    }
    for k in (0..n).rev() {
        let mut x = b[k];
        for j in k + 1..n {
            x -= a[k * n + j] * b[j];
        }
        b[k] = x * a[k * n + k];
    }
}

/// What is left of a matrix of rows of length `width` when the unknowns `leave` are eliminated: `A_rc - A_rl A_ll^-1 A_lc` for the
/// given rows and columns, by rows. Not numbers if the block of those that leave is singular.
pub fn schur(a: &[f64], width: usize, [rows, columns]: [&[usize]; 2], leave: &[usize], out: &mut [f64]) {
    let m = leave.len();
    let mut lu = Lu::new(m);
    for (r, i) in leave.iter().enumerate() {
        for (c, j) in leave.iter().enumerate() {
            lu.matrix()[r * m + c] = a[i * width + j];
        }
    }
    if !lu.factor() {
        out.fill(f64::NAN);
        return;
    }
    let mut x = vec![0.0; m];
    for (c, j) in columns.iter().enumerate() {
        x.iter_mut().zip(leave).for_each(|(x, l)| *x = a[l * width + j]);
        lu.solve(&mut x);
        for (r, i) in rows.iter().enumerate() {
            let through: f64 = leave.iter().zip(&x).map(|(l, x)| a[i * width + l] * x).sum();
            out[r * columns.len() + c] = a[i * width + j] - through;
        }
    }
}

/// Largest absolute component; NaN if any component is NaN.
#[inline(always)]
pub fn max_abs(x: &[f64]) -> f64 {
    // A comparison drops a NaN, which would let a broken Newton loop "converge"; a sum without signs keeps it.
    let (mut largest, mut sum) = (0.0, 0.0);
    for x in x {
        let x = x.abs();
        largest = if x > largest { x } else { largest };
        sum += x;
    }
    if sum.is_nan() { sum } else { largest }
}

/// The cross product of two vectors in space.
#[inline]
pub fn cross(a: &[f64], b: &[f64]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `a . b`.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lu_solves_what_needs_pivoting() {
        for (n, scale) in (1..9).flat_map(|n| [1e-200, 1.0, 1e200].map(|scale| (n, scale))) {
            // A full matrix whose pivots must be sought in every column.
            let a: Vec<f64> = (0..n * n).map(|k| scale * ((k * k + 3 * k + 1) as f64 * 0.7).sin()).collect();
            let x: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
            let mut b: Vec<f64> = (0..n).map(|i| dot(&a[n * i..n * i + n], &x)).collect();
            let mut lu = Lu::new(n);
            lu.matrix().copy_from_slice(&a);
            assert!(lu.factor());
            lu.solve(&mut b);
            for (got, want) in b.iter().zip(&x) {
                assert!((got - want).abs() < 1e-12, "{n}: {got} {want}");
            }
        }
    }

    #[test]
    fn lu_refuses_singular_and_nan() {
        let mut lu = Lu::new(2);
        lu.matrix().copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        assert!(!lu.factor());
        lu.matrix().copy_from_slice(&[1.0, f64::NAN, 2.0, 4.0]);
        assert!(!lu.factor());
        let mut one = Lu::new(1);
        one.matrix()[0] = 0.0;
        assert!(!one.factor());
    }

    #[test]
    fn max_abs_keeps_nan() {
        assert_eq!(max_abs(&[1.0, -3.0, 2.0]), 3.0);
        assert!(max_abs(&[f64::NAN, 1.0]).is_nan());
        assert!(max_abs(&[1.0, f64::NAN]).is_nan());
    }
}
