//! Gaps of a scenario: from text to the model, whether the start obeys them, and what they leave conserved.

use super::interactions::lower;
use crate::scenario::{FormulaSystem, GapSpec, Scenario, Text, Together};
use stationary::contact::{ContactLaw, FormulaGap, GapFault, GapNodes, Gaps, Simultaneous, check_gaps};
use stationary::error::{Cause, ContactFault, Diagnostic, Error, RunError};
use stationary::formula::{Graph, Node, Program, Scope, Var};
use stationary::linalg::max_abs;
use stationary::model::Bounds;
use std::sync::Arc;

/// Below this part of gradient times position a gap is closed at the start.
const CLOSED: f64 = 1e-10;
/// Steps of the search for a position that obeys all gaps.
const SEARCH: usize = 200;

/// Reads the formulas: gaps in the first scope, slip velocities in the second.
pub(super) fn build(
    system: &FormulaSystem,
    graph: &mut Graph,
    (scope, slipping): (&mut Scope, &mut Scope),
) -> Result<Option<Gaps>, Error> {
    if system.gaps.is_empty() {
        return Ok(None);
    }
    let n = system.coordinates.len();
    let mut nodes = Vec::with_capacity(system.gaps.len());
    for choice in &system.gaps {
        let gap = choice.formula.lower(graph, scope).map_err(|d| match d.help {
            Some(_) => d,
            None => d.help("a gap is a formula of t, the coordinates and the parameters"),
        })?;
        if !graph.variables(gap).iter().any(|v| matches!(v, Var::Q(_))) {
            return Err(choice
                .formula
                .error("this gap does not depend on a coordinate: it restricts nothing")
                .help("it is a formula of the coordinates that must not become negative, as the height \"y\" of a ball")
                .into());
        }
        let slip = lower(&choice.slip, graph, slipping, |d| d)?;
        for (node, text) in slip.iter().zip(&choice.slip) {
            require_linear(graph, *node, text, n)?;
        }
        lower(&choice.at, graph, scope, |d| d)?;
        nodes.push(GapNodes { gap, slip });
    }
    let laws = system.gaps.iter().map(law).collect();
    let simultaneous = match system.simultaneous {
        Together::Projection => Simultaneous::Projection,
        Together::Sequence => Simultaneous::Sequence,
    };
    Ok(Some(Gaps { gap: Arc::new(FormulaGap::new(graph, &nodes, n)), laws, simultaneous }))
}

fn law(choice: &GapSpec) -> ContactLaw {
    ContactLaw { restitution: choice.restitution, friction: choice.friction }
}

/// Refuses a slip velocity that is not linear in the velocities.
fn require_linear(graph: &mut Graph, node: Node, text: &Text, n: usize) -> Result<(), Diagnostic> {
    let velocities: Vec<Var> = (0..n as u32).map(Var::V).collect();
    let slopes = graph.gradient(node, &velocities);
    if slopes.iter().all(|s| graph.variables(*s).iter().all(|v| !matches!(v, Var::V(_)))) {
        return Ok(());
    }
    Err(text
        .error("this slip is not linear in the velocities")
        .help("it is the velocity with which the touching points pass each other, as \"vx + r*vtheta\""))
}

/// Refuses a start inside an obstacle, at a gap without a gradient, or between gaps that leave no room.
pub(super) fn require_admissible(
    system: &FormulaSystem,
    gaps: Option<&Gaps>,
    t: f64,
    q: &[f64],
) -> Result<(), Error> {
    let Some(gaps) = gaps else { return Ok(()) };
    check_gaps(&*gaps.gap, t, q).map_err(|fault| misplaced(system, gaps, (t, q), &fault))?;
    let mut bounds = Bounds::new(q.len(), gaps.gap.count());
    gaps.gap.first(t, q, &mut bounds);
    let size = |k: usize| bounds.terms(k, q) + max_abs(bounds.gradient(k)) * max_abs(q);
    let closed: Vec<usize> =
        (0..system.gaps.len()).filter(|k| bounds.value()[*k] <= CLOSED * size(*k)).collect();
    let opposed = closed.iter().enumerate().find_map(|(at, k)| {
        let other = closed[..at].iter().find(|j| opposite(bounds.gradient(*k), bounds.gradient(**j)))?;
        Some((*k, *other))
    });
    match opposed {
        None => Ok(()),
        Some((k, other)) => Err(system.gaps[k]
            .formula
            .error(format!(
                "this gap and {} (`{}`) are closed at the initial position and oppose each other: no motion is left between them",
                system.gaps[other].name,
                system.gaps[other].formula.text.trim()
            ))
            .help("leave one of them out; what must stay zero is a `constraint`")
            .into()),
    }
}

/// The error of a start that a gap does not allow.
fn misplaced(system: &FormulaSystem, gaps: &Gaps, at: (f64, &[f64]), fault: &GapFault) -> Diagnostic {
    let text = &system.gaps[fault.gap].formula;
    match fault.why {
        ContactFault::Inside(value) => inside(system, gaps, at, (fault.gap, value)),
        ContactFault::Flat => text
            .error("this gap is closed at the initial position and has no gradient there: it does not say which way is out")
            .help("a condition that is squared is no gap; write it without the square"),
        ContactFault::NotFinite => text
            .error("this gap is not a finite number at the initial position")
            .help("check the initial position, divisions by zero, and roots or logarithms of negative numbers"),
        why => text.error(format!("at the initial position this gap is {why}")),
    }
}

/// Whether two gradients point against each other.
fn opposite(a: &[f64], b: &[f64]) -> bool {
    let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (a_size, b_size) = (size(a), size(b));
    a.iter().zip(b).all(|(x, y)| (x / a_size + y / b_size).abs() < 1e-9)
}

/// The error of a start inside an obstacle, and where it would not be.
fn inside(
    system: &FormulaSystem,
    gaps: &Gaps,
    (t, q): (f64, &[f64]),
    (k, value): (usize, f64),
) -> Diagnostic {
    let choice = &system.gaps[k];
    let message = format!(
        "the system starts inside an obstacle: {} is {value:.6e} at the initial position, expected 0 or more",
        choice.name
    );
    let error = choice.formula.error(message);
    if !system.constraints.is_empty() {
        return error.help("move the initial position to where no gap is negative");
    }
    match nearby(gaps, t, q) {
        Ok(place) => {
            let moved =
                system.coordinates.iter().zip(place.iter().zip(q)).filter(|(_, (new, old))| new != old);
            let moved: Vec<String> =
                moved.take(4).map(|(name, (new, _))| format!("{name} = {new:.6}")).collect();
            error.help(format!("a position outside, not far away, has {}", moved.join(", ")))
        }
        Err(other) if other != k => error.help(format!(
            "no position near it obeys all gaps: this one and {} (`{}`) seem to contradict each other",
            system.gaps[other].name,
            system.gaps[other].formula.text.trim()
        )),
        Err(_) => error.help("move the initial position to where no gap is negative"),
    }
}

/// A position near `q` where no gap is negative, or a gap that stands in the way.
fn nearby(gaps: &Gaps, t: f64, q: &[f64]) -> Result<Vec<f64>, usize> {
    let mut place = q.to_vec();
    let mut bounds = Bounds::new(q.len(), gaps.gap.count());
    // The gap that is violated first, and the last other one.
    let (mut first, mut way) = (None, None);
    for _ in 0..SEARCH {
        gaps.gap.first(t, &place, &mut bounds);
        let worst =
            (0..bounds.value().len()).min_by(|a, b| bounds.value()[*a].total_cmp(&bounds.value()[*b]));
        let Some(k) = worst.filter(|k| !(bounds.value()[*k] >= 0.0)) else { return Ok(place) };
        if *first.get_or_insert(k) != k {
            way = Some(k);
        }
        let gradient = bounds.gradient(k);
        let square: f64 = gradient.iter().map(|x| x * x).sum();
        // A little beyond, so that curved gaps open too.
        let by = -1.001 * bounds.value()[k] / square;
        if !by.is_finite() {
            return Err(k);
        }
        place.iter_mut().zip(gradient).for_each(|(x, g)| *x += by * g);
    }
    Err(way.or(first).unwrap_or(0))
}

/// A warning if a gap, or friction at it, changes the momentum of a generator `xi`. `along` says whether a covector acts along it.
pub(super) fn moved_by(
    name: &str,
    (scenario, system, gaps): (&Scenario, &FormulaSystem, &Gaps),
    (t, q, xi): (f64, &[f64], &[f64]),
    along: &dyn Fn(&[f64]) -> bool,
) -> Option<String> {
    let mut bounds = Bounds::new(q.len(), gaps.gap.count());
    gaps.gap.first(t, q, &mut bounds);
    if let Some(k) = (0..gaps.gap.count()).find(|k| along(bounds.gradient(*k))) {
        let gap = &system.gaps[k].name;
        return Some(format!("`{name}` does not leave {gap} unchanged: its momentum changes at impacts"));
    }
    // Friction acts along what slips when the generator moves it.
    let rubs = system.gaps.iter().find(|gap| {
        let slips = |text: &Text| {
            let mut graph = Graph::new();
            let Ok(node) = text.lower(&mut graph, &mut system.scope(&scenario.parameters)) else {
                return true;
            };
            let (zero, mut slip) = (vec![0.0; q.len()], [[0.0]; 2]);
            for (v, out) in [xi, &zero].into_iter().zip(&mut slip) {
                Program::new(&graph, &[(node, 0)]).interpret(t, q, v, &zero, out);
            }
            !((slip[0][0] - slip[1][0]).abs() <= 1e-9 * max_abs(xi))
        };
        gap.friction > 0.0 && (gap.slip.is_empty() || gap.slip.iter().any(slips))
    })?;
    Some(format!("friction of {} may act along `{name}`: its momentum then changes", rubs.name))
}

/// Why impacts change the energy, if they do.
pub(super) fn changes_energy(
    scenario: &Scenario,
    system: &FormulaSystem,
) -> Result<Option<&'static str>, Error> {
    if system.gaps.iter().any(|g| g.restitution < 1.0 || g.friction > 0.0) {
        return Ok(Some("impacts take energy"));
    }
    let mut graph = Graph::new();
    for gap in &system.gaps {
        let node = gap.formula.lower(&mut graph, &mut system.scope(&scenario.parameters))?;
        if graph.depends_on(node, Var::T) {
            return Ok(Some("moving gaps do work"));
        }
    }
    Ok(None)
}

/// The gaps for people.
pub(super) fn in_words(system: &FormulaSystem) -> String {
    let law = |g: &GapSpec| match (g.restitution, g.friction) {
        (1.0, 0.0) => g.name.clone(),
        (e, 0.0) => format!("{} (restitution {e})", g.name),
        (e, mu) => format!("{} (restitution {e}, friction {mu})", g.name),
    };
    let shown: Vec<String> = system.gaps.iter().take(8).map(law).collect();
    let more = if system.gaps.len() > 8 { ", ..." } else { "" };
    format!("{}: {}{more}", system.gaps.len(), shown.join(", "))
}

/// An error of the run with the names of the gaps that it is about.
pub(super) fn named(system: &FormulaSystem, error: RunError) -> RunError {
    RunError { cause: named_cause(system, error.cause), ..error }
}

/// A cause with the names of gaps instead of their numbers.
pub(super) fn named_cause(system: &FormulaSystem, cause: Cause) -> Cause {
    match cause {
        Cause::Gap { gaps, time, why } => {
            let name =
                |k: &usize| system.gaps.get(*k).map_or_else(|| format!("gap {}", k + 1), |g| g.name.clone());
            Cause::Contact { gaps: gaps.iter().map(name).collect(), time, why }
        }
        other => other,
    }
}

/// Why the tangent of a step with impacts says nothing about the symplectic form, if it does not.
pub(super) fn unsymplectic(system: &FormulaSystem) -> Option<&'static str> {
    if system.gaps.iter().any(|g| g.restitution < 1.0 || g.friction > 0.0) {
        return Some("impacts that take energy do not keep the form");
    }
    (!system.gaps.is_empty() && !system.constraints.is_empty())
        .then_some("the tangent of a step with impacts is not known under constraints")
}
