//! Bodies that collide.

mod build;
mod film;
mod kept;
mod place;
mod results;

use super::engine::{Course, Engine, Findings, Moment, Moved, OutputSpec, Outputs, Summary};
use super::simulation::State;
use super::{End, Progress, kinds, steps_ahead, try_move};
use crate::scenario::{BodiesSystem, BodyBegin, Scenario};
use build::Built;
use results::Shown;
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, Error, RunError};
use stationary::interrupt::Interrupted;
use stationary::linalg::space::inner;
use std::sync::Arc;

/// Bodies in motion.
pub(super) struct CollisionEngine {
    built: Built,
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
    system: &Arc<BodiesSystem>,
    shows: bool,
) -> Result<kinds::Built, Error> {
    let built = build::build(scenario, system)?;
    let shown = shows.then(|| Shown::new(&built));
    Ok(kinds::Built {
        columns: results::columns(&built),
        outputs: OutputSpec { impacts: Some(&results::COLUMNS), ..OutputSpec::default() },
        moves_between_looks: 1,
        step: Some(system.step),
        identity: Vec::new(),
        description: build::describe(scenario, &built),
        engine: Box::new(CollisionEngine { built, step: 0, shown, notes: Vec::new() }),
    })
}

/// The bodies that begin with a state, if it is one of theirs.
pub(super) fn restarted(system: &BodiesSystem, begin: &State) -> Option<BodiesSystem> {
    let of_plane = |(q, v): (&[f64], &[f64])| BodyBegin {
        position: [q[0], q[1], 0.0],
        angle: q[2],
        velocity: [v[0], v[1], 0.0],
        spin: [0.0, 0.0, v[2]],
    };
    let of_space = |(q, v): (&[f64], &[f64])| BodyBegin {
        position: [q[0], q[1], q[2]],
        angle: 0.0,
        velocity: [v[0], v[1], v[2]],
        spin: [v[3], v[4], v[5]],
    };
    let count: usize = system.groups.iter().map(|group| group.starts.len()).sum();
    let rates = if system.space == 2 { 3 } else { 6 };
    let parts = begin.q.chunks_exact(3).zip(begin.v.chunks_exact(rates));
    let states: Vec<BodyBegin> =
        if system.space == 2 { parts.map(of_plane).collect() } else { parts.map(of_space).collect() };
    let fits = begin.q.len() == 3 * count && begin.v.len() == rates * count;
    fits.then(|| BodiesSystem { states: Some(states), ..system.clone() })
}

impl Persist for CollisionEngine {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.built.run).pass(&mut self.built.kept).pass(&mut self.step);
    }
}

impl Engine for CollisionEngine {
    fn pictures(&mut self) -> Option<&mut dyn Persist> {
        self.shown.as_mut().map(|shown| shown as _)
    }

    fn advance(&mut self) -> Result<Moved, RunError> {
        let (time, step, most) = (self.built.run.time(), self.step, self.most_impacts());
        let stop = |cause| RunError { time, step, cause };
        let made = try_move(&mut self.built.run, &mut self.notes, |run| run.advance(most));
        let made = made.map_err(|Interrupted| stop(Cause::Interrupted))?;
        made.map_err(|error| stop(Cause::Impacts { what: error.to_string() }))?;
        self.step += 1;
        Ok(Moved::Moment)
    }

    fn look(&mut self) -> Result<Moment, Cause> {
        let built = &mut self.built;
        if let Err(fault) = built.kept.look(&mut built.run) {
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
        let Built { run, system, .. } = &self.built;
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
        let Built { run, kept, steps, end, end_impacts, .. } = &self.built;
        let impacts = end_impacts.map(|all| [run.impacts(), all]);
        Progress {
            step: self.step,
            steps: steps_ahead(*steps, self.step, impacts),
            time: run.time(),
            end: *end,
            energy_error: kept.energy_error(),
            moves: run.impacts(),
            growth: 0.0,
            impacts,
        }
    }

    fn summary(&self, _end: &End) -> Summary {
        results::summary(&self.built)
    }

    fn report(&self, course: &Course<'_>) -> Findings {
        results::report(&self.built, self.shown.as_ref(), course)
    }
}

impl CollisionEngine {
    /// Impacts after which the run ends.
    fn most_impacts(&self) -> u64 {
        self.built.end_impacts.unwrap_or(u64::MAX)
    }
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
