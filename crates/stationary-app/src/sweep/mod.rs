//! Many runs of one scenario: a [`Plan`] says what varies, every run is a row of the [`SweepTable`].
//!
//! The rows depend neither on the number of threads nor on the order in which runs end. Runs that are over stand in a
//! journal until the sweep is, so that one that was killed goes on where it was and leaves the same bytes.
//!
//! ```
//! use stationary_app::scenario::{Template, shipped};
//! use stationary_app::sweep::{Factor, SweepOptions, Plan, Sweep};
//! use std::ops::ControlFlow;
//!
//! let sweep = Sweep {
//!     template: Template::new("pendulum", shipped::find("pendulum").unwrap().text),
//!     set: vec![("end".into(), "10".into())],
//!     plan: Plan::new(vec![Factor::over("step", "0.01..0.04:4")?])?,
//! };
//! let out = std::env::temp_dir().join(format!("stationary-doc-sweep-{}", std::process::id()));
//! let outcome = sweep.run(&SweepOptions::new(&out), &mut |_progress| ControlFlow::Continue(()))?;
//! let error = |run: usize| outcome.table.rows()[run].value("energy.max_relative_error").unwrap();
//! // Four times the step of a method of second order.
//! assert!((error(3) / error(0) / 16.0 - 1.0).abs() < 0.1);
//! # std::fs::remove_dir_all(&out).unwrap();
//! # Ok::<(), stationary::error::Error>(())
//! ```

mod check;
mod drive;
mod hand_over;
mod journal;
mod list;
mod page;
mod plan;
mod plots;
mod table;
mod text;
mod values;

pub use drive::{SweepProgress, SweepWatch};
pub use hand_over::{HandOver, Made};
pub use plan::{Factor, MOST_RUNS, Plan};
pub use table::{Ending, Row, SweepTable};

use crate::run;
use crate::scenario::{Scenario, Template};
use drive::Work;
use journal::{JOURNAL, Journal};
use serde_json::json;
use stationary::error::{Diagnostic, Error};
use stationary_report::Folder;
use std::path::{Path, PathBuf};

/// The version of the keys of `sweep.json`.
const SCHEMA: &str = "stationary.sweep/1";

/// The files of a sweep that is over.
const FILES: [&str; 3] = ["sweep.csv", "sweep.json", "sweep.html"];

/// What is plotted when nothing else is asked for.
const PLOTTED: &str = "energy.max_relative_error";

/// A scenario, and what varies in it.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// The text of the scenario.
    pub template: Template,
    /// What is replaced in every run, before that which varies.
    pub set: Vec<(String, String)>,
    /// What varies.
    pub plan: Plan,
}

/// How a sweep is made.
#[derive(Debug, Clone)]
pub struct SweepOptions {
    /// Folder for the results.
    pub out: PathBuf,
    /// Runs at a time.
    pub jobs: usize,
    /// Whether every run also leaves its own results, in `runs/NNNN`.
    pub keep: bool,
    /// Whether to go on with the sweep whose journal is in the folder.
    pub resume: bool,
    /// Keys of `summary.json` to plot; none for the energy error.
    pub plots: Vec<String>,
}

impl SweepOptions {
    /// Into a folder, on all cores.
    pub fn new(out: &Path) -> Self {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        SweepOptions { out: out.to_path_buf(), jobs, keep: false, resume: false, plots: Vec::new() }
    }
}

/// Overrides in an order in which a whole value does not undo a part of it: `integrator` comes before `integrator.stages`,
/// whichever of them varies. What varies is applied after what is set, and a whole value replaces all that is inside.
fn whole_first(overrides: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut ordered: Vec<(String, String)> = Vec::with_capacity(overrides.len());
    for (key, value) in overrides {
        let inside = |(other, _): &(String, String)| {
            other.strip_prefix(key.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        let at = ordered.iter().position(inside).unwrap_or(ordered.len());
        ordered.insert(at, (key, value));
    }
    ordered
}

/// What came of a sweep.
#[derive(Debug, Clone)]
pub struct SweepOutcome {
    /// The runs that are over: all of them, unless the sweep was interrupted.
    pub table: SweepTable,
    /// Whether the watcher ended the sweep. The only file is then the journal to resume from; before the first run there is none.
    pub interrupted: bool,
    /// What the user should know besides.
    pub notes: Vec<String>,
    /// The files written.
    pub files: Vec<PathBuf>,
}

impl Sweep {
    /// Makes all runs and writes the tables. `watch` is told the progress several times a second, on the calling thread,
    /// and may end the sweep.
    ///
    /// Every scenario is read before the first run, and an `Err` of input means that nothing was run or written. A run
    /// that stops, or whose values make no system, is a row that says so.
    pub fn run(&self, options: &SweepOptions, watch: &mut SweepWatch<'_>) -> Result<SweepOutcome, Error> {
        self.refuse_ambiguous()?;
        let Some(identity) = check::check(self, options, watch)? else {
            let table = SweepTable::new(Vec::new());
            return Ok(SweepOutcome { table, interrupted: true, notes: Vec::new(), files: Vec::new() });
        };
        let (mut out, path) = (Folder::at(&options.out), options.out.join(JOURNAL));
        let mut notes = Vec::new();
        let (journal, rows) = match options.resume {
            true if path.symlink_metadata().is_ok() => {
                out.enter()?;
                Journal::resume(&path, identity, self.plan.len())?
            }
            true if FILES.iter().any(|name| options.out.join(name).exists()) => {
                let message = "there is no journal to resume from: the sweep in this folder is finished";
                return Err(Error::Io { path: path.display().to_string(), message: message.into() });
            }
            again => {
                if again {
                    let folder = options.out.display();
                    notes.push(format!("there is no journal in {folder} yet: the sweep begins anew"));
                }
                out.begin_without(&FILES)?;
                (Journal::create(&path, identity)?, Vec::new())
            }
        };
        let (rows, interrupted) = self.make_rows(options, journal, rows, watch)?;
        let table = SweepTable::new(rows);
        if interrupted {
            return Ok(SweepOutcome { table, interrupted, notes, files: vec![path] });
        }
        let title = self.scenario(0)?.title;
        table.write(&options.out.join("sweep.csv"), &self.plan)?;
        out.write("sweep.json", &self.json(&table, title.as_deref()))?;
        out.write("sweep.html", &page::page(self, &table, title.as_deref(), &options.plots))?;
        out.remove(&[JOURNAL])?;
        let files = FILES.iter().map(|name| options.out.join(name)).collect();
        Ok(SweepOutcome { table, interrupted, notes, files })
    }

    /// Makes the runs that have no row yet, and notes each in the journal; returns all rows, and whether the watcher ended the sweep.
    fn make_rows(
        &self,
        options: &SweepOptions,
        mut journal: Journal,
        mut rows: Vec<Row>,
        watch: &mut SweepWatch<'_>,
    ) -> Result<(Vec<Row>, bool), Error> {
        let mut over = vec![false; self.plan.len()];
        rows.iter().for_each(|row| over[row.run] = true);
        let make = |run: usize, watch: &mut run::Watch<'_>| {
            let scenario = self.scenario(run);
            let made = scenario.and_then(|scenario| match options.keep {
                true => run::run(&scenario, &self.folder(run, &options.out), watch),
                false => run::measure(&scenario, watch),
            });
            match made {
                Ok(outcome) if outcome.interrupted => Err(Error::Interrupted),
                Ok(outcome) => Ok(Row::of(run, &outcome)),
                Err(error @ (Error::Interrupted | Error::Io { .. })) => Err(error),
                Err(why) => Ok(Row::refused(run, &why)),
            }
        };
        let work = Work {
            runs: self.plan.len(),
            pending: (0..self.plan.len()).filter(|run| !over[*run]).collect(),
            amiss: rows.iter().filter(|row| row.ending != Ending::Finished).count(),
            jobs: options.jobs,
            make: &make,
        };
        let mut note = |mut row: Row| {
            journal.push(&mut row)?;
            let is_amiss = row.ending != Ending::Finished;
            rows.push(row);
            Ok(is_amiss)
        };
        let interrupted = drive::drive(&work, &mut note, watch)?;
        Ok((rows, interrupted))
    }

    /// The scenario of a run, counted from 0. Errors say which run they are of.
    pub fn scenario(&self, run: usize) -> Result<Scenario, Error> {
        let overrides = whole_first([&self.set[..], &self.plan.overrides(run)].concat());
        self.template.read(&overrides).map_err(|error| self.named(run, error))
    }

    /// The folder of a run that is kept.
    pub(crate) fn folder(&self, run: usize, out: &Path) -> PathBuf {
        let width = self.plan.len().to_string().len().max(4);
        out.join("runs").join(format!("{:0width$}", run + 1))
    }

    /// An error with the run that it is of.
    fn named(&self, run: usize, error: Error) -> Error {
        let Error::Input(mut diagnostic) = error else { return error };
        let place = diagnostic.source.as_ref().and_then(|s| s.name.strip_prefix("--set ").map(String::from));
        if let (Some(source), Some(key)) =
            (&mut diagnostic.source, place.filter(|p| self.plan.keys().any(|k| k == p)))
        {
            std::sync::Arc::make_mut(source).name = format!("run {}, {key}", run + 1);
        }
        let mut which = format!("in run {} of {}: {}", run + 1, self.plan.len(), self.plan.describe(run));
        // One value with a comma in it was perhaps meant as several, in quotes for the sake of a shell.
        let joined = |value: &str| value.contains(',') && !value.contains(['(', '[', '{']);
        if let Some((key, value)) = self.plan.overrides(run).iter().find(|(_, value)| joined(value)) {
            let parts = value.trim_matches(['"', '\'']);
            which +=
                &format!("\n  = quotes make one value of {value}; several are written --over {key}={parts}");
        }
        diagnostic.help = Some(diagnostic.help.map_or(which.clone(), |help| format!("{help}\n  = {which}")));
        Error::Input(diagnostic)
    }

    fn refuse_ambiguous(&self) -> Result<(), Error> {
        match self.set.iter().find(|(key, _)| self.plan.keys().any(|k| k == key)) {
            Some((key, _)) => Err(Diagnostic::new(format!("`{key}` is set and varies"))
                .help(format!("leave out --set {key}: every run has a value of its own"))
                .into()),
            None => Ok(()),
        }
    }

    /// The text of `sweep.json`.
    fn json(&self, table: &SweepTable, title: Option<&str>) -> String {
        let factor = |f: &Factor| json!({ "keys": f.keys, "rows": f.rows });
        let count = |ending| table.count(ending);
        let value = json!({
            "schema": SCHEMA,
            "scenario": self.scenario(0).map_or(String::new(), |s| s.name),
            "title": title,
            "overrides": self.set.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>(),
            "version": env!("CARGO_PKG_VERSION"),
            "factors": self.plan.factors().iter().map(factor).collect::<Vec<_>>(),
            "runs": self.plan.len(),
            "finished": count(Ending::Finished),
            "claim_failed": count(Ending::ClaimFailed),
            "stopped": count(Ending::Stopped),
            "refused": count(Ending::Refused),
            "columns": table.columns(),
        });
        serde_json::to_string_pretty(&value).expect("a plan is plain data") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_value_that_varies_does_not_undo_a_part_that_is_set() {
        let pairs = |text: &[&str]| text.iter().map(|k| (k.to_string(), String::new())).collect::<Vec<_>>();
        let ordered = whole_first(pairs(&["integrator.stages", "step", "end", "integrator", "integrator.x"]));
        assert_eq!(ordered, pairs(&["integrator", "integrator.stages", "step", "end", "integrator.x"]));
        // Names that begin alike are others.
        let apart = pairs(&["parameters.length", "parameters.l"]);
        assert_eq!(whole_first(apart.clone()), apart);
    }
}
