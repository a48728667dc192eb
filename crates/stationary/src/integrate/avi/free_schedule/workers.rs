//! The threads that execute the events of subdomains, and how subdomains wait for each other.

use super::super::history::Slot;
use super::super::{AviError, Event};
use super::calendar_queue::CalendarQueue;
use super::group::Together;
use super::partition::{INSIDE, Partition};
use super::shared_state::{SharedState, ThreadScratch, WeightedEvent};
use crate::model::Potentials;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How many events ahead the data of an element are prefetched.
const PREFETCH_ELEMENT: usize = 12;
/// Number of events after which a subdomain publishes its progress.
const REPORT_INTERVAL: u32 = 32;
/// Number of unsuccessful attempts to continue before a thread yields its processor.
const SPINS_BEFORE_YIELD: u32 = 200;

/// The end of a run since the start, the number of threads, and the largest number of nodes of an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub until: f64,
    pub threads: usize,
    pub widest: usize,
}

/// A subdomain with the next events of its elements.
#[derive(Debug, Clone)]
pub(super) struct Subdomain {
    number: usize,
    pub(super) events: CalendarQueue,
    /// No event of a neighbouring subdomain lies before this time. One thread uses it: atomic, because it is written through a shared reference.
    horizon: Horizon,
}

/// The bits of a time.
#[derive(Debug)]
struct Horizon(AtomicU64);

impl Horizon {
    fn new(time: f64) -> Self {
        Horizon(AtomicU64::new(time.to_bits()))
    }

    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    fn set(&self, time: f64) {
        self.0.store(time.to_bits(), Ordering::Relaxed);
    }
}

impl Clone for Horizon {
    fn clone(&self) -> Self {
        Horizon::new(self.get())
    }
}

/// The progress of a subdomain, for its neighbours.
#[derive(Debug)]
#[repr(align(64))]
struct Progress {
    /// The bits of a time before which the subdomain has executed all events.
    reached: AtomicU64,
    /// Whether the subdomain executes no more events.
    stopped: AtomicBool,
}

/// Why a subdomain paused or stopped.
enum Halt {
    /// All events up to the end have been executed.
    Reached,
    /// An element of this other subdomain has an earlier event.
    WaitsFor(usize),
    /// An element could not be evaluated.
    Fault(Event, AviError),
}

/// Executes the events of all subdomains up to a time. Returns the first fault in the order of events.
///
/// After a fault its subdomain stops, and so do others once they wait for a subdomain that has stopped. All events before the fault are
/// executed. Which events after it are executed is determined by the subdomains, not by the speed of the threads.
pub(super) fn run<P: Potentials>(
    subdomains: &mut [Subdomain],
    partition: &Partition,
    shared: &SharedState<'_, P>,
    extent: Extent,
) -> Option<(Event, AviError)> {
    let progress: Vec<Progress> = subdomains
        .iter()
        .map(|_| Progress {
            reached: AtomicU64::new(f64::NEG_INFINITY.to_bits()),
            stopped: AtomicBool::new(false),
        })
        .collect();
    subdomains.iter_mut().for_each(|subdomain| subdomain.horizon.set(f64::NEG_INFINITY));
    let workers = FreeWorkers { partition, shared, progress: &progress, until: extent.until };
    let each = subdomains.len().div_ceil(extent.threads.max(1)).max(1);
    let mut shares = subdomains.chunks_mut(each);
    let mine = shares.next()?;
    std::thread::scope(|scope| {
        let workers = &workers;
        let scratch = || ThreadScratch::new(extent.widest, shared.node_count());
        let others: Vec<_> =
            shares.map(|share| scope.spawn(move || workers.run_thread(share, scratch()))).collect();
        let mut first = workers.run_thread(mine, scratch());
        for other in others {
            let fault = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            first = earlier(first, fault);
        }
        first
    })
}

fn earlier(a: Option<(Event, AviError)>, b: Option<(Event, AviError)>) -> Option<(Event, AviError)> {
    match (&a, &b) {
        (Some(first), Some(other)) if other.0.before(&first.0) => b,
        (None, _) => b,
        _ => a,
    }
}

/// The data that threads share.
pub(super) struct FreeWorkers<'a, P> {
    partition: &'a Partition,
    pub(super) shared: &'a SharedState<'a, P>,
    progress: &'a [Progress],
    pub(super) until: f64,
}

/// Marks subdomains as stopped when it is dropped, also if their thread panics, so that no other subdomain waits for them.
struct StoppedOnDrop<'a>(&'a [Progress]);

impl Drop for StoppedOnDrop<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|progress| progress.stopped.store(true, Ordering::Release));
    }
}

impl<P: Potentials> FreeWorkers<'_, P> {
    /// Advances the subdomains of one thread to the end.
    fn run_thread(
        &self,
        subdomains: &mut [Subdomain],
        mut scratch: ThreadScratch,
    ) -> Option<(Event, AviError)> {
        let numbers = subdomains.first()?.number..subdomains.last()?.number + 1;
        let _stopped = StoppedOnDrop(&self.progress[numbers]);
        let mut first = None;
        let mut idle = 0;
        let mut open: Vec<&mut Subdomain> = subdomains.iter_mut().collect();
        while !open.is_empty() {
            let mut moved = false;
            open.retain_mut(|subdomain| {
                // Read before the second check: a subdomain that has stopped and still comes first does so for good.
                let stopped = |by: usize| self.progress[by].stopped.load(Ordering::Acquire);
                let (executed, halt) = subdomain.advance(self, &mut scratch);
                moved |= executed > 0;
                match halt {
                    Halt::WaitsFor(by) if !(stopped(by) && subdomain.next_waits_for(self) == Some(by)) => {
                        return true;
                    }
                    Halt::Fault(event, error) => first = earlier(first.take(), Some((event, error))),
                    Halt::WaitsFor(_) | Halt::Reached => {}
                }
                self.progress[subdomain.number].stopped.store(true, Ordering::Release);
                moved = true;
                false
            });
            idle = if moved { 0 } else { idle + 1 };
            if idle > SPINS_BEFORE_YIELD {
                std::thread::yield_now();
            } else if idle > 0 {
                std::hint::spin_loop();
            }
        }
        first
    }
}

impl Subdomain {
    /// A subdomain with the next event of each of its elements.
    pub fn new(number: usize, events: CalendarQueue) -> Self {
        Subdomain { number, events, horizon: Horizon::new(f64::NEG_INFINITY) }
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        self.events.memory()
    }

    /// Executes events as far as possible; returns how many, and why it stopped.
    fn advance<P: Potentials>(
        &mut self,
        workers: &FreeWorkers<'_, P>,
        scratch: &mut ThreadScratch,
    ) -> (u32, Halt) {
        let shared = workers.shared;
        let progress = &workers.progress[self.number];
        let (mut executed, mut reported) = (0, 0);
        // Events that follow and are to be executed one by one.
        let mut alone = 0;
        loop {
            // With a NaN end time no event is executed.
            let first = self.events.first(|k| shared.prefetch_record(k));
            let Some(event) = first.filter(|e| e.time <= workers.until) else {
                progress.reached.store(f64::INFINITY.to_bits(), Ordering::Release);
                return (executed, Halt::Reached);
            };
            let mut last = event.time;
            match if alone == 0 { self.execute_group(workers, scratch) } else { Together::Alone(1) } {
                Together::Executed(count, time) => {
                    executed += count;
                    last = time;
                }
                Together::Alone(count) => {
                    alone = alone.max(count) - 1;
                    if let Some(halt) = self.execute_first(event, workers, scratch) {
                        return (executed, halt);
                    }
                    executed += 1;
                }
            }
            if executed - reported >= REPORT_INTERVAL {
                // All events before this one are executed; new ones may lie before the next one of the batch.
                progress.reached.store(last.to_bits(), Ordering::Release);
                reported = executed;
            }
        }
    }

    /// Executes the first event, unless it has to wait.
    fn execute_first<P: Potentials>(
        &mut self,
        event: Event,
        workers: &FreeWorkers<'_, P>,
        scratch: &mut ThreadScratch,
    ) -> Option<Halt> {
        let shared = workers.shared;
        let k = event.element as usize;
        let element = &shared.elements[k];
        if let Some(by) = self.must_wait(event, element.border, workers) {
            let progress = &workers.progress[self.number];
            progress.reached.store(event.time.to_bits(), Ordering::Release);
            return Some(Halt::WaitsFor(by));
        }
        if let Some(ahead) = self.events.ahead(PREFETCH_ELEMENT) {
            shared.prefetch_element(ahead.element);
        }
        let count = element.events.load(Ordering::Relaxed);
        let slot = Slot::of_event(count + 1);
        let weighted = WeightedEvent { element: k, time: event.time, weight: element.step, slot };
        // SAFETY: nodes inside the subdomain are used by this thread only; at the border the elements of other subdomains that
        // share them have later events, and wait.
        if let Err(error) = unsafe { shared.execute(weighted, element.loaded_or_fixed, scratch) } {
            return Some(Halt::Fault(event, error));
        }
        element.events.store(count + 1, Ordering::Release);
        self.events.replace_first(Event { time: shared.time(count + 1, element.step), ..event });
        None
    }

    /// The subdomain for which an event of an element waits, given its number in the border.
    #[inline(always)]
    pub(super) fn must_wait<P: Potentials>(
        &self,
        event: Event,
        border: u32,
        workers: &FreeWorkers<'_, P>,
    ) -> Option<usize> {
        if border == INSIDE || event.time < self.horizon.get() {
            return None;
        }
        self.waits_for(event, border, workers)
    }

    /// The subdomain of an element that must fire before an event at the border, if there is one.
    fn waits_for<P: Potentials>(
        &self,
        event: Event,
        border: u32,
        workers: &FreeWorkers<'_, P>,
    ) -> Option<usize> {
        let partition = workers.partition;
        let b = border as usize;
        let reached = |subdomain: &u32| {
            f64::from_bits(workers.progress[*subdomain as usize].reached.load(Ordering::Acquire))
        };
        let horizon = partition.neighbours[self.number].iter().map(reached).fold(f64::INFINITY, f64::min);
        self.horizon.set(horizon);
        if event.time < horizon {
            return None;
        }
        let across = &partition.across[partition.start[b] as usize..partition.start[b + 1] as usize];
        let earlier = across.iter().find(|other| !workers.shared.before(&event, **other))?;
        Some(partition.subdomain_of[*earlier as usize] as usize)
    }

    /// The subdomain for which the next event waits, if there is one.
    fn next_waits_for<P: Potentials>(&mut self, workers: &FreeWorkers<'_, P>) -> Option<usize> {
        let event = self.events.first(|_| ())?;
        let border = workers.partition.border[event.element as usize];
        if border == INSIDE { None } else { self.waits_for(event, border, workers) }
    }
}
