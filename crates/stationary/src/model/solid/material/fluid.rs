//! Fluids whose pressure depends on their density alone.

use super::kernels::{self, ElasticKernel, Stresses};
use super::{Lame, Material, MaterialFault, PointBatch, broken};
use crate::error::Diagnostic;
use crate::model::solid::lanes::math::{exp, exp_m1, log};
use crate::model::solid::lanes::tensor::{self as wide, Matrix};
use crate::model::solid::lanes::{Lanes, Num};
use crate::model::solid::tensor::{Tensor, cofactor, combine, contract, determinant_by, product, transpose};

/// A barotropic fluid without viscosity, by the law of Tait and Murnaghan,
///
/// ```text
/// p = K/gamma ((rho/rho_0)^gamma - 1),    W(J) = K/gamma ((J^(1 - gamma) - 1)/(gamma - 1) + J - 1),    J = rho_0/rho
/// ```
///
/// with the bulk modulus `K`, from which the speed of sound `sqrt(K/rho_0)` follows; `gamma = 1` is a pressure linear in the density,
/// `W = K (J - 1 - log J)`; water has about 7. There is no resistance to shear: elements of a fluid may be distorted without bound, so that a mesh
/// serves for waves and moderate flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fluid {
    bulk: f64,
    gamma: f64,
}

impl Fluid {
    /// With a bulk modulus and an exponent.
    pub fn new(bulk: f64, gamma: f64) -> Result<Self, Diagnostic> {
        if !(bulk > 0.0 && bulk.is_finite()) {
            return Err(Diagnostic::new(format!("the bulk modulus is {bulk}"))
                .help("expected a positive finite number"));
        }
        if !(gamma >= 1.0 && gamma.is_finite()) {
            return Err(Diagnostic::new(format!("the exponent of the fluid is {gamma}"))
                .help("expected a finite number, 1 or more"));
        }
        Ok(Fluid { bulk, gamma })
    }

    /// `W`, `W'` and `W''` of the volume ratio.
    #[inline(always)]
    fn volume<L: Lanes>(&self, j: Num<L>) -> [Num<L>; 3] {
        let Fluid { bulk, gamma } = *self;
        let log = log(j).0;
        let scale = bulk / gamma;
        // J^(1 - gamma) - 1 over gamma - 1.
        let power = if gamma == 1.0 { -log } else { exp_m1((1.0 - gamma) * log) * (1.0 / (gamma - 1.0)) };
        [scale * (power + (j - 1.0)), -scale * exp_m1(-gamma * log), bulk * exp(-(gamma + 1.0) * log)]
    }
}

impl ElasticKernel for Fluid {
    #[inline(always)]
    fn evaluate<L: Lanes>(&self, f: &Matrix<L>) -> Stresses<L> {
        let (cof, j, exists) = kernels::volume(f);
        let [energy, slope, _] = self.volume(j);
        Stresses { exists, energy, stress: wide::combine([(slope, &cof)]) }
    }
}

impl Material for Fluid {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        kernels::stress(self, f)
    }

    fn stress_batch(&self, at: &mut [PointBatch]) -> bool {
        kernels::stress_batch(self, at)
    }

    #[inline]
    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        let cof = cofactor(f);
        let j = determinant_by(f, &cof);
        if !(j > 0.0) {
            return Err(broken(j));
        }
        let [_, Num(slope), Num(curvature)] = self.volume(Num(j));
        let change = contract(&cof, df);
        // d(cof F) = (cof F : dF) F^-T - J F^-T dF^T F^-T
        let g = combine([(1.0 / j, &cof)]);
        let turn = product(&product(&g, &transpose(df)), &g);
        Ok(combine([(curvature * change, &cof), (slope * change, &g), (-slope * j, &turn)]))
    }

    #[inline]
    fn lame(&self) -> Lame {
        Lame { lambda: self.bulk, mu: 0.0 }
    }
}
