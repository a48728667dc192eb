//! The schedule of harmonic time steps (a base step times powers of two). It needs no queue: at every tick of the base step (of half
//! the base step for midpoint events) whole levels of elements fire, each evaluated in the form that the potentials compiled for it.
//!
//! Positions are fixed within a tick: first all nodes of its levels drift to the time of the tick, then the levels kick in turn. Loads and
//! supports act after the kicks of each level ([`Externals`]). The order of events is that of the priority queue, so that the results are
//! bit-identical.

mod barrier;
pub(super) mod level_part;
mod partition;
mod workers;

use super::envelope::{Envelope, EnvelopeArrays, EnvelopePart};
use super::external::Externals;
use super::harmonic_clock::HarmonicClock;
use super::history::Slot;
use super::{Avi, AviError, Event, FiredEvent};
use crate::model::Potentials;
use level_part::{LevelPart, Nodes, SharedArrays};
use std::sync::Arc;
use workers::HarmonicWorkers;

/// Least work of a call for which threads are started, in element nodes.
const LEAST_THREADED_WORK: f64 = 400_000.0;

/// Most calls on one thread before several threads are tried again on a machine whose processors were busy.
const MOST_CALLS_ALONE: u32 = 256;

/// The elements that fire at each tick, divided among threads.
#[derive(Debug, Clone)]
pub(super) struct HarmonicSchedule {
    /// Elements of each level, in order.
    levels: Vec<Arc<[u32]>>,
    /// Work of each level, in element nodes.
    work: Vec<f64>,
    /// For each thread its part of each level; empty before the first call.
    parts: Vec<Vec<LevelPart>>,
    /// For each thread its part of the boundary of each level with the next faster one.
    boundaries: Vec<Vec<Option<EnvelopePart>>>,
    /// The thread that owns each node; empty for one thread.
    owner: Vec<u8>,
    /// Three coordinates of each node at the last tick that moved it, and one over its mass.
    at: Vec<[f64; 4]>,
    /// Number of calls to come that use one thread, since the processors were busy.
    calls_alone: u32,
    /// Number of such calls after the next call that finds the processors busy.
    next_calls_alone: u32,
}

impl HarmonicSchedule {
    /// From the order of the elements among those that fire at the same time.
    pub fn new<P: Potentials>(potentials: &P, clock: &HarmonicClock, ranked: &[u32]) -> Self {
        let mut levels = vec![Vec::new(); clock.levels()];
        let mut work = vec![0.0; clock.levels()];
        for k in ranked {
            let level = clock.level(*k as usize);
            levels[level].push(*k);
            work[level] += potentials.nodes(*k as usize).len() as f64;
        }
        HarmonicSchedule {
            levels: levels.into_iter().map(Arc::from).collect(),
            work,
            parts: Vec::new(),
            boundaries: Vec::new(),
            owner: Vec::new(),
            at: Vec::new(),
            calls_alone: 0,
            next_calls_alone: 1,
        }
    }

    /// Discards the division among threads: the next call makes it again.
    pub fn reset(&mut self) {
        self.parts = Vec::new();
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        let lists = self.levels.iter().map(|l| size_of_val(&**l)).sum::<usize>();
        let own = |p: &LevelPart| p.memory() + if self.parts.len() > 1 { size_of_val(&*p.list) } else { 0 };
        let boundaries = self.boundaries.iter().flatten().flatten();
        let parts = self.parts.iter().flatten().map(own).sum::<usize>()
            + if self.parts.len() > 1 { boundaries.map(EnvelopePart::memory).sum() } else { 0 };
        lists + parts + self.owner.capacity() + size_of::<[f64; 4]>() * self.at.capacity()
    }

    /// Divides the nodes among threads and compiles the elements of each, if that has not been done.
    fn prepare<P: Potentials>(&mut self, avi: &Avi<P>, midpoint: bool) {
        if !self.parts.is_empty() {
            return;
        }
        let potentials = &avi.potentials;
        let class = partition::classes(potentials, &self.levels, avi.mass.len());
        self.owner = match avi.threads {
            1 => Vec::new(),
            threads => partition::owners(potentials, &self.levels, &class, &avi.x, threads),
        };
        self.at = avi.mass.iter().map(|m| [0.0, 0.0, 0.0, 1.0 / m]).collect();
        // With midpoint events levels fire alone, and each moves all of its nodes: which part was the last to move a node.
        let mut moved = vec![(u8::MAX, u8::MAX); if midpoint { class.len() } else { 0 }];
        let mut taken = vec![false; if midpoint { 0 } else { class.len() }];
        let mut part = |level: usize, thread: usize| {
            let own = |a: u32| self.owner.get(a as usize).is_none_or(|owner| usize::from(*owner) == thread);
            let list: Arc<[u32]> = if self.owner.is_empty() {
                self.levels[level].clone()
            } else {
                let has_own = |k: &&u32| potentials.nodes(**k as usize).iter().any(|a| own(*a));
                self.levels[level].iter().filter(has_own).copied().collect()
            };
            let this = (level as u8, thread as u8);
            let moves = |a: u32| {
                let a = a as usize;
                if !own(a as u32) {
                    false
                } else if midpoint {
                    std::mem::replace(&mut moved[a], this) != this
                } else {
                    class[a] == this.0 && !std::mem::replace(&mut taken[a], true)
                }
            };
            let weight = list.first().map_or(0.0, |k| avi.clocks.step[*k as usize]);
            let element_of_load = |a: u32| avi.work_balance.nodal_loads.element_of(a);
            let nodes = Nodes { own: &own, element_of_load: &element_of_load, moves };
            let externals = Externals::new(potentials, &list, &own);
            LevelPart::new(potentials, list, weight, nodes).with_externals(externals)
        };
        let count = self.levels.len();
        self.parts = (0..avi.threads).map(|j| (0..count).map(|l| part(l, j)).collect()).collect();
        self.boundaries = (0..avi.threads).map(|j| self.boundaries_of(avi, j)).collect();
    }

    /// A thread's part of the boundary of each level.
    fn boundaries_of<P: Potentials>(&self, avi: &Avi<P>, thread: usize) -> Vec<Option<EnvelopePart>> {
        let Some(envelope) = &avi.envelope else { return Vec::new() };
        let own = |a: u32| self.owner.get(a as usize).is_none_or(|owner| usize::from(*owner) == thread);
        let part = |l: usize| {
            let boundary = envelope.level(l)?;
            Some(match self.owner.is_empty() {
                true => boundary.whole.clone(),
                false => boundary.part(&avi.potentials, boundary.step(&avi.clocks), &own),
            })
        };
        (0..self.levels.len()).map(part).collect()
    }

    /// Decides whether the next calls use one thread, after a call on several.
    fn note_processors(&mut self, busy: bool) {
        self.calls_alone = if busy { self.next_calls_alone } else { 0 };
        self.next_calls_alone = if busy { MOST_CALLS_ALONE.min(2 * self.next_calls_alone) } else { 1 };
    }
}

impl<P: Potentials> Avi<P> {
    /// Executes the ticks up to a time since the start.
    pub(super) fn run_harmonic(
        &mut self,
        schedule: &mut HarmonicSchedule,
        until: f64,
    ) -> Result<(), AviError> {
        let Some(clock) = self.clocks.harmonic.clone() else { return Ok(()) };
        schedule.prepare(self, clock.midpoint);
        let ticks = clock.ticks_to(self.clocks.ticks_done, until);
        let events = clock.events_in(&ticks);
        let work: f64 = events.zip(&schedule.work).map(|(n, work)| n as f64 * work).sum();
        let at = schedule.at.as_mut_ptr();
        let arrays = self.shared_arrays(at, &schedule.owner);
        let boundaries = self.envelope.as_ref().map(Envelope::levels).unwrap_or_default();
        let mut workers = HarmonicWorkers::new(&schedule.parts, &schedule.work, &clock, arrays);
        workers.set_boundaries(&schedule.boundaries, &boundaries);
        workers.scratch = self.scratch.len();
        let alone = schedule.parts.len() == 1 || work < LEAST_THREADED_WORK || schedule.calls_alone > 0;
        // SAFETY: the arrays are those of this integrator and its schedule, both borrowed here; only the workers use them.
        let ended = unsafe { workers.run(alone, ticks.clone()) };
        let (ticks_done, result) = match ended {
            Ok(()) => (ticks.end - 1, Ok(())),
            Err((tick, fault)) => {
                (tick.number - 1, Err(AviError { time: self.clocks.start + tick.time, fault }))
            }
        };
        let busy = workers.processors_busy();
        self.clocks.ticks_done = ticks_done;
        schedule.calls_alone = schedule.calls_alone.saturating_sub(1);
        if !alone {
            schedule.note_processors(busy);
        }
        result
    }

    /// The arrays that threads share.
    pub(super) fn shared_arrays<'a>(&mut self, at: *mut [f64; 4], owner: &'a [u8]) -> SharedArrays<'a, P> {
        SharedArrays {
            start: self.clocks.start,
            potentials: &raw const self.potentials,
            x: self.x.as_mut_ptr(),
            v: self.v.as_mut_ptr(),
            node_time: self.node_time.as_mut_ptr(),
            at,
            mass: self.mass.as_ptr(),
            inverse_mass: self.inverse_mass.as_ptr(),
            envelope: self.envelope.as_mut().map_or(EnvelopeArrays::NONE, Envelope::arrays),
            history: self.history.share(),
            balance: self.work_balance.share(),
            nodes: self.mass.len(),
            owner,
        }
    }

    /// Executes the ticks event by event, and calls `watch` after each event.
    pub(super) fn run_harmonic_events<const LOCAL: bool>(
        &mut self,
        schedule: &HarmonicSchedule,
        until: f64,
        watch: &mut impl FnMut(FiredEvent<'_>),
    ) -> Result<(), AviError> {
        let Some(clock) = self.clocks.harmonic.clone() else { return Ok(()) };
        for tick in clock.ticks_to(self.clocks.ticks_done, until) {
            let levels = clock.fired(tick);
            let time = clock.time(tick);
            self.clocks.ticks_done = tick;
            let level = levels.start;
            let list = schedule.levels[levels].iter().flat_map(|list| &**list);
            // Only one level fires at a tick where there is an envelope.
            let slot = Slot::of_event(clock.events_by(tick, level));
            let opened = self.open_boundary(level, time, slot);
            let fired = opened.and_then(|()| {
                let fired = self.fire_all::<LOCAL>(list, time, watch);
                self.close_boundary(level, fired.is_ok());
                fired
            });
            if let Err(error) = fired {
                self.clocks.ticks_done = tick - 1;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Executes events of one time.
    fn fire_all<'a, const LOCAL: bool>(
        &mut self,
        list: impl Iterator<Item = &'a u32>,
        time: f64,
        watch: &mut impl FnMut(FiredEvent<'_>),
    ) -> Result<(), AviError> {
        for element in list {
            let rank = self.clocks.rank[*element as usize];
            self.fire::<LOCAL>(Event { time, rank, element: *element }, watch)?;
        }
        Ok(())
    }
}
