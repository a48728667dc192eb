//! Stationarity of the discrete action, solved: integrators that move a state from step to step.

pub mod avi;
mod boundary;
mod constrained;
mod del;
mod energy_steps;
mod explicit;
mod integrator;
mod legs;
mod method;
mod rk4;
pub mod sparse;

pub use crate::linalg::Storage;
pub use constrained::{Constrained, Fault, settle, stays};
pub use del::Del;
pub use energy_steps::{Adaption, EnergyChoice, EnergySteps, Turning};
pub use explicit::{Composition, Explicit};
pub use integrator::{Integrator, Start, View};
pub use legs::multiply;
pub use method::{BuildError, Extras, Method};
pub use rk4::RungeKutta4;
