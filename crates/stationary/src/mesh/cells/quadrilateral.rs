//! Quadrilaterals of four, eight and nine nodes: the square from -1 to 1.

use super::line::quadratic;
use super::{CellKind, CellTable, Jet};

const REFERENCE: [[f64; 3]; 9] = [
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [0.0, -1.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [-1.0, 0.0, 0.0],
    [0.0, 0.0, 0.0],
];

pub(super) const QUADRILATERAL4: CellTable = CellTable {
    kind: CellKind::Quadrilateral4,
    dimension: 2,
    corners: 4,
    name: "4-node quadrilateral",
    word: "quad",
    vtk: 9,
    vtk_order: None,
    gmsh: 3,
    gmsh_order: None,
    abaqus: &["CPS4", "CPE4", "CAX4", "S4", "M3D4", "SFM3D4", "R3D4"],
    edges: &[[0, 1], [1, 2], [2, 3], [3, 0]],
    faces: &[&[0, 1], &[1, 2], &[2, 3], &[3, 0]],
    reference: REFERENCE.split_at(4).0,
    shape: |[x, y, _], n| {
        for (n, at) in n.iter_mut().zip(&REFERENCE[..4]) {
            *n = 0.25 * ((1.0 + at[0] * *x) * (1.0 + at[1] * *y));
        }
    },
    samples: None,
    sense: "nodes of a plane quadrilateral run anticlockwise around it; reverse them, or reverse the surface in Gmsh",
};

pub(super) const QUADRILATERAL8: CellTable = CellTable {
    kind: CellKind::Quadrilateral8,
    name: "8-node quadrilateral",
    word: "quad8",
    vtk: 23,
    gmsh: 16,
    abaqus: &["CPS8", "CPE8", "CAX8", "S8", "M3D8", "SFM3D8"],
    faces: &[&[0, 1, 4], &[1, 2, 5], &[2, 3, 6], &[3, 0, 7]],
    reference: REFERENCE.split_at(8).0,
    shape: |[x, y, _], n| serendipity(*x, *y, n),
    // The middle, too: without a node there, a fold of the inside would pass.
    samples: Some(&REFERENCE),
    ..QUADRILATERAL4
};

pub(super) const QUADRILATERAL9: CellTable = CellTable {
    kind: CellKind::Quadrilateral9,
    name: "9-node quadrilateral",
    word: "quad9",
    vtk: 28,
    gmsh: 10,
    abaqus: &["S9", "M3D9"],
    reference: &REFERENCE,
    shape: |[x, y, _], n| {
        let (mut along, mut across) = ([Jet::default(); 3], [Jet::default(); 3]);
        quadratic(*x, &mut along);
        quadratic(*y, &mut across);
        for (n, at) in n.iter_mut().zip(&REFERENCE) {
            *n = along[place(at[0])] * across[place(at[1])];
        }
    },
    ..QUADRILATERAL8
};

/// Which of the functions of [`quadratic`] is 1 at -1, 1 or 0.
pub(super) const fn place(coordinate: f64) -> usize {
    if coordinate < 0.0 {
        0
    } else if coordinate > 0.0 {
        1
    } else {
        2
    }
}

fn serendipity(x: Jet, y: Jet, n: &mut [Jet]) {
    for (n, at) in n.iter_mut().zip(&REFERENCE[..8]) {
        let (s, t) = (at[0] * x, at[1] * y);
        *n = if at[0] == 0.0 {
            0.5 * ((1.0 - x * x) * (1.0 + t))
        } else if at[1] == 0.0 {
            0.5 * ((1.0 + s) * (1.0 - y * y))
        } else {
            0.25 * ((1.0 + s) * (1.0 + t) * (s + t - Jet::constant(1.0)))
        };
    }
}
