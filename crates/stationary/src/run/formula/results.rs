//! The results folder: `series.csv` as the run goes, `summary.json` and `report.html` at its end.

use super::build::Built;
use crate::error::Error;
use crate::model::Lagrangian;
use crate::observe::{Conserved, Observer};
use crate::report::{Folder, Series};
use crate::run::finish::{Course, Findings, finish, head, short};
use crate::run::{End, Outcome};
use crate::scenario::Scenario;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A results folder being filled.
pub(super) struct Results<'a> {
    scenario: &'a Scenario,
    out: Folder,
    series: Series,
}

impl<'a> Results<'a> {
    /// Creates the folder and the series.
    pub fn create(scenario: &'a Scenario, built: &Built<'_>, out: &Folder) -> Result<Self, Error> {
        out.begin(&["summary.json", "report.html"])?;
        let names = &built.system.coordinates;
        let mut columns = vec!["t".to_string()];
        columns.extend(names.iter().cloned());
        columns.extend(names.iter().map(|n| format!("v{n}")));
        columns.extend(names.iter().map(|n| format!("p{n}")));
        let mut observed = built.energy.columns();
        observed.extend(built.observers.iter().flat_map(|o| o.columns()));
        let series = out.series(columns, observed)?;
        Ok(Results { scenario, out: out.clone(), series })
    }

    pub fn series(&mut self) -> &mut Series {
        &mut self.series
    }

    /// Writes summary and report.
    pub fn finish(self, built: &Built, end: End, wall: Duration) -> Result<Outcome, Error> {
        let summary = summary(self.scenario, built, &end, (self.series.rows(), wall));
        let mut conserved: Vec<Conserved> = built.energy.conserved().into_iter().collect();
        conserved.extend(built.observers.iter().filter_map(|o| o.conserved()));
        let facts = self.facts(built, &Value::Object(summary.clone()));
        let findings = Findings {
            summary,
            conserved,
            facts,
            sections: Vec::new(),
            warnings: built.warnings.clone(),
            energy_scale: built.energy.scale(),
            files: Vec::new(),
        };
        finish(self.scenario, &self.out, &self.series, findings, end)
    }

    fn facts(&self, built: &Built<'_>, summary: &Value) -> Vec<(String, String)> {
        let kind = if built.method.variational() { "variational" } else { "not variational" };
        let newton = summary["newton"]["per_step"].as_f64().unwrap_or(0.0);
        let solve =
            if newton > 0.0 { format!("{newton:.2} Newton iterations a step") } else { "explicit".into() };
        let fact = |name: &str, value: String| (name.to_string(), value);
        vec![
            fact("scenario", self.scenario.name.clone()),
            fact("integrator", format!("{}, order {}, {kind}", built.method, built.method.order())),
            fact("step", short(built.system.step)),
            fact(
                "time",
                format!(
                    "{} to {}",
                    short(self.scenario.start),
                    short(summary["time"]["end"].as_f64().unwrap_or(f64::NAN))
                ),
            ),
            fact("steps", summary["moves"].to_string()),
            fact("solve", solve),
            fact("coordinates", built.system.coordinates.len().to_string()),
            fact("wall time", format!("{:.3} s", summary["wall_seconds"].as_f64().unwrap_or(0.0))),
            fact("version", env!("CARGO_PKG_VERSION").into()),
        ]
    }
}

/// All keys but those that judge the others: claims and warnings.
fn summary(
    scenario: &Scenario,
    built: &Built<'_>,
    end: &End,
    (rows, wall): (u64, Duration),
) -> Map<String, Value> {
    let mut summary = head(&Course {
        scenario,
        end,
        method: (built.method.to_string(), built.method.order(), built.method.variational()),
        iterations: built.integrator.iterations(),
        rows,
        wall: wall.as_secs_f64(),
    });
    summary["time"]["step"] = json!(built.system.step);
    let system = json!({
        "coordinates": built.system.coordinates.len(),
        "separable": built.lagrangian.mass().is_some(),
        "compiled": built.lagrangian.is_compiled(),
    });
    summary.insert("system".into(), system);
    built.energy.summarise(&mut summary);
    for observer in &built.observers {
        observer.summarise(&mut summary);
    }
    summary
}

/// Refuses claims about keys that this run will not have, before it is run.
pub(super) fn check_claims(scenario: &Scenario, built: &Built<'_>) -> Result<(), Error> {
    let end = End { stopped: None, interrupted: false, time: scenario.start, step: 0 };
    let keys = Value::Object(summary(scenario, built, &end, (0, Duration::ZERO)));
    scenario.claims.iter().try_for_each(|claim| Ok(claim.check(&keys)?))
}
