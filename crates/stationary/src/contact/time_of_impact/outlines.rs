//! When outlines with corners meet: conservative advancement over their features.

use super::advancement::{Approaching, Meeting, STEPS};
use crate::contact::rigid::{BodyState, Feature, Placed, Shape, features, vertices};
use crate::linalg::{Vec2, Vec3};

/// One side of a search: a shape, its state at the begin, and its acceleration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mover<'a> {
    pub shape: &'a Shape,
    pub state: BodyState,
    pub gravity: Vec3,
}

/// The other side.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Against<'a> {
    Mover(Mover<'a>),
    Segment(&'a [Vec2; 2]),
    HalfPlane(Vec2, f64),
}

/// Outlines to work in.
#[derive(Debug, Default)]
pub(crate) struct OutlineSearch {
    pub one: Placed,
    pub two: Placed,
}

/// How a search judges: a bound of the acceleration of gaps, and the distance at which things touch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchBounds {
    /// By turning.
    pub turning: f64,
    /// That of the first past the second, which no turning changes.
    pub drift: Vec2,
    pub touch: f64,
}

impl OutlineSearch {
    /// Puts both sides where they are a time later.
    pub fn put(&mut self, a: &Mover<'_>, b: &Against<'_>, time: f64) {
        self.one.put(a.shape, &a.state.after(time, a.gravity));
        match b {
            Against::Mover(b) => self.two.put(b.shape, &b.state.after(time, b.gravity)),
            Against::Segment(ends) => self.two.put_segment(ends),
            Against::HalfPlane(..) => {}
        }
    }

    pub fn each(&self, b: &Against<'_>, visit: impl FnMut(Feature)) {
        match b {
            Against::HalfPlane(normal, offset) => vertices(&self.one, *normal, *offset, visit),
            _ => features(&self.one, &self.two, visit),
        }
    }

    /// When `a` and `b` meet in the times `[from, to]`.
    ///
    /// A feature at distance `d` with rate `r` stays apart for as long as `d + r t - K t^2/2 > 0`, with a bound `K` of the
    /// acceleration towards each other: the vertex, seen from the other body, leaves its tangent by `K t^2/2` at most, and an edge lies behind the line
    /// through its nearest point. Steps of the least such time cannot pass an impact, however short it is, and converge as Newton's
    /// method does. They end half of `touch` before the impact: the configuration is admissible.
    pub fn search(
        &mut self,
        a: &Mover<'_>,
        b: &Against<'_>,
        [from, to]: [f64; 2],
        judge: SearchBounds,
    ) -> Meeting {
        let SearchBounds { turning, drift, touch } = judge;
        let mut time = from;
        for _ in 0..STEPS {
            self.put(a, b, time);
            let (mut safe, mut hit) = (f64::INFINITY, false);
            self.each(b, |f| {
                let pull = turning - f.normal.dot(drift);
                let near = Approaching { distance: f.distance, rate: f.rate, pull };
                hit |= near.meets(touch);
                safe = safe.min(near.stays(touch));
            });
            if hit {
                return Meeting::After(time);
            }
            if !(time + safe < to) {
                return Meeting::Never;
            }
            time += safe;
        }
        Meeting::Unknown(time)
    }
}
