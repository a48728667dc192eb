//! VTI04 Fig. 3: the energy of a dissipative system by a second-order variational integrator and by RK4, against an
//! expensive and accurate run.

use crate::damping::{Damping, Setup};
use crate::{Outcome, Scale};

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

/// By how much RK4 must be off.
const LOST: f64 = 0.03;

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
    fn vti04_figure_3_claims_hold() {
        let damping = Damping::new(&setup(Scale::Reduced)).unwrap();
        assert!(damping.claims(LOST).iter().all(Claim::holds), "{damping:?}");
        assert!(damping.swapped().claims(LOST)[1..].iter().all(|c| !c.holds()));
    }
}
