//! Everything a user can name, with its mathematics and options: one entry each, read by the program's `list` and
//! `explain`, by the scenario's `integrator` and `observe`, and by the documentation.

mod choice;
mod integrators;
mod materials;
mod observers;
mod options;
mod solid;

pub use choice::{Chosen, body_method, collisions, method};
pub use materials::MaterialEntry;
pub(crate) use options::{ENERGY_OPTIONS, SOLID_BETA, STEP, STEP_OPTIONS};
pub use solid::{AutoSpec, Rule, SolidMethod, StepSpec, solid_method};

use crate::kinds::{KINDS, SystemKind};
use crate::scenario::keys::Key;
use crate::scenario::{IntegratorSpec, Text, unknown_word};
use choice::unknown_integrator;
use integrators::INTEGRATORS;
use materials::MATERIALS;
use observers::OBSERVERS;
use stationary::error::Error;

/// Documentation of an integrator or an observer.
#[derive(Debug, Clone, Copy)]
pub struct RegistryEntry {
    /// The name in scenarios.
    pub name: &'static str,
    /// A word or two on what it is.
    pub kind: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The mathematics, some lines.
    pub maths: &'static str,
    /// Its options.
    pub options: &'static [Key],
}

const VARIATIONAL: &str = "variational";
const NOT_VARIATIONAL: &str = "not variational";

/// The integrators of rigid bodies.
pub(crate) const EULER_POINCARE: &str = "euler-poincare";
pub(crate) const MOSER_VESELOV: &str = "moser-veselov";
/// The integrator of bodies that collide.
pub(crate) const COLLISIONS: &str = "collisions";

/// The integrator of solids that stands for the one of least time.
pub(crate) const AUTO: &str = "auto";
/// The static solution of solids.
pub(crate) const STATIC: &str = "static";

/// All integrators.
pub fn integrators() -> &'static [RegistryEntry] {
    &INTEGRATORS
}

/// All observers. Those named `always` run in every scenario.
pub fn observers() -> &'static [RegistryEntry] {
    &OBSERVERS
}

/// All constitutive laws.
pub fn materials() -> &'static [MaterialEntry] {
    &MATERIALS
}

/// The integrators that a kind of scenario takes, and the options that each has there.
pub(crate) fn integrators_of(kind: &SystemKind) -> Vec<(&'static RegistryEntry, Vec<Key>)> {
    INTEGRATORS.iter().filter_map(|entry| Some((entry, (kind.options_of)(entry)?))).collect()
}

/// The integrator that a scenario names, if it moves systems of this kind.
pub(crate) fn accepted(kind: &SystemKind, choice: &IntegratorSpec) -> Result<&'static RegistryEntry, Error> {
    let text = &choice.method;
    let own: Vec<&str> = integrators_of(kind).iter().map(|(entry, _)| entry.name).collect();
    let Some(entry) = INTEGRATORS.iter().find(|entry| entry.name == text.text) else {
        return Err(unknown_integrator(text, "integrator", &own).into());
    };
    if own.contains(&entry.name) {
        return Ok(entry);
    }
    let moves = |other: &&&'static SystemKind| (other.options_of)(entry).is_some();
    let owner =
        KINDS.iter().find(moves).map_or(String::new(), |owner| format!("it moves {}; ", owner.names.many));
    let error = text.error(format!("`{}` does not move {}", entry.name, kind.names.one));
    Err(error.help(format!("{owner}expected one of: {}", own.join(", "))).into())
}

/// Checks the names under `observe`; returns whether the one given is among them.
pub fn wants(observe: &[Text], name: &str) -> Result<bool, Error> {
    let names: Vec<&str> = OBSERVERS.iter().map(|e| e.name).collect();
    for text in observe {
        if !names.contains(&text.text.as_str()) {
            return Err(unknown_word(text, "observer", &names).into());
        }
    }
    Ok(observe.iter().any(|t| t.text == name))
}
