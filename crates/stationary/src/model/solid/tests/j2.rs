//! Plasticity against closed forms.

use super::super::tensor::{IDENTITY, combine, product, transpose};
use super::*;
use crate::model::Past;

pub(super) const YOUNG: f64 = 200.0;
pub(super) const POISSON: f64 = 0.3;
pub(super) const YIELD: f64 = 0.4;
pub(super) const MODULUS: f64 = 3.0;

pub(super) fn steel(hardening: Hardening, rate: RateDependence) -> J2 {
    J2::new(Lame::from_young(YOUNG, POISSON).unwrap(), hardening, rate).unwrap()
}

pub(super) fn linear() -> Hardening {
    Hardening { linear: MODULUS, ..Hardening::none(YIELD) }
}

/// A point that is led along a path.
struct Point {
    law: J2,
    history: [f64; 8],
}

impl Point {
    fn new(law: J2) -> Self {
        let mut history = [0.0; 8];
        law.first_history(&mut history);
        Point { law, history }
    }

    /// The Kirchhoff stress after an increment.
    fn go(&mut self, f: &Tensor, dt: f64) -> (Update, Tensor) {
        let mut after = self.history;
        let update = self.law.update(f, Past { history: &self.history, dt }, Some(&mut after)).unwrap();
        self.history = after;
        (update, product(&update.stress, &transpose(f)))
    }
}

/// The deformation of a bar with these logarithmic strains along and across it.
fn bar(along: f64, across: f64) -> Tensor {
    let (a, b) = (along.exp(), across.exp());
    [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, b]]
}

/// Stress, plastic strain along the bar and accumulated one of a bar with linear isotropic hardening under a history of logarithmic strains.
pub(super) struct Bar {
    pub plastic: f64,
    pub accumulated: f64,
}

impl Bar {
    pub fn go(&mut self, strain: f64) -> f64 {
        let trial = YOUNG * (strain - self.plastic);
        let beyond = trial.abs() - (YIELD + MODULUS * self.accumulated);
        if beyond > 0.0 {
            let d = beyond / (YOUNG + MODULUS);
            self.plastic += d * trial.signum();
            self.accumulated += d;
        }
        YOUNG * (strain - self.plastic)
    }
}

/// Tension to 30 % and cycles between tension and compression, with a large rotation on top: the exact stress of a bar in logarithmic
/// strains, whatever the number of increments on the way.
#[test]
fn j2_bar_in_tension_and_cycles_has_the_stress_of_the_closed_form() {
    for parts in [1, 7, 50] {
        let mut point = Point::new(steel(linear(), RateDependence::NONE));
        let mut exact = Bar { plastic: 0.0, accumulated: 0.0 };
        let mut strain = 0.0;
        let mut angle = 0.0;
        for goal in [0.001, 0.3, 0.1, -0.25, 0.2, 0.199] {
            for i in 1..=parts {
                let now = strain + (goal - strain) * f64::from(i) / f64::from(parts);
                let stress = exact.go(now);
                let across = -POISSON * stress / YOUNG - 0.5 * exact.plastic;
                angle += 0.37;
                let q = rotation(angle);
                let (_, tau) = point.go(&product(&q, &bar(now, across)), 1.0);
                let tau = product(&product(&transpose(&q), &tau), &q);
                let expected = [[stress, 0.0, 0.0], [0.0; 3], [0.0; 3]];
                let off = combine([(1.0, &tau), (-1.0, &expected)]);
                let error = off.as_flattened().iter().fold(0.0_f64, |a, b| a.max(b.abs()));
                assert!(error < 1e-9 * stress.abs().max(YIELD), "{parts} {now}: {error:e}");
            }
            strain = goal;
        }
        let e = exact.accumulated;
        assert!(e > 0.9 && (point.history[6] - e).abs() < 1e-11);
        // Dissipation is plastic work.
        let work = YIELD * e + 0.5 * MODULUS * e * e;
        assert!((point.history[7] - work).abs() < 1e-12 * work, "{} {work}", point.history[7]);
    }
}

/// Pure shear by an isochoric stretch: one equation for the plastic strain, of every law of hardening and rate.
#[test]
fn j2_pure_shear_solves_the_equation_of_every_hardening_and_rate() {
    let mu = Lame::from_young(YOUNG, POISSON).unwrap().mu;
    let voce = Hardening { saturation: 0.3, saturation_rate: 15.0, ..linear() };
    let power = Hardening { power: 0.5, exponent: 0.31, ..Hardening::none(YIELD) };
    let cook = RateDependence { reference: 1e-2, factor: 0.05, ..RateDependence::NONE };
    let perzyna = RateDependence { reference: 2.0, viscous: 0.1, exponent: 0.2, ..RateDependence::NONE };
    for hardening in [linear(), voce, power] {
        for rate in [RateDependence::NONE, cook, perzyna] {
            let dt = 0.03;
            let mut point = Point::new(steel(hardening, rate));
            let (update, tau) = point.go(
                &{
                    let s: f64 = 0.02;
                    [[s.exp(), 0.0, 0.0], [0.0, (-s).exp(), 0.0], [0.0, 0.0, 1.0]]
                },
                dt,
            );
            let e = point.history[6];
            let mises = 3.0_f64.sqrt() * tau[0][0];
            // The deviator of the elastic strain is what the plastic one leaves.
            let elastic = 0.02 - 0.5 * 3.0_f64.sqrt() * e;
            assert!((tau[0][0] - 2.0 * mu * elastic).abs() < 1e-12 * mises);
            let speed = e / (dt * rate.reference);
            let yielding = YIELD
                + hardening.linear * e
                + hardening.saturation * (1.0 - (-hardening.saturation_rate * e).exp())
                + hardening.power * e.powf(hardening.exponent);
            let flow = yielding
                + YIELD * rate.factor * speed.ln().max(0.0)
                + rate.viscous * speed.powf(rate.exponent);
            assert!((mises - flow).abs() < 1e-10 * flow, "{hardening:?} {rate:?}: {mises} {flow}");
            assert!((update.stored - 2.0 * mu * elastic * elastic).abs() < 1e-12 * update.stored);
        }
    }
}

/// Simple shear of a law without hardening: the Mises stress is the yield stress in every increment, and the stress converges to the
/// solution of the rate equations, with first order at least.
#[test]
fn j2_simple_shear_stays_on_the_yield_surface_and_converges() {
    let shear = |g: f64| [[1.0, g, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let run = |parts: u32| {
        let mut point = Point::new(steel(Hardening::none(YIELD), RateDependence::NONE));
        let mut tau = [[0.0; 3]; 3];
        for i in 1..=parts {
            tau = point.go(&shear(2.0 * f64::from(i) / f64::from(parts)), 1.0).1;
            let square = tau.as_flattened().iter().map(|t| t * t).sum::<f64>();
            let trace = tau[0][0] + tau[1][1] + tau[2][2];
            let mises = (1.5 * square).sqrt();
            assert!(trace.abs() < 1e-10 && (point.history[6] == 0.0 || (mises - YIELD).abs() < 1e-9 * YIELD));
        }
        tau
    };
    let (coarse, middle, fine) = (run(200), run(400), run(800));
    let off = |a: &Tensor, b: &Tensor| (a[0][0] - b[0][0]).abs().max((a[0][1] - b[0][1]).abs());
    let (one, other) = (off(&coarse, &middle), off(&middle, &fine));
    assert!(other < 0.6 * one && other < 1e-3 * YIELD, "{one:e} {other:e}");
    // With little elastic strain the stress is the shear stress of rigid plasticity.
    assert!((fine[0][1] - YIELD / 3.0_f64.sqrt()).abs() < 3e-3 * YIELD);
}

/// Any other increment of the plastic strain has a larger potential.
#[test]
fn j2_increment_is_the_minimum_of_its_potential() {
    let law = steel(linear(), RateDependence::NONE);
    let mu = law.lame().mu;
    let mut history = [0.0; 8];
    law.first_history(&mut history);
    let mut random = Random(5);
    for _ in 0..50 {
        let f = combine([(1.0, &IDENTITY), (1.0, &random.matrix(0.02))]);
        let mut after = history;
        let update = law.update(&f, Past { history: &history, dt: 1.0 }, Some(&mut after)).unwrap();
        let (d, e) = (after[6] - history[6], history[6]);
        // The deviator of the elastic strain after the update, which every unit of increment shortens by sqrt(3/2).
        let tau = product(&update.stress, &transpose(&f));
        let p = (tau[0][0] + tau[1][1] + tau[2][2]) / 3.0;
        let square = tau.as_flattened().iter().map(|t| t * t).sum::<f64>() - 3.0 * p * p;
        let length = square.max(0.0).sqrt() / (2.0 * mu);
        let potential = |other: f64| {
            let changed = length - 1.5_f64.sqrt() * (other - d);
            update.stored + mu * (changed * changed - length * length) + linear().work(e, other)
        };
        assert!((potential(d) - update.potential).abs() < 1e-12);
        for step in [1e-4, 1e-3] {
            assert!(potential(d + step) > potential(d));
            assert!(d < step || potential(d - step) > potential(d));
        }
        history = after;
    }
    assert!(history[6] > 0.05);
}

#[test]
fn j2_constants_out_of_range_are_named() {
    let refused = |hardening, rate| J2::new(lame(), hardening, rate).unwrap_err().message;
    assert!(refused(Hardening::none(0.0), RateDependence::NONE).contains("yield stress is 0"));
    assert!(refused(Hardening { linear: -1.0, ..linear() }, RateDependence::NONE).contains("modulus"));
    assert!(refused(Hardening { exponent: f64::NAN, ..linear() }, RateDependence::NONE).contains("exponent"));
    let rate = RateDependence { reference: 0.0, ..RateDependence::NONE };
    assert!(refused(linear(), rate).contains("reference rate is 0"));
}

const HEATING: Heating =
    Heating { room: 300.0, melting: 1300.0, start: 350.0, exponent: 1.0, capacity: 1e-3, fraction: 0.9 };

/// Led along a path, with one more number of history for the temperature.
fn shear_heated(law: &J2, parts: u32, duration: f64) -> ([f64; 9], f64) {
    let mut history = [0.0; 9];
    law.first_history(&mut history);
    let mut mises = 0.0;
    for i in 1..=parts {
        let f = [[1.0, 2.0 * f64::from(i) / f64::from(parts), 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut after = history;
        let past = Past { history: &history, dt: duration / f64::from(parts) };
        let tau = product(&law.update(&f, past, Some(&mut after)).unwrap().stress, &transpose(&f));
        mises = (1.5 * tau.as_flattened().iter().map(|t| t * t).sum::<f64>()).sqrt();
        history = after;
    }
    (history, mises)
}

/// With linear softening and no hardening `capacity dT = fraction Y (1 - x) dp`: the flow stress falls exponentially with the plastic strain,
/// exactly, in any number of increments. The heat is its part of what is dissipated, to rounding.
#[test]
fn j2_adiabatic_shear_softens_exponentially_and_turns_its_part_of_the_work_to_heat() {
    let law = steel(Hardening::none(YIELD), RateDependence::NONE).heated(HEATING).unwrap();
    for parts in [3, 40, 1000] {
        let (history, mises) = shear_heated(&law, parts, 1.0);
        let [plastic, temperature, dissipated] = history[6..] else { unreachable!() };
        let rate = HEATING.fraction * YIELD / (HEATING.capacity * 1000.0);
        let expected = YIELD * 0.95 * (-rate * plastic).exp();
        assert!(plastic > 0.9 && (mises - expected).abs() < 1e-11 * YIELD, "{parts}: {mises} {expected}");
        let heat = HEATING.capacity * (temperature - HEATING.start);
        assert!((heat - HEATING.fraction * dissipated).abs() < 1e-12 * heat, "{parts}: {heat}");
        assert!(temperature > 600.0);
    }
}

/// The whole law of Johnson and Cook, `(A + B p^n) (1 + C log(rate)) (1 - x^m)`, with first order in the increment.
#[test]
fn j2_heated_converges_to_johnson_and_cook_with_first_order() {
    let hardening = Hardening { power: 0.5, exponent: 0.3, ..Hardening::none(YIELD) };
    let rate = RateDependence { reference: 1e-3, factor: 0.05, ..RateDependence::NONE };
    let law = steel(hardening, rate).heated(Heating { exponent: 1.03, ..HEATING }).unwrap();
    let run = |parts: u32| {
        let (before, _) = shear_heated(&law, parts, 0.5);
        (before, shear_heated(&law, parts, 0.5).1)
    };
    let mut errors = Vec::new();
    for parts in [100, 200, 400, 800] {
        let (history, mises) = run(parts);
        let [p, temperature, dissipated] = history[6..] else { unreachable!() };
        // The rate of simple shear by 2 in half a time, elastic strain aside.
        let speed = 4.0 / 3.0_f64.sqrt() / rate.reference;
        let x: f64 = (temperature - 300.0) / 1000.0;
        let expected = (YIELD + 0.5 * p.powf(0.3)) * (1.0 + 0.05 * speed.ln()) * (1.0 - x.powf(1.03));
        let heat = HEATING.capacity * (temperature - HEATING.start);
        assert!((heat - HEATING.fraction * dissipated).abs() < 1e-12 * heat);
        errors.push((mises - expected).abs() / expected);
    }
    assert!(
        errors.windows(2).all(|e| (0.4..0.62).contains(&(e[1] / e[0]))) && errors[3] < 1e-3,
        "{errors:?}"
    );
}

/// Tonnes, millimetres and seconds in place of kilograms, metres and seconds: the same but for the units.
#[test]
fn j2_heated_is_the_same_in_other_units() {
    let run = |stress: f64| {
        let hardening =
            Hardening { power: 510e6 * stress, exponent: 0.26, ..Hardening::none(792e6 * stress) };
        let rate = RateDependence { reference: 1.0, factor: 0.014, ..RateDependence::NONE };
        // Per cubic metre and degree, or per cubic millimetre: joules over cubic metres are a stress.
        let capacity = 7830.0 * 477.0 * stress;
        let heating =
            Heating { room: 293.0, melting: 1793.0, start: 293.0, exponent: 1.03, capacity, fraction: 0.9 };
        let law = J2::new(Lame::from_young(200e9 * stress, 0.29).unwrap(), hardening, rate).unwrap();
        shear_heated(&law.heated(heating).unwrap(), 200, 1e-3)
    };
    let ((si, stress), (other, scaled)) = (run(1.0), run(1e-6));
    assert!((scaled * 1e6 / stress - 1.0).abs() < 1e-12);
    assert!((other[7] / si[7] - 1.0).abs() < 1e-13 && (other[8] * 1e6 / si[8] - 1.0).abs() < 1e-12);
    assert!((other[6] / si[6] - 1.0).abs() < 1e-12 && si[7] > 500.0 && si[7] < 900.0, "{si:?}");
}

#[test]
fn heating_out_of_range_is_named() {
    let refused = |heating| steel(linear(), RateDependence::NONE).heated(heating).unwrap_err().to_string();
    assert!(refused(Heating { melting: 300.0, ..HEATING }).contains("melting temperature is 300"));
    assert!(refused(Heating { start: 1300.0, ..HEATING }).contains("start is 1300"));
    assert!(refused(Heating { start: 299.0, ..HEATING }).contains("start is 299"));
    assert!(refused(Heating { fraction: 1.1, ..HEATING }).contains("from 0 to 1"));
    assert!(refused(Heating { capacity: f64::NAN, ..HEATING }).contains("NaN"));
    assert!(refused(Heating { room: f64::NAN, ..HEATING }).contains("temperature"));
    assert!(refused(Heating { capacity: 1e-9, ..HEATING }).contains("units"));
}
