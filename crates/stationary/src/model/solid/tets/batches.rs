//! Evaluation of many tetrahedra, batch by batch in three passes: volume ratios, logarithms, forces.
//!
//! One element is a long chain of dependent operations. The passes place many independent operations next to each other, which saves a
//! quarter of the time.

use super::kernel::{Edges, Moduli, SCALE, STORED, force, ratio};
use super::points::TetShape;
use crate::model::prefetch::prefetch;
use crate::model::solid::kind::{SIMPLEX_NODES, SIMPLEX_POINTS};
use crate::model::solid::lanes::{Isa, Lanes, WIDEST};
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

/// Where an evaluation finds the positions of nodes, and where its gradients go.
pub(super) trait Target {
    /// Whether energies are wanted.
    const ENERGY: bool;
    /// Whether gradients are multiplied by a number of the node.
    const WEIGHED: bool;

    /// The nodes of the elements from `k` on, one for each lane, with their numbers.
    ///
    /// # Safety
    /// `nodes` are those of [`Tets`] in whose evaluation this is called.
    unsafe fn gather<S: TetShape, L: Lanes>(
        &mut self,
        k: usize,
        nodes: &[u32],
        x: &mut [[L; 3]; SIMPLEX_NODES],
        weights: &mut [L],
    );

    /// The energy of the next element.
    fn count(&mut self, energy: f64);

    /// Puts the gradients of some lanes of the elements from `k` on to their nodes, in order.
    ///
    /// # Safety
    /// As before.
    unsafe fn put<S: TetShape, L: Lanes>(
        &mut self,
        k: usize,
        lanes: Range<usize>,
        nodes: &[u32],
        local: &[f64],
    );
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
            // SAFETY: guaranteed by this function's contract.
            unsafe { target.gather::<S, L>(k, nodes, &mut x, &mut weights[b * S::NODES..][..S::NODES]) };
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
            unsafe { target.put::<S, L>(k, all, nodes, &local) };
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
            each[lanes].iter().for_each(|e| target.count(*e));
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

/// Adds the gradients to one number for each component, or subtracts them, which makes forces.
pub(super) struct Sums<'a, const GRADIENT: bool> {
    pub x: &'a [f64],
    pub out: &'a mut [f64],
    pub total: f64,
    /// The groups that have the node of the highest number, in order, from those swept on.
    pub edge: &'a [u32],
}

impl<const GRADIENT: bool> Target for Sums<'_, GRADIENT> {
    const ENERGY: bool = GRADIENT;
    const WEIGHED: bool = false;

    #[inline(always)]
    unsafe fn gather<S: TetShape, L: Lanes>(
        &mut self,
        k: usize,
        nodes: &[u32],
        x: &mut [[L; 3]; SIMPLEX_NODES],
        _weights: &mut [L],
    ) {
        while self.edge.first().is_some_and(|g| (*g as usize) < k / WIDEST) {
            self.edge = &self.edge[1..];
        }
        let careful = self.edge.first().is_some_and(|g| *g as usize == k / WIDEST);
        for a in 0..S::NODES {
            if careful {
                let rows = rows(self.x, &nodes[a..], S::NODES);
                x[a] = [L::load(&rows[0]), L::load(&rows[1]), L::load(&rows[2])];
            } else {
                // SAFETY: nodes of other groups are below the highest, for which `x` has three numbers too.
                x[a] = unsafe { L::gather(self.x, &nodes[a..], S::NODES) };
            }
        }
    }

    #[inline(always)]
    fn count(&mut self, energy: f64) {
        self.total += energy;
    }

    #[inline(always)]
    unsafe fn put<S: TetShape, L: Lanes>(
        &mut self,
        _k: usize,
        lanes: Range<usize>,
        nodes: &[u32],
        local: &[f64],
    ) {
        for e in lanes {
            for a in 0..S::NODES {
                let at = 3 * nodes[e * S::NODES + a] as usize;
                // SAFETY: guaranteed by this function's contract.
                unsafe { add::<L, GRADIENT>(&local[3 * a * L::WIDTH..], e, self.out.as_mut_ptr().add(at)) };
            }
        }
    }
}

/// Adds the gradients times a number of each element.
pub(super) struct Weighted<'a> {
    pub sums: Sums<'a, true>,
    /// To the end of the last group of [`WIDEST`].
    pub weights: &'a [f64],
}

impl Target for Weighted<'_> {
    const ENERGY: bool = true;
    const WEIGHED: bool = true;

    #[inline(always)]
    unsafe fn gather<S: TetShape, L: Lanes>(
        &mut self,
        k: usize,
        nodes: &[u32],
        x: &mut [[L; 3]; SIMPLEX_NODES],
        weights: &mut [L],
    ) {
        weights.fill(L::load(&self.weights[k..]));
        // SAFETY: guaranteed by this function's contract.
        unsafe { self.sums.gather::<S, L>(k, nodes, x, weights) }
    }

    #[inline(always)]
    fn count(&mut self, energy: f64) {
        self.sums.count(energy);
    }

    #[inline(always)]
    unsafe fn put<S: TetShape, L: Lanes>(
        &mut self,
        k: usize,
        lanes: Range<usize>,
        nodes: &[u32],
        local: &[f64],
    ) {
        // SAFETY: guaranteed by this function's contract.
        unsafe { self.sums.put::<S, L>(k, lanes, nodes, local) }
    }
}

/// Adds the gradient of one lane to one node, or subtracts it. `x` and `y` as a pair: wider
/// stores would overlap the next node's, and wait for each other.
///
/// # Safety
/// `to` points to three numbers.
#[inline(always)]
pub(super) unsafe fn add<L: Lanes, const PLUS: bool>(local: &[f64], e: usize, to: *mut f64) {
    let local = &local[..3 * L::WIDTH];
    let new = [local[2 * e], local[2 * e + 1], local[2 * L::WIDTH + e]];
    // SAFETY: guaranteed by this function's contract.
    unsafe {
        let (pair, z) = (to.cast::<[f64; 2]>(), to.add(2));
        let old = pair.read();
        if PLUS {
            pair.write([old[0] + new[0], old[1] + new[1]]);
            *z += new[2];
        } else {
            pair.write([old[0] - new[0], old[1] - new[1]]);
            *z -= new[2];
        }
    }
}

/// The components of nodes that may be the last, where [`Lanes::gather`] would read too far.
#[inline(never)]
fn rows(x: &[f64], nodes: &[u32], stride: usize) -> [[f64; WIDEST]; 3] {
    let mut rows = [[0.0; WIDEST]; 3];
    for (e, a) in nodes.iter().step_by(stride).enumerate() {
        for i in 0..3 {
            rows[i][e] = x[3 * *a as usize + i];
        }
    }
    rows
}
