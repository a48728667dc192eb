//! The threads that execute the ticks of a run together.

mod boundary;

use super::barrier::{Barrier, ReleaseOnPanic};
use super::level_part::{ElementFailure, KickTime, LevelPart, SharedArrays, Thread};
use crate::integrate::avi::envelope::{EnvelopePart, LevelBoundary};
use crate::integrate::avi::harmonic_clock::HarmonicClock;
use crate::integrate::avi::history::Slot;
use crate::model::{PotentialFault, Potentials};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Least work of a tick that is divided among threads, in element nodes: with less, barriers would cost more than they save.
const LEAST_SHARED_WORK: f64 = 800.0;
/// The first thread continues alone if threads have waited at least for this time ...
const LEAST_WAIT: Duration = Duration::from_millis(2);
/// ... and for this part of the elapsed time, since other programs then need the processors.
const WAIT_PART: f64 = 0.4;
/// Number of ticks that the first thread then executes alone, as a multiple of the ticks that were shared.
const TICKS_ALONE: u64 = 16;

/// The data that the threads share. Each thread owns some nodes: at a tick it moves these nodes; when all threads have done so it
/// evaluates the elements that have one of them, and kicks its own nodes only. The results do not depend on the division of the nodes.
pub(super) struct HarmonicWorkers<'a, P> {
    /// Each thread's part of each level.
    parts: &'a [Vec<LevelPart>],
    /// Each thread's part of the boundary of each level; empty without an envelope.
    boundary_parts: &'a [Vec<Option<EnvelopePart>>],
    /// The boundaries of all levels.
    boundaries: &'a [Option<LevelBoundary>],
    /// Work of each level in element nodes.
    work: &'a [f64],
    clock: &'a HarmonicClock,
    /// Length of the scratch space for the evaluation of an element.
    pub scratch: usize,
    /// Least work of a tick that is shared.
    least_shared_work: f64,
    arrays: SharedArrays<'a, P>,
    barrier: Barrier,
    /// The last tick at which a position was too large for the compiled potentials.
    overflow_tick: AtomicU64,
    /// The first element in order that could not be evaluated, and its level.
    failure: Mutex<Option<(usize, ElementFailure)>>,
    failed: AtomicBool,
    /// The first thread executes the ticks before this one alone.
    alone_until: AtomicU64,
}

// SAFETY: the data to which `arrays` points are shared as `SharedArrays` requires.
unsafe impl<P: Sync> Sync for HarmonicWorkers<'_, P> {}

/// A tick with the levels that fire and its time.
#[derive(Debug, Clone)]
pub(super) struct Tick {
    pub number: u64,
    pub levels: Range<usize>,
    pub time: f64,
}

impl<'a, P: Potentials> HarmonicWorkers<'a, P> {
    pub fn new(
        parts: &'a [Vec<LevelPart>],
        work: &'a [f64],
        clock: &'a HarmonicClock,
        arrays: SharedArrays<'a, P>,
    ) -> Self {
        HarmonicWorkers {
            parts,
            boundary_parts: &[],
            boundaries: &[],
            work,
            clock,
            scratch: 0,
            least_shared_work: LEAST_SHARED_WORK,
            arrays,
            barrier: Barrier::new(parts.len()),
            overflow_tick: AtomicU64::new(0),
            failure: Mutex::new(None),
            failed: AtomicBool::new(false),
            alone_until: AtomicU64::new(0),
        }
    }

    /// Whether several threads were not worthwhile, since they waited for processors.
    pub fn processors_busy(&self) -> bool {
        self.alone_until.load(Ordering::Relaxed) > 0
    }

    /// Executes ticks, on several threads or on one (`alone`).
    ///
    /// # Safety
    /// The arrays are valid during this call, and nothing else uses the data to which they point.
    pub unsafe fn run(&mut self, alone: bool, ticks: Range<u64>) -> Result<(), (Tick, PotentialFault)> {
        if alone {
            self.least_shared_work = f64::INFINITY;
            // SAFETY: guaranteed by this function's contract.
            return unsafe { self.run_first_thread(ticks) };
        }
        let workers = &*self;
        thread::scope(|scope| {
            for me in 1..workers.parts.len() {
                let ticks = ticks.clone();
                // SAFETY: guaranteed by this function's contract; each thread has its own number.
                scope.spawn(move || unsafe { workers.run_other_thread(me, ticks) });
            }
            let _release = ReleaseOnPanic(&workers.barrier);
            // SAFETY: guaranteed by this function's contract.
            unsafe { workers.run_first_thread(ticks) }
        })
    }

    fn tick(&self, number: u64) -> Tick {
        Tick { number, levels: self.clock.fired(number), time: self.clock.time(number) }
    }

    /// The history from which the elements of a level are updated at a tick.
    fn slot(&self, tick: &Tick, level: usize) -> Slot {
        Slot::of_event(self.clock.events_by(tick.number, level))
    }

    /// Whether all threads execute a tick.
    fn is_shared(&self, tick: &Tick) -> bool {
        tick.number >= self.alone_until.load(Ordering::Relaxed)
            && self.work[tick.levels.clone()].iter().sum::<f64>() >= self.least_shared_work
    }

    /// The first thread.
    unsafe fn run_first_thread(&self, ticks: Range<u64>) -> Result<(), (Tick, PotentialFault)> {
        let mut scratch = vec![0.0; self.scratch];
        let mut wait_budget = WaitBudget::new(ticks.start);
        // Whether the other threads wait for what this thread does alone.
        let mut others_wait = false;
        for tick in ticks.map(|number| self.tick(number)) {
            if self.is_shared(&tick) {
                let budget = Some(&mut wait_budget);
                // SAFETY: guaranteed by this function's contract.
                if others_wait && !self.barrier.wait()
                    || !unsafe { self.run_shared_tick(&tick, 0, &mut scratch, budget) }
                {
                    // Another thread has panicked, and the scope is about to.
                    return Ok(());
                }
                others_wait = false;
            } else {
                // SAFETY: guaranteed by this function's contract; the other threads wait.
                unsafe { self.run_tick_alone(&tick, &mut scratch) };
                others_wait = true;
            }
            if self.failed.load(Ordering::Relaxed) {
                // SAFETY: the other threads have ended.
                unsafe { self.abandon_boundary(&tick) };
                self.barrier.release();
                let failure = self.failure.lock().unwrap_or_else(|e| e.into_inner()).take();
                let Some((_, failure)) = failure else { continue };
                return Err((tick, failure.fault));
            }
            if let Some(boundary) = self.boundary(&tick) {
                // SAFETY: the other threads wait at the start of their next tick.
                unsafe { boundary.finish(&self.arrays) };
                others_wait = true;
            }
        }
        Ok(())
    }

    /// Any thread but the first.
    unsafe fn run_other_thread(&self, me: usize, ticks: Range<u64>) {
        let _release = ReleaseOnPanic(&self.barrier);
        let mut scratch = vec![0.0; self.scratch];
        let mut wait_first = false;
        for tick in ticks.map(|number| self.tick(number)) {
            if !self.is_shared(&tick) {
                wait_first = true;
                continue;
            }
            if wait_first && !self.barrier.wait() {
                return;
            }
            // SAFETY: guaranteed by this function's contract.
            let together = unsafe { self.run_shared_tick(&tick, me, &mut scratch, None) };
            if !together || self.failed.load(Ordering::Relaxed) {
                return;
            }
            wait_first = self.boundary(&tick).is_some();
        }
    }

    /// A thread's part of a tick; false if the barrier was released.
    unsafe fn run_shared_tick(
        &self,
        tick: &Tick,
        me: usize,
        scratch: &mut [f64],
        wait_budget: Option<&mut WaitBudget>,
    ) -> bool {
        let parts = &self.parts[me][tick.levels.clone()];
        let arrays = self.arrays;
        for part in parts {
            // SAFETY: these nodes are owned by this thread, and no thread kicks.
            if !unsafe { part.drift(&arrays, tick.time) } {
                self.overflow_tick.store(tick.number, Ordering::Relaxed);
            }
        }
        if !self.barrier.wait() {
            return false;
        }
        if self.boundary(tick).is_some() {
            // SAFETY: guaranteed by this function's contract.
            match unsafe { self.iterate_together(tick, me, &arrays, scratch) } {
                Some(true) => {}
                Some(false) => return self.barrier.wait(),
                None => return false,
            }
        }
        // SAFETY: no thread drifts.
        unsafe { self.kick(tick, me, &arrays, scratch) };
        // Before the barrier, so that all threads know it when they come to the next tick.
        if let Some(end) = wait_budget.and_then(|w| w.exhausted(tick.number, &self.barrier)) {
            self.alone_until.store(end, Ordering::Relaxed);
        }
        self.barrier.wait()
    }

    /// All parts of a tick, by one thread.
    unsafe fn run_tick_alone(&self, tick: &Tick, scratch: &mut [f64]) {
        let arrays = self.arrays;
        if let [part] = self.parts
            && self.boundary(tick).is_none()
        {
            let mut overflow_safe = true;
            for level in tick.levels.clone() {
                let at = (tick.time, self.slot(tick, level));
                // SAFETY: the other threads wait.
                let kicked = unsafe { part[level].drift_and_kick(&arrays, at, &mut overflow_safe, scratch) };
                if let Err(failure) = kicked {
                    return self.fail_at(level, failure);
                }
            }
            return;
        }
        for part in self.parts.iter().flat_map(|part| &part[tick.levels.clone()]) {
            // SAFETY: the other threads wait.
            if !unsafe { part.drift(&arrays, tick.time) } {
                self.overflow_tick.store(tick.number, Ordering::Relaxed);
            }
        }
        // SAFETY: the other threads wait.
        if !unsafe { self.iterate_alone(tick, &arrays, scratch) } {
            return;
        }
        for me in 0..self.parts.len() {
            // SAFETY: the other threads wait.
            unsafe { self.kick(tick, me, &arrays, scratch) };
        }
    }

    unsafe fn kick(&self, tick: &Tick, me: usize, arrays: &SharedArrays<'_, P>, scratch: &mut [f64]) {
        let overflow_safe = self.overflow_tick.load(Ordering::Relaxed) != tick.number;
        let mut thread = Thread { number: me as u8, scratch };
        for level in tick.levels.clone() {
            let time = KickTime { t: tick.time, overflow_safe, slot: self.slot(tick, level) };
            let part = &self.parts[me][level];
            // SAFETY: guaranteed by this function's contract.
            if let Err(failure) = unsafe { part.kick(arrays, time, &mut thread) } {
                return self.fail_at(level, failure);
            }
        }
    }

    /// Records an element that could not be evaluated. Positions do not change during a tick, so that neither the set of these elements
    /// nor the first of them depends on the thread that evaluates it.
    #[cold]
    fn fail_at(&self, level: usize, failure: ElementFailure) {
        let mut first = self.failure.lock().unwrap_or_else(|e| e.into_inner());
        if first.as_ref().is_none_or(|(l, f)| (level, failure.order()) < (*l, f.order())) {
            *first = Some((level, failure));
        }
        self.failed.store(true, Ordering::Relaxed);
    }
}

/// How long threads may wait for each other before the first thread continues alone.
struct WaitBudget {
    since: Instant,
    first: u64,
}

impl WaitBudget {
    fn new(first: u64) -> Self {
        WaitBudget { since: Instant::now(), first }
    }

    /// If it is exhausted: the tick up to which the first thread continues alone, after this one.
    fn exhausted(&mut self, tick: u64, barrier: &Barrier) -> Option<u64> {
        let waited = Duration::from_nanos(barrier.waited.load(Ordering::Relaxed));
        if waited < LEAST_WAIT || waited.as_secs_f64() < WAIT_PART * self.since.elapsed().as_secs_f64() {
            return None;
        }
        barrier.waited.store(0, Ordering::Relaxed);
        let end = tick + 1 + TICKS_ALONE * (tick + 1 - self.first);
        *self = WaitBudget::new(end);
        Some(end)
    }
}
