//! SEM99 Fig. 8.3: an orbit of the double well coupled to an oscillator, in three projections.

use super::wells::{Run, Wells};
use crate::series::range;
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary::integrate::EnergyStepSpec;
use stationary_report::plot::Plot;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let orbit = Wells::coupled()?.run(Some(EnergyStepSpec::default()), scale.pick(300.0, 500.0))?;
    let plane = |x: &str, y: &str, a: &[f64], b: &[f64]| {
        Plot::new("").x_label(x).y_label(y).line("orbit", a, b).to_svg(420, 380)
    };
    let [x, y] = [&orbit.middle[0], &orbit.middle[1]];
    let plots = [
        plane("x", "velocity of x", x, &orbit.velocity[0]),
        plane("y", "velocity of y", y, &orbit.velocity[1]),
        plane("x", "y", x, y),
    ];
    let table =
        vec![format!("{} steps, {} flagged, {} crossings", orbit.t.len(), orbit.flags(), crossings(&orbit))];
    Ok(Outcome { plot: side_by_side(&plots, 420, 380), table, claims: claims(&orbit) })
}

fn crossings(orbit: &Run) -> usize {
    orbit.middle[0].windows(2).filter(|w| w[0] * w[1] < 0.0).count()
}

/// That the orbit visits both wells, irregularly, and stays where its energy lets it.
fn claims(orbit: &Run) -> Vec<Claim> {
    let (least, most) = range(&orbit.middle[0]);
    let (low, high) = range(&orbit.middle[1]);
    vec![
        Claim::above("crossings between the wells", crossings(orbit) as f64, 10.0),
        Claim::between("largest |x|", most.max(-least), 0.9, 1.3),
        Claim::between("largest |y|", high.max(-low), 0.9, 1.3),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sem99_figure_8_3_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        assert!(outcome.claims.iter().all(Claim::holds), "{:?}", outcome.claims);
    }

    #[test]
    fn sem99_figure_8_3_claims_fail_for_an_orbit_in_one_well() {
        let mut orbit = Wells::double(0.74).unwrap().run(None, 100.0).unwrap();
        orbit.middle.push(orbit.middle[0].clone());
        assert!(!claims(&orbit)[0].holds());
    }
}
