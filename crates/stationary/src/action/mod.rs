//! Discrete Lagrangians: `L_d(q0, q1, h)`, an approximation of the action between two points.
//!
//! A new one is one file that implements [`DiscreteLagrangian`]; see `docs/src/new-discrete-lagrangian.md`.

mod discrete;
mod force;
mod galerkin;
mod newmark;
pub mod quadrature;
mod routh;

pub use discrete::{DiscreteLagrangian, Leg, Length, QuadraturePoint, Slots};
pub use force::{DiscreteForce, SampledForce, WithForce};
pub use galerkin::Galerkin;
pub use newmark::Newmark;
pub use routh::Routh;
