//! The state of a rigid body, and its motion while nothing is met.

use crate::archive::{Archive, Persist};
use crate::linalg::Vec3;

/// The state of a body at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// The centre of mass.
    pub position: Vec3,
    /// Its velocity.
    pub velocity: Vec3,
    /// How far the body is turned, in the plane.
    pub angle: f64,
    /// Angular velocity.
    pub spin: Vec3,
}

impl BodyState {
    /// The state a time later, if nothing is met.
    pub fn after(&self, time: f64, gravity: Vec3) -> BodyState {
        let mean = self.velocity + 0.5 * time * gravity;
        BodyState {
            position: self.position + time * mean,
            velocity: self.velocity + time * gravity,
            angle: self.angle + time * self.spin[2],
            spin: self.spin,
        }
    }

    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        let vectors = [self.position, self.velocity, self.spin];
        self.angle.is_finite() && vectors.iter().all(|x| x.is_finite())
    }
}

impl Persist for BodyState {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.position).pass(&mut self.velocity).pass(&mut self.angle);
        archive.pass(&mut self.spin);
    }
}
