//! Linear in the Green strain.

use super::{Lame, Material, MaterialFault, broken};
use crate::model::solid::tensor::{Tensor, combine, contract, determinant, product, transpose};

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

    #[inline(always)]
    fn second_piola(&self, e: &Tensor) -> Tensor {
        let Lame { lambda, mu } = self.0;
        let mut s = combine([(2.0 * mu, e)]);
        let pressure = lambda * (e[0][0] + e[1][1] + e[2][2]);
        for i in 0..3 {
            s[i][i] += pressure;
        }
        s
    }
}

#[inline(always)]
fn green(f: &Tensor) -> Tensor {
    let mut e = combine([(0.5, &product(&transpose(f), f))]);
    for i in 0..3 {
        e[i][i] -= 0.5;
    }
    e
}

impl Material for StVenantKirchhoff {
    #[inline(always)]
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        let j = determinant(f);
        if !(j > 0.0) {
            return Err(broken(j));
        }
        let e = green(f);
        let s = self.second_piola(&e);
        Ok((0.5 * contract(&s, &e), product(f, &s)))
    }

    #[inline(always)]
    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        let j = determinant(f);
        if !(j > 0.0) {
            return Err(broken(j));
        }
        let half = product(&transpose(df), f);
        let de = combine([(0.5, &half), (0.5, &transpose(&half))]);
        let (s, ds) = (self.second_piola(&green(f)), self.second_piola(&de));
        Ok(combine([(1.0, &product(df, &s)), (1.0, &product(f, &ds))]))
    }

    #[inline]
    fn lame(&self) -> Lame {
        self.0
    }
}
