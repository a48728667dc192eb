//! Rubber, with the second invariant.

use super::kernels::{self, ElasticKernel, Stresses};
use super::sheet::{self, Sheet, SheetEquation};
use super::{Lame, Material, MaterialFault, PointBatch, broken};
use crate::error::Diagnostic;
use crate::model::solid::lanes::math::log;
use crate::model::solid::lanes::tensor::{self as wide, Matrix};
use crate::model::solid::lanes::{Lanes, Num};
use crate::model::solid::tensor::{Tensor, cofactor, combine, contract, determinant_by, product, transpose};

/// Mooney-Rivlin extended to the compressible range, with `I1 = tr C`, `I2 = (I1^2 - tr C^2) / 2`, `C = F^T F`:
///
/// ```text
/// W = c1 (I1 - 3) + c2 (I2 - 3) - 2 (c1 + 2 c2) ln J + d/2 (ln J)^2,    mu = 2 (c1 + c2),  lambda = d + 4 c2
/// ```
///
/// `c2 = 0` is [`NeoHookean`](super::NeoHookean). The logarithm's factor makes the rest state free of stress, and the
/// last two equations are the small-strain limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MooneyRivlin {
    c1: f64,
    c2: f64,
    d: f64,
}

impl MooneyRivlin {
    /// From the Lame constants and the part `c2 / (c1 + c2)` of the shear modulus that the second invariant
    /// carries: in [0, 1], and `lambda >= 4 c2`, so that collapse costs energy.
    pub fn new(lame: Lame, second: f64) -> Result<Self, Diagnostic> {
        if !(0.0..=1.0).contains(&second) {
            return Err(Diagnostic::new(format!(
                "the second invariant carries a part {second} of the shear modulus"
            ))
            .help("expected a number from 0 (neo-Hookean) to 1"));
        }
        let c2 = 0.5 * lame.mu * second;
        let (c1, d) = (0.5 * lame.mu - c2, lame.lambda - 4.0 * c2);
        if d < 0.0 {
            return Err(Diagnostic::new(format!(
                "a Mooney-Rivlin material with lambda = {} and c2 = {c2}",
                lame.lambda
            ))
            .help("expected lambda >= 4 c2: below it, collapse lowers the energy"));
        }
        Ok(MooneyRivlin { c1, c2, d })
    }
}

impl ElasticKernel for MooneyRivlin {
    #[inline(always)]
    fn evaluate<L: Lanes>(&self, f: &Matrix<L>) -> Stresses<L> {
        let MooneyRivlin { c1, c2, d } = *self;
        let (cof, j, exists) = kernels::volume(f);
        let log = log(j).0;
        let i1 = wide::contract(f, f);
        // I2 is the sum of the squares of the cofactors.
        let i2 = wide::contract(&cof, &cof);
        let rest = 2.0 * (c1 + 2.0 * c2);
        let energy = c1 * (i1 - 3.0) + c2 * (i2 - 3.0) - rest * log + 0.5 * d * log * log;
        let fc = wide::product(f, &wide::product(&wide::transpose(f), f));
        let of = [2.0 * (c1 + c2 * i1), Num::splat(-2.0 * c2), (d * log - rest) / j];
        Stresses { exists, energy, stress: wide::combine([(of[0], f), (of[1], &fc), (of[2], &cof)]) }
    }
}

impl Sheet for MooneyRivlin {
    /// `P33 F33 = 2 (c1 + c2 a) F33^2 - 2 (c1 + 2 c2) + d ln J` with `a = tr C` in the plane.
    #[inline(always)]
    fn equation<L: Lanes>(&self, f: &Matrix<L>) -> SheetEquation<L> {
        let MooneyRivlin { c1, c2, d } = *self;
        let a = f[0][0] * f[0][0] + f[0][1] * f[0][1] + (f[1][0] * f[1][0] + f[1][1] * f[1][1]);
        SheetEquation { p: 2.0 * (c1 + c2 * a), q: 2.0 * (c1 + 2.0 * c2), d }
    }
}

impl Material for MooneyRivlin {
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
        let MooneyRivlin { c1, c2, d } = *self;
        let cof = cofactor(f);
        let j = determinant_by(f, &cof);
        if !(j > 0.0) {
            return Err(broken(j));
        }
        let g = combine([(1.0 / j, &cof)]);
        let turn = product(&product(&g, &transpose(df)), &g);
        let c = product(&transpose(f), f);
        let half = product(&transpose(df), f);
        let dc = combine([(1.0, &half), (1.0, &transpose(&half))]);
        Ok(combine([
            (2.0 * (c1 + c2 * contract(f, f)), df),
            (4.0 * c2 * contract(f, df), f),
            (-2.0 * c2, &product(df, &c)),
            (-2.0 * c2, &product(f, &dc)),
            (d * contract(&g, df), &g),
            (2.0 * (c1 + 2.0 * c2) - d * j.ln(), &turn),
        ]))
    }

    #[inline]
    fn lame(&self) -> Lame {
        Lame { lambda: self.d + 4.0 * self.c2, mu: 2.0 * (self.c1 + self.c2) }
    }
}
