//! The interface of synchronous time integration methods to a body with many nodes.

use super::PotentialFault;

/// `L = sum_a m_a |v_a|^2 / 2 - V(t, x)` with lumped masses, `V` a sum over elements of a few nodes each, and some components
/// prescribed by supports (Dirichlet boundary conditions). Positions are arrays of three numbers a node.
pub trait Structure: Send + Sync {
    /// Mass of each node (three components share it), positive.
    fn mass(&self) -> &[f64];

    /// Number of elements, numbered from 0.
    fn elements(&self) -> usize;

    /// Nodes of element `k`: they determine the sparsity pattern of the stiffness matrix.
    fn nodes(&self, k: usize) -> &[u32];

    /// Overwrites `out` with `dV/dx` minus the loads, three numbers a node; returns the potential energy.
    fn gradient(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault>;

    /// Writes the nodal forces, minus that gradient, without the energy, which may be cheaper. Forces that are not finite need not be
    /// reported.
    fn forces(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        self.gradient(t, x, out)?;
        out.iter_mut().for_each(|f| *f = -*f);
        Ok(())
    }

    /// Writes the tangent stiffness of element `k`, a square matrix by rows with three rows a node, to `out`.
    fn tangent(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault>;

    /// Whether component `i` (three times the node, plus the direction) is prescribed by a support.
    fn is_fixed(&self, i: usize) -> bool;

    /// Writes the positions and velocities of all prescribed components at time `t`; others are not changed.
    fn impose(&self, t: f64, x: &mut [f64], v: &mut [f64]);
}

impl<S: Structure + ?Sized> Structure for std::sync::Arc<S> {
    fn mass(&self) -> &[f64] {
        (**self).mass()
    }
    fn elements(&self) -> usize {
        (**self).elements()
    }
    fn nodes(&self, k: usize) -> &[u32] {
        (**self).nodes(k)
    }
    fn gradient(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        (**self).gradient(t, x, out)
    }
    fn forces(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        (**self).forces(t, x, out)
    }
    fn tangent(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        (**self).tangent(k, t, x, out)
    }
    fn is_fixed(&self, i: usize) -> bool {
        (**self).is_fixed(i)
    }
    fn impose(&self, t: f64, x: &mut [f64], v: &mut [f64]) {
        (**self).impose(t, x, v);
    }
}
