//! Blocks of elements of any material, evaluated one element at a time.
//!
//! With the deformation gradients `F_q` and the weights `w_q` of the quadrature points the potential of an element is
//! `V = sum_q w_q W(F_q)`, and `dV/dx_a = sum_q w_q P(F_q) grad N_a`, minus the nodal force, with the first Piola-Kirchhoff stress
//! `P = dW/dF` [AVI03 (21)].

use super::averaged::{Averaged, Averaging, Coupling, at_points};
use super::elements::{ElementFault, Elements};
use super::geometry::{Geometry, consistent, lumped};
use super::kind::ElementKind;
use super::material::{Inelastic, Material, MaterialFault};
use super::shape::{Local, Shape};
use super::tensor::{Tensor, combine};
use super::undeformed_tet::UndeformedTet;
use crate::model::{HistoryEnergy, Past, prefetch};
use std::marker::PhantomData;
use std::ops::Range;

/// Elements of one shape and one material. The hot loops read `nodes` and `stored`, the rest is for set-up.
#[derive(Debug)]
pub(super) struct Block<S, M> {
    pub(super) nodes: Vec<u32>,
    /// [`Shape::STORED`] numbers an element.
    pub(super) stored: Vec<f64>,
    pub(super) material: M,
    pub(super) density: f64,
    pub(super) averaging: Averaging,
    pub(super) geometry: Geometry,
    pub(super) shape: PhantomData<S>,
}

impl<S: Shape, M: Material> Block<S, M> {
    pub(super) const NODES: usize = S::KIND.nodes();

    #[inline(always)]
    pub(super) fn element(&self, k: usize) -> (&[u32], &[f64]) {
        // Cut to a length known at compile time, so that the kernels' indices need no checks.
        (&self.nodes[k * Self::NODES..][..Self::NODES], &self.stored[k * S::STORED..][..S::STORED])
    }

    #[inline(always)]
    fn local(nodes: &[u32], x: &[f64]) -> S::Nodal {
        let mut local = S::Nodal::ZERO;
        for a in 0..Self::NODES {
            let at = 3 * nodes[a] as usize;
            local[a].copy_from_slice(&x[at..at + 3]);
        }
        local
    }

    #[inline(always)]
    fn deformation(nodes: &[u32], stored: &[f64], x: &[f64]) -> S::Tensors {
        Self::deformation_of(stored, &Self::local(nodes, x))
    }

    #[inline(always)]
    pub(super) fn deformation_of(stored: &[f64], local: &S::Nodal) -> S::Tensors {
        let mut f = S::Tensors::ZERO;
        S::deformation(stored, local, &mut f);
        f
    }

    /// The undeformed element, if it is a tetrahedron with straight sides.
    fn rest(&self, k: usize) -> Option<UndeformedTet> {
        let straight = S::KIND.is_simplex() && S::KIND.dimension() == 3 && !self.geometry.curved;
        let stored = self.element(k).1;
        (straight && self.material.is_isotropic()).then(|| {
            UndeformedTet::new(self.material.lame(), S::POINTS as f64 * S::weight(stored, 0), &stored[..9])
        })
    }

    #[inline(always)]
    fn kernel(&self, k: usize, local: &S::Nodal, out: &mut S::Nodal) -> Result<f64, ElementFault> {
        let stored = self.element(k).1;
        let mut f = Self::deformation_of(stored, local);
        let averaged = self.averaged(k, stored, &mut f)?;
        let mut p = S::Tensors::ZERO;
        let mut energy = 0.0;
        for q in 0..S::POINTS {
            match self.material.stress(&f[q]) {
                Ok((w, stress)) => {
                    energy += S::weight(stored, q) * w;
                    p[q] = stress;
                }
                Err(why) => return Err(ElementFault::at(self.label(k), q, why)),
            }
        }
        if !energy.is_finite() {
            return Err(ElementFault::NotFinite { element: self.label(k) });
        }
        if let Some(averaged) = averaged {
            averaged.pull(stored, &f, &mut p);
        }
        S::force(stored, &p, out);
        Ok(energy)
    }

    /// Averages the volume ratio of the points, where the block does so.
    #[inline(always)]
    pub(super) fn averaged(
        &self,
        k: usize,
        stored: &[f64],
        f: &mut S::Tensors,
    ) -> Result<Option<Averaged<S>>, ElementFault> {
        if !S::AVERAGED || self.averaging == Averaging::Off {
            return Ok(None);
        }
        let averaged = Averaged::new(self.averaging, stored, f);
        averaged.map(Some).map_err(|(q, why)| ElementFault::at(self.label(k), q, why))
    }

    /// Adds `w grad N_c A grad N_b` of a point to the tangent. In a ring `dF33 = N_a/R du_a1`.
    fn add_point(stored: &[f64], q: usize, a: &[f64; 81], out: &mut [f64]) {
        let (n, d) = (3 * Self::NODES, S::KIND.dimension());
        let g = S::gradients(stored, q);
        let weight = S::weight(stored, q);
        for b in 0..Self::NODES {
            // half[i][J][k] = w A_iJkL g_bL
            let mut half = [[[0.0; 3]; 3]; 3];
            for i in 0..3 {
                for j in 0..3 {
                    for m in 0..d {
                        let row = 27 * i + 9 * j + 3 * m;
                        let mut s = (0..d).map(|l| a[row + l] * g[b][l]).sum::<f64>();
                        if S::RING && m == 0 {
                            s += a[27 * i + 9 * j + 8] * g[b][2];
                        }
                        half[i][j][m] = weight * s;
                    }
                }
            }
            for c in 0..Self::NODES {
                for i in 0..d {
                    for m in 0..d {
                        let mut s = (0..d).map(|j| g[c][j] * half[i][j][m]).sum::<f64>();
                        if S::RING && i == 0 {
                            s += g[c][2] * half[2][2][m];
                        }
                        out[(3 * c + i) * n + 3 * b + m] += s;
                    }
                }
            }
        }
    }

    /// Adds the coupling of all points through the mean volume ratio to the tangent.
    fn couple(stored: &[f64], coupling: &Coupling<S>, out: &mut [f64]) {
        let n = 3 * Self::NODES;
        let (mut mixed, mut slope) = (S::Nodal::ZERO, S::Nodal::ZERO);
        S::force(stored, &coupling.mixed, &mut mixed);
        S::force(stored, &coupling.slope, &mut slope);
        let (mixed, slope) = (mixed.as_ref().as_flattened(), slope.as_ref().as_flattened());
        let (one, two) = (1.0 / coupling.volume, coupling.curvature / coupling.volume.powi(2));
        for i in 0..n {
            for j in 0..n {
                let cross = mixed[i] * slope[j] + slope[i] * mixed[j];
                out[i * n + j] += one * cross + two * slope[i] * slope[j];
            }
        }
    }

    /// The tangent stiffness of the element as it is at the start, or from a past.
    fn tangent_from(
        &self,
        k: usize,
        x: &[f64],
        from: Option<(&dyn Inelastic, Past<'_>)>,
        out: &mut [f64],
    ) -> Result<(), ElementFault> {
        let (nodes, stored) = self.element(k);
        let out = &mut out[..9 * Self::NODES * Self::NODES];
        out.fill(0.0);
        let tangent = |q: usize, f: &Tensor| match from {
            None => self.material.tangent(f),
            Some((law, past)) => law.tangent_after(f, self.past_at(q, past)),
        };
        let stress = |q: usize, f: &Tensor| match from {
            None => self.material.stress(f).map(|(_, p)| p),
            Some((law, past)) => law.update(f, self.past_at(q, past), None).map(|update| update.stress),
        };
        let fault = |(q, why)| ElementFault::at(self.label(k), q, why);
        let mut f = Self::deformation(nodes, stored, x);
        match self.averaged(k, stored, &mut f)? {
            Some(averaged) => {
                let (p, mut a) = at_points::<S>(&f, stress, tangent).map_err(fault)?;
                let coupling = averaged.tangents(stored, &f, &p, &mut a);
                a.iter().enumerate().for_each(|(q, a)| Self::add_point(stored, q, a, out));
                Self::couple(stored, &coupling, out);
            }
            None => {
                for q in 0..S::POINTS {
                    let a = tangent(q, &f[q]).map_err(|why| fault((q, why)))?;
                    Self::add_point(stored, q, &a, out);
                }
            }
        }
        if out.iter().all(|x| x.is_finite()) {
            Ok(())
        } else {
            Err(ElementFault::NotFinite { element: self.label(k) })
        }
    }

    /// The mean of the Cauchy stress at the points.
    fn mean_stress(
        &self,
        k: usize,
        x: &[f64],
        cauchy: impl Fn(usize, &Tensor) -> Result<Tensor, MaterialFault>,
    ) -> Result<Tensor, ElementFault> {
        let (nodes, stored) = self.element(k);
        let mut f = Self::deformation(nodes, stored, x);
        self.averaged(k, stored, &mut f)?;
        let mut sum = [[0.0; 3]; 3];
        let mut volume = 0.0;
        for q in 0..S::POINTS {
            let sigma = cauchy(q, &f[q]).map_err(|why| ElementFault::at(self.label(k), q, why))?;
            sum = combine([(1.0, &sum), (S::weight(stored, q), &sigma)]);
            volume += S::weight(stored, q);
        }
        if !sum.as_flattened().iter().all(|x| x.is_finite()) {
            return Err(ElementFault::NotFinite { element: self.label(k) });
        }
        Ok(combine([(1.0 / volume, &sum)]))
    }
}

impl<S: Shape, M: Material> Elements for Block<S, M> {
    fn len(&self) -> usize {
        self.nodes.len() / Self::NODES
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
        self.element(k).0
    }

    fn energy(&self, k: usize, _t: f64, x: &[f64]) -> Result<f64, ElementFault> {
        let (nodes, stored) = self.element(k);
        let mut f = Self::deformation(nodes, stored, x);
        self.averaged(k, stored, &mut f)?;
        let mut energy = 0.0;
        for q in 0..S::POINTS {
            energy += S::weight(stored, q)
                * self.material.energy(&f[q]).map_err(|why| ElementFault::at(self.label(k), q, why))?;
        }
        if energy.is_finite() { Ok(energy) } else { Err(ElementFault::NotFinite { element: self.label(k) }) }
    }

    fn gradient(&self, k: usize, _t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        let mut local = S::Nodal::ZERO;
        let energy = self.kernel(k, &Self::local(self.element(k).0, x), &mut local)?;
        out[..3 * Self::NODES].copy_from_slice(&local.as_ref().as_flattened()[..3 * Self::NODES]);
        Ok(energy)
    }

    fn gradient_local(&self, k: usize, _t: f64, own: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        let (mut local, mut forces) = (S::Nodal::ZERO, S::Nodal::ZERO);
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

    fn stress_after(&self, k: usize, x: &[f64], past: Past<'_>) -> Result<Tensor, ElementFault> {
        let law = self.law_with_memory(k)?;
        self.mean_stress(k, x, |q, f| law.cauchy_after(f, self.past_at(q, past)))
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
        let stored = self.stored.as_ptr().wrapping_add(k * S::STORED);
        (0..S::STORED).step_by(8).for_each(|i| prefetch(stored.wrapping_add(i)));
    }

    fn add_gradient(
        &self,
        range: Range<usize>,
        _t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        let mut total = 0.0;
        for k in range {
            let mut local = S::Nodal::ZERO;
            total += self.kernel(k, &Self::local(self.element(k).0, x), &mut local)?;
            let nodes = self.element(k).0;
            for a in 0..Self::NODES {
                let at = 3 * nodes[a] as usize;
                let out = &mut out[at..at + 3];
                for i in 0..3 {
                    out[i] += local[a][i];
                }
            }
        }
        Ok(total)
    }

    fn tangent(&self, k: usize, _t: f64, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        self.tangent_from(k, x, None, out)
    }

    fn stress(&self, k: usize, x: &[f64]) -> Result<Tensor, ElementFault> {
        self.mean_stress(k, x, |_, f| self.material.cauchy(f))
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
        4 * self.nodes.capacity() + 8 * self.stored.capacity() + self.geometry.memory()
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
        lumped(self.geometry.shares(k, S::KIND), self.geometry.lumping, self.mass(k), out);
    }

    fn consistent_mass(&self, k: usize, out: &mut [f64]) {
        consistent(self.geometry.shares(k, S::KIND), self.mass(k), out);
    }
}
