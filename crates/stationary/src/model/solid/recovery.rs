//! Values at nodes from values at quadrature points, as stresses and strains have them.
//!
//! Around a node `a` the polynomial `s(X) = c_0 + c . (X - X_a)` is fitted to the values at the points of the elements there (the patch), by least
//! squares with the reference volumes as weights; `c_0` is the value at the node (Zienkiewicz and Zhu's patch recovery, at
//! the node itself). Fields that are linear over the patch are reproduced, and at interior nodes the value converges faster than that of an
//! element. With `p = (1, X - X_a)`, `P` its rows at the points and `W` the weights,
//!
//! ```text
//! c_0 = sum_q r_q s_q,    r = W P (P^T W P)^-1 e_0,    sum_q r_q = 1.
//! ```
//!
//! `sum |r_q|` is by how much the fit can enlarge an error of the values. Where it is too large, or the points do not determine the
//! polynomial, as in the single tetrahedron at a corner, the patch grows by the elements around it; where that does not help, the
//! value is the mean over the first patch. Values of different materials are fitted separately, and their mean by volume is the
//! value at a node that they share.

use super::elements::PointState;
use super::{ElementFault, Solid};
use crate::model::Potentials;
use std::ops::Range;

/// By how much a fit may enlarge an error of the values at the points: 2.9 where the four points of a single ten-node tetrahedron are
/// extrapolated to its corner, 3.2 or so where the centres of four-node tetrahedra in eight cells are extrapolated to the corner of a body.
const MOST_ENLARGED: f64 = 4.0;

/// A pivot of the normal equations, scaled to a unit diagonal, below which points do not determine the polynomial.
const LEAST_PIVOT: f64 = 1e-3;

/// Unknowns of a linear polynomial in space.
const MOST_TERMS: usize = 4;

/// The quadrature points of all elements, one after the other.
#[derive(Debug, Clone)]
pub struct QuadraturePoints {
    /// The first point of each element, and the number of all.
    first: Vec<u32>,
    place: Vec<[f64; 3]>,
    weight: Vec<f64>,
}

/// The values at chosen nodes, as sums over quadrature points.
#[derive(Debug, Clone)]
pub struct NodalRecovery {
    nodes: Vec<u32>,
    /// The first term of each node, and the number of all.
    first: Vec<usize>,
    /// Elements and numbers of their points.
    points: Vec<(u32, u32)>,
    factors: Vec<f64>,
}

impl QuadraturePoints {
    /// The points of a body in its reference shape.
    pub fn new(solid: &Solid) -> Self {
        let mut all = QuadraturePoints { first: vec![0], place: Vec::new(), weight: Vec::new() };
        let node = |a: u32| &solid.points()[3 * a as usize..3 * a as usize + 3];
        for block in solid.blocks() {
            let cell = block.kind().cell();
            let at_points: Vec<_> = block.point_places().iter().map(|at| cell.functions(at)).collect();
            for k in 0..block.len() {
                for functions in &at_points {
                    let mut place = [0.0; 3];
                    for (value, a) in functions.values.iter().zip(block.nodes(k)) {
                        (0..3).for_each(|i| place[i] += value * node(*a)[i]);
                    }
                    all.place.push(place);
                    all.weight.push(block.volume(k) / at_points.len() as f64);
                }
                all.first.push(all.place.len() as u32);
            }
        }
        all
    }

    /// The numbers of an element's points.
    pub fn of(&self, k: usize) -> Range<usize> {
        self.first[k] as usize..self.first[k + 1] as usize
    }

    /// Where a point is in the reference shape.
    pub fn place(&self, q: usize) -> &[f64; 3] {
        &self.place[q]
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.place.len()
    }
}

impl NodalRecovery {
    /// For these nodes; `material` tells which elements are fitted together.
    pub fn new(
        solid: &Solid,
        points: &QuadraturePoints,
        nodes: &[u32],
        material: impl Fn(usize) -> usize,
    ) -> Self {
        let around = Around::new(solid, points);
        let mut all =
            NodalRecovery { nodes: nodes.to_vec(), first: vec![0], points: Vec::new(), factors: Vec::new() };
        for a in nodes {
            let mut elements: Vec<(usize, u32)> =
                around.node(*a).iter().map(|k| (material(*k as usize), *k)).collect();
            elements.sort_unstable();
            let volume = |part: &[(usize, u32)]| -> f64 {
                part.iter().map(|(_, k)| points.of(*k as usize).map(|q| points.weight[q]).sum::<f64>()).sum()
            };
            let whole = volume(&elements);
            for part in elements.chunk_by(|a, b| a.0 == b.0) {
                let patch: Vec<u32> = part.iter().map(|(_, k)| *k).collect();
                let node = Node { solid, points, place: place(solid, *a) };
                let share = volume(part) / whole;
                for (k, q, factor) in node.fit(&around, patch, |k| material(k) == part[0].0) {
                    all.points.push((k, q));
                    all.factors.push(share * factor);
                }
            }
            all.first.push(all.points.len());
        }
        all
    }

    /// The nodes.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// The elements whose points are needed, in increasing order.
    pub fn elements(&self) -> Vec<u32> {
        let mut elements: Vec<u32> = self.points.iter().map(|(k, _)| *k).collect();
        elements.sort_unstable();
        elements.dedup();
        elements
    }

    /// The value at the `i`-th node from those at the points of elements; NaN where no element is that has points.
    pub fn value<const N: usize>(&self, i: usize, of: impl Fn(usize, usize) -> [f64; N]) -> [f64; N] {
        let terms = self.first[i]..self.first[i + 1];
        if terms.is_empty() {
            return [f64::NAN; N];
        }
        let mut sum = [0.0; N];
        for ((k, q), factor) in self.points[terms.clone()].iter().zip(&self.factors[terms]) {
            let value = of(*k as usize, *q as usize);
            (0..N).for_each(|c| sum[c] += factor * value[c]);
        }
        sum
    }
}

impl Solid {
    /// The states of the points of an element, after `out`'s own; the history of elements with memory is asked for.
    pub fn point_states(
        &self,
        k: usize,
        x: &[f64],
        past: Option<crate::model::Past<'_>>,
        out: &mut Vec<PointState>,
    ) -> Result<(), ElementFault> {
        let (block, j) = self.locate(k);
        block.point_states(j, x, past, out)
    }
}

/// A node whose value is sought.
struct Node<'a> {
    solid: &'a Solid,
    points: &'a QuadraturePoints,
    place: [f64; 3],
}

impl Node<'_> {
    /// Elements, points and factors.
    fn fit(&self, around: &Around, patch: Vec<u32>, same: impl Fn(usize) -> bool) -> Vec<(u32, u32, f64)> {
        let dimension =
            patch.iter().map(|k| self.solid.locate(*k as usize).0.kind().dimension()).max().unwrap_or(0);
        if let Some(factors) = self.linear(&patch, dimension) {
            return self.terms(&patch, &factors);
        }
        let mut larger: Vec<u32> = patch
            .iter()
            .flat_map(|k| Potentials::nodes(self.solid, *k as usize))
            .flat_map(|a| around.node(*a))
            .copied()
            .filter(|k| same(*k as usize))
            .collect();
        larger.sort_unstable();
        larger.dedup();
        if let Some(factors) = self.linear(&larger, dimension) {
            return self.terms(&larger, &factors);
        }
        let weights: Vec<f64> = self.of_patch(&patch).map(|q| self.points.weight[q]).collect();
        let sum: f64 = weights.iter().sum();
        self.terms(&patch, &weights.iter().map(|w| w / sum).collect::<Vec<_>>())
    }

    fn of_patch<'b>(&'b self, patch: &'b [u32]) -> impl Iterator<Item = usize> + 'b {
        patch.iter().flat_map(|k| self.points.of(*k as usize))
    }

    fn terms(&self, patch: &[u32], factors: &[f64]) -> Vec<(u32, u32, f64)> {
        let numbers =
            patch.iter().flat_map(|k| (0..self.points.of(*k as usize).len() as u32).map(move |q| (*k, q)));
        numbers.zip(factors).map(|((k, q), factor)| (k, q, *factor)).collect()
    }

    /// The factors of a linear fit; none where the points do not determine it well.
    fn linear(&self, patch: &[u32], dimension: usize) -> Option<Vec<f64>> {
        let n = dimension + 1;
        let away = |q: usize| [0, 1, 2].map(|i| self.points.place[q][i] - self.place[i]);
        let size = self.of_patch(patch).flat_map(away).fold(0.0, |size: f64, d| size.max(d.abs()));
        let row = |q: usize| {
            let d = away(q);
            [1.0, d[0] / size, d[1] / size, d[2] / size]
        };
        let mut normal = [[0.0; MOST_TERMS]; MOST_TERMS];
        for q in self.of_patch(patch) {
            let p = row(q);
            for i in 0..n {
                (0..n).for_each(|j| normal[i][j] += self.points.weight[q] * p[i] * p[j]);
            }
        }
        let first = first_column_of_inverse(&mut normal, n)?;
        let factor = |q: usize| {
            let p = row(q);
            self.points.weight[q] * (0..n).map(|i| p[i] * first[i]).sum::<f64>()
        };
        let factors: Vec<f64> = self.of_patch(patch).map(factor).collect();
        let enlarged: f64 = factors.iter().map(|r| r.abs()).sum();
        (enlarged <= MOST_ENLARGED).then_some(factors)
    }
}

/// Solves `A c = e_0` by Cholesky's method with the diagonal scaled to one; none where a pivot is small.
fn first_column_of_inverse(a: &mut [[f64; MOST_TERMS]; MOST_TERMS], n: usize) -> Option<[f64; MOST_TERMS]> {
    let scale: Vec<f64> = (0..n).map(|i| 1.0 / a[i][i].sqrt()).collect();
    let mut c = [0.0; MOST_TERMS];
    c[0] = scale[0];
    for j in 0..n {
        for i in j..n {
            let s: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            let entry = a[i][j] * scale[i] * scale[j] - s;
            if i > j {
                a[i][j] = entry / a[j][j];
            } else if entry > LEAST_PIVOT {
                a[j][j] = entry.sqrt();
            } else {
                return None;
            }
        }
        let s: f64 = (0..j).map(|k| a[j][k] * c[k]).sum();
        c[j] = (c[j] - s) / a[j][j];
    }
    for j in (0..n).rev() {
        let s: f64 = (j + 1..n).map(|k| a[k][j] * c[k]).sum();
        c[j] = (c[j] - s) / a[j][j];
    }
    (0..n).for_each(|i| c[i] *= scale[i]);
    Some(c)
}

fn place(solid: &Solid, a: u32) -> [f64; 3] {
    let at = 3 * a as usize;
    [solid.points()[at], solid.points()[at + 1], solid.points()[at + 2]]
}

/// The elements with quadrature points around each node.
struct Around {
    first: Vec<u32>,
    elements: Vec<u32>,
}

impl Around {
    fn new(solid: &Solid, points: &QuadraturePoints) -> Self {
        let nodes = solid.points().len() / 3;
        let with_points = || (0..solid.elements()).filter(|k| !points.of(*k).is_empty());
        let mut first = vec![0u32; nodes + 1];
        for k in with_points() {
            Potentials::nodes(solid, k).iter().for_each(|a| first[*a as usize + 1] += 1);
        }
        (0..nodes).for_each(|a| first[a + 1] += first[a]);
        let mut next = first.clone();
        let mut elements = vec![0; first[nodes] as usize];
        for k in with_points() {
            for a in Potentials::nodes(solid, k) {
                elements[next[*a as usize] as usize] = k as u32;
                next[*a as usize] += 1;
            }
        }
        Around { first, elements }
    }

    fn node(&self, a: u32) -> &[u32] {
        &self.elements[self.first[a as usize] as usize..self.first[a as usize + 1] as usize]
    }
}
