//! Gaps from shapes in the plane: the features of two outlines (a vertex and an edge, two vertices, a centre and an edge),
//! their distances, the rates of these, and the normals with which they push.

use super::{BodyState, Pressing, Shape};
use crate::linalg::Vec2;

/// An outline at a moment, in space.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    /// The vertices, counter-clockwise; the centre of a disc alone.
    points: Vec<Vec2>,
    /// What is added around the points.
    radius: f64,
    /// Whether the last vertex is joined to the first.
    closed: bool,
    centre: Vec2,
    velocity: Vec2,
    spin: f64,
    /// Points so far behind an edge still count as before it: rounding may put them there.
    slack: f64,
}

/// Two places of two outlines that may come to touch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Feature {
    pub distance: f64,
    /// Its derivative in time.
    pub rate: f64,
    /// Where they touch.
    pub point: Vec2,
    /// Unit vector that pushes the first outline away.
    pub normal: Vec2,
    /// The two vertices, where it is two vertices.
    pub corner: Option<(usize, usize)>,
    /// Whose edge it is: the normal turns with it.
    pub edge: Edge,
}

/// The outline to which the edge of a feature belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    Neither,
    First,
    Second,
}

impl Feature {
    /// What presses at this feature, under these gravities of the two outlines.
    ///
    /// A vertex `p` of one and an edge of the other with outward normal `m`, which turns with the spin `w` about the centre `x`:
    ///
    /// ```text
    /// d = m.(p - x) - const,   d'' = m.(p'' - x'') + 2 w (k x m).(p' - x') - w^2 m.(p - x),   p'' = g - w_p^2 (p - x_p).
    /// ```
    ///
    /// Between two vertices the normal has no turn of its own that presses.
    pub fn pressing(&self, a: &Placed, b: &Placed, gravities: [Vec2; 2]) -> Pressing {
        let [of_a, of_b] = gravities;
        let drift = -self.normal.dot(of_a - of_b);
        let turning = match self.edge {
            Edge::Second => seen_from_edge(a, b, self.point, self.normal),
            Edge::First => seen_from_edge(b, a, self.point, -self.normal),
            Edge::Neither => {
                let centripetal = |of: &Placed| {
                    let arm = of.vertex_at(self.point) - of.centre;
                    of.spin * of.spin * self.normal.dot(arm)
                };
                centripetal(a) - centripetal(b)
            }
        };
        Pressing { by_gravity: drift.max(0.0), by_turning: turning.max(0.0) }
    }
}

/// The part of `-d''` that comes from spins, for a vertex of `a` at `point` and an edge of `b` with this outward normal.
fn seen_from_edge(a: &Placed, b: &Placed, point: Vec2, outward: Vec2) -> f64 {
    let vertex = a.vertex_at(point);
    let own = a.spin * a.spin * outward.dot(vertex - a.centre);
    let sideways = outward.quarter_turn();
    let past = a.velocity_at(vertex) - b.velocity;
    let coriolis = 2.0 * b.spin * sideways.dot(past);
    own - coriolis + b.spin * b.spin * outward.dot(vertex - b.centre)
}

impl Placed {
    /// Puts a shape where a body is.
    pub fn put(&mut self, shape: &Shape, state: &BodyState) {
        self.centre = state.position.truncate();
        self.velocity = state.velocity.truncate();
        self.spin = state.spin[2];
        self.points.clear();
        match shape {
            Shape::Round { radius } => {
                self.points.push(self.centre);
                (self.radius, self.closed, self.slack) = (*radius, false, 0.0);
            }
            Shape::Polygon(polygon) => {
                let (sin, cos) = state.angle.sin_cos();
                let turned = |v: &Vec2| {
                    Vec2::new(
                        self.centre[0] + cos * v[0] - sin * v[1],
                        self.centre[1] + sin * v[0] + cos * v[1],
                    )
                };
                self.points.extend(polygon.vertices().iter().map(turned));
                (self.radius, self.closed, self.slack) = (0.0, true, 1e-12 * polygon.reach());
            }
        }
    }

    /// Puts a wall that is a segment where it always is.
    pub fn put_segment(&mut self, ends: &[Vec2; 2]) {
        self.points.clear();
        self.points.extend(ends);
        (self.centre, self.velocity, self.spin) = (ends[0], Vec2::ZERO, 0.0);
        (self.radius, self.closed, self.slack) = (0.0, false, 0.0);
    }

    fn velocity_at(&self, p: Vec2) -> Vec2 {
        let arm = p - self.centre;
        self.velocity + self.spin * arm.quarter_turn()
    }

    /// The vertex that touches at a point: the centre of a disc.
    fn vertex_at(&self, point: Vec2) -> Vec2 {
        if self.radius > 0.0 { self.centre } else { point }
    }

    fn edges(&self) -> usize {
        if self.closed { self.points.len() } else { self.points.len() - 1 }
    }

    fn end(&self, edge: usize) -> Vec2 {
        self.points[(edge + 1) % self.points.len()]
    }

    /// Along a direction, how far a corner's two edges of unit length go together.
    fn corner_side(&self, vertex: usize, direction: Vec2) -> f64 {
        let n = self.points.len();
        let towards = |other: Vec2| {
            let edge = other - self.points[vertex];
            edge.dot(direction) / edge.hypot()
        };
        towards(self.points[(vertex + 1) % n]) + towards(self.points[(vertex + n - 1) % n])
    }

    /// Whether a point is inside of a closed outline.
    fn contains(&self, p: Vec2) -> bool {
        let mut within = false;
        for k in 0..if self.closed { self.points.len() } else { 0 } {
            let (a, b) = (self.points[k], self.end(k));
            if (a[1] > p[1]) != (b[1] > p[1])
                && (p[0] - a[0]) * (b[1] - a[1]) * (b[1] - a[1]).signum()
                    < (p[1] - a[1]) * (b[0] - a[0]) * (b[1] - a[1]).signum()
            {
                within = !within;
            }
        }
        within
    }
}

/// Tells every feature of two outlines whose nearest points may be there.
pub(crate) fn features(a: &Placed, b: &Placed, mut visit: impl FnMut(Feature)) {
    vertices_against_edges(a, b, 1.0, &mut visit);
    vertices_against_edges(b, a, -1.0, &mut visit);
    let radius = a.radius + b.radius;
    for (i, p) in a.points.iter().enumerate() {
        for (j, q) in b.points.iter().enumerate() {
            let apart = *p - *q;
            let length = apart.hypot();
            let normal = if length > 0.0 { apart / length } else { Vec2::unit(1) };
            let point = *q + b.radius * normal;
            let parting_with = a.velocity_at(*p) - b.velocity_at(*q);
            let corner = (radius == 0.0).then_some((i, j));
            if radius == 0.0 && length <= a.slack.max(b.slack) {
                // Corners that coincide have no line between them: apart is what is beyond one of the directions of parting.
                let far = |n: &Vec2| n.dot(apart);
                for (normal, edge) in notch(a, i, b, j) {
                    let rate = normal.dot(parting_with);
                    visit(Feature { distance: far(&normal), rate, point, normal, corner: None, edge });
                }
                let normal = parting(a, i, b, j).max_by(|n, m| far(n).total_cmp(&far(m)));
                if let Some(normal) = normal {
                    visit(Feature {
                        distance: far(&normal),
                        rate: normal.dot(parting_with),
                        point,
                        normal,
                        corner,
                        edge: Edge::Neither,
                    });
                }
                continue;
            }
            visit(Feature {
                distance: length - radius,
                rate: normal.dot(parting_with),
                point,
                normal,
                corner,
                edge: Edge::Neither,
            });
        }
    }
}

/// Features of a vertex (or centre) of `a` and the inside of an edge of `b`; `sign` is that of the normal to be told.
fn vertices_against_edges(a: &Placed, b: &Placed, sign: f64, visit: &mut impl FnMut(Feature)) {
    for edge in 0..b.edges() {
        let (start, end) = (b.points[edge], b.end(edge));
        let along = end - start;
        let squared = along.dot(along);
        let length = squared.sqrt();
        // Counter-clockwise: the outside is on the right.
        let outward = -along.quarter_turn() / length;
        for (index, p) in a.points.iter().enumerate() {
            let part = (*p - start).dot(along);
            if !(part > 0.0 && part < squared) {
                continue;
            }
            let height = (*p - start).dot(outward);
            let behind = if b.closed {
                height < -b.slack
            } else if height.abs() <= a.slack {
                // A segment is solid from both sides: rounding does not tell on which the body is, its corner does.
                a.corner_side(index, outward) < 0.0
            } else {
                height < 0.0
            };
            let (height, normal) = if behind { (-height, -outward) } else { (height, outward) };
            let at = part / squared;
            let foot = start + at * along;
            let rate = normal.dot(a.velocity_at(*p) - b.velocity_at(foot));
            visit(Feature {
                distance: height - a.radius,
                rate,
                point: foot,
                normal: sign * normal,
                corner: None,
                edge: if sign > 0.0 { Edge::Second } else { Edge::First },
            });
        }
    }
}

/// The distance of two outlines; negative where one reaches into the other, by about how far.
pub(crate) fn signed_gap(a: &Placed, b: &Placed) -> f64 {
    let mut least = f64::INFINITY;
    features(a, b, |f| least = least.min(f.distance));
    // Of a disc the centre counts as a vertex.
    let inside = a.points.iter().any(|p| b.contains(*p)) || b.points.iter().any(|p| a.contains(*p));
    match inside || edges_cross(a, b) {
        true if a.radius + b.radius > 0.0 => -(least + a.radius + b.radius).abs() - a.radius - b.radius,
        true => -least.abs(),
        false => least,
    }
}

/// Whether an edge of one crosses an edge of the other: crossed bars have no vertex inside each other.
fn edges_cross(a: &Placed, b: &Placed) -> bool {
    let side = |p: Vec2, q: Vec2, r: Vec2| (q - p).cross(r - p);
    (0..a.edges()).any(|i| {
        let (p, q) = (a.points[i], a.end(i));
        (0..b.edges()).any(|j| {
            let (r, s) = (b.points[j], b.end(j));
            side(p, q, r) * side(p, q, s) < 0.0 && side(r, s, p) * side(r, s, q) < 0.0
        })
    })
}

/// The features of a polygon against a half plane: its vertices.
pub(crate) fn vertices(a: &Placed, normal: Vec2, offset: f64, mut visit: impl FnMut(Feature)) {
    for p in &a.points {
        let distance = normal.dot(*p) - offset;
        let rate = normal.dot(a.velocity_at(*p));
        visit(Feature { distance, rate, point: *p, normal, corner: None, edge: Edge::Second });
    }
}

/// A place where two outlines touch: the point and the direction that pushes the first away.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touch {
    pub point: Vec2,
    pub normal: Vec2,
    pub pressing: Pressing,
}

/// What generates the cone of normals of the impact at this moment: the features within `near` of touching or, if none is, the
/// nearest. Two vertices push with every direction in which both corners can be parted, (5.15): its two extreme ones are taken.
pub(crate) fn touches(a: &Placed, b: &Placed, near: f64, gravities: [Vec2; 2]) -> Vec<Touch> {
    let mut all: Vec<Feature> = Vec::new();
    features(a, b, |f| all.push(f));
    let least = all.iter().fold(f64::INFINITY, |m, f| m.min(f.distance));
    all.retain(|f| f.distance <= near.max(least));
    let mut cone = Vec::new();
    // An edge near whose end a vertex touches makes the corner there redundant.
    let edges = all.iter().any(|f| f.corner.is_none());
    for f in &all {
        let pressing = f.pressing(a, b, gravities);
        match f.corner {
            None => cone.push(Touch { point: f.point, normal: f.normal, pressing }),
            Some(_) if edges => {}
            Some((i, j)) => {
                let directions = parting(a, i, b, j);
                cone.extend(directions.map(|normal| {
                    let pressing = Feature { normal, ..*f }.pressing(a, b, gravities);
                    Touch { point: f.point, normal, pressing }
                }));
                if cone.is_empty() {
                    cone.push(Touch { point: f.point, normal: f.normal, pressing });
                }
            }
        }
    }
    cone
}

/// The extreme directions in which the corner of `a` can leave that of `b`: those normals of edges at the two corners that are in the
/// normal cones of both, where of `a` the opposite is meant.
fn parting(a: &Placed, i: usize, b: &Placed, j: usize) -> impl Iterator<Item = Vec2> {
    let (own, other) = (corner_normals(a, i), corner_normals(b, j));
    let candidates = [-own[0], -own[1], other[0], other[1]];
    let within = move |[first, second]: [Vec2; 2], n: Vec2| {
        let slack = -1e-9;
        first.cross(n) >= slack && n.cross(second) >= slack && n.dot(first) + n.dot(second) >= slack
    };
    candidates.into_iter().filter(move |n| within(other, *n) && within(own, -*n))
}

/// Where one corner is the ground of a notch, both its edges push a tip there. Just behind the ground of a notch the feet of the tip are on
/// neither edge: without these features nothing would hold it.
fn notch(a: &Placed, i: usize, b: &Placed, j: usize) -> impl Iterator<Item = (Vec2, Edge)> {
    let edges = |of: &Placed, vertex: usize, sign: f64, edge: Edge| {
        let [first, second] = corner_normals(of, vertex);
        let reflex = of.closed && first.cross(second) < 0.0;
        [first, second].map(|normal| reflex.then(|| (sign * normal, edge)))
    };
    let all = [edges(a, i, -1.0, Edge::First), edges(b, j, 1.0, Edge::Second)];
    all.into_iter().flatten().flatten()
}

/// Outward normals of the edges that meet in a vertex; those of the end of a segment are of all sides but its own.
fn corner_normals(a: &Placed, i: usize) -> [Vec2; 2] {
    let n = a.points.len();
    let normal = |from: Vec2, to: Vec2| {
        let along = to - from;
        let length = along.hypot();
        -along.quarter_turn() / length
    };
    if a.closed {
        return [normal(a.points[(i + n - 1) % n], a.points[i]), normal(a.points[i], a.points[(i + 1) % n])];
    }
    let from = a.points[n - 1 - i];
    let one = normal(from, a.points[i]);
    [one, -one]
}

/// The vertices of a polygon that touch a half plane, within `near` or the nearest, and the gap.
pub(crate) fn on_plane(a: &Placed, normal: Vec2, offset: f64, near: f64, gravity: Vec2) -> (Vec<Touch>, f64) {
    let mut least = f64::INFINITY;
    vertices(a, normal, offset, |f| least = least.min(f.distance));
    let still = Placed::default();
    let mut all = Vec::new();
    vertices(a, normal, offset, |f| {
        if f.distance <= near.max(least) {
            let pressing = f.pressing(a, &still, [gravity, Vec2::ZERO]);
            all.push(Touch { point: f.point, normal, pressing });
        }
    });
    (all, least)
}
