//! A solid: blocks of elements on one set of nodes, with lumped masses and critical time steps.

use super::elements::{ElementFault, Elements};
use super::group::place;
use super::kind::MAX_NODES;
use crate::error::Diagnostic;
use crate::interrupt;
use crate::mesh::duplicates;
use crate::model::{
    CompiledPrefix, HistoryEnergy, IndependentKicks, IndependentRecord, Past, PotentialFault, Potentials,
};
use std::ops::Range;
use std::sync::Arc;

/// How the lumped mass of a node is divided among the elements that share it, for the time step from element eigenvalues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MassSplit {
    /// By stiffness, improved by one iteration towards the fewest updates of all elements. More elements are then at their stability limit
    /// at once, and resonate sooner: for fractions up to 0.7.
    Optimal,
    /// In proportion to the stiffness that each element contributes to the node. A sliver among well-shaped elements then has a much larger
    /// time step than its inscribed radius suggests.
    #[default]
    Stiffness,
    /// Each element keeps the mass that it contributed; additional nodal masses are divided evenly.
    Own,
}

/// Number of elements between two checks for an interruption.
const LOOK: usize = 1024;

/// The fault returned after an interruption; the caller discards it.
const GIVEN_UP: ElementFault = ElementFault::NotFinite { element: 0 };

/// The critical time step of an element with the stiffness damping `beta`, if it is `limit = 2/omega` without. Explicit steps see the rate of
/// strain half a step late, so that a vibration from step to step has the stiffness `K + 2 beta K/h`, and `(h^2 + 2 h beta) omega^2 <= 4`:
/// `h = (sqrt(1 + xi^2) - xi) 2/omega` with the part `xi = beta omega/2` of critical damping. Summed over elements the condition holds for the body, as
/// it does without damping.
pub fn damped_limit(limit: f64, beta: f64) -> f64 {
    if beta == 0.0 || limit.is_infinite() {
        return limit;
    }
    limit * (limit / (beta + beta.hypot(limit)))
}

/// A solid: nodes with lumped masses, and blocks of elements. Its potential is the sum of the potentials of the elements
/// [AVI03 (21)]; elements are numbered through the blocks in order.
#[derive(Debug)]
pub struct Solid {
    points: Vec<f64>,
    mass: Vec<f64>,
    blocks: Vec<Box<dyn Elements>>,
    /// Number of elements before each block, and at the end of all blocks.
    start: Vec<usize>,
}

impl Solid {
    /// A solid of blocks built on these points, with additional masses on single nodes. Every node must have a positive mass.
    pub fn new(
        points: &[[f64; 3]],
        blocks: Vec<Box<dyn Elements>>,
        point_masses: &[(u32, f64)],
    ) -> Result<Self, Diagnostic> {
        let mut mass = vec![0.0; points.len()];
        for (node, m) in point_masses {
            let Some(slot) = mass.get_mut(*node as usize) else {
                return Err(Diagnostic::new(format!("a mass on node {node}"))
                    .help(format!("expected a number below {}, the count of points", points.len())));
            };
            if !(*m > 0.0 && m.is_finite()) {
                return Err(Diagnostic::new(format!("the mass on node {node} is {m}"))
                    .help("expected a positive finite number"));
            }
            *slot += m;
        }
        let mut start = vec![0];
        let mut own = [0.0; MAX_NODES];
        for block in &blocks {
            for k in 0..block.len() {
                let nodes = block.nodes(k);
                block.lumped_mass(k, &mut own);
                for (node, m) in nodes.iter().zip(&own) {
                    let Some(slot) = mass.get_mut(*node as usize) else {
                        return Err(Diagnostic::new(format!(
                            "element {} has the node {node}",
                            block.label(k)
                        ))
                        .help(format!("expected a number below {}, the count of points", points.len())));
                    };
                    *slot += m;
                }
            }
            start.push(start[start.len() - 1] + block.len());
        }
        if let Some(node) = mass.iter().position(|m| !(*m > 0.0)) {
            return Err(Diagnostic::new(format!("node {node} at {} has no mass", place(&points[node])))
                .help(
                    "expected every node to belong to an element with density, or to carry a mass of its own",
                ));
        }
        let solid = Solid { points: points.as_flattened().to_vec(), mass, blocks, start };
        solid.refuse_duplicates()?;
        Ok(solid)
    }

    /// Refuses two elements on the same nodes, which are an error of the mesh; two parallel springs are not.
    fn refuse_duplicates(&self) -> Result<(), Diagnostic> {
        let corners = |k: u32| {
            let (block, j) = self.locate(k as usize);
            let kind = block.kind();
            if kind.dimension() > 1 { &block.nodes(j)[..kind.corners()] } else { &[] }
        };
        let Some((first, later)) = duplicates(self.elements(), corners).first().copied() else {
            return Ok(());
        };
        let label = |k: u32| {
            let (block, j) = self.locate(k as usize);
            block.label(j)
        };
        let at = 3 * corners(first)[0] as usize;
        let point = [self.points[at], self.points[at + 1], self.points[at + 2]];
        Err(Diagnostic::new(format!(
            "elements {} and {} have the same corners (near {})",
            label(first),
            label(later),
            place(&point)
        ))
        .help("expected every element once"))
    }

    /// Memory of nodes and elements in bytes.
    pub fn memory(&self) -> usize {
        let nodes = 8 * (self.points.capacity() + self.mass.capacity());
        nodes + self.blocks.iter().map(|b| b.memory()).sum::<usize>()
    }

    /// Reference positions, three numbers a node.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// Lumped mass of each node.
    pub fn mass(&self) -> &[f64] {
        &self.mass
    }

    /// The blocks.
    pub fn blocks(&self) -> &[Box<dyn Elements>] {
        &self.blocks
    }

    /// Whether elements are rings around the axis `x = 0`.
    pub fn has_rings(&self) -> bool {
        self.blocks.iter().any(|block| block.are_rings())
    }

    /// The mean at each node of a number of its elements, weighted by the masses that they contribute; a mass of the node's own counts as zero.
    pub(super) fn mean_at_nodes(&self, of_element: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut mean = vec![0.0; self.mass.len()];
        let (mut own, mut first) = ([0.0; MAX_NODES], 0);
        for block in &self.blocks {
            for k in 0..block.len() {
                block.lumped_mass(k, &mut own);
                let value = of_element(first + k);
                for (a, mass) in block.nodes(k).iter().zip(&own) {
                    mean[*a as usize] += value * mass / self.mass[*a as usize];
                }
            }
            first += block.len();
        }
        mean
    }

    /// Whether elements have memory.
    pub fn has_history(&self) -> bool {
        self.blocks.iter().any(|block| block.history_size() > 0)
    }

    /// Number of elements in all blocks.
    pub fn elements(&self) -> usize {
        self.start[self.blocks.len()]
    }

    /// The block of element `k`, and its number there.
    pub fn locate(&self, k: usize) -> (&dyn Elements, usize) {
        let block = self.start.partition_point(|s| *s <= k) - 1;
        (&*self.blocks[block], k - self.start[block])
    }

    /// The sum of the elements' energies.
    pub fn energy(&self, t: f64, x: &[f64]) -> Result<f64, ElementFault> {
        let mut total = 0.0;
        for block in &self.blocks {
            for k in 0..block.len() {
                total += block.energy(k, t, x)?;
            }
        }
        Ok(total)
    }

    /// Writes the gradient of the energy to `out`, three numbers a node; returns the energy.
    pub fn gradient(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        out.fill(0.0);
        let mut total = 0.0;
        for block in &self.blocks {
            total += block.add_gradient(0..block.len(), t, x, out)?;
        }
        Ok(total)
    }

    /// Writes the nodal forces, minus the gradient, without the energy, which is cheaper. Forces that are not finite need not be reported.
    pub fn forces(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        out.fill(0.0);
        self.blocks.iter().try_for_each(|block| block.forces(0..block.len(), t, x, out))
    }

    /// Adds `sum_K weights[K] dV_K/dx` to `out`; returns the sum of the energies.
    pub fn add_weighted_gradient(
        &self,
        weights: &[f64],
        t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        let mut total = 0.0;
        let mut weights = weights;
        for block in &self.blocks {
            let (own, rest) = weights.split_at(block.len());
            total += block.add_weighted_gradient(own, t, x, out)?;
            weights = rest;
        }
        Ok(total)
    }

    /// The Courant time step `fraction h / c` of every element, with its inscribed radius `h` and the wave speed `c` [AVI03 (68)]; shorter with
    /// stiffness damping.
    pub fn steps_courant(&self, fraction: f64) -> Vec<f64> {
        let mut steps = Vec::with_capacity(self.elements());
        for block in &self.blocks {
            let step = |k| damped_limit(block.step_courant(k), block.stiffness_damping());
            steps.extend((0..block.len()).map(|k| fraction * step(k)));
        }
        steps
    }

    /// The critical time step `fraction 2 / omega_max` of every element, linearised at `x`, with the nodal masses divided by `split`. The
    /// smallest with `fraction = 1` is at most the critical time step of the assembled solid (Irons and Treharne), with stiffness damping that of
    /// [`damped_limit`].
    pub fn steps_eigen(&self, fraction: f64, x: &[f64], split: MassSplit) -> Result<Vec<f64>, ElementFault> {
        let shares = self.shares(x, split)?;
        let (mut steps, mut at) = (Vec::with_capacity(self.elements()), 0);
        for block in &self.blocks {
            let n = block.kind().nodes();
            for k in 0..block.len() {
                if k % LOOK == 0 && interrupt::requested() {
                    return Err(GIVEN_UP);
                }
                let masses = &shares[at..at + n];
                let closed = if self.undeformed(block.nodes(k), x) {
                    block.step_eigen_at_rest(k, masses)
                } else {
                    None
                };
                let limit = closed.map_or_else(|| block.step_eigen(k, x, masses), Ok)?;
                steps.push(fraction * damped_limit(limit, block.stiffness_damping()));
                at += n;
            }
        }
        Ok(steps)
    }

    /// The critical time step `2 / omega_max` of every element with these [shares](Self::shares) of the nodal masses, linearised at `x`; zero where
    /// an element has no energy there.
    pub fn limits_with_shares(&self, x: &[f64], shares: &[f64]) -> Vec<f64> {
        let mut rest = shares;
        let mut limits = Vec::with_capacity(self.elements());
        for block in &self.blocks {
            for k in 0..block.len() {
                let (masses, others) = rest.split_at(block.kind().nodes());
                let limit = block.step_eigen(k, x, masses).unwrap_or(0.0);
                limits.push(damped_limit(limit, block.stiffness_damping()));
                rest = others;
            }
        }
        limits
    }

    /// Whether these nodes are in their reference positions.
    fn undeformed(&self, nodes: &[u32], x: &[f64]) -> bool {
        nodes.iter().all(|a| {
            let at = 3 * *a as usize..3 * *a as usize + 3;
            x[at.clone()] == self.points[at]
        })
    }

    /// The share of each element in the masses of its nodes, for all nodes of all elements in order; at every node the shares sum to its
    /// mass.
    pub fn shares(&self, x: &[f64], split: MassSplit) -> Result<Vec<f64>, ElementFault> {
        if split == MassSplit::Optimal {
            let mut shares = self.shares(x, MassSplit::Stiffness)?;
            self.improve(x, &mut shares)?;
            return Ok(shares);
        }
        let places = self.blocks.iter().map(|b| b.len() * b.kind().nodes()).sum();
        let mut weights = Vec::with_capacity(places);
        let (mut sums, mut counts) = (vec![0.0; self.mass.len()], vec![0.0; self.mass.len()]);
        for block in &self.blocks {
            let n = block.kind().nodes();
            for k in 0..block.len() {
                if k % LOOK == 0 && interrupt::requested() {
                    return Err(GIVEN_UP);
                }
                let mut w = [0.0; MAX_NODES];
                match split {
                    MassSplit::Own => block.lumped_mass(k, &mut w),
                    MassSplit::Stiffness | MassSplit::Optimal => {
                        if !(self.undeformed(block.nodes(k), x) && block.stiffness_at_rest(k, &mut w)) {
                            block.stiffness(k, x, &mut w)?;
                        }
                    }
                }
                for (node, w) in block.nodes(k).iter().zip(&w) {
                    sums[*node as usize] += w;
                    counts[*node as usize] += 1.0;
                }
                weights.extend_from_slice(&w[..n]);
            }
        }
        let nodes = self.blocks.iter().flat_map(|b| (0..b.len()).flat_map(|k| b.nodes(k)));
        for (weight, node) in weights.iter_mut().zip(nodes) {
            let (mass, sum, count) = {
                let a = *node as usize;
                (self.mass[a], sums[a], counts[a])
            };
            *weight = match split {
                MassSplit::Stiffness | MassSplit::Optimal => *weight / sum * mass,
                MassSplit::Own => *weight + (mass - sum) / count,
            };
        }
        Ok(weights)
    }

    /// One iteration towards the shares with the least `sum_K omega_K`, a convex function of the shares. `omega` is replaced by its bound
    /// `b = (sum_ab |K_ab|^2 / (m_a m_b))^(1/4)`, with the sensitivity `db/dm_a = -b p_a / (2 m_a)`, where `p_a` is the part of row `a`
    /// in the sum. At the optimum the sensitivities at a node are equal; `m_a <- sqrt(m_a b p_a)` reaches it at once if `p_a` is
    /// proportional to `1/m_a`, and nearly so in practice.
    fn improve(&self, x: &[f64], shares: &mut [f64]) -> Result<(), ElementFault> {
        let mut sums = vec![0.0; self.mass.len()];
        let mut square = [0.0; MAX_NODES * MAX_NODES];
        let (mut inverse, mut part) = ([0.0; MAX_NODES], [0.0; MAX_NODES]);
        let mut rest = &mut *shares;
        for block in &self.blocks {
            let n = block.kind().nodes();
            for k in 0..block.len() {
                let mass;
                (mass, rest) = rest.split_at_mut(n);
                if !(self.undeformed(block.nodes(k), x) && block.couplings_at_rest(k, &mut square)) {
                    block.couplings(k, x, &mut square)?;
                }
                (0..n).for_each(|a| inverse[a] = 1.0 / mass[a]);
                let row = |a: usize| -> f64 { (0..n).map(|b| square[a * n + b] * inverse[b]).sum() };
                (0..n).for_each(|a| part[a] = row(a) * inverse[a]);
                let whole: f64 = part[..n].iter().sum();
                // b / whole
                let scale = whole.sqrt().sqrt() / whole;
                for a in 0..n {
                    // An element without stiffness at a node keeps its share there, which is zero.
                    mass[a] = (mass[a] * scale * part[a]).sqrt();
                    sums[block.nodes(k)[a] as usize] += mass[a];
                }
            }
        }
        let nodes = self.blocks.iter().flat_map(|b| (0..b.len()).flat_map(|k| b.nodes(k)));
        for (share, node) in shares.iter_mut().zip(nodes) {
            *share *= self.mass[*node as usize] / sums[*node as usize];
        }
        Ok(())
    }
}

impl Potentials for Solid {
    fn count(&self) -> usize {
        self.elements()
    }
    fn nodes(&self, k: usize) -> &[u32] {
        let (block, k) = self.locate(k);
        block.nodes(k)
    }
    fn number(&self, k: usize) -> usize {
        let (block, k) = self.locate(k);
        block.label(k)
    }
    fn gradient_local(
        &self,
        k: usize,
        t: f64,
        own: &[f64],
        out: &mut [f64],
    ) -> Option<Result<f64, PotentialFault>> {
        let (block, k) = self.locate(k);
        let result = block.gradient_local(k, t, own, out);
        Some(result.map_err(|fault| PotentialFault { number: fault.element(), why: fault.why() }))
    }
    fn history_size(&self, k: usize) -> usize {
        self.locate(k).0.history_size()
    }
    fn first_history(&self, k: usize, out: &mut [f64]) {
        let (block, k) = self.locate(k);
        block.first_history(k, out);
    }
    fn update(
        &self,
        k: usize,
        own: &[f64],
        past: Past<'_>,
        gradient: &mut [f64],
        after: Option<&mut [f64]>,
    ) -> Result<HistoryEnergy, PotentialFault> {
        let (block, k) = self.locate(k);
        let result = block.update(k, own, past, gradient, after);
        result.map_err(|fault| PotentialFault { number: fault.element(), why: fault.why() })
    }
    fn prefetch(&self, k: usize) {
        let (block, k) = self.locate(k);
        block.prefetch(k);
    }
    fn gradient(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let (block, k) = self.locate(k);
        block
            .gradient(k, t, x, out)
            .map_err(|fault| PotentialFault { number: fault.element(), why: fault.why() })
    }
    fn compile(&self, list: &[u32], own: &dyn Fn(u32) -> bool) -> CompiledPrefix {
        let block = self.start.partition_point(|s| *s <= list[0] as usize) - 1;
        let elements = self.start[block]..self.start[block + 1];
        let count = list.iter().take_while(|k| elements.contains(&(**k as usize))).count();
        let list: Vec<u32> = list[..count].iter().map(|k| k - elements.start as u32).collect();
        CompiledPrefix { count, potentials: self.blocks[block].compile(&list, own) }
    }
    fn independent_kicks(&self) -> Vec<(Range<usize>, Arc<dyn IndependentKicks>)> {
        let ranges = self.start.windows(2).map(|s| s[0]..s[1]);
        let blocks = ranges.zip(&self.blocks);
        blocks.filter_map(|(range, block)| Some((range, block.independent_kicks()?))).collect()
    }
    fn independent_record(&self, k: usize) -> IndependentRecord {
        let (block, k) = self.locate(k);
        block.independent_record(k)
    }
}
