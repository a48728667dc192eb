//! Threads that go through the ticks of a run together.

use super::stage::{Stage, Stop, View};
use crate::integrate::avi::ticked::Ticked;
use crate::model::{PotentialFault, Potentials};
use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A tick of less work than this is made by the first thread alone, in nodes of elements: barriers would cost more.
const WORTH_BARRIERS: f64 = 800.0;
/// Turns of waiting, some 50 ns each, before others may have the processor, and before the wait becomes a sleep: a sleep costs as much as a
/// tick.
const SPINS: u32 = 10_000;
const YIELDS: u32 = 10_200;
const SLEEP: Duration = Duration::from_micros(50);
/// Time lost by waiting from which on, if it is this part of all, the first thread goes on alone for so many times the ticks that
/// were shared: other programs need the processors.
const LOST: Duration = Duration::from_millis(2);
const LOST_PART: f64 = 0.4;
const AWAY: u64 = 16;

/// What the threads share. Each owns some nodes: at a tick it takes these to the time; when all have done so it evaluates the
/// elements that have one of them, and kicks these alone. The bits do not depend on how nodes are divided.
pub(super) struct Crew<'a, P> {
    /// Each thread's part of each level.
    parts: &'a [Vec<Stage>],
    /// Work of each level, and whether it has elements that go one by one at the end of a tick.
    work: &'a [f64],
    late: &'a [bool],
    ticked: &'a Ticked,
    /// Numbers needed to evaluate an element.
    pub room: usize,
    /// Work of a tick that is shared.
    worth: f64,
    view: UnsafeCell<View<'a, P>>,
    barrier: Barrier,
    /// The last tick at which a node had come too far for sweeps.
    wild: AtomicU64,
    /// The first element in order that has no value, and its level.
    stop: Mutex<Option<(usize, Stop)>>,
    stopped: AtomicBool,
    /// Ticks before this one are made by the first thread alone.
    away: AtomicU64,
}

// SAFETY: `view` is written by the first thread alone, while the others are kept from reading it by a barrier (`follow`); what it
// points to is shared as `View` says.
unsafe impl<P: Sync> Sync for Crew<'_, P> {}

/// A tick with its levels and its time.
#[derive(Debug, Clone)]
pub(super) struct Tick {
    pub number: u64,
    pub levels: Range<usize>,
    pub time: f64,
}

/// Why a run ended early.
pub(super) enum Ended<E> {
    /// An element has no value.
    Stopped(PotentialFault),
    /// One of those that go one by one.
    Late(E),
}

impl<'a, P: Potentials> Crew<'a, P> {
    pub fn new(
        parts: &'a [Vec<Stage>],
        (work, late): (&'a [f64], &'a [bool]),
        ticked: &'a Ticked,
        view: View<'a, P>,
    ) -> Self {
        Crew {
            parts,
            work,
            late,
            ticked,
            room: 0,
            worth: WORTH_BARRIERS,
            view: UnsafeCell::new(view),
            barrier: Barrier::new(parts.len()),
            wild: AtomicU64::new(0),
            stop: Mutex::new(None),
            stopped: AtomicBool::new(false),
            away: AtomicU64::new(0),
        }
    }

    /// Whether threads were not worth it, since they waited for processors.
    pub fn crowded(&self) -> bool {
        self.away.load(Ordering::Relaxed) > 0
    }

    /// Makes ticks, with threads or all `alone`. `late` makes the events of a tick that go one by one, and tells where the numbers
    /// are afterwards.
    ///
    /// # Safety
    /// The view holds while this lasts, or until `late` gives another, and except for `late` nobody else uses what it
    /// points to.
    pub unsafe fn run<E>(
        &mut self,
        alone: bool,
        ticks: Range<u64>,
        late: impl FnMut(&Tick) -> Result<View<'a, P>, E>,
    ) -> Result<(), (Tick, Ended<E>)> {
        if alone {
            self.worth = f64::INFINITY;
            // SAFETY: the caller's.
            return unsafe { self.lead(ticks, late) };
        }
        let crew = &*self;
        thread::scope(|scope| {
            for me in 1..crew.parts.len() {
                let ticks = ticks.clone();
                // SAFETY: the caller's; each number once.
                scope.spawn(move || unsafe { crew.follow(me, ticks) });
            }
            let _alarm = Alarm(&crew.barrier);
            // SAFETY: the caller's.
            unsafe { crew.lead(ticks, late) }
        })
    }

    fn tick(&self, number: u64) -> Tick {
        Tick { number, levels: self.ticked.fired(number), time: self.ticked.time(number) }
    }

    /// Whether all threads make a tick.
    fn shared(&self, tick: &Tick) -> bool {
        tick.number >= self.away.load(Ordering::Relaxed)
            && self.work[tick.levels.clone()].iter().sum::<f64>() >= self.worth
    }

    fn has_late(&self, tick: &Tick) -> bool {
        self.late[tick.levels.clone()].contains(&true)
    }

    /// The first thread.
    unsafe fn lead<E>(
        &self,
        ticks: Range<u64>,
        mut late: impl FnMut(&Tick) -> Result<View<'a, P>, E>,
    ) -> Result<(), (Tick, Ended<E>)> {
        let mut room = vec![0.0; self.room];
        let mut patience = Patience::new(ticks.start);
        // Whether the others wait for what this thread does alone.
        let mut apart = false;
        for tick in ticks.map(|number| self.tick(number)) {
            if self.shared(&tick) {
                let first = Some(&mut patience);
                // SAFETY: the caller's.
                if apart && !self.barrier.wait() || !unsafe { self.together(&tick, 0, &mut room, first) } {
                    // Another thread has panicked, and the scope is about to.
                    return Ok(());
                }
                apart = false;
            } else {
                // SAFETY: the caller's; the others wait.
                unsafe { self.all(&tick, &mut room) };
                apart = true;
            }
            if self.stopped.load(Ordering::Relaxed) {
                self.barrier.give_up();
                let stop = self.stop.lock().unwrap_or_else(|e| e.into_inner()).take();
                let Some((_, stop)) = stop else { continue };
                return Err((tick, Ended::Stopped(stop.fault)));
            }
            if self.has_late(&tick) {
                match late(&tick) {
                    // SAFETY: the others wait at the start of their next tick.
                    Ok(view) => unsafe { *self.view.get() = view },
                    Err(error) => {
                        self.barrier.give_up();
                        return Err((tick, Ended::Late(error)));
                    }
                }
                apart = true;
            }
        }
        Ok(())
    }

    /// Any other thread.
    unsafe fn follow(&self, me: usize, ticks: Range<u64>) {
        let _alarm = Alarm(&self.barrier);
        let mut room = vec![0.0; self.room];
        let mut apart = false;
        for tick in ticks.map(|number| self.tick(number)) {
            if !self.shared(&tick) {
                apart = true;
                continue;
            }
            if apart && !self.barrier.wait() {
                return;
            }
            // SAFETY: the caller's.
            if !unsafe { self.together(&tick, me, &mut room, None) } || self.stopped.load(Ordering::Relaxed) {
                return;
            }
            apart = self.has_late(&tick);
        }
    }

    /// A thread's part of a tick; false if another gave up.
    unsafe fn together(
        &self,
        tick: &Tick,
        me: usize,
        room: &mut [f64],
        patience: Option<&mut Patience>,
    ) -> bool {
        let stages = &self.parts[me][tick.levels.clone()];
        // SAFETY: the first thread writes it only while the others are apart.
        let view = unsafe { *self.view.get() };
        for stage in stages {
            // SAFETY: nodes that this thread owns, and nobody sweeps.
            if !unsafe { stage.drift(&view, tick.time) } {
                self.wild.store(tick.number, Ordering::Relaxed);
            }
        }
        if !self.barrier.wait() {
            return false;
        }
        // SAFETY: nobody drifts.
        unsafe { self.sweep(tick, me, &view, room) };
        // Before the barrier, so that all know when they come to the next tick.
        if let Some(end) = patience.and_then(|p| p.ends(tick.number, &self.barrier)) {
            self.away.store(end, Ordering::Relaxed);
        }
        self.barrier.wait()
    }

    /// All parts of a tick by one thread.
    unsafe fn all(&self, tick: &Tick, room: &mut [f64]) {
        // SAFETY: as above; the others are apart.
        let view = unsafe { *self.view.get() };
        if let [part] = self.parts {
            let mut calm = true;
            for level in tick.levels.clone() {
                // SAFETY: as above.
                if let Err(stop) = unsafe { part[level].run(&view, tick.time, &mut calm, room) } {
                    return self.stop_at(level, stop);
                }
            }
            return;
        }
        for stage in self.parts.iter().flat_map(|part| &part[tick.levels.clone()]) {
            // SAFETY: as above.
            if !unsafe { stage.drift(&view, tick.time) } {
                self.wild.store(tick.number, Ordering::Relaxed);
            }
        }
        for me in 0..self.parts.len() {
            // SAFETY: as above.
            unsafe { self.sweep(tick, me, &view, room) };
        }
    }

    unsafe fn sweep(&self, tick: &Tick, me: usize, view: &View<'_, P>, room: &mut [f64]) {
        let calm = self.wild.load(Ordering::Relaxed) != tick.number;
        for level in tick.levels.clone() {
            let stage = &self.parts[me][level];
            // SAFETY: the caller's.
            if let Err(stop) = unsafe { stage.sweep(view, (tick.time, calm), me as u8, room) } {
                return self.stop_at(level, stop);
            }
        }
    }

    /// An element has no value. Positions do not change during a tick, so which ones have none does not depend on who asks,
    /// nor does the first of them.
    #[cold]
    fn stop_at(&self, level: usize, stop: Stop) {
        let mut first = self.stop.lock().unwrap_or_else(|e| e.into_inner());
        if first.as_ref().is_none_or(|(l, s)| (level, stop.element) < (*l, s.element)) {
            *first = Some((level, stop));
        }
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// How long the first thread puts up with waiting.
struct Patience {
    since: Instant,
    first: u64,
}

impl Patience {
    fn new(first: u64) -> Self {
        Patience { since: Instant::now(), first }
    }

    /// If it ends: the tick up to which the first thread goes on alone, after this one.
    fn ends(&mut self, tick: u64, barrier: &Barrier) -> Option<u64> {
        let lost = Duration::from_nanos(barrier.lost.load(Ordering::Relaxed));
        if lost < LOST || lost.as_secs_f64() < LOST_PART * self.since.elapsed().as_secs_f64() {
            return None;
        }
        barrier.lost.store(0, Ordering::Relaxed);
        let end = tick + 1 + AWAY * (tick + 1 - self.first);
        *self = Patience::new(end);
        Some(end)
    }
}

/// Lets the others go if a thread panics.
struct Alarm<'a>(&'a Barrier);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.give_up();
        }
    }
}

/// Numbers that several threads write, each on cache lines of its own.
#[repr(align(128))]
struct Apart<T>(T);

/// A place where threads wait for each other, for times much shorter than what a system call takes.
struct Barrier {
    threads: usize,
    arrived: Apart<AtomicUsize>,
    turn: Apart<AtomicUsize>,
    given_up: AtomicBool,
    /// Nanoseconds that threads waited, all together.
    lost: AtomicU64,
}

impl Barrier {
    fn new(threads: usize) -> Self {
        let zero = || Apart(AtomicUsize::new(0));
        let (given_up, lost) = (AtomicBool::new(false), AtomicU64::new(0));
        Barrier { threads, arrived: zero(), turn: zero(), given_up, lost }
    }

    /// Waits until all threads are here: what each did before is seen by all afterwards. False if one gave up.
    fn wait(&self) -> bool {
        let turn = self.turn.0.load(Ordering::Relaxed);
        if self.arrived.0.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.0.store(0, Ordering::Relaxed);
            self.turn.0.store(turn + 1, Ordering::Release);
            return true;
        }
        let (mut turns, since) = (0, Instant::now());
        while self.turn.0.load(Ordering::Acquire) == turn {
            if self.given_up.load(Ordering::Relaxed) {
                return false;
            }
            turns += 1;
            match turns {
                0..SPINS => spin_loop(),
                // On a machine with more threads than processors, the one we wait for may need ours.
                SPINS..YIELDS => thread::yield_now(),
                _ => thread::sleep(SLEEP),
            }
        }
        self.lost.fetch_add(since.elapsed().as_nanos() as u64, Ordering::Relaxed);
        true
    }

    /// Nobody waits any longer.
    fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }
}
