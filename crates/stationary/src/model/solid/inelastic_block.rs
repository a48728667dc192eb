//! Blocks whose material has memory: the incremental potential `V_n = sum_q w_q W_n(F_q)` of an element. Its history is that of its points, one
//! after the other.

use super::block::Block;
use super::elements::{ElementFault, Elements};
use super::material::{Inelastic, Material};
use super::shape::{Alone, Local, Nodal, Pointwise, Shape};
use crate::model::{HistoryEnergy, Past};

impl<S: Shape, M: Material + 'static> Block<S, M> {
    /// Numbers of history of an element.
    pub(super) fn remembers(&self) -> usize {
        self.material.inelastic().map_or(0, |law| S::POINTS * law.history_size())
    }

    /// The law with memory of a block that has one.
    pub(super) fn law_with_memory(&self, k: usize) -> Result<&dyn Inelastic, ElementFault> {
        self.material.inelastic().ok_or(ElementFault::NotFinite { element: self.label(k) })
    }

    /// Writes the history of an element at the start.
    pub(super) fn forget(&self, out: &mut [f64]) {
        if let Some(law) = self.material.inelastic() {
            out.chunks_exact_mut(law.history_size()).for_each(|point| law.first_history(point));
        }
    }

    /// The past of a point.
    pub(super) fn past_at<'a>(&self, q: usize, past: Past<'a>) -> Past<'a> {
        let each = past.history.len() / S::POINTS;
        Past { history: &past.history[q * each..(q + 1) * each], dt: past.dt }
    }

    /// The gradient of the incremental potential, and the history that the update leads to.
    pub(super) fn updated(
        &self,
        k: usize,
        own: &[f64],
        past: Past<'_>,
        (out, mut after): (&mut [f64], Option<&mut [f64]>),
    ) -> Result<HistoryEnergy, ElementFault> {
        let law = self.law_with_memory(k)?;
        let each = law.history_size();
        let stored = self.element(k).1;
        let mut local = Nodal::<S, f64>::of([0.0; 3]);
        local.as_mut().as_flattened_mut()[..3 * Self::NODES].copy_from_slice(&own[..3 * Self::NODES]);
        let mut f = Self::deformation_of(stored, &local);
        let averaged = self.averaged(k, stored, &mut f)?;
        let mut p = Pointwise::<S, f64>::of([[0.0; 3]; 3]);
        let mut energy = HistoryEnergy::default();
        for q in 0..S::POINTS {
            let before = self.past_at(q, past);
            let after = after.as_deref_mut().map(|after| &mut after[q * each..(q + 1) * each]);
            let update =
                law.update(&f[q], before, after).map_err(|why| ElementFault::at(self.label(k), q, why))?;
            let committed = before.history[each - 1];
            let own = HistoryEnergy { stored: update.stored, dissipated: update.dissipated, committed };
            energy.add(S::weight(stored, q), own);
            p[q] = update.stress;
        }
        if !energy.incremental().is_finite() {
            return Err(ElementFault::NotFinite { element: self.label(k) });
        }
        let mut points = Alone { f: f.as_mut(), p: p.as_mut() };
        if let Some(averaged) = averaged {
            averaged.pull(stored, &mut points);
        }
        S::force(stored, &mut points, &mut local);
        out[..3 * Self::NODES].copy_from_slice(&local.as_ref().as_flattened()[..3 * Self::NODES]);
        Ok(energy)
    }

    /// The mean over an element of a number of the history of its points; NaN if there is none of this name.
    pub(super) fn mean_of_history(&self, k: usize, history: &[f64], name: &str) -> f64 {
        let points = || self.history_at_points(k, history, name);
        let sum: f64 = points().map(|(weight, value)| weight * value).sum();
        sum / points().map(|(weight, _)| weight).sum::<f64>()
    }

    /// A number of the history of each point, with its weight; nothing if there is none of this name.
    pub(super) fn history_at_points<'a>(
        &'a self,
        k: usize,
        history: &'a [f64],
        name: &str,
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let stored = self.element(k).1;
        let law = self.material.inelastic();
        let shown = law.and_then(|law| law.shown().iter().find(|(shown, _)| *shown == name));
        let points =
            law.zip(shown).map(|(law, (_, place))| (history.chunks_exact(law.history_size()), *place));
        points.into_iter().flat_map(move |(points, place)| {
            points.enumerate().map(move |(q, point)| (S::weight::<f64>(stored, q), point[place]))
        })
    }
}
