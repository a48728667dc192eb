//! Systems given by a Hamiltonian: model, start, and the momenta of their symmetries.

use super::interactions;
use crate::scenario::{FormulaSystem, Law, Motion, Scenario, Text};
use stationary::error::Error;
use stationary::formula::{Graph, Node, Program, Scope, Var};
use stationary::integrate::phase::PhaseStart;
use stationary::linalg::max_abs;
use stationary::model::{FormulaPhase, PhaseFault, PhaseJet, PhaseSpace, TwoForm};
use stationary::observe::{
    GeneratorArguments, Momentum, Symplectic, names_motion, rate_along, shifted, size_of_product, time_scale,
};
use std::sync::Arc;

/// How often the place where symmetries are tested moves half way to the initial state.
const HALVINGS: usize = 40;

/// The model.
pub(super) fn model(scenario: &Scenario, system: &FormulaSystem) -> Result<Arc<FormulaPhase>, Error> {
    let mut scope = system.scope(&scenario.parameters);
    match system.law {
        Law::OneForm(_) => {
            let why = "beside a one-form the Hamiltonian is a formula of t, the positions and the parameters";
            interactions::withhold(&mut scope, system, 'v', why);
            interactions::withhold(&mut scope, system, 'p', why);
        }
        _ => {
            let why = "velocities come from the Hamiltonian, v = dH/dp: write it in momenta";
            interactions::withhold(&mut scope, system, 'v', why);
        }
    }
    let mut graph = Graph::new();
    let h = system.lagrangian.lower(&mut graph, &mut scope)?;
    let theta = match &system.law {
        Law::OneForm(texts) => Some(one_form(system, texts, &mut graph, &scope)?),
        _ => None,
    };
    let n = system.coordinates.len();
    let model = FormulaPhase::of_nodes(graph, h, theta.as_deref(), n);
    let model = Arc::new(model.map_err(|fault| degenerate(system, fault))?);
    finite(scenario, system, &model)?;
    Ok(model)
}

/// The entries of the one-form, in which time has no meaning.
fn one_form(
    system: &FormulaSystem,
    texts: &[Text],
    graph: &mut Graph,
    scope: &Scope,
) -> Result<Vec<Node>, Error> {
    let mut scope = scope.clone();
    let why = "the entries of a one-form are formulas of the positions and the parameters";
    scope.withhold("t", why);
    interactions::withhold(&mut scope, system, 'v', why);
    interactions::withhold(&mut scope, system, 'p', why);
    Ok(texts.iter().map(|text| text.lower(graph, &mut scope)).collect::<Result<Vec<_>, _>>()?)
}

fn degenerate(system: &FormulaSystem, fault: PhaseFault) -> Error {
    let place = match &system.law {
        Law::OneForm(texts) => &texts[0].place,
        _ => &system.lagrangian.place,
    };
    place
        .error(fault.to_string())
        .help("for a pair x, y of conjugate coordinates of strength g: one_form = [\"g*y\", \"0\"]")
        .into()
}

/// Refuses a start at which nothing moves in a definite way.
fn finite(scenario: &Scenario, system: &FormulaSystem, model: &FormulaPhase) -> Result<(), Error> {
    let z = state(system);
    let mut jet = PhaseJet::new(z.len());
    let mut rate = vec![0.0; z.len()];
    let regular = model.rate(scenario.start, &z, &mut jet, &mut rate);
    if !jet.value().is_finite() || !max_abs(jet.dz()).is_finite() {
        let message =
            format!("the Hamiltonian is not a finite number at the initial state (H = {})", jet.value());
        let help =
            "check the initial position, divisions by zero, and roots or logarithms of negative numbers";
        return Err(system.lagrangian.place.error(message).help(help).into());
    }
    if !regular || !max_abs(&rate).is_finite() {
        return Err(degenerate(system, PhaseFault::Singular));
    }
    Ok(())
}

/// The phase variables at the start.
fn state(system: &FormulaSystem) -> Vec<f64> {
    match &system.initial.motion {
        Motion::Momentum(p) => [system.initial.position.as_slice(), p].concat(),
        _ => system.initial.position.clone(),
    }
}

/// The start, and the velocity there.
pub(super) fn start(
    scenario: &Scenario,
    system: &FormulaSystem,
    model: &FormulaPhase,
) -> (PhaseStart, Vec<f64>) {
    let z = state(system);
    let mut rate = vec![0.0; z.len()];
    model.rate(scenario.start, &z, &mut PhaseJet::new(z.len()), &mut rate);
    rate.truncate(model.positions());
    (PhaseStart { t: scenario.start, z, h: system.step }, rate)
}

/// The observer of the form that this system has.
pub(super) fn symplectic(model: &FormulaPhase) -> Symplectic {
    match model.form() {
        TwoForm::Constant(form) if !form.is_canonical() => Symplectic::of_form(form.omega()),
        // Where it is fibred, tangents are in the canonical variables x and theta.
        _ => Symplectic::new(model.dimension() / 2),
    }
}

/// The momentum of a symmetry, and how far the system is from invariant under it.
///
/// Canonical: `p.xi(q)`; `H` must not change under `(xi, -xi_q' p)`. With a one-form: where `theta` changes by the
/// gradient of some `f` and `H` does not change, `theta.xi - f`. (`f` is found where the change of `theta` is affine.)
/// Where `xi` also names velocities or momenta, `(p.xi)'` must vanish on the motions of `H`.
pub(super) fn momentum(
    name: &str,
    (scenario, system, model): (&Scenario, &FormulaSystem, &FormulaPhase),
    graph: &mut Graph,
    xi: &[Node],
) -> Result<(Momentum, f64), Error> {
    let n = xi.len();
    if names_motion(graph, xi) {
        let momentum = Momentum::new(name, graph, xi);
        let change = rate_of_momentum(&momentum, (scenario, system, model));
        return Ok((momentum.invariance(change), change));
    }
    let scope = system.scope(&scenario.parameters);
    let h = system.lagrangian.lower(graph, &mut scope.clone())?;
    let by: Vec<Var> = (0..n as u32).map(Var::Q).collect();
    let hq = graph.gradient(h, &by);
    let mut terms: Vec<Node> = (0..n).map(|i| graph.mul(hq[i], xi[i])).collect();
    let rows: Vec<Vec<Node>> = xi.iter().map(|x| graph.gradient(*x, &by)).collect();
    let mut gauge = None;
    match &system.law {
        Law::OneForm(texts) => {
            let theta = one_form(system, texts, graph, &scope)?;
            let change = lie_derivative(graph, &theta, xi, &rows);
            if !change.iter().all(|x| graph.as_constant(*x) == Some(0.0)) {
                gauge = potential(graph, &change);
                if gauge.is_none() {
                    terms.extend(change);
                }
            }
        }
        _ => {
            let by_p: Vec<Var> = (0..n as u32).map(Var::P).collect();
            let hp = graph.gradient(h, &by_p);
            for i in 0..n {
                for j in 0..n {
                    // p_j changes by -sum_i p_i d_j xi_i.
                    let p = graph.var(Var::P(i as u32));
                    let lift = graph.mul(p, rows[i][j]);
                    let term = graph.mul(lift, hp[j]);
                    terms.push(graph.neg(term));
                }
            }
        }
    }
    let outputs: Vec<(Node, usize)> = terms.iter().enumerate().map(|(i, x)| (*x, i)).collect();
    let mut values = vec![0.0; terms.len()];
    let (t, z) = general_place(scenario, system, model);
    let (q, p) = z.split_at(n);
    Program::new(graph, &outputs).interpret(t, q, &[], p, &mut values);
    let size: f64 = values.iter().map(|x| x.abs()).sum();
    let change = if size == 0.0 { 0.0 } else { values.iter().sum::<f64>().abs() / size };
    let momentum = Momentum::new(name, graph, xi).invariance(change);
    Ok((if let Some(f) = gauge { momentum.less(graph, &f) } else { momentum }, change))
}

/// `|p'.xi + p.xi'|` over the size of its terms, along the motion through a general place; NaN where there is none.
fn rate_of_momentum(
    momentum: &Momentum,
    (scenario, system, model): (&Scenario, &FormulaSystem, &FormulaPhase),
) -> f64 {
    let n = model.positions();
    let (t, z) = general_place(scenario, system, model);
    let mut jet = PhaseJet::new(z.len());
    let mut slope = vec![0.0; z.len()];
    let regular = model.rate(t, &z, &mut jet, &mut slope);
    let mut along = |s: f64| {
        let z = shifted(&z, s, &slope);
        let mut rate = vec![0.0; z.len()];
        let mut p = vec![0.0; n];
        if !model.rate(t + s, &z, &mut jet, &mut rate) {
            return None;
        }
        model.momentum(&z, &mut p);
        Some(GeneratorArguments { t: t + s, q: z[..n].to_vec(), v: rate[..n].to_vec(), p })
    };
    let length = time_scale(&[(&z, &slope)]);
    let Some(here) = along(0.0).filter(|_| regular) else { return f64::NAN };
    let xi = momentum.xi_at(&here);
    let xi_rate = rate_along(n, length, &mut along, |state| momentum.xi_at(state));
    let p_rate = rate_along(n, length, &mut along, |state| state.p.clone());
    let terms = p_rate.iter().zip(&xi).chain(here.p.iter().zip(&xi_rate)).map(|(a, b)| a * b);
    // Where nothing acts, differences leave rounding: that is no change beside one of `p.xi` by its own size.
    let floor = size_of_product(&here.p, &xi) / length;
    let (sum, size) = terms.fold((0.0, floor), |(sum, size), x| (sum + x, size + f64::abs(x)));
    if size == 0.0 { 0.0 } else { f64::abs(sum) / size }
}

/// `xi_j d_j theta_i + theta_j d_i xi_j`.
fn lie_derivative(graph: &mut Graph, theta: &[Node], xi: &[Node], rows: &[Vec<Node>]) -> Vec<Node> {
    let n = xi.len();
    let by: Vec<Var> = (0..n as u32).map(Var::Q).collect();
    let mut all = Vec::with_capacity(n);
    for i in 0..n {
        let gradient = graph.gradient(theta[i], &by);
        let mut sum = graph.constant(0.0);
        for j in 0..n {
            let along = graph.mul(xi[j], gradient[j]);
            let turned = graph.mul(theta[j], rows[j][i]);
            sum = graph.add(sum, along);
            sum = graph.add(sum, turned);
        }
        all.push(sum);
    }
    all
}

/// The terms of `f` with the gradient `c + A q`, if that is what is given and `A` is symmetric.
fn potential(graph: &mut Graph, gradient: &[Node]) -> Option<Vec<Node>> {
    let n = gradient.len();
    let by: Vec<Var> = (0..n as u32).map(Var::Q).collect();
    let mut matrix = Vec::with_capacity(n * n);
    for node in gradient {
        let row = graph.gradient(*node, &by);
        let row: Option<Vec<f64>> = row.iter().map(|x| graph.as_constant(*x)).collect();
        matrix.extend(row?);
    }
    let symmetric = (0..n * n).all(|at| matrix[at] == matrix[at % n * n + at / n]);
    if !symmetric {
        return None;
    }
    // At q = 0 only c is left.
    let outputs: Vec<(Node, usize)> = gradient.iter().enumerate().map(|(i, x)| (*x, i)).collect();
    let (rest, mut constant) = (vec![0.0; n], vec![0.0; n]);
    Program::new(graph, &outputs).interpret(0.0, &rest, &rest, &rest, &mut constant);
    let mut terms = Vec::with_capacity(n);
    for i in 0..n {
        let q = graph.var(Var::Q(i as u32));
        let c = graph.constant(constant[i]);
        let sum = graph.add(gradient[i], c);
        let half = graph.constant(0.5);
        let mean = graph.mul(half, sum);
        terms.push(graph.mul(mean, q));
    }
    Some(terms)
}

/// A time and a state near the initial one but in general position, where symmetries are tested.
pub(super) fn general_place(
    scenario: &Scenario,
    system: &FormulaSystem,
    model: &FormulaPhase,
) -> (f64, Vec<f64>) {
    let start = state(system);
    let size = if max_abs(&start) > 0.0 { max_abs(&start) } else { 1.0 };
    let mut jet = PhaseJet::new(start.len());
    let mut by = 1.0;
    for _ in 0..HALVINGS {
        let t = scenario.start + by * (scenario.end - scenario.start) / std::f64::consts::PI;
        let shift = |i: usize| by * size * (0.3 + (2.3 * (i + 1) as f64).sin());
        let z: Vec<f64> = start.iter().enumerate().map(|(i, x)| x + shift(i)).collect();
        model.first(t, &z, &mut jet);
        if jet.value().is_finite() && max_abs(jet.dz()).is_finite() {
            return (t, z);
        }
        by *= 0.5;
    }
    (scenario.start, start)
}
