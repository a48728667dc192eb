//! Many bodies that collide, as a scenario states them.

use crate::scenario::place::Place;
use stationary::linalg::{Vec2, Vec3};

/// Bodies, walls and what they move in. Shapes are still as they were written: only the model sees whether they can be had.
#[derive(Debug, Clone)]
pub struct CollisionSystem {
    /// 2 or 3. In the plane third components are zero.
    pub space: usize,
    /// Acceleration by gravity.
    pub gravity: Vec3,
    /// The walls in the order of the file.
    pub walls: Vec<WallSpec>,
    /// The bodies in the order of the file, those that are alike together.
    pub groups: Vec<BodyGroup>,
    /// States of all bodies in their order, which replace where and how the groups start.
    pub states: Option<Vec<BodyBegin>>,
    /// Windows in which impacts are searched for, and after which the state is looked at.
    pub step: f64,
    /// Write a row every so many steps.
    pub output_every: Option<u64>,
    /// Impacts written at most.
    pub output_impacts: u64,
}

/// A wall.
#[derive(Debug, Clone)]
pub struct WallSpec {
    /// Its name.
    pub name: String,
    /// Where the name was written.
    pub place: Place,
    /// Where it is.
    pub form: WallKind,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

/// What a wall is.
#[derive(Debug, Clone, PartialEq)]
pub enum WallKind {
    /// All beyond a line or a plane; the normal, of any length but zero, points to the free side.
    Plane {
        /// A point of it.
        point: Vec3,
        /// Into the free side.
        normal: Vec3,
    },
    /// A segment of the plane.
    Segment([Vec2; 2]),
    /// The bodies are inside of this polygon.
    Polygon(Vec<Vec2>),
    /// The bodies are inside of the box between two corners, the lower first.
    Box([Vec3; 2]),
}

/// Bodies that are alike.
#[derive(Debug, Clone)]
pub struct BodyGroup {
    /// Their name; of several the number follows.
    pub name: String,
    /// Where the name was written.
    pub place: Place,
    /// Their shape.
    pub shape: ShapeSpec,
    /// Where the shape was written.
    pub shape_place: Place,
    /// Their mass, or their density.
    pub mass: MassSpec,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// How each starts; one at least.
    pub starts: Vec<BodyBegin>,
    /// How they are placed, if not by their positions.
    pub placement: Option<Placement>,
    /// Each gets a velocity of this size in a direction by chance, besides its own.
    pub speed: f64,
    /// Whether each is turned by chance.
    pub turned: bool,
    /// Of the numbers by chance.
    pub seed: u64,
}

/// The shape of a body as written.
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeSpec {
    /// A disc or a sphere.
    Round(f64),
    /// A polygon by its vertices.
    Polygon(Vec<Vec2>),
}

/// What makes a body heavy; positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MassSpec {
    /// The mass of each.
    Mass(f64),
    /// Mass per area, or per volume in space.
    Density(f64),
}

/// The state of a body at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyBegin {
    /// The centre of mass.
    pub position: Vec3,
    /// How far it is turned, in the plane.
    pub angle: f64,
    /// Velocity of the centre of mass.
    pub velocity: Vec3,
    /// Angular velocity.
    pub spin: Vec3,
}

/// Where many bodies are placed.
#[derive(Debug, Clone)]
pub struct Placement {
    /// On the sites of a lattice, else by chance.
    pub lattice: bool,
    /// Between these corners.
    pub within: [Vec3; 2],
    /// Where the rule was written.
    pub place: Place,
}
