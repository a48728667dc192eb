//! Triangles of three and six nodes: the unit simplex.

use super::{CellKind, CellTable, Jet};

const REFERENCE: [[f64; 3]; 6] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.0]];

pub(super) const TRIANGLE3: CellTable = CellTable {
    kind: CellKind::Triangle3,
    dimension: 2,
    corners: 3,
    name: "3-node triangle",
    word: "triangle",
    vtk: 5,
    vtk_order: None,
    gmsh: 2,
    gmsh_order: None,
    abaqus: &["CPS3", "CPE3", "CAX3", "S3", "STRI3", "M3D3", "SFM3D3", "R3D3"],
    edges: &[[0, 1], [1, 2], [2, 0]],
    faces: &[&[0, 1], &[1, 2], &[2, 0]],
    reference: REFERENCE.split_at(3).0,
    shape: |at, n| barycentric(at, n),
    samples: None,
    sense: "nodes of a plane triangle run anticlockwise; swap two corners, or reverse the surface in Gmsh",
};

pub(super) const TRIANGLE6: CellTable = CellTable {
    kind: CellKind::Triangle6,
    name: "6-node triangle",
    word: "triangle6",
    vtk: 22,
    gmsh: 9,
    abaqus: &["CPS6", "CPE6", "CAX6", "S6", "STRI65", "M3D6", "SFM3D6"],
    faces: &[&[0, 1, 3], &[1, 2, 4], &[2, 0, 5]],
    reference: &REFERENCE,
    shape: |at, n| {
        let mut l = [Jet::default(); 3];
        barycentric(at, &mut l);
        simplex(&l, TRIANGLE3.edges, n);
    },
    ..TRIANGLE3
};

fn barycentric([x, y, _]: &[Jet; 3], l: &mut [Jet]) {
    l[0] = 1.0 - *x - *y;
    l[1] = *x;
    l[2] = *y;
}

/// Quadratic shape functions from barycentric coordinates: `L (2 L - 1)` at corners, `4 L L'` at the middles of edges.
pub(super) fn simplex(l: &[Jet], edges: &[[usize; 2]], n: &mut [Jet]) {
    for (n, l) in n.iter_mut().zip(l) {
        *n = *l * (2.0 * *l - Jet::constant(1.0));
    }
    for (n, [a, b]) in n[l.len()..].iter_mut().zip(edges) {
        *n = 4.0 * (l[*a] * l[*b]);
    }
}
