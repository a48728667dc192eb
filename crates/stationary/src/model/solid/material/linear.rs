//! Small strains.

use super::{Lame, Material, MaterialFault};
use crate::model::solid::tensor::{Tensor, combine, contract};

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

    #[inline(always)]
    fn hooke(&self, e: &Tensor) -> Tensor {
        let mut s = combine([(2.0 * self.0.mu, e)]);
        let pressure = self.0.lambda * (e[0][0] + e[1][1] + e[2][2]);
        for i in 0..3 {
            s[i][i] += pressure;
        }
        s
    }
}

#[inline(always)]
fn symmetric(m: &Tensor) -> Tensor {
    let mut e = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            e[i][j] = 0.5 * (m[i][j] + m[j][i]);
        }
    }
    e
}

impl Material for LinearElastic {
    #[inline(always)]
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        let mut e = symmetric(f);
        for i in 0..3 {
            e[i][i] -= 1.0;
        }
        let s = self.hooke(&e);
        Ok((0.5 * contract(&s, &e), s))
    }

    #[inline(always)]
    fn action(&self, _f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        Ok(self.hooke(&symmetric(df)))
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
}
