//! Time integration: integrators that solve the stationarity of the discrete action from step to step.

pub mod avi;
mod boundary;
pub mod collide;
mod constrained;
mod discrete_euler_lagrange;
mod energy_steps;
mod explicit;
pub mod group;
mod impact;
mod integrator;
mod legs;
mod method;
pub mod phase;
mod reduced;
mod rk4;
pub mod sparse;
pub mod statics;

pub use crate::linalg::Storage;
pub use constrained::{Constrained, Fault, Rattle, settle, stays};
pub use discrete_euler_lagrange::DiscreteEulerLagrange;
pub use energy_steps::{Adaption, EnergyStepSpec, EnergySteps, Turning};
pub use explicit::{Composition, Explicit};
pub use impact::{Bounce, Colliding};
pub use integrator::{Integrator, Start, View};
pub use legs::multiply;
pub use method::{BuildError, Interactions, Method};
pub use reduced::Reduced;
pub use rk4::RungeKutta4;
