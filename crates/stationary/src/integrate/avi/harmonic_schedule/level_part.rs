//! The part of one level that one thread executes: drift of its nodes to the time of the tick, then the kicks of its elements.

use super::super::envelope::EnvelopeArrays;
use super::super::external::{Externals, LoadTime};
use super::super::history::{SharedHistory, Slot};
use super::super::work_balance::SharedWorkBalance;
use crate::model::{CompiledPrefix, NodalKicks, OVERFLOW_SAFE, PotentialFault, Potentials};
use std::ops::Range;
use std::sync::Arc;

/// Number of elements evaluated one by one where the compiled form stopped, before it continues.
const ONE_BY_ONE: usize = 64;

/// Number of elements of a piece of a level: few enough for the first cache levels to hold them and their nodes.
const PIECE: usize = 1024;

/// The part of a level that one thread executes.
#[derive(Debug, Clone)]
pub(in super::super) struct LevelPart {
    /// The elements with a node that the thread owns.
    pub list: Arc<[u32]>,
    /// The nodes that the thread moves, by the pieces of the list that need them first.
    nodes: Vec<Range<u32>>,
    /// Where the nodes of each piece end.
    ends: Vec<u32>,
    /// The list in compiled form, piece after piece.
    compiled: Vec<CompiledPrefix>,
    /// The nodes that the thread owns whose constant force acts with an element of the list.
    loaded_nodes: Vec<u32>,
    /// What acts on the elements from outside, at the nodes that the thread owns.
    externals: Externals,
    /// The time step of the level.
    weight: f64,
}

/// Which nodes a part uses, and how.
pub(in super::super) struct Nodes<'a, M> {
    /// Whether the thread owns a node: it then kicks it.
    pub own: &'a dyn Fn(u32) -> bool,
    /// The element with which the constant force on a node acts.
    pub element_of_load: &'a dyn Fn(u32) -> Option<u32>,
    /// Whether the part moves a node; asked in the order of the elements.
    pub moves: M,
}

/// The arrays of a run that threads share.
///
/// # Safety
/// The creator guarantees that the pointers are valid as long as it is used: `x` and `v` to three numbers, `node_time` and
/// `mass` to one, `at` to four for each of `nodes` nodes, `inverse_mass` and, if there is an envelope, its arrays to three. Between two barriers threads either drift, each the nodes it owns and that no other thread
/// touches, or kick: then no thread writes positions, and each touches only the velocities of its own nodes.
#[derive(Debug)]
pub(in super::super) struct SharedArrays<'a, P> {
    /// The initial time, from which all other times are counted.
    pub start: f64,
    pub potentials: *const P,
    pub x: *mut f64,
    pub v: *mut f64,
    pub node_time: *mut f64,
    pub at: *mut [f64; 4],
    pub mass: *const f64,
    /// One over the mass of each component; zero where it is prescribed.
    pub inverse_mass: *const f64,
    pub envelope: EnvelopeArrays,
    pub history: SharedHistory,
    pub balance: SharedWorkBalance,
    pub nodes: usize,
    /// The thread that owns each node; with one thread empty.
    pub owner: &'a [u8],
}

impl<P> Clone for SharedArrays<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for SharedArrays<'_, P> {}

/// An element that could not be evaluated.
#[derive(Debug, Clone)]
pub(in super::super) struct ElementFailure {
    pub element: u32,
    /// Whether its load has no value; loads follow after all kicks.
    pub is_load: bool,
    pub fault: PotentialFault,
}

/// The time of a tick, whether all positions are small enough that no energy can overflow, and the history from which the elements of the
/// level are updated.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct KickTime {
    pub t: f64,
    pub overflow_safe: bool,
    pub slot: Slot,
}

/// A thread's number and its scratch space: nine numbers for each node of the largest element, since a gradient, dead loads and follower loads
/// may be needed at once.
pub(in super::super) struct Thread<'a> {
    pub number: u8,
    pub scratch: &'a mut [f64],
}

impl LevelPart {
    /// The part of these elements, with the time step of their level.
    pub fn new<P: Potentials>(
        potentials: &P,
        list: Arc<[u32]>,
        weight: f64,
        mut of: Nodes<'_, impl FnMut(u32) -> bool>,
    ) -> Self {
        let mut compiled = Vec::new();
        let mut at = 0;
        while at < list.len() {
            let prefix = potentials.compile(&list[at..], of.own);
            let possible = 1..=list.len() - at;
            assert!(possible.contains(&prefix.count), "at least one potential is compiled, and at most all");
            at += prefix.count;
            compiled.push(prefix);
        }
        let mut nodes = Vec::new();
        let mut ends = Vec::new();
        for piece in list.chunks(PIECE) {
            let all = piece.iter().flat_map(|k| potentials.nodes(*k as usize)).copied();
            let mut new: Vec<u32> = all.filter(|a| (of.moves)(*a)).collect();
            new.sort_unstable();
            append_ranges(&new, &mut nodes);
            ends.push(nodes.len() as u32);
        }
        nodes.shrink_to_fit();
        let each = list.iter().flat_map(|k| potentials.nodes(*k as usize).iter().map(move |a| (*k, *a)));
        let mut loaded_nodes: Vec<u32> = each
            .filter(|(k, a)| (of.element_of_load)(*a) == Some(*k) && (of.own)(*a))
            .map(|(_, a)| a)
            .collect();
        loaded_nodes.sort_unstable();
        loaded_nodes.shrink_to_fit();
        LevelPart { list, nodes, ends, compiled, loaded_nodes, externals: Externals::default(), weight }
    }

    /// With what acts on the elements from outside.
    pub fn with_externals(mut self, externals: Externals) -> Self {
        self.externals = externals;
        self
    }

    /// Kicks with another weight.
    pub fn set_weight(&mut self, weight: f64) {
        self.weight = weight;
    }

    /// Memory in bytes, without the list.
    pub fn memory(&self) -> usize {
        let potentials = self.compiled.iter().flat_map(|c| &c.potentials).map(|p| p.memory()).sum::<usize>();
        potentials
            + self.externals.memory()
            + size_of::<CompiledPrefix>() * self.compiled.capacity()
            + size_of::<Range<u32>>() * self.nodes.capacity()
            + size_of::<u32>() * (self.ends.capacity() + self.loaded_nodes.capacity())
    }

    /// Moves all nodes of the part to a time; false if a position is not below [`OVERFLOW_SAFE`].
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], in a drift.
    pub unsafe fn drift<P: Potentials>(&self, arrays: &SharedArrays<'_, P>, t: f64) -> bool {
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            self.externals.drift(arrays, t);
            self.drift_some(0..self.nodes.len(), arrays, t)
        }
    }

    /// Moves some nodes to a time on straight lines.
    ///
    /// # Safety
    /// As for [`drift`](Self::drift).
    #[inline]
    unsafe fn drift_some<P>(&self, some: Range<usize>, arrays: &SharedArrays<'_, P>, t: f64) -> bool {
        let mut overflow_safe = true;
        for range in &self.nodes[some] {
            let first = range.start as usize;
            let count = range.len();
            debug_assert!(first + count <= arrays.nodes);
            // SAFETY: guaranteed by this function's contract: no other thread uses these numbers now.
            let (x, v, node_time, at) = unsafe {
                (
                    std::slice::from_raw_parts_mut(arrays.x.add(3 * first).cast::<[f64; 3]>(), count),
                    std::slice::from_raw_parts(arrays.v.add(3 * first).cast::<[f64; 3]>(), count),
                    std::slice::from_raw_parts_mut(arrays.node_time.add(first), count),
                    std::slice::from_raw_parts_mut(arrays.at.add(first), count),
                )
            };
            for a in 0..count {
                let ahead = t - node_time[a];
                for i in 0..3 {
                    let new = x[a][i] + ahead * v[a][i];
                    x[a][i] = new;
                    at[a][i] = new;
                    overflow_safe &= new.abs() < OVERFLOW_SAFE;
                }
                node_time[a] = t;
            }
        }
        overflow_safe
    }

    /// Applies the kicks of all elements in order.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], in a kick by this thread.
    pub unsafe fn kick<P: Potentials>(
        &self,
        arrays: &SharedArrays<'_, P>,
        time: KickTime,
        thread: &mut Thread<'_>,
    ) -> Result<(), ElementFailure> {
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            self.externals.open(arrays);
            let kicked = self.kick_some(0..self.list.len(), arrays, time, thread);
            self.close(kicked, arrays, time.t, thread)
        }
    }

    /// After the kicks of all elements: constant nodal forces, then all else that acts from outside.
    ///
    /// # Safety
    /// As for [`kick`](Self::kick).
    unsafe fn close<P: Potentials>(
        &self,
        kicked: Result<(), ElementFailure>,
        arrays: &SharedArrays<'_, P>,
        t: f64,
        thread: &mut Thread<'_>,
    ) -> Result<(), ElementFailure> {
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            let closed = kicked.and_then(|()| {
                self.apply_nodal_loads(arrays);
                self.externals.close(arrays, LoadTime { t, weight: self.weight, first: false }, thread)
            });
            if closed.is_err() {
                self.externals.abandon(arrays);
            }
            closed
        }
    }

    /// Applies the impulses of the constant nodal forces.
    ///
    /// # Safety
    /// As for [`kick`](Self::kick).
    unsafe fn apply_nodal_loads<P>(&self, arrays: &SharedArrays<'_, P>) {
        for a in &self.loaded_nodes {
            // SAFETY: guaranteed by this function's contract: the thread owns these nodes.
            unsafe {
                let [x, y, z, inverse_mass] = *arrays.at.add(*a as usize);
                let v = &mut *arrays.v.add(3 * *a as usize).cast::<[f64; 3]>();
                arrays.balance.nodal_loads.apply(*a, self.weight, inverse_mass, [x, y, z], v);
            }
        }
    }

    /// Drift and kick piece by piece, for a single thread: the nodes that a piece has moved are still in the cache when it kicks.
    /// `overflow_safe` is cleared if a position is not below [`OVERFLOW_SAFE`].
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], with no other thread at work.
    pub unsafe fn drift_and_kick<P: Potentials>(
        &self,
        arrays: &SharedArrays<'_, P>,
        (t, slot): (f64, Slot),
        overflow_safe: &mut bool,
        scratch: &mut [f64],
    ) -> Result<(), ElementFailure> {
        let mut thread = Thread { number: 0, scratch };
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            self.externals.drift(arrays, t);
            self.externals.open(arrays);
        }
        let mut first = 0;
        let mut pieces = self.ends.iter().enumerate();
        let kicked = pieces.try_for_each(|(piece, end)| {
            let elements = piece * PIECE..self.list.len().min((piece + 1) * PIECE);
            let nodes = std::mem::replace(&mut first, *end as usize)..*end as usize;
            // SAFETY: guaranteed by this function's contract.
            unsafe {
                *overflow_safe &= self.drift_some(nodes, arrays, t);
                let time = KickTime { t, overflow_safe: *overflow_safe, slot };
                self.kick_some(elements, arrays, time, &mut thread)
            }
        });
        // SAFETY: guaranteed by this function's contract.
        unsafe { self.close(kicked, arrays, t, &mut thread) }
    }

    /// Applies the kicks of some elements of the list in order.
    ///
    /// # Safety
    /// As for [`kick`](Self::kick).
    unsafe fn kick_some<P: Potentials>(
        &self,
        some: Range<usize>,
        arrays: &SharedArrays<'_, P>,
        time: KickTime,
        thread: &mut Thread<'_>,
    ) -> Result<(), ElementFailure> {
        let mut end = 0;
        for prefix in &self.compiled {
            let start = end;
            end += prefix.count;
            let mut next = start.max(some.start);
            let last = end.min(some.end);
            let Some(compiled) = prefix.potentials.as_ref().filter(|_| time.overflow_safe && next < last)
            else {
                // SAFETY: guaranteed by this function's contract.
                unsafe { self.kick_one_by_one(arrays, next..last.max(next), time, thread) }?;
                continue;
            };
            // SAFETY: guaranteed by this function's contract: no thread writes positions now.
            let at = unsafe { std::slice::from_raw_parts(arrays.at, arrays.nodes) };
            // SAFETY: guaranteed by this function's contract.
            let mut kicks = unsafe { NodalKicks::shared(at, self.weight, arrays.v) };
            kicks.history = arrays.history.at_event(&self.list[start..end], time.t, time.slot);
            while next < last {
                // SAFETY: the potentials were compiled for the nodes that this thread owns.
                next = start + unsafe { compiled.kick(next - start..last - start, &kicks) };
                let stopped = next..last.min(next + ONE_BY_ONE);
                next = stopped.end;
                // SAFETY: guaranteed by this function's contract.
                unsafe { self.kick_one_by_one(arrays, stopped, time, thread) }?;
            }
        }
        Ok(())
    }

    /// Applies the kicks of some elements of the list, one by one.
    ///
    /// # Safety
    /// As for [`kick`](Self::kick).
    unsafe fn kick_one_by_one<P: Potentials>(
        &self,
        arrays: &SharedArrays<'_, P>,
        range: Range<usize>,
        time: KickTime,
        thread: &mut Thread<'_>,
    ) -> Result<(), ElementFailure> {
        // SAFETY: guaranteed by this function's contract: no thread writes positions now.
        let (potentials, x, at) = unsafe {
            let at = std::slice::from_raw_parts(arrays.at, arrays.nodes);
            (&*arrays.potentials, std::slice::from_raw_parts(arrays.x, 3 * arrays.nodes), at)
        };
        for k in &self.list[range] {
            let nodes = potentials.nodes(*k as usize);
            let gradient = &mut thread.scratch[..3 * nodes.len()];
            let owned = |a: u32| arrays.is_owned(a, thread.number);
            let value = if arrays.history.has(*k as usize) {
                // The owner of its first node commits an element.
                let slot = if owned(nodes[0]) { time.slot } else { time.slot.uncommitted() };
                // SAFETY: guaranteed by this function's contract: one thread commits, and no other one reads what it writes.
                let updated =
                    unsafe { arrays.history.update_in(potentials, *k as usize, (time.t, slot), x, gradient) };
                updated.map(|energy| energy.stored)
            } else {
                potentials.gradient(*k as usize, arrays.start + time.t, x, gradient)
            };
            value.map_err(|fault| ElementFailure { element: *k, is_load: false, fault })?;
            for (&a, gradient) in nodes.iter().zip(gradient.chunks_exact(3)) {
                if !owned(a) {
                    continue;
                }
                let weight = self.weight * at[a as usize][3];
                for i in 0..3 {
                    // SAFETY: guaranteed by this function's contract: this thread owns the node.
                    unsafe { *arrays.v.add(3 * a as usize + i) -= weight * gradient[i] };
                }
            }
        }
        Ok(())
    }
}

/// Appends numbers in ascending order as ranges.
fn append_ranges(nodes: &[u32], ranges: &mut Vec<Range<u32>>) {
    let first = ranges.len();
    for a in nodes {
        match ranges[first..].last_mut() {
            Some(last) if last.end == *a => last.end += 1,
            _ => ranges.push(*a..*a + 1),
        }
    }
}
