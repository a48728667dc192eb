//! Many elements at a time, in three passes over a few of them: volume ratios, logarithms, forces.
//!
//! One element is a long chain of dependent operations. Passes put many independent ones next to each other, which is worth
//! a quarter of the time.

use super::kernel::{Edges, Moduli, SCALE, STORED, force, ratio};
use super::points::Simplex;
use crate::model::solid::kind::{MAX_NODES, MAX_POINTS};
use crate::model::solid::lanes::{Isa, Lanes, WIDEST};
use std::ops::Range;

/// Points that go through the passes together.
const BATCH: usize = 8;
/// At least the elements of a batch.
pub(super) const SPAN: usize = BATCH * WIDEST;

/// What is swept: by elements, to the end of the last group of [`WIDEST`].
#[derive(Clone, Copy)]
pub(super) struct Tets<'a> {
    pub nodes: &'a [u32],
    /// By groups: each of the [`STORED`] numbers for all elements of the group.
    pub stored: &'a [f64],
    /// The groups that have the node of the highest number, in order.
    pub edge: &'a [u32],
    pub moduli: Moduli,
    /// At least three numbers for each node that occurs.
    pub x: &'a [f64],
}

/// Adds `dV_K/dx` of a range of elements to `out`, and their energies to `total` in order; without energies, adds the forces
/// `-dV_K/dx`. Stops before a batch that holds an element without energy; returns the first element not swept.
///
/// # Safety
/// `x` and `out` have three numbers for every node in `nodes`, and `edge` is as said.
pub(super) unsafe fn sweep<S: Simplex, const ENERGY: bool>(
    isa: Isa,
    tets: Tets<'_>,
    range: Range<usize>,
    out: &mut [f64],
    total: &mut f64,
) -> usize {
    match isa {
        // SAFETY: the caller's.
        Isa::Portable => unsafe { passes::<S, f64, ENERGY>(tets, range, out, total) },
        // SAFETY: the caller's; `Isa` was detected.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2::<S, ENERGY>(tets, range, out, total) },
        // SAFETY: the caller's; `Isa` was detected.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { avx512::<S, ENERGY>(tets, range, out, total) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<S: Simplex, const ENERGY: bool>(
    tets: Tets<'_>,
    range: Range<usize>,
    out: &mut [f64],
    total: &mut f64,
) -> usize {
    // SAFETY: the caller's.
    unsafe { passes::<S, std::arch::x86_64::__m256d, ENERGY>(tets, range, out, total) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
unsafe fn avx512<S: Simplex, const ENERGY: bool>(
    tets: Tets<'_>,
    range: Range<usize>,
    out: &mut [f64],
    total: &mut f64,
) -> usize {
    // SAFETY: the caller's.
    unsafe { passes::<S, std::arch::x86_64::__m512d, ENERGY>(tets, range, out, total) }
}

/// As [`sweep`].
#[inline(always)]
unsafe fn passes<S: Simplex, L: Lanes, const ENERGY: bool>(
    tets: Tets<'_>,
    range: Range<usize>,
    out: &mut [f64],
    total: &mut f64,
) -> usize {
    let zero = L::splat(0.0);
    let mut d = [[[zero; 3]; 3]; BATCH];
    let (mut s, mut logs) = ([zero; BATCH], [zero; BATCH]);
    // Of one vector of elements; filled anew before every use.
    let mut local = [0.0; 3 * MAX_NODES * WIDEST];
    let (first, last) = (range.start / L::WIDTH, range.end.div_ceil(L::WIDTH));
    let mut next_edge = tets.edge.partition_point(|g| (*g as usize) < range.start / WIDEST);
    let mut chunk = first;
    while chunk < last {
        let chunks = chunk..last.min(chunk + BATCH / S::POINTS);
        for (b, k) in chunks.clone().map(|c| c * L::WIDTH).enumerate() {
            while next_edge < tets.edge.len() && (tets.edge[next_edge] as usize) < k / WIDEST {
                next_edge += 1;
            }
            let careful = tets.edge.get(next_edge).is_some_and(|g| *g as usize == k / WIDEST);
            // SAFETY: nodes of other groups are below the highest, for which `x` has three numbers too.
            let x = unsafe { tets.positions::<S, L>(k, careful) };
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
            if !tets.forces::<S, L, ENERGY>(k, lanes.clone(), points, &mut local, total) {
                return range.start.max(k);
            }
            let nodes = &tets.nodes[k * S::NODES..][..L::WIDTH * S::NODES];
            if lanes.len() == L::WIDTH {
                // SAFETY: the caller's.
                (0..L::WIDTH).for_each(|e| unsafe { add::<S, L, ENERGY>(&local, nodes, e, out) });
            } else {
                // SAFETY: the caller's.
                lanes.for_each(|e| unsafe { add::<S, L, ENERGY>(&local, nodes, e, out) });
            }
        }
        chunk = chunks.end;
    }
    range.end
}

impl Tets<'_> {
    /// One of the stored numbers of the elements from `k` on.
    #[inline(always)]
    fn number<L: Lanes>(&self, k: usize, which: usize) -> L {
        L::load(&self.stored[k / WIDEST * (STORED * WIDEST) + which * WIDEST + k % WIDEST..])
    }

    /// The nodes of the elements from `k` on, one for each lane.
    ///
    /// # Safety
    /// Unless `careful`, `x` has a number after those of each node.
    #[inline(always)]
    unsafe fn positions<S: Simplex, L: Lanes>(&self, k: usize, careful: bool) -> [[L; 3]; MAX_NODES] {
        let nodes = &self.nodes[k * S::NODES..][..L::WIDTH * S::NODES];
        let mut x = [[L::splat(0.0); 3]; MAX_NODES];
        for a in 0..S::NODES {
            if careful {
                let rows = rows(self.x, &nodes[a..], S::NODES);
                x[a] = [L::load(&rows[0]), L::load(&rows[1]), L::load(&rows[2])];
            } else {
                // SAFETY: the caller's.
                x[a] = unsafe { L::gather(self.x, &nodes[a..], S::NODES) };
            }
        }
        x
    }

    /// The last pass for one vector of elements: from the edges, `s` and logarithms of all its points to the forces in
    /// `local`, spread node by node. False if an energy is not a finite number.
    #[inline(always)]
    fn forces<S: Simplex, L: Lanes, const ENERGY: bool>(
        &self,
        k: usize,
        lanes: Range<usize>,
        (d, s, logs): (&[Edges<L>], &[L], &[L]),
        local: &mut [f64],
        total: &mut f64,
    ) -> bool {
        let mut a = [L::splat(0.0); 6];
        for (i, a) in a.iter_mut().enumerate() {
            *a = self.number(k, i);
        }
        let mut h = [[[L::splat(0.0); 3]; 3]; MAX_POINTS];
        let mut energy = L::splat(0.0);
        for q in 0..S::POINTS {
            let (forces, isochoric) = force(&d[q], &a, s[q]);
            h[q] = forces;
            if ENERGY {
                let volumetric = self.moduli.volumetric(logs[q], self.number(k, SCALE));
                energy = energy.add(isochoric.add(volumetric));
            }
        }
        if ENERGY {
            if !energy.within(f64::MIN, f64::MAX) {
                return false;
            }
            let mut each = [0.0; WIDEST];
            energy.store(&mut each);
            each[lanes].iter().for_each(|e| *total += e);
        }
        let nodal = S::nodal(&h);
        for a in 0..S::NODES {
            L::spread(&nodal[a], &mut local[3 * a * L::WIDTH..]);
        }
        true
    }
}

/// Adds the gradient of one lane to its nodes, or its forces. In the order of elements, as one by one; `x` and `y` of a node as a pair: wider
/// stores would overlap the next node's, and wait for each other.
///
/// # Safety
/// `out` has three numbers for every node.
#[inline(always)]
unsafe fn add<S: Simplex, L: Lanes, const GRADIENT: bool>(
    local: &[f64],
    nodes: &[u32],
    e: usize,
    out: &mut [f64],
) {
    for a in 0..S::NODES {
        let at = 3 * nodes[e * S::NODES + a] as usize;
        let local = &local[3 * a * L::WIDTH..][..3 * L::WIDTH];
        // SAFETY: the caller's.
        unsafe {
            let pair = out.as_mut_ptr().add(at).cast::<[f64; 2]>();
            let (old, z) = (pair.read(), out.get_unchecked_mut(at + 2));
            let new = [local[2 * e], local[2 * e + 1], local[2 * L::WIDTH + e]];
            if GRADIENT {
                pair.write([old[0] + new[0], old[1] + new[1]]);
                *z += new[2];
            } else {
                pair.write([old[0] - new[0], old[1] - new[1]]);
                *z -= new[2];
            }
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
