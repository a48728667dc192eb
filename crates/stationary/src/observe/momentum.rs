//! Noether momenta: `J = p . xi(q)` for a named symmetry, [VTI04 (33)].

use super::{Conserved, Frame, Observer, Track, kept, number};
use crate::archive::{Archive, Persist};
use crate::formula::{Graph, Node, Program, Var};
use crate::linalg::dot;
use crate::model::{Jet, Lagrangian};
use serde_json::{Map, Value, json};

/// The momentum of one symmetry.
pub struct Momentum {
    name: String,
    /// `xi_i` in the first `n` slots.
    generator: Program,
    /// Where `theta` changes by a gradient under the generator: of what, as a sum of terms. It is taken off.
    gauge: Option<Program>,
    xi: Vec<f64>,
    track: Track,
    scale: f64,
    now: f64,
    invariance: Option<f64>,
}

impl Momentum {
    /// The momentum of a generator, one node of the graph for each coordinate.
    pub fn new(name: &str, graph: &Graph, generator: &[Node]) -> Self {
        let outputs: Vec<(Node, usize)> = generator.iter().enumerate().map(|(i, x)| (*x, i)).collect();
        Momentum {
            name: name.to_string(),
            generator: Program::new(graph, &outputs),
            gauge: None,
            xi: vec![0.0; generator.len()],
            track: Track::default(),
            scale: 0.0,
            now: f64::NAN,
            invariance: None,
        }
    }

    /// Reports `p . xi - f`: a generator that changes the one-form by the gradient of `f` has this momentum. `f` is the sum
    /// of some terms, one for each coordinate.
    pub fn less(mut self, graph: &Graph, terms: &[Node]) -> Self {
        let outputs: Vec<(Node, usize)> = terms.iter().enumerate().map(|(i, x)| (*x, i)).collect();
        self.gauge = Some(Program::new(graph, &outputs));
        self
    }

    /// How far the system is from invariant, found elsewhere.
    pub fn invariance(mut self, change: f64) -> Self {
        self.invariance = Some(change);
        self
    }

    /// How far `L` is from invariant: `|L_q xi + L_v xi'|` over the size of its terms, where `xi' = xi_q v + xi_t`,
    /// at a position and a velocity. Above rounding, the generator is no symmetry and its momentum not conserved. NaN
    /// where one of the terms is not a number.
    pub fn check_invariance(
        &mut self,
        lagrangian: &dyn Lagrangian,
        (graph, generator): (&mut Graph, &[Node]),
        (t, q, v): (f64, &[f64], &[f64]),
    ) -> f64 {
        let n = q.len();
        let by: Vec<Var> = (0..n as u32).map(Var::Q).chain([Var::T]).collect();
        let mut outputs = Vec::new();
        for (i, node) in generator.iter().enumerate() {
            outputs.push((*node, i));
            let row = graph.gradient(*node, &by);
            let mut rate = row[n];
            for (j, entry) in row[..n].iter().enumerate() {
                let velocity = graph.var(Var::V(j as u32));
                let term = graph.mul(*entry, velocity);
                rate = graph.add(rate, term);
            }
            outputs.push((rate, n + i));
        }
        let mut values = vec![0.0; 2 * n];
        Program::new(graph, &outputs).interpret(t, q, v, &[], &mut values);
        let mut jet = Jet::new(n);
        lagrangian.first(t, q, v, &mut jet);
        let terms = jet.dq().iter().chain(jet.dv()).zip(&values).map(|(a, b)| a * b);
        let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + f64::abs(x)));
        let change = if size == 0.0 { 0.0 } else { f64::abs(sum) / size };
        self.invariance = Some(change);
        change
    }

    fn relative(&self) -> f64 {
        self.track.largest_change() / if self.scale > 0.0 { self.scale } else { 1.0 }
    }
}

impl Observer for Momentum {
    fn columns(&self) -> Vec<String> {
        vec![format!("momentum.{}", self.name)]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        self.generator.call(frame.t, frame.canonical, frame.v, frame.p, &mut self.xi);
        self.now = dot(frame.p, &self.xi);
        let mut size = frame.p.iter().zip(&self.xi).map(|(p, x)| (p * x).abs()).sum::<f64>();
        if let Some(gauge) = &self.gauge {
            gauge.call(frame.t, frame.canonical, frame.v, frame.p, &mut self.xi);
            self.now -= self.xi.iter().sum::<f64>();
            size += self.xi.iter().map(|x| x.abs()).sum::<f64>();
        }
        if size > self.scale {
            self.scale = size;
        }
        self.track.add(frame.elapsed, self.now);
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.now);
    }

    /// One that never was a number is warned about before the run.
    fn not_finite(&self) -> Option<String> {
        let lost = self.track.initial().is_finite() && !self.now.is_finite();
        lost.then(|| format!("the momentum of `{}`", self.name))
    }

    fn summarise(&self, summary: &mut Map<String, Value>) {
        let entry = json!({
            "initial": number(self.track.initial()),
            "final": number(self.track.last()),
            "max_abs_drift": number(self.track.largest_change()),
            "max_relative_drift": number(self.relative()),
            "invariance_error": self.invariance.map(number),
        });
        if let Value::Object(all) = summary.entry("momentum").or_insert_with(|| json!({})) {
            all.insert(self.name.clone(), entry);
        }
    }

    fn conserved(&self) -> Option<Conserved> {
        let worst = self.track.largest_change();
        let verdict = kept(self.relative());
        let quantity = format!("momentum of {}", self.name);
        Some(Conserved { quantity, initial: self.track.initial(), worst, verdict })
    }
}

impl Persist for Momentum {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.track).pass(&mut self.scale).pass(&mut self.now);
    }
}
