//! What a block of elements answers: the potentials `V_K` of [AVI03 (21)] with their derivatives, masses and steps.

use super::kind::{Kind, MAX_NODES};
use super::material::Breakdown;
use super::spectrum::largest_eigenvalue;
use super::tensor::Mat3;
use crate::model::Cluster;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Why an element has no energy in a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Turned inside out, or a bar of no length.
    Inverted {
        /// The element's label.
        element: usize,
        /// The quadrature point.
        point: usize,
    },
    /// A position, and so the energy, is not a finite number.
    NotFinite {
        /// The element's label.
        element: usize,
    },
    /// Plane stress: no thickness makes the normal stress vanish.
    Thickness {
        /// The element's label.
        element: usize,
        /// The quadrature point.
        point: usize,
    },
}

impl Fault {
    #[cold]
    #[inline(never)]
    pub(super) fn at(element: usize, point: usize, why: Breakdown) -> Fault {
        match why {
            Breakdown::Inverted => Fault::Inverted { element, point },
            Breakdown::NotFinite => Fault::NotFinite { element },
            Breakdown::Thickness => Fault::Thickness { element, point },
        }
    }

    /// What is wrong with it, in a few words.
    pub fn why(&self) -> String {
        match self {
            Fault::Inverted { point, .. } => format!("inverted at its quadrature point {point}"),
            Fault::NotFinite { .. } => "its energy is not a finite number".into(),
            Fault::Thickness { point, .. } => {
                format!("no thickness frees it of normal stress at its quadrature point {point}")
            }
        }
    }

    /// The label of the element at fault.
    pub fn element(&self) -> usize {
        match self {
            Fault::Inverted { element, .. }
            | Fault::NotFinite { element }
            | Fault::Thickness { element, .. } => *element,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {}: {}", self.element(), self.why())
    }
}

impl std::error::Error for Fault {}

/// A block of like elements, numbered from 0. Positions `x` are those of all nodes, three numbers a node; local
/// arrays have three numbers for each of [`nodes`](Self::nodes), in that order.
///
/// Asynchronous integrators ask one element at a time, synchronous ones [`sweep`](Self::sweep); one virtual
/// call leads to a kernel compiled for the element kind and the material.
pub trait Elements: fmt::Debug + Send + Sync {
    /// Number of elements.
    fn len(&self) -> usize;
    /// The kind of all of them.
    fn kind(&self) -> Kind;
    /// The element's number as the user knows it: its place in the list that the block was built from.
    fn label(&self, k: usize) -> usize;
    /// The nodes that element `k` touches.
    fn nodes(&self, k: usize) -> &[u32];

    /// `V_K`.
    fn energy(&self, k: usize, t: f64, x: &[f64]) -> Result<f64, Fault>;
    /// Writes `dV_K/dx_a` (minus the force) to `out`; returns `V_K`.
    fn gradient(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, Fault>;
    /// The same from the positions of its own nodes, in their order.
    fn gradient_own(&self, k: usize, t: f64, own: &[f64], out: &mut [f64]) -> Result<f64, Fault>;
    /// A hint that element `k` will be evaluated soon.
    fn fetch(&self, _k: usize) {}
    /// Writes the second derivatives, a square matrix by rows, to `out`.
    fn tangent(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), Fault>;
    /// The true stress, averaged over the element; for a bar the axial force in the first entry.
    fn stress(&self, k: usize, x: &[f64]) -> Result<Mat3, Fault>;

    /// Reference volume (area times thickness for a triangle, length for a bar).
    fn volume(&self, k: usize) -> f64;
    /// Radius of the largest ball in the reference element: of the simplex of its corners; half a bar.
    fn inradius(&self, k: usize) -> f64;
    /// The element's mass.
    fn mass(&self, k: usize) -> f64;
    /// Speed of volumetric waves at rest; infinite in an element without mass.
    fn wave_speed(&self, k: usize) -> f64;
    /// Writes the masses lumped on the element's nodes (one number a node) to `out`: all positive, with the element's
    /// mass as sum. Row sums for linear elements, diagonal scaling (Hinton, Rock, Zienkiewicz) for quadratic ones.
    fn lumped_mass(&self, k: usize, out: &mut [f64]);
    /// Writes the consistent mass `int rho N_a N_b`, one number for a pair of nodes, to `out`.
    fn consistent_mass(&self, k: usize, out: &mut [f64]);

    /// Whether there are no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds `dV_K/dx` of a range of elements to `out` (three numbers for every node of the mesh) and returns the sum
    /// of their energies. After a fault `out` holds the sum up to the element at fault.
    fn sweep(&self, range: Range<usize>, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, Fault>;

    /// Adds the forces, `-dV_K/dx`, to `out` without energies, which costs less. An element that is not inverted may go
    /// unnoticed if its forces are no finite numbers.
    fn forces(&self, range: Range<usize>, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), Fault> {
        out.iter_mut().for_each(|f| *f = -*f);
        let swept = self.sweep(range, t, x, out).map(drop);
        out.iter_mut().for_each(|f| *f = -*f);
        swept
    }

    /// These elements, in this order, in a form for sweeps that kick the nodes that are owned; nothing if there is no such form.
    fn compile(&self, _list: &[u32], _own: &dyn Fn(u32) -> bool) -> Option<Arc<dyn Cluster>> {
        None
    }

    /// Adds `dV_K/dx` of all elements times a number of each to `out`; returns the sum of their energies.
    fn weighted(&self, weights: &[f64], t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, Fault> {
        let (mut total, mut force) = (0.0, [0.0; 3 * MAX_NODES]);
        for (k, weight) in (0..self.len()).zip(weights) {
            total += self.gradient(k, t, x, &mut force)?;
            for (a, force) in self.nodes(k).iter().zip(force.chunks_exact(3)) {
                let out = &mut out[3 * *a as usize..][..3];
                (0..3).for_each(|i| out[i] += weight * force[i]);
            }
        }
        Ok(total)
    }

    /// `h / c` with `h` the inscribed radius [AVI03 (68)], to be multiplied by a fraction such as 1/10; nought for an
    /// element without mass.
    fn step_courant(&self, k: usize) -> f64 {
        self.inradius(k) / self.wave_speed(k)
    }

    /// Bytes in use by all of them.
    fn memory(&self) -> usize;

    /// Writes the stiffness of each node alone, the sum of the diagonal's three entries in size, of the element linearised at
    /// `x`. Far from rest an entry can turn negative.
    fn stiffness(&self, k: usize, x: &[f64], out: &mut [f64]) -> Result<(), Fault> {
        let n = self.kind().nodes();
        let mut matrix = [0.0; 9 * MAX_NODES * MAX_NODES];
        self.tangent(k, 0.0, x, &mut matrix)?;
        for a in 0..n {
            out[a] = (3 * a..3 * a + 3).map(|i| matrix[i * (3 * n) + i].abs()).sum();
        }
        Ok(())
    }

    /// [`stiffness`](Self::stiffness) of the undeformed element in closed form; `false`, and nothing written, if there is none.
    fn stiffness_at_rest(&self, _k: usize, _out: &mut [f64]) -> bool {
        false
    }

    /// Writes `|K_ab|^2` (Frobenius) for every pair of nodes of the element linearised at `x`.
    fn couplings(&self, k: usize, x: &[f64], out: &mut [f64]) -> Result<(), Fault> {
        let n = self.kind().nodes();
        let mut matrix = [0.0; 9 * MAX_NODES * MAX_NODES];
        self.tangent(k, 0.0, x, &mut matrix)?;
        out[..n * n].fill(0.0);
        for (i, row) in matrix.chunks_exact(3 * n).take(3 * n).enumerate() {
            for (j, entry) in row.iter().enumerate() {
                out[i / 3 * n + j / 3] += entry * entry;
            }
        }
        Ok(())
    }

    /// [`couplings`](Self::couplings) of the undeformed element in closed form; `false`, and nothing written, if there is none.
    fn couplings_at_rest(&self, _k: usize, _out: &mut [f64]) -> bool {
        false
    }

    /// [`step_eigen`](Self::step_eigen) of the undeformed element in closed form, if there is one.
    fn step_eigen_at_rest(&self, _k: usize, _masses: &[f64]) -> Option<f64> {
        None
    }

    /// `2 / omega_max` of the element linearised at `x`, alone with the given masses on its nodes (one number
    /// a node).
    ///
    /// Whatever the split of nodal masses among elements, the smallest of these steps bounds that of
    /// the assembled body from below (Irons and Treharne).
    fn step_eigen(&self, k: usize, x: &[f64], masses: &[f64]) -> Result<f64, Fault> {
        let m = self.kind().nodes();
        let n = 3 * m;
        let mut a = [0.0; 9 * MAX_NODES * MAX_NODES];
        let a = &mut a[..n * n];
        self.tangent(k, 0.0, x, a)?;
        let mut scale = [0.0; 3 * MAX_NODES];
        (0..n).for_each(|i| scale[i] = 1.0 / masses[i / 3].sqrt());
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] *= scale[i] * scale[j];
            }
        }
        let square = largest_eigenvalue(a, n).ok_or(Fault::NotFinite { element: self.label(k) })?;
        Ok(if square > 0.0 { 2.0 / square.sqrt() } else { f64::INFINITY })
    }
}
