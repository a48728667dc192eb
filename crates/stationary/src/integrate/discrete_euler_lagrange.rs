//! The discrete Euler-Lagrange equations in position-momentum form [VTI04 (10)], for any discrete Lagrangian.
//!
//! `p_k = -D1 L_d(q_k, q_{k+1})` is solved for the increments of all points by Newton's method with
//! exact second derivatives; then `p_{k+1} = D2 L_d`. Since the interior derivatives vanish and
//! `D1 = -p_k`, `p_{k+1} = p_k + sum_j D_j`: that form is used because the sum is the small impulse of the
//! step, free of the cancelling kinetic terms, so what Newton leaves enters multiplied by the step.

use super::legs;
use super::{Integrator, Start, View};
use crate::action::{DiscreteLagrangian, Leg, Slots};
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::interrupt;
use crate::linalg::{self, NewtonProgress, ROUNDING_OF_POSITIONS, Verdict, max_abs, small_parts_settled};
use crate::model::{Lagrangian, Legendre};

/// Steps any discrete Lagrangian.
#[derive(Debug, Clone)]
pub struct DiscreteEulerLagrange<D> {
    ld: D,
    start: f64,
    h: f64,
    step: u64,
    q: Vec<f64>,
    x: Vec<f64>,
    p: Vec<f64>,
    leg: Leg,
    /// The last good leg; empty before the first step.
    done: Option<Leg>,
    /// Extrapolates the increments of one step to the next, by rows.
    forecast: Vec<f64>,
    slots: Slots,
    /// Momentum gained over the step.
    impulse: Vec<f64>,
    work: Work,
    iterations: u64,
    variational: bool,
    tolerance: f64,
}

/// Storage of Newton's method.
#[derive(Debug, Clone, Default)]
struct Work {
    matrix: Vec<f64>,
    delta: Vec<f64>,
    pivot: Vec<usize>,
    /// The gradient: twice as long as the unknowns.
    spare: Vec<f64>,
}

impl Work {
    fn new(m: usize) -> Self {
        Work { matrix: vec![0.0; m * m], delta: vec![0.0; m], pivot: vec![0; m], spare: vec![0.0; 2 * m] }
    }
}

/// Up to this many unknowns the storage is on the stack.
const SMALL: usize = 6;

/// Above this many pieces the rounding of the coefficients makes the last correction so large, and always of one
/// sign, that the impulse is taken anew after it.
pub(super) const ROUGH: usize = 3;

/// Newton iterations before a leg that ends at an impact is given up.
pub(super) const LIMIT: usize = NewtonProgress::LIMIT;

/// Whether Newton's method is done with a leg from `place`, by the rule of [`NewtonProgress`]: `before` and `size` are the sizes of the last
/// two corrections, `scale` is that of the increments.
#[inline(always)]
pub(super) fn settled_in_all(
    iterations: usize,
    [before, size, scale]: [f64; 3],
    tolerance: f64,
    place: &[f64],
    small_parts: impl FnOnce() -> bool,
) -> bool {
    let at_rounding = || size <= ROUNDING_OF_POSITIONS * max_abs(place);
    let mut progress = NewtonProgress::new(tolerance).resume(iterations, before);
    progress.judge(size, scale, small_parts, at_rounding).ends()
}

impl<D: DiscreteLagrangian> DiscreteEulerLagrange<D> {
    /// Starts the discrete Lagrangian at a state.
    pub fn new(mut ld: D, start: &Start) -> Result<Self, RunError> {
        let (n, s) = (start.q.len(), ld.pieces());
        let mut x = start.q.clone();
        let mut velocity = vec![0.0; n];
        Legendre::new(n)
            .velocity(ld.system(), start.t, &start.q, &start.p, &mut velocity)
            .map_err(|cause| RunError { time: start.t, step: 0, cause })?;
        let mut outer = vec![0.0; n];
        ld.outer_force(start.t, &start.q, &velocity, &mut outer);
        ld.enter(start.t, start.h, &outer, &mut x);
        let mut leg = Leg::new(n, s);
        for j in 1..=s {
            for i in 0..n {
                leg.u[(j - 1) * n + i] = ld.abscissae()[j] * start.h * velocity[i];
            }
        }
        let variational = !ld.extra_impulse(&leg, &mut vec![0.0; n], None);
        Ok(DiscreteEulerLagrange {
            forecast: forecast(ld.abscissae()),
            slots: Slots::new(n, s),
            work: Work::new(n * s),
            impulse: vec![0.0; n],
            start: start.t,
            h: start.h,
            step: 0,
            q: start.q.clone(),
            p: start.p.clone(),
            iterations: 0,
            tolerance: 1e-15,
            done: None,
            ld,
            x,
            leg,
            variational,
        })
    }

    /// Sets the size of the last Newton correction, relative to the increments, below which a step is solved.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The discrete Lagrangian and the last good leg; `None` before the first step.
    pub fn last(&mut self) -> Option<(&mut D, &Leg)> {
        Some((&mut self.ld, self.done.as_ref()?))
    }

    /// The discrete Lagrangian.
    pub fn discrete_lagrangian(&mut self) -> &mut D {
        &mut self.ld
    }

    /// Newton's method for the increments `leg.u`, from the forecast in them.
    #[inline(always)]
    fn solve(&mut self) -> Result<(), Cause> {
        let m = self.ld.dimension() * self.ld.pieces();
        if m <= SMALL {
            // Local arrays: where `m` is known to the compiler they live in registers.
            let (mut a, mut b) = ([0.0; SMALL * SMALL], [0.0; SMALL]);
            return self.newton(&mut a[..m * m], &mut b[..m], &mut [0; SMALL][..m], &mut [0.0; 2 * SMALL]);
        }
        let mut work = std::mem::take(&mut self.work);
        let result = self.newton(&mut work.matrix, &mut work.delta, &mut work.pivot, &mut work.spare);
        self.work = work;
        result
    }

    #[inline(always)]
    fn newton(
        &mut self,
        matrix: &mut [f64],
        delta: &mut [f64],
        pivot: &mut [usize],
        spare: &mut [f64],
    ) -> Result<(), Cause> {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let m = n * s;
        let mut progress = NewtonProgress::new(self.tolerance);
        while progress.begin() {
            self.ld.second(&self.leg, delta, matrix, 0..s, 1..s + 1);
            for i in 0..n {
                delta[i] += self.p[i];
            }
            if !linalg::factor(matrix, pivot, m) {
                return Err(self.failure(progress.iterations()));
            }
            linalg::solve(matrix, pivot, delta, m);
            let u = &mut self.leg.u[..m];
            for i in 0..m {
                u[i] -= delta[i];
            }
            let (size, scale) = (max_abs(delta), max_abs(u));
            let small_parts = || small_parts_settled(delta, u, n, scale);
            let at_rounding = || size <= ROUNDING_OF_POSITIONS * max_abs(&self.x);
            let verdict = progress.judge(size, scale, small_parts, at_rounding);
            if verdict == Verdict::Diverged {
                return Err(self.failure(progress.iterations()));
            }
            self.iterations += 1;
            if verdict.ends() {
                let work = [delta, spare];
                let solve = |delta: &mut [f64]| linalg::solve(matrix, pivot, delta, m);
                polish(&mut self.ld, &mut self.leg, &self.p, solve, work, &mut self.impulse);
                return Ok(());
            }
        }
        Err(self.failure(progress.iterations()))
    }

    /// Says how Newton's method failed, with the residual at the last iterate.
    #[cold]
    fn failure(&mut self, iterations: usize) -> Cause {
        if interrupt::requested() {
            return Cause::Interrupted;
        }
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let Work { mut matrix, mut delta, mut pivot, .. } = Work::new(n * s);
        self.ld.second(&self.leg, &mut delta, &mut matrix, 0..s, 1..s + 1);
        let scale = max_abs(&delta) + max_abs(&self.p);
        for i in 0..n {
            delta[i] += self.p[i];
        }
        let residual = max_abs(&delta) / scale.max(f64::MIN_POSITIVE);
        if !residual.is_finite() {
            Cause::NotFinite { what: "the action near the step".into() }
        } else if !linalg::factor(&mut matrix, &mut pivot, n * s) {
            Cause::Singular
        } else {
            Cause::Newton { iterations, residual }
        }
    }

    #[inline(always)]
    fn one_step(&mut self) -> Result<(), Cause> {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        self.leg.t = self.start + self.step as f64 * self.h;
        self.leg.h = self.h;
        self.leg.q[..n].copy_from_slice(&self.x[..n]);
        if let Some(done) = &self.done {
            extrapolate(&self.forecast, [n, s], &done.u, &mut self.leg.u);
        }
        self.solve()?;
        let sum = &self.impulse[..n];
        if !max_abs(sum).is_finite() {
            return Err(Cause::NotFinite { what: "the impulse of a step".into() });
        }
        let end = self.ld.end_position();
        let (q, p, x, u) = (&mut self.q[..n], &mut self.p[..n], &mut self.x[..n], &self.leg.u[..n * s]);
        for i in 0..n {
            p[i] += sum[i];
            q[i] = x[i] + u[(end - 1) * n + i];
            x[i] += u[(s - 1) * n + i];
        }
        if !self.variational {
            self.ld.extra_impulse(&self.leg, &mut self.p, None);
        }
        match &mut self.done {
            Some(done) => std::mem::swap(done, &mut self.leg),
            None => self.done = Some(self.leg.clone()),
        }
        self.step += 1;
        Ok(())
    }
}

/// The impulse of a step that begins with the momentum `p`, and a last Newton correction, which `solve` computes with the factors at hand. The
/// residual of Newton's method has always the same sign, and over a million steps it would add up in the momenta. The gradient that
/// the correction needs gives the impulse, too.
#[inline(always)]
pub(super) fn polish<D: DiscreteLagrangian>(
    ld: &mut D,
    leg: &mut Leg,
    p: &[f64],
    solve: impl FnOnce(&mut [f64]),
    [delta, spare]: [&mut [f64]; 2],
    impulse: &mut [f64],
) {
    let (n, s) = (ld.dimension(), ld.pieces());
    let m = n * s;
    let (d, sum) = spare[..m + n].split_at_mut(m);
    ld.gradient(leg, d, sum);
    delta[n..m].copy_from_slice(&d[..m - n]);
    for i in 0..n {
        // D_0 as the sum less the others, so that it balances the impulse to the last bit.
        let mut rest = p[i] + sum[i];
        for j in 0..s {
            rest -= d[j * n + i];
        }
        delta[i] = rest;
    }
    solve(&mut delta[..m]);
    let u = &mut leg.u[..m];
    for i in 0..m {
        u[i] -= delta[i];
    }
    if s > ROUGH {
        ld.gradient(leg, d, sum);
    }
    impulse[..n].copy_from_slice(sum);
}

/// The matrix that continues the polynomial through the points by one step: with `u_j` the
/// increments at `c_j`, the next ones are guessed as `P(1 + c_j) - P(1)`.
pub(super) fn forecast(points: &[f64]) -> Vec<f64> {
    let s = points.len() - 1;
    let distinct = points.windows(2).all(|w| w[0] < w[1]);
    let mut matrix = vec![0.0; s * s];
    for j in 1..=s {
        if distinct && s <= 3 {
            let ahead = crate::action::quadrature::lagrange(points, 1.0 + points[j]).0;
            for k in 1..=s {
                matrix[(j - 1) * s + k - 1] = ahead[k] - if k == s { 1.0 } else { 0.0 };
            }
        } else {
            // High polynomials continued that far amplify rounding: repeat the mean velocity.
            matrix[(j - 1) * s + s - 1] = points[j];
        }
    }
    matrix
}

#[inline(always)]
pub(super) fn extrapolate(matrix: &[f64], [n, s]: [usize; 2], from: &[f64], to: &mut [f64]) {
    let (matrix, from, to) = (&matrix[..s * s], &from[..n * s], &mut to[..n * s]);
    to.fill(0.0);
    for j in 0..s {
        for k in 0..s {
            for i in 0..n {
                to[j * n + i] += matrix[j * s + k] * from[k * n + i];
            }
        }
    }
}

impl<D: DiscreteLagrangian> Integrator for DiscreteEulerLagrange<D> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        for _ in 0..steps {
            self.one_step().map_err(|cause| RunError { time: self.view().t, step: self.step, cause })?;
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        let t = self.start + self.step as f64 * self.h;
        View { step: self.step, t, q: &self.q, p: &self.p, canonical: &self.x }
    }

    fn discrete_energy(&mut self) -> Option<f64> {
        let leg = self.done.as_ref()?;
        self.ld.first(leg, &mut self.slots);
        Some(-self.slots.d3)
    }

    fn action(&mut self) -> Option<f64> {
        self.ld.first(self.done.as_ref()?, &mut self.slots);
        self.variational.then_some(self.slots.value)
    }

    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        match &self.done {
            Some(leg) => legs::tangent(&mut self.ld, leg, matrix),
            None => false,
        }
    }

    fn work(&mut self) -> Option<f64> {
        self.ld.work(self.done.as_ref()?)
    }

    fn iterations(&self) -> u64 {
        self.iterations
    }

    fn variational(&self) -> bool {
        self.variational
    }
}

impl<D: DiscreteLagrangian> DiscreteEulerLagrange<D> {
    /// Number of coordinates.
    pub fn dimension(&self) -> usize {
        self.ld.system().dimension()
    }
}

impl<D> Persist for DiscreteEulerLagrange<D> {
    fn pass(&mut self, archive: &mut Archive) {
        let shape = self.leg.shape();
        archive.pass(&mut self.step).fixed(&mut self.q).fixed(&mut self.x).fixed(&mut self.p);
        archive.pass(&mut self.leg).pass(&mut self.done).pass(&mut self.iterations);
        let alike = self.done.iter().chain([&self.leg]).all(|leg| leg.shape() == shape);
        archive.require(alike, "a leg of another system");
    }
}
