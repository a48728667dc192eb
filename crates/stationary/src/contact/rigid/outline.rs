//! Rigid shapes in the plane: polygons that are star-shaped about their centroid, with area, centroid and moment.

use crate::linalg::Vec2;
use std::fmt;

/// A simple polygon, star-shaped about its centroid, which is the origin; counter-clockwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon {
    vertices: Vec<Vec2>,
    reach: f64,
    area: f64,
    moment: f64,
}

/// Why some points are not the polygon of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolygonFault {
    /// Fewer than three vertices.
    TooFew(usize),
    /// A coordinate is not a finite number, or too large for areas.
    NotFinite(usize),
    /// A vertex equals the next one.
    Repeated(usize),
    /// All vertices are on a line, or nearly so.
    NoArea,
    /// Two edges, named by their first vertices, cross or touch.
    Crossing(usize, usize),
    /// From the centroid this edge cannot be seen from its inner side.
    NotStarShaped(usize),
}

impl fmt::Display for PolygonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolygonFault::TooFew(n) => write!(f, "a polygon has at least 3 vertices, found {n}"),
            PolygonFault::NotFinite(k) => write!(f, "vertex {k} of the polygon is out of range"),
            PolygonFault::Repeated(k) => write!(f, "vertex {k} of the polygon equals the next one"),
            PolygonFault::NoArea => write!(f, "the polygon has no area"),
            PolygonFault::Crossing(i, j) => {
                write!(f, "the polygon crosses itself: the edges from its vertices {i} and {j} meet")
            }
            PolygonFault::NotStarShaped(k) => write!(
                f,
                "the polygon is not star-shaped about its centroid: the edge from its vertex {k} is hidden from there"
            ),
        }
    }
}

impl Polygon {
    /// The polygon through these points, in either sense, and where its centroid was.
    ///
    /// ```
    /// use stationary::contact::rigid::Polygon;
    /// let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
    /// let (square, centroid) = Polygon::new(&corners.map(Into::into)).unwrap();
    /// assert_eq!(centroid, [1.0, 1.0]);
    /// assert_eq!((square.area(), square.moment()), (4.0, 8.0 / 3.0));
    /// ```
    pub fn new(points: &[Vec2]) -> Result<(Polygon, Vec2), PolygonFault> {
        if points.len() < 3 {
            return Err(PolygonFault::TooFew(points.len()));
        }
        let bad = |p: &Vec2| !(p[0].abs() < 1e70 && p[1].abs() < 1e70);
        if let Some(k) = points.iter().position(bad) {
            return Err(PolygonFault::NotFinite(k));
        }
        let n = points.len();
        if let Some(k) = (0..n).find(|k| points[*k] == points[(k + 1) % n]) {
            return Err(PolygonFault::Repeated(k));
        }
        crossing(points)?;
        // About the first vertex, so that a polygon far from the origin loses no digits.
        let mut vertices: Vec<Vec2> = points.iter().map(|p| *p - points[0]).collect();
        let (mut twice, centroid) = area_and_centroid(&vertices).ok_or(PolygonFault::NoArea)?;
        vertices.iter_mut().for_each(|v| *v -= centroid);
        let flipped = twice < 0.0;
        if flipped {
            vertices.reverse();
            twice = -twice;
        }
        let mut moment = 0.0;
        for k in 0..n {
            let (a, b) = (vertices[k], vertices[(k + 1) % n]);
            let part = a.cross(b);
            if !(part > 0.0) {
                let edge = if flipped { (2 * n - 2 - k) % n } else { k };
                return Err(PolygonFault::NotStarShaped(edge));
            }
            moment += part * (a.dot(a) + a.dot(b) + b.dot(b)) / 12.0;
        }
        let reach = vertices.iter().fold(0.0_f64, |m, v| m.max(v.hypot()));
        let area = 0.5 * twice;
        Ok((Polygon { vertices, reach, area, moment }, points[0] + centroid))
    }

    /// The vertices about the centroid, counter-clockwise.
    pub fn vertices(&self) -> &[Vec2] {
        &self.vertices
    }

    /// Distance of the farthest vertex from the centroid.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The area.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// The integral of the squared distance from the centroid: the moment of inertia at density one.
    pub fn moment(&self) -> f64 {
        self.moment
    }
}

/// Twice the signed area, and the centroid; none where the area is lost in rounding.
fn area_and_centroid(vertices: &[Vec2]) -> Option<(f64, Vec2)> {
    let n = vertices.len();
    let (mut twice, mut size, mut sum) = (0.0, 0.0, Vec2::ZERO);
    for k in 0..n {
        let (a, b) = (vertices[k], vertices[(k + 1) % n]);
        let part = a.cross(b);
        twice += part;
        size += (a[0] * b[1]).abs() + (a[1] * b[0]).abs();
        sum += part * (a + b);
    }
    (f64::abs(twice) > 1e-12 * size).then(|| (twice, sum / (3.0 * twice)))
}

/// Refuses edges that meet where they are not neighbours, and neighbours that fold back onto each other.
fn crossing(points: &[Vec2]) -> Result<(), PolygonFault> {
    let n = points.len();
    let edge = |k: usize| (points[k], points[(k + 1) % n]);
    for i in 0..n {
        let (a, b) = edge(i);
        let c = points[(i + 2) % n];
        let (one, two) = (b - a, c - b);
        if one.cross(two) == 0.0 && one.dot(two) < 0.0 && n > 3 {
            return Err(PolygonFault::Crossing(i, (i + 1) % n));
        }
        for j in i + 2..n {
            if (i, j) != (0, n - 1) && meet(edge(i), edge(j)) {
                return Err(PolygonFault::Crossing(i, j));
            }
        }
    }
    Ok(())
}

/// Whether two segments have a point in common.
fn meet((a, b): (Vec2, Vec2), (c, d): (Vec2, Vec2)) -> bool {
    let side = |p: Vec2, q: Vec2, r: Vec2| (q - p).cross(r - p);
    let (c_side, d_side) = (side(a, b, c), side(a, b, d));
    let (a_side, b_side) = (side(c, d, a), side(c, d, b));
    if c_side == 0.0 && d_side == 0.0 && a_side == 0.0 && b_side == 0.0 {
        let overlap = |k: usize| a[k].min(b[k]) <= c[k].max(d[k]) && c[k].min(d[k]) <= a[k].max(b[k]);
        return overlap(0) && overlap(1);
    }
    let apart = |x: f64, y: f64| x > 0.0 && y > 0.0 || x < 0.0 && y < 0.0;
    !apart(c_side, d_side) && !apart(a_side, b_side)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mass properties of a fine grid of points, by counting.
    fn counted(points: &[Vec2]) -> (f64, Vec2, f64) {
        let (mut area, mut sum, mut second) = (0.0, Vec2::ZERO, 0.0);
        let h = 0.004;
        let inside = |p: Vec2| {
            let n = points.len();
            let mut within = false;
            for k in 0..n {
                let (a, b) = (points[k], points[(k + 1) % n]);
                if (a[1] > p[1]) != (b[1] > p[1])
                    && p[0] < a[0] + (p[1] - a[1]) * (b[0] - a[0]) / (b[1] - a[1])
                {
                    within = !within;
                }
            }
            within
        };
        for i in -500..500 {
            for j in -500..500 {
                let p = Vec2::new((f64::from(i) + 0.5) * h, (f64::from(j) + 0.5) * h);
                if inside(p) {
                    area += h * h;
                    sum += h * h * p;
                    second += p.dot(p) * h * h;
                }
            }
        }
        let centroid = sum / area;
        (area, centroid, second - area * centroid.dot(centroid))
    }

    #[test]
    fn polygon_mass_properties_agree_with_sampling_for_either_orientation() {
        let star = [[1.2, 0.1], [0.4, 0.3], [0.1, 1.3], [-0.3, 0.4], [-1.0, 0.0], [-0.2, -0.3], [0.2, -1.0]]
            .map(Vec2::from);
        let (area, centroid, moment) = counted(&star);
        for reversed in [false, true] {
            let mut points = star.to_vec();
            if reversed {
                points.reverse();
            }
            let (polygon, at) = Polygon::new(&points).unwrap();
            assert!((polygon.area() - area).abs() < 2e-3 * area);
            assert!((polygon.moment() - moment).abs() < 4e-3 * moment);
            assert!((at - centroid).norm() < 4e-3);
        }
    }

    #[test]
    fn points_that_are_no_polygon_of_a_body_are_refused_with_the_reason() {
        use PolygonFault::*;
        let fault = |points: &[[f64; 2]]| {
            let points: Vec<Vec2> = points.iter().copied().map(Vec2::from).collect();
            Polygon::new(&points).unwrap_err()
        };
        assert_eq!(fault(&[[0.0, 0.0], [1.0, 0.0]]), TooFew(2));
        assert_eq!(fault(&[[0.0, 0.0], [1.0, f64::NAN], [1.0, 1.0]]), NotFinite(1));
        assert_eq!(fault(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), Repeated(1));
        assert_eq!(fault(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), NoArea);
        let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(fault(&bow), Crossing(0, 2));
        let pentagram: Vec<[f64; 2]> = (0..5)
            .map(|k| (f64::from(2 * k) * std::f64::consts::TAU / 5.0).sin_cos())
            .map(|(s, c)| [c, s])
            .collect();
        assert!(matches!(fault(&pentagram), Crossing(..)));
        let u =
            [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [2.0, 3.0], [2.0, 0.5], [1.0, 0.5], [1.0, 3.0], [0.0, 3.0]];
        assert!(matches!(fault(&u), NotStarShaped(_)));
    }
}
