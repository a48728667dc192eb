//! AVI03 Fig. 13, and the update counts of 4.2: energy and cost of the L-beam.

use super::{energy_claims, thousands};
use crate::series::largest_deviation;
use crate::solids::{Body, Clock, FRACTION, record, updates};
use crate::{Claim, Outcome, Scale};
use stationary_report::plot::Plot;

/// Nearly constant: the paper's word, our number.
const NEARLY: f64 = 1e-3;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let body = Body::l_beam()?;
    let end = scale.pick(5e-4, 0.1);
    let mut avi = body.start(Clock::Own, FRACTION)?;
    let history = record(&mut avi, end, scale.pick(100, 2000))?;
    let [least, most, total] = updates(&avi);
    // At one step every element would be updated as often as the fastest.
    let newmark = most * avi.events().len() as f64;
    let table = vec![
        format!("updates of an element: most {}, fewest {}", thousands(most), thousands(least)),
        format!("in all {}, at one step {}", thousands(total), thousands(newmark)),
        "printed at 100 ms: 432,877, 49,792, 90,000,000 and 270,000,000".into(),
        format!("at one step over AVI: {:.3}   printed 3.0", newmark / total),
        format!("most over fewest: {:.2}   printed 8.69", most / least),
        format!("largest distance from the first energy: {:.3e}", largest_deviation(&history.energy)),
    ];
    let ms: Vec<f64> = history.t.iter().map(|t| 1e3 * t).collect();
    let plot = Plot::new("Total energy of the L-beam").x_label("time (ms)").y_label("energy (J)");
    let plot = plot.line("total", &ms, &history.energy).horizontal("start", history.energy[0]);
    let mut claims = energy_claims(&history.energy, NEARLY);
    claims.extend(counts([least, most, total], newmark));
    Ok(Outcome { plot: plot.to_svg(720, 400), table, claims })
}

fn counts([least, most, total]: [f64; 3], newmark: f64) -> Vec<Claim> {
    vec![
        Claim::between("updates at one step over those of AVI (printed 3.0)", newmark / total, 2.8, 3.3),
        Claim::between("most over fewest updates of an element (printed 8.7)", most / least, 5.0, 10.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avi03_figure_13_claims_hold() {
        for claim in run(Scale::Reduced).unwrap().claims {
            assert!(claim.holds(), "{claim}");
        }
        assert!(counts([10.0, 10.0, 100.0], 100.0).iter().all(|c| !c.holds()));
    }
}
