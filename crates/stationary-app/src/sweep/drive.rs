//! The loop of a sweep: threads that take the next run, and one that writes down what they found.

use super::journal::Journal;
use super::table::Row;
use super::{Ending, Options, Sweep};
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
pub type Watch<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// How far a sweep has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
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

/// What the threads share.
struct Shared<'a> {
    sweep: &'a Sweep,
    options: &'a Options,
    /// The runs to make, and the place of the next.
    pending: Vec<usize>,
    next: AtomicUsize,
    /// Shared with the question whether a long step is to be given up.
    stop: Arc<AtomicBool>,
    /// How far the run of each thread is, as the bits of a number from 0 to 1.
    under_way: Vec<AtomicU64>,
}

/// Makes the runs that have no row yet; returns all rows, and whether the watcher ended the sweep before.
pub(super) fn drive(
    sweep: &Sweep,
    options: &Options,
    (journal, rows): (Journal, Vec<Row>),
    watch: &mut Watch<'_>,
) -> Result<(Vec<Row>, bool), Error> {
    let mut over = vec![false; sweep.plan.len()];
    rows.iter().for_each(|row| over[row.run] = true);
    let pending: Vec<usize> = (0..sweep.plan.len()).filter(|run| !over[*run]).collect();
    let jobs = options.jobs.clamp(1, pending.len().max(1));
    let shared = Shared {
        sweep,
        options,
        pending,
        next: AtomicUsize::new(0),
        stop: Arc::default(),
        under_way: (0..jobs).map(|_| AtomicU64::new(0)).collect(),
    };
    let (sender, receiver) = channel();
    let mut scribe = Scribe { shared: &shared, journal, before: rows.len(), rows };
    let mut written = Ok(());
    std::thread::scope(|scope| {
        for worker in 0..jobs {
            let (shared, sender) = (&shared, sender.clone());
            spawn(scope, move || work(shared, worker, &sender))
                .inspect_err(|_| shared.stop.store(true, Ordering::Relaxed))?;
        }
        drop(sender);
        written = scribe.write(&receiver, watch);
        shared.stop.store(true, Ordering::Relaxed);
        Ok::<(), Error>(())
    })?;
    written?;
    let interrupted = scribe.rows.len() < sweep.plan.len();
    Ok((scribe.rows, interrupted))
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
fn work(shared: &Shared<'_>, worker: usize, sender: &Sender<Result<Row, Error>>) {
    let under_way = &shared.under_way[worker];
    while !shared.stop.load(Ordering::Relaxed) {
        let Some(run) = shared.pending.get(shared.next.fetch_add(1, Ordering::Relaxed)).copied() else {
            return;
        };
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
        let row = match interrupt::listen(question, || make(shared, run, &mut watch)) {
            Ok(outcome) if outcome.interrupted => return,
            Err(Error::Interrupted) => return,
            Ok(outcome) => Ok(Row::of(run, &outcome)),
            Err(Error::Io { path, message }) => Err(Error::Io { path, message }),
            Err(why) => Ok(Row::refused(run, &why)),
        };
        under_way.store(0, Ordering::Relaxed);
        // Nobody listens once the journal cannot be written.
        if row.is_err() | sender.send(row).is_err() {
            return;
        }
    }
}

fn make(shared: &Shared<'_>, run: usize, watch: &mut run::Watch<'_>) -> Result<run::Outcome, Error> {
    let scenario = shared.sweep.scenario(run)?;
    match shared.options.keep {
        true => run::run(&scenario, &shared.sweep.folder(run, &shared.options.out), watch),
        false => run::measure(&scenario, watch),
    }
}

/// Writes down what the threads find, and tells the watcher.
struct Scribe<'a> {
    shared: &'a Shared<'a>,
    journal: Journal,
    rows: Vec<Row>,
    /// Rows there were when the sweep was resumed.
    before: usize,
}

impl Scribe<'_> {
    fn write(&mut self, receiver: &Receiver<Result<Row, Error>>, watch: &mut Watch<'_>) -> Result<(), Error> {
        let mut told = Instant::now();
        let mut amiss = self.rows.iter().filter(|row| row.ending != Ending::Finished).count();
        let mut fault = Ok(());
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(Ok(mut row)) => {
                    amiss += usize::from(row.ending != Ending::Finished);
                    if fault.is_ok() {
                        fault = self.journal.push(&mut row);
                        self.rows.push(row);
                    }
                }
                Ok(Err(error)) => fault = fault.and(Err(error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return fault,
            }
            let over = self.rows.len() == self.shared.sweep.plan.len();
            if fault.is_err() {
                self.shared.stop.store(true, Ordering::Relaxed);
            } else if failpoint::is_due(told, TICK) || over {
                told = Instant::now();
                if watch(&self.progress(amiss)).is_break() {
                    self.shared.stop.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    fn progress(&self, amiss: usize) -> Progress {
        let part = |bits: &AtomicU64| f64::from_bits(bits.load(Ordering::Relaxed));
        let under_way: f64 = self.shared.under_way.iter().map(part).sum();
        let (runs, done) = (self.shared.sweep.plan.len(), self.rows.len());
        Progress { runs, done, resumed: self.before, amiss, under_way }
    }
}
