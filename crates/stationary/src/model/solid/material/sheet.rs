//! The thickness of sheets of laws whose normal stress is a simple function of it, in vector lanes.

use super::kernels::{self, volume_of_plane};
use super::{BATCH, MaterialFault, PointBatch};
use crate::model::solid::lanes::math::{exp, log};
use crate::model::solid::lanes::tensor::{self as wide, Matrix};
use crate::model::solid::lanes::{Isa, Kernel, Lanes, Num};
use crate::model::solid::tensor::Tensor;

/// The numbers of the equation of a sheet, `p s^2 - q + d (log A + log s) = 0` for its thickness `s` and the area ratio `A`.
#[derive(Clone, Copy)]
pub(super) struct SheetEquation<L: Lanes> {
    /// Of the square, positive.
    pub p: Num<L>,
    /// The constant, positive.
    pub q: f64,
    /// Of the logarithms, not negative.
    pub d: f64,
}

/// A law whose `P33 F33` is the left side of a [`SheetEquation`].
pub(super) trait Sheet {
    /// The equation at an `F` in the plane.
    fn equation<L: Lanes>(&self, f: &Matrix<L>) -> SheetEquation<L>;
}

/// Newton's method ends after a step of this size, which leaves its square.
const LAST: f64 = 1e-9;
/// Most steps.
const STEPS: usize = 100;

/// The thicknesses, and where there is one.
///
/// With `u = log s` the left side is convex and grows, so that Newton's method converges from anywhere: from the second step on it comes from above.
#[inline(always)]
fn thickness<L: Lanes, M: Sheet>(law: &M, f: &Matrix<L>) -> (Num<L>, L::Mask) {
    let (area, exists) = volume_of_plane(f);
    let SheetEquation { p, q, d } = law.equation(f);
    let area = log(area).0;
    // Where the linear law of small strains has it; without the logarithms the square alone is left.
    let mut u = if d > 0.0 { area * (-d / (d + 2.0 * q)) } else { 0.5 * log(q / p).0 };
    let rest = d * area - q;
    let mut open = exists;
    for _ in 0..STEPS {
        let square = p * exp(u + u);
        let step = (square + (d * u + rest)) / (2.0 * square + d);
        u = Num::pick(open, u - step, u);
        open = L::both(open, L::not(step.abs().at_most(Num::splat(LAST))));
        if L::every(L::not(open)) {
            break;
        }
    }
    (exp(u), L::both(exists, L::not(open)))
}

/// [`Material::thickness`](super::Material::thickness) of such a law.
pub(super) fn solve<M: Sheet>(law: &M, f: &Tensor) -> Result<f64, MaterialFault> {
    struct One<'a, M>(&'a M, &'a Tensor);
    impl<M: Sheet> Kernel for One<'_, M> {
        type Output = Option<f64>;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Option<f64> {
            let (s, exists) = thickness::<f64, M>(self.0, &wide::splat(self.1));
            exists.then_some(s.0)
        }
    }
    let area = f[0][0] * f[1][1] - f[0][1] * f[1][0];
    Isa::detect().run_one(One(law, f)).ok_or_else(|| match kernels::fault_of(area) {
        Some(fault) => fault,
        None => MaterialFault::Thickness,
    })
}

/// [`Material::thickness_batch`](super::Material::thickness_batch) of such a law.
pub(super) fn solve_batch<M: Sheet>(law: &M, at: &mut PointBatch) -> bool {
    struct Batch<'a, M>(&'a M, &'a mut PointBatch);
    impl<M: Sheet> Kernel for Batch<'_, M> {
        type Output = bool;
        #[inline(always)]
        fn run<L: Lanes>(self) -> bool {
            let mut good = true;
            for k in (0..BATCH).step_by(L::WIDTH) {
                let (s, exists) = thickness::<L, M>(self.0, &self.1.deformations(k));
                s.store(&mut self.1.f[8][k..]);
                good &= L::every(exists);
            }
            good
        }
    }
    Isa::detect().run(Batch(law, at))
}
