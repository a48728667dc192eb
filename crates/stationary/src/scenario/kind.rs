//! The two kinds of scenarios and the keys of each.

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
}

const FORMULA: [&str; 17] = [
    "title",
    "description",
    "coordinates",
    "lagrangian",
    "constraint",
    "force",
    "step",
    "start",
    "end",
    "integrator",
    "observe",
    "claim",
    "parameters",
    "initial",
    "symmetry",
    "probe",
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

impl Kind {
    /// The kind of a scenario: exactly one of `mesh` and `lagrangian` (or `coordinates`) is there.
    pub fn of(root: &Table, source: &Arc<Source>) -> Result<Kind, Diagnostic> {
        let entry = |key: &str| root.iter().find(|e| e.key == key);
        match (entry("mesh"), entry("lagrangian").or_else(|| entry("coordinates"))) {
            (Some(_), None) => Ok(Kind::Solid),
            (None, Some(_)) => Ok(Kind::Formula),
            (Some(mesh), Some(other)) => {
                let message = format!("`mesh` besides `{}`: a scenario has one system", other.key);
                Err(mesh.key_place.error(message).help(
                    "keep `mesh` for a solid, or `coordinates` and `lagrangian` for a system given by formulas",
                ))
            }
            (None, None) => {
                let all: Vec<&str> =
                    FORMULA.into_iter().chain(SOLID.into_iter().filter(|k| !FORMULA.contains(k))).collect();
                tree::only(root, "the scenario", &all)?;
                let mut diagnostic = Diagnostic::new("the scenario has neither `lagrangian` nor `mesh`");
                diagnostic.source = Some(Arc::clone(source));
                Err(diagnostic.help(
                    "add `coordinates` and `lagrangian` for a system given by formulas, or `mesh` for a solid",
                ))
            }
        }
    }

    /// Rejects the first key that scenarios of this kind do not have in a table; "" is the top level. A key that the other
    /// kind has is told apart from one that nobody knows.
    pub fn only(self, table: &Table, section: &str) -> Result<(), Diagnostic> {
        let allowed = self.keys(section);
        let Some(entry) = table.iter().find(|e| !allowed.contains(&e.key.as_str())) else { return Ok(()) };
        let (this, other, owners) = match self {
            Kind::Formula => ("a system given by its Lagrangian", Kind::Solid, "solids, which have a `mesh`"),
            Kind::Solid => ("a solid", Kind::Formula, "systems with a `lagrangian`"),
        };
        if !other.keys(section).contains(&entry.key.as_str()) {
            let owner = if section.is_empty() { "the scenario".to_string() } else { format!("`{section}`") };
            return Err(tree::unknown_key(entry, &owner, allowed));
        }
        let dot = if section.is_empty() { "" } else { "." };
        Err(entry
            .key_place
            .error(format!("`{section}{dot}{}` is no key of {this}", entry.key))
            .help(format!("it belongs to {owners}; allowed keys: {}", allowed.join(", "))))
    }

    /// The keys of a section that both kinds have but fill differently.
    fn keys(self, section: &str) -> &'static [&'static str] {
        match (self, section) {
            (Kind::Formula, "initial") => &["position", "velocity", "momentum", "next_position"],
            (Kind::Solid, "initial") => &["deformation", "displacement", "velocity"],
            (Kind::Formula, "output") => &["every"],
            (Kind::Solid, "output") => &["rows", "frames", "checkpoint"],
            (Kind::Formula, _) => &FORMULA,
            (Kind::Solid, _) => &SOLID,
        }
    }
}
