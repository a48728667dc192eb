//! Meshes from arrays that a program has at hand, through the same checks as files.

use super::draft::{Draft, DraftGroup};
use super::input::{Input, placeless};
use super::{CellKind, Mesh};
use crate::error::{Diagnostic, Error};
use std::collections::BTreeSet;

/// A group of a mesh to be made: nodes, cells, or both.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewGroup {
    /// Its name.
    pub name: String,
    /// Nodes, as numbered from 0 in the points. The nodes of its cells belong to it anyway.
    pub nodes: Vec<u32>,
    /// Cells: the number of a block as it was given, from 0, and numbers of cells in that block, from 0.
    pub cells: Vec<(usize, Vec<u32>)>,
}

/// How many points and cells were given: from a place in the draft to the array and the index there.
#[derive(Debug)]
pub(super) struct Shape {
    points: usize,
    /// Cells of each block as given.
    blocks: Vec<usize>,
}

impl Shape {
    fn node(&self, a: usize) -> usize {
        1 + a
    }

    /// The place of a cell, by its number over all blocks.
    fn cell(&self, k: usize) -> usize {
        1 + self.points + k
    }

    /// What stands at a place.
    pub fn name(&self, place: usize) -> Option<String> {
        let at = place.checked_sub(1)?;
        let Some(mut k) = at.checked_sub(self.points) else { return Some(format!("points[{at}]")) };
        for (b, count) in self.blocks.iter().enumerate() {
            if k < *count {
                return Some(format!("cells[{b}][{k}]"));
            }
            k -= count;
        }
        None
    }
}

impl Mesh {
    /// Makes a mesh from arrays, with all checks of files: see [`validate`](Mesh::validate). `name` is for messages.
    ///
    /// Cells come in blocks of one kind, the nodes of one cell after those of another, as numbered from 0 in the points
    /// and in the order that [`CellKind`] documents: it is VTK's, and so meshio's. Blocks of one kind are joined in their order.
    /// Points are called by their numbers from 1 on in messages of runs, and so are cells, over all blocks.
    ///
    /// ```
    /// use stationary::mesh::{CellKind, Mesh, NewGroup};
    ///
    /// let points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let cells = vec![(CellKind::from_name("triangle")?, vec![0, 1, 2, 0, 2, 3])];
    /// let left = NewGroup { name: "left".into(), nodes: vec![0, 3], cells: vec![] };
    /// let upper = NewGroup { name: "upper".into(), nodes: vec![], cells: vec![(0, vec![1])] };
    /// let mesh = Mesh::from_arrays("square", points.clone(), cells, vec![left, upper])?;
    /// assert_eq!(mesh.group("upper")?.nodes, [0, 2, 3]);
    ///
    /// let cells = vec![(CellKind::Triangle3, vec![0, 1, 2, 0, 3, 3])];
    /// let error = Mesh::from_arrays("square", points, cells, vec![]).unwrap_err();
    /// assert!(error.to_string().starts_with("square: element 2 (3-node triangle) names node 4 twice"));
    /// assert!(error.to_string().contains("(cells[0][1])"));
    /// # Ok::<(), stationary::error::Error>(())
    /// ```
    pub fn from_arrays(
        name: &str,
        points: Vec<[f64; 3]>,
        cells: Vec<(CellKind, Vec<u32>)>,
        groups: Vec<NewGroup>,
    ) -> Result<Mesh, Error> {
        check_cells(name, points.len(), &cells)?;
        let blocks: Vec<usize> = cells.iter().map(|(kind, nodes)| nodes.len() / kind.nodes()).collect();
        check_groups(name, points.len(), &blocks, &groups)?;
        let shape = Shape { points: points.len(), blocks };
        let mut draft = Draft::new(Input::arrays(name, &shape));
        draft.tags = (1..=points.len() as u64).collect();
        draft.places = (0..points.len()).map(|a| shape.node(a)).collect();
        draft.points = points;
        // Where each block as given begins in the one of its kind.
        let mut firsts = Vec::with_capacity(cells.len());
        let mut count = 0;
        for ((kind, nodes), own) in cells.iter().zip(&shape.blocks) {
            let block = &mut draft.blocks[*kind as usize];
            firsts.push(block.tags.len());
            block.nodes.extend(nodes.iter().map(|a| u64::from(*a) + 1));
            block.tags.extend((count..count + own).map(|k| k as u64 + 1));
            block.places.extend((count..count + own).map(|k| shape.cell(k)));
            count += own;
        }
        let mut taken = BTreeSet::new();
        for NewGroup { name: of_group, nodes, cells: chosen } in groups {
            let dimension = chosen.iter().filter(|(_, some)| !some.is_empty());
            let dimension = dimension.map(|(b, _)| cells[*b].0.dimension()).max().unwrap_or(0);
            if !taken.insert((of_group.clone(), dimension)) {
                let message = format!("group `{of_group}` is given a second time");
                return Err(placeless(name, message)
                    .help("expected one group of a name and dimension")
                    .into());
            }
            let mut group = DraftGroup::new(of_group, dimension);
            group.nodes = nodes.iter().map(|a| (u64::from(*a) + 1, 0)).collect();
            for (b, some) in chosen {
                let (kind, first) = (cells[b].0 as u32, firsts[b] as u32);
                group.cells.extend(some.iter().map(|k| (kind, first + k)));
            }
            draft.groups.push(group);
        }
        Ok(draft.finish()?)
    }

    /// All that decides what is made of it, to know it again.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(32 * self.points.len());
        let count = |bytes: &mut Vec<u8>, n: usize| bytes.extend((n as u64).to_le_bytes());
        count(&mut bytes, self.points.len());
        bytes.extend(self.points.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        count(&mut bytes, self.cells.len());
        for cells in &self.cells {
            count(&mut bytes, cells.kind as usize);
            count(&mut bytes, cells.len());
            bytes.extend(cells.nodes.iter().flat_map(|a| a.to_le_bytes()));
            bytes.extend(cells.tags.iter().flat_map(|t| t.to_le_bytes()));
        }
        if self.axisymmetric {
            bytes.extend(b"axisymmetric");
        }
        for group in &self.groups {
            for n in [group.name.len(), group.dimension as usize, group.nodes.len(), group.cells.len()] {
                count(&mut bytes, n);
            }
            bytes.extend(group.name.as_bytes());
            bytes.extend(group.nodes.iter().flat_map(|a| a.to_le_bytes()));
            bytes.extend(group.cells.iter().flat_map(|(b, k)| [b.to_le_bytes(), k.to_le_bytes()].concat()));
        }
        bytes
    }
}

/// Refuses what is no array of cells of these points. Their shapes are looked at later, as those of files are.
fn check_cells(name: &str, points: usize, cells: &[(CellKind, Vec<u32>)]) -> Result<(), Diagnostic> {
    let most = u32::MAX as usize;
    if points > most || cells.iter().map(|(kind, nodes)| nodes.len() / kind.nodes()).sum::<usize>() > most {
        return Err(placeless(name, format!("the mesh has more than {most} points or cells")));
    }
    for (b, (kind, nodes)) in cells.iter().enumerate() {
        let n = kind.nodes();
        if nodes.len() % n != 0 {
            let message =
                format!("cells[{b}] ({}) has {} numbers, no whole number of cells", kind.name(), nodes.len());
            return Err(placeless(name, message).help(format!("expected {n} nodes for each cell")));
        }
        if let Some(i) = nodes.iter().position(|a| *a as usize >= points) {
            let message =
                format!("cells[{b}][{}] names node {}, and there are {points} points", i / n, nodes[i]);
            return Err(placeless(name, message).help(numbers(points)));
        }
    }
    Ok(())
}

fn check_groups(name: &str, points: usize, blocks: &[usize], groups: &[NewGroup]) -> Result<(), Diagnostic> {
    let fault = |group: &NewGroup, message: String, expected: String| {
        Err(placeless(name, format!("group `{}` {message}", group.name)).help(expected))
    };
    for group in groups {
        if group.name.is_empty() {
            return Err(placeless(name, "a group has no name".into()).help("expected a name for every group"));
        }
        if group.nodes.is_empty() && group.cells.iter().all(|(_, some)| some.is_empty()) {
            return fault(
                group,
                "has no nodes and no cells".into(),
                "expected some, or no such group".into(),
            );
        }
        if let Some(a) = group.nodes.iter().find(|a| **a as usize >= points) {
            return fault(group, format!("names node {a}, and there are {points} points"), numbers(points));
        }
        for (b, some) in &group.cells {
            let Some(count) = blocks.get(*b) else {
                let message = format!("names cells of block {b}, and there are {} blocks", blocks.len());
                return fault(group, message, numbers(blocks.len()));
            };
            if let Some(k) = some.iter().find(|k| **k as usize >= *count) {
                let message = format!("names cell {k} of cells[{b}], which has {count}");
                return fault(group, message, numbers(*count));
            }
        }
    }
    Ok(())
}

fn numbers(count: usize) -> String {
    match count {
        0 => "expected none".into(),
        n => format!("expected numbers from 0 to {}", n - 1),
    }
}
