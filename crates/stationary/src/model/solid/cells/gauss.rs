//! Gauss-Legendre rules on (-1, 1) and their products, rules on the triangle, and balls in cells.

use super::super::kind::fine_rule;
use super::super::tensor::{Tensor, norm};
use super::Place;

/// The points of the rule of two are at minus and plus this.
pub(super) const G2: f64 = 0.577_350_269_189_625_8;
/// Those of the rule of three besides the middle.
pub(super) const G3: f64 = 0.774_596_669_241_483_4;

const TWO: [(f64, f64); 2] = [(-G2, 1.0), (G2, 1.0)];

const THREE: [(f64, f64); 3] =
    [(-G3, 0.555_555_555_555_555_6), (0.0, 0.888_888_888_888_888_8), (G3, 0.555_555_555_555_555_6)];

const FOUR: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
    (-0.339_981_043_584_856_3, 0.652_145_154_862_546_2),
    (0.339_981_043_584_856_3, 0.652_145_154_862_546_2),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
];

/// The rule of so many points.
pub(super) fn line(points: usize) -> &'static [(f64, f64)] {
    match points {
        2 => &TWO,
        3 => &THREE,
        4 => &FOUR,
        _ => unreachable!("rules of 2 to 4 points"),
    }
}

/// The product rule on the square.
pub(super) fn square(points: usize) -> Vec<(Place, f64)> {
    let line = line(points);
    line.iter().flat_map(|(y, v)| line.iter().map(move |(x, w)| ([*x, *y, 0.0], v * w))).collect()
}

/// The product rule on the cube.
pub(super) fn cube(points: usize) -> Vec<(Place, f64)> {
    let square = square(points);
    line(points)
        .iter()
        .flat_map(|(z, v)| square.iter().map(move |([x, y, _], w)| ([*x, *y, *z], v * w)))
        .collect()
}

/// The product of a rule on a triangle, in the first two coordinates, with one along the third.
pub(super) fn prism(triangle: &[(Place, f64)], points: usize) -> Vec<(Place, f64)> {
    let layer = |z: f64, v: f64| triangle.iter().map(move |([x, y, _], w)| ([*x, *y, z], v * w));
    line(points).iter().flat_map(|(z, v)| layer(*z, *v)).collect()
}

/// The three inner points of degree 2 on the unit triangle.
pub(super) fn triangle_three() -> [(Place, f64); 3] {
    let (near, far, weight) = (2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0);
    [([far, far, 0.0], weight), ([near, far, 0.0], weight), ([far, near, 0.0], weight)]
}

/// The rule of degree 7 on the unit triangle.
pub(super) fn triangle_fine() -> Vec<(Place, f64)> {
    fine_rule::<2>().iter().map(|(l, weight)| ([l[1], l[2], 0.0], *weight)).collect()
}

/// Radius of the circle in a triangle, whose heights are one over the gradients of its three coordinates.
pub(super) fn triangle_inradius([u, v, _]: &Tensor) -> f64 {
    1.0 / (norm(u) + norm(v) + norm(&[-u[0] - v[0], -u[1] - v[1], -u[2] - v[2]]))
}

/// Radius of a ball between the faces of a square or cube: the lines `xi_i = -1` and `1` are `2/|grad xi_i|` apart.
pub(super) fn box_inradius(dual: &[[f64; 3]]) -> f64 {
    1.0 / dual.iter().map(norm).fold(0.0, f64::max)
}
