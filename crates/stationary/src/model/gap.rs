//! Gaps `phi(t, q) >= 0` [FET03 (2.1), 5.4]: where a system may be. They know no step.

use super::formula::positions;
use super::{Bounds, Constraint, FormulaConstraint};
use crate::formula::{Graph, Node, Program, Var};
use std::sync::Arc;

/// `m` conditions `phi_k(t, q) >= 0` on `n` coordinates.
///
/// Values and derivatives are written as those of a [`Constraint`]; the system may be on either side of that, but not below.
pub trait Gap: Send + Sync {
    /// The number `m`.
    fn count(&self) -> usize;

    /// Whether every gap is an affine function of the place, at all times the same.
    fn flat(&self) -> bool {
        false
    }

    /// Writes `phi` alone: what every step asks for, most often to find that all gaps are open.
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let mut bounds = Bounds::new(q.len(), self.count());
        self.first(t, q, &mut bounds);
        out.copy_from_slice(bounds.value());
    }

    /// Writes `phi`, `phi_q` and `phi_t`. What is always zero may keep the zero that [`Bounds::new`] gave it.
    fn first(&self, t: f64, q: &[f64], out: &mut Bounds);

    /// Also writes the second derivatives `phi_qq` and `phi_tq`.
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds);
}

impl<G: Gap + ?Sized> Gap for Arc<G> {
    fn count(&self) -> usize {
        (**self).count()
    }
    fn flat(&self) -> bool {
        (**self).flat()
    }
    #[inline]
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]) {
        (**self).values(t, q, out);
    }
    #[inline]
    fn first(&self, t: f64, q: &[f64], out: &mut Bounds) {
        (**self).first(t, q, out);
    }
    #[inline]
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
        (**self).second(t, q, out);
    }
}

/// What happens at a contact besides staying out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactLaw {
    /// The rate of opening after an impact over that of closing before it, from 0 to 1.
    pub restitution: f64,
    /// Coulomb's coefficient, at least 0.
    pub friction: f64,
}

impl Default for ContactLaw {
    /// Elastic and without friction.
    fn default() -> Self {
        ContactLaw { restitution: 1.0, friction: 0.0 }
    }
}

/// Gaps and their laws, one for each.
#[derive(Clone)]
pub struct Gaps {
    /// Where the system may be.
    pub gap: Arc<dyn Gap>,
    /// What happens where it touches.
    pub laws: Vec<ContactLaw>,
}

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
    values: Program,
    flat: bool,
    smooth: FormulaConstraint,
}

impl FormulaGap {
    /// The gaps that nodes of a graph stand for, of `n` coordinates.
    pub fn new(graph: &mut Graph, gaps: &[GapNodes], n: usize) -> Self {
        let nodes: Vec<Node> = gaps.iter().map(|g| g.gap).collect();
        let values: Vec<(Node, usize)> = nodes.iter().enumerate().map(|(k, node)| (*node, k)).collect();
        let flat = nodes.iter().all(|node| is_flat(graph, *node, n));
        FormulaGap {
            values: Program::new(graph, &values),
            flat,
            smooth: FormulaConstraint::new(graph, &nodes, n),
        }
    }
}

/// Whether the gradient of a node is the same everywhere and always.
fn is_flat(graph: &mut Graph, node: Node, n: usize) -> bool {
    let rate = graph.gradient(node, &[Var::T])[0];
    let gradient = graph.gradient(node, &positions(n).collect::<Vec<Var>>());
    graph.as_constant(rate) == Some(0.0) && gradient.iter().all(|x| graph.as_constant(*x).is_some())
}

impl Gap for FormulaGap {
    fn count(&self) -> usize {
        self.smooth.count()
    }
    fn flat(&self) -> bool {
        self.flat
    }
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.values.call(t, q, &[], &[], out);
    }
    fn first(&self, t: f64, q: &[f64], out: &mut Bounds) {
        self.smooth.first(t, q, out);
    }
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
        self.smooth.second(t, q, out);
    }
}
