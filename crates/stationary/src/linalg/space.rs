//! Vectors, matrices and rotations of space.

/// A vector of space.
pub type Vec3 = [f64; 3];
/// A matrix by rows.
pub type Mat3 = [[f64; 3]; 3];

/// `a . b`.
#[inline]
pub fn inner(a: &Vec3, b: &Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a x b`.
#[inline]
pub fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `a + s b`.
#[inline]
pub fn plus(a: &Vec3, s: f64, b: &Vec3) -> Vec3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

/// `s a`.
#[inline]
pub fn times(s: f64, a: &Vec3) -> Vec3 {
    [s * a[0], s * a[1], s * a[2]]
}

/// The length of a vector.
#[inline]
pub fn norm(a: &Vec3) -> f64 {
    inner(a, a).sqrt()
}

/// `m a`.
#[inline]
pub fn apply(m: &Mat3, a: &Vec3) -> Vec3 {
    [inner(&m[0], a), inner(&m[1], a), inner(&m[2], a)]
}

/// `m' a`.
#[inline]
pub fn apply_transposed(m: &Mat3, a: &Vec3) -> Vec3 {
    let mut sum = times(a[0], &m[0]);
    sum = plus(&sum, a[1], &m[1]);
    plus(&sum, a[2], &m[2])
}

/// Column `j`.
#[inline]
pub fn column(m: &Mat3, j: usize) -> Vec3 {
    [m[0][j], m[1][j], m[2][j]]
}

/// The determinant.
#[inline]
pub fn determinant(m: &Mat3) -> f64 {
    inner(&m[0], &cross(&m[1], &m[2]))
}

/// The inverse by cofactors; entries that are not finite where there is none.
#[inline]
pub fn inverse(m: &Mat3) -> Mat3 {
    let cofactors = [cross(&m[1], &m[2]), cross(&m[2], &m[0]), cross(&m[0], &m[1])];
    let d = 1.0 / inner(&m[0], &cofactors[0]);
    let mut out = [[0.0; 3]; 3];
    for (i, row) in out.iter_mut().enumerate() {
        *row = times(d, &column(&cofactors, i));
    }
    out
}

/// Eigenvalues of a symmetric matrix, in increasing order, and the eigenvectors as columns of a rotation, by Jacobi's
/// rotations.
pub fn symmetric_eigen(m: &Mat3) -> (Vec3, Mat3) {
    let (mut a, mut v) = (*m, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    for _ in 0..64 {
        let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        let size = a[0][0].abs() + a[1][1].abs() + a[2][2].abs();
        // Also ends where something is not a number.
        if !(off > 1e-17 * size) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut v, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|i, j| a[*i][*i].total_cmp(&a[*j][*j]));
    let values = order.map(|i| a[i][i]);
    let mut vectors = v.map(|row| order.map(|j| row[j]));
    if determinant(&vectors) < 0.0 {
        vectors.iter_mut().for_each(|row| row[2] = -row[2]);
    }
    (values, vectors)
}

/// Makes `a[p][q]` vanish.
fn rotate(a: &mut Mat3, v: &mut Mat3, p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for row in a.iter_mut().chain(v.iter_mut()) {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    let (rp, rq) = (a[p], a[q]);
    a[p] = plus(&times(c, &rp), -s, &rq);
    a[q] = plus(&times(c, &rq), s, &rp);
}

/// A rotation as a quaternion `w + x i + y j + z k`. Every nonzero multiple is the same rotation.
///
/// ```
/// use stationary::linalg::space::{Quaternion, apply};
/// let quarter = Quaternion::about(&[0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2);
/// let turned = apply(&quarter.matrix(), &[1.0, 0.0, 0.0]);
/// assert!(turned[0].abs() < 1e-15 && (turned[1] - 1.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quaternion(pub [f64; 4]);

impl Quaternion {
    /// No rotation.
    pub const ONE: Quaternion = Quaternion([1.0, 0.0, 0.0, 0.0]);

    /// The rotation by an angle about an axis of any length but zero.
    pub fn about(axis: &Vec3, angle: f64) -> Self {
        let (s, c) = (0.5 * angle).sin_cos();
        let [x, y, z] = times(s / norm(axis), axis);
        Quaternion([c, x, y, z])
    }

    /// The scalar part and the vector part.
    #[inline]
    pub fn parts(&self) -> (f64, Vec3) {
        let [w, x, y, z] = self.0;
        (w, [x, y, z])
    }

    /// `|q|^2`.
    #[inline]
    pub fn squared(&self) -> f64 {
        self.0.iter().map(|x| x * x).sum()
    }

    /// The unit quaternion of the same rotation.
    pub fn unit(&self) -> Self {
        // First by the largest entry: squares of very large or small ones would leave the range of numbers.
        let largest = self.0.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let scaled = Quaternion(self.0.map(|x| x / largest));
        let norm = scaled.squared().sqrt();
        Quaternion(scaled.0.map(|x| x / norm))
    }

    /// First `other`, then this.
    #[inline]
    pub fn after(&self, other: &Quaternion) -> Self {
        let ((a, u), (b, v)) = (self.parts(), other.parts());
        let w = a * b - inner(&u, &v);
        let [x, y, z] = plus(&plus(&times(a, &v), b, &u), 1.0, &cross(&u, &v));
        Quaternion([w, x, y, z])
    }

    /// The rotation matrix: orthogonal to rounding, whatever the length of the quaternion.
    #[inline]
    pub fn matrix(&self) -> Mat3 {
        let [w, x, y, z] = self.0;
        let s = 2.0 / self.squared();
        [
            [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_quaternions_is_that_of_their_matrices() {
        let (a, b) = (Quaternion([0.3, -0.5, 0.2, 0.9]), Quaternion([-1.1, 0.4, 0.7, 0.1]));
        let (product, ra, rb) = (a.after(&b).matrix(), a.matrix(), b.matrix());
        for i in 0..3 {
            for j in 0..3 {
                assert!((product[i][j] - inner(&ra[i], &column(&rb, j))).abs() < 1e-15);
                let one = f64::from(u8::from(i == j));
                assert!((inner(&ra[i], &ra[j]) - one).abs() < 1e-15);
            }
        }
        assert!((determinant(&ra) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn unit_quaternions_survive_extreme_sizes() {
        for size in [1e-300, 1.0, 1e300] {
            let q = Quaternion([size, -size, size, size]).unit();
            assert!((q.squared() - 1.0).abs() < 1e-15, "{q:?}");
        }
    }

    #[test]
    fn eigenvectors_diagonalise() {
        let m = [[2.0, 0.3, -0.1], [0.3, 1.0, 0.4], [-0.1, 0.4, 3.0]];
        let (values, vectors) = symmetric_eigen(&m);
        assert!(values[0] <= values[1] && values[1] <= values[2]);
        assert!((determinant(&vectors) - 1.0).abs() < 1e-14);
        for (j, value) in values.iter().enumerate() {
            let v = column(&vectors, j);
            assert!(norm(&plus(&apply(&m, &v), -value, &v)) < 1e-14);
        }
        let product = inverse(&m).map(|row| apply_transposed(&m, &row));
        assert!((product[0][0] - 1.0).abs() < 1e-15 && product[0][1].abs() < 1e-15);
    }
}
