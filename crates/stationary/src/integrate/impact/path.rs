//! One leg of a step that may be cut by impacts: the discrete path that leaves a place with a momentum, as a function
//! of how long it lasts.

use super::ties::Ties;
use crate::action::quadrature::lagrange;
use crate::action::{DiscreteLagrangian, Leg, Slots};
use crate::archive::{Archive, Persist};
use crate::error::Cause;
use crate::integrate::constrained::State;
use crate::integrate::constrained::project::Projection;
use crate::integrate::constrained::saddle::{Saddle, size_in};
use crate::integrate::del::{LIMIT, ROUGH, extrapolate, forecast, polish, settled_in_all};
use crate::linalg::{self, Lu, dot, max_abs, natural_units, small_parts_settled};
use crate::model::{Bounds, Gap, Legendre};

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

/// What an impact does to the leg that leaves it: it departs with the momentum `p + x push + drag`, where `x` is 1 but for the
/// error of the discrete energy and such that `E_start = before + change - (x - 1) power`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kick {
    /// The impulse along the normals, in their cone.
    pub push: Vec<f64>,
    /// The impulse of friction.
    pub drag: Vec<f64>,
    /// Discrete energy of the leg that arrived.
    pub before: f64,
    /// The change of energy that the law asks for.
    pub change: f64,
    /// What moving walls take: `sum_k lambda_k phi_t`.
    pub power: f64,
    /// How the energy of what leaves grows with `x`, at 1, and how that grows.
    pub slope: f64,
    pub curvature: f64,
    /// Between which `x` the energy is to be met; `None` to take `x = 1`, because it hardly depends on it.
    pub within: Option<[f64; 2]>,
}

/// Friction of a gap that is held closed: its impulse at each point is that of the tie `row` times `-pull`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slide {
    pub row: usize,
    pub pull: Vec<f64>,
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

/// What a leg under ties needs besides.
pub struct Tied<G> {
    pub saddle: Saddle<Ties<G>>,
    projection: Projection,
    /// Impulses of the ties at the points `0..=s`.
    pub mu: Vec<f64>,
    pub slides: Vec<Slide>,
    /// Impulses of friction at the points `0..=s`, what they were off by before they were last changed, and how much of that was
    /// taken.
    drag: Vec<f64>,
    off: Vec<f64>,
    share: f64,
    rows: Vec<f64>,
    h: f64,
}

/// Corrections of the impulse before the energy of an impact is given up.
const KICKS: usize = 30;
/// Rounds in which friction and the impulses it follows are brought together.
const ROUNDS: usize = 40;
/// Corrections by Newton's method where that does not.
const COUPLINGS: usize = 12;

impl<G: Gap> Tied<G> {
    pub fn new(ties: Ties<G>, abscissae: &[f64], n: usize) -> Self {
        let (s, m) = (abscissae.len() - 1, crate::model::Constraint::count(&ties));
        Tied {
            saddle: Saddle::new(ties, abscissae, n).in_natural_units(),
            projection: Projection::new(n, m),
            mu: vec![0.0; (s + 1) * m],
            slides: Vec::new(),
            drag: vec![0.0; (s + 1) * n],
            off: vec![0.0; (s + 1) * n],
            share: 1.0,
            rows: vec![0.0; s * n],
            h: f64::NAN,
        }
    }

    /// The number of points of a leg.
    fn points(&self) -> usize {
        self.mu.len() / self.saddle.count()
    }

    /// The sum of the impulses of a tie over all points.
    pub fn impulse(&self, row: usize) -> f64 {
        self.mu[row..].iter().step_by(self.saddle.count()).sum()
    }

    /// Brings friction in line with the impulses; returns the size of what it is off by and that of friction. How much of it is
    /// changed follows from what the last change did (Aitken): normal and friction may be coupled so much that the plain
    /// iteration would not end.
    fn drag(&mut self, n: usize, first: bool) -> (f64, f64) {
        let m = self.saddle.count();
        let unit = self.saddle.coordinate_units();
        let (mut change, mut size, mut along, mut square) = (0.0_f64, 0.0_f64, 0.0, 0.0);
        for j in 0..self.drag.len() / n {
            for i in 0..n {
                let new: f64 = self.slides.iter().map(|x| -self.mu[j * m + x.row].max(0.0) * x.pull[i]).sum();
                let at = j * n + i;
                let off = new - self.drag[at];
                let turn = unit[i] * (off - self.off[at]);
                along += unit[i] * self.off[at] * turn;
                square += turn.powi(2);
                self.off[at] = off;
                change = change.max((unit[i] * off).abs());
                size = size.max((unit[i] * new).abs());
            }
        }
        let share = -self.share * along / square;
        self.share = if first || !share.is_finite() { 1.0 } else { share.clamp(-3.0, 3.0) };
        let share = self.share;
        self.drag.iter_mut().zip(&self.off).for_each(|(d, off)| *d += share * off);
        (change, size)
    }
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

    /// `p + D_0 = 0` and `D_j = 0` for interior points; the momentum at the end as in [`Del`](crate::integrate::Del).
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

    /// The same with ties, and with friction where gaps slide.
    fn tied(&mut self) -> Result<(), Cause> {
        let n = self.leg.q.len();
        let mut tied = self.ties.take().expect("there are ties");
        if tied.h != self.leg.h {
            tied.saddle.rescale();
            tied.h = self.leg.h;
        }
        if tied.slides.is_empty() {
            tied.drag.fill(0.0);
        }
        let first = self.leg.u.clone();
        let mut result = Ok(());
        for round in 1..=ROUNDS {
            result = self.saddle(&mut tied).and_then(|()| self.arrive(&mut tied));
            if tied.slides.is_empty() || round == 1 && result.is_err() {
                break;
            }
            let (change, size) = match result {
                Ok(()) => tied.drag(n, round == 1),
                Err(_) => (f64::INFINITY, 0.0),
            };
            if change <= 1e-14 * size || size == 0.0 && change == 0.0 {
                break;
            }
            if round == ROUNDS || result.is_err() {
                result = self.couple(&mut tied, &first);
                break;
            }
        }
        self.ties = Some(tied);
        result?;
        self.check()
    }

    /// Friction and the impulses it follows where the plain iteration does not bring them together: impulses `m` of the gaps that slide
    /// give friction, under which the leg has the impulses `f(m)`. That is affine but for what bends over the leg, so `f(m) = m` is
    /// solved by Newton's method with differences.
    fn couple(&mut self, tied: &mut Tied<G>, first: &[f64]) -> Result<(), Cause> {
        let zero = vec![0.0; tied.points() * tied.slides.len()];
        let count = zero.len();
        let free = self.under(tied, &zero, first)?;
        let step = max_abs(&free);
        let mut lu = Lu::new(count);
        let mut m = free.clone();
        if step > 0.0 {
            for i in 0..count {
                let mut moved = zero.clone();
                moved[i] = step;
                let f = self.under(tied, &moved, first)?;
                for k in 0..count {
                    let slope = (f[k] - free[k]) / step;
                    lu.matrix()[k * count + i] = if k == i { 1.0 - slope } else { -slope };
                }
            }
            if lu.factor() {
                m.fill(0.0);
                for _ in 0..COUPLINGS {
                    let Ok(f) = self.under(tied, &m, first) else { break };
                    let mut off: Vec<f64> = f.iter().zip(&m).map(|(f, m)| f - m).collect();
                    if max_abs(&off) <= 1e-13 * max_abs(&m) {
                        let pressed =
                            |k: usize| m.iter().skip(k).step_by(tied.slides.len()).sum::<f64>() >= 0.0;
                        if (0..tied.slides.len()).all(pressed) {
                            return Ok(());
                        }
                        break;
                    }
                    lu.solve(&mut off);
                    m.iter_mut().zip(&off).for_each(|(m, off)| *m += off);
                }
            }
        }
        // Normal and friction find no balance: the contact is at the edge of leaving. Friction is then that of the normal
        // impulses which there would be without it.
        let pressed: Vec<f64> = free.iter().map(|x| x.max(0.0)).collect();
        self.under(tied, &pressed, first).map(|_| ())
    }

    /// The impulses of gaps that slide, under the friction that belongs to impulses `m`: point by point.
    fn under(&mut self, tied: &mut Tied<G>, m: &[f64], first: &[f64]) -> Result<Vec<f64>, Cause> {
        let n = self.leg.q.len();
        tied.drag.fill(0.0);
        for (at, impulse) in m.iter().enumerate() {
            let (j, slide) = (at / tied.slides.len(), &tied.slides[at % tied.slides.len()]);
            let drag = &mut tied.drag[j * n..(j + 1) * n];
            drag.iter_mut().zip(&slide.pull).for_each(|(d, pull)| *d -= impulse * pull);
        }
        self.leg.u.copy_from_slice(first);
        tied.mu.fill(0.0);
        self.saddle(tied)?;
        self.arrive(tied)?;
        let count = tied.saddle.count();
        let rows: Vec<usize> = tied.slides.iter().map(|x| x.row).collect();
        Ok((0..tied.points())
            .flat_map(|j| rows.iter().map(move |row| j * count + row))
            .map(|at| tied.mu[at])
            .collect())
    }

    fn saddle(&mut self, tied: &mut Tied<G>) -> Result<(), Cause> {
        let (n, s) = (self.leg.q.len(), self.ld.pieces());
        let m = tied.saddle.count();
        tied.rows.copy_from_slice(&tied.drag[..s * n]);
        (0..n).for_each(|i| tied.rows[i] += self.push[i]);
        let mut before = 0.0;
        for iterations in 1..=LIMIT {
            tied.saddle.assemble(&mut self.ld, &self.leg, &tied.mu, (0..s, 1..s + 1));
            tied.saddle.add_momentum(&tied.rows);
            let residual = tied.saddle.size();
            if !tied.saddle.factor() {
                return Err(if residual.is_finite() { Cause::Singular } else { not_finite() });
            }
            let (size, scale) = tied.saddle.correct(&mut self.leg.u, &mut tied.mu);
            if !size.is_finite() {
                return Err(not_finite());
            }
            self.iterations += 1;
            self.units.copy_from_slice(tied.saddle.coordinate_units());
            self.set_place();
            // A motion that is tied to rest has no size of its own: that of the place is then the scale.
            let still = iterations > 2 && size <= 1e-16 * max_abs(&self.place);
            let sizes = [before, size, scale];
            let small_parts = || tied.saddle.small_parts_settled(&self.leg.u, scale);
            let done = settled_in_all(iterations, sizes, self.tolerance, &self.place, small_parts);
            let push = size_in(&self.push, |i| self.units[i]);
            if done || still || size == 0.0 || stagnates(iterations, size / before, residual, push) {
                break;
            }
            if iterations == LIMIT {
                if let Some((number, value)) = tied.saddle.violated() {
                    return Err(Cause::Constraint { number, value });
                }
                let residual = residual / push.max(f64::MIN_POSITIVE);
                return Err(Cause::Newton { iterations, residual });
            }
            before = size;
        }
        self.gradient(tied);
        let (d, sum) = self.work.spare[..(s + 1) * n].split_at(s * n);
        tied.saddle.residual(&self.leg, &tied.mu, [&tied.rows[..n], d, sum]);
        tied.rows[..n].fill(0.0);
        tied.saddle.add_momentum(&tied.rows);
        tied.saddle.correct(&mut self.leg.u, &mut tied.mu);
        if s > ROUGH {
            self.gradient(tied);
        }
        self.impulse.copy_from_slice(&self.work.spare[s * n..(s + 1) * n]);
        for j in 0..s {
            tied.saddle.bounds(j).add_force(&tied.mu[j * m..(j + 1) * m], &mut self.impulse);
        }
        for drag in tied.drag.chunks(n) {
            self.impulse.iter_mut().zip(drag).for_each(|(x, d)| *x += d);
        }
        Ok(())
    }

    fn gradient(&mut self, tied: &mut Tied<G>) {
        let (n, s) = (self.leg.q.len(), self.ld.pieces());
        let (d, sum) = self.work.spare[..(s + 1) * n].split_at_mut(s * n);
        self.ld.gradient(&self.leg, d, sum);
        tied.saddle.look_at_all(&self.leg, false);
    }

    /// The state at the end of a leg under ties: the velocity stays on them.
    fn arrive(&mut self, tied: &mut Tied<G>) -> Result<(), Cause> {
        let (n, s, m) = (self.leg.q.len(), self.ld.pieces(), tied.saddle.count());
        for i in 0..n {
            self.end.q[i] = self.leg.q[i] + self.leg.u[(s - 1) * n + i];
            self.end.p[i] = self.push[i] + self.impulse[i];
            self.end.v[i] = self.leg.u[(s - 1) * n + i] / self.leg.h;
        }
        tied.saddle.look(&self.leg, s, &self.end.q, false);
        let (t, mu) = (self.leg.t + self.leg.h, &mut tied.mu[s * m..]);
        tied.projection.apply(self.ld.system(), t, tied.saddle.bounds(s), &mut self.end, mu)
    }

    fn check(&self) -> Result<(), Cause> {
        match max_abs(&self.end.p).is_finite() {
            true => Ok(()),
            false => Err(Cause::NotFinite { what: "the impulse of a step".into() }),
        }
    }

    /// The leg whose discrete energy is that of the kick: a scalar equation for how often its push is applied, around the
    /// solution of the leg, by secants that begin with the slope of the continuous impact.
    fn kicked(&mut self, p: &[f64], kick: &Kick) -> Result<(), Cause> {
        let Some([least, most]) = kick.within.filter(|_| !self.fell) else {
            self.times = 1.0;
            return self.apply(p, kick).map(|_| ());
        };
        let start = self.leg.u.clone();
        let mut slope = kick.slope + (self.times - 1.0) * kick.curvature;
        let mut excess = self.apply(p, kick)?;
        let mut before = f64::INFINITY;
        for _ in 0..KICKS {
            // The energy is nearly quadratic: of the two roots the one where it grows.
            let discriminant = slope * slope - 2.0 * kick.curvature * excess;
            let correction = 2.0 * excess / (slope + discriminant.sqrt());
            let size = (correction / self.times).abs();
            if size <= 2.0 * f64::EPSILON || size >= before && size < 1e-11 {
                return Ok(());
            }
            let next = self.times - correction;
            if !(next > least && next < most) {
                break;
            }
            before = size;
            self.times = next;
            let new = self.apply(p, kick)?;
            let secant = (excess - new) / correction - 0.5 * kick.curvature * correction;
            let known = kick.slope + (next - 1.0) * kick.curvature;
            slope = if secant > 0.1 * known { secant } else { known };
            excess = new;
        }
        // The energy cannot be met: the rebound is slower than its error over legs of different lengths. Momentum alone decides.
        (self.times, self.fell) = (1.0, true);
        self.leg.u.copy_from_slice(&start);
        self.apply(p, kick).map(|_| ())
    }

    /// Solves the leg with the present push and returns the energy it has too much.
    fn apply(&mut self, p: &[f64], kick: &Kick) -> Result<f64, Cause> {
        for i in 0..p.len() {
            self.push[i] = p[i] + self.times * kick.push[i] + kick.drag[i];
        }
        self.solve()?;
        Ok(self.energy_at_start() - (kick.before + kick.change - (self.times - 1.0) * kick.power))
    }

    /// The momentum with which a departure leaves.
    pub fn leaving(&self, from: &Departure) -> Vec<f64> {
        let mut p = from.p.clone();
        if let Some(kick) = &from.kick {
            (0..p.len()).for_each(|i| p[i] += self.times * kick.push[i] + kick.drag[i]);
        }
        p
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

    /// Value and derivatives of the action of the leg.
    pub fn look(&mut self) -> &Slots {
        self.ld.first(&self.leg, &mut self.slots);
        &self.slots
    }

    /// What the variation of the leg's end in time balances: `-D3 + sum_i h w_i c_i F_i . v_i - sum_j c_j mu_j . g_t`.
    pub fn energy_at_end(&mut self) -> f64 {
        let forces = self.ld.work_shares(&self.leg).map_or(0.0, |[end, _]| end);
        let ties = self.tie_shares()[0];
        -self.look().d3 + forces + ties
    }

    /// What the variation of the leg's start in time balances:
    /// `-D3 + D_t0 - sum_i h w_i (1 - c_i) F_i . v_i + sum_j (1 - c_j) mu_j . g_t`.
    pub fn energy_at_start(&mut self) -> f64 {
        let forces = self.ld.work_shares(&self.leg).map_or(0.0, |[_, start]| start);
        let ties = self.tie_shares()[1];
        let slots = self.look();
        slots.dt - slots.d3 - forces - ties
    }

    /// The work of moving ties and of friction on them, in the shares of the end and of the start.
    fn tie_shares(&self) -> [f64; 2] {
        let Some(tied) = &self.ties else { return [0.0; 2] };
        let (n, m, mut shares) = (self.leg.q.len(), tied.saddle.count(), [0.0; 2]);
        let s = self.ld.pieces();
        for (j, c) in self.ld.abscissae().iter().enumerate() {
            let along = |k: usize| dot(&tied.drag[j * n..(j + 1) * n], self.leg.increment(k));
            let drag: f64 = (1..=s).map(|k| self.slopes[j * (s + 1) + k] * along(k)).sum();
            let work = drag / self.leg.h - dot(&tied.mu[j * m..(j + 1) * m], tied.saddle.bounds(j).dt());
            shares[0] += c * work;
            shares[1] += (1.0 - c) * work;
        }
        shares
    }

    /// The work of forces outside the action over the leg, with that of moving gaps and of friction while they are held.
    pub fn work(&mut self) -> (Option<f64>, f64) {
        let [end, start] = self.tie_shares();
        let own = self.ties.as_ref().map_or(0.0, |tied| {
            let m = tied.saddle.count();
            let own = tied.saddle.constraint().own();
            let moved = |j: usize| dot(&tied.mu[j * m..j * m + own], &tied.saddle.bounds(j).dt()[..own]);
            (0..=self.ld.pieces()).map(moved).sum()
        });
        (self.ld.work(&self.leg), end + start + own)
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

impl Persist for Kick {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.push).pass(&mut self.drag).pass(&mut self.before).pass(&mut self.change);
        archive.pass(&mut self.power).pass(&mut self.slope).pass(&mut self.curvature);
        archive.pass(&mut self.within);
    }
}

impl Persist for Departure {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.t).fixed(&mut self.q).fixed(&mut self.p).pass(&mut self.kick);
    }
}

impl Persist for Slide {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.row).pass(&mut self.pull);
    }
}

/// The ties themselves are made anew from what is held.
impl<G> Persist for Tied<G> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.saddle).fixed(&mut self.mu).pass(&mut self.slides).fixed(&mut self.drag);
        archive.fixed(&mut self.off).pass(&mut self.share).pass(&mut self.h);
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
