//! The derivative of a step with its impacts in the state at its start: all equations of the step varied at once.

use crate::action::{DiscreteLagrangian, Leg, Slots};
use crate::contact::{Gap, GapImpact};
use crate::linalg::{Lu, dot};
use crate::model::Bounds;

/// The tangent of a step of elastic impacts, each with one gap, `(dq0, dp0) -> (dq1, dp1)`, into `matrix` (2n by 2n, by rows).
///
/// Unknowns are the points of all legs after the first, the length of each leg but the last, and the impulse of each impact. The
/// equations are `p0 + D_0 = 0` and `D_j = 0` of the first leg; at each impact `phi = 0`, the balance of momentum
/// `D_s + lambda grad phi + D_0' = 0` and that of energy `D3 - D3' = 0`; and `D_j = 0` of every further leg.
pub fn tangent<D: DiscreteLagrangian, G: Gap>(
    ld: &mut D,
    gaps: &G,
    legs: &[Leg],
    impacts: &[GapImpact],
    matrix: &mut [f64],
) -> bool {
    let (n, s, k) = (legs[0].q.len(), ld.pieces(), legs.len());
    let cuts = k - 1;
    // A step that begins with an impact depends on more than the state at its start.
    if impacts.len() != cuts {
        return false;
    }
    let mut slots = Slots::new(n, s);
    // Columns: the start, then s points a leg, then a time and an impulse for each cut.
    let points = |leg: usize, j: usize| n + ((leg * s + j) - 1) * n;
    let column = |leg: usize, j: usize| if leg == 0 && j == 0 { 0 } else { points(leg, j) };
    let (times, impulses) = (n + k * s * n, n + k * s * n + cuts);
    let width = impulses + cuts;
    let unknowns = width - n;
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(unknowns);
    let mut out = vec![vec![0.0; width]; n];
    let mut bounds = Bounds::new(n, gaps.count());
    let size = (s + 1) * n;
    // Rows of the balance of momentum and of energy at the cut before the present leg.
    let mut momentum = vec![vec![0.0; width]; n];
    let mut power = vec![0.0; width];
    for (l, leg) in legs.iter().enumerate() {
        let (mut d, mut dd, mut mixed) = (vec![0.0; size], vec![0.0; size * size], vec![0.0; size]);
        let Some(length) = ld.second_in_length(leg, [0..s + 1, 0..s + 1], &mut d, &mut dd, &mut mixed) else {
            return false;
        };
        ld.first(leg, &mut slots);
        if slots.dt != 0.0 {
            return false;
        }
        // How the length of this leg follows the times of the cuts at its ends.
        let mut lengths = vec![0.0; width];
        if l > 0 {
            lengths[times + l - 1] = -1.0;
        }
        if l < cuts {
            lengths[times + l] += 1.0;
        }
        let add = |row: &mut [f64], from: &[f64], by_length: f64| {
            for j in 0..=s {
                let at = column(l, j);
                for y in 0..n {
                    row[at + y] += from[j * n + y];
                }
            }
            row.iter_mut().zip(&lengths).for_each(|(r, x)| *r += by_length * x);
        };
        for i in 0..n {
            add(&mut momentum[i], &dd[i * size..(i + 1) * size], mixed[i]);
        }
        if l > 0 {
            add(&mut power, &mixed.iter().map(|x| -x).collect::<Vec<_>>(), -length.d33);
            rows.push(std::mem::replace(&mut power, vec![0.0; width]));
        }
        rows.extend(std::mem::replace(&mut momentum, vec![vec![0.0; width]; n]));
        for j in 1..s {
            for i in 0..n {
                let r = j * n + i;
                let mut row = vec![0.0; width];
                add(&mut row, &dd[r * size..(r + 1) * size], mixed[r]);
                rows.push(row);
            }
        }
        let target = if l < cuts { &mut momentum } else { &mut out };
        for i in 0..n {
            let r = s * n + i;
            add(&mut target[i], &dd[r * size..(r + 1) * size], mixed[r]);
        }
        if l < cuts {
            add(&mut power, &mixed, length.d33);
            let (impact, at) = (&impacts[l], points(l, s));
            let place: Vec<f64> = leg.q.iter().zip(leg.increment(s)).map(|(q, u)| q + u).collect();
            gaps.second(leg.t + leg.h, &place, &mut bounds);
            let mut row = vec![0.0; width];
            row[at..at + n].copy_from_slice(bounds.gradient(impact.contact.gap));
            rows.push(row);
            let hessian = &bounds.dqq()[impact.contact.gap * n * n..(impact.contact.gap + 1) * n * n];
            for i in 0..n {
                momentum[i][impulses + l] = bounds.gradient(impact.contact.gap)[i];
                for y in 0..n {
                    momentum[i][at + y] += impact.impulse * hessian[i * n + y];
                }
            }
        }
    }
    let mut lu = Lu::new(unknowns);
    for (r, row) in rows.iter().enumerate() {
        lu.matrix()[r * unknowns..(r + 1) * unknowns].copy_from_slice(&row[n..]);
    }
    if rows.len() != unknowns || !lu.factor() {
        return false;
    }
    for c in 0..2 * n {
        let mut all = vec![0.0; width];
        let (start, rhs) = all.split_at_mut(n);
        if c < n {
            start[c] = 1.0;
            rhs.iter_mut().zip(&rows).for_each(|(x, row)| *x = -row[c]);
        } else {
            rhs[c - n] = -1.0;
        }
        lu.solve(rhs);
        let last = points(k - 1, s);
        for i in 0..n {
            matrix[i * 2 * n + c] = all[last + i];
            matrix[(n + i) * 2 * n + c] = dot(&out[i], &all);
        }
    }
    true
}
