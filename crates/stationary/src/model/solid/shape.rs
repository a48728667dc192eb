//! From nodal positions to deformation gradients and from stresses to nodal forces, for each kind of element, in vector lanes.
//!
//! One element at a time is the case of one lane, with the same operations in the same order and so the same bits; none is fused. `D` is
//! the dimension; loops over it and over points unroll.

use super::kind::{ElementKind, SIMPLEX_NODES, SIMPLEX_POINTS, far, near, pair, quadratic};
use super::lanes::Lanes;
use super::stored::Stored;
use std::fmt::Debug;
use std::ops::IndexMut;

/// An array with a value for each node, or for each quadrature point, of one element.
pub(super) trait Local<T: Clone>:
    Clone + IndexMut<usize, Output = T> + AsRef<[T]> + AsMut<[T]>
{
    /// The same value everywhere.
    fn of(value: T) -> Self
    where
        T: Copy;
}

impl<T: Clone, const N: usize> Local<T> for [T; N] {
    #[inline(always)]
    fn of(value: T) -> Self
    where
        T: Copy,
    {
        [value; N]
    }
}

/// The quadrature points between elements and laws: arrays of tensors, or batches of points.
///
/// Kernels use the place of `F` for what leads to it, and that of `P` for what follows from it.
pub(super) trait Points<L: Lanes> {
    /// `F` at a point.
    fn deformation(&self, q: usize) -> Tensors<L>;
    /// Sets an entry of it.
    fn set(&mut self, q: usize, i: usize, j: usize, value: L);
    /// `P` at a point.
    fn stress(&self, q: usize) -> Tensors<L>;
    /// An entry of it.
    fn stress_entry(&self, q: usize, i: usize, j: usize) -> L;
    /// Sets an entry of it.
    fn set_stress(&mut self, q: usize, i: usize, j: usize, value: L);

    /// Sets `F` at a point.
    #[inline(always)]
    fn put(&mut self, q: usize, f: &Tensors<L>) {
        for i in 0..3 {
            for j in 0..3 {
                self.set(q, i, j, f[i][j]);
            }
        }
    }
}

/// The points of one element or vector of elements.
pub(super) struct Alone<'a, L> {
    pub f: &'a mut [Tensors<L>],
    pub p: &'a mut [Tensors<L>],
}

impl<L: Lanes> Points<L> for Alone<'_, L> {
    #[inline(always)]
    fn deformation(&self, q: usize) -> Tensors<L> {
        self.f[q]
    }

    #[inline(always)]
    fn set(&mut self, q: usize, i: usize, j: usize, value: L) {
        self.f[q][i][j] = value;
    }

    #[inline(always)]
    fn stress(&self, q: usize) -> Tensors<L> {
        self.p[q]
    }

    #[inline(always)]
    fn stress_entry(&self, q: usize, i: usize, j: usize) -> L {
        self.p[q][i][j]
    }

    #[inline(always)]
    fn set_stress(&mut self, q: usize, i: usize, j: usize, value: L) {
        self.p[q][i][j] = value;
    }
}

/// A tensor in lanes.
pub(super) type Tensors<L> = [[L; 3]; 3];
/// A vector on each node.
pub(super) type Nodal<S, L> = <S as Shape>::AtNodes<[L; 3]>;
/// A tensor at each quadrature point.
pub(super) type Pointwise<S, L> = <S as Shape>::AtPoints<Tensors<L>>;

/// About so many points of a group of elements are evaluated together.
const GROUP_POINTS: usize = 8;

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
    /// A value at each node.
    type AtNodes<T: Clone>: Local<T>;
    /// A value at each quadrature point.
    type AtPoints<T: Clone>: Local<T>;
    /// Groups of elements that are evaluated together: enough that the processor always has a point to work on.
    const GROUPS: usize = if Self::POINTS < GROUP_POINTS { GROUP_POINTS / Self::POINTS } else { 1 };

    /// `F` at each quadrature point, in order.
    fn deformation<L: Lanes>(stored: Stored<'_, L>, x: &Self::AtNodes<[L; 3]>, points: &mut impl Points<L>);
    /// `sum_q w_q P_q grad N_a` for each node. What is left as stresses means nothing.
    fn force<L: Lanes>(stored: Stored<'_, L>, points: &mut impl Points<L>, out: &mut Self::AtNodes<[L; 3]>);
    /// Where the points are in the reference cell.
    fn places() -> Vec<[f64; 3]>;
    /// Reference volume that a point stands for.
    fn weight<L: Lanes>(stored: Stored<'_, L>, q: usize) -> L;
    /// `grad N_a` at a point.
    fn gradients(stored: Stored<'_, f64>, q: usize) -> Self::AtNodes<[f64; 3]>;
}

/// No value.
#[inline(always)]
pub(super) fn zero<L: Lanes>() -> L {
    L::splat(0.0)
}

/// The points of a simplex: one in the middle, or one near each corner.
pub(super) fn simplex_places<const D: usize>(points: usize) -> Vec<[f64; 3]> {
    let coordinate = |q: usize, c: usize| match (points, c <= D) {
        (_, false) => 0.0,
        (1, true) => 1.0 / (D + 1) as f64,
        _ if q == c => near::<D>(),
        _ => far::<D>(),
    };
    (0..points).map(|q| [1, 2, 3].map(|c| coordinate(q, c))).collect()
}

/// `-x`.
#[inline(always)]
pub(super) fn minus<L: Lanes>(x: L) -> L {
    L::splat(-1.0).mul(x)
}

/// Where a sum that makes `F` starts: plane elements have `F33 = 1` (plane strain).
#[inline(always)]
fn blank<L: Lanes, const D: usize>() -> Tensors<L> {
    let mut f = [[zero(); 3]; 3];
    f[2][2] = L::splat(if D == 2 { 1.0 } else { 0.0 });
    f
}

/// `F = sum_c d_c (x) g_c` over the corners past the first.
#[inline(always)]
fn spread<L: Lanes, const D: usize>(stored: Stored<'_, L>, d: &[[L; 3]; 4]) -> Tensors<L> {
    let mut f = blank::<L, D>();
    for i in 0..D {
        for j in 0..D {
            for c in 0..D {
                f[i][j] = f[i][j].add(d[c + 1][i].mul(stored.at(c * D + j)));
            }
        }
    }
    f
}

/// `P grad L_c` for every corner. The first is minus the sum of the others, so that forces balance.
#[inline(always)]
fn tractions<L: Lanes, const D: usize>(stored: Stored<'_, L>, weight: L, p: &Tensors<L>) -> [[L; 3]; 4] {
    let mut t = [[zero(); 3]; 4];
    for i in 0..D {
        let mut sum = zero::<L>();
        for c in 0..D {
            let mut s = zero::<L>();
            for j in 0..D {
                s = s.add(p[i][j].mul(stored.at(c * D + j)));
            }
            t[c + 1][i] = s.mul(weight);
            sum = sum.add(t[c + 1][i]);
        }
        t[0][i] = minus(sum);
    }
    t
}

/// `grad L_c` for every corner.
fn barycentric<const D: usize>(stored: Stored<'_, f64>) -> [[f64; 3]; 4] {
    let mut g = [[0.0; 3]; 4];
    for j in 0..D {
        for c in 0..D {
            g[c + 1][j] = stored.at(c * D + j);
            g[0][j] -= stored.at(c * D + j);
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
    type AtNodes<T: Clone> = [T; SIMPLEX_NODES];
    type AtPoints<T: Clone> = [T; SIMPLEX_POINTS];

    fn places() -> Vec<[f64; 3]> {
        simplex_places::<D>(Self::POINTS)
    }

    #[inline(always)]
    fn deformation<L: Lanes>(
        stored: Stored<'_, L>,
        x: &[[L; 3]; SIMPLEX_NODES],
        points: &mut impl Points<L>,
    ) {
        let mut d = [[zero(); 3]; 4];
        for c in 1..=D {
            for i in 0..D {
                d[c][i] = x[c][i].sub(x[0][i]);
            }
        }
        points.put(0, &spread::<L, D>(stored, &d));
    }

    #[inline(always)]
    fn force<L: Lanes>(
        stored: Stored<'_, L>,
        points: &mut impl Points<L>,
        out: &mut [[L; 3]; SIMPLEX_NODES],
    ) {
        let t = tractions::<L, D>(stored, stored.at(D * D), &points.stress(0));
        out[..=D].copy_from_slice(&t[..=D]);
    }

    #[inline(always)]
    fn weight<L: Lanes>(stored: Stored<'_, L>, _q: usize) -> L {
        stored.at(D * D)
    }

    fn gradients(stored: Stored<'_, f64>, _q: usize) -> [[f64; 3]; SIMPLEX_NODES] {
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

/// `4 far` and `4 (near - far)`.
#[inline(always)]
fn factors<L: Lanes, const D: usize>() -> [L; 2] {
    [L::splat(4.0 * far::<D>()), L::splat(4.0 * (near::<D>() - far::<D>()))]
}

impl<const D: usize> Shape for Straight<D> {
    const KIND: ElementKind = if D == 2 { ElementKind::Tri6 } else { ElementKind::Tet10 };
    const POINTS: usize = D + 1;
    const STORED: usize = D * D + 1;
    type AtNodes<T: Clone> = [T; SIMPLEX_NODES];
    type AtPoints<T: Clone> = [T; SIMPLEX_POINTS];

    fn places() -> Vec<[f64; 3]> {
        simplex_places::<D>(Self::POINTS)
    }

    #[inline(always)]
    fn deformation<L: Lanes>(
        stored: Stored<'_, L>,
        x: &[[L; 3]; SIMPLEX_NODES],
        points: &mut impl Points<L>,
    ) {
        let [beta, kappa] = factors::<L, D>();
        let mut base = [[zero(); 3]; 4];
        for c in 0..=D {
            for i in 0..D {
                let mut s = zero::<L>();
                for b in 0..=D {
                    s = s.add(x[pair::<D>(c, b)][i]);
                }
                base[c][i] = beta.mul(s).sub(x[c][i]);
            }
        }
        for q in 0..=D {
            let mut d = [[zero(); 3]; 4];
            for c in 1..=D {
                for i in 0..D {
                    let own = x[pair::<D>(c, q)][i].sub(x[pair::<D>(0, q)][i]);
                    d[c][i] = base[c][i].sub(base[0][i]).add(kappa.mul(own));
                }
            }
            points.put(q, &spread::<L, D>(stored, &d));
        }
    }

    #[inline(always)]
    fn force<L: Lanes>(
        stored: Stored<'_, L>,
        points: &mut impl Points<L>,
        out: &mut [[L; 3]; SIMPLEX_NODES],
    ) {
        let [beta, kappa] = factors::<L, D>();
        let mut t = [[[zero(); 3]; 4]; 4];
        let mut sum = [[zero::<L>(); 3]; 4];
        for q in 0..=D {
            t[q] = tractions::<L, D>(stored, stored.at(D * D), &points.stress(q));
            for c in 0..=D {
                for i in 0..D {
                    sum[c][i] = sum[c][i].add(t[q][c][i]);
                }
            }
        }
        let corner = beta.sub(L::splat(1.0));
        for a in 0..=D {
            for i in 0..D {
                out[a][i] = corner.mul(sum[a][i]).add(kappa.mul(t[a][a][i]));
            }
            for b in 0..a {
                for i in 0..D {
                    let own = kappa.mul(t[a][b][i].add(t[b][a][i]));
                    out[pair::<D>(a, b)][i] = beta.mul(sum[a][i].add(sum[b][i])).add(own);
                }
            }
        }
    }

    #[inline(always)]
    fn weight<L: Lanes>(stored: Stored<'_, L>, _q: usize) -> L {
        stored.at(D * D)
    }

    fn gradients(stored: Stored<'_, f64>, q: usize) -> [[f64; 3]; SIMPLEX_NODES] {
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
    type AtNodes<T: Clone> = [T; SIMPLEX_NODES];
    type AtPoints<T: Clone> = [T; SIMPLEX_POINTS];

    fn places() -> Vec<[f64; 3]> {
        simplex_places::<D>(Self::POINTS)
    }

    #[inline(always)]
    fn deformation<L: Lanes>(
        stored: Stored<'_, L>,
        x: &[[L; 3]; SIMPLEX_NODES],
        points: &mut impl Points<L>,
    ) {
        for q in 0..=D {
            let g = stored.part(q * Self::STRIDE + 1, Self::STRIDE - 1);
            let mut f = blank::<L, D>();
            // Differences from the first node: a rigid shift leaves no rounding behind.
            for a in 1..Self::KIND.nodes() {
                for i in 0..D {
                    let u = x[a][i].sub(x[0][i]);
                    for j in 0..D {
                        f[i][j] = f[i][j].add(u.mul(g.at(a * D + j)));
                    }
                }
            }
            points.put(q, &f);
        }
    }

    #[inline(always)]
    fn force<L: Lanes>(
        stored: Stored<'_, L>,
        points: &mut impl Points<L>,
        out: &mut [[L; 3]; SIMPLEX_NODES],
    ) {
        *out = [[zero(); 3]; SIMPLEX_NODES];
        for q in 0..=D {
            let own = stored.part(q * Self::STRIDE, Self::STRIDE);
            let (weight, p) = (own.at(0), points.stress(q));
            for a in 1..Self::KIND.nodes() {
                for i in 0..D {
                    let mut s = p[i][0].mul(own.at(1 + a * D));
                    for j in 1..D {
                        s = s.add(p[i][j].mul(own.at(1 + a * D + j)));
                    }
                    let s = weight.mul(s);
                    out[a][i] = out[a][i].add(s);
                    out[0][i] = out[0][i].sub(s);
                }
            }
        }
    }

    #[inline(always)]
    fn weight<L: Lanes>(stored: Stored<'_, L>, q: usize) -> L {
        stored.at(q * Self::STRIDE)
    }

    fn gradients(stored: Stored<'_, f64>, q: usize) -> [[f64; 3]; SIMPLEX_NODES] {
        let mut out = [[0.0; 3]; SIMPLEX_NODES];
        for a in 0..Self::KIND.nodes() {
            (0..D).for_each(|j| out[a][j] = stored.at(q * Self::STRIDE + 1 + a * D + j));
        }
        out
    }
}
