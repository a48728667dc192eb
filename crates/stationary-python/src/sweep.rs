//! Sweeps: the application's plan and threads, with every run handed to Python when it is over.

use crate::error::raise;
use crate::mesh::Mesh;
use crate::outcome::dictionary;
use crate::scenario::{Scenario, given};
use crate::watch::Watcher;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use stationary_app::scenario::Template;
use stationary_app::sweep::{Factor, HandOver, Made, Plan, Sweep};
use std::path::PathBuf;

/// The scenario of a sweep: the arguments of `Scenario`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Base<'py> {
    name: String,
    text: String,
    overrides: Vec<(String, String)>,
    folder: Option<PathBuf>,
    mesh: Option<Py<Mesh>>,
    state: Option<[PyReadonlyArray2<'py, f64>; 2]>,
}

/// What varies and how the runs are made.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Ways {
    /// Keys that vary together, and their values row by row.
    factors: Vec<(Vec<String>, Vec<Vec<String>>)>,
    /// What is the same in all runs.
    set: Vec<(String, String)>,
    jobs: usize,
    tables: bool,
    out: Option<PathBuf>,
}

/// The row of each factor in every run; the last factor varies fastest.
#[pyfunction]
pub fn plan(py: Python<'_>, factors: Vec<(Vec<String>, Vec<Vec<String>>)>) -> PyResult<Vec<Vec<usize>>> {
    let factors = factors.into_iter().map(|(keys, rows)| Factor { keys, rows }).collect();
    let plan = Plan::new(factors).map_err(|e| raise(py, &e))?;
    Ok((0..plan.len()).map(|run| plan.rows(run)).collect())
}

/// Makes all runs without the interpreter. `done` is called with the number of each run when it is over, with what came of it (a
/// dictionary, or the exception that refused it) and with its scenario. Returns whether Ctrl-C ended the sweep before the last run.
#[pyfunction]
pub fn sweep(py: Python<'_>, base: Base<'_>, ways: Ways, done: Py<PyAny>) -> PyResult<bool> {
    let given = given(base.mesh.as_ref().map(Py::get), base.state)?;
    let template = Template::new(&base.name, &base.text).within(base.folder, given).replacing(base.overrides);
    let factors = ways.factors.into_iter().map(|(keys, rows)| Factor { keys, rows }).collect();
    let plan = Plan::new(factors).map_err(|e| raise(py, &e))?;
    let sweep = Sweep { template, set: ways.set, plan };
    let options = HandOver { jobs: ways.jobs, tables: ways.tables, out: ways.out };
    let watcher = Watcher::new(py, None, None)?;
    let shared = watcher.shared();
    let ended = py.detach(|| {
        let mut watch = |_: &stationary_app::sweep::SweepProgress| shared.tick();
        let mut note = |made: Made| shared.tell(|py| tell(py, made, &done));
        shared.listen(|| sweep.hand_over(&options, &mut watch, &mut note))
    });
    let pressed = watcher.settle(py)?;
    Ok(ended.map_err(|e| raise(py, &e))? || pressed)
}

/// Hands a run to the function that waits for it.
fn tell(py: Python<'_>, made: Made, done: &Py<PyAny>) -> PyResult<()> {
    let scenario = made.scenario.map(Scenario);
    match made.outcome {
        Ok(outcome) => done.call1(py, (made.run, dictionary(py, outcome)?, scenario))?,
        Err(why) => done.call1(py, (made.run, raise(py, &why).into_value(py), scenario))?,
    };
    Ok(())
}
