//! Growth of the powers of a matrix.

/// A square matrix by rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Rows, and columns.
    pub size: usize,
    /// The entries.
    pub entries: Vec<f64>,
}

impl Matrix {
    /// The unit matrix.
    pub fn identity(size: usize) -> Self {
        let entries = (0..size * size).map(|i| f64::from(u8::from(i / size == i % size))).collect();
        Matrix { size, entries }
    }

    /// The product.
    pub fn times(&self, other: &Matrix) -> Matrix {
        let n = self.size;
        let mut entries = vec![0.0; n * n];
        for (row, out) in self.entries.chunks_exact(n).zip(entries.chunks_exact_mut(n)) {
            for (a, other) in row.iter().zip(other.entries.chunks_exact(n)) {
                for (out, b) in out.iter_mut().zip(other) {
                    *out += a * b;
                }
            }
        }
        Matrix { size: n, entries }
    }

    /// The root of the sum of squares; NaN when an entry is.
    pub fn norm(&self) -> f64 {
        self.entries.iter().map(|a| a * a).sum::<f64>().sqrt()
    }
}

/// The growth of the powers of `p` for each application: the logarithm of its spectral radius, found by squaring
/// `doublings` times. What is bounded gives less than some `10 / 2^doublings`, of either sign.
pub fn exponent(p: &Matrix, doublings: u32) -> f64 {
    // More than this is growth beyond doubt, and no more accuracy is needed.
    const ENOUGH: f64 = 100.0;
    let (mut power, mut scale, mut rate) = (p.clone(), p.norm().ln(), 0.0);
    let mut log = scale;
    for k in 0..doublings {
        let norm = power.norm();
        power.entries.iter_mut().for_each(|a| *a /= norm);
        power = power.times(&power);
        scale *= 2.0;
        let next = scale + power.norm().ln();
        rate = (next - log) / f64::from(k).exp2();
        (log, scale) = (next, next);
        if !(log < ENOUGH) {
            break;
        }
    }
    rate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_exponent_is_the_logarithm_of_the_spectral_radius() {
        // A rotation by one radian, seen askew, times some factors.
        let (s, c) = 1_f64.sin_cos();
        for factor in [1.0, 1.0 + 1e-4, 1.5, 0.7] {
            let entries = [c + 3.0 * s, 10.0 * s, -s, c - 3.0 * s].map(|a| factor * a).to_vec();
            let got = exponent(&Matrix { size: 2, entries }, 20);
            // Growth beyond doubt is found to one part in a hundred.
            let enough = if factor > 1.1 { 0.01 } else { 2e-5 };
            assert!((got - factor.ln()).abs() < enough, "{factor}: {got} {}", factor.ln());
        }
        assert!(exponent(&Matrix { size: 1, entries: vec![f64::NAN] }, 5).is_nan());
    }
}
