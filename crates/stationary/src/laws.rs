//! The laws that every integrator is held to, as measurements: order, symplecticity, drift. The
//! tests run them over one list of all methods; they serve new methods as they serve ours.

use crate::integrate::Integrator;

/// The slope of the least-squares line through `(x, y)`, and its standard error.
pub fn line_fit(x: &[f64], y: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let sxx: f64 = x.iter().map(|x| (x - mx).powi(2)).sum();
    let sxy: f64 = x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum();
    let slope = sxy / sxx;
    let rest: f64 = x.iter().zip(y).map(|(x, y)| (y - my - slope * (x - mx)).powi(2)).sum();
    (slope, (rest / (n - 2.0) / sxx).sqrt())
}

/// The order of a method: the slope of log error over log step, from points that rounding has not spoilt.
///
/// `None` when fewer than three points lie above `floor`, or an error is not finite.
///
/// ```
/// let steps = [0.1, 0.05, 0.025, 0.0125];
/// let errors = steps.map(|h: f64| 3.0 * h.powi(4));
/// let order = stationary::laws::order(&steps, &errors, 1e-13).unwrap();
/// assert!((order - 4.0).abs() < 1e-10);
/// ```
pub fn order(steps: &[f64], errors: &[f64], floor: f64) -> Option<f64> {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (h, e) in steps.iter().zip(errors) {
        if !e.is_finite() {
            return None;
        }
        if *e > floor {
            x.push(h.ln());
            y.push(e.ln());
        }
    }
    (x.len() >= 3).then(|| line_fit(&x, &y).0)
}

/// How far a linear map is from symplectic: the largest entry of `T' J T - J` over the square of the largest entry of
/// `T` (at least 1), the size that rounding makes it. `T` is `2n` by `2n`, by rows.
///
/// For the tangent of a variational step in canonical variables this is the residual of the discrete
/// symplectic form [VTI04 (38)], evaluated on all pairs of basis variations at once.
pub fn symplectic_residual(tangent: &[f64], n: usize) -> f64 {
    let m = 2 * n;
    let mut largest: f64 = 0.0;
    for a in 0..m {
        for b in 0..a {
            let mut form = 0.0;
            for i in 0..n {
                let (qa, pa) = (tangent[i * m + a], tangent[(n + i) * m + a]);
                let (qb, pb) = (tangent[i * m + b], tangent[(n + i) * m + b]);
                form += qa * pb - pa * qb;
            }
            let expected = if a == b + n { -1.0 } else { 0.0 };
            let error = (form - expected).abs();
            if error > largest || error.is_nan() {
                largest = error;
            }
        }
    }
    let size = crate::linalg::max_abs(tangent).max(1.0);
    largest / (size * size)
}

/// The largest symplectic residual of single steps over a run.
pub fn worst_symplectic_residual(integrator: &mut dyn Integrator, steps: u64) -> f64 {
    let n = integrator.freedom();
    let mut tangent = vec![0.0; 4 * n * n];
    let mut worst: f64 = 0.0;
    for _ in 0..steps {
        if integrator.advance(1).is_err() || !integrator.tangent(&mut tangent) {
            return f64::NAN;
        }
        let residual = symplectic_residual(&tangent, n);
        if residual > worst || residual.is_nan() {
            worst = residual;
        }
    }
    worst
}
