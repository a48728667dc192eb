//! The segment of a body's trajectory between two of its impacts, which the papers call a leg: a parabola and an even turn.

use crate::archive::{Archive, Persist};
use crate::contact::rigid::BodyState;

/// A time since the start, as a sum of two numbers of which the second is below the rounding of the first: differences of times
/// stay sharp however late it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Clock {
    high: f64,
    low: f64,
}

/// `a + b` and what rounding took from it.
fn sum(a: f64, b: f64) -> (f64, f64) {
    let total = a + b;
    let of_b = total - a;
    let of_a = total - of_b;
    (total, (a - of_a) + (b - of_b))
}

impl Clock {
    /// The start.
    pub const ZERO: Clock = Clock { high: 0.0, low: 0.0 };

    /// The time `count` times `step`, without its rounding.
    pub fn multiple(count: u64, step: f64) -> Clock {
        let high = count as f64 * step;
        let low = (count as f64).mul_add(step, -high);
        // Beyond the range of numbers there is no rounding to keep.
        Clock { high, low: if low.is_finite() { low } else { 0.0 } }
    }

    /// The time this much later.
    pub fn after(self, passed: f64) -> Clock {
        let (high, low) = sum(self.high, passed);
        let (high, low) = sum(high, low + self.low);
        Clock { high, low }
    }

    /// Time passed since `earlier`.
    pub fn since(self, earlier: Clock) -> f64 {
        let (high, low) = sum(self.high, -earlier.high);
        high + (low + (self.low - earlier.low))
    }

    /// The time in one number.
    pub fn rounded(self) -> f64 {
        self.high
    }

    /// Whether it is a number.
    pub fn is_finite(self) -> bool {
        self.high.is_finite() && self.low.is_finite()
    }
}

/// A segment: when it began and with which state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flight {
    pub began: Clock,
    pub state: BodyState,
}

impl Persist for Clock {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.high).pass(&mut self.low);
    }
}

impl Persist for Flight {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.began).pass(&mut self.state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_keep_differences_that_one_number_would_round_away() {
        let late = Clock::multiple(3, 1e9 / 7.0);
        let tiny = 1e-15;
        assert_eq!(late.after(tiny).since(late), tiny);
        assert_eq!(late.after(0.5).after(-0.5), late);
        let ten = (0..10).fold(Clock::default(), |clock, _| clock.after(0.1));
        assert!(ten.since(Clock::multiple(10, 0.1)).abs() < 1e-30);
    }
}
