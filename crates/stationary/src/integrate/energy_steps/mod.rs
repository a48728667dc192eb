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
mod newton;
mod spec;
mod tangent;

use super::discrete_euler_lagrange::{extrapolate, forecast};
use super::{Integrator, Start, View};
use crate::action::{DiscreteLagrangian, Leg, Length, Slots};
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::linalg::{CompensatedSum, NewtonProgress, max_abs};
use crate::model::Legendre;
use newton::NewtonWork;
pub use spec::{EnergyStepSpec, Turning};

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
    work: NewtonWork,
    iterations: u64,
    tolerance: f64,
}

/// Newton iterations for a length that is sought.
const SEARCH: usize = 14;
/// A step is at most this much longer or shorter than the last one.
const RATIO: f64 = 2.0;
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
        let mut work = NewtonWork::new(n, s);
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
