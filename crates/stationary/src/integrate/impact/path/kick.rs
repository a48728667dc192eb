//! The leg that leaves an impact: its impulse along the normals is scaled so that the discrete energy changes as the law asks.

use super::{Departure, Paths};
use crate::action::DiscreteLagrangian;
use crate::archive::{Archive, Persist};
use crate::contact::Gap;
use crate::error::Cause;

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

/// Corrections of the impulse before the energy of an impact is given up.
const KICKS: usize = 30;

impl<D: DiscreteLagrangian, G: Gap> Paths<D, G> {
    /// The leg whose discrete energy is that of the kick: a scalar equation for how often its push is applied, around the
    /// solution of the leg, by secants that begin with the slope of the continuous impact.
    pub(super) fn kicked(&mut self, p: &[f64], kick: &Kick) -> Result<(), Cause> {
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
}

impl Persist for Kick {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.push).pass(&mut self.drag).pass(&mut self.before).pass(&mut self.change);
        archive.pass(&mut self.power).pass(&mut self.slope).pass(&mut self.curvature);
        archive.pass(&mut self.within);
    }
}
