//! A spinning barrier for threads whose work between two waits takes microseconds.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Rounds of waiting, some 50 ns each, before the thread yields its processor.
const SPINS: u32 = 10_000;
/// Rounds of waiting before the thread sleeps: a sleep costs as much as a tick.
const YIELDS: u32 = 10_200;
const SLEEP: Duration = Duration::from_micros(50);

/// Data that several threads write, on cache lines of its own.
#[repr(align(128))]
struct CacheAligned<T>(T);

/// A barrier at which threads wait for each other, for times much shorter than a system call takes.
pub(super) struct Barrier {
    threads: usize,
    arrived: CacheAligned<AtomicUsize>,
    turn: CacheAligned<AtomicUsize>,
    released: AtomicBool,
    /// Nanoseconds that all threads together have waited.
    pub waited: AtomicU64,
}

impl Barrier {
    pub fn new(threads: usize) -> Self {
        let zero = || CacheAligned(AtomicUsize::new(0));
        Barrier {
            threads,
            arrived: zero(),
            turn: zero(),
            released: AtomicBool::new(false),
            waited: AtomicU64::new(0),
        }
    }

    /// Waits until all threads are here: afterwards every thread sees what the others did before. False if the barrier was
    /// released.
    pub fn wait(&self) -> bool {
        let turn = self.turn.0.load(Ordering::Relaxed);
        if self.arrived.0.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.0.store(0, Ordering::Relaxed);
            self.turn.0.store(turn + 1, Ordering::Release);
            return true;
        }
        let mut rounds = 0;
        let since = Instant::now();
        while self.turn.0.load(Ordering::Acquire) == turn {
            if self.released.load(Ordering::Relaxed) {
                return false;
            }
            rounds += 1;
            match rounds {
                0..SPINS => spin_loop(),
                // On a machine with more threads than processors, the awaited thread may need this processor.
                SPINS..YIELDS => thread::yield_now(),
                _ => thread::sleep(SLEEP),
            }
        }
        self.waited.fetch_add(since.elapsed().as_nanos() as u64, Ordering::Relaxed);
        true
    }

    /// Releases all waiting threads for good.
    pub fn release(&self) {
        self.released.store(true, Ordering::Relaxed);
    }
}

/// Releases the other threads if this thread panics.
pub(super) struct ReleaseOnPanic<'a>(pub &'a Barrier);

impl Drop for ReleaseOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.release();
        }
    }
}
