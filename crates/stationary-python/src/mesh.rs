//! Meshes from arrays and files.

use crate::arrays::rows;
use crate::error::raise;
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use stationary::error::Error;
use stationary::mesh::{self, CellKind, NewGroup};
use std::path::PathBuf;
use std::sync::Arc;

/// Points, cells and named groups, checked.
#[pyclass(frozen, module = "stationary._core")]
pub struct Mesh(pub Arc<mesh::Mesh>);

type Cells<'py> = Vec<(String, PyReadonlyArray2<'py, u32>)>;
type Groups<'py> =
    Vec<(String, Option<PyReadonlyArray1<'py, u32>>, Vec<(usize, PyReadonlyArray1<'py, u32>)>)>;

#[pymethods]
impl Mesh {
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        points: PyReadonlyArray2<'_, f64>,
        cells: Cells<'_>,
        groups: Groups<'_>,
    ) -> PyResult<Self> {
        let points = triples(&points, "points")?;
        let mut blocks = Vec::new();
        for (word, nodes) in &cells {
            let kind = CellKind::from_name(word).map_err(|d| raise(py, &d.into()))?;
            if nodes.shape()[1] != kind.nodes() {
                let message = format!(
                    "cells of the kind `{word}` have {} nodes each, found {}",
                    kind.nodes(),
                    nodes.shape()[1]
                );
                return Err(PyValueError::new_err(message));
            }
            blocks.push((kind, nodes.as_array().iter().copied().collect()));
        }
        let numbers = |array: &PyReadonlyArray1<'_, u32>| array.as_array().to_vec();
        let group = |(name, nodes, cells): &(String, Option<_>, Vec<(usize, _)>)| NewGroup {
            name: name.clone(),
            nodes: nodes.as_ref().map(numbers).unwrap_or_default(),
            cells: cells.iter().map(|(block, some)| (*block, numbers(some))).collect(),
        };
        let groups = groups.iter().map(group).collect();
        let made = py.detach(|| mesh::Mesh::from_arrays(name, points, blocks, groups));
        made.map(|mesh| Mesh(Arc::new(mesh))).map_err(|e| raise(py, &e))
    }

    /// Reads a file: Gmsh, VTU or Abaqus.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read: Result<_, Error> = py.detach(|| stationary_report::files::read_mesh(&path));
        read.map(|mesh| Mesh(Arc::new(mesh))).map_err(|e| raise(py, &e))
    }

    /// Reference positions.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rows(py, self.0.points.as_flattened().to_vec(), 3)
    }

    /// Kind and nodes of the cells, a block for each kind.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Vec<(&'static str, Bound<'py, PyAny>)>> {
        let block =
            |cells: &mesh::Cells| Ok((cells.kind.word(), rows(py, cells.nodes.clone(), cells.kind.nodes())?));
        self.0.cells.iter().map(block).collect()
    }

    /// Name, nodes, and cells by block, of each group.
    #[getter]
    #[allow(clippy::type_complexity)]
    fn groups<'py>(
        &self,
        py: Python<'py>,
    ) -> Vec<(String, Bound<'py, PyAny>, Vec<(u32, Bound<'py, PyAny>)>)> {
        let array = |numbers: Vec<u32>| numbers.into_pyarray(py).into_any();
        let group = |group: &mesh::Group| {
            let blocks = group.cells.chunk_by(|a, b| a.0 == b.0);
            let cells = blocks.map(|own| (own[0].0, array(own.iter().map(|c| c.1).collect())));
            (group.name.clone(), array(group.nodes.clone()), cells.collect())
        };
        self.0.groups.iter().map(group).collect()
    }
}

/// Rows of three numbers.
pub fn triples(array: &PyReadonlyArray2<'_, f64>, what: &str) -> PyResult<Vec<[f64; 3]>> {
    if array.shape()[1] != 3 {
        let shape = array.shape();
        let message = format!("{what} must have the shape (n, 3), found ({}, {})", shape[0], shape[1]);
        return Err(PyValueError::new_err(message));
    }
    Ok(array.as_array().rows().into_iter().map(|row| [row[0], row[1], row[2]]).collect())
}
