//! The energy of a weakly damped system by a variational integrator and by RK4, at the same step, against a fine run.

use crate::contrast::plane;
use crate::series::{self, mean};
use crate::{Claim, Outcome};
use stationary::formula::{Expr, Graph, Scope, Var};
use stationary::integrate::{BuildError, Interactions, Method, Start};
use stationary::model::FormulaForce;
use stationary_report::plot::Plot;
use std::sync::Arc;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// The Lagrangian in `x`, `y`, `vx`, `vy`, of unit mass.
    pub lagrangian: &'static str,
    /// Friction: the force is minus this times the velocity.
    pub friction: f64,
    /// Where it starts.
    pub q: [f64; 2],
    /// Its velocity there.
    pub v: [f64; 2],
    /// Time step.
    pub h: f64,
    /// End of the run.
    pub end: f64,
}

/// Energies of three runs, means over blocks of time.
#[derive(Debug, Clone)]
pub struct Damping {
    /// Middles of the blocks.
    pub t: Vec<f64>,
    /// The fine run.
    pub reference: Vec<f64>,
    /// The variational method.
    pub variational: Vec<f64>,
    /// RK4.
    pub classical: Vec<f64>,
}

/// The variational method: the implicit midpoint rule, with the force at its node.
const MIDPOINT: Method = Method::Midpoint { alpha: 0.5 };
/// Blocks over which the energy is averaged: each method's oscillates about its mean.
const BLOCKS: u64 = 20;
/// The fine run's method, and its step relative to the others'.
const FINE: (Method, u64) = (Method::Gauss { stages: 4 }, 4);

impl Damping {
    /// Runs all three.
    pub fn new(setup: &Setup) -> Result<Self, String> {
        let steps = (setup.end / setup.h / BLOCKS as f64).round() as u64;
        let run = |method, finer: u64| means(setup, method, (setup.h / finer as f64, steps * finer));
        let length = steps as f64 * setup.h;
        Ok(Damping {
            t: (0..BLOCKS).map(|k| (k as f64 + 0.5) * length).collect(),
            reference: run(FINE.0, FINE.1)?,
            variational: run(MIDPOINT, 1)?,
            classical: run(Method::RungeKutta4, 1)?,
        })
    }

    /// That the variational energy follows the fine run within 1 % and RK4 does not.
    pub fn claims(&self, lost: f64) -> Vec<Claim> {
        let worst = |x: &[f64]| {
            let errors = x.iter().zip(&self.reference).map(|(x, y)| (x / y - 1.0).abs());
            errors.fold(0.0, |m, e| if e > m || e.is_nan() { e } else { m })
        };
        let last = |x: &[f64]| x[x.len() - 1];
        let decay = 1.0 - last(&self.reference) / self.reference[0];
        vec![
            Claim::above("share of the energy that friction takes", decay, 0.1),
            Claim::below("largest relative error of the energy, variational", worst(&self.variational), 0.01),
            Claim::above("the same, RK4", worst(&self.classical), lost),
        ]
    }

    /// The methods exchanged: claims about them must then fail.
    #[cfg(test)]
    pub fn swapped(self) -> Self {
        Damping { variational: self.classical, classical: self.variational, ..self }
    }

    /// The plot, the numbers and the claims.
    pub fn outcome(&self, claims: Vec<Claim>) -> Outcome {
        let name = "variational (midpoint)";
        let plot = Plot::new("")
            .x_label("time")
            .y_label("energy")
            .line(name, &self.t, &self.variational)
            .line("Runge-Kutta 4", &self.t, &self.classical)
            .line("fine reference", &self.t, &self.reference);
        let ends = |x: &[f64]| format!("from {:.5} to {:.5}", x[0], x[x.len() - 1]);
        let table = vec![
            format!("fine reference: {}", ends(&self.reference)),
            format!("{name}: {}", ends(&self.variational)),
            format!("Runge-Kutta 4: {}", ends(&self.classical)),
        ];
        Outcome { plot: plot.to_svg(760, 460), table, claims }
    }
}

/// Means of the energy over the blocks.
fn means(setup: &Setup, method: Method, (h, steps): (f64, u64)) -> Result<Vec<f64>, String> {
    let system = plane(setup.lagrangian)?;
    let start = Start { t: 0.0, q: setup.q.to_vec(), p: setup.v.to_vec(), h };
    let mut integrator = method
        .start_with(system.clone(), &friction(setup.friction)?, &start, 1e-15)
        .map_err(|e| match e {
            BuildError::Unsuited(message) => message,
            BuildError::Start(error) => error.to_string(),
        })?;
    let mut energy = series::energy(&*system);
    let mut all = Vec::new();
    for _ in 0..BLOCKS {
        let (_, seen) = series::observe(&mut *integrator, steps, 1, &mut energy)?;
        all.push(mean(&seen));
    }
    Ok(all)
}

/// A force against the velocity in the plane.
fn friction(c: f64) -> Result<Interactions, String> {
    let mut scope = Scope::new();
    scope.constant("c", c).variable("vx", Var::V(0)).variable("vy", Var::V(1));
    let mut graph = Graph::new();
    let mut node =
        |text: &str| Expr::parse(text).and_then(|expr| graph.lower(&expr, &scope)).map_err(|e| e.to_string());
    let nodes = [node("-c*vx")?, node("-c*vy")?];
    Ok(Interactions {
        force: Some(Arc::new(FormulaForce::new(&mut graph, &nodes))),
        ..Interactions::default()
    })
}
