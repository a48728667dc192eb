//! Stationary: mechanics that stays true over long runs.
//!
//! Forces are never discretised. Hamilton's principle is: a *model* (what moves, what energy it has) becomes a *discrete action*,
//! stationarity of the action an *integrator*, and *observers* turn its moves into numbers. This crate reads and writes no files;
//! `stationary-app` runs scenarios from their text to their results.
//!
//! Start with [`model::System`] (a function generic over the scalar) and
//! [`integrate::Method`]:
//!
//! ```
//! use stationary::integrate::{Method, Start};
//! use stationary::model::{Auto, Scalar, System};
//!
//! struct Pendulum;
//! impl System<1> for Pendulum {
//!     fn lagrangian<S: Scalar>(&self, _t: S, [theta]: [S; 1], [omega]: [S; 1]) -> S {
//!         omega.squared() * 0.5 + theta.cos()
//!     }
//! }
//!
//! let start = Start { t: 0.0, q: vec![2.0], p: vec![0.0], h: 0.1 };
//! let mut run = Method::Gauss { stages: 2 }.start(Auto::new(Pendulum), &start, 1e-15).unwrap();
//! run.advance(10_000).unwrap();
//! let energy = |q: f64, p: f64| 0.5 * p * p - q.cos();
//! assert!((energy(run.view().q[0], run.view().p[0]) - energy(2.0, 0.0)).abs() < 2e-6);
//! ```

// In the order data flows; a module uses only those above it.

pub mod error;

pub mod interrupt;

pub mod archive;

pub mod linalg;

pub mod formula;

pub mod mesh;

pub mod model;

pub mod action;

pub mod contact;

pub mod integrate;

pub mod laws;

pub mod observe;
