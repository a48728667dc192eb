//! SUR04 Fig. 2.2, right: the same particle as on the left, with small dissipation proportional to the velocity.

use crate::damping::{Damping, Setup};
use crate::{Outcome, Scale};

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

/// By how much RK4 must be off.
const LOST: f64 = 0.04;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let damping = Damping::new(&setup(scale))?;
    Ok(damping.outcome(damping.claims(LOST)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Claim;

    #[test]
    fn sur04_figure_2_2_right_claims_hold() {
        let damping = Damping::new(&setup(Scale::Reduced)).unwrap();
        assert!(damping.claims(LOST).iter().all(Claim::holds), "{damping:?}");
        assert!(damping.swapped().claims(LOST)[1..].iter().all(|c| !c.holds()));
    }
}
