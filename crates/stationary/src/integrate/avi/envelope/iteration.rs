//! Chebyshev's iteration for `y = x - lambda M^-1 grad V(y)`, with coefficients that are fixed beforehand.
//!
//! Linearised, `(1 + B) (y - y*) = 0` with the eigenvalues of `B = lambda M^-1 K` in `[0, s]`. The iteration
//!
//! ```text
//! r = x - lambda M^-1 grad V(y) - y,    d <- keep_j d + gain_j r,    y <- y + d
//! ```
//!
//! has after `n` evaluations the error polynomial `T_n((theta - mu)/delta) / T_n(theta/delta)`, `theta = 1 + (s + l)/2`, `delta = (s - l)/2`,
//! which is at most `2 rho^n/(1 + rho^2n)` for `mu` in `[1 + l, 1 + s]` with `rho = (r - 1)/(r + 1)`, `r^2 = (1 + s)/(1 + l)`. Below `l` it is
//! larger by a small factor; but an error there makes a force in proportion to its eigenvalue, so that `l = s/4` leaves less than `l = 0`.
//!
//! With a single evaluation there is one number to choose, and it is chosen for each node ([`nodal`](super::nodal)).

/// The error of the iteration, as a part of the swing of the shared nodes. With impulses a state of rest has a kinetic energy of 1e-6 to 1e-4
/// of the potential one; with the envelope it is multiplied by the square of this error. Two evaluations reach it with the default fraction,
/// and leave 3e-13 in the patch test.
pub(in super::super) const TOLERANCE: f64 = 6e-3;

/// The lower end of the spectrum for which the coefficients are made, as a part of the upper one.
const LEAST: f64 = 0.25;

/// Most evaluations.
const MOST: u32 = 12;

/// Deformation stiffens elements: the spectrum is taken to be larger than it was found by this factor.
const MARGIN: f64 = 1.1;

/// `lambda` over the square of the slow step, which is twice the fast one.
pub(in super::super) const LAMBDA: f64 = 0.125;

/// The coefficients of a single evaluation; its gain is multiplied by the factor of each node.
pub(in super::super) const ONE_EVALUATION: [f64; 2] = [0.0, 1.0];

/// The coefficients `[keep, gain]` of all iterations for a time step `step` of the slow level and the largest eigenvalue of `M^-1 K`.
pub(in super::super) fn coefficients(step: f64, eigenvalue: f64, tolerance: f64) -> Vec<[f64; 2]> {
    let spectrum = MARGIN * LAMBDA * step * step * eigenvalue;
    // Steps beyond every limit of stability, or no number at all.
    let s = if spectrum <= 2.0 { spectrum.max(1e-6) } else { 2.0 };
    let least = LEAST * s;
    let root = ((1.0 + s) / (1.0 + least)).sqrt();
    let rho = (root - 1.0) / (root + 1.0);
    let error = |n: u32| 2.0 * rho.powi(n as i32) / (1.0 + rho.powi(2 * n as i32));
    let count = (1..MOST).find(|n| error(*n) <= tolerance).unwrap_or(MOST);
    let (theta, delta) = (1.0 + 0.5 * (s + least), 0.5 * (s - least));
    let sigma = theta / delta;
    let mut now = 1.0 / sigma;
    let mut all = vec![[0.0, 1.0 / theta]];
    for _ in 1..count {
        let next = 1.0 / (2.0 * sigma - now);
        all.push([next * now, 2.0 * next / delta]);
        now = next;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iteration_reaches_its_tolerance_on_its_spectrum_and_one_evaluation_less_does_not() {
        for s in [0.05, 0.2, 0.5] {
            let eigenvalue = s / (MARGIN * LAMBDA);
            let coefficients = coefficients(1.0, eigenvalue, TOLERANCE);
            let error = |count: usize| {
                let one = |b: f64| {
                    // x = 1 and V = b y^2 / 2.
                    let mut y = 1.0;
                    let mut d = 0.0;
                    for [keep, gain] in &coefficients[..count] {
                        d = keep * d + gain * (1.0 - b * y - y);
                        y += d;
                    }
                    let exact = 1.0 / (1.0 + b);
                    ((y - exact) / (1.0 - exact)).abs()
                };
                (25..=100).map(|i| one(s * f64::from(i) / 100.0)).fold(0.0, f64::max)
            };
            let all = coefficients.len();
            assert!(error(all) <= 1.01 * TOLERANCE, "{s}: {:e}", error(all));
            assert!(error(all - 1) > TOLERANCE, "{s}: {:e}", error(all - 1));
        }
    }
}
