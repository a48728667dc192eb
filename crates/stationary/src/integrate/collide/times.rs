//! When two things meet: by formula where their relative motion is a parabola, else by steps that cannot pass an impact.

use super::features::{Feature, Placed, features, vertices};
use super::flight::State;
use super::world::Shape;
use crate::linalg::space::{Vec3, cross, inner, norm, plus, times};
use crate::model::{Point, dot2};

/// What a search has found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meeting {
    /// They do not meet in the time looked at.
    Never,
    /// They meet after this time.
    After(f64),
    /// They do not meet before this time; then one must look again.
    Unknown(f64),
}

/// When two round bodies meet whose centres are `x` apart and part with `v`, where `sum` is that of their radii: relative
/// to each other they move on a line.
pub(super) fn round_round(x: &Vec3, v: &Vec3, sum: f64) -> Option<f64> {
    let towards = -inner(x, v);
    if !(towards > 0.0) {
        return None;
    }
    let length = norm(x);
    let gap = (length - sum) * (length + sum);
    if gap <= 0.0 {
        return Some(0.0);
    }
    // The distance at which they pass, from the cross product: differences of squares would lose it.
    let past = cross(x, v);
    let speed = inner(v, v);
    let room = speed * sum * sum - inner(&past, &past);
    (room >= 0.0).then(|| gap / (towards + room.sqrt()))
}

/// The same where one of the two accelerates past the other by `a`, in a time `to`: the sphere lies behind the plane through its
/// nearest point, so the gap is at least `d + r t + n.a t^2/2` with the present normal `n`. Judged as in [`Bench::search`].
pub(super) fn round_falling([x, v, a]: [&Vec3; 3], sum: f64, to: f64, touch: f64) -> Meeting {
    let mut time = 0.0;
    for _ in 0..STEPS {
        let at: Vec3 = std::array::from_fn(|k| x[k] + time * (v[k] + 0.5 * time * a[k]));
        let speed = plus(v, time, a);
        let length = norm(&at);
        let normal = times(1.0 / length, &at);
        let near = Near { distance: length - sum, rate: inner(&normal, &speed), pull: -inner(&normal, a) };
        if near.meets(touch) {
            return Meeting::After(time);
        }
        let safe = near.stays(touch);
        if !(time + safe < to) {
            return Meeting::Never;
        }
        time += safe;
    }
    Meeting::Unknown(time)
}

/// How near two things are, how fast that changes, and a bound of the acceleration with which it shrinks.
struct Near {
    distance: f64,
    rate: f64,
    pull: f64,
}

impl Near {
    /// Whether they touch and come nearer, or press without any rate.
    fn meets(&self, touch: f64) -> bool {
        let Near { distance, rate, pull } = *self;
        let presses = distance < 0.0 && pull > 0.0 && rate == 0.0;
        distance <= touch && rate < 0.0 || presses
    }

    /// For how long they do not meet. What touches already may come nearer by an eighth of `touch`, or time would stand still: then
    /// it comes nearer with some rate, and meets. Nothing may come below a quarter of `touch` behind contact that way; what is there
    /// and goes away may come back.
    fn stays(&self, touch: f64) -> f64 {
        let Near { distance, rate, pull } = *self;
        let sinks = (0.125 * touch).min(distance + 0.25 * touch).max(0.0);
        stays_apart((distance - 0.5 * touch).max(sinks), rate, pull)
    }
}

/// The first time at which `d + r t + a t^2/2` falls to zero.
pub(super) fn falls_to_zero(d: f64, r: f64, a: f64) -> Option<f64> {
    if d <= 0.0 {
        return match (r < 0.0, a < 0.0) {
            (true, _) => Some(0.0),
            (false, true) => Some(-2.0 * r / a),
            (false, false) => None,
        };
    }
    let inside = r * r - 2.0 * a * d;
    if a < 0.0 && r > 0.0 {
        return Some((r + inside.sqrt()) / -a);
    }
    (inside >= 0.0 && (r < 0.0 || a < 0.0)).then(|| 2.0 * d / (inside.sqrt() - r))
}

/// The times between which two circles overlap whose centres are `x` apart and part with `v`.
pub(super) fn overlap_times(x: &Vec3, v: &Vec3, sum: f64) -> Option<[f64; 2]> {
    let (speed, towards) = (inner(v, v), -inner(x, v));
    let length = norm(x);
    let gap = (length - sum) * (length + sum);
    if speed == 0.0 {
        return (gap <= 0.0).then_some([0.0, f64::INFINITY]);
    }
    let past = cross(x, v);
    let room = speed * sum * sum - inner(&past, &past);
    if room < 0.0 || gap > 0.0 && towards <= 0.0 {
        return None;
    }
    let root = room.sqrt();
    let first = if gap > 0.0 { gap / (towards + root) } else { 0.0 };
    Some([first, ((towards + root) / speed).max(first)])
}

/// One side of a search: a shape, its state at the begin, and its acceleration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mover<'a> {
    pub shape: &'a Shape,
    pub state: State,
    pub gravity: Vec3,
}

/// The other side.
#[derive(Debug, Clone, Copy)]
pub(super) enum Against<'a> {
    Mover(Mover<'a>),
    Segment(&'a [Point; 2]),
    HalfPlane(Point, f64),
}

/// Outlines to work in.
#[derive(Debug, Default)]
pub(super) struct Bench {
    pub one: Placed,
    pub two: Placed,
}

/// Steps of one search; a longer one goes on later.
const STEPS: usize = 100;

/// How a search judges: a bound of the acceleration of gaps, and the distance at which things touch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judge {
    /// By turning.
    pub turning: f64,
    /// That of the first past the second, which no turning changes.
    pub drift: Point,
    pub touch: f64,
}

impl Bench {
    /// Puts both sides where they are a time later.
    pub fn put(&mut self, a: &Mover<'_>, b: &Against<'_>, time: f64) {
        self.one.put(a.shape, &a.state.after(time, &a.gravity));
        match b {
            Against::Mover(b) => self.two.put(b.shape, &b.state.after(time, &b.gravity)),
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
    pub fn search(&mut self, a: &Mover<'_>, b: &Against<'_>, [from, to]: [f64; 2], judge: Judge) -> Meeting {
        let Judge { turning, drift, touch } = judge;
        let mut time = from;
        for _ in 0..STEPS {
            self.put(a, b, time);
            let (mut safe, mut hit) = (f64::INFINITY, false);
            self.each(b, |f| {
                let pull = turning - dot2(f.normal, drift);
                let near = Near { distance: f.distance, rate: f.rate, pull };
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

/// For how long `d + r t - k t^2/2` is not negative.
fn stays_apart(d: f64, r: f64, k: f64) -> f64 {
    if k <= 0.0 {
        return if r < 0.0 { d / -r } else { f64::INFINITY };
    }
    let root = (r * r + 2.0 * k * d).sqrt();
    if r >= 0.0 { (r + root) / k } else { 2.0 * d / (root - r) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_meeting_are_those_of_the_formulas() {
        let t = round_round(&[3.0, 0.5, 0.0], &[-2.0, 0.0, 0.0], 1.0).unwrap();
        let x: f64 = 3.0 - 2.0 * t;
        assert!((x.hypot(0.5) - 1.0).abs() < 1e-15);
        // Just past each other, just not, and going apart.
        assert!(round_round(&[3.0, 1.0 - 1e-12, 0.0], &[-2.0, 0.0, 0.0], 1.0).is_some());
        assert!(round_round(&[3.0, 1.0 + 1e-12, 0.0], &[-2.0, 0.0, 0.0], 1.0).is_none());
        assert!(round_round(&[3.0, 0.0, 0.0], &[2.0, 0.0, 0.0], 1.0).is_none());
        for (d, r, a) in
            [(1.0, 2.0, -3.0), (1.0, -2.0, -3.0), (1.0, -2.0, 1.9), (1e-9, -1.0, 0.0), (2.0, 0.0, -1.0)]
        {
            let t: f64 = falls_to_zero(d, r, a).unwrap();
            assert!((d + r * t + 0.5 * a * t * t).abs() < 1e-15 * (d + f64::abs(r * t)), "{d} {r} {a}");
            assert!(t > 0.0 && r + a * t <= 0.0);
        }
        assert_eq!(falls_to_zero(1.0, -2.0, 2.1), None);
        assert_eq!(falls_to_zero(1.0, 2.0, 0.0), None);
        // What left the wall comes back.
        assert_eq!(falls_to_zero(0.0, 3.0, -2.0), Some(3.0));
        assert_eq!(falls_to_zero(-1e-17, 3.0, 2.0), None);
    }
}
