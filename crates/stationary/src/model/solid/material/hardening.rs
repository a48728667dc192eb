//! The flow stress of metals: hardening and dependence on the rate.

use super::heating::Softening;
use crate::error::Diagnostic;

/// The yield stress as a function of the accumulated plastic strain, a sum of terms each of which may be zero:
///
/// ```text
/// sigma_y(e) = yield + linear e + saturation (1 - exp(-saturation_rate e)) + power e^exponent
///                      linear     Voce                                       Johnson and Cook (Ludwik)
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hardening {
    /// The first yield stress.
    pub yield_stress: f64,
    /// Linear hardening modulus.
    pub linear: f64,
    /// The stress by which the yield stress rises to saturation.
    pub saturation: f64,
    /// How fast it saturates.
    pub saturation_rate: f64,
    /// The factor of the power law.
    pub power: f64,
    /// The exponent of the power law.
    pub exponent: f64,
}

impl Hardening {
    /// Perfect plasticity.
    pub fn none(yield_stress: f64) -> Self {
        Hardening {
            yield_stress,
            linear: 0.0,
            saturation: 0.0,
            saturation_rate: 1.0,
            power: 0.0,
            exponent: 1.0,
        }
    }

    /// Refuses numbers with which the minimum of an update would not be unique.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        let numbers = [
            ("yield stress", self.yield_stress, self.yield_stress > 0.0),
            ("hardening modulus", self.linear, self.linear >= 0.0),
            ("saturation stress", self.saturation, self.saturation >= 0.0),
            ("saturation rate", self.saturation_rate, self.saturation_rate > 0.0),
            ("factor of the power law", self.power, self.power >= 0.0),
            ("exponent of the power law", self.exponent, self.exponent > 0.0),
        ];
        for (name, value, holds) in numbers {
            if !(holds && value.is_finite()) {
                return Err(Diagnostic::new(format!("the {name} is {value}"))
                    .help("expected a finite number, positive where it is not a term that may be left out"));
            }
        }
        Ok(())
    }

    /// The yield stress at a plastic strain.
    #[inline]
    pub fn stress(&self, e: f64) -> f64 {
        let mut s = self.yield_stress + self.linear * e;
        if self.saturation != 0.0 {
            s -= self.saturation * (-self.saturation_rate * e).exp_m1();
        }
        if self.power != 0.0 {
            s += self.power * e.powf(self.exponent);
        }
        s
    }

    /// Its derivative; infinite at no strain where the exponent of the power law is below one.
    #[inline]
    pub(super) fn slope(&self, e: f64) -> f64 {
        let mut s = self.linear;
        if self.saturation != 0.0 {
            s += self.saturation * self.saturation_rate * (-self.saturation_rate * e).exp();
        }
        if self.power != 0.0 {
            s += self.power * self.exponent * e.powf(self.exponent - 1.0);
        }
        s
    }

    /// Plastic work from one strain on: the integral of the yield stress from `e` to `e + d`.
    #[inline]
    pub fn work(&self, e: f64, d: f64) -> f64 {
        let mut w = d * (self.yield_stress + self.linear * (e + 0.5 * d));
        if self.saturation != 0.0 {
            let r = self.saturation_rate;
            w += self.saturation * (d + (-r * e).exp() * (-r * d).exp_m1() / r);
        }
        if self.power != 0.0 {
            let n = self.exponent + 1.0;
            w += self.power / n * ((e + d).powf(n) - e.powf(n));
        }
        w
    }
}

/// How the flow stress depends on the rate of plastic strain, a sum of two terms each of which may be zero, with `x` the rate over the
/// reference rate:
///
/// ```text
/// factor sigma_y log(x) where x > 1    Johnson and Cook, sigma_y that at the start of the increment
/// viscous x^exponent                   Perzyna's power law, Norton's
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateDependence {
    /// The reference rate, per unit of time.
    pub reference: f64,
    /// Johnson and Cook's factor.
    pub factor: f64,
    /// The viscous stress at the reference rate.
    pub viscous: f64,
    /// Its exponent.
    pub exponent: f64,
}

impl RateDependence {
    /// None.
    pub const NONE: Self = RateDependence { reference: 1.0, factor: 0.0, viscous: 0.0, exponent: 1.0 };

    pub(super) fn is_none(&self) -> bool {
        self.factor == 0.0 && self.viscous == 0.0
    }

    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        let numbers = [
            ("reference rate", self.reference, self.reference > 0.0),
            ("factor of the rate", self.factor, self.factor >= 0.0),
            ("viscous stress", self.viscous, self.viscous >= 0.0),
            ("exponent of the rate", self.exponent, self.exponent > 0.0),
        ];
        for (name, value, holds) in numbers {
            if !(holds && value.is_finite()) {
                return Err(Diagnostic::new(format!("the {name} is {value}"))
                    .help("expected a finite number, positive where it is not a term that may be left out"));
            }
        }
        Ok(())
    }
}

/// Flow stress of a strain increment over a time, from a plastic strain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flow<'a> {
    pub hardening: &'a Hardening,
    pub rate: &'a RateDependence,
    /// The plastic strain at the start.
    pub strain: f64,
    /// The yield stress there.
    pub first: f64,
    /// The increment at the reference rate.
    pub reference: f64,
    /// What the temperature takes of it.
    pub softening: Option<Softening>,
}

impl<'a> Flow<'a> {
    pub fn new(hardening: &'a Hardening, rate: &'a RateDependence, strain: f64, dt: f64) -> Self {
        let first = hardening.stress(strain);
        Flow { hardening, rate, strain, first, reference: rate.reference * dt, softening: None }
    }

    /// The same of a metal that softens as it heats. What the rate adds is softened by the temperature at the start of the increment, as it
    /// contains the yield stress there.
    pub fn softened(mut self, softening: Option<Softening>) -> Self {
        self.first *= softening.map_or(1.0, |s| s.left);
        self.softening = softening;
        self
    }

    /// The viscous stress at the reference rate.
    #[inline]
    fn viscous(&self) -> f64 {
        self.rate.viscous * self.softening.map_or(1.0, |s| s.left)
    }

    /// The flow stress after an increment, and its derivative.
    #[inline]
    pub fn stress(&self, d: f64) -> [f64; 2] {
        let e = self.strain + d;
        let (mut s, mut slope) = (self.hardening.stress(e), self.hardening.slope(e));
        if let Some(softening) = &self.softening {
            let [left, change] = softening.after(self.hardening.work(self.strain, d));
            slope = if left > 0.0 { slope * left + s * s * change } else { 0.0 };
            s *= left;
        }
        if self.rate.factor != 0.0 && d > self.reference {
            s += self.rate.factor * self.first * (d / self.reference).ln();
            slope += self.rate.factor * self.first / d;
        }
        if self.rate.viscous != 0.0 {
            let m = self.rate.exponent;
            let viscous = self.viscous() * (d / self.reference).powf(m);
            s += viscous;
            slope += if d > 0.0 { m * viscous / d } else { f64::INFINITY };
        }
        [s, slope]
    }

    /// The incremental potential, whose derivative is the flow stress, and the energy dissipated: plastic work.
    #[inline]
    pub fn energies(&self, d: f64) -> [f64; 2] {
        let mut work = self.hardening.work(self.strain, d);
        if let Some(softening) = &self.softening {
            work = softening.work(work);
        }
        let (mut potential, mut dissipated) = (work, work);
        if self.rate.factor != 0.0 && d > self.reference {
            let c = self.rate.factor * self.first;
            let log = (d / self.reference).ln();
            potential += c * (d * log - (d - self.reference));
            dissipated += c * d * log;
        }
        if self.rate.viscous != 0.0 {
            let m = self.rate.exponent;
            let viscous = self.viscous() * (d / self.reference).powf(m) * d;
            potential += viscous / (m + 1.0);
            dissipated += viscous;
        }
        [potential, dissipated]
    }
}
