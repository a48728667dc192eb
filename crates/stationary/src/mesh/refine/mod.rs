//! Uniform refinement: every line in two, every plane cell in four, every solid one in eight; a pyramid in six and four tetrahedra.

mod division;

use super::{CellId, CellKind, Cells, Group, Mesh};
use crate::interrupt;
use division::{OCTAHEDRA, counts, division, part};
use std::collections::HashMap;

/// Cells that are divided between two looks at whether to go on.
const PARENTS: usize = 4096;

/// Points of the largest lattice: corners, edges, sides and the middle of a hexahedron.
const LATTICE: usize = 27;

impl Mesh {
    /// How many cells [`refined`](Self::refined) makes when it is applied so many times.
    pub fn refined_count(&self, times: u32) -> u64 {
        let mut cells = [0u64; CellKind::ALL.len()];
        self.cells.iter().for_each(|c| cells[c.kind as usize] += c.len() as u64);
        // Even a single line has more than any memory holds after this many.
        for _ in 0..times.min(64) {
            let before = std::mem::take(&mut cells);
            for (kind, count) in CellKind::ALL.into_iter().zip(before) {
                for (child, each) in counts(kind) {
                    let more = count.saturating_mul(*each as u64);
                    cells[*child as usize] = cells[*child as usize].saturating_add(more);
                }
            }
        }
        cells.into_iter().fold(0, u64::saturating_add)
    }

    /// The mesh with every cell divided: lines in 2, triangles and quadrilaterals in 4, tetrahedra, wedges and hexahedra in 8 of the same
    /// kind; pyramids in 6 pyramids and 4 tetrahedra.
    ///
    /// Nodes keep their indices and numbers, and new ones follow. Child `i` of cell `k` has the index `n k + i` in its
    /// block, `n` being 2, 4, 6 or 8; tetrahedra in pyramids come after all others. Cells are numbered anew from 1. New nodes lie where the
    /// cell's own map puts them: on straight sides in the middle, on curved ones on the curve.
    ///
    /// A group of cells consists of their children. A set of nodes gains each new node on a line, side or cell whose nodes are all in the
    /// set.
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
        for block in 0..self.cells.len() {
            refiner.divide(block);
        }
        if interrupt::requested() {
            // Not all cells were divided: what is returned means nothing.
            return self.clone();
        }
        let (mut cells, places) = refiner.blocks();
        let mut tag = 1;
        for block in &mut cells {
            let end = tag + block.len() as u64;
            block.tags = (tag..end).collect();
            tag = end;
        }
        let first = self.point_tags.iter().max().map_or(1, |t| t.saturating_add(1));
        let added = (refiner.points.len() - self.points.len()) as u64;
        let point_tags = self.point_tags.iter().copied().chain((0..added).map(|i| first.wrapping_add(i)));
        let groups = self.groups.iter().map(|g| refiner.group(g, &cells, &places)).collect();
        Mesh {
            name: self.name.clone(),
            point_tags: point_tags.collect(),
            points: refiner.points,
            cells,
            groups,
            axisymmetric: self.axisymmetric,
            notes: self.notes.clone(),
        }
    }
}

struct Refiner<'a> {
    mesh: &'a Mesh,
    points: Vec<[f64; 3]>,
    /// The node in the middle of two nodes, the smaller first, or of the corners of a quadrilateral in ascending order. Looked up only:
    /// its order decides nothing.
    middles: HashMap<[u32; 4], u32>,
    /// Old nodes of the line, side or cell that each new node lies on.
    carriers: Vec<Vec<u32>>,
    /// Nodes of the children of each block, those of the block's own kind, and the tetrahedra of pyramids.
    children: Vec<(CellKind, Vec<u32>)>,
    tetrahedra: Vec<u32>,
}

fn key(nodes: &[u32]) -> [u32; 4] {
    let mut key = [u32::MAX; 4];
    key[..nodes.len()].copy_from_slice(nodes);
    key.sort_unstable();
    key
}

/// A cell that is being divided.
struct Parent<'a> {
    kind: CellKind,
    nodes: &'a [u32],
    /// Nodes at the points of its lattice.
    lattice: [u32; LATTICE],
}

impl<'a> Refiner<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let mut middles = HashMap::new();
        // Middle nodes that are there, for linear cells beside quadratic ones: triangles around ten-node tetrahedra.
        for cells in mesh.cells.iter().filter(|c| !c.kind.is_linear()) {
            let between = &cells.kind.derived().between;
            for nodes in cells.nodes.chunks_exact(cells.kind.nodes()) {
                for m in (cells.kind.corners()..nodes.len()).filter(|m| between[*m].len() <= 4) {
                    let mut ends = [0; 4];
                    ends.iter_mut().zip(&between[m]).for_each(|(end, c)| *end = nodes[*c]);
                    middles.insert(key(&ends[..between[m].len()]), nodes[m]);
                }
            }
        }
        let points = mesh.points.clone();
        Refiner { mesh, points, middles, carriers: Vec::new(), children: Vec::new(), tetrahedra: Vec::new() }
    }

    /// The children of a block.
    fn divide(&mut self, block: usize) {
        let Cells { kind, nodes, .. } = &self.mesh.cells[block];
        let mut own = Vec::with_capacity(nodes.len() * counts(*kind)[0].1);
        for (count, nodes) in nodes.chunks_exact(kind.nodes()).enumerate() {
            if count % PARENTS == 0 && interrupt::requested() {
                break;
            }
            if *kind == CellKind::Point {
                own.extend_from_slice(nodes);
                continue;
            }
            let parent = self.parent(*kind, nodes);
            for children in &division(*kind).children {
                let same = children.family == kind.linear();
                for child in &children.corners {
                    let nodes = self.child(&parent, child, if same { *kind } else { children.family });
                    if same { own.extend(nodes) } else { self.tetrahedra.extend(nodes) }
                }
            }
            if kind.linear() == CellKind::Tetrahedron4 {
                for child in self.octahedron(&parent) {
                    own.extend(self.child(&parent, child, *kind));
                }
            }
        }
        self.children.push((*kind, own));
    }

    /// The lattice of a cell; points that it has no nodes for get them now.
    fn parent<'b>(&mut self, kind: CellKind, nodes: &'b [u32]) -> Parent<'b> {
        let mut parent = Parent { kind, nodes, lattice: [0; LATTICE] };
        parent.lattice[..kind.corners()].copy_from_slice(&nodes[..kind.corners()]);
        let between = &kind.derived().between;
        for (i, point) in division(kind).lattice.iter().enumerate().skip(kind.corners()) {
            let own = (kind.corners()..nodes.len()).find(|m| between[*m] == *point);
            parent.lattice[i] = match own {
                Some(m) => nodes[m],
                None => self.between(&parent, point),
            };
        }
        parent
    }

    /// All nodes of a child, from the points of the lattice at its corners.
    fn child(&mut self, parent: &Parent, corners: &[usize], kind: CellKind) -> Vec<u32> {
        let mut nodes: Vec<u32> = corners.iter().map(|i| parent.lattice[*i]).collect();
        for between in &kind.derived().between[kind.corners()..] {
            let mut ends = [0; 8];
            ends.iter_mut().zip(between).for_each(|(end, c)| *end = corners[*c]);
            nodes.push(self.between(parent, &ends[..between.len()]));
        }
        nodes
    }

    /// The pieces of the middle of a tetrahedron. The shortest diagonal keeps them in shape; the first of equal ones.
    fn octahedron(&self, parent: &Parent) -> [&'static [usize]; 4] {
        let mut best = (f64::INFINITY, 0);
        for (i, pieces) in OCTAHEDRA.iter().enumerate() {
            let [p, q] = [0, 1].map(|end| self.points[parent.lattice[pieces[0][end]] as usize]);
            let square: f64 = (0..3).map(|i| (p[i] - q[i]) * (p[i] - q[i])).sum();
            if square < best.0 * (1.0 - 1e-9) {
                best = (square, i);
            }
        }
        OCTAHEDRA[best.1]
    }

    /// The node in the middle of points of a lattice: that which is there, or a new one.
    fn between(&mut self, parent: &Parent, points: &[usize]) -> u32 {
        let mut ends = [0; 8];
        ends.iter_mut().zip(points).for_each(|(end, i)| *end = parent.lattice[*i]);
        let ends = &ends[..points.len()];
        // The middle of a body belongs to no other cell.
        let key = (ends.len() <= 4).then(|| key(ends));
        if let Some(node) = key.and_then(|key| self.middles.get(&key)) {
            return *node;
        }
        let kind = parent.kind;
        let lattice = &division(kind).lattice;
        let mut corners: Vec<usize> = points.iter().flat_map(|i| lattice[*i].iter().copied()).collect();
        corners.sort_unstable();
        corners.dedup();
        let corners = part(kind, &corners);
        // The nodes of the edge, of the side or of the cell that the new one lies on.
        let between = &kind.derived().between;
        let local: Vec<usize> =
            (0..kind.nodes()).filter(|m| between[*m].iter().all(|c| corners.contains(c))).collect();
        let curved = local.iter().any(|m| *m >= kind.corners() && !self.straight(parent, *m));
        let x = match curved {
            true => self.mapped(parent, points, &local),
            false => {
                let weight = 1.0 / ends.len() as f64;
                std::array::from_fn(|i| {
                    weight * ends.iter().map(|a| self.points[*a as usize][i]).sum::<f64>()
                })
            }
        };
        let node = self.points.len() as u32;
        self.points.push(x);
        self.carriers.push(local.iter().map(|m| parent.nodes[*m]).collect());
        if let Some(key) = key {
            self.middles.insert(key, node);
        }
        node
    }

    /// Where the cell's own map puts the middle of points of its lattice.
    fn mapped(&self, parent: &Parent, points: &[usize], local: &[usize]) -> [f64; 3] {
        let reference = parent.kind.reference();
        let lattice = &division(parent.kind).lattice;
        let mut at = [0.0; 3];
        for point in points.iter().map(|i| &lattice[*i]) {
            for c in point {
                (0..3).for_each(|i| at[i] += reference[*c][i] / (point.len() * points.len()) as f64);
            }
        }
        let shape = parent.kind.shape_at(&at);
        let mut x = [0.0; 3];
        for m in local {
            let node = self.points[parent.nodes[*m] as usize];
            (0..3).for_each(|i| x[i] += shape[*m].value * node[i]);
        }
        x
    }

    /// Whether a middle node lies in the middle of its corners, to rounding.
    fn straight(&self, parent: &Parent, middle: usize) -> bool {
        let corners = &parent.kind.derived().between[middle];
        let at = |c: usize| self.points[parent.nodes[c] as usize];
        let (m, first) = (at(middle), at(corners[0]));
        let (mut off, mut length) = (0.0, 0.0);
        for i in 0..3 {
            let mean = corners.iter().map(|c| at(*c)[i]).sum::<f64>() / corners.len() as f64;
            off += (m[i] - mean).powi(2);
            length += corners.iter().map(|c| (at(*c)[i] - first[i]).powi(2)).fold(0.0, f64::max);
        }
        off <= 1e-18 * length
    }

    /// The blocks of the refined mesh, without numbers, and where the tetrahedra of pyramids begin in theirs.
    fn blocks(&mut self) -> (Vec<Cells>, Places) {
        let mut places = Places { blocks: Vec::new(), tetrahedra: (0, 0) };
        let mut all = std::mem::take(&mut self.children);
        let old: Vec<CellKind> = all.iter().map(|(kind, _)| *kind).collect();
        if !self.tetrahedra.is_empty() && !old.contains(&CellKind::Tetrahedron4) {
            all.push((CellKind::Tetrahedron4, Vec::new()));
            all.sort_by_key(|(kind, _)| *kind);
        }
        let place = |kind: CellKind| all.iter().position(|(k, _)| *k == kind);
        places.blocks = old.into_iter().filter_map(place).map(|b| b as u32).collect();
        if let Some(b) = place(CellKind::Tetrahedron4) {
            places.tetrahedra = (b as u32, all[b].1.len() as u32 / 4);
            all[b].1.append(&mut self.tetrahedra);
        }
        let block = |(kind, nodes): (CellKind, Vec<u32>)| {
            let count = nodes.len() / kind.nodes();
            Cells { kind, nodes, tags: vec![0; count] }
        };
        (all.into_iter().map(block).collect(), places)
    }

    fn group(&self, group: &Group, cells: &[Cells], places: &Places) -> Group {
        let mut children: Vec<CellId> = Vec::new();
        for (b, k) in &group.cells {
            let [own, rest @ ..] = counts(self.mesh.cells[*b as usize].kind) else { continue };
            let n = own.1 as u32;
            children.extend((n * k..n * (k + 1)).map(|child| (places.blocks[*b as usize], child)));
            for (_, each) in rest {
                let (block, first) = places.tetrahedra;
                let each = *each as u32;
                children.extend((each * k..each * (k + 1)).map(|child| (block, first + child)));
            }
        }
        children.sort_unstable();
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

/// Where children of the old blocks are: of each, its new block; and of tetrahedra in pyramids the block and the first.
struct Places {
    blocks: Vec<u32>,
    tetrahedra: (u32, u32),
}
