//! VTI04 Fig. 4: the energy of a nonlinear system by variational Newmark and by RK4.

use crate::contrast::{Contrast, Setup};
use crate::{Claim, Outcome, Scale};
use stationary::integrate::Method;

/// Explicit Newmark.
const NEWMARK: Method = Method::Newmark { beta: 0.0, gamma: 0.5 };

/// Henon and Heiles's system, on the way to chaos.
fn setup(scale: Scale) -> Setup {
    Setup {
        lagrangian: "(vx^2 + vy^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3",
        q: [0.0, 0.1],
        v: [0.35, 0.3],
        h: 0.4,
        end: scale.pick(1000.0, 5000.0),
    }
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let contrast = Contrast::new(&setup(scale), NEWMARK, Method::RungeKutta4)?;
    Ok(contrast.outcome(["variational Newmark", "Runge-Kutta 4"], claims(&contrast)))
}

fn claims(contrast: &Contrast) -> Vec<Claim> {
    contrast.claims(0.08, 0.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vti04_figure_4_claims_hold() {
        let contrast = Contrast::new(&setup(Scale::Reduced), NEWMARK, Method::RungeKutta4).unwrap();
        for claim in claims(&contrast) {
            assert!(claim.holds(), "{claim}");
        }
        // All fail when the methods change places.
        let swapped =
            Contrast { variational: contrast.classical, classical: contrast.variational, t: contrast.t };
        for claim in claims(&swapped) {
            assert!(!claim.holds(), "{claim}");
        }
    }
}
