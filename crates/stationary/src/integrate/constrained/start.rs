//! Starts on a constraint set: whether a state obeys the constraints and they are independent there.

use super::State;
use super::project::Projection;
use super::saddle::{ROUNDING, Saddle};
use crate::action::{DiscreteLagrangian, Leg, Slots};
use crate::error::Cause;
use crate::linalg::{self, Lu, NewtonProgress, Verdict, dot, max_abs};
use crate::model::{Bounds, Constraint};

/// What is wrong with a constraint at the start; it is named by its number, from 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// Its value or gradient is not a finite number.
    NotFinite(usize),
    /// The position does not obey it; it has this value.
    Violated(usize, f64),
    /// It has no gradient.
    Flat(usize),
    /// Its gradient is a combination of those of constraints before it.
    Dependent(usize, Vec<usize>),
    /// The velocity leaves it at this rate.
    Leaves(usize, f64),
}

/// What must be left of a gradient, relative to itself, without its part in the span of the others.
const INDEPENDENT: f64 = 1e-9;

/// A part of a gradient along another that is more than rounding.
const PARTNER: f64 = 1e-6;

/// Checks a start against constraints and moves the position onto them to the last bit where it is there but for rounding.
pub fn settle<C: Constraint>(constraint: &C, t: f64, q: &mut [f64]) -> Result<(), Fault> {
    let (n, m) = (q.len(), constraint.count());
    let mut bounds = Bounds::new(n, m);
    constraint.first(t, q, &mut bounds);
    for a in 0..m {
        let gradient = bounds.gradient(a);
        if !(bounds.value()[a].is_finite() && max_abs(gradient).is_finite()) {
            return Err(Fault::NotFinite(a));
        }
        // Far from the origin a position is rounded, and a constraint moves by that times its gradient.
        let terms = bounds.terms(a, q);
        if bounds.value()[a].abs() > ROUNDING * terms && bounds.value()[a] != 0.0 {
            return Err(Fault::Violated(a, bounds.value()[a]));
        }
    }
    independent(&bounds, n)?;
    for _ in 0..3 {
        let mut gram = Lu::new(m);
        for a in 0..m {
            for b in 0..m {
                gram.matrix()[a * m + b] = dot(bounds.gradient(a), bounds.gradient(b))
                    / (max_abs(bounds.gradient(a)) * max_abs(bounds.gradient(b)));
            }
        }
        let mut step: Vec<f64> = (0..m).map(|a| bounds.value()[a] / max_abs(bounds.gradient(a))).collect();
        if gram.factor() {
            gram.solve(&mut step);
            (0..m).for_each(|a| step[a] /= -max_abs(bounds.gradient(a)));
            bounds.add_force(&step, q);
            constraint.first(t, q, &mut bounds);
        }
    }
    Ok(())
}

/// The gradients in units that make constraints and coordinates alike: angles between them mean nothing where one coordinate is a
/// length and another an angle.
fn alike(bounds: &Bounds, n: usize) -> Vec<Vec<f64>> {
    let m = bounds.value().len();
    // Coordinates that no constraint knows have no unit, and need none.
    let known: Vec<usize> = (0..n).filter(|i| (0..m).any(|a| bounds.gradient(a)[*i] != 0.0)).collect();
    let entries: Vec<f64> = (0..m).flat_map(|a| known.iter().map(move |i| bounds.gradient(a)[*i])).collect();
    let Some((rows, columns)) = linalg::equilibrate(&entries, known.len()) else {
        return (0..m).map(|a| bounds.gradient(a).to_vec()).collect();
    };
    let row = |a: usize| -> Vec<f64> {
        known.iter().zip(&columns).map(|(i, column)| rows[a] * bounds.gradient(a)[*i] * column).collect()
    };
    (0..m).map(row).collect()
}

/// Names the first constraint whose gradient is a combination of earlier ones, by orthogonalisation in order.
fn independent(bounds: &Bounds, n: usize) -> Result<(), Fault> {
    let m = bounds.value().len();
    if let Some(flat) = (0..m).find(|a| max_abs(bounds.gradient(*a)) == 0.0) {
        return Err(Fault::Flat(flat));
    }
    let gradients = alike(bounds, n);
    // Orthonormal directions of the gradients before.
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for a in 0..m {
        let norm = dot(&gradients[a], &gradients[a]).sqrt();
        let mut rest: Vec<f64> = gradients[a].iter().map(|g| g / norm).collect();
        for _ in 0..2 {
            for direction in &basis {
                let part = dot(direction, &rest);
                rest.iter_mut().zip(direction).for_each(|(r, d)| *r -= part * d);
            }
        }
        let left = dot(&rest, &rest).sqrt();
        let dependent = left < INDEPENDENT || basis.len() == n;
        if dependent {
            return Err(Fault::Dependent(a, partners(&gradients, a)));
        }
        rest.iter_mut().for_each(|r| *r /= left);
        basis.push(rest);
    }
    Ok(())
}

/// The constraints before `a`, which are independent, of whose gradients that of `a` is a combination.
fn partners(gradients: &[Vec<f64>], a: usize) -> Vec<usize> {
    let unit = |k: usize| {
        let gradient = &gradients[k];
        let norm = dot(gradient, gradient).sqrt();
        gradient.iter().map(|g| g / norm).collect::<Vec<f64>>()
    };
    let units: Vec<Vec<f64>> = (0..=a).map(unit).collect();
    let mut gram = Lu::new(a);
    for i in 0..a {
        for j in 0..a {
            gram.matrix()[i * a + j] = dot(&units[i], &units[j]);
        }
    }
    let mut parts: Vec<f64> = (0..a).map(|i| dot(&units[i], &units[a])).collect();
    if gram.factor() {
        gram.solve(&mut parts);
    }
    (0..a).filter(|&i| parts[i].abs() > PARTNER).collect()
}

/// Checks a velocity against the hidden constraints.
pub fn stays<C: Constraint>(constraint: &C, t: f64, q: &[f64], v: &[f64]) -> Result<(), Fault> {
    let m = constraint.count();
    let mut bounds = Bounds::new(q.len(), m);
    constraint.first(t, q, &mut bounds);
    for a in 0..m {
        let rate = bounds.rate(a, v);
        let terms = bounds.terms(a, v) + bounds.dt()[a].abs();
        if rate.abs() > ROUNDING * terms {
            return Err(Fault::Leaves(a, rate));
        }
    }
    Ok(())
}

/// The momentum with which the discrete path on the constraint set from `q0` reaches `q1` one step later, projected so that
/// its velocity obeys the hidden constraints.
pub fn between<D: DiscreteLagrangian, C: Constraint>(
    ld: &mut D,
    constraint: C,
    (t, h): (f64, f64),
    q0: &[f64],
    q1: &[f64],
) -> Result<Vec<f64>, Cause> {
    let (n, s, m) = (q0.len(), ld.pieces(), constraint.count());
    let mut leg = Leg::new(n, s);
    (leg.t, leg.h) = (t, h);
    leg.q.copy_from_slice(q0);
    for j in 1..=s {
        for i in 0..n {
            leg.u[(j - 1) * n + i] = ld.abscissae()[j] * (q1[i] - q0[i]);
        }
    }
    let mut saddle = Saddle::new(constraint, ld.abscissae(), n);
    let mut mu = vec![0.0; (s + 1) * m];
    let mut progress = NewtonProgress::new(1e-14).forecast_below(0.0).stalls_from(2, 0.5);
    while s > 1 && progress.begin() {
        saddle.assemble(ld, &leg, &mu, (1..s, 1..s));
        if !saddle.factor() {
            return Err(Cause::Singular);
        }
        let (size, scale) = saddle.correct(&mut leg.u, &mut mu);
        let small_parts = || saddle.small_parts_settled(&leg.u, scale);
        let verdict = progress.judge(size, scale, small_parts, || size <= 1e-10 * scale);
        if verdict.ends() {
            break;
        }
        if verdict == Verdict::Diverged || progress.is_exhausted() {
            return Err(Cause::Newton { iterations: progress.iterations(), residual: size / scale });
        }
    }
    let mut slots = Slots::new(n, s);
    ld.first(&leg, &mut slots);
    let p: Vec<f64> = slots.d[..n].iter().map(|d| -d).collect();
    let v = q0.iter().zip(q1).map(|(a, b)| (b - a) / h).collect();
    let mut state = State { q: q0.to_vec(), p, v };
    saddle.look(&leg, 0, q0, false);
    Projection::new(n, m).apply(ld.system(), t, saddle.bounds(0), &mut state, &mut mu[..m])?;
    Ok(state.p)
}
