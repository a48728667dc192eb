//! Solids: the loop from row to row, with frames and checkpoints on the way.

mod build;
mod growth;
mod material;
mod motion;
mod record;
mod results;
mod start;
mod steps;

use super::{End, Outcome, Progress, TICK, Watch};
use crate::error::{Error, RunError};
use crate::report::checkpoint::{CHECKPOINT, Checkpoint, identity};
use crate::report::frames::Frames;
use crate::report::{Folder, Series};
use crate::scenario::{Scenario, SolidSystem};
use growth::Growth;
use results::write_frame;
use start::Built;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

pub(super) use build::mesh_bytes;
pub(super) use material::CONSTANTS;
pub(super) use start::check;

/// See [`super::run`] and [`super::resume`].
pub(super) fn run(
    scenario: &Scenario,
    system: &SolidSystem,
    out: &Folder,
    resume: bool,
    watch: &mut Watch<'_>,
) -> Result<Outcome, Error> {
    let clock = Instant::now();
    let mut built = start::build(scenario, system)?;
    results::check_claims(scenario, &built)?;
    let (mut run, row) = match resume {
        false => Run::create(scenario, system, &built, out)?,
        true => Run::resume(scenario, system, &mut built, out)?,
    };
    run.clock = clock;
    let end = run.drive(&mut built, row, watch)?;
    results::finish(scenario, &built, run, end)
}

/// The results folder of a run, and how far it is.
struct Run<'a> {
    scenario: &'a Scenario,
    system: &'a SolidSystem,
    out: Folder,
    series: Series,
    frames: Option<Frames>,
    /// Wall time of earlier parts of a resumed run; of these the part spent on moving.
    before: [f64; 2],
    moving: Duration,
    clock: Instant,
    saved: Instant,
    identity: u64,
}

impl<'a> Run<'a> {
    fn create(
        scenario: &'a Scenario,
        system: &'a SolidSystem,
        built: &Built,
        out: &Folder,
    ) -> Result<(Self, u64), Error> {
        out.begin()?;
        let series = out.series(vec!["t".into()], built.record.columns())?;
        let path = out.path().filter(|_| system.output.frames > 0);
        let frames = path.map(|path| Frames::create(path, 0)).transpose()?;
        Ok((Self::new(scenario, system, built, out, series, frames), 0))
    }

    fn new(
        scenario: &'a Scenario,
        system: &'a SolidSystem,
        built: &Built,
        out: &Folder,
        series: Series,
        frames: Option<Frames>,
    ) -> Self {
        let now = Instant::now();
        Run {
            scenario,
            system,
            out: out.clone(),
            series,
            frames,
            before: [0.0; 2],
            moving: Duration::ZERO,
            clock: now,
            saved: now,
            identity: identify(scenario, built),
        }
    }

    /// Goes on from the checkpoint in the folder; returns the first row still to be written.
    fn resume(
        scenario: &'a Scenario,
        system: &'a SolidSystem,
        built: &mut Built,
        folder: &Folder,
    ) -> Result<(Self, u64), Error> {
        let out = folder.path().unwrap_or(Path::new(""));
        let path = out.join(CHECKPOINT);
        if !path.exists() {
            let message = "there is no checkpoint to resume from: the run is finished, or never began".into();
            return Err(Error::Io { path: path.display().to_string(), message });
        }
        let checkpoint = Checkpoint::load(&path)?;
        checkpoint.expect_identity(identify(scenario, built))?;
        let progress = checkpoint.take_counts("run.progress", Some(2))?;
        built.motion.restore(&checkpoint)?;
        built.record.restore(&checkpoint)?;
        let growth = checkpoint.take_floats("growth", None)?;
        built.growth = Growth::restore(&growth)
            .ok_or_else(|| checkpoint.fault("the past of its energy is not what such a run writes"))?;
        let columns = built.record.columns();
        let series = Series::resume(&out.join("series.csv"), vec!["t".into()], columns, &checkpoint)?;
        let frames =
            (system.output.frames > 0).then(|| Frames::create(out, progress[1] as usize)).transpose()?;
        folder.remove(&["summary.json", "report.html"])?;
        let mut run = Self::new(scenario, system, built, folder, series, frames);
        run.before = checkpoint.take_floats("run.seconds", Some(2))?.try_into().expect("two numbers");
        Ok((run, progress[0]))
    }

    /// Wall time of the whole run, and the part spent on moving.
    fn seconds(&self) -> [f64; 2] {
        [self.before[0] + self.clock.elapsed().as_secs_f64(), self.before[1] + self.moving.as_secs_f64()]
    }

    /// The loop: move to the time of the next row, look, write.
    fn drive(&mut self, built: &mut Built, first: u64, watch: &mut Watch<'_>) -> Result<End, Error> {
        let rows = self.system.output.rows;
        let mut end = End { stopped: None, interrupted: false, time: self.scenario.start, step: 0 };
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
            if row > 0 && !built.record.is_new(built.motion.time()) {
                continue;
            }
            let seen = built.motion.look().and_then(|look| {
                built.record.see(&built.motion, &look)?;
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
            let wanted = self.system.output.frames;
            if let Some(frames) = self.frames.as_mut().filter(|f| is_frame(row, rows, wanted, f.count())) {
                write_frame(frames, built, &look)?;
            }
            if row < rows && self.saved.elapsed().as_secs_f64() >= self.system.output.checkpoint {
                self.checkpoint(built, row + 1)?;
            }
        }
        self.series.flush()?;
        Ok(end)
    }

    /// Moves to the time of a row in stretches short enough to watch.
    fn advance(&mut self, built: &mut Built, row: u64, watch: &mut Watch<'_>) -> Result<Step, Error> {
        let (start, end, rows) = (self.scenario.start, self.scenario.end, self.system.output.rows);
        let goal = if row == rows { end } else { start + (end - start) * (row as f64 / rows as f64) };
        let mut at = built.motion.time().min(goal);
        loop {
            let next = (at + built.stretch).min(goal);
            let began = Instant::now();
            let result = built.motion.advance(next);
            let took = began.elapsed();
            self.moving += took;
            if let Err(error) = result {
                return Ok(Step::Failed(error));
            }
            // Stretches that take about half a tick; where they end changes nothing but when we look.
            let scale = 0.5 * TICK.as_secs_f64() / took.as_secs_f64().max(1e-6);
            built.stretch *= scale.clamp(0.25, 4.0);
            at = next;
            if built.told.elapsed() > TICK || (row == rows && at >= goal) {
                built.told = Instant::now();
                self.series.flush()?;
                let energy_error = built.record.energy_error();
                let progress = Progress {
                    step: ((at - start) / (end - start) * 1e6) as u64,
                    steps: 1_000_000,
                    time: at,
                    end,
                    energy_error,
                    moves: built.motion.moves(),
                    impacts: None,
                    growth: built.growth.largest(),
                };
                if watch(&progress) == ControlFlow::Break(()) && at < end {
                    return Ok(Step::Interrupted);
                }
                if at < goal && self.saved.elapsed().as_secs_f64() >= self.system.output.checkpoint.max(1.0) {
                    self.checkpoint(built, row)?;
                }
            }
            if at >= goal {
                return Ok(Step::Reached);
            }
        }
    }

    /// Saves all that a resumed run needs; `row` is the next to be written.
    fn checkpoint(&mut self, built: &Built, row: u64) -> Result<(), Error> {
        let Some(file) = self.out.file(CHECKPOINT) else { return Ok(()) };
        let mut checkpoint = Checkpoint::new(self.identity);
        let frames = self.frames.as_ref().map_or(0, Frames::count) as u64;
        checkpoint.counts("run.progress", &[row, frames]).floats("run.seconds", &self.seconds());
        built.motion.save(&mut checkpoint);
        built.record.save(&mut checkpoint);
        checkpoint.floats("growth", &built.growth.save());
        self.series.save(&mut checkpoint)?;
        checkpoint.save(&file)?;
        self.saved = Instant::now();
        Ok(())
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

/// A number for all that decides the bits of a run.
fn identify(scenario: &Scenario, built: &Built) -> u64 {
    // Threads do not.
    let decides = |(key, _): &&(String, String)| key != "integrator.threads";
    let overrides: String =
        scenario.overrides.iter().filter(decides).map(|(k, v)| format!("{k}={v}\n")).collect();
    identity(&[
        env!("CARGO_PKG_VERSION").as_bytes(),
        scenario.source.text.as_bytes(),
        overrides.as_bytes(),
        &built.body.mesh.to_le_bytes(),
        // Where nodes and elements of a large mesh stand in a checkpoint.
        b"Hilbert",
    ])
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
