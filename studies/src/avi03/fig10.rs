//! AVI03 Fig. 10: the local balance of energy of one element of the block.

use super::residual::{Watched, order};
use crate::solids::{Body, FRACTION, PRINTED_FRACTION};
use crate::{Claim, Outcome, Scale};

/// The printed steps, and those that the printed number of updates asks for (reduced: half of the printed).
fn watched(scale: Scale) -> Result<[Watched; 2], String> {
    let (end, transient) = scale.pick((1.5e-4, 0.5e-4), (1e-3, 5e-4));
    let fine = scale.pick(0.5 * FRACTION, PRINTED_FRACTION);
    Ok([
        Watched::new(Body::block()?, FRACTION, end, transient),
        Watched::new(Body::block()?, fine, end, transient),
    ])
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let both = watched(scale)?;
    let [coarse, fine] = [both[0].trace()?, both[1].trace()?];
    let mut table = both[0].table(&coarse);
    table.extend(both[1].table(&fine));
    let claims = claims(
        (both[0].fraction, coarse.worst_after(both[0].transient)),
        (both[1].fraction, fine.worst_after(both[1].transient)),
        scale,
    );
    let plot = both[1].plot(&fine, "Local energy residual of an element of the block");
    Ok(Outcome { plot, table, claims })
}

fn claims(coarse: (f64, f64), fine: (f64, f64), scale: Scale) -> Vec<Claim> {
    let mut claims = vec![order(coarse, fine)];
    if scale == Scale::Full {
        let text = "accumulated residual over the element's energy at the printed number of updates (printed: 0.3 %)";
        claims.push(Claim::below(text, fine.1, 3e-3));
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avi03_figure_10_claims_hold() {
        for claim in run(Scale::Reduced).unwrap().claims {
            assert!(claim.holds(), "{claim}");
        }
        let wrong = claims((0.1, 0.01), (0.05, 0.01), Scale::Full);
        assert!(wrong.iter().all(|c| !c.holds()));
    }
}
