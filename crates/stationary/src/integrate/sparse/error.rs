//! Why a step of a body fails.

use crate::error::{Cause, RunError};
use crate::model::PotentialFault;
use std::fmt;

/// A run that could not go on.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseError {
    /// The last time at which everything was well.
    pub time: f64,
    /// Steps completed by then.
    pub step: u64,
    /// What happened.
    pub cause: SparseCause,
}

/// Why a run could not go on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SparseCause {
    /// An element has no energy where the step leads.
    Potential(PotentialFault),
    /// Newton's method did not reach its tolerance.
    Newton {
        /// Iterations made.
        iterations: usize,
        /// Largest component of the last residual, relative to what the positions contribute to it.
        residual: f64,
    },
    /// The matrix of a step is singular, or too large for the memory.
    Singular,
    /// The user ended the step ([`interrupt`](crate::interrupt)); it was not made.
    Interrupted,
    /// A value that should be a number is not one.
    NotFinite {
        /// Which value.
        what: &'static str,
    },
}

impl From<PotentialFault> for SparseCause {
    fn from(fault: PotentialFault) -> Self {
        SparseCause::Potential(fault)
    }
}

impl From<SparseError> for RunError {
    fn from(SparseError { time, step, cause }: SparseError) -> Self {
        let cause = match cause {
            SparseCause::Potential(fault) => Cause::Element {
                number: fault.number,
                time,
                why: fault.why,
                remedy: "a smaller step may help".into(),
            },
            SparseCause::Newton { iterations, residual } => Cause::Newton { iterations, residual },
            SparseCause::Singular => Cause::Singular,
            SparseCause::Interrupted => Cause::Interrupted,
            SparseCause::NotFinite { what } => Cause::NotFinite { what: what.to_string() },
        };
        RunError { time, step, cause }
    }
}

impl fmt::Display for SparseCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SparseCause::Potential(fault) => write!(f, "{fault}; a smaller step may help"),
            SparseCause::Newton { iterations, residual } => write!(
                f,
                "Newton's method left a relative residual of {residual:.3e} after {iterations} iterations; \
                 a smaller step usually helps"
            ),
            SparseCause::Singular => {
                write!(f, "the step's linear system is singular or too large for the memory")
            }
            SparseCause::Interrupted => write!(f, "interrupted"),
            SparseCause::NotFinite { what } => write!(f, "{what} is no longer a finite number"),
        }
    }
}

impl fmt::Display for SparseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stopped at time {} after {} steps: {}", self.time, self.step, self.cause)
    }
}

impl std::error::Error for SparseError {}
