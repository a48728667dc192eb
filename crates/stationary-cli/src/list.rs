//! `stationary list`: what there is.

use stationary::error::Error;
use stationary_app::registry::{self, RegistryEntry};
use stationary_app::scenario::{Scenario, shipped};

use crate::Verdict;
use crate::output::{say, table};

/// Lists integrators, observers and scenarios.
pub fn list() -> Result<Verdict, Error> {
    let entries = |entries: &[RegistryEntry]| {
        let row = |e: &RegistryEntry| vec![e.name.to_string(), e.kind.to_string(), e.summary.to_string()];
        table(&entries.iter().map(row).collect::<Vec<_>>())
    };
    let mut scenarios = Vec::new();
    for shipped in shipped::all() {
        let scenario = Scenario::read(shipped.name, shipped.text, &[])?;
        scenarios.push(vec![shipped.name.to_string(), scenario.title.unwrap_or_default()]);
    }
    say(&format!(
        "Integrators\n{}\n\nObservers\n{}\n\nScenarios\n{}\n\nMore about one: stationary explain NAME",
        entries(registry::integrators()),
        entries(registry::observers()),
        table(&scenarios)
    ));
    Ok(Verdict::Done)
}
