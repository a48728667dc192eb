//! The tangent stiffness of an element of any shape and material.

use super::averaged::{Coupling, at_points};
use super::block::Block;
use super::elements::{ElementFault, Elements};
use super::material::{Inelastic, Material};
use super::shape::{Alone, Local, Nodal, Shape};
use super::stored::Stored;
use super::tensor::Tensor;
use crate::model::Past;

impl<S: Shape, M: Material + 'static> Block<S, M> {
    /// Adds `w grad N_c A grad N_b` of a point to the tangent. In a ring `dF33 = N_a/R du_a1`.
    fn add_point(stored: Stored<'_, f64>, q: usize, a: &[f64; 81], out: &mut [f64]) {
        let (n, d) = (3 * Self::NODES, S::KIND.dimension());
        let g = S::gradients(stored, q);
        let weight: f64 = S::weight(stored, q);
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
    fn couple(stored: Stored<'_, f64>, coupling: &mut Coupling<S>, out: &mut [f64]) {
        let n = 3 * Self::NODES;
        let (mut mixed, mut slope) = (Nodal::<S, f64>::of([0.0; 3]), Nodal::<S, f64>::of([0.0; 3]));
        S::force(stored, &mut Alone { f: &mut [], p: coupling.mixed.as_mut() }, &mut mixed);
        S::force(stored, &mut Alone { f: &mut [], p: coupling.slope.as_mut() }, &mut slope);
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
    pub(super) fn tangent_from(
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
        let truth = Self::deformation(nodes, stored, x);
        let mut f = truth.clone();
        match self.averaged(k, stored, &mut f)? {
            Some(averaged) => {
                let (p, mut a) = at_points::<S>(&f, stress, tangent).map_err(fault)?;
                let mut coupling = averaged.tangents(stored, [&truth, &f], &p, &mut a);
                a.iter().enumerate().for_each(|(q, a)| Self::add_point(stored, q, a, out));
                Self::couple(stored, &mut coupling, out);
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
}
