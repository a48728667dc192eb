//! A rigid body, free or held at a point.

mod build;
mod engine;
mod invariants;
mod keys;
mod read;
mod results;
mod spec;

pub use spec::RigidBodySystem;

use super::{KindNames, SystemKind, SystemSpec};
use crate::registry::{self, RegistryEntry};
use crate::run::State;
use crate::run::prepared::PreparedRun;
use crate::scenario::Scenario;
use crate::scenario::keys::Key;
use stationary::error::{Diagnostic, Error};
use stationary::linalg::{Quaternion, Vec3, Vector};
use std::sync::Arc;

/// Rigid bodies.
pub(crate) static KIND: SystemKind = SystemKind {
    name: "body",
    defining_keys: &["body"],
    identifying_keys: &[],
    names: KindNames {
        one: "a rigid body",
        many: "rigid bodies, which have a `body`",
        made_by: "`body` for a rigid body",
    },
    keys: keys::KEYS,
    reference: &[("Keys of bodies", keys::KEYS)],
    reserved_names: || spec::reserved().collect(),
    options_of,
    read: |reader| Ok(Arc::new(reader.rigid_body_system()?)),
};

fn options_of(integrator: &RegistryEntry) -> Option<Vec<Key>> {
    let own = [registry::EULER_POINCARE, registry::MOSER_VESELOV];
    own.contains(&integrator.name).then(|| integrator.options.to_vec())
}

impl SystemSpec for RigidBodySystem {
    fn kind(&self) -> &'static SystemKind {
        &KIND
    }

    fn build(self: Arc<Self>, scenario: &Scenario, _shows: bool) -> Result<PreparedRun, Error> {
        engine::build(scenario, &self)
    }

    fn begin(&self, now: State, q: Option<&[f64]>, v: Option<&[f64]>) -> Result<State, Diagnostic> {
        let q = q.map_or(now.q, <[f64]>::to_vec);
        let v = v.map_or(now.v, <[f64]>::to_vec);
        if q[3..].iter().all(|x| *x == 0.0) {
            return Err(Diagnostic::new(
                "the positions cannot be set: the quaternion is zero, which is no rotation",
            )
            .help("expected [x, y, z] of the position, then [w, x, y, z] of any length but zero"));
        }
        if self.fixed && v[..3].iter().any(|x| *x != 0.0) {
            return Err(Diagnostic::new(
                "the velocities cannot be set: the point of a fixed body does not move",
            )
            .help("expected [0, 0, 0], then the angular velocity in the body"));
        }
        Ok(State { t: now.t, q, v, p: Vec::new() })
    }

    fn restarted(&self, begin: &State) -> Option<Arc<dyn SystemSpec>> {
        let [x, y, z, orientation @ ..] = <[f64; 7]>::try_from(&begin.q[..]).ok()?;
        let [vx, vy, vz, angular_velocity @ ..] = <[f64; 6]>::try_from(&begin.v[..]).ok()?;
        Some(Arc::new(RigidBodySystem {
            position: Vec3::new(x, y, z),
            orientation: Quaternion(orientation).unit(),
            velocity: Vec3::new(vx, vy, vz),
            angular_velocity: Vector(angular_velocity),
            ..self.clone()
        }))
    }
}
