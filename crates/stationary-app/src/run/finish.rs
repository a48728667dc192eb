//! The end of every run: claims held against the summary, then `summary.json` and `report.html`.

use super::keep::Keeper;
use super::{End, Outcome};
use crate::run::page::{ImpactTimes, RunPage, run_page};
use crate::scenario::{Scenario, claim};
use serde_json::{Map, Value, json};
use stationary::error::Error;
use stationary::observe::{Conserved, Entry, Record};
use stationary_report::checkpoint::CHECKPOINT;
use stationary_report::html::{Section, TextTable};
use stationary_report::parquet;
use stationary_report::{Folder, Kept, Series};
use std::path::PathBuf;

/// The version of the keys of `summary.json`.
const SCHEMA: &str = "stationary.summary/1";

/// What a run has found.
pub(super) struct Findings {
    /// All keys but those that judge the others: claims and warnings.
    pub summary: Map<String, Value>,
    pub conserved: Vec<Conserved>,
    /// Name and value of the run's facts.
    pub facts: Vec<(String, String)>,
    /// Parts of the page beyond those of every run.
    pub sections: Vec<Section>,
    /// Tables after them.
    pub tables: Vec<TextTable>,
    /// Times of impacts.
    pub impacts: ImpactTimes,
    pub warnings: Vec<String>,
    /// What relative energy errors refer to.
    pub energy_scale: f64,
    /// Files beyond those of every run.
    pub files: Vec<PathBuf>,
    /// What is in memory beyond series and page.
    pub kept: Kept,
}

/// How a run went, for the keys that every summary has.
pub(super) struct Course<'a> {
    pub scenario: &'a Scenario,
    pub end: &'a End,
    /// The method in words, its order, and whether it is variational.
    pub method: (String, usize, bool),
    /// Newton iterations.
    pub iterations: u64,
    pub rows: u64,
    pub wall: f64,
}

/// The keys that every summary has.
pub(super) fn head(course: &Course<'_>) -> Map<String, Value> {
    let Course { scenario, end, method: (choice, order, variational), iterations, rows, wall } = course;
    let stopped =
        end.stopped.as_ref().map(|e| json!({ "time": e.time, "step": e.step, "reason": e.to_string() }));
    let per_step = if end.step > 0 { *iterations as f64 / end.step as f64 } else { 0.0 };
    let value = json!({
        "schema": SCHEMA,
        "scenario": scenario.name,
        "title": scenario.title,
        "overrides": scenario.overrides.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>(),
        "version": env!("CARGO_PKG_VERSION"),
        "integrator": scenario.integrator.method.text,
        "method": { "choice": choice, "order": order, "variational": variational },
        "time": { "start": scenario.start, "end": end.time },
        "moves": end.step,
        "finished": end.stopped.is_none() && !end.interrupted,
        "stopped": stopped,
        "rows": rows,
        "newton": { "iterations": iterations, "per_step": per_step },
        "wall_seconds": wall,
    });
    let Value::Object(head) = value else { unreachable!("an object was written") };
    head
}

/// Enters what observers found into a summary, beside what is there.
pub(super) fn enter(summary: &mut Map<String, Value>, found: &Record) {
    for (name, entry) in found.entries() {
        match (summary.get_mut(name), entry) {
            (Some(Value::Object(group)), Entry::Record(more)) => enter(group, more),
            _ => _ = summary.insert(name.clone(), json_of(entry)),
        }
    }
}

/// An entry as JSON, which has no NaN: `null` there.
fn json_of(entry: &Entry) -> Value {
    match entry {
        Entry::Nothing => Value::Null,
        Entry::Flag(flag) => json!(flag),
        Entry::Count(count) => json!(count),
        Entry::Number(x) => json!(x),
        Entry::Text(text) => json!(text),
        Entry::List(entries) => entries.iter().map(json_of).collect(),
        Entry::Record(record) => {
            let mut group = Map::new();
            enter(&mut group, record);
            Value::Object(group)
        }
    }
}

/// Judges the claims and writes summary and page, if there is a folder for them.
///
/// All that was written is on the disk before the checkpoint goes: broken off anywhere here, the run can be resumed.
pub(super) fn finish(
    scenario: &Scenario,
    keeper: Keeper,
    series: Series,
    findings: Findings,
    end: End,
) -> Result<Outcome, Error> {
    let out = &keeper.out;
    let Findings {
        mut summary,
        mut conserved,
        facts,
        sections,
        tables,
        impacts,
        warnings,
        energy_scale,
        files,
        mut kept,
    } = findings;
    // What the system conserves first: that is what tells how good the run is.
    conserved.sort_by_key(|row| !row.constant);
    summary.insert("identity".into(), json!(keeper.name()));
    let partial = Value::Object(summary.clone());
    let claims: Vec<claim::Outcome> = scenario.claims.iter().map(|c| c.evaluate(&partial)).collect();
    let claim = |c: &claim::Outcome| json!({ "claim": c.text, "holds": c.holds, "measured": c.measured, "reason": c.reason });
    summary.insert("claims".into(), claims.iter().map(claim).collect());
    let mut told = warnings.clone();
    if let Some(stopped) = &end.stopped {
        told.insert(0, format!("The run {stopped}."));
    }
    if end.interrupted {
        told.insert(0, "The run was interrupted; what follows ends there.".into());
    }
    summary.insert("warnings".into(), json!(told));
    let summary = Value::Object(summary);
    let mut written = Vec::new();
    let page = out.shows().then(|| {
        run_page(&RunPage {
            scenario,
            series: &series,
            facts,
            conserved: &conserved,
            claims: &claims,
            warnings: &told,
            energy_scale,
            sections,
            tables,
            impacts,
        })
    });
    kept.series = series.into_table();
    if let (Some(page), Some(_)) = (&page, out.path()) {
        out.write("report.html", &page.to_html())?;
        written.extend(left(scenario, out, end.interrupted)?);
        written.iter().chain(&files).try_for_each(|file| out.sync_file(file))?;
        // The last of all: a summary of a finished run says that everything is there.
        let text = serde_json::to_string_pretty(&summary).expect("a summary is plain data") + "\n";
        out.write("summary.json", &text)?;
        written.extend(["summary.json", "report.html"].into_iter().filter_map(|name| out.file(name)));
    }
    written.extend(files);
    if !end.interrupted {
        out.remove(&[CHECKPOINT])?;
        drop_csv(scenario, out)?;
    }
    Ok(Outcome {
        summary,
        conserved,
        claims,
        stopped: end.stopped,
        interrupted: end.interrupted,
        warnings,
        notes: keeper.notes,
        files: written,
        kept: if out.keeps() { Kept { page, ..kept } } else { kept },
    })
}

/// The series in the forms that the scenario asks for. One that is broken off stays as it goes on.
fn left(scenario: &Scenario, out: &Folder, interrupted: bool) -> Result<Vec<PathBuf>, Error> {
    let (Some(csv), Some(parquet)) = (out.file("series.csv"), out.file("series.parquet")) else {
        return Ok(Vec::new());
    };
    if interrupted || !scenario.output.parquet {
        return Ok(vec![csv]);
    }
    parquet::convert(&csv, &parquet)?;
    if scenario.output.csv {
        return Ok(vec![csv, parquet]);
    }
    Ok(vec![parquet])
}

/// Removes `series.csv` where it was only on the way to another form.
pub(super) fn drop_csv(scenario: &Scenario, out: &Folder) -> Result<(), Error> {
    let dropped = scenario.output.parquet && !scenario.output.csv;
    if dropped { out.remove(&["series.csv"]) } else { Ok(()) }
}

/// A number for people: six digits.
pub(super) fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    format!("{rounded:?}").trim_end_matches(".0").to_string()
}
