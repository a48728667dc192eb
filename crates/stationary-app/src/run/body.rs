//! Rigid bodies.

mod build;
mod kept;
mod results;

use super::engine::{Course, Engine, Findings, Moment, Moved, OutputSpec, Summary};
use super::simulation::State;
use super::{End, Progress, kinds};
use crate::run::energy_guard::Energies;
use crate::scenario::{BodySystem, Scenario};
use build::Built;
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, Diagnostic, Error, RunError};
use stationary::integrate::group::BodyView;
use stationary::linalg::space::{Mat3, Quaternion, Vec3, times};
use stationary::model::pose;
use stationary::observe::Frame;
use std::sync::Arc;

/// Steps between looks at the clock.
const LOOK: u64 = 16;

/// Sets the body of a scenario in motion.
pub(super) fn build(scenario: &Scenario, system: &Arc<BodySystem>) -> Result<kinds::Built, Error> {
    let built = build::build(scenario, system)?;
    Ok(kinds::Built {
        columns: results::columns(&built),
        outputs: OutputSpec::default(),
        moves_between_looks: LOOK,
        step: Some(system.step),
        identity: Vec::new(),
        description: build::describe(scenario, &built),
        engine: Box::new(built),
    })
}

/// Refuses a state that no body of this kind has.
pub(super) fn check(system: &BodySystem, begin: &State) -> Result<(), Diagnostic> {
    if begin.q[3..].iter().all(|x| *x == 0.0) {
        return Err(Diagnostic::new(
            "the positions cannot be set: the quaternion is zero, which is no rotation",
        )
        .help("expected [x, y, z] of the position, then [w, x, y, z] of any length but zero"));
    }
    if system.fixed && begin.v[..3].iter().any(|x| *x != 0.0) {
        return Err(Diagnostic::new("the velocities cannot be set: the point of a fixed body does not move")
            .help("expected [0, 0, 0], then the angular velocity in the body"));
    }
    Ok(())
}

/// The body that begins with a state, if it is one of its own.
pub(super) fn restarted(system: &BodySystem, begin: &State) -> Option<BodySystem> {
    let [x, y, z, orientation @ ..] = <[f64; 7]>::try_from(&begin.q[..]).ok()?;
    let [vx, vy, vz, angular_velocity @ ..] = <[f64; 6]>::try_from(&begin.v[..]).ok()?;
    Some(BodySystem {
        position: [x, y, z],
        orientation: Quaternion(orientation).unit(),
        velocity: [vx, vy, vz],
        angular_velocity,
        ..system.clone()
    })
}

impl Persist for Built {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.run).pass(&mut self.energy).pass(&mut self.guard).fixed(&mut self.kept);
        self.observers.iter_mut().for_each(|observer| observer.pass(archive));
    }
}

impl Engine for Built {
    fn advance(&mut self) -> Result<Moved, RunError> {
        self.run.advance(1)?;
        Ok(Moved::Moment)
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
            q: [&view.position[..], &view.orientation.0].concat(),
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
        }
    }

    fn summary(&self, _end: &End) -> Summary {
        results::summary(self)
    }

    fn report(&self, course: &Course<'_>) -> Findings {
        results::report(self, course)
    }
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

/// The rotation of a quaternion as it stands in a row.
fn rotation(quaternion: [f64; 4]) -> Mat3 {
    stationary::linalg::space::Quaternion(quaternion).matrix()
}
