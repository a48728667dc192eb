//! From a scenario to a solid in motion.

use super::build::{self, Body};
use super::growth::Growth;
use super::motion::{Motion, Synchronous, avi_error};
use super::record::Record;
use super::steps::{self, Steps};
use crate::error::Error;
use crate::integrate::avi::{Avi, AviStart};
use crate::integrate::sparse::{Sparse, SparseStart};
use crate::integrate::{BuildError, Method};
use crate::model::Potentials;
use crate::registry::{self, SolidMethod};
use crate::run::Description;
use crate::run::finish::short;
use crate::scenario::{Scenario, SolidSystem};
use std::sync::Arc;
use std::time::Instant;

/// A scenario ready to run.
pub(super) struct Built {
    pub body: Body,
    pub motion: Motion,
    /// The step that a synchronous run of the same rule would have.
    pub one_step: f64,
    pub record: Record,
    pub growth: Growth,
    pub choice: SolidMethod,
    /// Simulated time between looks at the clock, and when the watcher was last told.
    pub stretch: f64,
    pub told: Instant,
}

impl Built {
    /// What a synchronous run would need, over what this one needs: `sum(1/dt_min) / sum(1/dt_K)` [VTI04 (62)].
    pub fn ideal_speedup(&self) -> f64 {
        let steps = self.motion.steps();
        steps.len() as f64 / self.one_step / steps.iter().map(|h| 1.0 / h).sum::<f64>()
    }
}

/// Observers that run on every solid, and the one that must be asked for.
const OBSERVED: [&str; 5] = ["energy", "momentum", "probe", "newton", LOCAL_ENERGY];
const LOCAL_ENERGY: &str = "local_energy";

/// Energies of an element below this part of the mean count as none in its balance.
const NO_ENERGY: f64 = 1e-9;

/// Elements from which on all cores are used unless the scenario says otherwise.
const WORTH_THREADS: usize = 20_000;

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether the balance of energy of every element is wanted: elements then go one by one.
fn follows_local_energy(scenario: &Scenario, system: &SolidSystem) -> bool {
    !system.local_energy.is_empty()
        || scenario.observe.iter().any(|o| o.text == LOCAL_ENERGY)
        || scenario.claims.iter().any(|c| c.path.starts_with(LOCAL_ENERGY))
}

pub(super) fn build(scenario: &Scenario, system: &SolidSystem) -> Result<Built, Error> {
    let choice = registry::solid_method(&scenario.integrator)?;
    registry::wants(&scenario.observe, "symplectic")?;
    if let Some(name) = scenario.observe.iter().find(|o| !OBSERVED.contains(&o.text.as_str())) {
        return Err(name
            .error(format!("`{}` is not observed on solids", name.text))
            .help(format!("what is: {}; all but the last are always", OBSERVED.join(", ")))
            .into());
    }
    let mut body = build::body(scenario, system)?;
    let (motion, one_step) = match &choice {
        SolidMethod::Avi(_) | SolidMethod::Newmark(_) => explicit(scenario, system, &body, &choice)?,
        SolidMethod::Discrete { method, tolerance, .. } => {
            discrete(scenario, system, &body, &choice, (*method, *tolerance))?
        }
    };
    // They have served: the steps are given.
    body.groups = Vec::new();
    let record = Record::new(scenario, system, &body)?;
    let stretch = (scenario.end - scenario.start) / 1e4;
    let growth = Growth::new(scenario.start, extremes(&motion.steps()).1);
    Ok(Built { body, motion, one_step, record, growth, choice, stretch, told: Instant::now() })
}

/// Every element its own step, or all of them the smallest; and that smallest step.
fn explicit(
    scenario: &Scenario,
    system: &SolidSystem,
    body: &Body,
    choice: &SolidMethod,
) -> Result<(Motion, f64), Error> {
    let rule = choice.steps();
    let one = matches!(choice, SolidMethod::Newmark(_));
    let Steps { each: step, smallest } = match (choice, &system.step) {
        (SolidMethod::Newmark(_), Some((step, _))) => {
            Steps { each: vec![*step; body.problem.count()], smallest: *step }
        }
        _ => steps::steps(scenario, body, rule, one)?,
    };
    let factor = steps::factor(scenario, body, rule)?;
    if one && factor.is_some() {
        let place = &scenario.integrator.method.place;
        return Err(place.error("newmark has one step for the whole run: `factor` is for avi").into());
    }
    let mass = body.problem.solid().mass().to_vec();
    let start = AviStart { t: scenario.start, x: body.x.clone(), v: body.v.clone(), mass, step };
    let problem = Arc::clone(&body.problem);
    let middle = rule.middle && !one;
    let started = match factor {
        None if middle => Avi::with_events_in_the_middle(problem, start),
        None => Avi::new(problem, start),
        Some(factor) => Avi::with_changing_steps(problem, start, factor),
    };
    let place = &scenario.integrator.method.place;
    let unbuildable = |e| place.error(format!("the run cannot start: {}", avi_error(scenario.start, 0, &e)));
    let mut avi = started.map_err(unbuildable)?;
    // Free steps gain nothing from threads on a machine that others use, too.
    let shared = (rule.harmonic || one) && body.problem.count() >= WORTH_THREADS;
    let usual = if shared { cores() } else { 1 };
    avi.set_threads(rule.threads.unwrap_or(usual));
    if follows_local_energy(scenario, system) {
        let energy = avi.snapshot().map(|s| s.kinetic + s.potential.abs()).map_err(unbuildable)?;
        avi.follow_local_energy(NO_ENERGY * energy / body.problem.count() as f64);
    }
    Ok((Motion::Avi(Box::new(avi)), smallest))
}

/// A discrete Lagrangian of the whole body.
fn discrete(
    scenario: &Scenario,
    system: &SolidSystem,
    body: &Body,
    choice: &SolidMethod,
    (method, tolerance): (Method, f64),
) -> Result<(Motion, f64), Error> {
    let place = &scenario.integrator.method.place;
    let h = match &system.step {
        Some((step, _)) => *step,
        None => {
            let (least, most) = extremes(&steps::steps(scenario, body, choice.steps(), false)?.each);
            if any_step_is_stable(method) { most } else { least }
        }
    };
    let start = SparseStart { t: scenario.start, h, x: body.x.clone(), v: body.v.clone() };
    let problem = Arc::clone(&body.problem);
    let sparse = Sparse::new(Arc::clone(&problem), method, start, tolerance).map_err(|e| match e {
        BuildError::Unsuited(why) => place.error(why),
        BuildError::Start(e) => place.error(format!("{method} cannot start: {e}")),
    })?;
    let synchronous = Synchronous::new(sparse, problem, h)
        .map_err(|e| place.error(format!("{method} cannot start: {e}")))?;
    Ok((Motion::Sparse(Box::new(synchronous)), h))
}

/// Whether vibrations too fast for the step stay bounded, so that the largest step of an element will do for all.
fn any_step_is_stable(method: Method) -> bool {
    match method {
        Method::Midpoint { alpha } => alpha == 0.5,
        Method::Newmark { beta, gamma } => gamma >= 0.5 && 2.0 * beta >= gamma,
        Method::Gauss { .. } => true,
        _ => false,
    }
}

/// See [`crate::run::check`].
pub fn check(scenario: &Scenario, system: &SolidSystem) -> Result<Description, Error> {
    let built = build(scenario, system)?;
    super::results::check_claims(scenario, &built)?;
    let solid = built.body.problem.solid();
    let steps = built.motion.steps();
    let (least, most) = extremes(&steps);
    let materials: Vec<&str> = system.materials.iter().map(|m| m.name.text.as_str()).collect();
    let mut lines = vec![
        (
            "mesh",
            format!("{}: {} elements, {} nodes", system.mesh.file.text, solid.elements(), solid.mass().len()),
        ),
        ("materials", materials.join(", ")),
        ("mass", short(solid.mass().iter().sum())),
        ("supports", system.supports.len().to_string()),
        ("loads", system.loads.len().to_string()),
        ("integrator", built.choice.to_string()),
        ("steps", format!("{} to {}, until time {}", short(least), short(most), short(scenario.end))),
    ];
    if built.motion.avi().is_some() {
        lines.push((
            "speed-up",
            format!("{:.2} by fewer updates than at the smallest step", built.ideal_speedup()),
        ));
    }
    lines.push(("rows", format!("{}, {} frames", system.output.rows, system.output.frames)));
    lines.push(("claims", scenario.claims.len().to_string()));
    Ok(Description { lines })
}

/// The smallest and the largest of some numbers.
pub(super) fn extremes(numbers: &[f64]) -> (f64, f64) {
    numbers.iter().fold((f64::INFINITY, 0.0), |(least, most), x| (x.min(least), x.max(most)))
}
