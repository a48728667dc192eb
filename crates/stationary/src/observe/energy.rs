//! Energy `p v - L` of the continuous system, and the discrete energy `-D3 L_d` of the action. They
//! differ: the first wobbles at the order of the method, the second belongs to the step.

use super::{Conserved, Frame, Observer, Range, Record, Scale, Track, judged, record};
use crate::archive::{Archive, Persist};
use crate::linalg::dot;
use crate::model::{Jet, Lagrangian, PhaseJet, PhaseSpace};
use std::sync::Arc;

/// `E = p v - L(t, q, v)` at each step, `v` from `p` by the Legendre transform; or `H(t, z)`.
pub struct Energy {
    system: Source,
    track: Track,
    terms: Terms,
    scale: Scale,
    now: f64,
    /// The size of the terms that make it up.
    size: f64,
    /// Why the system does not conserve it, if it does not.
    why: Option<&'static str>,
}

/// How large an energy and its terms were.
#[derive(Debug, Clone, Copy, Default)]
struct Terms {
    range: Range,
    /// Largest `|p.v|`, the smaller of two moments in a row: of natural systems twice the kinetic energy, and so the size of both of its
    /// terms where they cancel. That of one moment alone would hide an explosion in the last step behind its own size.
    largest: f64,
    /// `|p.v|` at the moment before.
    before: f64,
}

/// Where the scale is a smaller part than this of the terms, errors are also told relative to these.
const SMALL: f64 = 5e-2;

impl Terms {
    /// For systems with a one-form, where `p.v` depends on the gauge and tells nothing.
    fn unknown() -> Self {
        Terms { largest: f64::NAN, ..Terms::default() }
    }

    fn add(&mut self, energy: f64, frame: &Frame<'_>) {
        self.range.add(energy);
        let size = frame.size_of_motion();
        let of_both = size.min(self.before);
        if of_both > self.largest {
            self.largest = of_both;
        }
        self.before = size;
    }

    /// A row of the table. An energy that is small because its terms cancel is judged by these.
    fn row(&self, quantity: &str, track: &Track, scale: &Scale, why: Option<&str>) -> Conserved {
        let change = track.largest_change();
        let relative = scale.part(change);
        let mut row = Conserved::new(quantity, track.initial(), [change, relative]);
        if scale.value() < SMALL * self.largest {
            let part = change / self.largest;
            let words = format!("relative error {relative:.1e}, {part:.1e} of the terms that cancel in it");
            row.verdict = judged(part, &words);
        }
        row.unless(why, &self.range)
    }
}

impl Persist for Terms {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.range).pass(&mut self.largest).pass(&mut self.before);
    }
}

/// Where energies come from.
pub(super) enum Source {
    Lagrangian(Arc<dyn Lagrangian>, Jet),
    Phase(Arc<dyn PhaseSpace>, PhaseJet),
}

impl Source {
    pub(super) fn lagrangian(lagrangian: Arc<dyn Lagrangian>) -> Self {
        let jet = Jet::new(lagrangian.dimension());
        Source::Lagrangian(lagrangian, jet)
    }
    pub(super) fn phase(system: Arc<dyn PhaseSpace>) -> Self {
        let jet = PhaseJet::new(system.dimension());
        Source::Phase(system, jet)
    }
    /// The energy, and the size of the terms that make it up.
    pub(super) fn energy(&mut self, frame: &Frame<'_>) -> (f64, f64) {
        match self {
            Source::Lagrangian(lagrangian, jet) => {
                lagrangian.first(frame.t, frame.q, frame.v, jet);
                let (pv, l) = (dot(frame.p, frame.v), jet.value());
                (pv - l, pv.abs() + l.abs())
            }
            Source::Phase(system, jet) => {
                let z = phase(&**system, frame);
                system.first(frame.t, &z, jet);
                let terms = z.iter().zip(jet.dz()).map(|(z, d)| (z * d).abs()).sum::<f64>();
                (jet.value(), jet.value().abs() + terms)
            }
        }
    }
}

/// The phase variables of a moment.
pub(super) fn phase(system: &dyn PhaseSpace, frame: &Frame<'_>) -> Vec<f64> {
    if system.positions() < system.dimension() { [frame.q, frame.p].concat() } else { frame.q.to_vec() }
}

impl Energy {
    /// The energy of a system given by its Lagrangian.
    pub fn new(lagrangian: Arc<dyn Lagrangian>) -> Self {
        Self::of(Source::lagrangian(lagrangian))
    }

    /// The energy of a system given by its Hamiltonian.
    pub fn of_phase(system: Arc<dyn PhaseSpace>) -> Self {
        let gauged = system.positions() == system.dimension();
        let mut energy = Self::of(Source::phase(system));
        if gauged {
            energy.terms = Terms::unknown();
            energy.scale = energy.scale.of_one_form();
        }
        energy
    }

    fn of(system: Source) -> Self {
        let (track, terms) = (Track::default(), Terms::default());
        Energy { system, track, terms, scale: Scale::unknown(), now: f64::NAN, size: f64::NAN, why: None }
    }

    /// The energy at the moment last seen, and the size of the terms that make it up.
    pub fn value_and_terms(&self) -> [f64; 2] {
        [self.now, self.size]
    }

    /// Says why the system does not conserve its energy, as "forces do work", so that nobody takes that for an error.
    pub fn because(mut self, why: Option<&'static str>) -> Self {
        self.why = why;
        self
    }

    /// Largest change so far over the scale.
    pub fn relative_error(&self) -> f64 {
        self.scale.part(self.track.largest_change())
    }

    /// What relative errors refer to: `|E|` at the start, or the size of its terms there if they cancel to nothing; where these vanish
    /// too, the largest `|E|` or `|p.v|` so far.
    pub fn scale(&self) -> f64 {
        self.scale.value()
    }
}

impl Observer for Energy {
    fn columns(&self) -> Vec<String> {
        vec!["energy".into()]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        let (energy, terms) = self.system.energy(frame);
        self.now = energy;
        self.size = terms;
        self.scale.see(energy, terms);
        self.scale.follow(energy, frame);
        self.track.add(frame.elapsed, self.now);
        self.terms.add(self.now, frame);
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.now);
    }

    fn summarise(&self, summary: &mut Record) {
        summary.set(
            "energy",
            record! {
                "initial": self.track.initial(),
                "final": self.track.last(),
                "scale": self.scale.value(),
                "max_relative_error": self.relative_error(),
                "relative_drift_rate": self.scale.part(self.track.slope()),
            },
        );
    }

    fn conserved(&self) -> Option<Conserved> {
        Some(self.terms.row("energy", &self.track, &self.scale, self.why))
    }
}

/// `-D3 L_d` of each step.
pub struct DiscreteEnergy {
    track: Track,
    terms: Terms,
    /// That of the energy.
    scale: Scale,
    now: f64,
    why: Option<&'static str>,
}

impl DiscreteEnergy {
    /// The discrete energy, with its errors relative to the scale of the energy: it is small where that is, and its own
    /// size is no measure where the terms cancel. A scale of 0 stands for none at the start: it then grows with the run.
    pub fn new(scale: f64) -> Self {
        DiscreteEnergy {
            track: Track::default(),
            terms: Terms::default(),
            scale: Scale::of(scale),
            now: f64::NAN,
            why: None,
        }
    }

    /// Of a system with a one-form, whose momenta do not tell how large the kinetic energy is.
    pub fn of_one_form(mut self) -> Self {
        self.terms = Terms::unknown();
        self.scale = self.scale.of_one_form();
        self
    }

    /// Says why the system does not conserve it.
    pub fn because(mut self, why: Option<&'static str>) -> Self {
        self.why = why;
        self
    }

    /// NaN for methods that have no discrete energy.
    fn relative_error(&self) -> f64 {
        if self.track.initial().is_nan() { f64::NAN } else { self.scale.part(self.track.largest_change()) }
    }
}

impl Observer for DiscreteEnergy {
    fn columns(&self) -> Vec<String> {
        vec!["discrete_energy".into()]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        if let Some(energy) = frame.discrete_energy {
            self.now = energy;
            self.scale.follow(energy, frame);
            self.track.add(frame.elapsed, energy);
            self.terms.add(energy, frame);
        }
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.now);
    }

    fn summarise(&self, summary: &mut Record) {
        summary.set(
            "discrete_energy",
            record! {
                "initial": self.track.initial(),
                "final": self.now,
                "max_relative_error": self.relative_error(),
            },
        );
    }

    fn conserved(&self) -> Option<Conserved> {
        let row = self.terms.row("discrete energy", &self.track, &self.scale, self.why);
        (!row.initial.is_nan()).then_some(row)
    }
}

impl Persist for Energy {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.track).pass(&mut self.terms).pass(&mut self.scale).pass(&mut self.now);
    }
}

impl Persist for DiscreteEnergy {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.track).pass(&mut self.terms).pass(&mut self.scale).pass(&mut self.now);
    }
}
