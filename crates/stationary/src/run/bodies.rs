//! Bodies that collide: the loop over steps.

mod build;
mod film;
mod kept;
mod place;
mod results;

use super::{End, Outcome, Progress, TICK, Watch, steps_ahead};
use crate::error::{Cause, Error, RunError};
use crate::report::Folder;
use crate::scenario::{BodiesSystem, Scenario};
use build::Built;
use results::Results;
use std::time::Instant;

pub(super) use build::check;

/// See [`super::run`].
pub(super) fn run(
    scenario: &Scenario,
    system: &BodiesSystem,
    out: &Folder,
    watch: &mut Watch<'_>,
) -> Result<Outcome, Error> {
    let clock = Instant::now();
    let mut built = build::build(scenario, system)?;
    results::check_claims(scenario, &built)?;
    let mut results = Results::create(scenario, &built, out)?;
    let end = drive(&mut built, &mut results, watch);
    results.finish(&mut built, end?, clock.elapsed())
}

/// The loop: move, observe, write.
fn drive(built: &mut Built, results: &mut Results<'_>, watch: &mut Watch<'_>) -> Result<End, Error> {
    let mut told = Instant::now();
    let mut end = End { stopped: None, interrupted: false, time: built.run.time(), step: 0 };
    let mut written = true;
    let most = built.end_impacts.unwrap_or(u64::MAX);
    for step in 0..=built.steps {
        if step > 0
            && let Err(error) = built.run.advance(most)
        {
            let cause = Cause::Impacts { what: error.to_string() };
            end.stopped = Some(RunError { time: end.time, step: end.step, cause });
            break;
        }
        results.book(built)?;
        if !built.kept.look(&mut built.run) {
            let cause = Cause::NotFinite { what: "the energy".into() };
            end.stopped = Some(RunError { time: end.time, step: end.step, cause });
            break;
        }
        let over = step == built.steps || built.run.impacts() >= most;
        (end.time, end.step) = (built.run.time(), step);
        written = built.rows.has(step) || over;
        results.keep(built, step, written)?;
        if told.elapsed() > TICK || over {
            told = Instant::now();
            results.flush()?;
            if watch(&built.progress(&end)).is_break() && !over {
                end.interrupted = true;
                break;
            }
        }
        if over {
            break;
        }
    }
    if !written {
        results.keep_last()?;
    }
    results.flush()?;
    Ok(end)
}

impl Built<'_> {
    fn progress(&self, end: &End) -> Progress {
        let impacts = self.end_impacts.map(|all| [self.run.impacts(), all]);
        Progress {
            step: end.step,
            steps: steps_ahead(self.steps, end.step, impacts),
            time: end.time,
            end: self.end,
            energy_error: self.kept.energy_error(),
            moves: self.run.impacts(),
            growth: 0.0,
            impacts,
        }
    }
}
