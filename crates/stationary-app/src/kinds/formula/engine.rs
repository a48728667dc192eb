//! A system given by formulas in a run.

use super::build::{self, PreparedFormula};
use super::contacts::Contacts;
use super::crossings::Crossings;
use super::describe;
use super::mechanics::Velocities;
use super::{FormulaSystem, gaps, results};
use crate::run::State;
use crate::run::engine::{Advanced, Engine, EngineReport, FinishedRun, Moment, OutputSpec, Outputs, Summary};
use crate::run::prepared::PreparedRun;
use crate::run::{End, Progress, steps_ahead, try_move};
use crate::scenario::Scenario;
use stationary::archive::{Archive, Persist};
use stationary::contact::GapImpact;
use stationary::error::{Cause, Error, RunError};
use stationary::interrupt::Interrupted;
use stationary::observe::{Energy, Frame, Observer};
use std::sync::Arc;

/// Part of a step by which the end may be missed.
const ROUNDING: f64 = 1e-9;
/// Steps without an impact after which a run that only impacts can end is over.
const PATIENCE: u64 = 10_000_000;
/// Steps between looks at the clock.
const LOOK: u64 = 16;

/// A system of formulas in motion.
pub(super) struct FormulaEngine {
    pub built: PreparedFormula,
    sampler: Sampler,
    pub crossings: Option<Crossings>,
    pub contacts: Option<Contacts>,
    /// Room for the state before a slow step.
    notes: Vec<u8>,
}

/// Sets the system of a scenario in motion.
pub(super) fn build(
    scenario: &Scenario,
    system: &Arc<FormulaSystem>,
    shows: bool,
) -> Result<PreparedRun, Error> {
    let mut built = build::build(scenario, system)?;
    results::check_columns(&built)?;
    if !shows {
        built.picture = None;
    }
    let sampler = Sampler::new(&built);
    let crossings = built.section.as_ref().map(|section| Crossings::new(section.columns()));
    let gaps = || system.gaps.iter().map(|gap| gap.name.clone()).collect();
    let contacts = built.impacts.as_ref().map(|_| Contacts::new(gaps()));
    Ok(PreparedRun {
        columns: results::columns(&built),
        outputs: OutputSpec {
            section: built.section.as_ref().map(|section| section.columns()),
            impacts: built.impacts.as_ref().map(|_| &GapImpact::COLUMNS[..]),
            frames: None,
        },
        moves_between_looks: LOOK,
        step: built.energy_choice.is_none().then_some(system.step),
        identity: Vec::new(),
        description: describe::describe(scenario, &built),
        engine: Box::new(FormulaEngine { built, sampler, crossings, contacts, notes: Vec::new() }),
    })
}

impl Persist for FormulaEngine {
    fn pass(&mut self, archive: &mut Archive) {
        let FormulaEngine { built, sampler, crossings, contacts, .. } = self;
        archive
            .pass(&mut *built.integrator)
            .fixed(&mut sampler.q)
            .fixed(&mut sampler.v)
            .fixed(&mut sampler.p);
        archive.pass(&mut built.energy).pass(&mut built.guard);
        built.observers.iter_mut().for_each(|observer| observer.pass(archive));
        let parts = [
            built.section.as_mut().map(|part| part as &mut dyn Persist),
            built.impacts.as_mut().map(|part| part as _),
            crossings.as_mut().map(|part| part as _),
            contacts.as_mut().map(|part| part as _),
        ];
        parts.into_iter().flatten().for_each(|part| part.pass(archive));
    }
}

impl Engine for FormulaEngine {
    fn pictures(&mut self) -> Option<&mut dyn Persist> {
        self.built.picture.as_mut().map(|picture| picture as _)
    }

    fn advance(&mut self) -> Result<Advanced, RunError> {
        let built = &mut self.built;
        let integrator = &mut *built.integrator;
        let made = if integrator.is_slow() {
            let view = integrator.view();
            let (time, step) = (view.t, view.step);
            let interrupted = |Interrupted| RunError { time, step, cause: Cause::Interrupted };
            try_move(integrator, &mut self.notes, |integrator| integrator.advance(1)).map_err(interrupted)?
        } else {
            integrator.advance(1)
        };
        made.map_err(|error| gaps::named(&built.system, error))?;
        Ok(Advanced::Moment)
    }

    fn look(&mut self) -> Result<Moment, Cause> {
        let built = &mut self.built;
        self.sampler.look(built).map_err(|cause| gaps::named_cause(&built.system, cause))?;
        let view = built.integrator.view();
        let is_last = built.is_last(view.step);
        Ok(Moment {
            number: view.step,
            time: view.t,
            moves: view.step,
            is_row: built.rows.has(view.step),
            is_last,
        })
    }

    fn state(&self) -> State {
        let Sampler { q, v, p, .. } = &self.sampler;
        State { t: self.built.integrator.view().t, q: q.clone(), v: v.clone(), p: p.clone() }
    }

    fn row(&self, row: &mut Vec<f64>) {
        self.sampler.row(&self.built, row);
    }

    fn write(&mut self, outputs: &mut Outputs) -> Result<(), Error> {
        if let (Some(contacts), Some(file)) = (&mut self.contacts, &mut outputs.impacts) {
            contacts.push(self.built.integrator.impacts(), file)?;
        }
        self.write_crossings(outputs)
    }

    fn conclude(&mut self, outputs: &mut Outputs) -> Result<Option<Cause>, Error> {
        let Some(section) = &mut self.built.section else { return Ok(None) };
        section.finish();
        // Found in the last window only.
        let cause = section.not_finite().map(|what| Cause::NotFinite { what });
        self.write_crossings(outputs)?;
        Ok(cause)
    }

    fn progress(&self) -> Progress {
        self.built.progress()
    }

    fn summary(&self, _end: &End) -> Summary {
        results::summary(&self.built)
    }

    fn report(&self, finished: &FinishedRun<'_>) -> EngineReport {
        results::report(self, finished)
    }
}

impl FormulaEngine {
    /// Writes the crossings found since the last call.
    fn write_crossings(&mut self, outputs: &mut Outputs) -> Result<(), Error> {
        match (&mut self.crossings, &mut self.built.section, &mut outputs.section) {
            (Some(crossings), Some(section), Some(file)) => crossings.push(section.take(), file),
            _ => Ok(()),
        }
    }
}

/// Looks at the integrator for all observers.
struct Sampler {
    velocities: Velocities,
    q: Vec<f64>,
    v: Vec<f64>,
    p: Vec<f64>,
    canonical: Vec<f64>,
    tangent: Option<Vec<f64>>,
}

impl Sampler {
    fn new(built: &PreparedFormula) -> Self {
        let (n, d) = (built.mechanics.dimension(), built.integrator.freedom());
        let tangent = built.observers.iter().any(|o| o.wants_tangent());
        Sampler {
            velocities: built.mechanics.velocities(),
            q: vec![0.0; n],
            v: built.velocity.clone(),
            p: vec![0.0; n],
            canonical: vec![0.0; n],
            tangent: tangent.then(|| vec![0.0; 4 * d * d]),
        }
    }

    /// Shows the present moment to every observer.
    fn look(&mut self, built: &mut PreparedFormula) -> Result<(), Cause> {
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
        built.guard.see(&built.system, &frame, energy, terms)?;
        let mut unfit = built.observers.iter().filter_map(|o| o.not_finite());
        match unfit.next().or_else(|| built.section.as_ref()?.not_finite()) {
            Some(what) => Err(Cause::NotFinite { what }),
            None => Ok(()),
        }
    }

    /// The moment last seen as a row of `series.csv`.
    fn row(&self, built: &PreparedFormula, row: &mut Vec<f64>) {
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

impl PreparedFormula {
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
            reductions: 0,
            reduction: None,
        }
    }
}
