//! Uniform refinement: every line in two, every triangle in four, every tetrahedron in eight.

use super::{CellId, CellKind, Cells, Group, Mesh};
use crate::interrupt;
use std::collections::HashMap;

/// Cells that are divided between two looks at whether to go on.
const PARENTS: usize = 4096;

/// Corners of the children among the corners and middle nodes of a quadratic cell.
const LINES: [&[usize]; 2] = [&[0, 2], &[2, 1]];
const TRIANGLES: [&[usize]; 4] = [&[0, 3, 5], &[3, 1, 4], &[5, 4, 2], &[3, 4, 5]];
const TETRAHEDRA: [&[usize]; 4] = [&[0, 4, 6, 7], &[4, 1, 5, 8], &[6, 5, 2, 9], &[7, 8, 9, 3]];

/// What the corners of a tetrahedron leave is an octahedron: cut along a diagonal into the four pieces around it.
const OCTAHEDRA: [[&[usize]; 4]; 3] = [
    [&[4, 9, 5, 6], &[4, 9, 6, 7], &[4, 9, 7, 8], &[4, 9, 8, 5]],
    [&[5, 7, 4, 8], &[5, 7, 8, 9], &[5, 7, 9, 6], &[5, 7, 6, 4]],
    [&[6, 8, 4, 5], &[6, 8, 5, 9], &[6, 8, 9, 7], &[6, 8, 7, 4]],
];

/// Children of a cell.
const fn children(kind: CellKind) -> usize {
    1 << kind.dimension()
}

impl Mesh {
    /// How many cells [`refined`](Self::refined) makes when it is applied so many times.
    pub fn refined_count(&self, times: u32) -> u64 {
        let one = |cells: &Cells| {
            let each = (children(cells.kind) as u64).checked_pow(times).unwrap_or(u64::MAX);
            each.saturating_mul(cells.len() as u64)
        };
        self.cells.iter().map(one).fold(0, u64::saturating_add)
    }

    /// The mesh with every cell divided: lines in 2, triangles in 4 and tetrahedra in 8 of the same kind.
    ///
    /// Nodes keep their indices and numbers, and new ones follow. Child `i` of cell `k` has the index `n k + i` in its
    /// block, `n` being 2, 4 or 8; cells are numbered anew from 1. New nodes lie where the cell's own map puts them:
    /// on straight sides in the middle, on curved ones on the curve.
    ///
    /// A group of cells consists of their children. A set of nodes gains each new node on a line, triangle or
    /// tetrahedron whose nodes are all in the set.
    ///
    /// ```
    /// let text = "*NODE\n 1, 0, 0\n 2, 1, 0\n 3, 0, 1\n*ELEMENT, TYPE=CPS3, ELSET=plate\n 7, 1, 2, 3\n";
    /// let mesh = stationary::mesh::Mesh::read("plate.inp", text.as_bytes())?.refined();
    /// assert_eq!((mesh.points.len(), mesh.cells[0].len(), mesh.volume((0, 3))), (6, 4, 0.125));
    /// assert_eq!(mesh.group("plate")?.nodes, [0, 1, 2, 3, 4, 5]);
    /// # Ok::<(), stationary::error::Error>(())
    /// ```
    pub fn refined(&self) -> Mesh {
        let mut refiner = Refiner::new(self);
        let mut cells: Vec<Cells> = self.cells.iter().map(|c| refiner.divide(c)).collect();
        if interrupt::requested() {
            // Not all cells were divided: what is returned means nothing.
            return self.clone();
        }
        let mut tag = 1;
        for block in &mut cells {
            let end = tag + block.len() as u64;
            block.tags = (tag..end).collect();
            tag = end;
        }
        let first = self.point_tags.iter().max().map_or(1, |t| t.saturating_add(1));
        let added = (refiner.points.len() - self.points.len()) as u64;
        let point_tags = self.point_tags.iter().copied().chain((0..added).map(|i| first.wrapping_add(i)));
        let groups = self.groups.iter().map(|g| refiner.group(g, &cells)).collect();
        Mesh {
            name: self.name.clone(),
            point_tags: point_tags.collect(),
            points: refiner.points,
            cells,
            groups,
            notes: self.notes.clone(),
        }
    }
}

struct Refiner<'a> {
    mesh: &'a Mesh,
    points: Vec<[f64; 3]>,
    /// The node in the middle of two nodes, the smaller first. Looked up only: its order decides nothing.
    middles: HashMap<(u32, u32), u32>,
    /// Old nodes of the line, triangle or tetrahedron that each new node lies on.
    carriers: Vec<Vec<u32>>,
}

fn pair(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

impl<'a> Refiner<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let mut middles = HashMap::new();
        // Middle nodes that are there, for linear cells beside quadratic ones: triangles around ten-node tetrahedra.
        for cells in mesh.cells.iter().filter(|c| c.kind.nodes() > c.kind.corners()) {
            for nodes in cells.nodes.chunks_exact(cells.kind.nodes()) {
                for ([a, b], middle) in cells.kind.edges().iter().zip(&nodes[cells.kind.corners()..]) {
                    middles.insert(pair(nodes[*a], nodes[*b]), *middle);
                }
            }
        }
        Refiner { mesh, points: mesh.points.clone(), middles, carriers: Vec::new() }
    }

    /// The children of a block; their numbers are still to be given.
    fn divide(&mut self, cells: &Cells) -> Cells {
        let kind = cells.kind;
        if kind == CellKind::Point {
            return cells.clone();
        }
        let quadratic = kind.nodes() > kind.corners();
        let mut nodes = Vec::with_capacity(cells.nodes.len() * children(kind));
        for (count, parent) in cells.nodes.chunks_exact(kind.nodes()).enumerate() {
            if count % PARENTS == 0 && interrupt::requested() {
                break;
            }
            let full = self.full(kind, parent);
            for child in self.division(kind, &full) {
                nodes.extend(child.iter().map(|i| full[*i]));
                if quadratic {
                    for [a, b] in kind.edges() {
                        nodes.push(self.middle(kind, &full, [child[*a], child[*b]]));
                    }
                }
            }
        }
        Cells { kind, nodes, tags: vec![0; cells.len() * children(kind)] }
    }

    /// Corners and middle nodes of a cell; a linear one gets its middles now.
    fn full(&mut self, kind: CellKind, nodes: &[u32]) -> [u32; 10] {
        let mut full = [0; 10];
        full[..nodes.len()].copy_from_slice(nodes);
        let corners = kind.corners();
        if nodes.len() == corners {
            for (e, [a, b]) in kind.edges().iter().enumerate() {
                full[corners + e] = self.between([nodes[*a], nodes[*b]], &[nodes[*a], nodes[*b]], None);
            }
        }
        full
    }

    fn division(&self, kind: CellKind, full: &[u32; 10]) -> Vec<&'static [usize]> {
        match kind.dimension() {
            1 => LINES.to_vec(),
            2 => TRIANGLES.to_vec(),
            _ => {
                // The shortest diagonal keeps the pieces in shape; the first of equal ones.
                let mut best = (f64::INFINITY, 0);
                for (i, pieces) in OCTAHEDRA.iter().enumerate() {
                    let [p, q] = [0, 1].map(|end| self.points[full[pieces[0][end]] as usize]);
                    let square: f64 = (0..3).map(|i| (p[i] - q[i]) * (p[i] - q[i])).sum();
                    if square < best.0 * (1.0 - 1e-9) {
                        best = (square, i);
                    }
                }
                TETRAHEDRA.iter().chain(&OCTAHEDRA[best.1]).copied().collect()
            }
        }
    }

    /// The node between two nodes of a quadratic cell, in its local numbering.
    fn middle(&mut self, kind: CellKind, full: &[u32; 10], ends: [usize; 2]) -> u32 {
        let [p, q] = ends.map(|end| barycentric(kind, end));
        let at: [f64; 4] = std::array::from_fn(|c| 0.5 * (p[c] + q[c]));
        let corners = kind.corners();
        let inside = |i: &usize| match i.checked_sub(corners) {
            None => at[*i] > 0.0,
            Some(e) => kind.edges()[e].iter().all(|c| at[*c] > 0.0),
        };
        let local: Vec<usize> = (0..kind.nodes()).filter(inside).collect();
        let curved = local.iter().any(|i| *i >= corners && !self.straight(kind, full, *i));
        let place = curved.then(|| {
            let mut x = [0.0; 3];
            for i in &local {
                let weight = match i.checked_sub(corners) {
                    None => at[*i] * (2.0 * at[*i] - 1.0),
                    Some(e) => 4.0 * kind.edges()[e].iter().map(|c| at[*c]).product::<f64>(),
                };
                (0..3).for_each(|k| x[k] += weight * self.points[full[*i] as usize][k]);
            }
            x
        });
        let carrier: Vec<u32> = local.iter().map(|i| full[*i]).collect();
        self.between(ends.map(|end| full[end]), &carrier, place)
    }

    /// Whether a middle node lies in the middle of its edge, to rounding.
    fn straight(&self, kind: CellKind, full: &[u32; 10], middle: usize) -> bool {
        let [a, b] = kind.edges()[middle - kind.corners()].map(|c| self.points[full[c] as usize]);
        let m = self.points[full[middle] as usize];
        let (mut off, mut length) = (0.0, 0.0);
        for i in 0..3 {
            off += (m[i] - 0.5 * (a[i] + b[i])).powi(2);
            length += (a[i] - b[i]).powi(2);
        }
        off <= 1e-18 * length
    }

    /// The node between two nodes: that which is there, or a new one, at `place` or in the middle.
    fn between(&mut self, [a, b]: [u32; 2], carrier: &[u32], place: Option<[f64; 3]>) -> u32 {
        if let Some(node) = self.middles.get(&pair(a, b)) {
            return *node;
        }
        let node = self.points.len() as u32;
        let [p, q] = [a, b].map(|n| self.points[n as usize]);
        self.points.push(place.unwrap_or_else(|| std::array::from_fn(|i| 0.5 * (p[i] + q[i]))));
        self.carriers.push(carrier.to_vec());
        self.middles.insert(pair(a, b), node);
        node
    }

    fn group(&self, group: &Group, cells: &[Cells]) -> Group {
        let of = |(b, k): &CellId| {
            let n = children(self.mesh.cells[*b as usize].kind) as u32;
            let b = *b;
            (n * k..n * (k + 1)).map(move |child| (b, child))
        };
        let children: Vec<CellId> = group.cells.iter().flat_map(of).collect();
        let mut inside = vec![false; self.points.len()];
        group.nodes.iter().for_each(|a| inside[*a as usize] = true);
        if children.is_empty() {
            for (i, carrier) in self.carriers.iter().enumerate() {
                inside[self.mesh.points.len() + i] = carrier.iter().all(|a| inside[*a as usize]);
            }
        }
        for (b, k) in &children {
            cells[*b as usize].nodes_of(*k as usize).iter().for_each(|a| inside[*a as usize] = true);
        }
        let nodes = (0..).zip(inside).filter(|(_, inside)| *inside).map(|(a, _)| a).collect();
        Group { name: group.name.clone(), dimension: group.dimension, nodes, cells: children }
    }
}

/// Where a node of a quadratic cell lies.
fn barycentric(kind: CellKind, node: usize) -> [f64; 4] {
    let mut l = [0.0; 4];
    match node.checked_sub(kind.corners()) {
        None => l[node] = 1.0,
        Some(e) => kind.edges()[e].iter().for_each(|c| l[*c] = 0.5),
    }
    l
}
