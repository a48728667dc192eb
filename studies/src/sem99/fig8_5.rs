//! SEM99 Fig. 8.5: the length of the steps of the coupled system over their number.

use super::wells::{H0, Run, Wells};
use crate::{Claim, Outcome, Scale};
use stationary::integrate::EnergyStepSpec;
use stationary_report::plot::Plot;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let orbit = Wells::coupled()?.run(Some(EnergyStepSpec::default()), scale.pick(50.0, 150.0))?;
    let number: Vec<f64> = (1..=orbit.h.len()).map(|k| k as f64).collect();
    let plot = Plot::new("")
        .x_label("step")
        .y_label("length")
        .line("by energy", &number, &orbit.h)
        .horizontal("first", H0)
        .to_svg(760, 380);
    let (least, most) = orbit.lengths();
    let table = vec![
        format!("{} steps of {least:.4} to {most:.4}, {} flagged", orbit.h.len(), orbit.flags()),
        format!(
            "h^3 M varies by {:.1} %, h^3 alone by {:.0} %",
            100.0 * spread(&orbit, true),
            100.0 * spread(&orbit, false)
        ),
    ];
    Ok(Outcome { plot, table, claims: claims(&orbit) })
}

/// How much `h^3 (|V'|^2 + v.V'' v)`, or `h^3` alone, varies: largest over least, less one.
fn spread(orbit: &Run, whole: bool) -> f64 {
    let constant = |k: usize| {
        let [x, y] = [orbit.middle[0][k], orbit.middle[1][k]];
        let [vx, vy] = [orbit.velocity[0][k], orbit.velocity[1][k]];
        let slope = [2.0 * x.powi(3) - x - 0.01 * y, y - 0.01 * x];
        let bend = vx * vx * (6.0 * x * x - 1.0) + vy * vy - 0.02 * vx * vy;
        let error = slope[0] * slope[0] + slope[1] * slope[1] + bend;
        orbit.h[k].powi(3) * if whole { error } else { 1.0 }
    };
    let (least, most) = crate::series::range(&(0..orbit.h.len()).map(constant).collect::<Vec<f64>>());
    most / least - 1.0
}

fn claims(orbit: &Run) -> Vec<Claim> {
    vec![
        Claim::above("largest change of the length, relative to the first", orbit.variation(), 0.1),
        Claim::below("the same", orbit.variation(), 1.0),
        Claim::below("flagged steps", orbit.flags() as f64, 1.0),
        Claim::below("spread of h^3 M over that of h^3", spread(orbit, true) / spread(orbit, false), 0.2),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sem99_figure_8_5_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        assert!(outcome.claims.iter().all(Claim::holds), "{:?}", outcome.claims);
    }

    #[test]
    fn sem99_figure_8_5_claims_fail_for_fixed_steps() {
        let orbit = Wells::coupled().unwrap().run(None, 50.0).unwrap();
        assert!(!claims(&orbit)[0].holds());
    }
}
