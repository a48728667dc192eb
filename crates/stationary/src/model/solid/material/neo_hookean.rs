//! The material of the papers.

use super::kernels::{self, ElasticKernel, Stresses};
use super::sheet::{self, Sheet, SheetEquation};
use super::{Lame, Material, MaterialFault, PointBatch, broken};
use crate::error::Diagnostic;
use crate::model::solid::lanes::math::log;
use crate::model::solid::lanes::tensor::{self as wide, Matrix};
use crate::model::solid::lanes::{Lanes, Num};
use crate::model::solid::tensor::{Tensor, cofactor, combine, contract, determinant_by, product, transpose};

/// A neo-Hookean solid extended to the compressible range [AVI03 (7)-(8)],
///
/// ```text
/// W = lambda/2 (ln J)^2 - mu ln J + mu/2 (tr(F^T F) - 3),    P = lambda ln J F^-T + mu (F - F^-T)
/// ```
///
/// as printed but for the constant `-3 mu / 2`, which makes the energy at rest zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeoHookean(Lame);

impl NeoHookean {
    /// Needs `lambda >= 0`.
    pub fn new(lame: Lame) -> Result<Self, Diagnostic> {
        Ok(NeoHookean(lame.non_negative("neo-Hookean")?))
    }
}

impl ElasticKernel for NeoHookean {
    #[inline(always)]
    fn evaluate<L: Lanes>(&self, f: &Matrix<L>) -> Stresses<L> {
        let Lame { lambda, mu } = self.0;
        let (cof, j, exists) = kernels::volume(f);
        let (log, inverse) = log(j);
        let energy = 0.5 * lambda * log * log + mu * (0.5 * (wide::contract(f, f) - 3.0) - log);
        let s = (lambda * log - mu) * inverse;
        let mut stress = cof;
        for a in 0..3 {
            for b in 0..3 {
                stress[a][b] = mu * f[a][b] + s * cof[a][b];
            }
        }
        Stresses { exists, energy, stress }
    }
}

impl Sheet for NeoHookean {
    /// `P33 F33 = mu (F33^2 - 1) + lambda ln J`.
    #[inline(always)]
    fn equation<L: Lanes>(&self, _f: &Matrix<L>) -> SheetEquation<L> {
        let Lame { lambda, mu } = self.0;
        SheetEquation { p: Num::splat(mu), q: mu, d: lambda }
    }
}

impl Material for NeoHookean {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        kernels::stress(self, f)
    }

    fn stress_batch(&self, at: &mut [PointBatch]) -> bool {
        kernels::stress_batch(self, at)
    }

    #[inline]
    fn thickness(&self, f: &Tensor) -> Result<f64, MaterialFault> {
        sheet::solve(self, f)
    }

    fn thickness_batch(&self, at: &mut PointBatch) -> bool {
        sheet::solve_batch(self, at)
    }

    #[inline(always)]
    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        let Lame { lambda, mu } = self.0;
        let cof = cofactor(f);
        let j = determinant_by(f, &cof);
        if !(j > 0.0) {
            return Err(broken(j));
        }
        // d(F^-T) = -F^-T dF^T F^-T
        let g = combine([(1.0 / j, &cof)]);
        let turn = product(&product(&g, &transpose(df)), &g);
        Ok(combine([(mu, df), (lambda * contract(&g, df), &g), (mu - lambda * j.ln(), &turn)]))
    }

    fn neo_hookean(&self) -> Option<Lame> {
        Some(self.0)
    }

    #[inline]
    fn lame(&self) -> Lame {
        self.0
    }
}
