//! VTI04 Table II: updates of the elements of the blade, and the speed-up.

use super::blade::{CASES, Case, events};
use crate::{Claim, Outcome, Scale};
use stationary_report::plot::Plot;

/// Updates up to a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counts {
    /// Of the element that has the most.
    pub most: u64,
    /// Of the element that has the fewest.
    pub fewest: u64,
    /// Of all.
    pub total: u64,
    /// Of a synchronous run over these.
    pub speedup: f64,
}

/// Counts without running: the steps do not change.
pub fn count(steps: &[f64], end: f64) -> Counts {
    let counts: Vec<u64> = steps.iter().map(|h| events(*h, end)).collect();
    let total: u64 = counts.iter().sum();
    let most = counts.iter().copied().max().unwrap_or(0);
    let fewest = counts.iter().copied().min().unwrap_or(0);
    Counts { most, fewest, total, speedup: (most * counts.len() as u64) as f64 / total as f64 }
}

/// A stretch run with the paper's steps.
#[derive(Debug, Clone, Copy)]
pub struct Stretch {
    /// Its end.
    pub end: f64,
    /// What the engine counted, and what was expected.
    pub counts: [[u64; 3]; 2],
    /// Largest relative error of the energy; changes of the momenta over their scales.
    pub kept: [f64; 3],
    /// Nanoseconds an update.
    pub cost: f64,
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let (mut table, mut claims) = (Vec::new(), Vec::new());
    let mut plot = Plot::new("Updates up to the final times of Table II")
        .log_y()
        .x_label("elements, those with most updates first")
        .y_label("updates");
    table.push("case  end (s)   most (printed)   fewest          total              speed-up".to_string());
    for case in CASES {
        let steps = case.body()?.step;
        let counts = count(&steps, case.end);
        let Counts { most, fewest, total, speedup } = counts;
        let line = format!(
            "{}     {:<7}   {:5.1}e6 ({:3.0}e6)  {:4.1}e6 ({:2.0}e6)  {:5.2}e10 ({:4.1}e10)  {:.3} ({:.2})",
            case.number,
            case.end,
            most as f64 / 1e6,
            case.most / 1e6,
            fewest as f64 / 1e6,
            case.fewest / 1e6,
            total as f64 / 1e10,
            case.total / 1e10,
            speedup,
            case.speedup
        );
        table.push(line);
        let mut sorted: Vec<f64> = steps.iter().map(|h| events(*h, case.end) as f64).collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let place: Vec<f64> = (1..=sorted.len()).map(|k| k as f64).collect();
        plot = plot.line(format!("case {}", case.number), &place, &sorted);
        let stretch = stretch(&case, &steps, scale)?;
        table.push(format!(
            "      run to {} s: {} updates, {:.0} ns each; kept: energy {:.1e}, momentum {:.1e}, angular {:.1e}",
            stretch.end, stretch.counts[0][2], stretch.cost, stretch.kept[0], stretch.kept[1], stretch.kept[2]
        ));
        claims.extend(self::claims(&case, &counts, &stretch));
    }
    Ok(Outcome { plot: plot.to_svg(720, 480), table, claims })
}

fn stretch(case: &Case, steps: &[f64], scale: Scale) -> Result<Stretch, String> {
    let end = scale.pick(2e-5, 0.005);
    let (outcome, _) = case.run_as_printed(end, &[])?;
    let avi = &outcome.summary["avi"];
    let counted = ["max", "min", "total"].map(|key| avi["updates"][key].as_u64().unwrap_or(0));
    let expected = count(steps, end);
    let number = |path: &str| outcome.summary.pointer(path).and_then(|v| v.as_f64()).unwrap_or(f64::NAN);
    Ok(Stretch {
        end,
        counts: [counted, [expected.most, expected.fewest, expected.total]],
        kept: [
            "/energy/max_relative_error",
            "/momentum/linear/max_abs_drift",
            "/momentum/angular/max_abs_drift",
        ]
        .map(number),
        cost: number("/avi/nanoseconds_per_update"),
    })
}

fn claims(case: &Case, counts: &Counts, stretch: &Stretch) -> Vec<Claim> {
    let at = |text: &str| format!("case {}: {text}", case.number);
    let miss = |k: usize| stretch.counts[0][k].abs_diff(stretch.counts[1][k]) as f64;
    vec![
        Claim::between(at("speed-up over the printed one"), counts.speedup / case.speedup, 0.98, 1.02),
        Claim::between(at("most updates over the printed ones"), counts.most as f64 / case.most, 0.8, 1.0),
        Claim::between(
            at("fewest updates over the printed ones"),
            counts.fewest as f64 / case.fewest,
            1.0,
            1.25,
        ),
        Claim::between(at("all updates over the printed ones"), counts.total as f64 / case.total, 0.8, 1.0),
        Claim::below(at("updates of the run not foreseen"), miss(0) + miss(1) + miss(2), 0.5),
        Claim::below(at("error of the energy in the run"), stretch.kept[0], 1e-5),
        Claim::below(at("change of linear momentum"), stretch.kept[1], 1e-12),
        Claim::below(at("change of angular momentum"), stretch.kept[2], 1e-12),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vti04_table_2_claims_hold() {
        for case in CASES {
            let steps = case.body().unwrap().step;
            assert_eq!(steps.len(), 2089);
            let counts = count(&steps, case.end);
            let stretch = stretch(&case, &steps, Scale::Reduced).unwrap();
            for claim in claims(&case, &counts, &stretch) {
                assert!(claim.holds(), "{claim}");
            }
            let coarse: Vec<f64> = steps.iter().map(|h| 2.0 * h.max(3.0 * steps[0])).collect();
            let wrong = Stretch { counts: [[1, 1, 1], stretch.counts[1]], kept: [1e-3; 3], ..stretch };
            let fails = claims(&case, &count(&coarse, case.end), &wrong);
            assert!(fails.iter().all(|claim| !claim.holds()), "{fails:?}");
        }
    }
}
