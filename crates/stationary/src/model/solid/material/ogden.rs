//! Rubber.

use super::kernels::{self, ElasticKernel, Stresses};
use super::principal::{Deformation, Moduli, Principal, piola_change};
use super::{Lame, Material, MaterialFault, PointBatch};
use crate::error::Diagnostic;
use crate::model::solid::lanes::Lanes;
use crate::model::solid::lanes::math::{self, RATIOS, exp_m1};
use crate::model::solid::lanes::spectrum::Spectrum;
use crate::model::solid::lanes::tensor::{self as wide, Matrix};
use crate::model::solid::tensor::{Tensor, product};

/// A term of Ogden's energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OgdenTerm {
    /// The modulus `mu_p`.
    pub modulus: f64,
    /// The exponent `alpha_p`.
    pub exponent: f64,
}

/// Ogden's rubber with a volumetric part, for nearly incompressible matter,
///
/// ```text
/// W = sum_p mu_p/alpha_p (l_1^alpha_p + l_2^alpha_p + l_3^alpha_p - 3) + K/4 (J^2 - 1 - 2 log J),    l_i = J^(-1/3) lambda_i
/// ```
///
/// with the principal stretches `lambda_i`. The shear modulus is `sum_p mu_p alpha_p / 2`; every product must be positive.
#[derive(Debug, Clone, PartialEq)]
pub struct Ogden {
    terms: Vec<OgdenTerm>,
    bulk: f64,
    lame: Lame,
}

impl Ogden {
    /// With these terms and this bulk modulus.
    ///
    /// ```
    /// use stationary::model::solid::{Material, Ogden, OgdenTerm};
    /// let term = |modulus, exponent| OgdenTerm { modulus, exponent };
    /// // Treloar's rubber, in MPa.
    /// let rubber = Ogden::new(vec![term(0.63, 1.3), term(0.0012, 5.0), term(-0.01, -2.0)], 100.0)?;
    /// assert!((rubber.lame().mu - 0.4225).abs() < 1e-12);
    /// # Ok::<(), stationary::error::Diagnostic>(())
    /// ```
    pub fn new(terms: Vec<OgdenTerm>, bulk: f64) -> Result<Self, Diagnostic> {
        if terms.is_empty() {
            return Err(Diagnostic::new("no terms").help("expected at least one modulus and exponent"));
        }
        for (i, term) in terms.iter().enumerate() {
            let product = term.modulus * term.exponent;
            if !(product > 0.0 && product.is_finite()) {
                return Err(Diagnostic::new(format!(
                    "the modulus {} times the exponent {} of term {} is {product}",
                    term.modulus,
                    term.exponent,
                    i + 1
                ))
                .help("expected a positive finite number"));
            }
        }
        if !(bulk > 0.0 && bulk.is_finite()) {
            return Err(Diagnostic::new(format!("the bulk modulus is {bulk}"))
                .help("expected a positive finite number"));
        }
        let mu = terms.iter().map(|t| 0.5 * t.modulus * t.exponent).sum();
        let lame = Lame::new(bulk - mu / 1.5, mu)?;
        Ok(Ogden { terms, bulk, lame })
    }
}

impl ElasticKernel for Ogden {
    #[inline(always)]
    fn evaluate<L: Lanes>(&self, f: &Matrix<L>) -> Stresses<L> {
        let (cof, j) = wide::cofactor_fused(f);
        let axes = Spectrum::new(&wide::left_cauchy_green(f));
        let mut exists = j.between(RATIOS);
        let mut log = axes.values;
        for log in &mut log {
            exists = L::both(exists, log.between(RATIOS));
            *log = 0.5 * math::log(*log).0;
        }
        let volume = log[0] + log[1] + log[2];
        let third = volume * (1.0 / 3.0);
        let rise = (j - 1.0) * (j + 1.0);
        let mut energy = 0.25 * self.bulk * (rise - 2.0 * volume);
        let mut tau = [0.5 * self.bulk * rise; 3];
        for term in &self.terms {
            // Powers of the isochoric stretches, less one.
            let mut powers = log;
            for power in &mut powers {
                *power = exp_m1(term.exponent * (*power - third));
            }
            let sum = powers[0] + powers[1] + powers[2];
            energy = energy + term.modulus / term.exponent * sum;
            let mean = sum * (1.0 / 3.0);
            for (tau, power) in tau.iter_mut().zip(powers) {
                *tau = *tau + term.modulus * (power - mean);
            }
        }
        Stresses { exists, energy, stress: wide::piola(&axes.tensor(tau), &cof, 1.0 / j) }
    }
}

impl Material for Ogden {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        kernels::stress(self, f)
    }

    fn stress_batch(&self, at: &mut [PointBatch]) -> bool {
        kernels::stress_batch(self, at)
    }

    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        let at = Deformation::new(f)?;
        let axes = Principal::new(&at.push(&[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]))?;
        let volume = axes.log[0] + axes.log[1] + axes.log[2];
        let log = axes.log.map(|e| e - volume / 3.0);
        let square = (2.0 * volume).exp();
        let mut by_strain = [[self.bulk * square; 3]; 3];
        let mut secant = [0.0; 3];
        let mut tau = [0.5 * self.bulk * (square - 1.0); 3];
        for term in &self.terms {
            let powers = log.map(|e| (term.exponent * e).exp());
            let mean = (powers[0] + powers[1] + powers[2]) / 3.0;
            let factor = term.modulus * term.exponent;
            for i in 0..3 {
                tau[i] += term.modulus * (powers[i] - mean);
                for j in 0..3 {
                    let own = if i == j { powers[i] } else { 0.0 };
                    by_strain[i][j] += factor * (own - (powers[i] + powers[j] - mean) / 3.0);
                }
            }
            for (secant, (i, j)) in secant.iter_mut().zip([(0, 1), (0, 2), (1, 2)]) {
                // (l_j^a - l_i^a) / (b_j - b_i) without cancellation.
                let x = term.exponent * axes.log_secant(i, j) * (axes.b[j] - axes.b[i]);
                let quotient = if x.abs() < 1e-8 { 1.0 + 0.5 * x } else { x.exp_m1() / x };
                *secant += factor * powers[i] * axes.log_secant(i, j) * quotient;
            }
        }
        let l = product(df, &at.inverse);
        let dtau = Moduli { by_strain, secant }.change(&axes, &l);
        Ok(piola_change(&at, &l, &axes.tensor(tau), &dtau))
    }

    fn lame(&self) -> Lame {
        self.lame
    }
}
