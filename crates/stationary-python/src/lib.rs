//! The extension module behind `import stationary`: scenarios, runs, meshes and solids in motion, with their numbers as arrays
//! that nobody copies. What is convenient is written in Python, around this.

mod arrays;
mod error;
mod mesh;
mod tables;

mod outcome;
mod scenario;
mod simulation;
mod sweep;

mod watch;

use pyo3::prelude::*;

/// The engine of Stationary; use the package `stationary`, which is made of it.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::mesh::Mesh;
    #[pymodule_export]
    use super::outcome::Page;
    #[pymodule_export]
    use super::scenario::Scenario;
    #[pymodule_export]
    use super::simulation::Simulation;
    #[pymodule_export]
    use super::sweep::{plan, sweep};
    #[pymodule_export]
    use super::tables::{keys, meant, options};
    #[pymodule_export]
    use super::watch::Stop;

    use super::*;
    use stationary_app::scenario;

    /// The names of the scenarios shipped with the program.
    #[pyfunction]
    fn shipped() -> Vec<&'static str> {
        scenario::shipped::all().iter().map(|s| s.name).collect()
    }

    /// The JSON Schema of scenarios, as text.
    #[pyfunction]
    fn schema() -> String {
        stationary_app::schema::schema().to_string()
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Loads NumPy's functions now: later, with a signal pending, that could fail.
        numpy::PyArray1::<f64>::zeros(module.py(), 0, false);
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
