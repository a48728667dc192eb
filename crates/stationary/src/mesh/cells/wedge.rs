//! The wedge of six nodes: the unit triangle from z = -1 to 1.

use super::{CellKind, CellTable};

const REFERENCE: [[f64; 3]; 6] =
    [[0.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];

/// Corners, and the middles between them: the Jacobian is quadratic along the triangle and the height.
const SAMPLES: [[f64; 3]; 18] = {
    let mut all = [[0.0; 3]; 18];
    let mut k = 0;
    while k < 18 {
        let mut corner = REFERENCE[k % 3];
        if k % 6 >= 3 {
            let next = REFERENCE[(k + 1) % 3];
            corner = [0.5 * (corner[0] + next[0]), 0.5 * (corner[1] + next[1]), 0.0];
        }
        corner[2] = (k / 6) as f64 - 1.0;
        all[k] = corner;
        k += 1;
    }
    all
};

pub(super) const WEDGE6: CellTable = CellTable {
    kind: CellKind::Wedge6,
    dimension: 3,
    corners: 6,
    name: "6-node wedge",
    word: "wedge",
    vtk: 13,
    // In VTK the triangle 0 1 2 runs anticlockwise seen from outside.
    vtk_order: Some(&[0, 2, 1, 3, 5, 4]),
    gmsh: 6,
    gmsh_order: None,
    abaqus: &["C3D6"],
    edges: &[[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5]],
    faces: &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]],
    reference: &REFERENCE,
    shape: |[x, y, z], n| {
        let l = [1.0 - *x - *y, *x, *y];
        for a in 0..3 {
            n[a] = 0.5 * (l[a] * (1.0 - *z));
            n[a + 3] = 0.5 * (l[a] * (1.0 + *z));
        }
    },
    samples: Some(&SAMPLES),
    sense: "nodes 1 2 3 of a wedge run anticlockwise seen from 4 5 6, which lie opposite to them in this order; swap these two faces",
};
