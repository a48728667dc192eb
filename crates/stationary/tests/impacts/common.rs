//! Systems with gaps, in coordinates `x`, `y`, `a`, `b`.

use stationary::contact::{ContactLaw, FormulaGap, GapImpact, GapNodes, Gaps, Simultaneous};
use stationary::formula::{Expr, Graph, Node, Scope, Var};
use stationary::integrate::{BuildError, Integrator, Interactions, Method, Start};
use stationary::model::{FormulaConstraint, FormulaForce, FormulaLagrangian, Legendre};
use std::sync::Arc;

/// A system from text.
#[derive(Clone, Default)]
pub struct Setup<'a> {
    pub lagrangian: &'a str,
    pub gaps: &'a [&'a str],
    /// Slip velocities of the gaps, if any.
    pub slips: &'a [&'a str],
    pub laws: Vec<(f64, f64)>,
    pub force: &'a [&'a str],
    pub constraint: &'a [&'a str],
    pub simultaneous: Simultaneous,
    pub q: &'a [f64],
    pub v: &'a [f64],
}

/// Names of the coordinates.
pub const NAMES: [&str; 8] = ["x", "y", "a", "b", "c", "d", "f", "g"];

impl Setup<'_> {
    pub fn scope(&self) -> Scope {
        let mut scope = Scope::new();
        scope.variable("t", Var::T);
        for (i, name) in NAMES.iter().enumerate().take(self.q.len()) {
            scope.variable(*name, Var::Q(i as u32)).variable(format!("v{name}"), Var::V(i as u32));
        }
        scope
    }

    pub fn gap(&self) -> Arc<FormulaGap> {
        let (mut graph, scope) = (Graph::new(), self.scope());
        let mut lower = |text: &str| -> Node { graph.lower(&Expr::parse(text).unwrap(), &scope).unwrap() };
        let mut nodes = Vec::new();
        for (k, gap) in self.gaps.iter().enumerate() {
            // Several slips of one gap are separated by semicolons.
            let slips = self.slips.get(k).into_iter().flat_map(|s| s.split(';')).filter(|s| !s.is_empty());
            let slip = slips.map(&mut lower).collect();
            nodes.push(GapNodes { gap: lower(gap), slip });
        }
        Arc::new(FormulaGap::new(&mut graph, &nodes, self.q.len()))
    }

    pub fn lagrangian(&self) -> Arc<FormulaLagrangian> {
        Arc::new(FormulaLagrangian::new(self.lagrangian, &self.scope(), self.q.len()).unwrap())
    }

    pub fn interactions(&self) -> Interactions {
        let (mut graph, scope) = (Graph::new(), self.scope());
        let mut lower = |text: &&str| -> Node { graph.lower(&Expr::parse(text).unwrap(), &scope).unwrap() };
        let force: Vec<Node> = self.force.iter().map(&mut lower).collect();
        let constraint: Vec<Node> = self.constraint.iter().map(&mut lower).collect();
        let laws = self.laws.iter().map(|&(restitution, friction)| ContactLaw { restitution, friction });
        let mut laws: Vec<ContactLaw> = laws.collect();
        laws.resize(self.gaps.len(), ContactLaw::default());
        let mut gaps = Gaps::new(self.gap(), laws);
        gaps.simultaneous = self.simultaneous;
        Interactions {
            force: (!force.is_empty()).then(|| Arc::new(FormulaForce::new(&mut graph, &force)) as _),
            constraint: (!constraint.is_empty())
                .then(|| Arc::new(FormulaConstraint::new(&mut graph, &constraint, self.q.len())) as _),
            gaps: Some(gaps),
            ..Interactions::default()
        }
    }

    pub fn try_start(&self, method: Method, h: f64) -> Result<Box<dyn Integrator>, BuildError> {
        let l = self.lagrangian();
        let mut p = vec![0.0; self.q.len()];
        Legendre::new(self.q.len()).momentum(&l, 0.0, self.q, self.v, &mut p);
        let start = Start { t: 0.0, q: self.q.to_vec(), p, h };
        method.start_with(l, &self.interactions(), &start, 1e-15)
    }

    pub fn start(&self, method: Method, h: f64) -> Box<dyn Integrator> {
        self.try_start(method, h).unwrap()
    }

    /// Runs to a time and returns all impacts.
    pub fn run(&self, method: Method, h: f64, steps: u64) -> (Box<dyn Integrator>, Vec<GapImpact>) {
        let mut x = self.start(method, h);
        let mut impacts = Vec::new();
        for _ in 0..steps {
            x.advance(1).unwrap();
            impacts.extend_from_slice(x.impacts());
        }
        (x, impacts)
    }
}

pub const VERLET: Method = Method::Verlet { order: 2 };
pub const MIDPOINT: Method = Method::Midpoint { alpha: 0.5 };
pub const GAUSS: Method = Method::Gauss { stages: 2 };

/// Every method whose steps can be cut.
pub fn all_methods() -> Vec<Method> {
    vec![
        VERLET,
        MIDPOINT,
        GAUSS,
        Method::Midpoint { alpha: 0.3 },
        Method::Trapezoidal { alpha: 0.5 },
        Method::Trapezoidal { alpha: 0.2 },
        Method::Newmark { beta: 0.0, gamma: 0.5 },
        Method::Gauss { stages: 1 },
        Method::Gauss { stages: 3 },
        Method::Lobatto { points: 2 },
        Method::Lobatto { points: 3 },
        Method::Lobatto { points: 4 },
    ]
}

/// What all impacts have in common: none of their energies jumps by more than is prescribed.
pub fn worst_jump(impacts: &[GapImpact]) -> f64 {
    let jump = |x: &GapImpact| {
        (x.energy_after - x.energy_before - x.prescribed).abs() / x.energy_before.abs().max(1.0)
    };
    impacts.iter().map(jump).fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}
