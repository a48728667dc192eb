//! How well constraints hold, `g = 0` and the hidden `g' v + g_t = 0`, and their multipliers.

use super::{Conserved, Frame, Observer, Record, record};
use crate::archive::{Archive, Persist};
use crate::model::{Bounds, Constraint};
use std::sync::Arc;

/// Looks at the constraints of every state.
pub struct Constraints {
    constraint: Arc<dyn Constraint>,
    bounds: Bounds,
    /// Largest violations so far, of positions and of velocities.
    worst: [f64; 2],
    /// The first over the size of gradient times position, free of units.
    relative: f64,
    multipliers: Vec<f64>,
}

impl Constraints {
    /// The constraints of a system of `n` coordinates.
    pub fn new(constraint: Arc<dyn Constraint>, n: usize) -> Self {
        let m = constraint.count();
        let bounds = Bounds::new(n, m);
        Constraints { constraint, bounds, worst: [0.0; 2], relative: 0.0, multipliers: vec![f64::NAN; m] }
    }
}

/// Keeps the larger, and a NaN for good.
fn keep(worst: &mut f64, x: f64) {
    if x > *worst || x.is_nan() {
        *worst = x;
    }
}

impl Observer for Constraints {
    fn columns(&self) -> Vec<String> {
        (0..self.multipliers.len()).map(|k| format!("multiplier.{k}")).collect()
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        self.constraint.first(frame.t, frame.q, &mut self.bounds);
        for a in 0..self.multipliers.len() {
            let value = self.bounds.value()[a].abs();
            let terms = self.bounds.terms(a, frame.q);
            keep(&mut self.worst[0], value);
            keep(&mut self.worst[1], self.bounds.rate(a, frame.v).abs());
            keep(&mut self.relative, if value == 0.0 { 0.0 } else { value / terms });
        }
        if let Some(multipliers) = frame.multipliers {
            self.multipliers.copy_from_slice(multipliers);
        }
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.extend_from_slice(&self.multipliers);
    }

    fn summarise(&self, summary: &mut Record) {
        let [position, velocity] = self.worst;
        let count = self.multipliers.len();
        let entry = record! { "count": count, "max_violation": position, "max_velocity_violation": velocity };
        summary.set("constraint", entry);
    }

    fn conserved(&self) -> Option<Conserved> {
        Some(Conserved::new("constraints", 0.0, [self.worst[0], self.relative]))
    }
}

impl Persist for Constraints {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.worst).pass(&mut self.relative).fixed(&mut self.multipliers);
    }
}
