//! A solid in a run: finite elements, moved from row to row.

use super::SolidSystem;
use super::mesh_file;
use super::motion::Look;
use super::picture::Picture;
use super::results::{self, write_frame};
use super::start::{self, PreparedSolid};
use super::step_watch::{NextRow, StepWatch, may_come_from_steps};
use super::survey;
use crate::run::State;
use crate::run::engine::{
    Advanced, Columns, Engine, EngineReport, FinishedRun, Moment, OutputSpec, Outputs, Summary,
};
use crate::run::prepared::PreparedRun;
use crate::run::{End, Progress, ReductionReason};
use crate::scenario::Scenario;
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, Error, RunError};
use stationary::integrate::avi::elapsed;
use std::sync::Arc;

/// A solid in motion.
pub(super) struct SolidEngine {
    pub system: Arc<SolidSystem>,
    /// Times of start and end.
    span: [f64; 2],
    pub built: PreparedSolid,
    pub picture: Option<Picture>,
    /// The row last reached.
    row: u64,
    /// Time since the start that was reached on the way to the next row.
    on_the_way: Option<f64>,
    /// The body at the row last reached.
    seen: Option<Look>,
    /// The body at a row that was judged and is to be looked at.
    judged: Option<Look>,
    pub watch: StepWatch,
    /// The picture at the last good row, where there are pictures between rows.
    good_picture: Option<Picture>,
    /// Wall time spent on moving, in seconds.
    moving: f64,
}

/// Sets the solid of a scenario in motion.
pub(super) fn build(
    scenario: &Scenario,
    system: &Arc<SolidSystem>,
    shows: bool,
) -> Result<PreparedRun, Error> {
    let built = start::build(scenario, system)?;
    let output = &system.output;
    let watch = StepWatch::of(&built, system, output.rows as f64);
    let engine = SolidEngine {
        system: Arc::clone(system),
        span: [scenario.start, scenario.end],
        picture: shows.then(|| Picture::new(scenario, &built, system.output.rows)),
        built,
        row: 0,
        on_the_way: None,
        seen: None,
        judged: None,
        watch,
        good_picture: None,
        moving: 0.0,
    };
    Ok(PreparedRun {
        columns: Columns { state: vec!["t".into()], observed: engine.built.record.columns() },
        outputs: OutputSpec { frames: (output.frames > 0).then_some(output.format), ..OutputSpec::default() },
        moves_between_looks: 1,
        step: None,
        identity: parts(engine.built.body.given),
        description: start::describe(scenario, &engine.built, system),
        engine: Box::new(engine),
    })
}

/// What decides the bits of a run besides its text: what was given, and where nodes and elements of a large mesh stand in a checkpoint.
pub(super) fn parts(given: u64) -> Vec<Vec<u8>> {
    vec![given.to_le_bytes().to_vec(), b"Hilbert".to_vec()]
}

impl Persist for SolidEngine {
    fn pass(&mut self, archive: &mut Archive) {
        // First of all the motion: a simulation goes on from it alone.
        archive.pass(&mut self.built.motion).pass(&mut self.built.record).pass(&mut self.built.guard);
        archive.pass(&mut self.built.growth).pass(&mut self.row).pass(&mut self.moving);
        self.watch.pass(archive, &self.built.motion);
    }
}

impl Engine for SolidEngine {
    fn pictures(&mut self) -> Option<&mut dyn Persist> {
        self.picture.as_mut().map(|picture| picture as _)
    }

    /// Moves towards the time of the next row in stretches short enough to watch.
    fn advance(&mut self) -> Result<Advanced, RunError> {
        let rows = self.system.output.rows;
        if self.row == rows {
            return Ok(Advanced::Over);
        }
        let next = self.row + 1;
        let goal = self.time_of(next);
        let at = self.on_the_way.unwrap_or_else(|| self.built.motion.elapsed().min(goal));
        let [start, end] = self.span;
        let part = |rows_done: f64| (end - start) * (rows_done / rows as f64);
        let between = self.picture.as_ref().and_then(|p| p.between(next, at, part)).unwrap_or(goal);
        let (reached, took) = self.built.stretch_on(at, between.min(goal));
        self.moving += took.as_secs_f64();
        let at = match reached {
            Ok(at) => at,
            Err(error) => return self.retry(error),
        };
        if at >= between && between < goal {
            self.take_picture_between_rows();
        }
        if at < goal {
            self.on_the_way = Some(at);
            return Ok(Advanced::Partway);
        }
        if self.watch.acts()
            && let Some(moved) = self.judge()?
        {
            return Ok(moved);
        }
        self.on_the_way = None;
        self.row = next;
        // Steps longer than the distance of rows give a moment several times.
        if self.built.record.is_new(self.built.motion.elapsed()) {
            return Ok(Advanced::Moment);
        }
        Ok(if next == rows { Advanced::Over } else { Advanced::Partway })
    }

    fn look(&mut self) -> Result<Moment, Cause> {
        let built = &mut self.built;
        let look = match self.judged.take() {
            Some(look) => look,
            None => built.motion.look().map_err(|error| error.cause)?,
        };
        built.see_energy(&look)?;
        built.record.see(&built.motion, &built.body, &look)?;
        built.record.require_numbers()?;
        let scale = built.record.energy_scale();
        built.growth.see((&built.motion, &built.body.problem), &look, scale);
        self.watch.accept(&mut built.motion, &built.growth, &look);
        if let Some(picture) = self.picture.as_mut().filter(|p| p.wants(self.row)) {
            picture.take(built, &look);
        }
        self.good_picture = self.picture.as_ref().filter(|p| p.has_between() && self.watch.acts()).cloned();
        let moment = Moment {
            number: self.row,
            time: look.t,
            moves: built.motion.moves(),
            is_row: true,
            is_last: self.row == self.system.output.rows,
        };
        self.seen = Some(look);
        Ok(moment)
    }

    fn state(&self) -> State {
        let (t, q, v) = match &self.seen {
            Some(look) => (look.t, look.x.clone(), look.v.clone()),
            None => (self.span[0], self.built.body.x.clone(), self.built.body.v.clone()),
        };
        State { t, q, v, p: Vec::new() }
    }

    fn row(&self, row: &mut Vec<f64>) {
        row.extend_from_slice(self.built.record.now());
    }

    fn write(&mut self, outputs: &mut Outputs) -> Result<(), Error> {
        let output = &self.system.output;
        let frames =
            outputs.frames.as_mut().filter(|f| is_frame(self.row, output.rows, output.frames, f.count()));
        match (frames, &self.seen) {
            (Some(frames), Some(look)) => write_frame(frames, &self.built, look),
            _ => Ok(()),
        }
    }

    fn survey(&self, scenario: &Scenario) -> Result<Vec<(&'static str, String)>, Error> {
        let (mesh, _) = mesh_file::mesh(scenario, &self.system)?;
        Ok(survey::lines(&mesh))
    }

    fn progress(&self) -> Progress {
        let [start, end] = self.span;
        let at = self.on_the_way.unwrap_or_else(|| self.time_of(self.row));
        Progress {
            step: (at / (end - start) * 1e6) as u64,
            steps: 1_000_000,
            time: start + at,
            end,
            energy_error: self.built.record.energy_error(),
            moves: self.built.motion.moves(),
            impacts: None,
            growth: self.built.growth.largest(),
            reductions: self.watch.reductions().len() as u64,
            reduction: self.watch.reductions().last().copied(),
        }
    }

    fn summary(&self, end: &End) -> Summary {
        results::summary(&self.built, &self.watch, end.time - self.span[0], self.moving)
    }

    fn report(&self, finished: &FinishedRun<'_>) -> EngineReport {
        results::report(self, finished)
    }
}

impl SolidEngine {
    /// The time of a row since the start, whose digits do not depend on when that was.
    fn time_of(&self, row: u64) -> f64 {
        let [start, end] = self.span;
        let rows = self.system.output.rows;
        if row == rows { elapsed(start, end) } else { (end - start) * (row as f64 / rows as f64) }
    }

    /// Judges the row that was reached before anybody sees it: whether the run goes back and continues with shorter steps.
    fn judge(&mut self) -> Result<Option<Advanced>, RunError> {
        let built = &mut self.built;
        let look = match built.motion.look() {
            Ok(look) => look,
            Err(error) => return self.retry(error).map(Some),
        };
        if let Err(cause) = built.judge_energy(&look) {
            let error = RunError { time: built.motion.time(), step: built.motion.moves(), cause };
            return self.retry(error).map(Some);
        }
        let energy = (built.record.energy_scale(), built.energy_growth(&look));
        if let Some(reason) = self.watch.judge(&built.growth, &look, energy) {
            if self.go_back(reason)? {
                return Ok(Some(Advanced::Partway));
            }
            self.watch.go_on_after(reason);
        }
        self.judged = Some(look);
        Ok(None)
    }

    /// After a fault on the way to a row: goes back and tries again with shorter steps, unless that did not help before.
    fn retry(&mut self, error: RunError) -> Result<Advanced, RunError> {
        if may_come_from_steps(&error.cause) && self.go_back(ReductionReason::Fault)? {
            return Ok(Advanced::Partway);
        }
        Err(self.watch.explain(error))
    }

    /// Goes back to the last good row, and on from there with shorter steps; false where that is of no more use.
    fn go_back(&mut self, reason: ReductionReason) -> Result<bool, RunError> {
        let until = self.time_of(self.row + 1);
        let built = &mut self.built;
        let next = NextRow { growth: &built.growth, scale: built.record.energy_scale(), until };
        let goes_back = self.watch.go_back((&mut built.motion, &built.body), reason, &next);
        if goes_back != Ok(false) {
            self.has_gone_back();
        }
        goes_back.map_err(|_| self.built.interrupted())
    }

    fn has_gone_back(&mut self) {
        self.built.growth.restart();
        self.on_the_way = None;
        if self.good_picture.is_some() {
            self.picture.clone_from(&self.good_picture);
        }
    }

    /// Takes a picture between two rows. What cannot be seen there is not in the picture, and that is all: a run must not
    /// depend on who looks.
    fn take_picture_between_rows(&mut self) {
        if let (Some(picture), Ok(look)) = (&mut self.picture, self.built.motion.look()) {
            picture.take(&self.built, &look);
        }
    }
}

/// Frames are spread evenly over the rows, the first and the last among them; `written` there are already.
fn is_frame(row: u64, rows: u64, frames: u64, written: usize) -> bool {
    u128::from(row) * u128::from(frames) / u128::from(rows) >= written as u128
}

#[cfg(test)]
mod tests {
    #[test]
    fn frames_are_spread_over_the_rows() {
        for (rows, frames) in [(500, 20), (7, 3), (10, 10), (3, 1)] {
            let mut chosen: Vec<u64> = Vec::new();
            for row in 0..=rows {
                if super::is_frame(row, rows, frames, chosen.len()) {
                    chosen.push(row);
                }
            }
            assert_eq!(chosen.len() as u64, frames + 1);
            assert_eq!((chosen[0], chosen[chosen.len() - 1]), (0, rows));
        }
    }
}
