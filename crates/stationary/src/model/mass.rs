//! The constant mass matrix of a separable system.

use crate::linalg::{Lu, dot};

/// A constant, symmetric, invertible mass matrix.
#[derive(Debug, Clone)]
pub struct Mass {
    n: usize,
    matrix: Vec<f64>,
    inverse: Inverse,
}

#[derive(Debug, Clone)]
enum Inverse {
    Diagonal(Vec<f64>),
    Dense(Vec<f64>),
}

impl Mass {
    /// Masses on the diagonal. `None` when one is zero or not finite.
    pub fn diagonal(masses: &[f64]) -> Option<Self> {
        let n = masses.len();
        let mut matrix = vec![0.0; n * n];
        for (i, &m) in masses.iter().enumerate() {
            if m == 0.0 || !m.is_finite() {
                return None;
            }
            matrix[i * n + i] = m;
        }
        Some(Mass { n, matrix, inverse: Inverse::Diagonal(masses.iter().map(|m| 1.0 / m).collect()) })
    }

    /// A full matrix by rows. `None` when it is singular.
    pub fn dense(n: usize, matrix: &[f64]) -> Option<Self> {
        if (0..n * n).all(|k| k / n == k % n || matrix[k] == 0.0) {
            return Mass::diagonal(&(0..n).map(|i| matrix[i * n + i]).collect::<Vec<_>>());
        }
        let mut lu = Lu::new(n);
        lu.matrix().copy_from_slice(matrix);
        if !lu.factor() {
            return None;
        }
        let mut inverse = vec![0.0; n * n];
        let mut column = vec![0.0; n];
        for j in 0..n {
            column.fill(0.0);
            column[j] = 1.0;
            lu.solve(&mut column);
            for i in 0..n {
                inverse[i * n + j] = column[i];
            }
        }
        Some(Mass { n, matrix: matrix.to_vec(), inverse: Inverse::Dense(inverse) })
    }

    /// The matrix, by rows.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// `1/m` of each coordinate, when the matrix is diagonal.
    pub fn inverse_diagonal(&self) -> Option<&[f64]> {
        match &self.inverse {
            Inverse::Diagonal(d) => Some(d),
            Inverse::Dense(_) => None,
        }
    }

    /// `v = M^-1 p`.
    pub fn velocity(&self, p: &[f64], v: &mut [f64]) {
        match &self.inverse {
            Inverse::Diagonal(d) => {
                for i in 0..self.n {
                    v[i] = d[i] * p[i];
                }
            }
            Inverse::Dense(m) => {
                for i in 0..self.n {
                    v[i] = dot(&m[i * self.n..(i + 1) * self.n], p);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_mass_matrix_is_inverted() {
        let m = Mass::dense(2, &[2.0, 1.0, 1.0, 3.0]).unwrap();
        let mut v = [0.0; 2];
        m.velocity(&[2.0 * 0.5 + 0.25, 0.5 + 3.0 * 0.25], &mut v);
        assert!((v[0] - 0.5).abs() < 1e-15 && (v[1] - 0.25).abs() < 1e-15);
        assert!(m.inverse_diagonal().is_none());
    }

    #[test]
    fn singular_mass_matrix_is_refused() {
        assert!(Mass::dense(2, &[1.0, 1.0, 1.0, 1.0]).is_none());
        assert!(Mass::dense(2, &[1.0, 0.0, 0.0, 0.0]).is_none());
        assert!(Mass::diagonal(&[f64::NAN]).is_none());
    }
}
