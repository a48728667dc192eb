//! The kinds of systems: what a scenario of each is built into.

use super::engine::{Columns, Engine, OutputSpec};
use super::simulation::State;
use super::{bodies, body, formula, solid};
use crate::scenario::{Scenario, System};
use stationary::error::{Diagnostic, Error};

/// A scenario that can move, and what is known of its run beforehand.
pub(super) struct Built {
    pub engine: Box<dyn Engine>,
    /// Columns of the series.
    pub columns: Columns,
    /// What is written besides the series.
    pub outputs: OutputSpec,
    /// Moves between two looks at the clock: many where one move costs as little as a look.
    pub moves_between_looks: u64,
    /// The length of every move, where it is known beforehand.
    pub step: Option<f64>,
    /// What decides the bits of the run besides the scenario.
    pub identity: Vec<Vec<u8>>,
    /// What `stationary check` tells: names and values.
    pub description: Vec<(&'static str, String)>,
}

/// Builds what a scenario needs to move; with `shows`, its pictures, too.
pub(super) fn build(scenario: &Scenario, shows: bool) -> Result<Built, Error> {
    match &scenario.system {
        System::Formula(system) => formula::build(scenario, system, shows),
        System::Solid(system) => solid::build(scenario, system, shows),
        System::Body(system) => body::build(scenario, system),
        System::Bodies(system) => bodies::build(scenario, system, shows),
    }
}

/// The state with which a run begins anew: that of now, in which positions or velocities are replaced. Of velocities and momenta it has
/// those that decide.
pub(super) fn begin(
    scenario: &Scenario,
    now: State,
    q: Option<&[f64]>,
    v: Option<&[f64]>,
) -> Result<State, Error> {
    let mut begin = match &scenario.system {
        System::Formula(system) => formula::begin(system, now, q.is_some(), v)?,
        _ => State { v: v.map_or(now.v, <[f64]>::to_vec), p: Vec::new(), ..now },
    };
    if let Some(q) = q {
        begin.q = q.to_vec();
    }
    if let System::Body(system) = &scenario.system {
        body::check(system, &begin)?;
    }
    Ok(begin)
}

/// The scenario that begins with such a state.
pub(super) fn restarted(scenario: &Scenario, begin: &State) -> Result<Scenario, Error> {
    let system = match &scenario.system {
        System::Formula(system) => formula::restarted(system, begin).map(|s| System::Formula(s.into())),
        System::Body(system) => body::restarted(system, begin).map(|s| System::Body(s.into())),
        System::Bodies(system) => bodies::restarted(system, begin).map(|s| System::Bodies(s.into())),
        System::Solid(_) => None,
    };
    let system = system.ok_or_else(|| Diagnostic::new("this is no state of the system"))?;
    let end = begin.t + (scenario.end - scenario.start);
    Ok(Scenario { system, start: begin.t, end, ..scenario.clone() })
}
