//! VTI04 Fig. 3: the energy of a dissipative system by a second-order variational integrator and by RK4, against an
//! expensive and accurate run.

use crate::damping::{Damping, Setup};
use crate::{Claim, Outcome, Scale};
use stationary::integrate::Method;

/// The implicit midpoint rule, with the force at its node.
const MIDPOINT: Method = Method::Midpoint { alpha: 0.5 };

/// An anharmonic well in which two unlike oscillations exchange energy.
fn setup(scale: Scale) -> Setup {
    Setup {
        lagrangian: "(vx^2 + vy^2)/2 - x^2/2 - y^2 - x^2*y^2/2 - x^4/4",
        friction: 1e-3,
        q: [1.0, 0.6],
        v: [0.0, 0.5],
        h: 0.25,
        end: scale.pick(200.0, 400.0),
    }
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let damping = Damping::new(&setup(scale), MIDPOINT, Method::RungeKutta4)?;
    Ok(damping.outcome("variational (midpoint)", claims(&damping)))
}

fn claims(damping: &Damping) -> Vec<Claim> {
    damping.claims(0.03)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_claims_hold() {
        let damping = Damping::new(&setup(Scale::Reduced), MIDPOINT, Method::RungeKutta4).unwrap();
        assert!(claims(&damping).iter().all(Claim::holds), "{:?}", damping);
    }
}
