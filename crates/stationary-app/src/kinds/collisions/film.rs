//! The moving picture of bodies and walls.

use super::build::PreparedCollisions;
use crate::scenario::{CollisionSystem, WallKind};
use stationary::integrate::collide::Shape;
use stationary::linalg::{Vec2, Vec3};
use stationary_report::film::{Backdrop, Figure, Film, Outline, Pose};

/// The film of a run, with no frame yet.
pub(super) fn film(built: &PreparedCollisions) -> Film {
    let space = built.system.space;
    let groups = built.system.groups.iter().flat_map(|g| std::iter::repeat_n(&g.name, g.starts.len()));
    let figures = groups.zip(&built.run.world().bodies).map(|(name, body)| Figure {
        name: name.clone(),
        outline: match &body.shape {
            Shape::Round { radius } if space == 3 => Outline::Sphere { radius: *radius },
            Shape::Round { radius } => Outline::Disc { radius: *radius },
            Shape::Polygon(polygon) => Outline::Polygon(polygon.vertices().iter().map(|v| v.0).collect()),
        },
    });
    Film::new(space, figures.collect(), backdrop(built))
}

/// Where all bodies are now.
pub(super) fn poses(built: &PreparedCollisions, into: &mut Vec<Pose>) {
    into.clear();
    let all = 0..built.run.world().bodies.len();
    into.extend(all.map(|i| built.run.state(i)).map(|s| Pose { at: s.position.0, angle: s.angle }));
}

/// The walls. A plane has no end: it is drawn for as far as bodies start from its point.
fn backdrop(built: &PreparedCollisions) -> Vec<Backdrop> {
    let system = &*built.system;
    let flat = |p: &Vec2| p.extend(0.0).0;
    let mut all = Vec::new();
    for wall in &system.walls {
        match &wall.form {
            WallKind::Segment([from, to]) => all.push(Backdrop::Line { from: flat(from), to: flat(to) }),
            WallKind::Polygon(points) => all.push(Backdrop::Loop(points.iter().map(flat).collect())),
            WallKind::Box(corners) => boxed(system, corners, &mut all),
            WallKind::Plane { point, normal } => {
                let farthest = |m: f64, b: &stationary::integrate::collide::Body| {
                    m.max((b.position - *point).norm() + b.shape.reach())
                };
                let far = built.run.world().bodies.iter().fold(0.0, farthest);
                all.push(plane(system.space, *point, *normal, far));
            }
        }
    }
    all
}

fn plane(space: usize, point: Vec3, normal: Vec3, far: f64) -> Backdrop {
    let up = Vec3::unit(2);
    let unit = |v: Vec3| 1.0 / v.norm() * v;
    if space == 2 {
        let along = far * unit(up.cross(normal));
        return Backdrop::Line { from: (point - along).0, to: (point + along).0 };
    }
    let aside = if normal[0] == 0.0 && normal[1] == 0.0 { Vec3::unit(0) } else { up };
    let one = far * unit(normal.cross(aside));
    let two = far * unit(normal.cross(one));
    let corner = |a: f64, b: f64| (point + a * one + b * two).0;
    Backdrop::Loop(vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)])
}

fn boxed(system: &CollisionSystem, [low, high]: &[Vec3; 2], all: &mut Vec<Backdrop>) {
    let ring =
        |z: f64| vec![[low[0], low[1], z], [high[0], low[1], z], [high[0], high[1], z], [low[0], high[1], z]];
    all.push(Backdrop::Loop(ring(low[2])));
    if system.space == 3 {
        all.push(Backdrop::Loop(ring(high[2])));
        let posts = ring(low[2]).into_iter().zip(ring(high[2]));
        all.extend(posts.map(|(from, to)| Backdrop::Line { from, to }));
    }
}
