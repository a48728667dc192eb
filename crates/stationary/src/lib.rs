//! Stationary: mechanics that stays true over long runs.
#![warn(missing_docs)]

pub mod error;
pub mod scenario;
