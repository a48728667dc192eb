//! Poincare's integral invariant: the area `sum_i integral dp_i ^ dq_i = loop integral p.dq` of a loop of initial states
//! carried along. Every symplectic map keeps it, for loops of any size.

use super::{Conserved, Frame, Observer, Record, Track, record};
use crate::archive::{Archive, Persist};
use crate::integrate::Integrator;
use crate::linalg::dot;
use std::f64::consts::{PI, TAU};

/// States on the loop. The integral converges faster than any power of their number while the loop is smooth.
pub const POINTS: usize = 32;

/// A loop of neighbouring runs.
pub struct LoopArea {
    runs: Vec<Box<dyn Integrator>>,
    track: Track,
    now: f64,
}

impl LoopArea {
    /// Runs that start on a loop, at equal steps of its parameter.
    pub fn new(runs: Vec<Box<dyn Integrator>>) -> Self {
        LoopArea { runs, track: Track::default(), now: f64::NAN }
    }

    /// The angles at which the runs start.
    pub fn angles() -> impl Iterator<Item = f64> {
        (0..POINTS).map(|k| TAU * k as f64 / POINTS as f64)
    }

    /// `loop integral p.dq`, with `dq` from the trigonometric polynomial through the points.
    fn area(&self) -> f64 {
        let count = self.runs.len();
        let mut area = 0.0;
        for (j, run) in self.runs.iter().enumerate() {
            for k in 0..count {
                if j != k {
                    let gap = (j as f64 - k as f64) * PI / count as f64;
                    let sign = if (j + k) % 2 == 0 { 0.5 } else { -0.5 };
                    // Differences from one's own position: what is common to the loop must not be multiplied and cancelled.
                    let (here, there) = (run.view(), self.runs[k].view());
                    let away: Vec<f64> =
                        there.canonical.iter().zip(here.canonical).map(|(a, b)| a - b).collect();
                    area += sign / gap.tan() * dot(here.p, &away);
                }
            }
        }
        area * TAU / count as f64
    }

    fn relative(&self) -> f64 {
        self.track.largest_change() / self.track.initial().abs()
    }
}

impl Observer for LoopArea {
    fn columns(&self) -> Vec<String> {
        vec!["loop_area".into()]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        for run in &mut self.runs {
            let behind = frame.step - run.view().step;
            if behind > 0 && run.advance(behind).is_err() {
                // A neighbour that cannot go on: the loop is torn, and nothing is known of its area.
                self.runs.clear();
                break;
            }
        }
        self.now = if self.runs.is_empty() { f64::NAN } else { self.area() };
        self.track.add(frame.elapsed, self.now);
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.now);
    }

    fn summarise(&self, summary: &mut Record) {
        summary.set(
            "loop_area",
            record! {
                "initial": self.track.initial(),
                "final": self.now,
                "max_relative_error": self.relative(),
            },
        );
    }

    fn conserved(&self) -> Option<Conserved> {
        let errors = [self.track.largest_change(), self.relative()];
        Some(Conserved::new("area of a loop", self.track.initial(), errors))
    }
}

impl Persist for LoopArea {
    fn pass(&mut self, archive: &mut Archive) {
        self.runs.iter_mut().for_each(|run| run.pass(archive));
        archive.pass(&mut self.track).pass(&mut self.now);
    }
}
