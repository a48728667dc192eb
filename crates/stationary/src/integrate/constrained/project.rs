//! The hidden constraint: momenta whose velocity stays on the constraint set.

use super::State;
use crate::error::Cause;
use crate::linalg::{self, Lu, NewtonProgress, Verdict, dot, max_abs, small_parts_settled};
use crate::model::{Bounds, Jet, Lagrangian, fill_saddle};

/// Newton iterations before the projection is given up.
const LIMIT: usize = 50;

/// Solves `L_v(t, q, v) = p + g'^T mu`, `g' v + g_t = 0` for `v` and `mu`.
#[derive(Debug, Clone)]
pub struct Projection {
    jet: Jet,
    /// Of velocities and constraints.
    large: Lu,
    delta: Vec<f64>,
    matrix: Vec<f64>,
    pivot: Vec<usize>,
    response: Vec<f64>,
}

/// Storage of the projection under a constant mass matrix, for `m` constraints on `n` coordinates.
pub struct Room<'a> {
    /// `m` by `m`.
    pub matrix: &'a mut [f64],
    pub pivot: &'a mut [usize],
    /// `M^-1 grad g_a`, by rows.
    pub response: &'a mut [f64],
    pub unit: &'a mut [f64],
    pub rate: &'a mut [f64],
}

/// With a constant mass matrix: `g' M^-1 g'^T mu = -(g' v + g_t)` for the velocity `v` of the momentum, to which
/// `M^-1 g'^T mu` is added. Inlined, so that it unrolls where the lengths are known.
#[inline(always)]
pub fn linear(
    inverse: impl Fn(&[f64], &mut [f64]),
    bounds: &Bounds,
    v: &mut [f64],
    mu: &mut [f64],
    room: Room<'_>,
) -> Result<(), Cause> {
    let (n, m) = (v.len(), mu.len());
    let Room { matrix, pivot, response, unit, rate } = room;
    for a in 0..m {
        inverse(bounds.gradient(a), &mut response[a * n..(a + 1) * n]);
    }
    // Rows and columns are scaled so that the diagonal is one: pivots of constraints in any units can be compared. A single
    // constraint needs no scaling.
    for a in 0..m {
        let own = || dot(bounds.gradient(a), &response[a * n..(a + 1) * n]);
        unit[a] = if m == 1 { 1.0 } else { own().sqrt().recip() };
    }
    for a in 0..m {
        for b in 0..m {
            let entry = dot(bounds.gradient(a), &response[b * n..(b + 1) * n]);
            matrix[a * m + b] = unit[a] * unit[b] * entry;
        }
    }
    if !linalg::factor(matrix, pivot, m) {
        return Err(Cause::Singular);
    }
    // Two solves: the residual of the first one grows with the condition number of the matrix of several constraints.
    for _ in 0..m.min(2) {
        for a in 0..m {
            rate[a] = unit[a] * bounds.rate(a, v);
        }
        linalg::solve(matrix, pivot, rate, m);
        for a in 0..m {
            let impulse = -unit[a] * rate[a];
            mu[a] += impulse;
            for i in 0..n {
                v[i] += impulse * response[a * n + i];
            }
        }
    }
    Ok(())
}

impl Projection {
    pub fn new(n: usize, m: usize) -> Self {
        Projection {
            jet: Jet::new(n),
            large: Lu::new(n + m),
            // Where the mass matrix is constant, twice the constraints, of which there may be more than coordinates.
            delta: vec![0.0; n.max(m) + m],
            matrix: vec![0.0; m * m],
            pivot: vec![0; m],
            response: vec![0.0; n * m],
        }
    }

    /// Projects the momentum of `state`, whose velocity is a first guess; writes the impulses into `mu`.
    pub fn apply<L: Lagrangian>(
        &mut self,
        l: &L,
        t: f64,
        bounds: &Bounds,
        state: &mut State,
        mu: &mut [f64],
    ) -> Result<(), Cause> {
        mu.fill(0.0);
        match l.mass() {
            Some(mass) => {
                let m = mu.len();
                let (unit, rate) = self.delta.split_at_mut(m);
                let room = Room {
                    matrix: &mut self.matrix,
                    pivot: &mut self.pivot,
                    response: &mut self.response,
                    unit,
                    rate: &mut rate[..m],
                };
                mass.velocity(&state.p, &mut state.v);
                linear(|p, v| mass.velocity(p, v), bounds, &mut state.v, mu, room)?;
            }
            None => self.newton(l, t, bounds, state, mu)?,
        }
        bounds.add_force(mu, &mut state.p);
        Ok(())
    }

    fn newton<L: Lagrangian>(
        &mut self,
        l: &L,
        t: f64,
        bounds: &Bounds,
        state: &mut State,
        mu: &mut [f64],
    ) -> Result<(), Cause> {
        let (n, m) = (state.q.len(), mu.len());
        let mut progress = NewtonProgress::new(1e-15).limit(LIMIT).forecast_below(0.0).stalls_from(2, 0.5);
        let mut last = f64::INFINITY;
        while progress.begin() {
            l.second(t, &state.q, &state.v, &mut self.jet);
            for i in 0..n {
                self.delta[i] = self.jet.dv()[i] - state.p[i];
            }
            for a in 0..m {
                for (d, g) in self.delta.iter_mut().zip(bounds.gradient(a)) {
                    *d -= mu[a] * g;
                }
                self.delta[n + a] = bounds.rate(a, &state.v);
            }
            let units = fill_saddle(&mut self.large, &self.jet, bounds, n);
            (0..m).for_each(|a| self.delta[n + a] *= units[a]);
            if !self.large.factor() {
                return Err(Cause::Singular);
            }
            self.large.solve(&mut self.delta[..n + m]);
            state.v.iter_mut().zip(&self.delta).for_each(|(v, d)| *v -= d);
            (0..m).for_each(|a| mu[a] -= units[a] * self.delta[n + a]);
            let size = max_abs(&self.delta[..n]);
            // The part of the momentum that is projected out may be the larger one, and leaves its rounding.
            let speed = max_abs(&state.v);
            let scale = speed.max(max_abs(&state.p) / max_abs(self.jet.dvv()));
            let small_parts = || small_parts_settled(&self.delta[..n], &state.v, n, speed);
            let verdict = progress.judge(size, speed, small_parts, || size <= 1e-12 * scale);
            if verdict.ends() {
                return Ok(());
            }
            if verdict == Verdict::Diverged {
                break;
            }
            last = size;
        }
        let residual = last / max_abs(&state.v).max(f64::MIN_POSITIVE);
        Err(Cause::Newton { iterations: progress.iterations(), residual })
    }
}
