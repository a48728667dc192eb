//! Blocks of elements of any material: here one element at a time, in [`sweep`](super::sweep) many in vector lanes.
//!
//! With the deformation gradients `F_q` and the weights `w_q` of the quadrature points the potential of an element is
//! `V = sum_q w_q W(F_q)`, and `dV/dx_a = sum_q w_q P(F_q) grad N_a`, minus the nodal force, with the first Piola-Kirchhoff stress
//! `P = dW/dF` [AVI03 (21)].

use super::averaged::{Averaged, Averaging};
use super::elements::{ElementFault, Elements, PointState};
use super::geometry::{Geometry, consistent, lumped};
use super::kind::ElementKind;
use super::lanes::{Isa, WIDEST};
use super::material::{Material, MaterialFault};
use super::shape::{Alone, Local, Nodal, Pointwise, Shape};
use super::stored::{Numbers, Stored};
use super::sweep::{self, Highest};
use super::tensor::{Tensor, left_cauchy_green};
use super::undeformed_tet::UndeformedTet;
use crate::model::{CompiledPotentials, HistoryEnergy, Past, prefetch};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// Elements of one shape and one material. The hot loops read `nodes` and `stored`, the rest is for set-up.
#[derive(Debug)]
pub(super) struct Block<S, M> {
    pub(super) len: usize,
    pub(super) isa: Isa,
    /// Nodes by elements; the last element is repeated to fill the last group of [`WIDEST`].
    pub(super) nodes: Vec<u32>,
    pub(super) highest: Highest,
    /// [`Shape::STORED`] numbers an element.
    pub(super) stored: Numbers,
    pub(super) material: Arc<M>,
    pub(super) density: f64,
    pub(super) averaging: Averaging,
    pub(super) geometry: Geometry,
    pub(super) shape: PhantomData<S>,
}

impl<S: Shape, M: Material + 'static> Block<S, M> {
    pub(super) const NODES: usize = S::KIND.nodes();

    /// From the nodes and the stored numbers of all elements, one after the other.
    pub(super) fn new(
        mut nodes: Vec<u32>,
        stored: &[f64],
        material: M,
        density: f64,
        averaging: Averaging,
        geometry: Geometry,
    ) -> Self {
        let len = nodes.len() / Self::NODES;
        let own = |k: usize| &stored[k * S::STORED..][..S::STORED];
        let stored = Numbers::new(len, S::STORED, |k, put| own(k).iter().for_each(|x| put(*x)));
        for _ in len..len.next_multiple_of(WIDEST) {
            nodes.extend_from_within((len - 1) * Self::NODES..len * Self::NODES);
        }
        let (isa, material, shape) = (sweep::isa(), Arc::new(material), PhantomData);
        let highest = Highest::new(&nodes, Self::NODES);
        Block { len, isa, nodes, highest, stored, material, density, averaging, geometry, shape }
    }

    #[inline(always)]
    pub(super) fn element(&self, k: usize) -> (&[u32], Stored<'_, f64>) {
        // Cut to a length known at compile time, so that the kernels' indices need no checks.
        (&self.nodes[k * Self::NODES..][..Self::NODES], self.stored.of(k))
    }

    #[inline(always)]
    fn local(nodes: &[u32], x: &[f64]) -> Nodal<S, f64> {
        let mut local = Nodal::<S, f64>::of([0.0; 3]);
        for a in 0..Self::NODES {
            let at = 3 * nodes[a] as usize;
            local[a].copy_from_slice(&x[at..at + 3]);
        }
        local
    }

    #[inline(always)]
    pub(super) fn deformation(nodes: &[u32], stored: Stored<'_, f64>, x: &[f64]) -> Pointwise<S, f64> {
        Self::deformation_of(stored, &Self::local(nodes, x))
    }

    #[inline(always)]
    pub(super) fn deformation_of(stored: Stored<'_, f64>, local: &Nodal<S, f64>) -> Pointwise<S, f64> {
        let mut f = Pointwise::<S, f64>::of([[0.0; 3]; 3]);
        S::deformation(stored, local, &mut Alone { f: f.as_mut(), p: &mut [] });
        f
    }

    /// The undeformed element, if it is a tetrahedron with straight sides.
    fn rest(&self, k: usize) -> Option<UndeformedTet> {
        let straight = S::KIND.is_simplex() && S::KIND.dimension() == 3 && !self.geometry.curved;
        let stored = self.element(k).1;
        (straight && self.material.is_isotropic()).then(|| {
            let gradients: [f64; 9] = std::array::from_fn(|i| stored.at(i));
            UndeformedTet::new(self.material.lame(), S::POINTS as f64 * S::weight(stored, 0), &gradients)
        })
    }

    #[inline(always)]
    pub(super) fn kernel(
        &self,
        k: usize,
        local: &Nodal<S, f64>,
        out: &mut Nodal<S, f64>,
    ) -> Result<f64, ElementFault> {
        let stored = self.element(k).1;
        let mut f = Self::deformation_of(stored, local);
        let averaged = self.averaged(k, stored, &mut f)?;
        let mut p = Pointwise::<S, f64>::of([[0.0; 3]; 3]);
        let mut energy = 0.0;
        for q in 0..S::POINTS {
            match self.material.stress(&f[q]) {
                Ok((w, stress)) => {
                    energy += S::weight::<f64>(stored, q) * w;
                    p[q] = stress;
                }
                Err(why) => return Err(ElementFault::at(self.label(k), q, why)),
            }
        }
        if !energy.is_finite() {
            return Err(ElementFault::NotFinite { element: self.label(k) });
        }
        let mut points = Alone { f: f.as_mut(), p: p.as_mut() };
        if let Some(averaged) = averaged {
            averaged.pull(stored, &mut points);
        }
        S::force(stored, &mut points, out);
        Ok(energy)
    }

    /// An element at the positions of all nodes.
    pub(super) fn single(&self, k: usize, x: &[f64], out: &mut Nodal<S, f64>) -> Result<f64, ElementFault> {
        self.kernel(k, &Self::local(self.element(k).0, x), out)
    }

    /// Averages the volume ratio of the points, where the block does so.
    #[inline(always)]
    pub(super) fn averaged(
        &self,
        k: usize,
        stored: Stored<'_, f64>,
        f: &mut Pointwise<S, f64>,
    ) -> Result<Option<Averaged<S, f64>>, ElementFault> {
        if !S::AVERAGED || self.averaging == Averaging::Off {
            return Ok(None);
        }
        let mut averaged = Averaged::new(self.averaging);
        let mut points = Alone { f: f.as_mut(), p: &mut [] };
        averaged.average(stored, &mut points).map_err(|(q, why)| ElementFault::at(self.label(k), q, why))?;
        Ok(Some(averaged))
    }

    /// Appends the states of all points, with the Cauchy stress by the law.
    fn states(
        &self,
        k: usize,
        x: &[f64],
        cauchy: impl Fn(usize, &Tensor) -> Result<Tensor, MaterialFault>,
        out: &mut Vec<PointState>,
    ) -> Result<(), ElementFault> {
        let (nodes, stored) = self.element(k);
        let mut f = Self::deformation(nodes, stored, x);
        self.averaged(k, stored, &mut f)?;
        for q in 0..S::POINTS {
            let stress = cauchy(q, &f[q]).map_err(|why| ElementFault::at(self.label(k), q, why))?;
            if !stress.as_flattened().iter().all(|x| x.is_finite()) {
                return Err(ElementFault::NotFinite { element: self.label(k) });
            }
            let weight = S::weight(stored, q);
            out.push(PointState { weight, left_cauchy_green: left_cauchy_green(&f[q]), stress });
        }
        Ok(())
    }
}

impl<S: Shape, M: Material + 'static> Elements for Block<S, M> {
    fn len(&self) -> usize {
        self.len
    }

    fn kind(&self) -> ElementKind {
        S::KIND
    }

    fn points(&self) -> usize {
        S::POINTS
    }

    fn are_rings(&self) -> bool {
        S::RING
    }

    fn label(&self, k: usize) -> usize {
        self.geometry.labels.get(k)
    }

    #[inline]
    fn nodes(&self, k: usize) -> &[u32] {
        self.element(k).0
    }

    fn energy(&self, k: usize, _t: f64, x: &[f64]) -> Result<f64, ElementFault> {
        let (nodes, stored) = self.element(k);
        let mut f = Self::deformation(nodes, stored, x);
        self.averaged(k, stored, &mut f)?;
        let mut energy = 0.0;
        for q in 0..S::POINTS {
            energy += S::weight::<f64>(stored, q)
                * self.material.energy(&f[q]).map_err(|why| ElementFault::at(self.label(k), q, why))?;
        }
        if energy.is_finite() { Ok(energy) } else { Err(ElementFault::NotFinite { element: self.label(k) }) }
    }

    fn gradient(&self, k: usize, _t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        let mut local = Nodal::<S, f64>::of([0.0; 3]);
        let energy = self.single(k, x, &mut local)?;
        out[..3 * Self::NODES].copy_from_slice(&local.as_ref().as_flattened()[..3 * Self::NODES]);
        Ok(energy)
    }

    fn gradient_local(&self, k: usize, _t: f64, own: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        let (mut local, mut forces) = (Nodal::<S, f64>::of([0.0; 3]), Nodal::<S, f64>::of([0.0; 3]));
        local.as_mut().as_flattened_mut()[..3 * Self::NODES].copy_from_slice(&own[..3 * Self::NODES]);
        let energy = self.kernel(k, &local, &mut forces)?;
        out[..3 * Self::NODES].copy_from_slice(&forces.as_ref().as_flattened()[..3 * Self::NODES]);
        Ok(energy)
    }

    fn history_size(&self) -> usize {
        self.remembers()
    }

    fn first_history(&self, _k: usize, out: &mut [f64]) {
        self.forget(out);
    }

    fn update(
        &self,
        k: usize,
        own: &[f64],
        past: Past<'_>,
        gradient: &mut [f64],
        after: Option<&mut [f64]>,
    ) -> Result<HistoryEnergy, ElementFault> {
        self.updated(k, own, past, (gradient, after))
    }

    fn add_update(
        &self,
        x: &[f64],
        past: Past<'_>,
        to: (&mut [f64], Option<&mut [f64]>),
        total: &mut HistoryEnergy,
    ) -> Result<(), ElementFault> {
        self.sweep_update(x, past, to, total)
    }

    fn tangent_after(
        &self,
        k: usize,
        x: &[f64],
        past: Past<'_>,
        out: &mut [f64],
    ) -> Result<(), ElementFault> {
        let law = self.law_with_memory(k)?;
        self.tangent_from(k, x, Some((law, past)), out)
    }

    fn point_places(&self) -> Vec<[f64; 3]> {
        S::places()
    }

    fn point_states(
        &self,
        k: usize,
        x: &[f64],
        past: Option<Past<'_>>,
        out: &mut Vec<PointState>,
    ) -> Result<(), ElementFault> {
        match past {
            Some(past) => {
                let law = self.law_with_memory(k)?;
                self.states(k, x, |q, f| law.cauchy_after(f, self.past_at(q, past)), out)
            }
            None => self.states(k, x, |_, f| self.material.cauchy(f), out),
        }
    }

    fn shown_points(&self, k: usize, history: &[f64], name: &str, out: &mut Vec<f64>) {
        out.extend(self.history_at_points(k, history, name).map(|(_, value)| value));
    }

    fn shown_history(&self) -> Vec<&'static str> {
        self.material
            .inelastic()
            .map_or(Vec::new(), |law| law.shown().iter().map(|(name, _)| *name).collect())
    }

    fn shown_value(&self, k: usize, history: &[f64], name: &str) -> f64 {
        self.mean_of_history(k, history, name)
    }

    fn stiffness_damping(&self) -> f64 {
        self.material.stiffness_damping()
    }

    fn prefetch(&self, k: usize) {
        prefetch(self.nodes.as_ptr().wrapping_add(k * Self::NODES));
        self.stored.prefetch(k);
    }

    fn add_gradient(
        &self,
        range: Range<usize>,
        _t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        self.sweep::<true>(range, x, out)
    }

    fn forces(&self, range: Range<usize>, _t: f64, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        self.sweep::<false>(range, x, out).map(drop)
    }

    fn add_weighted_gradient(
        &self,
        weights: &[f64],
        _t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        self.sweep_weighted(weights, x, out)
    }

    fn compile(&self, list: &[u32], own: &dyn Fn(u32) -> bool) -> Option<Arc<dyn CompiledPotentials>> {
        Some(self.compiled(list, own))
    }

    fn tangent(&self, k: usize, _t: f64, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        self.tangent_from(k, x, None, out)
    }

    fn stiffness_at_rest(&self, k: usize, out: &mut [f64]) -> bool {
        match (self.rest(k), S::KIND) {
            (Some(rest), ElementKind::Tet4) => rest.traces(out),
            (Some(rest), _) => rest.quadratic_traces(out),
            (None, _) => return false,
        }
        true
    }

    fn couplings_at_rest(&self, k: usize, out: &mut [f64]) -> bool {
        self.rest(k).filter(|_| S::KIND == ElementKind::Tet4).is_some_and(|rest| {
            rest.couplings(out);
            true
        })
    }

    fn step_eigen_at_rest(&self, k: usize, masses: &[f64]) -> Option<f64> {
        self.rest(k).filter(|_| S::KIND == ElementKind::Tet4)?.step(masses)
    }

    fn memory(&self) -> usize {
        size_of::<u32>() * self.nodes.capacity() + self.stored.memory() + self.geometry.memory()
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
        self.material.wave_speed(self.density)
    }

    fn lumped_mass(&self, k: usize, out: &mut [f64]) {
        lumped(&self.geometry.shares(k, S::KIND), self.geometry.lumping, self.mass(k), out);
    }

    fn consistent_mass(&self, k: usize, out: &mut [f64]) {
        consistent(&self.geometry.shares(k, S::KIND), self.mass(k), out);
    }
}
