//! Where a pair touches at the moment of its impact.

use super::engine::Collisions;
use super::features::{Feature, Touch, signed_gap, touches};
use super::impact::{Contact, Pressing, Side, resultant};
use super::times::{Against, Bench};
use super::world::{Shape, WallForm};
use crate::linalg::space::{Vec3, inner, norm, plus, times};

/// Touches that are this near, in sizes, act at once.
const TOGETHER: f64 = 1e-9;

impl Collisions {
    /// Where a pair touches, and the gap there.
    pub(super) fn contact(&self, i: usize, j: usize, sides: &[Side; 2]) -> (Contact, f64) {
        let a = &self.world.bodies[i];
        let other = self.world.bodies.get(j);
        let wall = j.checked_sub(self.world.bodies.len()).map(|w| &self.world.walls[w].form);
        let position = sides[0].state.position;
        match (&a.shape, other.map(|b| &b.shape), wall) {
            (Shape::Round { radius }, Some(Shape::Round { radius: second }), _) => {
                let apart = plus(&position, -1.0, &sides[1].state.position);
                let length = norm(&apart);
                let normal = times(1.0 / length, &apart);
                let arms = [times(-radius, &normal), times(*second, &normal)];
                let pressing = self.pressing_of(&normal, i, j);
                (Contact { arms, normal, pressing }, length - (radius + second))
            }
            (Shape::Round { radius }, None, Some(WallForm::Plane { normal, offset })) => {
                let gap = inner(normal, &position) - offset - radius;
                let pressing = self.pressing_of(normal, i, j);
                let arms = [times(-radius, normal), [0.0; 3]];
                (Contact { arms, normal: *normal, pressing }, gap)
            }
            _ => {
                let near = TOGETHER * self.size(i, j);
                let mover = self.mover(i, sides[0].state);
                let against = match (other, wall) {
                    (Some(_), _) => Against::Mover(self.mover(j, sides[1].state)),
                    (_, Some(WallForm::Segment(ends))) => Against::Segment(ends),
                    (_, Some(WallForm::Plane { normal, offset })) => {
                        Against::HalfPlane([normal[0], normal[1]], *offset)
                    }
                    (None, None) => unreachable!("a number is that of a body or of a wall"),
                };
                let mut bench = Bench::default();
                bench.put(&mover, &against, 0.0);
                let flat = |[x, y, _]: Vec3| [x, y];
                let own = flat(self.gravity_of(i));
                let its = if other.is_some() { flat(self.gravity_of(j)) } else { [0.0; 2] };
                let (all, gap) = match against {
                    Against::HalfPlane(normal, offset) => {
                        super::features::on_plane(&bench.one, (normal, offset), near, own)
                    }
                    _ => {
                        let all = touches(&bench.one, &bench.two, near, [own, its]);
                        (all, signed_gap(&bench.one, &bench.two))
                    }
                };
                let contact = resultant(&all, sides);
                if inner(&contact.velocity(sides), &contact.normal) < 0.0 {
                    return (contact, gap);
                }
                // The cone as a whole does not approach: what does is the feature that the search has found.
                let mut nearest: Option<Feature> = None;
                bench.each(&against, |f| {
                    if f.distance <= near && nearest.is_none_or(|least| f.rate < least.rate) {
                        nearest = Some(f);
                    }
                });
                let found = nearest.map(|f| Touch {
                    point: f.point,
                    normal: f.normal,
                    pressing: f.pressing(&bench.one, &bench.two, [own, its]),
                });
                (found.map_or(contact, |touch| resultant(&[touch], sides)), gap)
            }
        }
    }

    /// What presses where round bodies meet: their spins do not.
    pub(super) fn pressing_of(&self, normal: &Vec3, i: usize, j: usize) -> Pressing {
        Pressing { by_gravity: (-inner(normal, &self.drift(i, j))).max(0.0), by_turning: 0.0 }
    }

    pub(super) fn side(&self, k: usize) -> Side {
        match self.world.bodies.get(k) {
            Some(_) if self.held[k].is_some() => Side { mobility: [0.0; 2], state: self.state(k) },
            Some(b) => Side { state: self.state(k), mobility: [1.0 / b.mass, 1.0 / b.inertia] },
            None => Side::wall(),
        }
    }
}
