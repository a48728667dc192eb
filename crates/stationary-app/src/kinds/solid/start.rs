//! From a scenario to a solid in motion.

use super::auto::{self, AutoChoice};
use super::build::{self, Body};
use super::equilibrium::{self, StaticPlan};
use super::fields::NodalFields;
use super::growth::{self, Growth};
use super::level_words::{boundaries_in_words, level_in_words};
use super::limit;
use super::motion::{Look, Motion, Synchronous, avi_error};
use super::record::Record;
use super::rehearsal::{self, Rehearsal};
use super::stability::{self, Stability, Verdict};
use super::steps::{self, Steps};
use crate::registry::{self, Rule, SolidMethod, StepSpec};
use crate::run::TICK;
use crate::run::energy_guard::{Energies, EnergyFault, EnergyGuard, Looks};
use crate::run::finish::short;
use crate::scenario::{InitialShape, Place, Scenario, SolidSystem};
use stationary::error::{Cause, Error, RunError};
use stationary::integrate::avi::{Avi, AviError, AviStart, Boundary, LevelTable, StepFactor};
use stationary::integrate::sparse::{Sparse, SparseStart};
use stationary::integrate::{BuildError, Method};
use stationary::interrupt;
use stationary::model::Potentials;
use stationary::model::solid::SolidProblem;
use stationary_report::failpoint;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A scenario ready to run.
pub(super) struct PreparedSolid {
    pub body: Body,
    pub motion: Motion,
    /// The step that a synchronous run of the same rule would have.
    pub one_step: f64,
    pub record: Record,
    pub guard: EnergyGuard,
    pub growth: Growth,
    pub choice: SolidMethod,
    /// What decided it, where the scenario left it open.
    pub auto: Option<AutoChoice>,
    /// What is known of the stability of the steps; of explicit methods only.
    pub stability: Option<Stability>,
    pub engine: Engine,
    /// Simulated time between looks at the clock.
    pub stretch: f64,
    /// Stresses and strains at all nodes, once a frame has asked for them.
    nodal_fields: OnceLock<NodalFields>,
}

impl PreparedSolid {
    /// What a synchronous run would need, over what this one needs: `sum(1/dt_min) / sum(1/dt_K)` [VTI04 (62)].
    pub fn ideal_speedup(&self) -> f64 {
        let steps = self.motion.steps();
        let scale = self.motion.avi().map_or(1.0, |avi| avi.step_scale());
        steps.len() as f64 / (scale * self.one_step) / steps.iter().map(|h| 1.0 / h).sum::<f64>()
    }

    /// The levels of the steps, where local ones are powers of two times the smallest.
    pub fn levels(&self) -> Option<LevelTable> {
        LevelTable::new(&*self.body.problem, self.motion.avi()?.steps())
    }

    /// Stresses and strains at all nodes.
    pub fn nodal_fields(&self) -> &NodalFields {
        let nodes = || (0..self.body.problem.solid().mass().len() as u32).collect::<Vec<u32>>();
        self.nodal_fields.get_or_init(|| NodalFields::new(&self.body, &nodes()))
    }

    /// Finds out whether the energy explodes, and names the element that holds most of it for its mass.
    pub fn see_energy(&mut self, look: &Look) -> Result<(), Cause> {
        if look.statics.is_some() {
            return Ok(());
        }
        self.guard.see(&energies(look)).map_err(|fault| self.explain(fault, look))
    }

    /// The same of a single look, which is not remembered.
    pub fn judge_energy(&self, look: &Look) -> Result<(), Cause> {
        if look.statics.is_some() {
            return Ok(());
        }
        self.guard.judge(&energies(look)).map_err(|fault| self.explain(fault, look))
    }

    /// How much the energy less work has changed since the start, over all that the body had, set free and was given.
    pub fn energy_growth(&self, look: &Look) -> f64 {
        self.guard.growth(&energies(look))
    }

    /// The end of a call that was interrupted.
    pub fn interrupted(&self) -> RunError {
        RunError { time: self.motion.time(), step: self.motion.moves(), cause: Cause::Interrupted }
    }

    fn explain(&self, fault: EnergyFault, look: &Look) -> Cause {
        let worst = growth::gathering(&self.motion, &self.body.problem, look);
        let place = worst.first().map_or(String::new(), |tag| format!("element {tag}"));
        let remedy = match &self.choice {
            SolidMethod::Avi(_) => format!("the steps are too long, or resonate: {}", growth::remedy(&self.choice)),
            _ => "the step is too long for this motion: try a shorter one, or an implicit method such as midpoint".into(),
        };
        fault.cause(place, remedy)
    }

    /// Moves on from a time since the start, to `goal` at most, for about half a tick; where this ends changes nothing but when we look. Returns the
    /// time reached, and the wall time it took.
    pub fn stretch_on(&mut self, at: f64, goal: f64) -> (Result<f64, RunError>, Duration) {
        let next = (at + self.stretch).min(goal);
        let began = Instant::now();
        let result = self.motion.advance(next);
        let took = began.elapsed();
        if failpoint::is_set() {
            return (result.map(|()| next), took);
        }
        let scale = 0.5 * TICK.as_secs_f64() / took.as_secs_f64().max(1e-6);
        // Not below a step: of a body so large that a mere look takes a tick, stretches would shrink to nothing.
        self.stretch = (self.stretch * scale.clamp(0.25, 4.0)).max(self.one_step);
        (result.map(|()| next), took)
    }
}

/// The engine of a run: all that it needs besides a state to start from, and the steps.
pub(super) struct Engine {
    kind: EngineKind,
    /// Where the method was written.
    place: Place,
}

enum EngineKind {
    /// `middle` is how levels act where they share nodes, if events are in the middle of steps.
    Avi {
        factor: Option<StepFactor>,
        middle: Option<Boundary>,
        threads: usize,
        local: bool,
    },
    Sparse {
        method: Method,
        tolerance: f64,
        step: f64,
    },
    Static(StaticPlan),
}

/// Positions and velocities of all nodes at a time.
pub(super) struct State {
    pub t: f64,
    pub x: Vec<f64>,
    pub v: Vec<f64>,
}

impl Engine {
    /// Sets a body in motion. `steps` are those of its elements; a method with one step for the whole has its own.
    pub fn start(&self, problem: &Arc<SolidProblem>, state: State, steps: Vec<f64>) -> Result<Motion, Error> {
        match &self.kind {
            EngineKind::Avi { factor, middle, threads, local } => {
                let mut avi = self.avi(problem, state, steps, (factor.as_ref(), *middle))?;
                avi.set_threads(granted(*threads));
                if *local {
                    let energy = avi.snapshot().map(|s| s.kinetic + s.potential.abs());
                    let energy = energy.map_err(|e| self.unbuildable(avi.time(), &e))?;
                    avi.follow_local_energy(NO_ENERGY * energy / problem.count() as f64);
                }
                Ok(Motion::Avi(Box::new(avi)))
            }
            EngineKind::Sparse { method, tolerance, step: h } => {
                let place = &self.place;
                let State { t, x, v } = state;
                let start = SparseStart { t, h: *h, x, v };
                let sparse =
                    Sparse::new(Arc::clone(problem), *method, start, *tolerance).map_err(|e| match e {
                        BuildError::Unsuited(why) => place.error(why),
                        BuildError::Start(e) => place.error(format!("{method} cannot start: {e}")),
                    })?;
                let synchronous = Synchronous::new(sparse, Arc::clone(problem), *h)
                    .map_err(|e| place.error(format!("{method} cannot start: {e}")))?;
                Ok(Motion::Sparse(Box::new(synchronous)))
            }
            EngineKind::Static(plan) => {
                let motion = plan.start(problem, (state.t, state.x), &self.place)?;
                Ok(Motion::Static(Box::new(motion)))
            }
        }
    }

    fn avi(
        &self,
        problem: &Arc<SolidProblem>,
        State { t, x, v }: State,
        step: Vec<f64>,
        (factor, middle): (Option<&StepFactor>, Option<Boundary>),
    ) -> Result<Avi<Arc<SolidProblem>>, Error> {
        let start = AviStart { t, x, v, mass: problem.solid().mass().to_vec(), step };
        let problem = Arc::clone(problem);
        let started = match (factor, middle) {
            (None, Some(boundary)) => Avi::with_boundary(problem, start, boundary),
            (None, None) => Avi::new(problem, start),
            (Some(factor), _) => Avi::with_varying_steps(problem, start, factor.clone()),
        };
        started.map_err(|e| self.unbuildable(t, &e))
    }

    fn unbuildable(&self, t: f64, error: &AviError) -> Error {
        self.place.error(format!("the run cannot start: {}", avi_error(t, 0, error))).into()
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

/// How many threads, this one among them, the system lets us have at once: no more than are wanted. The bits of a run do not depend on it.
fn granted(wanted: usize) -> usize {
    let gate = Mutex::new(());
    // Held until all are there: threads that were over at once would make room for each other.
    let held = gate.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        let wait = || drop(gate.lock());
        let started = |_: &usize| std::thread::Builder::new().spawn_scoped(scope, wait).is_ok();
        let others = (1..wanted).take_while(started).count();
        drop(held);
        1 + others
    })
}

/// Whether the balance of energy of every element is wanted: elements then go one by one.
fn follows_local_energy(scenario: &Scenario, system: &SolidSystem) -> bool {
    !system.local_energy.is_empty()
        || scenario.observe.iter().any(|o| o.text == LOCAL_ENERGY)
        || scenario.claims.iter().any(|c| c.path.starts_with(LOCAL_ENERGY))
}

pub(super) fn build(scenario: &Scenario, system: &SolidSystem) -> Result<PreparedSolid, Error> {
    let mut choice = registry::solid_method(&scenario.integrator)?;
    if system.equilibrium.is_some() {
        choice = choice.starting_at_rest();
    }
    registry::wants(&scenario.observe, "symplectic")?;
    if let Some(name) = scenario.observe.iter().find(|o| !OBSERVED.contains(&o.text.as_str())) {
        return Err(name
            .error(format!("`{}` is not observed on solids", name.text))
            .help(format!("what is: {}; all but the last are always", OBSERVED.join(", ")))
            .into());
    }
    let mut body = build::body(scenario, system)?;
    equilibrium::settle(scenario, system, &mut body)?;
    interrupt::check()?;
    let (mut choice, found, auto) = match choice {
        SolidMethod::Auto(auto) => {
            let (choice, steps, why) = auto::choose(scenario, system, &body, &auto)?;
            (choice, steps, Some(why))
        }
        named => (named, None, None),
    };
    let (engine, steps, one_step, stability) = match &choice {
        SolidMethod::Auto(_) => unreachable!("it has been decided"),
        SolidMethod::Avi(_) | SolidMethod::Newmark(_) => {
            let Explicit { engine, steps, stability } = explicit(scenario, system, &body, (&choice, found))?;
            (engine, steps.each, steps.smallest, Some(stability))
        }
        SolidMethod::Discrete { method, tolerance, .. } => {
            let (step, rehearsal) = one_step(scenario, system, &body, (&choice, *method))?;
            body.notes.extend(rehearsal.filter(|found| found.scale < 1.0).map(|found| found.note()));
            let kind = EngineKind::Sparse { method: *method, tolerance: *tolerance, step };
            (Engine { kind, place: scenario.integrator.method.place.clone() }, Vec::new(), step, None)
        }
        SolidMethod::Static { tolerance, iterations, .. } => {
            let (engine, row) = static_engine(scenario, system, &body, (*tolerance, *iterations))?;
            (engine, Vec::new(), row, None)
        }
    };
    if let (SolidMethod::Avi(rule) | SolidMethod::Newmark(rule), Some(stability)) = (&mut choice, &stability)
    {
        if let Some(found) = stability.rehearsal.filter(|found| found.scale < 1.0) {
            rule.fraction *= found.scale;
            body.notes.push(found.note());
        }
        if let Verdict::Certified(found) = &stability.verdict {
            rule.fraction *= found.scale;
            body.notes.extend(found.note());
        }
    }
    let state = State { t: scenario.start, x: body.x.clone(), v: body.v.clone() };
    interrupt::check()?;
    let motion = engine.start(&body.problem, state, steps)?;
    interrupt::check()?;
    // They have served: the steps are given.
    body.groups = Vec::new();
    let look = motion.look().map_err(|e| engine.place.error(format!("the run cannot start: {e}")))?;
    require_energy(system, &engine.place, &look)?;
    let record = Record::new(scenario, system, &body, (&motion, &look))?;
    let guard = energy_guard(&motion, &body, [scenario.start, scenario.end]);
    // It grows fast: a first one of many steps would keep whoever wants to end the run waiting.
    // Load steps are those of the rows, whatever the clock says.
    let stretch = if motion.statics().is_some() { f64::INFINITY } else { extremes(&motion.steps()).1 };
    let growth = Growth::new(extremes(&motion.steps()).1);
    Ok(PreparedSolid {
        body,
        motion,
        one_step,
        record,
        guard,
        growth,
        choice,
        auto,
        stability,
        engine,
        stretch,
        nodal_fields: OnceLock::new(),
    })
}

/// The static solution, of a body that is held; and the time from row to row.
fn static_engine(
    scenario: &Scenario,
    system: &SolidSystem,
    body: &Body,
    (tolerance, iterations): (f64, usize),
) -> Result<(Engine, f64), Error> {
    let place = scenario.integrator.method.place.clone();
    if let Some(velocity) = &system.velocity {
        let error = velocity[0].error("a static solution has no velocities");
        return Err(error.help("leave out `initial.velocity`, or choose a dynamic integrator").into());
    }
    equilibrium::require_held(body, &body.x, &place)?;
    let span = scenario.end - scenario.start;
    let row = span / system.output.rows as f64;
    Ok((Engine { kind: EngineKind::Static(StaticPlan { tolerance, iterations, row, span }), place }, row))
}

/// What the guard of the energy sees of a body.
fn energies(look: &Look) -> Energies {
    Energies {
        time: look.t,
        kinetic: look.kinetic,
        potential: look.potential,
        work: look.work,
        supplied: look.work.abs(),
    }
}

/// A guard of the energy of a body that will move from one time to another.
pub(super) fn energy_guard(motion: &Motion, body: &Body, [start, end]: [f64; 2]) -> EnergyGuard {
    let solid = body.problem.solid();
    let (step, longest) = extremes(&motion.steps());
    let square: f64 =
        body.x.chunks_exact(3).zip(solid.mass()).map(|(x, m)| m * stationary::linalg::dot(x, x)).sum();
    EnergyGuard::new(Looks::Rows, square / (step * step), (end - start) / step).from(start, longest)
}

/// Refuses a start whose energy is not a finite number.
fn require_energy(system: &SolidSystem, method: &Place, look: &Look) -> Result<(), Error> {
    if (look.kinetic + look.potential).is_finite() {
        return Ok(());
    }
    let shape = match &system.shape {
        Some(InitialShape::Deformation(texts) | InitialShape::Displacement(texts)) => texts.first(),
        None => None,
    };
    let velocity = system.velocity.as_ref().and_then(|texts| texts.first());
    let text = if look.kinetic.is_finite() { shape } else { velocity };
    let place = text.map_or(method, |text| &text.place);
    let message = format!(
        "the energy is not a finite number at the start: kinetic {}, potential {}",
        short(look.kinetic),
        short(look.potential)
    );
    Err(place.error(message).help("expected an initial state whose numbers can be squared").into())
}

/// An explicit method, with the steps of the elements.
struct Explicit {
    engine: Engine,
    steps: Steps,
    stability: Stability,
}

/// Every element its own step, or all of them the smallest.
fn explicit(
    scenario: &Scenario,
    system: &SolidSystem,
    body: &Body,
    (choice, found): (&SolidMethod, Option<Steps>),
) -> Result<Explicit, Error> {
    let rule = choice.steps();
    let one = matches!(choice, SolidMethod::Newmark(_));
    let mut steps = match (choice, &system.step, found) {
        (_, _, Some(found)) => found,
        (SolidMethod::Newmark(_), Some((step, _)), None) => {
            Steps { each: vec![*step; body.problem.count()], smallest: *step, used: None }
        }
        _ => steps::steps(scenario, body, rule, one)?,
    };
    if one && may_exceed(system, rule) {
        limit::require_stable(scenario, system, body, ("explicit newmark", EXPLICIT_LIMIT), steps.smallest)?;
    }
    let factor = steps::factor(scenario, body, rule)?;
    if one && factor.is_some() {
        let place = &scenario.integrator.method.place;
        return Err(place.error("newmark has one step for the whole run: `factor` is for avi").into());
    }
    // Free steps gain nothing from threads on a machine that others use, too.
    let shared = (rule.harmonic || one) && body.problem.count() >= WORTH_THREADS;
    let usual = if shared { cores() } else { 1 };
    let (threads, local) = (rule.threads.unwrap_or(usual), follows_local_energy(scenario, system));
    let middle = (rule.middle && !one).then_some(rule.boundary);
    let kind = EngineKind::Avi { factor, middle, threads, local };
    let engine = Engine { kind, place: scenario.integrator.method.place.clone() };
    let rehearsal = rehearsed(scenario, system, body, (rule, &engine), &mut steps)?;
    let stability = if one {
        stability::one_step(body, &steps)
    } else {
        stability::examine(scenario, body, rule, &mut steps)?
    };
    Ok(Explicit { engine, steps, stability: Stability { rehearsal, ..stability } })
}

/// Rehearses the release from a deformation, and shortens the steps for it unless the scenario fixes them.
fn rehearsed(
    scenario: &Scenario,
    system: &SolidSystem,
    body: &Body,
    (rule, engine): (&StepSpec, &Engine),
    steps: &mut Steps,
) -> Result<Option<Rehearsal>, Error> {
    let is_fixed =
        system.step.is_some() || rule.factor.is_some() || stability::fixed_at(scenario, rule).is_some();
    if is_fixed || !rehearsal::is_deformed(body) {
        return Ok(None);
    }
    let state = || State { t: scenario.start, x: body.x.clone(), v: body.v.clone() };
    let start = |each: Vec<f64>| engine.start(&body.problem, state(), each);
    let used = stability::used_by(body, steps);
    let found = rehearsal::rehearse(scenario, body, (used, &steps.each), start)?;
    if let Some(Rehearsal { scale, .. }) = found.filter(|found| found.scale < 1.0) {
        steps.each.iter_mut().for_each(|h| *h *= scale);
        steps.smallest *= scale;
        steps.used = steps.used.map(|used| scale * used);
    }
    Ok(found)
}

/// The step of a discrete Lagrangian of the whole body.
fn one_step(
    scenario: &Scenario,
    system: &SolidSystem,
    body: &Body,
    (choice, method): (&SolidMethod, Method),
) -> Result<(f64, Option<Rehearsal>), Error> {
    let limit = method.stability_limit();
    let mut rehearsal = None;
    let step = match &system.step {
        Some((step, _)) => *step,
        None => {
            let mut steps = steps::steps(scenario, body, choice.steps(), false)?;
            let (least, most) = extremes(&steps.each);
            // Steps of elements are fractions of the limit of velocity Verlet; methods with a smaller one take less.
            let part = limit.map_or(1.0, |limit| (limit / EXPLICIT_LIMIT).min(1.0));
            if limit.is_some() {
                // Rehearsed with velocity Verlet, whose limit the steps are a part of.
                steps.each.fill(least);
                steps.used = None;
                let kind = EngineKind::Avi { factor: None, middle: None, threads: 1, local: false };
                let engine = Engine { kind, place: scenario.integrator.method.place.clone() };
                rehearsal = rehearsed(scenario, system, body, (choice.steps(), &engine), &mut steps)?;
            }
            let scale = rehearsal.map_or(1.0, |rehearsal| rehearsal.scale);
            if any_step_is_stable(method) { most } else { least * part * scale }
        }
    };
    if let Some(limit) = limit.filter(|_| may_exceed(system, choice.steps())) {
        limit::require_stable(scenario, system, body, (&method.to_string(), limit), step)?;
    }
    Ok((step, rehearsal))
}

/// The largest product of step and frequency that explicit Newmark bears.
const EXPLICIT_LIMIT: f64 = 2.0;

/// Whether a step may be beyond the limit: one of the `eigen` rule is not if its fraction is at most one (Irons and Treharne).
fn may_exceed(system: &SolidSystem, rule: &StepSpec) -> bool {
    let by_rule = matches!(rule.rule, Rule::Eigen(_)) && rule.given.is_none() && rule.fraction <= 1.0;
    system.step.is_some() || !by_rule
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

/// What `stationary check` tells.
pub(super) fn describe(
    scenario: &Scenario,
    built: &PreparedSolid,
    system: &SolidSystem,
) -> Vec<(&'static str, String)> {
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
    ];
    lines.extend(built.auto.iter().map(|auto| ("chosen", auto.words())));
    if let Some(statics) = built.motion.statics() {
        lines.push(("unknowns", statics.solution().unknowns().to_string()));
        lines.push(("load steps", format!("{}, until time {}", system.output.rows, short(scenario.end))));
        lines.extend(built.record.probes().iter().map(|p| ("probe", format!("{}: {}", p.name, p.taken()))));
        lines.extend(built.body.notes.iter().map(|note| ("note", note.clone())));
        lines.push(("rows", format!("{}, {} frames", system.output.rows, system.output.frames)));
        lines.push(("claims", scenario.claims.len().to_string()));
        return lines;
    }
    lines.push(("steps", format!("{} to {}, until time {}", short(least), short(most), short(scenario.end))));
    if built.motion.avi().is_some() {
        lines.push((
            "speed-up",
            format!("{:.2} by fewer updates than at the smallest step", built.ideal_speedup()),
        ));
    }
    if let Some(table) = built.levels().filter(|table| table.rows.len() > 1) {
        lines.extend(table.rows.iter().map(|row| ("level", level_in_words(row))));
        lines.push(("boundaries", boundaries_in_words(&table)));
    }
    lines.extend(built.stability.iter().map(|stability| ("stability", stability.describe())));
    lines.extend(built.record.probes().iter().map(|p| ("probe", format!("{}: {}", p.name, p.taken()))));
    lines.extend(built.body.notes.iter().map(|note| ("note", note.clone())));
    lines.push(("rows", format!("{}, {} frames", system.output.rows, system.output.frames)));
    lines.push(("claims", scenario.claims.len().to_string()));
    lines
}

/// The smallest and the largest of some numbers.
pub(super) fn extremes(numbers: &[f64]) -> (f64, f64) {
    numbers.iter().fold((f64::INFINITY, 0.0), |(least, most), x| (x.min(least), x.max(most)))
}
