//! AVI03 Fig. 12: the L-beam as it swings.

use crate::solids::{Body, Clock, FRACTION, record};
use crate::{Claim, Outcome, Scale};
use stationary_report::plot::Plot;

/// Time between the snapshots.
const BETWEEN: f64 = 1e-3;

/// Seen from the front, a little from the right and above.
fn view(p: &[f64]) -> [f64; 2] {
    [p[0] + 0.35 * p[2], p[1] + 0.25 * p[2]]
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let body = Body::l_beam()?;
    let shots = scale.pick(2, 16);
    let history = record(&mut body.start(Clock::Own, FRACTION)?, (shots - 1) as f64 * BETWEEN, shots - 1)?;
    let mut plot = Plot::new("The L-beam every millisecond").x_label("m").y_label("m").equal_aspect();
    for (i, frame) in history.frames.iter().enumerate() {
        let (right, down) = (2.6 * (i % 4) as f64, 2.4 * (i / 4) as f64);
        let [x, y] = body.drawing(frame, |p| {
            let [x, y] = view(p);
            [x + right, y - down]
        });
        plot = plot.line("AVI", &x, &y);
    }
    let plot = plot.note("Time runs from left to right and from top to bottom.");
    let centres: Vec<[f64; 3]> = history.frames.iter().map(|x| centre(&body, x)).collect();
    let moved = |c: &[f64; 3]| (0..3).map(|i| (c[i] - centres[0][i]).abs()).fold(0.0, crate::solids::larger);
    let astray = centres.iter().map(moved).fold(0.0, crate::solids::larger);
    let swing = crate::solids::distance(&history.frames[0], &history.frames[1]);
    let table = vec![
        format!("largest way of a node in the first ms: {swing:.4} m"),
        format!("largest way of the centre of mass: {astray:.3e} m"),
    ];
    Ok(Outcome { plot: plot.to_svg(800, 780), table, claims: claims(swing, astray) })
}

fn centre(body: &Body, x: &[f64]) -> [f64; 3] {
    let mass = body.problem.solid().mass();
    let whole: f64 = mass.iter().sum();
    std::array::from_fn(|i| x.chunks_exact(3).zip(mass).map(|(x, m)| m * x[i]).sum::<f64>() / whole)
}

/// It stands free and was at rest: the parts swing, their centre of mass stays.
fn claims(swing: f64, astray: f64) -> Vec<Claim> {
    vec![
        Claim::above("largest way of a node in the first millisecond, m", swing, 0.01),
        Claim::below("largest way of the centre of mass, m", astray, 1e-10),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avi03_figure_12_claims_hold() {
        for claim in run(Scale::Reduced).unwrap().claims {
            assert!(claim.holds(), "{claim}");
        }
        // Nothing moves, or all of it does.
        assert!(claims(0.0, 0.1).iter().all(|c| !c.holds()));
    }
}
