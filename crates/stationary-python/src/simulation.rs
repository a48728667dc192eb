//! A system moved on by hand.

use crate::arrays::rows;
use crate::error::raise;
use crate::mesh::triples;
use crate::watch::{Stop, Watcher};
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict};
use stationary::error::Error;
use stationary_app::run::{self, Progress};
use stationary_app::scenario::FrameFormat;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A system in motion; of a solid, nodes and elements in the order of its mesh.
///
/// The lock is for threads that share one: whoever waits for it does not hold the interpreter.
#[pyclass(frozen, module = "stationary._core")]
pub struct Simulation(Mutex<run::Simulation>);

impl Simulation {
    pub fn new(simulation: run::Simulation) -> Self {
        Simulation(Mutex::new(simulation))
    }

    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut run::Simulation) -> T + Send) -> T {
        py.detach(|| work(&mut self.lock()))
    }

    /// The state is whole between calls of the library, whatever a thread died of.
    fn lock(&self) -> MutexGuard<'_, run::Simulation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attempt<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut run::Simulation) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        self.with(py, work).map_err(|e| raise(py, &e))
    }

    /// Does what can be done with solids alone.
    fn with_solid<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut run::SolidSimulation) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let made = self.with(py, |s| s.solid().map(work));
        made.ok_or_else(|| PyTypeError::new_err("this is no solid"))?.map_err(|e| raise(py, &e))
    }
}

#[pymethods]
impl Simulation {
    /// Goes on to a time: "reached" or "interrupted".
    #[pyo3(signature = (until, stop=None, progress=None))]
    fn advance(
        &self,
        py: Python<'_>,
        until: f64,
        stop: Option<&Stop>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<&'static str> {
        let mut watcher = Watcher::new(py, stop, progress)?;
        let shared = watcher.shared();
        let reached = self.with(py, |s| {
            let mut watch = |p: &Progress| watcher.look(p);
            shared.listen(|| s.advance(until, &mut watch))
        });
        let pressed = watcher.settle(py)?;
        let reached = reached.map_err(|e| raise(py, &e))?;
        Ok(if reached.is_break() || pressed { "interrupted" } else { "reached" })
    }

    /// The time reached.
    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        self.with(py, |s| s.time())
    }

    /// Events of elements, or steps of the whole.
    #[getter]
    fn moves(&self, py: Python<'_>) -> u64 {
        self.with(py, |s| s.moves())
    }

    /// Whether it is one of a solid.
    #[getter]
    fn is_solid(&self, py: Python<'_>) -> bool {
        self.with(py, |s| s.solid().is_some())
    }

    /// Time, positions, velocities and momenta now.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = self.attempt(py, |s| Ok(s.state()?))?;
        let all = PyDict::new(py);
        all.set_item("t", state.t)?;
        for (key, values) in [("q", state.q), ("v", state.v), ("p", state.p)] {
            all.set_item(key, values.into_pyarray(py))?;
        }
        Ok(all)
    }

    /// The columns of the series now.
    fn row<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.attempt(py, |s| Ok(s.row()?))?.into_py_dict(py)
    }

    /// Replaces positions, velocities or both; the run begins anew there.
    #[pyo3(signature = (q=None, v=None))]
    fn set(
        &self,
        py: Python<'_>,
        q: Option<PyReadonlyArray1<'_, f64>>,
        v: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<()> {
        let [q, v] = [q, v].map(|all| all.map(|all| all.as_array().to_vec()));
        self.attempt(py, |s| s.set(q.as_deref(), v.as_deref()))
    }

    /// The solid now.
    fn look<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let view = self.with_solid(py, |s| Ok(s.look()?))?;
        let all = PyDict::new(py);
        all.set_item("t", view.t)?;
        all.set_item("x", rows(py, view.x.into_flattened(), 3)?)?;
        all.set_item("v", rows(py, view.v.into_flattened(), 3)?)?;
        for (key, value) in [
            ("kinetic", view.kinetic),
            ("potential", view.potential),
            ("work", view.work),
            ("dissipated", view.dissipated),
            ("linear_balance", view.linear_balance),
            ("angular_balance", view.angular_balance),
        ] {
            all.set_item(key, value)?;
        }
        for (key, vector) in [("linear", view.linear), ("angular", view.angular)] {
            all.set_item(key, vector.to_vec().into_pyarray(py))?;
        }
        let reactions = PyDict::new(py);
        for (name, impulse) in view.reactions {
            reactions.set_item(name, impulse.to_vec().into_pyarray(py))?;
        }
        all.set_item("reactions", reactions)?;
        Ok(all)
    }

    /// Replaces positions, velocities or both of the nodes of a solid; the run begins anew there.
    #[pyo3(signature = (x=None, v=None))]
    fn set_nodes(
        &self,
        py: Python<'_>,
        x: Option<PyReadonlyArray2<'_, f64>>,
        v: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<()> {
        let x = x.map(|x| triples(&x, "positions")).transpose()?;
        let v = v.map(|v| triples(&v, "velocities")).transpose()?;
        self.with_solid(py, |s| s.set(x.as_deref(), v.as_deref()))
    }

    /// Reference positions.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rows(py, self.with_solid(py, |s| Ok(s.points()))?.into_flattened(), 3)
    }

    /// The block and the cell of the mesh that each element is.
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let cells = self.with_solid(py, |s| Ok(s.elements()))?;
        rows(py, cells.into_iter().flat_map(|(block, cell)| [block, cell]).collect(), 2)
    }

    /// VTK's number of the kind, and the nodes, of the elements in their order.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Vec<(u8, Bound<'py, PyAny>)>> {
        let blocks = self.with_solid(py, |s| Ok(s.cells()))?.into_iter();
        blocks.map(|b| Ok((b.vtk_type, rows(py, b.nodes, b.per_cell)?))).collect()
    }

    /// The step of each element.
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.with_solid(py, |s| Ok(s.steps()))?.into_pyarray(py).into_any())
    }

    /// Updates of each element so far.
    fn updates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.with_solid(py, |s| Ok(s.updates()))?.into_pyarray(py).into_any())
    }

    /// The true stress of each element: xx, yy, zz, xy, yz, xz.
    fn stress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rows(py, self.with_solid(py, |s| Ok(s.stresses()?))?.into_flattened(), 6)
    }

    /// Attaches a probe: a formula at the node nearest to a place.
    fn probe(&self, py: Python<'_>, name: &str, at: [f64; 3], value: &str) -> PyResult<()> {
        self.with_solid(py, |s| s.attach_probe(name, at, value))
    }

    /// What all probes show now.
    fn probes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.with_solid(py, |s| Ok(s.probes()?))?.into_py_dict(py)
    }

    /// Writes one more frame into a folder.
    fn frame(&self, py: Python<'_>, folder: PathBuf, format: &str) -> PyResult<()> {
        let format = match format {
            "vtu" => FrameFormat::Vtu,
            "xdmf" => FrameFormat::Xdmf,
            other => {
                let message = format!("frames cannot be `{other}`: expected \"vtu\" or \"xdmf\"");
                return Err(PyValueError::new_err(message));
            }
        };
        self.with_solid(py, |s| s.write_frame(&folder, format))
    }

    /// Saves the state.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.attempt(py, |s| s.save(&path))
    }

    /// Goes to a saved state.
    fn restore(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.attempt(py, |s| s.restore(&path))
    }

    /// The state, as `save` writes it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.with(py, |s| s.to_bytes()))
    }

    /// Goes to a state of `to_bytes`.
    #[pyo3(name = "from_bytes")]
    fn restore_bytes(&self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        self.attempt(py, |s| s.from_bytes(data))
    }
}
