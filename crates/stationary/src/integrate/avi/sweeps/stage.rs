//! What one thread does at one level: take nodes to a time, then kick them.

use super::super::bearers::Bearing;
use crate::model::{CALM, Compiled, Kicks, PotentialFault, Potentials};
use std::ops::Range;
use std::sync::Arc;

/// Elements that go one by one where a sweep stopped, before it goes on.
const DETOUR: usize = 64;

/// Elements of a piece of a stage: few enough for the nearer caches to hold their numbers and those of their nodes.
const PIECE: usize = 1024;

/// The part of a level that one thread has.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    /// The elements with a node that it owns.
    pub list: Arc<[u32]>,
    /// The nodes that it takes to the time, by the pieces of the list that need them first.
    nodes: Vec<Range<u32>>,
    /// Where the nodes of each piece end.
    ends: Vec<u32>,
    /// The list, piece after piece.
    runs: Vec<Compiled>,
    /// The nodes that it owns whose constant force acts with an element of the list.
    borne: Vec<u32>,
    /// The step of the level.
    weight: f64,
}

/// The numbers of a run that threads share.
///
/// # Safety
/// Whoever makes one answers for it: the pointers hold for as long as it is used, `x` and `v` to three numbers, `clock`
/// to one, `at` to four for each of `nodes` nodes. Between two barriers either threads drift, each the nodes it owns and
/// no one else touches, or they sweep: then none writes positions, and each touches the velocities of its own nodes only.
#[derive(Debug)]
pub(super) struct View<'a, P> {
    /// The time at the start, since which all others are counted.
    pub start: f64,
    pub potentials: *const P,
    pub x: *mut f64,
    pub v: *mut f64,
    pub clock: *mut f64,
    pub at: *mut [f64; 4],
    pub bearing: Bearing,
    pub nodes: usize,
    /// The thread that owns each node; all are one's own if it is empty.
    pub owner: &'a [u8],
}

impl<P> Clone for View<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for View<'_, P> {}

/// What stopped a sweep: the level, the element, and why.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    pub element: u32,
    pub fault: PotentialFault,
}

impl Stage {
    /// Of these elements, with the step of their level. `own` tells the nodes to kick, `bearer` with which element their constant
    /// force acts, `moves` those to take to the time.
    pub fn new<P: Potentials>(
        potentials: &P,
        list: Arc<[u32]>,
        weight: f64,
        own: &dyn Fn(u32) -> bool,
        bearer: &dyn Fn(u32) -> Option<u32>,
        mut moves: impl FnMut(u32) -> bool,
    ) -> Self {
        let (mut runs, mut at) = (Vec::new(), 0);
        while at < list.len() {
            let compiled = potentials.compile(&list[at..], own);
            let possible = 1..=list.len() - at;
            assert!(possible.contains(&compiled.count), "something is compiled, and no more than all");
            at += compiled.count;
            runs.push(compiled);
        }
        let (mut nodes, mut ends) = (Vec::new(), Vec::new());
        for piece in list.chunks(PIECE) {
            let all = piece.iter().flat_map(|k| potentials.nodes(*k as usize)).copied();
            let mut new: Vec<u32> = all.filter(|a| moves(*a)).collect();
            new.sort_unstable();
            join(&new, &mut nodes);
            ends.push(nodes.len() as u32);
        }
        nodes.shrink_to_fit();
        let each = list.iter().flat_map(|k| potentials.nodes(*k as usize).iter().map(move |a| (*k, *a)));
        let mut borne: Vec<u32> =
            each.filter(|(k, a)| bearer(*a) == Some(*k) && own(*a)).map(|(_, a)| a).collect();
        borne.sort_unstable();
        borne.shrink_to_fit();
        Stage { list, nodes, ends, runs, borne, weight }
    }

    /// Bytes it takes, the list aside.
    pub fn memory(&self) -> usize {
        let clusters = self.runs.iter().flat_map(|r| &r.cluster).map(|c| c.memory()).sum::<usize>();
        clusters
            + size_of::<Compiled>() * self.runs.capacity()
            + size_of::<Range<u32>>() * self.nodes.capacity()
            + size_of::<u32>() * (self.ends.capacity() + self.borne.capacity())
    }

    /// Takes all nodes to a time; false if one has come too far for sweeps.
    ///
    /// # Safety
    /// That of [`View`], drifting.
    pub unsafe fn drift<P>(&self, view: &View<'_, P>, t: f64) -> bool {
        // SAFETY: the caller's.
        unsafe { self.drift_some(0..self.nodes.len(), view, t) }
    }

    /// Takes nodes to a time on straight lines.
    ///
    /// # Safety
    /// As before.
    #[inline]
    unsafe fn drift_some<P>(&self, some: Range<usize>, view: &View<'_, P>, t: f64) -> bool {
        let mut calm = true;
        for range in &self.nodes[some] {
            let (first, count) = (range.start as usize, range.len());
            debug_assert!(first + count <= view.nodes);
            // SAFETY: the caller's: nobody else has these numbers now.
            let (x, v, clock, at) = unsafe {
                (
                    std::slice::from_raw_parts_mut(view.x.add(3 * first).cast::<[f64; 3]>(), count),
                    std::slice::from_raw_parts(view.v.add(3 * first).cast::<[f64; 3]>(), count),
                    std::slice::from_raw_parts_mut(view.clock.add(first), count),
                    std::slice::from_raw_parts_mut(view.at.add(first), count),
                )
            };
            for a in 0..count {
                let ahead = t - clock[a];
                for i in 0..3 {
                    let new = x[a][i] + ahead * v[a][i];
                    (x[a][i], at[a][i]) = (new, new);
                    calm &= new.abs() < CALM;
                }
                clock[a] = t;
            }
        }
        calm
    }

    /// Kicks of all elements in order. `room` has three numbers for each node of the largest element.
    ///
    /// # Safety
    /// That of [`View`], sweeping; `me` is the thread.
    pub unsafe fn sweep<P: Potentials>(
        &self,
        view: &View<'_, P>,
        (t, calm): (f64, bool),
        me: u8,
        room: &mut [f64],
    ) -> Result<(), Stop> {
        // SAFETY: the caller's.
        unsafe {
            self.sweep_some(0..self.list.len(), view, (t, calm), me, room)?;
            self.bear(view);
        }
        Ok(())
    }

    /// Kicks with the constant forces.
    ///
    /// # Safety
    /// As [`sweep`](Self::sweep).
    unsafe fn bear<P>(&self, view: &View<'_, P>) {
        for a in &self.borne {
            // SAFETY: nodes of ours.
            unsafe {
                let [x, y, z, inverse] = *view.at.add(*a as usize);
                let v = &mut *view.v.add(3 * *a as usize).cast::<[f64; 3]>();
                view.bearing.kick(*a, self.weight, [inverse; 3], [x, y, z], v);
            }
        }
    }

    /// Both, piece by piece, for one who owns all nodes: what a piece has moved is still at hand when it kicks. `calm` tells, and is
    /// told, whether no node has come too far.
    ///
    /// # Safety
    /// That of [`View`], with nobody else about.
    pub unsafe fn run<P: Potentials>(
        &self,
        view: &View<'_, P>,
        t: f64,
        calm: &mut bool,
        room: &mut [f64],
    ) -> Result<(), Stop> {
        let mut first = 0;
        for (piece, end) in self.ends.iter().enumerate() {
            let elements = piece * PIECE..self.list.len().min((piece + 1) * PIECE);
            // SAFETY: the caller's.
            unsafe {
                *calm &= self.drift_some(first..*end as usize, view, t);
                self.sweep_some(elements, view, (t, *calm), 0, room)?;
            }
            first = *end as usize;
        }
        // SAFETY: the caller's.
        unsafe { self.bear(view) };
        Ok(())
    }

    /// Kicks of some elements of the list in order.
    ///
    /// # Safety
    /// As [`sweep`](Self::sweep).
    unsafe fn sweep_some<P: Potentials>(
        &self,
        some: Range<usize>,
        view: &View<'_, P>,
        (t, calm): (f64, bool),
        me: u8,
        room: &mut [f64],
    ) -> Result<(), Stop> {
        let mut end = 0;
        for run in &self.runs {
            let start = end;
            end += run.count;
            let mut next = start.max(some.start);
            let last = end.min(some.end);
            let Some(cluster) = run.cluster.as_ref().filter(|_| calm && next < last) else {
                // SAFETY: the caller's.
                unsafe { self.one_by_one(view, next..last.max(next), t, me, room) }?;
                continue;
            };
            // SAFETY: the caller's: nobody writes positions now.
            let at = unsafe { std::slice::from_raw_parts(view.at, view.nodes) };
            // SAFETY: the caller's.
            let kicks = unsafe { Kicks::shared(at, self.weight, view.v) };
            while next < last {
                // SAFETY: the cluster was compiled for the nodes of `me`, whose velocities are ours.
                next = start + unsafe { cluster.kick(next - start..last - start, &kicks) };
                let detour = next..last.min(next + DETOUR);
                next = detour.end;
                // SAFETY: the caller's.
                unsafe { self.one_by_one(view, detour, t, me, room) }?;
            }
        }
        Ok(())
    }

    /// Kicks of some elements of the list, one by one.
    ///
    /// # Safety
    /// As [`sweep`](Self::sweep).
    unsafe fn one_by_one<P: Potentials>(
        &self,
        view: &View<'_, P>,
        range: Range<usize>,
        t: f64,
        me: u8,
        room: &mut [f64],
    ) -> Result<(), Stop> {
        // SAFETY: the caller's: nobody writes positions now.
        let (potentials, x, at) = unsafe {
            let at = std::slice::from_raw_parts(view.at, view.nodes);
            (&*view.potentials, std::slice::from_raw_parts(view.x, 3 * view.nodes), at)
        };
        for k in &self.list[range] {
            let nodes = potentials.nodes(*k as usize);
            let kick = &mut room[..3 * nodes.len()];
            let value = potentials.gradient(*k as usize, view.start + t, x, kick);
            value.map_err(|fault| Stop { element: *k, fault })?;
            for (&a, kick) in nodes.iter().zip(kick.chunks_exact(3)) {
                if view.owner.get(a as usize).is_some_and(|owner| *owner != me) {
                    continue;
                }
                let weight = self.weight * at[a as usize][3];
                for i in 0..3 {
                    // SAFETY: a velocity of ours.
                    unsafe { *view.v.add(3 * a as usize + i) -= weight * kick[i] };
                }
            }
        }
        Ok(())
    }
}

/// Adds numbers in ascending order as ranges.
fn join(nodes: &[u32], ranges: &mut Vec<Range<u32>>) {
    let first = ranges.len();
    for a in nodes {
        match ranges[first..].last_mut() {
            Some(last) if last.end == *a => last.end += 1,
            _ => ranges.push(*a..*a + 1),
        }
    }
}
