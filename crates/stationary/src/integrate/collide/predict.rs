//! Which impacts a body will have in the rest of a window.

use super::engine::Collisions;
use super::world::WallForm;
use crate::archive::{Archive, Persist};
use crate::contact::broad_phase::Reach;
use crate::contact::rigid::{BodyState, Shape};
use crate::contact::time_of_impact::{
    Against, Meeting, Mover, SearchBounds, falls_to_zero, overlap_times, round_falling, round_round,
};
use crate::linalg::Vec3;
use std::cmp::Ordering;

/// A predicted impact, or a search that goes on at this time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Event {
    /// Into the window.
    pub offset: f64,
    pub pair: [u32; 2],
    /// Impacts of both at the prediction: it is void if there were more since.
    pub counters: [u32; 2],
    pub impact: bool,
}

// The earliest first, then by numbers: a `BinaryHeap` gives the largest.
impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .offset
            .total_cmp(&self.offset)
            .then(other.pair.cmp(&self.pair))
            .then(other.impact.cmp(&self.impact))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}

impl Persist for Event {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.offset).pass(&mut self.pair).pass(&mut self.counters).pass(&mut self.impact);
    }
}

/// Distance at which outlines with corners touch, in sizes of the bodies; rounding far from the origin needs more.
const TOUCH: f64 = 2e-13;

impl Collisions {
    /// The box of what a body sweeps from now to the end of the window.
    pub(super) fn sweep(&self, i: usize) -> Reach {
        let now = self.state(i);
        let rest = self.length - self.offset;
        let gravity = self.gravity_of(i);
        let then = now.after(rest, gravity);
        let reach = self.world.bodies[i].shape.reach();
        let mut b = Reach { low: Vec3::ZERO, high: Vec3::ZERO };
        for k in 0..3 {
            let (mut low, mut high) =
                (now.position[k].min(then.position[k]), now.position[k].max(then.position[k]));
            if now.velocity[k] * then.velocity[k] < 0.0 {
                let apex = now.after(-now.velocity[k] / gravity[k], gravity).position[k];
                (low, high) = (low.min(apex), high.max(apex));
            }
            // A little more, so that rounding hides nothing.
            let margin = reach * (1.0 + 1e-9) + 1e-12 * (low.abs() + high.abs());
            (b.low[k], b.high[k]) = (low - margin, high + margin);
        }
        b
    }

    /// Predicts the impacts of body `i` with walls and with the bodies near it of which `with` is true.
    pub(super) fn predict(&mut self, i: usize, with: impl Fn(usize) -> bool) {
        let mut near = std::mem::take(&mut self.near);
        self.grid.near(i, &mut near);
        for &j in &near {
            if with(j as usize) {
                self.predict_pair(i.min(j as usize), i.max(j as usize));
            }
        }
        self.near = near;
        for wall in 0..self.world.walls.len() {
            self.predict_pair(i, self.world.bodies.len() + wall);
        }
    }

    /// Predicts the next impact of a body with a body of a higher number, or with a wall.
    pub(super) fn predict_pair(&mut self, i: usize, j: usize) {
        if self.is_asleep(i) && (j >= self.world.bodies.len() || self.is_asleep(j)) {
            return;
        }
        let meeting = match j.checked_sub(self.world.bodies.len()) {
            None => self.meets_body(i, j),
            Some(wall) => self.meets_wall(i, wall),
        };
        let (after, impact) = match meeting {
            Meeting::Never => return,
            Meeting::After(after) => (after, true),
            Meeting::Unknown(after) => (after, false),
        };
        let offset = self.offset + after;
        if offset <= self.length {
            let counters = [self.counters[i], self.counter(j)];
            self.queue.push(Event { offset, pair: [i as u32, j as u32], counters, impact });
        }
    }

    fn meets_body(&mut self, i: usize, j: usize) -> Meeting {
        let (one, two) = (self.state(i), self.state(j));
        let (a, b) = (&self.world.bodies[i], &self.world.bodies[j]);
        let apart = one.position - two.position;
        let parting = one.velocity - two.velocity;
        let reach = a.shape.reach() + b.shape.reach();
        let one_asleep = self.is_asleep(i) != self.is_asleep(j);
        if let (Shape::Round { .. }, Shape::Round { .. }) = (&a.shape, &b.shape) {
            let drift = self.drift(i, j);
            return match one_asleep {
                false => round_round(apart, parting, reach).map_or(Meeting::Never, Meeting::After),
                true => {
                    round_falling([apart, parting, drift], reach, self.length - self.offset, self.touch(i, j))
                }
            };
        }
        // Only while their circles overlap.
        let rest = self.length - self.offset;
        let bounds = self.search_bounds(i, j);
        let overlap = match one_asleep {
            true => Some([0.0, rest]),
            false => overlap_times(apart, parting, reach + 4.0 * bounds.touch),
        };
        let Some([from, to]) = overlap else { return Meeting::Never };
        if from > rest {
            return Meeting::Never;
        }
        let mut outlines = std::mem::take(&mut self.outlines);
        let against = Against::Mover(self.mover(j, two));
        let mover = self.mover(i, one);
        let meeting = outlines.search(&mover, &against, [from, to.min(rest)], bounds);
        self.outlines = outlines;
        meeting
    }

    fn meets_wall(&mut self, i: usize, wall: usize) -> Meeting {
        let state = self.state(i);
        let body = &self.world.bodies[i];
        let rest = self.length - self.offset;
        let form = &self.world.walls[wall].form;
        if let (Shape::Round { radius }, WallForm::Plane { normal, offset }) = (&body.shape, form) {
            let distance = normal.dot(state.position) - offset - radius;
            let (rate, pull) = (normal.dot(state.velocity), normal.dot(self.world.gravity));
            return falls_to_zero(distance, rate, pull).map_or(Meeting::Never, Meeting::After);
        }
        let swept = &self.grid.boxes[i];
        let number = self.world.bodies.len() + wall;
        let bounds = self.search_bounds(i, number);
        let against = match form {
            WallForm::Plane { normal, offset } => {
                let farthest =
                    (0..3).map(|k| normal[k] * if normal[k] > 0.0 { swept.low[k] } else { swept.high[k] });
                if farthest.sum::<f64>() > *offset {
                    return Meeting::Never;
                }
                Against::HalfPlane(normal.truncate(), *offset)
            }
            WallForm::Segment(ends) => {
                let apart = |k: usize| {
                    ends[0][k].max(ends[1][k]) < swept.low[k] || ends[0][k].min(ends[1][k]) > swept.high[k]
                };
                if apart(0) || apart(1) {
                    return Meeting::Never;
                }
                Against::Segment(ends)
            }
        };
        let mut outlines = std::mem::take(&mut self.outlines);
        let mover = self.mover(i, state);
        let meeting = outlines.search(&mover, &against, [0.0, rest], bounds);
        self.outlines = outlines;
        meeting
    }

    pub(super) fn mover(&self, k: usize, state: BodyState) -> Mover<'_> {
        Mover { shape: &self.world.bodies[k].shape, state, gravity: self.gravity_of(k) }
    }

    /// The size of the smaller of a pair.
    pub(super) fn size(&self, i: usize, j: usize) -> f64 {
        let reach = |k: usize| self.world.bodies.get(k).map_or(f64::INFINITY, |b| b.shape.reach());
        reach(i).min(reach(j))
    }

    fn search_bounds(&self, i: usize, j: usize) -> SearchBounds {
        let drift = self.drift(i, j).truncate();
        SearchBounds { turning: self.turning(i, j), drift, touch: self.touch(i, j) }
    }

    /// The distance at which the outlines of a pair touch.
    pub(super) fn touch(&self, i: usize, j: usize) -> f64 {
        (TOUCH * self.size(i, j)).max(64.0 * f64::EPSILON * self.extent)
    }

    /// The acceleration of a body past another, or past a wall.
    pub(super) fn drift(&self, i: usize, j: usize) -> Vec3 {
        let other = if j < self.world.bodies.len() { self.gravity_of(j) } else { Vec3::ZERO };
        self.gravity_of(i) - other
    }

    /// A bound of the acceleration with which turning can close gaps of a pair in the rest of the window: of arms, and of frames from which the other is seen.
    fn turning(&self, i: usize, j: usize) -> f64 {
        let turning = |k: usize| match self.world.bodies.get(k).map(|b| &b.shape) {
            Some(Shape::Polygon(polygon)) => [self.flights[k].state.spin[2], polygon.reach()],
            _ => [0.0; 2],
        };
        let ([w, arm], [v, other]) = (turning(i), turning(j));
        if let Some(WallForm::Plane { .. }) =
            j.checked_sub(self.world.bodies.len()).map(|k| &self.world.walls[k].form)
        {
            return w * w * arm;
        }
        let drift = self.drift(i, j).norm();
        let speed = self.contact_speed(i, j).norm() + drift * self.length;
        // Of two that fly nothing beyond the reach of both matters, else nothing beyond what is swept.
        let span = match self.world.bodies.get(j) {
            Some(b) if drift == 0.0 => self.world.bodies[i].shape.reach() + b.shape.reach(),
            Some(b) => self.span(i) + b.shape.reach(),
            None => self.span(i),
        };
        // Of a point on `theirs` at `span`, seen from a frame that turns with `own` and passes with `speed`. What drifts is seen
        // to turn, too.
        let seen = |own: f64, theirs: f64, arm: f64| {
            2.0 * own.abs() * speed
                + own * own * span
                + (theirs - own).powi(2) * arm
                + own.abs() * drift * self.length
        };
        seen(v, w, arm).max(seen(w, v, other))
    }

    fn contact_speed(&self, i: usize, j: usize) -> Vec3 {
        let other = if j < self.world.bodies.len() { self.state(j).velocity } else { Vec3::ZERO };
        self.state(i).velocity - other
    }

    /// How far a wall's end that a body can meet in this window may be from its centre.
    fn span(&self, i: usize) -> f64 {
        let b = &self.grid.boxes[i];
        (b.high - b.low).norm()
    }
}
