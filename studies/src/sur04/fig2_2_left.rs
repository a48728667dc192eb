//! SUR04 Fig. 2.2, left: the energy of a particle in the plane under a radially symmetric polynomial potential.

use crate::contrast::{Contrast, Setup};
use crate::series::largest_deviation;
use crate::{Claim, Outcome, Scale};
use stationary::integrate::Method;

/// The implicit midpoint rule.
const MIDPOINT: Method = Method::Midpoint { alpha: 0.5 };

/// The polynomial `r^2 (r^2 - 1)^2`: a well at the origin inside a ring of minima.
fn setup(scale: Scale) -> Setup {
    Setup {
        lagrangian: "(vx^2 + vy^2)/2 - (x^2 + y^2)*(x^2 + y^2 - 1)^2",
        q: [1.2, 0.0],
        v: [0.0, 0.4],
        h: 0.15,
        end: scale.pick(300.0, 1600.0),
    }
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let contrast = Contrast::new(&setup(scale), MIDPOINT, Method::RungeKutta4)?;
    Ok(contrast.outcome(["variational (midpoint)", "Runge-Kutta 4"], claims(&contrast)))
}

fn claims(contrast: &Contrast) -> Vec<Claim> {
    let mut claims = contrast.claims(0.1, 0.1);
    let (kept, lost) =
        (largest_deviation(&contrast.variational.angular), largest_deviation(&contrast.classical.angular));
    claims.push(Claim::below("relative drift of the angular momentum, variational", kept, 1e-12));
    claims.push(Claim::above("the same, RK4", lost, 1e-3));
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sur04_figure_2_2_left_claims_hold() {
        let contrast = Contrast::new(&setup(Scale::Reduced), MIDPOINT, Method::RungeKutta4).unwrap();
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
