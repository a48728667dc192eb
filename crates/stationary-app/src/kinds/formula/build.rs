//! From a scenario to something that can move: model, start, integrator, observers.

use super::draw::Picture;
use super::guard::FormulaGuard;
use super::mechanics::Mechanics;
use super::observers::observers;
use super::setting::{FIXED, Setting};
use super::start::{require_probes, start};
use super::{FormulaSystem, Law, around, interactions, limit, phase};
use crate::registry::{self, Chosen};
use crate::run::rows::Rows;
use crate::scenario::Scenario;
use stationary::error::Error;
use stationary::formula::Scope;
use stationary::integrate::{EnergyStepSpec, Integrator, Interactions, Method, Start};
use stationary::model::{FormulaLagrangian, PhaseSpace};
use stationary::observe::{Energy, Impacts, Observer, PoincareSection, StepLengths};
use std::sync::Arc;

/// A scenario ready to run.
pub(super) struct PreparedFormula {
    pub system: Arc<FormulaSystem>,
    pub mechanics: Mechanics,
    pub method: Method,
    /// How the energy chooses the steps, if it does.
    pub energy_choice: Option<EnergyStepSpec>,
    pub interactions: Interactions,
    pub integrator: Box<dyn Integrator>,
    /// Velocity at the start.
    pub velocity: Vec<f64>,
    pub energy: Energy,
    /// Whether the energy explodes.
    pub guard: FormulaGuard,
    pub observers: Vec<Box<dyn Observer>>,
    pub section: Option<PoincareSection>,
    /// What is seen of impacts.
    pub impacts: Option<Impacts>,
    pub picture: Option<Picture>,
    /// Steps to make at most; where the energy chooses them, as many as of the first length.
    pub steps: u64,
    /// Time of the last step; where the energy chooses steps, the time to be reached. Infinite where only impacts end the run.
    pub end: f64,
    /// Time from the start to the end that the scenario gives.
    pub duration: f64,
    /// Impacts that end the run.
    pub end_impacts: Option<u64>,
    pub rows: Rows,
    pub warnings: Vec<String>,
}

/// Unknowns of one Newton solve: its matrices are dense, and beyond this take gigabytes.
const MOST_UNKNOWNS: usize = 4_000;
pub(super) fn build(scenario: &Scenario, system: &Arc<FormulaSystem>) -> Result<PreparedFormula, Error> {
    let Chosen { method, tolerance, energy: energy_choice } = registry::method(&scenario.integrator)?;
    require_room(scenario, system, &method)?;
    let interactions = interactions::build(scenario, system)?;
    let Moving { mechanics, start, velocity } = moving(scenario, system, &interactions, &method)?;
    if let (Some(gap), Some(_)) = (system.gaps.first(), energy_choice) {
        let error = gap.formula.error(
            "a gap does not go with steps that the energy chooses: impacts cut steps where they happen",
        );
        return Err(error.help(FIXED).into());
    }
    let setting = Setting {
        scenario,
        system,
        mechanics: &mechanics,
        interactions: &interactions,
        method: &method,
        tolerance,
        energy_choice,
    };
    let integrator = setting.launch(&start)?;
    let mut warnings: Vec<String> = limit::judge(&setting, &start, &velocity)?.into_iter().collect();
    require_probes(scenario, system, &start, &velocity)?;
    let scale = mechanics.energy_scale(&start, &velocity);
    let (mut observers, section) = observers(&setting, (&velocity, scale), &mut warnings)?;
    if let (Some(choice), Mechanics::Lagrangian(_)) = (&energy_choice, &mechanics) {
        observers.insert(1, Box::new(StepLengths::new(choice, scale)));
    }
    observers.extend(around::observers(&setting, &start)?);
    // Whole steps only: the fewest that reach the end, rounding forgiven.
    let steps = ((scenario.end - scenario.start) / system.step * (1.0 - 1e-12)).ceil().max(1.0) as u64;
    let counted = if scenario.end.is_finite() { steps as f64 } else { f64::INFINITY };
    let guard = FormulaGuard::build(&setting, &start, &velocity, counted)?;
    let energy = mechanics.energy().because(setting.energy_changes()?);
    let impacts = setting.impacts(velocity.len(), scale);
    let known = scenario.end.is_finite();
    Ok(PreparedFormula {
        system: Arc::clone(system),
        mechanics,
        section,
        picture: Picture::build(scenario, system)?,
        method,
        energy_choice,
        interactions,
        integrator,
        velocity,
        energy,
        guard,
        observers,
        impacts,
        steps,
        end: match known && energy_choice.is_none() {
            true => scenario.start + steps as f64 * system.step,
            false => scenario.end,
        },
        duration: scenario.end - scenario.start,
        end_impacts: scenario.end_impacts,
        rows: Rows::choose(system.output_every, known.then_some(steps)),
        warnings,
    })
}

/// A system, where it starts and how it moves there.
struct Moving {
    mechanics: Mechanics,
    start: Start,
    velocity: Vec<f64>,
}

fn moving(
    scenario: &Scenario,
    system: &FormulaSystem,
    interactions: &Interactions,
    method: &Method,
) -> Result<Moving, Error> {
    if let Law::Lagrangian = system.law {
        let lagrangian = lagrangian(scenario, system)?;
        let (start, velocity) = start(scenario, system, (&lagrangian, interactions), method)?;
        return Ok(Moving { mechanics: Mechanics::Lagrangian(lagrangian), start, velocity });
    }
    let model = phase::model(scenario, system)?;
    let (start, velocity) = phase::start(scenario, system, &model);
    let (q, p) = start.z.split_at(model.positions());
    let start = Start { t: start.t, q: q.to_vec(), p: p.to_vec(), h: start.h };
    Ok(Moving { mechanics: Mechanics::Phase(model), start, velocity })
}

/// What a Lagrangian may name.
pub(super) fn lagrangian_scope(scenario: &Scenario, system: &FormulaSystem) -> Scope {
    let mut scope = system.scope(&scenario.parameters);
    interactions::withhold(
        &mut scope,
        system,
        'p',
        "momenta come from the Lagrangian, p = dL/dv: write it in velocities",
    );
    scope
}

fn lagrangian(scenario: &Scenario, system: &FormulaSystem) -> Result<Arc<FormulaLagrangian>, Error> {
    let text = &system.lagrangian;
    let scope = lagrangian_scope(scenario, system);
    let built = FormulaLagrangian::new(&text.text, &scope, system.coordinates.len());
    Ok(Arc::new(built.map_err(|e| text.formula_error(e))?))
}

/// Refuses a method whose matrices would not fit into memory, before they are made.
fn require_room(scenario: &Scenario, system: &FormulaSystem, method: &Method) -> Result<(), Error> {
    let n = system.coordinates.len();
    let (stages, option) = match *method {
        Method::Gauss { stages } => (stages * phases(system), "stages"),
        Method::Midpoint { .. } if phases(system) > 1 => (2, "stages"),
        Method::Lobatto { points } => (points - 1, "points"),
        _ => (1, "stages"),
    };
    let constraints = system.constraints.len();
    if (n + constraints) * stages <= MOST_UNKNOWNS {
        return Ok(());
    }
    let and = if constraints > 0 { format!(" and {constraints} constraints") } else { String::new() };
    let message = format!(
        "{n} coordinates{and} with {stages} unknowns each are too many: a step may solve for {MOST_UNKNOWNS} at once"
    );
    let place = scenario.integrator.options.place(option).unwrap_or(&scenario.integrator.method.place);
    let or = if phases(system) > 1 { "" } else { ", or an explicit method: verlet" };
    Err(place.error(message).help(format!("fewer {option} or coordinates{or}")).into())
}

/// Unknowns of a stage for each coordinate.
fn phases(system: &FormulaSystem) -> usize {
    if let Law::Canonical = system.law { 2 } else { 1 }
}
