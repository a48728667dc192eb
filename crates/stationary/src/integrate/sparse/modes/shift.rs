//! A shift below all eigenvalues, near the lowest that is not known: the nearer, the fewer iterations and the more digits.

use super::ModesError;
use super::lanczos::largest;
use super::matrix::{Factor, ScaledStiffness};
use faer::sparse::linalg::cholesky::SymbolicCholesky;

/// A shift that is farther below the lowest eigenvalue than so many times its size is moved up.
const FAR: f64 = 20.0;
/// The first try for a body that is free to move, in parts of the bound on all eigenvalues.
const FIRST: f64 = 1e-8;
/// Attempts to get below all eigenvalues, each four times as far.
const ATTEMPTS: usize = 60;
/// Digits of the lowest eigenvalue that are enough to choose by.
const ROUGH: f64 = 1e-3;
/// An eigenvalue below this part of the bound on all is zero as far as a factor is concerned.
const SINGULAR: f64 = 1e-14;

/// A shift, its factor, and the solutions spent on it.
pub(super) struct Shift<'a> {
    pub sigma: f64,
    pub factor: Factor<'a>,
    pub solves: usize,
}

/// A shift below all eigenvalues. `known` are vectors of the eigenvalue zero.
pub(super) fn shift_below<'a>(
    matrix: &ScaledStiffness,
    symbolic: &'a SymbolicCholesky<usize>,
    known: &[Vec<f64>],
) -> Result<Shift<'a>, ModesError> {
    let bound = matrix.bound();
    if !(bound > 0.0) {
        return Err(ModesError::NoShift);
    }
    let mut solves = 0;
    let mut lowest_at = |factor: &Factor<'_>, sigma: f64| -> Result<Option<f64>, ModesError> {
        let n = matrix.len();
        let found = largest(n, known, (1, ROUGH, 1), &mut |block| {
            solves += block.len() / n;
            factor.solve(block, n);
        });
        match found {
            Ok(ritz) => Ok(ritz.first().map(|ritz| sigma + 1.0 / ritz.theta)),
            Err(ModesError::NotConverged { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    };
    if known.is_empty()
        && let Some(factor) = matrix.factor(symbolic, 0.0)?
        && let Some(lowest) = lowest_at(&factor, 0.0)?
        && lowest > SINGULAR * bound
    {
        return Ok(Shift { sigma: 0.0, factor, solves });
    }
    let mut sigma = -FIRST * bound;
    for _ in 0..ATTEMPTS {
        let Some(factor) = matrix.factor(symbolic, sigma)? else {
            sigma *= 4.0;
            continue;
        };
        let Some(lowest) = lowest_at(&factor, sigma)? else { return Ok(Shift { sigma, factor, solves }) };
        let nearer = -lowest.abs() * if lowest < 0.0 { 2.0 } else { 1.0 };
        // Beside a shift as small as rounding, many motions without stiffness would look apart.
        if lowest.abs() <= SINGULAR * bound || sigma > FAR * nearer {
            return Ok(Shift { sigma, factor, solves });
        }
        drop(factor);
        // What an eigenvalue near the lowest hides is below `nearer` at worst: then the factor fails, and the shift goes down again.
        sigma = nearer;
    }
    Err(ModesError::NoShift)
}
