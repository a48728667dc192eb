//! The leg of a body between two of its impacts, solved: a parabola and an even turn.

use crate::linalg::space::{Vec3, plus};

/// A time: a window and how far into it. Differences of times stay sharp however late it is.
#[derive(Debug, Clone, Copy, PartialEq)]
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
