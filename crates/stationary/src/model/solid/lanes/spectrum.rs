//! Principal values and axes of symmetric tensors side by side, without iterations or branches.
//!
//! Of three principal values the one farthest from the other two is at least half as far from them as they are wide apart, so that its axis is
//! well defined. It is found first, from a root of the characteristic polynomial; the plane at right angles to it is then left to one rotation of
//! Jacobi, which is as accurate for two values that are nearly equal as for others (Scherzinger and Dohrmann 2008).

use super::tensor::{ENTRY, Matrix, PLACE, Symmetric, contract_symmetric};
use super::{Lanes, Num};

/// `cos(acos(c) / 3)` for `c` in [0, 1], the largest root of `4 x^3 - 3 x = c`, to 2e-9.
const ROOT: [f64; 9] = [
    0.866_025_405_599_565_3,
    0.166_666_371_144_495_7,
    -0.048_104_441_452_910_5,
    0.024_604_296_792_277_33,
    -0.015_107_275_161_325_297,
    0.009_383_330_571_405_103,
    -0.004_929_691_173_679_378,
    0.001_764_856_874_094_319,
    -0.000_302_854_201_738_402_6,
];

/// Deviators smaller than this part of the tensor are no deviators: the squares of their squares would not be numbers.
const TINY: f64 = 1e-60;

/// A symmetric tensor in its principal axes.
#[derive(Clone, Copy)]
pub(in crate::model::solid) struct Spectrum<L> {
    /// The principal values, in no order.
    pub values: [Num<L>; 3],
    /// The principal directions, one a row.
    pub axes: Matrix<L>,
}

impl<L: Lanes> Spectrum<L> {
    /// Of a tensor with a positive trace. The error of the values is a few units in the last place of the largest; where the tensor is diagonal, of each.
    #[inline(always)]
    pub fn new(a: &Symmetric<L>) -> Self {
        let first = distinct_axis(a);
        let [u, v] = beside(first);
        // The tensor in these axes; off the diagonal only the plane of the last two is not zero.
        let (at, au, av) = (apply(a, first), apply(a, u), apply(a, v));
        let (p, q, w) = (Num::dot(u, au), Num::dot(v, av), Num::dot(u, av));
        // tan of the angle: 2 w / (q - p +- sqrt((q - p)^2 + 4 w^2)), of the smaller one.
        let (twice, gap) = (w + w, q - p);
        let width = gap.mul_add(gap, twice * twice).sqrt();
        let negative = gap.below(Num::splat(0.0));
        let below = gap.abs() + width;
        let none = below.at_most(Num::splat(0.0));
        let tangent = Num::pick(negative, -twice, twice) / Num::pick(none, Num::splat(1.0), below);
        let tangent = Num::pick(none, Num::splat(0.0), tangent);
        let cosine = 1.0 / tangent.mul_add(tangent, Num::splat(1.0)).sqrt();
        let sine = tangent * cosine;
        let (mut second, mut third) = (u, v);
        for i in 0..3 {
            second[i] = sine.mul_from(v[i], cosine * u[i]);
            third[i] = sine.mul_add(u[i], cosine * v[i]);
        }
        let values = [Num::dot(first, at), tangent.mul_from(w, p), tangent.mul_add(w, q)];
        Spectrum { values, axes: [first, second, third] }
    }

    /// The tensor with other values in the same axes.
    #[inline(always)]
    pub fn tensor(&self, values: [Num<L>; 3]) -> Symmetric<L> {
        let mut t = [Num::splat(0.0); 6];
        for (t, (i, j)) in t.iter_mut().zip(PLACE) {
            let mut scaled = values;
            for k in 0..3 {
                scaled[k] = values[k] * self.axes[k][i];
            }
            *t = Num::dot(scaled, [self.axes[0][j], self.axes[1][j], self.axes[2][j]]);
        }
        t
    }
}

/// `a v`.
#[inline(always)]
fn apply<L: Lanes>(a: &Symmetric<L>, v: [Num<L>; 3]) -> [Num<L>; 3] {
    let mut out = v;
    for i in 0..3 {
        out[i] = Num::dot([a[ENTRY[i][0]], a[ENTRY[i][1]], a[ENTRY[i][2]]], v);
    }
    out
}

/// The determinant of a symmetric matrix, and its cofactors.
#[inline(always)]
fn cofactors<L: Lanes>(m: &Symmetric<L>) -> (Num<L>, Symmetric<L>) {
    let [a, b, c, d, e, f] = *m;
    let cof = [
        e.mul_from(e, b * c),
        f.mul_from(f, a * c),
        d.mul_from(d, a * b),
        d.mul_from(c, e * f),
        a.mul_from(e, d * f),
        f.mul_from(b, d * e),
    ];
    (Num::dot([a, d, f], [cof[0], cof[3], cof[5]]), cof)
}

/// The axis of the principal value that is farthest from the others.
///
/// The deviator `s` has the values `2 sqrt(J2/3) cos(...)` with `cos(3 ...) = det s / 2 (3/J2)^(3/2)`; that of the largest size has the sign of `det s`. With
/// it, all cofactors of `s - value` are a multiple of the product of the axis with itself.
#[inline(always)]
fn distinct_axis<L: Lanes>(a: &Symmetric<L>) -> [Num<L>; 3] {
    let (zero, one) = (Num::splat(0.0), Num::splat(1.0));
    let mean = (a[0] + a[1] + a[2]) * (1.0 / 3.0);
    let scale = 1.0 / mean;
    let mut s = *a;
    for i in 0..6 {
        s[i] = if i < 3 { (a[i] - mean) * scale } else { a[i] * scale };
    }
    // Rounding of the mean would be a trace, as large as the smallest deviators.
    let rest = (s[0] + s[1] + s[2]) * (1.0 / 3.0);
    for s in &mut s[..3] {
        *s = *s - rest;
    }
    let third = contract_symmetric(&s, &s) * (1.0 / 6.0);
    let size = third.sqrt();
    let none = size.at_most(Num::splat(TINY));
    let (determinant, _) = cofactors(&s);
    let cube = 2.0 * (third * size);
    let c = determinant.abs() / Num::pick(none, one, cube);
    let c = Num::pick(c.below(one), c, one);
    let mut x = Num::splat(ROOT[ROOT.len() - 1]);
    for r in ROOT[..ROOT.len() - 1].iter().rev() {
        x = x.mul_add(c, Num::splat(*r));
    }
    // A step of Newton's method.
    let square = x * x;
    let rest = (4.0 * square - 3.0).mul_add(x, -c);
    x = x - rest / (12.0 * square - 3.0);
    let value = 2.0 * (size * x);
    let value = Num::pick(determinant.below(zero), -value, value);
    for s in &mut s[..3] {
        *s = *s - value;
    }
    let (_, cof) = cofactors(&s);
    // The longest column.
    let mut axis = [cof[0], cof[3], cof[5]];
    let mut most = cof[0];
    for j in 1..3 {
        let longer = most.below(cof[j]);
        most = Num::pick(longer, cof[j], most);
        for i in 0..3 {
            axis[i] = Num::pick(longer, cof[ENTRY[i][j]], axis[i]);
        }
    }
    let length = Num::dot(axis, axis).sqrt();
    let inverse = 1.0 / Num::pick(none, one, length);
    for i in 0..3 {
        axis[i] = Num::pick(none, if i == 0 { one } else { zero }, axis[i] * inverse);
    }
    axis
}

/// Two unit vectors at right angles to a third and to each other (Duff and others 2017).
#[inline(always)]
fn beside<L: Lanes>(n: [Num<L>; 3]) -> [[Num<L>; 3]; 2] {
    let one = Num::splat(1.0);
    let sign = Num::pick(n[2].below(Num::splat(0.0)), -one, one);
    let a = -1.0 / (sign + n[2]);
    let b = n[0] * n[1] * a;
    let (x, y) = (n[0] * a, n[1] * a);
    [[sign * n[0].mul_add(x, sign), sign * b, -sign * n[0]], [b, n[1].mul_add(y, sign), -n[1]]]
}
