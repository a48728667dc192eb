//! From nodal positions to deformation gradients and from stresses to nodal forces, for each kind of element.
//!
//! The stored numbers of an element are contiguous, and the kernels read them once and in order. `D` is the dimension; loops
//! over it and over points unroll.

use super::kind::{ElementKind, SIMPLEX_NODES, SimplexNodal, SimplexTensors, far, near, pair, quadratic};
use super::tensor::Tensor;
use std::fmt::Debug;
use std::ops::IndexMut;

/// An array with room for a value at each node, or at each quadrature point, of one element.
pub(super) trait Local<T>: Copy + IndexMut<usize, Output = T> + AsRef<[T]> + AsMut<[T]> {
    const ZERO: Self;
}

impl<const N: usize> Local<[f64; 3]> for [[f64; 3]; N] {
    const ZERO: Self = [[0.0; 3]; N];
}

impl<const N: usize> Local<Tensor> for [Tensor; N] {
    const ZERO: Self = [[[0.0; 3]; 3]; N];
}

/// One kind of element, as kernels see it.
pub(super) trait Shape: Debug + Send + Sync + 'static {
    const KIND: ElementKind;
    const POINTS: usize;
    /// Numbers stored for an element.
    const STORED: usize;
    /// Rings around the axis `x = 0`: `F33 = r/R`, and the third component of [`gradients`](Self::gradients) is `N_a / R`.
    const RING: bool = false;
    /// The volume ratio may be averaged over the points.
    const AVERAGED: bool = false;
    /// A vector on each node.
    type Nodal: Local<[f64; 3]>;
    /// A tensor at each quadrature point.
    type Tensors: Local<Tensor>;

    /// `F` at each quadrature point.
    fn deformation(stored: &[f64], x: &Self::Nodal, f: &mut Self::Tensors);
    /// `sum_q w_q P_q grad N_a` for each node.
    fn force(stored: &[f64], p: &Self::Tensors, out: &mut Self::Nodal);
    /// Reference volume that a point stands for.
    fn weight(stored: &[f64], q: usize) -> f64;
    /// `grad N_a` at a point.
    fn gradients(stored: &[f64], q: usize) -> Self::Nodal;
}

/// Where a sum that makes `F` starts: plane elements have `F33 = 1` (plane strain).
const fn blank<const D: usize>() -> Tensor {
    [[0.0; 3], [0.0; 3], [0.0, 0.0, if D == 2 { 1.0 } else { 0.0 }]]
}

/// `F += sum_c d_c (x) g_c` over the corners past the first.
#[inline(always)]
fn spread<const D: usize>(stored: &[f64], d: &[[f64; 3]; 4], f: &mut Tensor) {
    for i in 0..D {
        for j in 0..D {
            let mut s = f[i][j];
            for c in 0..D {
                s += d[c + 1][i] * stored[c * D + j];
            }
            f[i][j] = s;
        }
    }
}

/// `P grad L_c` for every corner. The first is minus the sum of the others, so that forces balance.
#[inline(always)]
fn tractions<const D: usize>(stored: &[f64], weight: f64, p: &Tensor) -> [[f64; 3]; 4] {
    let mut t = [[0.0; 3]; 4];
    for i in 0..D {
        let mut sum = 0.0;
        for c in 0..D {
            let mut s = 0.0;
            for j in 0..D {
                s += p[i][j] * stored[c * D + j];
            }
            s *= weight;
            t[c + 1][i] = s;
            sum += s;
        }
        t[0][i] = -sum;
    }
    t
}

/// `grad L_c` for every corner.
#[inline(always)]
fn barycentric<const D: usize>(stored: &[f64]) -> [[f64; 3]; 4] {
    let mut g = [[0.0; 3]; 4];
    for j in 0..D {
        for c in 0..D {
            g[c + 1][j] = stored[c * D + j];
            g[0][j] -= stored[c * D + j];
        }
    }
    g
}

/// Linear simplex: the gradients of `L_1..L_D`, then the volume.
#[derive(Debug)]
pub(super) struct Linear<const D: usize>;

impl<const D: usize> Shape for Linear<D> {
    const KIND: ElementKind = if D == 2 { ElementKind::Tri3 } else { ElementKind::Tet4 };
    const POINTS: usize = 1;
    const STORED: usize = D * D + 1;
    type Nodal = SimplexNodal;
    type Tensors = SimplexTensors;

    #[inline(always)]
    fn deformation(stored: &[f64], x: &SimplexNodal, f: &mut SimplexTensors) {
        let mut d = [[0.0; 3]; 4];
        for c in 1..=D {
            for i in 0..D {
                d[c][i] = x[c][i] - x[0][i];
            }
        }
        f[0] = blank::<D>();
        spread::<D>(stored, &d, &mut f[0]);
    }

    #[inline(always)]
    fn force(stored: &[f64], p: &SimplexTensors, out: &mut SimplexNodal) {
        let t = tractions::<D>(stored, stored[D * D], &p[0]);
        out[..=D].copy_from_slice(&t[..=D]);
    }

    #[inline(always)]
    fn weight(stored: &[f64], _q: usize) -> f64 {
        stored[D * D]
    }

    fn gradients(stored: &[f64], _q: usize) -> SimplexNodal {
        let mut out = [[0.0; 3]; SIMPLEX_NODES];
        out[..4].copy_from_slice(&barycentric::<D>(stored));
        out
    }
}

/// Quadratic simplex with straight sides: the same numbers as the linear one, the volume divided by the points.
///
/// At the point near corner `q` the coordinates are `far` but for `L_q = near`, so with `X_ab` the node between corners
/// `a` and `b`: `dx/dL_c = (4 far - 1) X_cc + 4 far sum_{b != c} X_cb + 4 (near - far) X_cq`. Only the last term
/// changes from point to point.
#[derive(Debug)]
pub(super) struct Straight<const D: usize>;

impl<const D: usize> Shape for Straight<D> {
    const KIND: ElementKind = if D == 2 { ElementKind::Tri6 } else { ElementKind::Tet10 };
    const POINTS: usize = D + 1;
    const STORED: usize = D * D + 1;
    type Nodal = SimplexNodal;
    type Tensors = SimplexTensors;

    #[inline(always)]
    fn deformation(stored: &[f64], x: &SimplexNodal, f: &mut SimplexTensors) {
        let (beta, kappa) = (4.0 * far::<D>(), 4.0 * (near::<D>() - far::<D>()));
        let mut base = [[0.0; 3]; 4];
        for c in 0..=D {
            for i in 0..D {
                let mut s = 0.0;
                for b in 0..=D {
                    s += x[pair::<D>(c, b)][i];
                }
                base[c][i] = beta * s - x[c][i];
            }
        }
        for q in 0..=D {
            let mut d = [[0.0; 3]; 4];
            for c in 1..=D {
                for i in 0..D {
                    d[c][i] =
                        (base[c][i] - base[0][i]) + kappa * (x[pair::<D>(c, q)][i] - x[pair::<D>(0, q)][i]);
                }
            }
            f[q] = blank::<D>();
            spread::<D>(stored, &d, &mut f[q]);
        }
    }

    #[inline(always)]
    fn force(stored: &[f64], p: &SimplexTensors, out: &mut SimplexNodal) {
        let (beta, kappa) = (4.0 * far::<D>(), 4.0 * (near::<D>() - far::<D>()));
        let mut t = [[[0.0; 3]; 4]; 4];
        let mut sum = [[0.0; 3]; 4];
        for q in 0..=D {
            t[q] = tractions::<D>(stored, stored[D * D], &p[q]);
            for c in 0..=D {
                for i in 0..D {
                    sum[c][i] += t[q][c][i];
                }
            }
        }
        for a in 0..=D {
            for i in 0..D {
                out[a][i] = (beta - 1.0) * sum[a][i] + kappa * t[a][a][i];
            }
            for b in 0..a {
                for i in 0..D {
                    out[pair::<D>(a, b)][i] =
                        beta * (sum[a][i] + sum[b][i]) + kappa * (t[a][b][i] + t[b][a][i]);
                }
            }
        }
    }

    #[inline(always)]
    fn weight(stored: &[f64], _q: usize) -> f64 {
        stored[D * D]
    }

    fn gradients(stored: &[f64], q: usize) -> SimplexNodal {
        let mut l = [far::<D>(); 4];
        l[q] = near::<D>();
        let (_, d) = quadratic::<D>(&l);
        let g = barycentric::<D>(stored);
        let mut out = [[0.0; 3]; SIMPLEX_NODES];
        for a in 0..Self::KIND.nodes() {
            for c in 0..=D {
                for j in 0..D {
                    out[a][j] += d[a][c] * g[c][j];
                }
            }
        }
        out
    }
}

/// Quadratic simplex with curved sides: for each point its weight, then the gradients of all shape functions.
///
/// In the plane the rule integrates these gradients exactly (degree 2) and the patch test holds to rounding; in space
/// they have degree 3 when sides curve, and it holds to second order in the curvature.
#[derive(Debug)]
pub(super) struct Curved<const D: usize>;

impl<const D: usize> Curved<D> {
    const STRIDE: usize = 1 + D * Self::KIND.nodes();
}

impl<const D: usize> Shape for Curved<D> {
    const KIND: ElementKind = Straight::<D>::KIND;
    const POINTS: usize = D + 1;
    const STORED: usize = Self::POINTS * Self::STRIDE;
    type Nodal = SimplexNodal;
    type Tensors = SimplexTensors;

    #[inline(always)]
    fn deformation(stored: &[f64], x: &SimplexNodal, f: &mut SimplexTensors) {
        for q in 0..=D {
            let g = &stored[q * Self::STRIDE + 1..(q + 1) * Self::STRIDE];
            f[q] = blank::<D>();
            // Differences from the first node: a rigid shift leaves no rounding behind.
            for a in 1..Self::KIND.nodes() {
                for i in 0..D {
                    for j in 0..D {
                        f[q][i][j] += (x[a][i] - x[0][i]) * g[a * D + j];
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn force(stored: &[f64], p: &SimplexTensors, out: &mut SimplexNodal) {
        *out = [[0.0; 3]; SIMPLEX_NODES];
        for q in 0..=D {
            let stored = &stored[q * Self::STRIDE..(q + 1) * Self::STRIDE];
            let (weight, g) = (stored[0], &stored[1..]);
            for a in 1..Self::KIND.nodes() {
                for i in 0..D {
                    let mut s = 0.0;
                    for j in 0..D {
                        s += p[q][i][j] * g[a * D + j];
                    }
                    out[a][i] += weight * s;
                    out[0][i] -= weight * s;
                }
            }
        }
    }

    #[inline(always)]
    fn weight(stored: &[f64], q: usize) -> f64 {
        stored[q * Self::STRIDE]
    }

    fn gradients(stored: &[f64], q: usize) -> SimplexNodal {
        let mut out = [[0.0; 3]; SIMPLEX_NODES];
        for a in 0..Self::KIND.nodes() {
            let at = q * Self::STRIDE + 1 + a * D;
            out[a][..D].copy_from_slice(&stored[at..at + D]);
        }
        out
    }
}
