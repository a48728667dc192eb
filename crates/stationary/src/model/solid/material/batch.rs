//! Eight quadrature points side by side, so that a law can evaluate them in vector lanes.
//!
//! Elements and laws meet here, and not in a kernel for every pair of them: an element writes the deformation gradients of the same quadrature
//! point of eight elements, one call through a pointer evaluates the law, and the element reads the stresses.

use super::{Inelastic, Material};
use crate::model::Past;
use crate::model::solid::lanes::tensor::Matrix;
use crate::model::solid::lanes::{Lanes, Num, WIDEST};

/// How many points lie side by side.
pub const BATCH: usize = WIDEST;

/// One number of each point of a batch.
pub type Side = [f64; BATCH];

/// Points side by side: what a law reads, and what it writes.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct PointBatch {
    /// The deformation gradients, by rows.
    pub f: [Side; 9],
    /// The first Piola-Kirchhoff stresses, by rows.
    pub p: [Side; 9],
    /// The energies `W` per reference volume; the stored ones of a law with memory.
    pub energy: Side,
    /// The energies dissipated so far, of a law with memory.
    pub dissipated: Side,
}

impl PointBatch {
    /// Undeformed points.
    pub fn undeformed() -> Self {
        let mut f = [[0.0; BATCH]; 9];
        [0, 4, 8].into_iter().for_each(|i| f[i] = [1.0; BATCH]);
        PointBatch { f, p: [[0.0; BATCH]; 9], energy: [0.0; BATCH], dissipated: [0.0; BATCH] }
    }

    /// The deformation gradient of one point.
    pub fn deformation(&self, lane: usize) -> [[f64; 3]; 3] {
        std::array::from_fn(|i| std::array::from_fn(|j| self.f[3 * i + j][lane]))
    }

    /// The deformation gradients of the lanes from `lane` on.
    #[inline(always)]
    pub(super) fn deformations<L: Lanes>(&self, lane: usize) -> Matrix<L> {
        let mut f = [[Num::splat(0.0); 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                f[i][j] = Num::load(&self.f[3 * i + j][lane & (BATCH - L::WIDTH)..]);
            }
        }
        f
    }

    /// Writes their stresses.
    #[inline(always)]
    pub(super) fn set_stresses<L: Lanes>(&mut self, lane: usize, stress: &Matrix<L>) {
        for i in 0..3 {
            for j in 0..3 {
                // The mask tells the compiler that a vector fits.
                stress[i][j].store(&mut self.p[3 * i + j][lane & (BATCH - L::WIDTH)..]);
            }
        }
    }

    fn set_stress(&mut self, lane: usize, stress: &[[f64; 3]; 3]) {
        for (place, value) in stress.as_flattened().iter().enumerate() {
            self.p[place][lane] = *value;
        }
    }
}

/// The past of a batch of points of a law with memory.
#[derive(Debug)]
pub struct PastBatch<'a> {
    /// The history at the last commit: its numbers in order, each of all points.
    pub history: &'a [Side],
    /// The time since then; 0 freezes whatever depends on the rate.
    pub dt: Side,
    /// Where the history that the update leads to is written, if it is asked for.
    pub after: Option<&'a mut [Side]>,
}

/// Most numbers of history of a point that [`update_one_by_one`] has room for without memory of its own.
const ROOM: usize = 64;

/// [`Material::stress_batch`] of any law, one point after the other.
pub(super) fn stress_one_by_one<M: Material + ?Sized>(law: &M, at: &mut PointBatch) -> bool {
    for lane in 0..BATCH {
        let Ok((energy, stress)) = law.stress(&at.deformation(lane)) else { return false };
        at.energy[lane] = energy;
        at.set_stress(lane, &stress);
    }
    true
}

/// [`Inelastic::update_batch`] of any law, one point after the other.
pub(super) fn update_one_by_one<M: Inelastic + ?Sized>(
    law: &M,
    at: &mut PointBatch,
    mut past: PastBatch<'_>,
) -> bool {
    let size = law.history_size();
    let mut room = [0.0; 2 * ROOM];
    let mut more = vec![0.0; if size > ROOM { 2 * size } else { 0 }];
    let (before, after) =
        if size > ROOM { more.split_at_mut(size) } else { room[..2 * size].split_at_mut(size) };
    for lane in 0..BATCH {
        for (own, all) in before.iter_mut().zip(past.history) {
            *own = all[lane];
        }
        let asked = past.after.is_some().then_some(&mut *after);
        let own = Past { history: before, dt: past.dt[lane] };
        let Ok(update) = law.update(&at.deformation(lane), own, asked) else { return false };
        at.energy[lane] = update.stored;
        at.dissipated[lane] = update.dissipated;
        at.set_stress(lane, &update.stress);
        if let Some(all) = &mut past.after {
            all.iter_mut().zip(&*after).for_each(|(all, own)| all[lane] = *own);
        }
    }
    true
}
