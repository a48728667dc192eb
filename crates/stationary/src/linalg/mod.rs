//! Small dense linear algebra for steps of a few coordinates: LU factors, vectors and matrices of space, compensated sums, and the rule
//! that ends Newton's method.

use crate::interrupt;

mod dim;
mod newton;
mod scaled;
mod space;
mod sum;
mod vector;

pub use dim::{Dim, Dynamic, Fixed, Storage};
pub use newton::{NewtonProgress, ROUNDING_OF_POSITIONS, Verdict};
pub use scaled::{equilibrate, natural_units, small_parts_settled};
pub use space::{Mat3, Quaternion, symmetric_eigen};
pub use sum::{CompensatedSum, Summand, add_compensated, two_sum};
pub use vector::{Vec2, Vec3, Vector};

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

    /// The matrix as a `Vec`, which can be taken out and put back while the factors' owner is borrowed.
    pub(crate) fn matrix_mut(&mut self) -> &mut Vec<f64> {
        &mut self.a
    }

    /// Factors in place. `false` when a pivot vanishes beside the sizes of its row and its column, or is not finite.
    pub fn factor(&mut self) -> bool {
        factor_within(&mut self.a, &mut self.pivot, self.n, ALIKE)
    }

    /// Replaces `b` by the solution of `A x = b`.
    pub fn solve(&self, b: &mut [f64]) {
        solve(&self.a, &self.pivot, b, self.n);
    }
}

/// A pivot vanishes below this part of the sizes of its row and its column.
const VANISHES: f64 = f64::EPSILON * 1e-2;

/// Rows and columns whose largest entries differ by no more than this factor are not scaled in Newton's method. Pivots then stay far above
/// [`VANISHES`], and the digits lost in one correction are regained by the next one.
const EVEN: f64 = (1 << 20) as f64;

/// The same factor for solutions that no iteration corrects, such as tangents: every digit counts.
const ALIKE: f64 = 16.0;

/// Factors the `n` by `n` matrix `a` in place, with partial pivoting. `false` when a pivot vanishes beside the sizes of its row and its
/// column, or an entry is not finite. Inlined, so that it unrolls where `n` is known.
///
/// Rows and columns may be in units of their own, as metres and radians are: where their sizes are far apart, pivots are
/// compared in units that make them alike ([`equilibrate`]). The factors are those of the matrix as it is, so `solve` is the
/// same for both, and the bits of systems of one size are those of plain partial pivoting.
#[inline(always)]
pub fn factor(a: &mut [f64], pivot: &mut [usize], n: usize) -> bool {
    factor_within(a, pivot, n, EVEN)
}

/// [`factor`] with the ratio up to which sizes of rows and columns may differ without being scaled.
#[inline(always)]
fn factor_within(a: &mut [f64], pivot: &mut [usize], n: usize, even: f64) -> bool {
    let (a, pivot) = (&mut a[..n * n], &mut pivot[..n]);
    let Some(largest) = even_size(a, n, even) else { return scaled::factor(a, pivot, n) };
    // Not a number or infinite when any entry is, and then no pivot lies above it.
    let floor = largest * VANISHES;
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
        eliminate(a, k, n);
    }
    true
}

/// The largest absolute entry of a matrix, if its rows and columns are of one size or it has an entry that is not finite; `None` if they
/// are not.
#[inline(always)]
fn even_size(a: &[f64], n: usize, even: f64) -> Option<f64> {
    let (mut largest, mut least, mut sum) = (0.0, f64::INFINITY, 0.0);
    for i in 0..n {
        let (mut row, mut column) = (0.0, 0.0);
        for j in 0..n {
            let (x, y) = (a[i * n + j].abs(), a[j * n + i].abs());
            row = if x > row { x } else { row };
            column = if y > column { y } else { column };
            sum += x;
        }
        largest = if row > largest { row } else { largest };
        least = if row < least { row } else { least };
        least = if column < least { column } else { least };
    }
    if sum.is_nan() {
        return Some(sum);
    }
    (least * even >= largest || largest == f64::INFINITY).then_some(largest)
}

/// Eliminates column `k` below its pivot, which is replaced by its inverse.
#[inline(always)]
fn eliminate(a: &mut [f64], k: usize, n: usize) {
    let inverse = 1.0 / a[k * n + k];
    a[k * n + k] = inverse;
    for i in k + 1..n {
        let factor = a[i * n + k] * inverse;
        a[i * n + k] = factor;
        // For few unknowns the subtraction costs less than the comparison.
        if n <= UNROLLED || factor != 0.0 {
            for j in k + 1..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
}

/// From this many unknowns on factoring takes long enough that it must be possible to interrupt it: a column takes some
/// microseconds.
const LONG: usize = 128;

/// Up to this many unknowns loops are written to be unrolled.
const UNROLLED: usize = 3;

/// Calls `swap` with the `row` of the pivot of column `k` of `n` if it is not row `k` itself. For few rows a loop looks for it: where
/// the loop unrolls, every call has a row known to the compiler, and the numbers swapped stay in registers.
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

/// Replaces `b` by the solution of `A x = b`, given the factors that [`factor`] wrote over `A`.
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

/// The Schur complement `A_rc - A_rl A_ll^-1 A_lc` of a matrix with rows of length `width`: the unknowns `leave` are eliminated, and the entries
/// of the given rows and columns are written by rows. All are NaN if the block of the eliminated unknowns is singular.
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
    fn lu_solves_systems_that_need_pivoting() {
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
    fn lu_refuses_singular_matrices_and_nan() {
        let mut lu = Lu::new(2);
        lu.matrix().copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        assert!(!lu.factor());
        lu.matrix().copy_from_slice(&[1.0, f64::NAN, 2.0, 4.0]);
        assert!(!lu.factor());
        let mut one = Lu::new(1);
        one.matrix()[0] = 0.0;
        assert!(!one.factor());
    }

    /// Units of the coordinates, powers of two of any size, change a solution by rounding at most. The matrices of steps are second derivatives: a unit enters the row of its coordinate as it enters its column.
    #[test]
    fn lu_factors_do_not_depend_on_the_units_of_coordinates() {
        let mut seed = 1_u64;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for case in 0..600 {
            let n = 2 + case % 5;
            // Diagonally heavy, as the matrices of steps are, so that no two pivots are of nearly one size.
            let a: Vec<f64> =
                (0..n * n).map(|k| if k / n == k % n { 3.0 + next() } else { next() }).collect();
            let b: Vec<f64> = (0..n).map(|_| next()).collect();
            let units = |next: &mut dyn FnMut() -> f64| -> Vec<f64> {
                (0..n).map(|_| (400.0 * next()).round().exp2()).collect()
            };
            let columns = units(&mut next);
            // And one for all, as that of mass is.
            let whole = (100.0 * next()).round().exp2();
            let rows: Vec<f64> = columns.iter().map(|c| whole * c).collect();
            let solve = |rows: &[f64], columns: &[f64]| {
                let mut lu = Lu::new(n);
                for k in 0..n * n {
                    lu.matrix()[k] = rows[k / n] * a[k] * columns[k % n];
                }
                let mut x: Vec<f64> = b.iter().zip(rows).map(|(b, r)| b * r).collect();
                let regular = lu.factor();
                lu.solve(&mut x);
                x.iter_mut().zip(columns).for_each(|(x, c)| *x *= c);
                regular.then_some(x)
            };
            let plain = solve(&vec![1.0; n], &vec![1.0; n]);
            let (plain, scaled) = (plain.unwrap(), solve(&rows, &columns).unwrap());
            for (x, y) in scaled.iter().zip(&plain) {
                let error = (x - y).abs() / max_abs(&plain);
                assert!(error < 1e-14, "{case}: {error:e} with {rows:?} {columns:?}");
            }
        }
    }

    #[test]
    fn lu_refuses_singular_matrices_in_any_units() {
        for unit in [1e-30, 1.0, 1e30] {
            let mut lu = Lu::new(3);
            lu.matrix().copy_from_slice(&[1.0, 2.0 * unit, 0.0, 2.0, 4.0 * unit, 0.0, 0.0, 0.0, 5.0]);
            assert!(!lu.factor(), "{unit}: two rows are one");
            lu.matrix().copy_from_slice(&[1.0, unit, 0.0, 1.0, 2.0 * unit, 0.0, 0.0, 0.0, 0.0]);
            assert!(!lu.factor(), "{unit}: a row of zeros");
            lu.matrix().copy_from_slice(&[1.0, f64::NAN, 0.0, 1.0, 2.0 * unit, 0.0, 0.0, 0.0, 1.0]);
            assert!(!lu.factor(), "{unit}: an entry is not a number");
            lu.matrix().copy_from_slice(&[1.0, f64::INFINITY, 0.0, 1.0, 2.0 * unit, 0.0, 0.0, 0.0, 1.0]);
            assert!(!lu.factor(), "{unit}: an entry is infinite");
        }
    }

    #[test]
    fn max_abs_of_a_vector_with_nan_is_nan() {
        assert_eq!(max_abs(&[1.0, -3.0, 2.0]), 3.0);
        assert!(max_abs(&[f64::NAN, 1.0]).is_nan());
        assert!(max_abs(&[1.0, f64::NAN]).is_nan());
    }
}
