//! Observers see every step and never alter the run: energy, Noether momenta, the symplectic form and
//! integral invariants, modified energies, Poincare sections, probes.

mod constraint;
mod energy;
mod energy_steps;
mod impacts;
mod loop_area;
mod modified;
mod momentum;
mod probe;
mod record;
mod scale;
mod section;
mod symplectic;
mod work;

pub use constraint::Constraints;
pub use energy::{DiscreteEnergy, Energy};
pub use energy_steps::{StepLengths, Stretch};
pub use impacts::Impacts;
pub use loop_area::LoopArea;
pub use modified::{Followed, ModifiedEnergy, ModifiedRule, ModifiedSeries, Terms, Truncations, apply};
pub use momentum::Momentum;
pub use momentum::{GeneratorArguments, names_motion, rate_along, shifted, size_of_product, time_scale};
pub use probe::Probe;
pub use record::{Entry, Record, record};
pub use scale::{Scale, part};
pub use section::PoincareSection;
pub use symplectic::Symplectic;
pub use work::Work;

use crate::archive::{Archive, Persist};
use crate::contact::GapImpact;
use crate::integrate::Adaption;

/// What an observer sees of one moment.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Steps made.
    pub step: u64,
    /// Time.
    pub t: f64,
    /// Time since the start: differences of `t` lose digits far from time zero.
    pub elapsed: f64,
    /// Positions.
    pub q: &'a [f64],
    /// Velocities, from the momenta by the Legendre transform.
    pub v: &'a [f64],
    /// Momenta.
    pub p: &'a [f64],
    /// Positions conjugate to `p` in the discrete action.
    pub canonical: &'a [f64],
    /// `-D3 L_d` of the step that led here.
    pub discrete_energy: Option<f64>,
    /// Mean multipliers of the constraints over that step.
    pub multipliers: Option<&'a [f64]>,
    /// Work of forces besides the Lagrangian over that step.
    pub work: Option<f64>,
    /// How the length of that step came about, where the method chooses it.
    pub adaption: Option<Adaption>,
    /// Impacts of that step.
    pub impacts: &'a [GapImpact],
    /// Derivative of the step that led here, if some observer wants it.
    pub tangent: Option<&'a [f64]>,
}

impl Frame<'_> {
    /// `|p.v|`: of natural systems twice the kinetic energy.
    pub(crate) fn size_of_motion(&self) -> f64 {
        self.p.iter().zip(self.v).map(|(p, v)| p * v).sum::<f64>().abs()
    }
}

/// Looks at every step.
pub trait Observer: Persist + Send {
    /// Names of its columns in `series.csv`.
    fn columns(&self) -> Vec<String>;
    /// Sees a moment.
    fn observe(&mut self, frame: &Frame<'_>);
    /// The values of its columns at the moment last seen; NaN where there is none.
    fn row(&self, values: &mut Vec<f64>);
    /// Enters what it found into the summary of the run.
    fn summarise(&self, summary: &mut Record);
    /// What it found conserved, for the table.
    fn conserved(&self) -> Option<Conserved> {
        None
    }
    /// What the user asked for by a formula that is not a finite number at the moment last seen, by name.
    fn not_finite(&self) -> Option<String> {
        None
    }
    /// Whether it needs the tangent of each step.
    fn wants_tangent(&self) -> bool {
        false
    }
}

/// A line of the table of what was conserved and how well.
#[derive(Debug, Clone, PartialEq)]
pub struct Conserved {
    /// The quantity.
    pub quantity: String,
    /// Its value at the start.
    pub initial: f64,
    /// Its largest change over the run, in the units of the quantity.
    pub change: f64,
    /// The same over the scale of the quantity: the largest relative error.
    pub worst: f64,
    /// In words.
    pub verdict: String,
    /// Whether the system conserves it; otherwise the verdict says why not.
    pub constant: bool,
}

impl Conserved {
    /// A quantity that the system conserves, with its largest change and that over its scale.
    pub fn new(quantity: impl Into<String>, initial: f64, [change, worst]: [f64; 2]) -> Self {
        let verdict = relative_error(worst);
        Conserved { quantity: quantity.into(), initial, change, worst, verdict, constant: true }
    }

    /// Says why the system does not conserve the quantity, and between which values it stayed. What was constant to
    /// rounding all the same is told as such.
    pub fn unless(mut self, why: Option<&str>, range: &Range) -> Self {
        if let Some(why) = why
            && self.worst >= ROUNDING
        {
            let [least, most] = range.ends();
            self.verdict = format!("not conserved, as {why}: between {least:.3e} and {most:.3e}");
            self.constant = false;
        }
        self
    }
}

/// The least and the largest value of a number over a run; a NaN stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Range {
    ends: Option<[f64; 2]>,
}

impl Range {
    /// Takes one more value into account.
    pub fn add(&mut self, x: f64) {
        let [least, most] = self.ends.unwrap_or([x; 2]);
        let least = if x < least || x.is_nan() { x } else { least };
        let most = if x > most || x.is_nan() { x } else { most };
        self.ends = Some([least, most]);
    }
    /// The least and the largest value; NaN before the first.
    pub fn ends(&self) -> [f64; 2] {
        self.ends.unwrap_or([f64::NAN; 2])
    }
}

impl Persist for Range {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.ends);
    }
}

/// Follows one number: where it started, how far it strayed, whether it drifts.
#[derive(Debug, Clone, Default)]
pub struct Track {
    initial: Option<f64>,
    last: f64,
    largest_change: f64,
    // Running sums of the least-squares line, about the first point so that nothing cancels.
    count: f64,
    t0: f64,
    mean_t: f64,
    mean_x: f64,
    var_t: f64,
    cov: f64,
}

impl Track {
    /// Takes one more value into account.
    pub fn add(&mut self, t: f64, x: f64) {
        let Some(initial) = self.initial else {
            (self.initial, self.t0, self.last) = (Some(x), t, x);
            self.count = 1.0;
            return;
        };
        self.last = x;
        let change = (x - initial).abs();
        if change > self.largest_change || change.is_nan() {
            self.largest_change = change;
        }
        self.count += 1.0;
        let (dt, dx) = (t - self.t0 - self.mean_t, x - initial - self.mean_x);
        self.mean_t += dt / self.count;
        self.mean_x += dx / self.count;
        self.var_t += dt * (t - self.t0 - self.mean_t);
        self.cov += dt * (x - initial - self.mean_x);
    }
    /// All numbers, for checkpoints.
    pub fn save(&self) -> [f64; 10] {
        let (known, initial) = (f64::from(u8::from(self.initial.is_some())), self.initial.unwrap_or(0.0));
        let Track { last, largest_change, count, t0, mean_t, mean_x, var_t, cov, .. } = *self;
        [known, initial, last, largest_change, count, t0, mean_t, mean_x, var_t, cov]
    }
    /// From all numbers of another.
    pub fn restore(saved: &[f64; 10]) -> Self {
        let [known, initial, last, largest_change, count, t0, mean_t, mean_x, var_t, cov] = *saved;
        let initial = (known == 1.0).then_some(initial);
        Track { initial, last, largest_change, count, t0, mean_t, mean_x, var_t, cov }
    }
    /// The first value; NaN before it.
    pub fn initial(&self) -> f64 {
        self.initial.unwrap_or(f64::NAN)
    }
    /// The last value.
    pub fn last(&self) -> f64 {
        self.last
    }
    /// The largest distance from the first value.
    pub fn largest_change(&self) -> f64 {
        self.largest_change
    }
    /// Slope of the least-squares line.
    pub fn slope(&self) -> f64 {
        if self.var_t > 0.0 { self.cov / self.var_t } else { 0.0 }
    }
}

impl Persist for Track {
    fn pass(&mut self, archive: &mut Archive) {
        let mut numbers = self.save();
        archive.pass(&mut numbers);
        *self = Track::restore(&numbers);
    }
}

/// Relative errors below this are those of rounding.
const ROUNDING: f64 = 1e-12;
/// What changes by this part of its scale is not conserved.
const LOST: f64 = 0.1;

/// A largest relative error in words.
pub fn relative_error(worst: f64) -> String {
    judged(worst, &format!("relative error {worst:.1e}"))
}

/// Words for an error, by its size in the measure that decides.
fn judged(worst: f64, words: &str) -> String {
    if worst.is_nan() {
        "no longer a number".to_string()
    } else if worst < ROUNDING {
        format!("{words}, rounding level")
    } else if worst >= LOST {
        format!("not conserved: {words}")
    } else {
        words.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A method of high order with a small error is not at rounding level, and what changes by its own size is not conserved.
    #[test]
    fn summary_words_for_drift_do_not_exaggerate() {
        assert_eq!(relative_error(3e-15), "relative error 3.0e-15, rounding level");
        assert_eq!(relative_error(2.8e-11), "relative error 2.8e-11");
        assert_eq!(relative_error(1.6), "not conserved: relative error 1.6e0");
        assert_eq!(relative_error(f64::NAN), "no longer a number");
    }

    /// A quantity that the system does not conserve is told with its range, unless it did not change.
    #[test]
    fn quantity_that_is_not_conserved_is_reported_with_reason_and_range() {
        let mut range = Range::default();
        [1.0, -2.0, 0.5].into_iter().for_each(|x| range.add(x));
        let row = |worst: f64| Conserved::new("energy", 1.0, [3.0 * worst, worst]);
        let told = row(3.0).unless(Some("forces do work"), &range);
        assert_eq!(told.verdict, "not conserved, as forces do work: between -2.000e0 and 1.000e0");
        assert!(!told.constant);
        assert_eq!(row(1e-15).unless(Some("forces do work"), &range), row(1e-15));
        assert_eq!(row(0.5).unless(None, &range), row(0.5));
        range.add(f64::NAN);
        range.add(1.0);
        assert!(range.ends().iter().all(|x| x.is_nan()), "NaN must not be forgotten");
    }

    #[test]
    fn drift_track_finds_slope_and_largest_change() {
        let mut track = Track::default();
        for k in 0..100 {
            let t = 5.0 + 0.1 * f64::from(k);
            track.add(t, 3.0 + 2.0 * t);
        }
        assert!((track.slope() - 2.0).abs() < 1e-12);
        assert!((track.largest_change() - 2.0 * 9.9).abs() < 1e-12);
        track.add(20.0, f64::NAN);
        track.add(21.0, 0.0);
        assert!(track.largest_change().is_nan(), "NaN must not be forgotten");
    }
}
