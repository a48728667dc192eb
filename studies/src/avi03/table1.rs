//! AVI03 Table 1: updates of the block's elements, asynchronous and at one step.

use super::thousands;
use crate::solids::{Body, Clock, FRACTION, Run, fault, updates};
use crate::{Claim, Outcome, Scale};
use stationary_report::plot::Plot;

/// AVI and Newmark at the same time.
pub(super) fn runs(fraction: f64, end: f64) -> Result<[Run; 2], String> {
    let body = Body::block()?;
    let mut runs = [body.start(Clock::Own, fraction)?, body.start(Clock::Smallest, fraction)?];
    for run in &mut runs {
        run.advance(end).map_err(|e| fault(&e))?;
    }
    Ok(runs)
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let runs = runs(FRACTION, scale.pick(1e-4, 1e-2))?;
    let [avi, newmark] = [updates(&runs[0]), updates(&runs[1])];
    let row = |name: &str, i: usize, printed: &str| {
        format!("{name:<8} {:>12} {:>12}   printed {printed}", thousands(avi[i]), thousands(newmark[i]))
    };
    let table = vec![
        format!("{:<8} {:>12} {:>12}   (printed at 10 ms)", "updates", "AVI", "Newmark"),
        row("maximum", 1, "1,374,413 and 1,380,000"),
        row("minimum", 0, "42,759 and 1,380,000"),
        row("total", 2, "302,000,000 and 524,400,000"),
        format!("total, AVI over Newmark: {:.4}   printed 0.5759", avi[2] / newmark[2]),
        format!("maximum over minimum: {:.2}   printed 32.14", avi[1] / avi[0]),
    ];
    let mut plot = Plot::new("Updates of the elements of the block")
        .x_label("element, sorted")
        .y_label("updates")
        .log_y();
    for (name, run) in ["AVI", "Newmark"].iter().zip(&runs) {
        let mut events: Vec<f64> = run.events().iter().map(|n| *n as f64).collect();
        events.sort_by(f64::total_cmp);
        let number: Vec<f64> = (0..events.len()).map(|k| k as f64).collect();
        plot = plot.line(*name, &number, &events);
    }
    Ok(Outcome { plot: plot.to_svg(640, 400), table, claims: claims(avi, newmark) })
}

fn claims(avi: [f64; 3], newmark: [f64; 3]) -> Vec<Claim> {
    vec![
        Claim::between("total updates, AVI over Newmark (printed 0.576)", avi[2] / newmark[2], 0.55, 0.60),
        Claim::between(
            "most updates of an element, AVI over Newmark (printed 0.996)",
            avi[1] / newmark[1],
            0.99,
            1.01,
        ),
        Claim::between("most over fewest updates, AVI (printed 32.1)", avi[1] / avi[0], 30.0, 34.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avi03_table_1_claims_hold() {
        let [avi, newmark] = runs(FRACTION, 1e-4).unwrap().map(|run| updates(&run));
        for claim in claims(avi, newmark) {
            assert!(claim.holds(), "{claim}");
        }
        // Newmark against itself saves nothing; more fine updates than Newmark's would be a fault.
        let same = claims(newmark, newmark);
        assert!(!same[0].holds() && !same[2].holds());
        assert!(!claims(avi, avi.map(|n| 0.5 * n))[1].holds());
    }
}
