//! The kinds of elements, their numbering, and what one reference element of each looks like.

/// The kinds of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementKind {
    /// Bar or spring of two nodes.
    Bar2,
    /// Triangle of three nodes, counter-clockwise, in a plane of constant `z`.
    Tri3,
    /// Triangle of six nodes: corners, then the middles of the sides 01, 12, 20 (as in VTK, Abaqus and Gmsh).
    Tri6,
    /// Tetrahedron of four nodes; seen from node 3, nodes 0, 1, 2 turn counter-clockwise.
    Tet4,
    /// Tetrahedron of ten nodes: corners, then the middles of the edges 01, 12, 20, 03, 13, 23 (as in VTK
    /// and Abaqus; Gmsh has the last two exchanged).
    Tet10,
}

impl ElementKind {
    /// Nodes of one element.
    pub const fn nodes(self) -> usize {
        match self {
            ElementKind::Bar2 => 2,
            ElementKind::Tri3 => 3,
            ElementKind::Tri6 => 6,
            ElementKind::Tet4 => 4,
            ElementKind::Tet10 => 10,
        }
    }

    /// 1 for a bar, 2 for a triangle, 3 for a tetrahedron.
    pub const fn dimension(self) -> usize {
        match self {
            ElementKind::Bar2 => 1,
            ElementKind::Tri3 | ElementKind::Tri6 => 2,
            ElementKind::Tet4 | ElementKind::Tet10 => 3,
        }
    }

    /// The order in which to read an element's nodes so that its orientation is turned over.
    ///
    /// ```
    /// use stationary::model::solid::ElementKind;
    /// assert_eq!(ElementKind::Tri6.mirrored(), [1, 0, 2, 3, 5, 4]);
    /// ```
    pub const fn mirrored(self) -> &'static [usize] {
        match self {
            ElementKind::Bar2 => &[1, 0],
            ElementKind::Tri3 => &[1, 0, 2],
            ElementKind::Tri6 => &[1, 0, 2, 3, 5, 4],
            ElementKind::Tet4 => &[1, 0, 2, 3],
            ElementKind::Tet10 => &[1, 0, 2, 3, 4, 6, 5, 8, 7, 9],
        }
    }

    /// The name in messages and files.
    pub const fn name(self) -> &'static str {
        match self {
            ElementKind::Bar2 => "bar2",
            ElementKind::Tri3 => "tri3",
            ElementKind::Tri6 => "tri6",
            ElementKind::Tet4 => "tet4",
            ElementKind::Tet10 => "tet10",
        }
    }
}

/// Most nodes of an element.
pub const MAX_NODES: usize = 10;
/// Most quadrature points of an element.
pub(super) const MAX_POINTS: usize = 4;
/// A vector on each node of one element.
pub(super) type Nodal = [[f64; 3]; MAX_NODES];

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
pub(super) fn quadratic<const D: usize>(l: &[f64; 4]) -> ([f64; MAX_NODES], [[f64; 4]; MAX_NODES]) {
    let (mut n, mut d) = ([0.0; MAX_NODES], [[0.0; 4]; MAX_NODES]);
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
