//! What a synchronous method asks of a body with many nodes.

use super::PotentialFault;

/// `L = sum_a m_a |v_a|^2 / 2 - V(t, x)` with a mass on every node, `V` a sum over elements of a few nodes each, and some
/// components prescribed by supports. Positions of all nodes lie one after the other, three numbers a node.
pub trait Structure: Send + Sync {
    /// Mass of each node (three components share it), positive.
    fn mass(&self) -> &[f64];

    /// Number of elements, numbered from 0.
    fn elements(&self) -> usize;

    /// Nodes of element `k`: they say where the second derivatives of `V` can differ from zero.
    fn nodes(&self, k: usize) -> &[u32];

    /// Writes `dV/dx` less the loads, three numbers a node (overwrites); returns the potential energy.
    fn gradient(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault>;

    /// Writes the forces, minus that gradient, without the energy, which may cost less. Those that are no finite numbers may
    /// go unnoticed.
    fn forces(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        self.gradient(t, x, out)?;
        out.iter_mut().for_each(|f| *f = -*f);
        Ok(())
    }

    /// Writes the second derivatives of element `k`, a square matrix by rows with three rows a node, to `out`.
    fn tangent(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault>;

    /// Whether component `i` (three times the node, plus the direction) is prescribed by a support.
    fn held(&self, i: usize) -> bool;

    /// Writes the prescribed positions and velocities of all held components at time `t`, leaves others alone.
    fn drive(&self, t: f64, x: &mut [f64], v: &mut [f64]);
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
    fn held(&self, i: usize) -> bool {
        (**self).held(i)
    }
    fn drive(&self, t: f64, x: &mut [f64], v: &mut [f64]) {
        (**self).drive(t, x, v);
    }
}
