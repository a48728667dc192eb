//! `stationary check`: everything up to the first step.

use serde_json::json;
use stationary::error::Error;

use crate::output::say;
use crate::{Verdict, arguments, events, load};

/// Checks a scenario and says what would run.
pub fn check(arguments: &arguments::Check) -> Result<Verdict, Error> {
    let scenario = load::load(&arguments.scenario)?;
    let description = stationary_app::run::check(&scenario)?;
    if arguments.json {
        events::write(&json!({
            "event": "done",
            "format": events::FORMAT,
            "outcome": "valid",
            "exit": 0,
            "scenario": scenario.name,
            "title": scenario.title,
        }));
        return Ok(Verdict::Done);
    }
    say(&format!("{} is a valid scenario\n{}", scenario.name, description.to_string().trim_end()));
    Ok(Verdict::Done)
}
