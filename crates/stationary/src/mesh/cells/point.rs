//! A single node.

use super::{CellKind, CellTable, Jet};

pub(super) const POINT: CellTable = CellTable {
    kind: CellKind::Point,
    dimension: 0,
    corners: 1,
    name: "point",
    word: "vertex",
    vtk: 1,
    vtk_order: None,
    gmsh: 15,
    gmsh_order: None,
    abaqus: &[],
    edges: &[],
    faces: &[],
    reference: &[[0.0; 3]],
    shape: |_, n| n[0] = Jet::constant(1.0),
    samples: None,
    sense: "",
};
