//! The tables of keys and options, for the package: what keywords there are, how they are written and what they mean.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use stationary::error::near_miss;
use stationary_app::registry;
use stationary_app::scenario::keys::{Form, Key, kinds};

/// The keys of every kind of system: rows of path, form, default, meaning and layout.
#[pyfunction]
pub fn keys(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for (kind, keys) in kinds() {
        all.set_item(kind, rows(py, keys)?)?;
    }
    Ok(all)
}

/// The options of every integrator, the same rows.
#[pyfunction]
pub fn options(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for entry in registry::integrators() {
        all.set_item(entry.name, rows(py, entry.options)?)?;
    }
    Ok(all)
}

/// The name that was perhaps meant.
#[pyfunction]
pub fn meant(name: &str, known: Vec<String>) -> Option<String> {
    near_miss(name, known.iter().map(String::as_str)).map(String::from)
}

fn rows<'py>(py: Python<'py>, keys: &[Key]) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let row = |key: &Key| {
        let row = PyDict::new(py);
        row.set_item("path", key.path)?;
        row.set_item("form", key.form.to_string())?;
        row.set_item("required", key.is_required())?;
        row.set_item("default", key.default.value())?;
        row.set_item("meaning", key.meaning())?;
        row.set_item("layout", layout(&key.form))?;
        Ok(row)
    };
    keys.iter().map(row).collect()
}

/// How a value is best written in TOML.
fn layout(form: &Form) -> &'static str {
    match form {
        Form::Table | Form::Named(_) => "table",
        Form::Tables | Form::Materials => "tables",
        Form::Drawings => "list of tables",
        _ => "value",
    }
}
