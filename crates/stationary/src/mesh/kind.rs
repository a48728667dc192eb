//! The kinds of cell we know, and their one node order.

use super::Face;
use crate::error::{Diagnostic, near_miss};

/// A kind of cell, and the order of its nodes.
///
/// Corners come first. Middle nodes follow by the edge they lie on, as in VTK, meshio and Abaqus; Gmsh swaps the last two of
/// a ten-node tetrahedron, and the reader swaps them back.
///
/// | kind | middle nodes |
/// |---|---|
/// | `Line3` | 2: (0 1) |
/// | `Triangle6` | 3: (0 1), 4: (1 2), 5: (2 0) |
/// | `Tetrahedron10` | 4: (0 1), 5: (1 2), 6: (2 0), 7: (0 3), 8: (1 3), 9: (2 3) |
///
/// A sound tetrahedron has `det(x1 - x0, x2 - x0, x3 - x0) > 0`; a sound triangle of a plane mesh runs anticlockwise.
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
    /// A tetrahedron of four nodes.
    Tetrahedron4,
    /// A tetrahedron of ten nodes.
    Tetrahedron10,
}

use CellKind::*;

/// What every message about an unsupported kind offers.
pub(super) const SUPPORTED: &str =
    "supported are points, lines of 2 and 3 nodes, triangles of 3 and 6, tetrahedra of 4 and 10";

impl CellKind {
    /// All kinds, in the order in which the blocks of a mesh come.
    pub const ALL: [CellKind; 7] = [Point, Line2, Line3, Triangle3, Triangle6, Tetrahedron4, Tetrahedron10];

    /// Nodes of a cell.
    pub const fn nodes(self) -> usize {
        match self {
            Point => 1,
            Line2 => 2,
            Line3 | Triangle3 => 3,
            Triangle6 => 6,
            Tetrahedron4 => 4,
            Tetrahedron10 => 10,
        }
    }

    /// Dimension of the cell itself, 0 to 3.
    pub const fn dimension(self) -> u32 {
        match self {
            Point => 0,
            Line2 | Line3 => 1,
            Triangle3 | Triangle6 => 2,
            Tetrahedron4 | Tetrahedron10 => 3,
        }
    }

    /// Corners of a cell: one more than its dimension.
    pub const fn corners(self) -> usize {
        self.dimension() as usize + 1
    }

    /// Name for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Point => "point",
            Line2 => "2-node line",
            Line3 => "3-node line",
            Triangle3 => "3-node triangle",
            Triangle6 => "6-node triangle",
            Tetrahedron4 => "4-node tetrahedron",
            Tetrahedron10 => "10-node tetrahedron",
        }
    }

    /// The name that meshio has for it.
    pub const fn word(self) -> &'static str {
        match self {
            Point => "vertex",
            Line2 => "line",
            Line3 => "line3",
            Triangle3 => "triangle",
            Triangle6 => "triangle6",
            Tetrahedron4 => "tetra",
            Tetrahedron10 => "tetra10",
        }
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
        const TETRAHEDRON: &[[usize; 2]] = &[[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
        match self {
            Point => &[],
            Line2 | Line3 => &[[0, 1]],
            Triangle3 | Triangle6 => &[[0, 1], [1, 2], [2, 0]],
            Tetrahedron4 | Tetrahedron10 => TETRAHEDRON,
        }
    }

    /// Sides of a triangle or tetrahedron as local nodes, each seen from outside anticlockwise (edges: the body lies to
    /// the left).
    pub const fn faces(self) -> &'static [&'static [usize]] {
        match self {
            Point | Line2 | Line3 => &[],
            Triangle3 => &[&[0, 1], &[1, 2], &[2, 0]],
            Triangle6 => &[&[0, 1, 3], &[1, 2, 4], &[2, 0, 5]],
            Tetrahedron4 => &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]],
            Tetrahedron10 => {
                &[&[0, 2, 1, 6, 5, 4], &[0, 1, 3, 4, 8, 7], &[1, 2, 3, 5, 9, 8], &[0, 3, 2, 7, 9, 6]]
            }
        }
    }

    /// The kind of [`faces`](Self::faces).
    pub const fn face_kind(self) -> Option<CellKind> {
        match self {
            Point | Line2 | Line3 => None,
            Triangle3 => Some(Line2),
            Triangle6 => Some(Line3),
            Tetrahedron4 => Some(Triangle3),
            Tetrahedron10 => Some(Triangle6),
        }
    }
}

// A face keeps its nodes in place.
const _: () = assert!(Triangle6.nodes() == Face::MOST_NODES);
