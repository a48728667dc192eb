//! Where a pair touches at the moment of its impact.

use super::engine::Collisions;
use super::world::WallForm;
use crate::contact::rigid::{
    Feature, PairContact, Pressing, Shape, Side, Touch, on_plane, resultant, signed_gap, touches,
};
use crate::contact::time_of_impact::{Against, OutlineSearch};
use crate::linalg::{Vec2, Vec3};

/// Touches that are this near, in sizes, act at once.
const TOGETHER: f64 = 1e-9;

impl Collisions {
    /// Where a pair touches, and the gap there.
    pub(super) fn contact(&self, i: usize, j: usize, sides: &[Side; 2]) -> (PairContact, f64) {
        let a = &self.world.bodies[i];
        let other = self.world.bodies.get(j);
        let wall = j.checked_sub(self.world.bodies.len()).map(|w| &self.world.walls[w].form);
        let position = sides[0].state.position;
        match (&a.shape, other.map(|b| &b.shape), wall) {
            (Shape::Round { radius }, Some(Shape::Round { radius: second }), _) => {
                let apart = position - sides[1].state.position;
                let length = apart.norm();
                let normal = 1.0 / length * apart;
                let arms = [-radius * normal, *second * normal];
                let pressing = self.pressing_of(normal, i, j);
                (PairContact { arms, normal, pressing }, length - (radius + second))
            }
            (Shape::Round { radius }, None, Some(WallForm::Plane { normal, offset })) => {
                let gap = normal.dot(position) - offset - radius;
                let pressing = self.pressing_of(*normal, i, j);
                let arms = [-radius * *normal, Vec3::ZERO];
                (PairContact { arms, normal: *normal, pressing }, gap)
            }
            _ => self.contact_of_outlines(i, j, sides),
        }
    }

    /// The same where one of the two has corners.
    fn contact_of_outlines(&self, i: usize, j: usize, sides: &[Side; 2]) -> (PairContact, f64) {
        let near = TOGETHER * self.size(i, j);
        let mover = self.mover(i, sides[0].state);
        let wall = j.checked_sub(self.world.bodies.len()).map(|w| &self.world.walls[w].form);
        let against = match wall {
            None => Against::Mover(self.mover(j, sides[1].state)),
            Some(WallForm::Segment(ends)) => Against::Segment(ends),
            Some(WallForm::Plane { normal, offset }) => Against::HalfPlane(normal.truncate(), *offset),
        };
        let mut outlines = OutlineSearch::default();
        outlines.put(&mover, &against, 0.0);
        let own = self.gravity_of(i).truncate();
        let its = if wall.is_none() { self.gravity_of(j).truncate() } else { Vec2::ZERO };
        let (all, gap) = match against {
            Against::HalfPlane(normal, offset) => on_plane(&outlines.one, normal, offset, near, own),
            _ => {
                let all = touches(&outlines.one, &outlines.two, near, [own, its]);
                (all, signed_gap(&outlines.one, &outlines.two))
            }
        };
        let contact = resultant(&all, sides);
        if contact.velocity(sides).dot(contact.normal) < 0.0 {
            return (contact, gap);
        }
        // The cone as a whole does not approach: it is one of its features that the search has found.
        let mut fastest: Option<Feature> = None;
        outlines.each(&against, |f| {
            if f.distance <= near && fastest.is_none_or(|least| f.rate < least.rate) {
                fastest = Some(f);
            }
        });
        let found = fastest.map(|f| Touch {
            point: f.point,
            normal: f.normal,
            pressing: f.pressing(&outlines.one, &outlines.two, [own, its]),
        });
        (found.map_or(contact, |touch| resultant(&[touch], sides)), gap)
    }

    /// What presses where round bodies meet: their spins do not.
    pub(super) fn pressing_of(&self, normal: Vec3, i: usize, j: usize) -> Pressing {
        Pressing { by_gravity: (-normal.dot(self.drift(i, j))).max(0.0), by_turning: 0.0 }
    }

    pub(super) fn side(&self, k: usize) -> Side {
        match self.world.bodies.get(k) {
            Some(_) if self.is_asleep(k) => Side { mobility: [0.0; 2], state: self.state(k) },
            Some(b) => Side { state: self.state(k), mobility: [1.0 / b.mass, 1.0 / b.inertia] },
            None => Side::wall(),
        }
    }
}
