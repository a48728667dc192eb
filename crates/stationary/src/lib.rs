//! Stationary: mechanics that stays true over long runs.
#![warn(missing_docs)]

pub mod error;
pub mod linalg;

pub mod formula;
pub mod scenario;
pub mod model;
pub mod action;
pub mod integrate;
pub mod report;
pub mod laws;
