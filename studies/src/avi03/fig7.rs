//! AVI03 Fig. 7: the block by AVI and by Newmark, one drawn on the other.

use super::table1::runs;
use crate::solids::{Body, LASTING_FRACTION, Run, distance, fault};
use crate::{Claim, Outcome, Scale};
use stationary_report::plot::Plot;

fn shapes(runs: &[Run; 2]) -> Result<[Vec<f64>; 2], String> {
    let shape = |run: &Run| run.snapshot().map(|s| s.x).map_err(|e| fault(&e));
    Ok([shape(&runs[0])?, shape(&runs[1])?])
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let body = Body::block()?;
    let end = scale.pick(1e-4, 1.6e-2);
    let [avi, newmark] = shapes(&runs(LASTING_FRACTION, end)?)?;
    let moved = distance(&avi, &body.x);
    let apart = distance(&avi, &newmark);
    let table = vec![
        format!("time {} ms", 1e3 * end),
        format!("largest distance of a node, AVI from Newmark: {apart:.3e} m"),
        format!("largest displacement from the start:          {moved:.3e} m"),
    ];
    let mut plot =
        Plot::new(format!("The block at {} ms", 1e3 * end)).x_label("m").y_label("m").equal_aspect();
    let [x, y] = body.drawing(&avi, |p| [p[0], p[1]]);
    plot = plot.line("AVI", &x, &y);
    let [x, y] = body.drawing(&newmark, |p| [p[0], p[1]]);
    plot = plot.dashed_line("Newmark", &x, &y);
    Ok(Outcome { plot: plot.to_svg(720, 720), table, claims: claims(apart) })
}

/// In lockstep to the eye: apart by less than a hundredth of the block.
fn claims(apart: f64) -> Vec<Claim> {
    vec![Claim::below(
        "largest distance of a node, AVI from Newmark, in m (the block measures 1)",
        apart,
        0.01,
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avi03_figure_7_claims_hold() {
        let runs = runs(LASTING_FRACTION, 1e-4).unwrap();
        let [avi, newmark] = shapes(&runs).unwrap();
        for claim in claims(distance(&avi, &newmark)) {
            assert!(claim.holds(), "{claim}");
        }
        // The start, a tenth of a millisecond earlier, is another shape.
        assert!(!claims(distance(&avi, &Body::block().unwrap().x))[0].holds());
    }
}
