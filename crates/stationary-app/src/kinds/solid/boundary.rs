//! Fields over a solid, and the boundary conditions that prescribe displacements.

use super::mesh_file::group;
use crate::scenario::{Scenario, SolidSystem, Text};
use stationary::error::Error;
use stationary::formula::{Graph, Scope};
use stationary::mesh::Mesh;
use stationary::model::{FormulaField, Supports};
use std::sync::Arc;

/// A vector of formulas of time and place.
pub(super) fn field(texts: &[Text], scope: &Scope) -> Result<Arc<FormulaField>, Error> {
    let mut graph = Graph::new();
    let mut scope = scope.clone();
    let nodes: Vec<_> = texts.iter().map(|t| t.lower(&mut graph, &mut scope)).collect::<Result<_, _>>()?;
    Ok(Arc::new(FormulaField::new(&mut graph, &nodes)))
}

/// The field at a place, which must be finite there.
pub(super) fn value(
    field: &FormulaField,
    texts: &[Text],
    t: f64,
    place: &[f64; 3],
) -> Result<[f64; 3], Error> {
    let value = field.at(t, place).0;
    match (0..texts.len()).find(|i| !value[*i].is_finite()) {
        None => Ok(value),
        Some(i) => {
            let at = format!("({}, {}, {})", place[0], place[1], place[2]);
            Err(texts[i].error(format!("the formula is {} at {at}, time {t}", value[i])).into())
        }
    }
}

/// The displacements that supports prescribe.
pub(super) fn supports(scenario: &Scenario, system: &SolidSystem, mesh: &Mesh) -> Result<Supports, Error> {
    let scope = scenario.field_scope();
    let mut supports = Supports::new(&mesh.points);
    for (number, support) in system.supports.iter().enumerate() {
        let group = group(mesh, &support.group)?;
        for (direction, text) in support.components.iter().enumerate() {
            let Some(text) = text else { continue };
            let motion = field(std::slice::from_ref(text), &scope)?;
            for node in &group.nodes {
                let point = &mesh.points[*node as usize];
                let at = value(&motion, std::slice::from_ref(text), scenario.start, point)?[0];
                let held = match motion.is_timed() {
                    true => supports.prescribe(*node, direction, &motion, number),
                    false => supports.fix(*node, direction, at, number),
                };
                held.map_err(|conflict| {
                    let axis = ["x", "y", "z"][conflict.direction];
                    let owner = &system.supports[conflict.owner].name.text;
                    let tag = mesh.point_tags[conflict.node as usize];
                    text.error(format!("node {tag} is held along {axis} by `{owner}` already, elsewhere"))
                        .help(
                            "expected groups without common nodes, or the same constant displacement in both",
                        )
                })?;
            }
        }
    }
    Ok(supports)
}
