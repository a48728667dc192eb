//! The largest eigenvalue of a small symmetric matrix.

/// The largest eigenvalue of the symmetric `n` by `n` matrix `a` (destroyed), from above to rounding: Householder's
/// tridiagonal form, then bisection by Sturm's count. Power iteration would approach from below, on the unsafe
/// side. `None` if an entry is not finite.
pub(super) fn largest_eigenvalue(a: &mut [f64], n: usize) -> Option<f64> {
    if n == 0 || !a.iter().all(|x| x.is_finite()) {
        return None;
    }
    let (d, e) = tridiagonal(a, n);
    Some(largest_of_tridiagonal(&d, &e))
}

/// The largest eigenvalue of a symmetric tridiagonal matrix, from above to rounding, by bisection. `d` must not be empty; `e` is
/// one shorter.
pub(super) fn largest_of_tridiagonal(d: &[f64], e: &[f64]) -> f64 {
    let n = d.len();
    // Gershgorin's discs hold the spectrum.
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..n {
        let before = if i > 0 { e[i - 1].abs() } else { 0.0 };
        let radius = before + if i + 1 < n { e[i].abs() } else { 0.0 };
        low = low.min(d[i] - radius);
        high = high.max(d[i] + radius);
    }
    let size = low.abs().max(high.abs());
    high += 4.0 * f64::EPSILON * size;
    while high - low > 4.0 * f64::EPSILON * size {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if all_below(d, e, middle) { high = middle } else { low = middle }
    }
    high
}

/// Whether every eigenvalue of the tridiagonal matrix is below `x`: all pivots of `T - x` are negative.
fn all_below(d: &[f64], e: &[f64], x: f64) -> bool {
    let mut pivot = d[0] - x;
    for i in 1..d.len() {
        if !(pivot < 0.0) {
            return false;
        }
        pivot = d[i] - x - e[i - 1] * e[i - 1] / pivot;
    }
    pivot < 0.0
}

/// Diagonal and off-diagonal of an orthogonally similar tridiagonal matrix.
fn tridiagonal(a: &mut [f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut v, mut w) = (vec![0.0; n], vec![0.0; n]);
    let mut off = vec![0.0; n.saturating_sub(1)];
    for k in 0..n.saturating_sub(1) {
        let below: f64 = (k + 1..n).map(|i| a[i * n + k] * a[i * n + k]).sum();
        let length = below.sqrt();
        let head = a[(k + 1) * n + k];
        off[k] = if head > 0.0 { -length } else { length };
        // v reflects the column onto its first entry; v . v = 2 (length^2 + |head| length).
        let square = 2.0 * (below + head.abs() * length);
        if !(square > 0.0) {
            off[k] = head;
            continue;
        }
        for i in k + 1..n {
            v[i] = a[i * n + k];
        }
        v[k + 1] -= off[k];
        let mut vw = 0.0;
        for i in k + 1..n {
            let mut s = 0.0;
            for j in k + 1..n {
                s += a[i * n + j] * v[j];
            }
            w[i] = 2.0 * s / square;
            vw += v[i] * w[i];
        }
        for i in k + 1..n {
            w[i] -= vw / square * v[i];
        }
        for i in k + 1..n {
            for j in k + 1..n {
                a[i * n + j] -= v[i] * w[j] + w[i] * v[j];
            }
        }
    }
    ((0..n).map(|i| a[i * n + i]).collect(), off)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_spectra() {
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
