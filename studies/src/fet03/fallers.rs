//! The bodies of FET03 5.2 and 5.3, and their runs from impact to impact.

use stationary::contact::{ContactLaw, FormulaGap, Gap, GapImpact, GapNodes, Gaps};
use stationary::formula::{Expr, Graph, Scope, Var};
use stationary::integrate::{BuildError, Integrator, Interactions, Method, Start};
use stationary::model::FormulaLagrangian;
use std::sync::Arc;

/// Velocity Verlet, the thesis' choice (5.2).
pub const VERLET: Method = Method::Verlet { order: 2 };
/// The midpoint rule.
pub const MIDPOINT: Method = Method::Midpoint { alpha: 0.5 };
/// Two Gauss nodes, order 4.
pub const GAUSS2: Method = Method::Gauss { stages: 2 };
/// Gravity; the thesis does not print it.
pub const G: f64 = 9.81;

/// A body over a floor.
#[derive(Clone)]
pub struct Faller {
    /// The system.
    pub lagrangian: Arc<FormulaLagrangian>,
    gap: Arc<dyn Gap>,
    /// First position.
    pub q: Vec<f64>,
    /// First momentum.
    pub p: Vec<f64>,
}

/// What was seen of a run, impact by impact.
#[derive(Debug, Clone, Default)]
pub struct Bounces {
    /// When.
    pub time: Vec<f64>,
    /// The Hamiltonian at the end of the step with the impact, less that at the start of the run.
    pub drift: Vec<f64>,
    /// The largest change of the discrete energy over an impact, relative, among those that keep it.
    pub worst: f64,
    /// Impacts that do not: grazes so slow that no impulse would.
    pub grazes: usize,
    /// The most impacts in one step.
    pub most: usize,
}

/// A larger change of the discrete energy, relative, is not rounding.
const GRAZE: f64 = 1e-9;

/// The moment of inertia of the star of unit mass and size.
const STAR: f64 = 29.0 / 192.0;

impl Faller {
    fn new(text: &str, gap: &str, q: &[f64], p: &[f64]) -> Result<Self, String> {
        let mut scope = Scope::new();
        scope.constant("g", G).constant("I", STAR);
        for (i, name) in ["x", "y", "a"].iter().enumerate().take(q.len()) {
            scope.variable(*name, Var::Q(i as u32)).variable(format!("v{name}"), Var::V(i as u32));
        }
        let mut graph = Graph::new();
        let expr = Expr::parse(gap).map_err(|e| e.to_string())?;
        let node = graph.lower(&expr, &scope).map_err(|e| e.to_string())?;
        let gap = FormulaGap::new(&mut graph, &[GapNodes { gap: node, slip: Vec::new() }], q.len());
        let lagrangian = FormulaLagrangian::new(text, &scope, q.len()).map_err(|e| e.to_string())?;
        Ok(Faller { lagrangian: Arc::new(lagrangian), gap: Arc::new(gap), q: q.to_vec(), p: p.to_vec() })
    }

    /// The particle of 5.2.
    pub fn particle() -> Result<Self, String> {
        Faller::new("0.5*(vx^2 + vy^2) - g*y", "y", &[0.0, 1.0], &[-2.0, 0.0])
    }

    /// The star of 5.3, (5.12).
    pub fn star() -> Result<Self, String> {
        Faller::stars("g*y")
    }

    /// The star in a gravity that falls with the height, `V = g y/(1 + y/5)`.
    pub fn star_high() -> Result<Self, String> {
        Faller::stars("g*y/(1 + 0.2*y)")
    }

    fn stars(potential: &str) -> Result<Self, String> {
        let text = format!("0.5*(vx^2 + vy^2) + 0.5*I*va^2 - {potential}");
        let gap = "y - 0.5*(abs(sin(a)) + abs(cos(a)))";
        Faller::new(&text, gap, &[0.0, 3.5, 0.0], &[-2.0, 0.0, 5.0 * STAR])
    }

    /// Starts a method.
    pub fn begin(&self, method: Method, h: f64) -> Result<Box<dyn Integrator>, String> {
        let gaps = Some(Gaps::new(Arc::clone(&self.gap), vec![ContactLaw::default()]));
        let start = Start { t: 0.0, q: self.q.clone(), p: self.p.clone(), h };
        let run = method.start_with(
            Arc::clone(&self.lagrangian),
            &Interactions { gaps, ..Interactions::default() },
            &start,
            1e-15,
        );
        run.map_err(|e| match e {
            BuildError::Unsuited(message) => message,
            BuildError::Start(error) => error.to_string(),
        })
    }

    /// Runs through so many impacts.
    pub fn bounce(&self, method: Method, h: f64, impacts: usize) -> Result<Bounces, String> {
        let mut seen = Bounces::default();
        self.each_impact(method, h, impacts, |impact, drift, together| {
            seen.time.push(impact.time);
            seen.drift.push(drift);
            let change = (impact.energy_after / impact.energy_before - 1.0).abs();
            if !(change < GRAZE) {
                seen.grazes += 1;
            } else if change > seen.worst {
                seen.worst = change;
            }
            seen.most = seen.most.max(together);
        })?;
        Ok(seen)
    }

    /// Runs through so many impacts and shows each, the change of the Hamiltonian since the start at the end of its step, and how
    /// many impacts the step had.
    pub fn each_impact(
        &self,
        method: Method,
        h: f64,
        impacts: usize,
        mut look: impl FnMut(&GapImpact, f64, usize),
    ) -> Result<(), String> {
        let mut run = self.begin(method, h)?;
        let mut energy = crate::series::energy(&self.lagrangian);
        let (first, mut seen) = (energy(&self.q, &self.p), 0);
        while seen < impacts {
            run.advance(1).map_err(|e| e.to_string())?;
            let view = run.view();
            let found = run.impacts();
            if !found.is_empty() {
                let drift = energy(view.q, view.p) - first;
                found.iter().take(impacts - seen).for_each(|impact| look(impact, drift, found.len()));
                seen += found.len();
            }
        }
        Ok(())
    }
}
