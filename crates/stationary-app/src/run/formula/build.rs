//! From a scenario to something that can move: model, start, integrator, observers.

use super::draw::Picture;
use super::guard::FormulaGuard;
use super::mechanics::Mechanics;
use super::{around, extras, gaps, limit, phase};
use crate::registry::{self, Chosen};
use crate::run::rows::Rows;
use crate::scenario::{Choice, FormulaSystem, Law, Motion, Place, Scenario};
use stationary::error::{Cause, Diagnostic, Error, RunError};
use stationary::formula::{Graph, Node, Program, Scope, Var};
use stationary::integrate::phase::PhaseStart;
use stationary::integrate::{BuildError, EnergyChoice, Extras, Integrator, Method, Start};
use stationary::linalg::Lu;
use stationary::model::{FormulaLagrangian, Jet, Lagrangian, Legendre, PhaseSpace};
use stationary::observe::{
    Constraints, DiscreteEnergy, Energy, EnergySteps, Impacts, Momentum, Observer, Probe, Section,
    Symplectic, Work,
};
use std::sync::Arc;

/// A scenario ready to run.
pub(super) struct Built {
    pub system: Arc<FormulaSystem>,
    pub mechanics: Mechanics,
    pub method: Method,
    /// How the energy chooses the steps, if it does.
    pub energy_choice: Option<EnergyChoice>,
    pub extras: Extras,
    pub integrator: Box<dyn Integrator>,
    /// Velocity at the start.
    pub velocity: Vec<f64>,
    pub energy: Energy,
    /// Whether the energy explodes.
    pub guard: FormulaGuard,
    pub observers: Vec<Box<dyn Observer>>,
    pub section: Option<Section>,
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
/// Change of `L` under a generator, relative to its terms, above which it is no symmetry.
const INVARIANT: f64 = 1e-9;
/// Why the momentum of such a generator changes.
const NO_SYMMETRY: &str = "its generator is not a symmetry";
/// How often the place where symmetries are tested moves half way to the initial state.
const HALVINGS: usize = 40;

pub(super) fn build(scenario: &Scenario, system: &Arc<FormulaSystem>) -> Result<Built, Error> {
    let Chosen { method, tolerance, energy: energy_choice } = registry::method(&scenario.integrator)?;
    require_room(scenario, system, &method)?;
    let extras = extras::build(scenario, system)?;
    let Moving { mechanics, start, velocity } = moving(scenario, system, &extras, &method)?;
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
        extras: &extras,
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
        observers.insert(1, Box::new(EnergySteps::new(choice, scale)));
    }
    observers.extend(around::observers(&setting, &start)?);
    // Whole steps only: the fewest that reach the end, rounding forgiven.
    let steps = ((scenario.end - scenario.start) / system.step * (1.0 - 1e-12)).ceil().max(1.0) as u64;
    let counted = if scenario.end.is_finite() { steps as f64 } else { f64::INFINITY };
    let guard = FormulaGuard::build(&setting, &start, &velocity, counted)?;
    let energy = mechanics.energy().because(setting.energy_changes()?);
    let impacts = setting.impacts(velocity.len(), scale);
    let known = scenario.end.is_finite();
    Ok(Built {
        system: Arc::clone(system),
        mechanics,
        section,
        picture: Picture::build(scenario, system)?,
        method,
        energy_choice,
        extras,
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

/// Refuses a probe that is not a finite number at the start.
fn require_probes(
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

/// Refuses steps chosen by the energy where time appears in the Lagrangian.
fn require_autonomous(setting: &Setting<'_>, lagrangian: &FormulaLagrangian) -> Result<(), Error> {
    if !lagrangian.depends_on_time() {
        return Ok(());
    }
    let message =
        "the energy cannot choose the steps: this Lagrangian depends on `t`, so there is no energy to keep";
    Err(setting.chooser().error(message).help(FIXED).into())
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
    extras: &Extras,
    method: &Method,
) -> Result<Moving, Error> {
    if let Law::Lagrangian = system.law {
        let lagrangian = lagrangian(scenario, system)?;
        let (start, velocity) = start(scenario, system, (&lagrangian, extras), method)?;
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
    extras::withhold(
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

/// The initial state in the integrator's terms, and the velocity there.
fn start(
    scenario: &Scenario,
    system: &FormulaSystem,
    (lagrangian, extras): (&Arc<FormulaLagrangian>, &Extras),
    method: &Method,
) -> Result<(Start, Vec<f64>), Error> {
    let (n, t, h) = (system.coordinates.len(), scenario.start, system.step);
    let mut q = system.initial.position.clone();
    extras::settle(system, extras, t, &mut q)?;
    gaps::require_admissible(system, extras.gaps.as_ref(), t, &q)?;
    let mut legendre = Legendre::new(n);
    let (mut v, mut p) = (vec![0.0; n], vec![0.0; n]);
    let failed = |cause| unbuildable(scenario, system, method, RunError { time: t, step: 0, cause }.into());
    match &system.initial.motion {
        Motion::Velocity(velocity) => {
            v.copy_from_slice(velocity);
            extras::require_tangent(system, extras, (t, &q, &v))?;
            require_mass(scenario, system, lagrangian, (t, &q, &v))?;
            legendre.momentum(&**lagrangian, t, &q, &v, &mut p);
        }
        Motion::Momentum(momentum) => {
            p.copy_from_slice(momentum);
            require_mass(scenario, system, lagrangian, (t, &q, &v))?;
            legendre.velocity(&**lagrangian, t, &q, &p, &mut v).map_err(failed)?;
            extras::require_tangent(system, extras, (t, &q, &v))?;
        }
        Motion::NextPosition(next) => {
            let mut next = next.clone();
            extras::settle(system, extras, t + h, &mut next)?;
            gaps::require_admissible(system, extras.gaps.as_ref(), t + h, &next)?;
            for i in 0..n {
                v[i] = (next[i] - q[i]) / h;
            }
            require_mass(scenario, system, lagrangian, (t, &q, &v))?;
            p = method
                .momentum_between_with(Arc::clone(lagrangian), extras, (t, h), [&q, &next])
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

fn unbuildable(scenario: &Scenario, system: &FormulaSystem, method: &Method, error: BuildError) -> Error {
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

/// The observers, and the section where there is one.
type Watching = (Vec<Box<dyn Observer>>, Option<Section>);

/// What is run, and how.
pub(super) struct Setting<'a> {
    pub scenario: &'a Scenario,
    pub system: &'a FormulaSystem,
    pub mechanics: &'a Mechanics,
    pub extras: &'a Extras,
    pub method: &'a Method,
    pub tolerance: f64,
    /// How the energy chooses the steps, if it does.
    pub energy_choice: Option<EnergyChoice>,
}

impl Setting<'_> {
    /// Starts the method on either side. With a one-form `p` is empty.
    pub fn launch(&self, start: &Start) -> Result<Box<dyn Integrator>, Error> {
        let launched = match (self.mechanics, self.energy_choice) {
            (Mechanics::Lagrangian(l), None) => {
                self.method.start_with(Arc::clone(l), self.extras, start, self.tolerance)
            }
            (Mechanics::Lagrangian(l), Some(choice)) => {
                require_autonomous(self, l)?;
                self.method.start_energy(Arc::clone(l), self.extras, start, (choice, self.tolerance))
            }
            (Mechanics::Phase(_), Some(_)) => {
                return Err(self
                    .chooser()
                    .error("the energy chooses steps of Lagrangians only")
                    .help(FIXED)
                    .into());
            }
            (Mechanics::Phase(system), None) => {
                let z = [start.q.as_slice(), &start.p].concat();
                let start = PhaseStart { t: start.t, z, h: start.h };
                self.method.start_phase(Arc::clone(system), &start, self.tolerance)
            }
        };
        launched.map_err(|e| unbuildable(self.scenario, self.system, self.method, e))
    }

    /// Why the system does not conserve its energy, if it does not.
    fn energy_changes(&self) -> Result<Option<&'static str>, Error> {
        let work = self.work_changes()?;
        Ok(if work.is_some() { work } else { self.time_changes()? })
    }

    /// What changes the energy by work that is booked.
    fn work_changes(&self) -> Result<Option<&'static str>, Error> {
        match self.extras.force {
            Some(_) => Ok(Some("forces do work")),
            None => gaps::changes_energy(self.scenario, self.system),
        }
    }

    /// What changes the energy because it names the time.
    fn time_changes(&self) -> Result<Option<&'static str>, Error> {
        if self.mechanics.depends_on_time() {
            return Ok(Some(match self.mechanics {
                Mechanics::Lagrangian(_) => "the Lagrangian depends on t",
                Mechanics::Phase(_) => "the Hamiltonian depends on t",
            }));
        }
        let mut graph = Graph::new();
        for text in &self.system.constraints {
            let node = text.lower(&mut graph, &mut self.system.scope(&self.scenario.parameters))?;
            if graph.depends_on(node, Var::T) {
                return Ok(Some("constraints that move do work"));
            }
        }
        Ok(None)
    }

    /// What is to be seen of impacts.
    fn impacts(&self, n: usize, scale: f64) -> Option<Impacts> {
        let (Some(gaps), Mechanics::Lagrangian(_)) = (&self.extras.gaps, self.mechanics) else { return None };
        let names: Vec<String> = self.system.gaps.iter().map(|g| g.name.clone()).collect();
        Some(Impacts::new(Arc::clone(&gaps.gap), &names, n, scale))
    }

    /// Where the scenario lets the energy choose the steps.
    pub fn chooser(&self) -> &Place {
        let Choice { method, options } = &self.scenario.integrator;
        options.place("step").unwrap_or(&method.place)
    }
}

/// What to do where the energy cannot choose the steps.
pub(super) const FIXED: &str = "leave out `step = \"energy\"`";

/// The observers of a run that starts with a velocity; errors of energies refer to a scale.
fn observers(
    setting: &Setting<'_>,
    (velocity, scale): (&[f64], f64),
    warnings: &mut Vec<String>,
) -> Result<Watching, Error> {
    let Setting { scenario, system, mechanics, extras, .. } = *setting;
    let n = system.coordinates.len();
    let discrete = DiscreteEnergy::new(scale).because(setting.energy_changes()?);
    let discrete = if let Law::OneForm(_) = system.law { discrete.of_one_form() } else { discrete };
    let mut all: Vec<Box<dyn Observer>> = vec![Box::new(discrete)];
    let symplectic = registry::wants(&scenario.observe, "symplectic")?;
    let mut scope = system.scope(&scenario.parameters);
    // One graph for all of them: its limits then bound the time and room they take together.
    let mut graph = Graph::new();
    for (name, generator) in &system.symmetries {
        let nodes =
            generator.iter().map(|text| text.lower(&mut graph, &mut scope)).collect::<Result<Vec<_>, _>>()?;
        let (momentum, change) = match mechanics {
            Mechanics::Lagrangian(l) => {
                let mut momentum = Momentum::new(name, &graph, &nodes);
                let (t, q, v) = general_place(scenario, system, l, velocity);
                let change = momentum.check_invariance(&**l, (&mut graph, &nodes), (t, &q, &v));
                let mut p = vec![0.0; n];
                Legendre::new(n).momentum(&**l, t, &q, &v, &mut p);
                let place = (t, &q[..], &v[..], &p[..]);
                let moved = extras::moved_by(name, (scenario, system, extras), (&graph, &nodes), place);
                let why = moved.is_some().then_some("something acts along it");
                warnings.extend(moved);
                (momentum.because(why), change)
            }
            Mechanics::Phase(model) => phase::momentum(name, (scenario, system, model), &mut graph, &nodes)?,
        };
        if change.is_nan() {
            warnings.push(format!(
                "`{name}` is not a number near the initial state: whether it is a symmetry is not known"
            ));
        } else if change > INVARIANT {
            warnings.push(format!(
                "`{name}` is not a symmetry of this {} (it changes by {change:.1e} of its terms): its momentum is not conserved",
                if let Mechanics::Lagrangian(_) = mechanics { "Lagrangian" } else { "Hamiltonian" }
            ));
        }
        let broken = change > INVARIANT;
        all.push(Box::new(if broken { momentum.because(Some(NO_SYMMETRY)) } else { momentum }));
    }
    if let (Mechanics::Lagrangian(l), Some(_)) = (mechanics, setting.work_changes()?) {
        let work = Work::new(Arc::clone(l) as Arc<dyn Lagrangian>).because(setting.time_changes()?);
        all.push(Box::new(work.with_impacts(extras.gaps.is_some())));
    }
    if let Some(constraint) = &extras.constraint {
        all.push(Box::new(Constraints::new(Arc::clone(constraint), n)));
    }
    if symplectic {
        all.push(Box::new(match mechanics {
            Mechanics::Lagrangian(_) => Symplectic::new(n - system.constraints.len() - system.reduce.len())
                .with_gaps(extras.gaps.is_some()),
            Mechanics::Phase(model) => phase::symplectic(model),
        }));
    }
    scope.remove("i");
    for (name, text) in &system.probes {
        let node = text.lower(&mut graph, &mut scope)?;
        all.push(Box::new(Probe::new(name, &graph, node)));
    }
    let section = section(system, &mut graph, &mut scope)?;
    Ok((all, section))
}

fn section(system: &FormulaSystem, graph: &mut Graph, scope: &mut Scope) -> Result<Option<Section>, Error> {
    let Some(choice) = &system.section else { return Ok(None) };
    if !system.gaps.is_empty() {
        return Err(choice
            .when
            .error("a section does not go with `gap`: it is cut from polynomials through many steps, and impacts break them")
            .help("impacts.csv is the section at the contacts; or write a row for each step and look at the probes there")
            .into());
    }
    let when = choice.when.lower(graph, scope)?;
    let mut columns: Vec<(String, Node)> = Vec::new();
    for (name, text) in &choice.columns {
        columns.push((name.clone(), text.lower(graph, scope)?));
    }
    Ok(Some(Section::new(graph, when, columns)))
}

/// Time, position and velocity near the initial state but in general position, where symmetries are tested: a start at
/// rest, at an equilibrium or at a zero of a driving force would hide that there is none. The nearer, the smaller the
/// domain of `L`.
pub(super) fn general_place(
    scenario: &Scenario,
    system: &FormulaSystem,
    lagrangian: &FormulaLagrangian,
    velocity: &[f64],
) -> (f64, Vec<f64>, Vec<f64>) {
    let shifted = |x: &[f64], by: f64, phase: f64| -> Vec<f64> {
        let size = x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let by = if size > 0.0 { by * size } else { by };
        (0..x.len()).map(|i| x[i] + by * (0.3 + (2.3 * (i + 1) as f64 + phase).sin())).collect()
    };
    let mut jet = Jet::new(velocity.len());
    let mut by = 1.0;
    for _ in 0..HALVINGS {
        let length = if scenario.end.is_finite() { scenario.end - scenario.start } else { system.step };
        let t = scenario.start + by * length / std::f64::consts::PI;
        let (q, v) = (shifted(&system.initial.position, by, 1.0), shifted(velocity, by, 0.0));
        lagrangian.first(t, &q, &v, &mut jet);
        if jet.value().is_finite() && jet.dq().iter().chain(jet.dv()).all(|x| x.is_finite()) {
            return (t, q, v);
        }
        by *= 0.5;
    }
    (scenario.start, system.initial.position.clone(), velocity.to_vec())
}

impl Built {
    /// The method and whether the energy chooses its steps.
    pub fn method_in_words(&self) -> String {
        match self.energy_choice {
            Some(choice) => format!("{}, steps by the energy (turning {})", self.method, choice.turning),
            None => self.method.to_string(),
        }
    }

    fn steps_in_words(&self) -> String {
        match self.energy_choice {
            Some(EnergyChoice { smallest, largest, .. }) => {
                let h = self.system.step;
                format!("from {h} on, {} to {}, to time {}", smallest * h, largest * h, self.end)
            }
            None => {
                let until = match (self.end_impacts, self.end.is_finite()) {
                    (None, _) => {
                        return format!("{} of {} to time {}", self.steps, self.system.step, self.end);
                    }
                    (Some(impacts), false) => format!("until impact {impacts}"),
                    (Some(impacts), true) => {
                        format!("until impact {impacts}, at most {} to time {}", self.steps, self.end)
                    }
                };
                format!("of {} {until}", self.system.step)
            }
        }
    }
}

/// What `stationary check` tells.
pub(super) fn describe(scenario: &Scenario, built: &Built) -> Vec<(&'static str, String)> {
    let system = &*built.system;
    let kind = if built.method.variational() { "variational" } else { "not variational" };
    let names: Vec<&str> = built.system.coordinates.iter().map(String::as_str).take(8).collect();
    let more = if built.system.coordinates.len() > 8 { ", ..." } else { "" };
    let mut lines = vec![
        ("coordinates", format!("{} ({}{more})", built.system.coordinates.len(), names.join(", "))),
        built.mechanics.describe(),
        ("integrator", format!("{}, order {}, {kind}", built.method_in_words(), built.method.order())),
        ("steps", built.steps_in_words()),
        ("rows", built.rows.to_string()),
        ("claims", scenario.claims.len().to_string()),
    ];
    if !built.system.constraints.is_empty() {
        let (m, d) = (built.system.constraints.len(), built.integrator.freedom());
        lines.insert(2, ("constraints", format!("{m}, {d} degrees of freedom")));
    }
    if !system.reduce.is_empty() {
        let names: Vec<&str> = system.reduce.iter().map(|name| name.text.as_str()).collect();
        let d = built.integrator.freedom();
        lines.insert(2, ("reduced", format!("{} by the momentum, {d} degrees of freedom", names.join(", "))));
    }
    if !system.gaps.is_empty() {
        lines.insert(2, ("gaps", gaps::in_words(system)));
    }
    if built.extras.force.is_some() {
        lines.insert(2, ("force", "besides that of the Lagrangian".into()));
    }
    lines.extend(built.warnings.iter().map(|w| ("warning", w.clone())));
    lines
}
