//! Linear in the Green strain.

use super::kernels::{self, ElasticKernel, Stresses};
use super::linear::hooke;
use super::{Lame, Material, MaterialFault, PointBatch, broken};
use crate::model::solid::lanes::tensor::{self as wide, Matrix};
use crate::model::solid::lanes::{Lanes, Num};
use crate::model::solid::tensor::{Tensor, combine, determinant, product, transpose};

/// St Venant-Kirchhoff: `W = lambda/2 (tr E)^2 + mu E : E` of the Green strain `E = (F^T F - 1) / 2`.
///
/// For large rotations with moderate strain: it softens under strong compression. Its energy is finite at `J = 0`, but
/// an inverted state is refused all the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StVenantKirchhoff(Lame);

impl StVenantKirchhoff {
    /// With the given constants.
    pub fn new(lame: Lame) -> Self {
        StVenantKirchhoff(lame)
    }
}

impl ElasticKernel for StVenantKirchhoff {
    const FUSED: bool = false;

    #[inline(always)]
    fn evaluate<L: Lanes>(&self, f: &Matrix<L>) -> Stresses<L> {
        let j = wide::determinant_by(f, &wide::cofactor(f));
        let e = wide::green(f);
        let s = hooke(self.0, &e);
        Stresses {
            exists: Num::splat(0.0).below(j),
            energy: 0.5 * wide::contract(&s, &e),
            stress: wide::product(f, &s),
        }
    }
}

impl Material for StVenantKirchhoff {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        kernels::stress(self, f)
    }

    fn stress_batch(&self, at: &mut [PointBatch]) -> bool {
        kernels::stress_batch(self, at)
    }

    #[inline(always)]
    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        let j = determinant(f);
        if !(j > 0.0) {
            return Err(broken(j));
        }
        let de = wide::symmetric(&wide::splat::<f64>(&product(&transpose(df), f)));
        let (s, ds) = (hooke(self.0, &wide::green(&wide::splat::<f64>(f))), hooke(self.0, &de));
        let (s, ds) = (wide::single(&s), wide::single(&ds));
        Ok(combine([(1.0, &product(df, &s)), (1.0, &product(f, &ds))]))
    }

    #[inline]
    fn lame(&self) -> Lame {
        self.0
    }
}
