//! Gaps given by formulas, with the smooth pieces that meet where a formula has a kink.

use super::{Gap, Piece};
use crate::formula::{Graph, Node, Program, Var};
use crate::linalg::max_abs;
use crate::model::{Bounds, BoundsPrograms, Constraint, FormulaConstraint, positions, velocities};
use std::ops::Range;

/// One gap as formulas.
#[derive(Debug, Clone)]
pub struct GapNodes {
    /// `phi(t, q)`.
    pub gap: Node,
    /// The velocities with which the touching points slip over each other, linear in `v`, none to let the kinetic energy decide
    /// what is tangential: there friction acts.
    pub slip: Vec<Node>,
}

/// Gaps given by formulas of `t` and the coordinates, differentiated exactly and compiled.
#[derive(Debug)]
pub struct FormulaGap {
    n: usize,
    smooth: FormulaConstraint,
    values: Program,
    flat: bool,
    kinks: Option<Kinks>,
    slips: Vec<(usize, Program)>,
}

/// The corners of formulas, as choices between smooth ones.
#[derive(Debug)]
struct Kinks {
    /// Those of each gap.
    of: Vec<Range<usize>>,
    /// What the choice is where the argument is negative.
    negative: Vec<f64>,
    /// All arguments, then their gradients.
    arguments: Program,
    /// The gaps as functions of the choices.
    smooth: BoundsPrograms,
}

/// A kink is near a place if its argument is smaller than this, relative to the terms it is made of.
const MEETS: f64 = 1e-9;
/// At most so many pieces of one gap are looked at where they meet.
const MOST_PIECES: usize = 128;

impl FormulaGap {
    /// The gaps that nodes of a graph stand for, of `n` coordinates.
    pub fn new(graph: &mut Graph, gaps: &[GapNodes], n: usize) -> Self {
        let nodes: Vec<Node> = gaps.iter().map(|g| g.gap).collect();
        let values: Vec<(Node, usize)> = nodes.iter().enumerate().map(|(k, g)| (*g, k)).collect();
        let by_v: Vec<Var> = velocities(n).collect();
        let slips = gaps.iter().map(|gap| {
            let r = gap.slip.len();
            let mut outputs: Vec<(Node, usize)> = Vec::new();
            for (i, node) in gap.slip.iter().enumerate() {
                outputs.push((*node, r * n + i));
                let row = graph.gradient(*node, &by_v);
                outputs.extend(row.into_iter().enumerate().map(|(j, x)| (x, i * n + j)));
            }
            (r, Program::new(graph, &outputs))
        });
        let slips = slips.collect();
        FormulaGap {
            n,
            values: Program::new(graph, &values),
            flat: nodes.iter().all(|node| is_flat(graph, *node, n)),
            smooth: FormulaConstraint::new(graph, &nodes, n),
            kinks: Kinks::new(graph, &nodes, n),
            slips,
        }
    }
}

/// Whether the gradient of a node is the same everywhere and always.
fn is_flat(graph: &mut Graph, node: Node, n: usize) -> bool {
    let rate = graph.gradient(node, &[Var::T])[0];
    let gradient = graph.gradient(node, &positions(n).collect::<Vec<Var>>());
    graph.as_constant(rate) == Some(0.0) && gradient.iter().all(|x| graph.as_constant(*x).is_some())
}

impl Kinks {
    fn new(graph: &mut Graph, nodes: &[Node], n: usize) -> Option<Self> {
        let (mut all, mut of, mut unfolded) = (Vec::new(), Vec::new(), Vec::new());
        for node in nodes {
            let (smooth, kinks) = graph.unfold(*node, all.len() as u32);
            // A piece is named by one bit a kink; a formula with more of them is taken as it stands.
            let (smooth, kinks) = if kinks.len() < 64 { (smooth, kinks) } else { (*node, Vec::new()) };
            of.push(all.len()..all.len() + kinks.len());
            unfolded.push(smooth);
            all.extend(kinks);
        }
        if all.is_empty() {
            return None;
        }
        let by_q: Vec<Var> = positions(n).collect();
        let mut outputs: Vec<(Node, usize)> = Vec::new();
        for (i, kink) in all.iter().enumerate() {
            outputs.push((kink.argument, i));
            let row = graph.gradient(kink.argument, &by_q);
            outputs.extend(row.into_iter().enumerate().map(|(j, x)| (x, all.len() + i * n + j)));
        }
        Some(Kinks {
            of,
            negative: all.iter().map(|k| k.negative).collect(),
            arguments: Program::new(graph, &outputs),
            smooth: BoundsPrograms::new(graph, &unfolded, n),
        })
    }

    /// The arguments, then their gradients.
    fn look(&self, t: f64, q: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.negative.len() * (1 + q.len())];
        self.arguments.call(t, q, &[], &[], &mut out);
        out
    }

    /// Whether a kink of a gap is near a place.
    fn meets(&self, gap: usize, t: f64, q: &[f64]) -> bool {
        let (n, count, seen) = (q.len(), self.negative.len(), self.look(t, q));
        let far = max_abs(q);
        self.of[gap].clone().any(|i| {
            let gradient = &seen[count + i * n..count + (i + 1) * n];
            let terms: f64 = gradient.iter().zip(q).map(|(g, q)| g.abs() * (q.abs() + far)).sum();
            !(seen[i].abs() > MEETS * terms)
        })
    }

    fn piece(&self, piece: Piece, t: f64, q: &[f64], twice: bool, out: &mut Bounds) {
        let mut choice: Vec<f64> = vec![1.0; self.negative.len()];
        for (bit, i) in self.of[piece.gap].clone().enumerate() {
            if piece.number >> bit & 1 == 0 {
                choice[i] = self.negative[i];
            }
        }
        if twice {
            self.smooth.second(t, q, &choice, out);
        } else {
            self.smooth.first(t, q, &choice, out);
        }
    }

    /// At a kink with argument `u` the gap is `phi_+` where `u >= 0` and `phi_-` elsewhere. If `phi_+ - phi_-` falls with `u`
    /// that is their minimum, and both must stay positive; if it grows, their maximum, and one of them suffices.
    fn pieces(&self, gap: usize, t: f64, q: &[f64], within: f64) -> Vec<Vec<u64>> {
        let (n, count, seen) = (q.len(), self.negative.len(), self.look(t, q));
        let kinks = self.of[gap].clone();
        let here =
            kinks.clone().enumerate().fold(0, |piece, (bit, i)| piece | u64::from(seen[i] >= 0.0) << bit);
        let (mut all, mut one) = (vec![here], Vec::new());
        let mut sides = [Bounds::new(n, self.of.len()), Bounds::new(n, self.of.len())];
        for (bit, i) in kinks.enumerate() {
            let flip = 1 << bit;
            self.piece(Piece { gap, number: here | flip }, t, q, false, &mut sides[0]);
            self.piece(Piece { gap, number: here & !flip }, t, q, false, &mut sides[1]);
            let [plus, minus] = [sides[0].value()[gap], sides[1].value()[gap]];
            let across = &seen[count + i * n..count + (i + 1) * n];
            let gradients = sides[0].gradient(gap).iter().zip(sides[1].gradient(gap));
            let bend: f64 = gradients.zip(across).map(|((a, b), u)| (a - b) * u).sum();
            if !((plus - minus).abs() <= within) || bend == 0.0 || all.len() * (1 << one.len()) > MOST_PIECES
            {
                continue;
            }
            if bend < 0.0 {
                all = all.iter().flat_map(|p| [*p, p ^ flip]).collect();
            } else {
                one.push(flip);
            }
        }
        let mut lists = vec![all];
        for flip in one {
            let other: Vec<Vec<u64>> =
                lists.iter().map(|list| list.iter().map(|p| p ^ flip).collect()).collect();
            lists.extend(other);
        }
        lists
    }
}

impl Gap for FormulaGap {
    fn count(&self) -> usize {
        self.smooth.count()
    }
    #[inline]
    fn first(&self, t: f64, q: &[f64], out: &mut Bounds) {
        self.smooth.first(t, q, out);
    }
    #[inline]
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
        self.smooth.second(t, q, out);
    }
    fn flat(&self) -> bool {
        self.flat
    }
    #[inline]
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.values.call(t, q, &[], &[], out);
    }
    fn pieces(&self, gap: usize, t: f64, q: &[f64], within: f64) -> Vec<Vec<u64>> {
        self.kinks.as_ref().map_or_else(|| vec![vec![0]], |kinks| kinks.pieces(gap, t, q, within))
    }
    fn smooth_at(&self, gap: usize, t: f64, q: &[f64]) -> bool {
        self.kinks.as_ref().is_none_or(|kinks| kinks.of[gap].is_empty() || !kinks.meets(gap, t, q))
    }
    fn piece(&self, piece: Piece, t: f64, q: &[f64], twice: bool, out: &mut Bounds) {
        match (&self.kinks, twice) {
            (Some(kinks), _) if !kinks.of[piece.gap].is_empty() => kinks.piece(piece, t, q, twice, out),
            (_, true) => self.second(t, q, out),
            (_, false) => self.first(t, q, out),
        }
    }
    fn slips(&self, gap: usize) -> usize {
        self.slips[gap].0
    }
    fn slip(&self, gap: usize, t: f64, q: &[f64], rows: &mut [f64], rest: &mut [f64]) {
        let (count, program) = &self.slips[gap];
        let mut out = vec![0.0; count * (self.n + 1)];
        program.call(t, q, &vec![0.0; self.n], &[], &mut out);
        rows.copy_from_slice(&out[..count * self.n]);
        rest.copy_from_slice(&out[count * self.n..]);
    }
}
