//! VTI04 Fig. 13: the energy of the third blade over its revolutions.

use super::blade::CASES;
use super::blade::recorded::Recorded;
use crate::{Claim, Outcome, Scale, series};
use stationary_report::plot::Plot;

/// How the energy behaves.
#[derive(Debug, Clone, Copy)]
pub struct Energy {
    /// Largest change since the start, relative.
    pub largest: f64,
    /// Mean in the last quarter less mean in the second, relative: the first holds the start, when nothing oscillates.
    pub drift: f64,
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let recorded = CASES[2].long_run(scale)?;
    let energy = measure(recorded);
    let turned = recorded.revolutions();
    let t = recorded.column("t");
    let table = vec![
        format!(
            "run to {:.4} s, {:.2} revolutions, {:.0} s of computing",
            t[t.len() - 1],
            turned[turned.len() - 1],
            recorded.wall
        ),
        format!(
            "energy {:.3} J: changes by {:.2e}, last quarter less second {:.2e}",
            recorded.column("energy")[0],
            energy.largest,
            energy.drift
        ),
    ];
    // By the clock: the end of the joint, which the angle is taken of, sways.
    let rate = turned[turned.len() - 1] / t[t.len() - 1];
    let turned: Vec<f64> = t.iter().map(|t| t * rate).collect();
    let kilo = |name: &str| recorded.column(name).iter().map(|e| e / 1e3).collect::<Vec<f64>>();
    let whole = Plot::new("Energy of the blade, case 3")
        .x_label("revolutions")
        .y_label("kJ")
        .line("total", &turned, &kilo("energy"))
        .line("kinetic", &turned, &kilo("kinetic"))
        .line("potential", &turned, &kilo("potential"));
    let first = recorded.column("energy")[0];
    let error: Vec<f64> = recorded.column("energy").iter().map(|e| 1e6 * (e / first - 1.0)).collect();
    let close = Plot::new("Change of the total since the start")
        .x_label("revolutions")
        .y_label("millionths")
        .line("total", &turned, &error);
    let plots = [whole, close].map(|p| p.to_svg(560, 420));
    Ok(Outcome { plot: crate::side_by_side(&plots, 560, 420), table, claims: claims(&energy) })
}

fn measure(recorded: &Recorded) -> Energy {
    let energy = recorded.column("energy");
    let quarter = energy.len() / 4;
    let [second, last] = [&energy[quarter..2 * quarter], &energy[energy.len() - quarter..]].map(series::mean);
    Energy { largest: series::largest_deviation(energy), drift: (last - second) / energy[0] }
}

fn claims(energy: &Energy) -> Vec<Claim> {
    vec![
        Claim::below("largest change of the energy", energy.largest, 1e-5),
        Claim::between("drift of the energy", energy.drift, -2e-6, 2e-6),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vti04_figure_13_claims_hold() {
        let energy = measure(CASES[2].long_run(Scale::Reduced).unwrap());
        assert!(claims(&energy).iter().all(Claim::holds), "{energy:?}");
        assert!(energy.largest > 0.0);
        for (largest, drift) in [(1e-4, 1e-5), (f64::NAN, -1e-5)] {
            assert!(claims(&Energy { largest, drift }).iter().all(|claim| !claim.holds()));
        }
    }
}
