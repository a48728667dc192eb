//! What the paper leaves open: which way past a place where no length keeps the energy is best.

use super::wells::{H0, Run, Wells, words};
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary::integrate::{EnergyStepSpec, Integrator, Method, Start, Turning};
use stationary_report::plot::Plot;

/// Starts whose orbits cross the saddle.
const OUTSIDE: [f64; 2] = [1.001, 1.02];
/// The fine run: Gauss with four stages, and its step.
const FINE: (Method, f64) = (Method::Gauss { stages: 4 }, 0.02);
/// The time over which paths are compared: the third crossing is well behind.
const COMPARED: f64 = 25.0;

/// Largest lengths tried, in first steps.
const LARGEST: [f64; 3] = [2.0, 3.0, 5.0];

/// One way past such places, measured.
struct Measured {
    turning: Turning,
    largest: f64,
    run: Run,
    /// Largest error of the position.
    path: f64,
    /// Largest change of the discrete energy at the end of the stretches: how far the energy has wandered by the last step.
    last: f64,
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let end = scale.pick(400.0, 1000.0);
    let (mut plots, mut table, mut claims) = (Vec::new(), Vec::new(), Vec::new());
    for start in OUTSIDE {
        let wells = Wells::double(start)?;
        let fixed = wells.run(None, end)?;
        let fixed_path = path_error(&wells, None)?;
        table.push(format!(
            "start {start}, fixed: {} steps, energy {:.1e}, path to {COMPARED} {fixed_path:.2e}",
            fixed.t.len(),
            fixed.worst(false)
        ));
        let mut plot = Plot::new(format!("start {start}")).x_label("time").y_label("energy error").log_y();
        let mut all = Vec::new();
        for (turning, largest) in Turning::ALL.iter().flat_map(|(_, t)| LARGEST.map(|l| (*t, l))) {
            let measured = measure(&wells, (turning, largest), end)?;
            table.push(row(start, &measured));
            if largest != EnergyStepSpec::default().largest {
                continue;
            }
            let shown = measured.run.t.iter().take_while(|t| **t < 60.0).count();
            plot = plot.line(
                turning.to_string(),
                &measured.run.t[..shown],
                &super::wells::drawn(&measured.run.error()[..shown]),
            );
            all.push(measured);
        }
        plots.push(plot.to_svg(560, 400));
        claims.extend(judge(start, &all, (fixed.t.len() as f64, fixed.worst(false))));
    }
    Ok(Outcome { plot: side_by_side(&plots, 560, 400), table, claims })
}

fn choice((turning, largest): (Turning, f64)) -> EnergyStepSpec {
    // A smaller bound makes the minimisation crawl even more; the others stay above it.
    EnergyStepSpec { turning, smallest: 0.05, largest }
}

fn measure(wells: &Wells, way: (Turning, f64), end: f64) -> Result<Measured, String> {
    let run = wells.run(Some(choice(way)), end)?;
    let last = run.error().last().copied().unwrap_or(f64::NAN).abs();
    let (turning, largest) = way;
    Ok(Measured { turning, largest, path: path_error(wells, Some(choice(way)))?, run, last })
}

/// The largest distance from a fine run, which is taken to the very times of the steps.
fn path_error(wells: &Wells, choice: Option<EnergyStepSpec>) -> Result<f64, String> {
    let mut x = wells.begin(choice)?;
    let state = wells.state(H0)?;
    let mut fine = Fine::new(wells, &state)?;
    let mut worst: f64 = 0.0;
    while x.view().t < COMPARED {
        x.advance(1).map_err(|e| e.to_string())?;
        let error = (fine.position(x.view().t)? - x.view().q[0]).abs();
        worst = if error > worst || error.is_nan() { error } else { worst };
    }
    Ok(worst)
}

/// A fine run that can be asked for any later time.
struct Fine<'a> {
    wells: &'a Wells,
    state: Start,
}

impl<'a> Fine<'a> {
    fn new(wells: &'a Wells, start: &Start) -> Result<Self, String> {
        Ok(Fine { wells, state: start.clone() })
    }

    /// Goes on to a time by equal steps not longer than the fine one.
    fn position(&mut self, t: f64) -> Result<f64, String> {
        let steps = ((t - self.state.t) / FINE.1).ceil().max(1.0);
        let start = Start { h: (t - self.state.t) / steps, ..self.state.clone() };
        let mut x: Box<dyn Integrator> =
            FINE.0.start(self.wells.lagrangian.clone(), &start, 1e-15).map_err(words)?;
        x.advance(steps as u64).map_err(|e| e.to_string())?;
        self.state = Start { t, q: x.view().q.to_vec(), p: x.view().p.to_vec(), h: FINE.1 };
        Ok(self.state.q[0])
    }
}

fn row(start: f64, m: &Measured) -> String {
    let (least, most) = m.run.lengths();
    format!(
        "start {start}, {} up to {}: {} steps of {least:.4} to {most:.4}, {} flagged in {} stretches, energy {:.1e}, at flags {:.1e}, at the end {:.1e}, path to {COMPARED} {:.2e}",
        m.turning,
        m.largest,
        m.run.t.len(),
        m.run.flags(),
        m.run.stretches(),
        m.run.worst(false),
        m.run.worst(true),
        m.last,
        m.path,
    )
}

/// That the default keeps the energy away from flagged steps, and at them better than fixed steps and than `hold`, at no more
/// than a few times their number; that `minimise` and `reset` need more, and `reset` loses the energy.
fn judge(start: f64, all: &[Measured], (fixed_steps, fixed_error): (f64, f64)) -> Vec<Claim> {
    let of = |turning| all.iter().find(|m| m.turning == turning).expect("all are measured");
    let (first, hold, minimise, reset) =
        (of(Turning::First), of(Turning::Hold), of(Turning::Minimise), of(Turning::Reset));
    let (cost, flags) = (|m: &Measured| m.run.t.len() as f64, |m: &Measured| m.run.worst(true));
    let name = |text: &str| format!("start {start}, {text}");
    vec![
        Claim::below(name("first: energy away from flags"), first.run.worst(false), 1e-12),
        Claim::below(name("first: energy at flags over fixed"), flags(first) / fixed_error, 0.7),
        Claim::below(name("first: steps over fixed ones"), cost(first) / fixed_steps, 4.0),
        Claim::above(name("hold: energy at flags over that of first"), flags(hold) / flags(first), 1.2),
        Claim::above(name("minimise: steps over those of first"), cost(minimise) / cost(first), 1.5),
        Claim::above(name("reset: steps over those of first"), cost(reset) / cost(first), 1.2),
        Claim::above(name("reset: energy away from flags"), reset.run.worst(false), 1e-6),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sem99_turning_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        assert!(outcome.claims.iter().all(Claim::holds), "{:?} {:?}", outcome.claims, outcome.table);
    }
}
