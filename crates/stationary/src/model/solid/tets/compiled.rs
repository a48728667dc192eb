//! Lists of tetrahedra that fire together in asynchronous runs: the same batch evaluation, with impulses on velocities as result.

use super::NeoHookeanTets;
use super::batches::{Tets, evaluate};
use super::kernel::{Moduli, STORED};
use super::points::TetShape;
use crate::model::solid::lanes::{Isa, WIDEST};
use crate::model::solid::sweep::Owned;
use crate::model::{CompiledPotentials, NodalKicks, OVERFLOW_SAFE};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// Elements in the order of their kicks.
#[derive(Debug)]
struct CompiledTets<S> {
    len: usize,
    isa: Isa,
    /// Nodes by elements; the last element is repeated to fill the last group of [`WIDEST`].
    nodes: Vec<u32>,
    /// Stored numbers of each element, by groups of [`WIDEST`].
    stored: Vec<f64>,
    moduli: Moduli,
    owned: Owned,
    shape: PhantomData<S>,
}

/// Compiles these elements of a block; `None` if some energy may overflow for positions up to [`OVERFLOW_SAFE`].
pub(super) fn compile<S: TetShape>(
    block: &NeoHookeanTets<S>,
    list: &[u32],
    own: &dyn Fn(u32) -> bool,
) -> Option<Arc<dyn CompiledPotentials>> {
    let (len, groups) = (list.len(), list.len().div_ceil(WIDEST));
    let (mut nodes, mut stored) = (Vec::with_capacity(groups * WIDEST * S::NODES), Vec::new());
    stored.resize(groups * WIDEST * STORED, 0.0);
    for g in 0..groups {
        for e in 0..WIDEST {
            let (numbers, own_nodes) = block.element(list[(g * WIDEST + e).min(len - 1)] as usize);
            // The last one is one over a volume.
            if !numbers.iter().all(|s| s.abs() < OVERFLOW_SAFE)
                || !(numbers[STORED - 1] > 1.0 / OVERFLOW_SAFE)
            {
                return None;
            }
            for (i, s) in numbers.iter().enumerate() {
                stored[(g * STORED + i) * WIDEST + e] = *s;
            }
            nodes.extend_from_slice(own_nodes);
        }
    }
    let moduli = block.moduli;
    if !(moduli.lambda.abs() < OVERFLOW_SAFE && moduli.mu.abs() < OVERFLOW_SAFE) {
        return None;
    }
    let owned = Owned::new(&nodes, S::NODES, own);
    Some(Arc::new(CompiledTets {
        len,
        isa: block.isa,
        nodes,
        stored,
        moduli,
        owned,
        shape: PhantomData::<S>,
    }))
}

impl<S: TetShape> CompiledPotentials for CompiledTets<S> {
    unsafe fn kick(&self, range: Range<usize>, kicks: &NodalKicks<'_>) -> usize {
        assert!(range.end <= self.len, "elements of the list");
        let mut target = self.owned.kicked(range.start, kicks);
        let tets = Tets { nodes: &self.nodes, stored: &self.stored, moduli: self.moduli };
        // SAFETY: `kicked` asserts numbers for all nodes; velocities by this function's contract.
        unsafe { evaluate::<S, _>(self.isa, tets, range, &mut target) }
    }

    fn memory(&self) -> usize {
        size_of_val(self)
            + size_of::<u32>() * self.nodes.capacity()
            + size_of::<f64>() * self.stored.capacity()
            + self.owned.memory()
    }
}
