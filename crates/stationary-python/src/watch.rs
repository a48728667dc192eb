//! Who may end a run: Ctrl-C, a flag that threads share, and a function that is told how far it is.

use crate::error::raise;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stationary::error::Error;
use stationary::interrupt;
use stationary_app::run::Progress;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A flag that ends runs on other threads.
#[pyclass(frozen, module = "stationary._core")]
pub struct Stop(Arc<AtomicBool>);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Stop(Arc::default())
    }

    /// Asks all runs that have this flag to end.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether they were asked to.
    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Watches a run that goes on without the interpreter.
pub struct Watcher {
    shared: Arc<Shared>,
    progress: Option<Py<PyAny>>,
}

/// Time between two looks of long work at the signals: the interpreter may be busy elsewhere, and is then waited for.
const TICK: Duration = Duration::from_millis(50);

/// What ends a run, seen from between its steps and from within.
pub struct Shared {
    stop: Option<Arc<AtomicBool>>,
    /// Signals reach the main thread alone; others need not wait for the interpreter to ask.
    main: bool,
    /// What ended the run.
    raised: Mutex<Option<PyErr>>,
    /// When long work last looked.
    looked: Mutex<Instant>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) || lock(&self.raised).is_some()
    }

    /// Whether long work is to be given up.
    fn is_over(&self) -> bool {
        if self.is_stopped() {
            return true;
        }
        if !self.main || lock(&self.looked).elapsed() < TICK {
            return false;
        }
        let signals = Python::attach(|py| py.check_signals());
        *lock(&self.looked) = Instant::now();
        let raised = signals.is_err();
        if let Err(error) = signals {
            *lock(&self.raised) = Some(error);
        }
        raised
    }

    /// Looks at the signals now and then.
    pub fn tick(&self) -> ControlFlow<()> {
        if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Does something with the interpreter; an exception ends the work.
    pub fn tell(&self, something: impl FnOnce(Python<'_>) -> PyResult<()>) -> ControlFlow<()> {
        match Python::attach(something) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                *lock(&self.raised) = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Does some work in which long pieces ask whether to go on.
    pub fn listen<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        let shared = Arc::clone(self);
        interrupt::listen(Rc::new(move || shared.is_over()), work)
    }
}

impl Watcher {
    pub fn new(py: Python<'_>, stop: Option<&Stop>, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        let threading = py.import("threading")?;
        let main = threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?);
        let shared = Shared {
            stop: stop.map(|s| Arc::clone(&s.0)),
            main,
            raised: Mutex::new(None),
            looked: Mutex::new(Instant::now()),
        };
        Ok(Watcher { shared: Arc::new(shared), progress })
    }

    /// What the work that is watched listens to.
    pub fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// Looks around between two steps.
    pub fn look(&mut self, progress: &Progress) -> ControlFlow<()> {
        if self.shared.is_stopped() {
            return ControlFlow::Break(());
        }
        if !self.shared.main && self.progress.is_none() {
            return ControlFlow::Continue(());
        }
        self.shared.tell(|py| self.ask(py, progress))
    }

    fn ask(&self, py: Python<'_>, progress: &Progress) -> PyResult<()> {
        py.check_signals()?;
        let Some(function) = &self.progress else { return Ok(()) };
        let told = PyDict::new(py);
        told.set_item("time", progress.time)?;
        told.set_item("end", progress.end)?;
        told.set_item("part", progress.step as f64 / progress.steps.max(1) as f64)?;
        told.set_item("moves", progress.moves)?;
        told.set_item("energy_error", progress.energy_error)?;
        function.call1(py, (told,))?;
        Ok(())
    }

    /// Whether Ctrl-C was pressed, after the last look at the latest: it leaves a result. All else that ended the run is raised.
    pub fn settle(self, py: Python<'_>) -> PyResult<bool> {
        let late = || if self.shared.main { py.check_signals().err() } else { None };
        let raised = lock(&self.shared.raised).take();
        match raised.or_else(late) {
            Some(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => Ok(true),
            Some(error) => Err(error),
            None => Ok(false),
        }
    }
}

/// Does work without the interpreter that has no steps, and that Ctrl-C ends.
pub fn prepare<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    let watcher = Watcher::new(py, None, None)?;
    let shared = watcher.shared();
    let made = py.detach(|| shared.listen(work));
    match (watcher.settle(py)?, made) {
        (true, Ok(_)) => Err(raise(py, &Error::Interrupted)),
        (_, made) => made.map_err(|e| raise(py, &e)),
    }
}
