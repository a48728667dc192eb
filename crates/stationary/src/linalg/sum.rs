//! Sums whose rounding errors are kept: what an addition rounds off is known exactly, as a second number.

use crate::archive::{Archive, Persist};
use std::ops::{Add, Neg, Sub};

/// Numbers and vectors that can be summed with compensation.
pub trait Summand: Copy + Add<Output = Self> + Sub<Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T>> Summand for T {}

/// The rounded sum of two numbers, and the error of its rounding: `a + b = sum + error` exactly, whichever is larger
/// (Knuth's two-sum). Componentwise for vectors.
///
/// ```
/// use stationary::linalg::two_sum;
/// assert_eq!(two_sum(1.0, 1e-20), (1.0, 1e-20));
/// ```
#[inline(always)]
pub fn two_sum<T: Summand>(a: T, b: T) -> (T, T) {
    let sum = a + b;
    let from_b = sum - a;
    (sum, (a - (sum - from_b)) + (b - from_b))
}

/// Adds a term to a value by Kahan's summation, together with the error that earlier terms left, and sets `error` to what this
/// addition rounds off. For values whose storage is elsewhere; others are a [`CompensatedSum`].
///
/// The error is exact while the term is not larger than the value; [`two_sum`] is exact always and takes twice the work.
#[inline(always)]
pub fn add_compensated<T: Summand>(value: &mut T, error: &mut T, term: T) {
    let whole = term + *error;
    let sum = *value + whole;
    *error = whole - (sum - *value);
    *value = sum;
}

/// A sum of many terms whose error does not grow with their number.
///
/// The value is rounded and the rounding error is kept beside it. The error goes one of two ways:
///
/// - [`advance`](Self::advance) passes it on to the next term (Kahan), so that [`value`](Self::value) is at any time the best
///   rounded sum: for states and times that go on from there. [`advance_exactly`](Self::advance_exactly) does so for values
///   that may be smaller than their terms, as components of a turning vector are;
/// - [`add`](Self::add) collects the errors (Neumaier), so that [`total`](Self::total) loses no small term: for balances.
///
/// ```
/// use stationary::linalg::CompensatedSum;
/// let mut time = CompensatedSum::new(0.0);
/// for _ in 0..10_000_000 {
///     time.advance(0.1);
/// }
/// assert_eq!(time.value(), 1e6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CompensatedSum<T> {
    value: T,
    error: T,
}

impl<T: Summand + Default> CompensatedSum<T> {
    /// A sum that begins with a value.
    #[inline]
    pub fn new(value: T) -> Self {
        CompensatedSum { value, error: T::default() }
    }
}

impl<T: Summand> CompensatedSum<T> {
    /// The value and the error.
    pub fn parts(&self) -> [T; 2] {
        [self.value, self.error]
    }

    /// The sum with these [`parts`](Self::parts).
    pub fn from_parts([value, error]: [T; 2]) -> Self {
        CompensatedSum { value, error }
    }

    /// Adds a term and the error left by the last one, by Kahan's summation.
    #[inline(always)]
    pub fn advance(&mut self, term: T) {
        add_compensated(&mut self.value, &mut self.error, term);
    }

    /// Adds a term and the error left by the last one; the new error is exact also where the term is the larger one.
    #[inline(always)]
    pub fn advance_exactly(&mut self, term: T) {
        (self.value, self.error) = two_sum(self.value, term + self.error);
    }

    /// Adds a term; its rounding error joins those of all earlier terms.
    #[inline(always)]
    pub fn add(&mut self, term: T) {
        let (value, error) = two_sum(self.value, term);
        self.value = value;
        self.error = self.error + error;
    }

    /// Adds another sum, its errors included.
    pub fn join(&mut self, other: &Self) {
        self.add(other.value);
        self.add(other.error);
    }

    /// The rounded sum.
    #[inline(always)]
    pub fn value(&self) -> T {
        self.value
    }

    /// The sum with the errors that were collected.
    #[inline]
    pub fn total(&self) -> T {
        self.value + self.error
    }

    /// A function of value and error alike: one that is linear, and exact for numbers such as powers of two and signs.
    pub fn map(&self, function: impl Fn(T) -> T) -> Self {
        CompensatedSum { value: function(self.value), error: function(self.error) }
    }
}

impl<T: Summand + Neg<Output = T>> CompensatedSum<T> {
    /// This sum less another one.
    pub fn less(mut self, other: &Self) -> Self {
        self.join(&other.map(|x| -x));
        self
    }
}

impl<T: Persist> Persist for CompensatedSum<T> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.value).pass(&mut self.error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec2;

    #[test]
    fn the_error_of_a_sum_is_exact_whichever_term_is_larger() {
        for (a, b) in [(1.0, 1e-17), (1e-17, 1.0), (0.1, 0.7), (-1e300, 1.0), (0.0, 0.3)] {
            let (sum, error) = two_sum(a, b);
            assert_eq!(sum, a + b);
            // What is left of the smaller term once the larger one is taken from the sum: both differences are exact.
            let (large, small) = if f64::abs(a) >= f64::abs(b) { (a, b) } else { (b, a) };
            assert_eq!(small - (sum - large), error, "{a} {b}");
        }
    }

    #[test]
    fn a_million_small_increments_lose_nothing_in_compensated_sums() {
        let term = 1e-9 / 3.0;
        let mut state = CompensatedSum::new(Vec2::new(1.0, -1.0));
        let mut turning = state;
        let mut balance = CompensatedSum::new(1.0);
        let mut plain = 1.0;
        for _ in 0..1_000_000 {
            state.advance(Vec2::new(term, -term));
            turning.advance_exactly(Vec2::new(term, -term));
            balance.add(term);
            plain += term;
        }
        let exact = 1.0 + 1e-3 / 3.0;
        assert!((state.value()[0] - exact).abs() < 3e-16, "{}", state.value()[0] - exact);
        assert_eq!(state.value()[1], -state.value()[0]);
        assert_eq!(turning.value(), state.value());
        assert!((balance.total() - exact).abs() < 3e-16, "{}", balance.total() - exact);
        assert!(f64::abs(plain - exact) > 1e-13, "the plain sum is no worse: the test shows nothing");
    }

    #[test]
    fn terms_larger_than_the_sum_lose_nothing_if_the_error_is_exact() {
        let mut kahan = CompensatedSum::new(1.0);
        let mut exact = CompensatedSum::new(1.0);
        // 1 + 2^54 is rounded to 2^54; all other sums of a term and an error are exact.
        let half = f64::exp2(53.0);
        for term in [2.0 * half, -half, -half] {
            kahan.advance(term);
            exact.advance_exactly(term);
        }
        assert_eq!((kahan.value(), exact.value()), (0.0, 1.0));
    }

    #[test]
    fn the_difference_of_two_compensated_sums_keeps_their_small_terms() {
        let mut one = CompensatedSum::new(1e16);
        let mut other = CompensatedSum::new(1e16);
        one.add(1.0);
        other.add(0.25);
        assert_eq!(one.less(&other).total(), 0.75);
    }
}
