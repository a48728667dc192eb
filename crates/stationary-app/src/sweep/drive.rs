//! The loop of a sweep: threads that take the next run, and one that notes what they found.

use crate::run;
use stationary::error::Error;
use stationary::interrupt;
use stationary_report::failpoint;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Time between reports to the watcher.
const TICK: Duration = Duration::from_millis(50);

/// As much as the main thread has: a scenario that can be run can be swept.
const STACK: usize = 8 << 20;

/// Told how far a sweep is; may end it.
pub type SweepWatch<'a> = dyn FnMut(&SweepProgress) -> ControlFlow<()> + 'a;

/// How far a sweep has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepProgress {
    /// Runs in all.
    pub runs: usize,
    /// Runs that are over, those before the sweep was resumed included.
    pub done: usize,
    /// Runs that were over when the sweep was resumed.
    pub resumed: usize,
    /// Runs that are over and did not finish with all claims kept.
    pub amiss: usize,
    /// The sum of what is done of the runs under way.
    pub under_way: f64,
}

/// Makes a run. `Error::Interrupted` means that it was cut off; an error of files ends the sweep.
pub(super) type Make<'a, T> = dyn Fn(usize, &mut run::Watch<'_>) -> Result<T, Error> + Sync + 'a;

/// The runs of a sweep that are to be made.
pub(super) struct Work<'a, T> {
    /// Runs in all.
    pub runs: usize,
    /// Those to make, in the order in which they are begun.
    pub pending: Vec<usize>,
    /// Of those that are over, the ones that did not finish with all claims kept.
    pub amiss: usize,
    /// Threads at most.
    pub jobs: usize,
    /// How a run is made.
    pub make: &'a Make<'a, T>,
}

/// What the threads share.
struct Shared<'a, T> {
    work: &'a Work<'a, T>,
    /// The place of the next run.
    next: AtomicUsize,
    /// Shared with the question whether a long step is to be given up.
    stop: Arc<AtomicBool>,
    /// How far the run of each thread is, as the bits of a number from 0 to 1.
    under_way: Vec<AtomicU64>,
}

/// Makes the pending runs. `note` gets what each came to, on the calling thread in the order in which they end, and says whether
/// something is amiss with it. Returns whether the watcher ended the sweep before the last run.
pub(super) fn drive<T: Send>(
    work: &Work<'_, T>,
    note: &mut dyn FnMut(T) -> Result<bool, Error>,
    watch: &mut SweepWatch<'_>,
) -> Result<bool, Error> {
    let jobs = work.jobs.clamp(1, work.pending.len().max(1));
    let shared = Shared {
        work,
        next: AtomicUsize::new(0),
        stop: Arc::default(),
        under_way: (0..jobs).map(|_| AtomicU64::new(0)).collect(),
    };
    let (sender, receiver) = channel();
    let mut noted = Ok(0);
    std::thread::scope(|scope| {
        for worker in 0..jobs {
            let (shared, sender) = (&shared, sender.clone());
            spawn(scope, move || take_runs(shared, worker, &sender))
                .inspect_err(|_| shared.stop.store(true, Ordering::Relaxed))?;
        }
        drop(sender);
        noted = shared.note_all(&receiver, note, watch);
        shared.stop.store(true, Ordering::Relaxed);
        Ok::<(), Error>(())
    })?;
    Ok(noted? < work.pending.len())
}

/// Runs a function on some threads, and another one on this thread now and then until they are through.
pub(super) fn workers(jobs: usize, work: impl Fn() + Sync, meanwhile: &mut dyn FnMut()) -> Result<(), Error> {
    let (work, (alive, ended)) = (&work, channel::<()>());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let alive = alive.clone();
            spawn(scope, move || {
                work();
                drop(alive);
            })?;
        }
        drop(alive);
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            meanwhile();
        }
        Ok(())
    })
}

fn spawn<'scope>(
    scope: &'scope std::thread::Scope<'scope, '_>,
    work: impl FnOnce() + Send + 'scope,
) -> Result<(), Error> {
    match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
        Ok(_) => Ok(()),
        Err(e) => Err(Error::Io { path: "threads of the sweep".into(), message: e.to_string() }),
    }
}

/// Takes runs until there are no more, or the sweep ends. A run that is cut off is dropped.
fn take_runs<T>(shared: &Shared<'_, T>, worker: usize, sender: &Sender<Result<T, Error>>) {
    let under_way = &shared.under_way[worker];
    while !shared.stop.load(Ordering::Relaxed) {
        let next = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(run) = shared.work.pending.get(next).copied() else { return };
        let mut watch = |progress: &run::Progress| {
            let part = progress.step as f64 / progress.steps.max(1) as f64;
            under_way.store(part.min(1.0).to_bits(), Ordering::Relaxed);
            match shared.stop.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let stop = Arc::clone(&shared.stop);
        let question = Rc::new(move || stop.load(Ordering::Relaxed));
        let made = interrupt::listen(question, || (shared.work.make)(run, &mut watch));
        if let Err(Error::Interrupted) = made {
            return;
        }
        under_way.store(0, Ordering::Relaxed);
        // Nobody listens once something could not be noted.
        if made.is_err() | sender.send(made).is_err() {
            return;
        }
    }
}

impl<T> Shared<'_, T> {
    /// Notes what the threads find until they are through, and tells the watcher; returns how many runs were noted.
    fn note_all(
        &self,
        receiver: &Receiver<Result<T, Error>>,
        note: &mut dyn FnMut(T) -> Result<bool, Error>,
        watch: &mut SweepWatch<'_>,
    ) -> Result<usize, Error> {
        let mut told = Instant::now();
        let mut amiss = self.work.amiss;
        let mut noted = 0;
        let mut fault = Ok(());
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(found) if fault.is_ok() => match found.and_then(&mut *note) {
                    Ok(is_amiss) => {
                        amiss += usize::from(is_amiss);
                        noted += 1;
                    }
                    Err(error) => fault = Err(error),
                },
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return fault.map(|()| noted),
            }
            if fault.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            } else if failpoint::is_due(told, TICK) || noted == self.work.pending.len() {
                told = Instant::now();
                if watch(&self.progress(noted, amiss)).is_break() {
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    fn progress(&self, noted: usize, amiss: usize) -> SweepProgress {
        let part = |bits: &AtomicU64| f64::from_bits(bits.load(Ordering::Relaxed));
        let under_way: f64 = self.under_way.iter().map(part).sum();
        let runs = self.work.runs;
        let resumed = runs - self.work.pending.len();
        SweepProgress { runs, done: resumed + noted, resumed, amiss, under_way }
    }
}
