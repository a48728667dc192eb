//! The results folder: `series.csv` as the run goes, `summary.json` and `report.html` at its end.

use super::build::Built;
use crate::error::Error;
use crate::model::Lagrangian;
use crate::observe::{Conserved, Observer};
use crate::report::html::{PLOT_SIZE, Section};
use crate::report::plot::Plot;
use crate::report::{Series, io};
use crate::run::finish::{Course, Findings, finish, head, remove_stale, short};
use crate::run::{End, Outcome};
use crate::scenario::Scenario;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A results folder being filled.
pub(super) struct Results<'a> {
    scenario: &'a Scenario,
    out: PathBuf,
    series: Series,
}

impl<'a> Results<'a> {
    /// Creates the folder and the series.
    pub fn create(scenario: &'a Scenario, built: &Built<'_>, out: &Path) -> Result<Self, Error> {
        std::fs::create_dir_all(out).map_err(|e| io(out, &e))?;
        let names = &built.system.coordinates;
        let mut columns = vec!["t".to_string()];
        columns.extend(names.iter().cloned());
        columns.extend(names.iter().map(|n| format!("v{n}")));
        columns.extend(names.iter().map(|n| format!("p{n}")));
        let mut observed = built.energy.columns();
        observed.extend(built.observers.iter().flat_map(|o| o.columns()));
        remove_stale(out, &["summary.json", "report.html"])?;
        let series = Series::create(&out.join("series.csv"), columns, observed)?;
        Ok(Results { scenario, out: out.to_path_buf(), series })
    }

    pub fn series(&mut self) -> &mut Series {
        &mut self.series
    }

    /// Writes summary and report.
    pub fn finish(self, built: &Built, end: End, wall: Duration) -> Result<Outcome, Error> {
        let summary = summary(self.scenario, built, &end, (self.series.rows(), wall));
        let mut conserved: Vec<Conserved> = built.energy.conserved().into_iter().collect();
        conserved.extend(built.observers.iter().filter_map(|o| o.conserved()));
        let value = Value::Object(summary.clone());
        let facts = self.facts(built, &value);
        let findings = Findings {
            summary,
            conserved,
            facts,
            sections: built.energy_choice.iter().filter_map(|_| self.lengths(&value)).collect(),
            warnings: built.warnings.clone(),
            energy_scale: built.energy.scale(),
            files: Vec::new(),
        };
        finish(self.scenario, &self.out, &self.series, findings, end)
    }

    /// The part of the page about steps that the energy chose.
    fn lengths(&self, summary: &Value) -> Option<Section> {
        let found = &summary["energy_steps"];
        let error = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
        let (flagged, stretches) = (found["flagged"].as_u64()?, found["stretches"].as_u64()?);
        let mut text = format!(
            "Each step has the length that keeps the discrete energy; relative error {:.1e}.",
            error("max_relative_error")
        );
        if flagged > 0 {
            let times: Vec<String> = found["where"]
                .as_array()?
                .iter()
                .map(|s| {
                    let at = |key: &str| short(s[key].as_f64().unwrap_or(f64::NAN));
                    format!("{} to {} ({} steps)", at("from"), at("to"), s["steps"])
                })
                .collect();
            let more = if stretches as usize > times.len() { ", ..." } else { "" };
            text += &format!(
                "\n\nNo length kept it for {flagged} of {} steps, in {stretches} stretches of time; there the error is up to \
                 {:.1e} (turning: {}). Times: {}{more}.",
                summary["moves"],
                error("max_relative_error_flagged"),
                found["turning"].as_str()?,
                times.join(", ")
            );
        } else {
            text += " No step had to be made otherwise.";
        }
        let (t, h) = self.series.whole("step")?;
        let plot = Plot::new("Length of the steps").x_label("t").y_label("h").line("h", &t, &h);
        let plots = vec![(plot.to_svg(PLOT_SIZE.0, PLOT_SIZE.1), "Length of each step over time.".into())];
        Some(Section { heading: "Steps chosen by the energy".into(), text, plots })
    }

    fn facts(&self, built: &Built<'_>, summary: &Value) -> Vec<(String, String)> {
        let kind = if built.method.variational() { "variational" } else { "not variational" };
        let newton = summary["newton"]["per_step"].as_f64().unwrap_or(0.0);
        let solve =
            if newton > 0.0 { format!("{newton:.2} Newton iterations a step") } else { "explicit".into() };
        let fact = |name: &str, value: String| (name.to_string(), value);
        vec![
            fact("scenario", self.scenario.name.clone()),
            fact(
                "integrator",
                format!("{}, order {}, {kind}", built.method_in_words(), built.method.order()),
            ),
            fact("step", steps(built, summary)),
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

/// The length of a step for people.
fn steps(built: &Built<'_>, summary: &Value) -> String {
    let first = short(built.system.step);
    let found = &summary["energy_steps"]["step"];
    match (found["min"].as_f64(), found["max"].as_f64()) {
        (Some(min), Some(max)) => format!("{first}, then {} to {}", short(min), short(max)),
        _ => first,
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
        method: (built.method_in_words(), built.method.order(), built.method.variational()),
        iterations: built.integrator.iterations(),
        rows,
        wall: wall.as_secs_f64(),
    });
    summary["time"]["step"] = json!(built.system.step);
    let system = json!({
        "coordinates": built.system.coordinates.len(),
        "freedom": built.integrator.freedom(),
        "forced": built.extras.force.is_some(),
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
