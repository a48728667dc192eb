//! Stationarity of the discrete action, solved: integrators that move a state from step to step.

pub mod avi;
mod boundary;
pub mod collide;
mod constrained;
mod del;
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

pub use crate::linalg::Storage;
pub use constrained::{Constrained, Fault, Rattle, settle, stays};
pub use del::Del;
pub use energy_steps::{Adaption, EnergyChoice, EnergySteps, Turning};
pub use explicit::{Composition, Explicit};
pub use impact::{Bounce, Colliding, GapFault, Impact, ImpactKind, check_gaps};
pub use integrator::{Integrator, Start, View};
pub use legs::multiply;
pub use method::{BuildError, Extras, Method};
pub use reduced::Reduced;
pub use rk4::RungeKutta4;
