//! The integrator of a solid that leaves the choice to the program: one step for all elements, or local steps.
//!
//! Both are explicit, so that the time of a run is the number of updates times the time of an update, and the preparation. With stable steps `h_K`
//! of the local method, the step `h` of the other, the cost `c_K` of an update of element `K` and the simulated time `T`,
//!
//! ```text
//! speed-up = (T/h) sum_K c_K / (p sum_K n_K + (1 + m) T sum_K c_K e_K / h_K)
//! ```
//!
//! where `e_K` counts the evaluations for an update: more than one for elements that share a node with a faster level, where the slower level
//! acts with its envelope. `p` is the preparation of local steps for each node `n_K` of an element, and `m` the march of the certificate as a part
//! of the run. Levels take time to find: before they are, `h_K` is replaced by the limit of the element alone, longer by the factor that the limit of the body leaves to one step, which shows where they cannot pay.
//!
//! The prediction uses the mesh only, no clock: the same scenario has the same integrator everywhere.

use super::build::Body;
use super::stability;
use super::start::extremes;
use super::steps::{self, EigenSteps, Steps};
use super::update_costs::UpdateCosts;
use crate::registry::{AutoSpec, Rule, SolidMethod, StepSpec};
use crate::scenario::{Scenario, SolidSystem};
use stationary::error::Error;
use stationary::integrate::avi::{Boundary, touching_faster};
use stationary::model::Potentials;
use stationary::observe::{Record, record};

/// Local steps are taken from this predicted speed-up on: a smaller one is within the error of the prediction.
const WORTH: f64 = 1.05;

/// What local steps need before the first step and one step for all does not, but for the march, in [`UpdateCosts`] for each node of an element:
/// 70 to 130 on slab, bracket and blade, where level boundaries have 11 to 74 % of the elements.
const PREPARATION: f64 = 100.0;

/// What an update of an element at the slow side of a level boundary costs, where that of any other is one. Of the shipped graded cube 28 % of the
/// updates are there; processor time with the envelope over that with impulses makes an evaluation there 1.2 to 1.7 updates on cube, bracket and blade, since
/// small and scattered parts of a boundary fill vector lanes badly and shared nodes are moved besides.
fn evaluations(boundary: Boundary) -> f64 {
    match boundary {
        Boundary::Impulse => 1.0,
        Boundary::Envelope => 2.3,
        Boundary::IteratedEnvelope => 3.3,
    }
}

/// What was chosen, and why.
#[derive(Debug, Clone)]
pub(super) struct AutoChoice {
    local: bool,
    /// Predicted time with one step for all over that with local steps; none where the scenario gives the step.
    speedup: Option<f64>,
    /// Part of the elements that share a node with one of a smaller step, were the steps local; none where the levels were not
    /// found, since a bound of the speed-up is too small already.
    boundary_share: Option<f64>,
}

/// The method that takes less time, with its steps, unless the scenario gives one step for all.
pub(super) fn choose(
    scenario: &Scenario,
    system: &SolidSystem,
    body: &Body,
    auto: &AutoSpec,
) -> Result<(SolidMethod, Option<Steps>, AutoChoice), Error> {
    let one = SolidMethod::Newmark(auto.one.clone());
    if system.step.is_some() {
        return Ok((one, None, AutoChoice { local: false, speedup: None, boundary_share: None }));
    }
    let mut known = EigenSteps::default();
    let one_step = steps::steps_with(scenario, body, (&auto.one, true), &mut known)?;
    let time = scenario.end - scenario.start;
    let run = Run { body, costs: UpdateCosts::new(body), time, one: &one_step };
    let bound = run.bound(auto, &mut known).unwrap_or(f64::INFINITY);
    if bound < WORTH {
        return Ok((
            one,
            Some(one_step),
            AutoChoice { local: false, speedup: Some(bound), boundary_share: None },
        ));
    }
    let local_steps = steps::steps_with(scenario, body, (&auto.local, false), &mut known)?;
    let (speedup, share) = run.prediction(&auto.local, &local_steps);
    let choice = AutoChoice { local: speedup >= WORTH, speedup: Some(speedup), boundary_share: Some(share) };
    Ok(if choice.local {
        (SolidMethod::Avi(auto.local.clone()), Some(local_steps), choice)
    } else {
        (one, Some(one_step), choice)
    })
}

/// A run whose time is predicted.
struct Run<'a> {
    body: &'a Body,
    costs: UpdateCosts,
    /// The simulated time.
    time: f64,
    /// The steps of the synchronous method.
    one: &'a Steps,
}

impl Run<'_> {
    /// About the most that local steps can gain, from the limits of the elements alone, where the scenario leaves the steps to them. Rounding to
    /// levels makes steps shorter. The limit of the body lets all be longer: by no more than with one step for all, since longer steps of
    /// any element use more of it.
    fn bound(&self, auto: &AutoSpec, known: &mut EigenSteps) -> Option<f64> {
        let rule = &auto.local;
        let Rule::Eigen(split) = rule.rule else { return None };
        if rule.given.is_some() || !rule.of_body {
            return None;
        }
        let limits = known.times(rule.fraction, self.body, split).ok()?;
        let longer = self.one.smallest * rule.fraction / (auto.one.fraction * extremes(&limits).0);
        Some(self.speedup(self.cost(&limits, |_| 1.0) / longer, 0.0))
    }

    /// The speed-up by these local steps, and the part of the elements that share a node with one of a smaller step.
    fn prediction(&self, rule: &StepSpec, local: &Steps) -> (f64, f64) {
        let slow = touching_faster(&*self.body.problem, &local.each);
        let at_boundary = evaluations(rule.boundary);
        let cost = self.cost(&local.each, |k| if slow[k] { at_boundary } else { 1.0 });
        let (smallest, largest) = extremes(&local.each);
        // With one level there is nothing to certify.
        let march = if smallest < largest {
            stability::part_marched(rule, self.time / smallest, cost * smallest)
        } else {
            0.0
        };
        let share = slow.iter().filter(|slow| **slow).count() as f64 / slow.len() as f64;
        (self.speedup(cost, march), share)
    }

    /// The time with one step for all over that with local steps of this cost for each unit of time, with a march of this part of the run.
    fn speedup(&self, cost: f64, march: f64) -> f64 {
        let problem = &self.body.problem;
        let preparation =
            PREPARATION * (0..problem.count()).map(|k| problem.nodes(k).len()).sum::<usize>() as f64;
        self.time * self.cost(&self.one.each, |_| 1.0) / (preparation + (1.0 + march) * self.time * cost)
    }

    /// The cost of all updates for each unit of time, with so many evaluations for each.
    fn cost(&self, steps: &[f64], evaluations: impl Fn(usize) -> f64) -> f64 {
        steps.iter().enumerate().map(|(k, h)| evaluations(k) * self.costs.of(k) / h).sum()
    }
}

impl AutoChoice {
    /// The choice and its reason, for `check` and reports.
    pub fn words(&self) -> String {
        let name = if self.local { "avi" } else { "newmark" };
        let Some(speedup) = self.speedup else {
            return format!("{name}: the scenario gives one `step` for all elements");
        };
        let Some(share) = self.boundary_share else {
            return format!(
                "{name}: in this run local steps cannot be {WORTH} times as fast, whatever their levels"
            );
        };
        let relation = if self.local { "at least" } else { "below" };
        let be = if self.local { "are" } else { "would be" };
        format!(
            "{name}: predicted speed-up by local steps {speedup:.2}, {relation} {WORTH}; {:.0} % of the elements {be} at a level boundary",
            100.0 * share
        )
    }

    /// What the summary has of it.
    pub fn summary(&self) -> Record {
        record! {
            "method": if self.local { "avi" } else { "newmark" },
            "predicted_speedup": self.speedup.unwrap_or(f64::NAN),
            "boundary_share": self.boundary_share.unwrap_or(f64::NAN),
            "reason": self.words(),
        }
    }
}
