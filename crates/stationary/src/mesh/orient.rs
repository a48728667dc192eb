//! The sense in which the triangles and quadrilaterals of a plane mesh run.
//!
//! A mesher gives every surface a sense of its own, and one that looks down runs clockwise; nothing is wrong with its elements but the order
//! of their nodes. A cell that is turned inside out is another matter: it runs against neighbours that it shares edges with in the
//! proper way. So cells are taken together in patches: two that share an edge are of one patch if they run along it in opposite
//! directions, as neighbours of one sense do. A patch of which all cells run clockwise is turned over; one of both kinds has a
//! fold, which the checks tell.

use super::geometry::plane_determinant;
use super::{CellId, CellKind, Mesh};
use std::collections::HashMap;

/// Turns over patches of clockwise cells of a plane mesh, and notes how many that were.
pub(super) fn turn_over(mesh: &mut Mesh) {
    if mesh.dimension() != 2 || mesh.points.iter().any(|x| x[2] != 0.0) {
        return;
    }
    let cells_of_plane = plane_cells(mesh);
    if cells_of_plane.iter().all(|c| !c.clockwise) {
        return;
    }
    let mut patches = Sets::new(cells_of_plane.len());
    // The first cell that runs along an edge from its lower node to its higher, and the first that runs back.
    let mut along: HashMap<(u32, u32), [Option<usize>; 2]> = HashMap::new();
    for (i, own) in cells_of_plane.iter().enumerate() {
        for [a, b] in own.edges.iter().map(|e| e.map(|c| nodes_of(mesh, own.cell)[c])) {
            let runs = along.entry((a.min(b), a.max(b))).or_default();
            runs[usize::from(a > b)].get_or_insert(i);
            if let [Some(first), Some(second)] = *runs {
                patches.join(first, second);
            }
        }
    }
    let mut proper = vec![false; cells_of_plane.len()];
    for i in (0..cells_of_plane.len()).filter(|i| !cells_of_plane[*i].clockwise) {
        proper[patches.of(i)] = true;
    }
    let mut turned: Vec<CellId> = Vec::new();
    for (i, own) in cells_of_plane.iter().enumerate() {
        if !proper[patches.of(i)] {
            turned.push(own.cell);
        }
    }
    for (b, k) in &turned {
        let cells = &mut mesh.cells[*b as usize];
        let n = cells.kind.nodes();
        let nodes = &mut cells.nodes[*k as usize * n..][..n];
        let corners = cells.kind.corners();
        nodes[1..corners].reverse();
        if n > corners {
            // The middles of (0 1), (1 2), (2 0) are now those of (0 2), (2 1), (1 0); likewise of four edges.
            nodes[corners..2 * corners].reverse();
        }
    }
    if let Some((b, k)) = turned.first() {
        let cells = &mesh.cells[*b as usize];
        let (tag, name) = (cells.tags[*k as usize], cells.kind.name());
        let which = match turned.len() {
            1 => format!("element {tag} ({name}) ran clockwise and was"),
            n if n == cells_of_plane.len() => {
                format!("all {n} {} of the mesh ran clockwise and were", noun(mesh))
            }
            n => format!(
                "{n} {}, the first of them element {tag} ({name}), ran clockwise and were",
                noun(mesh)
            ),
        };
        mesh.notes.push(format!("{which} turned over"));
    }
}

/// What the plane cells of the mesh are called together.
fn noun(mesh: &Mesh) -> &'static str {
    let mut plane = mesh.cells.iter().filter(|c| c.kind.dimension() == 2).map(|c| c.kind.corners());
    match (plane.clone().all(|n| n == 3), plane.all(|n| n == 4)) {
        (true, _) => "triangles",
        (_, true) => "quadrilaterals",
        _ => "cells",
    }
}

struct PlaneCell {
    cell: CellId,
    edges: &'static [[usize; 2]],
    clockwise: bool,
}

fn nodes_of(mesh: &Mesh, (b, k): CellId) -> &[u32] {
    mesh.cells[b as usize].nodes_of(k as usize)
}

fn plane_cells(mesh: &Mesh) -> Vec<PlaneCell> {
    let mut all = Vec::new();
    let mut x = [[0.0; 3]; CellKind::MOST_NODES];
    for (b, cells) in (0..).zip(&mesh.cells) {
        if cells.kind.dimension() != 2 {
            continue;
        }
        for k in 0..cells.len() {
            let corners = &cells.nodes_of(k)[..cells.kind.corners()];
            let clockwise = plane_determinant(mesh.positions(corners, &mut x)) < 0.0;
            all.push(PlaneCell { cell: (b, k as u32), edges: cells.kind.edges(), clockwise });
        }
    }
    all
}

/// Sets that are joined one by one: each member points to another one, the first of a set to itself.
pub(super) struct Sets(Vec<usize>);

impl Sets {
    /// Each member alone.
    pub fn new(members: usize) -> Sets {
        Sets((0..members).collect())
    }

    /// The first member of the set of `i`.
    pub fn of(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            // Halves the way for those that come later.
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    /// Makes one set of two.
    pub fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.of(i), self.of(j));
        self.0[i.max(j)] = i.min(j);
    }
}
