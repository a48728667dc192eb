//! What collides: bodies, walls, gravity.

use crate::linalg::space::{Vec3, norm};
use crate::model::{Point, Polygon};

/// The shape of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A disc in the plane, a sphere in space.
    Round {
        /// Its radius.
        radius: f64,
    },
    /// A polygon in the plane.
    Polygon(Polygon),
}

impl Shape {
    /// Distance of the farthest point from the centre.
    pub fn reach(&self) -> f64 {
        match self {
            Shape::Round { radius } => *radius,
            Shape::Polygon(polygon) => polygon.reach(),
        }
    }

    /// Area, or volume in space.
    pub fn content(&self, dimension: usize) -> f64 {
        match self {
            Shape::Round { radius } if dimension == 3 => 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3),
            Shape::Round { radius } => std::f64::consts::PI * radius * radius,
            Shape::Polygon(polygon) => polygon.area(),
        }
    }

    /// Moment of inertia of a body of this mass, spread evenly, about its centre.
    pub fn inertia(&self, dimension: usize, mass: f64) -> f64 {
        match self {
            Shape::Round { radius } if dimension == 3 => 0.4 * mass * radius * radius,
            Shape::Round { radius } => 0.5 * mass * radius * radius,
            Shape::Polygon(polygon) => mass * (polygon.moment() / polygon.area()),
        }
    }
}

/// How a surface answers an impact. A pair takes the smaller of both numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
}

impl Surface {
    /// Elastic and smooth.
    pub const ELASTIC: Surface = Surface { restitution: 1.0, friction: 0.0 };

    /// Of two surfaces that meet.
    pub fn against(self, other: Surface) -> Surface {
        Surface {
            restitution: self.restitution.min(other.restitution),
            friction: self.friction.min(other.friction),
        }
    }
}

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
    /// Its surface.
    pub surface: Surface,
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
            position: [0.0; 3],
            angle: 0.0,
            velocity: [0.0; 3],
            spin: [0.0; 3],
            surface: Surface::ELASTIC,
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
    Segment([Point; 2]),
}

/// Something that never moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// For people.
    pub name: String,
    /// Where it is.
    pub form: WallForm,
    /// Its surface.
    pub surface: Surface,
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
    pub(super) fn surface(&self, number: usize) -> Surface {
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
    let speeds = world.bodies.iter().map(|b| norm(&b.velocity) + b.shape.reach() * norm(&b.spin));
    let mean = speeds.sum::<f64>() / world.bodies.len() as f64;
    let by_speed = smallest / mean;
    let by_fall = (2.0 * smallest / norm(&world.gravity)).sqrt();
    let time = PART * by_fall.min(by_speed);
    if time.is_finite() { time } else { 0.0 }
}
