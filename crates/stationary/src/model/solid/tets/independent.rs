//! Events of tetrahedra that share no node, each at its own time: one element in each lane.

use super::NeoHookeanTets;
use super::kernel::{Moduli, SCALE, STORED, force, ratio};
use super::points::TetShape;
use crate::model::solid::kind::{SIMPLEX_NODES, SIMPLEX_POINTS};
use crate::model::solid::lanes::{Isa, Lanes, WIDEST};
use crate::model::{
    IndependentEvent, IndependentKicks, IndependentRecord, MovingNode, OVERFLOW_SAFE, RECORD_NODES,
    RECORD_NUMBERS,
};
use std::marker::PhantomData;
use std::sync::Arc;

/// The kernel of one block.
#[derive(Debug)]
struct IndependentTets<S> {
    isa: Isa,
    moduli: Moduli,
    shape: PhantomData<S>,
}

/// The kernel of a block; `None` if some energy may overflow for positions up to [`OVERFLOW_SAFE`].
pub(super) fn kernel<S: TetShape>(block: &NeoHookeanTets<S>) -> Option<Arc<dyn IndependentKicks>> {
    const { assert!(S::NODES <= RECORD_NODES && STORED <= RECORD_NUMBERS) }
    let Moduli { lambda, mu, .. } = block.moduli;
    let moderate = |k: usize| {
        let (stored, _) = block.element(k);
        // The last one is one over a volume.
        stored.iter().all(|s| s.abs() < OVERFLOW_SAFE) && stored[SCALE] > 1.0 / OVERFLOW_SAFE
    };
    let all = lambda.abs() < OVERFLOW_SAFE && mu.abs() < OVERFLOW_SAFE && (0..block.len).all(moderate);
    let kernel = IndependentTets { isa: block.isa, moduli: block.moduli, shape: PhantomData::<S> };
    all.then(|| Arc::new(kernel) as Arc<dyn IndependentKicks>)
}

/// The nodes and the stored numbers of an element.
pub(super) fn record<S: TetShape>(block: &NeoHookeanTets<S>, k: usize) -> IndependentRecord {
    let (stored, nodes) = block.element(k);
    let mut record = IndependentRecord::default();
    record.nodes[..S::NODES].copy_from_slice(nodes);
    record.numbers[..STORED].copy_from_slice(&stored);
    record
}

impl<S: TetShape> IndependentKicks for IndependentTets<S> {
    fn lanes(&self) -> usize {
        match self.isa {
            Isa::Portable => 1,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => 4,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => WIDEST,
        }
    }

    fn nodes(&self) -> usize {
        S::NODES
    }

    unsafe fn kick(&self, events: &[IndependentEvent<'_>], nodes: *mut MovingNode) -> bool {
        assert!((1..=self.lanes()).contains(&events.len()), "an event for each lane at most");
        // SAFETY: guaranteed by this function's contract; `Isa` was detected.
        unsafe {
            match self.isa {
                Isa::Portable => self.lanes_of::<f64>(events, nodes),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => self.avx2(events, nodes),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => self.avx512(events, nodes),
            }
        }
    }
}

impl<S: TetShape> IndependentTets<S> {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn avx2(&self, events: &[IndependentEvent<'_>], nodes: *mut MovingNode) -> bool {
        // SAFETY: guaranteed by the caller.
        unsafe {
            match events.len() {
                1 => self.lanes_of::<f64>(events, nodes),
                _ => self.lanes_of::<std::arch::x86_64::__m256d>(events, nodes),
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
    unsafe fn avx512(&self, events: &[IndependentEvent<'_>], nodes: *mut MovingNode) -> bool {
        // SAFETY: guaranteed by the caller.
        unsafe {
            match events.len() {
                1 => self.lanes_of::<f64>(events, nodes),
                2..=4 => self.lanes_of::<std::arch::x86_64::__m256d>(events, nodes),
                _ => self.lanes_of::<std::arch::x86_64::__m512d>(events, nodes),
            }
        }
    }

    /// As [`IndependentKicks::kick`], of at least one event and at most one for each lane. Lanes without an event repeat the last one: they
    /// read and write the same, and all is read before anything is written.
    ///
    /// # Safety
    /// As for [`IndependentKicks::kick`].
    #[inline(always)]
    unsafe fn lanes_of<L: Lanes>(&self, events: &[IndependentEvent<'_>], nodes: *mut MovingNode) -> bool {
        let zero = L::splat(0.0);
        let event = |e: usize| &events[e.min(events.len() - 1)];
        let (mut times, mut weights) = ([0.0; WIDEST], [0.0; WIDEST]);
        let mut at = [[std::ptr::null_mut::<MovingNode>(); WIDEST]; SIMPLEX_NODES];
        for e in 0..L::WIDTH {
            let event = event(e);
            (times[e], weights[e]) = (event.time, event.weight);
            for a in 0..S::NODES {
                at[a][e] = nodes.wrapping_add(event.nodes[a] as usize);
            }
        }
        let (time, weight) = (L::load(&times), L::load(&weights));
        let mut x = [[zero; 3]; SIMPLEX_NODES];
        let mut v = [[zero; 4]; SIMPLEX_NODES];
        let mut size = zero;
        for a in 0..S::NODES {
            // SAFETY: four numbers each; guaranteed by this function's contract.
            let (place, velocity) = unsafe {
                (
                    L::rows(|e| (&raw const (*at[a][e]).x).cast()),
                    L::rows(|e| (&raw const (*at[a][e]).v).cast()),
                )
            };
            let ahead = time.sub(place[3]);
            for i in 0..3 {
                x[a][i] = place[i].add(ahead.mul(velocity[i]));
                size = size.add(x[a][i].abs());
            }
            v[a] = velocity;
        }
        // SAFETY: each record has eight numbers.
        let (low, high) = unsafe {
            (
                L::rows(|e| event(e).numbers.as_ptr().cast()),
                L::rows(|e| event(e).numbers.as_ptr().add(4).cast()),
            )
        };
        let a = [low[0], low[1], low[2], low[3], high[0], high[1]];
        let Some(gradient) = self.gradient::<L>(&x, &a, high[SCALE - 4]) else { return false };
        if !size.within(0.0, OVERFLOW_SAFE) {
            return false;
        }
        for a in 0..S::NODES {
            let kick = weight.mul(v[a][3]);
            let new: [L; 3] = std::array::from_fn(|i| v[a][i].sub(kick.mul(gradient[a][i])));
            // SAFETY: as above; the nodes of different events are different.
            unsafe {
                L::put_rows([x[a][0], x[a][1], x[a][2], time], |e| (&raw mut (*at[a][e]).x).cast());
                L::put_rows([new[0], new[1], new[2], v[a][3]], |e| (&raw mut (*at[a][e]).v).cast());
            }
        }
        true
    }

    /// The gradients on the nodes; `None` if a lane may have none.
    #[inline(always)]
    fn gradient<L: Lanes>(
        &self,
        x: &[[L; 3]; SIMPLEX_NODES],
        a: &[L; 6],
        scale: L,
    ) -> Option<[[L; 3]; SIMPLEX_NODES]> {
        let mut d = [[[L::splat(0.0); 3]; 3]; SIMPLEX_POINTS];
        S::edges(x, &mut d);
        let mut h = [[[L::splat(0.0); 3]; 3]; SIMPLEX_POINTS];
        for q in 0..S::POINTS {
            let (s, _) = self.moduli.pull(ratio(&d[q], scale))?;
            (h[q], _) = force(&d[q], a, s);
        }
        Some(S::nodal(&h))
    }
}
