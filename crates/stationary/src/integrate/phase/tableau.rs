//! The coefficients of Gauss collocation.

use crate::action::quadrature::{gauss, lagrange};

/// `Z_i = z0 + h sum_j a_ij W_j`, `z1 = z0 + h sum_i b_i W_i`.
#[derive(Debug, Clone)]
pub(super) struct Tableau {
    pub s: usize,
    /// By rows.
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    pub c: Vec<f64>,
    /// Continues the slopes of one step to the next, by rows.
    pub forecast: Vec<f64>,
}

impl Tableau {
    pub fn gauss(s: usize) -> Self {
        let rule = gauss(s);
        let (b, c) = (rule.weights, rule.nodes);
        let mut a = vec![0.0; s * s];
        for i in 0..s {
            // The integral of the j-th Lagrange polynomial to c_i; the rule is exact for it.
            for k in 0..s {
                let values = lagrange(&c, c[i] * c[k]).0;
                for j in 0..s {
                    a[i * s + j] += c[i] * b[k] * values[j];
                }
            }
        }
        // b_i a_ij + b_j a_ji = b_i b_j is what keeps quadratic invariants: the rounded coefficients must not miss it.
        for i in 0..s {
            a[i * s + i] = 0.5 * b[i];
            for j in 0..i {
                a[i * s + j] = b[j] - b[j] * a[j * s + i] / b[i];
            }
        }
        let mut forecast = vec![0.0; s * s];
        for i in 0..s {
            if s <= 3 {
                forecast[i * s..(i + 1) * s].copy_from_slice(&lagrange(&c, 1.0 + c[i]).0);
            } else {
                // High polynomials continued that far amplify rounding: repeat the mean slope.
                forecast[i * s..(i + 1) * s].copy_from_slice(&b);
            }
        }
        Tableau { s, a, b, c, forecast }
    }

    /// Continues slopes of `m` variables.
    pub fn extrapolate(&self, m: usize, from: &[f64], to: &mut [f64]) {
        to.fill(0.0);
        for i in 0..self.s {
            for j in 0..self.s {
                for k in 0..m {
                    to[i * m + k] += self.forecast[i * self.s + j] * from[j * m + k];
                }
            }
        }
    }
}
