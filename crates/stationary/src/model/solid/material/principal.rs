//! Isotropic laws in principal axes.
//!
//! With the elastic left Cauchy-Green tensor `b = sum_i b_i n_i (x) n_i` and the logarithmic strains `e_i = log(b_i)/2` an isotropic energy
//! `W(e_1, e_2, e_3)` has the Kirchhoff stress `tau = sum_i dW/de_i n_i (x) n_i`, and `P = tau F^-T`.

use super::{MaterialFault, broken};
use crate::model::solid::tensor::{Tensor, cofactor, determinant_by, product, transpose};

/// Most sweeps of Jacobi's method; it converges quadratically, and needs four or five.
const SWEEPS: usize = 30;

/// A symmetric positive tensor in its principal axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Principal {
    /// The principal values.
    pub b: [f64; 3],
    /// The principal directions, one a row.
    pub n: Tensor,
    /// Half the logarithms of the principal values.
    pub log: [f64; 3],
}

impl Principal {
    /// Jacobi's method: accurate to rounding for values of any size.
    pub fn new(m: &Tensor) -> Result<Self, MaterialFault> {
        let mut a = *m;
        let mut n = super::super::tensor::IDENTITY;
        for _ in 0..SWEEPS {
            let off = a[0][1] * a[0][1] + a[1][2] * a[1][2] + a[0][2] * a[0][2];
            if off == 0.0 {
                break;
            }
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                rotate(&mut a, &mut n, p, q);
            }
        }
        let b = [a[0][0], a[1][1], a[2][2]];
        if !b.iter().all(|x| *x > 0.0 && x.is_finite()) {
            return Err(broken(b[0] + b[1] + b[2]));
        }
        Ok(Principal { b, n, log: b.map(|x| 0.5 * x.ln()) })
    }

    /// The tensor with these principal values in the same axes.
    #[inline]
    pub fn tensor(&self, values: [f64; 3]) -> Tensor {
        let mut t = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in i..3 {
                t[i][j] = (0..3).map(|k| values[k] * self.n[k][i] * self.n[k][j]).sum();
                t[j][i] = t[i][j];
            }
        }
        t
    }

    /// `(log b_j - log b_i) / (2 (b_j - b_i))` without cancellation, and its limit.
    #[inline]
    pub fn log_secant(&self, i: usize, j: usize) -> f64 {
        let r = (self.b[j] - self.b[i]) / self.b[i];
        if r.abs() < 1e-8 {
            0.5 * (1.0 - 0.5 * r) / self.b[i]
        } else {
            0.5 * r.ln_1p() / (self.b[j] - self.b[i])
        }
    }
}

/// Rotates the plane of axes `p` and `q` so that the entry between them vanishes.
#[inline]
fn rotate(a: &mut Tensor, n: &mut Tensor, p: usize, q: usize) {
    let apq = a[p][q];
    // An entry that no longer changes the diagonal is rounding.
    if apq.abs() <= 1e-18 * (a[p][p].abs().min(a[q][q].abs())) {
        (a[p][q], a[q][p]) = (0.0, 0.0);
        return;
    }
    let theta = 0.5 * (a[q][q] - a[p][p]) / apq;
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let r = 3 - p - q;
    (a[p][p], a[q][q]) = (a[p][p] - t * apq, a[q][q] + t * apq);
    (a[p][q], a[q][p]) = (0.0, 0.0);
    let (arp, arq) = (a[r][p], a[r][q]);
    a[r][p] = c * arp - s * arq;
    a[r][q] = s * arp + c * arq;
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    for i in 0..3 {
        let (np, nq) = (n[p][i], n[q][i]);
        n[p][i] = c * np - s * nq;
        n[q][i] = s * np + c * nq;
    }
}

/// A deformation gradient with its inverse.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deformation {
    pub f: Tensor,
    pub inverse: Tensor,
}

impl Deformation {
    #[inline]
    pub fn new(f: &Tensor) -> Result<Self, MaterialFault> {
        let cof = cofactor(f);
        let j = determinant_by(f, &cof);
        if !(j > 0.0 && j.is_finite()) {
            return Err(broken(j));
        }
        let mut inverse = transpose(&cof);
        inverse.as_flattened_mut().iter_mut().for_each(|x| *x /= j);
        Ok(Deformation { f: *f, inverse })
    }

    /// `F G F^T` with the symmetric tensor `G` as xx, yy, zz, xy, yz, xz.
    #[inline]
    pub fn push(&self, g: &[f64; 6]) -> Tensor {
        let half = product(&self.f, &symmetric(g));
        let mut b = product(&half, &transpose(&self.f));
        // Symmetric to the bit.
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            b[j][i] = b[i][j];
        }
        b
    }

    /// `F^-1 b F^-T` as xx, yy, zz, xy, yz, xz.
    #[inline]
    pub fn pull(&self, b: &Tensor) -> [f64; 6] {
        let g = product(&product(&self.inverse, b), &transpose(&self.inverse));
        [g[0][0], g[1][1], g[2][2], g[0][1], g[1][2], g[0][2]]
    }

    /// `P = tau F^-T`.
    #[inline]
    pub fn piola(&self, tau: &Tensor) -> Tensor {
        product(tau, &transpose(&self.inverse))
    }
}

/// The symmetric tensor of xx, yy, zz, xy, yz, xz.
#[inline]
pub(super) fn symmetric(g: &[f64; 6]) -> Tensor {
    [[g[0], g[3], g[5]], [g[3], g[1], g[4]], [g[5], g[4], g[2]]]
}

/// The tangent in principal axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moduli {
    /// `dtau_i / de_j`.
    pub by_strain: Tensor,
    /// `(tau_j - tau_i) / (b_j - b_i)` for the pairs 01, 02, 12.
    pub secant: [f64; 3],
}

impl Moduli {
    /// The change `dtau` of the Kirchhoff stress for a change `dF`, in the axes of space.
    ///
    /// With `l = dF F^-1` the trial tensor changes by `l b + b l^T`, whatever the intermediate configuration is. In principal axes
    /// `de_i = l_ii`, and off the diagonal `dtau_ij = (tau_j - tau_i)/(b_j - b_i) db_ij`.
    pub fn change(&self, axes: &Principal, l: &Tensor) -> Tensor {
        let own = product(&product(&axes.n, l), &transpose(&axes.n));
        let mut dtau = [[0.0; 3]; 3];
        for i in 0..3 {
            dtau[i][i] = (0..3).map(|j| self.by_strain[i][j] * own[j][j]).sum();
        }
        for ((i, j), secant) in [(0, 1), (0, 2), (1, 2)].into_iter().zip(self.secant) {
            dtau[i][j] = secant * (own[i][j] * axes.b[j] + axes.b[i] * own[j][i]);
            dtau[j][i] = dtau[i][j];
        }
        product(&product(&transpose(&axes.n), &dtau), &axes.n)
    }
}

/// `dP = (dtau - tau l^T) F^-T` with `l = dF F^-1`.
pub(super) fn piola_change(at: &Deformation, l: &Tensor, tau: &Tensor, dtau: &Tensor) -> Tensor {
    let turned = product(tau, &transpose(l));
    let mut sum = *dtau;
    for i in 0..3 {
        for j in 0..3 {
            sum[i][j] -= turned[i][j];
        }
    }
    at.piola(&sum)
}
