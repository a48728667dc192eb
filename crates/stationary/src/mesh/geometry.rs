//! Sizes of straight-sided cells, their quality, and the Jacobian of curved and warped ones.

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

fn determinant(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    dot(a, cross(b, c))
}

/// Twice the area of a triangle or quadrilateral as a vector, from the edges of the one or the diagonals of the other.
fn doubled_area(corners: &[[f64; 3]]) -> [f64; 3] {
    match corners {
        [a, b, c, d, ..] => cross(minus(*c, *a), minus(*d, *b)),
        _ => cross(minus(corners[1], corners[0]), minus(corners[2], corners[0])),
    }
}

/// Area of the side of a solid cell.
fn side_area(x: &[[f64; 3]], kind: CellKind, side: usize) -> f64 {
    let mut corners = [[0.0; 3]; 4];
    let count = kind.face_kind(side).corners();
    for (corner, local) in corners.iter_mut().zip(&kind.faces()[side][..count]) {
        *corner = x[*local];
    }
    0.5 * norm(doubled_area(&corners[..count]))
}

/// Length, area or volume between the corners; that of a solid cell is negative when it is inverted.
pub(super) fn volume(kind: CellKind, x: &[[f64; 3]]) -> f64 {
    match (kind.dimension(), kind.corners()) {
        (0, _) => 0.0,
        (1, _) => norm(minus(x[1], x[0])),
        (2, corners) => 0.5 * norm(doubled_area(&x[..corners])),
        (_, 4) => determinant(minus(x[1], x[0]), minus(x[2], x[0]), minus(x[3], x[0])) / 6.0,
        _ => enclosed(kind, x),
    }
}

/// The volume within the sides of a cell, by Gauss's theorem: a third of the integral of `x . n`. Of a warped side, the mean over both
/// ways to cut it into triangles is the integral over the bilinear surface.
fn enclosed(kind: CellKind, x: &[[f64; 3]]) -> f64 {
    let mut sum = 0.0;
    for (side, local) in kind.faces().iter().enumerate() {
        let corner = |i: usize| minus(x[local[i]], x[0]);
        let triangle = |i, j, k| determinant(corner(i), corner(j), corner(k));
        sum += match kind.face_kind(side).corners() {
            3 => triangle(0, 1, 2),
            _ => 0.5 * (triangle(0, 1, 2) + triangle(0, 2, 3) + triangle(0, 1, 3) + triangle(1, 2, 3)),
        };
    }
    sum / 6.0
}

/// Radius of the largest ball inside a straight-sided cell, `h` of the step rule [AVI03 (68)]: of a tetrahedron three
/// times the volume over the surface, of a triangle twice the area over the perimeter, of a line half its length. Other cells are measured
/// as plates, since three times the volume over the surface would give a flat one up to three times its radius:
///
/// - a quadrilateral has half its area over its longest edge, a hexahedron half its volume over its largest side;
/// - a wedge the smaller of the radius of its triangle, `2 V` over the sum of its quadrilaterals, and `V / 2` over the larger triangle;
/// - a pyramid the smaller of `3 V` over the surface and of half its base over the longest edge of that.
///
/// They are exact for parallelograms, parallelepipeds, right prisms and right pyramids on squares. `points` are those of the cell, or its
/// corners.
///
/// ```
/// use stationary::mesh::{CellKind, inradius};
/// let triangle = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// assert_eq!(inradius(CellKind::Triangle3, &triangle), 1.0);
/// let plate = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
/// assert_eq!(inradius(CellKind::Quadrilateral4, &plate), 0.5);
/// ```
pub fn inradius(kind: CellKind, points: &[[f64; 3]]) -> f64 {
    let x = points;
    let size = volume(kind, x).abs();
    let edges = || kind.edges().iter().map(|[a, b]| norm(minus(x[*b], x[*a])));
    let sides = || (0..kind.faces().len()).map(|side| side_area(x, kind, side));
    match (kind.dimension(), kind.corners()) {
        (0, _) => 0.0,
        (1, _) => 0.5 * size,
        (2, 3) => 2.0 * size / edges().sum::<f64>(),
        (2, _) => 0.5 * size / edges().fold(0.0, f64::max),
        (_, 4) => 3.0 * size / sides().sum::<f64>(),
        (_, 5) => {
            let base = side_area(x, kind, 0) / edges().take(4).fold(0.0, f64::max);
            (3.0 * size / sides().sum::<f64>()).min(0.5 * base)
        }
        (_, 6) => {
            let height = size / sides().take(2).fold(0.0, f64::max);
            (2.0 * size / sides().skip(2).sum::<f64>()).min(0.5 * height)
        }
        _ => 0.5 * size / sides().fold(0.0, f64::max),
    }
}

/// Quality of a straight-sided cell: 1 for a regular one, 0 for one without volume, negative for an inverted corner. It is the smaller of
/// two numbers:
///
/// - [`inradius`] over the longest edge, which sees cells that are flat or long;
/// - over all corners the smallest determinant of the edges that meet there, over the product of their lengths, which sees cells that are
///   skewed;
///
/// both scaled to 1 for the regular cell, whose edges have equal lengths and whose sides are regular. Lines have quality 1.
///
/// ```
/// use stationary::mesh::{CellKind, quality};
/// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
/// assert_eq!(quality(CellKind::Quadrilateral4, &square), 1.0);
/// let long = square.map(|[x, y, z]| [4.0 * x, y, z]);
/// assert_eq!(quality(CellKind::Quadrilateral4, &long), 0.25);
/// ```
pub fn quality(kind: CellKind, points: &[[f64; 3]]) -> f64 {
    let x = points;
    if kind.dimension() < 2 {
        return 1.0;
    }
    let (of_radius, of_corner) = match (kind.dimension(), kind.corners()) {
        (2, 3) | (3, 6) => (12f64.sqrt(), 2.0 / 3f64.sqrt()),
        (3, 4) => (24f64.sqrt(), 2f64.sqrt()),
        (3, 5) => (2f64.sqrt() + 6f64.sqrt(), 2f64.sqrt()),
        _ => (2.0, 1.0),
    };
    let normal = match kind.dimension() {
        2 => {
            let area = doubled_area(&x[..kind.corners()]);
            area.map(|c| c / norm(area))
        }
        _ => [0.0; 3],
    };
    let mut least = of_radius * inradius(kind, x) / longest_edge(kind, x);
    for meeting in &kind.derived().meetings {
        let mut edges = [normal; 3];
        let mut product = 1.0;
        for (edge, other) in edges.iter_mut().zip(&meeting[1..]) {
            *edge = minus(x[*other], x[meeting[0]]);
            product *= norm(*edge);
        }
        let corner = of_corner * determinant(edges[0], edges[1], edges[2]) / product;
        // Written so that NaN stays.
        if !(corner >= least) {
            least = corner;
        }
    }
    least
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

/// Twice the signed area of a plane cell in the plane.
pub(super) fn plane_determinant(corners: &[[f64; 3]]) -> f64 {
    doubled_area(corners)[2]
}

/// The map from the reference cell is affine to rounding: middle nodes lie in the middle, and quadrilaterals are parallelograms. Its
/// Jacobian is then that of the corners everywhere (of a pyramid, has its sign).
pub(super) fn affine(kind: CellKind, x: &[[f64; 3]], longest: f64) -> bool {
    let near = |off: [f64; 3]| norm(off) <= 1e-9 * longest;
    let parallel =
        |c: &[usize]| near(std::array::from_fn(|i| x[c[0]][i] - x[c[1]][i] + x[c[2]][i] - x[c[3]][i]));
    let flat = match (kind.dimension(), kind.corners()) {
        (2, 4) => parallel(&[0, 1, 2, 3]),
        (3, 5..) => {
            let sides = kind.faces().iter().enumerate();
            sides
                .filter(|(side, _)| kind.face_kind(*side).corners() == 4)
                .all(|(_, corners)| parallel(corners))
        }
        _ => true,
    };
    flat && (kind.corners()..kind.nodes()).all(|m| {
        let ends = &kind.derived().between[m];
        let weight = 1.0 / ends.len() as f64;
        near(std::array::from_fn(|i| x[m][i] - weight * ends.iter().map(|c| x[*c][i]).sum::<f64>()))
    })
}

/// Smallest determinant of the Jacobian of a plane cell (in the plane) or of a solid one, and the number of the point where: over its
/// nodes, and over the middles of edges, sides and the cell where it has no nodes there.
pub(super) fn smallest_jacobian(kind: CellKind, x: &[[f64; 3]]) -> (f64, usize) {
    let mut smallest = (f64::INFINITY, 0);
    for (point, gradients) in kind.derived().gradients.iter().enumerate() {
        // Columns: derivatives by the reference coordinates. Of differences, so that a cell far from the origin loses nothing.
        let mut columns = [[0.0; 3]; 3];
        for (gradient, x_a) in gradients.iter().zip(x) {
            let from_first = minus(*x_a, x[0]);
            for (column, g) in columns.iter_mut().zip(gradient) {
                (0..3).for_each(|i| column[i] += g * from_first[i]);
            }
        }
        if kind.dimension() == 2 {
            columns[2] = [0.0, 0.0, 1.0];
        }
        let determinant = determinant(columns[0], columns[1], columns[2]);
        if !(determinant >= smallest.0) {
            smallest = (determinant, point);
        }
    }
    smallest
}

impl Mesh {
    /// Length, area or volume of a straight-sided cell; that of an inverted solid cell is negative. Warped sides are bilinear.
    pub fn volume(&self, (block, index): CellId) -> f64 {
        let cells = &self.cells[block as usize];
        let mut x = [[0.0; 3]; CellKind::MOST_NODES];
        volume(cells.kind, self.positions(cells.nodes_of(index as usize), &mut x))
    }

    /// The points of a cell, gathered.
    pub(super) fn positions<'a>(
        &self,
        nodes: &[u32],
        x: &'a mut [[f64; 3]; CellKind::MOST_NODES],
    ) -> &'a [[f64; 3]] {
        for (x, a) in x.iter_mut().zip(nodes) {
            *x = self.points[*a as usize];
        }
        &x[..nodes.len()]
    }
}
