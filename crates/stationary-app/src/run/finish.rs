//! The end of every run: claims are checked against the summary, then `summary.json` and `report.html` are written.

use super::checkpointer::Checkpointer;
use super::engine::{EngineReport, Outputs, Summary};
use super::page::{RunPage, run_page};
use super::{End, RunOutcome};
use crate::scenario::{Scenario, claim};
use serde_json::{Map, Value, json};
use stationary::error::Error;
use stationary::observe::{Entry, Record, record};
use stationary_report::checkpoint::CHECKPOINT;
use stationary_report::frames::Frames;
use stationary_report::parquet;
use stationary_report::{Events, Folder, InMemoryResults, Series};
use std::path::PathBuf;

/// The version of the keys of `summary.json`.
const SCHEMA: &str = "stationary.summary/1";

/// The keys that every summary has.
pub(crate) fn head(scenario: &Scenario, own: &Summary, end: &End, rows: u64, seconds: f64) -> Record {
    let stopped = end.stopped.as_ref();
    let per_step = if end.step > 0 { own.iterations as f64 / end.step as f64 } else { 0.0 };
    let overrides = scenario.overrides.iter().map(|(key, value)| format!("{key}={value}"));
    record! {
        "schema": SCHEMA,
        "scenario": scenario.name.as_str(),
        "title": scenario.title.clone(),
        "overrides": overrides.collect::<Vec<_>>(),
        "version": env!("CARGO_PKG_VERSION"),
        "integrator": scenario.integrator.method.text.as_str(),
        "method": record! { "choice": own.method.as_str(), "order": own.order, "variational": own.variational },
        "time": record! { "start": scenario.start, "end": end.time },
        "moves": end.step,
        "finished": end.stopped.is_none() && !end.interrupted,
        "stopped": stopped.map(|e| record! { "time": e.time, "step": e.step, "reason": e.to_string() }),
        "rows": rows,
        "newton": record! { "iterations": own.iterations, "per_step": per_step },
        "wall_seconds": seconds,
    }
}

/// A summary as JSON, which has no NaN: `null` there.
pub(crate) fn to_json(record: &Record) -> Value {
    let entries = record.entries().iter().map(|(name, entry)| (name.clone(), entry_to_json(entry)));
    Value::Object(entries.collect::<Map<_, _>>())
}

fn entry_to_json(entry: &Entry) -> Value {
    match entry {
        Entry::Nothing => Value::Null,
        Entry::Flag(flag) => json!(flag),
        Entry::Count(count) => json!(count),
        Entry::Number(x) => json!(x),
        Entry::Text(text) => json!(text),
        Entry::List(entries) => entries.iter().map(entry_to_json).collect(),
        Entry::Record(record) => to_json(record),
    }
}

/// A run at its end.
pub(crate) struct Ending<'a> {
    pub scenario: &'a Scenario,
    pub checkpointer: Checkpointer,
    pub series: Series,
    pub outputs: Outputs,
    pub summary: Record,
    pub findings: EngineReport,
    pub end: End,
}

/// Judges the claims and writes summary and page, if there is a folder for them.
///
/// The checkpoint is removed only when all files are on the disk. If the program is killed before that, the run can be resumed.
pub(crate) fn finish(ending: Ending<'_>) -> Result<RunOutcome, Error> {
    let Ending { scenario, checkpointer, series, outputs, mut summary, findings, end } = ending;
    let out = &checkpointer.out;
    // Quantities that the system conserves come first: they show how good the run is.
    let mut conserved = findings.conserved;
    conserved.sort_by_key(|row| !row.constant);
    summary.set("identity", checkpointer.name());
    let partial = to_json(&summary);
    let claims: Vec<claim::CheckedClaim> = scenario.claims.iter().map(|c| c.evaluate(&partial)).collect();
    let judged = claims.iter().map(|c| {
        let (text, reason) = (c.text.as_str(), c.reason.as_str());
        record! { "claim": text, "holds": c.holds, "measured": c.measured, "reason": reason }
    });
    summary.set("claims", judged.collect::<Vec<_>>());
    let mut told = findings.warnings.clone();
    if let Some(stopped) = &end.stopped {
        told.insert(0, format!("The run {stopped}."));
    }
    if end.interrupted {
        told.insert(0, "The run was interrupted; what follows ends there.".into());
    }
    summary.set("warnings", told.clone());
    let summary = to_json(&summary);
    let page = out.shows().then(|| {
        run_page(&RunPage {
            scenario,
            facts: findings.facts,
            conserved: &conserved,
            claims: &claims,
            warnings: &told,
            sections: findings.sections,
            tables: findings.tables,
        })
    });
    let more = outputs.files(out);
    let mut written = Vec::new();
    if let (Some(page), Some(_)) = (&page, out.path()) {
        out.write("report.html", &page.to_html())?;
        written.extend(series_files(scenario, out, end.interrupted)?);
        written.iter().chain(&more).try_for_each(|file| out.sync_file(file))?;
        // The summary is written last: if it says that the run is finished, all other files are complete.
        let text = serde_json::to_string_pretty(&summary).expect("a summary is plain data") + "\n";
        out.write("summary.json", &text)?;
        written.extend(["summary.json", "report.html"].into_iter().filter_map(|name| out.file(name)));
    }
    written.extend(more);
    if !end.interrupted {
        out.remove(&[CHECKPOINT])?;
        drop_csv(scenario, out)?;
    }
    let in_memory = InMemoryResults {
        series: series.into_table(),
        section: outputs.section.and_then(Series::into_table),
        impacts: outputs.impacts.and_then(Events::into_listing),
        frames: outputs.frames.and_then(Frames::into_in_memory),
        page: page.filter(|_| out.keeps()),
    };
    Ok(RunOutcome {
        summary,
        conserved,
        claims,
        stopped: end.stopped,
        interrupted: end.interrupted,
        warnings: findings.warnings,
        notes: [checkpointer.notes, findings.notes].concat(),
        files: written,
        in_memory,
    })
}

impl Outputs {
    /// Their files, where there are any.
    fn files(&self, out: &Folder) -> Vec<PathBuf> {
        let section = self.section.as_ref().map(|_| "sections.csv");
        let impacts = self.impacts.as_ref().map(|_| "impacts.csv");
        // Without a frame there is no list of them.
        let frames = self.frames.as_ref().filter(|f| f.count() > 0).map(Frames::list);
        [section, impacts, frames].into_iter().flatten().filter_map(|name| out.file(name)).collect()
    }
}

/// The files of the series in the formats that the scenario asks for. An interrupted run keeps `series.csv`, which a resumed one appends to.
fn series_files(scenario: &Scenario, out: &Folder, interrupted: bool) -> Result<Vec<PathBuf>, Error> {
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

/// Removes `series.csv` if the scenario asks for Parquet alone, which is converted from it.
pub(crate) fn drop_csv(scenario: &Scenario, out: &Folder) -> Result<(), Error> {
    let dropped = scenario.output.parquet && !scenario.output.csv;
    if dropped { out.remove(&["series.csv"]) } else { Ok(()) }
}

/// A number with six digits, for messages and tables.
pub(crate) fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    format!("{rounded:?}").trim_end_matches(".0").to_string()
}
