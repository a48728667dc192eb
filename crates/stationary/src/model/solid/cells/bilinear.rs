//! Bilinear functions on the square, by their coefficients: `u = m0 + m1 x + m2 y + m3 x y` with the corners in the order of the quadrilateral.

use super::super::lanes::Lanes;

/// The coefficients, from the corners.
#[inline(always)]
pub(super) fn coefficients<L: Lanes>([a, b, c, d]: [L; 4]) -> [L; 4] {
    let quarter = L::splat(0.25);
    let (ab, ba, cd, dc) = (a.add(b), b.sub(a), c.add(d), c.sub(d));
    [cd.add(ab), dc.add(ba), cd.sub(ab), dc.sub(ba)].times(quarter)
}

/// The transpose: from what multiplies each coefficient to what multiplies each corner.
#[inline(always)]
pub(super) fn corners<L: Lanes>(m: [L; 4]) -> [L; 4] {
    let [m0, m1, m2, m3] = m.times(L::splat(0.25));
    // Those that change sign with y, and those that do not; each of them with x, and without.
    let (even, odd) = (m0.sub(m2), m0.add(m2));
    let (with, without) = (m1.sub(m3), m1.add(m3));
    [even.sub(with), even.add(with), odd.add(without), odd.sub(without)]
}

/// Four numbers times one. A method, not `map`: a closure that is not inlined would be compiled without vector instructions.
trait Times<L> {
    fn times(self, by: L) -> Self;
}

impl<L: Lanes> Times<L> for [L; 4] {
    #[inline(always)]
    fn times(self, by: L) -> Self {
        let [a, b, c, d] = self;
        [a.mul(by), b.mul(by), c.mul(by), d.mul(by)]
    }
}

/// The four values `a -+ b -+ c +- d` of `a + b x + c y + d x y` at the corners of the square, x fastest: `[--, +-, -+, ++]`.
#[inline(always)]
pub(super) fn spread<L: Lanes>([a, b, c, d]: [L; 4]) -> [L; 4] {
    let (low, high) = (a.sub(b), a.add(b));
    let (low_y, high_y) = (c.sub(d), c.add(d));
    [low.sub(low_y), high.sub(high_y), low.add(low_y), high.add(high_y)]
}

/// The transpose of [`spread`].
#[inline(always)]
pub(super) fn gather<L: Lanes>([mm, pm, mp, pp]: [L; 4]) -> [L; 4] {
    let (low, low_x) = (mm.add(pm), pm.sub(mm));
    let (high, high_x) = (mp.add(pp), pp.sub(mp));
    [high.add(low), high_x.add(low_x), high.sub(low), high_x.sub(low_x)]
}
