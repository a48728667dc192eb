//! SUR04 Fig. 2.2, right: the same particle as on the left, with small dissipation proportional to the velocity.

use crate::damping::{Damping, Setup};
use crate::{Claim, Outcome, Scale};
use stationary::integrate::Method;

/// The implicit midpoint rule.
const MIDPOINT: Method = Method::Midpoint { alpha: 0.5 };

fn setup(scale: Scale) -> Setup {
    Setup {
        lagrangian: "(vx^2 + vy^2)/2 - (x^2 + y^2)*(x^2 + y^2 - 1)^2",
        friction: 5e-4,
        q: [1.2, 0.0],
        v: [0.0, 0.4],
        h: 0.08,
        end: scale.pick(800.0, 1000.0),
    }
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let damping = Damping::new(&setup(scale), MIDPOINT, Method::RungeKutta4)?;
    Ok(damping.outcome("variational (midpoint)", claims(&damping)))
}

fn claims(damping: &Damping) -> Vec<Claim> {
    damping.claims(0.04)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_claims_hold() {
        let damping = Damping::new(&setup(Scale::Reduced), MIDPOINT, Method::RungeKutta4).unwrap();
        assert!(claims(&damping).iter().all(Claim::holds), "{:?}", damping);
        // The methods exchanged, both claims about them fail.
        let swapped = Damping {
            variational: damping.classical.clone(),
            classical: damping.variational.clone(),
            ..damping
        };
        assert!(claims(&swapped)[1..].iter().all(|c| !c.holds()));
    }
}
