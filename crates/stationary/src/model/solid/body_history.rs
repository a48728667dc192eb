//! Solids whose elements have memory, for synchronous methods: the history of all elements, one after the other.

use super::body::Solid;
use super::elements::ElementFault;
use crate::model::{HistoryEnergy, Past};

impl Solid {
    /// Where the history of element `k` begins in that of all elements.
    pub(super) fn history_start(&self, k: usize) -> usize {
        let (mut first, mut at) = (0, 0);
        for block in self.blocks() {
            let before = block.len().min(k - first);
            at += before * block.history_size();
            first += before;
        }
        at
    }

    /// The past of element `k` in that of all elements.
    pub fn past_of<'a>(&self, k: usize, past: Past<'a>) -> Past<'a> {
        let begin = self.history_start(k);
        let size = self.locate(k).0.history_size();
        Past { history: &past.history[begin..begin + size], dt: past.dt }
    }

    /// Writes the history of all elements at the start.
    pub(super) fn forget(&self, out: &mut [f64]) {
        let mut rest = out;
        for block in self.blocks() {
            for k in 0..block.len() {
                let own = rest.split_off_mut(..block.history_size()).expect("numbers for all elements");
                block.first_history(k, own);
            }
        }
    }

    /// Writes the gradient of the incremental potential from a past to `out`, and the history after the update.
    pub(super) fn update_all(
        &self,
        t: f64,
        x: &[f64],
        past: Past<'_>,
        (out, mut after): (&mut [f64], Option<&mut [f64]>),
    ) -> Result<HistoryEnergy, ElementFault> {
        out.fill(0.0);
        let mut total = HistoryEnergy::default();
        let mut begin = 0;
        for block in self.blocks() {
            let size = block.len() * block.history_size();
            if size == 0 {
                total.stored += block.add_gradient(0..block.len(), t, x, out)?;
                continue;
            }
            let numbers = begin..begin + size;
            let past = Past { history: &past.history[numbers.clone()], dt: past.dt };
            let after = after.as_deref_mut().map(|after| &mut after[numbers]);
            block.add_update(x, past, (&mut *out, after), &mut total)?;
            begin += size;
        }
        Ok(total)
    }
}
