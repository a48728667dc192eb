//! Laws in vector lanes: one function, generic over the number of lanes, is both the law of a point and that of points side by side.

use super::batch::{BATCH, PastBatch, PointBatch};
use super::{MaterialFault, Update};
use crate::model::Past;
use crate::model::solid::lanes::math::RATIOS;
use crate::model::solid::lanes::tensor::{self, Matrix, cofactor, determinant_by};
use crate::model::solid::lanes::{Isa, Kernel, Lanes, Num};
use crate::model::solid::tensor::{Tensor, determinant};

/// Energies and stresses at points side by side.
#[derive(Clone, Copy)]
pub(super) struct Stresses<L: Lanes> {
    /// Where there is an energy; the other numbers mean something only there.
    pub exists: L::Mask,
    /// The energy.
    pub energy: Num<L>,
    /// The first Piola-Kirchhoff stress.
    pub stress: Matrix<L>,
}

/// An elastic law as one function, from which [`stress`] and [`stress_batch`] make those of [`Material`](super::Material).
pub(super) trait ElasticKernel {
    /// Whether there are fused products in it, in a logarithm for instance.
    const FUSED: bool = true;

    /// `W` and `P` at `F`; inlined into whatever calls it.
    fn evaluate<L: Lanes>(&self, f: &Matrix<L>) -> Stresses<L>;
}

/// The cofactors, `J`, and where `J` can be computed with.
#[inline(always)]
pub(super) fn volume<L: Lanes>(f: &Matrix<L>) -> (Matrix<L>, Num<L>, L::Mask) {
    let cof = cofactor(f);
    let j = determinant_by(f, &cof);
    (cof, j, j.between(RATIOS))
}

/// The area ratio of a deformation in the plane, and where it can be computed with.
#[inline(always)]
pub(super) fn volume_of_plane<L: Lanes>(f: &Matrix<L>) -> (Num<L>, L::Mask) {
    let area = f[0][0] * f[1][1] - f[0][1] * f[1][0];
    (area, area.between(RATIOS))
}

/// What is wrong with a volume ratio, if anything is.
pub(super) fn fault_of(j: f64) -> Option<MaterialFault> {
    match (j > 0.0, j.is_finite()) {
        (true, true) => None,
        (false, true) => Some(MaterialFault::Inverted),
        _ => Some(MaterialFault::NotFinite),
    }
}

/// `W` and `P` of one point.
#[inline]
pub(super) fn stress<M: ElasticKernel>(law: &M, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
    struct One<'a, M>(&'a M, &'a Tensor);
    impl<M: ElasticKernel> Kernel for One<'_, M> {
        type Output = Result<(f64, Tensor), MaterialFault>;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Self::Output {
            let at = self.0.evaluate::<f64>(&tensor::splat(self.1));
            if at.exists { Ok((at.energy.0, tensor::single(&at.stress))) } else { Err(fault(self.1)) }
        }
    }
    if M::FUSED { Isa::detect().run_one(One(law, f)) } else { One(law, f).run::<f64>() }
}

/// The same of batches.
pub(super) fn stress_batch<M: ElasticKernel>(law: &M, at: &mut [PointBatch]) -> bool {
    struct Batches<'a, M>(&'a M, &'a mut [PointBatch]);
    impl<M: ElasticKernel> Kernel for Batches<'_, M> {
        type Output = bool;
        #[inline(always)]
        fn run<L: Lanes>(self) -> bool {
            let mut good = true;
            for at in self.1 {
                for k in (0..BATCH).step_by(L::WIDTH) {
                    let point = self.0.evaluate::<L>(&at.deformations(k));
                    point.energy.store(&mut at.energy[k & (BATCH - L::WIDTH)..]);
                    at.set_stresses(k, &point.stress);
                    good &= L::every(point.exists);
                }
            }
            good
        }
    }
    Isa::detect().run(Batches(law, at))
}

/// What updates side by side lead to.
#[derive(Clone, Copy)]
pub(super) struct Updates<L: Lanes> {
    /// Where the update exists.
    pub exists: L::Mask,
    /// As in [`Update`].
    pub potential: Num<L>,
    pub stored: Num<L>,
    pub dissipated: Num<L>,
    pub stress: Matrix<L>,
}

/// Histories side by side; from a number to the next one of the same point it is `STRIDE`.
#[derive(Clone, Copy)]
pub(super) struct Histories<'a, L, const STRIDE: usize> {
    numbers: &'a [f64],
    /// The first lane.
    lane: usize,
    /// The time since the last commit.
    pub dt: Num<L>,
}

impl<L: Lanes, const STRIDE: usize> Histories<'_, L, STRIDE> {
    /// Some of the numbers of each history.
    #[inline(always)]
    pub fn numbers<const N: usize>(&self, first: usize) -> [Num<L>; N] {
        tensor::load::<L, N, STRIDE>(&self.numbers[self.lane + first * STRIDE..])
    }

    /// Writes some numbers of the history after the update.
    #[inline(always)]
    pub fn store<const N: usize>(&self, after: &mut [f64], first: usize, numbers: &[Num<L>; N]) {
        let to = &mut after[self.lane + first * STRIDE..][..(N - 1) * STRIDE + L::WIDTH];
        for i in 0..N {
            numbers[i].store(&mut to[i * STRIDE..]);
        }
    }
}

/// A law with memory as one function, from which [`update`] and [`update_batch`] make those of [`Inelastic`](super::Inelastic).
pub(super) trait InelasticKernel {
    /// The update, and the history after it through [`Histories::store`] where it is asked for; inlined into whatever calls it.
    fn evaluate<L: Lanes, const STRIDE: usize>(
        &self,
        f: &Matrix<L>,
        past: Histories<'_, L, STRIDE>,
        after: Option<&mut [f64]>,
    ) -> Updates<L>;
}

/// The update of one point.
#[inline]
pub(super) fn update<M: InelasticKernel>(
    law: &M,
    f: &Tensor,
    past: Past<'_>,
    after: Option<&mut [f64]>,
) -> Result<Update, MaterialFault> {
    struct One<'a, M> {
        law: &'a M,
        f: &'a Tensor,
        past: Past<'a>,
        after: Option<&'a mut [f64]>,
    }
    impl<M: InelasticKernel> Kernel for One<'_, M> {
        type Output = Result<Update, MaterialFault>;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Self::Output {
            let dt = Num(self.past.dt);
            let past = Histories::<f64, 1> { numbers: self.past.history, lane: 0, dt };
            let update = self.law.evaluate(&tensor::splat(self.f), past, self.after);
            if !update.exists {
                return Err(fault(self.f));
            }
            Ok(Update {
                potential: update.potential.0,
                stored: update.stored.0,
                dissipated: update.dissipated.0,
                stress: tensor::single(&update.stress),
            })
        }
    }
    Isa::detect().run_one(One { law, f, past, after })
}

/// The same of a batch.
pub(super) fn update_batch<M: InelasticKernel>(law: &M, at: &mut PointBatch, past: PastBatch<'_>) -> bool {
    struct Batch<'a, M> {
        law: &'a M,
        at: &'a mut PointBatch,
        past: PastBatch<'a>,
    }
    impl<M: InelasticKernel> Kernel for Batch<'_, M> {
        type Output = bool;
        #[inline(always)]
        fn run<L: Lanes>(self) -> bool {
            let Batch { law, at, mut past } = self;
            let mut good = true;
            for k in (0..BATCH).step_by(L::WIDTH) {
                let dt = Num::load(&past.dt[k..]);
                let before = Histories::<L, BATCH> { numbers: past.history.as_flattened(), lane: k, dt };
                let after = past.after.as_deref_mut().map(|after| after.as_flattened_mut());
                let update = law.evaluate(&at.deformations(k), before, after);
                update.stored.store(&mut at.energy[k..]);
                update.dissipated.store(&mut at.dissipated[k..]);
                at.set_stresses(k, &update.stress);
                good &= L::every(update.exists);
            }
            good
        }
    }
    Isa::detect().run(Batch { law, at, past })
}

/// Why there is no energy.
#[cold]
#[inline(never)]
fn fault(f: &Tensor) -> MaterialFault {
    let j = determinant(f);
    if j.is_finite() && j < RATIOS[1] { MaterialFault::Inverted } else { MaterialFault::NotFinite }
}
