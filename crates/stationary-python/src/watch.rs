//! Who may end a run: Ctrl-C, a flag that threads share, and a function that is told how far it is.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stationary::run::Progress;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    stop: Option<Arc<AtomicBool>>,
    progress: Option<Py<PyAny>>,
    /// Signals reach the main thread alone; others need not wait for the interpreter to ask.
    main: bool,
    /// What ended the run.
    raised: Option<PyErr>,
}

impl Watcher {
    pub fn new(py: Python<'_>, stop: Option<&Stop>, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        let threading = py.import("threading")?;
        let main = threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?);
        Ok(Watcher { stop: stop.map(|s| Arc::clone(&s.0)), progress, main, raised: None })
    }

    /// Looks around between two steps.
    pub fn look(&mut self, progress: &Progress) -> ControlFlow<()> {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return ControlFlow::Break(());
        }
        if !self.main && self.progress.is_none() {
            return ControlFlow::Continue(());
        }
        match Python::attach(|py| self.ask(py, progress)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
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
        let late = || if self.main { py.check_signals().err() } else { None };
        match self.raised.or_else(late) {
            Some(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => Ok(true),
            Some(error) => Err(error),
            None => Ok(false),
        }
    }
}
