//! Laws with memory, as variational constitutive updates.

use super::batch::{self, PastBatch, PointBatch};
use super::{Material, MaterialFault};
use crate::model::Past;
use crate::model::solid::tensor::{Tensor, combine, determinant, product, transpose};

/// A law whose stress depends on what the matter went through. Its internal variables follow from a minimum,
///
/// ```text
/// W_n(F) = min over the internal increments of [stored energy + dissipated energy + rate potential * dt],    P = dW_n/dF,
/// ```
///
/// so that an update is the gradient of a potential, and its tangent is symmetric (Ortiz and Stainier 1999).
///
/// A commit that is repeated at the same `F` and time changes nothing: the increment is zero, and `dt = 0` freezes what depends on the
/// rate. [`Material::stress`] and [`Material::action`] of such a law are those of matter that has never been deformed.
pub trait Inelastic: Material {
    /// How many numbers of history a point has. The last is the energy dissipated so far per reference volume.
    fn history_size(&self) -> usize;

    /// Writes the history of matter that has never been deformed.
    fn first_history(&self, out: &mut [f64]);

    /// Energies and stress at `F`. Writes the history that the update leads to, where it is asked for.
    fn update(&self, f: &Tensor, past: Past<'_>, after: Option<&mut [f64]>) -> Result<Update, MaterialFault>;

    /// Updates of points side by side, with the bits of [`update`](Self::update). `false`, and anything written, if one of them fails: they must then be
    /// asked one by one.
    fn update_batch(&self, at: &mut PointBatch, past: PastBatch<'_>) -> bool {
        batch::update_one_by_one(self, at, past)
    }

    /// `dP = (dP/dF) dF` of an update: the consistent tangent.
    fn action_after(&self, f: &Tensor, df: &Tensor, past: Past<'_>) -> Result<Tensor, MaterialFault>;

    /// All of `dP_iJ / dF_kL` of an update, at `27 i + 9 J + 3 k + L`.
    fn tangent_after(&self, f: &Tensor, past: Past<'_>) -> Result<[f64; 81], MaterialFault> {
        let mut a = [0.0; 81];
        for k in 0..3 {
            for l in 0..3 {
                let mut df = [[0.0; 3]; 3];
                df[k][l] = 1.0;
                let dp = self.action_after(f, &df, past)?;
                for (place, value) in dp.as_flattened().iter().enumerate() {
                    a[9 * place + 3 * k + l] = *value;
                }
            }
        }
        Ok(a)
    }

    /// The true (Cauchy) stress of an update, `P F^T / J`.
    fn cauchy_after(&self, f: &Tensor, past: Past<'_>) -> Result<Tensor, MaterialFault> {
        let p = self.update(f, past, None)?.stress;
        Ok(combine([(1.0 / determinant(f), &product(&p, &transpose(f)))]))
    }

    /// Numbers of the history that are worth showing: name and place.
    fn shown(&self) -> &'static [(&'static str, usize)] {
        &[]
    }
}

/// What an update leads to, per reference volume.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Update {
    /// The incremental potential `W_n`.
    pub potential: f64,
    /// The stored energy.
    pub stored: f64,
    /// The energy dissipated so far.
    pub dissipated: f64,
    /// First Piola-Kirchhoff stress `dW_n/dF`.
    pub stress: Tensor,
}
