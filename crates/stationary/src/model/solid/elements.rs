//! The interface of a block of finite elements: the potentials `V_K` of [AVI03 (21)] with derivatives, masses and critical time steps.

use super::kind::{ElementKind, MAX_NODES};
use super::material::MaterialFault;
use super::spectrum::largest_eigenvalue;
use super::tensor::{Tensor, combine};
use crate::model::{CompiledPotentials, HistoryEnergy, IndependentKicks, IndependentRecord, Past};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Why an element has no energy in a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementFault {
    /// The element is inverted, or a bar has no length.
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

impl ElementFault {
    #[cold]
    #[inline(never)]
    pub(super) fn at(element: usize, point: usize, why: MaterialFault) -> ElementFault {
        match why {
            MaterialFault::Inverted => ElementFault::Inverted { element, point },
            MaterialFault::NotFinite => ElementFault::NotFinite { element },
            MaterialFault::Thickness => ElementFault::Thickness { element, point },
        }
    }

    /// The reason, in a few words.
    pub fn why(&self) -> String {
        match self {
            ElementFault::Inverted { point, .. } => format!("inverted at its quadrature point {point}"),
            ElementFault::NotFinite { .. } => "its energy is not a finite number".into(),
            ElementFault::Thickness { point, .. } => {
                format!("no thickness frees it of normal stress at its quadrature point {point}")
            }
        }
    }

    /// The label of the faulty element.
    pub fn element(&self) -> usize {
        match self {
            ElementFault::Inverted { element, .. }
            | ElementFault::NotFinite { element }
            | ElementFault::Thickness { element, .. } => *element,
        }
    }
}

impl fmt::Display for ElementFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {}: {}", self.element(), self.why())
    }
}

impl std::error::Error for ElementFault {}

/// A quadrature point of a deformed element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointState {
    /// The reference volume that it stands for.
    pub weight: f64,
    /// `b = F F^T`.
    pub left_cauchy_green: Tensor,
    /// The Cauchy stress.
    pub stress: Tensor,
}

/// The mean over reference volumes.
fn mean_stress(points: &[PointState]) -> Tensor {
    let volume: f64 = points.iter().map(|point| point.weight).sum();
    let add = |sum, point: &PointState| combine([(1.0, &sum), (point.weight / volume, &point.stress)]);
    points.iter().fold([[0.0; 3]; 3], add)
}

/// A block of elements of one kind and one material, numbered from 0. Positions `x` are those of all nodes, three numbers a node; local
/// arrays have three numbers for each of [`nodes`](Self::nodes), in that order.
///
/// Asynchronous integrators evaluate one element at a time, synchronous ones use [`add_gradient`](Self::add_gradient); one virtual
/// call leads to a kernel compiled for the element kind and the material.
pub trait Elements: fmt::Debug + Send + Sync {
    /// Number of elements.
    fn len(&self) -> usize;
    /// The kind of all of them.
    fn kind(&self) -> ElementKind;
    /// Number of quadrature points of one of them.
    fn points(&self) -> usize;
    /// The element's number as the user knows it: its place in the list that the block was built from.
    fn label(&self, k: usize) -> usize;
    /// The nodes of element `k`.
    fn nodes(&self, k: usize) -> &[u32];

    /// Whether they are rings around the axis `x = 0`.
    fn are_rings(&self) -> bool {
        false
    }

    /// `V_K`.
    fn energy(&self, k: usize, t: f64, x: &[f64]) -> Result<f64, ElementFault>;
    /// Writes `dV_K/dx_a` (minus the force) to `out`; returns `V_K`.
    fn gradient(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, ElementFault>;
    /// As [`gradient`](Self::gradient), from the positions of the element's own nodes, in their order.
    fn gradient_local(&self, k: usize, t: f64, own: &[f64], out: &mut [f64]) -> Result<f64, ElementFault>;
    /// How many numbers of history each element has; 0 without memory. What follows is of elements with memory only; without a past all
    /// others evaluate them as they are at the start.
    fn history_size(&self) -> usize {
        0
    }
    /// Writes the history of an element at the start.
    fn first_history(&self, _k: usize, out: &mut [f64]) {
        out.fill(0.0);
    }
    /// As [`gradient_local`](Self::gradient_local), of the incremental potential from a past; writes the history that the update leads to.
    fn update(
        &self,
        k: usize,
        own: &[f64],
        _past: Past<'_>,
        gradient: &mut [f64],
        _after: Option<&mut [f64]>,
    ) -> Result<HistoryEnergy, ElementFault> {
        self.gradient_local(k, 0.0, own, gradient).map(HistoryEnergy::elastic)
    }
    /// Adds the gradients of the incremental potentials of all elements to `out`, and their energies to `total`; the histories in the past
    /// are those of one element after the other. Writes the histories that the updates lead to.
    fn add_update(
        &self,
        x: &[f64],
        past: Past<'_>,
        (out, mut after): (&mut [f64], Option<&mut [f64]>),
        total: &mut HistoryEnergy,
    ) -> Result<(), ElementFault> {
        let size = self.history_size();
        let (mut own, mut gradient) = ([0.0; 3 * MAX_NODES], [0.0; 3 * MAX_NODES]);
        for k in 0..self.len() {
            let nodes = self.nodes(k);
            for (own, a) in own.chunks_exact_mut(3).zip(nodes) {
                own.copy_from_slice(&x[3 * *a as usize..][..3]);
            }
            let numbers = k * size..(k + 1) * size;
            let past = Past { history: &past.history[numbers.clone()], dt: past.dt };
            let after = after.as_deref_mut().map(|after| &mut after[numbers]);
            total.add(1.0, self.update(k, &own[..3 * nodes.len()], past, &mut gradient, after)?);
            for (a, gradient) in nodes.iter().zip(gradient.chunks_exact(3)) {
                let out = &mut out[3 * *a as usize..][..3];
                (0..3).for_each(|i| out[i] += gradient[i]);
            }
        }
        Ok(())
    }
    /// As [`tangent`](Self::tangent), of the incremental potential from a past.
    fn tangent_after(
        &self,
        k: usize,
        x: &[f64],
        _past: Past<'_>,
        out: &mut [f64],
    ) -> Result<(), ElementFault> {
        self.tangent(k, 0.0, x, out)
    }
    /// As [`stress`](Self::stress), from a past.
    fn stress_after(&self, k: usize, x: &[f64], past: Past<'_>) -> Result<Tensor, ElementFault> {
        let mut points = Vec::new();
        self.point_states(k, x, Some(past), &mut points)?;
        Ok(mean_stress(&points))
    }
    /// Where the quadrature points are in the [reference cell](crate::mesh::CellKind::reference); none for bars.
    fn point_places(&self) -> Vec<[f64; 3]> {
        Vec::new()
    }
    /// Appends the states of the quadrature points, in the order of [`point_places`](Self::point_places); `past` is the history of
    /// elements with memory.
    fn point_states(
        &self,
        _k: usize,
        _x: &[f64],
        _past: Option<Past<'_>>,
        _out: &mut Vec<PointState>,
    ) -> Result<(), ElementFault> {
        Ok(())
    }
    /// Appends a number of history that is worth showing at each quadrature point; nothing if there is none of this name.
    fn shown_points(&self, _k: usize, _history: &[f64], _name: &str, _out: &mut Vec<f64>) {}
    /// The numbers of history that are worth showing, by name.
    fn shown_history(&self) -> Vec<&'static str> {
        Vec::new()
    }
    /// The mean over an element of a number that is worth showing; NaN if it has none of this name.
    fn shown_value(&self, _k: usize, _history: &[f64], _name: &str) -> f64 {
        f64::NAN
    }
    /// The time `beta` of the stiffness damping `C = beta K` of all of them.
    fn stiffness_damping(&self) -> f64 {
        0.0
    }
    /// A hint that element `k` will be evaluated soon.
    fn prefetch(&self, _k: usize) {}
    /// Writes the tangent stiffness, a square matrix by rows, to `out`.
    fn tangent(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault>;
    /// The tangent stiffness that decides on steps: the largest on either side of a kink of the force.
    fn step_tangent(&self, k: usize, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        self.tangent(k, 0.0, x, out)
    }
    /// The Cauchy stress, averaged over the element; for a bar the axial force in the first entry.
    fn stress(&self, k: usize, x: &[f64]) -> Result<Tensor, ElementFault> {
        let mut points = Vec::new();
        self.point_states(k, x, None, &mut points)?;
        Ok(mean_stress(&points))
    }

    /// Reference volume (area times thickness for a plane element, that of the whole ring in a body of revolution, length for a bar).
    fn volume(&self, k: usize) -> f64;
    /// Radius of the largest ball in the reference element: of the simplex of its corners; half a bar; of other shapes that of the
    /// smallest of the parallelepipeds, prisms or pyramids that their maps are at the corners.
    fn inradius(&self, k: usize) -> f64;
    /// The element's mass.
    fn mass(&self, k: usize) -> f64;
    /// Speed of pressure waves in the undeformed element; infinite without mass.
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
    /// of their energies. After a fault `out` contains the sum up to the faulty element.
    fn add_gradient(
        &self,
        range: Range<usize>,
        t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault>;

    /// Adds the nodal forces, `-dV_K/dx`, to `out` without energies, which is cheaper. Forces that are not finite need not be reported, unless
    /// the element is inverted.
    fn forces(&self, range: Range<usize>, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        out.iter_mut().for_each(|f| *f = -*f);
        let swept = self.add_gradient(range, t, x, out).map(drop);
        out.iter_mut().for_each(|f| *f = -*f);
        swept
    }

    /// These elements, in this order, in a compiled form that kicks the nodes that are `own`; `None` if there is no such form.
    fn compile(&self, _list: &[u32], _own: &dyn Fn(u32) -> bool) -> Option<Arc<dyn CompiledPotentials>> {
        None
    }

    /// The kernel for events of these elements at times of their own; `None` if there is no such kernel.
    fn independent_kicks(&self) -> Option<Arc<dyn IndependentKicks>> {
        None
    }

    /// What this kernel needs of an element.
    fn independent_record(&self, _k: usize) -> IndependentRecord {
        IndependentRecord::default()
    }

    /// Adds `sum_K weights[K] dV_K/dx` to `out`; returns the sum of the energies.
    fn add_weighted_gradient(
        &self,
        weights: &[f64],
        t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        let mut total = 0.0;
        let mut force = [0.0; 3 * MAX_NODES];
        for (k, weight) in (0..self.len()).zip(weights) {
            total += self.gradient(k, t, x, &mut force)?;
            for (a, force) in self.nodes(k).iter().zip(force.chunks_exact(3)) {
                let out = &mut out[3 * *a as usize..][..3];
                (0..3).for_each(|i| out[i] += weight * force[i]);
            }
        }
        Ok(total)
    }

    /// The Courant time step `h / c` with the inscribed radius `h` [AVI03 (68)], to be multiplied by a fraction such as 1/10; zero for
    /// an element without mass.
    fn step_courant(&self, k: usize) -> f64 {
        self.inradius(k) / self.wave_speed(k)
    }

    /// Memory of all elements in bytes.
    fn memory(&self) -> usize;

    /// Writes for each node the sum of the absolute values of its three diagonal entries of the stiffness matrix, linearised at `x`. Far
    /// from the undeformed state an entry can be negative.
    fn stiffness(&self, k: usize, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        let n = self.kind().nodes();
        let mut matrix = vec![0.0; 9 * n * n];
        self.step_tangent(k, x, &mut matrix)?;
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
    fn couplings(&self, k: usize, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        let n = self.kind().nodes();
        let mut matrix = vec![0.0; 9 * n * n];
        self.step_tangent(k, x, &mut matrix)?;
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
    fn step_eigen(&self, k: usize, x: &[f64], masses: &[f64]) -> Result<f64, ElementFault> {
        let m = self.kind().nodes();
        let n = 3 * m;
        let mut a = vec![0.0; n * n];
        self.step_tangent(k, x, &mut a)?;
        let mut scale = [0.0; 3 * MAX_NODES];
        (0..n).for_each(|i| scale[i] = 1.0 / masses[i / 3].sqrt());
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] *= scale[i] * scale[j];
            }
        }
        let square =
            largest_eigenvalue(&mut a, n).ok_or(ElementFault::NotFinite { element: self.label(k) })?;
        Ok(if square > 0.0 { 2.0 / square.sqrt() } else { f64::INFINITY })
    }
}
