//! SEM99 Fig. 8.1: orbits of the double well by fixed steps and by steps that the energy chooses.

use super::wells::{Run, STARTS, Wells};
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary::integrate::EnergyStepSpec;
use stationary_report::plot::Plot;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let end = scale.pick(40.0, 100.0);
    let (mut plots, mut table, mut claims) = (Vec::new(), Vec::new(), Vec::new());
    for start in STARTS {
        let runs = Wells::double(start)?.both(EnergyStepSpec::default(), end)?;
        plots.push(plot(start, &runs));
        for (name, run) in ["fixed", "by energy"].into_iter().zip(&runs) {
            table.push(format!("start {start}, {name}: {} steps, {} flagged", run.t.len(), run.flags()));
        }
        claims.push(Claim::below(format!("start {start}: distance of the orbits"), distance(&runs), 0.02));
        claims.push(crossing(start, &runs));
    }
    Ok(Outcome { plot: side_by_side(&plots, 420, 380), table, claims })
}

fn plot(start: f64, [fixed, chosen]: &[Run; 2]) -> String {
    Plot::new(format!("q0 = q1 = {start}"))
        .x_label("q")
        .y_label("velocity")
        .points("fixed steps", &fixed.middle[0], &fixed.velocity[0])
        .points("steps by energy", &chosen.middle[0], &chosen.velocity[0])
        .to_svg(420, 380)
}

/// How far the points of the second orbit are at most from the exact one, `v^2/2 + V(q) = E`, as a difference of speeds.
fn distance(runs: &[Run; 2]) -> f64 {
    let mut worst: f64 = 0.0;
    for run in runs {
        let energy = run.energy[0];
        for (q, v) in run.middle[0].iter().zip(&run.velocity[0]) {
            let speed = (2.0 * (energy - 0.5 * (q.powi(4) - q * q))).max(0.0).sqrt();
            let apart = (speed - v.abs()).abs();
            // Where the exact speed nearly vanishes its root magnifies small errors of the energy.
            if speed > 0.1 && (apart > worst || apart.is_nan()) {
                worst = apart;
            }
        }
    }
    worst
}

/// Inside the separatrix the orbit stays in its well, outside it visits both. On it rounding and the method decide.
fn crossing(start: f64, [_, chosen]: &[Run; 2]) -> Claim {
    let least = chosen.middle[0].iter().fold(f64::INFINITY, |m, q| m.min(*q));
    match start {
        s if s < 1.0 => Claim::above(format!("start {start}: smallest q"), least, 0.0),
        s if s > 1.0 => Claim::below(format!("start {start}: smallest q"), least, -0.9),
        _ => Claim::between(format!("start {start}: smallest q"), least, -1.1, 0.2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sem99_figure_8_1_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        assert!(outcome.claims.iter().all(Claim::holds), "{:?}", outcome.claims);
    }

    #[test]
    fn sem99_figure_8_1_claims_fail_for_an_orbit_of_another_energy() {
        let mut runs = Wells::double(0.74).unwrap().both(EnergyStepSpec::default(), 40.0).unwrap();
        runs[1].energy[0] += 0.02;
        assert!(distance(&runs) > 0.02);
        let outside = Wells::double(1.001).unwrap().both(EnergyStepSpec::default(), 40.0).unwrap();
        assert!(!crossing(0.995, &outside).holds());
    }
}
