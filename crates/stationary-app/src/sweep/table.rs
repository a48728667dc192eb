//! The table of a sweep: a row for each run, a column for each number of `summary.json`.

use super::plan::Plan;
use super::text::{cell, number};
use crate::run;
use serde_json::Value;
use stationary::error::Error;
use stationary_report::replace;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// How a run of a sweep ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// At its end, all claims kept.
    Finished,
    /// At its end, but a claim does not hold.
    ClaimFailed,
    /// Early: the mechanics stopped.
    Stopped,
    /// Before its first step: the values of this run make no system that can move.
    Refused,
}

impl Ending {
    /// All of them.
    pub const ALL: [Ending; 4] = [Ending::Finished, Ending::ClaimFailed, Ending::Stopped, Ending::Refused];

    /// Its word in `sweep.csv`.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Finished => "finished",
            Ending::ClaimFailed => "claim failed",
            Ending::Stopped => "stopped",
            Ending::Refused => "refused",
        }
    }

    pub(super) fn of(name: &str) -> Option<Ending> {
        Ending::ALL.into_iter().find(|e| e.name() == name)
    }
}

/// What came of one run.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its number, from 0.
    pub run: usize,
    /// How it ended.
    pub ending: Ending,
    /// Why it ended so, and its warnings; most often nothing.
    pub note: String,
    /// Keys of its summary that are numbers, or null where a number may be. Shared by runs that have the same.
    pub(super) keys: Arc<[String]>,
    /// Their values; NaN for null.
    pub(super) values: Vec<f64>,
}

/// Keys that differ between equal runs.
const CLOCKS: [&str; 3] = ["wall_seconds", "avi.measured_speedup", "avi.nanoseconds_per_update"];

impl Row {
    /// The row of a run that was made.
    pub(super) fn of(run: usize, outcome: &run::RunOutcome) -> Row {
        let mut leaves = Vec::new();
        collect("", &outcome.summary, &mut leaves);
        let (keys, values): (Vec<String>, Vec<f64>) = leaves.into_iter().unzip();
        let failed: Vec<String> = outcome
            .claims
            .iter()
            .filter(|c| !c.holds)
            .map(|c| format!("claim failed: {} ({})", c.text, c.reason))
            .collect();
        let ending = match (&outcome.stopped, failed.is_empty()) {
            (Some(_), _) => Ending::Stopped,
            (None, false) => Ending::ClaimFailed,
            (None, true) => Ending::Finished,
        };
        let stopped = outcome.stopped.iter().map(ToString::to_string);
        let warnings = outcome.warnings.iter().map(|w| format!("warning: {w}"));
        let note = match ending {
            Ending::Stopped => stopped.chain(warnings).collect::<Vec<_>>(),
            _ => failed.into_iter().chain(warnings).collect(),
        };
        Row { run, ending, note: note.join("; "), keys: keys.into(), values }
    }

    /// The row of a run that could not begin.
    pub(super) fn refused(run: usize, why: &Error) -> Row {
        let note = why.to_string().lines().next().unwrap_or_default().to_string();
        Row { run, ending: Ending::Refused, note, keys: Arc::new([]), values: Vec::new() }
    }

    /// The number under a key of its summary, if there is one.
    pub fn value(&self, key: &str) -> Option<f64> {
        let at = self.keys.iter().position(|k| k == key)?;
        Some(self.values[at]).filter(|x| !x.is_nan())
    }
}

/// Numbers and nulls of a summary under their dotted keys. Claims repeat what is elsewhere; clocks are no results.
fn collect(key: &str, value: &Value, into: &mut Vec<(String, f64)>) {
    let inner = |part: &str| if key.is_empty() { part.to_string() } else { format!("{key}.{part}") };
    match value {
        Value::Object(map) => map.iter().for_each(|(part, value)| collect(&inner(part), value, into)),
        Value::Array(list) if key != "claims" => {
            list.iter().enumerate().for_each(|(i, value)| collect(&inner(&i.to_string()), value, into));
        }
        Value::Number(_) | Value::Null if !CLOCKS.contains(&key) => {
            into.push((key.to_string(), value.as_f64().unwrap_or(f64::NAN)));
        }
        _ => {}
    }
}

/// All rows of a sweep in the order of the plan.
#[derive(Debug, Clone)]
pub struct SweepTable {
    rows: Vec<Row>,
    columns: Vec<String>,
}

impl SweepTable {
    pub(super) fn new(mut rows: Vec<Row>) -> SweepTable {
        rows.sort_by_key(|row| row.run);
        let columns = columns(&rows);
        SweepTable { rows, columns }
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The keys of summaries that are a number in some run.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// How many runs ended in a way.
    pub fn count(&self, ending: Ending) -> usize {
        self.rows.iter().filter(|row| row.ending == ending).count()
    }

    /// Writes `sweep.csv`.
    pub(super) fn write(&self, path: &Path, plan: &Plan) -> Result<(), Error> {
        replace(path, |file| {
            let varied = plan.keys().map(|key| cell(key).into_owned());
            let head =
                std::iter::once("run".to_string()).chain(varied).chain(["outcome".into(), "note".into()]);
            let columns = self.columns.iter().map(|key| cell(key).into_owned());
            writeln!(file, "{}", head.chain(columns).collect::<Vec<_>>().join(","))?;
            let mut places = Places::default();
            for row in &self.rows {
                write!(file, "{}", row.run + 1)?;
                for value in plan.values(row.run) {
                    write!(file, ",{}", cell(value))?;
                }
                write!(file, ",{},{}", row.ending.name(), cell(&row.note))?;
                for place in places.of(&row.keys, &self.columns) {
                    write!(file, ",{}", place.map_or(String::new(), |at| number(row.values[at])))?;
                }
                writeln!(file)?;
            }
            Ok(())
        })
    }
}

/// The place of each column in the rows of one set of keys after the other: found once while the set stays the same.
#[derive(Default)]
struct Places {
    keys: Option<Arc<[String]>>,
    found: Vec<Option<usize>>,
}

impl Places {
    fn of(&mut self, keys: &Arc<[String]>, columns: &[String]) -> &[Option<usize>] {
        if self.keys.as_ref().is_none_or(|known| !Arc::ptr_eq(known, keys)) {
            let at: HashMap<&str, usize> = keys.iter().enumerate().map(|(i, k)| (k.as_str(), i)).collect();
            self.found = columns.iter().map(|c| at.get(c.as_str()).copied()).collect();
            self.keys = Some(Arc::clone(keys));
        }
        &self.found
    }
}

/// The keys of all rows that are a number somewhere, each after the one it follows in the first row that has it.
fn columns(rows: &[Row]) -> Vec<String> {
    let mut sets: Vec<(&Arc<[String]>, Vec<bool>)> = Vec::new();
    for row in rows {
        let at = sets.iter().position(|(keys, _)| Arc::ptr_eq(keys, &row.keys)).unwrap_or_else(|| {
            sets.push((&row.keys, vec![false; row.keys.len()]));
            sets.len() - 1
        });
        sets[at].1.iter_mut().zip(&row.values).for_each(|(seen, x)| *seen |= !x.is_nan());
    }
    let (mut all, mut seen): (Vec<&str>, HashMap<&str, bool>) = Default::default();
    for (keys, numbers) in &sets {
        let mut after = 0;
        for (key, number) in keys.iter().zip(numbers) {
            match all.iter().position(|k| k == key) {
                Some(at) => after = at + 1,
                None => {
                    all.insert(after, key);
                    after += 1;
                }
            }
            *seen.entry(key).or_default() |= number;
        }
    }
    all.retain(|key| seen[key]);
    all.into_iter().map(String::from).collect()
}

/// Makes rows with the same keys share them.
#[derive(Debug, Default)]
pub(super) struct Shapes(Vec<Arc<[String]>>);

impl Shapes {
    /// The number of the set of keys of a row, which the row then shares; and whether it is new.
    pub fn share(&mut self, row: &mut Row) -> (usize, bool) {
        // Sweeps have few sets, and runs next to each other mostly the same.
        match self.0.iter().rposition(|known| *known == row.keys) {
            Some(at) => {
                row.keys = Arc::clone(&self.0[at]);
                (at, false)
            }
            None => (self.add(Arc::clone(&row.keys)), true),
        }
    }

    pub fn add(&mut self, keys: Arc<[String]>) -> usize {
        self.0.push(keys);
        self.0.len() - 1
    }

    pub fn get(&self, at: usize) -> Option<Arc<[String]>> {
        self.0.get(at).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(run: usize, summary: &Value) -> Row {
        let mut leaves = Vec::new();
        collect("", summary, &mut leaves);
        let (keys, values): (Vec<String>, Vec<f64>) = leaves.into_iter().unzip();
        Row { run, ending: Ending::Finished, note: String::new(), keys: keys.into(), values }
    }

    #[test]
    fn numbers_become_columns_and_clocks_and_claims_do_not() {
        let one = row(
            0,
            &json!({ "a": 1, "title": null, "name": "x", "wall_seconds": 0.5, "d": { "e": null, "f": [1.5, 2] },
                     "claims": [{ "measured": 7 }], "flag": true, "avi": { "measured_speedup": 3.0, "nodes": 4 } }),
        );
        let two = row(1, &json!({ "a": 2, "b": { "c": 0.1 }, "d": { "e": 5e-300 } }));
        let table = SweepTable::new(vec![two, one]);
        // In the order of the first run, those of others after the one they follow; `title` is never a number.
        assert_eq!(table.columns(), ["a", "b.c", "d.e", "d.f.0", "d.f.1", "avi.nodes"]);
        assert_eq!(table.rows()[0].value("d.f.0"), Some(1.5));
        assert_eq!(table.rows()[0].value("d.e"), None);
        assert_eq!(table.rows()[1].value("d.e"), Some(5e-300));
    }

    #[test]
    fn rows_share_their_keys() {
        let mut shapes = Shapes::default();
        let (mut a, mut b, mut c) =
            (row(0, &json!({ "x": 1 })), row(1, &json!({ "y": 1 })), row(2, &json!({ "x": 2 })));
        assert_eq!([&mut a, &mut b, &mut c].map(|row| shapes.share(row)), [(0, true), (1, true), (0, false)]);
        assert!(Arc::ptr_eq(&a.keys, &c.keys));
    }
}
