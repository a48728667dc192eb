//! Stiffness of the undeformed tetrahedron in closed form: its nodal stiffness, and for the linear tetrahedron its largest frequency.
//!
//! In the undeformed state every material is isotropic with the Lame constants, and the gradients `g_a` of the shape functions are
//! constant: `K_ab = V (lambda g_a g_b' + mu g_b g_a' + mu (g_a . g_b) 1)`. With `W = V sum_a g_a g_a' / m_a` the squared
//! frequencies other than zero are those of `E -> (lambda tr(E) 1 + mu (E + E')) W` on three by three matrices. In the
//! axes of `W = diag(w)` these are `mu (w_i + w_j)` of the three shears and the eigenvalues of
//! `2 mu w_i delta_ij + lambda sqrt(w_i w_j)`.

use super::kind::{far, near, pair};
use super::material::Lame;
use super::tensor::Tensor;

/// An undeformed tetrahedron with straight sides: its constants, `V`, and `g_c . g_b` of the corners past the first.
pub(super) struct UndeformedTet {
    pub lame: Lame,
    pub volume: f64,
    pub gram: Tensor,
}

impl UndeformedTet {
    /// From the gradients of `L_1, L_2, L_3`.
    pub fn new(lame: Lame, volume: f64, g: &[f64]) -> Self {
        let dot = |c: usize, b: usize| (0..3).map(|j| g[3 * c + j] * g[3 * b + j]).sum();
        UndeformedTet { lame, volume, gram: std::array::from_fn(|c| std::array::from_fn(|b| dot(c, b))) }
    }

    /// The trace of each node's own stiffness, `V (lambda + 4 mu) |g_a|^2`. The gradients sum to zero.
    pub fn traces(&self, out: &mut [f64]) {
        let scale = self.volume * (self.lame.lambda + 4.0 * self.lame.mu);
        out[0] = scale * self.gram.as_flattened().iter().sum::<f64>();
        (0..3).for_each(|c| out[c + 1] = scale * self.gram[c][c]);
    }

    /// `g_a . g_b` of all pairs of corners, from those of three.
    fn products(&self) -> [[f64; 4]; 4] {
        let mut g = [[0.0; 4]; 4];
        for (c, b) in (0..9).map(|i| (i / 3, i % 3)) {
            let dot = self.gram[c][b];
            g[c + 1][b + 1] = dot;
            g[0][b + 1] -= dot;
            g[c + 1][0] -= dot;
            g[0][0] += dot;
        }
        g
    }

    /// `|K_ab|^2 = V^2 ((lambda^2 + mu^2) |g_a|^2 |g_b|^2 + (4 lambda mu + 5 mu^2) (g_a . g_b)^2)` for all pairs of nodes.
    pub fn couplings(&self, out: &mut [f64]) {
        let Lame { lambda, mu } = self.lame;
        let square = self.volume * self.volume;
        let (apart, along) = (square * (lambda * lambda + mu * mu), square * mu * (4.0 * lambda + 5.0 * mu));
        let g = self.products();
        for a in 0..4 {
            for b in 0..4 {
                out[4 * a + b] = apart * g[a][a] * g[b][b] + along * g[a][b] * g[a][b];
            }
        }
    }

    /// The traces of a ten-node tetrahedron with straight sides: `V/4 (lambda + 4 mu) sum_q |grad N_a|^2` over its points. With
    /// `N_a = L_a (2 L_a - 1)` and `N_ab = 4 L_a L_b` these are sums of the products `g_a . g_b` with numbers that are the same for
    /// all.
    pub fn quadratic_traces(&self, out: &mut [f64]) {
        let g = self.products();
        let (near, far) = (near::<3>(), far::<3>());
        let corner = (4.0 * near - 1.0).powi(2) + 3.0 * (4.0 * far - 1.0).powi(2);
        let (same, mixed) = (16.0 * (near * near + 3.0 * far * far), 64.0 * far * (near + far));
        let scale = 0.25 * self.volume * (self.lame.lambda + 4.0 * self.lame.mu);
        for a in 0..4 {
            out[a] = scale * corner * g[a][a];
            for b in 0..a {
                out[pair::<3>(a, b)] = scale * (same * (g[a][a] + g[b][b]) + mixed * g[a][b]);
            }
        }
    }

    /// `2 / omega_max` of the linear one with these masses on its nodes, from below to rounding; `None` if it is no number.
    pub fn step(&self, masses: &[f64]) -> Option<f64> {
        // W has the eigenvalues of L' G L with L L' = diag(V/m_c) + (V/m_0) 1 1': what is left of the second term after
        // each column is again a multiple of 1 1'.
        let mut rest = self.volume / masses[0];
        let mut l = [[0.0; 3]; 3];
        for c in 0..3 {
            let own = self.volume / masses[c + 1];
            let root = (own + rest).sqrt();
            l[c][c] = root;
            (c + 1..3).for_each(|b| l[b][c] = rest / root);
            rest *= own / (own + rest);
        }
        let mut w = [[0.0; 3]; 3];
        for i in 0..3 {
            let gl: [f64; 3] = std::array::from_fn(|c| (i..3).map(|b| self.gram[c][b] * l[b][i]).sum());
            for j in 0..=i {
                w[i][j] = (j..3).map(|c| l[c][j] * gl[c]).sum();
                w[j][i] = w[i][j];
            }
        }
        let square = self.square(eigenvalues(w));
        (square > 0.0 && square.is_finite()).then(|| 2.0 / square.sqrt())
    }

    /// The largest squared frequency from the eigenvalues of `W`, rounded up.
    fn square(&self, w: [f64; 3]) -> f64 {
        let Lame { lambda, mu } = self.lame;
        let up = 1.0 + 32.0 * f64::EPSILON;
        if !(lambda >= 0.0) {
            let coupled = |i: usize, j: usize| {
                lambda * (w[i] * w[j]).sqrt() + if i == j { 2.0 * mu * w[i] } else { 0.0 }
            };
            let along = eigenvalues(std::array::from_fn(|i| std::array::from_fn(|j| coupled(i, j))));
            return up * along[0].max(mu * (w[0] + w[1]));
        }
        // The largest of a diagonal matrix plus lambda sqrt(w) sqrt(w)' is 2 mu w_0 + d, where
        // d = lambda (w_0 + w_1 d / (d + 2 mu (w_0 - w_1)) + w_2 d / (d + 2 mu (w_0 - w_2))):
        // the right side is concave, so that Newton's way down from lambda sum(w) stays above. No shear is faster.
        let apart = [2.0 * mu * (w[0] - w[1]), 2.0 * mu * (w[0] - w[2])];
        let mut d = lambda * (w[0] + w[1] + w[2]);
        for _ in 0..40 {
            let (p, q) = (d + apart[0], d + apart[1]);
            if !(d > 0.0) {
                break;
            }
            let value = d - lambda * (w[0] + w[1] * d / p + w[2] * d / q);
            let slope = 1.0 - lambda * (w[1] * apart[0] / (p * p) + w[2] * apart[1] / (q * q));
            let down = value / slope;
            if !(down > 4.0 * f64::EPSILON * d) {
                break;
            }
            d -= down;
        }
        up * (2.0 * mu * w[0] + d)
    }
}

/// Eigenvalues of a symmetric matrix, the largest first: Jacobi's rotations, which are exact to rounding also where
/// eigenvalues meet.
fn eigenvalues(mut a: Tensor) -> [f64; 3] {
    for _ in 0..16 {
        let size = a[0][0].abs() + a[1][1].abs() + a[2][2].abs();
        // What is left beside the diagonal moves eigenvalues by its square over their distance, or by itself if they meet.
        let done = |p: usize, q: usize| {
            let (off, apart) = (a[p][q] * a[p][q], (a[p][p] - a[q][q]).abs());
            off <= 1e-17 * size * apart || off <= 1e-33 * size * size
        };
        if done(0, 1) && done(0, 2) && done(1, 2) {
            break;
        }
        rotate::<0, 1, 2>(&mut a);
        rotate::<0, 2, 1>(&mut a);
        rotate::<1, 2, 0>(&mut a);
    }
    let mut w = [a[0][0], a[1][1], a[2][2]];
    w.sort_unstable_by(|x, y| y.total_cmp(x));
    w
}

/// Turns the axes `P` and `Q` so that `a_PQ` vanishes; `R` is the third.
#[inline(always)]
fn rotate<const P: usize, const Q: usize, const R: usize>(a: &mut Tensor) {
    let off = a[P][Q];
    let apart = a[Q][Q] - a[P][P];
    // The tangent of the smaller angle; nothing to turn where both are zero.
    let far = apart.abs() + (apart * apart + 4.0 * off * off).sqrt();
    let t = if far > 0.0 { (2.0 * off.abs()).copysign(off * apart) / far } else { 0.0 };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    a[P][P] -= t * off;
    a[Q][Q] += t * off;
    let (p, q) = (a[P][R], a[Q][R]);
    (a[P][R], a[Q][R]) = (c * p - s * q, s * p + c * q);
    (a[R][P], a[R][Q]) = (a[P][R], a[Q][R]);
    (a[P][Q], a[Q][P]) = (0.0, 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::solid::spectrum::largest_eigenvalue;

    /// The dense stiffness over the masses.
    fn dense(rest: &UndeformedTet, g: &[[f64; 3]; 4], masses: &[f64; 4]) -> (f64, [f64; 4]) {
        let (Lame { lambda, mu }, v) = (rest.lame, rest.volume);
        let (mut a, mut traces) = (vec![0.0; 144], [0.0; 4]);
        for (p, q) in (0..144).map(|i| (i / 12, i % 12)) {
            let (a_, i, b, j) = (p / 3, p % 3, q / 3, q % 3);
            let dot: f64 = (0..3).map(|m| g[a_][m] * g[b][m]).sum();
            let unit = if i == j { dot } else { 0.0 };
            let k = v * (lambda * g[a_][i] * g[b][j] + mu * g[a_][j] * g[b][i] + mu * unit);
            a[12 * p + q] = k / (masses[a_] * masses[b]).sqrt();
            if p == q {
                traces[a_] += k;
            }
        }
        (2.0 / largest_eigenvalue(&mut a, 12).unwrap().sqrt(), traces)
    }

    #[test]
    fn undeformed_tet_closed_form_step_agrees_with_the_dense_eigenvalue() {
        let mut random = 3u64;
        let mut next = move || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 11) as f64 / (1u64 << 53) as f64
        };
        // Equal axes, slivers, masses that differ by much, all ratios of the constants, also below zero.
        for case in 0..3000 {
            let flat = [1.0, 1.0, 1e-3, 1e-6][case % 4];
            let mut g = [[0.0; 3]; 4];
            for c in 1..4 {
                g[c] = match case % 3 {
                    0 => std::array::from_fn(|j| if j == c - 1 { 1.0 } else { 0.0 }),
                    _ => std::array::from_fn(|j| (next() - 0.5) * if j == 2 { 1.0 / flat } else { 1.0 }),
                };
                (0..3).for_each(|j| g[0][j] -= g[c][j]);
            }
            let masses: [f64; 4] =
                std::array::from_fn(|_| if case % 5 == 0 { 1.0 } else { 10f64.powf(6.0 * (next() - 0.5)) });
            let mu = 10f64.powf(4.0 * next() - 2.0);
            let lambda = mu * [0.0, 1.0, 1e3, 1e-9, -0.6, next()][case % 6];
            let rest = UndeformedTet::new(Lame { lambda, mu }, next() + 0.1, g[1..].as_flattened());
            let (want, traces) = dense(&rest, &g, &masses);
            let got = rest.step(&masses).unwrap();
            assert!((got / want - 1.0).abs() < 1e-12, "{case}: {got} {want}");
            assert!(got <= want * (1.0 + 1e-13), "{case}: {got} {want}");
            let mut out = [0.0; 4];
            rest.traces(&mut out);
            let most = traces.iter().copied().fold(0.0, f64::max);
            for a in 0..4 {
                assert!((out[a] - traces[a]).abs() < 1e-14 * most, "{case}: {out:?} {traces:?}");
            }
        }
        let none = UndeformedTet::new(Lame { lambda: 1.0, mu: 1.0 }, f64::NAN, &[1.0; 9]);
        assert_eq!(none.step(&[1.0; 4]), None);
    }
}
