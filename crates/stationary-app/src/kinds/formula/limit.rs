//! Whether the step of an explicit method is within its limit of stability, `h omega <= 2` for velocity Verlet.
//!
//! Small motions about the start have the frequencies `omega^2` of `M^-1 V''` there. Of a quadratic potential they are those of every
//! motion, and a step beyond the limit is refused; of others they are those at the start only, and the user is told.

use super::mechanics::Mechanics;
use super::setting::Setting;
use crate::run::finish::short;
use stationary::error::Error;
use stationary::integrate::Start;
use stationary::model::solid::largest_eigenvalue;
use stationary::model::{FormulaLagrangian, Lagrangian};

/// Coordinates beyond which nothing is looked for: the matrices are dense.
const MOST: usize = 300;

/// Forces are compared over this part of the size of the positions.
const NEAR: f64 = 1e-5;

/// What a product of step and frequency may miss the limit by: frequencies are found by differences.
const MISSED: f64 = 1e-3;

/// Refuses a step beyond the limit; returns a warning where that is known at the start only.
pub(super) fn judge(setting: &Setting<'_>, start: &Start, velocity: &[f64]) -> Result<Option<String>, Error> {
    let Setting { scenario, system, mechanics, interactions, method, energy_choice, .. } = *setting;
    let (Mechanics::Lagrangian(l), None) = (mechanics, energy_choice) else { return Ok(None) };
    // Constraints and reduction take motions out, and with them frequencies.
    let whole = system.constraints.is_empty() && system.reduce.is_empty();
    if !whole || l.mass().is_none() || start.q.len() > MOST {
        return Ok(None);
    }
    let Some(limit) = method.stability_limit() else { return Ok(None) };
    let Some(near) = stiffness(l, start, velocity).and_then(|k| frequency(l, &k)) else { return Ok(None) };
    if start.h * near <= limit * (1.0 + MISSED) {
        return Ok(None);
    }
    let alone = interactions.force.is_none() && system.gaps.is_empty();
    if let Some(exact) = l.constant_stiffness().filter(|_| alone).and_then(|k| frequency(l, &k)) {
        let place = &scenario.integrator.method.place;
        let message = format!(
            "the step {} is beyond the limit of {method}: the largest frequency of this system is {}, and steps beyond {} let it \
             grow without bound",
            start.h,
            short(exact),
            short(limit / exact)
        );
        let help = format!(
            "expected a `step` below {}, or an implicit method such as midpoint",
            short(limit / exact)
        );
        return Err(place.error(message).help(help).into());
    }
    Ok(Some(format!(
        "the step {} is too long for {method} near the start: small motions there have frequencies up to {}, and steps beyond {} let \
         them grow",
        start.h,
        short(near),
        short(limit / near)
    )))
}

/// `V''` at the start, by rows, from differences of the forces.
fn stiffness(l: &FormulaLagrangian, start: &Start, velocity: &[f64]) -> Option<Vec<f64>> {
    let n = start.q.len();
    let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let size = [largest(&start.q), start.h * largest(velocity), 1.0].into_iter().find(|x| *x > 0.0)?;
    let mut matrix = vec![0.0; n * n];
    let mut forces = [vec![0.0; n], vec![0.0; n]];
    for j in 0..n {
        let own = start.q[j].abs();
        let reach = NEAR * if own > 0.0 { own } else { size };
        let mut places = [start.q[j] + reach, start.q[j] - reach];
        for (place, force) in places.iter_mut().zip(&mut forces) {
            let mut q = start.q.clone();
            q[j] = *place;
            l.force(start.t, &q, force);
        }
        for i in 0..n {
            matrix[i * n + j] = (forces[1][i] - forces[0][i]) / (places[0] - places[1]);
        }
    }
    matrix.iter().all(|x| x.is_finite()).then_some(matrix)
}

/// The largest frequency of a stiffness against the masses: with `M = C C'`, the root of the largest eigenvalue of `C^-1 K C'^-1`. `None`
/// where nothing vibrates, or the masses are not positive.
fn frequency(l: &FormulaLagrangian, stiffness: &[f64]) -> Option<f64> {
    let mass = l.mass()?.matrix();
    let n = l.dimension();
    let mut c = mass.to_vec();
    for j in 0..n {
        let own = c[j * n + j] - (0..j).map(|k| c[j * n + k] * c[j * n + k]).sum::<f64>();
        if !(own > 0.0) {
            return None;
        }
        c[j * n + j] = own.sqrt();
        for i in j + 1..n {
            let rest: f64 = (0..j).map(|k| c[i * n + k] * c[j * n + k]).sum();
            c[i * n + j] = (c[i * n + j] - rest) / c[j * n + j];
        }
    }
    // Columns of K, then rows of what has come of it.
    let mut k = stiffness.to_vec();
    for _ in 0..2 {
        for column in 0..n {
            for i in 0..n {
                let rest: f64 = (0..i).map(|j| c[i * n + j] * k[j * n + column]).sum();
                k[i * n + column] = (k[i * n + column] - rest) / c[i * n + i];
            }
        }
        let turned = k.clone();
        (0..n * n).for_each(|at| k[at] = turned[at % n * n + at / n]);
    }
    let largest = largest_eigenvalue(&mut k, n)?;
    (largest > 0.0).then(|| largest.sqrt())
}
