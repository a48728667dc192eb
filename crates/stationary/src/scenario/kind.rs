//! The four kinds of scenarios and the keys of each.

use std::sync::Arc;

use super::tree::{self, Table};
use crate::error::{Diagnostic, Source};

/// What a scenario is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Coordinates and a Lagrangian.
    Formula,
    /// A mesh.
    Solid,
    /// A rigid body.
    Body,
    /// Many that collide.
    Bodies,
}

const FORMULA: [&str; 25] = [
    "title",
    "description",
    "coordinates",
    "lagrangian",
    "constraint",
    "force",
    "gap",
    "simultaneous",
    "reduce",
    "hamiltonian",
    "one_form",
    "step",
    "start",
    "end",
    "end_impacts",
    "integrator",
    "observe",
    "claim",
    "parameters",
    "initial",
    "symmetry",
    "probe",
    "section",
    "draw",
    "output",
];

const SOLID: [&str; 18] = [
    "title",
    "description",
    "mesh",
    "material",
    "mass",
    "support",
    "load",
    "step",
    "start",
    "end",
    "integrator",
    "observe",
    "claim",
    "parameters",
    "initial",
    "probe",
    "local_energy",
    "output",
];

const BODY: [&str; 12] = [
    "title",
    "description",
    "body",
    "step",
    "start",
    "end",
    "integrator",
    "observe",
    "claim",
    "parameters",
    "probe",
    "output",
];

const BODIES: [&str; 17] = [
    "title",
    "description",
    "space",
    "gravity",
    "restitution",
    "friction",
    "wall",
    "bodies",
    "step",
    "start",
    "end",
    "end_impacts",
    "integrator",
    "observe",
    "claim",
    "parameters",
    "output",
];

/// The keys that tell the kinds apart.
const TELLING: [(&str, Kind); 6] = [
    ("mesh", Kind::Solid),
    ("body", Kind::Body),
    ("bodies", Kind::Bodies),
    ("lagrangian", Kind::Formula),
    ("hamiltonian", Kind::Formula),
    ("coordinates", Kind::Formula),
];

impl Kind {
    const ALL: [Kind; 4] = [Kind::Formula, Kind::Solid, Kind::Body, Kind::Bodies];

    /// The kind of a scenario: exactly one of `mesh`, `body`, `bodies` and `lagrangian` (or `hamiltonian`, or `coordinates`) is there.
    pub fn of(root: &Table, source: &Arc<Source>) -> Result<Kind, Diagnostic> {
        let found =
            TELLING.iter().filter_map(|(key, kind)| Some((root.iter().find(|e| e.key == *key)?, *kind)));
        let found: Vec<_> = found.collect();
        let Some((first, kind)) = found.first() else {
            let mut all: Vec<&str> = Vec::new();
            for key in Kind::ALL.iter().flat_map(|kind| kind.keys("")) {
                if !all.contains(key) {
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
    pub fn only(self, table: &Table, section: &str) -> Result<(), Diagnostic> {
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
                return Err(tree::unknown_key(entry, &owner, allowed));
            }
        };
        let dot = if section.is_empty() { "" } else { "." };
        Err(entry
            .key_place
            .error(format!("`{section}{dot}{}` is no key of {this}", entry.key))
            .help(format!("it belongs to {owners}; allowed keys: {}", allowed.join(", "))))
    }

    /// The keys of a section that several kinds have but fill differently.
    fn keys(self, section: &str) -> &'static [&'static str] {
        match (self, section) {
            (Kind::Formula, "initial") => &["position", "velocity", "momentum", "next_position"],
            (Kind::Solid, "initial") => &["deformation", "displacement", "velocity"],
            (Kind::Body | Kind::Bodies, "initial") => &[],
            (_, "gap") => &["gap", "name", "restitution", "friction", "slip", "at"],
            (_, "section") => &["when", "columns"],
            (Kind::Formula | Kind::Body, "output") => &["every", "series", "checkpoint"],
            (Kind::Bodies, "output") => &["every", "impacts", "series", "checkpoint"],
            (Kind::Solid, "output") => &["rows", "frames", "frame_format", "series", "checkpoint"],
            (Kind::Formula, _) => &FORMULA,
            (Kind::Solid, _) => &SOLID,
            (Kind::Body, _) => &BODY,
            (Kind::Bodies, _) => &BODIES,
        }
    }
}
