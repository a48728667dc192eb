//! Three springs on two masses: what lies between the fast spring and the slow one.

use super::Clock;
use super::chain::Chain;
use crate::{Claim, Outcome, Scale};
use stationary_report::plot::Plot;

/// Steps of the three springs over the first one's, and limits in the same unit: the fraction of each limit is `f` times step over limit.
#[derive(Debug, Clone, Copy)]
struct Case {
    name: &'static str,
    limit: [f64; 3],
    step: [f64; 3],
    clock: Clock,
}

const CASES: [Case; 7] = [
    Case { name: "1, 4, 4 (no buffer)", limit: [1., 4., 4.], step: [1., 4., 4.], clock: Clock::Ends },
    Case { name: "1, 4, 4, middles", limit: [1., 4., 4.], step: [1., 4., 4.], clock: Clock::Middles },
    Case { name: "1, 2, 4 (jump)", limit: [1., 4., 4.], step: [1., 2., 4.], clock: Clock::Ends },
    Case { name: "1, 2, 4, middles", limit: [1., 4., 4.], step: [1., 2., 4.], clock: Clock::Middles },
    Case { name: "1, 1, 4 (ring)", limit: [1., 4., 4.], step: [1., 1., 4.], clock: Clock::Ends },
    Case { name: "graded 1, 2, 4", limit: [1., 2., 4.], step: [1., 2., 4.], clock: Clock::Ends },
    Case { name: "graded 1, 2, 4, middles", limit: [1., 2., 4.], step: [1., 2., 4.], clock: Clock::Middles },
];

impl Case {
    /// The growth for each fast step at a fraction of the limits, even split of the masses.
    fn growth(&self, fraction: f64) -> f64 {
        let limit = self.limit.map(|l| l / fraction);
        // 2/omega = limit: omega^2 = 2 k where one node is a wall, 4 k between two masses.
        let stiffness = [2.0 / limit[0].powi(2), 1.0 / limit[1].powi(2), 2.0 / limit[2].powi(2)];
        Chain::new(stiffness.to_vec()).growth(&self.step, self.clock, false, 24)
    }

    /// The part of the fractions up to 0.95 at which it grows, and the first of them.
    fn unstable(&self, grid: &[f64]) -> (f64, f64, Vec<f64>) {
        let growth: Vec<f64> = grid.iter().map(|f| self.growth(*f)).collect();
        let bad = |g: &f64| !(*g < SEEN);
        let count = growth.iter().filter(|g| bad(g)).count();
        let first = growth.iter().position(bad).map_or(1.0, |i| grid[i]);
        (count as f64 / grid.len() as f64, first, growth)
    }
}

/// Less than this in a fast step is not seen by squaring.
const SEEN: f64 = 1e-5;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let n = scale.pick(190, 1900);
    let grid: Vec<f64> = (1..=n).map(|i| 0.95 * f64::from(i) / f64::from(n)).collect();
    let mut plot = Plot::new("Three springs, each at a fraction f of its limit")
        .x_label("f")
        .y_label("growth for each fast step")
        .log_y();
    let mut table = vec![format!("{:<26} {:>14} {:>12}", "steps", "unstable part", "first at f")];
    let mut parts = Vec::new();
    for case in CASES {
        let (part, first, growth) = case.unstable(&grid);
        table.push(format!("{:<26} {:>13.1}% {:>12.3}", case.name, 100.0 * part, first));
        let (f, g): (Vec<f64>, Vec<f64>) =
            grid.iter().zip(&growth).filter(|(_, g)| **g > SEEN).map(|(f, g)| (*f, *g)).unzip();
        if !f.is_empty() {
            plot = plot.points(case.name, &f, &g);
        }
        parts.push((part, first));
    }
    let claims = vec![
        Claim::below("no buffer, ends: first tongue", parts[0].1, 0.6),
        Claim::above("neighbours within two: first tongue", parts[2].1, 0.7),
        Claim::below("graded at the limits throughout: first tongue at the ends", parts[5].1, 0.6),
        Claim::below("graded: unstable part, middles over ends", parts[6].0 / parts[5].0, 0.6),
        Claim::below("neighbours within two: unstable part, middles over ends", parts[3].0 / parts[2].0, 0.6),
        Claim::below("unstable part, jump over none", parts[2].0 / parts[0].0, 0.9),
    ];
    Ok(Outcome { plot: plot.to_svg(720, 440), table, claims })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resonance_triple_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        outcome.claims.iter().for_each(|claim| assert!(claim.holds(), "{claim}"));
    }
}
