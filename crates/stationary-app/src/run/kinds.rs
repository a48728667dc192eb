//! The kinds of systems: what a scenario of each is built into.

use super::engine::{Columns, Engine, OutputSpec};
use super::{bodies, body, formula, solid};
use crate::scenario::{Scenario, System};
use stationary::error::Error;

/// A scenario that can move, and what is known of its run beforehand.
pub(super) struct Built {
    pub engine: Box<dyn Engine>,
    /// Columns of the series.
    pub columns: Columns,
    /// What is written besides the series.
    pub outputs: OutputSpec,
    /// Moves between two looks at the clock: many where one move costs as little as a look.
    pub moves_between_looks: u64,
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
