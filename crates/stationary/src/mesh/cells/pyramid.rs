//! The pyramid of five nodes: the square from -1 to 1 at z = 0, the apex at z = 1.

use super::{CellKind, CellTable, Jet};

const REFERENCE: [[f64; 3]; 5] =
    [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The Jacobian is constant along every line to the apex, where it has no value of its own: the base tells all.
const SAMPLES: [[f64; 3]; 9] = [
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

pub(super) const PYRAMID5: CellTable = CellTable {
    kind: CellKind::Pyramid5,
    dimension: 3,
    corners: 5,
    name: "5-node pyramid",
    word: "pyramid",
    vtk: 14,
    vtk_order: None,
    gmsh: 7,
    gmsh_order: None,
    abaqus: &["C3D5"],
    edges: &[[0, 1], [1, 2], [2, 3], [3, 0], [0, 4], [1, 4], [2, 4], [3, 4]],
    faces: &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]],
    reference: &REFERENCE,
    shape,
    samples: Some(&SAMPLES),
    sense: "nodes 1 2 3 4 of a pyramid run anticlockwise seen from node 5, the apex; reverse the base",
};

/// `(1 - z +- x) (1 - z +- y) / (4 (1 - z))` at the base, `z` at the apex, where the others are 0.
fn shape([x, y, z]: &[Jet; 3], n: &mut [Jet]) {
    let height = 1.0 - *z;
    for (n, at) in n.iter_mut().zip(&REFERENCE[..4]) {
        *n = if height.value == 0.0 {
            Jet::default()
        } else {
            0.25 * ((height + at[0] * *x) * (height + at[1] * *y) * height.inverse())
        };
    }
    n[4] = *z;
}
