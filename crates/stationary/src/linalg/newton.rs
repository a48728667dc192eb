//! The rule that ends Newton's method, the same for every solver.

/// How an iteration of Newton's method stands. The solver makes the corrections and asks after each whether it may end.
///
/// An iteration ends when
///
/// 1. the correction just made is below the tolerance, relative to the scale of the unknowns ([`Verdict::Solved`]);
/// 2. or the next one is forecast to be ([`Verdict::Forecast`]). Newton's method converges quadratically, so that corrections
///    `d_k` follow `d_{k+1}/d_k ~ (d_k/d_{k-1})^2`, and the next one is about `d_k (d_k/d_{k-1})^2`. With factors of an earlier
///    matrix convergence is linear ([`linear`](Self::linear)), and the next one is `d_k (d_k/d_{k-1})`. The solver makes
///    this next correction, with the factors at hand, and does not ask again;
/// 3. or the corrections no longer fall and are of the size of rounding ([`Verdict::Stalled`]);
/// 4. or a correction is not a finite number ([`Verdict::Diverged`]), or the limit of iterations is reached
///    ([`begin`](Self::begin) is false).
///
/// Coordinates may be in units of their own, so that the largest component of a correction does not show all of them: 1 and 2
/// also ask `small_parts` whether the others have settled, but only for the first [`PATIENCE`](Self::PATIENCE)
/// iterations: what changes there later is rounding.
///
/// ```
/// use stationary::linalg::NewtonProgress;
/// // The square root of two.
/// let mut x = 1.0_f64;
/// let mut newton = NewtonProgress::new(1e-15);
/// while newton.begin() {
///     let correction = (x * x - 2.0) / (2.0 * x);
///     x -= correction;
///     if newton.judge(correction.abs(), x, || true, || false).ends() {
///         break;
///     }
/// }
/// // The fifth correction, 1.6e-12, follows one of 2.1e-6: the next one is below rounding and is not made.
/// assert_eq!(newton.iterations(), 5);
/// assert!((x - 2.0_f64.sqrt()).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct NewtonProgress {
    tolerance: f64,
    limit: usize,
    iterations: usize,
    /// The size of the last correction; zero before the first.
    last: f64,
    /// That size over the one before it.
    ratio: f64,
    forecast_below: f64,
    is_linear: bool,
    stalls_from: usize,
    stalled_ratio: f64,
}

/// Whether Newton's method may end after a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Another correction is needed.
    Unsolved,
    /// The correction was below the tolerance.
    Solved,
    /// The next correction will be below the tolerance.
    Forecast,
    /// Nothing but rounding is left.
    Stalled,
    /// The correction is not a finite number.
    Diverged,
}

impl Verdict {
    /// Whether a solution is found.
    #[inline(always)]
    pub fn ends(self) -> bool {
        matches!(self, Verdict::Solved | Verdict::Forecast | Verdict::Stalled)
    }
}

/// A correction below this part of the positions is rounding: increments of a step are differences of positions.
pub const ROUNDING_OF_POSITIONS: f64 = 1e-14;

impl NewtonProgress {
    /// Iterations after which components that the largest one hides are no longer waited for.
    pub const PATIENCE: usize = 4;

    /// Corrections at most, if nothing else is said.
    pub const LIMIT: usize = 40;

    /// An iteration that has not begun.
    #[inline(always)]
    pub fn new(tolerance: f64) -> Self {
        NewtonProgress {
            tolerance,
            limit: Self::LIMIT,
            iterations: 0,
            last: 0.0,
            ratio: f64::INFINITY,
            forecast_below: 0.1,
            is_linear: false,
            stalls_from: 4,
            stalled_ratio: 0.5,
        }
    }

    /// With another number of corrections at most.
    #[inline(always)]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Forecasts only where a correction is below this part of the one before: `0.1` if nothing is said, never for zero.
    #[inline(always)]
    pub fn forecast_below(mut self, ratio: f64) -> Self {
        self.forecast_below = ratio;
        self
    }

    /// Convergence is linear: the matrix is not that of the present iterate.
    #[inline(always)]
    pub fn linear(mut self) -> Self {
        self.is_linear = true;
        self
    }

    /// Corrections no longer fall if one is not below this part of the one before, from an iteration on: one half from the
    /// fourth on if nothing is said.
    #[inline(always)]
    pub fn stalls_from(mut self, iteration: usize, ratio: f64) -> Self {
        self.stalls_from = iteration;
        self.stalled_ratio = ratio;
        self
    }

    /// In the middle of an iteration, after a correction of size `last`.
    #[inline(always)]
    pub(crate) fn resume(mut self, iterations: usize, last: f64) -> Self {
        self.iterations = iterations;
        self.last = last;
        self
    }

    /// Begins an iteration; `false` if the limit is reached.
    #[inline(always)]
    pub fn begin(&mut self) -> bool {
        let more = self.iterations < self.limit;
        self.iterations += usize::from(more);
        more
    }

    /// Iterations begun so far.
    #[inline(always)]
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether the limit is reached.
    #[inline(always)]
    pub fn is_exhausted(&self) -> bool {
        self.iterations == self.limit
    }

    /// The size of the last correction over the one before it; infinite where there is none.
    #[inline(always)]
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// The iterate was drawn back: the next correction says nothing about convergence.
    pub fn forget(&mut self) {
        self.last = 0.0;
    }

    /// Judges a correction of a size, of unknowns whose largest is `scale`. `small_parts` tells whether components too small to
    /// show in these sizes have settled, `at_rounding` whether the correction may be nothing but rounding; each is asked
    /// only if it decides.
    #[inline(always)]
    pub fn judge(
        &mut self,
        size: f64,
        scale: f64,
        small_parts: impl FnOnce() -> bool,
        at_rounding: impl FnOnce() -> bool,
    ) -> Verdict {
        if !size.is_finite() {
            return Verdict::Diverged;
        }
        let ratio = size / self.last;
        self.last = size;
        self.ratio = ratio;
        let solved = size <= self.tolerance * scale;
        let next = if self.is_linear { size * ratio } else { size * ratio * ratio };
        let forecast = ratio < self.forecast_below && next <= self.tolerance * scale;
        if (solved || forecast) && (self.iterations > Self::PATIENCE || small_parts()) {
            return if solved { Verdict::Solved } else { Verdict::Forecast };
        }
        if self.iterations >= self.stalls_from && ratio >= self.stalled_ratio && at_rounding() {
            return Verdict::Stalled;
        }
        Verdict::Unsolved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on the last of these corrections of unknowns of size one.
    fn verdict(mut newton: NewtonProgress, sizes: &[f64], small_parts: bool, rounding: f64) -> Verdict {
        let mut verdict = Verdict::Unsolved;
        for size in sizes {
            assert_eq!(verdict, Verdict::Unsolved);
            assert!(newton.begin());
            verdict = newton.judge(*size, 1.0, || small_parts, || *size <= rounding);
        }
        verdict
    }

    #[test]
    fn quadratic_convergence_is_forecast_and_linear_convergence_is_not() {
        let newton = NewtonProgress::new(1e-15);
        assert_eq!(verdict(newton, &[1e-2, 1e-4], true, 0.0), Verdict::Unsolved);
        assert_eq!(verdict(newton, &[1e-2, 1e-4, 1e-8], true, 0.0), Verdict::Forecast);
        assert_eq!(verdict(newton.forecast_below(0.0), &[1e-2, 1e-4, 1e-8], true, 0.0), Verdict::Unsolved);
        assert_eq!(verdict(newton, &[1e-2, 1e-16], true, 0.0), Verdict::Solved);
        // A tenth each time.
        assert_eq!(verdict(newton, &[1e-12, 1.1e-13, 1.2e-14], true, 0.0), Verdict::Unsolved);
        // With factors of another matrix one more power is needed.
        assert_eq!(verdict(newton.linear(), &[1e-2, 1e-4, 1e-8], true, 0.0), Verdict::Unsolved);
        assert_eq!(verdict(newton.linear(), &[1e-10, 1e-13], true, 0.0), Verdict::Forecast);
    }

    #[test]
    fn components_hidden_by_the_largest_are_waited_for_four_iterations() {
        let newton = NewtonProgress::new(1e-15);
        assert_eq!(verdict(newton, &[0.0, 0.0, 0.0, 0.0], false, 0.0), Verdict::Unsolved);
        assert_eq!(verdict(newton, &[0.0, 0.0, 0.0, 0.0, 0.0], false, 0.0), Verdict::Solved);
    }

    #[test]
    fn corrections_that_wander_at_rounding_end_newtons_method() {
        let newton = NewtonProgress::new(1e-15);
        // None is below a tenth of the one before, from which the next would be forecast.
        let sizes = [4e-12, 4.5e-13, 2.5e-13, 2.4e-13];
        assert_eq!(verdict(newton, &sizes, true, 1e-12), Verdict::Stalled);
        assert_eq!(verdict(newton, &sizes, true, 1e-14), Verdict::Unsolved);
        assert_eq!(verdict(newton, &sizes[..3], true, 1e-12), Verdict::Unsolved);
        assert_eq!(verdict(newton.stalls_from(2, 0.5), &sizes[..3], true, 1e-12), Verdict::Stalled);
    }

    #[test]
    fn newtons_method_fails_at_numbers_that_are_not_finite_and_at_its_limit() {
        let newton = NewtonProgress::new(1e-15);
        assert_eq!(verdict(newton, &[1.0, f64::NAN], true, 1.0), Verdict::Diverged);
        assert_eq!(verdict(newton, &[f64::INFINITY], true, 1.0), Verdict::Diverged);
        assert!(!Verdict::Diverged.ends() && !Verdict::Unsolved.ends());
        let mut few = newton.limit(2);
        assert!(few.begin() && few.begin() && !few.begin());
        assert_eq!(few.iterations(), 2);
    }

    #[test]
    fn the_tolerance_of_newtons_method_is_relative_to_the_scale_of_the_unknowns() {
        for scale in [1e-6, 1.0, 1e6] {
            let judged = |size: f64| {
                let mut newton = NewtonProgress::new(1e-10);
                assert!(newton.begin());
                newton.judge(size * scale, scale, || true, || false)
            };
            assert_eq!(judged(0.9e-10), Verdict::Solved, "{scale}");
            assert_eq!(judged(1.1e-10), Verdict::Unsolved, "{scale}");
        }
    }

    #[test]
    fn newtons_method_compares_corrections_across_a_resumption_and_not_across_a_withdrawal() {
        let judged = |mut newton: NewtonProgress| {
            assert!(newton.begin());
            (newton.judge(1e-8, 1.0, || true, || false), newton.ratio())
        };
        let resumed = NewtonProgress::new(1e-15).resume(2, 1e-4);
        let (verdict, ratio) = judged(resumed);
        assert_eq!(verdict, Verdict::Forecast);
        assert!((ratio - 1e-4).abs() < 1e-18, "{ratio}");
        let mut withdrawn = resumed;
        withdrawn.forget();
        assert_eq!(judged(withdrawn), (Verdict::Unsolved, f64::INFINITY));
    }

    #[test]
    fn newtons_method_is_exhausted_with_its_last_iteration_and_not_before() {
        let mut newton = NewtonProgress::new(1e-15).limit(2);
        for exhausted in [false, true] {
            assert!(newton.begin());
            assert_eq!(newton.is_exhausted(), exhausted);
        }
    }
}
