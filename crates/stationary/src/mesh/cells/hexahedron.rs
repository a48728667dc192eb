//! Hexahedra of eight, twenty and twenty-seven nodes: the cube from -1 to 1.

use super::line::quadratic;
use super::quadrilateral::place;
use super::{CellKind, CellTable, Jet};

const REFERENCE: [[f64; 3]; 27] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [0.0, -1.0, -1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, -1.0],
    [-1.0, 0.0, -1.0],
    [0.0, -1.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [-1.0, 0.0, 1.0],
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [-1.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, -1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, -1.0],
    [0.0, 0.0, 1.0],
    [0.0, 0.0, 0.0],
];

pub(super) const HEXAHEDRON8: CellTable = CellTable {
    kind: CellKind::Hexahedron8,
    dimension: 3,
    corners: 8,
    name: "8-node hexahedron",
    word: "hexahedron",
    vtk: 12,
    vtk_order: None,
    gmsh: 5,
    gmsh_order: None,
    abaqus: &["C3D8"],
    edges: &[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]],
    faces: &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]],
    reference: REFERENCE.split_at(8).0,
    shape: |[x, y, z], n| {
        for (n, at) in n.iter_mut().zip(&REFERENCE[..8]) {
            *n = 0.125 * ((1.0 + at[0] * *x) * (1.0 + at[1] * *y) * (1.0 + at[2] * *z));
        }
    },
    // The Jacobian of a trilinear map is quadratic in each coordinate: corners alone do not tell of its sign between them.
    samples: Some(&REFERENCE),
    sense: "nodes 1 2 3 4 of a hexahedron run anticlockwise seen from 5 6 7 8, which lie opposite to them in this order; \
            swap these two faces",
};

pub(super) const HEXAHEDRON20: CellTable = CellTable {
    kind: CellKind::Hexahedron20,
    name: "20-node hexahedron",
    word: "hexahedron20",
    vtk: 25,
    gmsh: 17,
    gmsh_order: Some(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15]),
    abaqus: &["C3D20"],
    faces: &[
        &[0, 3, 2, 1, 11, 10, 9, 8],
        &[4, 5, 6, 7, 12, 13, 14, 15],
        &[0, 1, 5, 4, 8, 17, 12, 16],
        &[1, 2, 6, 5, 9, 18, 13, 17],
        &[2, 3, 7, 6, 10, 19, 14, 18],
        &[3, 0, 4, 7, 11, 16, 15, 19],
    ],
    reference: REFERENCE.split_at(20).0,
    shape: |at, n| serendipity(at, n),
    ..HEXAHEDRON8
};

pub(super) const HEXAHEDRON27: CellTable = CellTable {
    kind: CellKind::Hexahedron27,
    name: "27-node hexahedron",
    word: "hexahedron27",
    vtk: 29,
    gmsh: 12,
    gmsh_order: Some(&[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26,
    ]),
    abaqus: &["C3D27"],
    faces: &[
        &[0, 3, 2, 1, 11, 10, 9, 8, 24],
        &[4, 5, 6, 7, 12, 13, 14, 15, 25],
        &[0, 1, 5, 4, 8, 17, 12, 16, 22],
        &[1, 2, 6, 5, 9, 18, 13, 17, 21],
        &[2, 3, 7, 6, 10, 19, 14, 18, 23],
        &[3, 0, 4, 7, 11, 16, 15, 19, 20],
    ],
    reference: &REFERENCE,
    shape: |at, n| {
        let mut along = [[Jet::default(); 3]; 3];
        for (functions, x) in along.iter_mut().zip(at) {
            quadratic(*x, functions);
        }
        for (n, at) in n.iter_mut().zip(&REFERENCE) {
            *n = along[0][place(at[0])] * along[1][place(at[1])] * along[2][place(at[2])];
        }
    },
    ..HEXAHEDRON8
};

fn serendipity(x: &[Jet; 3], n: &mut [Jet]) {
    for (n, at) in n.iter_mut().zip(&REFERENCE[..20]) {
        let mut product = Jet::constant(0.25);
        let mut sum = Jet::constant(-2.0);
        let mut corner = true;
        for (x, at) in x.iter().zip(at) {
            if *at == 0.0 {
                product = product * (1.0 - *x * *x);
                corner = false;
            } else {
                product = product * (1.0 + *at * *x);
                sum = sum + *at * *x;
            }
        }
        *n = if corner { 0.5 * (product * sum) } else { product };
    }
}
