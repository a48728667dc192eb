//! The largest eigenvalue of a small symmetric matrix.

/// A tridiagonal matrix: its diagonal, and what stands beside it.
struct Tridiagonal {
    n: usize,
    d: Vec<f64>,
    e: Vec<f64>,
}

/// The largest eigenvalue of the symmetric `n` by `n` matrix `a` (its lower triangle; destroyed), from above to rounding:
/// Householder's tridiagonal form, Laguerre's way down from above the spectrum, and bisection by Sturm's count where rounding
/// ends it. Power iteration would approach from below, on the unsafe side. `None` if an entry is not finite.
pub fn largest_eigenvalue(a: &mut [f64], n: usize) -> Option<f64> {
    if n == 0 || !a.iter().all(|x| x.is_finite()) {
        return None;
    }
    Some(tridiagonal(a, n).largest())
}

/// The largest eigenvalue of a symmetric tridiagonal matrix, from above to rounding. `d` must not be empty; `e` is one shorter.
pub(crate) fn largest_of_tridiagonal(d: &[f64], e: &[f64]) -> f64 {
    Tridiagonal { n: d.len(), d: d.to_vec(), e: e.to_vec() }.largest()
}

impl Tridiagonal {
    /// The largest eigenvalue, from above to rounding.
    fn largest(&self) -> f64 {
        // Gershgorin's discs hold the spectrum.
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..self.n {
            let before = if i > 0 { self.e[i - 1].abs() } else { 0.0 };
            let radius = before + if i + 1 < self.n { self.e[i].abs() } else { 0.0 };
            low = low.min(self.d[i] - radius);
            high = high.max(self.d[i] + radius);
        }
        let size = low.abs().max(high.abs());
        let close = 4.0 * f64::EPSILON * size;
        high += close;
        while high - low > close {
            let Some(next) = self.laguerre(high) else { break };
            let step = high - next;
            if !self.all_below(next) {
                low = low.max(next);
                break;
            }
            high = next;
            if !(step > close) {
                break;
            }
        }
        // What rounding left: a little below is inside of the spectrum.
        let mut margin = close;
        while low < high - margin && self.all_below(high - margin) {
            high -= margin;
            margin *= 4.0;
        }
        low = low.max(high - margin);
        while high - low > close {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.all_below(middle) { high = middle } else { low = middle }
        }
        high
    }

    /// Whether every eigenvalue is below `x`: all pivots of `T - x` are negative.
    fn all_below(&self, x: f64) -> bool {
        let mut pivot = self.d[0] - x;
        for i in 1..self.n {
            if !(pivot < 0.0) {
                return false;
            }
            pivot = self.d[i] - x - self.e[i - 1] * self.e[i - 1] / pivot;
        }
        pivot < 0.0
    }

    /// Laguerre's step from `x` above all eigenvalues: the next is nearer to the largest, from the same side. `None` where `x` is
    /// not above them. The pivots `q_i` of `T - x` give `sum 1/(x - w)` and `sum 1/(x - w)^2` in terms of one sign.
    fn laguerre(&self, x: f64) -> Option<f64> {
        let mut q = [self.d[0] - x, -1.0, 0.0];
        let (mut first, mut second) = (0.0, 0.0);
        for i in 0..self.n {
            if !(q[0] < 0.0) {
                return None;
            }
            let inverse = 1.0 / q[0];
            let slope = q[1] * inverse;
            first += slope;
            second += slope * slope - q[2] * inverse;
            if i + 1 < self.n {
                let off = self.e[i] * self.e[i] * inverse;
                q = [
                    self.d[i + 1] - x - off,
                    off * slope - 1.0,
                    off * (q[2] * inverse - 2.0 * slope * slope),
                ];
            }
        }
        let n = self.n as f64;
        let spread = ((n - 1.0) * (n * second - first * first)).max(0.0).sqrt();
        let step = n / (first + spread);
        step.is_finite().then_some(x - step)
    }
}

/// An orthogonally similar tridiagonal matrix. Of `a` the lower triangle is read.
fn tridiagonal(a: &mut [f64], n: usize) -> Tridiagonal {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has these instructions.
        return unsafe { tridiagonal_avx2(a, n) };
    }
    householder(a, n)
}

/// [`householder`] with wider instructions; products are not fused, so that the bits are the same.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn tridiagonal_avx2(a: &mut [f64], n: usize) -> Tridiagonal {
    householder(a, n)
}

/// Householder's reflections. Both triangles are kept up: twice the products, but rows are then swept as a whole, in vector lanes.
#[inline(always)]
fn householder(a: &mut [f64], n: usize) -> Tridiagonal {
    for i in 0..n {
        for j in 0..i {
            a[j * n + i] = a[i * n + j];
        }
    }
    let (mut v, mut w, mut e) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    for k in 0..n.saturating_sub(1) {
        let v = &mut v[k + 1..];
        let w = &mut w[k + 1..];
        v.copy_from_slice(&a[k * n + k + 1..(k + 1) * n]);
        let below: f64 = v.iter().map(|x| x * x).sum();
        let (length, head) = (below.sqrt(), v[0]);
        e[k] = if head > 0.0 { -length } else { length };
        // v reflects the column onto its first entry; v . v = 2 (length^2 + |head| length).
        let square = 2.0 * (below + head.abs() * length);
        if !(square > 0.0) {
            e[k] = head;
            continue;
        }
        v[0] -= e[k];
        w.fill(0.0);
        let rows = a[(k + 1) * n..].chunks_exact_mut(n);
        for (row, v) in rows.zip(v.iter()) {
            for (w, x) in w.iter_mut().zip(&row[k + 1..]) {
                *w += x * v;
            }
        }
        let scale = 2.0 / square;
        let vw: f64 = scale * v.iter().zip(w.iter()).map(|(v, w)| v * w).sum::<f64>();
        for (w, v) in w.iter_mut().zip(v.iter()) {
            *w = scale * *w - vw / square * v;
        }
        let rows = a[(k + 1) * n..].chunks_exact_mut(n);
        for (row, (vi, wi)) in rows.zip(v.iter().zip(w.iter())) {
            for (x, (v, w)) in row[k + 1..].iter_mut().zip(v.iter().zip(w.iter())) {
                *x -= vi * w + wi * v;
            }
        }
    }
    Tridiagonal { n, d: (0..n).map(|i| a[i * n + i]).collect(), e }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_eigenvalues_agree_with_known_spectra() {
        // The chain of n springs fixed at both ends: 2 - 2 cos(pi k / (n + 1)), made full by a similarity.
        for n in 1..31 {
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                a[i * n + i] = 2.0;
                if i + 1 < n {
                    (a[i * n + i + 1], a[(i + 1) * n + i]) = (-1.0, -1.0);
                }
            }
            let u: Vec<f64> = (0..n).map(|i| ((i * i + 1) as f64).sin()).collect();
            let square: f64 = u.iter().map(|x| x * x).sum();
            let reflect = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 } - 2.0 * u[i] * u[j] / square;
            let mut full = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    for k in 0..n {
                        for l in 0..n {
                            full[i * n + j] += reflect(i, k) * a[k * n + l] * reflect(l, j);
                        }
                    }
                }
            }
            let want = 2.0 - 2.0 * (std::f64::consts::PI * n as f64 / (n as f64 + 1.0)).cos();
            let got = largest_eigenvalue(&mut full, n).unwrap();
            assert!((got - want).abs() < 1e-13 * n as f64, "{n}: {got} {want}");
        }
        assert!(largest_eigenvalue(&mut [0.0; 9], 3).unwrap().abs() < 1e-300);
        assert!(largest_eigenvalue(&mut [1.0, f64::NAN, 0.0, 1.0], 2).is_none());
    }
}
