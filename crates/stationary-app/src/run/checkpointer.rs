//! Checkpoints of runs of every kind: when they are due, what all of them hold, and what `--resume` finds.

use super::RunOutcome;
use super::engine::Columns;
use super::finish::drop_csv;
use crate::scenario::{Scenario, claim};
use serde_json::Value;
use stationary::error::Error;
use stationary_report::checkpoint::{CHECKPOINT, Checkpoint, identity};
use stationary_report::files;
use stationary_report::{Folder, InMemoryResults, Series, Table};
use std::time::Instant;

/// Writes the checkpoints of a run, and finds the one to go on from.
pub(crate) struct Checkpointer {
    pub out: Folder,
    /// What to go on from, until it has been used.
    pub from: Option<Checkpoint>,
    /// What the user is told besides.
    pub notes: Vec<String>,
    identity: u64,
    /// Seconds between checkpoints.
    every: f64,
    saved: Instant,
    clock: Instant,
    /// Wall time of earlier parts of the run.
    before: f64,
}

/// What was found in the folder of a run.
pub(crate) enum Opened {
    /// The run begins, or goes on.
    Run(Checkpointer),
    /// It was over before, and this came of it.
    Finished(Box<RunOutcome>),
}

impl Checkpointer {
    /// Enters the folder of a run. With `resume` the run goes on from the checkpoint there; where there is none yet it begins. `clock` is
    /// when this part of the run began, `parts` is what decides its bits besides the scenario.
    pub fn open(
        scenario: &Scenario,
        out: &Folder,
        resume: bool,
        clock: Instant,
        parts: &[Vec<u8>],
    ) -> Result<Opened, Error> {
        let mut checkpointer = Checkpointer {
            out: out.clone(),
            from: None,
            notes: Vec::new(),
            identity: identify(scenario, parts),
            every: scenario.output.checkpoint,
            saved: Instant::now(),
            clock,
            before: 0.0,
        };
        checkpointer.out.enter()?;
        if !resume {
            return Ok(Opened::Run(checkpointer));
        }
        checkpointer.from = checkpointer.find()?;
        if let Some(checkpoint) = &checkpointer.from {
            checkpointer.before = checkpoint.take_floats("run.seconds", Some(1))?[0];
        } else if let Some(outcome) = checkpointer.over()? {
            drop_csv(scenario, &checkpointer.out)?;
            return Ok(Opened::Finished(Box::new(outcome)));
        } else {
            let folder = checkpointer.out.path().map_or(String::new(), |p| format!(" in {}", p.display()));
            checkpointer.notes.push(format!("there is no checkpoint{folder} yet: the run begins anew"));
        }
        Ok(Opened::Run(checkpointer))
    }

    /// The checkpoint in the folder, if there is one; it must be of this run.
    fn find(&self) -> Result<Option<Checkpoint>, Error> {
        let Some(file) = self.out.file(CHECKPOINT).filter(|f| f.symlink_metadata().is_ok()) else {
            return Ok(None);
        };
        let found = Checkpoint::load(&file).map_err(|error| match error {
            Error::Io { path, message } => {
                Error::Io { path, message: format!("{message}; without --resume the run begins anew") }
            }
            other => other,
        })?;
        found.expect_identity(self.identity)?;
        Ok(Some(found))
    }

    /// What came of this run, where it was over before; results of another one are not overwritten by resuming this.
    fn over(&self) -> Result<Option<RunOutcome>, Error> {
        let Some(file) = self.out.file("summary.json") else { return Ok(None) };
        let Ok(text) = files::read(&file, files::LONGEST_RESULT) else { return Ok(None) };
        let summary: Value = serde_json::from_slice(&text).unwrap_or(Value::Null);
        let fault = |message: &str| Error::Io { path: file.display().to_string(), message: message.into() };
        if summary["identity"] != self.name() {
            return Err(fault(
                "there is no checkpoint to resume from, and these are the results of another run: name the folder of \
                 this one with --out, or run it without --resume",
            ));
        }
        if let Some(reason) = summary["stopped"]["reason"].as_str() {
            return Err(fault(&format!("there is nothing to resume: the run {reason}")));
        }
        if summary["finished"] != true {
            return Ok(None);
        }
        let mut in_memory = InMemoryResults::default();
        if let (true, Some(csv)) = (self.out.keeps(), self.out.file("series.csv").filter(|f| f.is_file())) {
            in_memory.series = Some(Table::read(&csv)?);
        }
        let claims = summary["claims"].as_array().into_iter().flatten().map(judged).collect();
        Ok(Some(RunOutcome {
            claims,
            conserved: Vec::new(),
            stopped: None,
            interrupted: false,
            warnings: Vec::new(),
            notes: vec!["this run is finished: nothing was left to do".into()],
            files: vec![file],
            in_memory,
            summary,
        }))
    }

    /// The identity of the run as its summary has it.
    pub fn name(&self) -> String {
        format!("{:016x}", self.identity)
    }

    /// Wall time of the whole run so far.
    pub fn seconds(&self) -> f64 {
        self.before + self.clock.elapsed().as_secs_f64()
    }

    /// Whether a checkpoint should be written.
    pub fn is_due(&self) -> bool {
        self.out.path().is_some() && self.saved.elapsed().as_secs_f64() >= self.every
    }

    /// Writes a checkpoint of what `fill` puts into it. What it returns from is on the disk.
    pub fn save(&mut self, fill: impl FnOnce(&mut Checkpoint) -> Result<(), Error>) -> Result<(), Error> {
        let Some(file) = self.out.file(CHECKPOINT) else { return Ok(()) };
        let mut checkpoint = Checkpoint::new(self.identity);
        checkpoint.floats("run.seconds", &[self.seconds()]);
        fill(&mut checkpoint)?;
        checkpoint.save(&file)?;
        self.saved = Instant::now();
        Ok(())
    }

    /// Begins `series.csv`, and the folder with it; or goes on with it.
    pub fn series(&mut self, columns: &Columns) -> Result<Series, Error> {
        if self.from.is_none() {
            self.out.begin()?;
        }
        let Columns { state, observed } = columns;
        self.out.series((state.clone(), observed.clone()), self.from.as_ref())
    }

    /// All is restored: what a run that was broken off said last is taken back.
    pub fn go_on(&mut self) -> Result<(), Error> {
        match self.from.take() {
            None => Ok(()),
            Some(_) => {
                self.out.tidy()?;
                self.out.remove(&["summary.json", "report.html", "series.parquet"])
            }
        }
    }
}

/// A claim as the summary tells it.
fn judged(claim: &Value) -> claim::CheckedClaim {
    let text = |key: &str| claim[key].as_str().unwrap_or_default().to_string();
    claim::CheckedClaim {
        text: text("claim"),
        holds: claim["holds"] == true,
        measured: claim["measured"].as_f64(),
        reason: text("reason"),
    }
}

/// A number for all that decides the bits of a run.
pub(crate) fn identify(scenario: &Scenario, parts: &[Vec<u8>]) -> u64 {
    // These do not.
    let decides = |(key, _): &&(String, String)| {
        !["integrator.threads", "output.checkpoint", "output.series"].contains(&key.as_str())
    };
    let overrides: String =
        scenario.overrides.iter().filter(decides).map(|(k, v)| format!("{k}={v}\n")).collect();
    let mut all =
        vec![env!("CARGO_PKG_VERSION").as_bytes(), scenario.source.text.as_bytes(), overrides.as_bytes()];
    all.extend(parts.iter().map(Vec::as_slice));
    identity(&all)
}
