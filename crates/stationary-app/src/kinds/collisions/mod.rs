//! Rigid bodies that collide with each other and with walls.

mod build;
mod engine;
mod film;
mod invariants;
mod keys;
mod place;
mod read;
mod results;
mod spec;

pub use spec::{BodyBegin, BodyGroup, CollisionSystem, MassSpec, Placement, ShapeSpec, WallKind, WallSpec};

use super::{KindNames, SystemKind, SystemSpec};
use crate::registry::{self, RegistryEntry};
use crate::run::State;
use crate::run::prepared::PreparedRun;
use crate::scenario::keys::Key;
use crate::scenario::{IntegratorSpec, Scenario};
use stationary::error::Error;
use stationary::linalg::Vec3;
use std::sync::Arc;

/// Bodies that collide.
pub(crate) static KIND: SystemKind = SystemKind {
    name: "bodies",
    defining_keys: &["bodies"],
    identifying_keys: &[],
    names: KindNames {
        one: "bodies that collide",
        many: "bodies that collide, which are `bodies`",
        made_by: "`bodies` for many that collide",
    },
    keys: keys::KEYS,
    reference: &[("Keys of bodies that collide", keys::KEYS)],
    reserved_names: || vec![("i", "the number of a body")],
    options_of,
    read: |reader| Ok(Arc::new(reader.collision_system()?)),
};

fn options_of(integrator: &RegistryEntry) -> Option<Vec<Key>> {
    (integrator.name == registry::COLLISIONS).then(|| integrator.options.to_vec())
}

impl SystemSpec for CollisionSystem {
    fn kind(&self) -> &'static SystemKind {
        &KIND
    }

    fn build(self: Arc<Self>, scenario: &Scenario, shows: bool) -> Result<PreparedRun, Error> {
        engine::build(scenario, &self, shows)
    }

    fn restarted(&self, begin: &State) -> Option<Arc<dyn SystemSpec>> {
        let count: usize = self.groups.iter().map(|group| group.starts.len()).sum();
        let rates = if self.space == 2 { 3 } else { 6 };
        if begin.q.len() != 3 * count || begin.v.len() != rates * count {
            return None;
        }
        let parts = begin.q.chunks_exact(3).zip(begin.v.chunks_exact(rates));
        let states = if self.space == 2 {
            parts.map(|(q, v)| begin_in_plane(q, v)).collect()
        } else {
            parts.map(|(q, v)| begin_in_space(q, v)).collect()
        };
        Some(Arc::new(CollisionSystem { states: Some(states), ..self.clone() }))
    }

    fn moves_name(&self, _integrator: &IntegratorSpec) -> &'static str {
        "impacts"
    }

    fn exchanges_energy(&self) -> bool {
        let bodies = self.groups.iter().map(|group| (group.restitution, group.friction));
        let walls = self.walls.iter().map(|wall| (wall.restitution, wall.friction));
        bodies.chain(walls).any(|(restitution, friction)| restitution < 1.0 || friction > 0.0)
    }
}

fn begin_in_plane(q: &[f64], v: &[f64]) -> BodyBegin {
    BodyBegin {
        position: Vec3::new(q[0], q[1], 0.0),
        angle: q[2],
        velocity: Vec3::new(v[0], v[1], 0.0),
        spin: Vec3::new(0.0, 0.0, v[2]),
    }
}

fn begin_in_space(q: &[f64], v: &[f64]) -> BodyBegin {
    BodyBegin {
        position: Vec3::new(q[0], q[1], q[2]),
        angle: 0.0,
        velocity: Vec3::new(v[0], v[1], v[2]),
        spin: Vec3::new(v[3], v[4], v[5]),
    }
}
