//! The discrete symplectic form [VTI04 (38)] along a run.
//!
//! In the canonical variables of the action the form is `dq ^ dp`, and (38) says that the tangent `F` of the whole
//! map so far satisfies `F' J F = J`. The observer multiplies up the tangents of the steps and reports how far the
//! product is from that, for all pairs of variations at once, relative to `|F|^2`, the size at which
//! rounding enters. Where neighbouring paths separate fast the product would swallow all digits, so a
//! new window begins when it has grown by [`GROWTH`]. The rounding of each step adds up too, and always the same
//! way on a closed orbit: a window has at most [`LENGTH`] steps, so that the residual of a long run is not its length.
//!
//! The residual must not depend on units: `dq/dp` and `dp/dq` of a heavy body differ by many orders, and `|F|^2` would
//! be so large that everything looks symplectic. Each window therefore measures `q_i` in units `s_i` and `p_i` in
//! `1/s_i`, chosen so that both are of one size in its first step.

use super::{Conserved, Frame, Observer, Record, record};
use crate::archive::{Archive, Persist};
use crate::integrate::multiply;
use crate::laws::symplectic_residual;
use crate::linalg::max_abs;

/// Growth of the tangent after which a new window begins.
pub const GROWTH: f64 = 1e4;
/// Steps after which a new window begins.
pub const LENGTH: u64 = 100;

/// Follows the tangent of the flow.
pub struct Symplectic {
    n: usize,
    /// The form that is to be kept, by rows, where it is constant and not the canonical one.
    form: Vec<f64>,
    /// The units `s_i` of this window; none before its first step.
    units: Vec<f64>,
    step: Vec<f64>,
    product: Vec<f64>,
    scratch: Vec<f64>,
    worst: f64,
    now: f64,
    windows: u64,
    /// Steps in this window.
    steps: u64,
    /// Whether steps may have no tangent, and how many had none.
    gaps: bool,
    unseen: u64,
    seen: u64,
}

impl Symplectic {
    /// For `n` coordinates.
    pub fn new(n: usize) -> Self {
        let product = identity(2 * n);
        Symplectic {
            n,
            form: Vec::new(),
            units: Vec::new(),
            step: product.clone(),
            scratch: product.clone(),
            product,
            worst: 0.0,
            now: 0.0,
            windows: 1,
            steps: 0,
            gaps: false,
            unseen: 0,
            seen: 0,
        }
    }

    /// For a run with gaps: steps with impacts that have no tangent, as in corners, end a window and are counted.
    pub fn with_gaps(mut self, gaps: bool) -> Self {
        self.gaps = gaps;
        self
    }

    fn begin_window(&mut self) {
        self.product = identity(2 * self.n);
        self.units.clear();
        self.steps = 0;
        self.windows += 1;
    }

    /// For a constant form, an antisymmetric matrix by rows; tangents are in the variables of the form.
    pub fn of_form(form: &[f64]) -> Self {
        Symplectic { form: form.to_vec(), ..Self::new(form.len().isqrt() / 2) }
    }

    /// The largest residual; not a number if no step at all was seen.
    fn worst(&self) -> f64 {
        if self.seen == 0 && self.unseen > 0 { f64::NAN } else { self.worst }
    }

    /// How far the product is from keeping the form.
    fn residual(&mut self) -> f64 {
        if self.form.is_empty() {
            return symplectic_residual(&self.product, self.n);
        }
        let m = 2 * self.n;
        let mut pulled = vec![0.0; m * m];
        multiply(&self.form, &self.product, m, &mut self.scratch);
        for (at, x) in pulled.iter_mut().enumerate() {
            let column = (0..m).map(|k| self.product[k * m + at / m] * self.scratch[k * m + at % m]);
            *x = column.sum::<f64>() - self.form[at];
        }
        let size = max_abs(&self.product).max(1.0);
        max_abs(&pulled) / (size * size * max_abs(&self.form))
    }
}

fn identity(m: usize) -> Vec<f64> {
    (0..m * m).map(|k| f64::from(u8::from(k / m == k % m))).collect()
}

/// Least product of `dq/dp` and `dp/dq` in a step that tells units; below, as for free bodies, it is taken for this.
const WEAK: f64 = 1e-8;

/// Units in which `dq_i/dp_i` and `dp_i/dq` of a step are of one size: powers of two, which round nothing.
fn units(tangent: &[f64], n: usize) -> Vec<f64> {
    let m = 2 * n;
    let unit = |i: usize| {
        let drift = tangent[i * m + n + i].abs();
        let kick = max_abs(&tangent[(n + i) * m..(n + i) * m + n]).max(WEAK / drift);
        let s = (drift / kick).powf(0.25).log2().round().exp2();
        if s.is_normal() { s } else { 1.0 }
    };
    (0..n).map(unit).collect()
}

impl Observer for Symplectic {
    fn columns(&self) -> Vec<String> {
        vec!["symplectic_residual".into()]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        let Some(step) = frame.tangent else {
            // The start has none. A step without one is a step about which nothing is known.
            if frame.step > 0 {
                self.now = f64::NAN;
                self.unseen += 1;
                if !self.gaps {
                    self.worst = f64::NAN;
                }
                if self.steps > 0 {
                    self.begin_window();
                }
            }
            return;
        };
        let (n, m) = (self.n, 2 * self.n);
        if self.steps == LENGTH || max_abs(&self.product) > GROWTH {
            self.begin_window();
        }
        if self.units.is_empty() {
            self.units = if self.form.is_empty() { units(step, n) } else { vec![1.0; n] };
        }
        let unit = |k: usize| if k < n { self.units[k] } else { 1.0 / self.units[k - n] };
        for (k, x) in self.step.iter_mut().enumerate() {
            *x = step[k] * (unit(k % m) / unit(k / m));
        }
        multiply(&self.step, &self.product, m, &mut self.scratch);
        std::mem::swap(&mut self.product, &mut self.scratch);
        self.now = self.residual();
        if self.now > self.worst || self.now.is_nan() {
            self.worst = self.now;
        }
        self.steps += 1;
        self.seen += 1;
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.now);
    }

    fn summarise(&self, summary: &mut Record) {
        let entry = record! { "max_residual": self.worst(), "windows": self.windows, "unseen": self.unseen };
        summary.set("symplectic", entry);
    }

    fn conserved(&self) -> Option<Conserved> {
        let worst = self.worst();
        let mut row = Conserved::new("symplectic form", 1.0, [worst; 2]);
        if self.unseen > 0 && worst.is_finite() {
            row.verdict += &format!("; {} steps with impacts have no tangent", self.unseen);
        }
        Some(row)
    }

    fn wants_tangent(&self) -> bool {
        true
    }
}

impl Persist for Symplectic {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.units).fixed(&mut self.step).fixed(&mut self.product);
        archive.pass(&mut self.worst).pass(&mut self.now).pass(&mut self.windows);
        archive.pass(&mut self.steps).pass(&mut self.unseen).pass(&mut self.seen);
    }
}
