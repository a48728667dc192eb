//! Scenarios, from their text to their results.
//!
//! A *scenario* is a text; it becomes a model, a discrete action and an integrator of [`stationary`], and what observers see of the motion
//! becomes tables, pictures and pages of [`stationary_report`]. [`run::run`] is that path on one screen.

// In the order data flows; a module uses only those above it.

pub mod scenario;

pub mod registry;

pub mod run;

pub mod schema;

pub mod compare;

pub mod sweep;

#[cfg(doctest)]
mod docs;
