//! The kinds of cell we know, and what is true of each: one row of [`cells`](super::cells) for every kind.

use super::cells::{CellTable, TABLES};
use crate::error::{Diagnostic, near_miss};

/// A kind of cell, and the order of its nodes.
///
/// Corners come first, then the middle nodes of the edges, then those of the faces and of the body, as in VTK and meshio. Abaqus has the
/// same order but for the inner nodes of `Hexahedron27`; Gmsh orders middle nodes in its own way, VTK the linear wedge: readers and
/// writers translate.
///
/// | kind | middle nodes |
/// |---|---|
/// | `Line3` | 2: (0 1) |
/// | `Triangle6` | 3: (0 1), 4: (1 2), 5: (2 0) |
/// | `Quadrilateral8` | 4: (0 1), 5: (1 2), 6: (2 3), 7: (3 0) |
/// | `Quadrilateral9` | the same, and 8: the middle |
/// | `Tetrahedron10` | 4: (0 1), 5: (1 2), 6: (2 0), 7: (0 3), 8: (1 3), 9: (2 3) |
/// | `Hexahedron20` | 8: (0 1), 9: (1 2), 10: (2 3), 11: (3 0), 12: (4 5), 13: (5 6), 14: (6 7), 15: (7 4), 16: (0 4), 17: (1 5), 18: (2 6), 19: (3 7) |
/// | `Hexahedron27` | the same, 20: (0 3 4 7), 21: (1 2 5 6), 22: (0 1 4 5), 23: (2 3 6 7), 24: (0 1 2 3), 25: (4 5 6 7), and 26: the middle |
///
/// A sound tetrahedron has `det(x1 - x0, x2 - x0, x3 - x0) > 0`. Of pyramids, wedges and hexahedra, the first face (0 1 2 3 or 0 1 2) runs
/// anticlockwise seen from the apex or from the opposite face. Plane cells of a plane mesh run anticlockwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellKind {
    /// A single node; it carries group names and is no element.
    Point,
    /// A bar or spring, or an edge of a plane mesh.
    Line2,
    /// An edge with a middle node.
    Line3,
    /// A triangle of three nodes.
    Triangle3,
    /// A triangle of six nodes.
    Triangle6,
    /// A quadrilateral of four nodes.
    Quadrilateral4,
    /// A quadrilateral of eight nodes: corners and middles of edges.
    Quadrilateral8,
    /// A quadrilateral of nine nodes.
    Quadrilateral9,
    /// A tetrahedron of four nodes.
    Tetrahedron4,
    /// A tetrahedron of ten nodes.
    Tetrahedron10,
    /// A pyramid on a quadrilateral.
    Pyramid5,
    /// A wedge, or prism: two triangles and three quadrilaterals.
    Wedge6,
    /// A hexahedron of eight nodes.
    Hexahedron8,
    /// A hexahedron of twenty nodes: corners and middles of edges.
    Hexahedron20,
    /// A hexahedron of twenty-seven nodes.
    Hexahedron27,
}

use CellKind::*;

/// What every message about an unsupported kind offers.
pub(super) const SUPPORTED: &str = "supported are points, lines of 2 and 3 nodes, triangles of 3 and 6, quadrilaterals of 4, 8 and 9, \
     tetrahedra of 4 and 10, pyramids of 5, wedges of 6, hexahedra of 8, 20 and 27";

impl CellKind {
    /// All kinds, in the order in which the blocks of a mesh come.
    pub const ALL: [CellKind; 15] = [
        Point,
        Line2,
        Line3,
        Triangle3,
        Triangle6,
        Quadrilateral4,
        Quadrilateral8,
        Quadrilateral9,
        Tetrahedron4,
        Tetrahedron10,
        Pyramid5,
        Wedge6,
        Hexahedron8,
        Hexahedron20,
        Hexahedron27,
    ];

    /// Nodes of the cell that has most.
    pub const MOST_NODES: usize = 27;

    pub(super) const fn table(self) -> &'static CellTable {
        TABLES[self as usize]
    }

    /// Nodes of a cell.
    pub const fn nodes(self) -> usize {
        self.table().reference.len()
    }

    /// Dimension of the cell itself, 0 to 3.
    pub const fn dimension(self) -> u32 {
        self.table().dimension
    }

    /// Corners of a cell.
    pub const fn corners(self) -> usize {
        self.table().corners
    }

    /// Whether all nodes are corners.
    pub const fn is_linear(self) -> bool {
        self.nodes() == self.corners()
    }

    /// Name for messages.
    pub const fn name(self) -> &'static str {
        self.table().name
    }

    /// The name that meshio has for it.
    pub const fn word(self) -> &'static str {
        self.table().word
    }

    /// VTK's number of the kind.
    pub const fn vtk(self) -> u8 {
        self.table().vtk
    }

    /// The kind of a number of VTK.
    pub fn from_vtk(number: u8) -> Option<CellKind> {
        CellKind::ALL.into_iter().find(|k| k.vtk() == number)
    }

    /// Which of our nodes is each of VTK's; none where the order is the same. The permutation is its own inverse.
    pub const fn vtk_order(self) -> Option<&'static [usize]> {
        self.table().vtk_order
    }

    /// The kind of a name: [`word`](Self::word) or [`name`](Self::name).
    ///
    /// ```
    /// use stationary::mesh::CellKind;
    /// assert_eq!(CellKind::from_name("tetra10"), Ok(CellKind::Tetrahedron10));
    /// assert_eq!(CellKind::from_name("2-node line"), Ok(CellKind::Line2));
    /// let error = CellKind::from_name("tetra_10").unwrap_err();
    /// assert!(error.help.unwrap().starts_with("did you mean `tetra10`?"));
    /// ```
    pub fn from_name(name: &str) -> Result<CellKind, Diagnostic> {
        if let Some(kind) = CellKind::ALL.into_iter().find(|k| k.word() == name || k.name() == name) {
            return Ok(kind);
        }
        let words = CellKind::ALL.map(CellKind::word);
        let near = near_miss(name, words);
        let near = near.map_or(String::new(), |n| format!("did you mean `{n}`? "));
        let name: String = name.chars().take(40).collect();
        let help = format!("{near}expected one of {}", words.join(", "));
        Err(Diagnostic::new(format!("cells of the kind `{name}` are not known")).help(help))
    }

    /// Pairs of corners, in the order of the middle nodes.
    pub const fn edges(self) -> &'static [[usize; 2]] {
        self.table().edges
    }

    /// Sides of a plane or solid cell as local nodes, in the order of Abaqus (S1, S2, ...), each seen from outside anticlockwise
    /// (edges: the body lies to the left).
    pub const fn faces(self) -> &'static [&'static [usize]] {
        self.table().faces
    }

    /// The kind of one of the [`faces`](Self::faces): wedges and pyramids have triangles and quadrilaterals.
    pub const fn face_kind(self, side: usize) -> CellKind {
        match (self.dimension(), self.faces()[side].len()) {
            (3, 3) => Triangle3,
            (3, 6) => Triangle6,
            (3, 4) => Quadrilateral4,
            (3, 8) => Quadrilateral8,
            (3, 9) => Quadrilateral9,
            (2, 2) => Line2,
            _ => Line3,
        }
    }

    /// Where the nodes lie in the reference cell: lines, quadrilaterals and hexahedra reach from -1 to 1; triangles and tetrahedra are the
    /// unit simplex; a wedge is the unit triangle from z = -1 to 1; a pyramid has the base from -1 to 1 at z = 0 and its apex at z = 1.
    ///
    /// ```
    /// use stationary::mesh::CellKind;
    /// assert_eq!(CellKind::Quadrilateral4.reference()[2], [1.0, 1.0, 0.0]);
    /// ```
    pub const fn reference(self) -> &'static [[f64; 3]] {
        self.table().reference
    }
}
