//! What the tangent of a law at rest says of small strains: constants, stability, the fastest wave.

use super::{Lame, Material, MaterialFault};
use crate::error::Diagnostic;
use crate::linalg::{Mat3, symmetric_eigen};
use crate::model::solid::spectrum::largest_eigenvalue;
use crate::model::solid::tensor::IDENTITY;

/// The tangent `A[iJkL]` of a law without stress at rest, at `27 i + 9 J + 3 k + L`.
pub(super) struct AtRest([f64; 81]);

/// A part of the stiffness that is rounding.
const ROUNDING: f64 = 1e-12;
/// Directions of waves to start from, and most steps from each to a direction in which none is faster nearby.
const DIRECTIONS: usize = 64;
const STEPS: usize = 200;

impl AtRest {
    pub fn new(law: &(impl Material + ?Sized)) -> Result<Self, MaterialFault> {
        law.tangent(&IDENTITY).map(AtRest)
    }

    fn at(&self, i: usize, j: usize, k: usize, l: usize) -> f64 {
        self.0[27 * i + 9 * j + 3 * k + l]
    }

    /// The largest entry; NaN if one is not a number.
    pub fn scale(&self) -> f64 {
        crate::linalg::max_abs(&self.0)
    }

    /// The constants of the mean over all turns of the matter (Voigt).
    pub fn mean(&self) -> Lame {
        let pairs = || (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        let volume: f64 = pairs().map(|(i, j)| self.at(i, i, j, j)).sum();
        let all: f64 = pairs().map(|(i, j)| self.at(i, j, i, j)).sum();
        let mu = (3.0 * all - volume) / 30.0;
        Lame { lambda: volume / 9.0 - mu / 1.5, mu }
    }

    /// Whether these constants are all of it.
    pub fn is_isotropic(&self) -> bool {
        let Lame { lambda, mu } = self.mean();
        let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
        let off = (0..81).map(|n| {
            let (i, j, k, l) = (n / 27, n / 9 % 3, n / 3 % 3, n % 3);
            let expected =
                lambda * unit(i, j) * unit(k, l) + mu * (unit(i, k) * unit(j, l) + unit(i, l) * unit(j, k));
            (self.0[n] - expected).abs()
        });
        off.fold(0.0, f64::max) <= ROUNDING * self.scale()
    }

    /// Refuses a law with a small strain that costs no energy.
    pub fn require_stable(&self) -> Result<(), Diagnostic> {
        // Mandel's form: shears count with the root of two, so that the product of two strains is that of their vectors.
        const PAIRS: [(usize, usize, f64); 6] =
            [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0), (1, 2, 2.0), (0, 2, 2.0), (0, 1, 2.0)];
        let mut negative = [0.0; 36];
        for (row, (i, j, one)) in PAIRS.into_iter().enumerate() {
            for (column, (k, l, other)) in PAIRS.into_iter().enumerate() {
                negative[6 * row + column] = -self.at(i, j, k, l) * (one * other).sqrt();
            }
        }
        match largest_eigenvalue(&mut negative, 6) {
            Some(largest) if -largest > ROUNDING * self.scale() => Ok(()),
            least => Err(Diagnostic::new(format!(
                "a small strain of the energy has a stiffness of {}",
                least.map_or(f64::NAN, |x| -x)
            ))
            .help(
                "expected every strain to cost energy: add terms that resist changes of shape and of volume",
            )),
        }
    }

    /// Density times the square of the fastest speed of waves in any direction `n` with any displacement `a`: the largest
    /// `A[iJkL] a_i n_J a_k n_L`. For a given `n` the best `a` is an eigenvector and for a given `a` the best `n`, so that steps from one to
    /// the other rise.
    pub fn fastest(&self) -> f64 {
        let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
        let spread = (0..DIRECTIONS).map(|k| {
            let z = (k as f64 + 0.5) / DIRECTIONS as f64;
            let (sin, cos) = (golden * k as f64).sin_cos();
            let radius = (1.0 - z * z).sqrt();
            [radius * cos, radius * sin, z]
        });
        spread.map(|n| self.rise(n)).fold(0.0, f64::max)
    }

    fn rise(&self, mut n: [f64; 3]) -> f64 {
        let mut largest = 0.0;
        for step in 0..STEPS {
            let mut acoustic = [[0.0; 3]; 3];
            for i in 0..3 {
                for k in 0..3 {
                    for j in 0..3 {
                        for l in 0..3 {
                            // From `n` to the displacement, and back.
                            let entry = if step % 2 == 0 { self.at(i, j, k, l) } else { self.at(j, i, l, k) };
                            acoustic[i][k] += entry * n[j] * n[l];
                        }
                    }
                }
            }
            let (values, axes) = symmetric_eigen(&Mat3::from_rows(acoustic));
            let before = std::mem::replace(&mut largest, values[2]);
            n = axes.column(2).0;
            if step > 1 && largest <= before * (1.0 + 1e-14) {
                break;
            }
        }
        largest
    }
}
