//! Observers that look beyond the run itself: at the energy it really follows, and at its neighbours.

use super::gaps;
use super::mechanics::Mechanics;
use super::setting::{FIXED, Setting};
use crate::registry;
use crate::scenario::{FormulaSystem, Scenario, Text};
use stationary::error::{Diagnostic, Error};
use stationary::formula::{Graph, Var};
use stationary::integrate::Start;
use stationary::linalg::max_abs;
use stationary::model::{Lagrangian, PhaseSpace, TwoForm};
use stationary::observe::{LoopArea, ModifiedEnergy, ModifiedRule, Observer};
use std::sync::Arc;

/// Radius of the loop of neighbours over the size of the initial state.
const LOOP: f64 = 1e-2;

/// Those that the scenario asks for.
pub(super) fn observers(setting: &Setting<'_>, start: &Start) -> Result<Vec<Box<dyn Observer>>, Error> {
    let observe = &setting.scenario.observe;
    let mut all: Vec<Box<dyn Observer>> = Vec::new();
    for name in ["modified_energy", "loop_area"] {
        if setting.energy_choice.is_some() && registry::wants(observe, name)? {
            let message = format!("`{name}` is for steps of one length, and here the energy chooses them");
            return Err(asked(setting.scenario, name).error(message).help(FIXED).into());
        }
    }
    for (name, why) in [
        ("modified_energy", "between impacts the steps follow one nearby energy, and after each another"),
        ("loop_area", "the neighbours hit at other times, and meanwhile their loop is torn"),
    ] {
        if setting.interactions.gaps.is_some() && registry::wants(observe, name)? {
            let error =
                asked(setting.scenario, name).error(format!("`{name}` does not go with `gap`: {why}"));
            return Err(error
                .help("leave it out; `symplectic` looks at the tangent of every step, impacts included")
                .into());
        }
    }
    if registry::wants(observe, "symplectic")?
        && let Some(why) = gaps::unsymplectic(setting.system)
    {
        let error = asked(setting.scenario, "symplectic")
            .error(format!("`symplectic` has nothing to look at here: {why}"));
        return Err(error.help("leave it out").into());
    }
    if registry::wants(observe, "modified_energy")? {
        all.push(Box::new(modified_energy(setting)?));
    }
    if registry::wants(observe, "loop_area")? {
        all.push(Box::new(loop_area(setting, start)?));
    }
    Ok(all)
}

/// Where the scenario asks for an observer.
fn asked<'a>(scenario: &'a Scenario, name: &str) -> &'a Text {
    scenario.observe.iter().find(|t| t.text == name).expect("the caller has seen it")
}

fn loop_area(setting: &Setting<'_>, start: &Start) -> Result<LoopArea, Error> {
    if setting.interactions.constraint.is_some() {
        return Err(asked(setting.scenario, "loop_area")
            .error("`loop_area` needs neighbours in every direction, and constraints leave them none")
            .help("leave it out; `symplectic` observes the form on the constraint set")
            .into());
    }
    let size = |x: &[f64]| if max_abs(x) > 0.0 { max_abs(x) } else { 1.0 };
    let (across, along) = (LOOP * size(&start.q), LOOP * size(&start.p));
    let mut runs = Vec::new();
    for angle in LoopArea::angles() {
        let mut neighbour = start.clone();
        if start.p.is_empty() {
            // With a one-form positions alone are the state. Unequal phases: areas of pairs of either sign must not cancel.
            for (i, x) in neighbour.q.iter_mut().enumerate() {
                *x += across * (angle + 1.1 * (i * i) as f64).cos();
            }
        } else {
            neighbour.q.iter_mut().for_each(|q| *q += across * angle.cos());
            neighbour.p.iter_mut().for_each(|p| *p += along * angle.sin());
        }
        runs.push(setting.launch(&neighbour)?);
    }
    Ok(LoopArea::new(runs))
}

fn modified_energy(setting: &Setting<'_>) -> Result<ModifiedEnergy, Error> {
    let Setting { scenario, system, mechanics, interactions, method, .. } = *setting;
    let text = asked(scenario, "modified_energy");
    require_energy(scenario, system, text)?;
    if interactions.constraint.is_some() {
        let message = "the first term of the modified energy is not known under constraints";
        return Err(text.error(message).help(FOLLOW).into());
    }
    let unknown = || {
        text.error(format!("the first term of the modified energy of {method} is not known for this system"))
            .help(FOLLOW)
    };
    let rule = ModifiedRule::of(method, mechanics.separable()).ok_or_else(unknown)?;
    match mechanics {
        Mechanics::Lagrangian(l) => {
            Ok(ModifiedEnergy::new(Arc::clone(l) as Arc<dyn Lagrangian>, rule, system.step))
        }
        // In other variables than the canonical ones second derivatives of H are not what the term is made of.
        Mechanics::Phase(model) if !matches!(model.form(), TwoForm::Constant(_)) => Err(unknown().into()),
        Mechanics::Phase(model) => {
            Ok(ModifiedEnergy::of_phase(Arc::clone(model) as Arc<dyn PhaseSpace>, system.step))
        }
    }
}

const FOLLOW: &str = "it is for midpoint (alpha 0.5), and on separable Lagrangians for verlet (order 2) and its equals; \
                      `stationary explain-energy` follows that of every variational method";

/// Refuses systems that have no energy a method could keep; `at` is what asks for it.
pub(super) fn require_energy(
    scenario: &Scenario,
    system: &FormulaSystem,
    at: &Text,
) -> Result<(), Diagnostic> {
    if !system.force.is_empty() {
        let message = "forces do work: there is no energy that a method could keep";
        return Err(at.error(message).help("leave `force` out, or see `work` in the results"));
    }
    if !system.gaps.is_empty() {
        let message =
            "impacts cut the steps: between them one nearby energy is followed, and after each another";
        return Err(at
            .error(message)
            .help("leave `gap` out; the energies at impacts are in impacts.csv of a run"));
    }
    let mut graph = Graph::new();
    let node = system.lagrangian.lower(&mut graph, &mut system.scope(&scenario.parameters))?;
    let mut moves = graph.depends_on(node, Var::T);
    for text in &system.constraints {
        let node = text.lower(&mut graph, &mut system.scope(&scenario.parameters))?;
        moves |= graph.depends_on(node, Var::T);
    }
    match moves {
        true => Err(at
            .error("this system depends on time: it has no energy that a method could keep")
            .help("this is for systems whose formulas do not name `t`")),
        false => Ok(()),
    }
}
