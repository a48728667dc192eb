//! AVI03 Fig. 9: the total energy of the block over eight swings.

use super::{energy_claims, thousands};
use crate::series::{largest_deviation, range};
use crate::solids::{Body, Clock, History, LASTING_FRACTION, record, updates};
use crate::{Claim, Outcome, Scale};
use stationary_report::plot::Plot;

/// Nearly constant: the paper's word, our number.
const NEARLY: f64 = 0.02;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let mut avi = Body::block()?.start(Clock::Own, LASTING_FRACTION)?;
    let history = record(&mut avi, scale.pick(1e-4, 1.6e-2), scale.pick(100, 1600))?;
    let [_, most, total] = updates(&avi);
    let mut table = vec![
        format!("updates of the smallest element {}, in all {}", thousands(most), thousands(total)),
        format!("largest distance from the first energy: {:.3e}", largest_deviation(&history.energy)),
    ];
    // The release is a shock: how the level after it compares is told apart from how it holds.
    for (name, part) in parts(&history) {
        let (low, high) = range(part);
        table.push(format!(
            "{name}: {:.6e} to {:.6e}, mean {:.6e} J/m",
            low,
            high,
            crate::series::mean(part)
        ));
    }
    let ms: Vec<f64> = history.t.iter().map(|t| 1e3 * t).collect();
    let plot = Plot::new("Total energy of the block").x_label("time (ms)").y_label("energy (J per m)");
    let plot = plot.line("total", &ms, &history.energy).horizontal("start", history.energy[0]);
    Ok(Outcome { plot: plot.to_svg(720, 400), table, claims: claims(&history) })
}

fn parts(history: &History) -> Vec<(String, &[f64])> {
    let tenth = history.energy.len() / 10;
    (0..10).map(|i| (format!("tenth {}", i + 1), &history.energy[i * tenth..(i + 1) * tenth])).collect()
}

fn claims(history: &History) -> Vec<Claim> {
    energy_claims(&history.energy, NEARLY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avi03_figure_9_claims_hold() {
        for claim in run(Scale::Reduced).unwrap().claims {
            assert!(claim.holds(), "{claim}");
        }
    }
}
