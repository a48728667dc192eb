//! Conservative advancement: steps in time that cannot pass an impact.
//!
//! Two things at distance `d` with rate `r` stay apart for as long as `d + r t - K t^2/2 > 0`, with a bound `K` of the acceleration
//! towards each other. Steps of that length converge as Newton's method does.

/// What a search has found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Meeting {
    /// They do not meet in the time looked at.
    Never,
    /// They meet after this time.
    After(f64),
    /// They do not meet before this time; then one must look again.
    Unknown(f64),
}

/// Steps of one search; a longer one goes on later.
pub(super) const STEPS: usize = 100;

/// How near two things are, how fast that changes, and a bound of the acceleration with which it shrinks.
pub(super) struct Approaching {
    pub distance: f64,
    pub rate: f64,
    pub pull: f64,
}

impl Approaching {
    /// Whether they touch and come nearer, or press without any rate.
    pub fn meets(&self, touch: f64) -> bool {
        let Approaching { distance, rate, pull } = *self;
        let presses = distance < 0.0 && pull > 0.0 && rate == 0.0;
        distance <= touch && rate < 0.0 || presses
    }

    /// For how long they do not meet. What touches already may come nearer by an eighth of `touch`, or time would stand still: then
    /// it comes nearer with some rate, and meets. Nothing may come below a quarter of `touch` behind contact that way; what is there
    /// and goes away may come back.
    pub fn stays(&self, touch: f64) -> f64 {
        let Approaching { distance, rate, pull } = *self;
        let sinks = (0.125 * touch).min(distance + 0.25 * touch).max(0.0);
        stays_apart((distance - 0.5 * touch).max(sinks), rate, pull)
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
