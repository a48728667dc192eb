//! When round bodies meet: their relative motion is a line or a parabola.

use super::advancement::{Approaching, Meeting, STEPS};
use crate::linalg::Vec3;

/// When two round bodies meet whose centres are `x` apart and part with `v`, where `sum` is that of their radii: relative
/// to each other they move on a line.
pub(crate) fn round_round(x: Vec3, v: Vec3, sum: f64) -> Option<f64> {
    let towards = -x.dot(v);
    if !(towards > 0.0) {
        return None;
    }
    let length = x.norm();
    let gap = (length - sum) * (length + sum);
    if gap <= 0.0 {
        return Some(0.0);
    }
    // The distance at which they pass, from the cross product: differences of squares would lose it.
    let past = x.cross(v);
    let speed = v.dot(v);
    let room = speed * sum * sum - past.dot(past);
    (room >= 0.0).then(|| gap / (towards + room.sqrt()))
}

/// The same where one of the two accelerates past the other by `a`, in a time `to`: the sphere lies behind the plane through its
/// nearest point, so the gap is at least `d + r t + n.a t^2/2` with the present normal `n`. Judged as in [`OutlineSearch::search`](super::OutlineSearch::search).
pub(crate) fn round_falling([x, v, a]: [Vec3; 3], sum: f64, to: f64, touch: f64) -> Meeting {
    let mut time = 0.0;
    for _ in 0..STEPS {
        let at = x + time * (v + 0.5 * time * a);
        let speed = v + time * a;
        let length = at.norm();
        let normal = 1.0 / length * at;
        let near = Approaching { distance: length - sum, rate: normal.dot(speed), pull: -normal.dot(a) };
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

/// The first time at which `d + r t + a t^2/2` falls to zero.
pub(crate) fn falls_to_zero(d: f64, r: f64, a: f64) -> Option<f64> {
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
pub(crate) fn overlap_times(x: Vec3, v: Vec3, sum: f64) -> Option<[f64; 2]> {
    let (speed, towards) = (v.dot(v), -x.dot(v));
    let length = x.norm();
    let gap = (length - sum) * (length + sum);
    if speed == 0.0 {
        return (gap <= 0.0).then_some([0.0, f64::INFINITY]);
    }
    let past = x.cross(v);
    let room = speed * sum * sum - past.dot(past);
    if room < 0.0 || gap > 0.0 && towards <= 0.0 {
        return None;
    }
    let root = room.sqrt();
    let first = if gap > 0.0 { gap / (towards + root) } else { 0.0 };
    Some([first, ((towards + root) / speed).max(first)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_meeting_are_those_of_the_formulas() {
        let t = round_round(Vec3::new(3.0, 0.5, 0.0), Vec3::new(-2.0, 0.0, 0.0), 1.0).unwrap();
        let x: f64 = 3.0 - 2.0 * t;
        assert!((x.hypot(0.5) - 1.0).abs() < 1e-15);
        // Just past each other, just not, and going apart.
        assert!(round_round(Vec3::new(3.0, 1.0 - 1e-12, 0.0), Vec3::new(-2.0, 0.0, 0.0), 1.0).is_some());
        assert!(round_round(Vec3::new(3.0, 1.0 + 1e-12, 0.0), Vec3::new(-2.0, 0.0, 0.0), 1.0).is_none());
        assert!(round_round(Vec3::new(3.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0), 1.0).is_none());
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
