//! Energy `p v - L` of the continuous system, and the discrete energy `-D3 L_d` of the action. They
//! differ: the first wobbles at the order of the method, the second belongs to the step.

use super::{Conserved, Frame, Observer, Track, kept, number};
use crate::linalg::dot;
use crate::model::{Jet, Lagrangian};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// `E = p v - L(t, q, v)` at each step, `v` from `p` by the Legendre transform.
pub struct Energy {
    lagrangian: Arc<dyn Lagrangian>,
    jet: Jet,
    track: Track,
    scale: f64,
    now: f64,
    /// Whether forces besides the Lagrangian do work.
    forced: bool,
}

impl Energy {
    /// The energy of a system.
    pub fn new(lagrangian: Arc<dyn Lagrangian>) -> Self {
        let jet = Jet::new(lagrangian.dimension());
        Energy { lagrangian, jet, track: Track::default(), scale: f64::NAN, now: f64::NAN, forced: false }
    }

    /// Says that forces do work, so that nobody takes the change of the energy for an error.
    pub fn forced(mut self, forced: bool) -> Self {
        self.forced = forced;
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
        self.lagrangian.first(frame.t, frame.q, frame.v, &mut self.jet);
        let (pv, l) = (dot(frame.p, frame.v), self.jet.value());
        self.now = pv - l;
        if self.scale.is_nan() {
            self.scale = scale(pv, l);
        }
        self.track.add(frame.t, self.now);
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
        let verdict = verdict(worst, self.forced);
        Some(Conserved { quantity: "energy".into(), initial: self.track.initial(), worst, verdict })
    }
}

/// What errors of the energy `pv - l` refer to: its size at the start, or that of its terms if they cancel to nothing.
pub(crate) fn scale(pv: f64, l: f64) -> f64 {
    let (energy, terms) = ((pv - l).abs(), pv.abs() + l.abs());
    let scale = if energy > 1e-9 * terms { energy } else { terms };
    if scale == 0.0 { 1.0 } else { scale }
}

/// The change of an energy in words.
fn verdict(worst: f64, forced: bool) -> String {
    if forced && !worst.is_nan() { format!("changes by {worst:.1e}: forces do work") } else { kept(worst) }
}

/// `-D3 L_d` of each step.
pub struct DiscreteEnergy {
    track: Track,
    now: f64,
    forced: bool,
}

impl Default for DiscreteEnergy {
    fn default() -> Self {
        DiscreteEnergy { track: Track::default(), now: f64::NAN, forced: false }
    }
}

impl DiscreteEnergy {
    /// Says that forces do work.
    pub fn forced(mut self, forced: bool) -> Self {
        self.forced = forced;
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
            self.track.add(frame.t, energy);
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
        let verdict = verdict(worst, self.forced);
        let row =
            Conserved { quantity: "discrete energy".into(), initial: self.track.initial(), worst, verdict };
        (!row.initial.is_nan()).then_some(row)
    }
}
