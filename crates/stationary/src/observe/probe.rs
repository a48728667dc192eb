//! Probes: any formula of time, positions, velocities and momenta as one more column.

use super::{Frame, Observer, Record, record};
use crate::archive::{Archive, Persist};
use crate::formula::{Graph, Node, Program};

/// One formula followed along the run.
pub struct Probe {
    name: String,
    program: Program,
    now: [f64; 1],
    least: f64,
    most: f64,
}

impl Probe {
    /// A probe of a node of the graph.
    pub fn new(name: &str, graph: &Graph, node: Node) -> Self {
        let program = Program::new(graph, &[(node, 0)]);
        Probe {
            name: name.to_string(),
            program,
            now: [f64::NAN],
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        }
    }
}

impl Observer for Probe {
    fn columns(&self) -> Vec<String> {
        vec![self.name.clone()]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        self.program.call(frame.t, frame.q, frame.v, frame.p, &mut self.now);
        // Not `min` and `max`, which forget a NaN: then a claim about the extremes would hold.
        let now = self.now[0];
        if now < self.least || now.is_nan() {
            self.least = now;
        }
        if now > self.most || now.is_nan() {
            self.most = now;
        }
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.now[0]);
    }

    fn not_finite(&self) -> Option<String> {
        (!self.now[0].is_finite()).then(|| format!("the probe `{}`", self.name))
    }

    fn summarise(&self, summary: &mut Record) {
        let entry = record! {
            "min": self.least,
            "max": self.most,
            "final": self.now[0],
        };
        summary.group("probe").set(&self.name, entry);
    }
}

impl Persist for Probe {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.now).pass(&mut self.least).pass(&mut self.most);
    }
}
