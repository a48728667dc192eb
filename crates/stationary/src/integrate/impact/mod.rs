//! Impacts [FET03 4-5]: motion restricted to `phi_k(t, q) >= 0`, with time and place of each impact solved for.
//!
//! A step in which a gap would close is cut where it does. The leg to the impact obeys the discrete Euler-Lagrange equations and
//! ends on the contact set, (4.8); the leg that leaves it has the same discrete energy, (4.9a), and a momentum that differs by an
//! impulse in the cone of normals, (4.9b), (5.17); the rest of the step may be cut again, (5.9)-(5.10). All are stationarity
//! conditions of the one discrete action (4.4), varied in the places and times of the impacts too, so the map over the whole step is
//! symplectic and keeps the momenta of symmetries that leave the gaps unchanged.

mod bounce;
mod cone;
mod path;
mod tangent;

use super::{Integrator, Start, View};
use crate::action::{DiscreteLagrangian, Leg};
use crate::error::{Cause, RunError};
use crate::linalg::{Lu, dot, max_abs};
use crate::model::{Bounds, ContactLaw, Gap, Jet, Lagrangian, Legendre};
pub use bounce::Bounce;
use path::{Departure, Kick, Paths, mean_velocity};

/// One impact.
#[derive(Debug, Clone, PartialEq)]
pub struct Impact {
    /// When.
    pub time: f64,
    /// What happened.
    pub kind: ImpactKind,
    /// Which gap closed; of several the one with the largest impulse.
    pub gap: usize,
    /// The others that closed at the same time.
    pub others: Vec<usize>,
    /// Impulse along the normal: the multiple of the gradient of that gap that was added to the momentum.
    pub impulse: f64,
    /// Size of the impulse of friction.
    pub friction: f64,
    /// Discrete energy of the leg that arrived.
    pub energy_before: f64,
    /// Discrete energy of the leg that left.
    pub energy_after: f64,
}

/// What happens at a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImpactKind {
    /// The gap closes and opens.
    Bounce,
    /// The gap closes and stays closed.
    Rest,
    /// A gap that was closed opens, because nothing presses any more.
    Release,
}

/// Steps a discrete Lagrangian between impacts and through them.
#[derive(Debug, Clone)]
pub struct Colliding<D, G> {
    paths: Paths<D>,
    gaps: G,
    start: f64,
    h: f64,
    step: u64,
    now: Departure,
    /// Mean velocity of the last leg: the next one begins with it.
    velocity: Vec<f64>,
    /// The legs of the last step, and the impacts between them.
    legs: Vec<Leg>,
    impacts: Vec<Impact>,
    /// What has been seen of the gaps.
    bounds: Bounds,
    legendre: Legendre,
    jet: Jet,
    laws: Vec<ContactLaw>,
}

/// Impacts in one step before it is given up.
const MOST: usize = 10_000;
/// A gap is closed if it is smaller than this times its gradient times the size of the place.
const CLOSED: f64 = 1e-13;

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// Starts at a state where no gap is negative. All impacts are elastic.
    pub fn new(ld: D, gaps: G, start: &Start) -> Result<Self, RunError> {
        let n = start.q.len();
        let mut legendre = Legendre::new(n);
        let mut velocity = vec![0.0; n];
        legendre
            .velocity(ld.system(), start.t, &start.q, &start.p, &mut velocity)
            .map_err(|cause| RunError { time: start.t, step: 0, cause })?;
        let now = Departure { t: start.t, q: start.q.clone(), p: start.p.clone(), kick: None };
        Ok(Colliding {
            paths: Paths::new(ld, n),
            start: start.t,
            h: start.h,
            step: 0,
            now,
            velocity,
            legs: Vec::new(),
            impacts: Vec::new(),
            bounds: Bounds::new(n, gaps.count()),
            jet: Jet::new(n),
            laws: vec![ContactLaw::default(); gaps.count()],
            gaps,
            legendre,
        })
    }

    /// Sets the law of each gap.
    pub fn laws(mut self, laws: &[ContactLaw]) -> Self {
        self.laws.copy_from_slice(laws);
        self
    }

    /// Sets the size of the last Newton correction, relative to the increments, below which a leg is solved.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.paths.tolerance = tolerance;
        self
    }

    /// Is at the end of a step with this state, after these legs and impacts.
    pub(super) fn place(&mut self, step: u64, [q, p]: [&[f64]; 2], legs: &[Leg], impacts: &[Impact]) {
        self.step = step;
        self.now = Departure { t: self.view().t, q: q.to_vec(), p: p.to_vec(), kick: None };
        let l = self.paths.ld.system();
        self.velocity.fill(0.0);
        // A singular mass matrix was refused at the start.
        let _ = self.legendre.velocity(l, self.now.t, q, p, &mut self.velocity);
        self.legs = legs.to_vec();
        self.impacts = impacts.to_vec();
    }

    /// The discrete Lagrangian and the gaps.
    pub(super) fn parts(&self) -> (&D, &G) {
        (&self.paths.ld, &self.gaps)
    }

    /// Whether position and momentum say all of the state.
    pub(super) fn free(&self) -> bool {
        self.now.kick.is_none()
    }

    fn one_step(&mut self) -> Result<(), Cause> {
        let mut from = self.now.clone();
        let end = self.start + (self.step + 1) as f64 * self.h;
        from.t = self.start + self.step as f64 * self.h;
        let (mut legs, mut impacts, mut velocity) = (Vec::new(), Vec::new(), self.velocity.clone());
        let mut left = self.h;
        loop {
            let applied = self.paths.solve(&from, left, &velocity)?;
            let cut = self.crossing(&from, left)?;
            let (length, applied) = match &cut {
                Some(tau) => (
                    *tau,
                    self.paths.solve(&from, *tau, &mean_velocity(&self.paths.leg, self.paths.ld.pieces()))?,
                ),
                None => (left, applied),
            };
            if from.kick.is_some() {
                self.complete(&from, applied, &mut impacts);
            }
            let s = self.paths.ld.pieces();
            velocity = mean_velocity(&self.paths.leg, s);
            let energy = self.paths.energy();
            let arrived = Departure {
                t: if cut.is_some() { from.t + length } else { end },
                q: self.paths.end(),
                p: self.paths.arrival(),
                kick: None,
            };
            legs.push(self.paths.leg.clone());
            if !max_abs(&arrived.p).is_finite() {
                return Err(Cause::NotFinite { what: "the impulse of a step".into() });
            }
            from = arrived;
            if cut.is_none() {
                break;
            }
            left -= length;
            let (kick, impact) = self.kick(&from, energy)?;
            velocity = self.rebound(&from, &kick)?;
            from.kick = Some(kick);
            impacts.push(impact);
            if impacts.len() > MOST {
                return Err(Cause::NotFinite { what: "the number of impacts in a step".into() });
            }
            if left <= 0.0 {
                // The step ends with the impact: the next one leaves it.
                break;
            }
        }
        (self.now, self.velocity, self.legs, self.impacts) = (from, velocity, legs, impacts);
        self.step += 1;
        Ok(())
    }

    /// When the leg that was solved first leaves the admissible set; `None` if its end lies in it.
    fn crossing(&mut self, from: &Departure, length: f64) -> Result<Option<f64>, Cause> {
        let guess = mean_velocity(&self.paths.leg, self.paths.ld.pieces());
        let (end, t) = (self.paths.end(), from.t + length);
        self.gaps.first(t, &end, &mut self.bounds);
        let violated: Vec<usize> =
            (0..self.bounds.value().len()).filter(|&k| !(self.bounds.value()[k] >= 0.0)).collect();
        let mut earliest = None;
        for k in violated {
            let below = self.bounds_at(from, length, &guess, k)?;
            let until = earliest.unwrap_or(length);
            let last = if until < length { self.bounds_at(from, until, &guess, k)? } else { below };
            if last >= 0.0 {
                continue;
            }
            earliest = Some(self.root(from, (until, last), &guess, k)?);
        }
        Ok(earliest)
    }

    /// Gap `k` at the end of a leg of the given length.
    fn bounds_at(&mut self, from: &Departure, length: f64, guess: &[f64], k: usize) -> Result<f64, Cause> {
        self.paths.solve(from, length, guess)?;
        let end = self.paths.end();
        self.gaps.first(from.t + length, &end, &mut self.bounds);
        let value = self.bounds.value()[k];
        if value.is_finite() { Ok(value) } else { Err(Cause::NotFinite { what: "a gap".into() }) }
    }

    /// The length after which gap `k` closes, on the admissible side: regula falsi in a bracket (Illinois).
    fn root(
        &mut self,
        from: &Departure,
        (mut b, mut fb): (f64, f64),
        guess: &[f64],
        k: usize,
    ) -> Result<f64, Cause> {
        self.gaps.first(from.t, &from.q, &mut self.bounds);
        let (mut a, mut fa) = (0.0, self.bounds.value()[k]);
        let leaving = from.kick.is_some() && fa <= self.closed(k, &from.q);
        if leaving || fa <= 0.0 {
            // It is closed at the start: it must open before it can close again.
            let mut part = 0.5 * b;
            loop {
                let f = self.bounds_at(from, part, guess, k)?;
                if f > 0.0 {
                    (a, fa) = (part, f);
                    break;
                }
                (b, fb) = (part, f);
                part *= 0.5;
                if part < 1e-9 * self.h {
                    return Ok(0.0);
                }
            }
        }
        let mut side = 0;
        for _ in 0..200 {
            if b - a <= 2.0 * f64::EPSILON * b {
                break;
            }
            let mut x = (fa * b - fb * a) / (fa - fb);
            if !(x > a && x < b) {
                x = 0.5 * (a + b);
            }
            let f = self.bounds_at(from, x, guess, k)?;
            if f >= 0.0 {
                if f == 0.0 {
                    return Ok(x);
                }
                (a, fa) = (x, f);
                if side == 1 {
                    fb *= 0.5;
                }
                side = 1;
            } else {
                (b, fb) = (x, f);
                if side == -1 {
                    fa *= 0.5;
                }
                side = -1;
            }
        }
        Ok(a)
    }

    /// Below this gap `k` counts as closed at a place.
    fn closed(&self, k: usize, q: &[f64]) -> f64 {
        CLOSED * (max_abs(self.bounds.gradient(k)) * max_abs(q)).max(f64::MIN_POSITIVE)
    }

    /// The impact at a place that was reached with a discrete energy.
    fn kick(&mut self, at: &Departure, energy: f64) -> Result<(Kick, Impact), Cause> {
        let n = at.q.len();
        self.gaps.second(at.t, &at.q, &mut self.bounds);
        let mut v = self.velocity.clone();
        let l = self.paths.ld.system();
        self.legendre.velocity(l, at.t, &at.q, &at.p, &mut v)?;
        l.second(at.t, &at.q, &v, &mut self.jet);
        let mut mass = Lu::new(n);
        mass.matrix().copy_from_slice(self.jet.dvv());
        if !mass.factor() {
            return Err(Cause::Singular);
        }
        let near: Vec<usize> = (0..self.bounds.value().len())
            .filter(|&k| self.bounds.value()[k] <= 100.0 * self.closed(k, &at.q))
            .collect();
        let normals: Vec<Vec<f64>> = near.iter().map(|&k| self.bounds.gradient(k).to_vec()).collect();
        let mut response = normals.clone();
        response.iter_mut().for_each(|r| mass.solve(r));
        let rates: Vec<f64> = near.iter().map(|&k| self.bounds.rate(k, &v)).collect();
        let opposed = || Cause::NotFinite { what: "the impulse of contacts that oppose each other".into() };
        let mu = cone::stop(&normals, &response, &rates).ok_or_else(opposed)?;
        let mut stop = vec![0.0; n];
        for (normal, mu) in normals.iter().zip(&mu) {
            stop.iter_mut().zip(normal).for_each(|(s, x)| *s += mu * x);
        }
        let mut through = stop.clone();
        mass.solve(&mut through);
        let approach = dot(&stop, &through);
        if !(approach > 0.0) {
            return Err(Cause::NotFinite { what: "the impulse of a contact that does not approach".into() });
        }
        let first = (0..near.len()).max_by(|&a, &b| mu[a].total_cmp(&mu[b])).expect("a gap is closed");
        let gap = near[first];
        let e = self.laws[gap].restitution;
        let kick = Kick { stop, approach, energy: energy - 0.5 * (1.0 - e * e) * approach, times: 1.0 + e };
        let impact = Impact {
            time: at.t,
            kind: ImpactKind::Bounce,
            gap,
            others: near.iter().copied().filter(|k| *k != gap).collect(),
            impulse: mu[first],
            friction: 0.0,
            energy_before: energy,
            energy_after: f64::NAN,
        };
        Ok((kick, impact))
    }

    /// The velocity after an impact, as a first guess for the leg that leaves it.
    fn rebound(&mut self, at: &Departure, kick: &Kick) -> Result<Vec<f64>, Cause> {
        let p: Vec<f64> = at.p.iter().zip(&kick.stop).map(|(p, s)| p + kick.times * s).collect();
        let mut v = self.velocity.clone();
        self.legendre.velocity(self.paths.ld.system(), at.t, &at.q, &p, &mut v)?;
        Ok(v)
    }

    /// What the leg that left tells of the impact it left.
    fn complete(&mut self, _from: &Departure, applied: f64, impacts: &mut [Impact]) {
        let energy = self.paths.energy();
        // An impact at the very end of the last step is completed in this one.
        if let Some(impact) = impacts.last_mut().or_else(|| self.impacts.last_mut()) {
            impact.impulse *= applied;
            impact.energy_after = energy;
        }
    }
}

impl<D: DiscreteLagrangian, G: Gap> Integrator for Colliding<D, G> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        for _ in 0..steps {
            self.one_step().map_err(|cause| RunError { time: self.view().t, step: self.step, cause })?;
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        let t = self.start + self.step as f64 * self.h;
        View { step: self.step, t, q: &self.now.q, p: &self.now.p, canonical: &self.now.q }
    }

    fn discrete_energy(&mut self) -> Option<f64> {
        self.paths.leg = self.legs.last()?.clone();
        Some(self.paths.energy())
    }

    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        if self.legs.is_empty() {
            return false;
        }
        tangent::tangent(&mut self.paths.ld, &self.gaps, (&self.legs, &self.impacts), matrix)
    }

    fn impacts(&self) -> &[Impact] {
        &self.impacts
    }

    fn iterations(&self) -> u64 {
        self.paths.iterations
    }
}
