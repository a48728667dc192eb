//! A run that is ready to begin, of a system of any kind.

use super::engine::{Columns, Engine, OutputSpec};
use super::simulation::State;
use crate::scenario::Scenario;
use stationary::error::{Diagnostic, Error};
use std::sync::Arc;

/// A scenario that can move, and what is known of its run beforehand.
pub(crate) struct PreparedRun {
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

impl PreparedRun {
    /// Builds what a scenario needs to move; with `shows`, its pictures, too.
    pub fn build(scenario: &Scenario, shows: bool) -> Result<Self, Error> {
        Arc::clone(&scenario.system).build(scenario, shows)
    }
}

/// The scenario that begins with a state.
pub(crate) fn restarted(scenario: &Scenario, begin: &State) -> Result<Scenario, Error> {
    let system = scenario.system.restarted(begin);
    let system = system.ok_or_else(|| Diagnostic::new("this is no state of the system"))?;
    let end = begin.t + (scenario.end - scenario.start);
    Ok(Scenario { system, start: begin.t, end, ..scenario.clone() })
}
