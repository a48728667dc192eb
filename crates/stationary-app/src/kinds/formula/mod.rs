//! Systems given by a Lagrangian or a Hamiltonian.

mod around;
mod build;
mod contacts;
mod crossings;
mod describe;
mod draw;
mod drawing;
mod engine;
mod explain;
mod gaps;
mod guard;
mod interactions;
pub(crate) mod keys;
mod limit;
mod mechanics;
mod observers;
mod phase;
mod plots;
mod read;
mod results;
mod setting;
mod spec;
mod start;

pub use drawing::{Drawing, DrawnShape};
pub use spec::{FormulaSystem, GapSpec, Initial, Law, Motion, SectionSpec, Together};

use super::{KindNames, SystemKind, SystemSpec};
use crate::registry::{self, ENERGY_OPTIONS, RegistryEntry, STEP};
use crate::run::prepared::PreparedRun;
use crate::run::{EnergyReport, State};
use crate::scenario::Scenario;
use crate::scenario::keys::Key;
use stationary::error::{Diagnostic, Error};
use std::sync::Arc;

/// Systems given by formulas.
pub(crate) static KIND: SystemKind = SystemKind {
    name: "formula",
    defining_keys: &["lagrangian", "hamiltonian"],
    identifying_keys: &["coordinates"],
    names: KindNames {
        one: "a system given by formulas",
        many: "systems with a `lagrangian`",
        made_by: "`coordinates` and `lagrangian` for a system given by formulas",
    },
    keys: keys::KEYS,
    reference: &[("Keys", keys::KEYS), ("Drawing", keys::DRAW)],
    reserved_names,
    options_of,
    read: |reader| Ok(Arc::new(reader.formula_system()?)),
};

fn reserved_names() -> Vec<(&'static str, &'static str)> {
    vec![
        ("q", "the list of positions"),
        ("v", "the list of velocities"),
        ("p", "the list of momenta"),
        ("i", "the number of a coordinate"),
    ]
}

/// All integrators but those that are made for other kinds.
fn options_of(integrator: &RegistryEntry) -> Option<Vec<Key>> {
    let made_for_others = [
        registry::EULER_POINCARE,
        registry::MOSER_VESELOV,
        registry::COLLISIONS,
        registry::AUTO,
        registry::STATIC,
        "avi",
    ];
    if made_for_others.contains(&integrator.name) {
        return None;
    }
    let mut options = integrator.options.to_vec();
    if options.contains(&STEP) {
        options.extend(ENERGY_OPTIONS);
    }
    Some(options)
}

impl SystemSpec for FormulaSystem {
    fn kind(&self) -> &'static SystemKind {
        &KIND
    }

    fn build(self: Arc<Self>, scenario: &Scenario, shows: bool) -> Result<PreparedRun, Error> {
        engine::build(scenario, &self, shows)
    }

    fn begin(&self, now: State, q: Option<&[f64]>, v: Option<&[f64]>) -> Result<State, Diagnostic> {
        let (v, p) = match (&self.law, v) {
            (Law::Lagrangian, Some(v)) => (v.to_vec(), Vec::new()),
            // Velocities stay where positions change; where nothing does, the momenta of the method are more exact.
            (Law::Lagrangian, None) if q.is_some() => (now.v, Vec::new()),
            (Law::Lagrangian | Law::Canonical, None) => (Vec::new(), now.p),
            (Law::OneForm(_), None) => (Vec::new(), Vec::new()),
            (Law::Canonical | Law::OneForm(_), Some(_)) => {
                let message = "velocities cannot be set: they follow from the Hamiltonian of this system";
                return Err(Diagnostic::new(message).help("expected positions alone"));
            }
        };
        Ok(State { t: now.t, q: q.map_or(now.q, <[f64]>::to_vec), v, p })
    }

    fn restarted(&self, begin: &State) -> Option<Arc<dyn SystemSpec>> {
        let State { q, v, p, .. } = begin;
        let n = self.coordinates.len();
        let motion = match &self.law {
            Law::Lagrangian if v.len() == n => Motion::Velocity(v.clone()),
            Law::Lagrangian | Law::Canonical if p.len() == n => Motion::Momentum(p.clone()),
            Law::OneForm(_) => Motion::Implied,
            _ => return None,
        };
        if q.len() != n {
            return None;
        }
        let initial = Initial { position: q.clone(), motion };
        Some(Arc::new(FormulaSystem { initial, ..self.clone() }))
    }

    fn exchanges_energy(&self) -> bool {
        !self.force.is_empty() || self.gaps.iter().any(|gap| gap.restitution < 1.0 || gap.friction > 0.0)
    }

    fn explain_energy(&self, scenario: &Scenario) -> Result<EnergyReport, Error> {
        explain::explain(scenario, self)
    }
}
