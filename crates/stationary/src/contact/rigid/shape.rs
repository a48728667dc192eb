//! The shape of a rigid body.

use super::Polygon;

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
