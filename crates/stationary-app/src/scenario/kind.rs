//! The four kinds of scenarios and how they are told apart.

use std::sync::Arc;

use super::keys::{self, Key};
use super::tree::{self, Table};
use stationary::error::{Diagnostic, Source};

/// What a scenario is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Coordinates and a Lagrangian.
    Formula,
    /// A mesh.
    Solid,
    /// A rigid body.
    Body,
    /// Many that collide.
    Bodies,
}

/// The keys that tell the kinds apart.
const TELLING: [(&str, Kind); 6] = [
    ("mesh", Kind::Solid),
    ("body", Kind::Body),
    ("bodies", Kind::Bodies),
    ("lagrangian", Kind::Formula),
    ("hamiltonian", Kind::Formula),
    ("coordinates", Kind::Formula),
];

/// The ways to state a load, of which each load uses one.
pub(super) const LOADS: [&str; 5] = ["body", "acceleration", "traction", "pressure", "force"];

/// The shapes of `[[draw]]`, and the keys of each besides `shape`.
pub(crate) const DRAWINGS: [(&str, &[&str]); 5] = [
    ("disc", &["name", "count", "at", "angle", "radius"]),
    ("ellipse", &["name", "count", "at", "angle", "semi_axes"]),
    ("polygon", &["name", "count", "at", "angle", "points"]),
    ("line", &["name", "count", "from", "to"]),
    ("sphere", &["name", "count", "at", "radius"]),
];

impl Kind {
    pub(crate) const ALL: [Kind; 4] = [Kind::Formula, Kind::Solid, Kind::Body, Kind::Bodies];

    /// The kind of a scenario: exactly one of `mesh`, `body`, `bodies` and `lagrangian` (or `hamiltonian`, or `coordinates`) is there.
    pub(super) fn of(root: &Table, source: &Arc<Source>) -> Result<Kind, Diagnostic> {
        let found =
            TELLING.iter().filter_map(|(key, kind)| Some((root.iter().find(|e| e.key == *key)?, *kind)));
        let found: Vec<_> = found.collect();
        let Some((first, kind)) = found.first() else {
            let mut all: Vec<&str> = Vec::new();
            for key in Kind::ALL.iter().flat_map(|kind| kind.keys("")) {
                if !all.contains(&key) {
                    all.push(key);
                }
            }
            tree::only(root, "the scenario", &all)?;
            let mut diagnostic =
                Diagnostic::new("the scenario has neither `lagrangian` nor `mesh` nor `body` nor `bodies`");
            diagnostic.source = Some(Arc::clone(source));
            return Err(diagnostic.help(
                "add `coordinates` and `lagrangian` for a system given by formulas, `mesh` for a solid, `body` for a rigid \
                 body, or `bodies` for many that collide",
            ));
        };
        match found.iter().find(|(_, other)| other != kind) {
            None => Ok(*kind),
            Some((other, _)) => {
                let message = format!("`{}` besides `{}`: a scenario has one system", first.key, other.key);
                Err(first.key_place.error(message).help(
                    "keep `mesh` for a solid, `body` for a rigid body, `bodies` for many that collide, or `coordinates` and \
                     `lagrangian` for a system given by formulas",
                ))
            }
        }
    }

    /// Rejects the first key that scenarios of this kind do not have in a table; "" is the top level. A key that another
    /// kind has is told apart from one that nobody knows.
    pub(super) fn only(self, table: &Table, section: &str) -> Result<(), Diagnostic> {
        let allowed = self.keys(section);
        let Some(entry) = table.iter().find(|e| !allowed.contains(&e.key.as_str())) else { return Ok(()) };
        let this = match self {
            Kind::Formula => "a system given by formulas",
            Kind::Solid => "a solid",
            Kind::Body => "a rigid body",
            Kind::Bodies => "bodies that collide",
        };
        let owner = Kind::ALL.iter().find(|k| **k != self && k.keys(section).contains(&entry.key.as_str()));
        let owners = match owner {
            Some(Kind::Formula) => "systems with a `lagrangian`",
            Some(Kind::Solid) => "solids, which have a `mesh`",
            Some(Kind::Body) => "rigid bodies, which have a `body`",
            Some(Kind::Bodies) => "bodies that collide, which are `bodies`",
            None => {
                let owner =
                    if section.is_empty() { "the scenario".to_string() } else { format!("`{section}`") };
                return Err(tree::unknown_key(entry, &owner, &allowed));
            }
        };
        let dot = if section.is_empty() { "" } else { "." };
        Err(entry
            .key_place
            .error(format!("`{section}{dot}{}` is no key of {this}", entry.key))
            .help(format!("it belongs to {owners}; allowed keys: {}", allowed.join(", "))))
    }

    /// All keys of this kind.
    pub(crate) fn all_keys(self) -> &'static [Key] {
        match self {
            Kind::Formula => keys::formula::KEYS,
            Kind::Solid => keys::solid::KEYS,
            Kind::Body => keys::body::KEYS,
            Kind::Bodies => keys::bodies::KEYS,
        }
    }

    /// The names of the keys of a section, or of the tables in a section of many; "" is the top level.
    pub(crate) fn keys(self, section: &str) -> Vec<&'static str> {
        let places = self.all_keys().iter().map(Key::place);
        places.filter(|(own, _)| *own == section).map(|(_, name)| name).collect()
    }
}
