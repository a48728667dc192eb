//! The modified energy of a run and how constant its truncations are, at the step of the scenario and at half of it.

use super::around::require_energy;
use super::build::{self, PreparedFormula, lagrangian_scope};
use super::mechanics::Mechanics;
use super::setting::FIXED;
use crate::run::energy::{EnergyReport, EnergyRow, EnergyTerm};
use crate::scenario::{FormulaSystem, Motion, Scenario};
use stationary::error::Error;
use stationary::formula::{Graph, Node, Var};
use stationary::integrate::Method;
use stationary::model::{FormulaLagrangian, FormulaPhase, Lagrangian, PhaseSpace, TwoForm};
use stationary::observe::{Followed, Frame, ModifiedSeries, Scale, Terms, Truncations, apply};
use std::collections::VecDeque;
use std::sync::Arc;

/// See [`crate::run::explain_energy`].
pub(crate) fn explain(scenario: &Scenario, system: &FormulaSystem) -> Result<EnergyReport, Error> {
    require_energy(scenario, system, &scenario.integrator.method)?;
    // What else the scenario observes costs time and says nothing here.
    let scenario = Scenario { observe: Vec::new(), claims: Vec::new(), ..scenario.clone() };
    let mut system = system.clone();
    (system.section, system.symmetries, system.probes) = (None, Vec::new(), Vec::new());
    let built = build::build(&scenario, &Arc::new(system.clone()))?;
    if !built.method.variational() {
        let text = &scenario.integrator.method;
        return Err(text
            .error(format!(
                "{} is not variational: its steps follow no energy near that of the system",
                built.method
            ))
            .help("choose a variational method: verlet, midpoint, gauss, lobatto, ...")
            .into());
    }
    if built.energy_choice.is_some() {
        return Err(scenario
            .integrator
            .method
            .error("explain-energy is for steps of one length, and here the energy chooses them")
            .help(FIXED)
            .into());
    }
    let (method, order) = (built.method.to_string(), built.method.order());
    let mut half = system.clone();
    half.step = 0.5 * system.step;
    if let Motion::NextPosition(_) = half.initial.motion {
        // Half a step later the system is elsewhere; the state is the same.
        half.initial.motion = Motion::Momentum(built.integrator.view().p.to_vec());
    }
    let (terms, mut notes) = known(&scenario, &system, &built)?;
    let steps = [system.step, half.step];
    let coarse = follow(built, terms)?;
    let built = build::build(&scenario, &Arc::new(half.clone()))?;
    let (terms, _) = known(&scenario, &half, &built)?;
    let fine = follow(built, terms)?;
    if coarse.followed.is_none() {
        let least = Followed::least_steps();
        notes.push(format!(
            "H~ itself is taken through the steps around, {least} of them: this run has fewer."
        ));
    }
    let mut rows: Vec<EnergyRow> = coarse
        .names
        .iter()
        .zip(coarse.spread.iter().zip(&fine.spread))
        .map(|(name, (a, b))| EnergyRow {
            what: name.to_string(),
            varies: [coarse.scale.part(*a), fine.scale.part(*b)],
        })
        .collect();
    if let (Some(a), Some(b)) = (coarse.followed, fine.followed) {
        if !(a[0] < 0.1 * coarse.spread[0]) {
            notes.push(
                "The motion turns too fast for polynomials through the steps: H~ is not resolved at h."
                    .into(),
            );
        }
        let row = |what: &str, k: usize| EnergyRow {
            what: what.into(),
            varies: [coarse.scale.part(a[k]), fine.scale.part(b[k])],
        };
        rows.extend([row("H~ through the steps", 0), row("|H~ - H| at most", 1)]);
    }
    let counts = [coarse.steps, fine.steps];
    Ok(EnergyReport {
        method,
        order,
        steps,
        counts,
        scale: coarse.scale.value(),
        terms: coarse.terms,
        notes,
        rows,
    })
}

/// What one run has shown.
struct ObservedRun {
    steps: u64,
    scale: Scale,
    terms: Vec<EnergyTerm>,
    names: Vec<&'static str>,
    /// Largest less smallest value of each truncation.
    spread: Vec<f64>,
    /// The same of the energy followed, and its largest distance from `H`.
    followed: Option<[f64; 2]>,
}

/// Formulas of `H_2` and `H_4`.
type Formulas = [&'static str; 2];
const VERLET: Formulas = ["A/12 - B/24", "-X_T^2 A/720 + X_V X_T A/360 - X_V^2 A/480 + X_T^2 B/120"];
const MIDPOINT: Formulas = ["-K", "7 D^2 K/240 - 3 c.K_z/80 + c.H_zz c/320"];

/// The terms that are known of this run, and notes about them.
fn known(
    scenario: &Scenario,
    system: &FormulaSystem,
    built: &PreparedFormula,
) -> Result<((Truncations, Formulas), Vec<String>), Error> {
    let h = system.step;
    let midpoint = matches!(built.method, Method::Midpoint { alpha: 0.5 } | Method::Gauss { stages: 1 });
    let mut notes = Vec::new();
    let (terms, formulas) = match &built.mechanics {
        _ if !system.constraints.is_empty() => {
            notes.push("Under constraints no term is known as a formula.".to_string());
            (Terms::None, MIDPOINT)
        }
        Mechanics::Lagrangian(l) if l.mass().is_some() => match (midpoint, split(&built.method)) {
            (true, _) => (Terms::Series(separable(scenario, system, l, false)?, 0.0), MIDPOINT),
            (_, Some(kick)) => (Terms::Series(separable(scenario, system, l, true)?, kick), VERLET),
            _ => (Terms::None, VERLET),
        },
        Mechanics::Lagrangian(_) if midpoint => {
            notes.push("H_4 is known for separable Lagrangians and for Hamiltonians.".to_string());
            (Terms::Jet, MIDPOINT)
        }
        Mechanics::Phase(model) if midpoint && matches!(model.form(), TwoForm::Constant(_)) => {
            (Terms::Series(canonical(scenario, system, model)?, 0.0), MIDPOINT)
        }
        _ => (Terms::None, VERLET),
    };
    match &terms {
        Terms::None if notes.is_empty() => notes.push(format!(
            "For {} on such a system no term is known as a formula; |H~ - H| shows its first one.",
            built.method
        )),
        Terms::None => {}
        Terms::Series(_, kick) if formulas == VERLET => {
            notes.push(
                "A = v.V_qq v, B = V_q.M^-1 V_q; X_T and X_V are derivatives along drift and kick.".into(),
            );
            if *kick != 0.0 {
                notes.push(format!(
                    "The method is Verlet's between two kicks: `kicked` is at the momentum p - ({kick}) h V_q."
                ));
            }
        }
        _ => {
            notes.push("K = z'.H_zz z'/24, c = z''; D is the derivative along the motion, z = (q, p).".into())
        }
    }
    if matches!(&terms, Terms::Series(series, _) if series.count() < 2) {
        notes.push("The formula of H_4 would be too long for this system.".into());
    }
    let truncations = match &built.mechanics {
        Mechanics::Lagrangian(l) => Truncations::new(Arc::clone(l) as Arc<dyn Lagrangian>, terms, h),
        Mechanics::Phase(model) => Truncations::of_phase(Arc::clone(model) as Arc<dyn PhaseSpace>, terms, h),
    };
    Ok(((truncations, formulas), notes))
}

/// The kick, in steps, by which a method differs from Verlet's on separable systems: `1/2` less what comes after the drift.
fn split(method: &Method) -> Option<f64> {
    match *method {
        Method::Verlet { order: 2 } | Method::Lobatto { points: 2 } => Some(0.0),
        Method::Newmark { beta: 0.0, gamma: 0.5 } => Some(0.0),
        Method::Trapezoidal { alpha } => Some(0.5 - alpha),
        Method::Midpoint { alpha } if alpha == 0.0 || alpha == 1.0 => Some(0.5 - alpha),
        _ => None,
    }
}

/// The terms of `v.M v/2 - V(q)`.
fn separable(
    scenario: &Scenario,
    system: &FormulaSystem,
    lagrangian: &FormulaLagrangian,
    verlet: bool,
) -> Result<ModifiedSeries, Error> {
    let n = system.coordinates.len();
    let mut graph = Graph::new();
    let l = system.lagrangian.lower(&mut graph, &mut lagrangian_scope(scenario, system))?;
    let by = |f: fn(u32) -> Var| -> Vec<Var> { (0..n as u32).map(f).collect() };
    let force = graph.gradient(l, &by(Var::Q));
    let vq: Vec<Node> = force.iter().map(|x| graph.neg(*x)).collect();
    let mass = lagrangian.mass().expect("the caller has seen that it is separable");
    let inverse = matrix(n, |p, v| mass.velocity(p, v));
    let a = apply(&mut graph, &inverse, &force);
    if verlet {
        return Ok(ModifiedSeries::verlet(&mut graph, &a, &vq));
    }
    let v: Vec<Node> = by(Var::V).into_iter().map(|x| graph.var(x)).collect();
    let p = apply(&mut graph, mass.matrix(), &v);
    let z = [by(Var::Q), by(Var::V)].concat();
    Ok(ModifiedSeries::midpoint(&mut graph, &z, &[vq, p].concat(), &[v, a].concat()))
}

/// The terms of a Hamiltonian with a constant form.
fn canonical(
    scenario: &Scenario,
    system: &FormulaSystem,
    model: &FormulaPhase,
) -> Result<ModifiedSeries, Error> {
    let n = system.coordinates.len() as u32;
    let mut graph = Graph::new();
    let h = system.lagrangian.lower(&mut graph, &mut system.scope(&scenario.parameters))?;
    let mut z: Vec<Var> = (0..n).map(Var::Q).collect();
    if model.positions() < model.dimension() {
        z.extend((0..n).map(Var::P));
    }
    let hz = graph.gradient(h, &z);
    let TwoForm::Constant(form) = model.form() else {
        unreachable!("the caller has seen that the form is constant")
    };
    let inverse = matrix(z.len(), |x, rate| {
        rate.copy_from_slice(x);
        form.solve(rate);
    });
    let f = apply(&mut graph, &inverse, &hz);
    Ok(ModifiedSeries::midpoint(&mut graph, &z, &hz, &f))
}

/// The matrix of a linear map of `n` numbers, by rows.
fn matrix(n: usize, map: impl Fn(&[f64], &mut [f64])) -> Vec<f64> {
    let (mut matrix, mut column) = (vec![0.0; n * n], vec![0.0; n]);
    for j in 0..n {
        let mut unit = vec![0.0; n];
        unit[j] = 1.0;
        map(&unit, &mut column);
        (0..n).for_each(|i| matrix[i * n + j] = column[i]);
    }
    matrix
}

/// Runs, and watches the energies.
fn follow(
    mut built: PreparedFormula,
    (mut truncations, formulas): (Truncations, Formulas),
) -> Result<ObservedRun, Error> {
    let names = truncations.names();
    let mut velocities = built.mechanics.velocities();
    let mut v = built.velocity.clone();
    let mut followed = Followed::new(built.system.step);
    let mut ranges = vec![Range::default(); names.len()];
    let (mut whole, mut gap) = (Range::default(), 0.0);
    let (mut scale, mut terms) = (Scale::unknown(), Vec::new());
    let mut recent = VecDeque::new();
    for step in 0..=built.steps {
        if step > 0 {
            built.integrator.advance(1).map_err(Error::Run)?;
        }
        let action = built.integrator.action().unwrap_or(f64::NAN);
        let view = built.integrator.view();
        let failed = |cause| Error::Run(stationary::error::RunError { time: view.t, step, cause });
        velocities.write(view.t, view.q, view.p, &mut v).map_err(failed)?;
        let frame = Frame {
            step,
            t: view.t,
            elapsed: step as f64 * built.system.step,
            q: view.q,
            v: &v,
            p: view.p,
            canonical: view.canonical,
            discrete_energy: None,
            multipliers: None,
            work: None,
            adaption: None,
            impacts: &[],
            tangent: None,
        };
        if step == 0 {
            scale = built.mechanics.scale_of(truncations.scale(&frame));
            let found = truncations.terms(&frame);
            let term = |(k, x): (usize, f64)| EnergyTerm {
                name: ["H_2", "H_4"][k],
                formula: formulas[k],
                at_start: x,
            };
            terms = found.into_iter().enumerate().map(term).collect();
        }
        let values = truncations.values(&frame);
        scale.follow(values[0], &frame);
        ranges.iter_mut().zip(&values).for_each(|(range, x)| range.add(*x));
        recent.push_back(values[0]);
        if recent.len() > Followed::behind() + 1 {
            recent.pop_front();
        }
        if let Some(energy) = followed.push(view.canonical, view.p, action) {
            whole.add(energy);
            let away = f64::abs(energy - recent[0]);
            gap = if away > gap || away.is_nan() { away } else { gap };
        }
    }
    let known = built.steps >= Followed::least_steps();
    let spread = ranges.iter().map(Range::width).collect();
    Ok(ObservedRun {
        steps: built.steps,
        scale,
        terms,
        names,
        spread,
        followed: known.then(|| [whole.width(), gap]),
    })
}

/// The smallest and the largest of some numbers; NaN if one of them is.
#[derive(Debug, Clone, Copy)]
struct Range(f64, f64);

impl Default for Range {
    fn default() -> Self {
        Range(f64::INFINITY, f64::NEG_INFINITY)
    }
}

impl Range {
    fn add(&mut self, x: f64) {
        if x.is_nan() || self.0.is_nan() {
            *self = Range(f64::NAN, f64::NAN);
        } else {
            *self = Range(self.0.min(x), self.1.max(x));
        }
    }
    fn width(&self) -> f64 {
        self.1 - self.0
    }
}
