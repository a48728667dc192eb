//! Explicit steps of separable systems: one gradient a step and no solve.
//!
//! The trapezoidal discrete Lagrangian [VTI04 (16)] of `L = v.M v/2 - V(t, q)` has the position-momentum form (18):
//! `p_k = M u/h + h (1-alpha) grad V(q_k)`, `p_{k+1} = M u/h - h alpha grad V(q_{k+1})`. The gradient at the
//! end of a step serves the next one. `alpha = 1/2` is velocity Verlet, `alpha = 0` and `1` are the two
//! symplectic Euler methods, which the midpoint rule gives too at these values.
//!
//! Symmetric compositions of the `alpha = 1/2` step with sub-steps `g_i h`, `sum g_i = 1`, have higher order and
//! remain variational: their discrete Lagrangian is the sum of the parts, stationary in the points between.

use super::{Integrator, Start, View, legs};
use crate::action::{DiscreteLagrangian, Galerkin, Leg, Slots};
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::linalg::Storage;
use crate::model::{Lagrangian, Mass};

/// The sub-steps of a composed method, as fractions of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Composition(pub(super) &'static [f64]);

/// Suzuki's fourth-order composition: `g = 1/(4 - 4^(1/3))` four times, `1 - 4 g` in the middle.
const ORDER_4: [f64; 5] = palindrome([0.414_490_771_794_375_7, 0.414_490_771_794_375_7]);
/// Sixth order in nine sub-steps, coefficients of Kahan and Li (1997).
const ORDER_6: [f64; 9] = palindrome([
    0.392_161_444_007_314_1,
    0.332_599_136_789_359_44,
    -0.706_246_172_557_639_3,
    0.082_213_596_293_550_8,
]);
/// Eighth order in fifteen sub-steps, coefficients of Suzuki and Umeno (1993).
const ORDER_8: [f64; 15] = palindrome([
    0.741_670_364_350_613,
    -0.409_100_825_800_031_6,
    0.190_754_710_296_238_4,
    -0.573_862_471_116_082_2,
    0.299_064_181_303_655_9,
    0.334_624_918_245_298_16,
    0.315_293_092_396_766_6,
]);

/// The sub-steps that read the same both ways and add to one.
const fn palindrome<const HALF: usize, const ALL: usize>(half: [f64; HALF]) -> [f64; ALL] {
    assert!(ALL == 2 * HALF + 1);
    let mut all = [0.0; ALL];
    let mut sum = 0.0;
    let mut i = 0;
    while i < HALF {
        all[i] = half[i];
        all[ALL - 1 - i] = half[i];
        sum += half[i];
        i += 1;
    }
    all[HALF] = 1.0 - 2.0 * sum;
    all
}

impl Composition {
    /// The plain step.
    pub const PLAIN: Composition = Composition(&[1.0]);

    /// The composition of the given even order, 2 to 8.
    pub fn of_order(order: usize) -> Option<Self> {
        match order {
            2 => Some(Self::PLAIN),
            4 => Some(Composition(&ORDER_4)),
            6 => Some(Composition(&ORDER_6)),
            8 => Some(Composition(&ORDER_8)),
            _ => None,
        }
    }
}

/// Steps a separable system. `V` is where the state lives: `[f64; N]` where `N` is known, else `Vec<f64>`.
#[derive(Debug, Clone)]
pub struct Explicit<L, V = Vec<f64>> {
    ld: Galerkin<L>,
    alpha: f64,
    composition: Composition,
    start: f64,
    h: f64,
    step: u64,
    now: Point<V>,
    inverse: Option<V>,
    legs: Vec<Leg>,
    spare: Vec<Leg>,
}

/// Position, momentum, and the force there.
#[derive(Debug, Clone)]
struct Point<V> {
    q: V,
    p: V,
    f: V,
}

impl<L: Lagrangian, V: Storage> Explicit<L, V> {
    /// The trapezoidal rule with parameter `alpha`. `None` unless the system is separable.
    pub fn new(lagrangian: L, alpha: f64, start: &Start) -> Option<Self> {
        Self::composed(lagrangian, alpha, Composition::PLAIN, start)
    }

    /// A composition of such steps; compositions other than the plain one want `alpha = 1/2`.
    pub fn composed(lagrangian: L, alpha: f64, composition: Composition, start: &Start) -> Option<Self> {
        let mut f = start.q.clone();
        lagrangian.mass()?;
        lagrangian.force(start.t, &start.q, &mut f);
        let inverse = lagrangian.mass().and_then(Mass::inverse_diagonal).map(V::copy);
        let now = Point { q: V::copy(&start.q), p: V::copy(&start.p), f: V::copy(&f) };
        let ld = Galerkin::trapezoidal(lagrangian, alpha);
        Some(Explicit {
            ld,
            alpha,
            composition,
            start: start.t,
            h: start.h,
            step: 0,
            now,
            inverse,
            legs: Vec::new(),
            spare: Vec::new(),
        })
    }

    /// One sub-step of length `h` from time `t`: kick, drift, force, kick.
    #[inline(always)]
    fn leap(&self, x: &mut Point<V>, t: f64, h: f64) {
        match &self.inverse {
            Some(inverse) => self.leap_with(x, t, h, |q, p, _| {
                let inverse = &inverse.as_slice()[..q.len()];
                for i in 0..q.len() {
                    q[i] += h * inverse[i] * p[i];
                }
            }),
            None => self.leap_with(x, t, h, |q, p, f| self.drift(q, p, f, h)),
        }
    }

    /// The sub-step with the given drift, which may use `f` as scratch.
    #[inline(always)]
    fn leap_with(&self, x: &mut Point<V>, t: f64, h: f64, drift: impl Fn(&mut [f64], &[f64], &mut [f64])) {
        let (q, p, f) = (x.q.as_mut_slice(), x.p.as_mut_slice(), x.f.as_mut_slice());
        let (before, after) = ((1.0 - self.alpha) * h, self.alpha * h);
        for i in 0..q.len() {
            p[i] += before * f[i];
        }
        drift(q, p, f);
        self.ld.system().force(t + h, q, f);
        for i in 0..q.len() {
            p[i] += after * f[i];
        }
    }

    /// The drift under a full mass matrix; `v` is scratch.
    fn drift(&self, q: &mut [f64], p: &[f64], v: &mut [f64], h: f64) {
        if let Some(mass) = self.ld.system().mass() {
            mass.velocity(p, v);
        }
        for i in 0..q.len() {
            q[i] += h * v[i];
        }
    }

    /// One whole step from `x`.
    #[inline(always)]
    fn stride(&self, x: &mut Point<V>, step: u64) {
        let mut t = self.start + step as f64 * self.h;
        for g in self.composition.0 {
            self.leap(x, t, g * self.h);
            t += g * self.h;
        }
    }

    /// Where some whole steps lead.
    #[inline(always)]
    fn strides(&self, steps: u64) -> Point<V> {
        let mut x = self.now.clone();
        for step in self.step..self.step + steps {
            self.stride(&mut x, step);
        }
        x
    }

    /// One whole step that keeps its legs, for the observers.
    fn recorded_stride(&mut self) -> Result<(), Cause> {
        let n = self.now.q.as_slice().len();
        let mut x = self.now.clone();
        let mut t = self.start + self.step as f64 * self.h;
        // A failed step must not overwrite the legs of the last good one.
        let mut legs = std::mem::take(&mut self.spare);
        legs.resize_with(self.composition.0.len(), || Leg::new(n, 1));
        for (g, leg) in self.composition.0.iter().zip(&mut legs) {
            (leg.t, leg.h) = (t, g * self.h);
            leg.q.copy_from_slice(x.q.as_slice());
            // The increment, not a difference of positions.
            for i in 0..n {
                leg.u[i] = x.p.as_slice()[i] + (1.0 - self.alpha) * leg.h * x.f.as_slice()[i];
            }
            if let Some(mass) = self.ld.system().mass() {
                mass.velocity(&leg.u.clone(), &mut leg.u);
            }
            for u in &mut leg.u {
                *u *= leg.h;
            }
            self.leap(&mut x, t, leg.h);
            t += leg.h;
        }
        for (name, values) in [("a position", &x.q), ("a momentum", &x.p), ("a force", &x.f)] {
            if !values.as_slice().iter().all(|x| x.is_finite()) {
                return Err(Cause::NotFinite { what: name.into() });
            }
        }
        self.spare = std::mem::replace(&mut self.legs, legs);
        self.now = x;
        self.step += 1;
        Ok(())
    }
}

impl<L: Lagrangian, V: Storage> Integrator for Explicit<L, V> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        if steps > 1 {
            let x = self.strides(steps - 1);
            // A value that is not finite stays so: looking once is enough. If it happened, walk there.
            let finite = |v: &V| v.as_slice().iter().all(|x| x.is_finite());
            if finite(&x.q) && finite(&x.p) {
                self.now = x;
                self.step += steps - 1;
            } else {
                return (0..steps).try_for_each(|_| self.advance(1));
            }
        }
        if steps > 0 {
            let (time, step) = (self.view().t, self.step);
            self.recorded_stride().map_err(|cause| RunError { time, step, cause })?;
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        let q = self.now.q.as_slice();
        let t = self.start + self.step as f64 * self.h;
        View { step: self.step, t, q, p: self.now.p.as_slice(), canonical: q }
    }

    /// `D3` of a composed action in `h`: each part has step `g_i h`.
    fn discrete_energy(&mut self) -> Option<f64> {
        let mut slots = Slots::new(self.now.q.as_slice().len(), 1);
        let mut energy = None;
        for (leg, g) in self.legs.iter().zip(self.composition.0) {
            self.ld.first(leg, &mut slots);
            energy = Some(energy.unwrap_or(0.0) - g * slots.d3);
        }
        energy
    }

    fn action(&mut self) -> Option<f64> {
        let mut slots = Slots::new(self.now.q.as_slice().len(), 1);
        let mut action = None;
        for leg in &self.legs {
            self.ld.first(leg, &mut slots);
            action = Some(action.unwrap_or(0.0) + slots.value);
        }
        action
    }

    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        let n = self.now.q.as_slice().len();
        let (mut part, mut product) = (matrix.to_vec(), matrix.to_vec());
        for (i, leg) in self.legs.iter().enumerate() {
            if !legs::tangent(&mut self.ld, leg, &mut part) {
                return false;
            }
            if i == 0 {
                matrix.copy_from_slice(&part);
            } else {
                legs::multiply(&part, matrix, 2 * n, &mut product);
                matrix.copy_from_slice(&product);
            }
        }
        !self.legs.is_empty()
    }
}

impl<L, V: Storage> Persist for Explicit<L, V> {
    fn pass(&mut self, archive: &mut Archive) {
        let Point { q, p, f } = &mut self.now;
        archive.fixed(q.as_mut_slice()).fixed(p.as_mut_slice()).fixed(f.as_mut_slice());
        archive.pass(&mut self.step).pass(&mut self.legs);
        let n = self.now.q.as_slice().len();
        let count = [0, self.composition.0.len()].contains(&self.legs.len());
        let alike = self.legs.iter().all(|leg| leg.shape() == [n, n]);
        archive.require(count && alike, "legs of another system");
    }
}
