//! SUR04 Fig. 3.2: the largest relative residual of the local balance of energy of each element.

use crate::solids::{Body, Clock, FRACTION, PRINTED_FRACTION, fault, follow};
use crate::{Claim, Outcome, Scale};
use stationary_report::plot::Plot;

/// Classes to a factor of ten.
const CLASSES: i32 = 5;

/// The largest residual of each element of the block over its energy at the time, from the start on.
fn worst(fraction: f64, end: f64) -> Result<Vec<f64>, String> {
    let mut run = Body::block()?.start(Clock::Own, fraction)?;
    follow(&mut run)?;
    run.advance(end).map_err(|e| fault(&e))?;
    Ok(run.local_energy().ok_or("no balance is followed")?.worst().collect())
}

fn below(worst: &[f64], bound: f64) -> f64 {
    worst.iter().filter(|w| **w < bound).count() as f64 / worst.len() as f64
}

/// The outline of a histogram over log10: places and shares of the elements.
fn histogram(worst: &[f64]) -> [Vec<f64>; 2] {
    let class = |w: &f64| (w.log10() * f64::from(CLASSES)).floor() as i32;
    let (first, last) =
        (worst.iter().map(class).min().unwrap_or(0), worst.iter().map(class).max().unwrap_or(0));
    let mut outline = [Vec::new(), Vec::new()];
    for c in first..=last {
        let share = worst.iter().filter(|w| class(w) == c).count() as f64 / worst.len() as f64;
        let edges = [c, c + 1].map(|c| f64::from(c) / f64::from(CLASSES));
        outline[0].extend([edges[0], edges[0], edges[1], edges[1]]);
        outline[1].extend([0.0, share, share, 0.0]);
    }
    outline
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let (fine, end) = scale.pick((0.3 * FRACTION, 5e-5), (PRINTED_FRACTION, 1e-3));
    let mut plot = Plot::new("Largest residual of the local balance over the element's energy")
        .x_label("log10 of the largest relative residual")
        .y_label("share of the elements");
    let mut table = Vec::new();
    let mut worsts = Vec::new();
    for fraction in [fine, FRACTION] {
        let worst = worst(fraction, end)?;
        let [x, y] = histogram(&worst);
        plot = plot.line(format!("f = {fraction:.3}"), &x, &y);
        let median = median(&worst);
        table.push(format!(
            "f = {fraction:.4}: median {median:.2e}; below 0.1 %: {:.1} % of the elements, below 1 %: {:.1} %",
            100.0 * below(&worst, 1e-3),
            100.0 * below(&worst, 1e-2)
        ));
        worsts.push(worst);
    }
    Ok(Outcome { plot: plot.to_svg(720, 400), table, claims: claims(&worsts[0]) })
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn claims(worst: &[f64]) -> Vec<Claim> {
    vec![
        Claim::above(
            "share of the elements with a largest relative error below 0.1 %",
            below(worst, 1e-3),
            0.5,
        ),
        Claim::above("the same, below 1 % (printed 0.975)", below(worst, 1e-2), 0.975),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sur04_figure_3_2_claims_hold() {
        for claim in run(Scale::Reduced).unwrap().claims {
            assert!(claim.holds(), "{claim}");
        }
        // Steps two and a half times the printed ones; and what is not a number counts as above.
        let steps = worst(2.5 * FRACTION, 5e-5).unwrap();
        assert!(!claims(&steps)[0].holds());
        assert!(claims(&[f64::NAN; 4]).iter().all(|c| !c.holds()));
        let [x, y] = histogram(&[1e-3, 1.1e-3, 1e-2]);
        assert_eq!(x.len(), y.len());
        assert!((y.iter().sum::<f64>() - 2.0).abs() < 1e-12);
    }
}
