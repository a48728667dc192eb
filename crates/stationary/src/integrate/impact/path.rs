//! One leg of a step that may be cut by impacts: the discrete path that leaves a place with a momentum, as a function
//! of how long it lasts.

use crate::action::{DiscreteLagrangian, Leg, Slots};
use crate::error::Cause;
use crate::linalg::{self, max_abs};

/// How a leg begins.
#[derive(Debug, Clone, PartialEq)]
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

/// What an impact does to the leg that leaves it.
#[derive(Debug, Clone, PartialEq)]
pub struct Kick {
    /// The impulse that would bring the approach to a stop: in the cone of normals, so that an elastic impact is about
    /// twice this.
    pub stop: Vec<f64>,
    /// `stop . M^-1 stop`, twice the energy of the approach.
    pub approach: f64,
    /// The discrete energy of the leg to come.
    pub energy: f64,
    /// How often `stop` is to be applied, at a first guess: `1 + e`.
    pub times: f64,
}

/// Solves legs of a discrete Lagrangian.
#[derive(Debug, Clone)]
pub struct Paths<D> {
    pub ld: D,
    pub leg: Leg,
    slots: Slots,
    matrix: Vec<f64>,
    delta: Vec<f64>,
    pivot: Vec<usize>,
    pub iterations: u64,
    pub tolerance: f64,
}

/// Newton iterations before a leg is given up.
const LIMIT: usize = 40;
/// Corrections of the impulse before an impact is given up.
const KICKS: usize = 60;

impl<D: DiscreteLagrangian> Paths<D> {
    pub fn new(ld: D, n: usize) -> Self {
        let s = ld.pieces();
        let m = n * s;
        Paths {
            ld,
            leg: Leg::new(n, s),
            slots: Slots::new(n, s),
            matrix: vec![0.0; m * m],
            delta: vec![0.0; m],
            pivot: vec![0; m],
            iterations: 0,
            tolerance: 1e-15,
        }
    }

    /// Solves the leg of length `h` from a departure, starting from a mean velocity, and returns how often the impulse
    /// of the impact there was applied (0 without one).
    pub fn solve(&mut self, from: &Departure, h: f64, velocity: &[f64]) -> Result<f64, Cause> {
        let n = from.q.len();
        (self.leg.t, self.leg.h) = (from.t, h);
        self.leg.q.copy_from_slice(&from.q);
        for (j, u) in self.leg.u.chunks_mut(n).enumerate() {
            let c = self.ld.abscissae()[j + 1];
            u.iter_mut().zip(velocity).for_each(|(u, v)| *u = c * h * v);
        }
        match &from.kick {
            None => self.newton(&from.p).map(|()| 0.0),
            Some(kick) => self.kicked(&from.p, kick),
        }
    }

    /// `-D3 L_d` of the leg, and its derivatives there.
    pub fn energy(&mut self) -> f64 {
        self.ld.first(&self.leg, &mut self.slots);
        -self.slots.d3
    }

    /// The momentum with which the leg arrives.
    pub fn arrival(&mut self) -> Vec<f64> {
        self.ld.first(&self.leg, &mut self.slots);
        self.slots.d[self.ld.pieces() * self.leg.q.len()..].to_vec()
    }

    /// Place where the leg ends.
    pub fn end(&self) -> Vec<f64> {
        let u = self.leg.increment(self.ld.pieces());
        self.leg.q.iter().zip(u).map(|(q, u)| q + u).collect()
    }

    /// `p + D_0 = 0` and `D_j = 0` for interior points.
    fn newton(&mut self, p: &[f64]) -> Result<(), Cause> {
        let (n, s) = (p.len(), self.ld.pieces());
        let m = n * s;
        let mut before = 0.0;
        for iterations in 1..=LIMIT {
            self.ld.second(&self.leg, &mut self.delta, &mut self.matrix, 0..s, 1..s + 1);
            for i in 0..n {
                self.delta[i] += p[i];
            }
            let residual = max_abs(&self.delta);
            if !linalg::factor(&mut self.matrix, &mut self.pivot, m) {
                return Err(if residual.is_finite() { Cause::Singular } else { not_finite() });
            }
            linalg::solve(&self.matrix, &self.pivot, &mut self.delta, m);
            self.leg.u.iter_mut().zip(&self.delta).for_each(|(u, d)| *u -= d);
            let (size, scale) = (max_abs(&self.delta), max_abs(&self.leg.u));
            if !size.is_finite() {
                return Err(not_finite());
            }
            self.iterations += 1;
            let ratio = size / before;
            let wanders = iterations > 3 && ratio > 0.5 && size <= 1e-13 * (max_abs(&self.leg.q) + scale);
            if size <= self.tolerance * scale || wanders {
                return Ok(());
            }
            if iterations == LIMIT {
                let residual = residual / max_abs(p).max(f64::MIN_POSITIVE);
                return Err(Cause::Newton { iterations, residual });
            }
            before = size;
        }
        Ok(())
    }

    /// The leg whose discrete energy is that of the kick: a scalar equation for how often `stop` is applied, around the
    /// solution of the leg, by secants that begin with the slope of the continuous impact.
    fn kicked(&mut self, p: &[f64], kick: &Kick) -> Result<f64, Cause> {
        let apply = |paths: &mut Self, times: f64| -> Result<f64, Cause> {
            let pushed: Vec<f64> = p.iter().zip(&kick.stop).map(|(p, d)| p + times * d).collect();
            paths.newton(&pushed)?;
            Ok(paths.energy() - kick.energy)
        };
        let mut times = kick.times;
        let mut excess = apply(self, times)?;
        let mut slope = (times - 1.0).max(0.1) * kick.approach;
        let mut before = f64::INFINITY;
        for _ in 0..KICKS {
            let correction = excess / slope;
            if !correction.is_finite() {
                return Err(not_finite());
            }
            let correction = correction.clamp(-0.5, 0.5);
            if correction.abs() <= 4.0 * f64::EPSILON * times.abs()
                || (correction.abs() >= before && correction.abs() < 1e-11)
            {
                return Ok(times);
            }
            before = correction.abs();
            times -= correction;
            let next = apply(self, times)?;
            let secant = (excess - next) / correction;
            if secant.is_finite() && secant > 1e-3 * kick.approach {
                slope = secant;
            }
            excess = next;
        }
        let residual = excess.abs() / kick.energy.abs().max(kick.approach);
        if residual < 1e-12 { Ok(times) } else { Err(Cause::Newton { iterations: KICKS, residual }) }
    }
}

/// The mean velocity of a leg.
pub fn mean_velocity(leg: &Leg, s: usize) -> Vec<f64> {
    leg.increment(s).iter().map(|u| u / leg.h).collect()
}

fn not_finite() -> Cause {
    Cause::NotFinite { what: "the action near an impact".into() }
}
