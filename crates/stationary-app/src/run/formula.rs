//! Systems given by a Lagrangian or a Hamiltonian: the loop over steps.

mod around;
mod build;
mod contacts;
mod draw;
mod explain;
mod extras;
mod gaps;
mod guard;
mod limit;
mod mechanics;
mod phase;
mod results;

use super::keep::Keeper;
use super::{End, Outcome, Progress, TICK, Watch, prepare, steps_ahead, try_move};
use crate::scenario::{FormulaSystem, Scenario};
use build::Built;
use mechanics::Velocities;
use results::Results;
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, Error, RunError};
use stationary::interrupt::Interrupted;
use stationary::observe::{Energy, Frame, Observer};
use stationary_report::Folder;
use stationary_report::failpoint;
use std::time::Instant;

pub(super) use build::check;
pub(super) use explain::explain;

/// Part of a step by which the end may be missed.
const ROUNDING: f64 = 1e-9;
/// Steps without an impact after which a run that only impacts can end is over.
const PATIENCE: u64 = 10_000_000;
/// Steps between looks at the clock.
const LOOK: u64 = 16;

/// See [`super::run`].
pub(super) fn run(
    scenario: &Scenario,
    system: &FormulaSystem,
    into: (&Folder, bool),
    watch: &mut Watch<'_>,
) -> Result<Outcome, Error> {
    let clock = Instant::now();
    let mut built = prepare(|| build::build(scenario, system))?;
    results::check_columns(&built)?;
    results::check_claims(scenario, &built)?;
    if !into.0.shows() {
        built.picture = None;
    }
    Keeper::open(scenario, into, clock, &[], |keeper| {
        let mut eye = Eye::new(&built);
        let before = keeper.restore(|archive| pass(&mut built, &mut eye, archive))?;
        let mut results = Results::create(scenario, &built, keeper)?;
        let end = drive((&mut built, &mut eye), &mut results, before, watch)?;
        results.finish(&mut built, end)
    })
}

/// All that decides how a run goes on, its results aside.
fn pass(built: &mut Built, eye: &mut Eye, archive: &mut Archive) {
    archive.pass(&mut *built.integrator).fixed(&mut eye.q).fixed(&mut eye.v).fixed(&mut eye.p);
    archive.pass(&mut built.energy).pass(&mut built.guard);
    built.observers.iter_mut().for_each(|observer| observer.pass(archive));
    for part in
        [built.section.as_mut().map(|x| x as &mut dyn Persist), built.impacts.as_mut().map(|x| x as _)]
    {
        part.into_iter().for_each(|part| part.pass(archive));
    }
    if let Some(picture) = &mut built.picture {
        archive.pass(picture);
    }
}

/// The loop: move, observe, write. `before` are the steps that were made before a checkpoint.
fn drive(
    (built, eye): (&mut Built, &mut Eye),
    results: &mut Results<'_>,
    before: Option<u64>,
    watch: &mut Watch<'_>,
) -> Result<End, Error> {
    let mut told = Instant::now();
    let (mut row, mut written) = (Vec::new(), true);
    let mut notes = Vec::new();
    let mut end = End { stopped: None, interrupted: false, time: built.integrator.view().t, step: 0 };
    if let Some(step) = before {
        // As if that step had just been made: should the next one fail, it was the last good one.
        eye.row(built, &mut row);
        (end.step, written) = (step, built.rows.has(step));
    }
    for step in before.map_or(0, |step| step + 1).. {
        if step > 0 {
            let integrator = &mut *built.integrator;
            let moved = match integrator.is_slow() {
                true => try_move(integrator, &mut notes, |integrator| integrator.advance(1)),
                false => Ok(integrator.advance(1)),
            };
            match moved {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    end.stopped = Some(gaps::named(built.system, error));
                    break;
                }
                Err(Interrupted) => {
                    results.flush()?;
                    results.checkpoint(end.step, |archive| pass(built, eye, archive))?;
                    end.interrupted = true;
                    break;
                }
            }
        }
        failpoint::moved();
        if let Err(cause) = eye.look(built) {
            end.stopped = Some(gaps::named(built.system, RunError { time: end.time, step: end.step, cause }));
            break;
        }
        // Each step, not only those written: the next one may fail, and then this was the last good one.
        eye.row(built, &mut row);
        (end.time, end.step) = (row[0], step);
        let last = built.is_last(step);
        written = built.rows.has(step) || last;
        let series = results.series();
        if written {
            series.push(&row)?;
        }
        series.keep(step, &row);
        results.record(built)?;
        if step % LOOK == 0 && failpoint::is_due(told, TICK) || last {
            told = Instant::now();
            results.flush()?;
            let stop = watch(&built.progress()).is_break() && !last;
            if stop || results.keeper.due() && !last {
                results.checkpoint(step, |archive| pass(built, eye, archive))?;
            }
            if stop {
                end.interrupted = true;
                break;
            }
        }
        if last {
            break;
        }
    }
    if !written {
        results.series().push(&row)?;
    }
    results.flush()?;
    Ok(end)
}

/// Looks at the integrator for all observers.
struct Eye {
    velocities: Velocities,
    q: Vec<f64>,
    v: Vec<f64>,
    p: Vec<f64>,
    canonical: Vec<f64>,
    tangent: Option<Vec<f64>>,
}

impl Eye {
    fn new(built: &Built) -> Self {
        let (n, d) = (built.mechanics.dimension(), built.integrator.freedom());
        let tangent = built.observers.iter().any(|o| o.wants_tangent());
        Eye {
            velocities: built.mechanics.velocities(),
            q: vec![0.0; n],
            v: built.velocity.clone(),
            p: vec![0.0; n],
            canonical: vec![0.0; n],
            tangent: tangent.then(|| vec![0.0; 4 * d * d]),
        }
    }

    /// Shows the present moment to every observer.
    fn look(&mut self, built: &mut Built) -> Result<(), Cause> {
        let view = built.integrator.view();
        let (step, t) = (view.step, view.t);
        let elapsed = built.integrator.elapsed().unwrap_or(step as f64 * built.system.step);
        self.q.copy_from_slice(view.q);
        self.p.copy_from_slice(view.p);
        self.canonical.copy_from_slice(view.canonical);
        self.velocities.write(t, &self.q, &self.p, &mut self.v)?;
        let tangent = match &mut self.tangent {
            Some(matrix) => built.integrator.tangent(matrix).then_some(&*matrix),
            None => None,
        };
        let (discrete_energy, work) = (built.integrator.discrete_energy(), built.integrator.work());
        let frame = Frame {
            step,
            t,
            elapsed,
            q: &self.q,
            v: &self.v,
            p: &self.p,
            canonical: &self.canonical,
            discrete_energy,
            multipliers: built.integrator.multipliers(),
            work,
            adaption: built.integrator.adaption(),
            impacts: built.integrator.impacts(),
            tangent: tangent.map(Vec::as_slice),
        };
        built.energy.observe(&frame);
        for observer in &mut built.observers {
            observer.observe(&frame);
        }
        if let Some(section) = &mut built.section {
            section.observe(&frame);
        }
        if let Some(impacts) = &mut built.impacts {
            impacts.observe(&frame);
            if let Some(cause) = impacts.fault() {
                return Err(cause);
            }
        }
        if let Some(picture) = &mut built.picture {
            picture.observe(&frame);
        }
        let [energy, terms] = built.energy.value_and_terms();
        built.guard.see(built.system, &frame, energy, terms)?;
        let mut unfit = built.observers.iter().filter_map(|o| o.not_finite());
        match unfit.next().or_else(|| built.section.as_ref()?.not_finite()) {
            Some(what) => Err(Cause::NotFinite { what }),
            None => Ok(()),
        }
    }

    /// The moment last seen as a row of `series.csv`.
    fn row(&self, built: &Built, row: &mut Vec<f64>) {
        row.clear();
        row.push(built.integrator.view().t);
        for part in [&self.q, &self.v, &self.p] {
            row.extend_from_slice(part);
        }
        built.energy.row(row);
        for observer in &built.observers {
            observer.row(row);
        }
        if let Some(impacts) = &built.impacts {
            impacts.row(row);
        }
    }
}

impl Built<'_> {
    /// Whether the run ends after so many steps. Steps that the energy chooses go on until the time is reached.
    fn is_last(&self, step: u64) -> bool {
        if self.impacts_to_go() == Some(0) || self.waits_in_vain(step) {
            return true;
        }
        match self.energy_choice {
            None => step == self.steps,
            Some(_) => {
                let elapsed = self.integrator.elapsed().unwrap_or(f64::NAN);
                elapsed >= self.duration - self.system.step * ROUNDING
            }
        }
    }

    /// Whether a run that only impacts can end has had none for very long.
    fn waits_in_vain(&self, step: u64) -> bool {
        let last = self.impacts.as_ref().map_or(0, |seen| seen.last_step());
        self.end.is_infinite() && step.saturating_sub(last) >= PATIENCE
    }

    /// Impacts that are missing before they end the run.
    fn impacts_to_go(&self) -> Option<u64> {
        Some(self.end_impacts?.saturating_sub(self.impacts.as_ref()?.count()))
    }

    fn progress(&self) -> Progress {
        let view = self.integrator.view();
        let impacts = self.end_impacts.zip(self.impacts.as_ref()).map(|(all, seen)| [seen.count(), all]);
        let energy_error = Energy::relative_error(&self.energy);
        Progress {
            step: view.step,
            steps: steps_ahead(self.steps, view.step, impacts),
            time: view.t,
            end: self.end,
            energy_error,
            moves: view.step,
            impacts,
            growth: 0.0,
        }
    }
}
