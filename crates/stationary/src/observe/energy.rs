//! Energy `p v - L` of the continuous system, and the discrete energy `-D3 L_d` of the action. They
//! differ: the first wobbles at the order of the method, the second belongs to the step.

use super::{Conserved, Frame, Observer, Track, kept, number};
use crate::archive::{Archive, Persist};
use crate::linalg::dot;
use crate::model::{Jet, Lagrangian, PhaseJet, PhaseSpace};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// `E = p v - L(t, q, v)` at each step, `v` from `p` by the Legendre transform; or `H(t, z)`.
pub struct Energy {
    system: Source,
    track: Track,
    scale: f64,
    now: f64,
    /// The size of the terms that make it up.
    terms: f64,
    /// Why it changes, if it does by right.
    why: Option<&'static str>,
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
        Self::of(Source::phase(system))
    }

    fn of(system: Source) -> Self {
        Energy { system, track: Track::default(), scale: f64::NAN, now: f64::NAN, terms: f64::NAN, why: None }
    }

    /// The energy at the moment last seen, and the size of the terms that make it up.
    pub fn value_and_terms(&self) -> [f64; 2] {
        [self.now, self.terms]
    }

    /// Says why the energy changes by right, as "forces do work", so that nobody takes that for an error.
    pub fn because(mut self, why: Option<&'static str>) -> Self {
        self.why = why;
        self
    }

    /// Largest change so far over the scale.
    pub fn relative_error(&self) -> f64 {
        self.track.largest_change() / self.scale
    }

    /// What relative errors refer to: `|E|` at the start, or the size of its terms there if they cancel to nothing.
    pub fn scale(&self) -> f64 {
        self.scale
    }
}

impl Observer for Energy {
    fn columns(&self) -> Vec<String> {
        vec!["energy".into()]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        let (energy, terms) = self.system.energy(frame);
        self.now = energy;
        self.terms = terms;
        if self.scale.is_nan() {
            self.scale = scale(energy, terms);
        }
        self.track.add(frame.elapsed, self.now);
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.now);
    }

    fn summarise(&self, summary: &mut Map<String, Value>) {
        summary.insert(
            "energy".into(),
            json!({
                "initial": number(self.track.initial()),
                "final": number(self.track.last()),
                "scale": number(self.scale),
                "max_relative_error": number(self.relative_error()),
                "relative_drift_rate": number(self.track.slope() / self.scale),
            }),
        );
    }

    fn conserved(&self) -> Option<Conserved> {
        let worst = self.relative_error();
        let verdict = verdict(worst, self.why);
        Some(Conserved { quantity: "energy".into(), initial: self.track.initial(), worst, verdict })
    }
}

/// What errors of an energy refer to: its size at the start, or that of its terms if they cancel to nothing.
pub(crate) fn scale(energy: f64, terms: f64) -> f64 {
    let scale = if energy.abs() > 1e-9 * terms { energy.abs() } else { terms };
    if scale == 0.0 { 1.0 } else { scale }
}

/// The change of an energy in words.
fn verdict(worst: f64, why: Option<&str>) -> String {
    match why {
        Some(why) if !worst.is_nan() => format!("changes by {worst:.1e}: {why}"),
        _ => kept(worst),
    }
}

/// `-D3 L_d` of each step.
pub struct DiscreteEnergy {
    track: Track,
    now: f64,
    why: Option<&'static str>,
}

impl Default for DiscreteEnergy {
    fn default() -> Self {
        DiscreteEnergy { track: Track::default(), now: f64::NAN, why: None }
    }
}

impl DiscreteEnergy {
    /// Says why it changes by right.
    pub fn because(mut self, why: Option<&'static str>) -> Self {
        self.why = why;
        self
    }

    /// NaN for methods that have no discrete energy.
    fn relative_error(&self) -> f64 {
        let size = self.track.initial().abs();
        self.track.largest_change() / if size == 0.0 { 1.0 } else { size }
    }
}

impl Observer for DiscreteEnergy {
    fn columns(&self) -> Vec<String> {
        vec!["discrete_energy".into()]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        if let Some(energy) = frame.discrete_energy {
            self.now = energy;
            self.track.add(frame.elapsed, energy);
        }
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.now);
    }

    fn summarise(&self, summary: &mut Map<String, Value>) {
        summary.insert(
            "discrete_energy".into(),
            json!({
                "initial": number(self.track.initial()),
                "final": number(self.now),
                "max_relative_error": number(self.relative_error()),
            }),
        );
    }

    fn conserved(&self) -> Option<Conserved> {
        let worst = self.relative_error();
        let verdict = verdict(worst, self.why);
        let row =
            Conserved { quantity: "discrete energy".into(), initial: self.track.initial(), worst, verdict };
        (!row.initial.is_nan()).then_some(row)
    }
}

impl Persist for Energy {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.track).pass(&mut self.scale).pass(&mut self.now);
    }
}

impl Persist for DiscreteEnergy {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.track).pass(&mut self.now);
    }
}
