//! Integrators on phase space, for systems given by a Hamiltonian: the discrete phase-space principle with Gauss
//! quadrature, and the classical Runge-Kutta method as the contrast.

mod fibred;
mod gauss;
mod rk4;
mod tableau;

pub use fibred::PhaseFibred;
pub use gauss::PhaseGauss;
pub use rk4::PhaseRungeKutta4;

use super::del::PATIENCE;
use super::{BuildError, Integrator, Method};
use crate::error::Cause;
use crate::linalg::{max_abs, small_parts_settled};
use crate::model::{Form, PhaseSpace};

/// Where and how a run on phase space starts.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseStart {
    /// Initial time.
    pub t: f64,
    /// Initial phase variables: positions and momenta, or the variables of a one-form.
    pub z: Vec<f64>,
    /// Time step.
    pub h: f64,
}

/// Newton iterations before a step is given up.
const LIMIT: usize = 40;

impl Method {
    /// Starts the method on a system given by its Hamiltonian: `midpoint` at alpha 1/2, `gauss` and `rk4` have a
    /// phase-space form.
    pub fn start_phase<P: PhaseSpace + 'static>(
        &self,
        system: P,
        start: &PhaseStart,
        tolerance: f64,
    ) -> Result<Box<dyn Integrator>, BuildError> {
        let stages = match *self {
            Method::Midpoint { alpha: 0.5 } => 1,
            Method::Gauss { stages } => stages,
            Method::RungeKutta4 => return Ok(Box::new(PhaseRungeKutta4::new(system, start)?)),
            _ => {
                return Err(BuildError::Unsuited(format!(
                    "{self} is made for Lagrangians; a system given by its Hamiltonian takes midpoint (alpha 0.5), gauss or rk4"
                )));
            }
        };
        match system.form() {
            Form::Constant(_) => Ok(Box::new(PhaseGauss::new(system, stages, start)?.tolerance(tolerance))),
            Form::Fibred(_) => Ok(Box::new(PhaseFibred::new(system, stages, start)?.tolerance(tolerance))),
            Form::General(_) => Err(BuildError::Unsuited(
                "a variational step needs a one-form whose derivative is constant, or of which half of the entries are 0; \
                 adding the gradient of a function to the one-form changes no motion and can make them so"
                    .into(),
            )),
        }
    }
}

/// How a Newton iteration stands.
struct Iteration<'a> {
    /// Corrections made.
    count: usize,
    /// The last one, and what was corrected: vectors of `n` variables, one behind the other.
    delta: &'a [f64],
    unknowns: &'a [f64],
    n: usize,
    /// The size of the last correction and of the one before.
    size: f64,
    before: f64,
}

impl Iteration<'_> {
    /// Whether the next correction is below the tolerance. Positions and momenta are in units of their own: those too small to show
    /// in the largest component have to settle too.
    fn converged(&self, tolerance: f64) -> bool {
        let scale = max_abs(self.unknowns);
        // Newton converges quadratically: the next correction is about size^3 / before^2.
        let ratio = self.size / self.before;
        let predicted = ratio < 0.1 && self.size * ratio * ratio <= tolerance * scale;
        let small_parts = || small_parts_settled(self.delta, self.unknowns, self.n, scale);
        (self.size <= tolerance * scale || predicted) && (self.count > PATIENCE || small_parts())
    }
}

/// Why Newton's method ended without a solution.
fn failure(iterations: usize, residual: f64, regular: bool) -> Cause {
    if !residual.is_finite() {
        Cause::NotFinite { what: "the Hamiltonian near the step".into() }
    } else if !regular {
        Cause::Singular
    } else {
        Cause::Newton { iterations, residual }
    }
}
