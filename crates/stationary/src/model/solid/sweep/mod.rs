//! Elements of any shape and material in vector lanes, by groups of [`WIDEST`].
//!
//! Elements and laws meet at a quadrature point of a group, not in a kernel for every pair of them: the kernel of the shape writes the
//! deformation gradients of all points to [`PointBatch`]es, one call evaluates the law at all of them, and the kernel goes on from the
//! stresses to the nodal forces, which are put to the nodes element by element in order. Elements of few points are evaluated several groups
//! at a time: one point is a long chain of dependent operations. Every sum has the order that a single element has, so that its bits are the
//! same.

mod block;
mod compiled;
mod kicks;
mod law;
mod target;

pub(super) use kicks::Owned;
pub(super) use target::{Highest, Sums, Target, Weighted};

use super::averaged::{Averaged, Averaging};
use super::lanes::{Isa, Lanes, WIDEST};
use super::material::{PointBatch, Side};
use super::shape::{Local, Nodal, Points, Shape, Tensors, zero};
use super::stored::{Numbers, Sides, Stored};
use crate::model::HistoryEnergy;
use law::Law;
use std::mem::MaybeUninit;
use std::ops::Range;

#[cfg(test)]
thread_local! {
    /// The instructions of blocks that tests build.
    pub(super) static FORCED: std::cell::Cell<Option<Isa>> = const { std::cell::Cell::new(None) };
}

/// The instructions of new blocks.
pub(super) fn isa() -> Isa {
    #[cfg(test)]
    if let Some(isa) = FORCED.get() {
        return isa;
    }
    Isa::detect()
}

/// What is swept: by elements, to the end of the last group.
#[derive(Clone, Copy)]
pub(super) struct Group<'a> {
    pub isa: Isa,
    pub averaging: Averaging,
    pub nodes: &'a [u32],
    pub stored: &'a Numbers,
}

/// Room for the groups of elements that are evaluated together.
pub(super) struct Room<S: Shape> {
    groups: Vec<GroupRoom<S>>,
    /// Of all groups, [`Shape::POINTS`] each.
    points: Vec<PointBatch>,
    /// What each point has dissipated at the last commit.
    committed: Vec<Side>,
}

/// Room for one group.
#[repr(C, align(64))]
struct GroupRoom<S: Shape> {
    /// Positions of the nodes, and the numbers by which their gradients are multiplied.
    x: S::AtNodes<[Side; 3]>,
    weights: S::AtNodes<Side>,
    /// The gradients on the nodes, vector after vector as [`Lanes::spread`] writes them.
    local: S::AtNodes<[Side; 3]>,
    /// Stored and dissipated energy after the update, and dissipated before it; without memory only the first.
    energy: [Side; 3],
}

impl<S: Shape> Room<S> {
    /// For so many elements under a law; one that remembers evaluates one group at a time.
    pub fn new<W: Law>(elements: usize) -> Self {
        let side = [0.0; WIDEST];
        let all = elements.div_ceil(WIDEST) + 1;
        let count = if W::REMEMBERS { 1 } else { S::GROUPS.min(all) };
        let group = |_| GroupRoom {
            x: Local::of([side; 3]),
            weights: Local::of(side),
            local: Local::of([side; 3]),
            energy: [side; 3],
        };
        Room {
            groups: (0..count).map(group).collect(),
            points: vec![PointBatch::undeformed(); count * S::POINTS],
            committed: vec![side; if W::REMEMBERS { S::POINTS } else { 0 }],
        }
    }
}

/// The points of a group, from a lane on.
struct Batch<'a> {
    points: &'a mut [PointBatch],
    lane: usize,
}

impl Batch<'_> {
    /// Where vectors begin. The mask tells the compiler that one fits.
    #[inline(always)]
    fn from<L: Lanes>(&self) -> usize {
        self.lane & (WIDEST - L::WIDTH)
    }
}

impl<L: Lanes> Points<L> for Batch<'_> {
    #[inline(always)]
    fn deformation(&self, q: usize) -> Tensors<L> {
        load(&self.points[q].f, self.from::<L>())
    }

    #[inline(always)]
    fn set(&mut self, q: usize, i: usize, j: usize, value: L) {
        let from = self.from::<L>();
        value.store(&mut self.points[q].f[3 * i + j][from..]);
    }

    #[inline(always)]
    fn stress(&self, q: usize) -> Tensors<L> {
        load(&self.points[q].p, self.from::<L>())
    }

    #[inline(always)]
    fn stress_entry(&self, q: usize, i: usize, j: usize) -> L {
        L::load(&self.points[q].p[3 * i + j][self.from::<L>()..])
    }

    #[inline(always)]
    fn set_stress(&mut self, q: usize, i: usize, j: usize, value: L) {
        let from = self.from::<L>();
        value.store(&mut self.points[q].p[3 * i + j][from..]);
    }
}

/// A computation in vector lanes of any width. What it calls is inlined into it.
trait Kernel {
    type Output;
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Runs it with the instructions of the processor.
fn enter<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<std::arch::x86_64::__m256d>()
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
    fn avx512<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<std::arch::x86_64::__m512d>()
    }
    match isa {
        Isa::Portable => kernel.run::<f64>(),
        // SAFETY: `Isa` was detected.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2(kernel) },
        // SAFETY: `Isa` was detected.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { avx512(kernel) },
    }
}

/// Fetches the positions of the nodes of a group.
struct Fetch<'a, T> {
    target: &'a mut T,
    k: usize,
    nodes: &'a [u32],
    /// How many components.
    dimension: usize,
    x: &'a mut [[Side; 3]],
    weights: &'a mut [Side],
}

impl<T: Target> Kernel for Fetch<'_, T> {
    type Output = ();

    // One loop for any number of nodes: loops unrolled for each number, behind a `match`, took a quarter more time.
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let each = self.nodes.len() / WIDEST;
        for lane in (0..WIDEST).step_by(L::WIDTH) {
            let nodes = &self.nodes[lane * each..][..L::WIDTH * each];
            let put = |a: usize, x: [L; 3], weight: L| {
                x[0].store(&mut self.x[a][0][lane..]);
                x[1].store(&mut self.x[a][1][lane..]);
                if self.dimension == 3 {
                    x[2].store(&mut self.x[a][2][lane..]);
                }
                if T::WEIGHED {
                    weight.store(&mut self.weights[a][lane..]);
                }
            };
            // SAFETY: these are nodes of the elements that are swept, as `evaluate` requires.
            unsafe { self.target.gather::<L>(self.k + lane, nodes, each, put) };
        }
    }
}

/// From the positions of the nodes of groups to their gradients; false if an element has no energy.
struct Evaluate<'a, S: Shape> {
    averaging: Averaging,
    /// Of all groups.
    stored: &'a [Sides],
    groups: &'a mut [GroupRoom<S>],
    points: &'a mut [PointBatch],
    committed: &'a [Side],
    law: &'a mut dyn FnMut(&mut [PointBatch]) -> bool,
    weighed: bool,
}

/// Most groups of elements that are averaged.
const AVERAGED_GROUPS: usize = 2;

/// The averaged state of each vector of groups; there are at most as many as lanes. To fill all of it took half of the instructions of a
/// hexahedron.
type States<S, L> = [[MaybeUninit<Averaged<S, L>>; WIDEST]; AVERAGED_GROUPS];

impl<S: Shape> Kernel for Evaluate<'_, S> {
    type Output = bool;

    // Loops, and no closures over vectors: those that are not inlined would be compiled without the instructions.
    #[inline(always)]
    fn run<L: Lanes>(mut self) -> bool {
        const { assert!(!S::AVERAGED || S::GROUPS <= AVERAGED_GROUPS) };
        let mut states: States<S, L> = [const { [const { MaybeUninit::uninit() }; WIDEST] }; AVERAGED_GROUPS];
        if !self.deform::<L>(&mut states) || !(self.law)(self.points) {
            return false;
        }
        for g in 0..self.groups.len() {
            let stored = &self.stored[g * S::STORED..][..S::STORED];
            let points = &mut self.points[g * S::POINTS..][..S::POINTS];
            let group = &mut self.groups[g];
            for lane in (0..WIDEST).step_by(L::WIDTH) {
                let stored = Stored::<L>::new(stored, lane);
                let mut points = Batch { points, lane };
                if !energies(stored, &points, self.committed, group) {
                    return false;
                }
                if self.averaging != Averaging::Off && S::AVERAGED {
                    // SAFETY: written for every vector by `deform`, under the same condition.
                    let state = unsafe { states[g][lane / L::WIDTH].assume_init_ref() };
                    state.pull(stored, &mut points);
                }
                let mut out = Nodal::<S, L>::of([zero(); 3]);
                S::force(stored, &mut points, &mut out);
                let local = group.local.as_mut().as_flattened_mut().as_flattened_mut();
                for a in 0..S::KIND.nodes() {
                    let mut nodal = out[a];
                    if self.weighed {
                        let weight = L::load(&group.weights[a][lane & (WIDEST - L::WIDTH)..]);
                        for i in 0..3 {
                            nodal[i] = nodal[i].mul(weight);
                        }
                    }
                    let at = 3 * (lane * S::KIND.nodes() + a * L::WIDTH);
                    L::spread(&nodal, &mut local[at..at + 3 * L::WIDTH]);
                }
            }
        }
        true
    }
}

impl<S: Shape> Evaluate<'_, S> {
    /// From positions to the deformation gradients that the law sees.
    #[inline(always)]
    fn deform<L: Lanes>(&mut self, states: &mut States<S, L>) -> bool {
        for g in 0..self.groups.len() {
            let stored = &self.stored[g * S::STORED..][..S::STORED];
            let points = &mut self.points[g * S::POINTS..][..S::POINTS];
            let group = &self.groups[g];
            for lane in (0..WIDEST).step_by(L::WIDTH) {
                let stored = Stored::<L>::new(stored, lane);
                let mut x = Nodal::<S, L>::of([zero(); 3]);
                for a in 0..S::KIND.nodes() {
                    for i in 0..S::KIND.dimension() {
                        x[a][i] = L::load(&group.x[a][i][lane & (WIDEST - L::WIDTH)..]);
                    }
                }
                let mut points = Batch { points, lane };
                S::deformation(stored, &x, &mut points);
                if self.averaging != Averaging::Off && S::AVERAGED {
                    let state = states[g][lane / L::WIDTH].write(Averaged::new(self.averaging));
                    if state.average(stored, &mut points).is_err() {
                        return false;
                    }
                }
            }
        }
        true
    }
}

/// Sums the energies of the points of some elements; false if that of one is no finite number.
#[inline(always)]
fn energies<S: Shape, L: Lanes>(
    stored: Stored<'_, L>,
    points: &Batch<'_>,
    committed: &[Side],
    group: &mut GroupRoom<S>,
) -> bool {
    let from = points.from::<L>();
    let remembers = !committed.is_empty();
    let mut energy = [zero::<L>(); 3];
    for q in 0..S::POINTS {
        let weight = S::weight(stored, q);
        let of_point = &points.points[q];
        energy[0] = energy[0].add(weight.mul(L::load(&of_point.energy[from..])));
        if remembers {
            energy[1] = energy[1].add(weight.mul(L::load(&of_point.dissipated[from..])));
            energy[2] = energy[2].add(weight.mul(L::load(&committed[q][from..])));
        }
    }
    let incremental = energy[0].add(energy[1].sub(energy[2]));
    for i in 0..3 {
        energy[i].store(&mut group.energy[i][from..]);
    }
    incremental.within(f64::MIN, f64::MAX)
}

/// A tensor of the lanes from one on.
#[inline(always)]
fn load<L: Lanes>(from: &[Side; 9], lane: usize) -> Tensors<L> {
    let mut tensor = [[zero(); 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            tensor[i][j] = L::load(&from[3 * i + j][lane & (WIDEST - L::WIDTH)..]);
        }
    }
    tensor
}

/// Puts the gradients of some elements of a group to their nodes.
struct Put<'a, T> {
    target: &'a mut T,
    k: usize,
    lanes: Range<usize>,
    nodes: &'a [u32],
    /// Nothing is put in the third direction.
    flat: bool,
    local: &'a [f64],
}

impl<T: Target> Kernel for Put<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let each = self.nodes.len() / WIDEST;
        for lane in (0..WIDEST).step_by(L::WIDTH) {
            let own = self.lanes.start.max(lane)..self.lanes.end.min(lane + L::WIDTH);
            if own.is_empty() {
                continue;
            }
            let (nodes, local) = (&self.nodes[lane * each..], &self.local[3 * lane * each..]);
            let (nodes, local) = (&nodes[..L::WIDTH * each], &local[..3 * L::WIDTH * each]);
            let own = own.start - lane..own.end - lane;
            // SAFETY: these are nodes of the elements that are swept, as `evaluate` requires.
            unsafe {
                if self.flat {
                    self.target.put::<L, true>(self.k + lane, own, nodes, local);
                } else {
                    self.target.put::<L, false>(self.k + lane, own, nodes, local);
                }
            }
        }
    }
}

/// Evaluates a range of elements. Stops before groups that contain an element without energy; returns the first element that was not
/// evaluated.
///
/// # Safety
/// The target has numbers for every node of the elements.
pub(super) unsafe fn evaluate<S: Shape, W: Law, T: Target>(
    of: Group<'_>,
    range: Range<usize>,
    room: &mut Room<S>,
    law: &mut W,
    target: &mut T,
) -> usize {
    let each = S::KIND.nodes();
    let dimension = S::KIND.dimension();
    let mut next = range.start;
    while next < range.end {
        let first = next - next % WIDEST;
        let count = (range.end - first).div_ceil(WIDEST).min(room.groups.len());
        let groups = &mut room.groups[..count];
        let nodes = |g: usize| &of.nodes[(first + g * WIDEST) * each..][..WIDEST * each];
        for (g, group) in groups.iter_mut().enumerate() {
            let (x, weights) = (&mut group.x.as_mut()[..each], &mut group.weights.as_mut()[..each]);
            let k = first + g * WIDEST;
            enter(of.isa, Fetch { target, k, nodes: nodes(g), dimension, x, weights });
        }
        law.begin(first, &mut room.committed);
        let kernel = Evaluate {
            averaging: of.averaging,
            stored: of.stored.groups(first, count),
            groups,
            points: &mut room.points[..count * S::POINTS],
            committed: &room.committed,
            law: &mut |points| law.evaluate(points),
            weighed: T::WEIGHED,
        };
        if !enter(of.isa, kernel) {
            break;
        }
        for (g, group) in room.groups[..count].iter().enumerate() {
            let k = first + g * WIDEST;
            let lanes = next - k..range.end.min(k + WIDEST) - k;
            law.commit(k, lanes.clone());
            for lane in lanes.clone() {
                let [stored, dissipated, committed] = [0, 1, 2].map(|i| group.energy[i][lane]);
                target.count(HistoryEnergy { stored, dissipated, committed });
            }
            next = k + lanes.end;
            let local = group.local.as_ref().as_flattened().as_flattened();
            enter(of.isa, Put { target, k, lanes, nodes: nodes(g), flat: dimension == 2, local });
        }
    }
    next
}
