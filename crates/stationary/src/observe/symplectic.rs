//! The discrete symplectic form [VTI04 (38)] along a run.
//!
//! In the canonical variables of the action the form is `dq ^ dp`, and (38) says that the tangent `F` of the whole
//! map so far satisfies `F' J F = J`. The observer multiplies up the tangents of the steps and reports how far the
//! product is from that, for all pairs of variations at once, relative to `|F|^2`, the size at which
//! rounding enters. Where neighbouring paths separate fast the product would swallow all digits, so a
//! new window begins when it has grown by [`GROWTH`].

use super::{Conserved, Frame, Observer, kept, number};
use crate::integrate::multiply;
use crate::laws::symplectic_residual;
use crate::linalg::max_abs;
use serde_json::{Map, Value, json};

/// Growth of the tangent after which a new window begins.
pub const GROWTH: f64 = 1e4;

/// Follows the tangent of the flow.
pub struct Symplectic {
    n: usize,
    product: Vec<f64>,
    scratch: Vec<f64>,
    worst: f64,
    now: f64,
    windows: u64,
}

impl Symplectic {
    /// For `n` coordinates.
    pub fn new(n: usize) -> Self {
        let product = identity(2 * n);
        Symplectic { n, scratch: product.clone(), product, worst: 0.0, now: 0.0, windows: 1 }
    }
}

fn identity(m: usize) -> Vec<f64> {
    (0..m * m).map(|k| f64::from(u8::from(k / m == k % m))).collect()
}

impl Observer for Symplectic {
    fn columns(&self) -> Vec<String> {
        vec!["symplectic_residual".into()]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        let Some(step) = frame.tangent else {
            return;
        };
        multiply(step, &self.product, 2 * self.n, &mut self.scratch);
        std::mem::swap(&mut self.product, &mut self.scratch);
        self.now = symplectic_residual(&self.product, self.n);
        if self.now > self.worst || self.now.is_nan() {
            self.worst = self.now;
        }
        if max_abs(&self.product) > GROWTH {
            self.product = identity(2 * self.n);
            self.windows += 1;
        }
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.now);
    }

    fn summarise(&self, summary: &mut Map<String, Value>) {
        let entry = json!({ "max_residual": number(self.worst), "windows": self.windows });
        summary.insert("symplectic".into(), entry);
    }

    fn conserved(&self) -> Option<Conserved> {
        let verdict = kept(self.worst);
        Some(Conserved { quantity: "symplectic form".into(), initial: 1.0, worst: self.worst, verdict })
    }

    fn wants_tangent(&self) -> bool {
        true
    }
}
