//! AVI03 Fig. 6: the block as it swings.

use crate::solids::{Body, Clock, FRACTION, record};
use crate::{Claim, Outcome, Scale};
use stationary_report::plot::Plot;

/// Time between the snapshots.
const BETWEEN: f64 = 2e-4;
/// Looks at the free side from one snapshot to the next.
const LOOKS: usize = 10;

/// Mean displacement along x of the nodes of the free side, from its place at rest.
fn free_side(body: &Body, frames: &[Vec<f64>]) -> Vec<f64> {
    let points = body.problem.solid().points();
    let side: Vec<usize> = (0..points.len()).step_by(3).filter(|i| points[*i] > 1.0 - 1e-9).collect();
    frames.iter().map(|x| side.iter().map(|i| x[*i] - points[*i]).sum::<f64>() / side.len() as f64).collect()
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let body = Body::block()?;
    let shots = scale.pick(2, 16);
    let mut avi = body.start(Clock::Own, FRACTION)?;
    let history = record(&mut avi, (shots - 1) as f64 * BETWEEN, (shots - 1) * LOOKS)?;
    let mut plot = Plot::new("The block every 0.2 ms").x_label("m").y_label("m").equal_aspect();
    for (i, frame) in history.frames.iter().step_by(LOOKS).enumerate() {
        let (right, down) = (1.5 * (i % 4) as f64, 1.5 * (i / 4) as f64);
        let [x, y] = body.drawing(frame, |p| [p[0] + right, p[1] - down]);
        plot = plot.line("AVI", &x, &y);
    }
    let side = free_side(&body, &history.frames);
    let mut table = vec!["time (ms), mean displacement of the free side (m):".to_string()];
    table.extend((0..shots).map(|i| format!("{:.1}  {:+.4}", 1e3 * history.t[i * LOOKS], side[i * LOOKS])));
    let claims = claims(&history.t, &side, scale);
    Ok(Outcome {
        plot: plot.note("Time runs from left to right and from top to bottom.").to_svg(760, 760),
        table,
        claims,
    })
}

/// Times at which values fall through nought.
fn falls(t: &[f64], values: &[f64]) -> Vec<f64> {
    let falls = (1..t.len()).filter(|i| values[i - 1] > 0.0 && values[*i] <= 0.0);
    falls.map(|i| t[i - 1] + (t[i] - t[i - 1]) * values[i - 1] / (values[i - 1] - values[i])).collect()
}

fn claims(t: &[f64], side: &[f64], scale: Scale) -> Vec<Claim> {
    let step = (1..side.len()).map(|i| (side[i] - side[i - 1]).abs()).fold(0.0, crate::solids::larger);
    let speed = step / (t[1] - t[0]);
    // Behind the front that a stretch of 0.2 sends in at the wave speed c = 3806 m/s matter moves at about 0.2 c; where
    // a wave meets the free side it moves twice as fast.
    let text = "largest mean speed of the free side over 0.2 c: no jerks";
    let mut claims = vec![Claim::below(text, speed / (0.2 * 3806.0), 2.0)];
    if scale == Scale::Full {
        let falls = falls(t, side);
        let period = if falls.len() > 1 { falls[1] - falls[0] } else { f64::NAN };
        claims.push(Claim::between(
            "period of the block in ms (printed: 8 cycles in 16 ms)",
            1e3 * period,
            1.8,
            2.2,
        ));
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avi03_figure_6_claims_hold() {
        for claim in run(Scale::Reduced).unwrap().claims {
            assert!(claim.holds(), "{claim}");
        }
        let t: Vec<f64> = (0..300).map(|i| 1e-5 * f64::from(i)).collect();
        let swing = |period: f64| {
            t.iter().map(|t| 0.2 * (std::f64::consts::TAU * t / period).cos()).collect::<Vec<_>>()
        };
        let held =
            |period| claims(&t, &swing(period), Scale::Full).iter().map(Claim::holds).collect::<Vec<_>>();
        assert_eq!(held(2e-3), [true, true]);
        assert_eq!(held(1.5e-3), [true, false]);
        let mut jerk = swing(2e-3);
        jerk[50] += 0.05;
        assert!(!claims(&t, &jerk, Scale::Full)[0].holds());
    }
}
