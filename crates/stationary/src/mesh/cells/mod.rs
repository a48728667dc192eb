//! What is true of each kind of cell: a file for every family, a table for every kind.
//!
//! A new kind is a table in one of these files, its name in [`CellKind`] and its line in [`TABLES`], in the same order. The laws of
//! `tests/cells` run over all of them.

mod derived;
mod hexahedron;
mod jet;
mod line;
mod point;
mod pyramid;
mod quadrilateral;
mod tetrahedron;
mod triangle;
mod wedge;

pub(super) use jet::Jet;

use super::CellKind;

/// The facts of one kind.
pub(super) struct CellTable {
    pub kind: CellKind,
    pub dimension: u32,
    pub corners: usize,
    pub name: &'static str,
    /// In meshio.
    pub word: &'static str,
    /// VTK's number.
    pub vtk: u8,
    /// Our node `i` is VTK's node `vtk_order[i]`; none where the order is the same.
    pub vtk_order: Option<&'static [usize]>,
    /// Gmsh's number.
    pub gmsh: i64,
    /// Our node `i` is Gmsh's node `gmsh_order[i]`; none where the order is the same.
    pub gmsh_order: Option<&'static [usize]>,
    /// Names of element types in Abaqus; letters may follow.
    pub abaqus: &'static [&'static str],
    pub edges: &'static [[usize; 2]],
    pub faces: &'static [&'static [usize]],
    pub reference: &'static [[f64; 3]],
    /// Shape functions of all nodes, in their order, at a point of the reference cell.
    pub shape: fn(&[Jet; 3], &mut [Jet]),
    /// Points where the Jacobian must be positive; none: at the nodes.
    pub samples: Option<&'static [[f64; 3]]>,
    /// How a sound cell runs, for messages.
    pub sense: &'static str,
}

/// In the order of [`CellKind::ALL`].
pub(super) const TABLES: [&CellTable; CellKind::ALL.len()] = [
    &point::POINT,
    &line::LINE2,
    &line::LINE3,
    &triangle::TRIANGLE3,
    &triangle::TRIANGLE6,
    &quadrilateral::QUADRILATERAL4,
    &quadrilateral::QUADRILATERAL8,
    &quadrilateral::QUADRILATERAL9,
    &tetrahedron::TETRAHEDRON4,
    &tetrahedron::TETRAHEDRON10,
    &pyramid::PYRAMID5,
    &wedge::WEDGE6,
    &hexahedron::HEXAHEDRON8,
    &hexahedron::HEXAHEDRON20,
    &hexahedron::HEXAHEDRON27,
];

const _: () = {
    let mut k = 0;
    while k < TABLES.len() {
        assert!(TABLES[k].kind as usize == k && CellKind::ALL[k] as usize == k);
        assert!(TABLES[k].reference.len() <= CellKind::MOST_NODES);
        k += 1;
    }
};
