//! Sums that remember what rounding took.

use crate::archive::{Archive, Persist};

/// Numbers that many small increments are added to: what an addition loses is carried to the next, so that the error of
/// the sum does not grow with their number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Carry<const N: usize> {
    pub value: [f64; N],
    rest: [f64; N],
}

impl<const N: usize> Carry<N> {
    pub fn new(value: [f64; N]) -> Self {
        Carry { value, rest: [0.0; N] }
    }

    /// Adds `s` times an increment.
    #[inline]
    pub fn add(&mut self, s: f64, increment: &[f64; N]) {
        for i in 0..N {
            let (a, b) = (self.value[i], s * increment[i] + self.rest[i]);
            // Knuth's two-sum: the error of `a + b` exactly, whichever is larger.
            let sum = a + b;
            let from_b = sum - a;
            self.rest[i] = (a - (sum - from_b)) + (b - from_b);
            self.value[i] = sum;
        }
    }
}

impl<const N: usize> Persist for Carry<N> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.value).pass(&mut self.rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_small_increments_lose_nothing() {
        let mut carried = Carry::new([1.0]);
        let mut plain = 1.0;
        for _ in 0..1_000_000 {
            carried.add(1.0, &[1e-9 / 3.0]);
            plain += 1e-9 / 3.0;
        }
        let exact = 1.0 + 1e-3 / 3.0;
        assert!((carried.value[0] - exact).abs() < 3e-16, "{}", carried.value[0] - exact);
        assert!(f64::abs(plain - exact) > 1e-13, "the plain sum is no worse: the test shows nothing");
    }
}
