//! The undeformed element: gradients, volume, inscribed radius, mass.

use super::kind::{ElementKind, SIMPLEX_NODES, SimplexNodal, far, fine_rule, near, pair, quadratic};
use super::tensor::{Tensor, cofactor, determinant_by, norm};
use std::borrow::Cow;

/// What set-up and reports need to know of each element of a block.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    pub(super) labels: Labels,
    pub(super) volume: Vec<f64>,
    pub(super) inradius: Vec<f64>,
    /// `int N_a N_b / volume`: one matrix for all straight elements, one each for curved ones; or, of each, the parts of the volume at the points
    /// of a rule with the [values](Self::values).
    pub(super) mass: Vec<f64>,
    /// The shape functions at these points, if there are any.
    pub(super) values: Vec<f64>,
    pub(super) curved: bool,
    pub(super) lumping: Lumping,
}

/// How the consistent mass of an element becomes a mass for each node; either way positive, with the same sum.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lumping {
    /// In proportion to the diagonal (Hinton, Rock and Zienkiewicz). For linear simplices these are the row sums; for quadratic
    /// elements row sums would make corners massless or worse.
    #[default]
    Diagonal,
    /// Row sums, `int rho N_a`: they keep the centre of mass. For elements whose shape functions are nowhere negative.
    Rows,
}

/// The labels of a block's elements: as a rule one after another, which takes no room.
#[derive(Debug, Default)]
pub(super) struct Labels {
    first: usize,
    len: usize,
    /// All of them, if they do not follow each other.
    list: Vec<usize>,
}

impl Labels {
    /// From `first` on.
    #[cfg(test)]
    pub(super) fn from(first: usize, len: usize) -> Self {
        Labels { first, len, list: Vec::new() }
    }

    pub(super) fn push(&mut self, label: usize) {
        if self.len == 0 {
            self.first = label;
        } else if self.list.is_empty() && label != self.first + self.len {
            self.list = (self.first..self.first + self.len).collect();
        }
        if !self.list.is_empty() {
            self.list.push(label);
        }
        self.len += 1;
    }

    pub(super) fn get(&self, k: usize) -> usize {
        assert!(k < self.len, "an element of the block");
        if self.list.is_empty() { self.first + k } else { self.list[k] }
    }
}

impl Geometry {
    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        let numbers =
            self.volume.capacity() + self.inradius.capacity() + self.mass.capacity() + self.values.capacity();
        8 * (numbers + self.labels.list.capacity())
    }

    /// The consistent mass of element `k` as part of its mass.
    pub(super) fn shares(&self, k: usize, kind: ElementKind) -> Cow<'_, [f64]> {
        let n = kind.nodes();
        let size = if self.values.is_empty() { n * n } else { self.values.len() / n };
        let at = if self.curved { k * size } else { 0 };
        let own = &self.mass[at..at + size];
        if self.values.is_empty() { Cow::Borrowed(own) } else { Cow::Owned(mass_matrix(own, &self.values)) }
    }
}

/// `sum_q w_q N_a N_b`.
pub(super) fn mass_matrix(weights: &[f64], values: &[f64]) -> Vec<f64> {
    let n = values.len() / weights.len();
    let mut mass = vec![0.0; n * n];
    for (weight, values) in weights.iter().zip(values.chunks_exact(n)) {
        for a in 0..n {
            for b in 0..n {
                mass[a * n + b] += weight * values[a] * values[b];
            }
        }
    }
    mass
}

/// The mass of each node.
pub(super) fn lumped(shares: &[f64], lumping: Lumping, mass: f64, out: &mut [f64]) {
    let n = shares.len().isqrt();
    if lumping == Lumping::Rows {
        for a in 0..n {
            out[a] = mass * shares[a * n..(a + 1) * n].iter().sum::<f64>();
        }
        return;
    }
    let trace: f64 = (0..n).map(|a| shares[a * n + a]).sum();
    for a in 0..n {
        out[a] = mass * (shares[a * n + a] / trace);
    }
}

pub(super) fn consistent(shares: &[f64], mass: f64, out: &mut [f64]) {
    for (out, share) in out.iter_mut().zip(shares) {
        *out = mass * share;
    }
}

/// Why an undeformed element cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defect {
    Flat,
    TurnedOver,
    Folded,
}

/// The simplex of an element's corners.
pub(super) struct Simplex {
    /// `grad L_c` of all corners.
    pub(super) gradients: [[f64; 3]; 4],
    pub(super) volume: f64,
    pub(super) inradius: f64,
}

impl Simplex {
    /// What linear elements, and quadratic ones with straight sides, store: the gradients past the first, then a weight.
    pub(super) fn stored<const D: usize>(&self, weight: f64) -> impl Iterator<Item = f64> {
        self.gradients[1..=D].iter().flat_map(|g| &g[..D]).copied().chain([weight])
    }
}

/// Flat when the volume is lost in the rounding of its own computation.
pub(super) fn simplex<const D: usize>(x: &[[f64; 3]]) -> Result<Simplex, Defect> {
    let mut m: Tensor = [[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0]];
    let mut box_size: f64 = 1.0;
    for c in 0..D {
        let mut length: f64 = 0.0;
        for j in 0..D {
            m[c][j] = x[c + 1][j] - x[0][j];
            length = length.max(m[c][j].abs());
        }
        box_size *= length;
    }
    let cof = cofactor(&m);
    let det = determinant_by(&m, &cof);
    if !(det.abs() > 16.0 * f64::EPSILON * box_size) {
        return Err(Defect::Flat);
    }
    if det < 0.0 {
        return Err(Defect::TurnedOver);
    }
    let mut gradients = [[0.0; 3]; 4];
    for c in 0..D {
        for j in 0..D {
            gradients[c + 1][j] = cof[c][j] / det;
            gradients[0][j] -= cof[c][j] / det;
        }
    }
    // |grad L_c| is one over the height above the opposite face, and the heights' reciprocals sum to that of the
    // inscribed radius.
    let inradius = 1.0 / gradients[..=D].iter().map(norm).sum::<f64>();
    Ok(Simplex { gradients, volume: det / if D == 2 { 2.0 } else { 6.0 }, inradius })
}

/// Whether every middle node lies in the middle, up to the rounding of coordinates.
pub(super) fn is_straight<const D: usize>(x: &[[f64; 3]]) -> bool {
    let size = x[..=D].iter().flatten().fold(0.0, |s: f64, x| s.max(x.abs()));
    for a in 0..=D {
        for b in 0..a {
            let (p, q, m) = (x[a], x[b], x[pair::<D>(a, b)]);
            let mut off = [0.0; 3];
            let mut side = [0.0; 3];
            for i in 0..3 {
                off[i] = m[i] - 0.5 * (p[i] + q[i]);
                side[i] = p[i] - q[i];
            }
            if !(norm(&off) <= 1e-12 * norm(&side) + 4.0 * f64::EPSILON * size) {
                return false;
            }
        }
    }
    true
}

/// The stored numbers of a curved element: see [`super::shape::Curved`].
pub(super) struct Bent {
    pub(super) stored: Vec<f64>,
    pub(super) volume: f64,
    pub(super) mass: Vec<f64>,
}

pub(super) fn bend<const D: usize>(x: &[[f64; 3]]) -> Result<Bent, Defect> {
    let nodes = if D == 2 { 6 } else { 10 };
    let mut stored = Vec::with_capacity((D + 1) * (1 + nodes * D));
    let rule_weight = if D == 2 { 1.0 / 6.0 } else { 1.0 / 24.0 };
    for q in 0..=D {
        let mut l = [far::<D>(); 4];
        l[q] = near::<D>();
        let (_, g, det) = mapped::<D>(x, &l)?;
        stored.push(det * rule_weight);
        for a in 0..nodes {
            stored.extend_from_slice(&g[a][..D]);
        }
    }
    let (mut mass, mut volume) = (vec![0.0; nodes * nodes], 0.0);
    for (l, weight) in fine_rule::<D>() {
        let (n, _, det) = mapped::<D>(x, &l)?;
        volume += weight * det;
        for a in 0..nodes {
            for b in 0..nodes {
                mass[a * nodes + b] += weight * det * n[a] * n[b];
            }
        }
    }
    mass.iter_mut().for_each(|m| *m /= volume);
    Ok(Bent { stored, volume, mass })
}

/// Shape functions, their gradients in space and the volume ratio at barycentric `l` of a curved element.
fn mapped<const D: usize>(
    x: &[[f64; 3]],
    l: &[f64; 4],
) -> Result<([f64; SIMPLEX_NODES], SimplexNodal, f64), Defect> {
    let nodes = if D == 2 { 6 } else { 10 };
    let (n, d) = quadratic::<D>(l);
    // m[c][j] = dX_j / dL_{c+1} with L_0 = 1 - the others.
    let mut m: Tensor = [[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0]];
    for c in 0..D {
        for j in 0..D {
            m[c][j] = (0..nodes).map(|a| (x[a][j] - x[0][j]) * (d[a][c + 1] - d[a][0])).sum();
        }
    }
    let cof = cofactor(&m);
    let det = determinant_by(&m, &cof);
    if !(det > 0.0) {
        return Err(Defect::Folded);
    }
    let mut g = [[0.0; 3]; SIMPLEX_NODES];
    for a in 0..nodes {
        for j in 0..D {
            g[a][j] = (0..D).map(|c| (d[a][c + 1] - d[a][0]) * cof[c][j] / det).sum();
        }
    }
    Ok((n, g, det))
}

/// `int N_a N_b / volume` of a straight element.
pub(super) fn reference_mass<const D: usize>(kind: ElementKind) -> Vec<f64> {
    let n = kind.nodes();
    let volume = if D == 2 { 0.5 } else { 1.0 / 6.0 };
    let mut mass = vec![0.0; n * n];
    for (l, weight) in fine_rule::<D>() {
        let mut shape = [0.0; SIMPLEX_NODES];
        if n == D + 1 {
            shape[..4].copy_from_slice(&l);
        } else {
            shape = quadratic::<D>(&l).0;
        }
        for a in 0..n {
            for b in 0..n {
                mass[a * n + b] += weight / volume * shape[a] * shape[b];
            }
        }
    }
    mass
}
