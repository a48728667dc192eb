//! Forces `F(t, q, v)` that come from no Lagrangian: damping, driving, control [VTI04 2.6 (26)]. They know no step.

use super::formula::{positions, velocities};
use crate::formula::{Graph, Node, Program, Var};
use std::sync::Arc;

/// A force on `n` coordinates, in the sense of the Lagrange-d'Alembert principle: its virtual work is `F . dq`.
pub trait Force: Send + Sync {
    /// Writes `F(t, q, v)`.
    fn value(&self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]);

    /// Writes `F`, `F_q` and `F_v`, matrices by rows: row `i` differentiates `F_i`.
    fn derivatives(&self, t: f64, q: &[f64], v: &[f64], out: &mut ForceJet);
}

impl<F: Force + ?Sized> Force for Arc<F> {
    #[inline]
    fn value(&self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]) {
        (**self).value(t, q, v, force);
    }
    #[inline]
    fn derivatives(&self, t: f64, q: &[f64], v: &[f64], out: &mut ForceJet) {
        (**self).derivatives(t, q, v, out);
    }
}

/// A force and its partial derivatives at one place, in one block: `F[n], F_q[n*n], F_v[n*n]`.
#[derive(Debug, Clone)]
pub struct ForceJet {
    n: usize,
    data: Vec<f64>,
}

impl ForceJet {
    /// Zeros for `n` coordinates. Entries that are always zero may keep that zero.
    pub fn new(n: usize) -> Self {
        ForceJet { n, data: vec![0.0; n + 2 * n * n] }
    }
    /// The whole block, to be written.
    #[inline]
    pub fn data(&mut self) -> &mut [f64] {
        &mut self.data
    }
    /// `F`.
    #[inline]
    pub fn value(&self) -> &[f64] {
        &self.data[..self.n]
    }
    /// `F_q`, by rows.
    #[inline]
    pub fn dq(&self) -> &[f64] {
        &self.data[self.n..self.n + self.n * self.n]
    }
    /// `F_v`, by rows.
    #[inline]
    pub fn dv(&self) -> &[f64] {
        &self.data[self.n + self.n * self.n..]
    }
}

/// A force given by one formula for each coordinate, differentiated exactly and compiled.
#[derive(Debug)]
pub struct FormulaForce {
    value: Program,
    derivatives: Program,
}

impl FormulaForce {
    /// The force whose components are nodes of a graph.
    pub fn new(graph: &mut Graph, nodes: &[Node]) -> Self {
        let n = nodes.len();
        let value: Vec<(Node, usize)> = nodes.iter().enumerate().map(|(i, node)| (*node, i)).collect();
        let mut all = value.clone();
        let by: [Vec<Var>; 2] = [positions(n).collect(), velocities(n).collect()];
        for (i, node) in nodes.iter().enumerate() {
            for (block, by) in by.iter().enumerate() {
                let row = graph.gradient(*node, by);
                let at = n + block * n * n + i * n;
                all.extend(
                    row.iter()
                        .enumerate()
                        .filter(|(_, x)| graph.as_constant(**x) != Some(0.0))
                        .map(|(j, x)| (*x, at + j)),
                );
            }
        }
        FormulaForce { value: Program::new(graph, &value), derivatives: Program::new(graph, &all) }
    }
}

impl Force for FormulaForce {
    fn value(&self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]) {
        self.value.call(t, q, v, &[], force);
    }
    fn derivatives(&self, t: f64, q: &[f64], v: &[f64], out: &mut ForceJet) {
        self.derivatives.call(t, q, v, &[], out.data());
    }
}
