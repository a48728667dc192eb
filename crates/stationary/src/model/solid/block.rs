//! Blocks of triangles and tetrahedra of any material, evaluated one element at a time.
//!
//! With the deformation gradients `F_q` and the weights `w_q` of the quadrature points the potential of an element is
//! `V = sum_q w_q W(F_q)`, and `dV/dx_a = sum_q w_q P(F_q) grad N_a`, minus the nodal force, with the first Piola-Kirchhoff stress
//! `P = dW/dF` [AVI03 (21)].

use super::elements::{ElementFault, Elements};
use super::geometry::{Geometry, consistent, lumped};
use super::kind::{ElementKind, MAX_NODES, MAX_POINTS, Nodal};
use super::material::Material;
use super::shape::Shape;
use super::tensor::{Tensor, combine};
use super::undeformed_tet::UndeformedTet;
use crate::model::prefetch;
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
    pub(super) geometry: Geometry,
    pub(super) shape: PhantomData<S>,
}

impl<S: Shape, M: Material> Block<S, M> {
    const NODES: usize = S::KIND.nodes();

    #[inline(always)]
    fn element(&self, k: usize) -> (&[u32], &[f64]) {
        // Cut to a length known at compile time, so that the kernels' indices need no checks.
        (&self.nodes[k * Self::NODES..][..Self::NODES], &self.stored[k * S::STORED..][..S::STORED])
    }

    #[inline(always)]
    fn local(nodes: &[u32], x: &[f64]) -> Nodal {
        let mut local: Nodal = [[0.0; 3]; MAX_NODES];
        for a in 0..Self::NODES {
            let at = 3 * nodes[a] as usize;
            local[a].copy_from_slice(&x[at..at + 3]);
        }
        local
    }

    #[inline(always)]
    fn deformation(nodes: &[u32], stored: &[f64], x: &[f64]) -> [Tensor; MAX_POINTS] {
        Self::deformation_of(stored, &Self::local(nodes, x))
    }

    #[inline(always)]
    fn deformation_of(stored: &[f64], local: &Nodal) -> [Tensor; MAX_POINTS] {
        let mut f = [[[0.0; 3]; 3]; MAX_POINTS];
        S::deformation(stored, local, &mut f);
        f
    }

    /// The undeformed element, if it is a tetrahedron with straight sides.
    fn rest(&self, k: usize) -> Option<UndeformedTet> {
        let (stored, straight) = (self.element(k).1, S::KIND.dimension() == 3 && !self.geometry.curved);
        straight.then(|| {
            UndeformedTet::new(self.material.lame(), S::POINTS as f64 * S::weight(stored, 0), &stored[..9])
        })
    }

    #[inline(always)]
    fn kernel(&self, k: usize, local: &Nodal, out: &mut Nodal) -> Result<f64, ElementFault> {
        let stored = self.element(k).1;
        let f = Self::deformation_of(stored, local);
        let mut p = [[[0.0; 3]; 3]; MAX_POINTS];
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
        S::force(stored, &p, out);
        Ok(energy)
    }
}

impl<S: Shape, M: Material> Elements for Block<S, M> {
    fn len(&self) -> usize {
        self.nodes.len() / Self::NODES
    }

    fn kind(&self) -> ElementKind {
        S::KIND
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
        let f = Self::deformation(nodes, stored, x);
        let mut energy = 0.0;
        for q in 0..S::POINTS {
            energy += S::weight(stored, q)
                * self.material.energy(&f[q]).map_err(|why| ElementFault::at(self.label(k), q, why))?;
        }
        if energy.is_finite() { Ok(energy) } else { Err(ElementFault::NotFinite { element: self.label(k) }) }
    }

    fn gradient(&self, k: usize, _t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        let mut local: Nodal = [[0.0; 3]; MAX_NODES];
        let energy = self.kernel(k, &Self::local(self.element(k).0, x), &mut local)?;
        out[..3 * Self::NODES].copy_from_slice(&local.as_flattened()[..3 * Self::NODES]);
        Ok(energy)
    }

    fn gradient_local(&self, k: usize, _t: f64, own: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        let (mut local, mut forces): (Nodal, Nodal) = ([[0.0; 3]; MAX_NODES], [[0.0; 3]; MAX_NODES]);
        local.as_flattened_mut()[..3 * Self::NODES].copy_from_slice(&own[..3 * Self::NODES]);
        let energy = self.kernel(k, &local, &mut forces)?;
        out[..3 * Self::NODES].copy_from_slice(&forces.as_flattened()[..3 * Self::NODES]);
        Ok(energy)
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
            let mut local: Nodal = [[0.0; 3]; MAX_NODES];
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
        let (nodes, stored) = self.element(k);
        let (n, d) = (3 * Self::NODES, S::KIND.dimension());
        let out = &mut out[..n * n];
        out.fill(0.0);
        let f = Self::deformation(nodes, stored, x);
        for q in 0..S::POINTS {
            let a = self.material.tangent(&f[q]).map_err(|why| ElementFault::at(self.label(k), q, why))?;
            let g = S::gradients(stored, q);
            let weight = S::weight(stored, q);
            for b in 0..Self::NODES {
                // half[i][J][k] = w A_iJkL g_bL
                let mut half = [[[0.0; 3]; 3]; 3];
                for i in 0..d {
                    for j in 0..d {
                        for m in 0..d {
                            let row = 27 * i + 9 * j + 3 * m;
                            half[i][j][m] =
                                weight * (a[row] * g[b][0] + a[row + 1] * g[b][1] + a[row + 2] * g[b][2]);
                        }
                    }
                }
                for c in 0..Self::NODES {
                    for i in 0..d {
                        for m in 0..d {
                            let s = (0..d).map(|j| g[c][j] * half[i][j][m]).sum::<f64>();
                            out[(3 * c + i) * n + 3 * b + m] += s;
                        }
                    }
                }
            }
        }
        if out.iter().all(|x| x.is_finite()) {
            Ok(())
        } else {
            Err(ElementFault::NotFinite { element: self.label(k) })
        }
    }

    fn stress(&self, k: usize, x: &[f64]) -> Result<Tensor, ElementFault> {
        let (nodes, stored) = self.element(k);
        let f = Self::deformation(nodes, stored, x);
        let mut sum = [[0.0; 3]; 3];
        let mut volume = 0.0;
        for q in 0..S::POINTS {
            let sigma = self.material.cauchy(&f[q]).map_err(|why| ElementFault::at(self.label(k), q, why))?;
            sum = combine([(1.0, &sum), (S::weight(stored, q), &sigma)]);
            volume += S::weight(stored, q);
        }
        if !sum.as_flattened().iter().all(|x| x.is_finite()) {
            return Err(ElementFault::NotFinite { element: self.label(k) });
        }
        Ok(combine([(1.0 / volume, &sum)]))
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
        lumped(self.geometry.shares(k, S::KIND), self.mass(k), out);
    }

    fn consistent_mass(&self, k: usize, out: &mut [f64]) {
        consistent(self.geometry.shares(k, S::KIND), self.mass(k), out);
    }
}
