//! `stationary check`: everything up to the first step.

use stationary::error::Error;

use crate::output::say;
use crate::{Verdict, arguments, load};

/// Checks a scenario and says what would run.
pub fn check(arguments: &arguments::Scenario) -> Result<Verdict, Error> {
    let scenario = load::load(arguments)?;
    let description = stationary::run::check(&scenario)?;
    say(&format!("{} is a valid scenario\n{}", scenario.name, description.to_string().trim_end()));
    Ok(Verdict::Done)
}
