//! Tetrahedra of four and ten nodes: the unit simplex.

use super::triangle::simplex;
use super::{CellKind, CellTable, Jet};

const REFERENCE: [[f64; 3]; 10] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.0, 0.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.0],
    [0.0, 0.0, 0.5],
    [0.5, 0.0, 0.5],
    [0.0, 0.5, 0.5],
];

pub(super) const TETRAHEDRON4: CellTable = CellTable {
    kind: CellKind::Tetrahedron4,
    dimension: 3,
    corners: 4,
    name: "4-node tetrahedron",
    word: "tetra",
    vtk: 10,
    vtk_order: None,
    gmsh: 4,
    gmsh_order: None,
    abaqus: &["C3D4"],
    edges: &[[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]],
    faces: &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]],
    reference: REFERENCE.split_at(4).0,
    shape: |at, n| barycentric(at, n),
    samples: None,
    sense: "nodes 1 2 3 of a tetrahedron run anticlockwise seen from node 4; swap two corners",
};

pub(super) const TETRAHEDRON10: CellTable = CellTable {
    kind: CellKind::Tetrahedron10,
    name: "10-node tetrahedron",
    word: "tetra10",
    vtk: 24,
    gmsh: 11,
    gmsh_order: Some(&[0, 1, 2, 3, 4, 5, 6, 7, 9, 8]),
    abaqus: &["C3D10"],
    faces: &[&[0, 2, 1, 6, 5, 4], &[0, 1, 3, 4, 8, 7], &[1, 2, 3, 5, 9, 8], &[0, 3, 2, 7, 9, 6]],
    reference: &REFERENCE,
    shape: |at, n| {
        let mut l = [Jet::default(); 4];
        barycentric(at, &mut l);
        simplex(&l, TETRAHEDRON4.edges, n);
    },
    ..TETRAHEDRON4
};

fn barycentric([x, y, z]: &[Jet; 3], l: &mut [Jet]) {
    l[0] = 1.0 - *x - *y - *z;
    l[1] = *x;
    l[2] = *y;
    l[3] = *z;
}
