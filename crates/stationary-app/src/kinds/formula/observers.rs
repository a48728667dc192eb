//! The observers of a system of formulas.

use super::mechanics::Mechanics;
use super::setting::Setting;
use super::{FormulaSystem, Law, interactions, phase};
use crate::registry;
use crate::scenario::Scenario;
use stationary::error::Error;
use stationary::formula::{Graph, Node, Scope};
use stationary::model::{FormulaLagrangian, Jet, Lagrangian, Legendre};
use stationary::observe::{
    Constraints, DiscreteEnergy, Momentum, Observer, PoincareSection, Probe, Symplectic, Work,
};
use std::sync::Arc;

/// Change of `L` under a generator, relative to its terms, above which it is no symmetry.
const INVARIANT: f64 = 1e-9;
/// Why the momentum of such a generator changes.
const NO_SYMMETRY: &str = "its generator is not a symmetry";
/// How often the place where symmetries are tested moves half way to the initial state.
const HALVINGS: usize = 40;

/// The observers, and the section where there is one.
type Watching = (Vec<Box<dyn Observer>>, Option<PoincareSection>);

/// The observers of a run that starts with a velocity; errors of energies refer to a scale.
pub(super) fn observers(
    setting: &Setting<'_>,
    (velocity, scale): (&[f64], f64),
    warnings: &mut Vec<String>,
) -> Result<Watching, Error> {
    let Setting { scenario, system, mechanics, interactions, .. } = *setting;
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
                let moved =
                    interactions::moved_by(name, (scenario, system, interactions), (&graph, &nodes), place);
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
        all.push(Box::new(work.with_impacts(interactions.gaps.is_some())));
    }
    if let Some(constraint) = &interactions.constraint {
        all.push(Box::new(Constraints::new(Arc::clone(constraint), n)));
    }
    if symplectic {
        all.push(Box::new(match mechanics {
            Mechanics::Lagrangian(_) => Symplectic::new(n - system.constraints.len() - system.reduce.len())
                .with_gaps(interactions.gaps.is_some()),
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

fn section(
    system: &FormulaSystem,
    graph: &mut Graph,
    scope: &mut Scope,
) -> Result<Option<PoincareSection>, Error> {
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
    Ok(Some(PoincareSection::new(graph, when, columns)))
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
