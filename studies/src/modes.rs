//! The exact heat of a harmonic system with unit masses, by its normal modes.

/// Eigenvalues and eigenvectors (rows) of a symmetric matrix by Jacobi's rotations.
pub fn symmetric_eigen(n: usize, matrix: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut a: Vec<Vec<f64>> = matrix.chunks(n).map(<[f64]>::to_vec).collect();
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let size: f64 = matrix.iter().map(|x| x * x).sum();
    // Convergence is quadratic: a dozen sweeps serve any size in use; the bound only guards against NaN.
    for _sweep in 0..60 {
        let off: f64 = (0..n).map(|i| (0..i).map(|j| a[i][j] * a[i][j]).sum::<f64>()).sum();
        if off <= 1e-32 * size {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    ((0..n).map(|i| a[i][i]).collect(), vectors)
}

/// The rotation in the plane of `p` and `q` that makes `a[p][q]` vanish.
fn rotate(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    for k in 0..a.len() {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
        (vectors[p][k], vectors[q][k]) =
            (c * vectors[p][k] - s * vectors[q][k], s * vectors[p][k] + c * vectors[q][k]);
    }
}

/// One mode: its frequency, and its displacement and velocity at the start.
#[derive(Debug, Clone, Copy)]
struct Mode {
    frequency: f64,
    q: f64,
    v: f64,
}

/// The exact motion of a harmonic system from a start.
#[derive(Debug, Clone)]
pub struct Modes(Vec<Mode>);

impl Modes {
    /// From the stiffness matrix, which must be positive definite, and the start.
    pub fn new(stiffness: &[f64], q: &[f64], v: &[f64]) -> Self {
        let (values, vectors) = symmetric_eigen(q.len(), stiffness);
        let along = |x: &[f64], e: &[f64]| x.iter().zip(e).map(|(x, e)| x * e).sum();
        let mode =
            |(value, e): (&f64, &Vec<f64>)| Mode { frequency: value.sqrt(), q: along(q, e), v: along(v, e) };
        Modes(values.iter().zip(&vectors).map(mode).collect())
    }

    /// The largest angular frequency.
    pub fn fastest(&self) -> f64 {
        self.0.iter().map(|m| m.frequency).fold(0.0, f64::max)
    }

    /// The smallest angular frequency.
    pub fn slowest(&self) -> f64 {
        self.0.iter().map(|m| m.frequency).fold(f64::INFINITY, f64::min)
    }

    /// The heat `lim K(T)` [VTI04 (7)]: half of the energy of each mode.
    pub fn heat(&self) -> f64 {
        self.0.iter().map(|m| 0.25 * (m.v * m.v + (m.frequency * m.q).powi(2))).sum()
    }

    /// The average kinetic energy up to `end` [VTI04 (6)], from `v(t) = v cos wt - w q sin wt` squared and integrated.
    pub fn heat_until(&self, end: f64) -> f64 {
        let mode = |m: &Mode| {
            let (w, wq) = (m.frequency, m.frequency * m.q);
            let wave = (2.0 * w * end).sin() / (4.0 * w);
            let cross = (w * end).sin().powi(2) / w;
            0.5 * (m.v * m.v * (0.5 * end + wave) + wq * wq * (0.5 * end - wave) - m.v * wq * cross)
        };
        self.0.iter().map(mode).sum::<f64>() / end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mode_eigenvectors_solve_the_eigenproblem() {
        let n = 6;
        let matrix: Vec<f64> = (0..n * n)
            .map(|k| ((k / n + k % n) as f64).cos() + 4.0 * f64::from(u8::from(k / n == k % n)))
            .collect();
        let (values, vectors) = symmetric_eigen(n, &matrix);
        for (value, e) in values.iter().zip(&vectors) {
            for i in 0..n {
                let product: f64 = (0..n).map(|j| matrix[i * n + j] * e[j]).sum();
                assert!((product - value * e[i]).abs() < 1e-12);
            }
            assert!((e.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-13);
        }
    }

    /// Against a quadrature of the motion itself.
    #[test]
    fn mode_average_energy_is_that_of_the_motion() {
        let modes = Modes::new(&[4.0, 0.0, 0.0, 9.0], &[0.3, -0.2], &[0.5, 0.7]);
        let kinetic = |t: f64| {
            let v = 0.5 * (2.0 * t).cos() - 0.6 * (2.0 * t).sin();
            let w = 0.7 * (3.0 * t).cos() + 0.6 * (3.0 * t).sin();
            0.5 * (v * v + w * w)
        };
        let (end, n) = (1.7, 20_000);
        let h = end / f64::from(n);
        let mean = (0..n).map(|i| kinetic((f64::from(i) + 0.5) * h)).sum::<f64>() / f64::from(n);
        assert!((modes.heat_until(end) - mean).abs() < 1e-8);
        assert!((modes.heat_until(1e7) - modes.heat()).abs() < 1e-7);
        assert!((modes.heat() - 0.25 * (0.25 + 0.36 + 0.49 + 0.36)).abs() < 1e-14);
    }
}
