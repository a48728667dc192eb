//! Bodies that collide: the loop over steps.

mod build;
mod film;
mod kept;
mod place;
mod results;

use super::keep::Keeper;
use super::{End, Outcome, Progress, TICK, Watch, prepare, steps_ahead, try_move};
use crate::scenario::{BodiesSystem, Scenario};
use build::Built;
use results::Results;
use stationary::archive::Archive;
use stationary::error::{Cause, Error, RunError};
use stationary::interrupt::Interrupted;
use stationary::linalg::space::inner;
use stationary_report::Folder;
use stationary_report::failpoint;
use std::time::Instant;

pub(super) use build::check;

/// See [`super::run`].
pub(super) fn run(
    scenario: &Scenario,
    system: &BodiesSystem,
    into: (&Folder, bool),
    watch: &mut Watch<'_>,
) -> Result<Outcome, Error> {
    let clock = Instant::now();
    let mut built = prepare(|| build::build(scenario, system))?;
    results::check_claims(scenario, &built)?;
    Keeper::open(scenario, into, clock, &[], |keeper| {
        let before = keeper.restore(|archive| pass(&mut built, archive))?;
        let mut results = Results::create(scenario, &built, keeper)?;
        let end = drive(&mut built, &mut results, before, watch)?;
        results.finish(&mut built, end)
    })
}

/// All that decides how a run goes on, its results aside.
fn pass(built: &mut Built, archive: &mut Archive) {
    archive.pass(&mut built.run).pass(&mut built.kept);
}

/// The loop: move, observe, write. `before` are the steps that were made before a checkpoint.
fn drive(
    built: &mut Built,
    results: &mut Results<'_>,
    before: Option<u64>,
    watch: &mut Watch<'_>,
) -> Result<End, Error> {
    let mut told = Instant::now();
    let mut end = End { stopped: None, interrupted: false, time: built.run.time(), step: 0 };
    let (mut written, mut notes) = (true, Vec::new());
    let most = built.end_impacts.unwrap_or(u64::MAX);
    if let Some(step) = before {
        // As if that step had just been made: should the next one fail, it was the last good one.
        results.fill(built);
        (end.step, written) = (step, built.rows.has(step));
    }
    for step in before.map_or(0, |step| step + 1)..=built.steps {
        if step > 0 {
            match try_move(&mut built.run, &mut notes, |run| run.advance(most)) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    let cause = Cause::Impacts { what: error.to_string() };
                    end.stopped = Some(RunError { time: end.time, step: end.step, cause });
                    break;
                }
                Err(Interrupted) => {
                    results.flush()?;
                    results.checkpoint(end.step, |archive| pass(built, archive))?;
                    end.interrupted = true;
                    break;
                }
            }
        }
        failpoint::moved();
        results.book(built)?;
        if let Err(fault) = built.kept.look(&mut built.run) {
            let cause = fault.cause(
                fastest(built),
                "impacts must not bring in energy: this is a fault of the program, please report it".into(),
            );
            end.stopped = Some(RunError { time: end.time, step: end.step, cause });
            break;
        }
        let over = step == built.steps || built.run.impacts() >= most;
        (end.time, end.step) = (built.run.time(), step);
        written = built.rows.has(step) || over;
        results.keep(built, step, written)?;
        if failpoint::is_due(told, TICK) || over {
            told = Instant::now();
            results.flush()?;
            let stop = watch(&built.progress(&end)).is_break() && !over;
            if stop || results.keeper.due() && !over {
                results.checkpoint(step, |archive| pass(built, archive))?;
            }
            if stop {
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

/// The body with the most kinetic energy.
fn fastest(built: &Built) -> String {
    let bodies = &built.run.world().bodies;
    let kinetic = |k: usize| {
        let state = built.run.state(k);
        let turning = bodies[k].inertia * inner(&state.spin, &state.spin);
        bodies[k].mass * inner(&state.velocity, &state.velocity) + turning
    };
    let most = (0..bodies.len()).max_by(|a, b| kinetic(*a).total_cmp(&kinetic(*b)));
    most.map_or(String::new(), |k| format!("body `{}`", bodies[k].name))
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
