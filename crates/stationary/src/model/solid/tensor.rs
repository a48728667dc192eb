//! Three by three matrices as plain arrays, `m[i][j]` in row `i`.

/// A second-order tensor, as the matrix of its components by rows; a deformation gradient is `f[i][J] = dx_i / dX_J`.
pub type Tensor = [[f64; 3]; 3];

/// The unit matrix.
pub const IDENTITY: Tensor = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The matrix of cofactors, `det(m) m^-T` without a division.
#[inline(always)]
pub fn cofactor(m: &Tensor) -> Tensor {
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
pub fn determinant_by(m: &Tensor, cofactor: &Tensor) -> f64 {
    m[0][0] * cofactor[0][0] + m[0][1] * cofactor[0][1] + m[0][2] * cofactor[0][2]
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
pub fn contract(a: &Tensor, b: &Tensor) -> f64 {
    let mut s = 0.0;
    for i in 0..3 {
        s += a[i][0] * b[i][0] + a[i][1] * b[i][1] + a[i][2] * b[i][2];
    }
    s
}

/// `sum_k s_k m_k`.
#[inline(always)]
pub fn combine<const N: usize>(terms: [(f64, &Tensor); N]) -> Tensor {
    let mut c = [[0.0; 3]; 3];
    for (s, m) in terms {
        for i in 0..3 {
            for j in 0..3 {
                c[i][j] += s * m[i][j];
            }
        }
    }
    c
}

/// The length of a vector.
#[inline(always)]
pub fn norm(v: &[f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}
