//! Stationary: mechanics that stays true over long runs.
#![warn(missing_docs)]

pub mod action;
pub mod error;
pub mod integrate;
pub mod laws;
pub mod linalg;
pub mod model;
