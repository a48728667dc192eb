//! `stationary schema`: the JSON Schema of scenarios, for editors.

use stationary::error::Error;

use crate::Verdict;
use crate::output::say_json;

/// Prints the schema.
pub fn schema() -> Result<Verdict, Error> {
    say_json(text().trim_end());
    Ok(Verdict::Done)
}

/// The schema as it is published.
pub fn text() -> String {
    format!("{:#}\n", stationary_app::schema::schema())
}
