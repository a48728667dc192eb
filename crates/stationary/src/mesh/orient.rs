//! The sense in which the triangles of a plane mesh run.
//!
//! A mesher gives every surface a sense of its own, and one that looks down runs clockwise; nothing is wrong with its elements but the order
//! of their nodes. A triangle that is turned inside out is another matter: it runs against neighbours that it shares edges with in the
//! proper way. So triangles are taken together in patches: two that share an edge are of one patch if they run along it in opposite
//! directions, as neighbours of one sense do. A patch of which all triangles run clockwise is turned over; one of both kinds has a
//! fold, which the checks tell.

use super::geometry::plane_determinant;
use super::{CellId, CellKind, Mesh};
use std::collections::HashMap;

/// Turns over patches of clockwise triangles of a plane mesh, and notes how many triangles that were.
pub(super) fn turn_over(mesh: &mut Mesh) {
    if mesh.dimension() != 2 || mesh.points.iter().any(|x| x[2] != 0.0) {
        return;
    }
    let triangles = triangles(mesh);
    if triangles.iter().all(|t| !t.clockwise) {
        return;
    }
    let mut patches = Patches((0..triangles.len()).collect());
    // The first triangle that runs along an edge from its lower node to its higher, and the first that runs back.
    let mut along: HashMap<(u32, u32), [Option<usize>; 2]> = HashMap::new();
    for (i, triangle) in triangles.iter().enumerate() {
        for (a, b) in [(0, 1), (1, 2), (2, 0)].map(|(a, b)| (triangle.corners[a], triangle.corners[b])) {
            let runs = along.entry((a.min(b), a.max(b))).or_default();
            runs[usize::from(a > b)].get_or_insert(i);
            if let [Some(first), Some(second)] = *runs {
                patches.join(first, second);
            }
        }
    }
    let mut proper = vec![false; triangles.len()];
    for i in (0..triangles.len()).filter(|i| !triangles[*i].clockwise) {
        proper[patches.of(i)] = true;
    }
    let mut turned: Vec<CellId> = Vec::new();
    for (i, triangle) in triangles.iter().enumerate() {
        if !proper[patches.of(i)] {
            turned.push(triangle.cell);
        }
    }
    for (b, k) in &turned {
        let cells = &mut mesh.cells[*b as usize];
        let n = cells.kind.nodes();
        let nodes = &mut cells.nodes[*k as usize * n..][..n];
        nodes.swap(1, 2);
        if cells.kind == CellKind::Triangle6 {
            // The middles of (0 1), (1 2), (2 0) are now those of (0 2), (2 1), (1 0).
            nodes.swap(3, 5);
        }
    }
    if let Some((b, k)) = turned.first() {
        let cells = &mesh.cells[*b as usize];
        let (tag, name) = (cells.tags[*k as usize], cells.kind.name());
        let which = match turned.len() {
            1 => format!("element {tag} ({name}) ran clockwise and was"),
            n if n == triangles.len() => format!("all {n} triangles of the mesh ran clockwise and were"),
            n => format!("{n} triangles, the first of them element {tag} ({name}), ran clockwise and were"),
        };
        mesh.notes.push(format!("{which} turned over"));
    }
}

struct Triangle {
    cell: CellId,
    corners: [u32; 3],
    clockwise: bool,
}

fn triangles(mesh: &Mesh) -> Vec<Triangle> {
    let mut all = Vec::new();
    for (b, cells) in (0..).zip(&mesh.cells) {
        if cells.kind.dimension() != 2 {
            continue;
        }
        for k in 0..cells.len() {
            let nodes = cells.nodes_of(k);
            let corners = [nodes[0], nodes[1], nodes[2]];
            let clockwise = plane_determinant(&corners.map(|a| mesh.points[a as usize])) < 0.0;
            all.push(Triangle { cell: (b, k as u32), corners, clockwise });
        }
    }
    all
}

/// Sets that are joined one by one: each member points to another one, the first of a set to itself.
struct Patches(Vec<usize>);

impl Patches {
    fn of(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            // Halves the way for those that come later.
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.of(i), self.of(j));
        self.0[i.max(j)] = i.min(j);
    }
}
