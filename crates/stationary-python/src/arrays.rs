//! Vectors of Rust as arrays of NumPy: the array owns the vector, nothing is copied.

use numpy::{Element, IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;

/// A vector as an array of some shape.
pub fn shaped<'py, T: Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    Ok(numbers.into_pyarray(py).reshape(shape)?.into_any())
}

/// Rows of `width` numbers.
pub fn rows<T: Element>(py: Python<'_>, numbers: Vec<T>, width: usize) -> PyResult<Bound<'_, PyAny>> {
    let count = numbers.len() / width.max(1);
    shaped(py, numbers, &[count, width])
}
