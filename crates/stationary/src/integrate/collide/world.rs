//! What collides: bodies, walls, gravity.

use crate::contact::ContactLaw;
use crate::contact::rigid::{Polygon, Shape};
use crate::linalg::{Vec2, Vec3};

/// A body and its state at the start. In the plane third components of vectors are zero, and only the third of the spin is not.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// For people.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Mass, positive.
    pub mass: f64,
    /// Moment of inertia about the centre, positive.
    pub inertia: f64,
    /// The centre of mass.
    pub position: Vec3,
    /// How far it is turned, in the plane.
    pub angle: f64,
    /// Velocity of the centre.
    pub velocity: Vec3,
    /// Angular velocity.
    pub spin: Vec3,
    /// How its surface answers impacts; a pair takes the smaller restitution and the smaller friction.
    pub surface: ContactLaw,
}

impl Body {
    /// An elastic disc (or sphere, if `dimension` is 3) of mass one at rest at the origin.
    pub fn round(dimension: usize, radius: f64) -> Body {
        let shape = Shape::Round { radius };
        Body {
            name: String::new(),
            inertia: shape.inertia(dimension, 1.0),
            shape,
            mass: 1.0,
            position: Vec3::ZERO,
            angle: 0.0,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            surface: ContactLaw::ELASTIC,
        }
    }

    /// An elastic polygon of mass one at rest at the origin.
    pub fn polygon(polygon: Polygon) -> Body {
        let shape = Shape::Polygon(polygon);
        Body { inertia: shape.inertia(2, 1.0), shape, ..Body::round(2, 1.0) }
    }
}

/// The form of a wall.
#[derive(Debug, Clone, PartialEq)]
pub enum WallForm {
    /// All points `x` with `normal.x >= offset` are free.
    Plane {
        /// A unit vector into the free side.
        normal: Vec3,
        /// Its inner product with the points of the wall.
        offset: f64,
    },
    /// A segment in the plane, solid from both sides.
    Segment([Vec2; 2]),
}

/// Something that never moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// For people.
    pub name: String,
    /// Where it is.
    pub form: WallForm,
    /// How its surface answers impacts; a pair takes the smaller restitution and the smaller friction.
    pub surface: ContactLaw,
}

/// Everything that moves, and what it moves in.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// 2 or 3.
    pub dimension: usize,
    /// Acceleration by gravity.
    pub gravity: Vec3,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The walls.
    pub walls: Vec<Wall>,
}

impl World {
    /// The name of a body, or of the wall whose number follows those of the bodies.
    pub fn name(&self, number: usize) -> &str {
        match number.checked_sub(self.bodies.len()) {
            None => &self.bodies[number].name,
            Some(wall) => &self.walls[wall].name,
        }
    }

    /// The surface of a body or a wall.
    pub(super) fn surface(&self, number: usize) -> ContactLaw {
        match number.checked_sub(self.bodies.len()) {
            None => self.bodies[number].surface,
            Some(wall) => self.walls[wall].surface,
        }
    }
}

/// A contact time for a world that names none: this part of the time in which the smallest body falls by its own size, or, if that is
/// shorter, in which a body of mean speed moves by as much. Zero where nothing moves.
pub fn contact_time(world: &World) -> f64 {
    const PART: f64 = 0.05;
    let smallest = world.bodies.iter().map(|b| b.shape.reach()).fold(f64::INFINITY, f64::min);
    let speeds = world.bodies.iter().map(|b| b.velocity.norm() + b.shape.reach() * b.spin.norm());
    let mean = speeds.sum::<f64>() / world.bodies.len() as f64;
    let by_speed = smallest / mean;
    let by_fall = (2.0 * smallest / world.gravity.norm()).sqrt();
    let time = PART * by_fall.min(by_speed);
    if time.is_finite() { time } else { 0.0 }
}
