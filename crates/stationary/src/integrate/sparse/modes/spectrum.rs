//! The lowest eigenvalues of the scaled stiffness: a shift, the iteration, and a count of what is there.

use super::lanczos::{dot, eigen, largest};
use super::matrix::{Factor, ScaledStiffness};
use super::shift::{Shift, shift_below};
use super::{CountCheck, ModalSpec, ModeKind, ModesError};

/// Up to so many unknowns the whole spectrum is computed from the full matrix.
const FEW: usize = 60;
/// Eigenvalues nearer than this, relative to their distance from the shift, are not told apart.
const APART: f64 = 1e-6;
/// Part of the tolerance that the iteration is asked for: what is left of known vectors adds up in later ones.
const SPARE: f64 = 1e-2;
/// Where the iteration begins; a second pass begins elsewhere.
const SEED: u64 = 0x5eed;
/// Rounding of an eigenvalue, in parts of what the terms of `A y` amount to.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// An eigenvalue and its vector of length one.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub value: f64,
    pub kind: ModeKind,
    pub vector: Vec<f64>,
    pub residual: f64,
}

/// The lowest pairs, and how they were found.
pub(super) struct Found {
    pub pairs: Vec<Pair>,
    pub shift: f64,
    pub fill: usize,
    pub solves: usize,
    pub count_check: Option<CountCheck>,
}

/// The lowest pairs; `rigid` are the ones without energy that are known, at most as many as wanted.
pub(super) fn lowest(
    matrix: &ScaledStiffness,
    rigid: Vec<Pair>,
    spec: &ModalSpec,
) -> Result<Found, ModesError> {
    let n = matrix.len();
    if n <= FEW {
        return Ok(of_full_matrix(matrix, rigid, spec.count));
    }
    let symbolic = matrix.symbolic()?;
    let mut known: Vec<Vec<f64>> = rigid.iter().map(|pair| pair.vector.clone()).collect();
    let Shift { sigma, mut factor, mut solves } = shift_below(matrix, &symbolic, &known)?;
    let fill = factor.len();
    let mut pairs = rigid;
    pairs.iter_mut().for_each(|pair| pair.residual = residual(&factor, sigma, pair, n));
    let (mut count_check, mut pass) = (None, 0);
    let rigid = pairs.len();
    // A further vector tells how far the next eigenvalue is.
    let mut want = spec.count + 1 - rigid;
    loop {
        let ritz = largest(n, &known, (want, SPARE * spec.tolerance, SEED + pass), &mut |block| {
            solves += block.len() / n;
            factor.solve(block, n);
        })?;
        for found in ritz {
            let value = sigma + 1.0 / found.theta;
            let mut pair = Pair { value, kind: ModeKind::Vibration, residual: 0.0, vector: found.vector };
            pair.kind = kind_of(matrix, &pair);
            pair.residual = residual(&factor, sigma, &pair, n);
            solves += 1;
            known.push(pair.vector.clone());
            pairs.push(pair);
        }
        pairs.sort_by(|a, b| a.value.total_cmp(&b.value));
        pass += 1;
        if pass == 1 && rigid > 0 && pairs[0].kind == ModeKind::Unstable {
            // Below the motions as a rigid body, which are then not among the lowest for certain.
            want = rigid;
            continue;
        }
        let Some((bound, found)) = bound_of(&pairs, spec.count, sigma) else { break };
        drop(factor);
        let there = matrix.count_below(&symbolic, bound)?;
        count_check = there.map(|there| CountCheck { below: bound, there, found });
        match there {
            Some(there) if there > found && known.len() < n => want = there - found,
            _ => break,
        }
        factor = matrix.factor(&symbolic, sigma)?.ok_or(ModesError::NoShift)?;
        if pass as usize > spec.count + 1 {
            return Err(ModesError::NotConverged { found });
        }
    }
    pairs.truncate(spec.count);
    Ok(Found { pairs, shift: sigma, fill, solves, count_check })
}

/// A bound between eigenvalues that are apart, as high as the modes that are wanted allow, and how many were found below it.
fn bound_of(pairs: &[Pair], count: usize, sigma: f64) -> Option<(f64, usize)> {
    (1..=count.min(pairs.len())).rev().find_map(|below| {
        let value = pairs[below - 1].value;
        let distance = value - sigma;
        // Above the last pair found anything may follow.
        let gap = pairs.get(below).map_or(f64::INFINITY, |next| next.value - value);
        (gap > APART * distance).then(|| (value + (0.5 * gap).min(1e-3 * distance), below))
    })
}

/// `|y - (lambda - sigma) (A - sigma)^-1 y|`.
fn residual(factor: &Factor<'_>, sigma: f64, pair: &Pair, n: usize) -> f64 {
    let mut solved = pair.vector.clone();
    factor.solve(&mut solved, n);
    let rest = pair.vector.iter().zip(&solved).map(|(y, z)| y - (pair.value - sigma) * z);
    rest.map(|r| r * r).sum::<f64>().sqrt()
}

/// What a pair is that is no motion as a rigid body.
fn kind_of(matrix: &ScaledStiffness, pair: &Pair) -> ModeKind {
    let (_, size) = matrix.multiply(&pair.vector);
    let rounding = ROUNDING * dot(&size, &size).sqrt();
    match pair.value {
        value if value.abs() <= rounding => ModeKind::Mechanism,
        value if value < 0.0 => ModeKind::Unstable,
        _ => ModeKind::Vibration,
    }
}

/// All pairs of a small body, from its full matrix. Motions as a rigid body are taken out of it first: what is left has no part along them.
fn of_full_matrix(matrix: &ScaledStiffness, rigid: Vec<Pair>, count: usize) -> Found {
    let n = matrix.len();
    let mut full = matrix.dense();
    // Beyond all others, so that they come last.
    let beyond = 4.0 * matrix.bound() + f64::MIN_POSITIVE;
    for Pair { vector, .. } in &rigid {
        for column in 0..n {
            (0..n).for_each(|row| full[column * n + row] += beyond * vector[row] * vector[column]);
        }
    }
    let (values, vectors) = eigen(&full, n);
    let rest = values.into_iter().zip(vectors).take(n - rigid.len()).map(|(value, vector)| {
        let mut pair = Pair { value, kind: ModeKind::Vibration, residual: 0.0, vector };
        pair.kind = kind_of(matrix, &pair);
        pair
    });
    let mut pairs: Vec<Pair> = rest.chain(rigid).collect();
    for pair in &mut pairs {
        let (force, _) = matrix.multiply(&pair.vector);
        let rest = force.iter().zip(&pair.vector).map(|(f, y)| f - pair.value * y);
        let scale = matrix.bound();
        pair.residual = if scale > 0.0 { rest.map(|r| r * r).sum::<f64>().sqrt() / scale } else { 0.0 };
    }
    pairs.sort_by(|a, b| a.value.total_cmp(&b.value));
    pairs.truncate(count);
    Found { pairs, shift: 0.0, fill: n * n, solves: 0, count_check: None }
}
