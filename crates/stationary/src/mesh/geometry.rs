//! Sizes of straight-sided simplices, and the Jacobian of curved ones.

use super::{CellId, CellKind, Mesh};
use crate::linalg;

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    linalg::cross(&a, &b)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn norm(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

fn area(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    0.5 * norm(cross(minus(b, a), minus(c, a)))
}

/// Length, area or volume between the corners; that of a tetrahedron is negative when it is inverted.
pub(super) fn volume(kind: CellKind, x: &[[f64; 3]]) -> f64 {
    match kind.dimension() {
        0 => 0.0,
        1 => norm(minus(x[1], x[0])),
        2 => area(x[0], x[1], x[2]),
        _ => dot(minus(x[1], x[0]), cross(minus(x[2], x[0]), minus(x[3], x[0]))) / 6.0,
    }
}

/// Radius of the largest ball inside a straight-sided cell, `h` of the step rule [AVI03 (68)]: of a tetrahedron three
/// times the volume over the surface, of a triangle twice the area over the perimeter, of a line half its length.
/// `points` are those of the cell, or its corners.
///
/// ```
/// use stationary::mesh::{CellKind, inradius};
/// let triangle = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// assert_eq!(inradius(CellKind::Triangle3, &triangle), 1.0);
/// ```
pub fn inradius(kind: CellKind, points: &[[f64; 3]]) -> f64 {
    let x = points;
    match kind.dimension() {
        0 => 0.0,
        1 => 0.5 * volume(kind, x),
        2 => {
            let perimeter: f64 = kind.edges().iter().map(|[a, b]| norm(minus(x[*b], x[*a]))).sum();
            2.0 * volume(kind, x) / perimeter
        }
        _ => {
            let surface: f64 = kind.faces().iter().map(|f| area(x[f[0]], x[f[1]], x[f[2]])).sum();
            3.0 * volume(kind, x).abs() / surface
        }
    }
}

/// Length of the longest straight edge.
pub(super) fn longest_edge(kind: CellKind, x: &[[f64; 3]]) -> f64 {
    let mut longest = 0.0;
    for [a, b] in kind.edges() {
        let edge = minus(x[*b], x[*a]);
        let square = dot(edge, edge);
        // Written so that NaN stays.
        if !(square <= longest) {
            longest = square;
        }
    }
    longest.sqrt()
}

/// Twice the signed area of a triangle in the plane.
pub(super) fn plane_determinant(x: &[[f64; 3]]) -> f64 {
    cross(minus(x[1], x[0]), minus(x[2], x[0]))[2]
}

/// All middle nodes lie in the middle of their edges, to rounding.
pub(super) fn straight(kind: CellKind, x: &[[f64; 3]], longest: f64) -> bool {
    let middles = &x[kind.corners()..];
    kind.edges().iter().zip(middles).all(|([a, b], m)| {
        let off: [f64; 3] = std::array::from_fn(|i| m[i] - 0.5 * (x[*a][i] + x[*b][i]));
        norm(off) <= 1e-9 * longest
    })
}

/// Smallest determinant of the Jacobian over the nodes of a quadratic triangle (in the plane) or tetrahedron.
pub(super) fn smallest_jacobian(kind: CellKind, x: &[[f64; 3]]) -> f64 {
    let (corners, edges) = (kind.corners(), kind.edges());
    let mut smallest = f64::INFINITY;
    for at in 0..x.len() {
        let mut l = [0.0; 4];
        match at.checked_sub(corners) {
            None => l[at] = 1.0,
            Some(e) => edges[e].iter().for_each(|c| l[*c] = 0.5),
        }
        // d/dL of N_a = L_a (2 L_a - 1) and N_ab = 4 L_a L_b, then columns d/dL_j - d/dL_0.
        let mut d = [[0.0; 3]; 4];
        for a in 0..corners {
            for i in 0..3 {
                d[a][i] += (4.0 * l[a] - 1.0) * (x[a][i] - x[0][i]);
            }
        }
        for ([a, b], m) in edges.iter().zip(&x[corners..]) {
            for i in 0..3 {
                d[*a][i] += 4.0 * l[*b] * (m[i] - x[0][i]);
                d[*b][i] += 4.0 * l[*a] * (m[i] - x[0][i]);
            }
        }
        let (u, v) = (minus(d[1], d[0]), minus(d[2], d[0]));
        let determinant = if corners == 3 { cross(u, v)[2] } else { dot(u, cross(v, minus(d[3], d[0]))) };
        if !(determinant >= smallest) {
            smallest = determinant;
        }
    }
    smallest
}

impl Mesh {
    /// Length, area or volume of a straight-sided cell; that of an inverted tetrahedron is negative.
    pub fn volume(&self, (block, index): CellId) -> f64 {
        let cells = &self.cells[block as usize];
        let mut x = [[0.0; 3]; 10];
        volume(cells.kind, self.positions(cells.nodes_of(index as usize), &mut x))
    }

    /// The points of a cell, gathered.
    pub(super) fn positions<'a>(&self, nodes: &[u32], x: &'a mut [[f64; 3]; 10]) -> &'a [[f64; 3]] {
        for (x, a) in x.iter_mut().zip(nodes) {
            *x = self.points[*a as usize];
        }
        &x[..nodes.len()]
    }
}
