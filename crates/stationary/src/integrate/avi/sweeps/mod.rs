//! Harmonic steps: a base times powers of two. No queue: at every tick of the base (of half the base where events lie in the
//! middle of steps) whole levels fire, each swept in the form that the potentials compiled for it.
//!
//! At one time positions stand still, so a tick is: take all nodes of its levels to the time, then kick level after level. Elements
//! with a load or a held node follow one by one. What comes first is as in the queue, and so are the bits.

mod crew;
mod divide;
mod stage;

use super::ticked::Ticked;
use super::{Avi, AviError, Event, Fired};
use crate::model::Potentials;
use crew::{Crew, Ended, Tick};
use stage::{Stage, View};
use std::sync::Arc;

/// Work of a call below which threads are not worth their start, in nodes of elements.
const WORTH_THREADS: f64 = 400_000.0;

/// Most runs alone before threads are tried again on a machine whose processors were busy.
const MOST_PAUSES: u32 = 256;

/// Which elements fire at each tick, in what form.
#[derive(Debug, Clone)]
pub(super) struct Sweeps {
    /// Of each level in order, those without load or held node, and the others.
    free: Vec<Arc<[u32]>>,
    guarded: Vec<Vec<u32>>,
    /// Updates of a level, counted in nodes.
    work: Vec<f64>,
    /// For each thread its part of each level; none before the first run.
    parts: Vec<Vec<Stage>>,
    /// The thread that owns each node, if there are several.
    owner: Vec<u8>,
    /// Three coordinates of each node at the last tick that moved it, and one over its mass.
    at: Vec<[f64; 4]>,
    /// Runs to come that do not try threads, since processors were busy; and how many after the next such run.
    alone: u32,
    pause: u32,
}

impl Sweeps {
    /// From the place of each element among those that fire at one time.
    pub fn new<P: Potentials>(potentials: &P, ticked: &Ticked, rank: &[u32], guarded: &[bool]) -> Self {
        let mut ranked = vec![0; rank.len()];
        rank.iter().zip(0..).for_each(|(place, k)| ranked[*place as usize] = k);
        let (mut free, mut late) = (vec![Vec::new(); ticked.levels()], vec![Vec::new(); ticked.levels()]);
        let mut work = vec![0.0; ticked.levels()];
        for k in ranked {
            let level = ticked.level(k as usize);
            if guarded[k as usize] {
                late[level].push(k);
            } else {
                free[level].push(k);
                work[level] += potentials.nodes(k as usize).len() as f64;
            }
        }
        let free = free.into_iter().map(Arc::from).collect();
        let (parts, owner, at) = (Vec::new(), Vec::new(), Vec::new());
        Sweeps { free, guarded: late, work, parts, owner, at, alone: 0, pause: 1 }
    }

    /// Forgets the division among threads: the next run makes it anew.
    pub fn forget(&mut self) {
        self.parts = Vec::new();
    }

    /// Bytes it takes.
    pub fn memory(&self) -> usize {
        let lists = self.free.iter().map(|l| size_of_val(&**l)).sum::<usize>()
            + self.guarded.iter().map(|l| size_of::<u32>() * l.capacity()).sum::<usize>();
        let own = |s: &Stage| s.memory() + if self.parts.len() > 1 { size_of_val(&*s.list) } else { 0 };
        let parts = self.parts.iter().flatten().map(own).sum::<usize>();
        lists + parts + self.owner.capacity() + size_of::<[f64; 4]>() * self.at.capacity()
    }

    /// Divides nodes and compiles what each thread sweeps, if that has not been done.
    fn prepare<P: Potentials>(&mut self, avi: &Avi<P>, middle: bool) {
        if !self.parts.is_empty() {
            return;
        }
        let potentials = &avi.potentials;
        let class = divide::classes(potentials, &self.free, avi.mass.len());
        self.owner = match avi.threads {
            1 => Vec::new(),
            threads => divide::owners(potentials, &self.free, &class, &avi.x, threads),
        };
        self.at = avi.inverse.chunks_exact(3).map(|i| [0.0, 0.0, 0.0, i[0]]).collect();
        // In the middle of steps levels fire alone, and each moves all of its nodes itself: which of them was the last to do so.
        let mut moved = vec![(u8::MAX, u8::MAX); if middle { class.len() } else { 0 }];
        let mut taken = vec![false; if middle { 0 } else { class.len() }];
        let mut stage = |level: usize, thread: usize| {
            let own = |a: u32| self.owner.get(a as usize).is_none_or(|owner| usize::from(*owner) == thread);
            let list: Arc<[u32]> = match self.owner.is_empty() {
                true => self.free[level].clone(),
                false => {
                    let some = |k: &&u32| potentials.nodes(**k as usize).iter().any(|a| own(*a));
                    self.free[level].iter().filter(some).copied().collect()
                }
            };
            let this = (level as u8, thread as u8);
            let moves = |a: u32| {
                let a = a as usize;
                if !own(a as u32) {
                    return false;
                }
                match middle {
                    true => std::mem::replace(&mut moved[a], this) != this,
                    false => class[a] == this.0 && !std::mem::replace(&mut taken[a], true),
                }
            };
            let weight = list.first().map_or(0.0, |k| avi.clocks.step[*k as usize]);
            let bearer = |a: u32| avi.accounts.bearers.of(a);
            Stage::new(potentials, list, weight, &own, &bearer, moves)
        };
        let count = self.free.len();
        self.parts = (0..avi.threads).map(|j| (0..count).map(|l| stage(l, j)).collect()).collect();
    }
}

impl<P: Potentials> Avi<P> {
    /// Makes the ticks up to a time since the start.
    pub(super) fn run_sweeps(&mut self, sweeps: &mut Sweeps, until: f64) -> Result<(), AviError> {
        let Some(ticked) = self.clocks.ticked.clone() else { return Ok(()) };
        sweeps.prepare(self, ticked.middle);
        let ticks = ticked.ticks_to(self.clocks.done, until);
        let events = ticked.events_in(&ticks);
        let work: f64 = events.zip(&sweeps.work).map(|(n, work)| n as f64 * work).sum();
        let late: Vec<bool> = sweeps.guarded.iter().map(|list| !list.is_empty()).collect();
        let (at, guarded) = (sweeps.at.as_mut_ptr(), &sweeps.guarded);
        let view = self.view(at, &sweeps.owner);
        let mut crew = Crew::new(&sweeps.parts, (&sweeps.work, &late), &ticked, view);
        crew.room = self.kick.len();
        let late = |tick: &Tick| {
            self.clocks.done = tick.number;
            self.fire_all::<false>(guarded[tick.levels.clone()].iter().flatten(), tick.time, &mut |_| {})?;
            Ok(self.view(at, &sweeps.owner))
        };
        let alone = sweeps.parts.len() == 1 || work < WORTH_THREADS || sweeps.alone > 0;
        // SAFETY: the numbers are those of this integrator and its sweeps, both lent to us; they are used by the crew alone,
        // except in `late`, which then gives their addresses anew.
        let ended = unsafe { crew.run(alone, ticks.clone(), late) };
        let (done, result) = match ended {
            Ok(()) => (ticks.end - 1, Ok(())),
            Err((tick, Ended::Late(error))) => (tick.number - 1, Err(error)),
            Err((tick, Ended::Stopped(fault))) => {
                (tick.number - 1, Err(AviError { time: self.clocks.start + tick.time, fault }))
            }
        };
        let crowded = crew.crowded();
        self.clocks.done = done;
        sweeps.alone = sweeps.alone.saturating_sub(1);
        if !alone {
            sweeps.alone = if crowded { sweeps.pause } else { 0 };
            sweeps.pause = if crowded { MOST_PAUSES.min(2 * sweeps.pause) } else { 1 };
        }
        result
    }

    /// The numbers that threads share.
    fn view<'a>(&mut self, at: *mut [f64; 4], owner: &'a [u8]) -> View<'a, P> {
        View {
            start: self.clocks.start,
            potentials: &raw const self.potentials,
            x: self.x.as_mut_ptr(),
            v: self.v.as_mut_ptr(),
            clock: self.clock.as_mut_ptr(),
            at,
            bearing: self.accounts.bearers.share(),
            nodes: self.mass.len(),
            owner,
        }
    }

    /// Event by event, for those who watch.
    pub(super) fn run_events<const LOCAL: bool>(
        &mut self,
        sweeps: &Sweeps,
        until: f64,
        watch: &mut impl FnMut(Fired<'_>),
    ) -> Result<(), AviError> {
        let Some(ticked) = self.clocks.ticked.clone() else { return Ok(()) };
        for tick in ticked.ticks_to(self.clocks.done, until) {
            let (levels, time) = (ticked.fired(tick), ticked.time(tick));
            let free = sweeps.free[levels.clone()].iter().flat_map(|list| &**list);
            self.clocks.done = tick;
            let list = free.chain(sweeps.guarded[levels].iter().flatten());
            if let Err(error) = self.fire_all::<LOCAL>(list, time, watch) {
                self.clocks.done = tick - 1;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Events at one time.
    fn fire_all<'a, const LOCAL: bool>(
        &mut self,
        list: impl Iterator<Item = &'a u32>,
        time: f64,
        watch: &mut impl FnMut(Fired<'_>),
    ) -> Result<(), AviError> {
        for element in list {
            let rank = self.clocks.rank[*element as usize];
            self.fire::<LOCAL>(Event { time, rank, element: *element }, watch)?;
        }
        Ok(())
    }
}
