//! Three by three matrices of numbers side by side, `m[i][j]` in row `i`.
//!
//! The first functions round as those of [`tensor`](crate::model::solid::tensor) do, operation by operation; the others use fused products.

use super::{Lanes, Num};

/// A second-order tensor of each lane.
pub(in crate::model::solid) type Matrix<L> = [[Num<L>; 3]; 3];
/// A symmetric one as xx, yy, zz, xy, yz, xz.
pub(in crate::model::solid) type Symmetric<L> = [Num<L>; 6];

/// Where the entry `ij` of a symmetric tensor is.
pub(in crate::model::solid) const ENTRY: [[usize; 3]; 3] = [[0, 3, 5], [3, 1, 4], [5, 4, 2]];
/// Row and column of each.
pub(in crate::model::solid) const PLACE: [(usize, usize); 6] =
    [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];

/// The zero matrix.
#[inline(always)]
pub(in crate::model::solid) fn zero<L: Lanes>() -> Matrix<L> {
    [[Num::splat(0.0); 3]; 3]
}

/// The matrix of cofactors.
#[inline(always)]
pub(in crate::model::solid) fn cofactor<L: Lanes>(m: &Matrix<L>) -> Matrix<L> {
    [
        [
            m[1][1] * m[2][2] - m[1][2] * m[2][1],
            m[1][2] * m[2][0] - m[1][0] * m[2][2],
            m[1][0] * m[2][1] - m[1][1] * m[2][0],
        ],
        [
            m[2][1] * m[0][2] - m[2][2] * m[0][1],
            m[2][2] * m[0][0] - m[2][0] * m[0][2],
            m[2][0] * m[0][1] - m[2][1] * m[0][0],
        ],
        [
            m[0][1] * m[1][2] - m[0][2] * m[1][1],
            m[0][2] * m[1][0] - m[0][0] * m[1][2],
            m[0][0] * m[1][1] - m[0][1] * m[1][0],
        ],
    ]
}

/// The determinant, given the cofactors.
#[inline(always)]
pub(in crate::model::solid) fn determinant_by<L: Lanes>(m: &Matrix<L>, cof: &Matrix<L>) -> Num<L> {
    m[0][0] * cof[0][0] + m[0][1] * cof[0][1] + m[0][2] * cof[0][2]
}

/// `a b`.
#[inline(always)]
pub(in crate::model::solid) fn product<L: Lanes>(a: &Matrix<L>, b: &Matrix<L>) -> Matrix<L> {
    let mut c = zero();
    for i in 0..3 {
        for j in 0..3 {
            c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
    c
}

/// The transpose.
#[inline(always)]
pub(in crate::model::solid) fn transpose<L: Lanes>(m: &Matrix<L>) -> Matrix<L> {
    let mut t = *m;
    for i in 0..3 {
        for j in 0..3 {
            t[i][j] = m[j][i];
        }
    }
    t
}

/// `a : b`.
#[inline(always)]
pub(in crate::model::solid) fn contract<L: Lanes>(a: &Matrix<L>, b: &Matrix<L>) -> Num<L> {
    let mut s = Num::splat(0.0);
    for i in 0..3 {
        s = s + (a[i][0] * b[i][0] + a[i][1] * b[i][1] + a[i][2] * b[i][2]);
    }
    s
}

/// `sum_k s_k m_k`.
#[inline(always)]
pub(in crate::model::solid) fn combine<L: Lanes, const N: usize>(
    terms: [(Num<L>, &Matrix<L>); N],
) -> Matrix<L> {
    let mut c = zero();
    for (s, m) in terms {
        for i in 0..3 {
            for j in 0..3 {
                c[i][j] = c[i][j] + s * m[i][j];
            }
        }
    }
    c
}

/// `(m + m^T) / 2`.
#[inline(always)]
pub(in crate::model::solid) fn symmetric<L: Lanes>(m: &Matrix<L>) -> Matrix<L> {
    let mut e = zero();
    for i in 0..3 {
        for j in 0..3 {
            e[i][j] = 0.5 * (m[i][j] + m[j][i]);
        }
    }
    e
}

/// Green's strain `(f^T f - 1) / 2`.
#[inline(always)]
pub(in crate::model::solid) fn green<L: Lanes>(f: &Matrix<L>) -> Matrix<L> {
    let mut e = combine([(Num::splat(0.5), &product(&transpose(f), f))]);
    for i in 0..3 {
        e[i][i] = e[i][i] - 0.5;
    }
    e
}

/// A matrix of single numbers in all lanes.
#[inline(always)]
pub(in crate::model::solid) fn splat<L: Lanes>(m: &[[f64; 3]; 3]) -> Matrix<L> {
    let mut wide = zero();
    for i in 0..3 {
        for j in 0..3 {
            wide[i][j] = Num::splat(m[i][j]);
        }
    }
    wide
}

/// Cofactors and determinant with fused products.
#[inline(always)]
pub(in crate::model::solid) fn cofactor_fused<L: Lanes>(m: &Matrix<L>) -> (Matrix<L>, Num<L>) {
    let mut c = zero();
    for i in 0..3 {
        let (p, q) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (r, s) = ((j + 1) % 3, (j + 2) % 3);
            c[i][j] = m[p][s].mul_from(m[q][r], m[p][r] * m[q][s]);
        }
    }
    (c, Num::dot(m[0], c[0]))
}

/// `f g f^T` with a symmetric `g`.
#[inline(always)]
pub(in crate::model::solid) fn push<L: Lanes>(f: &Matrix<L>, g: &Symmetric<L>) -> Symmetric<L> {
    let mut half = zero();
    for i in 0..3 {
        for j in 0..3 {
            half[i][j] = Num::dot(f[i], [g[ENTRY[0][j]], g[ENTRY[1][j]], g[ENTRY[2][j]]]);
        }
    }
    let mut b = [Num::splat(0.0); 6];
    for (b, (i, j)) in b.iter_mut().zip(PLACE) {
        *b = Num::dot(half[i], f[j]);
    }
    b
}

/// `m s`.
#[inline(always)]
pub(in crate::model::solid) fn scaled<L: Lanes>(m: &Matrix<L>, s: Num<L>) -> Matrix<L> {
    let mut scaled = *m;
    for row in &mut scaled {
        for m in row {
            *m = *m * s;
        }
    }
    scaled
}

/// `f f^T`.
#[inline(always)]
pub(in crate::model::solid) fn left_cauchy_green<L: Lanes>(f: &Matrix<L>) -> Symmetric<L> {
    let mut b = [Num::splat(0.0); 6];
    for (b, (i, j)) in b.iter_mut().zip(PLACE) {
        *b = Num::dot(f[i], f[j]);
    }
    b
}

/// `t f^-T`, given the cofactors and the reciprocal of the determinant of `f`.
#[inline(always)]
pub(in crate::model::solid) fn piola<L: Lanes>(
    t: &Symmetric<L>,
    cof: &Matrix<L>,
    reciprocal: Num<L>,
) -> Matrix<L> {
    let mut scaled = *t;
    for t in &mut scaled {
        *t = *t * reciprocal;
    }
    let mut p = zero();
    for i in 0..3 {
        for j in 0..3 {
            let row = [scaled[ENTRY[i][0]], scaled[ENTRY[i][1]], scaled[ENTRY[i][2]]];
            p[i][j] = Num::dot(row, [cof[0][j], cof[1][j], cof[2][j]]);
        }
    }
    p
}

/// `f^-1 b f^-T`, given the cofactors and the reciprocal of the determinant of `f`.
#[inline(always)]
pub(in crate::model::solid) fn pull<L: Lanes>(
    cof: &Matrix<L>,
    reciprocal: Num<L>,
    b: &Symmetric<L>,
) -> Symmetric<L> {
    let mut g = push(&transpose(cof), b);
    let square = reciprocal * reciprocal;
    for g in &mut g {
        *g = *g * square;
    }
    g
}

/// `a : b` of symmetric tensors.
#[inline(always)]
pub(in crate::model::solid) fn contract_symmetric<L: Lanes>(a: &Symmetric<L>, b: &Symmetric<L>) -> Num<L> {
    let normal = Num::dot([a[0], a[1], a[2]], [b[0], b[1], b[2]]);
    let shear = Num::dot([a[3], a[4], a[5]], [b[3], b[4], b[5]]);
    shear.mul_add(Num::splat(2.0), normal)
}

/// The first numbers of a slice, `STRIDE` apart, each with all its lanes.
#[inline(always)]
pub(in crate::model::solid) fn load<L: Lanes, const N: usize, const STRIDE: usize>(
    from: &[f64],
) -> [Num<L>; N] {
    let from = &from[..(N - 1) * STRIDE + L::WIDTH];
    let mut all = [Num::splat(0.0); N];
    for i in 0..N {
        all[i] = Num::load(&from[i * STRIDE..]);
    }
    all
}

/// A matrix of a single lane as one of numbers.
#[inline(always)]
pub(in crate::model::solid) fn single(m: &Matrix<f64>) -> [[f64; 3]; 3] {
    let mut single = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            single[i][j] = m[i][j].0;
        }
    }
    single
}
