//! Solids: the loop from row to row, with frames and checkpoints on the way.

mod build;
mod given;
mod growth;
mod limit;
mod material;
mod motion;
mod picture;
mod record;
mod results;
mod simulation;
mod start;
mod steps;

use super::keep::Keeper;
use super::{End, Outcome, Progress, TICK, Watch, prepare};
use crate::scenario::{Scenario, SolidSystem};
use growth::Growth;
use picture::Picture;
use results::write_frame;
use start::Built;
use stationary::error::{Cause, Error, RunError};
use stationary::integrate::avi::elapsed;
use stationary_report::failpoint;
use stationary_report::frames::Frames;
use stationary_report::{Folder, Series};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

pub(super) use build::mesh_bytes;
pub(super) use material::CONSTANTS;
pub use simulation::{Simulation, View};
pub(super) use start::check;

/// See [`super::run`] and [`super::resume`].
pub(super) fn run(
    scenario: &Scenario,
    system: &SolidSystem,
    into: (&Folder, bool),
    watch: &mut Watch<'_>,
) -> Result<Outcome, Error> {
    let clock = Instant::now();
    let mut built = prepare(|| start::build(scenario, system))?;
    results::check_claims(scenario, &built)?;
    let given = built.body.given.to_le_bytes();
    Keeper::open(scenario, into, clock, &parts(&given), |keeper| {
        let (mut run, row) = Run::begin(scenario, system, &mut built, keeper)?;
        let end = run.drive(&mut built, row, watch)?;
        results::finish(scenario, &built, run, end)
    })
}

/// What decides the bits of a run besides its text: what was given, and where nodes and elements of a large mesh stand in a checkpoint.
fn parts(given: &[u8; 8]) -> [&[u8]; 2] {
    [given, b"Hilbert"]
}

/// The results folder of a run, and how far it is.
struct Run<'a> {
    scenario: &'a Scenario,
    system: &'a SolidSystem,
    keeper: Keeper,
    series: Series,
    frames: Option<Frames>,
    picture: Option<Picture>,
    /// Wall time spent on moving, in earlier parts of a resumed run and in this one.
    before: f64,
    moving: Duration,
    /// Time and moves at the last row.
    last: (f64, u64),
}

impl<'a> Run<'a> {
    /// Begins, or goes on from the checkpoint; returns the first row still to be written.
    fn begin(
        scenario: &'a Scenario,
        system: &'a SolidSystem,
        built: &mut Built,
        mut keeper: Keeper,
    ) -> Result<(Self, u64), Error> {
        let (mut row, mut kept, mut before, mut last) = (0, 0, 0.0, (scenario.start, 0));
        if let Some(checkpoint) = &keeper.from {
            let progress = checkpoint.take_counts("run.progress", Some(3))?;
            (row, kept) = (progress[0], progress[1] as usize);
            let times = checkpoint.take_floats("run.times", Some(2))?;
            (before, last) = (times[0], (times[1], progress[2]));
            built.motion.restore(checkpoint)?;
            built.record.restore(checkpoint)?;
            let energies = checkpoint.take_floats("energy_guard", Some(5))?;
            built.guard.restore(energies.first_chunk().expect("the length was checked"));
            let growth = checkpoint.take_floats("growth", None)?;
            built.growth = Growth::restore(&growth)
                .ok_or_else(|| checkpoint.fault("the past of its energy is not what such a run writes"))?;
        }
        let shows = keeper.out.shows();
        let mut picture = shows.then(|| Picture::new(scenario, built, system.output.rows));
        if let (Some(picture), Some(checkpoint)) = (&mut picture, &keeper.from) {
            picture.restore(checkpoint)?;
        }
        let series = keeper.series((vec!["t".into()], built.record.columns()))?;
        let frames = match (keeper.out.path(), keeper.out.keeps()) {
            _ if system.output.frames == 0 => None,
            (None, false) => None,
            (None, true) => Some(Frames::unwritten().kept()),
            (Some(path), false) => Some(Frames::create(path, system.output.format, kept)?),
            (Some(path), true) => Some(Frames::create(path, system.output.format, kept)?.kept()),
        };
        keeper.go_on()?;
        keeper.notes.extend(built.body.notes.iter().cloned());
        let moving = Duration::ZERO;
        Ok((Run { scenario, system, keeper, series, frames, picture, before, moving, last }, row))
    }

    /// Wall time of the whole run, and the part spent on moving.
    fn seconds(&self) -> [f64; 2] {
        [self.keeper.seconds(), self.before + self.moving.as_secs_f64()]
    }

    /// The loop: move to the time of the next row, look, write.
    fn drive(&mut self, built: &mut Built, first: u64, watch: &mut Watch<'_>) -> Result<End, Error> {
        let rows = self.system.output.rows;
        let (time, step) = self.last;
        let mut end = End { stopped: None, interrupted: false, time, step };
        for row in first..=rows {
            match self.advance(built, row, watch)? {
                Step::Reached => {}
                Step::Interrupted => {
                    self.checkpoint(built, row)?;
                    end.interrupted = true;
                    break;
                }
                Step::Failed(error) => {
                    end.stopped = Some(error);
                    break;
                }
            }
            if row > 0 && !built.record.is_new(built.motion.elapsed()) {
                continue;
            }
            let seen = built.motion.look().and_then(|look| {
                built.see_energy(&look, self.last)?;
                built.record.see(&built.motion, &look)?;
                built.record.require_numbers(self.last)?;
                let scale = built.record.energy_scale();
                built.growth.see((&built.motion, &built.body.problem), &look, scale);
                Ok(look)
            });
            let look = match seen {
                Ok(look) => look,
                Err(error) => {
                    end.stopped = Some(error);
                    break;
                }
            };
            let values = built.record.now();
            self.series.push(values)?;
            self.series.keep(row, values);
            (end.time, end.step) = (look.t, built.motion.moves());
            self.last = (end.time, end.step);
            let wanted = self.system.output.frames;
            if let Some(frames) = self.frames.as_mut().filter(|f| is_frame(row, rows, wanted, f.count())) {
                write_frame(frames, built, &look)?;
            }
            if let Some(picture) = self.picture.as_mut().filter(|p| p.wants(row)) {
                picture.take(built, &look);
            }
            if row < rows && self.keeper.due() {
                self.checkpoint(built, row + 1)?;
            }
        }
        self.series.flush()?;
        Ok(end)
    }

    /// Moves to the time of a row in stretches short enough to watch.
    fn advance(&mut self, built: &mut Built, row: u64, watch: &mut Watch<'_>) -> Result<Step, Error> {
        let (start, end, rows) = (self.scenario.start, self.scenario.end, self.system.output.rows);
        // In time since the start, whose digits do not depend on it.
        let part = |rows_done: f64| (end - start) * (rows_done / rows as f64);
        let goal = if row == rows { elapsed(start, end) } else { part(row as f64) };
        let mut at = built.motion.elapsed().min(goal);
        loop {
            let between = self.picture.as_ref().and_then(|p| p.between(row, at, part)).unwrap_or(goal);
            let (reached, took) = built.stretch_on(at, between.min(goal));
            self.moving += took;
            at = match reached {
                Ok(at) => at,
                Err(RunError { cause: Cause::Interrupted, .. }) => return Ok(Step::Interrupted),
                Err(error) => return Ok(Step::Failed(error)),
            };
            if at >= between && between < goal {
                self.glance(built);
            }
            if failpoint::is_due(built.told, TICK) || (row == rows && at >= goal) {
                built.told = Instant::now();
                self.series.flush()?;
                let energy_error = built.record.energy_error();
                let progress = Progress {
                    step: (at / (end - start) * 1e6) as u64,
                    steps: 1_000_000,
                    time: start + at,
                    end,
                    energy_error,
                    moves: built.motion.moves(),
                    impacts: None,
                    growth: built.growth.largest(),
                };
                if watch(&progress) == ControlFlow::Break(()) && !(row == rows && at >= goal) {
                    return Ok(Step::Interrupted);
                }
                if at < goal && self.keeper.due() {
                    self.checkpoint(built, row)?;
                }
            }
            if at >= goal {
                return Ok(Step::Reached);
            }
        }
    }

    /// Takes a picture between two rows. What cannot be seen there is not in the picture, and that is all: a run must not
    /// depend on who looks.
    fn glance(&mut self, built: &Built) {
        if let (Some(picture), Ok(look)) = (&mut self.picture, built.motion.look()) {
            picture.take(built, &look);
        }
    }

    /// Saves all that a resumed run needs; `row` is the next to be written.
    fn checkpoint(&mut self, built: &Built, row: u64) -> Result<(), Error> {
        let (frames, moving) = (self.frames.as_ref().map_or(0, Frames::count) as u64, self.seconds()[1]);
        let (series, picture, (time, step)) = (&mut self.series, &self.picture, self.last);
        self.keeper.save(|checkpoint| {
            checkpoint.counts("run.progress", &[row, frames, step]).floats("run.times", &[moving, time]);
            built.motion.save(checkpoint);
            built.record.save(checkpoint);
            checkpoint.floats("energy_guard", &built.guard.save());
            checkpoint.floats("growth", &built.growth.save());
            if let Some(picture) = picture {
                picture.save(checkpoint);
            }
            series.save(checkpoint)
        })
    }
}

enum Step {
    Reached,
    Interrupted,
    Failed(RunError),
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
