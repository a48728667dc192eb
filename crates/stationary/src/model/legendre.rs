//! Between velocities and momenta: the Legendre transform `p = L_v(t, q, v)` and its inverse.

use super::{Jet, Lagrangian};
use crate::error::Cause;
use crate::linalg::{Lu, NewtonProgress, max_abs, small_parts_settled};

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
/// What is left of `L_v - p`, relative to `p`, when only rounding is left.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

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
        let mut progress = NewtonProgress::new(1e-14).limit(LIMIT).forecast_below(0.0);
        while progress.begin() {
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
                let rounded = next <= ROUNDING * max_abs(p) || size * damping <= 1e-13 * max_abs(v);
                if next <= norm || rounded || damping < 1e-6 {
                    break next;
                }
                damping *= 0.5;
            };
            if next.is_nan() || size.is_nan() {
                return Err(Cause::Newton { iterations: progress.iterations(), residual: f64::NAN });
            }
            let speed = max_abs(v);
            // Where the residual is rounding, so is the correction that it asks for.
            let left = if next <= ROUNDING * max_abs(p) { 0.0 } else { size };
            // Velocities may be in units of their own, metres a second beside radians a second.
            let small_parts = || small_parts_settled(&self.step, v, v.len(), speed);
            if progress.judge(left, speed, small_parts, || false).ends() {
                return Ok(());
            }
            norm = next;
        }
        let residual = norm / max_abs(p).max(f64::MIN_POSITIVE);
        Err(Cause::Newton { iterations: progress.iterations(), residual })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Scope, Var};
    use crate::model::FormulaLagrangian;

    fn inverse(text: &str, p: f64) -> f64 {
        let mut scope = Scope::new();
        scope.variable("x", Var::Q(0)).variable("v", Var::V(0));
        let l = FormulaLagrangian::new(text, &scope, 1).unwrap();
        let mut v = [0.0];
        Legendre::new(1).velocity(&l, 0.0, &[0.0], &[p], &mut v).unwrap();
        v[0]
    }

    /// The same system in units of any size: the inverse is as accurate in all of them.
    #[test]
    fn inverse_legendre_transform_is_accurate_in_any_units() {
        for unit in [1e-12, 1e-6, 1.0, 1e6, 1e12] {
            // L_v = v + 4 v^3 / unit^2 = p has the solution v = unit at p = 5 unit.
            let v = inverse(&format!("0.5*v^2 + v^4/{unit:e}^2"), 5.0 * unit);
            assert!((v / unit - 1.0).abs() < 1e-15, "{unit:e}: {v:e}");
        }
    }

    #[test]
    fn inverse_legendre_transform_finds_relativistic_velocities_and_rest_in_a_magnetic_field() {
        for p in [1e-3, 1.0, 1e3] {
            let (v, exact) = (inverse("-sqrt(1 - v^2)", p), p / f64::hypot(1.0, p));
            assert!((v - exact).abs() < 1e-15, "{p}: {v}");
        }
        assert!(inverse("0.5*v^2 + 0.1*v^4 + 0.3*v", 0.3).abs() < 1e-15);
    }
}
