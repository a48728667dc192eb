//! Elements of a solid: the cells of the mesh, each with its material, and masses on nodes.

use super::material::ElementMaterial;
use super::mesh_file::group;
use crate::scenario::{MaterialSpec, SolidSystem};
use stationary::error::Error;
use stationary::mesh::{CellId, Group, Mesh};
use stationary::model::solid::{Elements, Solid};
use std::ops::Range;

/// The elements in the order of the materials, and where those of each material end. Cells of the largest dimension must all have one;
/// others are elements only where a material names them.
pub(super) fn assign(
    mesh: &Mesh,
    system: &SolidSystem,
    element_materials: &[ElementMaterial],
) -> Result<(Vec<CellId>, Vec<usize>), Error> {
    const NONE: u32 = u32::MAX;
    let mut owner: Vec<Vec<u32>> = mesh.cells.iter().map(|c| vec![NONE; c.len()]).collect();
    for (m, choice) in system.materials.iter().enumerate() {
        for name in &choice.groups {
            let group = group(mesh, name)?;
            let fitting =
                group.cells.iter().filter(|c| element_materials[m].fits(mesh.cells[c.0 as usize].kind));
            let mut count = 0;
            for cell in fitting {
                let slot = &mut owner[cell.0 as usize][cell.1 as usize];
                if *slot != NONE && *slot != m as u32 {
                    let first = &system.materials[*slot as usize].name.text;
                    let both =
                        format!("{} is of `{first}` and of `{}`", placed(mesh, *cell), choice.name.text);
                    return Err(name.error(both).help("expected groups that do not overlap").into());
                }
                *slot = m as u32;
                count += 1;
            }
            if count == 0 {
                let expected = element_materials[m].expected();
                return Err(name
                    .error(format!("group `{}` has no elements for the law `{}`", name.text, choice.law.text))
                    .help(format!("expected {expected}"))
                    .into());
            }
        }
    }
    let dimension = mesh.dimension();
    if let Some(rest) = system.materials.iter().position(|m| m.groups.is_empty()) {
        for (b, cells) in mesh.cells.iter().enumerate() {
            if cells.kind.dimension() == dimension && element_materials[rest].fits(cells.kind) {
                owner[b].iter_mut().filter(|o| **o == NONE).for_each(|o| *o = rest as u32);
            }
        }
    }
    let mut ends = vec![0; element_materials.len()];
    for (b, cells) in mesh.cells.iter().enumerate() {
        for k in 0..cells.len() {
            match owner[b][k] {
                NONE if cells.kind.dimension() == dimension => {
                    return Err(without_material(system, element_materials, mesh, (b as u32, k as u32)));
                }
                NONE => {}
                m => ends[m as usize] += 1,
            }
        }
    }
    // Counted into place: by material, then as in the mesh.
    let mut next: Vec<usize> = ends.iter().scan(0, |sum, n| Some(std::mem::replace(sum, *sum + n))).collect();
    (ends.iter_mut().zip(&next)).for_each(|(end, start)| *end += start);
    let mut all = vec![(0, 0); ends.last().copied().unwrap_or(0)];
    for (owner, b) in owner.iter().zip(0..) {
        for (m, k) in owner.iter().zip(0..).filter(|(m, _)| **m != NONE) {
            all[next[*m as usize]] = (b, k);
            next[*m as usize] += 1;
        }
    }
    Ok((all, ends))
}

fn without_material(
    system: &SolidSystem,
    element_materials: &[ElementMaterial],
    mesh: &Mesh,
    cell: CellId,
) -> Error {
    let message = format!("{} has no material", placed(mesh, cell));
    let help = match system.materials.iter().position(|m| m.groups.is_empty()) {
        None => "give its group to a material, or leave `group` out of one material: it then takes the rest"
            .into(),
        Some(rest) => {
            let MaterialSpec { name, law, .. } = &system.materials[rest];
            format!("the law `{}` of `{}` is for {}", law.text, name.text, element_materials[rest].expected())
        }
    };
    system.mesh.file.error(message).help(help).into()
}

/// What a cell is called in messages: its number in the file, its kind and its group.
fn named(mesh: &Mesh, cell: CellId) -> String {
    let kind = mesh.cells[cell.0 as usize].kind.name();
    let group = mesh.groups.iter().find(|g| g.cells.binary_search(&cell).is_ok());
    let group = group.map_or(String::new(), |g| format!(" of group `{}`", g.name));
    format!("element {} ({kind}){group}", tag(mesh, cell))
}

/// The same, with the place of its first node.
fn placed(mesh: &Mesh, cell: CellId) -> String {
    let node = mesh.cells[cell.0 as usize].nodes_of(cell.1 as usize)[0];
    let [x, y, z] = mesh.points[node as usize];
    format!("{} near ({x}, {y}, {z})", named(mesh, cell))
}

pub(super) fn tag(mesh: &Mesh, cell: CellId) -> u64 {
    mesh.cells[cell.0 as usize].tags[cell.1 as usize]
}

/// The blocks of one material. Labels are places in `cells`.
pub(super) fn elements(
    mesh: &Mesh,
    cells: &[CellId],
    labels: Range<usize>,
    material: &ElementMaterial,
) -> Result<Vec<Box<dyn Elements>>, Error> {
    material.require_section(mesh, &cells[labels.clone()])?;
    let mut blocks = Vec::new();
    let mut first = labels.start;
    // A material may own cells of several kinds; within one they follow each other.
    for run in cells[labels].chunk_by(|a, b| a.0 == b.0) {
        let block = &mesh.cells[run[0].0 as usize];
        let named = |label: usize| named(mesh, cells[label]);
        let chosen: Vec<u32>;
        let nodes = if run.len() == block.len() {
            &block.nodes
        } else {
            chosen = run.iter().flat_map(|c| block.nodes_of(c.1 as usize)).copied().collect();
            &chosen
        };
        blocks.extend(material.build(&mesh.points, block.kind, nodes, first, &named)?);
        first += run.len();
    }
    Ok(blocks)
}

pub(super) fn point_masses(mesh: &Mesh, system: &SolidSystem) -> Result<Vec<(u32, f64)>, Error> {
    let mut masses = Vec::new();
    for choice in &system.masses {
        masses.extend(group(mesh, &choice.group)?.nodes.iter().map(|a| (*a, choice.mass)));
    }
    Ok(masses)
}

/// The element made of each cell: by block of the mesh, then cell.
pub(super) struct AtCell(Vec<Vec<u32>>);

impl AtCell {
    pub(super) fn new(mesh: &Mesh, solid: &Solid, cells: &[CellId]) -> Self {
        let mut all: Vec<Vec<u32>> = mesh.cells.iter().map(|c| vec![u32::MAX; c.len()]).collect();
        for k in 0..solid.elements() {
            let (block, j) = solid.locate(k);
            let (b, cell) = cells[block.label(j)];
            all[b as usize][cell as usize] = k as u32;
        }
        AtCell(all)
    }

    pub(super) fn get(&self, (b, k): CellId) -> Option<usize> {
        let element = self.0[b as usize][k as usize];
        (element != u32::MAX).then_some(element as usize)
    }
}

pub(super) fn of_group(group: &Group, at_cell: &AtCell) -> Vec<u32> {
    group.cells.iter().filter_map(|c| at_cell.get(*c)).map(|k| k as u32).collect()
}
