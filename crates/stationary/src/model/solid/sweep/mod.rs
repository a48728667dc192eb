//! Elements of any shape and material in vector lanes, by groups of [`WIDEST`].
//!
//! Elements and laws meet at a quadrature point of a group, not in a kernel for every pair of them: the kernel of the shape writes the
//! deformation gradients of all points to [`PointBatch`]es, one call for each point evaluates the law, and the kernel goes on from the
//! stresses to the nodal forces, which are put to the nodes element by element in order. Every sum has the order that a single element has,
//! so that its bits are the same.

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
use super::shape::{Local, Nodal, Points, Pointwise, Shape, Tensors, zero};
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

/// Room for one group of elements.
#[repr(C, align(64))]
pub(super) struct Room<S: Shape> {
    /// Positions of the nodes, and the numbers by which their gradients are multiplied.
    x: S::AtNodes<[Side; 3]>,
    weights: S::AtNodes<Side>,
    points: S::AtPoints<PointBatch>,
    /// What each point has dissipated at the last commit.
    committed: S::AtPoints<Side>,
    /// The gradients on the nodes, vector after vector as [`Lanes::spread`] writes them.
    local: S::AtNodes<[Side; 3]>,
    /// Stored and dissipated energy after the update, and dissipated before it; without memory only the first.
    energy: [Side; 3],
}

impl<S: Shape> Room<S> {
    pub fn new() -> Self {
        let side = [0.0; WIDEST];
        Room {
            x: Local::of([side; 3]),
            weights: Local::of(side),
            points: Local::each(&PointBatch::undeformed()),
            committed: Local::of(side),
            local: Local::of([side; 3]),
            energy: [side; 3],
        }
    }
}

/// The points of a group, from a lane on.
struct Batch<'a> {
    points: &'a mut [PointBatch],
    lane: usize,
}

impl<L: Lanes> Points<L> for Batch<'_> {
    #[inline(always)]
    fn put(&mut self, q: usize, f: Tensors<L>) {
        let to = &mut self.points[q].f;
        for i in 0..3 {
            for j in 0..3 {
                f[i][j].store(&mut to[3 * i + j][self.lane..]);
            }
        }
    }

    #[inline(always)]
    fn stress(&self, q: usize) -> Tensors<L> {
        load(&self.points[q].p, self.lane)
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
    x: &'a mut [[Side; 3]],
    weights: &'a mut [Side],
}

impl<T: Target> Kernel for Fetch<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let each = self.nodes.len() / WIDEST;
        for lane in (0..WIDEST).step_by(L::WIDTH) {
            let nodes = &self.nodes[lane * each..][..L::WIDTH * each];
            let put = |a: usize, x: [L; 3], weight: L| {
                (0..3).for_each(|i| x[i].store(&mut self.x[a][i][lane..]));
                if T::WEIGHED {
                    weight.store(&mut self.weights[a][lane..]);
                }
            };
            // SAFETY: these are nodes of the elements that are swept, as `evaluate` requires.
            unsafe { self.target.gather::<L>(self.k + lane, nodes, each, put) };
        }
    }
}

/// From the positions of the nodes of a group to their gradients; false if an element has no energy.
struct Evaluate<'a, S: Shape> {
    averaging: Averaging,
    stored: &'a [Sides],
    room: &'a mut Room<S>,
    law: &'a mut dyn FnMut(usize, &mut PointBatch) -> bool,
    weighed: bool,
    remembers: bool,
}

impl<S: Shape> Kernel for Evaluate<'_, S> {
    type Output = bool;

    // Loops, and no closures over vectors: those that are not inlined would be compiled without the instructions.
    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let Evaluate { averaging, stored, room, law, weighed, remembers } = self;
        let averages = S::AVERAGED && averaging != Averaging::Off;
        // Of each vector of the group; there are at most as many as lanes. To fill all of it took half of the instructions of a hexahedron.
        let mut averaged = [const { MaybeUninit::<Averaged<S, L>>::uninit() }; WIDEST];
        for lane in (0..WIDEST).step_by(L::WIDTH) {
            let stored = Stored::<L>::new(stored, lane);
            let mut x = Nodal::<S, L>::of([zero(); 3]);
            for a in 0..S::KIND.nodes() {
                for i in 0..3 {
                    x[a][i] = L::load(&room.x[a][i][lane..]);
                }
            }
            let mut points = Batch { points: room.points.as_mut(), lane };
            if !averages {
                S::deformation(stored, &x, &mut points);
                continue;
            }
            let mut f = Pointwise::<S, L>::of([[zero(); 3]; 3]);
            S::deformation(stored, &x, f.as_mut());
            let state = averaged[lane / L::WIDTH].write(Averaged::new(averaging));
            if state.average(stored, &mut f).is_err() {
                return false;
            }
            for q in 0..S::POINTS {
                points.put(q, f[q]);
            }
        }
        for q in 0..S::POINTS {
            if !law(q, &mut room.points[q]) {
                return false;
            }
        }
        for lane in (0..WIDEST).step_by(L::WIDTH) {
            let stored = Stored::<L>::new(stored, lane);
            let mut energy = [zero::<L>(); 3];
            for q in 0..S::POINTS {
                let weight = S::weight(stored, q);
                let of_point = &room.points[q];
                energy[0] = energy[0].add(weight.mul(L::load(&of_point.energy[lane..])));
                if remembers {
                    energy[1] = energy[1].add(weight.mul(L::load(&of_point.dissipated[lane..])));
                    energy[2] = energy[2].add(weight.mul(L::load(&room.committed[q][lane..])));
                }
            }
            let incremental = energy[0].add(energy[1].sub(energy[2]));
            if !incremental.within(f64::MIN, f64::MAX) {
                return false;
            }
            for i in 0..3 {
                energy[i].store(&mut room.energy[i][lane..]);
            }
            let points = Batch { points: room.points.as_mut(), lane };
            let mut out = Nodal::<S, L>::of([zero(); 3]);
            if averages {
                // SAFETY: written for every vector by the first loop, under the same condition.
                let averaged = unsafe { averaged[lane / L::WIDTH].assume_init_ref() };
                let mut p = Pointwise::<S, L>::of([[zero(); 3]; 3]);
                let mut bar = Pointwise::<S, L>::of([[zero(); 3]; 3]);
                for q in 0..S::POINTS {
                    (bar[q], p[q]) = (load(&points.points[q].f, lane), points.stress(q));
                }
                averaged.pull(stored, &bar, &mut p);
                S::force(stored, p.as_ref(), &mut out);
            } else {
                S::force(stored, &points, &mut out);
            }
            let local = room.local.as_mut().as_flattened_mut().as_flattened_mut();
            for a in 0..S::KIND.nodes() {
                let mut nodal = out[a];
                if weighed {
                    let weight = L::load(&room.weights[a][lane..]);
                    for i in 0..3 {
                        nodal[i] = nodal[i].mul(weight);
                    }
                }
                let at = 3 * (lane * S::KIND.nodes() + a * L::WIDTH);
                L::spread(&nodal, &mut local[at..at + 3 * L::WIDTH]);
            }
        }
        true
    }
}

/// A tensor of the lanes from one on.
#[inline(always)]
fn load<L: Lanes>(from: &[Side; 9], lane: usize) -> Tensors<L> {
    let mut tensor = [[zero(); 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            tensor[i][j] = L::load(&from[3 * i + j][lane..]);
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
            // SAFETY: these are nodes of the elements that are swept, as `evaluate` requires.
            unsafe { self.target.put::<L>(self.k + lane, own.start - lane..own.end - lane, nodes, local) };
        }
    }
}

/// Evaluates a range of elements. Stops before a group that contains an element without energy; returns the first element that was not
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
    let mut next = range.start;
    while next < range.end {
        let k = next - next % WIDEST;
        let nodes = &of.nodes[k * each..][..WIDEST * each];
        let (x, weights) = (&mut room.x.as_mut()[..each], &mut room.weights.as_mut()[..each]);
        enter(of.isa, Fetch { target, k, nodes, x, weights });
        law.begin(k, room.committed.as_mut());
        let kernel = Evaluate {
            averaging: of.averaging,
            stored: of.stored.group(k),
            room,
            law: &mut |q, at| law.evaluate(q, at),
            weighed: T::WEIGHED,
            remembers: W::REMEMBERS,
        };
        if !enter(of.isa, kernel) {
            break;
        }
        let lanes = next - k..range.end.min(k + WIDEST) - k;
        law.commit(k, lanes.clone());
        for lane in lanes.clone() {
            let [stored, dissipated, committed] = room.energy.map(|energy| energy[lane]);
            target.count(HistoryEnergy { stored, dissipated, committed });
        }
        next = k + lanes.end;
        let local = room.local.as_ref().as_flattened().as_flattened();
        enter(of.isa, Put { target, k, lanes, nodes, local });
    }
    next
}
