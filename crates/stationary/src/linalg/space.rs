//! Matrices and rotations of space.

use super::vector::{Vec3, Vector};
use crate::archive::{Archive, Persist};
use std::ops::{Index, IndexMut, Mul};

/// A three by three matrix, by rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mat3(pub [Vec3; 3]);

impl Mat3 {
    /// The unit matrix.
    pub const ONE: Mat3 = Mat3::diagonal(1.0, 1.0, 1.0);

    /// The matrix with these rows.
    #[inline(always)]
    pub const fn from_rows([a, b, c]: [[f64; 3]; 3]) -> Self {
        Mat3([Vec3::new(a[0], a[1], a[2]), Vec3::new(b[0], b[1], b[2]), Vec3::new(c[0], c[1], c[2])])
    }

    /// The matrix with these entries on its diagonal and zeros elsewhere.
    pub const fn diagonal(a: f64, b: f64, c: f64) -> Self {
        Mat3::from_rows([[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]])
    }

    /// The matrix `[a x]` with `[a x] b = a x b`.
    #[inline(always)]
    pub const fn skew(a: Vec3) -> Self {
        let [x, y, z] = a.0;
        Mat3::from_rows([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    }

    /// The rows as arrays.
    pub fn rows(&self) -> [[f64; 3]; 3] {
        self.0.map(|row| row.0)
    }

    /// The entries by rows.
    pub fn entries(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().flat_map(|row| row.0)
    }

    /// Column `j`.
    #[inline(always)]
    pub fn column(&self, j: usize) -> Vec3 {
        Vec3::from_fn(|i| self.0[i][j])
    }

    /// The transposed matrix.
    #[inline(always)]
    pub fn transpose(&self) -> Self {
        Mat3([self.column(0), self.column(1), self.column(2)])
    }

    /// The determinant, along the first row.
    #[inline]
    pub fn determinant(&self) -> f64 {
        self.0[0].dot(self.0[1].cross(self.0[2]))
    }

    /// The inverse by cofactors; its entries are not finite for a singular matrix.
    #[inline]
    pub fn inverse(&self) -> Self {
        let [a, b, c] = self.0;
        let cofactors = Mat3([b.cross(c), c.cross(a), a.cross(b)]);
        let d = 1.0 / a.dot(cofactors[0]);
        Mat3(cofactors.transpose().0.map(|row| d * row))
    }

    /// Whether every entry is a finite number.
    pub fn is_finite(&self) -> bool {
        self.0.iter().all(|row| row.is_finite())
    }
}

impl From<[[f64; 3]; 3]> for Mat3 {
    fn from(rows: [[f64; 3]; 3]) -> Self {
        Mat3::from_rows(rows)
    }
}

impl Index<usize> for Mat3 {
    type Output = Vec3;

    #[inline(always)]
    fn index(&self, i: usize) -> &Vec3 {
        &self.0[i]
    }
}

impl IndexMut<usize> for Mat3 {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut Vec3 {
        &mut self.0[i]
    }
}

impl Mul<Vec3> for &Mat3 {
    type Output = Vec3;

    #[inline(always)]
    fn mul(self, a: Vec3) -> Vec3 {
        Vec3::from_fn(|i| self.0[i].dot(a))
    }
}

impl Mul<Vec3> for Mat3 {
    type Output = Vec3;

    #[inline(always)]
    fn mul(self, a: Vec3) -> Vec3 {
        (&self).mul(a)
    }
}

impl Mul for Mat3 {
    type Output = Mat3;

    #[inline]
    fn mul(self, other: Mat3) -> Mat3 {
        Mat3(self.0.map(|row| other.transpose() * row))
    }
}

impl Persist for Mat3 {
    fn pass(&mut self, archive: &mut Archive) {
        self.0.pass(archive);
    }
}

/// Eigenvalues of a symmetric matrix, in increasing order, and the eigenvectors as columns of a rotation, by Jacobi's
/// rotations.
pub fn symmetric_eigen(m: &Mat3) -> (Vec3, Mat3) {
    let (mut a, mut v) = (*m, Mat3::ONE);
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
    let values = Vector(order.map(|i| a[i][i]));
    let mut vectors = Mat3(v.0.map(|row| Vector(order.map(|j| row[j]))));
    if vectors.determinant() < 0.0 {
        vectors.0.iter_mut().for_each(|row| row[2] = -row[2]);
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
    for row in a.0.iter_mut().chain(v.0.iter_mut()) {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    let (rp, rq) = (a[p], a[q]);
    a[p] = c * rp - s * rq;
    a[q] = c * rq + s * rp;
}

/// A rotation as a quaternion `w + x i + y j + z k`. Every nonzero multiple is the same rotation.
///
/// ```
/// use stationary::linalg::{Quaternion, Vec3};
/// let quarter = Quaternion::about(Vec3::unit(2), std::f64::consts::FRAC_PI_2);
/// let turned = quarter.matrix() * Vec3::unit(0);
/// assert!(turned[0].abs() < 1e-15 && (turned[1] - 1.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quaternion(pub [f64; 4]);

impl Quaternion {
    /// No rotation.
    pub const ONE: Quaternion = Quaternion([1.0, 0.0, 0.0, 0.0]);

    /// The rotation by an angle about an axis of any length but zero.
    pub fn about(axis: Vec3, angle: f64) -> Self {
        let (s, c) = (0.5 * angle).sin_cos();
        let [x, y, z] = ((s / axis.norm()) * axis).0;
        Quaternion([c, x, y, z])
    }

    /// The scalar part and the vector part.
    #[inline]
    pub fn parts(&self) -> (f64, Vec3) {
        let [w, x, y, z] = self.0;
        (w, Vec3::new(x, y, z))
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
        let (a, u) = self.parts();
        let (b, v) = other.parts();
        let w = a * b - u.dot(v);
        let [x, y, z] = (a * v + b * u + u.cross(v)).0;
        Quaternion([w, x, y, z])
    }

    /// The rotation matrix: orthogonal to rounding, whatever the length of the quaternion.
    #[inline]
    pub fn matrix(&self) -> Mat3 {
        let [w, x, y, z] = self.0;
        let s = 2.0 / self.squared();
        Mat3::from_rows([
            [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_of_quaternions_is_the_product_of_their_rotation_matrices() {
        let (a, b) = (Quaternion([0.3, -0.5, 0.2, 0.9]), Quaternion([-1.1, 0.4, 0.7, 0.1]));
        let product = a.after(&b).matrix();
        let matrices = a.matrix() * b.matrix();
        let one = a.matrix() * a.matrix().transpose();
        for i in 0..3 {
            assert!((product[i] - matrices[i]).norm() < 1e-15);
            assert!((one[i] - Vec3::unit(i)).norm() < 1e-15);
        }
        assert!((a.matrix().determinant() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn quaternion_normalisation_works_at_extreme_sizes() {
        for size in [1e-300, 1.0, 1e300] {
            let q = Quaternion([size, -size, size, size]).unit();
            assert!((q.squared() - 1.0).abs() < 1e-15, "{q:?}");
        }
    }

    #[test]
    fn the_eigenvectors_of_a_symmetric_matrix_diagonalise_it() {
        let m = Mat3::from_rows([[2.0, 0.3, -0.1], [0.3, 1.0, 0.4], [-0.1, 0.4, 3.0]]);
        let (values, vectors) = symmetric_eigen(&m);
        assert!(values[0] <= values[1] && values[1] <= values[2]);
        assert!((vectors.determinant() - 1.0).abs() < 1e-14);
        for j in 0..3 {
            let v = vectors.column(j);
            assert!((m * v - values[j] * v).norm() < 1e-14);
        }
    }

    #[test]
    fn a_matrix_times_its_inverse_is_the_unit_matrix() {
        let m = Mat3::from_rows([[2.0, 0.3, -0.1], [0.5, 1.0, 0.4], [-0.7, 0.2, 3.0]]);
        let product = m * m.inverse();
        for i in 0..3 {
            assert!((product[i] - Vec3::unit(i)).norm() < 1e-15, "{product:?}");
            assert_eq!(m.transpose().column(i), m[i]);
        }
        let a = Vec3::new(0.3, -1.2, 0.8);
        assert_eq!(Mat3::skew(a) * Vec3::new(1.0, 2.0, 3.0), a.cross(Vec3::new(1.0, 2.0, 3.0)));
        assert!(!Mat3::diagonal(1.0, 0.0, 1.0).inverse().is_finite());
    }
}
