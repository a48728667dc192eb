//! Which cells meet where.

use super::{CellId, CellKind, Cells, Group, Mesh};
use crate::error::Error;

/// Pairs of cells with the same nodes, in whatever order: the first such cell and a later one, by the later. Cells of no nodes
/// are none.
pub fn duplicates<'a, T>(count: usize, nodes: impl Fn(u32) -> &'a [T]) -> Vec<(u32, u32)>
where
    T: Copy + Ord + Into<u64> + 'a,
{
    // A short hash that does not depend on the order, over the number of the cell: equal cells come beside each other, and
    // only they, and the few others that share a hash, are looked at in full.
    let mut keyed: Vec<u64> = Vec::with_capacity(count);
    for k in 0..count as u32 {
        let own = nodes(k);
        if !own.is_empty() {
            let sum = own.iter().fold(0u64, |h, a| h.wrapping_add(mixed((*a).into())));
            keyed.push(mixed(sum) & !u64::from(u32::MAX) | u64::from(k));
        }
    }
    keyed.sort_unstable();
    let sorted = |key: &u64| {
        let mut own = nodes(*key as u32).to_vec();
        own.sort_unstable();
        (own, *key as u32)
    };
    let mut found = Vec::new();
    for run in keyed.chunk_by(|a, b| a >> 32 == b >> 32).filter(|run| run.len() > 1) {
        let mut cells: Vec<(Vec<T>, u32)> = run.iter().map(sorted).collect();
        cells.sort_unstable();
        for same in cells.chunk_by(|a, b| a.0 == b.0) {
            found.extend(same[1..].iter().map(|later| (same[0].1, later.1)));
        }
    }
    found.sort_unstable_by_key(|(_, later)| *later);
    found
}

fn mixed(word: u64) -> u64 {
    let h = (word ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (h ^ (h >> 32)).wrapping_mul(0xc4ce_b9fe_1a85_ec53)
}

/// The cells around each node, in one piece of memory.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeCells {
    offsets: Vec<usize>,
    cells: Vec<CellId>,
}

impl NodeCells {
    /// Cells that have this node, ascending.
    pub fn of(&self, node: u32) -> &[CellId] {
        &self.cells[self.offsets[node as usize]..self.offsets[node as usize + 1]]
    }
}

/// A side of a plane or solid cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    /// The cell it bounds.
    pub cell: CellId,
    /// Which of [`CellKind::faces`].
    pub side: usize,
    /// Kind of the side itself: a line, triangle or quadrilateral, with middle nodes if the cell has them.
    pub kind: CellKind,
    nodes: [u32; Face::MOST_NODES],
}

impl Face {
    /// Nodes of the side that has most.
    pub const MOST_NODES: usize = 9;

    /// Its nodes in the order [`CellKind`] documents; its corners run anticlockwise seen from outside, and an edge has
    /// the body to its left.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.kind.nodes()]
    }

    fn key(&self) -> [u32; 4] {
        corner_key(&self.nodes[..self.kind.corners()])
    }
}

fn corner_key(corners: &[u32]) -> [u32; 4] {
    let mut key = [u32::MAX; 4];
    key[..corners.len()].copy_from_slice(corners);
    key.sort_unstable();
    key
}

impl Mesh {
    /// The cells of a choice of kinds around each node.
    pub fn node_cells(&self, choose: impl Fn(CellKind) -> bool) -> NodeCells {
        let chosen = || self.cells.iter().enumerate().filter(|(_, c)| choose(c.kind));
        let mut offsets = vec![0; self.points.len() + 1];
        for (_, cells) in chosen() {
            cells.nodes.iter().for_each(|a| offsets[*a as usize + 1] += 1);
        }
        for a in 0..self.points.len() {
            offsets[a + 1] += offsets[a];
        }
        let mut next = offsets.clone();
        let mut cells_of = vec![(0, 0); offsets[self.points.len()]];
        for (b, cells) in chosen() {
            for (i, a) in cells.nodes.iter().enumerate() {
                let slot = &mut next[*a as usize];
                cells_of[*slot] = (b as u32, (i / cells.kind.nodes()) as u32);
                *slot += 1;
            }
        }
        NodeCells { offsets, cells: cells_of }
    }

    /// Sides of the body (cells of the largest dimension) that lie on its surface and belong to a group, for tractions.
    ///
    /// A group of surface cells (triangles and quadrilaterals around solid cells, lines around plane ones) gives just these, in its order;
    /// it is an error if one of them is no side of the body or lies inside it. Any other group gives every side on the
    /// surface with all its nodes in the group.
    pub fn boundary_faces(&self, group: &Group) -> Result<Vec<Face>, Error> {
        let d = self.dimension();
        if d < 2 {
            return Err(self.fault("a mesh of lines has no sides to load".into()).into());
        }
        if !group.cells.is_empty() && group.dimension + 1 == d {
            return self.named_faces(group);
        }
        let mut inside = vec![false; self.points.len()];
        group.nodes.iter().for_each(|a| inside[*a as usize] = true);
        let faces = self.faces_where(|_, nodes| nodes.iter().all(|a| inside[*a as usize]));
        let mut faces: Vec<Face> = faces
            .chunk_by(|a, b| a.key() == b.key())
            .filter(|run| run.len() == 1)
            .map(|run| run[0])
            .collect();
        faces.sort_unstable_by_key(|f| (f.cell, f.side));
        Ok(faces)
    }

    /// Sides of the cells of the largest dimension, equal ones beside each other.
    fn faces_where(&self, choose: impl Fn(CellKind, &[u32]) -> bool) -> Vec<Face> {
        let (d, mut found) = (self.dimension(), Vec::new());
        for (b, cells) in self.cells.iter().enumerate().filter(|(_, c)| c.kind.dimension() == d) {
            for k in 0..cells.len() {
                sides(cells, (b as u32, k as u32), &choose, &mut found);
            }
        }
        found.sort_unstable_by_key(|f| (f.key(), f.cell, f.side));
        found
    }

    fn named_faces(&self, group: &Group) -> Result<Vec<Face>, Error> {
        let mut inside = vec![false; self.points.len()];
        group.nodes.iter().for_each(|a| inside[*a as usize] = true);
        // By corners: a mesh of ten-node tetrahedra may come with three-node triangles.
        let faces =
            self.faces_where(|kind, nodes| nodes[..kind.corners()].iter().all(|a| inside[*a as usize]));
        let mut named = Vec::with_capacity(group.cells.len());
        for (b, k) in &group.cells {
            let cells = &self.cells[*b as usize];
            if cells.kind.dimension() + 1 != self.dimension() {
                continue;
            }
            let key = corner_key(&cells.nodes_of(*k as usize)[..cells.kind.corners()]);
            let start = faces.partition_point(|f| f.key() < key);
            let found = faces[start..].iter().take_while(|f| f.key() == key).count();
            if found != 1 {
                let why = if found == 0 { "is no side of the body" } else { "lies inside the body" };
                let (tag, name) = (cells.tags[*k as usize], cells.kind.name());
                let message = format!("element {tag} ({name}) of group `{}` {why}", group.name);
                return Err(self.fault(message).help("a load needs a group on the surface").into());
            }
            named.push(faces[start]);
        }
        Ok(named)
    }
}

fn sides(cells: &Cells, cell: CellId, choose: &impl Fn(CellKind, &[u32]) -> bool, found: &mut Vec<Face>) {
    let own = cells.nodes_of(cell.1 as usize);
    for (side, local) in cells.kind.faces().iter().enumerate() {
        let mut nodes = [0; Face::MOST_NODES];
        for (slot, i) in nodes.iter_mut().zip(*local) {
            *slot = own[*i];
        }
        let kind = cells.kind.face_kind(side);
        if choose(kind, &nodes[..local.len()]) {
            found.push(Face { cell, side, kind, nodes });
        }
    }
}
