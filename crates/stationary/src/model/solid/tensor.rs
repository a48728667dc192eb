//! Three by three matrices as plain arrays, `m[i][j]` in row `i`. What elements need of them is written for vector lanes too.

use super::lanes::Lanes;

/// A second-order tensor, as the matrix of its components by rows; a deformation gradient is `f[i][J] = dx_i / dX_J`.
pub type Tensor = [[f64; 3]; 3];

/// The unit matrix.
pub const IDENTITY: Tensor = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The matrix of cofactors, `det(m) m^-T` without a division.
#[inline(always)]
pub fn cofactor<L: Lanes>(m: &[[L; 3]; 3]) -> [[L; 3]; 3] {
    [cross(&m[1], &m[2]), cross(&m[2], &m[0]), cross(&m[0], &m[1])]
}

/// `a x b`.
#[inline(always)]
fn cross<L: Lanes>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    [
        a[1].mul(b[2]).sub(a[2].mul(b[1])),
        a[2].mul(b[0]).sub(a[0].mul(b[2])),
        a[0].mul(b[1]).sub(a[1].mul(b[0])),
    ]
}

/// The determinant, given the cofactors.
#[inline(always)]
pub fn determinant_by<L: Lanes>(m: &[[L; 3]; 3], cofactor: &[[L; 3]; 3]) -> L {
    let [a, b] = [&m[0], &cofactor[0]];
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

/// The determinant.
#[inline(always)]
pub fn determinant(m: &Tensor) -> f64 {
    determinant_by(m, &cofactor(m))
}

/// `a b`.
#[inline(always)]
pub fn product(a: &Tensor, b: &Tensor) -> Tensor {
    let mut c = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
    c
}

/// The transpose.
#[inline(always)]
pub fn transpose(m: &Tensor) -> Tensor {
    let mut t = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            t[i][j] = m[j][i];
        }
    }
    t
}

/// `a : b`, the sum of the products of equal entries.
#[inline(always)]
pub fn contract<L: Lanes>(a: &[[L; 3]; 3], b: &[[L; 3]; 3]) -> L {
    let mut s = L::splat(0.0);
    for i in 0..3 {
        s = s.add(a[i][0].mul(b[i][0]).add(a[i][1].mul(b[i][1])).add(a[i][2].mul(b[i][2])));
    }
    s
}

/// `sum_k s_k m_k`.
#[inline(always)]
pub fn combine<L: Lanes, const N: usize>(terms: [(L, &[[L; 3]; 3]); N]) -> [[L; 3]; 3] {
    let mut c = [[L::splat(0.0); 3]; 3];
    for (s, m) in terms {
        for i in 0..3 {
            for j in 0..3 {
                c[i][j] = c[i][j].add(s.mul(m[i][j]));
            }
        }
    }
    c
}

/// `b = F F^T`.
pub fn left_cauchy_green(f: &Tensor) -> Tensor {
    product(f, &transpose(f))
}

/// The length of a vector.
#[inline(always)]
pub fn norm(v: &[f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}
