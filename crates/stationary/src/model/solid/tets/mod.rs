//! Neo-Hookean tetrahedra with straight sides, evaluated several at a time in vector lanes.

mod batches;
mod compiled;
mod independent;
mod kernel;
mod points;
#[cfg(test)]
mod tests;

use super::elements::{ElementFault, Elements, PointState};
use super::geometry::{Geometry, consistent, lumped};
use super::kind::{ElementKind, SIMPLEX_NODES, SIMPLEX_POINTS, SimplexNodal};
use super::lanes::{Isa, WIDEST};
use super::material::{Lame, MaterialFault};
use super::shape::simplex_places;
use super::sweep::{Highest, Sums, Weighted};
use super::undeformed_tet::UndeformedTet;
use crate::model::{CompiledPotentials, IndependentKicks, IndependentRecord, Past, prefetch};
use batches::Tets;
use kernel::{ENTRY, Edges, Moduli, RATIOS, SCALE, STORED, force, ratio};
use points::{FourNode, TenNode, TetShape};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// A block of neo-Hookean tetrahedra of one kind.
#[derive(Debug)]
struct NeoHookeanTets<S> {
    len: usize,
    isa: Isa,
    /// Nodes by elements; the last element is repeated to fill the last group of [`WIDEST`].
    nodes: Vec<u32>,
    /// [`STORED`] numbers of each element, by groups of [`WIDEST`].
    stored: Vec<f64>,
    highest: Highest,
    moduli: Moduli,
    lame: Lame,
    density: f64,
    geometry: Geometry,
    shape: PhantomData<S>,
}

/// A block of tetrahedra from the nodes, and from the gradients of `L_1, L_2, L_3` and the weight of a quadrature point (ten numbers
/// an element).
pub(super) fn block(
    kind: ElementKind,
    nodes: Vec<u32>,
    gradients: &[f64],
    lame: Lame,
    density: f64,
    geometry: Geometry,
) -> Box<dyn Elements> {
    match kind {
        ElementKind::Tet10 => {
            Box::new(NeoHookeanTets::<TenNode>::new(nodes, gradients, lame, density, geometry))
        }
        _ => Box::new(NeoHookeanTets::<FourNode>::new(nodes, gradients, lame, density, geometry)),
    }
}

impl<S: TetShape> NeoHookeanTets<S> {
    fn new(mut nodes: Vec<u32>, gradients: &[f64], lame: Lame, density: f64, geometry: Geometry) -> Self {
        let len = nodes.len() / S::NODES;
        let groups = len.div_ceil(WIDEST);
        let mut stored = vec![0.0; groups * WIDEST * STORED];
        for k in 0..groups * WIDEST {
            let own = &gradients[10 * k.min(len - 1)..][..10];
            let weight = own[9];
            let at = k / WIDEST * (STORED * WIDEST) + k % WIDEST;
            for c in 0..3 {
                for b in c..3 {
                    let dot = (0..3).map(|j| own[3 * c + j] * own[3 * b + j]).sum::<f64>();
                    stored[at + ENTRY[c][b] * WIDEST] = lame.mu * weight * dot;
                }
            }
            stored[at + SCALE * WIDEST] = 1.0 / (6.0 * weight * S::POINTS as f64);
        }
        let last = nodes[nodes.len() - nodes.len().min(S::NODES)..].to_vec();
        nodes.reserve_exact((groups * WIDEST - len) * S::NODES);
        (len..groups * WIDEST).for_each(|_| nodes.extend_from_slice(&last));
        let highest = Highest::new(&nodes, S::NODES);
        let share = 1.0 / (6.0 * S::POINTS as f64);
        let moduli = Moduli { lambda: share * lame.lambda, mu: share * lame.mu, share };
        let isa = Isa::detect();
        NeoHookeanTets {
            len,
            isa,
            nodes,
            stored,
            highest,
            moduli,
            lame,
            density,
            geometry,
            shape: PhantomData,
        }
    }

    #[inline(always)]
    fn element(&self, k: usize) -> ([f64; STORED], &[u32]) {
        let mut stored = [0.0; STORED];
        for (i, s) in stored.iter_mut().enumerate() {
            *s = self.stored[k / WIDEST * (STORED * WIDEST) + i * WIDEST + k % WIDEST];
        }
        (stored, &self.nodes[k * S::NODES..][..S::NODES])
    }

    /// The undeformed element: `A = mu V G` over the quadrature points.
    fn rest(&self, k: usize) -> UndeformedTet {
        let (stored, volume) = (self.element(k).0, self.volume(k));
        let per = S::POINTS as f64 / (self.lame.mu * volume);
        let gram = ENTRY.map(|row| row.map(|at| stored[at] * per));
        UndeformedTet { lame: self.lame, volume, gram }
    }

    /// The positions of an element's nodes.
    #[inline(always)]
    fn local(nodes: &[u32], x: &[f64]) -> SimplexNodal {
        let mut local: SimplexNodal = [[0.0; 3]; SIMPLEX_NODES];
        for a in 0..S::NODES {
            let at = 3 * nodes[a] as usize;
            local[a].copy_from_slice(&x[at..at + 3]);
        }
        local
    }

    /// The edge vectors at each quadrature point of one element.
    #[inline(always)]
    fn edges(nodes: &[u32], x: &[f64]) -> [Edges<f64>; SIMPLEX_POINTS] {
        Self::edges_of(&Self::local(nodes, x))
    }

    #[inline(always)]
    fn edges_of(local: &SimplexNodal) -> [Edges<f64>; SIMPLEX_POINTS] {
        let mut d = [[[0.0; 3]; 3]; SIMPLEX_POINTS];
        S::edges(local, &mut d);
        d
    }

    /// The fault of a volume ratio without logarithm.
    #[cold]
    #[inline(never)]
    fn broken(&self, k: usize, point: usize, j: f64) -> ElementFault {
        let why =
            if j < RATIOS[0] && j.is_finite() { MaterialFault::Inverted } else { MaterialFault::NotFinite };
        ElementFault::at(self.label(k), point, why)
    }

    /// One element, bit-identical to [`batches::evaluate`].
    #[inline(always)]
    fn one(&self, k: usize, local: &SimplexNodal, out: &mut SimplexNodal) -> Result<f64, ElementFault> {
        let (stored, _) = self.element(k);
        let d = Self::edges_of(local);
        let a: [f64; 6] = std::array::from_fn(|i| stored[i]);
        let mut h = [[[0.0; 3]; 3]; SIMPLEX_POINTS];
        let mut energy = 0.0;
        for q in 0..S::POINTS {
            let j = ratio(&d[q], stored[SCALE]);
            let Some((s, log)) = self.moduli.pull(j) else { return Err(self.broken(k, q, j)) };
            let (forces, isochoric) = force(&d[q], &a, s);
            h[q] = forces;
            energy += isochoric + self.moduli.volumetric(log, stored[SCALE]);
        }
        if !energy.is_finite() {
            return Err(ElementFault::NotFinite { element: self.label(k) });
        }
        *out = S::nodal(&h);
        Ok(energy)
    }

    /// As [`one`](Self::one), with fused multiply-add in hardware.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn one_fused(&self, k: usize, local: &SimplexNodal, out: &mut SimplexNodal) -> Result<f64, ElementFault> {
        self.one(k, local, out)
    }

    fn single(&self, k: usize, x: &[f64], out: &mut SimplexNodal) -> Result<f64, ElementFault> {
        self.single_own(k, &Self::local(self.nodes(k), x), out)
    }

    fn single_own(
        &self,
        k: usize,
        local: &SimplexNodal,
        out: &mut SimplexNodal,
    ) -> Result<f64, ElementFault> {
        match self.isa {
            Isa::Portable => self.one(k, local, out),
            // SAFETY: every other `Isa` has these instructions.
            #[cfg(target_arch = "x86_64")]
            _ => unsafe { self.one_fused(k, local, out) },
        }
    }

    /// A range of elements: their gradients and energies, or their forces.
    fn range<const ENERGY: bool>(
        &self,
        range: Range<usize>,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        assert!(
            self.highest.is_in(x) && self.highest.is_in(out) && range.end <= self.len,
            "numbers for all nodes"
        );
        let tets = Tets { nodes: &self.nodes, stored: &self.stored, moduli: self.moduli };
        let mut total = 0.0;
        let mut next = range.start;
        while next < range.end {
            let edge = self.highest.from(next);
            let mut sums = Sums::<ENERGY>::new(x, &mut *out, edge);
            sums.total.stored = total;
            // SAFETY: just asserted, for the highest node.
            next = unsafe { batches::evaluate::<S, _>(self.isa, tets, next..range.end, &mut sums) };
            total = sums.total.stored;
            // Where the batch evaluation stopped, one by one: the fault is there, or in an element outside of the range.
            let stopped = next..range.end.min(next + batches::SPAN);
            next = stopped.end;
            for k in stopped {
                let mut local: SimplexNodal = [[0.0; 3]; SIMPLEX_NODES];
                total += self.single(k, x, &mut local)?;
                for (a, node) in self.nodes(k).iter().enumerate() {
                    let sign = if ENERGY { 1.0 } else { -1.0 };
                    (0..3).for_each(|i| out[3 * *node as usize + i] += sign * local[a][i]);
                }
            }
        }
        Ok(total)
    }

    /// The tangent stiffness, by rows.
    #[inline(always)]
    fn tangent_of(&self, k: usize, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        let (stored, nodes) = self.element(k);
        let n = 3 * S::NODES;
        let out = &mut out[..n * n];
        out.fill(0.0);
        let d = Self::edges(nodes, x);
        for q in 0..S::POINTS {
            let Some(own) = kernel::tangent(&d[q], &stored, &self.moduli) else {
                return Err(self.broken(k, q, ratio(&d[q], stored[SCALE])));
            };
            let m = S::matrix(q);
            for (c, i) in (0..9).map(|c| (c / 3, c % 3)) {
                // half_(b j) = sum_e K_ce,ij m_eb, a row for all components of all nodes.
                let mut half = [0.0; 3 * SIMPLEX_NODES];
                for e in 0..3 {
                    for (half, weight) in half[..n].as_chunks_mut::<3>().0.iter_mut().zip(&m[e]) {
                        (0..3).for_each(|j| half[j] += own[c][e][i][j] * weight);
                    }
                }
                for a in 0..S::NODES {
                    let row = &mut out[(3 * a + i) * n..][..n];
                    row.iter_mut().zip(&half[..n]).for_each(|(out, half)| *out += m[c][a] * half);
                }
            }
        }
        if out.iter().all(|x| x.is_finite()) {
            Ok(())
        } else {
            Err(ElementFault::NotFinite { element: self.geometry.labels.get(k) })
        }
    }

    /// As [`tangent_of`](Self::tangent_of), with fused multiply-add in hardware.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn tangent_fused(&self, k: usize, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        self.tangent_of(k, x, out)
    }

    /// The sums of the absolute values of the three diagonal entries of each node, as of [`tangent_of`](Self::tangent_of).
    #[inline(always)]
    fn diagonal_of(&self, k: usize, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        let (stored, nodes) = self.element(k);
        let d = Self::edges(nodes, x);
        let mut diagonal: SimplexNodal = [[0.0; 3]; SIMPLEX_NODES];
        for q in 0..S::POINTS {
            let Some(own) = kernel::tangent(&d[q], &stored, &self.moduli) else {
                return Err(self.broken(k, q, ratio(&d[q], stored[SCALE])));
            };
            let m = S::matrix(q);
            for (c, e) in (0..9).map(|c| (c / 3, c % 3)) {
                for a in 0..S::NODES {
                    let product = m[c][a] * m[e][a];
                    (0..3).for_each(|i| diagonal[a][i] += product * own[c][e][i][i]);
                }
            }
        }
        for (out, entries) in out[..S::NODES].iter_mut().zip(&diagonal) {
            *out = entries.iter().map(|x| x.abs()).sum();
        }
        let is_finite = out[..S::NODES].iter().all(|x| x.is_finite());
        if is_finite { Ok(()) } else { Err(ElementFault::NotFinite { element: self.geometry.labels.get(k) }) }
    }

    /// As [`diagonal_of`](Self::diagonal_of), with fused multiply-add in hardware.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn diagonal_fused(&self, k: usize, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        self.diagonal_of(k, x, out)
    }
}

impl<S: TetShape> Elements for NeoHookeanTets<S> {
    fn len(&self) -> usize {
        self.len
    }

    fn kind(&self) -> ElementKind {
        S::KIND
    }

    fn points(&self) -> usize {
        S::POINTS
    }

    fn label(&self, k: usize) -> usize {
        self.geometry.labels.get(k)
    }

    #[inline]
    fn nodes(&self, k: usize) -> &[u32] {
        &self.nodes[k * S::NODES..][..S::NODES]
    }

    fn energy(&self, k: usize, _t: f64, x: &[f64]) -> Result<f64, ElementFault> {
        self.single(k, x, &mut [[0.0; 3]; SIMPLEX_NODES])
    }

    fn gradient(&self, k: usize, _t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        let mut local: SimplexNodal = [[0.0; 3]; SIMPLEX_NODES];
        let energy = self.single(k, x, &mut local)?;
        out[..3 * S::NODES].copy_from_slice(&local.as_flattened()[..3 * S::NODES]);
        Ok(energy)
    }

    fn gradient_local(&self, k: usize, _t: f64, own: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        let (mut local, mut forces): (SimplexNodal, SimplexNodal) =
            ([[0.0; 3]; SIMPLEX_NODES], [[0.0; 3]; SIMPLEX_NODES]);
        local.as_flattened_mut()[..3 * S::NODES].copy_from_slice(&own[..3 * S::NODES]);
        let energy = self.single_own(k, &local, &mut forces)?;
        out[..3 * S::NODES].copy_from_slice(&forces.as_flattened()[..3 * S::NODES]);
        Ok(energy)
    }

    fn prefetch(&self, k: usize) {
        prefetch(self.nodes.as_ptr().wrapping_add(k * S::NODES));
        for i in 0..STORED {
            prefetch(self.stored.as_ptr().wrapping_add((k / WIDEST * STORED + i) * WIDEST));
        }
    }

    fn add_gradient(
        &self,
        range: Range<usize>,
        _t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        self.range::<true>(range, x, out)
    }

    fn forces(&self, range: Range<usize>, _t: f64, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        self.range::<false>(range, x, out).map(drop)
    }

    fn compile(&self, list: &[u32], own: &dyn Fn(u32) -> bool) -> Option<Arc<dyn CompiledPotentials>> {
        compiled::compile(self, list, own)
    }

    fn independent_kicks(&self) -> Option<Arc<dyn IndependentKicks>> {
        independent::kernel(self)
    }

    fn independent_record(&self, k: usize) -> IndependentRecord {
        independent::record(self, k)
    }

    fn add_weighted_gradient(
        &self,
        weights: &[f64],
        _t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        assert!(self.highest.is_in(x) && self.highest.is_in(out), "numbers for all nodes");
        let tets = Tets { nodes: &self.nodes, stored: &self.stored, moduli: self.moduli };
        let mut padded = weights[..self.len].to_vec();
        padded.resize(self.len.next_multiple_of(WIDEST), 0.0);
        let (mut swept, mut total) = (0, 0.0);
        while swept < self.len {
            let edge = self.highest.from(swept);
            let mut sums = Sums::<true>::new(x, &mut *out, edge);
            sums.total.stored = total;
            let mut target = Weighted { sums, weights: &padded };
            // SAFETY: just asserted, for the highest node.
            swept = unsafe { batches::evaluate::<S, _>(self.isa, tets, swept..self.len, &mut target) };
            total = target.sums.total.stored;
            // Where the batch evaluation stopped, one by one: the fault is there.
            let stretch = swept..self.len.min(swept + batches::SPAN);
            for k in stretch.clone() {
                let mut local: SimplexNodal = [[0.0; 3]; SIMPLEX_NODES];
                total += self.single(k, x, &mut local)?;
                for (a, node) in self.nodes(k).iter().enumerate() {
                    (0..3).for_each(|i| out[3 * *node as usize + i] += weights[k] * local[a][i]);
                }
            }
            swept = stretch.end;
        }
        Ok(total)
    }

    fn tangent(&self, k: usize, _t: f64, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        match self.isa {
            Isa::Portable => self.tangent_of(k, x, out),
            // SAFETY: every other `Isa` has these instructions.
            #[cfg(target_arch = "x86_64")]
            _ => unsafe { self.tangent_fused(k, x, out) },
        }
    }

    fn stiffness(&self, k: usize, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        match self.isa {
            Isa::Portable => self.diagonal_of(k, x, out),
            // SAFETY: every other `Isa` has these instructions.
            #[cfg(target_arch = "x86_64")]
            _ => unsafe { self.diagonal_fused(k, x, out) },
        }
    }

    fn point_places(&self) -> Vec<[f64; 3]> {
        simplex_places::<3>(S::POINTS)
    }

    /// `sigma = (mu (b - 1) + lambda ln J) / J` with `b = F F^T`, of which `mu w b = sum A_cb d_c d_b^T`.
    fn point_states(
        &self,
        k: usize,
        x: &[f64],
        _past: Option<Past<'_>>,
        out: &mut Vec<PointState>,
    ) -> Result<(), ElementFault> {
        let (stored, nodes) = self.element(k);
        let d = Self::edges(nodes, x);
        let Lame { lambda, mu } = self.lame;
        let share = self.moduli.share / stored[SCALE];
        for q in 0..S::POINTS {
            let j = ratio(&d[q], stored[SCALE]);
            let Some((_, log)) = self.moduli.pull(j) else { return Err(self.broken(k, q, j)) };
            let (mut b, mut stress) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
            for (i, m) in (0..9).map(|i| (i / 3, i % 3)) {
                for (c, e) in (0..9).map(|c| (c / 3, c % 3)) {
                    b[i][m] += stored[ENTRY[c][e]] * d[q][c][i] * d[q][e][m] / (share * mu);
                }
                let pressure = if i == m { lambda * log - mu } else { 0.0 };
                stress[i][m] = (mu * b[i][m] + pressure) / j;
            }
            if !stress.as_flattened().iter().all(|x| x.is_finite()) {
                return Err(ElementFault::NotFinite { element: self.label(k) });
            }
            let weight = self.volume(k) / S::POINTS as f64;
            out.push(PointState { weight, left_cauchy_green: b, stress });
        }
        Ok(())
    }

    fn stiffness_at_rest(&self, k: usize, out: &mut [f64]) -> bool {
        match S::KIND {
            ElementKind::Tet4 => self.rest(k).traces(out),
            _ => self.rest(k).quadratic_traces(out),
        }
        true
    }

    fn couplings_at_rest(&self, k: usize, out: &mut [f64]) -> bool {
        if S::KIND == ElementKind::Tet4 {
            self.rest(k).couplings(out);
        }
        S::KIND == ElementKind::Tet4
    }

    fn step_eigen_at_rest(&self, k: usize, masses: &[f64]) -> Option<f64> {
        if S::KIND == ElementKind::Tet4 { self.rest(k).step(masses) } else { None }
    }

    fn memory(&self) -> usize {
        let numbers = 4 * self.nodes.capacity() + 8 * self.stored.capacity();
        numbers + self.highest.memory() + self.geometry.memory()
    }

    fn volume(&self, k: usize) -> f64 {
        self.geometry.volume[k]
    }

    fn inradius(&self, k: usize) -> f64 {
        self.geometry.inradius[k]
    }

    fn mass(&self, k: usize) -> f64 {
        self.density * self.volume(k)
    }

    fn wave_speed(&self, _k: usize) -> f64 {
        self.lame.wave_speed(self.density)
    }

    fn lumped_mass(&self, k: usize, out: &mut [f64]) {
        lumped(&self.geometry.shares(k, S::KIND), self.geometry.lumping, self.mass(k), out);
    }

    fn consistent_mass(&self, k: usize, out: &mut [f64]) {
        consistent(&self.geometry.shares(k, S::KIND), self.mass(k), out);
    }
}
