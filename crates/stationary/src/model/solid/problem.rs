//! A solid with its loads and Dirichlet boundary conditions.

use super::body::Solid;
use super::elements::ElementFault;
use super::kind::MAX_NODES;
use super::loads::Loads;
use crate::model::{
    CompiledPrefix, ConstantLoads, DeadLoad, FieldValues, FlatPressure, HistoryEnergy, IndependentKicks,
    IndependentRecord, LoadEnergy, NO_LOAD, Past, PotentialFault, Potentials, Structure, Supports,
};
use std::ops::Range;
use std::sync::Arc;

/// A solid with its loads and supports, as time integration methods use it.
#[derive(Debug)]
pub struct SolidProblem {
    solid: Solid,
    loads: Loads,
    supports: Supports,
    tags: Tags,
    /// The elements with time-dependent or follower loads.
    loaded: Vec<u32>,
    /// The rate of mass-proportional damping of each node; empty without.
    mass_damping: Vec<f64>,
}

/// The number of each element in the user's mesh, by label, in little memory.
#[derive(Debug)]
enum Tags {
    /// Consecutive numbers, from the first on.
    From(u64),
    Short(Vec<u32>),
    Long(Vec<u64>),
}

impl Tags {
    /// Labels without a number are used as numbers.
    fn new(tags: Vec<u64>) -> Self {
        let first = tags.first().copied().unwrap_or(0);
        if tags.iter().zip(0..).all(|(tag, label)| tag.checked_sub(first) == Some(label)) {
            return Tags::From(first);
        }
        match tags.iter().map(|tag| u32::try_from(*tag)).collect() {
            Ok(short) => Tags::Short(short),
            Err(_) => Tags::Long(tags),
        }
    }

    fn get(&self, label: usize) -> u64 {
        match self {
            Tags::From(first) => first + label as u64,
            Tags::Short(tags) => tags.get(label).map_or(label as u64, |tag| u64::from(*tag)),
            Tags::Long(tags) => tags.get(label).copied().unwrap_or(label as u64),
        }
    }

    fn memory(&self) -> usize {
        match self {
            Tags::From(_) => 0,
            Tags::Short(tags) => 4 * tags.capacity(),
            Tags::Long(tags) => 8 * tags.capacity(),
        }
    }
}

impl SolidProblem {
    /// A solid under loads and supports; `tags` are the numbers of the elements in the user's mesh, by label.
    pub fn new(solid: Solid, loads: Loads, supports: Supports, tags: Vec<u64>) -> Self {
        let loaded = (0..solid.elements()).filter(|k| loads.on(*k)).map(|k| k as u32).collect();
        SolidProblem { solid, loads, supports, tags: Tags::new(tags), loaded, mass_damping: Vec::new() }
    }

    /// The same with mass-proportional damping: each element's damps its share of the masses of its nodes at the rate `alpha` of the element.
    /// A node has the mean rate `sum_K alpha_K m_Ka / m_a`.
    pub fn with_mass_damping(mut self, alpha: impl Fn(usize) -> f64) -> Self {
        let rates = self.solid.mean_at_nodes(alpha);
        self.mass_damping = if rates.iter().any(|rate| *rate != 0.0) { rates } else { Vec::new() };
        self
    }

    /// The rate of mass-proportional damping of each node; `None` without.
    pub fn mass_damping(&self) -> Option<&[f64]> {
        (!self.mass_damping.is_empty()).then_some(&self.mass_damping)
    }

    /// Whether energy is dissipated: by elements with memory or by mass-proportional damping.
    pub fn dissipates(&self) -> bool {
        self.solid.has_history() || self.mass_damping().is_some()
    }

    /// Memory of the solid, its loads and supports in bytes, without formulas.
    pub fn memory(&self) -> usize {
        let own = 4 * self.loaded.capacity() + 8 * self.mass_damping.capacity() + self.tags.memory();
        self.solid.memory() + self.loads.memory() + self.supports.memory() + own
    }

    /// The solid.
    pub fn solid(&self) -> &Solid {
        &self.solid
    }

    /// The loads.
    pub fn loads(&self) -> &Loads {
        &self.loads
    }

    /// Whether some support has a prescribed motion.
    pub fn supports_move(&self) -> bool {
        self.supports.moves()
    }

    /// The number of element `k` in the user's mesh.
    pub fn tag(&self, k: usize) -> u64 {
        let (block, k) = self.solid.locate(k);
        self.tag_of(block.label(k))
    }

    fn tag_of(&self, label: usize) -> u64 {
        self.tags.get(label)
    }

    /// A fault with the number of the element in the user's mesh.
    pub fn fault(&self, fault: &ElementFault) -> PotentialFault {
        PotentialFault { number: self.tag_of(fault.element()) as usize, why: fault.why() }
    }

    /// Adds all loads, times a sign; returns their potential.
    fn add_loads(&self, sign: f64, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let constant_loads = self.loads.constant_loads();
        let mut energy = constant_loads.potential(x);
        let no_load = |k: usize| PotentialFault { number: self.tag(k) as usize, why: NO_LOAD.into() };
        if !energy.is_finite()
            && let Some(k) = constant_loads.not_finite(&self.solid)
        {
            return Err(no_load(k));
        }
        for (out, force) in out.chunks_exact_mut(3).zip(constant_loads.forces()) {
            (0..3).for_each(|i| out[i] += sign * force[i]);
        }
        let (mut dead, mut follower) = ([0.0; 3 * MAX_NODES], [0.0; 3 * MAX_NODES]);
        let mut fields = FieldValues::new(t);
        for k in self.loaded.iter().map(|k| *k as usize) {
            let nodes = Potentials::nodes(&self.solid, k);
            let (dead, follower) = (&mut dead[..3 * nodes.len()], &mut follower[..3 * nodes.len()]);
            let load = self.loads.forces(k, &mut fields, x, dead, follower);
            if !load.potential.is_finite() || follower.iter().any(|f| !f.is_finite()) {
                return Err(no_load(k));
            }
            energy += load.potential;
            for (n, a) in nodes.iter().enumerate() {
                for i in 0..3 {
                    out[3 * *a as usize + i] += sign * (dead[3 * n + i] + follower[3 * n + i]);
                }
            }
        }
        Ok(energy)
    }
}

impl Potentials for SolidProblem {
    fn count(&self) -> usize {
        self.solid.elements()
    }

    #[inline]
    fn nodes(&self, k: usize) -> &[u32] {
        Potentials::nodes(&self.solid, k)
    }

    fn gradient_local(
        &self,
        k: usize,
        t: f64,
        own: &[f64],
        out: &mut [f64],
    ) -> Option<Result<f64, PotentialFault>> {
        let (block, k) = self.solid.locate(k);
        let result = block.gradient_local(k, t, own, out);
        Some(result.map_err(|fault| self.fault(&fault)))
    }

    fn history_size(&self, k: usize) -> usize {
        self.solid.history_size(k)
    }

    fn first_history(&self, k: usize, out: &mut [f64]) {
        self.solid.first_history(k, out);
    }

    fn update(
        &self,
        k: usize,
        own: &[f64],
        past: Past<'_>,
        gradient: &mut [f64],
        after: Option<&mut [f64]>,
    ) -> Result<HistoryEnergy, PotentialFault> {
        let (block, k) = self.solid.locate(k);
        block.update(k, own, past, gradient, after).map_err(|fault| self.fault(&fault))
    }

    fn prefetch(&self, k: usize) {
        let (block, k) = self.solid.locate(k);
        block.prefetch(k);
    }

    #[inline]
    fn gradient(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let (block, k) = self.solid.locate(k);
        block.gradient(k, t, x, out).map_err(|fault| self.fault(&fault))
    }

    fn number(&self, k: usize) -> usize {
        self.tag(k) as usize
    }

    fn constant_loads(&self) -> Option<&ConstantLoads> {
        Some(self.loads.constant_loads()).filter(|s| !s.is_empty())
    }

    fn add_weighted_gradient(
        &self,
        weights: &[f64],
        t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, PotentialFault> {
        self.solid.add_weighted_gradient(weights, t, x, out).map_err(|fault| self.fault(&fault))
    }

    fn loaded(&self, k: usize) -> bool {
        self.loads.on(k)
    }

    fn load(&self, k: usize, t: f64, x: &[f64], dead: &mut [f64], follower: &mut [f64]) -> LoadEnergy {
        self.load_at(k, &mut FieldValues::new(t), x, dead, follower)
    }

    fn load_at<'a>(
        &'a self,
        k: usize,
        fields: &mut FieldValues<'a>,
        x: &[f64],
        dead: &mut [f64],
        follower: &mut [f64],
    ) -> LoadEnergy {
        self.loads.forces(k, fields, x, dead, follower)
    }

    fn dead_loads(&self, k: usize) -> &[DeadLoad] {
        self.loads.dead(k)
    }

    fn flat_pressures(&self, k: usize) -> &[FlatPressure] {
        self.loads.flat(k)
    }

    fn has_other_loads(&self, k: usize) -> bool {
        self.loads.is_pushed(k) && self.loads.flat(k).is_empty()
    }

    fn other_load_at<'a>(
        &'a self,
        k: usize,
        fields: &mut FieldValues<'a>,
        x: &[f64],
        dead: &mut [f64],
        follower: &mut [f64],
    ) -> LoadEnergy {
        dead.fill(0.0);
        LoadEnergy { follower: self.loads.push(k, fields, x, follower), ..LoadEnergy::default() }
    }

    fn supports(&self) -> Option<&Supports> {
        (!self.supports.is_empty()).then_some(&self.supports)
    }

    fn mass_damping(&self) -> Option<&[f64]> {
        self.mass_damping()
    }

    fn stiffness_damping(&self, k: usize) -> f64 {
        self.solid.locate(k).0.stiffness_damping()
    }

    fn compile(&self, list: &[u32], own: &dyn Fn(u32) -> bool) -> CompiledPrefix {
        self.solid.compile(list, own)
    }

    fn independent_kicks(&self) -> Vec<(Range<usize>, Arc<dyn IndependentKicks>)> {
        self.solid.independent_kicks()
    }

    fn independent_record(&self, k: usize) -> IndependentRecord {
        self.solid.independent_record(k)
    }
}

impl Structure for SolidProblem {
    fn mass(&self) -> &[f64] {
        self.solid.mass()
    }

    fn elements(&self) -> usize {
        self.solid.elements()
    }

    fn nodes(&self, k: usize) -> &[u32] {
        Potentials::nodes(&self.solid, k)
    }

    fn gradient(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let mut energy = self.solid.gradient(t, x, out).map_err(|fault| self.fault(&fault))?;
        energy += self.add_loads(-1.0, t, x, out)?;
        Ok(energy)
    }

    fn forces(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        self.solid.forces(t, x, out).map_err(|fault| self.fault(&fault))?;
        self.add_loads(1.0, t, x, out).map(drop)
    }

    fn tangent(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        let (block, j) = self.solid.locate(k);
        block.tangent(j, t, x, out).map_err(|fault| self.fault(&fault))?;
        self.loads.subtract_stiffness(k, t, x, block.nodes(j).len(), out);
        Ok(())
    }

    fn loads(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        out.fill(0.0);
        self.add_loads(1.0, t, x, out)
    }

    fn is_inert(&self, i: usize) -> bool {
        i % 3 == 2 && self.solid.blocks().iter().all(|block| block.kind().dimension() == 2)
    }

    fn has_rings(&self) -> bool {
        self.solid.has_rings()
    }

    fn history_size(&self) -> usize {
        self.solid.history_start(self.solid.elements())
    }

    fn first_history(&self, out: &mut [f64]) {
        self.solid.forget(out);
    }

    fn update(
        &self,
        t: f64,
        x: &[f64],
        past: Past<'_>,
        out: &mut [f64],
        after: Option<&mut [f64]>,
    ) -> Result<HistoryEnergy, PotentialFault> {
        let mut energy =
            self.solid.update_all(t, x, past, (out, after)).map_err(|fault| self.fault(&fault))?;
        energy.stored += self.add_loads(-1.0, t, x, out)?;
        Ok(energy)
    }

    fn tangent_after(
        &self,
        k: usize,
        t: f64,
        x: &[f64],
        past: Past<'_>,
        out: &mut [f64],
    ) -> Result<(), PotentialFault> {
        let (block, j) = self.solid.locate(k);
        if block.history_size() == 0 {
            return Structure::tangent(self, k, t, x, out);
        }
        let own = self.solid.past_of(k, past);
        block.tangent_after(j, x, own, out).map_err(|fault| self.fault(&fault))?;
        self.loads.subtract_stiffness(k, t, x, block.nodes(j).len(), out);
        Ok(())
    }

    fn mass_damping(&self) -> Option<&[f64]> {
        self.mass_damping()
    }

    fn is_fixed(&self, i: usize) -> bool {
        self.supports.is_fixed(i)
    }

    fn impose(&self, t: f64, x: &mut [f64], v: &mut [f64]) {
        self.supports.impose(t, x, v);
    }
}
