//! The energy of a variational integrator against that of RK4, at the same step.

use crate::series::{self, largest_deviation, mean, range};
use crate::{Claim, Outcome};
use stationary::formula::{Scope, Var};
use stationary::integrate::Method;
use stationary::model::FormulaLagrangian;
use stationary_report::plot::Plot;
use std::sync::Arc;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// The Lagrangian in `x`, `y`, `vx`, `vy`, of unit mass.
    pub lagrangian: &'static str,
    /// Where it starts.
    pub q: [f64; 2],
    /// Its velocity there.
    pub v: [f64; 2],
    /// Time step.
    pub h: f64,
    /// End of the run.
    pub end: f64,
}

/// What was seen of one run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Energy at each step.
    pub energy: Vec<f64>,
    /// Angular momentum at each step.
    pub angular: Vec<f64>,
}

/// The two runs.
#[derive(Debug, Clone)]
pub struct Contrast {
    /// Times of the steps.
    pub t: Vec<f64>,
    /// The variational one.
    pub variational: Run,
    /// The other.
    pub classical: Run,
}

/// A Lagrangian of the plane from text.
pub fn plane(text: &str) -> Result<Arc<FormulaLagrangian>, String> {
    let mut scope = Scope::new();
    scope
        .variable("x", Var::Q(0))
        .variable("y", Var::Q(1))
        .variable("vx", Var::V(0))
        .variable("vy", Var::V(1));
    FormulaLagrangian::new(text, &scope, 2).map(Arc::new).map_err(|e| e.to_string())
}

impl Contrast {
    /// Runs both methods.
    pub fn new(setup: &Setup, variational: Method, classical: Method) -> Result<Self, String> {
        let system = plane(setup.lagrangian)?;
        let steps = (setup.end / setup.h).round() as u64;
        let run = |method| {
            let mut integrator = series::start(&system, method, (&setup.q, &setup.v), setup.h)?;
            let mut energy = series::energy(&*system);
            let look = |q: &[f64], p: &[f64]| (energy(q, p), q[0] * p[1] - q[1] * p[0]);
            let (t, seen) = series::observe(&mut *integrator, steps, 1, look)?;
            let (energy, angular) = seen.into_iter().unzip();
            Ok::<_, String>((t, Run { energy, angular }))
        };
        let (t, variational) = run(variational)?;
        Ok(Contrast { t, variational, classical: run(classical)?.1 })
    }

    /// Share of the energy lost by the mean of the last tenth of the classical run.
    fn loss(&self) -> f64 {
        let e = &self.classical.energy;
        1.0 - mean(&e[e.len() * 9 / 10..]) / e[0]
    }

    /// That the variational energy stays near and does not drift, and that the classical one is lost.
    pub fn claims(&self, bound: f64, loss: f64) -> Vec<Claim> {
        let e = &self.variational.energy;
        let (lo, hi) = range(e);
        let quarter = e.len() / 4;
        let drift = (mean(&e[e.len() - quarter..]) - mean(&e[..quarter])).abs() / (hi - lo);
        let deviation = largest_deviation(e);
        vec![
            Claim::below("largest relative energy error of the variational method", deviation, bound),
            Claim::below("its drift, last quarter against first, over its oscillation", drift, 0.05),
            Claim::above("share of the energy that RK4 loses", self.loss(), loss),
            Claim::above(
                "that loss over the largest error of the variational method",
                self.loss() / deviation,
                2.0,
            ),
        ]
    }

    /// The plot, the numbers and the claims.
    pub fn outcome(&self, names: [&str; 2], claims: Vec<Claim>) -> Outcome {
        let start = self.variational.energy[0];
        let plot = Plot::new("")
            .x_label("time")
            .y_label("energy")
            .line(names[0], &self.t, &self.variational.energy)
            .line(names[1], &self.t, &self.classical.energy)
            .horizontal("exact", start);
        let ((lo, hi), last) = (range(&self.variational.energy), self.classical.energy[self.t.len() - 1]);
        let table = vec![
            format!("exact energy {start:.5}"),
            format!("{}: between {lo:.5} and {hi:.5}", names[0]),
            format!("{}: {last:.5} at the end", names[1]),
        ];
        Outcome { plot: plot.to_svg(760, 460), table, claims }
    }
}
