//! A start from two positions: the momentum `p0 = -D1 L_d(q0, q1, h)` of the discrete path between them.

use crate::action::{DiscreteLagrangian, Leg, Slots};
use crate::error::Cause;
use crate::linalg::{Lu, NewtonProgress, Verdict, max_abs, small_parts_settled};

/// Solves for the interior points with both ends held and returns the momentum at the start.
pub fn momentum_between<D: DiscreteLagrangian>(
    ld: &mut D,
    (t, h): (f64, f64),
    q0: &[f64],
    q1: &[f64],
) -> Result<Vec<f64>, Cause> {
    let (n, s) = (q0.len(), ld.pieces());
    let (mut x0, mut x1) = (q0.to_vec(), q1.to_vec());
    let velocity: Vec<f64> = q0.iter().zip(q1).map(|(a, b)| (b - a) / h).collect();
    let mut outer = vec![0.0; n];
    ld.outer_force(t, q0, &velocity, &mut outer);
    ld.enter(t, h, &outer, &mut x0);
    ld.outer_force(t + h, q1, &velocity, &mut outer);
    ld.enter(t + h, h, &outer, &mut x1);
    let mut leg = Leg::new(n, s);
    (leg.t, leg.h) = (t, h);
    for i in 0..n {
        for j in 1..=s {
            leg.u[(j - 1) * n + i] = ld.abscissae()[j] * (x1[i] - x0[i]);
        }
    }
    leg.q = x0;
    let mut slots = Slots::new(n, s);
    let mut lu = Lu::new((s - 1) * n);
    let mut delta = vec![0.0; (s - 1) * n];
    let mut progress = NewtonProgress::new(1e-14).forecast_below(0.0);
    while s > 1 && progress.begin() {
        ld.second(&leg, &mut delta, lu.matrix(), 1..s, 1..s);
        if !lu.factor() {
            return Err(Cause::Singular);
        }
        lu.solve(&mut delta);
        for (u, d) in leg.u.iter_mut().zip(&delta) {
            *u -= d;
        }
        let (size, scale) = (max_abs(&delta), max_abs(&leg.u));
        let small_parts = || small_parts_settled(&delta, &leg.u[..(s - 1) * n], n, scale);
        let verdict = progress.judge(size, scale, small_parts, || false);
        if verdict.ends() {
            return Ok(start_momentum(ld, &leg, &mut slots));
        }
        if verdict == Verdict::Diverged {
            break;
        }
    }
    let p = start_momentum(ld, &leg, &mut slots);
    let residual = max_abs(&slots.d[n..s * n]) / max_abs(&p).max(f64::MIN_POSITIVE);
    let iterations = progress.iterations();
    if residual <= 1e-10 { Ok(p) } else { Err(Cause::Newton { iterations, residual }) }
}

fn start_momentum<D: DiscreteLagrangian>(ld: &mut D, leg: &Leg, slots: &mut Slots) -> Vec<f64> {
    ld.first(leg, slots);
    slots.d[..leg.q.len()].iter().map(|d| -d).collect()
}
