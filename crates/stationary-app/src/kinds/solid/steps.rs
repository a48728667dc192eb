//! The steps of elements: by rule, by hand, free or harmonic.

use super::build::Body;
use crate::registry::{Rule, StepSpec};
use crate::scenario::{Numbers, Scenario, moves_clock};
use stationary::error::Error;
use stationary::formula::Graph;
use stationary::integrate::avi::{StepFactor, harmonic};
use stationary::model::solid::{ElementFault, MassSplit};
use stationary::model::{FormulaField, Potentials};
use std::sync::Arc;

/// The steps of a body's elements.
pub(super) struct Steps {
    /// One an element, all positive and large enough to move the clock.
    pub each: Vec<f64>,
    /// The smallest before harmonic rounding: what one step for all would be.
    pub smallest: f64,
    /// The part of the limit of the body, free in space, that they use, where it has been found.
    pub used: Option<f64>,
}

/// Stable steps of the elements alone by their eigenvalues, kept for another method with the same division of masses.
#[derive(Default)]
pub(super) struct EigenSteps(Option<(MassSplit, Vec<f64>)>);

impl EigenSteps {
    /// This fraction of each.
    pub fn times(&mut self, fraction: f64, body: &Body, split: MassSplit) -> Result<Vec<f64>, ElementFault> {
        let each = match &self.0 {
            Some((known, each)) if *known == split => each,
            _ => &self.0.insert((split, body.problem.solid().steps_eigen(1.0, &body.x, split)?)).1,
        };
        Ok(each.iter().map(|step| fraction * step).collect())
    }
}

/// The steps that a scenario asks for; with `one`, the smallest for all.
pub(super) fn steps(scenario: &Scenario, body: &Body, choice: &StepSpec, one: bool) -> Result<Steps, Error> {
    steps_with(scenario, body, (choice, one), &mut EigenSteps::default())
}

/// As [`steps`], with the eigenvalues that are known already.
pub(super) fn steps_with(
    scenario: &Scenario,
    body: &Body,
    (choice, one): (&StepSpec, bool),
    known: &mut EigenSteps,
) -> Result<Steps, Error> {
    let place = &scenario.integrator.method.place;
    let solid = body.problem.solid();
    let no_step = |fault: &ElementFault| place.error(format!("no step: {}", body.problem.fault(fault)));
    let given = given(body, choice)?;
    let mut steps = if given.iter().all(Option::is_some) {
        vec![0.0; solid.elements()]
    } else {
        match choice.rule {
            Rule::Courant => solid.steps_courant(choice.fraction),
            Rule::Eigen(split) => known.times(choice.fraction, body, split).map_err(|fault| match split {
                MassSplit::Own => {
                    no_step(&fault).help("a spring without mass of its own needs split = \"stiffness\"")
                }
                MassSplit::Optimal | MassSplit::Stiffness => no_step(&fault),
            })?,
        }
    };
    for (step, given) in steps.iter_mut().zip(&given) {
        *step = given.unwrap_or(*step);
    }
    let mut smallest = steps.iter().copied().fold(f64::INFINITY, f64::min);
    if one {
        steps.fill(smallest);
    } else if choice.harmonic {
        steps = harmonic(&*body.problem, &steps, choice.buffer);
    }
    let by_rule = matches!(choice.rule, Rule::Eigen(_)) && given.iter().all(Option::is_none);
    let mut used_limit = None;
    if choice.of_body && by_rule {
        // Elements within their own limits leave the body some way to its own.
        let used = solid.used_limit(&body.x, &steps).map_err(|fault| no_step(&fault))?;
        let longer = if used > 0.0 { (choice.fraction / used).max(1.0) } else { 1.0 };
        steps.iter_mut().for_each(|h| *h *= longer);
        smallest *= longer;
        used_limit = Some(used * longer);
    }
    let latest = scenario.start.abs().max(scenario.end.abs());
    if let Some(k) = steps.iter().position(|h| !(*h > 0.0 && h.is_finite() && moves_clock(*h, latest))) {
        let (block, j) = solid.locate(k);
        let named = body.named(k);
        if matches!(choice.rule, Rule::Courant) && given[k].is_none() && block.mass(j) == 0.0 {
            return Err(place
                .error(format!("{named} is a spring without mass: the rule `courant` finds no step for it"))
                .help(format!(
                    "expected rule = \"eigen\" in `integrator`, which counts the masses at its ends, or a step for its group \
                     there: step = {{ {} = 1e-3 }}",
                    body.group_of(k).unwrap_or("group")
                ))
                .into());
        }
        let error = place.error(format!("the step of element {} is {:e}", body.problem.tag(k), steps[k]));
        return Err(error.help("expected a positive number, large enough to move the clock").into());
    }
    Ok(Steps { each: steps, smallest, used: used_limit })
}

/// The steps given by hand.
fn given(body: &Body, choice: &StepSpec) -> Result<Vec<Option<f64>>, Error> {
    let mut steps = vec![None; body.problem.solid().elements()];
    match &choice.given {
        None => {}
        Some(Numbers::One(value, _)) => steps.fill(Some(*value)),
        Some(Numbers::ByName(named)) => {
            for number in named {
                let name = &number.name;
                let Some((_, elements)) = body.groups.iter().find(|(group, _)| *group == name.text) else {
                    let known: Vec<&str> = body.groups.iter().map(|(group, _)| group.as_str()).collect();
                    return Err(crate::scenario::unknown_word(name, "group", &known).into());
                };
                if elements.is_empty() {
                    return Err(name.error(format!("group `{}` has no elements", name.text)).into());
                }
                elements.iter().for_each(|k| steps[*k as usize] = Some(number.value));
            }
        }
    }
    Ok(steps)
}

/// Steps that change in time, if the scenario says so.
pub(super) fn factor(
    scenario: &Scenario,
    body: &Body,
    choice: &StepSpec,
) -> Result<Option<StepFactor>, Error> {
    let Some(text) = &choice.factor else { return Ok(None) };
    if choice.harmonic {
        return Err(text
            .error("`factor` changes the steps, and harmonic steps are fixed multiples of one base")
            .help("expected steps = \"free\"")
            .into());
    }
    if choice.middle {
        return Err(text
            .error("`factor` changes the steps, and events in the middle need steps that do not change")
            .help("expected events = \"end\"")
            .into());
    }
    let mut graph = Graph::new();
    let node = text.lower(&mut graph, &mut scenario.field_scope())?;
    let factor = Arc::new(FormulaField::new(&mut graph, &[node]));
    let points = body.problem.solid().points();
    let centre = |k: usize| {
        let nodes = body.problem.nodes(k);
        let sum = |i: usize| nodes.iter().map(|a| points[3 * *a as usize + i]).sum::<f64>();
        std::array::from_fn(|i| sum(i) / nodes.len() as f64)
    };
    let places: Vec<[f64; 3]> = (0..body.problem.count()).map(centre).collect();
    for place in &places {
        let value = factor.at(scenario.start, place).0[0];
        if !(value > 0.0 && value.is_finite()) {
            return Err(text
                .error(format!("the factor is {value} at the start"))
                .help("expected a positive number")
                .into());
        }
    }
    Ok(Some(StepFactor { factor, places }))
}
