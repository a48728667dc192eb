//! Sweeps of the elements of a block, for synchronous methods.

use super::law::{BlockPast, Elastic, Law, Pasts, Remembering};
use super::target::SingleTarget;
use super::{Group, Room, Sums, Weighted, evaluate};
use crate::model::solid::block::Block;
use crate::model::solid::elements::{ElementFault, Elements};
use crate::model::solid::kind::MAX_NODES;
use crate::model::solid::lanes::WIDEST;
use crate::model::solid::material::Material;
use crate::model::solid::shape::Shape;
use crate::model::{HistoryEnergy, Past};
use std::ops::Range;

/// The gradient of a single element, three numbers a node.
type Gradient = [f64; 3 * MAX_NODES];

impl<S: Shape, M: Material + 'static> Block<S, M> {
    /// A range of elements: their gradients and energies, or their forces.
    pub(in crate::model::solid) fn sweep<const GRADIENT: bool>(
        &self,
        range: Range<usize>,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        let mut sums = Sums::<GRADIENT>::new(x, out, self.highest.from(range.start));
        let one = |_: &mut Elastic<'_>, k: usize, gradient: &mut Gradient| {
            self.gradient(k, 0.0, x, gradient).map(HistoryEnergy::elastic)
        };
        self.sweep_to(range, &mut Elastic(&*self.material), &mut sums, one)?;
        Ok(sums.total.stored)
    }

    /// All elements, each times a number.
    pub(in crate::model::solid) fn sweep_weighted(
        &self,
        weights: &[f64],
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        let mut padded = weights[..self.len].to_vec();
        padded.resize(self.len.next_multiple_of(WIDEST), 0.0);
        let sums = Sums::<true>::new(x, out, self.highest.from(0));
        let mut weighted = Weighted { sums, weights: &padded };
        let one = |_: &mut Elastic<'_>, k: usize, gradient: &mut Gradient| {
            self.gradient(k, 0.0, x, gradient).map(HistoryEnergy::elastic)
        };
        self.sweep_to(0..self.len, &mut Elastic(&*self.material), &mut weighted, one)?;
        Ok(weighted.sums.total.stored)
    }

    /// All elements of a block with memory, from a past.
    pub(in crate::model::solid) fn sweep_update(
        &self,
        x: &[f64],
        past: Past<'_>,
        (out, after): (&mut [f64], Option<&mut [f64]>),
        total: &mut HistoryEnergy,
    ) -> Result<(), ElementFault> {
        if self.len == 0 {
            return Ok(());
        }
        let pasts = BlockPast { past, after, each: self.remembers() };
        let mut law = Remembering::new(self.law_with_memory(0)?, S::POINTS, self.len, pasts);
        let mut sums = Sums::<true>::new(x, out, self.highest.from(0));
        sums.total = *total;
        let one = |law: &mut Remembering<'_, BlockPast<'_>>, k: usize, gradient: &mut Gradient| {
            let mut own = [0.0; 3 * MAX_NODES];
            for (own, a) in own.chunks_exact_mut(3).zip(self.nodes(k)) {
                own.copy_from_slice(&x[3 * *a as usize..][..3]);
            }
            let past = law.pasts.past(k);
            self.update(k, &own, past, gradient, law.pasts.after(k))
        };
        self.sweep_to(0..self.len, &mut law, &mut sums, one)?;
        *total = sums.total;
        Ok(())
    }

    /// Sweeps a range. Where a group stops, its elements follow one by one: the fault is there, or in an element outside of the range.
    fn sweep_to<W: Law, T: SingleTarget>(
        &self,
        range: Range<usize>,
        law: &mut W,
        target: &mut T,
        one: impl Fn(&mut W, usize, &mut Gradient) -> Result<HistoryEnergy, ElementFault>,
    ) -> Result<(), ElementFault> {
        assert!(range.end <= self.len && target.has(&self.highest), "numbers for all nodes");
        let of = Group { isa: self.isa, averaging: self.averaging, nodes: &self.nodes, stored: &self.stored };
        let mut room = Room::<S>::new::<W>(range.len());
        let mut next = range.start;
        while next < range.end {
            // SAFETY: just asserted for the highest node.
            next = unsafe { evaluate(of, next..range.end, &mut room, law, target) };
            let stopped = next..range.end.min(next - next % WIDEST + WIDEST);
            for k in stopped.clone() {
                let mut gradient = [0.0; 3 * MAX_NODES];
                target.count(one(law, k, &mut gradient)?);
                target.put_one(k, self.nodes(k), &gradient);
            }
            next = stopped.end;
        }
        Ok(())
    }
}
