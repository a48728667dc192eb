//! Why no equilibrium is found.

use crate::error::{Cause, RunError};
use crate::model::PotentialFault;
use std::fmt;

/// A load step that could not be made, however short.
#[derive(Debug, Clone, PartialEq)]
pub struct StaticsError {
    /// The time of the last equilibrium.
    pub time: f64,
    /// Load steps made.
    pub step: u64,
    /// The time that could not be reached.
    pub beyond: f64,
    /// The part of the way from start to end at the last equilibrium, the load factor of loads that grow in proportion to time; NaN where the
    /// equilibrium at the start is not found.
    pub factor: f64,
    /// Why.
    pub cause: StaticsCause,
}

/// Why there is no equilibrium.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum StaticsCause {
    /// The tangent stiffness is singular or indefinite: a limit or bifurcation point, or a mechanism.
    NotPositive,
    /// Newton's method did not reach its tolerance.
    Newton {
        /// Iterations made.
        iterations: usize,
        /// Largest residual over the forces.
        residual: f64,
    },
    /// An element has no energy in a configuration that was tried.
    Potential(PotentialFault),
    /// A force is not a finite number.
    NotFinite,
    /// The factors of the tangent do not fit in memory.
    Memory,
    /// The user ended the step ([`interrupt`](crate::interrupt)); it was not made.
    Interrupted,
}

impl From<PotentialFault> for StaticsCause {
    fn from(fault: PotentialFault) -> Self {
        StaticsCause::Potential(fault)
    }
}

/// What helps beyond a limit point.
const BEYOND: &str = "prescribe a displacement that grows with `t` instead of the load (displacement control), or follow the motion with a dynamic \
     integrator and damping";

impl fmt::Display for StaticsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stopped at time {} after {} load steps: ", self.time, self.step)?;
        f.write_str(&self.reason())
    }
}

impl StaticsError {
    /// The cause in words, with what would help.
    fn reason(&self) -> String {
        let at_start = self.factor.is_nan();
        let place =
            format!("between the times {} and {} (load factor {:.4})", self.time, self.beyond, self.factor);
        match &self.cause {
            StaticsCause::NotPositive if at_start => format!(
                "the tangent stiffness at the start (time {}) is singular or indefinite, so that the equilibrium is not unique or not stable: \
                 expected every part to resist every motion. Bars and cables resist motions across them only when they are stretched: hold \
                 those motions, or start from a stretched shape by `initial`",
                self.time
            ),
            StaticsCause::NotPositive => format!(
                "the equilibrium loses its stability {place}, at a limit or bifurcation point: the tangent stiffness is no longer \
                 positive definite there; {BEYOND}"
            ),
            StaticsCause::Newton { iterations, residual } => format!(
                "no equilibrium is found {place}: Newton's method left a residual of {residual:.3e} of the forces after {iterations} iterations \
                 with the shortest load step; if this is a limit point, {BEYOND}; else more rows give shorter load steps"
            ),
            StaticsCause::Potential(fault) => format!(
                "no equilibrium is found {place}: {fault} with the shortest load step; a finer or better mesh there, or a \
                 smaller load, may help"
            ),
            StaticsCause::NotFinite => format!("a force is no longer a finite number {place}"),
            StaticsCause::Memory => "the factors of the tangent stiffness do not fit in memory: expected a coarser mesh, or dynamic \
                 relaxation by a damped dynamic run"
                .to_string(),
            StaticsCause::Interrupted => "interrupted".to_string(),
        }
    }
}

impl std::error::Error for StaticsError {}

impl From<StaticsError> for RunError {
    fn from(error: StaticsError) -> Self {
        let cause = match error.cause {
            StaticsCause::Interrupted => Cause::Interrupted,
            _ => Cause::Equilibrium { why: error.reason() },
        };
        RunError { time: error.time, step: error.step, cause }
    }
}
