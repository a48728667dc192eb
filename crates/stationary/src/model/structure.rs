//! The interface of synchronous time integration methods to a body with many nodes.

use super::{HistoryEnergy, Past, PotentialFault};

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

    /// Writes the nodal forces of all loads alone, three numbers a node; returns their potential, which is part of that of
    /// [`gradient`](Self::gradient).
    fn loads(&self, _t: f64, _x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        out.fill(0.0);
        Ok(0.0)
    }

    /// Whether no element resists component `i` by construction, such as the one across the plane of a plane body.
    fn is_inert(&self, _i: usize) -> bool {
        false
    }

    /// Whether the elements are rings about the axis `x = 0`, which only a motion along `y` leaves undeformed.
    fn has_rings(&self) -> bool {
        false
    }

    /// How many numbers of [history](Past) all elements have together; 0 without memory.
    fn history_size(&self) -> usize {
        0
    }

    /// Writes the history at the start.
    fn first_history(&self, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// As [`gradient`](Self::gradient), of the incremental potential from a past; writes the history that the update leads to, where it
    /// is asked for. The energy of loads is among what is stored.
    fn update(
        &self,
        t: f64,
        x: &[f64],
        _past: Past<'_>,
        out: &mut [f64],
        _after: Option<&mut [f64]>,
    ) -> Result<HistoryEnergy, PotentialFault> {
        self.gradient(t, x, out).map(HistoryEnergy::elastic)
    }

    /// As [`tangent`](Self::tangent), of the incremental potential from a past of all elements.
    fn tangent_after(
        &self,
        k: usize,
        t: f64,
        x: &[f64],
        _past: Past<'_>,
        out: &mut [f64],
    ) -> Result<(), PotentialFault> {
        self.tangent(k, t, x, out)
    }

    /// The rate `a` of mass-proportional damping, `m v' = ... - a m v`, of each node; `None` without. Prescribed components are not damped.
    fn mass_damping(&self) -> Option<&[f64]> {
        None
    }

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
    fn loads(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        (**self).loads(t, x, out)
    }
    fn is_inert(&self, i: usize) -> bool {
        (**self).is_inert(i)
    }
    fn has_rings(&self) -> bool {
        (**self).has_rings()
    }
    fn history_size(&self) -> usize {
        (**self).history_size()
    }
    fn first_history(&self, out: &mut [f64]) {
        (**self).first_history(out);
    }
    fn update(
        &self,
        t: f64,
        x: &[f64],
        past: Past<'_>,
        out: &mut [f64],
        after: Option<&mut [f64]>,
    ) -> Result<HistoryEnergy, PotentialFault> {
        (**self).update(t, x, past, out, after)
    }
    fn tangent_after(
        &self,
        k: usize,
        t: f64,
        x: &[f64],
        past: Past<'_>,
        out: &mut [f64],
    ) -> Result<(), PotentialFault> {
        (**self).tangent_after(k, t, x, past, out)
    }
    fn mass_damping(&self) -> Option<&[f64]> {
        (**self).mass_damping()
    }
    fn is_fixed(&self, i: usize) -> bool {
        (**self).is_fixed(i)
    }
    fn impose(&self, t: f64, x: &mut [f64], v: &mut [f64]) {
        (**self).impose(t, x, v);
    }
}
