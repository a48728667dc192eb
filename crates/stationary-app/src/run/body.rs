//! Rigid bodies: the loop over steps.

mod build;
mod kept;
mod results;

use super::keep::Keeper;
use super::{End, Outcome, Progress, TICK, Watch, prepare};
use crate::run::energy_guard::Energies;
use crate::scenario::{BodySystem, Scenario};
use build::Built;
use results::Results;
use stationary::archive::Archive;
use stationary::error::{Cause, Error, RunError};
use stationary::integrate::group::BodyView;
use stationary::linalg::space::{Mat3, Vec3, times};
use stationary::model::pose;
use stationary::observe::Frame;
use stationary_report::Folder;
use stationary_report::failpoint;
use std::time::Instant;

pub(super) use build::check;

/// Steps between looks at the clock.
const LOOK: u64 = 16;

/// See [`super::run`].
pub(super) fn run(
    scenario: &Scenario,
    system: &BodySystem,
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
        results.finish(&built, end)
    })
}

/// All that decides how a run goes on, its results aside.
fn pass(built: &mut Built, archive: &mut Archive) {
    archive.pass(&mut built.run).pass(&mut built.energy).pass(&mut built.guard).fixed(&mut built.kept);
    built.observers.iter_mut().for_each(|observer| observer.pass(archive));
}

/// The loop: move, observe, write. `before` are the steps that were made before a checkpoint.
fn drive(
    built: &mut Built,
    results: &mut Results<'_>,
    before: Option<u64>,
    watch: &mut Watch<'_>,
) -> Result<End, Error> {
    let mut told = Instant::now();
    let (mut row, mut written) = (Vec::new(), true);
    let mut end = End { stopped: None, interrupted: false, time: built.run.view().t, step: 0 };
    if let Some(step) = before {
        // As if that step had just been made: should the next one fail, it was the last good one.
        fill(built, &built.run.view(), &mut row);
        (end.step, written) = (step, built.rows.has(step));
    }
    for step in before.map_or(0, |step| step + 1)..=built.steps {
        if step > 0
            && let Err(error) = built.run.advance(1)
        {
            end.stopped = Some(error);
            break;
        }
        failpoint::moved();
        let view = built.run.view();
        if let Err(cause) = look(built, &view) {
            end.stopped = Some(RunError { time: end.time, step: end.step, cause });
            break;
        }
        // Each step, not only those written: the next one may fail, and then this was the last good one.
        fill(built, &view, &mut row);
        (end.time, end.step) = (view.t, step);
        written = built.rows.has(step) || step == built.steps;
        let series = results.series();
        if written {
            series.push(&row)?;
        }
        series.keep(step, &row);
        if step % LOOK == 0 && failpoint::is_due(told, TICK) || step == built.steps {
            told = Instant::now();
            series.flush()?;
            let progress = Progress {
                step,
                steps: built.steps,
                time: view.t,
                end: built.end,
                energy_error: built.energy.relative(),
                moves: step,
                impacts: None,
                growth: 0.0,
            };
            let stop = watch(&progress).is_break() && step < built.steps;
            if stop || results.keeper.due() && step < built.steps {
                results.checkpoint(step, |archive| pass(built, archive))?;
            }
            if stop {
                end.interrupted = true;
                break;
            }
        }
    }
    if !written {
        results.series().push(&row)?;
    }
    results.series().flush()?;
    Ok(end)
}

/// Shows the present moment to every observer.
fn look(built: &mut Built, view: &BodyView) -> Result<(), Cause> {
    let elapsed = view.step as f64 * built.system.step;
    let q = pose(&view.position, &view.rotation);
    let v = [velocity(built, view), view.angular_velocity].concat();
    let p = [view.momentum, view.body_momentum, view.angular_momentum()].concat();
    let frame = Frame {
        step: view.step,
        t: view.t,
        elapsed,
        q: &q,
        v: &v,
        p: &p,
        canonical: &q,
        discrete_energy: built.run.discrete_energy(),
        multipliers: None,
        work: None,
        adaption: None,
        impacts: &[],
        tangent: None,
    };
    for observer in &mut built.observers {
        observer.observe(&frame);
    }
    for kept in built.kept.iter_mut().chain([&mut built.energy]) {
        let (value, size) = kept.what.of(view);
        kept.add(elapsed, value, size);
    }
    if !frame.q.iter().chain(frame.v).chain(frame.p).all(|x| x.is_finite()) {
        return Err(Cause::NotFinite { what: "the position or the momentum of the body".into() });
    }
    let [kinetic, potential] = view.energy;
    let seen = built.guard.see(&Energies { time: view.t, kinetic, potential, work: 0.0, supplied: 0.0 });
    seen.map_err(|fault| fault.cause(String::new(), "a shorter `step` helps".into()))?;
    match built.observers.iter().find_map(|o| o.not_finite()) {
        Some(what) => Err(Cause::NotFinite { what }),
        None => Ok(()),
    }
}

fn velocity(built: &Built, view: &BodyView) -> Vec3 {
    times(1.0 / built.system.mass, &view.momentum)
}

/// The moment last seen as a row of `series.csv`.
fn fill(built: &Built, view: &BodyView, row: &mut Vec<f64>) {
    row.clear();
    row.push(view.t);
    row.extend(view.orientation.0);
    if !built.system.fixed {
        row.extend([view.position, velocity(built, view), view.momentum].concat());
    }
    row.extend([view.angular_velocity, view.body_momentum].concat());
    row.push(built.energy.now);
    row.extend(built.kept.iter().map(|kept| kept.now));
    for observer in &built.observers {
        observer.row(row);
    }
}

/// Names of the columns of the state.
fn columns(system: &BodySystem) -> Vec<String> {
    let moving = if system.fixed { &[][..] } else { &["x", "y", "z", "vx", "vy", "vz", "px", "py", "pz"] };
    let all = [&["t", "qw", "qx", "qy", "qz"], moving, &["w1", "w2", "w3", "m1", "m2", "m3"]].concat();
    all.into_iter().map(String::from).collect()
}

/// The rotation of a quaternion as it stands in a row.
fn rotation(quaternion: [f64; 4]) -> Mat3 {
    stationary::linalg::space::Quaternion(quaternion).matrix()
}
