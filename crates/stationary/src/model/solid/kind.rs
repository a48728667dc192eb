//! The kinds of elements, their numbering, and what one reference element of each looks like.

use super::cells::{self, Cell};
use crate::mesh::CellKind;

/// What is known of a kind of element besides the facts of its cell.
#[derive(Debug)]
pub(super) struct Facts {
    pub name: &'static str,
    /// The cell that it is made of.
    pub cell: CellKind,
    /// See [`ElementKind::mirrored`].
    pub mirrored: &'static [usize],
}

/// The list of all kinds: a line for each, with its facts.
macro_rules! kinds {
    ($($(#[$words:meta])* $kind:ident = $facts:expr;)*) => {
        /// The kinds of elements. The order of their nodes is that of their [cells](CellKind).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ElementKind { $($(#[$words])* $kind,)* }

        impl ElementKind {
            /// All kinds.
            pub const ALL: &'static [ElementKind] = &[$(ElementKind::$kind),*];

            const fn facts(self) -> &'static Facts {
                match self { $(ElementKind::$kind => const { &$facts },)* }
            }
        }
    };
}

kinds! {
    /// Bar or spring of two nodes.
    Bar2 = Facts { name: "bar2", cell: CellKind::Line2, mirrored: &[1, 0] };
    /// Triangle of three nodes, counter-clockwise, in a plane of constant `z`.
    Tri3 = cells::Tri3::FACTS;
    /// Triangle of six nodes: corners, then the middles of the sides 01, 12, 20 (as in VTK, Abaqus and Gmsh).
    Tri6 = cells::Tri6::FACTS;
    /// Quadrilateral of four nodes, counter-clockwise, in a plane of constant `z`.
    Quad4 = cells::Quad4::FACTS;
    /// Quadrilateral of eight nodes: corners, then the middles of the sides 01, 12, 23, 30.
    Quad8 = cells::Quad8::FACTS;
    /// Quadrilateral of nine nodes: those of eight, and the middle.
    Quad9 = cells::Quad9::FACTS;
    /// Tetrahedron of four nodes; seen from node 3, nodes 0, 1, 2 turn counter-clockwise.
    Tet4 = Facts { name: "tet4", cell: CellKind::Tetrahedron4, mirrored: &[1, 0, 2, 3] };
    /// Tetrahedron of ten nodes: corners, then the middles of the edges 01, 12, 20, 03, 13, 23 (as in VTK
    /// and Abaqus; Gmsh has the last two exchanged).
    Tet10 = Facts { name: "tet10", cell: CellKind::Tetrahedron10, mirrored: &[1, 0, 2, 3, 4, 6, 5, 8, 7, 9] };
    /// Pyramid of five nodes: seen from the apex 4, the base 0123 turns counter-clockwise.
    Pyramid5 = cells::Pyramid5::FACTS;
    /// Wedge of six nodes: seen from the opposite side 345, the triangle 012 turns counter-clockwise.
    Wedge6 = cells::Wedge6::FACTS;
    /// Hexahedron of eight nodes: seen from the opposite side 4567, the side 0123 turns counter-clockwise.
    Hex8 = cells::Hex8::FACTS;
    /// Hexahedron of twenty nodes: corners, then the middles of the edges.
    Hex20 = cells::Hex20::FACTS;
    /// Hexahedron of twenty-seven nodes: those of twenty, the middles of the sides, and that of the body.
    Hex27 = cells::Hex27::FACTS;
}

impl ElementKind {
    /// The cell that an element of this kind is made of.
    pub const fn cell(self) -> CellKind {
        self.facts().cell
    }

    /// The kind of element that a cell becomes; none for points and lines with a middle node.
    pub fn of(cell: CellKind) -> Option<ElementKind> {
        ElementKind::ALL.iter().copied().find(|kind| kind.cell() == cell)
    }

    /// Nodes of one element.
    pub const fn nodes(self) -> usize {
        self.cell().nodes()
    }

    /// Corners of one element.
    pub const fn corners(self) -> usize {
        self.cell().corners()
    }

    /// 1 for a bar, 2 for a plane element, 3 for one in space.
    pub const fn dimension(self) -> usize {
        self.cell().dimension() as usize
    }

    /// Whether it is a line, a triangle or a tetrahedron.
    pub const fn is_simplex(self) -> bool {
        self.corners() == self.dimension() + 1
    }

    /// The order in which to read an element's nodes so that its orientation is turned over.
    ///
    /// ```
    /// use stationary::model::solid::ElementKind;
    /// assert_eq!(ElementKind::Tri6.mirrored(), [1, 0, 2, 3, 5, 4]);
    /// ```
    pub const fn mirrored(self) -> &'static [usize] {
        self.facts().mirrored
    }

    /// The name in messages and files.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }
}

/// Most nodes of an element.
pub const MAX_NODES: usize = CellKind::MOST_NODES;
/// Most nodes of a triangle or tetrahedron.
pub(super) const SIMPLEX_NODES: usize = 10;
/// Most quadrature points of a triangle or tetrahedron.
pub(super) const SIMPLEX_POINTS: usize = 4;
/// A vector on each node of one triangle or tetrahedron.
pub(super) type SimplexNodal = [[f64; 3]; SIMPLEX_NODES];

const PAIR_2: [[usize; 4]; 4] = [[0, 3, 5, 0], [3, 1, 4, 0], [5, 4, 2, 0], [0; 4]];
const PAIR_3: [[usize; 4]; 4] = [[0, 4, 6, 7], [4, 1, 5, 8], [6, 5, 2, 9], [7, 8, 9, 3]];

/// The node in the middle of corners `a` and `b` of a quadratic simplex; the corner itself when they are one.
#[inline(always)]
pub(super) const fn pair<const D: usize>(a: usize, b: usize) -> usize {
    if D == 2 { PAIR_2[a][b] } else { PAIR_3[a][b] }
}

/// Barycentric coordinate at a quadrature point's own corner of the degree-2 rule with `D + 1` points (Hammer and
/// Stroud); the other coordinates are [`far`].
pub(super) const fn near<const D: usize>() -> f64 {
    if D == 2 { 2.0 / 3.0 } else { 0.585_410_196_624_968_5 }
}

/// See [`near`].
pub(super) const fn far<const D: usize>() -> f64 {
    if D == 2 { 1.0 / 6.0 } else { 0.138_196_601_125_010_5 }
}

/// Values and barycentric derivatives `dN_a / dL_c` of the quadratic shape functions of a simplex at `l`.
pub(super) fn quadratic<const D: usize>(l: &[f64; 4]) -> ([f64; SIMPLEX_NODES], [[f64; 4]; SIMPLEX_NODES]) {
    let (mut n, mut d) = ([0.0; SIMPLEX_NODES], [[0.0; 4]; SIMPLEX_NODES]);
    for a in 0..=D {
        n[a] = l[a] * (2.0 * l[a] - 1.0);
        d[a][a] = 4.0 * l[a] - 1.0;
        for b in 0..a {
            let m = pair::<D>(a, b);
            n[m] = 4.0 * l[a] * l[b];
            d[m][a] = 4.0 * l[b];
            d[m][b] = 4.0 * l[a];
        }
    }
    (n, d)
}

/// Five-point Gauss-Legendre rule on (0, 1).
pub(super) const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668_004, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_46, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// A rule on the unit simplex exact for polynomials of degree 7: the cube's rule folded onto the simplex. Weights
/// sum to the simplex's volume `1 / D!`. For masses of curved elements, where speed does not matter.
pub(super) fn fine_rule<const D: usize>() -> Vec<([f64; 4], f64)> {
    let mut rule = Vec::new();
    let third: &[(f64, f64)] = if D == 3 { &GAUSS } else { &[(0.0, 1.0)] };
    for (u, wu) in GAUSS {
        for (v, wv) in GAUSS {
            for (w, ww) in third {
                let (a, b) = (u, v * (1.0 - u));
                let rest = (1.0 - u) * (1.0 - v);
                let c = if D == 3 { w * rest } else { 0.0 };
                let jacobian = if D == 3 { (1.0 - u) * rest } else { 1.0 - u };
                let l = if D == 3 { [1.0 - a - b - c, a, b, c] } else { [1.0 - a - b, a, b, 0.0] };
                rule.push((l, wu * wv * ww * jacobian));
            }
        }
    }
    rule
}
