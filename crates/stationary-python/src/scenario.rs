//! Scenarios: read, checked, run.

use crate::arrays::{rows, shaped};
use crate::error::raise;
use crate::mesh::{Mesh, triples};
use crate::outcome::dictionary;
use crate::simulation::Simulation;
use crate::watch::{Stop, Watcher, prepare};
use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stationary::integrate::sparse::modes::Mode;
use stationary_app::run;
use stationary_app::scenario::{self, Given, Template};
use std::path::PathBuf;
use std::sync::Arc;

/// A scenario that was read and checked.
#[pyclass(frozen, module = "stationary._core")]
pub struct Scenario(pub scenario::Scenario);

/// Arrays that stand in for files.
pub fn given(mesh: Option<&Mesh>, state: Option<[PyReadonlyArray2<'_, f64>; 2]>) -> PyResult<Given> {
    let state = state.map(|[x, v]| PyResult::Ok(Arc::new([triples(&x, "x")?, triples(&v, "v")?])));
    Ok(Given { mesh: mesh.map(|mesh| Arc::clone(&mesh.0)), state: state.transpose()? })
}

#[pymethods]
impl Scenario {
    /// Reads a text. `name` is what messages call it; files that it names are in `folder`.
    #[new]
    #[pyo3(signature = (name, text, overrides, folder=None, mesh=None, state=None))]
    fn new(
        py: Python<'_>,
        name: &str,
        text: &str,
        overrides: Vec<(String, String)>,
        folder: Option<PathBuf>,
        mesh: Option<&Mesh>,
        state: Option<[PyReadonlyArray2<'_, f64>; 2]>,
    ) -> PyResult<Self> {
        let mut read = scenario::Scenario::read(name, text, &overrides).map_err(|e| raise(py, &e))?;
        read.folder = folder;
        read.given = given(mesh, state)?;
        Ok(Scenario(read))
    }

    /// Reads a file, or a scenario that is shipped.
    #[staticmethod]
    fn open(py: Python<'_>, name: &str, overrides: Vec<(String, String)>) -> PyResult<Self> {
        let read = Template::find(name).and_then(|template| template.read(&overrides));
        read.map(Scenario).map_err(|e| raise(py, &e))
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Its text.
    #[getter]
    fn text(&self) -> &str {
        &self.0.source.text
    }

    /// What moves: "formula", "solid", "body" or "bodies".
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind_name()
    }

    /// The coordinates of a system given by formulas.
    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.0.formula().map(|system| system.coordinates.clone()).unwrap_or_default()
    }

    /// Runs it; without `keep` for its summary alone.
    #[pyo3(signature = (out=None, resume=false, stop=None, progress=None, keep=true))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        out: Option<PathBuf>,
        resume: bool,
        stop: Option<&Stop>,
        progress: Option<Py<PyAny>>,
        keep: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut watcher = Watcher::new(py, stop, progress)?;
        let shared = watcher.shared();
        let outcome = py.detach(|| {
            let mut watch = |progress: &run::Progress| watcher.look(progress);
            shared.listen(|| match (keep, &out, resume) {
                (true, out, resume) => run::gather(&self.0, out.as_deref(), resume, &mut watch),
                (false, Some(out), false) => run::run(&self.0, out, &mut watch),
                (false, Some(out), true) => run::resume(&self.0, out, &mut watch),
                (false, None, _) => run::measure(&self.0, &mut watch),
            })
        });
        let pressed = watcher.settle(py)?;
        let mut outcome = outcome.map_err(|e| raise(py, &e))?;
        outcome.interrupted |= pressed;
        dictionary(py, outcome)
    }

    /// The system, to be moved on by hand.
    fn start(&self, py: Python<'_>) -> PyResult<Simulation> {
        prepare(py, || run::Simulation::new(self.0.clone())).map(Simulation::new)
    }

    /// Which nearby energy its steps follow: the terms that are known, and how much each truncation varies.
    fn explain_energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = prepare(py, || run::explain_energy(&self.0))?;
        let all = PyDict::new(py);
        all.set_item("method", report.method)?;
        all.set_item("order", report.order)?;
        all.set_item("steps", report.steps)?;
        all.set_item("scale", report.scale)?;
        let terms = report.terms.iter().map(|t| (t.name, t.formula, t.at_start));
        all.set_item("terms", terms.collect::<Vec<_>>())?;
        let rows = report.rows.iter().map(|row| (&row.what, row.varies, row.order()));
        all.set_item("rows", rows.collect::<Vec<_>>())?;
        all.set_item("notes", report.notes)?;
        Ok(all)
    }

    /// The lowest natural frequencies and mode shapes of a solid; with a folder, tables, shapes and a page are written there.
    #[pyo3(signature = (count, out=None))]
    fn modes<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        out: Option<PathBuf>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let outcome = prepare(py, || run::natural_modes(&self.0, count, out.as_deref()))?;
        let modes = &outcome.modes.modes;
        let numbers = |value: &dyn Fn(&Mode) -> f64| modes.iter().map(value).collect::<Vec<f64>>();
        let nodes = modes.first().map_or(0, |mode| mode.shape.len() / 3);
        let shapes: Vec<f64> = modes.iter().flat_map(|mode| &mode.shape).copied().collect();
        let participation: Vec<f64> = modes.iter().flat_map(|mode| mode.participation).collect();
        let all = PyDict::new(py);
        all.set_item("kinds", modes.iter().map(|mode| mode.kind.name()).collect::<Vec<_>>())?;
        all.set_item("eigenvalues", numbers(&|mode| mode.eigenvalue).into_pyarray(py))?;
        all.set_item("angular_frequencies", numbers(&Mode::angular_frequency).into_pyarray(py))?;
        all.set_item("damping_ratios", numbers(&|mode| mode.damping).into_pyarray(py))?;
        all.set_item("residuals", numbers(&|mode| mode.residual).into_pyarray(py))?;
        all.set_item("participation", rows(py, participation, 3)?)?;
        all.set_item("shapes", shaped(py, shapes, &[modes.len(), nodes, 3])?)?;
        all.set_item("free_mass", outcome.modes.free_mass.to_vec().into_pyarray(py))?;
        all.set_item("warnings", &outcome.warnings)?;
        all.set_item("notes", &outcome.notes)?;
        all.set_item("summary", outcome.summary.to_string())?;
        Ok(all)
    }

    /// What a run would be, in lines; builds everything, runs nothing.
    fn check(&self, py: Python<'_>) -> PyResult<String> {
        prepare(py, || run::check(&self.0)).map(|description| description.to_string())
    }
}
