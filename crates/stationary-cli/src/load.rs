//! From the words of the command line to a scenario.

use stationary::error::Error;
use stationary_app::scenario::{Scenario, Template};

use crate::arguments;

/// Reads the scenario.
pub fn load(arguments: &arguments::Scenario) -> Result<Scenario, Error> {
    Template::find(&arguments.scenario)?.read(&arguments.set)
}
