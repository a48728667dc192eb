//! One side of an element: the curve or surface that its shape functions make of its nodes.
//!
//! A side has the map `X(s) = sum_a N_a(s) X_a` of its element, so that of a quadratic element it is curved where its middle nodes lie off
//! the middles. Forces on it are integrals over this curved side. With `X_u`, `X_v` the vectors along its two parameters,
//!
//! - the share of a node in a traction is `int N_a |X_u x X_v| du dv` over the *reference* side;
//! - the force of a pressure on a node is `-int p N_a (x_u x x_v) du dv` over the *current* side, along its own normal.
//!
//! The sides of a plane body are edges; `x_v` is then the thickness, towards the viewer, and of a ring `2 pi r`, with the current radius for a
//! pressure.

use super::kind::{GAUSS, fine_rule, quadratic};
use super::tensor::norm;
use crate::linalg::cross;
use crate::mesh::{CellKind, Face};
use crate::model::FlatPressure;
use std::f64::consts::TAU;
use std::sync::LazyLock;

/// Most nodes of a side.
pub(super) const MOST_NODES: usize = Face::MOST_NODES;

/// The third dimension of the side of a plane body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Depth {
    /// A thickness.
    Thickness(f64),
    /// The whole ring around the axis `x = 0`, `2 pi r`.
    Ring,
}

/// The nodes of a side; an edge has the body to its left, the normal of a triangle or quadrilateral points outwards.
#[derive(Debug, Clone)]
pub struct ElementSide {
    nodes: Vec<u32>,
    /// Of a plane body, whose sides are edges.
    depth: Option<Depth>,
}

/// A pressure on a side.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pressure {
    /// The same everywhere.
    Uniform(f64),
    /// Its values at the nodes; in between as the shape functions say.
    Nodal([f64; MOST_NODES]),
}

/// A point of the rule on a side: weight, shape functions and their derivatives along the side's two parameters.
struct Point {
    weight: f64,
    n: [f64; MOST_NODES],
    d: [[f64; MOST_NODES]; 2],
}

type Rule = LazyLock<Vec<Point>>;

const THIRD: f64 = 1.0 / 3.0;

/// The kinds of sides, in the order of the rules.
const KINDS: [CellKind; 7] = [
    CellKind::Line2,
    CellKind::Line3,
    CellKind::Triangle3,
    CellKind::Triangle6,
    CellKind::Quadrilateral4,
    CellKind::Quadrilateral8,
    CellKind::Quadrilateral9,
];

/// Exact for `N_a` times the normal: on a straight edge and a flat triangle, whose normals are even, the point in the middle; two Gauss points on a
/// curved edge, degree 3; six points of degree 4 (Cowper) on a curved triangle; on a quadrilateral, whose normal has twice the degree of `N_a` less one along each parameter, two by two points for four nodes and three by
/// three for more.
static UNIFORM: [Rule; 7] = [
    Rule::new(|| on_edge(CellKind::Line2, &[(0.5, 1.0)])),
    Rule::new(|| on_edge(CellKind::Line3, &two_points())),
    Rule::new(|| on_triangle(CellKind::Triangle3, &[([THIRD, THIRD, THIRD, 0.0], 0.5)])),
    Rule::new(|| on_triangle(CellKind::Triangle6, &six_points())),
    Rule::new(|| on_square(CellKind::Quadrilateral4, &two_points())),
    Rule::new(|| on_square(CellKind::Quadrilateral8, &three_points())),
    Rule::new(|| on_square(CellKind::Quadrilateral9, &three_points())),
];

/// Five Gauss points along each parameter, degree 9, and the folded square on a triangle, degree 7: exact for `N_a N_b` times the normal and
/// a radius; the size of a normal is the root of a polynomial, which they integrate to the order of the element and better.
static FINE: [Rule; 7] = [
    Rule::new(|| on_edge(CellKind::Line2, &GAUSS)),
    Rule::new(|| on_edge(CellKind::Line3, &GAUSS)),
    Rule::new(|| on_triangle(CellKind::Triangle3, &fine_rule::<2>())),
    Rule::new(|| on_triangle(CellKind::Triangle6, &fine_rule::<2>())),
    Rule::new(|| on_square(CellKind::Quadrilateral4, &GAUSS)),
    Rule::new(|| on_square(CellKind::Quadrilateral8, &GAUSS)),
    Rule::new(|| on_square(CellKind::Quadrilateral9, &GAUSS)),
];

fn two_points() -> [(f64, f64); 2] {
    let offset = 0.5 / 3f64.sqrt();
    [(0.5 - offset, 0.5), (0.5 + offset, 0.5)]
}

fn three_points() -> [(f64, f64); 3] {
    let offset = 0.5 * 0.6f64.sqrt();
    [(0.5 - offset, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.5 + offset, 5.0 / 18.0)]
}

fn six_points() -> Vec<([f64; 4], f64)> {
    let orbits = [
        (0.091_576_213_509_770_74, 0.054_975_871_827_660_93),
        (0.445_948_490_915_964_9, 0.111_690_794_839_005_73),
    ];
    let points = orbits.iter().flat_map(|(l, weight)| {
        (0..3).map(move |corner| {
            let mut at = [*l, *l, *l, 0.0];
            at[corner] = 1.0 - 2.0 * l;
            (at, *weight)
        })
    });
    points.collect()
}

/// A rule on (0, 1) for an edge.
fn on_edge(kind: CellKind, rule: &[(f64, f64)]) -> Vec<Point> {
    rule.iter().map(|(s, weight)| Point::on_edge(*s, *weight, kind == CellKind::Line3)).collect()
}

/// A rule in barycentric coordinates for a triangle.
fn on_triangle(kind: CellKind, rule: &[([f64; 4], f64)]) -> Vec<Point> {
    let point = |(l, weight): &([f64; 4], f64)| match kind {
        CellKind::Triangle6 => Point::on_triangle(l, *weight),
        _ => Point::of(kind, [l[1], l[2], 0.0], *weight),
    };
    rule.iter().map(point).collect()
}

/// The product of a rule on (0, 1) for a quadrilateral.
fn on_square(kind: CellKind, rule: &[(f64, f64)]) -> Vec<Point> {
    let row = |(t, v): &(f64, f64)| {
        let at = |s: &f64| [2.0 * s - 1.0, 2.0 * t - 1.0, 0.0];
        rule.iter().map(|(s, w)| Point::of(kind, at(s), 4.0 * v * w)).collect::<Vec<_>>()
    };
    rule.iter().flat_map(row).collect()
}

/// A middle node that is off the middle by less than this part of the side, besides the rounding of coordinates, is in the middle.
const STRAIGHT: f64 = 1e-12;

impl ElementSide {
    /// Nodes in the order of [`crate::mesh::Face`], and the third dimension if it is an edge.
    ///
    /// # Panics
    /// If an edge has not 2 or 3 nodes, or another side not 3, 4, 6, 8 or 9.
    pub fn new(nodes: &[u32], depth: Option<Depth>) -> Self {
        let side = ElementSide { nodes: nodes.to_vec(), depth };
        assert_eq!(side.kind().nodes(), nodes.len(), "a side of {} nodes", nodes.len());
        side
    }

    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    pub(super) fn memory(&self) -> usize {
        4 * self.nodes.capacity()
    }

    /// The corners of a triangle that is flat whatever its deformation.
    pub(super) fn flat(&self) -> Option<[u32; 3]> {
        self.nodes[..].try_into().ok().filter(|_| self.depth.is_none())
    }

    fn kind(&self) -> CellKind {
        match (self.depth, self.nodes.len()) {
            (Some(_), 2) => CellKind::Line2,
            (Some(_), _) => CellKind::Line3,
            (None, 3) => CellKind::Triangle3,
            (None, 4) => CellKind::Quadrilateral4,
            (None, 6) => CellKind::Triangle6,
            (None, 8) => CellKind::Quadrilateral8,
            (None, _) => CellKind::Quadrilateral9,
        }
    }

    fn rule(&self, rules: &'static [Rule; 7]) -> &'static [Point] {
        let kind = self.kind();
        // The radius of a ring adds a degree that the coarse rules do not have.
        let rules = if self.depth == Some(Depth::Ring) { &FINE } else { rules };
        &rules[KINDS.iter().position(|k| *k == kind).expect("the kind of a side")]
    }

    fn radius(&self, point: &Point, x: &[f64]) -> f64 {
        self.nodes.iter().zip(&point.n).map(|(node, n)| n * x[3 * *node as usize]).sum()
    }

    /// The vectors along the side's two parameters at a point; the second of an edge is the depth, towards the viewer.
    fn tangents(&self, point: &Point, x: &[f64]) -> [[f64; 3]; 2] {
        let mut along = [[0.0; 3]; 2];
        for (a, node) in self.nodes.iter().enumerate() {
            for (along, d) in along.iter_mut().zip(&point.d) {
                (0..3).for_each(|i| along[i] += d[a] * x[3 * *node as usize + i]);
            }
        }
        match self.depth {
            Some(Depth::Thickness(depth)) => along[1] = [0.0, 0.0, depth],
            Some(Depth::Ring) => along[1] = [0.0, 0.0, TAU * self.radius(point, x)],
            None => {}
        }
        along
    }

    /// The share of each node in a traction, `int N_a dA` over the side in the positions `x`, in the order of its nodes. The shares
    /// add up to the area.
    ///
    /// ```
    /// use stationary::model::solid::ElementSide;
    /// // Six nodes of a flat triangle: corners have no share.
    /// let x = [[0., 0.], [2., 0.], [0., 1.], [1., 0.], [1., 0.5], [0., 0.5]];
    /// let x: Vec<f64> = x.iter().flat_map(|[x, y]| [*x, *y, 7.0]).collect();
    /// let third = 1.0 / 3.0;
    /// assert_eq!(ElementSide::new(&[0, 1, 2, 3, 4, 5], None).shares(&x), [0.0, 0.0, 0.0, third, third, third]);
    /// ```
    pub fn shares(&self, x: &[f64]) -> Vec<f64> {
        if let Some(shares) = self.straight_shares(x) {
            return shares;
        }
        let mut shares = vec![0.0; self.nodes.len()];
        for point in self.rule(&FINE) {
            let [u, v] = self.tangents(point, x);
            let area = point.weight * norm(&cross(&u, &v));
            shares.iter_mut().zip(&point.n).for_each(|(share, n)| *share += n * area);
        }
        shares
    }

    /// The shares of a flat triangle or an edge, of even thickness, whose middle nodes lie in the middle of their two corners: then the
    /// parameters go evenly, and integrals are known.
    fn straight_shares(&self, x: &[f64]) -> Option<Vec<f64>> {
        let at = |a: usize| &x[3 * self.nodes[a] as usize..][..3];
        let between = |a: usize, b: usize| -> [f64; 3] { std::array::from_fn(|i| at(b)[i] - at(a)[i]) };
        let parts: &[f64] = match self.kind() {
            CellKind::Line2 => &[0.5, 0.5],
            CellKind::Line3 => &[1.0 / 6.0, 1.0 / 6.0, 4.0 / 6.0],
            CellKind::Triangle3 => &[THIRD, THIRD, THIRD],
            CellKind::Triangle6 => &[0.0, 0.0, 0.0, THIRD, THIRD, THIRD],
            _ => return None,
        };
        let first = between(0, 1);
        let area = match self.depth {
            Some(Depth::Thickness(depth)) => norm(&first) * depth,
            Some(Depth::Ring) => return None,
            None => 0.5 * norm(&cross(&first, &between(0, 2))),
        };
        self.is_straight(x).then(|| parts.iter().map(|part| part * area).collect())
    }

    fn is_straight(&self, x: &[f64]) -> bool {
        let corners = self.kind().corners();
        let at = |a: usize| &x[3 * self.nodes[a] as usize..][..3];
        let size = (0..corners).flat_map(at).fold(0.0, |size: f64, x| size.max(x.abs()));
        (corners..self.nodes.len()).all(|m| {
            let (p, q) = (m - corners, (m - corners + 1) % corners);
            let off = std::array::from_fn(|i| at(m)[i] - 0.5 * (at(p)[i] + at(q)[i]));
            let length = norm(&std::array::from_fn(|i| at(q)[i] - at(p)[i]));
            norm(&off) <= STRAIGHT * length + 4.0 * f64::EPSILON * size
        })
    }

    /// Gives the force `-int p N_a n da` with the normal of the deformed side, in pieces, to `add` with the node `a`.
    pub(super) fn push(&self, pressure: &Pressure, x: &[f64], mut add: impl FnMut(usize, [f64; 3])) {
        if let (Pressure::Uniform(pressure), None, [a, b, c]) = (pressure, self.depth, &self.nodes[..]) {
            let at = |node: &u32| std::array::from_fn(|i| x[3 * *node as usize + i]);
            let force = FlatPressure::force(*pressure, &[at(a), at(b), at(c)]);
            (0..3).for_each(|a| add(a, force));
            return;
        }
        for point in self.rule(pressure.rules()) {
            let [u, v] = self.tangents(point, x);
            let (pressure, normal) = (pressure.at(point), cross(&u, &v));
            for (a, n) in point.n[..self.nodes.len()].iter().enumerate() {
                add(a, normal.map(|normal| -(pressure * point.weight * n * normal)));
            }
        }
    }

    /// Gives the derivative of the force on node `a` by the position of node `b`, in pieces, to `add`: rows of the force.
    pub(super) fn slope(
        &self,
        pressure: &Pressure,
        x: &[f64],
        mut add: impl FnMut([usize; 2], [[f64; 3]; 3]),
    ) {
        for point in self.rule(pressure.rules()) {
            let [u, v] = self.tangents(point, x);
            let pressure = pressure.at(point);
            for b in 0..self.nodes.len() {
                let mut slopes = [[0.0; 3]; 3];
                for j in 0..3 {
                    let mut e = [0.0; 3];
                    e[j] = 1.0;
                    let (first, second) = (cross(&e, &v), cross(&u, &e));
                    (0..3).for_each(|i| slopes[i][j] = point.d[0][b] * first[i] + point.d[1][b] * second[i]);
                }
                if self.depth == Some(Depth::Ring) {
                    // The ring widens with the radius.
                    let wider = cross(&u, &[0.0, 0.0, TAU * point.n[b]]);
                    (0..3).for_each(|i| slopes[i][0] += wider[i]);
                }
                for (a, n) in point.n[..self.nodes.len()].iter().enumerate() {
                    add([a, b], slopes.map(|row| row.map(|dn| -(pressure * point.weight * n * dn))));
                }
            }
        }
    }
}

impl Pressure {
    fn rules(&self) -> &'static [Rule; 7] {
        match self {
            Pressure::Uniform(_) => &UNIFORM,
            Pressure::Nodal(_) => &FINE,
        }
    }

    fn at(&self, point: &Point) -> f64 {
        match self {
            Pressure::Uniform(value) => *value,
            Pressure::Nodal(values) => values.iter().zip(&point.n).map(|(value, n)| value * n).sum(),
        }
    }
}

impl Point {
    fn on_edge(s: f64, weight: f64, is_quadratic: bool) -> Self {
        let (mut n, mut d) = ([0.0; MOST_NODES], [[0.0; MOST_NODES]; 2]);
        if is_quadratic {
            n[..3].copy_from_slice(&[(1.0 - s) * (1.0 - 2.0 * s), s * (2.0 * s - 1.0), 4.0 * s * (1.0 - s)]);
            d[0][..3].copy_from_slice(&[4.0 * s - 3.0, 4.0 * s - 1.0, 4.0 - 8.0 * s]);
        } else {
            n[..2].copy_from_slice(&[1.0 - s, s]);
            d[0][..2].copy_from_slice(&[-1.0, 1.0]);
        }
        Point { weight, n, d }
    }

    /// Six nodes.
    fn on_triangle(l: &[f64; 4], weight: f64) -> Self {
        let (mut n, mut d) = ([0.0; MOST_NODES], [[0.0; MOST_NODES]; 2]);
        let (values, slopes) = quadratic::<2>(l);
        for a in 0..6 {
            // The first barycentric coordinate makes up for changes of the other two.
            let slope = |c: usize| slopes[a][c] - slopes[a][0];
            (n[a], d[0][a], d[1][a]) = (values[a], slope(1), slope(2));
        }
        Point { weight, n, d }
    }

    /// The shape functions of a kind of side at a point of its reference cell.
    fn of(kind: CellKind, at: [f64; 3], weight: f64) -> Self {
        let (mut n, mut d) = ([0.0; MOST_NODES], [[0.0; MOST_NODES]; 2]);
        let functions = kind.functions(&at);
        n.copy_from_slice(&functions.values[..MOST_NODES]);
        for (i, d) in d.iter_mut().enumerate() {
            d.iter_mut().zip(&functions.slopes).for_each(|(d, slope)| *d = slope[i]);
        }
        Point { weight, n, d }
    }
}
