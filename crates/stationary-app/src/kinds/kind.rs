//! A kind of system as a value, and a system of some kind as a scenario states it.

use crate::registry::RegistryEntry;
use crate::run::prepared::PreparedRun;
use crate::run::{EnergyReport, State};
use crate::scenario::keys::Key;
use crate::scenario::read::Reader;
use crate::scenario::{IntegratorSpec, Scenario};
use stationary::error::{Diagnostic, Error};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// What readers, messages, the schema, the reference and runs know about a kind of system.
pub(crate) struct SystemKind {
    /// Its name in the schema and in Python.
    pub name: &'static str,
    /// Keys of which a scenario of this kind has one.
    pub defining_keys: &'static [&'static str],
    /// Further keys by which a scenario is known to be of this kind.
    pub identifying_keys: &'static [&'static str],
    /// How messages name it.
    pub names: KindNames,
    /// All keys of its scenarios.
    pub keys: &'static [Key],
    /// The tables of keys in the reference, with their headings.
    pub reference: &'static [(&'static str, &'static [Key])],
    /// Names that have a fixed meaning in formulas, and that meaning.
    pub reserved_names: fn() -> Vec<(&'static str, &'static str)>,
    /// The options of an integrator for systems of this kind; none where it does not move them.
    pub options_of: fn(&RegistryEntry) -> Option<Vec<Key>>,
    /// Reads a system.
    pub read: fn(&mut Reader) -> Result<Arc<dyn SystemSpec>, Diagnostic>,
}

/// How messages name a kind of system.
pub(crate) struct KindNames {
    /// `a solid`.
    pub one: &'static str,
    /// `solids, which have a mesh`.
    pub many: &'static str,
    /// What makes a scenario one of this kind: `` `mesh` for a solid ``.
    pub made_by: &'static str,
}

impl SystemKind {
    /// All keys that tell that a scenario is of this kind.
    pub fn all_identifying_keys(&self) -> impl Iterator<Item = &'static str> {
        self.defining_keys.iter().chain(self.identifying_keys).copied()
    }

    /// The names of the keys of a section, or of the tables in a section of many; "" is the top level.
    pub fn keys_of(&self, section: &str) -> Vec<&'static str> {
        let places = self.keys.iter().map(Key::place);
        places.filter(|(own, _)| *own == section).map(|(_, name)| name).collect()
    }
}

impl PartialEq for SystemKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for SystemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A system as a scenario states it: plain data of its kind.
pub(crate) trait SystemSpec: fmt::Debug + Any + Send + Sync {
    /// Its kind.
    fn kind(&self) -> &'static SystemKind;

    /// Makes the system that a run moves; with `shows`, its pictures, too.
    fn build(self: Arc<Self>, scenario: &Scenario, shows: bool) -> Result<PreparedRun, Error>;

    /// The state with which a run begins anew: that of now, in which positions or velocities are replaced. Of velocities and momenta it has
    /// those that decide.
    fn begin(&self, now: State, q: Option<&[f64]>, v: Option<&[f64]>) -> Result<State, Diagnostic> {
        Ok(State {
            q: q.map_or(now.q, <[f64]>::to_vec),
            v: v.map_or(now.v, <[f64]>::to_vec),
            p: Vec::new(),
            ..now
        })
    }

    /// The system that begins with such a state, if it is one of its own.
    fn restarted(&self, begin: &State) -> Option<Arc<dyn SystemSpec>>;

    /// The file that its scenario names; most systems need none.
    fn file(&self) -> Option<&str> {
        None
    }

    /// The bytes of that file.
    fn file_bytes(&self, _scenario: &Scenario) -> Result<Vec<u8>, Error> {
        Ok(Vec::new())
    }

    /// What moves of its runs are called.
    fn moves_name(&self, _integrator: &IntegratorSpec) -> &'static str {
        "steps"
    }

    /// Whether forces or impacts give or take energy, so that its change is no error.
    fn exchanges_energy(&self) -> bool {
        false
    }

    /// The energy that the steps of a variational method follow; see [`explain_energy`](crate::run::explain_energy).
    fn explain_energy(&self, scenario: &Scenario) -> Result<EnergyReport, Error> {
        let message =
            format!("explain-energy is for systems given by formulas, and this is {}", self.kind().names.one);
        let error = scenario.integrator.method.place.error(message);
        Err(error.help("the energy of such a run is in its results: stationary run").into())
    }
}
