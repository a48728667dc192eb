//! FET03 Fig. 5.1: energy of a particle that bounces on a floor, over 1000 impacts and over a million.

use super::fallers::{Bounces, Faller, G, GAUSS2, VERLET};
use super::walk::line;
use crate::series::range;
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary_report::plot::Plot;

/// The thesis' step, and that of the long run of Gauss: a third of the time between impacts.
const H: f64 = 0.01;
const LARGE: f64 = 0.3;
/// The energy.
const ENERGY: f64 = G + 2.0;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let body = Faller::particle()?;
    let (verlet, gauss) = (body.bounce(VERLET, H, 1000)?, body.bounce(GAUSS2, H, 1000)?);
    let long = body.bounce(VERLET, H, scale.pick(100_000, 1_000_000))?;
    let large = body.bounce(GAUSS2, LARGE, scale.pick(1000, 1_000_000))?;
    let runs = [("verlet, h = 0.01", &verlet), ("gauss 2, h = 0.01", &gauss)];
    let far = [("verlet, h = 0.01", &long), ("gauss 2, h = 0.3", &large)];
    let table = runs.iter().chain(&far).map(|(name, run)| row(name, run)).collect();
    let mut claims = verlet_claims(&verlet, &long);
    claims.extend(gauss_claims(&gauss, &large));
    let plots = [plot("1000 impacts", &runs), plot(&format!("{} impacts", long.time.len()), &far)];
    Ok(Outcome { plot: side_by_side(&plots, 480, 340), table, claims })
}

fn row(name: &str, run: &Bounces) -> String {
    let (low, high) = range(&run.drift);
    let last = run.time.len();
    format!(
        "{name}: impact {last} at {:.4}; energy {low:+.2e} to {high:+.2e} of {ENERGY}, trend over the run {:+.2e}; discrete energy over an impact {:.1e}",
        run.time[last - 1],
        trend(run),
        run.worst
    )
}

/// By how much a straight line through the energy rises over the run.
fn trend(run: &Bounces) -> f64 {
    let number: Vec<f64> = (0..run.drift.len()).map(|k| k as f64).collect();
    line(&number, &run.drift).1 * run.drift.len() as f64
}

fn plot(title: &str, runs: &[(&str, &Bounces)]) -> String {
    let mut plot = Plot::new(title).x_label("impact").y_label("change of the energy");
    for (name, run) in runs {
        // Enough points for the eye; a stride that shares no factor with the pattern.
        let stride = run.drift.len() / 4999 + 1;
        let at: Vec<usize> = (0..run.drift.len()).step_by(stride).collect();
        let x: Vec<f64> = at.iter().map(|k| (*k + 1) as f64).collect();
        let y: Vec<f64> = at.iter().map(|k| run.drift[*k]).collect();
        plot = plot.points(*name, &x, &y);
    }
    plot.to_svg(480, 340)
}

fn verlet_claims(verlet: &Bounces, long: &Bounces) -> Vec<Claim> {
    let (low, high) = range(&long.drift);
    let early = range(&long.drift[..long.drift.len() / 3]);
    let width = high - low;
    vec![
        Claim::below("verlet: discrete energy over an impact", verlet.worst.max(long.worst), 1e-12),
        Claim::below("verlet: impacts that do not keep it", (verlet.grazes + long.grazes) as f64, 0.5),
        Claim::between("verlet: time of impact 1000", verlet.time[999], 902.637, 902.641),
        Claim::between("verlet: width of the energy, relative", width / ENERGY, 1e-4, 2e-3),
        Claim::below("verlet: width over that of the first third", width / (early.1 - early.0), 1.01),
        Claim::below("verlet: trend over the width", trend(long).abs() / width, 0.05),
    ]
}

fn gauss_claims(gauss: &Bounces, large: &Bounces) -> Vec<Claim> {
    let exact = |k: usize| (2 * k - 1) as f64 * (2.0 / G).sqrt();
    let last = large.time.len();
    let worst =
        |run: &Bounces| run.drift.iter().fold(0.0, |m: f64, x| if x.abs() <= m { m } else { x.abs() });
    vec![
        Claim::between("gauss 2: time of impact 1000", gauss.time[999], 902.5955, 902.5965),
        Claim::below("gauss 2: off the exact time", (gauss.time[999] - exact(1000)).abs(), 1e-9),
        Claim::below("gauss 2: discrete energy over an impact", gauss.worst.max(large.worst), 1e-12),
        Claim::below("gauss 2: impacts that do not keep it", (gauss.grazes + large.grazes) as f64, 0.5),
        Claim::below("gauss 2: energy, relative", worst(gauss) / ENERGY, 1e-12),
        Claim::below("gauss 2, long: energy, relative", worst(large) / ENERGY, 1e-9),
        Claim::below(
            "gauss 2, long: off the exact time",
            (large.time[last - 1] / exact(last) - 1.0).abs(),
            1e-9,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fet03_figure_5_1_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        assert!(outcome.claims.iter().all(Claim::holds), "{:?}", outcome.claims);
    }

    #[test]
    fn fet03_figure_5_1_claims_fail_for_another_method() {
        let body = Faller::particle().unwrap();
        let verlet = body.bounce(VERLET, H, 1000).unwrap();
        let failing = gauss_claims(&verlet, &verlet).iter().filter(|claim| !claim.holds()).count();
        assert_eq!(failing, 5, "all but those on the discrete energy, which verlet keeps too");
        let gauss = body.bounce(GAUSS2, H, 1000).unwrap();
        assert!(verlet_claims(&gauss, &gauss).iter().any(|claim| !claim.holds()));
        let mut drifting = body.bounce(VERLET, H, 20_000).unwrap();
        drifting.drift.iter_mut().enumerate().for_each(|(k, x)| *x += 1e-6 * k as f64);
        assert!(!verlet_claims(&verlet, &drifting)[5].holds());
    }
}
