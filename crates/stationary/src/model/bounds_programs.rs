//! The compiled formulas of constraints and of gaps: values and exact derivatives, written into [`Bounds`].

use super::Bounds;
use super::formula::positions;
use crate::formula::{Graph, Node, Program, Var};

/// Functions `g_a(t, q)` given by formulas, differentiated exactly and compiled twice: with first derivatives alone, and with second
/// derivatives too.
#[derive(Debug)]
pub(crate) struct BoundsPrograms {
    first: Program,
    second: Program,
}

impl BoundsPrograms {
    /// The programs of the functions that nodes of a graph stand for, of `n` coordinates.
    pub fn new(graph: &mut Graph, nodes: &[Node], n: usize) -> Self {
        BoundsPrograms { first: program(graph, nodes, n, false), second: program(graph, nodes, n, true) }
    }

    /// Writes `g`, `g_q` and `g_t`. `choices` are the values of the inputs [`Var::P`], where formulas with kinks have been
    /// replaced by choices between smooth pieces.
    #[inline]
    pub fn first(&self, t: f64, q: &[f64], choices: &[f64], out: &mut Bounds) {
        self.first.call(t, q, &[], choices, &mut out.data);
    }

    /// Also writes `g_qq` and `g_tq`.
    #[inline]
    pub fn second(&self, t: f64, q: &[f64], choices: &[f64], out: &mut Bounds) {
        self.second.call(t, q, &[], choices, &mut out.data);
    }
}

/// Writes [`Bounds`], but for entries that are always zero: of many constraints each touches few coordinates.
fn program(graph: &mut Graph, nodes: &[Node], n: usize, second: bool) -> Program {
    let (m, by_q) = (nodes.len(), positions(n).collect::<Vec<Var>>());
    let mut outputs: Vec<(Node, usize)> = nodes.iter().enumerate().map(|(a, g)| (*g, a)).collect();
    let mut put = |graph: &Graph, node: Node, at: usize| {
        if graph.as_constant(node) != Some(0.0) {
            outputs.push((node, at));
        }
    };
    for (a, node) in nodes.iter().enumerate() {
        let rate = graph.gradient(*node, &[Var::T])[0];
        put(graph, rate, m + a);
        for (i, entry) in graph.gradient(*node, &by_q).into_iter().enumerate() {
            put(graph, entry, m * 2 + a * n + i);
            if second && graph.as_constant(entry).is_none() {
                for (j, twice) in graph.gradient(entry, &by_q).into_iter().enumerate() {
                    put(graph, twice, m * (2 + 2 * n) + (a * n + i) * n + j);
                }
            }
        }
        if second && graph.as_constant(rate).is_none() {
            for (i, mixed) in graph.gradient(rate, &by_q).into_iter().enumerate() {
                put(graph, mixed, m * (2 + n) + a * n + i);
            }
        }
    }
    Program::new(graph, &outputs)
}
