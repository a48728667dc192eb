//! The former default, 0.8 of the body's limit with impulses at level boundaries, on the shipped meshes, as long as can be run: does the energy have a trend?

use super::meshes::{FORMER_DEFAULT, FORMER_FRACTION, SMALL, Seen, Way, shake, solid};
use crate::solids::larger;
use crate::{Claim, Outcome, Scale};
use stationary::model::solid::MassSplit;
use stationary_report::plot::Plot;
use std::sync::Arc;

/// A mesh, and the updates of its smallest element.
fn plan(scale: Scale) -> &'static [(&'static str, f64)] {
    scale.pick(
        &[("bar-wave", 1e4), ("slab", 6e3)],
        &[
            ("bar-wave", 1e6),
            ("slab", 1e6),
            ("block", 1e6),
            ("l-beam", 1e6),
            ("blade-1", 1e6),
            ("blade-2", 1e6),
            ("blade-3", 1e6),
            ("graded-cube", 1e6),
        ],
    )
}

/// Means over quarters of a run; infinite if it broke.
fn quarters(seen: &Seen) -> [f64; 4] {
    let looks = seen.energy.len() - 1;
    let mean = |q: usize| {
        let part = &seen.energy[1 + q * looks / 4..1 + (q + 1) * looks / 4];
        if seen.largest.is_finite() { part.iter().sum::<f64>() / part.len() as f64 } else { f64::INFINITY }
    };
    [0, 1, 2, 3].map(mean)
}

fn line(name: &str, elements: usize, updates: f64, seen: &Seen) -> String {
    let [a, b, c, d] = quarters(seen);
    format!("{name:<24} {elements:>8} {updates:>8.0e} {:>7.3}   {a:.5} {b:.5} {c:.5} {d:.5}", seen.saving)
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let mut table = vec![format!(
        "{:<24} {:>8} {:>8} {:>7}   mean energy over the first in quarters of the run",
        "mesh", "elements", "updates", "saving"
    )];
    let mut plot = Plot::new("Energy by 0.8 of the body's limit, the former default")
        .x_label("part of the run")
        .y_label("energy over the first");
    let (mut held, mut trend) = (0.0, 0.0);
    for (name, updates) in plan(scale) {
        let body = Arc::new(solid(name)?);
        let seen = shake(&body, FORMER_DEFAULT, FORMER_FRACTION, *updates, SMALL)?;
        let looks = seen.energy.len() - 1;
        let means = quarters(&seen);
        table.push(line(name, body.elements(), *updates, &seen));
        held = larger(held, seen.largest - 1.0);
        trend = larger(trend, (means[3] / means[1]).ln().abs());
        let part: Vec<f64> = (0..=looks).map(|i| i as f64 / looks as f64).collect();
        plot = plot.line(format!("{name}, {updates:.0e} updates"), &part, &seen.energy);
    }
    // The split for few updates lets more elements be at their limits at once.
    let (slab, updates) = (Arc::new(solid("slab")?), scale.pick(2e4, 4e4));
    for fraction in [0.7, FORMER_FRACTION] {
        let optimal = Way { split: MassSplit::Optimal, ..FORMER_DEFAULT };
        let seen = shake(&slab, optimal, fraction, updates, SMALL)?;
        table.push(line(&format!("slab, optimal split, {fraction}"), slab.elements(), updates, &seen));
    }
    let claims = vec![
        Claim::below("largest energy over the first, less one", held, 0.05),
        Claim::below("logarithm of the last quarter's mean over the second's, the largest", trend, 0.02),
    ];
    Ok(Outcome { plot: plot.to_svg(720, 460), table, claims })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resonance::meshes::WAYS;

    #[test]
    fn resonance_long_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        outcome.claims.iter().for_each(|claim| assert!(claim.holds(), "{claim}"));
        // Free steps at the same fraction do grow: the trend can tell.
        let slab = Arc::new(solid("slab").unwrap());
        let seen = shake(&slab, WAYS[0], FORMER_FRACTION, 6e3, SMALL).unwrap();
        assert!(seen.energy[40] / seen.energy[20] > 1.02, "{:?}", seen.energy);
    }
}
