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
pub(super) use crate::model::solid::lanes::math::{OVERFLOW_SAFE, RATIOS, logarithm};

/// Vectors on the corners past the first.
pub(super) type Edges<L> = [[L; 3]; 3];

/// Numbers stored for an element.
pub(super) const STORED: usize = 7;
/// Where `A_cb` is among them.
pub(super) const ENTRY: [[usize; 3]; 3] = [[0, 3, 4], [3, 1, 5], [4, 5, 2]];
/// Where `1 / det D` is.
pub(super) const SCALE: usize = 6;

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
