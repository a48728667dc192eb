//! Poincare sections: the moments at which a formula crosses zero upward, found between steps.
//!
//! A variational run is, up to exponentially small errors, a sample of the flow of a nearby energy [VTI04 3.5]. The polynomial
//! through neighbouring steps follows *that* flow, so the section shows what the method does and nothing that the search
//! adds; a shorter step of the method itself would follow the flow of another energy and blur the section.

use super::{Frame, Record, record};
use crate::action::quadrature::lagrange;
use crate::archive::{Archive, Persist};
use crate::formula::{Graph, Node, Program};
use std::collections::VecDeque;

/// Steps that the polynomial goes through.
const WINDOW: usize = 10;
/// A crossing at which the formula is still this part of its values at the steps around is a jump, not a zero.
const JUMP: f64 = 1e-3;
/// Halvings and secants before a crossing is taken as found.
const SEARCH: usize = 100;

/// A moment: time, time since the start, formula, then positions, velocities and momenta.
#[derive(Default)]
struct Moment {
    t: f64,
    elapsed: f64,
    when: f64,
    state: Vec<f64>,
}

/// One section being made.
pub struct PoincareSection {
    when: Program,
    columns: Vec<String>,
    /// One value for each column.
    values: Program,
    recent: VecDeque<Moment>,
    /// Whether the first window has been searched from its beginning.
    begun: bool,
    found: Vec<Vec<f64>>,
    points: u64,
    jumps: u64,
    /// What is not a finite number.
    fault: Option<String>,
}

impl PoincareSection {
    /// Crossings of one node, with columns of others.
    pub fn new(graph: &Graph, when: Node, columns: Vec<(String, Node)>) -> Self {
        let outputs: Vec<(Node, usize)> = columns.iter().enumerate().map(|(i, (_, x))| (*x, i)).collect();
        PoincareSection {
            when: Program::new(graph, &[(when, 0)]),
            columns: columns.into_iter().map(|(name, _)| name).collect(),
            values: Program::new(graph, &outputs),
            recent: VecDeque::with_capacity(WINDOW),
            begun: false,
            found: Vec::new(),
            points: 0,
            jumps: 0,
            fault: None,
        }
    }

    /// The formula of the section, or a column of a point of it, that is not a finite number.
    pub fn not_finite(&self) -> Option<String> {
        self.fault.clone()
    }

    /// Names of the columns, `t` first.
    pub fn columns(&self) -> Vec<String> {
        std::iter::once("t".to_string()).chain(self.columns.iter().cloned()).collect()
    }

    /// Sees a moment.
    pub fn observe(&mut self, frame: &Frame<'_>) {
        let mut when = [0.0];
        self.when.call(frame.t, frame.q, frame.v, frame.p, &mut when);
        if when[0].is_nan() {
            self.fault = Some("the formula of the section".into());
        }
        if self.recent.len() == WINDOW {
            self.recent.pop_front();
        }
        let state = [frame.q, frame.v, frame.p].concat();
        self.recent.push_back(Moment { t: frame.t, elapsed: frame.elapsed, when: when[0], state });
        if self.recent.len() == WINDOW {
            // Searched in the middle, where the polynomial is best; the first window from its beginning.
            let middle = WINDOW / 2 - 1;
            let from = if self.begun { middle } else { 0 };
            self.begun = true;
            (from..=middle).for_each(|at| self.search(at));
        }
    }

    /// The run has ended: what is left of the last window is searched too.
    pub fn finish(&mut self) {
        let from = if self.begun { WINDOW / 2 } else { 0 };
        (from..self.recent.len().saturating_sub(1)).for_each(|at| self.search(at));
        self.recent.clear();
    }

    /// Points found since the last call, each with a value for every column.
    pub fn take(&mut self) -> Vec<Vec<f64>> {
        std::mem::take(&mut self.found)
    }

    /// Enters what it found into the summary of the run.
    pub fn summarise(&self, summary: &mut Record) {
        summary.set("section", record! { "points": self.points, "jumps": self.jumps });
    }

    /// The state at a time since the start inside the window.
    fn state(&self, t: f64) -> Vec<f64> {
        // In units of the window, from its beginning.
        let (first, last) = (self.recent[0].elapsed, self.recent[self.recent.len() - 1].elapsed);
        let nodes: Vec<f64> = self.recent.iter().map(|m| (m.elapsed - first) / (last - first)).collect();
        let weights = lagrange(&nodes, (t - first) / (last - first)).0;
        let mut state = vec![0.0; self.recent[0].state.len()];
        for (moment, w) in self.recent.iter().zip(&weights) {
            for (x, y) in state.iter_mut().zip(&moment.state) {
                *x += w * y;
            }
        }
        state
    }

    fn call(&self, program: &Program, t: f64, state: &[f64], out: &mut [f64]) {
        let n = state.len() / 3;
        program.call(t, &state[..n], &state[n..2 * n], &state[2 * n..], out);
    }

    /// Looks for a crossing between moments `at` and `at + 1` of the window.
    fn search(&mut self, at: usize) {
        let [(mut a, mut fa), (mut b, mut fb)] =
            [at, at + 1].map(|k| (self.recent[k].elapsed, self.recent[k].when));
        let shift = self.recent[at].t - self.recent[at].elapsed;
        // A zero at the step itself belongs to the interval that ends there.
        if !(fa < 0.0 && fb >= 0.0) {
            return;
        }
        let size = fb - fa;
        // Illinois: the secant, with the value of an end that stays put halved.
        let (mut t, mut value) = (b, [fb]);
        for _ in 0..SEARCH {
            if value[0] == 0.0 || b - a <= 2.0 * f64::EPSILON * b.abs().max(a.abs()) {
                break;
            }
            let secant = b - fb * (b - a) / (fb - fa);
            t = if secant > a && secant < b { secant } else { 0.5 * (a + b) };
            self.call(&self.when, shift + t, &self.state(t), &mut value);
            if value[0] < 0.0 {
                (a, fa) = (t, value[0]);
                fb *= 0.5;
            } else {
                (b, fb) = (t, value[0]);
                fa *= 0.5;
            }
        }
        let small = value[0].abs() <= JUMP * size;
        if !small {
            self.jumps += 1;
            return;
        }
        let mut row = vec![0.0; 1 + self.columns.len()];
        row[0] = shift + t;
        self.call(&self.values, shift + t, &self.state(t), &mut row[1..]);
        if let Some(k) = row.iter().position(|x| !x.is_finite()) {
            self.fault = Some(format!("the column `{}` of the section", self.columns[k.saturating_sub(1)]));
            return;
        }
        self.points += 1;
        self.found.push(row);
    }
}

impl Persist for Moment {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.t).pass(&mut self.elapsed).pass(&mut self.when).pass(&mut self.state);
    }
}

impl Persist for PoincareSection {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.recent).pass(&mut self.begun).pass(&mut self.found);
        archive.pass(&mut self.points).pass(&mut self.jumps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Var;

    /// Harmonic motion sampled exactly: `x = -cos t` crosses zero upward at `pi/2 + 2 pi k` with velocity 1.
    #[test]
    fn poincare_section_points_lie_where_exact_motion_crosses() {
        let mut graph = Graph::new();
        let [x, v, p] = [Var::Q(0), Var::V(0), Var::P(0)].map(|x| graph.var(x));
        let mut section = PoincareSection::new(&graph, x, vec![("v".into(), v), ("p".into(), p)]);
        let steps = 700_u32;
        for k in 0..=steps {
            let t = 0.1 * f64::from(k);
            let (q, v) = ([-t.cos()], [t.sin()]);
            let frame = Frame {
                step: u64::from(k),
                t,
                elapsed: t,
                q: &q,
                v: &v,
                p: &v,
                canonical: &q,
                discrete_energy: None,
                multipliers: None,
                work: None,
                adaption: None,
                impacts: &[],
                tangent: None,
            };
            section.observe(&frame);
        }
        section.finish();
        let found = section.take();
        assert_eq!(found.len(), 11, "70 is 11 turns and a bit");
        for (k, row) in found.iter().enumerate() {
            let exact = std::f64::consts::FRAC_PI_2 + std::f64::consts::TAU * k as f64;
            assert!((row[0] - exact).abs() < 1e-12, "{k}: {:e}", row[0] - exact);
            assert!((row[1] - 1.0).abs() < 1e-12 && (row[2] - 1.0).abs() < 1e-12);
        }
    }

    /// A formula that jumps from minus to plus crosses no zero.
    #[test]
    fn poincare_section_counts_a_jump_and_does_not_record_it() {
        let mut graph = Graph::new();
        let x = graph.var(Var::Q(0));
        let one = graph.constant(1.0);
        let pole = graph.div(one, x);
        let mut section = PoincareSection::new(&graph, pole, vec![("x".into(), x)]);
        for k in 0..40_u32 {
            let q = [f64::from(k) - 19.5];
            let frame = Frame {
                step: u64::from(k),
                t: f64::from(k),
                elapsed: f64::from(k),
                q: &q,
                v: &[1.0],
                p: &[1.0],
                canonical: &q,
                discrete_energy: None,
                multipliers: None,
                work: None,
                adaption: None,
                impacts: &[],
                tangent: None,
            };
            section.observe(&frame);
        }
        section.finish();
        assert!(section.take().is_empty());
        assert_eq!((section.points, section.jumps), (0, 1));
    }
}
