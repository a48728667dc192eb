//! RATTLE, a fast path: the trapezoidal rule of a separable system with a diagonal mass matrix under few constraints.
//!
//! There `M u/h = p0 + (1-alpha) h f(q0) + g'(q0)^T mu_0` gives the increment from the impulses, so only these are
//! unknown, in `g(q0 + u) = 0`: one equation for each constraint, and the force is needed once a step. All lives in arrays
//! whose sizes the compiler knows. The general path gives the same numbers (law: `rattle_and_the_general_path_agree`).

use super::project::{Room, linear};
use super::{Constrained, Done};
use crate::action::{DiscreteLagrangian, Galerkin};
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::integrate::{Integrator, Start, View};
use crate::linalg::{self, NewtonProgress, ROUNDING_OF_POSITIONS, Verdict, max_abs, small_parts_settled};
use crate::model::{Bounds, Constraint, Lagrangian, Mass};

/// Steps `N` coordinates under `M` constraints.
#[derive(Debug, Clone)]
pub struct Rattle<L, C, const N: usize, const M: usize> {
    /// The general path, which answers observers; its copy of the last step is updated when they ask.
    whole: Constrained<Galerkin<L>, C>,
    alpha: f64,
    step: u64,
    now: Point<N, M>,
    last: Option<Last<N, M>>,
    /// `1/m` of each coordinate.
    inverse: [f64; N],
    /// Factors of the constraints, so that pivots can be compared.
    units: [f64; M],
    bounds: Bounds,
    iterations: u64,
}

/// A state on the constraint set, the force and the gradients of the constraints there.
#[derive(Debug, Clone, Copy)]
struct Point<const N: usize, const M: usize> {
    q: [f64; N],
    p: [f64; N],
    v: [f64; N],
    f: [f64; N],
    g: [[f64; N]; M],
}

/// The last good step.
#[derive(Debug, Clone, Copy)]
struct Last<const N: usize, const M: usize> {
    from: Point<N, M>,
    u: [f64; N],
    /// Impulses at both ends.
    mu: [[f64; M]; 2],
    /// Mean multipliers.
    mean: [f64; M],
}

impl<L: Lagrangian, C: Constraint, const N: usize, const M: usize> Rattle<L, C, N, M> {
    /// Starts the trapezoidal rule with the parameter `alpha` as [`Constrained::new`] does. `None` unless the system is
    /// separable with a diagonal mass matrix and there are `N` coordinates and `M` constraints.
    pub fn new(lagrangian: L, alpha: f64, constraint: C, start: &Start) -> Result<Option<Self>, RunError> {
        let inverse = lagrangian.mass().and_then(Mass::inverse_diagonal).and_then(|d| d.try_into().ok());
        let Some(inverse) = inverse else { return Ok(None) };
        if constraint.count() != M {
            return Ok(None);
        }
        let whole = Constrained::new(Galerkin::trapezoidal(lagrangian, alpha), constraint, start)?;
        let mut bounds = whole.saddle.bounds(0).clone();
        let fixed = |x: &[f64]| std::array::from_fn(|i| x[i]);
        let (q, p, v) = (fixed(&whole.now.q), fixed(&whole.now.p), fixed(&whole.now.v));
        let mut now = Point { q, p, v, f: [0.0; N], g: [[0.0; N]; M] };
        whole.ld.system().force(start.t, &q, &mut now.f);
        whole.saddle.constraint().first(start.t, &q, &mut bounds);
        now.g = gradients(&bounds);
        let units = now.g.map(|g| max_abs(&g).recip());
        Ok(Some(Rattle { whole, alpha, step: 0, now, last: None, inverse, units, bounds, iterations: 0 }))
    }

    /// Sets the size of the last Newton correction, relative to the increment, below which a step is solved.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.whole.tolerance = tolerance;
        self
    }

    fn time(&self) -> f64 {
        self.whole.start + self.step as f64 * self.whole.h
    }

    #[inline(always)]
    fn one_step(&mut self) -> Result<(), Cause> {
        let (h, from, later) = (self.whole.h, self.now, self.time() + self.whole.h);
        let mut kicked = from.p;
        for i in 0..N {
            kicked[i] += (1.0 - self.alpha) * h * from.f[i];
        }
        let (u, before) = self.solve(&kicked, later)?;
        let mut to = from;
        for i in 0..N {
            to.q[i] = from.q[i] + u[i];
            to.p[i] = kicked[i];
            for a in 0..M {
                to.p[i] += before[a] * from.g[a][i];
            }
        }
        let whole = &self.whole;
        whole.ld.system().force(later, &to.q, &mut to.f);
        whole.saddle.constraint().first(later, &to.q, &mut self.bounds);
        for i in 0..N {
            to.p[i] += self.alpha * h * to.f[i];
            to.v[i] = self.inverse[i] * to.p[i];
        }
        let after = self.project(&mut to)?;
        if !(max_abs(&to.p).is_finite() && max_abs(&to.v).is_finite()) {
            return Err(Cause::NotFinite { what: "the impulse of a step".into() });
        }
        let mean = std::array::from_fn(|a| (before[a] + after[a]) / h);
        self.last = Some(Last { from, u, mu: [before, after], mean });
        self.now = to;
        self.step += 1;
        Ok(())
    }

    /// Newton's method for the impulses at the start of the step; the increment and these.
    #[inline(always)]
    fn solve(&mut self, kicked: &[f64; N], later: f64) -> Result<([f64; N], [f64; M]), Cause> {
        let (h, from, tolerance) = (self.whole.h, self.now, self.whole.tolerance);
        let mut mu = self.last.map_or([0.0; M], |last| last.mu[0]);
        let free: [f64; N] = std::array::from_fn(|i| h * self.inverse[i] * kicked[i]);
        // How the increment answers to impulses, in units that make the entries of one size.
        let response: [[f64; N]; M] =
            std::array::from_fn(|a| std::array::from_fn(|i| h * self.inverse[i] * from.g[a][i]));
        let place = |mu: &[f64; M]| {
            let mut u = free;
            for a in 0..M {
                for i in 0..N {
                    u[i] += mu[a] * response[a][i];
                }
            }
            u
        };
        let mut u = place(&mu);
        let mut progress = NewtonProgress::new(tolerance);
        while progress.begin() {
            let q: [f64; N] = std::array::from_fn(|i| from.q[i] + u[i]);
            self.whole.saddle.constraint().first(later, &q, &mut self.bounds);
            let (mut matrix, mut pivot, mut delta) = ([[0.0; M]; M], [0; M], [0.0; M]);
            for a in 0..M {
                let gradient = self.bounds.gradient(a);
                for b in 0..M {
                    let product: f64 = (0..N).map(|i| gradient[i] * response[b][i]).sum();
                    matrix[a][b] = self.units[a] * self.units[b] * product;
                }
                delta[a] = self.units[a] * self.bounds.value()[a];
            }
            if !linalg::factor(matrix.as_flattened_mut(), &mut pivot, M) {
                return Err(self.failure(&u, &mu, progress.iterations()));
            }
            linalg::solve(matrix.as_flattened(), &pivot, &mut delta, M);
            let before = u;
            for a in 0..M {
                mu[a] -= self.units[a] * delta[a];
            }
            u = place(&mu);
            let change: [f64; N] = std::array::from_fn(|i| u[i] - before[i]);
            let (size, scale) = (max_abs(&change), max_abs(&u));
            let small_parts = || small_parts_settled(&change, &u, N, scale);
            let at_rounding = || size <= ROUNDING_OF_POSITIONS * max_abs(&from.q);
            let verdict = progress.judge(size, scale, small_parts, at_rounding);
            if verdict == Verdict::Diverged {
                return Err(self.failure(&u, &mu, progress.iterations()));
            }
            self.iterations += 1;
            if verdict.ends() {
                return Ok((u, mu));
            }
        }
        Err(self.failure(&u, &mu, progress.iterations()))
    }

    /// Brings momentum and velocity onto the hidden constraints at the end of the step; the impulses of that.
    #[inline(always)]
    fn project(&mut self, to: &mut Point<N, M>) -> Result<[f64; M], Cause> {
        to.g = gradients(&self.bounds);
        let (mut mu, mut matrix, mut response) = ([0.0; M], [[0.0; M]; M], [[0.0; N]; M]);
        let room = Room {
            matrix: matrix.as_flattened_mut(),
            pivot: &mut [0; M],
            response: response.as_flattened_mut(),
            unit: &mut [0.0; M],
            rate: &mut [0.0; M],
        };
        let inverse = &self.inverse;
        let velocity = |p: &[f64], v: &mut [f64]| {
            for i in 0..N {
                v[i] = inverse[i] * p[i];
            }
        };
        linear(velocity, &self.bounds, &mut to.v, &mut mu, room)?;
        for a in 0..M {
            for i in 0..N {
                to.p[i] += mu[a] * to.g[a][i];
            }
        }
        Ok(mu)
    }

    /// Says how Newton's method failed.
    #[cold]
    fn failure(&mut self, u: &[f64; N], mu: &[f64; M], iterations: usize) -> Cause {
        let (t, whole) = (self.time(), &mut self.whole);
        whole.now.q.copy_from_slice(&self.now.q);
        whole.now.p.copy_from_slice(&self.now.p);
        (whole.leg.t, whole.leg.h) = (t, whole.h);
        whole.leg.q.copy_from_slice(&self.now.q);
        whole.leg.u.copy_from_slice(u);
        whole.mu[..M].copy_from_slice(mu);
        whole.failure(iterations)
    }

    /// The general path after the last step.
    fn whole(&mut self) -> Option<&mut Constrained<Galerkin<L>, C>> {
        let (last, t) = (self.last.as_ref()?, self.whole.start + (self.step - 1) as f64 * self.whole.h);
        let whole = &mut self.whole;
        whole.now.q.copy_from_slice(&self.now.q);
        whole.now.p.copy_from_slice(&self.now.p);
        whole.now.v.copy_from_slice(&self.now.v);
        let done = whole.done.get_or_insert_with(|| Done::new([N, 1, M]));
        (done.leg.t, done.leg.h) = (t, whole.h);
        done.leg.q.copy_from_slice(&last.from.q);
        done.leg.u.copy_from_slice(&last.u);
        done.mu.copy_from_slice(last.mu.as_flattened());
        done.velocity.copy_from_slice(&last.from.v);
        Some(whole)
    }
}

#[inline(always)]
fn gradients<const N: usize, const M: usize>(bounds: &Bounds) -> [[f64; N]; M] {
    std::array::from_fn(|a| {
        let gradient = &bounds.gradient(a)[..N];
        std::array::from_fn(|i| gradient[i])
    })
}

impl<L: Lagrangian, C: Constraint, const N: usize, const M: usize> Integrator for Rattle<L, C, N, M> {
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
        self.whole()?.discrete_energy()
    }

    fn action(&mut self) -> Option<f64> {
        self.whole()?.action()
    }

    fn freedom(&self) -> usize {
        N - M
    }

    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        self.whole().is_some_and(|whole| whole.tangent(matrix))
    }

    fn multipliers(&self) -> Option<&[f64]> {
        Some(&self.last.as_ref()?.mean)
    }

    fn iterations(&self) -> u64 {
        self.iterations
    }
}

impl<const N: usize, const M: usize> Persist for Point<N, M> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.q).pass(&mut self.p).pass(&mut self.v).pass(&mut self.f).pass(&mut self.g);
    }
}

impl<const N: usize, const M: usize> Default for Last<N, M> {
    fn default() -> Self {
        let from = Point { q: [0.0; N], p: [0.0; N], v: [0.0; N], f: [0.0; N], g: [[0.0; N]; M] };
        Last { from, u: [0.0; N], mu: [[0.0; M]; 2], mean: [0.0; M] }
    }
}

impl<const N: usize, const M: usize> Persist for Last<N, M> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.from).pass(&mut self.u).pass(&mut self.mu).pass(&mut self.mean);
    }
}

impl<L, C, const N: usize, const M: usize> Persist for Rattle<L, C, N, M> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.whole).pass(&mut self.step).pass(&mut self.now).pass(&mut self.last);
        archive.pass(&mut self.bounds).pass(&mut self.iterations);
    }
}
