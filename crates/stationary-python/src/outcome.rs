//! What came of a run, as a dictionary of plain objects and arrays.

use crate::arrays::{rows, shaped};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use stationary_app::run::{Conserved, RunOutcome};
use stationary_report::frames::{InMemoryFrames, InMemoryValues};
use stationary_report::html;
use stationary_report::{Column, Listing, Table};

/// The page of a run.
#[pyclass(frozen, module = "stationary._core")]
pub struct Page(html::Page);

#[pymethods]
impl Page {
    /// The whole page, `report.html`.
    fn html(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.to_html())
    }

    /// What was conserved and the plots, for a page of somebody else: no scripts.
    fn fragment(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.to_fragment())
    }
}

/// Everything about a run.
pub fn dictionary<'py>(py: Python<'py>, outcome: RunOutcome) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let in_memory = outcome.in_memory;
    let (columns, table) = table(py, in_memory.series.unwrap_or_default())?;
    all.set_item("columns", columns)?;
    all.set_item("table", table)?;
    all.set_item("summary", outcome.summary.to_string())?;
    let row = |c: Conserved| (c.quantity, c.initial, c.worst, c.verdict, c.change, c.constant);
    let conserved = outcome.conserved.into_iter().map(row);
    all.set_item("conserved", conserved.collect::<Vec<_>>())?;
    let claims = outcome.claims.into_iter().map(|c| (c.text, c.holds, c.measured, c.reason));
    all.set_item("claims", claims.collect::<Vec<_>>())?;
    all.set_item("stopped", outcome.stopped.map(|e| (e.time, e.step, e.to_string())))?;
    all.set_item("interrupted", outcome.interrupted)?;
    all.set_item("warnings", outcome.warnings)?;
    all.set_item("notes", outcome.notes)?;
    let files = outcome.files.iter().map(|f| f.display().to_string());
    all.set_item("files", files.collect::<Vec<_>>())?;
    all.set_item("section", in_memory.section.map(|t| self::table(py, t)).transpose()?)?;
    all.set_item("impacts", in_memory.impacts.map(|l| listing(py, l)).transpose()?)?;
    all.set_item("frames", in_memory.frames.map(|f| frames(py, f)).transpose()?)?;
    all.set_item("page", in_memory.page.map(Page))?;
    Ok(all)
}

fn table(py: Python<'_>, table: Table) -> PyResult<(Vec<String>, Bound<'_, PyAny>)> {
    let width = table.columns.len();
    Ok((table.columns, rows(py, table.numbers, width)?))
}

fn listing(py: Python<'_>, listing: Listing) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for (name, column) in listing.columns {
        match column {
            Column::Numbers(numbers) => all.set_item(name, numbers.into_pyarray(py))?,
            Column::Words(words) => all.set_item(name, words)?,
        }
    }
    Ok(all)
}

fn frames(py: Python<'_>, frames: InMemoryFrames) -> PyResult<Bound<'_, PyDict>> {
    let count = frames.times.len();
    let (points, cells) = (frames.points.len() / 3, PyList::empty(py));
    let mut elements = 0;
    for block in frames.blocks {
        elements += block.nodes.len() / block.per_cell;
        cells.append((block.vtk_type, rows(py, block.nodes, block.per_cell)?))?;
    }
    let all = PyDict::new(py);
    all.set_item("times", frames.times.into_pyarray(py))?;
    all.set_item("points", rows(py, frames.points, 3)?)?;
    all.set_item("cells", cells)?;
    for (key, fields, each) in
        [("point_data", frames.point_fields, points), ("cell_data", frames.cell_fields, elements)]
    {
        let data = PyDict::new(py);
        for field in fields {
            let shape: &[usize] = match field.components {
                1 => &[count, each],
                n => &[count, each, n],
            };
            let array = match field.values {
                InMemoryValues::Floats(x) => shaped(py, x, shape)?,
                InMemoryValues::Counts(n) => shaped(py, n, shape)?,
            };
            data.set_item(field.name, array)?;
        }
        all.set_item(key, data)?;
    }
    Ok(all)
}
