//! One side of an element: the curve or surface that its shape functions make of its nodes.
//!
//! A side has the map `X(s) = sum_a N_a(s) X_a` of its element, so that of a quadratic element it is curved where its middle nodes lie off
//! the middles. Forces on it are integrals over this curved side. With `X_u`, `X_v` the vectors along its two parameters,
//!
//! - the share of a node in a traction is `int N_a |X_u x X_v| du dv` over the *reference* side;
//! - the force of a pressure on a node is `-int p N_a (x_u x x_v) du dv` over the *current* side, along its own normal.
//!
//! The sides of a plane body are edges; `x_v` is then the thickness, towards the viewer.

use super::kind::{GAUSS, fine_rule, quadratic};
use super::tensor::norm;
use crate::linalg::cross;
use std::sync::LazyLock;

/// Most nodes of a side.
pub(super) const MOST_NODES: usize = 6;

/// The nodes of a side; an edge has the body to its left, a triangle's normal points outwards.
#[derive(Debug, Clone)]
pub struct ElementSide {
    nodes: Vec<u32>,
    /// Thickness of a plane body, whose sides are edges; none for the triangles around tetrahedra.
    depth: Option<f64>,
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

/// Two Gauss points on an edge, six points of degree 4 (Cowper) on a triangle: exact for `N_a` times the normal, which is of the degree
/// 3 on edges and 4 on triangles.
static UNIFORM: [Rule; 4] = [
    Rule::new(|| two_points(false)),
    Rule::new(|| two_points(true)),
    Rule::new(|| six_points(false)),
    Rule::new(|| six_points(true)),
];

/// Five Gauss points on an edge, degree 9, and the folded square on a triangle, degree 7: exact for `N_a N_b` times the normal, of degree
/// 5 and 6; the size of a normal is the root of a polynomial, which they integrate to the order of the element and better.
static FINE: [Rule; 4] = [
    Rule::new(|| GAUSS.iter().map(|(s, weight)| Point::on_edge(*s, *weight, false)).collect()),
    Rule::new(|| GAUSS.iter().map(|(s, weight)| Point::on_edge(*s, *weight, true)).collect()),
    Rule::new(|| fine_rule::<2>().iter().map(|(l, weight)| Point::on_triangle(l, *weight, false)).collect()),
    Rule::new(|| fine_rule::<2>().iter().map(|(l, weight)| Point::on_triangle(l, *weight, true)).collect()),
];

fn two_points(is_quadratic: bool) -> Vec<Point> {
    let offset = 0.5 / 3f64.sqrt();
    [0.5 - offset, 0.5 + offset].map(|s| Point::on_edge(s, 0.5, is_quadratic)).into()
}

fn six_points(is_quadratic: bool) -> Vec<Point> {
    let orbits = [
        (0.091_576_213_509_770_74, 0.054_975_871_827_660_93),
        (0.445_948_490_915_964_9, 0.111_690_794_839_005_73),
    ];
    let points = orbits.iter().flat_map(|(l, weight)| {
        (0..3).map(move |corner| {
            let mut at = [*l, *l, *l, 0.0];
            at[corner] = 1.0 - 2.0 * l;
            Point::on_triangle(&at, *weight, is_quadratic)
        })
    });
    points.collect()
}

/// A middle node that is off the middle by less than this part of the side, besides the rounding of coordinates, is in the middle.
const STRAIGHT: f64 = 1e-12;

impl ElementSide {
    /// Nodes in the order of [`crate::mesh::Face`], and the thickness if it is an edge.
    ///
    /// # Panics
    /// If an edge has not 2 or 3 nodes, or another side not 3 or 6.
    pub fn new(nodes: &[u32], depth: Option<f64>) -> Self {
        let known = if depth.is_some() { [2, 3] } else { [3, 6] };
        assert!(known.contains(&nodes.len()), "a side of {} nodes", nodes.len());
        ElementSide { nodes: nodes.to_vec(), depth }
    }

    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    pub(super) fn memory(&self) -> usize {
        4 * self.nodes.capacity()
    }

    fn corners(&self) -> usize {
        if self.depth.is_some() { 2 } else { 3 }
    }

    fn is_quadratic(&self) -> bool {
        self.nodes.len() > self.corners()
    }

    fn rule(&self, rules: &'static [Rule; 4]) -> &'static [Point] {
        &rules[2 * usize::from(self.depth.is_none()) + usize::from(self.is_quadratic())]
    }

    /// The vectors along the side's two parameters at a point; the second of an edge is the depth, towards the viewer.
    fn tangents(&self, point: &Point, x: &[f64]) -> [[f64; 3]; 2] {
        let mut along = [[0.0; 3]; 2];
        for (a, node) in self.nodes.iter().enumerate() {
            for (along, d) in along.iter_mut().zip(&point.d) {
                (0..3).for_each(|i| along[i] += d[a] * x[3 * *node as usize + i]);
            }
        }
        if let Some(depth) = self.depth {
            along[1] = [0.0, 0.0, depth];
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
        if self.is_straight(x) {
            return self.straight_shares(x);
        }
        let mut shares = vec![0.0; self.nodes.len()];
        for point in self.rule(&FINE) {
            let [u, v] = self.tangents(point, x);
            let area = point.weight * norm(&cross(&u, &v));
            shares.iter_mut().zip(&point.n).for_each(|(share, n)| *share += n * area);
        }
        shares
    }

    /// Whether every middle node lies in the middle of its two corners: then the parameters go evenly, and integrals are known.
    fn is_straight(&self, x: &[f64]) -> bool {
        let corners = self.corners();
        let at = |a: usize| &x[3 * self.nodes[a] as usize..][..3];
        let size = (0..corners).flat_map(at).fold(0.0, |size: f64, x| size.max(x.abs()));
        (corners..self.nodes.len()).all(|m| {
            let (p, q) = (m - corners, (m - corners + 1) % corners);
            let off = std::array::from_fn(|i| at(m)[i] - 0.5 * (at(p)[i] + at(q)[i]));
            let length = norm(&std::array::from_fn(|i| at(q)[i] - at(p)[i]));
            norm(&off) <= STRAIGHT * length + 4.0 * f64::EPSILON * size
        })
    }

    fn straight_shares(&self, x: &[f64]) -> Vec<f64> {
        const THIRD: f64 = 1.0 / 3.0;
        let at = |a: usize| &x[3 * self.nodes[a] as usize..][..3];
        let between = |a: usize, b: usize| -> [f64; 3] { std::array::from_fn(|i| at(b)[i] - at(a)[i]) };
        let first = between(0, 1);
        let area = match self.depth {
            Some(depth) => norm(&first) * depth,
            None => 0.5 * norm(&cross(&first, &between(0, 2))),
        };
        let parts: &[f64] = match self.nodes.len() {
            2 => &[0.5, 0.5],
            3 if self.depth.is_some() => &[1.0 / 6.0, 1.0 / 6.0, 4.0 / 6.0],
            3 => &[THIRD, THIRD, THIRD],
            _ => &[0.0, 0.0, 0.0, THIRD, THIRD, THIRD],
        };
        parts.iter().map(|part| part * area).collect()
    }

    /// Gives the force `-int p N_a n da` with the normal of the deformed side, in pieces, to `add` with the node `a`.
    pub(super) fn push(&self, pressure: &Pressure, x: &[f64], mut add: impl FnMut(usize, [f64; 3])) {
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
                for (a, n) in point.n[..self.nodes.len()].iter().enumerate() {
                    add([a, b], slopes.map(|row| row.map(|dn| -(pressure * point.weight * n * dn))));
                }
            }
        }
    }
}

impl Pressure {
    fn rules(&self) -> &'static [Rule; 4] {
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

    fn on_triangle(l: &[f64; 4], weight: f64, is_quadratic: bool) -> Self {
        let (mut n, mut d) = ([0.0; MOST_NODES], [[0.0; MOST_NODES]; 2]);
        if !is_quadratic {
            n[..3].copy_from_slice(&l[..3]);
            d = [[-1.0, 1.0, 0.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0, 0.0, 0.0]];
            return Point { weight, n, d };
        }
        let (values, slopes) = quadratic::<2>(l);
        for a in 0..MOST_NODES {
            // The first barycentric coordinate makes up for changes of the other two.
            let slope = |c: usize| slopes[a][c] - slopes[a][0];
            (n[a], d[0][a], d[1][a]) = (values[a], slope(1), slope(2));
        }
        Point { weight, n, d }
    }
}
