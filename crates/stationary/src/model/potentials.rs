//! Systems whose potential is a sum over small groups of nodes: springs, finite elements, pair potentials.

use super::{Compiled, Steady, Supports};
use std::fmt;

/// `V(t, x) = sum_K V_K(t, x_K)`, each `V_K` a function of a few nodes, in three dimensions [VTI04 (39)-(44)].
/// Positions of all nodes lie one after the other, three numbers a node.
pub trait Potentials: Send + Sync {
    /// Number of potentials, numbered from 0.
    fn count(&self) -> usize;
    /// The nodes that potential `k` touches.
    fn nodes(&self, k: usize) -> &[u32];
    /// Writes `dV_k/dx` for its nodes, three numbers each, and returns `V_k`.
    fn gradient(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault>;
    /// The same from the positions of its own nodes alone, in their order, for those who see no others; nothing if it is not
    /// known how.
    fn gradient_own(
        &self,
        _k: usize,
        _t: f64,
        _own: &[f64],
        _out: &mut [f64],
    ) -> Option<Result<f64, PotentialFault>> {
        None
    }
    /// A hint that potential `k` will be evaluated soon, so that what it needs may come to the processor ahead.
    fn fetch(&self, _k: usize) {}
    /// The number of potential `k` as the user knows it, for messages.
    fn number(&self, k: usize) -> usize {
        k
    }
    /// Constant forces on nodes; they are no part of any potential's [`load`](Self::load).
    fn steady(&self) -> Option<&Steady> {
        None
    }
    /// Adds `dV_k/dx` of all potentials times a number of each to `out`, three numbers a node; returns the sum of all `V_k`.
    fn weighted(&self, weights: &[f64], t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let (mut total, mut own) = (0.0, Vec::new());
        for (k, weight) in (0..self.count()).zip(weights) {
            let nodes = self.nodes(k);
            own.resize(3 * nodes.len(), 0.0);
            total += self.gradient(k, t, x, &mut own)?;
            for (a, own) in nodes.iter().zip(own.chunks_exact(3)) {
                let out = &mut out[3 * *a as usize..][..3];
                (0..3).for_each(|i| out[i] += weight * own[i]);
            }
        }
        Ok(total)
    }
    /// Whether forces from outside come with potential `k`, which change or follow it.
    fn loaded(&self, _k: usize) -> bool {
        false
    }
    /// Writes the forces from outside on the nodes of a loaded potential: those that do not depend on the
    /// configuration, and those that follow it.
    fn load(&self, _k: usize, _t: f64, _x: &[f64], dead: &mut [f64], following: &mut [f64]) -> Forced {
        dead.fill(0.0);
        following.fill(0.0);
        Forced::default()
    }
    /// The components that do not move freely.
    fn supports(&self) -> Option<&Supports> {
        None
    }
    /// Compiles the start of a list of potentials, as far as one form does for all; of the nodes they kick those that are
    /// owned. The list is not empty, loads are not asked for, and no node is held. Without a form of their own potentials go one
    /// by one.
    fn compile(&self, list: &[u32], _own: &dyn Fn(u32) -> bool) -> Compiled {
        Compiled { count: list.len(), cluster: None }
    }
}

/// Why a potential has no forces from outside, in the words of a [`PotentialFault`].
pub const NO_LOAD: &str = "the load on it is not a finite number";

/// The energy side of forces from outside.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Forced {
    /// Potential energy `-f(t) . (x - X)` of forces that do not depend on the deformation.
    pub potential: f64,
    /// Its rate at rest, `-f'(t) . (x - X)`: the power that a changing load brings in.
    pub rate: f64,
    /// Whether others act too, which follow the deformation and have no potential (pressures).
    pub following: bool,
}

/// A potential that has no value in a configuration: an inverted element, two particles at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PotentialFault {
    /// Its number, as the user knows it.
    pub number: usize,
    /// What is wrong, in a few words.
    pub why: String,
}

impl fmt::Display for PotentialFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {}: {}", self.number, self.why)
    }
}

impl<P: Potentials + ?Sized> Potentials for std::sync::Arc<P> {
    fn count(&self) -> usize {
        (**self).count()
    }
    fn nodes(&self, k: usize) -> &[u32] {
        (**self).nodes(k)
    }
    fn gradient(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        (**self).gradient(k, t, x, out)
    }
    fn gradient_own(
        &self,
        k: usize,
        t: f64,
        own: &[f64],
        out: &mut [f64],
    ) -> Option<Result<f64, PotentialFault>> {
        (**self).gradient_own(k, t, own, out)
    }
    fn fetch(&self, k: usize) {
        (**self).fetch(k);
    }
    fn number(&self, k: usize) -> usize {
        (**self).number(k)
    }
    fn steady(&self) -> Option<&Steady> {
        (**self).steady()
    }
    fn weighted(&self, weights: &[f64], t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        (**self).weighted(weights, t, x, out)
    }
    fn loaded(&self, k: usize) -> bool {
        (**self).loaded(k)
    }
    fn load(&self, k: usize, t: f64, x: &[f64], dead: &mut [f64], following: &mut [f64]) -> Forced {
        (**self).load(k, t, x, dead, following)
    }
    fn supports(&self) -> Option<&Supports> {
        (**self).supports()
    }
    fn compile(&self, list: &[u32], own: &dyn Fn(u32) -> bool) -> Compiled {
        (**self).compile(list, own)
    }
}
