//! Integrators on phase space, for systems given by a Hamiltonian: the discrete phase-space principle with Gauss
//! quadrature, and the classical Runge-Kutta method as the contrast.

mod fibred;
mod gauss;
mod rk4;
mod tableau;

pub use fibred::PhaseFibred;
pub use gauss::PhaseGauss;
pub use rk4::PhaseRungeKutta4;

use super::{BuildError, Integrator, Method};
use crate::error::Cause;
use crate::model::{PhaseSpace, TwoForm};

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
            TwoForm::Constant(_) => Ok(Box::new(PhaseGauss::new(system, stages, start)?.tolerance(tolerance))),
            TwoForm::Fibred(_) => Ok(Box::new(PhaseFibred::new(system, stages, start)?.tolerance(tolerance))),
            TwoForm::General(_) => Err(BuildError::Unsuited(
                "a variational step needs a one-form whose derivative is constant, or of which half of the entries are 0; \
                 adding the gradient of a function to the one-form changes no motion and can make them so"
                    .into(),
            )),
        }
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
