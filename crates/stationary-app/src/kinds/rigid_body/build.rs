//! From a scenario to a body that can move.

use super::invariants::{self, Invariant, Quantity};
use crate::registry;
use crate::run::energy_guard::{EnergyGuard, Looks};
use crate::run::rows::Rows;
use crate::scenario::{RigidBodySystem, Scenario};
use stationary::error::Error;
use stationary::formula::{Graph, Program, Var};
use stationary::integrate::group::{BodyMethod, BodyRun, BodyStart, BodyView};
use stationary::model::{FormulaPotential, RigidBody, pose};
use stationary::observe::{DiscreteEnergy, Observer, Probe, Scale};
use std::sync::Arc;

/// A scenario ready to run.
pub(super) struct RigidBodyEngine {
    pub system: Arc<RigidBodySystem>,
    pub method: BodyMethod,
    pub run: BodyRun,
    pub energy: Invariant,
    /// Whether the energy explodes.
    pub guard: EnergyGuard,
    pub invariants: Vec<Invariant>,
    pub observers: Vec<Box<dyn Observer>>,
    /// Whether the potential runs machine code; `None` without one.
    pub compiled: Option<bool>,
    /// Period of the momentum in the body, where nothing acts on it.
    pub free_period: Option<f64>,
    pub steps: u64,
    /// Time of the last step.
    pub end: f64,
    /// Steps between rows.
    pub rows: Rows,
    pub warnings: Vec<String>,
}

pub(super) fn build(scenario: &Scenario, system: &Arc<RigidBodySystem>) -> Result<RigidBodyEngine, Error> {
    let method = registry::body_method(&scenario.integrator)?;
    refuse_coordinates(scenario)?;
    let (body, compiled, timed) = body(scenario, system)?;
    let changes = timed.then_some("the potential depends on t");
    let start = BodyStart {
        t: scenario.start,
        h: system.step,
        position: system.position,
        orientation: system.orientation,
        velocity: system.velocity,
        angular_velocity: system.angular_velocity,
    };
    let run = BodyRun::new(body, method, &start).map_err(|e| {
        let place = system.potential.as_ref().map_or(&system.inertia_place, |text| &text.place);
        place
            .error(format!("the body cannot start: it {e}"))
            .help("check the initial state, divisions by zero, and roots or logarithms of negative numbers")
    })?;
    let view = run.view();
    let [kinetic, potential] = view.energy;
    let mut scale = Scale::unknown();
    scale.see(kinetic + potential, kinetic.abs() + potential.abs());
    let invariants = invariants::all(run.body(), &view, scenario.end - scenario.start);
    let mut warnings = Vec::new();
    if invariants.iter().any(|k| k.invariance.is_nan()) {
        warnings.push(
            "the potential is not a number near the initial state: its symmetries are not known".into(),
        );
    }
    let free_period =
        if system.potential.is_none() { run.body().free_period(view.body_momentum) } else { None };
    // Whole steps only: the fewest that reach the end, rounding forgiven.
    let steps = ((scenario.end - scenario.start) / system.step * (1.0 - 1e-12)).ceil().max(1.0) as u64;
    require_numbers(scenario, system, &view)?;
    Ok(RigidBodyEngine {
        system: Arc::clone(system),
        method,
        guard: guard(system, &view, steps, timed),
        run,
        energy: Invariant::new(Quantity::Energy, 0.0).because(changes),
        invariants,
        observers: observers(scenario, system, DiscreteEnergy::new(scale.value()).because(changes))?,
        compiled,
        free_period,
        steps,
        end: scenario.start + steps as f64 * system.step,
        rows: Rows::choose(system.output_every, Some(steps)),
        warnings,
    })
}

/// A guard of the energy; of a potential that changes in time only numbers are asked.
fn guard(system: &RigidBodySystem, view: &BodyView, steps: u64, timed: bool) -> EnergyGuard {
    let turning: f64 = (0..3).map(|k| system.inertia[k][k]).sum();
    let square = system.mass * view.position.dot(view.position) + turning;
    let guard = EnergyGuard::new(Looks::Steps, square / (system.step * system.step), steps as f64)
        .from(view.t, system.step);
    if timed { guard.unbalanced() } else { guard }
}

/// Refuses a start whose energy, or a probe, is not a finite number.
fn require_numbers(scenario: &Scenario, system: &RigidBodySystem, view: &BodyView) -> Result<(), Error> {
    let [kinetic, potential] = view.energy;
    if !(kinetic + potential).is_finite() {
        let message = format!(
            "the energy is not a finite number at the start: kinetic {kinetic}, potential {potential}"
        );
        let help = "expected an initial state whose numbers can be squared";
        return Err(system.inertia_place.error(message).help(help).into());
    }
    let q = pose(view.position, &view.rotation);
    let v = [1.0 / system.mass * view.momentum, view.angular_velocity].concat();
    let p = [view.momentum, view.body_momentum, view.angular_momentum()].concat();
    let (mut graph, mut scope) = (Graph::new(), RigidBodySystem::probe_scope(&scenario.parameters));
    for (name, text) in &system.probes {
        let node = text.lower(&mut graph, &mut scope)?;
        let mut value = [0.0];
        Program::new(&graph, &[(node, 0)]).interpret(view.t, &q, &v, &p, &mut value);
        if !value[0].is_finite() {
            return Err(text
                .error(format!("the probe `{name}` is {} at the start", value[0]))
                .help("expected a formula that is a finite number wherever the motion leads")
                .into());
        }
    }
    Ok(())
}

/// The body, whether its potential is compiled, and whether that depends on time.
fn body(scenario: &Scenario, system: &RigidBodySystem) -> Result<(RigidBody, Option<bool>, bool), Error> {
    let body = RigidBody::new(system.mass, system.inertia).map_err(|fault| {
        let help = "expected a symmetric tensor with positive principal moments of which none exceeds the sum of the others";
        system.inertia_place.error(fault.to_string()).help(help)
    })?;
    let body = if system.fixed { body.held() } else { body };
    let Some(text) = &system.potential else { return Ok((body, None, false)) };
    let mut graph = Graph::new();
    let node = text.lower(&mut graph, &mut RigidBodySystem::potential_scope(&scenario.parameters))?;
    let timed = graph.depends_on(node, Var::T);
    let potential = FormulaPotential::new(&mut graph, node);
    let compiled = potential.is_compiled();
    Ok((body.with_potential(potential), Some(compiled), timed))
}

fn observers(
    scenario: &Scenario,
    system: &RigidBodySystem,
    discrete: DiscreteEnergy,
) -> Result<Vec<Box<dyn Observer>>, Error> {
    let mut all: Vec<Box<dyn Observer>> = vec![Box::new(discrete)];
    let (mut graph, mut scope) = (Graph::new(), RigidBodySystem::probe_scope(&scenario.parameters));
    for (name, text) in &system.probes {
        let node = text.lower(&mut graph, &mut scope)?;
        all.push(Box::new(Probe::new(name, &graph, node)));
    }
    Ok(all)
}

/// Quantity is observed in coordinates, bodies do without.
fn refuse_coordinates(scenario: &Scenario) -> Result<(), Error> {
    for name in ["symplectic", "modified_energy", "loop_area"] {
        if registry::wants(&scenario.observe, name)? {
            let text = scenario.observe.iter().find(|t| t.text == name).expect("it is wanted");
            return Err(text
                .error(format!("`{name}` observes systems given by coordinates, and a rigid body has none"))
                .help("leave it out: energy, momenta and the Casimir are always observed")
                .into());
        }
    }
    Ok(())
}

/// Quantity `stationary check` tells.
pub(super) fn describe(scenario: &Scenario, built: &RigidBodyEngine) -> Vec<(&'static str, String)> {
    let system = &*built.system;
    let [a, b, c] = built.run.body().principal().0.0;
    let held = if system.fixed { "held at a point" } else { "free in space" };
    let potential = match built.compiled {
        None => "none",
        Some(true) => "compiled",
        Some(false) => "interpreted",
    };
    let mut lines = vec![
        ("body", format!("{held}, principal moments {a}, {b}, {c}")),
        ("potential", potential.into()),
        ("integrator", format!("{}, order {}, variational", built.method, built.method.order())),
        ("steps", format!("{} of {} to time {}", built.steps, system.step, built.end)),
        ("rows", built.rows.to_string()),
        ("claims", scenario.claims.len().to_string()),
    ];
    lines.extend(built.warnings.iter().map(|w| ("warning", w.clone())));
    lines
}
