//! The largest step for which vibrations stay bounded: of a method, on the oscillator `x'' = -omega^2 x`.

use super::table::Raw;
use crate::integrate::Method;
use crate::linalg::Lu;

/// Distance of the values of `h omega` that are tried. Narrower intervals of instability are passed over: compositions of high order
/// have some in which growth is slow.
const APART: f64 = 2e-3;
/// The largest that is tried.
const FARTHEST: f64 = 20.0;
/// Growth in one step that counts. Less is rounding, or as slow as a run that would take a million steps to notice.
const GROWTH: f64 = 1e-6;
/// Halvings of the interval in which the limit lies.
const HALVINGS: usize = 40;

/// The largest `h omega` up to which the motion stays bounded. `None` where every step is stable, where none is, and for a
/// method whose parameters are out of range.
pub(in crate::integrate) fn stability_limit(method: &Method) -> Option<f64> {
    let raw = Raw::of(method).ok()?;
    if expands(&raw) {
        return None;
    }
    let count = (FARTHEST / APART) as u32;
    let first = (1..=count).map(|k| f64::from(k) * APART).find(|z| grows(&raw, *z))?;
    let (mut stable, mut unstable) = (first - APART, first);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (stable + unstable);
        if grows(&raw, middle) { unstable = middle } else { stable = middle }
    }
    Some(stable)
}

/// Whether areas of phase space grow in short steps: then every step lets vibrations grow, the shorter the slower.
fn expands(raw: &Raw) -> bool {
    const SHORT: f64 = 0.1;
    const ROUNDING: f64 = 1e-12;
    let [[a, b], [c, d]] = oscillator(raw, SHORT);
    a * d - b * c > 1.0 + ROUNDING
}

/// Whether the oscillator's step has an eigenvalue beyond the unit circle.
fn grows(raw: &Raw, z: f64) -> bool {
    let [[a, b], [c, d]] = oscillator(raw, z);
    let half = 0.5 * (a + d);
    let determinant = a * d - b * c;
    let discriminant = half * half - determinant;
    let radius = if discriminant > 0.0 { half.abs() + discriminant.sqrt() } else { determinant.abs().sqrt() };
    // Not a number: no bound is known.
    !(radius <= 1.0 + GROWTH)
}

/// The matrix that takes `(x, h v)` over a step of `h omega = z`: the positions `Y` at the nodes obey
/// `(1 + z^2 A) Y = x + a h v`, and the forces there are `-z^2 Y`.
fn oscillator(raw: &Raw, z: f64) -> [[f64; 2]; 2] {
    let n = raw.a.len();
    let square = z * z;
    let mut lu = Lu::new(n);
    for k in 0..n * n {
        let unit = if k / n == k % n { 1.0 } else { 0.0 };
        lu.matrix()[k] = unit + square * raw.matrix[k];
    }
    if !lu.factor() {
        return [[f64::NAN; 2]; 2];
    }
    let mut matrix = [[1.0, 1.0], [0.0, 1.0]];
    let starts = [vec![1.0; n], raw.a.clone()];
    for (column, mut y) in starts.into_iter().enumerate() {
        lu.solve(&mut y);
        for i in 0..n {
            matrix[0][column] -= square * raw.c[i] * y[i];
            matrix[1][column] -= square * raw.b[i] * y[i];
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stability_limits_of_methods_agree_with_closed_forms() {
        let newmark = |beta: f64| Method::Newmark { beta, gamma: 0.5 };
        for (method, limit) in [
            (Method::Verlet { order: 2 }, Some(2.0)),
            (newmark(0.0), Some(2.0)),
            // 2/sqrt(1 - 4 beta)
            (newmark(1.0 / 12.0), Some(6.0_f64.sqrt())),
            (newmark(0.25), None),
            (Method::Trapezoidal { alpha: 0.0 }, Some(2.0)),
            (Method::Trapezoidal { alpha: 0.3 }, Some(2.0)),
            // 2/|1 - 2 alpha|
            (Method::Midpoint { alpha: 0.5 }, None),
            (Method::Midpoint { alpha: 0.25 }, Some(4.0)),
            (Method::Midpoint { alpha: 1.0 }, Some(2.0)),
            (Method::Gauss { stages: 1 }, None),
            (Method::Gauss { stages: 3 }, None),
            (Method::Lobatto { points: 2 }, Some(2.0)),
            // The pair IIIA-IIIB of order four.
            (Method::Lobatto { points: 3 }, Some(8.0_f64.sqrt())),
            (Method::RungeKutta4, Some(8.0_f64.sqrt())),
            // Every step grows.
            (Method::Newmark { beta: 0.0, gamma: 0.3 }, None),
            (Method::Newmark { beta: 0.0, gamma: 0.4999 }, None),
        ] {
            let found = stability_limit(&method);
            let agree = match (found, limit) {
                (Some(found), Some(limit)) => (found - limit).abs() < 1e-5,
                (found, limit) => found == limit,
            };
            assert!(agree, "{method}: {found:?}, expected {limit:?}");
        }
    }

    /// A composed step is a product of plain ones with its own lengths.
    #[test]
    fn stability_limits_of_compositions_agree_with_products_of_their_stages() {
        for order in [4, 6, 8] {
            let limit = stability_limit(&Method::Verlet { order }).unwrap();
            let steps = crate::integrate::Composition::of_order(order).unwrap().0;
            let half_trace = |z: f64| {
                let (mut x, mut v) = ([1.0, 0.0], [0.0, 1.0]);
                for g in steps {
                    for k in 0..2 {
                        v[k] -= 0.5 * g * z * z * x[k];
                        x[k] += g * v[k];
                        v[k] -= 0.5 * g * z * z * x[k];
                    }
                }
                0.5 * (x[0] + v[1])
            };
            assert!((1..100).all(|k| half_trace(0.0099 * f64::from(k) * limit).abs() <= 1.0 + 1e-9));
            assert!(half_trace(1.001 * limit).abs() > 1.0, "{order}: {limit}");
        }
    }
}
