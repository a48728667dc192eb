//! Matrices and vectors whose components are in units of their own: metres beside radians, electrons beside grams.

use super::{VANISHES, eliminate};

/// Rounds of [`equilibrate`]: each halves the logarithms of the remaining ratios, which are at most some 2000 for doubles.
const ROUNDS: usize = 12;

/// Scales are at most two to this power, up or down, so that products with any entry stay within the range of doubles.
const MOST: f64 = 500.0;

/// Powers of two `r` and `c` for the rows and columns of a matrix, by rows, such that the largest entry of each row and each column of
/// `r_i a_ij c_j` lies within a factor of about two of one: scales of all rows and columns by the roots of their largest entries,
/// repeated (Ruiz 2001). A symmetric matrix gets the same scales for both. Products with powers of two are exact. `None` if a row or a column
/// has no entry but zeros.
///
/// ```
/// let (rows, columns) = stationary::linalg::equilibrate(&[1e40, 1e19, 1e19, 4.0], 2).unwrap();
/// assert!((0.5..=2.0).contains(&(1e40 * rows[0] * columns[0])) && (0.5..=2.0).contains(&(4.0 * rows[1] * columns[1])));
/// ```
pub fn equilibrate(a: &[f64], width: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let height = a.len() / width.max(1);
    // Logarithms, whole numbers where entries are powers of two: units that are change all of this by whole numbers.
    let size: Vec<f64> = a.iter().map(|x| exponent(*x)).collect();
    let (mut rows, mut columns) = (vec![0.0; height], vec![0.0; width]);
    let (mut row_most, mut column_most) = (rows.clone(), columns.clone());
    for _ in 0..ROUNDS {
        row_most.fill(f64::NEG_INFINITY);
        column_most.fill(f64::NEG_INFINITY);
        for i in 0..height {
            for j in 0..width {
                let entry = size[i * width + j] + rows[i] + columns[j];
                row_most[i] = f64::max(row_most[i], entry);
                column_most[j] = f64::max(column_most[j], entry);
            }
        }
        let mut all = row_most.iter().chain(&column_most);
        if all.any(|most| *most == f64::NEG_INFINITY) {
            return None;
        }
        if row_most.iter().chain(&column_most).all(|most| most.abs() < 0.5) {
            break;
        }
        rows.iter_mut().zip(&row_most).for_each(|(scale, most)| *scale -= 0.5 * most);
        columns.iter_mut().zip(&column_most).for_each(|(scale, most)| *scale -= 0.5 * most);
    }
    let power = |scale: f64| scale.clamp(-MOST, MOST).round().exp2();
    Some((rows.into_iter().map(power).collect(), columns.into_iter().map(power).collect()))
}

/// The power of two at or below the size of a number; minus infinity for zero.
fn exponent(x: f64) -> f64 {
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    let biased = (x.abs().to_bits() >> MANTISSA) as i32;
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if biased == 0 {
        // Below the normal numbers, whose bits tell their size.
        exponent(x * f64::from(MANTISSA).exp2()) - f64::from(MANTISSA)
    } else {
        f64::from(biased - (f64::MAX_EXP - 1))
    }
}

/// Units `c` of coordinates, powers of two, in which their inertias are of one size: with `q_i = c_i x_i` the entries `c_i^2 a_ii` differ by less
/// than a factor of four, where `a_ii` is the largest entry of coordinate `i` on the diagonals of the blocks of `matrix`. Its rows and its columns, of
/// which there are `width`, are those of as many coordinates as `units` has, one vector behind the other. The first coordinate keeps its unit.
///
/// In other units of mass, length and time, by powers of two, all of `x` is the same but for one power of two: norms of `x` compare coordinates
/// in any units. If a coordinate has no such entry all units are one.
///
/// ```
/// let mut units = [0.0; 2];
/// stationary::linalg::natural_units(&[3.0, 0.5, 0.5, 48.0], 2, &mut units);
/// assert_eq!(units, [1.0, 0.25]);
/// ```
pub fn natural_units(matrix: &[f64], width: usize, units: &mut [f64]) {
    let n = units.len();
    let own = |i: usize| {
        let mut most = 0.0_f64;
        for row in matrix.chunks(width).skip(i).step_by(n) {
            for entry in row[i..].iter().step_by(n) {
                most = most.max(entry.abs());
            }
        }
        exponent(most)
    };
    units.iter_mut().enumerate().for_each(|(i, unit)| *unit = own(i));
    // Neither zero nor infinite.
    let known = |size: &f64| size.is_finite() && *size < f64::from(f64::MAX_EXP);
    if !units.iter().all(known) {
        units.fill(1.0);
        return;
    }
    let first = units[0];
    for unit in units {
        let half = (0.5 * (*unit - first)).floor();
        *unit = (-half.clamp(-MOST, MOST)).exp2();
    }
}

/// [`factor`](super::factor) where the sizes of rows and columns are far apart.
#[cold]
#[inline(never)]
pub(super) fn factor(a: &mut [f64], pivot: &mut [usize], n: usize) -> bool {
    let Some((mut rows, columns)) = equilibrate(a, n) else { return false };
    for k in 0..n {
        let size = |i: usize| a[i * n + k].abs() * rows[i];
        let mut row = k;
        for i in k + 1..n {
            if size(i) > size(row) {
                row = i;
            }
        }
        pivot[k] = row;
        // The largest entry of the scaled matrix is about one.
        let above = size(row) * columns[k] > VANISHES;
        if !above {
            return false;
        }
        if row != k {
            rows.swap(k, row);
            for j in 0..n {
                a.swap(k * n + j, row * n + j);
            }
        }
        eliminate(a, k, n);
    }
    true
}

/// Coordinates that move less than this part of the fastest one do not show in the largest component of a correction. Coordinates in the same
/// units move by far more than this even at their turning points.
const UNSEEN: f64 = 1e-9;

/// A correction of this relative size is followed, where Newton's method converges, by one of the size of rounding.
const FINE: f64 = 1e-8;

/// Whether Newton's method has converged also in those coordinates that the largest component of the correction `delta` does not show, because
/// they are in larger units than the fastest one: at most one more correction of them is above rounding. `x` are the unknowns, of
/// size `scale`; both are vectors of `n` coordinates, one behind the other.
#[inline(always)]
pub fn small_parts_settled(delta: &[f64], x: &[f64], n: usize, scale: f64) -> bool {
    if n <= 1 {
        return true;
    }
    for i in 0..n {
        let (mut change, mut size) = (0.0, 0.0);
        for at in (i..x.len()).step_by(n) {
            let (d, x) = (delta[at].abs(), x[at].abs());
            change = if d > change { d } else { change };
            size = if x > size { x } else { size };
        }
        if size < UNSEEN * scale && change > FINE * size {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equilibration_exponents_are_those_of_the_next_lower_powers_of_two() {
        for (x, e) in [(1.0, 0.0), (-3.0, 1.0), (0.75, -1.0), (f64::MIN_POSITIVE, -1022.0), (5e-324, -1074.0)]
        {
            assert_eq!(exponent(x), e, "{x}");
        }
        assert_eq!(exponent(0.0), f64::NEG_INFINITY);
    }

    #[test]
    fn equilibrated_matrix_has_rows_and_columns_of_size_one() {
        let a = [1e-30, 2e-11, 0.0, 3e10, 5e40, 1e3, 0.0, 7.0, 4e-200];
        let (rows, columns) = equilibrate(&a, 3).unwrap();
        let entry = |i: usize, j: usize| a[3 * i + j].abs() * rows[i] * columns[j];
        for i in 0..3 {
            let row = (0..3).map(|j| entry(i, j)).fold(0.0, f64::max);
            let column = (0..3).map(|j| entry(j, i)).fold(0.0, f64::max);
            assert!((0.25..4.0).contains(&row) && (0.25..4.0).contains(&column), "{i}: {row} {column}");
        }
        assert!(equilibrate(&[1.0, 0.0, 2.0, 0.0], 2).is_none(), "a column of zeros");
    }

    #[test]
    fn newton_convergence_check_covers_coordinates_in_large_units() {
        // Two points of two coordinates: metres and radians.
        let x = [1e9, 1e-2, 2e9, 2e-2];
        assert!(small_parts_settled(&[1e-3, 1e-12, 1e-3, 1e-12], &x, 2, 2e9));
        assert!(!small_parts_settled(&[1e-3, 1e-4, 1e-3, 1e-12], &x, 2, 2e9));
        // A part that shows in the largest component is not looked at twice.
        assert!(small_parts_settled(&[1e-9, 1e-9], &[1.0, 1e-5], 2, 1.0));
    }
}
