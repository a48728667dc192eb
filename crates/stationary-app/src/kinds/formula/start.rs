//! The initial state of a system of formulas, and what is wrong with states from which none can start.

use super::observers::general_place;
use super::{FormulaSystem, Law, Motion, gaps, interactions};
use crate::scenario::Scenario;
use stationary::error::{Cause, Diagnostic, Error, RunError};
use stationary::formula::{Graph, Program};
use stationary::integrate::{BuildError, Interactions, Method, Start};
use stationary::linalg::Lu;
use stationary::model::{FormulaLagrangian, Jet, Lagrangian, Legendre};
use std::sync::Arc;

/// The initial state in the integrator's terms, and the velocity there.
pub(super) fn start(
    scenario: &Scenario,
    system: &FormulaSystem,
    (lagrangian, interactions): (&Arc<FormulaLagrangian>, &Interactions),
    method: &Method,
) -> Result<(Start, Vec<f64>), Error> {
    let (n, t, h) = (system.coordinates.len(), scenario.start, system.step);
    let mut q = system.initial.position.clone();
    interactions::settle(system, interactions, t, &mut q)?;
    gaps::require_admissible(system, interactions.gaps.as_ref(), t, &q)?;
    let mut legendre = Legendre::new(n);
    let (mut v, mut p) = (vec![0.0; n], vec![0.0; n]);
    let failed = |cause| unbuildable(scenario, system, method, RunError { time: t, step: 0, cause }.into());
    match &system.initial.motion {
        Motion::Velocity(velocity) => {
            v.copy_from_slice(velocity);
            interactions::require_tangent(system, interactions, (t, &q, &v))?;
            require_mass(scenario, system, lagrangian, (t, &q, &v))?;
            legendre.momentum(&**lagrangian, t, &q, &v, &mut p);
        }
        Motion::Momentum(momentum) => {
            p.copy_from_slice(momentum);
            require_mass(scenario, system, lagrangian, (t, &q, &v))?;
            legendre.velocity(&**lagrangian, t, &q, &p, &mut v).map_err(failed)?;
            interactions::require_tangent(system, interactions, (t, &q, &v))?;
        }
        Motion::NextPosition(next) => {
            let mut next = next.clone();
            interactions::settle(system, interactions, t + h, &mut next)?;
            gaps::require_admissible(system, interactions.gaps.as_ref(), t + h, &next)?;
            for i in 0..n {
                v[i] = (next[i] - q[i]) / h;
            }
            require_mass(scenario, system, lagrangian, (t, &q, &v))?;
            p = method
                .momentum_between_with(Arc::clone(lagrangian), interactions, (t, h), [&q, &next])
                .map_err(|e| unbuildable(scenario, system, method, e))?;
            legendre.velocity(&**lagrangian, t, &q, &p, &mut v).map_err(failed)?;
        }
        Motion::Implied => unreachable!("only systems with a one-form start without a motion"),
    }
    Ok((Start { t, q, p, h }, v))
}

/// What a singular mass matrix asks for where the kinetic energy does not vanish by itself.
const DETERMINE: &str =
    "the kinetic energy must determine every velocity; is one coordinate a function of the others?";
/// What a mass matrix asks for that is singular at the start alone.
const ELSEWHERE: &str =
    "start elsewhere, or choose coordinates that are regular there, as x and y in place of polar ones";

/// Refuses a Lagrangian that is not finite at the start, or whose mass matrix `L_vv` is singular there.
fn require_mass(
    scenario: &Scenario,
    system: &FormulaSystem,
    l: &FormulaLagrangian,
    (t, q, v): (f64, &[f64], &[f64]),
) -> Result<(), Error> {
    let n = q.len();
    let mut jet = Jet::new(n);
    l.first(t, q, v, &mut jet);
    let finite = jet.value().is_finite() && jet.dq().iter().chain(jet.dv()).all(|x| x.is_finite());
    let place = &system.lagrangian.place;
    if !finite {
        return Err(place
            .error(format!(
                "the Lagrangian is not a finite number at the initial state (L = {})",
                jet.value()
            ))
            .help(
                "check the initial position, divisions by zero, and roots or logarithms of negative numbers",
            )
            .into());
    }
    if l.mass().is_some() {
        return Ok(());
    }
    l.second(t, q, v, &mut jet);
    let mut lu = Lu::new(n);
    lu.matrix().copy_from_slice(jet.dvv());
    if lu.factor() {
        return Ok(());
    }
    Err(singular_mass(scenario, system, l, v, jet.dvv()).into())
}

/// The error of a mass matrix that is singular at the start: everywhere, or only there.
fn singular_mass(
    scenario: &Scenario,
    system: &FormulaSystem,
    l: &FormulaLagrangian,
    velocity: &[f64],
    at_start: &[f64],
) -> Diagnostic {
    let n = velocity.len();
    let (t, q, v) = general_place(scenario, system, l, velocity);
    let mut jet = Jet::new(n);
    l.second(t, &q, &v, &mut jet);
    let silent = |matrix: &[f64]| (0..n).find(|i| matrix[i * n..(i + 1) * n].iter().all(|x| *x == 0.0));
    let place = &system.lagrangian.place;
    if jet.dvv().iter().all(|x| *x == 0.0) && jet.dv().iter().any(|x| *x != 0.0) {
        return place
            .error("this Lagrangian is linear in the velocities, theta(q) . v - H(q): its mass matrix d2L/dv2 vanishes")
            .help("write it as `one_form`, a list of the factors theta of the velocities, and `hamiltonian`, H");
    }
    if let Some(i) = silent(jet.dvv()) {
        let name = &system.coordinates[i];
        let error = format!("the mass matrix d2L/dv2 is singular: L has no kinetic energy in `v{name}`");
        return place.error(error).help(format!(
            "every velocity must appear squared, for example as 0.5*m*v{name}^2; a Lagrangian that is linear in all velocities is \
             written as `one_form` and `hamiltonian`"
        ));
    }
    let mut lu = Lu::new(n);
    lu.matrix().copy_from_slice(jet.dvv());
    let regular_nearby = lu.factor();
    match silent(at_start).filter(|_| regular_nearby) {
        Some(i) => {
            let name = &system.coordinates[i];
            let message = format!(
                "the mass matrix d2L/dv2 is singular at the initial state: there L has no kinetic energy in `v{name}`"
            );
            place.error(message).help(ELSEWHERE)
        }
        None => {
            let help = if regular_nearby { ELSEWHERE } else { DETERMINE };
            place.error("the mass matrix d2L/dv2 is singular at the initial state").help(help)
        }
    }
}

/// The error of a method that cannot be started.
pub(super) fn unbuildable(
    scenario: &Scenario,
    system: &FormulaSystem,
    method: &Method,
    error: BuildError,
) -> Error {
    let place = &scenario.integrator.method.place;
    match error {
        BuildError::Unsuited(why) => place.error(why).into(),
        BuildError::Start(RunError { cause: Cause::Singular, .. }) => {
            let (what, help) = match system.law {
                Law::Lagrangian => ("the mass matrix d2L/dv2", DETERMINE),
                _ => (
                    "the derivative of the one-form",
                    "start elsewhere, or write the one-form in other coordinates",
                ),
            };
            system
                .lagrangian
                .place
                .error(format!("{what} is singular at the initial state"))
                .help(help)
                .into()
        }
        BuildError::Start(RunError { cause: Cause::Gap { gaps, why, .. }, .. }) if !gaps.is_empty() => {
            let names: Vec<&str> = gaps.iter().map(|k| system.gaps[*k].name.as_str()).collect();
            let verb = if gaps.len() == 1 { "is" } else { "are" };
            let message = format!("no start from here: {} {verb} {why}", names.join(" and "));
            system.gaps[gaps[0]].formula.error(message).into()
        }
        BuildError::Start(e) => place.error(format!("{method} cannot start: {e}")).into(),
    }
}

/// Refuses a probe that is not a finite number at the start.
pub(super) fn require_probes(
    scenario: &Scenario,
    system: &FormulaSystem,
    start: &Start,
    velocity: &[f64],
) -> Result<(), Error> {
    let mut graph = Graph::new();
    let mut scope = system.scope(&scenario.parameters);
    scope.remove("i");
    // With a one-form there are no momenta at the start.
    let p = if start.p.is_empty() { vec![0.0; start.q.len()] } else { start.p.clone() };
    for (name, text) in &system.probes {
        let node = text.lower(&mut graph, &mut scope)?;
        let mut value = [0.0];
        Program::new(&graph, &[(node, 0)]).interpret(start.t, &start.q, velocity, &p, &mut value);
        if !value[0].is_finite() {
            return Err(text
                .error(format!("the probe `{name}` is {} at the start", value[0]))
                .help("expected a formula that is a finite number wherever the motion leads")
                .into());
        }
    }
    Ok(())
}
