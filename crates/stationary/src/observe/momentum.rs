//! Noether momenta: `J = p . xi(q)` for a named symmetry, [VTI04 (33)].

use super::{Conserved, Frame, Observer, Range, Record, Track, record};
use crate::archive::{Archive, Persist};
use crate::formula::{Graph, Node, Program, Var};
use crate::linalg::{dot, max_abs};
use crate::model::{Jet, Lagrangian, Legendre};

/// The momentum of one symmetry.
pub struct Momentum {
    name: String,
    /// `xi_i` in the first `n` slots.
    generator: Program,
    /// Where `theta` changes by a gradient under the generator: of what, as a sum of terms. It is taken off.
    gauge: Option<Program>,
    xi: Vec<f64>,
    track: Track,
    range: Range,
    scale: f64,
    now: f64,
    invariance: Option<f64>,
    /// Why it is not conserved, if it is not.
    why: Option<&'static str>,
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
            range: Range::default(),
            scale: 0.0,
            now: f64::NAN,
            invariance: None,
            why: None,
        }
    }

    /// Reports `p . xi - f`: a generator that changes the one-form by the gradient of `f` has this momentum. `f` is the sum
    /// of some terms, one for each coordinate.
    pub fn less(mut self, graph: &Graph, terms: &[Node]) -> Self {
        let outputs: Vec<(Node, usize)> = terms.iter().enumerate().map(|(i, x)| (*x, i)).collect();
        self.gauge = Some(Program::new(graph, &outputs));
        self
    }

    /// Says why the momentum is not conserved, as "this is not a symmetry", so that nobody takes its change for an error.
    pub fn because(mut self, why: Option<&'static str>) -> Self {
        self.why = why;
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
    ///
    /// A generator that also names velocities or momenta changes with them along the motion: its `xi'` is taken there, with
    /// `p' = L_q`. What is tested then is `(p.xi)' = 0` on the motions of `L`.
    pub fn check_invariance(
        &mut self,
        lagrangian: &dyn Lagrangian,
        (graph, generator): (&mut Graph, &[Node]),
        (t, q, v): (f64, &[f64], &[f64]),
    ) -> f64 {
        let n = q.len();
        let mut jet = Jet::new(n);
        lagrangian.first(t, q, v, &mut jet);
        // What would change `p.xi` by its own size in the time scale: where nothing acts, differences leave rounding.
        let mut floor = 0.0;
        let values = if names_motion(graph, generator) {
            let force = jet.dq().to_vec();
            let start = GeneratorArguments { t, q: q.to_vec(), v: v.to_vec(), p: jet.dv().to_vec() };
            let mut legendre = Legendre::new(n);
            let along = |s: f64| {
                let mut state = GeneratorArguments {
                    t: t + s,
                    q: shifted(q, s, v),
                    v: v.to_vec(),
                    p: shifted(&start.p, s, &force),
                };
                legendre.velocity(lagrangian, state.t, &state.q, &state.p, &mut state.v).ok()?;
                Some(state)
            };
            let length = time_scale(&[(q, v), (&start.p, &force)]);
            let rate = rate_along(n, length, along, |state| self.xi_at(state));
            let xi = self.xi_at(&start);
            floor = size_of_product(&start.p, &xi) / length;
            [xi, rate].concat()
        } else {
            self.point_rate(graph, generator, (t, q, v))
        };
        let terms = jet.dq().iter().chain(jet.dv()).zip(&values).map(|(a, b)| a * b);
        let (sum, size) = terms.fold((0.0, floor), |(sum, size), x| (sum + x, size + f64::abs(x)));
        let change = if size == 0.0 { 0.0 } else { f64::abs(sum) / size };
        self.invariance = Some(change);
        change
    }

    /// `xi` and `xi' = xi_q v + xi_t` of a generator of positions and time, exactly.
    fn point_rate(
        &self,
        graph: &mut Graph,
        generator: &[Node],
        (t, q, v): (f64, &[f64], &[f64]),
    ) -> Vec<f64> {
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
        values
    }

    /// The generator at a state.
    pub fn xi_at(&self, state: &GeneratorArguments) -> Vec<f64> {
        let mut xi = vec![0.0; self.xi.len()];
        self.generator.interpret(state.t, &state.q, &state.v, &state.p, &mut xi);
        xi
    }

    fn relative(&self) -> f64 {
        self.track.largest_change() / if self.scale > 0.0 { self.scale } else { 1.0 }
    }
}

/// All that a generator may name.
#[derive(Debug, Clone)]
pub struct GeneratorArguments {
    /// Time.
    pub t: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Momenta.
    pub p: Vec<f64>,
}

/// Whether a generator names velocities or momenta besides positions and time.
pub fn names_motion(graph: &Graph, generator: &[Node]) -> bool {
    let motion = |var: &Var| matches!(var, Var::V(_) | Var::P(_));
    generator.iter().any(|node| graph.variables(*node).iter().any(motion))
}

/// `x + s rate`.
pub fn shifted(x: &[f64], s: f64, rate: &[f64]) -> Vec<f64> {
    x.iter().zip(rate).map(|(x, rate)| x + s * rate).collect()
}

/// The shortest time in which one of some vectors changes by its own size; 1 where none changes.
pub fn time_scale(of: &[(&[f64], &[f64])]) -> f64 {
    let times = of.iter().map(|(x, rate)| max_abs(x) / max_abs(rate));
    let shortest = times.filter(|x| x.is_finite() && *x > 0.0).fold(f64::INFINITY, f64::min);
    if shortest.is_finite() { shortest } else { 1.0 }
}

/// `sum |a_i b_i|`.
pub fn size_of_product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum()
}

/// Part of the time scale by which the difference quotient steps: its error is the fourth power of this, rounding over this.
const STRIDE: f64 = 1e-3;

/// The rate of some numbers at a moving state, by the central difference of fourth order; `along` gives the state a time
/// later. NaN where there is no state.
pub fn rate_along(
    count: usize,
    length: f64,
    mut along: impl FnMut(f64) -> Option<GeneratorArguments>,
    of: impl Fn(&GeneratorArguments) -> Vec<f64>,
) -> Vec<f64> {
    let h = STRIDE * length;
    let mut rate = vec![0.0; count];
    for (at, weight) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
        let Some(state) = along(at * h) else { return vec![f64::NAN; count] };
        for (rate, value) in rate.iter_mut().zip(of(&state)) {
            *rate += weight * value / (12.0 * h);
        }
    }
    rate
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
        self.range.add(self.now);
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.now);
    }

    /// One that never was a number is warned about before the run.
    fn not_finite(&self) -> Option<String> {
        let lost = self.track.initial().is_finite() && !self.now.is_finite();
        lost.then(|| format!("the momentum of `{}`", self.name))
    }

    fn summarise(&self, summary: &mut Record) {
        let entry = record! {
            "initial": self.track.initial(),
            "final": self.track.last(),
            "max_abs_drift": self.track.largest_change(),
            "max_relative_drift": self.relative(),
            "invariance_error": self.invariance,
        };
        summary.group("momentum").set(&self.name, entry);
    }

    fn conserved(&self) -> Option<Conserved> {
        let quantity = format!("momentum of {}", self.name);
        let errors = [self.track.largest_change(), self.relative()];
        Some(Conserved::new(quantity, self.track.initial(), errors).unless(self.why, &self.range))
    }
}

impl Persist for Momentum {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.track).pass(&mut self.range).pass(&mut self.scale).pass(&mut self.now);
    }
}
