//! Errors of the library as exceptions of the package, with the message that the program prints.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use stationary::error::{Error, RunError, visible};

/// The exception for an error; what cannot be made is an exception, too.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    // It ends up on a terminal.
    let text = visible(&error.to_string()).into_owned();
    let made = match error {
        Error::Input(d) => {
            let (line, column) = d.line_column().unzip();
            let file = d.source.as_ref().map(|source| source.name.clone());
            make(py, "InputError", (text, d.message.clone(), file, line, column, d.help.clone()))
        }
        Error::Run(e) => return stopped(py, e),
        Error::Io { path, message } => make(py, "FileError", (text, path.clone(), message.clone())),
        Error::Interrupted => make(py, "Interrupted", (text,)),
    };
    made.unwrap_or_else(|e| e)
}

/// The exception for a run that could not go on.
pub fn stopped(py: Python<'_>, error: &RunError) -> PyErr {
    make(py, "RunError", (error.to_string(), error.time, error.step)).unwrap_or_else(|e| e)
}

fn make<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<PyErr> {
    let class = py.import("stationary._errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call1(arguments.into_pyobject(py)?)?))
}
