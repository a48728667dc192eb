//! AVI03 Fig. 14: the local balance of energy of one element of the L-beam.

use super::residual::{Watched, order};
use crate::solids::{Body, FRACTION, Trace};
use crate::{Claim, Outcome, Scale};

/// Times in which the order is measured.
const SHORT: f64 = 5e-4;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let watched = Watched::new(Body::l_beam()?, FRACTION, scale.pick(SHORT, 0.02), 0.0);
    let trace = watched.trace()?;
    let finer = Watched::new(Body::l_beam()?, 0.5 * FRACTION, SHORT, 0.0);
    let fine = finer.trace()?.worst_after(0.0);
    let claims = claims(&trace, fine);
    Ok(Outcome {
        plot: watched.plot(&trace, "Local energy residual of an element of the L-beam"),
        table: watched.table(&trace),
        claims,
    })
}

/// The largest accumulated residual over the element's energy in a part of the events.
fn worst(trace: &Trace, from: f64, to: f64) -> f64 {
    let n = trace.t.len() as f64;
    let part = (n * from) as usize..(n * to) as usize;
    let ratios = trace.accumulated[part.clone()].iter().zip(&trace.energy[part]);
    ratios.map(|(a, e)| (a / e).abs()).fold(0.0, crate::solids::larger)
}

fn claims(trace: &Trace, fine: f64) -> Vec<Claim> {
    let early = trace.t.iter().filter(|t| **t <= SHORT).count() as f64 / trace.t.len() as f64;
    let growth = worst(trace, 0.5, 1.0) / worst(trace, 0.0, 0.5);
    vec![
        order((FRACTION, worst(trace, 0.0, early)), (0.5 * FRACTION, fine)),
        Claim::below(
            "largest accumulated residual of the second half of the run over that of the first",
            growth,
            2.0,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avi03_figure_14_claims_hold() {
        for claim in run(Scale::Reduced).unwrap().claims {
            assert!(claim.holds(), "{claim}");
        }
        // A residual that piles up.
        let t: Vec<f64> = (1..=100).map(|i| 5e-6 * f64::from(i)).collect();
        let accumulated = t.iter().map(|t| t * t).collect();
        let trace = Trace { energy: vec![1.0; 100], residual: vec![0.0; 100], accumulated, t, all: vec![] };
        assert!(claims(&trace, 2.5e-7).iter().all(|c| !c.holds()));
    }
}
