//! Whether the energy of a run explodes: one rule for every kind of scenario.
//!
//! Energy less the work from outside is constant but for the error of the method, and a stable method bounds that error by the
//! energies in play. What these are is known without a model of the system:
//!
//! `scale = max(|T| + |V| in the first steps, largest V(start) - V(t), largest work, rounding)`.
//!
//! The first steps are the start: a system at rest has no energy yet, and what a step has sampled of the forces is not what they have done.
//! A potential that falls sets free what it falls by (a close encounter, a body that falls for ever), so that may be found as kinetic
//! energy. A potential or a kinetic energy that *rises* is no measure: that is what an unstable step makes. The energy explodes where
//! its change is more than [`FACTOR`] times this scale.
//!
//! Where every step is seen, that must happen several times, each time with at least twice the change: a step too long for a close
//! encounter throws a body out with any energy, once, and the run goes on as it should; an unstable method never ends to grow. The same holds
//! in the first steps, look after look: the first kick from rest is beyond any multiple of nothing, but the one after it is not.
//!
//! Systems whose energy changes for reasons that nobody books (time in the Lagrangian, moving constraints) are asked for finite numbers only.

use stationary::archive::{Archive, Persist};
use stationary::error::Cause;

/// Change of the energy, over all that the system had, set free and was given, from which on it explodes. At that size the motion has
/// nothing in common with that of the system, and an instability, which is exponential, is soon beyond it; the error of a method within its limit
/// is below one.
const FACTOR: f64 = 1e3;

/// Where every step is seen, so many times the change must be beyond the factor, each time at least doubled; in the beginning, in so many
/// looks in a row, each time over what was there before.
const RISES: u64 = 3;

/// So many steps belong to the start: what is seen there adds to the scale.
const BEGINNING: f64 = 10.0;

/// Rounding errors of so many units in the last place, in every step.
const UNITS: f64 = 8.0;

/// The energies of a system at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Energies {
    pub time: f64,
    pub kinetic: f64,
    pub potential: f64,
    /// Work from outside since the start; NaN where nobody books it.
    pub work: f64,
    /// What came in of it: without what was taken out.
    pub supplied: f64,
}

/// How closely the energy is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looks {
    /// After every step: a single jump is not an explosion.
    Steps,
    /// After many steps, or where no step may change the energy.
    Rows,
}

/// What is wrong with an energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum EnergyFault {
    NotFinite,
    /// The energy then, and its change over the scale.
    Explodes {
        time: f64,
        energy: f64,
        growth: f64,
    },
}

impl EnergyFault {
    /// As the cause of a stop: where most of the energy is (`"element 7"`, or nothing), and what would help.
    pub fn cause(self, place: String, remedy: String) -> Cause {
        match self {
            EnergyFault::NotFinite => Cause::NotFinite { what: "the energy".into() },
            EnergyFault::Explodes { time, energy, growth } => {
                Cause::Energy { time, energy, growth, place, remedy }
            }
        }
    }
}

/// Watches the energy of a run.
#[derive(Debug, Clone)]
pub(crate) struct EnergyGuard {
    /// Whether energy less work is constant at all.
    balanced: bool,
    looks: Looks,
    /// Energy that rounding may bring in.
    rounding: f64,
    /// The time until which what is seen is the start.
    settled: f64,
    /// Energy less work, and potential, at the start; NaN before.
    start: [f64; 2],
    /// The largest of all that the system had, set free and was given.
    scale: f64,
    /// The largest change that was beyond the factor, and how often it was at least doubled.
    record: f64,
    rises: u64,
}

impl EnergyGuard {
    /// A guard of an energy that is kept, less the work. Rounding of positions moves everything by a part in `1/epsilon` of its distance
    /// from the origin in each of `steps` steps, at random: `unit` is the kinetic energy of a motion by these distances in one step.
    pub fn new(looks: Looks, unit: f64, steps: f64) -> Self {
        let rounding = UNITS * f64::EPSILON * f64::EPSILON * unit * steps.min(1e18);
        EnergyGuard {
            balanced: true,
            looks,
            rounding: if rounding.is_finite() { rounding } else { 0.0 },
            settled: f64::NEG_INFINITY,
            start: [f64::NAN; 2],
            scale: 0.0,
            record: 0.0,
            rises: 0,
        }
    }

    /// The same for a run that begins at a time with steps of this length.
    pub fn from(mut self, start: f64, step: f64) -> Self {
        self.settled = start + BEGINNING * step;
        self
    }

    /// The same for an energy that may change for reasons that are not booked: only numbers that are none are found.
    pub fn unbalanced(mut self) -> Self {
        self.balanced = false;
        self
    }

    /// Says how large the terms are of which the energy at the start is made, where they are more than its kinetic and potential part.
    pub fn reach(&mut self, terms: f64) {
        if self.start[0].is_nan() {
            self.scale = self.scale.max(terms);
        }
    }

    /// Sees a moment, the start first.
    pub fn see(&mut self, now: &Energies) -> Result<(), EnergyFault> {
        let verdict = self.judge(now);
        if let Err(EnergyFault::NotFinite) = verdict {
            return verdict;
        }
        if !self.balanced || now.work.is_nan() {
            return Ok(());
        }
        if self.start[0].is_nan() {
            self.start = [now.kinetic + now.potential - now.work, now.potential];
            self.scale = self.scale.max(now.kinetic.abs() + now.potential.abs());
        }
        if self.is_beyond(now) {
            self.record = self.change(now);
            self.rises += 1;
        } else if now.time <= self.settled {
            (self.record, self.rises) = (0.0, 0);
        }
        if now.time <= self.settled {
            self.scale = self.scale.max(now.kinetic.abs() + now.potential.abs());
        }
        self.scale = self.scale_with(now);
        verdict
    }

    /// What a single look tells, without remembering it.
    pub fn judge(&self, now: &Energies) -> Result<(), EnergyFault> {
        let energy = now.kinetic + now.potential;
        if !energy.is_finite() {
            return Err(EnergyFault::NotFinite);
        }
        let may_be_one_jump = self.looks == Looks::Steps || now.time <= self.settled;
        if !self.is_beyond(now) || (may_be_one_jump && self.rises + 1 < RISES) {
            return Ok(());
        }
        Err(EnergyFault::Explodes { time: now.time, energy, growth: self.growth(now) })
    }

    /// How much the energy less work has changed since the start, over the scale; nought where it may change.
    pub fn growth(&self, now: &Energies) -> f64 {
        let change = self.change(now);
        if change > 0.0 { change / self.scale_with(now) } else { 0.0 }
    }

    /// Whether the change is beyond the factor, and at least twice what it was before.
    fn is_beyond(&self, now: &Energies) -> bool {
        let change = self.change(now);
        change > FACTOR * self.scale_with(now) && change >= 2.0 * self.record
    }

    /// How much the energy less work has changed since the start; nought where that is not known or not kept.
    fn change(&self, now: &Energies) -> f64 {
        let change = (now.kinetic + now.potential - now.work - self.start[0]).abs();
        if self.balanced && !change.is_nan() { change } else { 0.0 }
    }

    /// The scale with what a moment adds to it.
    fn scale_with(&self, now: &Energies) -> f64 {
        let released = self.start[1] - now.potential;
        // `max` passes over numbers that are none: they say nothing about how much there is.
        self.scale.max(released).max(now.supplied).max(self.rounding)
    }

    /// All that changes, as numbers.
    pub fn save(&self) -> [f64; 5] {
        let [energy, potential] = self.start;
        [energy, potential, self.scale, self.record, self.rises as f64]
    }

    /// Sets what [`save`](Self::save) gave.
    pub fn restore(&mut self, saved: &[f64; 5]) {
        let [energy, potential, scale, record, rises] = *saved;
        self.start = [energy, potential];
        self.scale = scale;
        self.record = record;
        self.rises = rises as u64;
    }
}

impl Persist for EnergyGuard {
    fn pass(&mut self, archive: &mut Archive) {
        let mut numbers = self.save();
        archive.pass(&mut numbers);
        self.restore(&numbers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(kinetic: f64, potential: f64, work: f64) -> Energies {
        Energies { time: 0.0, kinetic, potential, work, supplied: work.max(0.0) }
    }

    fn stops(guard: &mut EnergyGuard, moments: &[Energies]) -> Option<usize> {
        moments.iter().position(|now| guard.see(now).is_err())
    }

    #[test]
    fn exponential_growth_is_an_explosion_and_a_single_jump_is_not() {
        let growth: Vec<Energies> =
            (0..200).map(|k| at(1.2_f64.powi(k), 0.5 * 1.2_f64.powi(k), 0.0)).collect();
        let found = stops(&mut EnergyGuard::new(Looks::Steps, 0.0, 1.0), &growth).unwrap();
        assert!((38..60).contains(&found), "{found}");
        assert_eq!(stops(&mut EnergyGuard::new(Looks::Rows, 0.0, 1.0), &growth), Some(38));

        let jump: Vec<Energies> = (0..200).map(|k| at(if k < 100 { 1.0 } else { 1e9 }, 0.0, 0.0)).collect();
        assert_eq!(stops(&mut EnergyGuard::new(Looks::Steps, 0.0, 1.0), &jump), None);
        assert_eq!(stops(&mut EnergyGuard::new(Looks::Rows, 0.0, 1.0), &jump), Some(100));
    }

    #[test]
    fn what_the_potential_sets_free_and_what_is_given_is_no_explosion() {
        // A fall for ever with an error of ten per cent, and an encounter that leaves a large error.
        let fall: Vec<Energies> =
            (0..100).map(|k| at(1.1 * 2.0_f64.powi(k), -(2.0_f64.powi(k)), 0.0)).collect();
        assert_eq!(stops(&mut EnergyGuard::new(Looks::Rows, 0.0, 1.0), &fall), None);
        let encounter = [at(1.0, -1.0, 0.0), at(1e6, -1e6, 0.0), at(1e5, -1.0, 0.0), at(1e5, -1.0, 0.0)];
        assert_eq!(stops(&mut EnergyGuard::new(Looks::Rows, 0.0, 1.0), &encounter), None);
        // Work comes in, and damping takes it out.
        let given: Vec<Energies> =
            (0..100).map(|k| at(1.0 + 3.0_f64.powi(k), 0.0, 3.0_f64.powi(k))).collect();
        assert_eq!(stops(&mut EnergyGuard::new(Looks::Rows, 0.0, 1.0), &given), None);
        let damped = [at(1e6, 0.0, 0.0), at(1.0, 0.0, 1.0 - 1e6), at(0.0, 0.0, -1e6)];
        assert_eq!(stops(&mut EnergyGuard::new(Looks::Rows, 0.0, 1.0), &damped), None);
        // Of work that nobody books nothing follows, but numbers must be numbers.
        let unknown = [at(1.0, 0.0, f64::NAN), at(1e9, 0.0, f64::NAN), at(f64::NAN, 0.0, f64::NAN)];
        assert_eq!(stops(&mut EnergyGuard::new(Looks::Rows, 0.0, 1.0), &unknown), Some(2));
        let driven = [at(1.0, 0.0, 0.0), at(1e9, 0.0, 0.0), at(f64::INFINITY, 0.0, 0.0)];
        assert_eq!(stops(&mut EnergyGuard::new(Looks::Rows, 0.0, 1.0).unbalanced(), &driven), Some(2));
    }

    /// What is seen in the first steps from rest is the measure of the later ones.
    #[test]
    fn the_first_steps_are_the_start() {
        let moment = |step: i32, kinetic: f64| Energies { time: f64::from(step), ..at(kinetic, 0.0, 0.0) };
        let started = || EnergyGuard::new(Looks::Rows, 0.0, 1.0).from(0.0, 1.0);
        let rest: Vec<Energies> = (0..100).map(|k| moment(k, if k == 0 { 0.0 } else { 1.0 })).collect();
        assert_eq!(stops(&mut started(), &rest), None);
        let grows: Vec<Energies> = (0..100).map(|k| moment(k, 1e-9 * 10.0_f64.powi(k))).collect();
        assert_eq!(stops(&mut started(), &grows), Some(14));
        // The first kick from rest is no explosion, nor is one that comes later; what goes on in this way is.
        let kicked: Vec<Energies> = (0..100).map(|k| moment(k, if k < 3 { 0.0 } else { 1.0 })).collect();
        assert_eq!(stops(&mut started(), &kicked), None);
        let explodes: Vec<Energies> = (0..9).map(|k| moment(k, 1e-30 * 1e10_f64.powi(k))).collect();
        assert_eq!(stops(&mut started(), &explodes), Some(3));
    }

    #[test]
    fn rounding_of_a_system_at_rest_is_no_explosion() {
        // A mass of one at a distance of one with steps of one: errors of 2e-16 add up to n times their square.
        let noise = |k: i32| at(f64::from(k) * f64::EPSILON * f64::EPSILON, 0.0, 0.0);
        let rest: Vec<Energies> = (0..10_000).map(noise).collect();
        assert_eq!(stops(&mut EnergyGuard::new(Looks::Rows, 1.0, 10_000.0), &rest), None);
        let growing: Vec<Energies> = (0..200).map(|k| at(1e-33 * 1.5_f64.powi(k), 0.0, 0.0)).collect();
        assert!(stops(&mut EnergyGuard::new(Looks::Rows, 1.0, 200.0), &growing).is_some());
    }

    #[test]
    fn a_restored_guard_goes_on_as_before() {
        let moments: Vec<Energies> = (0..60).map(|k| at(1.3_f64.powi(k), -1.0, 0.0)).collect();
        let mut whole = EnergyGuard::new(Looks::Steps, 0.0, 1.0);
        let found = stops(&mut whole, &moments).unwrap();
        for cut in [1, found - 2, found - 1] {
            let mut first = EnergyGuard::new(Looks::Steps, 0.0, 1.0);
            assert_eq!(stops(&mut first, &moments[..cut]), None);
            let mut second = EnergyGuard::new(Looks::Steps, 0.0, 1.0);
            second.restore(&first.save());
            assert_eq!(stops(&mut second, &moments[cut..]), Some(found - cut));
        }
    }
}
