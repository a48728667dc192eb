//! The leg of a body between two of its impacts, solved: a parabola and an even turn.

use crate::archive::{Archive, Persist};
use crate::linalg::space::{Vec3, plus};

/// A time: a window and how far into it. Differences of times stay sharp however late it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Clock {
    pub window: u64,
    pub offset: f64,
}

impl Clock {
    /// Time passed since `earlier`, in windows of this length.
    pub fn since(self, earlier: Clock, step: f64) -> f64 {
        (self.window - earlier.window) as f64 * step + (self.offset - earlier.offset)
    }
}

/// The state of a body at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// The centre of mass.
    pub position: Vec3,
    /// Its velocity.
    pub velocity: Vec3,
    /// How far the body is turned, in the plane.
    pub angle: f64,
    /// Angular velocity.
    pub spin: Vec3,
}

impl State {
    /// The state a time later, if nothing is met.
    pub fn after(&self, time: f64, gravity: &Vec3) -> State {
        let mean = plus(&self.velocity, 0.5 * time, gravity);
        State {
            position: plus(&self.position, time, &mean),
            velocity: plus(&self.velocity, time, gravity),
            angle: self.angle + time * self.spin[2],
            spin: self.spin,
        }
    }
}

/// A leg: where it began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flight {
    pub began: Clock,
    pub state: State,
}

impl Persist for Clock {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.window).pass(&mut self.offset);
    }
}

impl Persist for State {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.position).pass(&mut self.velocity).pass(&mut self.angle);
        archive.pass(&mut self.spin);
    }
}

impl Persist for Flight {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.began).pass(&mut self.state);
    }
}
