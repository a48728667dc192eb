//! One leg of a step that may be cut by impacts: the discrete path that leaves a place with a momentum, as a function
//! of how long it lasts.

mod energy;
mod kick;
mod sliding;
mod tied;

pub use kick::Kick;
pub use tied::{Slide, Tied};

use crate::action::quadrature::lagrange;
use crate::action::{DiscreteLagrangian, Leg, Slots};
use crate::archive::{Archive, Persist};
use crate::contact::Gap;
use crate::error::Cause;
use crate::integrate::constrained::State;
use crate::integrate::constrained::saddle::size_in;
use crate::integrate::discrete_euler_lagrange::{LIMIT, extrapolate, forecast, polish, settled_in_all};
use crate::linalg::{self, max_abs, natural_units, small_parts_settled};
use crate::model::{Bounds, Legendre};

/// How a leg begins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Departure {
    /// Time.
    pub t: f64,
    /// Place.
    pub q: Vec<f64>,
    /// Momentum on arrival.
    pub p: Vec<f64>,
    /// The impact there, if there is one.
    pub kick: Option<Kick>,
}

/// Solves legs of a discrete Lagrangian.
pub struct Paths<D, G> {
    pub ld: D,
    /// The leg that was solved last, and the state at its end; the velocity there is set where there are ties.
    pub leg: Leg,
    pub end: State,
    /// How often the kick was applied, and whether its energy could not be met.
    pub times: f64,
    pub fell: bool,
    pub ties: Option<Tied<G>>,
    pub iterations: u64,
    pub tolerance: f64,
    slots: Slots,
    /// Momentum with which the leg leaves.
    push: Vec<f64>,
    impulse: Vec<f64>,
    forecast: Vec<f64>,
    /// Derivatives of the path's shape functions at its points, by rows.
    slopes: Vec<f64>,
    /// Units of the coordinates in which the inertias of the last leg are of one size, and the place where it starts, in these. Sizes of
    /// vectors are compared in them, so that the user's units of length and angle do not count.
    units: Vec<f64>,
    place: Vec<f64>,
    work: Work,
    legendre: Legendre,
}

#[derive(Debug, Clone, Default)]
struct Work {
    matrix: Vec<f64>,
    delta: Vec<f64>,
    pivot: Vec<usize>,
    spare: Vec<f64>,
}

impl<D: DiscreteLagrangian, G: Gap> Paths<D, G> {
    pub fn new(ld: D, n: usize) -> Self {
        let s = ld.pieces();
        let m = n * s;
        Paths {
            leg: Leg::new(n, s),
            end: State { q: vec![0.0; n], p: vec![0.0; n], v: vec![0.0; n] },
            times: 1.0,
            fell: false,
            ties: None,
            iterations: 0,
            tolerance: 1e-15,
            slots: Slots::new(n, s),
            push: vec![0.0; n],
            impulse: vec![0.0; n],
            forecast: forecast(ld.abscissae()),
            slopes: ld.abscissae().iter().flat_map(|c| lagrange(ld.abscissae(), *c).1).collect(),
            units: vec![1.0; n],
            place: vec![0.0; n],
            work: Work {
                matrix: vec![0.0; m * m],
                delta: vec![0.0; m],
                pivot: vec![0; m],
                spare: vec![0.0; 2 * m],
            },
            legendre: Legendre::new(n),
            ld,
        }
    }

    /// Takes the motion at a constant velocity as a first guess for the leg to come.
    pub fn aim(&mut self, v: &[f64], h: f64) {
        let n = v.len();
        for (j, u) in self.leg.u.chunks_mut(n).enumerate() {
            let c = self.ld.abscissae()[j + 1];
            u.iter_mut().zip(v).for_each(|(u, v)| *u = c * h * v);
        }
    }

    /// Takes the continuation of another leg, of the same length, as a first guess.
    #[inline]
    pub fn continue_from(&mut self, done: &Leg) {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        extrapolate(&self.forecast, [n, s], &done.u, &mut self.leg.u);
    }

    /// Takes the leg that was solved last, with another length, as a first guess.
    fn stretch(&mut self, h: f64) {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let by = h / self.leg.h;
        if by == 1.0 {
            return;
        }
        let (inner, last) = self.leg.u.split_at_mut((s - 1) * n);
        for (j, u) in inner.chunks_mut(n).enumerate() {
            let c = self.ld.abscissae()[j + 1];
            u.iter_mut().zip(last.iter()).for_each(|(u, end)| *u = c * by * end);
        }
        last.iter_mut().for_each(|u| *u *= by);
    }

    /// Solves the leg of another length from the departure of the last one.
    pub fn again(&mut self, from: &Departure, h: f64) -> Result<(), Cause> {
        self.stretch(h);
        self.fly(from, h)
    }

    /// A leg from a new departure follows: what was found for the last one does not hold for it.
    pub fn begin(&mut self) {
        (self.times, self.fell) = (1.0, false);
    }

    /// Solves the leg of length `h` from a departure, starting from the increments that are there.
    #[inline]
    pub fn fly(&mut self, from: &Departure, h: f64) -> Result<(), Cause> {
        (self.leg.t, self.leg.h) = (from.t, h);
        self.leg.q.copy_from_slice(&from.q);
        match &from.kick {
            None => {
                self.push.copy_from_slice(&from.p);
                self.solve()
            }
            Some(kick) => self.kicked(&from.p, kick),
        }
    }

    #[inline]
    fn solve(&mut self) -> Result<(), Cause> {
        if self.ties.is_some() { self.tied() } else { self.plain() }
    }

    /// `p + D_0 = 0` and `D_j = 0` for interior points; the momentum at the end as in [`DiscreteEulerLagrange`](crate::integrate::DiscreteEulerLagrange).
    #[inline]
    fn plain(&mut self) -> Result<(), Cause> {
        let mut work = std::mem::take(&mut self.work);
        let result = self.newton(&mut work);
        self.work = work;
        result?;
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let u = &self.leg.u[(s - 1) * n..s * n];
        for i in 0..n {
            self.end.q[i] = self.leg.q[i] + u[i];
            self.end.p[i] = self.push[i] + self.impulse[i];
        }
        self.check()
    }

    #[inline]
    fn newton(&mut self, work: &mut Work) -> Result<(), Cause> {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let m = n * s;
        let Work { matrix, delta, pivot, spare } = work;
        let mut before = 0.0;
        for iterations in 1..=LIMIT {
            self.ld.second(&self.leg, delta, matrix, 0..s, 1..s + 1);
            for i in 0..n {
                delta[i] += self.push[i];
            }
            self.find_units(matrix, m);
            let unit = &self.units[..n];
            for (r, row) in matrix.chunks_mut(m).enumerate() {
                row.iter_mut().enumerate().for_each(|(c, x)| *x *= unit[r % n] * unit[c % n]);
            }
            delta.iter_mut().enumerate().for_each(|(k, f)| *f *= unit[k % n]);
            let residual = max_abs(delta);
            if !linalg::factor(matrix, pivot, m) {
                return Err(if residual.is_finite() { Cause::Singular } else { not_finite() });
            }
            linalg::solve(matrix, pivot, delta, m);
            let u = &mut self.leg.u[..m];
            let inner = &mut spare[..m];
            for i in 0..m {
                u[i] -= unit[i % n] * delta[i];
                inner[i] = u[i] / unit[i % n];
            }
            let (size, scale) = (max_abs(delta), max_abs(inner));
            if !size.is_finite() {
                return Err(not_finite());
            }
            self.iterations += 1;
            let sizes = [before, size, scale];
            let small_parts = || small_parts_settled(delta, inner, n, scale);
            let done = settled_in_all(iterations, sizes, self.tolerance, &self.place, small_parts);
            let push = size_in(&self.push, |i| unit[i]);
            if done || stagnates(iterations, size / before, residual, push) {
                let solve = |delta: &mut [f64]| {
                    delta.iter_mut().enumerate().for_each(|(k, f)| *f *= unit[k % n]);
                    linalg::solve(matrix, pivot, delta, m);
                    delta.iter_mut().enumerate().for_each(|(k, u)| *u *= unit[k % n]);
                };
                let room = [&mut delta[..], &mut spare[..]];
                polish(&mut self.ld, &mut self.leg, &self.push, solve, room, &mut self.impulse);
                return Ok(());
            }
            if iterations == LIMIT {
                let residual = residual / push.max(f64::MIN_POSITIVE);
                return Err(Cause::Newton { iterations, residual });
            }
            before = size;
        }
        unreachable!("the last iteration returns")
    }

    /// Finds the units of the coordinates from the second derivatives of the leg's action, by rows of `width` entries.
    #[inline]
    fn find_units(&mut self, matrix: &[f64], width: usize) {
        natural_units(matrix, width, &mut self.units);
        self.set_place();
    }

    #[inline]
    fn set_place(&mut self) {
        for (i, place) in self.place.iter_mut().enumerate() {
            *place = self.leg.q[i] / self.units[i];
        }
    }

    /// The size of the derivative of a function of the place, in the units in which inertias are of one size.
    pub fn steepness(&self, gradient: &[f64]) -> f64 {
        size_in(gradient, |i| self.units[i])
    }

    /// The size of a displacement in these units.
    pub fn extent(&self, displacement: &[f64]) -> f64 {
        size_in(displacement, |i| self.units[i].recip())
    }

    fn check(&self) -> Result<(), Cause> {
        match max_abs(&self.end.p).is_finite() {
            true => Ok(()),
            false => Err(Cause::NotFinite { what: "the impulse of a step".into() }),
        }
    }

    /// The velocity of a momentum at a place, on the ties; `v` holds a first guess.
    pub fn velocity(&mut self, t: f64, q: &[f64], p: &[f64], v: &mut [f64]) -> Result<(), Cause> {
        let Some(tied) = &mut self.ties else {
            return self.legendre.velocity(self.ld.system(), t, q, p, v);
        };
        let mut state = State { q: q.to_vec(), p: p.to_vec(), v: v.to_vec() };
        let mut bounds = Bounds::new(q.len(), tied.saddle.count());
        crate::model::Constraint::first(tied.saddle.constraint(), t, q, &mut bounds);
        let mut mu = vec![0.0; tied.saddle.count()];
        tied.projection.apply(self.ld.system(), t, &bounds, &mut state, &mut mu)?;
        v.copy_from_slice(&state.v);
        Ok(())
    }

    /// Makes the velocity at the end of the leg known.
    pub fn find_end_velocity(&mut self) -> Result<(), Cause> {
        if self.ties.is_none() {
            let State { q, p, v } = &mut self.end;
            self.legendre.velocity(self.ld.system(), self.leg.t + self.leg.h, q, p, v)?;
        }
        Ok(())
    }

    /// Mean velocity of the leg.
    pub fn mean_velocity(&self) -> impl Iterator<Item = f64> + '_ {
        self.leg.increment(self.ld.pieces()).iter().map(|u| u / self.leg.h)
    }
}

/// Whether nothing but rounding is left: very short legs have increments that are smaller than it.
fn stagnates(iterations: usize, ratio: f64, residual: f64, push: f64) -> bool {
    iterations > 6 && ratio > 0.25 && residual <= 1e-13 * push
}

fn not_finite() -> Cause {
    Cause::NotFinite { what: "the action near an impact".into() }
}

impl Persist for Departure {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.t).fixed(&mut self.q).fixed(&mut self.p).pass(&mut self.kick);
    }
}

impl<D, G> Persist for Paths<D, G> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.leg).pass(&mut self.end).pass(&mut self.times).pass(&mut self.fell);
        archive.pass(&mut self.iterations).fixed(&mut self.units);
        if let Some(ties) = &mut self.ties {
            archive.pass(ties);
        }
    }
}
