//! Holonomic constraints `g(t, q) = 0` for any discrete Lagrangian, by multipliers [VTI04 (24)-(25)].
//!
//! All points of a step lie on the constraint set: `L_d(q0, q1) = ext L_full(q0, Q_1, ..., q1)` over interior points with
//! `g(Q_j) = 0`. With impulses `mu_j` of the constraints the position-momentum form is
//!
//! ```text
//! p0 + D_0 L_full + g'(q0)^T mu_0 = 0
//!      D_j L_full + g'(Q_j)^T mu_j = 0    0 < j < s
//!                           g(Q_j) = 0    0 < j <= s
//! ```
//!
//! for the increments of the points and `mu_0 .. mu_{s-1}`, by one Newton iteration with exact second derivatives; then
//!
//! ```text
//! p1 = D_s L_full + g'(q1)^T mu_s,     g'(q1) v1 + g_t = 0,     p1 = L_v(q1, v1)
//! ```
//!
//! for `mu_s`. Momenta that differ by `g'(q)^T mu` are one covector of the constraint set: the hidden constraint on the
//! velocity picks one of them, and what it adds is taken back by `mu_0` of the next step. So the positions are those of
//! (25), the two impulses at a point adding to its `lambda_k`, and the map is the one that the restricted `L_d` generates
//! on the cotangent bundle of the constraint set: it keeps the symplectic form there, and, where `xi` is a symmetry of
//! `L_d` tangent to the set, `p . xi`, because `g' xi = 0`. The trapezoidal rule gives RATTLE, its positions are SHAKE's.
//!
//! Because interior points obey the constraint too, at Lobatto abscissae, the order stays that of the unconstrained
//! method: along the true path `S + integral lambda g` is stationary, and the quadrature of `lambda g` over a step vanishes
//! but for its error of order `2 s`.

pub(super) mod project;
mod rattle;
pub(super) mod saddle;
mod start;
mod tangent;

pub use rattle::Rattle;
pub use start::{Fault, between, settle, stays};

use super::discrete_euler_lagrange::{ROUGH, extrapolate, forecast};
use super::{Integrator, Start, View};
use crate::action::{DiscreteLagrangian, Leg, Slots};
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::linalg::{NewtonProgress, ROUNDING_OF_POSITIONS, Verdict, max_abs};
use crate::model::Constraint;
use project::Projection;
use saddle::Saddle;

/// Steps any discrete Lagrangian of positions on a constraint set.
#[derive(Debug, Clone)]
pub struct Constrained<D, C> {
    ld: D,
    saddle: Saddle<C>,
    projection: Projection,
    start: f64,
    h: f64,
    step: u64,
    now: State,
    next: State,
    leg: Leg,
    /// Impulses of the constraints at the points `0..=s`.
    mu: Vec<f64>,
    done: Option<Done>,
    forecast: Vec<f64>,
    slots: Slots,
    spare: Vec<f64>,
    impulse: Vec<f64>,
    iterations: u64,
    tolerance: f64,
}

/// A state on the constraint set.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) q: Vec<f64>,
    pub(super) p: Vec<f64>,
    pub(super) v: Vec<f64>,
}

/// The last good step.
#[derive(Debug, Clone, Default)]
struct Done {
    leg: Leg,
    mu: Vec<f64>,
    /// Velocity at its start.
    velocity: Vec<f64>,
    /// Mean multipliers.
    mean: Vec<f64>,
}

impl Done {
    /// Room for `n` coordinates, `s` pieces and `m` constraints.
    fn new([n, s, m]: [usize; 3]) -> Self {
        Done { leg: Leg::new(n, s), mu: vec![0.0; (s + 1) * m], velocity: vec![0.0; n], mean: vec![0.0; m] }
    }

    /// The impulses of all points over the time they took.
    fn average(&mut self, h: f64) {
        let m = self.mean.len();
        for a in 0..m {
            self.mean[a] = self.mu[a..].iter().step_by(m).sum::<f64>() / h;
        }
    }
}

impl<D: DiscreteLagrangian, C: Constraint> Constrained<D, C> {
    /// Starts at a state that obeys the constraints; its momentum is projected so that the velocity does too.
    pub fn new(ld: D, constraint: C, start: &Start) -> Result<Self, RunError> {
        let (n, s, m) = (start.q.len(), ld.pieces(), constraint.count());
        let failed = |cause| RunError { time: start.t, step: 0, cause };
        let mut leg = Leg::new(n, s);
        (leg.t, leg.h) = (start.t, start.h);
        leg.q.copy_from_slice(&start.q);
        let mut now = State { q: start.q.clone(), p: start.p.clone(), v: vec![0.0; n] };
        let mut saddle = Saddle::new(constraint, ld.abscissae(), n);
        let mut projection = Projection::new(n, m);
        saddle.look(&leg, 0, &now.q, false);
        projection
            .apply(ld.system(), start.t, saddle.bounds(0), &mut now, &mut vec![0.0; m])
            .map_err(failed)?;
        for (j, u) in leg.u.chunks_mut(n).enumerate() {
            for i in 0..n {
                u[i] = ld.abscissae()[j + 1] * start.h * now.v[i];
            }
        }
        Ok(Constrained {
            forecast: forecast(ld.abscissae()),
            slots: Slots::new(n, s),
            spare: vec![0.0; (s + 1) * n],
            impulse: vec![0.0; n],
            start: start.t,
            h: start.h,
            step: 0,
            next: now.clone(),
            mu: vec![0.0; (s + 1) * m],
            done: None,
            iterations: 0,
            tolerance: 1e-15,
            ld,
            saddle,
            projection,
            now,
            leg,
        })
    }

    /// Sets the size of the last Newton correction, relative to the increments, below which a step is solved.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Newton's method for the increments and the impulses `mu_0 .. mu_{s-1}`, from the forecast in them.
    fn solve(&mut self) -> Result<(), Cause> {
        let s = self.ld.pieces();
        let mut progress = NewtonProgress::new(self.tolerance);
        while progress.begin() {
            self.saddle.assemble(&mut self.ld, &self.leg, &self.mu, (0..s, 1..s + 1));
            self.saddle.add_momentum(&self.now.p);
            if !self.saddle.factor() {
                return Err(self.failure(progress.iterations()));
            }
            let (size, scale) = self.saddle.correct(&mut self.leg.u, &mut self.mu);
            let small_parts = || self.saddle.small_parts_settled(&self.leg.u, scale);
            let at_rounding = || size <= ROUNDING_OF_POSITIONS * max_abs(&self.now.q);
            let verdict = progress.judge(size, scale, small_parts, at_rounding);
            if verdict == Verdict::Diverged {
                return Err(self.failure(progress.iterations()));
            }
            self.iterations += 1;
            if verdict.ends() {
                self.polish();
                return Ok(());
            }
        }
        Err(self.failure(progress.iterations()))
    }

    /// The impulse of the step and a last correction with the factors at hand.
    fn polish(&mut self) {
        let (n, s) = (self.now.q.len(), self.ld.pieces());
        self.gradient();
        let (d, sum) = self.spare.split_at(s * n);
        self.saddle.residual(&self.leg, &self.mu, [&self.now.p, d, sum]);
        self.saddle.correct(&mut self.leg.u, &mut self.mu);
        if s > ROUGH {
            self.gradient();
        }
        self.impulse.copy_from_slice(&self.spare[s * n..]);
        for j in 0..s {
            let m = self.saddle.count();
            self.saddle.bounds(j).add_force(&self.mu[j * m..(j + 1) * m], &mut self.impulse);
        }
    }

    fn gradient(&mut self) {
        let (n, s) = (self.now.q.len(), self.ld.pieces());
        let (d, sum) = self.spare.split_at_mut(s * n);
        self.ld.gradient(&self.leg, d, sum);
        self.saddle.look_at_all(&self.leg, false);
    }

    #[cold]
    fn failure(&mut self, iterations: usize) -> Cause {
        let s = self.ld.pieces();
        self.saddle.assemble(&mut self.ld, &self.leg, &self.mu, (0..s, 1..s + 1));
        let scale = self.saddle.size() + max_abs(&self.now.p);
        self.saddle.add_momentum(&self.now.p);
        let residual = self.saddle.size() / scale.max(f64::MIN_POSITIVE);
        if !residual.is_finite() {
            Cause::NotFinite { what: "the action or a constraint near the step".into() }
        } else if let Some((number, value)) = self.saddle.violated() {
            Cause::Constraint { number, value }
        } else if !self.saddle.factor() {
            Cause::Singular
        } else {
            Cause::Newton { iterations, residual }
        }
    }

    fn one_step(&mut self) -> Result<(), Cause> {
        let (n, s, m) = (self.now.q.len(), self.ld.pieces(), self.saddle.count());
        self.leg.t = self.start + self.step as f64 * self.h;
        self.leg.h = self.h;
        self.leg.q.copy_from_slice(&self.now.q);
        if let Some(done) = &self.done {
            extrapolate(&self.forecast, [n, s], &done.leg.u, &mut self.leg.u);
            self.mu.copy_from_slice(&done.mu);
        }
        self.solve()?;
        for i in 0..n {
            self.next.q[i] = self.now.q[i] + self.leg.u[(s - 1) * n + i];
            self.next.p[i] = self.now.p[i] + self.impulse[i];
        }
        self.next.v.copy_from_slice(&self.now.v);
        self.saddle.look(&self.leg, s, &self.next.q, false);
        let (t, mu) = (self.leg.t + self.h, &mut self.mu[s * m..]);
        self.projection.apply(self.ld.system(), t, self.saddle.bounds(s), &mut self.next, mu)?;
        if !(max_abs(&self.next.p).is_finite() && max_abs(&self.next.v).is_finite()) {
            return Err(Cause::NotFinite { what: "the impulse of a step".into() });
        }
        self.record();
        std::mem::swap(&mut self.now, &mut self.next);
        self.step += 1;
        Ok(())
    }

    /// Stores the step for observers.
    fn record(&mut self) {
        let (n, s, m) = (self.now.q.len(), self.ld.pieces(), self.saddle.count());
        let done = self.done.get_or_insert_with(|| Done::new([n, s, m]));
        // The next step overwrites the leg.
        std::mem::swap(&mut done.leg, &mut self.leg);
        done.mu.copy_from_slice(&self.mu);
        done.velocity.copy_from_slice(&self.now.v);
        done.average(self.h);
    }

    fn time(&self) -> f64 {
        self.start + self.step as f64 * self.h
    }
}

impl<D: DiscreteLagrangian, C: Constraint> Integrator for Constrained<D, C> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        for _ in 0..steps {
            self.one_step().map_err(|cause| RunError { time: self.time(), step: self.step, cause })?;
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        View { step: self.step, t: self.time(), q: &self.now.q, p: &self.now.p, canonical: &self.now.q }
    }

    fn discrete_energy(&mut self) -> Option<f64> {
        self.ld.first(&self.done.as_ref()?.leg, &mut self.slots);
        Some(-self.slots.d3)
    }

    fn action(&mut self) -> Option<f64> {
        self.ld.first(&self.done.as_ref()?.leg, &mut self.slots);
        Some(self.slots.value)
    }

    fn freedom(&self) -> usize {
        self.now.q.len() - self.saddle.count()
    }

    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        self.done.is_some() && self.reduced_tangent(matrix).is_some()
    }

    fn multipliers(&self) -> Option<&[f64]> {
        Some(&self.done.as_ref()?.mean)
    }

    fn work(&mut self) -> Option<f64> {
        self.ld.work(&self.done.as_ref()?.leg)
    }

    fn iterations(&self) -> u64 {
        self.iterations
    }
}

impl Persist for State {
    fn pass(&mut self, archive: &mut Archive) {
        archive.fixed(&mut self.q).fixed(&mut self.p).fixed(&mut self.v);
    }
}

impl Persist for Done {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.leg).pass(&mut self.mu).pass(&mut self.velocity).pass(&mut self.mean);
    }
}

impl<D, C> Persist for Constrained<D, C> {
    fn pass(&mut self, archive: &mut Archive) {
        let shape = self.leg.shape();
        archive.pass(&mut self.saddle).pass(&mut self.step).pass(&mut self.now).pass(&mut self.leg);
        archive.fixed(&mut self.mu).pass(&mut self.done).pass(&mut self.iterations);
        let done =
            |d: &Done| d.leg.shape() == shape && d.mu.len() == self.mu.len() && d.velocity.len() == shape[0];
        let alike = self.leg.shape() == shape && self.done.as_ref().is_none_or(done);
        archive.require(alike, "a leg of another system");
    }
}
