//! Logarithms, exponentials and powers side by side, of operations that IEEE 754 rounds exactly.

use super::{Lanes, Num};

/// The volume ratios that are computed with: neither reciprocals nor products of two overflow.
pub(in crate::model::solid) const RATIOS: [f64; 2] = [1e-300, 1e300];
/// Where the exponent in the logarithm is zero: a little less than from `sqrt(1/2)` to `sqrt(2)`.
pub(in crate::model::solid) const OVERFLOW_SAFE: [f64; 2] = [0.7072, 1.4141];

/// `2 atanh(s) = 2 s + s z (R_0 + R_1 z + ...)` with `z = s^2`: the polynomial whose largest error relative to the
/// logarithm is least (1.2e-18) for `|s| <= 3 - 2 sqrt(2)`.
const R: [f64; 7] = [
    0.666_666_666_666_673_5,
    0.399_999_999_994_128_9,
    0.285_714_287_428_242_4,
    0.222_221_985_246_884_63,
    0.181_835_670_274_442_86,
    0.153_139_770_383_585_48,
    0.147_967_273_882_189_7,
];
/// `ln 2` in two parts, the first with eleven zero bits at its end.
const LN_2: [f64; 2] = [0.693_147_180_559_890_3, 5.497_923_018_708_371e-14];

/// `ln j` to about one unit in the last place, and `1/j`, with one division; `j` in [`RATIOS`].
///
/// `ln(1 + f) = f - s (f - R(s^2))` with `s = f / (2 + f)` after powers of two are taken out. If there are none, since all
/// lanes are [`OVERFLOW_SAFE`], the steps that would add them may be left out, which changes no bit.
#[inline(always)]
pub(in crate::model::solid) fn logarithm<L: Lanes>(j: L, calm: bool) -> (L, L) {
    let one = L::splat(1.0);
    let (k, m) = if calm { (L::splat(0.0), j) } else { j.split() };
    let (f, t) = (m.sub(one), m.add(one));
    let r = one.div(j.mul(t));
    let s = f.mul(r.mul(j));
    let z = s.mul(s);
    let y = z.mul(z);
    let c = |i: usize| L::splat(R[i]);
    let high = z.mul_add(c(6), c(5));
    let middle = z.mul_add(c(4), c(3));
    let low = z.mul_add(c(2), c(1));
    let p = z.mul(z.mul_add(y.mul_add(y.mul_add(high, middle), low), c(0)));
    let l = s.mul_from(f.sub(p), f);
    let log = if calm { l } else { k.mul_add(L::splat(LN_2[0]), k.mul_add(L::splat(LN_2[1]), l)) };
    (log, r.mul(t))
}

/// `ln x` and `1/x` of numbers in [`RATIOS`]; anything elsewhere.
#[inline(always)]
pub(in crate::model::solid) fn log<L: Lanes>(x: Num<L>) -> (Num<L>, Num<L>) {
    let (log, inverse) = logarithm(x.0, x.0.within(OVERFLOW_SAFE[0], OVERFLOW_SAFE[1]));
    (Num(log), Num(inverse))
}

/// Beyond these exponents an exponential is 0 or infinite here.
const EXPONENTS: [f64; 2] = [-708.0, 709.0];
/// Added and subtracted again it rounds to an integer.
const ROUND: f64 = 1.5 * (1u64 << 52) as f64;
/// `1/2!, 1/3!, ...`: the series of `exp(r) - 1 - r` over `r^2` to 4e-18 for `|r| <= ln(2)/2`.
const SERIES: [f64; 12] = {
    let mut series = [0.0; 12];
    let (mut factorial, mut k) = (1.0, 0);
    while k < 12 {
        factorial *= (k + 2) as f64;
        series[k] = 1.0 / factorial;
        k += 1;
    }
    series
};

/// `2^k` and `exp(r) - 1` with `x = k ln 2 + r`.
#[inline(always)]
fn parts<L: Lanes>(x: Num<L>) -> (Num<L>, Num<L>) {
    let k = (x * std::f64::consts::LOG2_E + ROUND) - ROUND;
    let r = k.mul_from(Num::splat(LN_2[1]), k.mul_from(Num::splat(LN_2[0]), x));
    let mut sum = Num::splat(SERIES[SERIES.len() - 1]);
    for c in SERIES[..SERIES.len() - 1].iter().rev() {
        sum = sum.mul_add(r, Num::splat(*c));
    }
    (Num(k.0.two_to()), (r * r).mul_add(sum, r))
}

/// `value` for exponents that are computed with, `small` below and infinity above them.
#[inline(always)]
fn bounded<L: Lanes>(x: Num<L>, value: Num<L>, small: f64) -> Num<L> {
    let value = Num::pick(x.below(Num::splat(EXPONENTS[0])), Num::splat(small), value);
    Num::pick(Num::splat(EXPONENTS[1]).below(x), Num::splat(f64::INFINITY), value)
}

/// `exp(x)` to about one unit in the last place.
#[inline(always)]
pub(in crate::model::solid) fn exp<L: Lanes>(x: Num<L>) -> Num<L> {
    let (power, rest) = parts(x);
    bounded(x, power.mul_add(rest, power), 0.0)
}

/// `exp(x) - 1` without cancellation, to about two units in the last place.
#[inline(always)]
pub(in crate::model::solid) fn exp_m1<L: Lanes>(x: Num<L>) -> Num<L> {
    let (power, rest) = parts(x);
    bounded(x, power.mul_add(rest, power - 1.0), -1.0)
}

/// Near `x^(-1/2)` and `x^(-1/3)` from `sqrt(1/2)` to `sqrt(2)`, to 5e-4 and 3e-4.
const NEAR_ROOTS: [[f64; 4]; 2] =
    [[2.190_80, -2.164_15, 1.257_36, -0.284_42], [1.730_71, -1.285_73, 0.713_34, -0.158_54]];

/// `x^(-1/M)` for `M` of 2 or 3, of numbers in [`RATIOS`], to about one unit in the last place, without fused products and divisions:
/// `y (1 - h)^(-1/M)` with `h = 1 - x y^M`, first to the third power of `h`, which leaves 3e-13, then to the first.
#[inline(always)]
pub(in crate::model::solid) fn inverse_root<L: Lanes, const M: usize>(x: Num<L>) -> Num<L> {
    let calm = x.0.within(OVERFLOW_SAFE[0], OVERFLOW_SAFE[1]);
    let (k, m) = if calm { (Num::splat(0.0), x) } else { split(x) };
    let near = &NEAR_ROOTS[M - 2];
    let mut y = ((m * near[3] + near[2]) * m + near[1]) * m + near[0];
    let power = |y: Num<L>| if M == 3 { y * y * y } else { y * y };
    let r = 1.0 / M as f64;
    let h = 1.0 - m * power(y);
    y = y + y * h * (r + h * (r * (1.0 + r) / 2.0 + h * (r * (1.0 + r) * (1.0 + 2.0 * r) / 6.0)));
    y = y + y * ((1.0 - m * power(y)) * r);
    if calm {
        return y;
    }
    // k = M whole + rest with a rest of -1, 0 or 1.
    let whole = (k * r + ROUND) - ROUND;
    let rest = k - whole * M as f64;
    let one = Num::splat(1.0);
    let more = Num::pick(rest.below(Num::splat(-0.5)), Num::splat(ROOTS_OF_TWO[M - 2]), one);
    let more = Num::pick(Num::splat(0.5).below(rest), Num::splat(1.0 / ROOTS_OF_TWO[M - 2]), more);
    y * more * Num((-whole).0.two_to())
}

/// See [`Lanes::split`].
#[inline(always)]
fn split<L: Lanes>(x: Num<L>) -> (Num<L>, Num<L>) {
    let (k, m) = x.0.split();
    (Num(k), Num(m))
}

/// `2^(1/2)` and `2^(1/3)`.
const ROOTS_OF_TWO: [f64; 2] = [std::f64::consts::SQRT_2, 1.259_921_049_894_873_2];

/// `x^n` of `x >= 0` with a positive exponent; what is too small for a logarithm is zero. The relative error is `n ln x` units in the last place.
#[inline(always)]
pub(in crate::model::solid) fn power<L: Lanes>(x: Num<L>, n: f64) -> Num<L> {
    let value = exp(log(x).0 * n);
    Num::pick(x.below(Num::splat(RATIOS[0])), Num::splat(0.0), value)
}
