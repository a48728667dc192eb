//! The integrator of a solid that leaves the choice to the program: one step for all elements, or local steps.
//!
//! Both are explicit, so that the time of a run is the number of updates times the time of an update. With stable steps `h_K` of the
//! local method, the step `h` of the other and the cost `c_K` of an update of element `K`,
//!
//! ```text
//! speed-up = (1/h) sum_K c_K / sum_K c_K e_K / h_K
//! ```
//!
//! where `e_K` counts the evaluations for an update: more than one for elements that share a node with a faster level, where the slower level
//! acts with its envelope.
//!
//! The prediction uses the mesh only, no clock: the same scenario has the same integrator everywhere.

use super::build::Body;
use super::steps::{self, Steps};
use crate::registry::{AutoSpec, SolidMethod};
use crate::scenario::{Scenario, SolidSystem};
use stationary::error::Error;
use stationary::integrate::avi::{Boundary, LevelTable, touching_faster};
use stationary::model::Potentials;
use stationary::observe::{Record, record};

/// Local steps are taken from this predicted speed-up on. Every element then uses its step up to the same part of its limit, and a smaller gain
/// does not outweigh the error of that: on an unstructured part of 16,318 tetrahedra the displacements differed from those of a much smaller step
/// by 1.1e-3 with local steps (1.6e-3 with impulses at level boundaries) and by 1.2e-4 with one step for all.
const WORTH: f64 = 1.2;

/// The cost of an update of an element with a load of its own or a prescribed node, where that of any other is one. Such elements are
/// updated one by one, and their impulses and work are summed. On a part of 16,318 tetrahedra of which 7.5 % were fixed or loaded, an
/// update took 234 instructions without and 467 with supports and loads, that is 3,360 for one of these elements (callgrind).
///
/// Level boundaries have no such factor with impulses: on four meshes the time of an update with local steps was 0.85 to 1.03 of that with one step.
const LOADED_OR_FIXED: f64 = 14.0;

/// Evaluations for an update of an element at the slow side of a level boundary, with the envelope: two for its iteration at the default
/// fraction, and the last.
const ENVELOPE_EVALUATIONS: f64 = 3.0;

/// What was chosen, and why.
#[derive(Debug, Clone)]
pub(super) struct AutoChoice {
    local: bool,
    /// Predicted time with one step for all over that with local steps; none where the scenario gives the step.
    speedup: Option<f64>,
    /// Part of the elements that share a node with one of a smaller step, were the steps local.
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
    let local_steps = steps::steps(scenario, body, &auto.local, false)?;
    let one_step = steps::steps(scenario, body, &auto.one, true)?;
    let has_envelope = auto.local.boundary == Boundary::Envelope;
    let speedup = cost(body, &one_step.each, false) / cost(body, &local_steps.each, has_envelope);
    let choice = AutoChoice {
        local: speedup >= WORTH,
        speedup: Some(speedup),
        boundary_share: LevelTable::new(&*body.problem, &local_steps.each)
            .map(|table| table.boundary_share()),
    };
    Ok(if choice.local {
        (SolidMethod::Avi(auto.local.clone()), Some(local_steps), choice)
    } else {
        (one, Some(one_step), choice)
    })
}

/// The time of all updates per unit of simulated time.
fn cost(body: &Body, steps: &[f64], has_envelope: bool) -> f64 {
    let problem = &body.problem;
    let slow = if has_envelope { touching_faster(&**problem, steps) } else { vec![false; steps.len()] };
    let is_fixed = |a: &u32| {
        let components = 3 * *a as usize..3 * *a as usize + 3;
        problem.supports().is_some_and(|s| components.into_iter().any(|i| s.is_fixed(i)))
    };
    let of_update = |k: usize| {
        let is_dear = problem.loaded(k) || problem.nodes(k).iter().any(is_fixed);
        let evaluations = if slow[k] { ENVELOPE_EVALUATIONS } else { 1.0 };
        evaluations * if is_dear { LOADED_OR_FIXED } else { 1.0 }
    };
    steps.iter().enumerate().map(|(k, h)| of_update(k) / h).sum()
}

impl AutoChoice {
    /// The choice and its reason, for `check` and reports.
    pub fn words(&self) -> String {
        let name = if self.local { "avi" } else { "newmark" };
        let Some(speedup) = self.speedup else {
            return format!("{name}: the scenario gives one `step` for all elements");
        };
        let relation = if self.local { "at least" } else { "below" };
        let be = if self.local { "are" } else { "would be" };
        let boundaries = self.boundary_share.map_or(String::new(), |share| {
            format!("; {:.0} % of the elements {be} at a level boundary", 100.0 * share)
        });
        format!("{name}: predicted speed-up by local steps {speedup:.2}, {relation} {WORTH}{boundaries}")
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
