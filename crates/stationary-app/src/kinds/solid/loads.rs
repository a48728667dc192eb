//! Loads on the volume, the sides and the nodes of a solid.

use super::boundary::{field, value};
use super::elements::{AtCell, of_group, point_masses, tag};
use super::mesh_file::group;
use crate::scenario::{LoadKind, Scenario, SolidSystem, Text};
use stationary::error::{Diagnostic, Error};
use stationary::mesh::{CellId, CellKind, Group, Mesh};
use stationary::model::FormulaField;
use stationary::model::solid::{Depth, ElementSide, Loads, LoadsBuilder, MAX_NODES, Solid};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All loads of a scenario.
pub(super) fn loads(
    scenario: &Scenario,
    system: &SolidSystem,
    sides: &Sides,
    cells: &[CellId],
) -> Result<Loads, Error> {
    let Sides { mesh, solid, at_cell, .. } = *sides;
    let scope = scenario.field_scope();
    let number = |label: usize| tag(mesh, cells[label]);
    let mut builder = LoadsBuilder::default();
    for load in &system.loads {
        let groups: Vec<&Group> =
            load.groups.iter().map(|name| group(mesh, name)).collect::<Result<_, _>>()?;
        let (texts, body): (&[Text], bool) = match &load.kind {
            LoadKind::Body(f) | LoadKind::Acceleration(f) => (f, true),
            LoadKind::Traction(f) | LoadKind::Force(f) => (f, false),
            LoadKind::Pressure(p) => (std::slice::from_ref(p), false),
        };
        let force = field(texts, &scope)?;
        // Only where it acts: 1/X is a fine load on a side far from the origin.
        let everywhere = if groups.is_empty() { 0..mesh.points.len() as u32 } else { 0..0 };
        for node in groups.iter().flat_map(|g| g.nodes.iter().copied()).chain(everywhere) {
            value(&force, texts, scenario.start, &mesh.points[node as usize])?;
        }
        if body {
            let all: Vec<u32> = match groups.is_empty() {
                true => (0..solid.elements() as u32).collect(),
                false => groups.iter().flat_map(|g| of_group(g, at_cell)).collect(),
            };
            let per_mass = matches!(load.kind, LoadKind::Acceleration(_));
            let mut masses = if per_mass { point_masses(mesh, system)? } else { Vec::new() };
            masses.retain(|(a, _)| groups.is_empty() || groups.iter().any(|g| g.nodes.contains(a)));
            if all.is_empty() && masses.is_empty() {
                return Err(load.name.error(format!("load `{}` acts on no element", load.name.text)).into());
            }
            all.iter().for_each(|k| on_element(&mut builder, solid, *k as usize, per_mass, &force));
            on_nodes(&mut builder, solid, number, masses.into_iter(), &force);
            continue;
        }
        for group in groups {
            match load.kind {
                LoadKind::Force(_) => {
                    // A node that a group names twice is one node.
                    let nodes: BTreeSet<u32> = group.nodes.iter().copied().collect();
                    on_nodes(&mut builder, solid, number, nodes.into_iter().map(|a| (a, 1.0)), &force);
                }
                _ => on_sides(&mut builder, sides, group, &force, &load.kind, &load.name)?,
            }
        }
    }
    Ok(builder.finish(&mesh.points, solid.elements()))
}

/// A load on an element's volume or mass.
fn on_element(
    builder: &mut LoadsBuilder,
    solid: &Solid,
    k: usize,
    per_mass: bool,
    force: &Arc<FormulaField>,
) {
    let (block, j) = solid.locate(k);
    let nodes = block.nodes(j);
    let mut share = [0.0; MAX_NODES];
    if per_mass {
        // As the masses are lumped: all nodes of a free body then fall alike.
        block.lumped_mass(j, &mut share);
    } else {
        let (n, mut consistent) = (nodes.len(), [0.0; MAX_NODES * MAX_NODES]);
        block.consistent_mass(j, &mut consistent);
        for (a, share) in share[..n].iter_mut().enumerate() {
            let whole: f64 = consistent[a * n..(a + 1) * n].iter().sum();
            *share = whole / block.mass(j) * block.volume(j);
        }
    }
    for (a, node) in nodes.iter().enumerate() {
        if share[a] != 0.0 {
            builder.dead(k, (a, *node), share[a], force);
        }
    }
}

/// A multiple of a force on each of some nodes, given to the element of the lowest number in the file that has the node, of the first block.
fn on_nodes(
    builder: &mut LoadsBuilder,
    solid: &Solid,
    number: impl Fn(usize) -> u64,
    nodes: impl Iterator<Item = (u32, f64)>,
    force: &Arc<FormulaField>,
) {
    let mut wanted = vec![0.0; solid.mass().len()];
    nodes.for_each(|(a, factor)| wanted[a as usize] += factor);
    let mut before = 0;
    for block in solid.blocks() {
        // Number in the file, place and local node of the best so far.
        let mut chosen: BTreeMap<u32, (u64, usize, usize)> = BTreeMap::new();
        for j in 0..block.len() {
            for (local, node) in
                block.nodes(j).iter().enumerate().filter(|(_, a)| wanted[**a as usize] != 0.0)
            {
                let candidate = (number(block.label(j)), before + j, local);
                chosen.entry(*node).and_modify(|best| *best = candidate.min(*best)).or_insert(candidate);
            }
        }
        before += block.len();
        for (node, (_, k, local)) in chosen {
            let factor = std::mem::take(&mut wanted[node as usize]);
            builder.dead(k, (local, node), factor, force);
        }
    }
}

/// What loads on sides need to know of the body.
pub(super) struct Sides<'a> {
    pub mesh: &'a Mesh,
    pub solid: &'a Solid,
    pub at_cell: &'a AtCell,
    /// The third dimension of the plane element of a label.
    pub depth: &'a dyn Fn(usize) -> Depth,
}

/// A traction or a pressure on the sides of a group.
fn on_sides(
    builder: &mut LoadsBuilder,
    Sides { mesh, solid, at_cell, depth }: &Sides,
    group: &Group,
    force: &Arc<FormulaField>,
    kind: &LoadKind,
    name: &Text,
) -> Result<(), Error> {
    let faces = mesh.boundary_faces(group).map_err(|e| match e {
        Error::Input(d) => Error::from(Diagnostic { help: d.help, ..name.error(d.message) }),
        other => other,
    })?;
    if faces.is_empty() {
        let message = format!("group `{}` of load `{}` has no side of the body", group.name, name.text);
        return Err(name.error(message).help("expected a group on the surface").into());
    }
    for face in faces {
        let Some(k) = at_cell.get(face.cell) else { continue };
        let (block, j) = solid.locate(k);
        let is_edge = matches!(face.kind, CellKind::Line2 | CellKind::Line3);
        let depth = is_edge.then(|| depth(block.label(j)));
        if let LoadKind::Pressure(_) = kind {
            builder.pressure(k, block.nodes(j), face.nodes(), depth, force);
            continue;
        }
        let shares = ElementSide::new(face.nodes(), depth).shares(mesh.points.as_flattened());
        for (node, share) in face.nodes().iter().zip(shares) {
            let local = block.nodes(j).iter().position(|b| b == node).expect("a side of the element");
            if share != 0.0 {
                builder.dead(k, (local, *node), share, force);
            }
        }
    }
    Ok(())
}
