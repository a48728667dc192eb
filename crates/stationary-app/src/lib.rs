//! Scenarios, from their text to their results.
//!
//! A *scenario* is a text; it becomes a model, a discrete action and an integrator of [`stationary`], and what observers see of the motion
//! becomes tables, pictures and pages of [`stationary_report`]. [`run::run`] is that path on one screen.

// In the order data flows. `kinds` joins the three above it: they know a kind of system only as the value that its folder makes.

pub mod scenario;

pub mod registry;

pub mod run;

mod kinds;

pub mod schema;

pub mod compare;

pub mod sweep;

#[cfg(doctest)]
mod docs;
