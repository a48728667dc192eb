//! The update of [`J2`] in vector lanes.
//!
//! The axes of the trial strain are those of the result, so that neither is needed: stress and history follow from the deviator as a tensor, shortened by a
//! factor.

use super::hardening::{Hardening, RateDependence};
use super::j2::{DISSIPATED, ITERATIONS, J2, STRAIN};
use super::kernels::{Histories, InelasticKernel, Updates};
use crate::model::solid::lanes::hencky::Hencky;
use crate::model::solid::lanes::math::{RATIOS, exp_m1, log, power};
use crate::model::solid::lanes::tensor::{self as wide, Matrix};
use crate::model::solid::lanes::{Lanes, Num};

impl InelasticKernel for J2 {
    #[inline(always)]
    fn evaluate<L: Lanes, const STRIDE: usize>(
        &self,
        f: &Matrix<L>,
        past: Histories<'_, L, STRIDE>,
        after: Option<&mut [f64]>,
    ) -> Updates<L> {
        let (mu, bulk) = (self.lame.mu, self.bulk());
        let zero = Num::splat(0.0);
        let (cof, j) = wide::cofactor_fused(f);
        let reciprocal = 1.0 / j;
        let inverse_plastic = past.numbers(0);
        let [strain, mut dissipated]: [Num<L>; 2] = past.numbers(STRAIN);
        let trial = Hencky::new(&wide::push(f, &inverse_plastic));
        let mut exists = L::both(j.between(RATIOS), trial.exists);
        let rate = &self.rate;
        let hardening = &self.hardening;
        // q^2 = 6 mu^2 |dev e|^2. Hardening only raises the yield stress: below its linear part nothing flows, and the rest need not be known.
        let square = 6.0 * mu * mu * trial.square;
        let least = hardening.yield_stress + hardening.linear * strain;
        let (mut left, mut work, mut flows) = (Num::splat(1.0), zero, None);
        if !L::every(square.at_most(least * least)) {
            let flow = Flow::new(hardening, rate, strain, rate.reference * past.dt);
            let mut plastic = L::both(exists, L::not(square.at_most(flow.first * flow.first)));
            if !rate.is_none() {
                // At rest what depends on the rate is frozen.
                plastic = L::both(plastic, L::not(past.dt.abs().at_most(zero)));
            }
            let q = 6.0_f64.sqrt() * mu * trial.square.sqrt();
            let finite = q.below(Num::splat(f64::INFINITY));
            exists = L::both(exists, L::not(L::both(plastic, L::not(finite))));
            let d = Num::pick(plastic, flow.increment(q, 3.0 * mu, plastic), zero);
            let [potential, lost] = flow.energies(d);
            left = Num::pick(plastic, 1.0 - 3.0 * mu * d / q, left);
            work = Num::pick(plastic, potential, zero);
            dissipated = Num::pick(plastic, dissipated + lost, dissipated);
            flows = Some((plastic, d));
        }
        let pressure = bulk * trial.volume;
        let twice = 2.0 * mu * left;
        let mut tau = trial.deviator;
        for i in 0..6 {
            tau[i] = if i < 3 { twice.mul_add(tau[i], pressure) } else { twice * tau[i] };
        }
        let stored = (0.5 * bulk * trial.volume).mul_add(trial.volume, mu * (left * left) * trial.square);
        if let Some(after) = after {
            let mut own = inverse_plastic;
            let mut grown = strain;
            if let Some((plastic, d)) = flows {
                let pulled = wide::pull(&cof, reciprocal, &trial.shortened(left));
                for i in 0..6 {
                    own[i] = Num::pick(plastic, pulled[i], own[i]);
                }
                grown = strain + d;
            }
            past.store(after, 0, &own);
            past.store(after, STRAIN, &[grown]);
            past.store(after, DISSIPATED, &[dissipated]);
        }
        let stress = wide::piola(&tau, &cof, reciprocal);
        Updates { exists, potential: stored + work, stored, dissipated, stress }
    }
}

/// Flow stress, its slope and the energies of an increment: as [`hardening::Flow`](super::hardening), side by side.
struct Flow<'a, L> {
    hardening: &'a Hardening,
    rate: &'a RateDependence,
    strain: Num<L>,
    first: Num<L>,
    /// The power law's part of it.
    first_power: Num<L>,
    reference: Num<L>,
}

impl<'a, L: Lanes> Flow<'a, L> {
    #[inline(always)]
    fn new(hardening: &'a Hardening, rate: &'a RateDependence, strain: Num<L>, reference: Num<L>) -> Self {
        let [first, _, first_power] = yield_stress(hardening, strain);
        Flow { hardening, rate, strain, first, first_power, reference }
    }

    /// The flow stress after a positive increment, and its derivative.
    #[inline(always)]
    fn stress(&self, d: Num<L>) -> [Num<L>; 2] {
        let [mut s, mut slope, _] = yield_stress(self.hardening, self.strain + d);
        let rate = self.rate;
        if rate.factor != 0.0 {
            let fast = self.reference.below(d);
            let factor = rate.factor * self.first;
            s = Num::pick(fast, s + factor * log(d / self.reference).0, s);
            slope = Num::pick(fast, slope + factor / d, slope);
        }
        if rate.viscous != 0.0 {
            let viscous = rate.viscous * power(d / self.reference, rate.exponent);
            s = s + viscous;
            slope = slope + rate.exponent * viscous / d;
        }
        [s, slope]
    }

    /// The incremental potential, whose derivative is the flow stress, and the energy dissipated.
    #[inline(always)]
    fn energies(&self, d: Num<L>) -> [Num<L>; 2] {
        let work = self.work(d);
        let (mut potential, mut dissipated) = (work, work);
        let rate = self.rate;
        if rate.factor != 0.0 {
            let fast = self.reference.below(d);
            let c = rate.factor * self.first;
            let log = log(d / self.reference).0;
            let lost = c * d * log;
            potential = Num::pick(fast, potential + (lost - c * (d - self.reference)), potential);
            dissipated = Num::pick(fast, dissipated + lost, dissipated);
        }
        if rate.viscous != 0.0 {
            let viscous = rate.viscous * power(d / self.reference, rate.exponent) * d;
            potential = potential + viscous * (1.0 / (rate.exponent + 1.0));
            dissipated = dissipated + viscous;
        }
        [potential, dissipated]
    }

    /// The integral of the yield stress over the increment.
    #[inline(always)]
    fn work(&self, d: Num<L>) -> Num<L> {
        let (h, e) = (self.hardening, self.strain);
        let mut w = d * (h.yield_stress + h.linear * (e + 0.5 * d));
        if h.saturation != 0.0 {
            let r = h.saturation_rate;
            let gone = (1.0 + exp_m1(-r * e)) * exp_m1(-r * d) * (1.0 / r);
            w = w + h.saturation * (d + gone);
        }
        if h.power != 0.0 {
            let n = h.exponent + 1.0;
            let end = e + d;
            let last_power = h.power * power(end, h.exponent);
            w = w + (1.0 / n) * (end * last_power - e * self.first_power);
        }
        w
    }

    /// The root `d` of `q - stiffness d = flow stress` in the lanes that flow: Newton's method in a bracket, until it has ended in all of them. A lane in which it
    /// has ended does not change any more.
    #[inline(always)]
    fn increment(&self, q: Num<L>, stiffness: f64, plastic: L::Mask) -> Num<L> {
        // The root without the terms that are not linear.
        let mut high = (q - self.first) / Num::splat(stiffness + self.hardening.linear);
        let (mut low, mut d) = (Num::splat(0.0), high);
        let small = f64::EPSILON * high;
        let mut open = plastic;
        for _ in 0..ITERATIONS {
            let [stress, slope] = self.stress(d);
            let rest = d.mul_from(Num::splat(stiffness), q) - stress;
            let above = Num::splat(0.0).below(rest);
            low = Num::pick(L::both(open, above), d, low);
            high = Num::pick(L::both(open, L::not(above)), d, high);
            let step = rest / (stiffness + slope);
            let next = d + step;
            let unsettled = L::both((CLOSE * d).below(step.abs()), small.below(high - low));
            let outside = L::not(L::both(low.below(next), next.below(high)));
            let next = Num::pick(L::both(unsettled, outside), 0.5 * (low + high), next);
            d = Num::pick(open, next, d);
            open = L::both(open, unsettled);
            if L::every(L::not(open)) {
                break;
            }
        }
        d
    }
}

/// Newton's method doubles the number of correct digits: after a smaller step, as a part of the increment, only rounding is left to gain.
const CLOSE: f64 = 1e-8;

/// The yield stress at a plastic strain, its derivative where the strain is not zero, and the part of the power law in it.
#[inline(always)]
fn yield_stress<L: Lanes>(h: &Hardening, e: Num<L>) -> [Num<L>; 3] {
    let (mut s, mut slope, mut term) = (h.yield_stress + h.linear * e, Num::splat(h.linear), Num::splat(0.0));
    if h.saturation != 0.0 {
        let less = exp_m1(-h.saturation_rate * e);
        s = s - h.saturation * less;
        slope = slope + h.saturation * h.saturation_rate * (1.0 + less);
    }
    if h.power != 0.0 {
        term = h.power * power(e, h.exponent);
        s = s + term;
        slope = slope + h.exponent * term / e;
    }
    [s, slope, term]
}
