//! Systems whose potential is a sum of potentials of a few nodes each: springs, finite elements, pair potentials.

use super::{CompiledPrefix, ConstantLoads, FieldValues, FormulaField, HistoryEnergy, Past, Supports};
use super::{IndependentKicks, IndependentRecord};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// `V(t, x) = sum_K V_K(t, x_K)`, each `V_K` a function of a few nodes, in three dimensions [VTI04 (39)-(44)].
/// Positions are arrays of three numbers a node.
pub trait Potentials: Send + Sync {
    /// Number of potentials, numbered from 0.
    fn count(&self) -> usize;
    /// The nodes on which potential `k` depends.
    fn nodes(&self, k: usize) -> &[u32];
    /// Writes `dV_k/dx` (minus the nodal forces), three numbers for each of its nodes, and returns `V_k`.
    fn gradient(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault>;
    /// As [`gradient`](Self::gradient), from the positions of its own nodes only, in their order; `None` if this is not implemented.
    fn gradient_local(
        &self,
        _k: usize,
        _t: f64,
        _own: &[f64],
        _out: &mut [f64],
    ) -> Option<Result<f64, PotentialFault>> {
        None
    }
    /// How many numbers of [history](crate::model::Past) potential `k` has; 0 without memory.
    fn history_size(&self, _k: usize) -> usize {
        0
    }
    /// Writes the history of potential `k` at the start.
    fn first_history(&self, _k: usize, out: &mut [f64]) {
        out.fill(0.0);
    }
    /// As [`gradient_local`](Self::gradient_local), of the incremental potential from a past: writes the history that the update leads to,
    /// where it is asked for. Only for potentials with history.
    fn update(
        &self,
        k: usize,
        _own: &[f64],
        _past: Past<'_>,
        _gradient: &mut [f64],
        _after: Option<&mut [f64]>,
    ) -> Result<HistoryEnergy, PotentialFault> {
        Err(PotentialFault { number: self.number(k), why: "it has no history to update".into() })
    }
    /// A hint that potential `k` will be evaluated soon, so that its data can be prefetched.
    fn prefetch(&self, _k: usize) {}
    /// The number of potential `k` as the user knows it, for messages.
    fn number(&self, k: usize) -> usize {
        k
    }
    /// Constant nodal forces; they are not contained in [`load`](Self::load).
    fn constant_loads(&self) -> Option<&ConstantLoads> {
        None
    }
    /// Adds `sum_k weights[k] dV_k/dx` to `out`, three numbers a node; returns the sum of all `V_k`.
    fn add_weighted_gradient(
        &self,
        weights: &[f64],
        t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, PotentialFault> {
        let mut total = 0.0;
        let mut own = Vec::new();
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
    /// Whether time-dependent or follower loads act at the events of potential `k`.
    fn loaded(&self, _k: usize) -> bool {
        false
    }
    /// Writes the external forces on the nodes of a loaded potential: dead loads, which do not depend on the configuration, and follower
    /// loads, which do.
    fn load(&self, _k: usize, _t: f64, _x: &[f64], dead: &mut [f64], follower: &mut [f64]) -> LoadEnergy {
        dead.fill(0.0);
        follower.fill(0.0);
        LoadEnergy::default()
    }
    /// As [`load`](Self::load), for many potentials at one time: what depends on the time only is evaluated once.
    fn load_at<'a>(
        &'a self,
        k: usize,
        fields: &mut FieldValues<'a>,
        x: &[f64],
        dead: &mut [f64],
        follower: &mut [f64],
    ) -> LoadEnergy {
        self.load(k, fields.time(), x, dead, follower)
    }
    /// The dead loads of potential `k` that depend on time, as far as they are known one by one. What potentials that fire together have of them is
    /// summed for each node once.
    fn dead_loads(&self, _k: usize) -> &[DeadLoad] {
        &[]
    }
    /// The pressures on flat triangles of potential `k`, if it has no other follower loads.
    fn flat_pressures(&self, _k: usize) -> &[FlatPressure] {
        &[]
    }
    /// Whether potential `k` has loads besides its [`dead_loads`](Self::dead_loads) and [`flat_pressures`](Self::flat_pressures).
    fn has_other_loads(&self, k: usize) -> bool {
        self.loaded(k)
    }
    /// As [`load_at`](Self::load_at), without the [`dead_loads`](Self::dead_loads); not asked where there are [`flat_pressures`](Self::flat_pressures).
    fn other_load_at<'a>(
        &'a self,
        k: usize,
        fields: &mut FieldValues<'a>,
        x: &[f64],
        dead: &mut [f64],
        follower: &mut [f64],
    ) -> LoadEnergy {
        self.load_at(k, fields, x, dead, follower)
    }
    /// The prescribed components (Dirichlet boundary conditions).
    fn supports(&self) -> Option<&Supports> {
        None
    }
    /// The rate `a` of mass-proportional damping, `m v' = ... - a m v`, of each node; `None` without. Prescribed components are not damped.
    fn mass_damping(&self) -> Option<&[f64]> {
        None
    }
    /// The time `beta` of the stiffness damping of potential `k`, which a history makes ([`crate::model::solid::Damped`]).
    fn stiffness_damping(&self, _k: usize) -> f64 {
        0.0
    }
    /// Compiles the first potentials of a list, as far as one form covers them; they kick only the nodes that are `own`. The list is
    /// not empty. By default potentials are evaluated one by one.
    fn compile(&self, list: &[u32], _own: &dyn Fn(u32) -> bool) -> CompiledPrefix {
        CompiledPrefix { count: list.len(), potentials: None }
    }
    /// Kernels for events of potentials that share no node, each with the potentials for which it is. By default there are none.
    fn independent_kicks(&self) -> Vec<(Range<usize>, Arc<dyn IndependentKicks>)> {
        Vec::new()
    }
    /// What the kernel needs of potential `k`, of those in [`independent_kicks`](Self::independent_kicks).
    fn independent_record(&self, _k: usize) -> IndependentRecord {
        IndependentRecord::default()
    }
}

/// The reason in a [`PotentialFault`] of a load that is not finite.
pub const NO_LOAD: &str = "the load on it is not a finite number";

/// A force on a node that changes in time and does not depend on the configuration: a coefficient times a field at the reference position of the
/// node.
#[derive(Debug, Clone)]
pub struct DeadLoad {
    /// The potential to which it belongs.
    pub element: u32,
    /// The number of the node among those of the potential.
    pub local: u32,
    /// The node.
    pub node: u32,
    /// By what the field is multiplied.
    pub coefficient: f64,
    /// The reference position of the node.
    pub place: [f64; 3],
    /// The field.
    pub force: Arc<FormulaField>,
}

/// A pressure on a flat triangle of nodes that does not depend on the place. It follows the surface, and has no potential.
#[derive(Debug, Clone)]
pub struct FlatPressure {
    /// The potential to which it belongs.
    pub element: u32,
    /// Its number among those of the potential.
    pub number: u32,
    /// The corners; their normal points outwards.
    pub nodes: [u32; 3],
    /// The pressure.
    pub pressure: Arc<FormulaField>,
}

impl FlatPressure {
    /// The force `-p/6 (b - a) x (c - a)` on each of the three corners, a third of that on the triangle.
    #[inline]
    pub fn force(pressure: f64, [a, b, c]: &[[f64; 3]; 3]) -> [f64; 3] {
        let along = |q: &[f64; 3]| [q[0] - a[0], q[1] - a[1], q[2] - a[2]];
        crate::linalg::cross(&along(b), &along(c)).map(|normal| -(pressure / 6.0 * normal))
    }
}

/// Energy and power of the loads of one potential.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LoadEnergy {
    /// Potential energy `-f(t) . (x - X)` of dead loads.
    pub potential: f64,
    /// Its partial derivative in time, `-f'(t) . (x - X)`: the power of a load that changes in time.
    pub rate: f64,
    /// Whether there are also follower loads (pressures), which have no potential.
    pub follower: bool,
}

/// A potential that has no value in a configuration, for example of an inverted element or of two particles at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PotentialFault {
    /// Its number, as the user knows it.
    pub number: usize,
    /// The reason, in a few words.
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
    fn gradient_local(
        &self,
        k: usize,
        t: f64,
        own: &[f64],
        out: &mut [f64],
    ) -> Option<Result<f64, PotentialFault>> {
        (**self).gradient_local(k, t, own, out)
    }
    fn history_size(&self, k: usize) -> usize {
        (**self).history_size(k)
    }
    fn first_history(&self, k: usize, out: &mut [f64]) {
        (**self).first_history(k, out);
    }
    fn update(
        &self,
        k: usize,
        own: &[f64],
        past: Past<'_>,
        gradient: &mut [f64],
        after: Option<&mut [f64]>,
    ) -> Result<HistoryEnergy, PotentialFault> {
        (**self).update(k, own, past, gradient, after)
    }
    fn prefetch(&self, k: usize) {
        (**self).prefetch(k);
    }
    fn number(&self, k: usize) -> usize {
        (**self).number(k)
    }
    fn constant_loads(&self) -> Option<&ConstantLoads> {
        (**self).constant_loads()
    }
    fn add_weighted_gradient(
        &self,
        weights: &[f64],
        t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, PotentialFault> {
        (**self).add_weighted_gradient(weights, t, x, out)
    }
    fn loaded(&self, k: usize) -> bool {
        (**self).loaded(k)
    }
    fn load(&self, k: usize, t: f64, x: &[f64], dead: &mut [f64], follower: &mut [f64]) -> LoadEnergy {
        (**self).load(k, t, x, dead, follower)
    }
    fn load_at<'a>(
        &'a self,
        k: usize,
        fields: &mut FieldValues<'a>,
        x: &[f64],
        dead: &mut [f64],
        follower: &mut [f64],
    ) -> LoadEnergy {
        (**self).load_at(k, fields, x, dead, follower)
    }
    fn dead_loads(&self, k: usize) -> &[DeadLoad] {
        (**self).dead_loads(k)
    }
    fn flat_pressures(&self, k: usize) -> &[FlatPressure] {
        (**self).flat_pressures(k)
    }
    fn has_other_loads(&self, k: usize) -> bool {
        (**self).has_other_loads(k)
    }
    fn other_load_at<'a>(
        &'a self,
        k: usize,
        fields: &mut FieldValues<'a>,
        x: &[f64],
        dead: &mut [f64],
        follower: &mut [f64],
    ) -> LoadEnergy {
        (**self).other_load_at(k, fields, x, dead, follower)
    }
    fn supports(&self) -> Option<&Supports> {
        (**self).supports()
    }
    fn mass_damping(&self) -> Option<&[f64]> {
        (**self).mass_damping()
    }
    fn stiffness_damping(&self, k: usize) -> f64 {
        (**self).stiffness_damping(k)
    }
    fn compile(&self, list: &[u32], own: &dyn Fn(u32) -> bool) -> CompiledPrefix {
        (**self).compile(list, own)
    }
    fn independent_kicks(&self) -> Vec<(Range<usize>, Arc<dyn IndependentKicks>)> {
        (**self).independent_kicks()
    }
    fn independent_record(&self, k: usize) -> IndependentRecord {
        (**self).independent_record(k)
    }
}
