//! The largest eigenvalues of a symmetric operator by the block Lanczos method, with full orthogonalisation and thick restarts
//! (Wu, Simon 2000: restart from the best Ritz vectors). Vectors that are already known are kept out.
//!
//! ```text
//! V orthonormal,  T = V . B V,  T s = theta s,  B V s - theta V s = V_next (C s_last)
//! ```

use super::ModesError;
use crate::interrupt;
use faer::{Mat, Side};

/// Vectors that are multiplied at once. Eigenvalues up to this multiplicity are found without a second pass.
const BLOCK: usize = 4;
/// A vector of which less than this part remains is one of the span before it.
const NOTHING_NEW: f64 = 1e-10;
/// What rounding leaves of a residual, in parts of the largest eigenvalue.
const ROUNDING: f64 = 32.0 * f64::EPSILON;
/// Restarts before the iteration is given up.
const RESTARTS: usize = 200;

/// `a . b`, in four sums.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a4.zip(b4) {
        (0..4).for_each(|i| sums[i] += a[i] * b[i]);
    }
    sums[0] + sums[1] + (sums[2] + sums[3]) + rest
}

/// Removes from `y` its parts along orthonormal vectors, twice; returns these parts.
pub(super) fn orthogonalise(y: &mut [f64], vectors: &[Vec<f64>]) -> Vec<f64> {
    let mut parts = vec![0.0; vectors.len()];
    for _ in 0..2 {
        for (part, v) in parts.iter_mut().zip(vectors) {
            let c = dot(v, y);
            y.iter_mut().zip(v).for_each(|(y, v)| *y -= c * v);
            *part += c;
        }
    }
    parts
}

/// Eigenvalues, ascending, and eigenvectors of a symmetric matrix of `n` rows, whose lower triangle is read.
pub(super) fn eigen(matrix: &[f64], n: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let matrix = Mat::from_fn(n, n, |row, column| matrix[column * n + row]);
    let Ok(found) = matrix.self_adjoint_eigen(Side::Lower) else {
        return (vec![f64::NAN; n], vec![vec![f64::NAN; n]; n]);
    };
    let values = (0..n).map(|j| found.S()[j]).collect();
    let vectors = (0..n).map(|j| (0..n).map(|i| found.U()[(i, j)]).collect()).collect();
    (values, vectors)
}

/// The same numbers on every machine and in every run, between -1 and 1 (splitmix64).
pub(super) struct Numbers(pub u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as i64 as f64 / 9.3e18
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// An eigenvalue `theta` of the operator, and its vector of length one.
pub(super) struct Ritz {
    pub theta: f64,
    pub vector: Vec<f64>,
}

/// Where the iteration is.
struct Basis<'a> {
    n: usize,
    /// Orthonormal vectors that are known, and kept out.
    known: &'a [Vec<f64>],
    vectors: Vec<Vec<f64>>,
    /// `V . B V`, its upper triangle by columns, of those that were multiplied.
    products: Vec<Vec<f64>>,
    numbers: Numbers,
}

impl Basis<'_> {
    /// Makes the part of `y` that is orthogonal to all vectors a new one, if there is such a part.
    fn add(&mut self, mut y: Vec<f64>) -> bool {
        let before = dot(&y, &y).sqrt();
        self.make_orthogonal(&mut y);
        if !(dot(&y, &y).sqrt() > NOTHING_NEW * before) {
            return false;
        }
        // Once more: what is left may be small beside what was taken.
        for _ in 0..2 {
            let length = dot(&y, &y).sqrt();
            y.iter_mut().for_each(|y| *y /= length);
            self.make_orthogonal(&mut y);
        }
        self.vectors.push(y);
        true
    }

    /// Adds a vector without a pattern.
    fn add_any(&mut self) {
        let y = self.numbers.vector(self.n);
        self.add(y);
    }

    fn make_orthogonal(&self, y: &mut [f64]) {
        orthogonalise(y, self.known);
        orthogonalise(y, &self.vectors);
    }

    /// Multiplies the vectors that have not been, and adds what is new in their products. Returns how the products depend on the
    /// new vectors, by columns.
    fn multiply_block(&mut self, multiply: &mut dyn FnMut(&mut [f64])) -> Result<Vec<Vec<f64>>, ModesError> {
        let total = self.vectors.len();
        let mut block = self.vectors[self.products.len()..].concat();
        multiply(&mut block);
        if block.iter().any(|y| !y.is_finite()) {
            return Err(ModesError::NotConverged { found: 0 });
        }
        let mut rest: Vec<Vec<f64>> = block.chunks_exact(self.n).map(<[f64]>::to_vec).collect();
        for y in &mut rest {
            let size = dot(y, y).sqrt();
            orthogonalise(y, self.known);
            self.products.push(orthogonalise(y, &self.vectors));
            // Of what lies in the span only rounding is left.
            if dot(y, y).sqrt() <= f64::EPSILON * size {
                y.fill(0.0);
            }
        }
        let room = self.n - self.known.len();
        for y in &rest {
            if self.vectors.len() < room {
                self.add(y.clone());
            }
        }
        if self.vectors.len() == total && total < room {
            self.add_any();
        }
        let new = &self.vectors[total..];
        Ok(rest.iter().map(|y| new.iter().map(|v| dot(v, y)).collect()).collect())
    }
}

/// The `want` largest eigenvalues of `multiply` in the complement of the known vectors, descending: fewer where the complement is smaller. `multiply` replaces columns
/// by their products. A pair is taken when its residual is below `tolerance` times the eigenvalue.
pub(super) fn largest(
    n: usize,
    known: &[Vec<f64>],
    (want, tolerance, seed): (usize, f64, u64),
    multiply: &mut dyn FnMut(&mut [f64]),
) -> Result<Vec<Ritz>, ModesError> {
    let room = n - known.len();
    let want = want.min(room);
    if want == 0 {
        return Ok(Vec::new());
    }
    let most = (2 * want + 2 * BLOCK).max(want + 10 * BLOCK).min(room).max(want + 2 * BLOCK);
    let mut basis = Basis { n, known, vectors: Vec::new(), products: Vec::new(), numbers: Numbers(seed) };
    (0..BLOCK.min(room)).for_each(|_| basis.add_any());
    let mut restarts = 0;
    loop {
        if interrupt::requested() {
            return Err(ModesError::Interrupted);
        }
        let (first, total) = (basis.products.len(), basis.vectors.len());
        let coupling = basis.multiply_block(multiply)?;
        let width = basis.vectors.len() - total;
        let (values, weights) = eigen(&lower_triangle(&basis.products), total);
        // The residual of a Ritz pair is what the last block leads to beyond the basis.
        let residual = |k: usize| {
            let last = &weights[k][first..];
            let out = (0..width).map(|i| coupling.iter().zip(last).map(|(c, s)| c[i] * s).sum::<f64>());
            out.map(|c| c * c).sum::<f64>().sqrt()
        };
        let best: Vec<usize> = (0..total).rev().take(want).collect();
        let rounding = ROUNDING * values[total - 1].abs();
        let good = |k: &usize| residual(*k) <= (tolerance * values[*k].abs()).max(rounding);
        let whole = width == 0;
        if best.len() == want && (whole || best.iter().all(good)) {
            let vector = |k: usize| combination(&basis.vectors[..total], &weights[k]);
            return Ok(best.iter().map(|k| Ritz { theta: values[*k], vector: vector(*k) }).collect());
        }
        let is_full = basis.vectors.len() + BLOCK > most && total > want;
        restarts += usize::from(is_full);
        if whole || restarts > RESTARTS {
            return Err(ModesError::NotConverged { found: best.iter().filter(|k| good(k)).count() });
        }
        if is_full {
            restart(&mut basis, total, (want + BLOCK).min(total - 1), (&values, &weights));
        }
    }
}

/// A full lower triangle by columns from upper ones.
fn lower_triangle(products: &[Vec<f64>]) -> Vec<f64> {
    let n = products.len();
    let mut matrix = vec![0.0; n * n];
    for (column, upper) in products.iter().enumerate() {
        for row in 0..=column {
            matrix[row * n + column] = upper[row];
        }
    }
    matrix
}

fn combination(vectors: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; vectors[0].len()];
    for (vector, weight) in vectors.iter().zip(weights) {
        sum.iter_mut().zip(vector).for_each(|(sum, v)| *sum += weight * v);
    }
    let length = dot(&sum, &sum).sqrt();
    sum.iter_mut().for_each(|y| *y /= length);
    sum
}

/// Goes on from the best Ritz vectors and the vectors that were not multiplied.
fn restart(basis: &mut Basis<'_>, total: usize, keep: usize, (values, weights): (&[f64], &[Vec<f64>])) {
    let best: Vec<usize> = (0..total).rev().take(keep).collect();
    let mut vectors: Vec<Vec<f64>> =
        best.iter().map(|k| combination(&basis.vectors[..total], &weights[*k])).collect();
    let next = basis.vectors.split_off(total);
    basis.products = best
        .iter()
        .enumerate()
        .map(|(j, k)| (0..=j).map(|i| if i == j { values[*k] } else { 0.0 }).collect())
        .collect();
    std::mem::swap(&mut basis.vectors, &mut vectors);
    // Orthogonal to the old basis, hence to these; rounding is taken out.
    for y in next {
        basis.add(y);
    }
}
