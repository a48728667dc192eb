//! Logarithmic strains of symmetric positive tensors side by side, and exponentials of them.
//!
//! Most strains are small, those of metals always: near the unit tensor logarithm and exponential are polynomials of the tensor. By the theorem of Cayley
//! and Hamilton, `a^3 = I1 a^2 - I2 a + I3`, every polynomial is `x + y a + z a^2`, and its numbers follow by Horner's rule. Elsewhere both are
//! formed in principal axes. Which way a lane goes depends on its own tensor only; the long way is not computed where no lane takes it.

use super::math::{RATIOS, exp, log};
use super::spectrum::Spectrum;
use super::tensor::{Symmetric, contract_symmetric};
use super::{Lanes, Num};

/// The largest `|b - 1|`, squared, of the short way.
const NEAR: f64 = 0.07 * 0.07;
/// The same of the shortest, that of the elastic strains of metals, and the terms that it takes: the first that is left out is 2e-18 of the first of the
/// logarithm, 5e-19 of the exponential.
const NEAREST: f64 = 0.008 * 0.008;
const NEAREST_TERMS: [usize; 2] = [9, 7];
/// Terms of the logarithm: the first that is left out is 4e-18 of the first there.
const LOGARITHM: [f64; 15] = {
    let mut series = [0.0; 15];
    let mut k = 1;
    while k < 15 {
        // Half of it, for the strain.
        series[k] = (if k % 2 == 1 { 0.5 } else { -0.5 }) / k as f64;
        k += 1;
    }
    series
};
/// Terms of the exponential, for arguments up to 0.073: the first that is left out is 1e-18.
const EXPONENTIAL: [f64; 10] = {
    let mut series = [1.0; 10];
    let (mut factorial, mut k) = (1.0, 1);
    while k < 10 {
        factorial *= k as f64;
        series[k] = 1.0 / factorial;
        k += 1;
    }
    series
};

/// The strain `e = log(b) / 2` of a symmetric positive tensor.
#[derive(Clone, Copy)]
pub(in crate::model::solid) struct Hencky<L: Lanes> {
    /// `tr e`.
    pub volume: Num<L>,
    /// `dev e`.
    pub deviator: Symmetric<L>,
    /// `|dev e|^2`.
    pub square: Num<L>,
    /// Whether the tensor is positive.
    pub exists: L::Mask,
    nearest: L::Mask,
    near: L::Mask,
    /// The axes and the principal strains, if a lane needs them.
    far: Option<(Spectrum<L>, [Num<L>; 3])>,
}

impl<L: Lanes> Hencky<L> {
    /// Of a tensor.
    #[inline(always)]
    pub fn new(b: &Symmetric<L>) -> Self {
        let mut a = *b;
        for a in &mut a[..3] {
            *a = *a - 1.0;
        }
        let squared = square(&a);
        let [nearest, near] = nearness(&squared);
        let mut e = polynomial(&a, &squared, &LOGARITHM[..NEAREST_TERMS[0]]);
        if !L::every(nearest) {
            e = pick(nearest, &e, &polynomial(&a, &squared, &LOGARITHM));
        }
        let (mut exists, mut far) = (near, None);
        if !L::every(near) {
            let spectrum = Spectrum::new(b);
            let mut strain = spectrum.values;
            let mut positive = strain[0].between(RATIOS);
            for s in &mut strain {
                positive = L::both(positive, s.between(RATIOS));
                *s = log(*s).0 * 0.5;
            }
            exists = L::not(L::both(L::not(near), L::not(positive)));
            e = pick(near, &e, &spectrum.tensor(strain));
            far = Some((spectrum, strain));
        }
        let volume = e[0] + e[1] + e[2];
        let third = volume * (1.0 / 3.0);
        for e in &mut e[..3] {
            *e = *e - third;
        }
        Hencky { volume, deviator: e, square: contract_symmetric(&e, &e), exists, nearest, near, far }
    }

    /// `exp(2 (tr e / 3 + left dev e))` for `left` in [0, 1].
    #[inline(always)]
    pub fn shortened(&self, left: Num<L>) -> Symmetric<L> {
        let third = self.volume * (1.0 / 3.0);
        let mut a = self.deviator;
        for i in 0..6 {
            a[i] = if i < 3 { left.mul_add(a[i], third) } else { left * a[i] };
            a[i] = a[i] + a[i];
        }
        let squared = square(&a);
        let mut b = polynomial(&a, &squared, &EXPONENTIAL[..NEAREST_TERMS[1]]);
        if !L::every(self.nearest) {
            b = pick(self.nearest, &b, &polynomial(&a, &squared, &EXPONENTIAL));
        }
        if let Some((spectrum, strain)) = &self.far {
            let mut values = *strain;
            for value in &mut values {
                *value = exp(2.0 * left.mul_add(*value - third, third));
            }
            b = pick(self.near, &b, &spectrum.tensor(values));
        }
        b
    }
}

/// `exp(a)` of a symmetric tensor without a trace.
#[inline(always)]
pub(in crate::model::solid) fn exponential<L: Lanes>(a: &Symmetric<L>) -> Symmetric<L> {
    let squared = square(a);
    let [nearest, near] = nearness(&squared);
    let mut b = polynomial(a, &squared, &EXPONENTIAL[..NEAREST_TERMS[1]]);
    if !L::every(nearest) {
        b = pick(nearest, &b, &polynomial(a, &squared, &EXPONENTIAL));
    }
    if !L::every(near) {
        // The axes are those of a positive tensor.
        let shift = (squared[0] + squared[1] + squared[2]).sqrt() + 1.0;
        let mut shifted = *a;
        for a in &mut shifted[..3] {
            *a = *a + shift;
        }
        let spectrum = Spectrum::new(&shifted);
        let mut values = spectrum.values;
        for value in &mut values {
            *value = exp(*value - shift);
        }
        b = pick(near, &b, &spectrum.tensor(values));
    }
    b
}

/// Where a tensor of this square is near zero: for the fewest terms, and for all.
#[inline(always)]
fn nearness<L: Lanes>(squared: &Symmetric<L>) -> [L::Mask; 2] {
    let size = squared[0] + squared[1] + squared[2];
    [size.at_most(Num::splat(NEAREST)), size.at_most(Num::splat(NEAR))]
}

/// Lane by lane one tensor where the mask is true, the other elsewhere.
#[inline(always)]
fn pick<L: Lanes>(mask: L::Mask, yes: &Symmetric<L>, no: &Symmetric<L>) -> Symmetric<L> {
    let mut picked = *no;
    for i in 0..6 {
        picked[i] = Num::pick(mask, yes[i], no[i]);
    }
    picked
}

/// `a a`.
#[inline(always)]
fn square<L: Lanes>(a: &Symmetric<L>) -> Symmetric<L> {
    let [xx, yy, zz, xy, yz, xz] = *a;
    [
        Num::dot([xx, xy, xz], [xx, xy, xz]),
        Num::dot([xy, yy, yz], [xy, yy, yz]),
        Num::dot([xz, yz, zz], [xz, yz, zz]),
        Num::dot([xx, xy, xz], [xy, yy, yz]),
        Num::dot([xy, yy, yz], [xz, yz, zz]),
        Num::dot([xx, xy, xz], [xz, yz, zz]),
    ]
}

/// `sum_k c_k a^k`.
#[inline(always)]
fn polynomial<L: Lanes>(a: &Symmetric<L>, squared: &Symmetric<L>, c: &[f64]) -> Symmetric<L> {
    let i1 = a[0] + a[1] + a[2];
    let i2 = 0.5 * i1.mul_add(i1, -(squared[0] + squared[1] + squared[2]));
    let [xx, yy, zz, xy, yz, xz] = *a;
    let i3 = Num::dot(
        [xx, xy, xz],
        [yz.mul_from(yz, yy * zz), xy.mul_from(zz, yz * xz), xz.mul_from(yy, xy * yz)],
    );
    let last = c.len() - 1;
    let (mut x, mut y, mut z) = (Num::splat(c[last]), Num::splat(0.0), Num::splat(0.0));
    for c in c[..last].iter().rev() {
        (x, y, z) = (z.mul_add(i3, Num::splat(*c)), z.mul_from(i2, x), z.mul_add(i1, y));
    }
    let mut sum = *a;
    for i in 0..6 {
        sum[i] = z.mul_add(squared[i], y * a[i]);
        if i < 3 {
            sum[i] = sum[i] + x;
        }
    }
    sum
}
