//! Metals that heat as they flow, and soften as they heat.

use super::hardening::Hardening;
use crate::error::Diagnostic;

/// Thermal softening and adiabatic heating, after Johnson and Cook: the flow stress is multiplied by
///
/// ```text
/// 1 - x^exponent,    x = (T - room) / (melting - room),
/// ```
///
/// and no heat is conducted: `capacity dT = fraction (plastic work)`. Below a millionth of the way to melting, `x^exponent` with an exponent
/// below one, whose slope is infinite at zero, is replaced by its chord, so that the minimum of an update is unique.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heating {
    /// The temperature up to which nothing softens.
    pub room: f64,
    /// The temperature at which nothing is left of the flow stress.
    pub melting: f64,
    /// The temperature at the start, at least `room`.
    pub start: f64,
    /// The exponent of the softening.
    pub exponent: f64,
    /// Heat per reference volume and degree: density times specific heat.
    pub capacity: f64,
    /// The part of the plastic work that becomes heat (Taylor and Quinney). Zero keeps the temperature.
    pub fraction: f64,
}

/// Where the chord of an exponent below one ends.
const KNEE: f64 = 1e-6;
/// Most iterations for a temperature: bisection alone needs about sixty.
const ITERATIONS: usize = 100;
/// Gauss's rule of five points on (0, 1).
const GAUSS: [[f64; 2]; 5] = [
    [0.046_910_077_030_668_004, 0.118_463_442_528_094_54],
    [0.230_765_344_947_158_45, 0.239_314_335_249_683_24],
    [0.5, 0.284_444_444_444_444_44],
    [0.769_234_655_052_841_5, 0.239_314_335_249_683_24],
    [0.953_089_922_969_332, 0.118_463_442_528_094_54],
];
/// Intervals shorter than this part of the distance to the ends of (0, 1), where the integrand is singular, leave that rule an error below
/// rounding.
const SHORT: f64 = 0.1;

impl Heating {
    /// Refuses numbers without meaning, and heating so fast that the minimum of an update would not be unique.
    pub(super) fn check(&self, hardening: &Hardening, mu: f64) -> Result<(), Diagnostic> {
        let numbers = [
            ("exponent of the temperature", self.exponent, self.exponent > 0.0, "a positive number"),
            ("heat per volume and degree", self.capacity, self.capacity > 0.0, "a positive number"),
            (
                "part of the plastic work that becomes heat",
                self.fraction,
                (0.0..=1.0).contains(&self.fraction),
                "a number from 0 to 1",
            ),
            (
                "melting temperature",
                self.melting,
                self.melting > self.room,
                "a temperature above that of the room",
            ),
            (
                "temperature at the start",
                self.start,
                self.start >= self.room && self.start < self.melting,
                "a temperature from that of the room, up to which nothing softens, to below melting",
            ),
        ];
        for (name, value, holds, expected) in numbers {
            if !(holds && value.is_finite() && self.room.is_finite()) {
                return Err(
                    Diagnostic::new(format!("the {name} is {value}")).help(format!("expected {expected}"))
                );
            }
        }
        // The steepest fall of the flow stress with the plastic strain, at a strain of one, must leave `3 mu + slope` positive.
        let stress = hardening.stress(1.0);
        let steepest = if self.exponent < 1.0 { KNEE.powf(self.exponent - 1.0) } else { self.exponent };
        if !(stress * stress * self.rate() * steepest < 3.0 * mu) {
            let degrees = self.fraction * stress / self.capacity;
            let message = format!("a plastic strain of 1 heats the metal by {degrees:e} degrees");
            return Err(Diagnostic::new(message).help("expected it to soften more slowly than it unloads elastically: look at the units of the density and the specific heat"));
        }
        Ok(())
    }

    /// `dx / d(plastic work)`.
    fn rate(&self) -> f64 {
        self.fraction / (self.capacity * (self.melting - self.room))
    }

    /// The temperature after so much plastic work.
    #[inline]
    pub fn temperature(&self, before: f64, work: f64) -> f64 {
        before + self.fraction / self.capacity * work
    }

    /// The softening at a temperature.
    pub(super) fn at(&self, temperature: f64) -> Softening {
        let x = ((temperature - self.room) / (self.melting - self.room)).clamp(0.0, 1.0);
        let chord = if self.exponent < 1.0 { KNEE } else { 0.0 };
        let mut softening = Softening { x, left: 1.0, rate: self.rate(), exponent: self.exponent, chord };
        softening.left = 1.0 - softening.taken(x);
        softening
    }
}

/// The softening in an increment. With the plastic work `w` that the hardening alone would need, the temperature follows from
///
/// ```text
/// dx/dw = rate (1 - x^m),    integral from x_n to x of dx / (1 - x^m) = rate w,
/// ```
///
/// so that it is a function of the plastic strain, and `(x - x_n) / rate` a potential of the softened flow stress.
#[derive(Debug, Clone, Copy)]
pub(super) struct Softening {
    x: f64,
    /// What is left of the flow stress at the start of the increment.
    pub left: f64,
    rate: f64,
    exponent: f64,
    /// Where the chord in place of `x^m` ends.
    chord: f64,
}

impl Softening {
    /// What is left of the flow stress after the work `w`, and its derivative by `w`.
    #[inline]
    pub fn after(&self, w: f64) -> [f64; 2] {
        let x = self.x + self.rise(self.rate * w);
        let left = (1.0 - self.taken(x)).max(0.0);
        let slope = if x < self.chord {
            self.chord.powf(self.exponent - 1.0)
        } else {
            self.exponent * x.powf(self.exponent - 1.0)
        };
        [left, -slope * self.rate * left]
    }

    /// The softened plastic work in place of `w`.
    #[inline]
    pub fn work(&self, w: f64) -> f64 {
        if self.rate > 0.0 { self.rise(self.rate * w) / self.rate } else { self.left * w }
    }

    /// `x^m`, or its chord.
    #[inline]
    fn taken(&self, x: f64) -> f64 {
        if x < self.chord { x * self.chord.powf(self.exponent - 1.0) } else { x.powf(self.exponent) }
    }

    /// By how much `x` rises: Newton's method in a bracket for `span(rise) = y`.
    fn rise(&self, y: f64) -> f64 {
        if !(y > 0.0 && self.left > 0.0) {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, 1.0 - self.x);
        let mut rise = (y * self.left).min(0.5 * high);
        for _ in 0..ITERATIONS {
            let rest = y - self.span(rise);
            if rest > 0.0 {
                low = rise;
            } else {
                high = rise;
            }
            if high - low <= f64::EPSILON * high {
                return low;
            }
            let next = rise + rest * (1.0 - self.taken(self.x + rise));
            // The error of the next is the square of this step over the distance to melting.
            if (next - rise).abs() <= 1e-8 * rise.min(1.0 - self.x - rise) {
                return next.clamp(low, high);
            }
            rise = if next > low && next < high { next } else { 0.5 * (low + high) };
        }
        rise
    }

    /// The integral of `1 / (1 - x^m)` over an interval of this length from the start of the increment.
    fn span(&self, length: f64) -> f64 {
        let (mut from, mut length, mut sum) = (self.x, length, 0.0);
        if from < self.chord {
            let part = length.min(self.chord - from);
            let slope = self.chord.powf(self.exponent - 1.0);
            sum = (slope * part / (1.0 - slope * (from + part))).ln_1p() / slope;
            (from, length) = (self.chord, length - part);
        }
        if length <= 0.0 {
            return sum;
        }
        if length <= SHORT * from.min(1.0 - from) {
            let value = |x: f64| 1.0 / (1.0 - x.powf(self.exponent));
            return sum + length * GAUSS.iter().map(|[x, w]| w * value(from + x * length)).sum::<f64>();
        }
        sum + self.primitive(from + length) - self.primitive(from)
    }

    /// The integral of `1 / (1 - x^m)` from 0, by its series in `p = x^m` up to a half, from there on by that of
    /// `p^(1/m - 1) / (m (1 - p))` in `1 - p`.
    fn primitive(&self, x: f64) -> f64 {
        let m = self.exponent;
        let p = x.powf(m);
        if p <= 0.5 {
            let (mut sum, mut term, mut k) = (0.0, x, 0.0);
            while term > 1e-17 * sum {
                sum += term / (m * k + 1.0);
                term *= p;
                k += 1.0;
            }
            return sum;
        }
        let q = -(m * x.ln()).exp_m1();
        let (mut sum, mut factor, mut powers) = ((0.5 / q).ln(), 1.0, [1.0, 1.0]);
        for k in 1..60 {
            let k = f64::from(k);
            factor *= (k - 1.0 / m) / k;
            powers = [0.5 * powers[0], q * powers[1]];
            sum += factor * (powers[0] - powers[1]) / k;
        }
        self.primitive(0.5_f64.powf(1.0 / m) * (1.0 - f64::EPSILON)) + sum / m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn softening(exponent: f64, x: f64, rate: f64) -> Softening {
        let heating =
            Heating { room: 300.0, melting: 1300.0, start: 300.0, exponent, capacity: 1.0, fraction: 1.0 };
        Softening { rate, ..heating.at(300.0 + 1000.0 * x) }
    }

    /// `dx/dy = 1 - x^m` has closed solutions for m = 1, 2 and 1/2.
    #[test]
    fn adiabatic_temperature_solves_its_equation_to_rounding() {
        for x in [0.0_f64, 1e-9, 1e-3, 0.1, 0.6, 0.99] {
            for y in [1e-9_f64, 1e-5, 1e-2, 0.3, 1.0, 5.0, 30.0] {
                let one = (1.0 - x) * -(-y).exp_m1();
                let found = softening(1.0, x, 1.0).rise(y);
                assert!((found - one).abs() < 1e-13 * one, "1 {x} {y}: {found} {one}");
                // tanh(a + y) - tanh(a) = (1 - x^2) t / (1 + x t).
                let t = y.tanh();
                let two = (1.0 - x * x) * t / (1.0 + x * t);
                let found = softening(2.0, x, 1.0).rise(y);
                assert!((found - two).abs() < 1e-13 * two, "2 {x} {y}: {found} {two}");
                // -2 (s + log(1 - s)) with s = sqrt(x).
                let integral = |x: f64| -2.0 * (x.sqrt() + (-x.sqrt()).ln_1p());
                let end = x + softening(0.5, x, 1.0).rise(y);
                if x >= KNEE && y > 1e-3 && end < 0.999_999 {
                    let off = integral(end) - integral(x) - y;
                    assert!(off.abs() < 1e-9 * y, "1/2 {x} {y}: {off:e}");
                }
            }
        }
    }

    #[test]
    fn softened_work_has_the_softened_stress_as_its_derivative() {
        for (exponent, x) in [(1.0, 0.0), (1.03, 0.0), (0.55, 0.0), (0.55, 0.2), (1.68, 0.4), (4.0, 0.9)] {
            let s = softening(exponent, x, 0.7);
            for w in [1e-2_f64, 0.2, 1.5] {
                let h = 1e-4 * w;
                let slope = (s.work(w + h) - s.work(w - h)) / (2.0 * h);
                let [left, change] = s.after(w);
                assert!((slope - left).abs() < 1e-7, "{exponent} {w}: {slope} {left}");
                let slope = (s.after(w + h)[0] - s.after(w - h)[0]) / (2.0 * h);
                assert!(
                    (slope - change).abs() < 1e-6 * (1.0 + change.abs()),
                    "{exponent} {w}: {slope} {change}"
                );
            }
        }
        // Without heating the temperature stays.
        let s = softening(1.0, 0.25, 0.0);
        assert_eq!((s.work(2.0), s.after(2.0)), (1.5, [0.75, 0.0]));
    }
}
