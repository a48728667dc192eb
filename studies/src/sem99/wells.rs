//! The two systems of SEM99 8 and their runs with fixed steps and with steps that the energy chooses.

use crate::series::largest_deviation;
use stationary::formula::{Scope, Var};
use stationary::integrate::{BuildError, EnergyStepSpec, Integrator, Interactions, Method, Start};
use stationary::model::FormulaLagrangian;
use std::sync::Arc;

/// The midpoint rule, the paper's choice.
pub const MIDPOINT: Method = Method::Midpoint { alpha: 0.5 };
/// The first step, the paper's choice.
pub const H0: f64 = 0.1;
/// Starts of the double well: deep in a well, near the separatrix, on it, and outside.
pub const STARTS: [f64; 4] = [0.74, 0.995, 1.0, 1.001];

/// A system at rest for the first step.
#[derive(Debug, Clone)]
pub struct Wells {
    /// The system.
    pub lagrangian: Arc<FormulaLagrangian>,
    /// Both first positions.
    pub start: Vec<f64>,
}

/// What was seen of a run, step by step.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Times after the steps.
    pub t: Vec<f64>,
    /// Lengths of the steps.
    pub h: Vec<f64>,
    /// Discrete energies.
    pub energy: Vec<f64>,
    /// Whether no length kept the energy.
    pub flagged: Vec<bool>,
    /// `(q_k + q_{k+1})/2`, coordinate by coordinate.
    pub middle: Vec<Vec<f64>>,
    /// `(q_{k+1} - q_k)/h_k`, coordinate by coordinate.
    pub velocity: Vec<Vec<f64>>,
}

fn system(text: &str, names: &[&str]) -> Result<Arc<FormulaLagrangian>, String> {
    let mut scope = Scope::new();
    for (k, name) in names.iter().enumerate() {
        scope.variable(*name, Var::Q(k as u32)).variable(format!("v{name}"), Var::V(k as u32));
    }
    FormulaLagrangian::new(text, &scope, names.len()).map(Arc::new).map_err(|e| e.to_string())
}

/// Why a start failed, in words.
pub fn words(error: BuildError) -> String {
    match error {
        BuildError::Unsuited(message) => message,
        BuildError::Start(error) => error.to_string(),
    }
}

impl Wells {
    /// `V = (q^4 - q^2)/2` [SEM99 (8.11)].
    pub fn double(start: f64) -> Result<Self, String> {
        Ok(Wells { lagrangian: system("0.5*vx^2 - 0.5*(x^4 - x^2)", &["x"])?, start: vec![start] })
    }

    /// The same coupled to an oscillator [SEM99 (8.12)].
    pub fn coupled() -> Result<Self, String> {
        let text = "0.5*(vx^2 + vy^2) - 0.5*(x^4 - x^2) - 0.5*y^2 + 0.01*x*y";
        Ok(Wells { lagrangian: system(text, &["x", "y"])?, start: vec![1.0, 1.0] })
    }

    /// Where the run starts.
    pub fn state(&self, h: f64) -> Result<Start, String> {
        let q = self.start.clone();
        let p = MIDPOINT.momentum_between(self.lagrangian.clone(), (0.0, h), &q, &q).map_err(words)?;
        Ok(Start { t: 0.0, q, p, h })
    }

    /// The integrator, with steps by the energy if it is to choose them.
    pub fn begin(&self, choice: Option<EnergyStepSpec>) -> Result<Box<dyn Integrator>, String> {
        let (l, start) = (self.lagrangian.clone(), self.state(H0)?);
        match choice {
            Some(choice) => MIDPOINT.start_energy(l, &Interactions::default(), &start, (choice, 1e-15)),
            None => MIDPOINT.start(l, &start, 1e-15),
        }
        .map_err(words)
    }

    /// Runs until a time.
    pub fn run(&self, choice: Option<EnergyStepSpec>, end: f64) -> Result<Run, String> {
        let mut x = self.begin(choice)?;
        let n = self.start.len();
        let mut run = Run { middle: vec![Vec::new(); n], velocity: vec![Vec::new(); n], ..Run::default() };
        while x.view().t < end * (1.0 - 1e-12) {
            let (q0, t0) = (x.view().q.to_vec(), x.view().t);
            x.advance(1).map_err(|e| e.to_string())?;
            let (h, flagged) = x.adaption().map_or((x.view().t - t0, false), |a| (a.length, a.flagged));
            for i in 0..n {
                run.middle[i].push(0.5 * (q0[i] + x.view().q[i]));
                run.velocity[i].push((x.view().q[i] - q0[i]) / h);
            }
            run.t.push(x.view().t);
            run.h.push(h);
            run.flagged.push(flagged);
            run.energy.push(x.discrete_energy().ok_or("no discrete energy")?);
        }
        Ok(run)
    }

    /// Runs both ways, the energy with the choice given.
    pub fn both(&self, choice: EnergyStepSpec, end: f64) -> Result<[Run; 2], String> {
        Ok([self.run(None, end)?, self.run(Some(choice), end)?])
    }
}

impl Run {
    /// Change of the discrete energy since the first step.
    pub fn error(&self) -> Vec<f64> {
        self.energy.iter().map(|e| e - self.energy[0]).collect()
    }

    /// The largest such change of steps that are flagged or not; zero where there are none.
    pub fn worst(&self, flagged: bool) -> f64 {
        let errors = self.error().into_iter().zip(&self.flagged).filter(|(_, f)| **f == flagged);
        errors.fold(0.0, |m, (e, _)| if e.abs() > m || e.is_nan() { e.abs() } else { m })
    }

    /// Flagged steps.
    pub fn flags(&self) -> usize {
        self.flagged.iter().filter(|f| **f).count()
    }

    /// Runs of flagged steps.
    pub fn stretches(&self) -> usize {
        usize::from(self.flagged[0]) + self.flagged.windows(2).filter(|w| !w[0] && w[1]).count()
    }

    /// The least and the largest length.
    pub fn lengths(&self) -> (f64, f64) {
        crate::series::range(&self.h)
    }

    /// How much the lengths vary, relative to the first.
    pub fn variation(&self) -> f64 {
        largest_deviation(&self.h)
    }
}

/// The error for a logarithmic axis: rounding is drawn at its level.
pub fn drawn(error: &[f64]) -> Vec<f64> {
    error.iter().map(|e| e.abs().max(1e-17)).collect()
}
