//! One neo-Hookean point in terms of the edges of a tetrahedron.
//!
//! With `d_1, d_2, d_3` the edges from the first corner, `D` those of the reference, `V` the volume, `J = det d / det D` and
//!
//! ```text
//! W = lambda/2 (ln J)^2 - mu ln J + mu/2 (tr(F^T F) - 3)                                        [AVI03 (7)]
//! ```
//!
//! the gradient of `V W` on corner `c` needs neither `F` nor the stress, since `V tr(F^T F) = sum V (grad L_c . grad L_b) d_c . d_b`
//! and `V P grad L_c` of the other terms is a multiple of the cofactors of the edges:
//!
//! ```text
//! H_c = sum_b A_cb d_b + s cof_c,   A_cb = mu V grad L_c . grad L_b,   s = (lambda ln J - mu) / (6 J).
//! ```
//!
//! Seven numbers an element: `A11 A22 A33 A12 A13 A23` and `1 / det D`. A point of a quadratic element with straight sides is
//! the same with its share of the volume; only the edges differ from point to point.

use crate::model::solid::lanes::Lanes;

/// Vectors on the corners past the first.
pub(super) type Edges<L> = [[L; 3]; 3];

/// Numbers stored for an element.
pub(super) const STORED: usize = 7;
/// Where `A_cb` is among them.
pub(super) const ENTRY: [[usize; 3]; 3] = [[0, 3, 4], [3, 1, 5], [4, 5, 2]];
/// Where `1 / det D` is.
pub(super) const SCALE: usize = 6;

/// The volume ratios that are computed with: neither reciprocals nor products of two overflow.
pub(super) const RATIOS: [f64; 2] = [1e-300, 1e300];
/// Where the exponent in the logarithm is zero: a little less than from `sqrt(1/2)` to `sqrt(2)`.
pub(super) const OVERFLOW_SAFE: [f64; 2] = [0.7072, 1.4141];

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
pub(super) fn logarithm<L: Lanes>(j: L, calm: bool) -> (L, L) {
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

/// `p x q`.
#[inline(always)]
fn cross<L: Lanes>(p: &[L; 3], q: &[L; 3]) -> [L; 3] {
    [
        p[2].mul_from(q[1], p[1].mul(q[2])),
        p[0].mul_from(q[2], p[2].mul(q[0])),
        p[1].mul_from(q[0], p[0].mul(q[1])),
    ]
}

/// The cofactors of the edges.
#[inline(always)]
pub(super) fn cofactors<L: Lanes>(d: &Edges<L>) -> Edges<L> {
    [cross(&d[1], &d[2]), cross(&d[2], &d[0]), cross(&d[0], &d[1])]
}

/// `J`, given `1 / det D`.
#[inline(always)]
pub(super) fn ratio<L: Lanes>(d: &Edges<L>, scale: L) -> L {
    let c = cross(&d[1], &d[2]);
    d[0][2].mul_add(c[2], d[0][1].mul_add(c[1], d[0][0].mul(c[0]))).mul(scale)
}

/// The two constants, times a point's share of `1/6`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moduli {
    pub lambda: f64,
    pub mu: f64,
    /// That share.
    pub share: f64,
}

impl Moduli {
    /// `s` above, and the logarithm; nothing if a lane is not in [`RATIOS`].
    #[inline(always)]
    pub(super) fn pull<L: Lanes>(&self, j: L) -> Option<(L, L)> {
        let calm = j.within(OVERFLOW_SAFE[0], OVERFLOW_SAFE[1]);
        if !calm && !j.within(RATIOS[0], RATIOS[1]) {
            return None;
        }
        let (log, inverse) = logarithm(j, calm);
        Some((L::splat(self.lambda).mul_add(log, L::splat(-self.mu)).mul(inverse), log))
    }

    /// The part of the energy that depends on `J`: `V (lambda/2 (ln J)^2 - mu ln J - 3 mu / 2)`.
    #[inline(always)]
    pub(super) fn volumetric<L: Lanes>(&self, log: L, scale: L) -> L {
        let half = L::splat(0.5 * self.lambda).mul(log).sub(L::splat(self.mu));
        half.mul_add(log, L::splat(-1.5 * self.mu)).div(scale)
    }
}

/// `H` and `sum_c d_c . sum_b A_cb d_b / 2`.
#[inline(always)]
pub(super) fn force<L: Lanes>(d: &Edges<L>, a: &[L; 6], s: L) -> (Edges<L>, L) {
    let c = cofactors(d);
    let mut h = c;
    let mut twice = L::splat(0.0);
    for n in 0..3 {
        for i in 0..3 {
            let e = ENTRY[n];
            let linear = a[e[2]].mul_add(d[2][i], a[e[1]].mul_add(d[1][i], a[e[0]].mul(d[0][i])));
            twice = d[n][i].mul_add(linear, twice);
            h[n][i] = s.mul_add(c[n][i], linear);
        }
    }
    (h, twice.mul(L::splat(0.5)))
}

/// `dH_c / dd_b`, three rows by three columns each; nothing if the volume ratio is not in [`RATIOS`].
#[inline(always)]
pub(super) fn tangent(
    d: &Edges<f64>,
    stored: &[f64; STORED],
    moduli: &Moduli,
) -> Option<[[Edges<f64>; 3]; 3]> {
    let c = cofactors(d);
    let j = ratio(d, stored[SCALE]);
    let (s, log) = moduli.pull(j)?;
    let rate = (moduli.lambda * (1.0 - log) + moduli.mu) / (j * j) * stored[SCALE];
    let mut k = [[[[0.0; 3]; 3]; 3]; 3];
    for n in 0..3 {
        for b in 0..3 {
            // cof_n = d_{n+1} x d_{n+2}
            let (sign, u) = match (b + 3 - n) % 3 {
                1 => (-s, d[(n + 2) % 3]),
                2 => (s, d[(n + 1) % 3]),
                _ => (0.0, [0.0; 3]),
            };
            let turn = [[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]];
            for i in 0..3 {
                for m in 0..3 {
                    let linear = if i == m { stored[ENTRY[n][b]] } else { 0.0 };
                    k[n][b][i][m] = linear + rate * c[n][i] * c[b][m] + sign * turn[i][m];
                }
            }
        }
    }
    Some(k)
}
