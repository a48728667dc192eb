//! Forces, constraints and cyclic coordinates of a scenario: from text to the model, and whether the start obeys them.

use super::gaps;
use crate::scenario::{FormulaSystem, Scenario, Text};
use stationary::error::{Diagnostic, Error};
use stationary::formula::{Graph, Node, Program, Scope, Var};
use stationary::integrate::{self, Fault, Interactions};
use stationary::model::{Bounds, FormulaConstraint, FormulaForce};
use std::sync::Arc;

/// A part along a generator, relative to the whole, above which a force or a constraint breaks its symmetry.
const ACROSS: f64 = 1e-9;

/// Reads the formulas.
pub(super) fn build(scenario: &Scenario, system: &FormulaSystem) -> Result<Interactions, Error> {
    let n = system.coordinates.len();
    let mut graph = Graph::new();
    let mut interactions =
        Interactions { cyclic: cyclic(scenario, system, &mut graph)?, ..Interactions::default() };
    let mut scope = system.scope(&scenario.parameters);
    let from_velocities = "momenta are named in probes and symmetries only: write velocities, p = dL/dv";
    withhold(&mut scope, system, 'p', from_velocities);
    if !system.force.is_empty() {
        let nodes = lower(&system.force, &mut graph, &mut scope, |d| d)?;
        interactions.force = Some(Arc::new(FormulaForce::new(&mut graph, &nodes)));
    }
    scope.remove("i");
    let mut slipping = scope.clone();
    let of_positions = "constraints and gaps are formulas of t, the positions and the parameters";
    withhold(&mut scope, system, 'v', of_positions);
    withhold(&mut scope, system, 'p', of_positions);
    if !system.constraints.is_empty() {
        let nodes = lower(&system.constraints, &mut graph, &mut scope, |d| match d.help {
            Some(_) => d,
            None => d.help("a constraint is a formula of t, the positions and the parameters"),
        })?;
        interactions.constraint = Some(Arc::new(FormulaConstraint::new(&mut graph, &nodes, n)));
    }
    interactions.gaps = gaps::build(system, &mut graph, (&mut scope, &mut slipping))?;
    Ok(interactions)
}

/// Takes velocities (`v`) or momenta (`p`) out of a scope, and says why they are not there.
pub(super) fn withhold(scope: &mut Scope, system: &FormulaSystem, letter: char, why: &'static str) {
    scope.withhold(&letter.to_string(), why);
    for name in &system.coordinates {
        scope.withhold(&format!("{letter}{name}"), why);
    }
}

/// The coordinates to be eliminated, none of which the Lagrangian may depend on.
fn cyclic(scenario: &Scenario, system: &FormulaSystem, graph: &mut Graph) -> Result<Vec<usize>, Error> {
    let mut cyclic = Vec::new();
    for name in &system.reduce {
        let at = system.coordinates.iter().position(|c| *c == name.text).expect("the reader has checked it");
        let l = system.lagrangian.lower(graph, &mut system.scope(&scenario.parameters))?;
        let slope = graph.gradient(l, &[Var::Q(at as u32)])[0];
        if graph.as_constant(slope) != Some(0.0) {
            return Err(name
                .error(format!("`{0}` is not cyclic: the Lagrangian depends on it, not only on `v{0}`", name.text))
                .help("choose coordinates of which the Lagrangian does not depend on one, such as an angle of the whole")
                .into());
        }
        cyclic.push(at);
    }
    Ok(cyclic)
}

pub(super) fn lower(
    texts: &[Text],
    graph: &mut Graph,
    scope: &mut Scope,
    explain: impl Fn(Diagnostic) -> Diagnostic,
) -> Result<Vec<Node>, Diagnostic> {
    texts.iter().map(|text| text.lower(graph, scope).map_err(&explain)).collect()
}

/// Refuses a position that violates a constraint and constraints that are not independent there.
pub(super) fn settle(
    system: &FormulaSystem,
    interactions: &Interactions,
    t: f64,
    q: &mut [f64],
) -> Result<(), Error> {
    match &interactions.constraint {
        Some(constraint) => integrate::settle(constraint, t, q).map_err(|f| explain(system, &f).into()),
        None => Ok(()),
    }
}

/// Refuses a velocity that leaves a constraint.
pub(super) fn require_tangent(
    system: &FormulaSystem,
    interactions: &Interactions,
    (t, q, v): (f64, &[f64], &[f64]),
) -> Result<(), Error> {
    match &interactions.constraint {
        Some(constraint) => integrate::stays(constraint, t, q, v).map_err(|f| explain(system, &f).into()),
        None => Ok(()),
    }
}

fn explain(system: &FormulaSystem, fault: &Fault) -> Diagnostic {
    let text = |a: usize| &system.constraints[a];
    match fault {
        Fault::NotFinite(a) => text(*a)
            .error("this constraint or its gradient is not a finite number at the initial position")
            .help("check the initial position, divisions by zero, and roots or logarithms of negative numbers"),
        Fault::Violated(a, value) => text(*a)
            .error(format!("the initial position violates this constraint: it is {value:.6e}, expected 0"))
            .help("give positions to all digits, best as formulas of the parameters: x = \"l*sin(a)\""),
        Fault::Flat(a) => text(*a)
            .error("this constraint has no gradient at the initial position: there it restricts nothing")
            .help("a condition that is squared, or a length that is zero, is no constraint; write it without the square"),
        Fault::Dependent(a, others) => {
            let others: Vec<String> = others.iter().map(|b| format!("`{}`", text(*b).text.trim())).collect();
            text(*a)
                .error(format!(
                    "this constraint is redundant or contradicts others: at the initial position its gradient is a \
                     combination of those of {}",
                    others.join(", ")
                ))
                .help("leave it out, or start where the constraints are independent")
        }
        Fault::Leaves(a, rate) => text(*a)
            .error(format!("the initial velocity leaves this constraint: it changes at the rate {rate:.6e}, expected 0"))
            .help("the velocity must be along the positions that the constraints allow"),
    }
}

/// A warning if a force or a constraint changes the momentum of a generator, tested at a general place.
pub(super) fn moved_by(
    name: &str,
    (scenario, system, interactions): (&Scenario, &FormulaSystem, &Interactions),
    (graph, generator): (&Graph, &[Node]),
    (t, q, v, p): (f64, &[f64], &[f64], &[f64]),
) -> Option<String> {
    let n = q.len();
    let outputs: Vec<(Node, usize)> = generator.iter().enumerate().map(|(i, x)| (*x, i)).collect();
    let mut xi = vec![0.0; n];
    Program::new(graph, &outputs).interpret(t, q, v, p, &mut xi);
    let along = |f: &[f64]| {
        let (sum, size) =
            f.iter().zip(&xi).fold((0.0, 0.0), |(sum, size), (f, x)| (sum + f * x, size + f64::abs(f * x)));
        size > 0.0 && f64::abs(sum) > ACROSS * size
    };
    if let Some(constraint) = &interactions.constraint {
        let mut bounds = Bounds::new(n, constraint.count());
        constraint.first(t, q, &mut bounds);
        if (0..constraint.count()).any(|a| along(bounds.gradient(a))) {
            return Some(format!(
                "`{name}` does not leave the constraints unchanged: its momentum is not conserved"
            ));
        }
    }
    if let Some(gaps) = &interactions.gaps
        && let Some(told) = gaps::moved_by(name, (scenario, system, gaps), (t, q, &xi), &along)
    {
        return Some(told);
    }
    if let Some(force) = &interactions.force {
        let mut f = vec![0.0; n];
        force.value(t, q, v, &mut f);
        if along(&f) {
            return Some(format!(
                "the force acts along `{name}`: its momentum changes by the impulse of the force"
            ));
        }
    }
    None
}
