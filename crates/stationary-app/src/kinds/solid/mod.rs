//! Solids: a mesh of finite elements with materials, supports and loads.

mod auto;
mod boundary;
mod build;
mod elements;
mod engine;
mod equilibrium;
mod fields;
mod given;
mod growth;
mod keys;
mod level_words;
mod limit;
mod loads;
mod material;
mod mesh_file;
mod modes;
mod modes_output;
mod motion;
mod passage;
mod picture;
mod probe;
mod read;
mod record;
mod rehearsal;
mod results;
mod rise;
mod simulation;
mod spec;
mod stability;
mod start;
mod static_motion;
mod static_results;
mod step_watch;
mod steps;
mod survey;
mod update_costs;

pub use modes::{ModalOutcome, natural_modes};
pub use simulation::{SolidSimulation, SolidView};
pub use spec::{
    InitialShape, Load, LoadKind, MaterialSpec, MeshSpec, PointMass, ProbePlace, ProbeSummary, SolidOutput,
    SolidProbe, SolidSystem, Support,
};
pub(crate) use spec::{field_scope, probe_scope};

use super::{KindNames, SystemKind, SystemSpec};
use crate::registry::{self, RegistryEntry, SOLID_BETA, STEP_OPTIONS, SolidMethod};
use crate::run::State;
use crate::run::prepared::PreparedRun;
use crate::scenario::keys::Key;
use crate::scenario::{IntegratorSpec, Scenario};
use stationary::error::Error;
use std::sync::Arc;

/// Solids.
pub(crate) static KIND: SystemKind = SystemKind {
    name: "solid",
    defining_keys: &["mesh"],
    identifying_keys: &[],
    names: KindNames { one: "a solid", many: "solids, which have a `mesh`", made_by: "`mesh` for a solid" },
    keys: keys::KEYS,
    reference: &[("Keys of solids", keys::KEYS)],
    reserved_names: || spec::RESERVED_NAMES.to_vec(),
    options_of,
    read: |reader| Ok(Arc::new(reader.solid_system()?)),
};

/// Integrators of the whole body, and those with steps of the elements.
fn options_of(integrator: &RegistryEntry) -> Option<Vec<Key>> {
    let made_for_others = [registry::EULER_POINCARE, registry::MOSER_VESELOV, registry::COLLISIONS];
    if made_for_others.contains(&integrator.name) {
        return None;
    }
    let mut options = integrator.options.to_vec();
    if integrator.name == "newmark" {
        let solid = |option: Key| if option.path == SOLID_BETA.path { SOLID_BETA } else { option };
        options = options.into_iter().map(solid).chain(STEP_OPTIONS).collect();
    }
    Some(options)
}

impl SystemSpec for SolidSystem {
    fn kind(&self) -> &'static SystemKind {
        &KIND
    }

    fn build(self: Arc<Self>, scenario: &Scenario, shows: bool) -> Result<PreparedRun, Error> {
        engine::build(scenario, &self, shows)
    }

    /// None: a state of a solid has the order of its mesh, and [`SolidSimulation`] sets it without building the solid anew.
    fn restarted(&self, _begin: &State) -> Option<Arc<dyn SystemSpec>> {
        None
    }

    fn file(&self) -> Option<&str> {
        Some(&self.mesh.file.text)
    }

    fn file_bytes(&self, scenario: &Scenario) -> Result<Vec<u8>, Error> {
        mesh_file::mesh_bytes(scenario, self)
    }

    fn moves_name(&self, integrator: &IntegratorSpec) -> &'static str {
        match registry::solid_method(integrator) {
            Ok(SolidMethod::Discrete { .. }) => "steps",
            Ok(SolidMethod::Static { .. }) => "load steps",
            _ => "updates",
        }
    }
}
