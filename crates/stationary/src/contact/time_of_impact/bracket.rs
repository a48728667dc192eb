//! A root between two places: regula falsi in a bracket, with the Illinois rule.

/// A bracket of a root: a function that is positive at its low end and negative at its high end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bracket {
    ends: [f64; 2],
    /// Values at the ends, halved where the other end moves twice: the secant then comes to lie on the other side of the root.
    values: [f64; 2],
    last: Moved,
}

/// Which end moved last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moved {
    Neither,
    Low,
    High,
}

impl Bracket {
    /// A bracket with these values at its ends, the first not negative and the second negative.
    pub fn new(ends: [f64; 2], values: [f64; 2]) -> Self {
        Bracket { ends, values, last: Moved::Neither }
    }

    /// Where to look next: where the secant vanishes, or in the middle; `None` if no number lies between the ends.
    pub fn next(&self) -> Option<f64> {
        let [a, b] = self.ends;
        let [fa, fb] = self.values;
        let inside = |x: f64| x > a && x < b;
        let secant = (fa * b - fb * a) / (fa - fb);
        let x = if inside(secant) { secant } else { 0.5 * (a + b) };
        inside(x).then_some(x)
    }

    /// Moves the low end to a place with a value that is not negative.
    pub fn raise(&mut self, x: f64, value: f64) {
        self.ends[0] = x;
        self.values[0] = value;
        if self.last == Moved::Low {
            self.values[1] *= 0.5;
        }
        self.last = Moved::Low;
    }

    /// Moves the high end to a place with a negative value.
    pub fn lower(&mut self, x: f64, value: f64) {
        self.ends[1] = x;
        self.values[1] = value;
        if self.last == Moved::High {
            self.values[0] *= 0.5;
        }
        self.last = Moved::High;
    }

    /// The low end.
    pub fn low(&self) -> f64 {
        self.ends[0]
    }

    /// The high end.
    pub fn high(&self) -> f64 {
        self.ends[1]
    }

    /// The distance of the ends.
    pub fn width(&self) -> f64 {
        self.ends[1] - self.ends[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bracket_closes_on_the_root_of_a_curved_function() {
        let f = |x: f64| 1.0 - x.powi(7);
        let mut bracket = Bracket::new([0.0, 3.0], [f(0.0), f(3.0)]);
        let mut looks = 0;
        while bracket.width() > 1e-13 {
            let Some(x) = bracket.next() else { break };
            looks += 1;
            if f(x) >= 0.0 {
                bracket.raise(x, f(x))
            } else {
                bracket.lower(x, f(x))
            }
            assert!(f(bracket.low()) >= 0.0 && f(bracket.high()) < 0.0);
        }
        assert!((bracket.low() - 1.0).abs() < 1e-13 && looks < 60, "{bracket:?} after {looks} looks");
    }
}
