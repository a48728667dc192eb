//! A rigid body in a run.

use super::build::{self, RigidBodyEngine};
use super::{RigidBodySystem, results};
use crate::run::State;
use crate::run::energy_guard::Energies;
use crate::run::engine::{Advanced, Engine, EngineReport, FinishedRun, Moment, OutputSpec, Summary};
use crate::run::prepared::PreparedRun;
use crate::run::{End, Progress};
use crate::scenario::Scenario;
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, Error, RunError};
use stationary::integrate::group::BodyView;
use stationary::linalg::{Mat3, Quaternion, Vec3};
use stationary::model::pose;
use stationary::observe::Frame;
use std::sync::Arc;

/// Steps between looks at the clock.
const LOOK: u64 = 16;

/// Sets the body of a scenario in motion.
pub(super) fn build(scenario: &Scenario, system: &Arc<RigidBodySystem>) -> Result<PreparedRun, Error> {
    let built = build::build(scenario, system)?;
    Ok(PreparedRun {
        columns: results::columns(&built),
        outputs: OutputSpec::default(),
        moves_between_looks: LOOK,
        step: Some(system.step),
        identity: Vec::new(),
        description: build::describe(scenario, &built),
        engine: Box::new(built),
    })
}

impl Persist for RigidBodyEngine {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.run).pass(&mut self.energy).pass(&mut self.guard).fixed(&mut self.invariants);
        self.observers.iter_mut().for_each(|observer| observer.pass(archive));
    }
}

impl Engine for RigidBodyEngine {
    fn advance(&mut self) -> Result<Advanced, RunError> {
        self.run.advance(1)?;
        Ok(Advanced::Moment)
    }

    fn look(&mut self) -> Result<Moment, Cause> {
        let view = self.run.view();
        look(self, &view)?;
        Ok(Moment {
            number: view.step,
            time: view.t,
            moves: view.step,
            is_row: self.rows.has(view.step),
            is_last: view.step == self.steps,
        })
    }

    fn state(&self) -> State {
        let view = self.run.view();
        State {
            t: view.t,
            q: [&view.position.0[..], &view.orientation.0].concat(),
            v: [velocity(self, &view), view.angular_velocity].concat(),
            p: [view.momentum, view.body_momentum].concat(),
        }
    }

    fn row(&self, row: &mut Vec<f64>) {
        fill(self, &self.run.view(), row);
    }

    fn progress(&self) -> Progress {
        let view = self.run.view();
        Progress {
            step: view.step,
            steps: self.steps,
            time: view.t,
            end: self.end,
            energy_error: self.energy.relative(),
            moves: view.step,
            impacts: None,
            growth: 0.0,
            reductions: 0,
            reduction: None,
        }
    }

    fn summary(&self, _end: &End) -> Summary {
        results::summary(self)
    }

    fn report(&self, finished: &FinishedRun<'_>) -> EngineReport {
        results::report(self, finished)
    }
}

/// Shows the present moment to every observer.
fn look(built: &mut RigidBodyEngine, view: &BodyView) -> Result<(), Cause> {
    let elapsed = view.step as f64 * built.system.step;
    let q = pose(view.position, &view.rotation);
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
    for invariant in built.invariants.iter_mut().chain([&mut built.energy]) {
        let (value, size) = invariant.quantity.of(view);
        invariant.add(elapsed, value, size);
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

fn velocity(built: &RigidBodyEngine, view: &BodyView) -> Vec3 {
    1.0 / built.system.mass * view.momentum
}

/// The moment last seen as a row of `series.csv`.
fn fill(built: &RigidBodyEngine, view: &BodyView, row: &mut Vec<f64>) {
    row.push(view.t);
    row.extend(view.orientation.0);
    if !built.system.fixed {
        row.extend([view.position, velocity(built, view), view.momentum].concat());
    }
    row.extend([view.angular_velocity, view.body_momentum].concat());
    row.push(built.energy.now);
    row.extend(built.invariants.iter().map(|invariant| invariant.now));
    for observer in &built.observers {
        observer.row(row);
    }
}

/// The rotation of a quaternion as it stands in a row.
pub(super) fn rotation(quaternion: [f64; 4]) -> Mat3 {
    Quaternion(quaternion).matrix()
}
