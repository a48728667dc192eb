//! Stationary: mechanics that stays true over long runs.
#![warn(missing_docs)]

pub mod error;
pub mod linalg;

pub mod action;
pub mod formula;
pub mod integrate;
pub mod laws;
pub mod model;
pub mod report;
