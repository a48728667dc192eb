//! Vectors of the plane and of space, with operators.
//!
//! These are small types of our own and not those of `glam` or `nalgebra`: results are reproducible to the last bit, so the
//! order of every sum and product is part of the interface (`a.dot(b)` adds from left to right, a matrix has its rows, an
//! inverse divides once by the determinant of the first row), and a public type of the library must not change with the major
//! version of another one.

use crate::archive::{Archive, Persist};
use std::borrow::Borrow;
use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

/// A vector with `N` components.
///
/// ```
/// use stationary::linalg::Vec3;
/// let a = Vec3::new(1.0, 2.0, 2.0);
/// let b = Vec3::new(0.0, 1.0, 0.0);
/// assert_eq!(a + 2.0 * b, Vec3::new(1.0, 4.0, 2.0));
/// assert_eq!((a.dot(b), a.norm()), (2.0, 3.0));
/// assert_eq!(a.cross(b), Vec3::new(-2.0, 0.0, 1.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vector<const N: usize>(pub [f64; N]);

/// A vector of the plane.
pub type Vec2 = Vector<2>;
/// A vector of space.
pub type Vec3 = Vector<3>;

impl<const N: usize> Vector<N> {
    /// The zero vector.
    pub const ZERO: Self = Vector([0.0; N]);

    /// The vector whose component `k` is `component(k)`.
    #[inline(always)]
    pub fn from_fn(component: impl FnMut(usize) -> f64) -> Self {
        Vector(std::array::from_fn(component))
    }

    /// The unit vector along axis `k`.
    pub fn unit(k: usize) -> Self {
        Self::from_fn(|i| if i == k { 1.0 } else { 0.0 })
    }

    /// A function of each component.
    #[inline(always)]
    pub fn map(self, function: impl FnMut(f64) -> f64) -> Self {
        Vector(self.0.map(function))
    }

    /// The scalar product `a . b`, summed from the first component on.
    #[inline(always)]
    pub fn dot(self, other: Self) -> f64 {
        let mut sum = self.0[0] * other.0[0];
        for k in 1..N {
            sum += self.0[k] * other.0[k];
        }
        sum
    }

    /// The length, as the root of the sum of squares.
    #[inline(always)]
    pub fn norm(self) -> f64 {
        self.norm_squared().sqrt()
    }

    /// The square of the length.
    #[inline(always)]
    pub fn norm_squared(self) -> f64 {
        self.dot(self)
    }

    /// Whether every component is a finite number.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.0.iter().all(|x| x.is_finite())
    }

    /// The components in order.
    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, f64> {
        self.0.iter()
    }
}

impl Vec2 {
    /// The vector with these components.
    #[inline(always)]
    pub const fn new(x: f64, y: f64) -> Self {
        Vector([x, y])
    }

    /// The component of `a x b` across the plane.
    #[inline(always)]
    pub fn cross(self, other: Self) -> f64 {
        self.0[0] * other.0[1] - self.0[1] * other.0[0]
    }

    /// The vector turned counter-clockwise by a quarter turn.
    #[inline(always)]
    pub fn quarter_turn(self) -> Self {
        Vector([-self.0[1], self.0[0]])
    }

    /// The length, also where squares of the components leave the range of numbers. It may differ from
    /// [`norm`](Vector::norm) in the last digit.
    #[inline(always)]
    pub fn hypot(self) -> f64 {
        self.0[0].hypot(self.0[1])
    }

    /// The vector of space with these components and a third one.
    #[inline(always)]
    pub const fn extend(self, z: f64) -> Vec3 {
        let [x, y] = self.0;
        Vector([x, y, z])
    }
}

impl Vec3 {
    /// The vector with these components.
    #[inline(always)]
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Vector([x, y, z])
    }

    /// The vector product `a x b`.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let [a, b] = [self.0, other.0];
        Vector([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
    }

    /// The first two components.
    #[inline(always)]
    pub const fn truncate(self) -> Vec2 {
        let [x, y, _] = self.0;
        Vector([x, y])
    }
}

impl<const N: usize> Default for Vector<N> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<const N: usize> From<[f64; N]> for Vector<N> {
    #[inline(always)]
    fn from(components: [f64; N]) -> Self {
        Vector(components)
    }
}

impl<const N: usize> From<Vector<N>> for [f64; N] {
    #[inline(always)]
    fn from(vector: Vector<N>) -> Self {
        vector.0
    }
}

/// As a slice, so that vectors can be joined: `[a, b].concat()`.
impl<const N: usize> Borrow<[f64]> for Vector<N> {
    fn borrow(&self) -> &[f64] {
        &self.0
    }
}

impl<const N: usize> PartialEq<[f64; N]> for Vector<N> {
    fn eq(&self, other: &[f64; N]) -> bool {
        self.0 == *other
    }
}

impl<const N: usize> IntoIterator for Vector<N> {
    type Item = f64;
    type IntoIter = std::array::IntoIter<f64, N>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, const N: usize> IntoIterator for &'a Vector<N> {
    type Item = &'a f64;
    type IntoIter = std::slice::Iter<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<const N: usize> Index<usize> for Vector<N> {
    type Output = f64;

    #[inline(always)]
    fn index(&self, k: usize) -> &f64 {
        &self.0[k]
    }
}

impl<const N: usize> IndexMut<usize> for Vector<N> {
    #[inline(always)]
    fn index_mut(&mut self, k: usize) -> &mut f64 {
        &mut self.0[k]
    }
}

impl<const N: usize> Add for Vector<N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::from_fn(|k| self.0[k] + other.0[k])
    }
}

impl<const N: usize> Sub for Vector<N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::from_fn(|k| self.0[k] - other.0[k])
    }
}

impl<const N: usize> Neg for Vector<N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}

impl<const N: usize> Mul<Vector<N>> for f64 {
    type Output = Vector<N>;

    #[inline(always)]
    fn mul(self, vector: Vector<N>) -> Vector<N> {
        vector.map(|x| self * x)
    }
}

impl<const N: usize> Div<f64> for Vector<N> {
    type Output = Self;

    /// Divides each component: a product with the inverse would round twice.
    #[inline(always)]
    fn div(self, divisor: f64) -> Self {
        self.map(|x| x / divisor)
    }
}

impl<const N: usize> AddAssign for Vector<N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const N: usize> SubAssign for Vector<N> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<const N: usize> MulAssign<f64> for Vector<N> {
    #[inline(always)]
    fn mul_assign(&mut self, factor: f64) {
        *self = factor * *self;
    }
}

impl<const N: usize> Persist for Vector<N> {
    fn pass(&mut self, archive: &mut Archive) {
        self.0.pass(archive);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_operators_round_each_component_as_written() {
        let a = Vec3::new(0.1, -0.7, 1e300);
        let b = Vec3::new(0.3, 1e-17, -1e300);
        assert_eq!(a + 3.0 * b, [0.1 + 3.0 * 0.3, -0.7 + 3.0 * 1e-17, 1e300 - 3.0 * 1e300]);
        assert_eq!((a - b) / 3.0, [(0.1 - 0.3) / 3.0, (-0.7 - 1e-17) / 3.0, 2e300 / 3.0]);
        assert_eq!(-a, [-0.1, 0.7, -1e300]);
        let mut sum = a;
        sum += b;
        sum -= b;
        sum *= 2.0;
        assert_eq!(sum, 2.0 * ((a + b) - b));
        // From left to right: the large terms cancel before the small one is added.
        let ones = Vec3::new(1.0, 1.0, 1.0);
        assert_eq!(Vec3::new(1e16, -1e16, 1.0).dot(ones), 1.0);
        assert_eq!(Vec3::new(1.0, 1e16, -1e16).dot(ones), 0.0);
        assert!(Vec2::new(-0.0, 0.0).dot(Vec2::new(1.0, -1.0)).is_sign_negative());
    }

    #[test]
    fn vector_products_are_those_of_the_plane_and_of_space() {
        let (x, y) = (Vec2::unit(0), Vec2::unit(1));
        assert_eq!((x.cross(y), y.cross(x)), (1.0, -1.0));
        assert_eq!(x.quarter_turn(), y);
        assert_eq!(x.extend(0.0).cross(y.extend(0.0)), Vec3::unit(2));
        assert_eq!(Vec3::new(3.0, 4.0, 9.0).truncate().hypot(), 5.0);
        assert!(!Vec3::new(0.0, f64::NAN, 0.0).is_finite() && !(-Vec2::new(f64::INFINITY, 0.0)).is_finite());
    }
}
