//! Lists of elements that fire together in asynchronous runs.

use super::law::{Elastic, Pasts, Remembering};
use super::{Group, Owned, Room, evaluate};
use crate::model::solid::averaged::Averaging;
use crate::model::solid::block::Block;
use crate::model::solid::lanes::{Isa, WIDEST};
use crate::model::solid::material::Material;
use crate::model::solid::shape::Shape;
use crate::model::solid::stored::Numbers;
use crate::model::{CompiledPotentials, EventHistory, NodalKicks, Past};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// Elements in the order of their kicks.
#[derive(Debug)]
struct CompiledElements<S> {
    len: usize,
    isa: Isa,
    averaging: Averaging,
    /// Nodes and stored numbers of each element; the last element is repeated to fill the last group.
    nodes: Vec<u32>,
    stored: Numbers,
    law: Arc<dyn Material>,
    owned: Owned,
    shape: PhantomData<S>,
}

impl<S: Shape, M: Material + 'static> Block<S, M> {
    /// These elements, in this order.
    pub(in crate::model::solid) fn compiled(
        &self,
        list: &[u32],
        own: &dyn Fn(u32) -> bool,
    ) -> Arc<dyn CompiledPotentials> {
        let len = list.len();
        let padded = (0..len.next_multiple_of(WIDEST)).map(|k| list[k.min(len - 1)] as usize);
        let nodes: Vec<u32> = padded.flat_map(|k| self.element(k).0).copied().collect();
        let stored = Numbers::new(len, S::STORED, |k, put| self.stored.put(list[k] as usize, put));
        let owned = Owned::new(&nodes, Self::NODES, own);
        let (isa, averaging, law) = (self.isa, self.averaging, self.material.clone());
        Arc::new(CompiledElements { len, isa, averaging, nodes, stored, law, owned, shape: self.shape })
    }
}

impl<S: Shape> CompiledPotentials for CompiledElements<S> {
    unsafe fn kick(&self, range: Range<usize>, kicks: &NodalKicks<'_>) -> usize {
        assert!(range.end <= self.len, "elements of the list");
        let of = Group { isa: self.isa, averaging: self.averaging, nodes: &self.nodes, stored: &self.stored };
        let mut target = self.owned.kicked(range.start, kicks);
        if let (Some(law), Some(events)) = (self.law.inelastic(), kicks.history) {
            let pasts = EventPasts { events, owned: &self.owned, each: S::POINTS * law.history_size() };
            let mut law = Remembering::new(law, S::POINTS, self.len, pasts);
            let mut room = Room::<S>::new::<Remembering<'_, EventPasts<'_>>>(range.len());
            // SAFETY: `kicked` asserts numbers for all nodes; velocities and history by this function's contract.
            return unsafe { evaluate(of, range, &mut room, &mut law, &mut target) };
        }
        let mut room = Room::<S>::new::<Elastic<'_>>(range.len());
        // SAFETY: as above.
        unsafe { evaluate(of, range, &mut room, &mut Elastic(&*self.law), &mut target) }
    }

    fn memory(&self) -> usize {
        size_of_val(self)
            + size_of::<u32>() * self.nodes.capacity()
            + self.stored.memory()
            + self.owned.memory()
    }
}

/// The past of the elements of a list, for which the owner of the first node commits.
struct EventPasts<'a> {
    events: EventHistory<'a>,
    owned: &'a Owned,
    /// Numbers of history of an element.
    each: usize,
}

impl<'a> Pasts<'a> for EventPasts<'a> {
    fn past(&self, k: usize) -> Past<'a> {
        // SAFETY: by the contract of `kick` nobody writes what is read here.
        unsafe { self.events.past(k, self.each) }
    }

    fn commits(&self) -> bool {
        self.events.commits()
    }

    fn after(&mut self, k: usize) -> Option<&mut [f64]> {
        // SAFETY: by the contract of `kick` the owner of the first node alone uses what is written here.
        if self.owned.owns_first(k) { unsafe { self.events.commit(k, self.each) } } else { None }
    }
}
