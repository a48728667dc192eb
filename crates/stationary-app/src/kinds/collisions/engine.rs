//! Bodies that collide in a run.

use super::build::{self, PreparedCollisions};
use super::results::Shown;
use super::{CollisionSystem, results};
use crate::run::State;
use crate::run::engine::{Advanced, Engine, EngineReport, FinishedRun, Moment, OutputSpec, Outputs, Summary};
use crate::run::prepared::PreparedRun;
use crate::run::{End, Progress, steps_ahead, try_move};
use crate::scenario::Scenario;
use stationary::archive::{Archive, Persist};
use stationary::contact::BodyImpact;
use stationary::error::{Cause, Error, RunError};
use stationary::interrupt::Interrupted;
use std::sync::Arc;

/// Bodies in motion.
pub(super) struct CollisionEngine {
    built: PreparedCollisions,
    /// Steps made.
    step: u64,
    /// What the page shows; nothing without a page.
    shown: Option<Shown>,
    /// Room for the state before a step.
    notes: Vec<u8>,
}

/// Sets the bodies of a scenario in motion.
pub(super) fn build(
    scenario: &Scenario,
    system: &Arc<CollisionSystem>,
    shows: bool,
) -> Result<PreparedRun, Error> {
    let built = build::build(scenario, system)?;
    let shown = shows.then(|| Shown::new(&built));
    Ok(PreparedRun {
        columns: results::columns(&built),
        outputs: OutputSpec { impacts: Some(&BodyImpact::COLUMNS), ..OutputSpec::default() },
        moves_between_looks: 1,
        step: Some(system.step),
        identity: Vec::new(),
        description: build::describe(scenario, &built),
        engine: Box::new(CollisionEngine { built, step: 0, shown, notes: Vec::new() }),
    })
}

impl Persist for CollisionEngine {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.built.run).pass(&mut self.built.invariants).pass(&mut self.step);
    }
}

impl Engine for CollisionEngine {
    fn pictures(&mut self) -> Option<&mut dyn Persist> {
        self.shown.as_mut().map(|shown| shown as _)
    }

    fn advance(&mut self) -> Result<Advanced, RunError> {
        let (time, step, most) = (self.built.run.time(), self.step, self.most_impacts());
        let stop = |cause| RunError { time, step, cause };
        let made = try_move(&mut self.built.run, &mut self.notes, |run| run.advance(most));
        let made = made.map_err(|Interrupted| stop(Cause::Interrupted))?;
        made.map_err(|error| stop(Cause::Impacts { what: error.to_string() }))?;
        self.step += 1;
        Ok(Advanced::Moment)
    }

    fn look(&mut self) -> Result<Moment, Cause> {
        let built = &mut self.built;
        if let Err(fault) = built.invariants.look(&mut built.run) {
            let remedy = "impacts must not bring in energy: this is a fault of the program, please report it";
            return Err(fault.cause(fastest(built), remedy.into()));
        }
        if let Some(shown) = &mut self.shown {
            shown.look(built);
        }
        let time = built.run.time();
        Ok(Moment {
            number: self.step,
            time,
            moves: self.step,
            is_row: self.built.rows.has(self.step),
            is_last: self.step == self.built.steps || self.built.run.impacts() >= self.most_impacts(),
        })
    }

    fn state(&self) -> State {
        let PreparedCollisions { run, system, .. } = &self.built;
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for k in 0..run.world().bodies.len() {
            let state = run.state(k);
            if system.space == 2 {
                q.extend([state.position[0], state.position[1], state.angle]);
                v.extend([state.velocity[0], state.velocity[1], state.spin[2]]);
            } else {
                q.extend(state.position);
                v.extend(state.velocity);
                v.extend(state.spin);
            }
        }
        State { t: run.time(), q, v, p: Vec::new() }
    }

    fn row(&self, row: &mut Vec<f64>) {
        results::fill(&self.built, row);
    }

    fn write(&mut self, outputs: &mut Outputs) -> Result<(), Error> {
        outputs.impacts.as_mut().map_or(Ok(()), |file| results::write_impacts(&self.built, file))
    }

    fn progress(&self) -> Progress {
        let PreparedCollisions { run, invariants, steps, end, end_impacts, .. } = &self.built;
        let impacts = end_impacts.map(|all| [run.impacts(), all]);
        Progress {
            step: self.step,
            steps: steps_ahead(*steps, self.step, impacts),
            time: run.time(),
            end: *end,
            energy_error: invariants.energy_error(),
            moves: run.impacts(),
            growth: 0.0,
            reductions: 0,
            reduction: None,
            impacts,
        }
    }

    fn summary(&self, _end: &End) -> Summary {
        results::summary(&self.built)
    }

    fn report(&self, finished: &FinishedRun<'_>) -> EngineReport {
        results::report(&self.built, self.shown.as_ref(), finished)
    }
}

impl CollisionEngine {
    /// Impacts after which the run ends.
    fn most_impacts(&self) -> u64 {
        self.built.end_impacts.unwrap_or(u64::MAX)
    }
}

/// The body with the most kinetic energy.
fn fastest(built: &PreparedCollisions) -> String {
    let bodies = &built.run.world().bodies;
    let kinetic = |k: usize| {
        let state = built.run.state(k);
        let turning = bodies[k].inertia * state.spin.dot(state.spin);
        bodies[k].mass * state.velocity.dot(state.velocity) + turning
    };
    let most = (0..bodies.len()).max_by(|a, b| kinetic(*a).total_cmp(&kinetic(*b)));
    most.map_or(String::new(), |k| format!("body `{}`", bodies[k].name))
}
