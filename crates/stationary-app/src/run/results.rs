//! The results of a run: the series and other tables during the run, checkpoints at intervals, summary and page at the end.

use super::checkpointer::Checkpointer;
use super::engine::{Engine, FinishedRun, Moment, OutputSpec, Outputs};
use super::finish::{Ending, finish, head, to_json};
use super::prepared::PreparedRun;
use super::{End, RunOutcome};
use crate::scenario::Scenario;
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, Error, RunError};
use stationary::observe::Record;
use stationary_report::checkpoint::Checkpoint;
use stationary_report::frames::Frames;
use stationary_report::{Folder, Series};

/// The results of a run that is under way.
pub(crate) struct Results<'a> {
    scenario: &'a Scenario,
    checkpointer: Checkpointer,
    series: Series,
    outputs: Outputs,
    last: Last,
}

/// The last good moment. If the next one fails, it becomes the last row of the series.
pub(crate) struct Last {
    /// Whether there was one.
    seen: bool,
    /// The moment as a row of the series.
    pub row: Vec<f64>,
    is_written: bool,
    time: f64,
    moves: u64,
}

impl Last {
    /// For a run that begins at a time, before its first moment.
    pub fn new(start: f64) -> Self {
        Last { seen: false, row: Vec::new(), is_written: true, time: start, moves: 0 }
    }

    /// Takes the moment that observers have just seen.
    pub fn see(&mut self, engine: &dyn Engine, moment: &Moment) {
        self.row.clear();
        engine.row(&mut self.row);
        self.seen = true;
        self.is_written = moment.is_row || moment.is_last;
        self.time = moment.time;
        self.moves = moment.moves;
    }
}

impl Persist for Last {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.seen).pass(&mut self.row).pass(&mut self.is_written);
        archive.pass(&mut self.time).pass(&mut self.moves);
    }
}

impl<'a> Results<'a> {
    /// Begins the results of a run, or goes on with them from the checkpoint, which sets the state of the engine.
    pub fn open(
        scenario: &'a Scenario,
        prepared: &mut PreparedRun,
        mut checkpointer: Checkpointer,
    ) -> Result<Self, Error> {
        let engine = &mut *prepared.engine;
        let mut last = Last::new(scenario.start);
        if let Some(from) = &checkpointer.from {
            from.take_state("last", |archive| _ = archive.pass(&mut last))?;
            from.take_state("state", |archive| _ = archive.pass(engine))?;
            if let Some(pictures) = engine.pictures() {
                from.take_state("pictures", |archive| _ = archive.pass(pictures))?;
            }
        }
        let series = checkpointer.series(&prepared.columns)?;
        let outputs = Outputs::open(&prepared.outputs, &checkpointer.out, checkpointer.from.as_ref())?;
        checkpointer.go_on()?;
        Ok(Results { scenario, checkpointer, series, outputs, last })
    }

    /// Whether no moment has been seen yet.
    pub fn is_empty(&self) -> bool {
        !self.last.seen
    }

    /// Takes a moment that observers have seen; returns whether it is the last.
    pub fn take(&mut self, engine: &mut dyn Engine, moment: &Moment) -> Result<bool, Error> {
        // Also moments that are no row: if the next one fails, this is the last good one.
        self.last.see(engine, moment);
        let last = &self.last;
        if last.is_written {
            self.series.push(&last.row)?;
        }
        self.series.record(moment.number, &last.row);
        engine.write(&mut self.outputs)?;
        Ok(moment.is_last)
    }

    /// The error of a run in which observers failed at the moment after the last good one.
    pub fn stopped_by(&self, cause: Cause) -> RunError {
        RunError { time: self.last.time, step: self.last.moves, cause }
    }

    /// Whether a checkpoint should be written.
    pub fn is_checkpoint_due(&self) -> bool {
        self.checkpointer.is_due()
    }

    /// Writes a checkpoint.
    pub fn checkpoint(&mut self, engine: &mut dyn Engine) -> Result<(), Error> {
        self.flush()?;
        let Results { checkpointer, series, outputs, last, .. } = self;
        checkpointer.save(|checkpoint| {
            checkpoint.state("last", |archive| _ = archive.pass(last));
            checkpoint.state("state", |archive| _ = archive.pass(engine));
            if let Some(pictures) = engine.pictures() {
                checkpoint.state("pictures", |archive| _ = archive.pass(pictures));
            }
            series.save(checkpoint)?;
            outputs.save(checkpoint)
        })
    }

    /// Brings the files up to date.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.series.flush()?;
        self.outputs.flush()
    }

    /// Writes the last good moment, unless it is a row already.
    pub fn write_last_row(&mut self) -> Result<(), Error> {
        if !self.last.is_written {
            self.series.push(&self.last.row)?;
            self.last.is_written = true;
        }
        self.flush()
    }

    /// How the loop ended.
    pub fn end(&self, stopped: Option<RunError>, interrupted: bool) -> End {
        End { stopped, interrupted, time: self.last.time, step: self.last.moves }
    }

    /// Writes summary and page.
    pub fn finish(mut self, engine: &mut dyn Engine, mut end: End) -> Result<RunOutcome, Error> {
        if let Some(cause) = engine.conclude(&mut self.outputs)?
            && end.stopped.is_none()
        {
            end.stopped = Some(self.stopped_by(cause));
        }
        self.flush()?;
        let seconds = self.checkpointer.seconds();
        let summary = summary(self.scenario, engine, &end, self.series.rows(), seconds);
        let findings = engine.report(&FinishedRun {
            scenario: self.scenario,
            end: &end,
            summary: &summary,
            series: &self.series,
            outputs: &self.outputs,
            seconds,
            shows: self.checkpointer.out.shows(),
        });
        finish(Ending {
            scenario: self.scenario,
            checkpointer: self.checkpointer,
            series: self.series,
            outputs: self.outputs,
            summary,
            findings,
            end,
        })
    }
}

impl Outputs {
    /// Begins the files, or goes on with them.
    pub fn open(spec: &OutputSpec, out: &Folder, from: Option<&Checkpoint>) -> Result<Self, Error> {
        let section = match &spec.section {
            Some(columns) => Some(out.table("sections.csv", (columns.clone(), Vec::new()), from)?),
            None => None,
        };
        let impacts = match spec.impacts {
            Some(columns) => Some(out.events("impacts.csv", columns, from)?),
            None => None,
        };
        let written = match from {
            Some(checkpoint) if spec.frames.is_some() => {
                checkpoint.take_counts("frames", Some(1))?[0] as usize
            }
            _ => 0,
        };
        let frames = match (spec.frames, out.path(), out.keeps()) {
            (None, _, _) | (_, None, false) => None,
            (Some(_), None, true) => Some(Frames::unwritten().in_memory()),
            (Some(format), Some(path), false) => Some(Frames::create(path, format, written)?),
            (Some(format), Some(path), true) => Some(Frames::create(path, format, written)?.in_memory()),
        };
        Ok(Outputs { section, impacts, frames })
    }

    fn save(&mut self, checkpoint: &mut Checkpoint) -> Result<(), Error> {
        if let Some(section) = &mut self.section {
            section.save(checkpoint)?;
        }
        if let Some(impacts) = &mut self.impacts {
            impacts.save(checkpoint)?;
        }
        if let Some(frames) = &self.frames {
            checkpoint.counts("frames", &[frames.count() as u64]);
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        if let Some(section) = &mut self.section {
            section.flush()?;
        }
        if let Some(impacts) = &mut self.impacts {
            impacts.flush()?;
        }
        Ok(())
    }
}

/// All keys of the summary except claims and warnings.
fn summary(scenario: &Scenario, engine: &dyn Engine, end: &End, rows: u64, seconds: f64) -> Record {
    let own = engine.summary(end);
    let mut summary = head(scenario, &own, end, rows, seconds);
    summary.merge(own.keys);
    summary
}

/// Refuses, before the run, claims about keys that its summary will not have.
pub(crate) fn check_claims(scenario: &Scenario, engine: &dyn Engine) -> Result<(), Error> {
    let end = End { stopped: None, interrupted: false, time: scenario.start, step: 0 };
    let keys = to_json(&summary(scenario, engine, &end, 0, 0.0));
    scenario.claims.iter().try_for_each(|claim| Ok(claim.check(&keys)?))
}
