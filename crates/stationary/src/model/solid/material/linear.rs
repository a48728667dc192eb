//! Small strains.

use super::kernels::{self, ElasticKernel, Stresses};
use super::{BATCH, Lame, Material, MaterialFault, PointBatch};
use crate::model::solid::lanes::tensor::{self as wide, Matrix};
use crate::model::solid::lanes::{Lanes, Num};
use crate::model::solid::tensor::Tensor;

/// Linear elasticity: `W = lambda/2 (tr e)^2 + mu e : e` of the small strain `e = sym(F) - 1`.
///
/// A quadratic energy, defined for every `F`: it knows no inversion, and it is not frame indifferent, so large
/// rotations cost energy that they should not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearElastic(Lame);

impl LinearElastic {
    /// With the given constants.
    pub fn new(lame: Lame) -> Self {
        LinearElastic(lame)
    }
}

/// `2 mu e + lambda tr e`.
#[inline(always)]
pub(super) fn hooke<L: Lanes>(lame: Lame, e: &Matrix<L>) -> Matrix<L> {
    let mut s = wide::combine([(Num::splat(2.0 * lame.mu), e)]);
    let pressure = lame.lambda * (e[0][0] + e[1][1] + e[2][2]);
    for i in 0..3 {
        s[i][i] = s[i][i] + pressure;
    }
    s
}

impl ElasticKernel for LinearElastic {
    const FUSED: bool = false;

    #[inline(always)]
    fn evaluate<L: Lanes>(&self, f: &Matrix<L>) -> Stresses<L> {
        let mut e = wide::symmetric(f);
        for i in 0..3 {
            e[i][i] = e[i][i] - 1.0;
        }
        let stress = hooke(self.0, &e);
        Stresses { exists: L::always(), energy: 0.5 * wide::contract(&stress, &e), stress }
    }
}

impl Material for LinearElastic {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        kernels::stress(self, f)
    }

    fn stress_batch(&self, at: &mut [PointBatch]) -> bool {
        kernels::stress_batch(self, at)
    }

    #[inline(always)]
    fn action(&self, _f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        Ok(wide::single(&hooke(self.0, &wide::symmetric(&wide::splat::<f64>(df)))))
    }

    #[inline]
    fn lame(&self) -> Lame {
        self.0
    }

    fn is_small_strain(&self) -> bool {
        true
    }

    /// At small strain all stresses are one.
    fn cauchy(&self, f: &Tensor) -> Result<Tensor, MaterialFault> {
        self.stress(f).map(|(_, p)| p)
    }

    #[inline]
    fn thickness(&self, f: &Tensor) -> Result<f64, MaterialFault> {
        let Lame { lambda, mu } = self.0;
        Ok(1.0 - lambda / (lambda + 2.0 * mu) * (f[0][0] + f[1][1] - 2.0))
    }

    fn thickness_batch(&self, at: &mut PointBatch) -> bool {
        (0..BATCH).all(|lane| self.thickness(&at.deformation(lane)).map(|s| at.f[8][lane] = s).is_ok())
    }
}
