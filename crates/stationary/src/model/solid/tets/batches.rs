//! Evaluation of many tetrahedra, batch by batch in three passes: volume ratios, logarithms, forces.
//!
//! One element is a long chain of dependent operations. The passes place many independent operations next to each other, which saves a
//! quarter of the time.

use super::kernel::{Edges, Moduli, SCALE, STORED, force, ratio};
use super::points::TetShape;
use crate::model::HistoryEnergy;
use crate::model::prefetch::prefetch;
use crate::model::solid::kind::{SIMPLEX_NODES, SIMPLEX_POINTS};
use crate::model::solid::lanes::{Isa, Lanes, WIDEST};
use crate::model::solid::sweep::Target;
use std::ops::Range;

/// Number of quadrature points in a batch.
const BATCH: usize = 8;
/// At least the elements of a batch.
pub(super) const SPAN: usize = BATCH * WIDEST;
/// At least the nodes of the elements of a batch, in vectors.
const BATCH_NODES: usize = 32;
/// How many batches of [`SPAN`] elements ahead their data are prefetched, if there are more elements than fit into the nearer caches: with
/// 10^6 elements this saves 15 % of the time, with 20,000 it would cost 5 %.
const AHEAD: usize = 2;
const FAR: usize = 150_000;

/// What is swept: by elements, to the end of the last group of [`WIDEST`].
#[derive(Clone, Copy)]
pub(super) struct Tets<'a> {
    pub nodes: &'a [u32],
    /// By groups: each of the [`STORED`] numbers for all elements of the group.
    pub stored: &'a [f64],
    pub moduli: Moduli,
}

/// Evaluates a range of elements. Stops before a batch that contains an element without energy; returns the first element that was not
/// evaluated.
///
/// # Safety
/// The target has numbers for every node in `nodes`.
pub(super) unsafe fn evaluate<S: TetShape, T: Target>(
    isa: Isa,
    tets: Tets<'_>,
    range: Range<usize>,
    target: &mut T,
) -> usize {
    match isa {
        // SAFETY: guaranteed by this function's contract.
        Isa::Portable => unsafe { passes::<S, f64, T>(tets, range, target) },
        // SAFETY: guaranteed by this function's contract; `Isa` was detected.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2::<S, T>(tets, range, target) },
        // SAFETY: guaranteed by this function's contract; `Isa` was detected.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { avx512::<S, T>(tets, range, target) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<S: TetShape, T: Target>(tets: Tets<'_>, range: Range<usize>, target: &mut T) -> usize {
    // SAFETY: guaranteed by this function's contract.
    unsafe { passes::<S, std::arch::x86_64::__m256d, T>(tets, range, target) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
unsafe fn avx512<S: TetShape, T: Target>(tets: Tets<'_>, range: Range<usize>, target: &mut T) -> usize {
    // SAFETY: guaranteed by this function's contract.
    unsafe { passes::<S, std::arch::x86_64::__m512d, T>(tets, range, target) }
}

/// As [`evaluate`].
#[inline(always)]
unsafe fn passes<S: TetShape, L: Lanes, T: Target>(
    tets: Tets<'_>,
    range: Range<usize>,
    target: &mut T,
) -> usize {
    let zero = L::splat(0.0);
    let mut d = [[[zero; 3]; 3]; BATCH];
    let (mut s, mut logs) = ([zero; BATCH], [zero; BATCH]);
    let mut weights = [zero; BATCH_NODES];
    // Of one vector of elements; filled anew before every use.
    let mut local = [0.0; 3 * SIMPLEX_NODES * WIDEST];
    let (first, last) = (range.start / L::WIDTH, range.end.div_ceil(L::WIDTH));
    let mut chunk = first;
    let far = tets.stored.len() > FAR;
    while chunk < last {
        let chunks = chunk..last.min(chunk + BATCH / S::POINTS);
        if far {
            tets.prefetch::<S>(chunk * L::WIDTH, chunks.len() * L::WIDTH);
        }
        for (b, k) in chunks.clone().map(|c| c * L::WIDTH).enumerate() {
            let nodes = &tets.nodes[k * S::NODES..][..L::WIDTH * S::NODES];
            let mut x = [[zero; 3]; SIMPLEX_NODES];
            let weights = &mut weights[b * S::NODES..][..S::NODES];
            let put = |a: usize, of_node: [L; 3], weight: L| (x[a], weights[a]) = (of_node, weight);
            // SAFETY: guaranteed by this function's contract.
            unsafe { target.gather::<L>(k, nodes, S::NODES, put) };
            let d = &mut d[b * S::POINTS..][..S::POINTS];
            S::edges(&x, d);
            let scale = tets.number::<L>(k, SCALE);
            for q in 0..S::POINTS {
                s[b * S::POINTS + q] = ratio(&d[q], scale);
            }
        }
        let points = chunks.len() * S::POINTS;
        for i in 0..points {
            match tets.moduli.pull(s[i]) {
                Some(pulled) => (s[i], logs[i]) = pulled,
                None => return range.start.max(chunk * L::WIDTH),
            }
        }
        for (b, k) in chunks.clone().map(|c| c * L::WIDTH).enumerate() {
            let from = b * S::POINTS;
            let lanes = range.start.max(k) - k..range.end.min(k + L::WIDTH) - k;
            let points = (&d[from..], &s[from..], &logs[from..]);
            let weights = &weights[b * S::NODES..][..S::NODES];
            if !tets.forces::<S, L, T>(k, lanes.clone(), points, weights, &mut local, target) {
                return range.start.max(k);
            }
            let nodes = &tets.nodes[k * S::NODES..][..L::WIDTH * S::NODES];
            let all = if lanes.len() == L::WIDTH { 0..L::WIDTH } else { lanes };
            // SAFETY: guaranteed by this function's contract.
            unsafe { target.put::<L, false>(k, all, nodes, &local) };
        }
        chunk = chunks.end;
    }
    range.end
}

impl Tets<'_> {
    /// Asks for the numbers of elements that are swept some batches later: the processor itself does not look beyond a page.
    #[inline(always)]
    fn prefetch<S: TetShape>(&self, k: usize, count: usize) {
        let ahead = k + AHEAD * SPAN;
        let stored = self.stored.as_ptr().wrapping_add(ahead * STORED);
        for line in (0..count * STORED).step_by(8) {
            prefetch(stored.wrapping_add(line));
        }
        let nodes = self.nodes.as_ptr().wrapping_add(ahead * S::NODES);
        for line in (0..count * S::NODES).step_by(16) {
            prefetch(nodes.wrapping_add(line));
        }
    }

    /// One of the stored numbers of the elements from `k` on.
    #[inline(always)]
    fn number<L: Lanes>(&self, k: usize, which: usize) -> L {
        L::load(&self.stored[k / WIDEST * (STORED * WIDEST) + which * WIDEST + k % WIDEST..])
    }

    /// The last pass for one vector of elements: from the edges, `s` and logarithms of all its points to the forces in
    /// `local`, spread node by node. False if an energy is not a finite number.
    #[inline(always)]
    fn forces<S: TetShape, L: Lanes, T: Target>(
        &self,
        k: usize,
        lanes: Range<usize>,
        (d, s, logs): (&[Edges<L>], &[L], &[L]),
        weights: &[L],
        local: &mut [f64],
        target: &mut T,
    ) -> bool {
        let mut a = [L::splat(0.0); 6];
        for (i, a) in a.iter_mut().enumerate() {
            *a = self.number(k, i);
        }
        let mut h = [[[L::splat(0.0); 3]; 3]; SIMPLEX_POINTS];
        let mut energy = L::splat(0.0);
        for q in 0..S::POINTS {
            let (forces, isochoric) = force(&d[q], &a, s[q]);
            h[q] = forces;
            if T::ENERGY {
                let volumetric = self.moduli.volumetric(logs[q], self.number(k, SCALE));
                energy = energy.add(isochoric.add(volumetric));
            }
        }
        if T::ENERGY {
            if !energy.within(f64::MIN, f64::MAX) {
                return false;
            }
            let mut each = [0.0; WIDEST];
            energy.store(&mut each);
            each[lanes].iter().for_each(|e| target.count(HistoryEnergy::elastic(*e)));
        }
        let mut nodal = S::nodal(&h);
        for a in 0..S::NODES {
            if T::WEIGHED {
                nodal[a] = nodal[a].map(|f| f.mul(weights[a]));
            }
            L::spread(&nodal[a], &mut local[3 * a * L::WIDTH..]);
        }
        true
    }
}
