//! Lines of two and three nodes, from -1 to 1.

use super::{CellKind, CellTable, Jet};

const REFERENCE: [[f64; 3]; 3] = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]];

pub(super) const LINE2: CellTable = CellTable {
    kind: CellKind::Line2,
    dimension: 1,
    corners: 2,
    name: "2-node line",
    word: "line",
    vtk: 3,
    vtk_order: None,
    gmsh: 1,
    gmsh_order: None,
    abaqus: &["T2D2", "T3D2", "B21", "B31", "SPRINGA"],
    edges: &[[0, 1]],
    faces: &[],
    reference: REFERENCE.split_at(2).0,
    shape: |[x, _, _], n| {
        n[0] = 0.5 * (1.0 - *x);
        n[1] = 0.5 * (1.0 + *x);
    },
    samples: None,
    sense: "",
};

pub(super) const LINE3: CellTable = CellTable {
    kind: CellKind::Line3,
    name: "3-node line",
    word: "line3",
    vtk: 21,
    gmsh: 8,
    abaqus: &["T2D3", "T3D3", "B22", "B32"],
    reference: &REFERENCE,
    shape: |[x, _, _], n| quadratic(*x, n),
    ..LINE2
};

/// The three quadratic polynomials that are 1 at -1, 1 and 0.
pub(super) fn quadratic(x: Jet, n: &mut [Jet]) {
    n[0] = 0.5 * (x * (x - Jet::constant(1.0)));
    n[1] = 0.5 * (x * (1.0 + x));
    n[2] = 1.0 - x * x;
}
