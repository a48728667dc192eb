//! Between velocities and momenta: the Legendre transform `p = L_v(t, q, v)` and its inverse.

use super::{Jet, Lagrangian};
use crate::error::Cause;
use crate::linalg::{Lu, max_abs};

/// Room for Legendre transforms of one system.
#[derive(Debug, Clone)]
pub struct Legendre {
    jet: Jet,
    lu: Lu,
    residual: Vec<f64>,
    step: Vec<f64>,
    origin: Vec<f64>,
}

/// Newton iterations before the inverse is given up.
const LIMIT: usize = 50;

impl Legendre {
    /// Room for `n` coordinates.
    pub fn new(n: usize) -> Self {
        Legendre {
            jet: Jet::new(n),
            lu: Lu::new(n),
            residual: vec![0.0; n],
            step: vec![0.0; n],
            origin: vec![0.0; n],
        }
    }

    /// Writes `p = L_v(t, q, v)`.
    pub fn momentum<L: Lagrangian + ?Sized>(&mut self, l: &L, t: f64, q: &[f64], v: &[f64], p: &mut [f64]) {
        l.first(t, q, v, &mut self.jet);
        p.copy_from_slice(self.jet.dv());
    }

    /// Solves `L_v(t, q, v) = p` for `v`, which holds a first guess.
    ///
    /// One step is exact when the kinetic energy is quadratic in `v`; otherwise Newton's method is
    /// damped until the residual falls.
    pub fn velocity<L: Lagrangian + ?Sized>(
        &mut self,
        l: &L,
        t: f64,
        q: &[f64],
        p: &[f64],
        v: &mut [f64],
    ) -> Result<(), Cause> {
        if let Some(mass) = l.mass() {
            mass.velocity(p, v);
            return Ok(());
        }
        let mut norm = self.linearise(l, t, q, p, v);
        for iterations in 1..=LIMIT {
            self.lu.matrix().copy_from_slice(self.jet.dvv());
            if !self.lu.factor() {
                return Err(Cause::Singular);
            }
            self.step.copy_from_slice(&self.residual);
            self.lu.solve(&mut self.step);
            let size = max_abs(&self.step);
            let mut damping = 1.0;
            self.origin.copy_from_slice(v);
            let next = loop {
                for i in 0..v.len() {
                    v[i] = self.origin[i] - damping * self.step[i];
                }
                let next = self.linearise(l, t, q, p, v);
                // At rounding level the residual no longer falls; the step is then tiny anyway.
                if next <= norm || size * damping <= 1e-13 * max_abs(v) || damping < 1e-6 {
                    break next;
                }
                damping *= 0.5;
            };
            if next.is_nan() || size.is_nan() {
                return Err(Cause::Newton { iterations, residual: f64::NAN });
            }
            if next == 0.0
                || size <= 1e-14 * max_abs(v)
                || (damping == 1.0 && size * size <= 1e-16 * max_abs(v))
            {
                return Ok(());
            }
            norm = next;
        }
        Err(Cause::Newton { iterations: LIMIT, residual: norm / max_abs(p).max(f64::MIN_POSITIVE) })
    }

    /// `residual = L_v - p`; returns its size.
    fn linearise<L: Lagrangian + ?Sized>(&mut self, l: &L, t: f64, q: &[f64], p: &[f64], v: &[f64]) -> f64 {
        l.second(t, q, v, &mut self.jet);
        for i in 0..p.len() {
            self.residual[i] = self.jet.dv()[i] - p[i];
        }
        max_abs(&self.residual)
    }
}
