//! VTI04 Fig. 1: the heat of a nonlinear lattice, by VI1 and by RK4, over the length of the run.

use super::{VI1, VI4};
use crate::lattice::{Springs, lattice, random_start};
use crate::series::{self, range};
use crate::{Claim, Outcome, Scale};
use stationary::integrate::Method;
use stationary::model::FormulaLagrangian;
use stationary_report::plot::Plot;
use std::sync::Arc;

const SIDE: usize = 4;
/// Half the width of the random start.
const SIZE: f64 = 0.2;
const STEPS: [f64; 4] = [0.4, 0.2, 0.1, 0.05];

/// The running average of one simulation.
#[derive(Debug, Clone)]
pub struct Curve {
    /// Time step.
    pub h: f64,
    /// End of the average.
    pub t: Vec<f64>,
    /// Average kinetic energy until then.
    pub heat: Vec<f64>,
}

impl Curve {
    fn last(&self) -> f64 {
        self.heat[self.heat.len() - 1]
    }
}

/// The figure as numbers; curves in order of falling step.
#[derive(Debug, Clone)]
pub struct Heat {
    /// The variational method.
    pub variational: Vec<Curve>,
    /// The contrast.
    pub classical: Vec<Curve>,
    /// The fourth-order variational method at a small step: what the heat is.
    pub reference: f64,
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    Ok(heat(scale, VI1, Method::RungeKutta4)?.outcome())
}

/// Measures the heat with a variational method and with one that is not.
pub fn heat(scale: Scale, variational: Method, classical: Method) -> Result<Heat, String> {
    let end = scale.pick(3e3, 1e5);
    let lattice = Arc::new(lattice(SIDE, Springs::Exact)?);
    let curves =
        |method| STEPS.iter().map(|h| curve(&lattice, method, *h, end)).collect::<Result<Vec<_>, _>>();
    Ok(Heat {
        variational: curves(variational)?,
        classical: curves(classical)?,
        reference: curve(&lattice, VI4, 0.1, end)?.last(),
    })
}

/// One simulation, its average taken at times evenly spread on a logarithmic axis.
fn curve(lattice: &Arc<FormulaLagrangian>, method: Method, h: f64, end: f64) -> Result<Curve, String> {
    let (q, v) = random_start(2 * SIDE * SIDE, SIZE);
    let from = 5.0f64.max(5.0 * h);
    let mut steps: Vec<u64> =
        (0..=120).map(|k| (from * (end / from).powf(f64::from(k) / 120.0) / h).round() as u64).collect();
    steps.dedup();
    let heat = series::heat(lattice, method, (&q, &v), h, &steps)?;
    Ok(Curve { h, t: steps.iter().map(|k| *k as f64 * h).collect(), heat })
}

impl Heat {
    fn outcome(&self) -> Outcome {
        let mut plot = Plot::new("").log_x().x_label("T").y_label("average kinetic energy until T");
        let mut table = vec![format!("reference heat (VI4, dt 0.1): {:.4}", self.reference)];
        table.push("dt        VI1       RK4".into());
        for (v, c) in self.variational.iter().zip(&self.classical) {
            table.push(format!("{:<6} {:8.4}  {:8.4}", v.h, v.last(), c.last()));
        }
        for c in &self.variational {
            plot = plot.line(format!("VI1, Δt = {}", c.h), &c.t, &c.heat);
        }
        for c in &self.classical {
            plot = plot.dashed_line(format!("RK4, Δt = {}", c.h), &c.t, &c.heat);
        }
        Outcome { plot: plot.to_svg(760, 520), table, claims: self.claims() }
    }

    /// What the paper says of the figure.
    pub fn claims(&self) -> Vec<Claim> {
        let (loss, spread): (Vec<f64>, Vec<f64>) = self
            .classical
            .iter()
            .zip(&self.variational)
            .map(|(c, v)| (1.0 - c.last() / self.reference, (v.last() / self.reference - 1.0).abs()))
            .unzip();
        let early = |c: &Curve| c.heat[c.heat.len() / 2];
        let change = |c: &Curve| (c.last() / early(c) - 1.0).abs();
        let growth = range(&loss.windows(2).map(|l| l[0] - l[1]).collect::<Vec<_>>()).0;
        let drift = range(&self.variational.iter().map(change).collect::<Vec<_>>()).1;
        vec![
            Claim::above("share of the heat that RK4 loses at the largest step", loss[0], 0.8),
            Claim::above(
                "how much more RK4 loses at each step than at the next smaller one, least",
                growth,
                5e-3,
            ),
            Claim::below(
                "VI1 keeps its heat (largest relative change over the last half of log T)",
                drift,
                0.02,
            ),
            Claim::below("error of VI1 at the largest step", spread[0], 0.3),
            Claim::below("error of VI1 at the other steps", range(&spread[1..]).1, 0.1),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vti04_figure_1_claims_hold() {
        let heat = heat(Scale::Reduced, VI1, Method::RungeKutta4).unwrap();
        for claim in heat.claims() {
            assert!(claim.holds(), "{claim}");
        }
        // Each claim fails when the methods change places.
        let swapped =
            Heat { variational: heat.classical, classical: heat.variational, reference: heat.reference };
        for claim in swapped.claims() {
            assert!(!claim.holds(), "{claim}");
        }
    }
}
