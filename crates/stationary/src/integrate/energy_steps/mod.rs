//! Steps whose length the energy chooses [SEM99 4; VTI04 (84)-(85)].
//!
//! Position and length are solved together: `p_k + D1 L_d(q_k, q_{k+1}, h) = 0` and `-D3 L_d(q_k, q_{k+1}, h) = E`, with
//! `E` the discrete energy of the first step. For a fixed `E` the step has the generating function
//! `ext_h [L_d(q0, q1, h) + E h]` and is symplectic; as a map of `(q, p, E)` it obeys `dq1 ^ dp1 + dE ^ dh = dq0 ^ dp0`, which
//! is [SEM99 (6.4)].
//!
//! Where the error of `L_d` as an approximation of the action is `h^(r+1) M(q, v)`, stationarity in the times makes
//! `h^(r+1) M` constant: steps grow where `M` is small, and there is no step at all beyond a place where `M` changes its
//! sign. For the midpoint rule `M` is `(|V'|^2 + v.V'' v) / 24`. Such places are what the paper calls turning points;
//! [`Turning`] says how they are passed.
//!
//! Of several lengths that solve the equations the one continued from the last step is taken: Newton's method starts
//! from the last two lengths, and one step may at most double or halve the one before.

mod minimise;
mod tangent;

use super::discrete_euler_lagrange::{extrapolate, forecast, polish};
use super::{Integrator, Start, View};
use crate::action::{DiscreteLagrangian, Leg, Length, Slots};
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::linalg::{
    self, CompensatedSum, NewtonProgress, ROUNDING_OF_POSITIONS, max_abs, small_parts_settled,
};
use crate::model::Legendre;
use std::fmt;

/// How a place is passed where no length of the step keeps the energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turning {
    /// The squared residuals of both equations are minimised over position and length [SEM99 (5.8)]. Neither holds
    /// then: such a step is not symplectic and keeps no momentum.
    Minimise,
    /// A step of the last length that keeps the first equation [SEM99 4].
    Hold,
    /// A step of the first length that keeps the first equation.
    First,
    /// The same, and its discrete energy is the one to be kept from there on.
    Reset,
}

impl Turning {
    /// All of them, by name.
    pub const ALL: [(&'static str, Turning); 4] = [
        ("first", Turning::First),
        ("hold", Turning::Hold),
        ("minimise", Turning::Minimise),
        ("reset", Turning::Reset),
    ];
}

impl fmt::Display for Turning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Turning::ALL.iter().find(|(_, turning)| turning == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// The bounds of the length, and what happens where there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyStepSpec {
    /// The smallest length, in first steps.
    pub smallest: f64,
    /// The largest length, in first steps.
    pub largest: f64,
    /// How places are passed where no length keeps the energy.
    pub turning: Turning,
}

impl Default for EnergyStepSpec {
    fn default() -> Self {
        EnergyStepSpec { smallest: 0.01, largest: 3.0, turning: Turning::First }
    }
}

/// How the length of a step came about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaption {
    /// The length.
    pub length: f64,
    /// Whether no length kept the energy, so that the step was made otherwise.
    pub flagged: bool,
    /// The discrete energy that was to be kept.
    pub target: f64,
}

/// What one step was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    /// Both equations hold.
    #[default]
    Solved,
    /// The first one holds, at a given length.
    Given,
    /// Neither.
    Minimised,
}

/// Steps any discrete Lagrangian that says how it depends on the length of its step.
#[derive(Debug, Clone)]
pub struct EnergySteps<D> {
    ld: D,
    choice: EnergyStepSpec,
    /// The first length.
    first: f64,
    /// Time at the start.
    start: f64,
    /// Time since the start, and what rounding has taken from it.
    time: CompensatedSum<f64>,
    step: u64,
    q: Vec<f64>,
    p: Vec<f64>,
    leg: Leg,
    /// The last good leg and what it was; none before the first step.
    done: Option<(Leg, Kind)>,
    /// Lengths and mean velocities of the two legs before the last.
    before: [(f64, Vec<f64>); 2],
    /// How many of them go on smoothly to the last one.
    smooth: usize,
    /// The discrete energy to be kept; NaN before the first step.
    target: f64,
    /// Extrapolates the increments of one step to the next, by rows.
    forecast: Vec<f64>,
    slots: Slots,
    /// Momentum gained over the step.
    impulse: Vec<f64>,
    work: Work,
    iterations: u64,
    tolerance: f64,
}

/// What Newton's method works on, for `m` increments and the length.
#[derive(Debug, Clone, Default)]
struct Work {
    matrix: Vec<f64>,
    block: Vec<f64>,
    delta: Vec<f64>,
    mixed: Vec<f64>,
    pivot: Vec<usize>,
    spare: Vec<f64>,
}

impl Work {
    fn new(n: usize, s: usize) -> Self {
        let m = n * s;
        Work {
            matrix: vec![0.0; (m + 1) * (m + 1)],
            block: vec![0.0; m * m],
            delta: vec![0.0; m + 1],
            mixed: vec![0.0; m + n],
            pivot: vec![0; m + 1],
            spare: vec![0.0; 2 * m],
        }
    }
}

/// The same, borrowed.
struct Room<'a> {
    matrix: &'a mut [f64],
    block: &'a mut [f64],
    delta: &'a mut [f64],
    mixed: &'a mut [f64],
    pivot: &'a mut [usize],
    spare: &'a mut [f64],
}

/// Up to this many increments that is on the stack.
const SMALL: usize = 4;
/// Newton iterations for a length that is sought.
const SEARCH: usize = 14;
/// A step is at most this much longer or shorter than the last one.
const RATIO: f64 = 2.0;
/// The largest change of the length in one iteration.
const CHANGE: f64 = 0.4;
/// Energies that differ by less than this part of their terms are equal.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// And those of paths that bend if they differ by less than this part.
const KEPT: f64 = 1e-13;

impl<D: DiscreteLagrangian> EnergySteps<D> {
    /// Starts the discrete Lagrangian at a state; `start.h` is the length of the first step. The system must not depend
    /// on time.
    ///
    /// # Panics
    /// If the discrete Lagrangian cannot say how it depends on the length of its step.
    pub fn new(mut ld: D, start: &Start, choice: EnergyStepSpec) -> Result<Self, RunError> {
        let (n, s) = (start.q.len(), ld.pieces());
        let mut velocity = vec![0.0; n];
        Legendre::new(n)
            .velocity(ld.system(), start.t, &start.q, &start.p, &mut velocity)
            .map_err(|cause| RunError { time: start.t, step: 0, cause })?;
        let mut leg = Leg { t: start.t, h: start.h, q: start.q.clone(), u: vec![0.0; n * s] };
        let mut work = Work::new(n, s);
        let known = ld.second_in_length(
            &leg,
            [0..s, 1..s + 1],
            &mut work.delta[..n * s],
            &mut work.block,
            &mut work.mixed,
        );
        assert!(known.is_some(), "a discrete Lagrangian whose step cannot be varied");
        for j in 1..=s {
            for i in 0..n {
                leg.u[(j - 1) * n + i] = ld.abscissae()[j] * start.h * velocity[i];
            }
        }
        Ok(EnergySteps {
            forecast: forecast(ld.abscissae()),
            slots: Slots::new(n, s),
            impulse: vec![0.0; n],
            before: [(start.h, vec![0.0; n]), (start.h, vec![0.0; n])],
            smooth: 0,
            first: start.h,
            start: start.t,
            time: CompensatedSum::default(),
            step: 0,
            q: start.q.clone(),
            p: start.p.clone(),
            done: None,
            target: f64::NAN,
            iterations: 0,
            tolerance: 1e-15,
            choice,
            ld,
            leg,
            work,
        })
    }

    /// Sets the size of the last Newton correction, relative to the unknowns, below which a step is solved.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    #[inline(always)]
    fn one_step(&mut self) -> Result<(), Cause> {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        self.leg.t = self.now();
        self.leg.q[..n].copy_from_slice(&self.q[..n]);
        let kind = if self.done.is_none() { self.first_step()? } else { self.next_step()? };
        let sum = &self.impulse[..n];
        if !max_abs(sum).is_finite() {
            return Err(Cause::NotFinite { what: "the impulse of a step".into() });
        }
        let (q, p, u) = (&mut self.q[..n], &mut self.p[..n], &self.leg.u[(s - 1) * n..s * n]);
        for i in 0..n {
            p[i] += sum[i];
            q[i] += u[i];
        }
        let h = self.leg.h;
        match &mut self.done {
            Some((done, last)) => {
                self.before.swap(0, 1);
                let (length, velocity) = &mut self.before[0];
                *length = done.h;
                for i in 0..n {
                    velocity[i] = done.u[(s - 1) * n + i] / done.h;
                }
                self.smooth = if kind == Kind::Solved { (self.smooth + 1).min(2) } else { 0 };
                *last = kind;
                std::mem::swap(done, &mut self.leg);
            }
            None => self.done = Some((self.leg.clone(), kind)),
        }
        self.time.advance(h);
        self.step += 1;
        Ok(())
    }

    /// The time.
    fn now(&self) -> f64 {
        self.start + self.time.value()
    }

    /// The first step has the given length, and its energy is the one to be kept.
    #[cold]
    fn first_step(&mut self) -> Result<Kind, Cause> {
        self.leg.h = self.first;
        self.solve::<false>(NewtonProgress::LIMIT)?;
        self.aim()?;
        Ok(Kind::Given)
    }

    /// Makes the energy of `leg` the one to be kept.
    fn aim(&mut self) -> Result<(), Cause> {
        let energy = self.energy();
        if !energy.is_finite() {
            return Err(Cause::NotFinite { what: "the discrete energy".into() });
        }
        self.target = energy;
        Ok(())
    }

    /// The discrete energy of `leg`.
    fn energy(&mut self) -> f64 {
        self.ld.first(&self.leg, &mut self.slots);
        -self.slots.d3
    }

    #[inline(always)]
    fn next_step(&mut self) -> Result<Kind, Cause> {
        self.guess();
        if let Ok(length) = self.solve::<true>(SEARCH)
            && self.continues()
            && self.keeps(length)
        {
            return Ok(Kind::Solved);
        }
        self.second_try()
    }

    /// Continues the last steps into `leg`: lengths by the geometric series, and where the path is straight the
    /// velocities in the middles of the steps by the polynomial through them.
    #[inline(always)]
    fn guess(&mut self) {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let Some((done, _)) = &self.done else { return };
        let [(h1, v1), (h2, v2)] = &self.before;
        let ratio = match self.smooth {
            0 => 1.0,
            1 => done.h / h1,
            _ => done.h * done.h * h2 / (h1 * h1 * h1),
        };
        let bounds = [self.choice.smallest * self.first, self.choice.largest * self.first];
        let h = (done.h * ratio.clamp(1.0 / RATIO, RATIO)).clamp(bounds[0], bounds[1]);
        self.leg.h = h;
        if s == 1 && self.smooth > 0 {
            let (near, far) = (0.5 * (h + done.h), 0.5 * (done.h + h1));
            let (slope, bend) = match self.smooth {
                1 => (near / far, 0.0),
                _ => (near / far, near * (near + far) / (far + 0.5 * (h1 + h2))),
            };
            let wide = 2.0 / (h1 + h2);
            let (u, last, v1, v2) = (&mut self.leg.u[..n], &done.u[..n], &v1[..n], &v2[..n]);
            for i in 0..n {
                let v = last[i] / done.h;
                let difference = v - v1[i];
                let second = difference / far - (v1[i] - v2[i]) * wide;
                u[i] = h * (v + slope * difference + bend * second);
            }
        } else {
            extrapolate(&self.forecast, [n, s], &done.u, &mut self.leg.u);
            let scale = h / done.h;
            self.leg.u[..n * s].iter_mut().for_each(|u| *u *= scale);
        }
    }

    /// Whether the length found is one that the last step leads to.
    #[inline(always)]
    fn continues(&self) -> bool {
        let h = self.leg.h;
        let last = self.done.as_ref().map_or(self.first, |(done, _)| done.h);
        let bounds = self.choice.smallest * self.first..=self.choice.largest * self.first;
        bounds.contains(&h) && h <= RATIO * last && h >= last / RATIO
    }

    /// Whether the energy is kept to rounding. At high orders it hardly depends on the length, and Newton's method may end
    /// short of that; for straight paths it does not.
    #[inline(always)]
    fn keeps(&mut self, length: Length) -> bool {
        self.ld.pieces() == 1 || (self.energy() - self.target).abs() <= KEPT * length.size
    }

    /// From a step of the last length that keeps the first equation; failing that, without the second.
    #[cold]
    fn second_try(&mut self) -> Result<Kind, Cause> {
        let last = self.done.as_ref().map_or(self.first, |(done, _)| done.h);
        // Where not even that has a solution, a shorter one below may have.
        if let Ok(Length { size, .. }) = self.given(last) {
            // At rest, and where nothing acts, every length keeps the energy.
            if (self.energy() - self.target).abs() <= ROUNDING * size {
                return Ok(Kind::Solved);
            }
            if let Ok(length) = self.solve::<true>(2 * SEARCH)
                && self.continues()
                && self.keeps(length)
            {
                return Ok(Kind::Solved);
            }
        }
        match self.choice.turning {
            Turning::Minimise => {
                self.given(last)?;
                self.minimise()?;
                Ok(Kind::Minimised)
            }
            Turning::Hold => self.given(last).map(|_| Kind::Given),
            Turning::First => self.given(self.first).map(|_| Kind::Given),
            Turning::Reset => {
                self.given(self.first)?;
                self.aim()?;
                Ok(Kind::Given)
            }
        }
    }

    /// Solves the first equation at a given length. What it returns is of the last iterate but one.
    fn given(&mut self, h: f64) -> Result<Length, Cause> {
        self.guess();
        let scale = h / self.leg.h;
        self.leg.u.iter_mut().for_each(|u| *u *= scale);
        self.leg.h = h;
        self.solve::<false>(NewtonProgress::LIMIT)
    }

    /// Newton's method for the increments `leg.u`, and with `FREE` for the length `leg.h`, from what is in them.
    #[inline(always)]
    fn solve<const FREE: bool>(&mut self, limit: usize) -> Result<Length, Cause> {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let m = n * s;
        if m <= SMALL {
            let (mut matrix, mut block) = ([0.0; (SMALL + 1) * (SMALL + 1)], [0.0; SMALL * SMALL]);
            let (mut delta, mut mixed, mut spare) = ([0.0; SMALL + 1], [0.0; 2 * SMALL], [0.0; 2 * SMALL]);
            return self.newton::<FREE>(
                limit,
                Room {
                    matrix: &mut matrix[..(m + 1) * (m + 1)],
                    block: &mut block[..m * m],
                    delta: &mut delta[..m + 1],
                    mixed: &mut mixed[..m + n],
                    pivot: &mut [0; SMALL + 1][..m + 1],
                    spare: &mut spare[..m + n],
                },
            );
        }
        let mut work = std::mem::take(&mut self.work);
        let Work { matrix, block, delta, mixed, pivot, spare } = &mut work;
        let result = self.newton::<FREE>(limit, Room { matrix, block, delta, mixed, pivot, spare });
        self.work = work;
        result
    }

    #[inline(always)]
    fn newton<const FREE: bool>(&mut self, limit: usize, room: Room<'_>) -> Result<Length, Cause> {
        let m = self.ld.dimension() * self.ld.pieces();
        let size = m + usize::from(FREE);
        let Room { matrix, block, delta, mixed, pivot, spare } = room;
        // Lengths are ill-conditioned: only fast convergence foretells its end.
        let fast = if FREE { 0.03 } else { 0.1 };
        let mut progress = NewtonProgress::new(self.tolerance).limit(limit).forecast_below(fast);
        while progress.begin() {
            let iterations = progress.iterations();
            let length = self.equations::<FREE>((matrix, block), delta, mixed);
            let balance = length.d3 + self.target;
            if FREE && self.is_indifferent(&length, mixed) {
                return Err(self.failure(length, iterations));
            }
            if !linalg::factor(matrix, pivot, size) {
                return Err(self.failure(length, iterations));
            }
            linalg::solve(matrix, pivot, delta, size);
            let change = if FREE { delta[m] / self.leg.h } else { 0.0 };
            // Far steps are cut: lengths must stay positive, and near.
            let part = if change.abs() > CHANGE { CHANGE / change.abs() } else { 1.0 };
            let u = &mut self.leg.u[..m];
            for i in 0..m {
                u[i] -= part * delta[i];
            }
            if FREE {
                self.leg.h -= part * delta[m];
            }
            let (moved, scale) = (max_abs(&delta[..m]), max_abs(u));
            if !(moved.is_finite() && change.is_finite()) {
                return Err(self.failure(length, iterations));
            }
            self.iterations += 1;
            // Of increments that have become zero the correction is infinitely many times their size.
            let relative = if moved <= change.abs() * scale { change.abs() } else { moved / scale };
            let relative = relative.min(f64::MAX);
            let n = self.ld.dimension();
            let small_parts = || small_parts_settled(&delta[..m], &self.leg.u[..m], n, scale);
            let at_rounding = || {
                moved <= ROUNDING_OF_POSITIONS * max_abs(&self.q)
                    && (!FREE || balance.abs() <= ROUNDING * length.size)
            };
            if progress.judge(relative, 1.0, small_parts, at_rounding).ends() {
                // With the length found, only the points are corrected: their own equations are well-conditioned.
                let factors = if FREE { &mut *block } else { &mut *matrix };
                if FREE && !linalg::factor(factors, pivot, m) {
                    return Err(self.failure(length, iterations));
                }
                let work = [delta, spare];
                let solve = |delta: &mut [f64]| linalg::solve(factors, pivot, delta, m);
                polish(&mut self.ld, &mut self.leg, &self.p, solve, work, &mut self.impulse);
                return Ok(length);
            }
        }
        let length = self.equations::<FREE>((matrix, block), delta, mixed);
        Err(self.failure(length, limit))
    }

    /// Whether a step of any other length would have the same energy but for rounding, as at rest: then there is no length to be found,
    /// and what the matrix says of it is noise.
    #[inline(always)]
    fn is_indifferent(&self, length: &Length, mixed: &[f64]) -> bool {
        let (n, m) = (self.ld.dimension(), self.ld.dimension() * self.ld.pieces());
        let (u, mixed) = (&self.leg.u[..m], &mixed[n..n + m]);
        let mut change = (length.d33 * self.leg.h).abs();
        for r in 0..m {
            change += (mixed[r] * u[r]).abs();
        }
        change <= ROUNDING * length.size
    }

    /// Residuals into `delta` and their derivatives into `matrix`.
    #[inline(always)]
    fn equations<const FREE: bool>(
        &mut self,
        (matrix, block): (&mut [f64], &mut [f64]),
        delta: &mut [f64],
        mixed: &mut [f64],
    ) -> Length {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let m = n * s;
        let target = if FREE { &mut *block } else { &mut matrix[..m * m] };
        let length = self.ld.second_in_length(&self.leg, [0..s, 1..s + 1], &mut delta[..m], target, mixed);
        let length = length.unwrap_or(Length { d3: f64::NAN, d33: f64::NAN, size: f64::NAN });
        for i in 0..n {
            delta[i] += self.p[i];
        }
        if FREE {
            let width = m + 1;
            for r in 0..m {
                for c in 0..m {
                    matrix[r * width + c] = block[r * m + c];
                }
                matrix[r * width + m] = mixed[r];
                matrix[m * width + r] = mixed[n + r];
            }
            matrix[m * width + m] = length.d33;
            delta[m] = length.d3 + self.target;
        }
        length
    }

    /// Says how Newton's method failed.
    #[cold]
    fn failure(&mut self, length: Length, iterations: usize) -> Cause {
        let (n, s) = (self.ld.dimension(), self.ld.pieces());
        let (mut d, mut sum) = (vec![0.0; n * s], vec![0.0; n]);
        self.ld.gradient(&self.leg, &mut d, &mut sum);
        let end = &d[(s - 1) * n..];
        let rest: Vec<f64> =
            (0..n).map(|i| self.p[i] + sum[i] - (0..s).map(|j| d[j * n + i]).sum::<f64>()).collect();
        let residual = max_abs(&rest) / (max_abs(&self.p) + max_abs(end)).max(f64::MIN_POSITIVE);
        if !(residual.is_finite() && length.d3.is_finite()) {
            Cause::NotFinite { what: "the action near the step".into() }
        } else if iterations < SEARCH {
            Cause::Singular
        } else {
            Cause::Newton { iterations, residual }
        }
    }
}

impl<D: DiscreteLagrangian> Integrator for EnergySteps<D> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        for _ in 0..steps {
            self.one_step().map_err(|cause| RunError { time: self.now(), step: self.step, cause })?;
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        View { step: self.step, t: self.now(), q: &self.q, p: &self.p, canonical: &self.q }
    }

    fn discrete_energy(&mut self) -> Option<f64> {
        let (leg, _) = self.done.as_ref()?;
        self.ld.first(leg, &mut self.slots);
        Some(-self.slots.d3)
    }

    fn elapsed(&self) -> Option<f64> {
        Some(self.time.value())
    }

    fn adaption(&self) -> Option<Adaption> {
        let (leg, kind) = self.done.as_ref()?;
        let flagged = *kind != Kind::Solved && self.step > 1;
        Some(Adaption { length: leg.h, flagged, target: self.target })
    }

    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        self.canonical_tangent(matrix)
    }

    fn iterations(&self) -> u64 {
        self.iterations
    }
}

impl Persist for Kind {
    fn pass(&mut self, archive: &mut Archive) {
        archive.choice(self, &[Kind::Solved, Kind::Given, Kind::Minimised]);
    }
}

impl<D> Persist for EnergySteps<D> {
    fn pass(&mut self, archive: &mut Archive) {
        let shape = self.leg.shape();
        archive.pass(&mut self.time).pass(&mut self.step).fixed(&mut self.q).fixed(&mut self.p);
        archive.pass(&mut self.leg).pass(&mut self.done).pass(&mut self.before);
        archive.pass(&mut self.smooth).pass(&mut self.target).pass(&mut self.iterations);
        let alike = self.done.iter().map(|d| &d.0).chain([&self.leg]).all(|leg| leg.shape() == shape);
        let before = self.before.iter().all(|(_, v)| v.len() == shape[0]);
        archive.require(alike && before, "a leg of another system");
    }
}
