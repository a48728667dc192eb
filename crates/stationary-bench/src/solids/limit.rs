//! The true limit of a synchronous step.

use stationary::model::Structure;

/// `2/omega_max` of a body at rest at `x`: Lanczos's method on differences of its forces. From above, by less than a
/// thousandth after a few dozen rounds.
pub fn true_limit(body: &impl Structure, x: &[f64], rounds: usize) -> Result<f64, String> {
    let root: Vec<f64> = body.mass().iter().flat_map(|m| [m.sqrt(); 3]).collect();
    let n = x.len();
    let mut base = vec![0.0; n];
    body.gradient(0.0, x, &mut base).map_err(|fault| fault.why)?;
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    // Every vibration is in it: no pattern that a symmetric mesh could miss.
    let mut now: Vec<f64> = (0..n).map(|i| (1.7 * i as f64 + 0.3 * (i as f64).sqrt()).sin()).collect();
    let first = norm(&now);
    now.iter_mut().for_each(|v| *v /= first);
    let (mut before, mut next, mut moved) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let (mut diagonal, mut off, mut beta) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..rounds {
        // A displacement so small that the body is linear, so large that differences keep eight digits.
        let largest = now.iter().zip(&root).fold(0.0_f64, |a, (v, r)| a.max((v / r).abs()));
        let small = 1e-8 * smallest_scale(x) / largest;
        for i in 0..n {
            moved[i] = x[i] + small * now[i] / root[i];
        }
        body.gradient(0.0, &moved, &mut next).map_err(|fault| fault.why)?;
        for i in 0..n {
            next[i] = (next[i] - base[i]) / (small * root[i]);
        }
        let alpha: f64 = next.iter().zip(&now).map(|(a, b)| a * b).sum();
        for i in 0..n {
            next[i] -= alpha * now[i] + beta * before[i];
        }
        diagonal.push(alpha);
        beta = norm(&next);
        if !(beta > 1e-10 * alpha.abs()) {
            break;
        }
        off.push(beta);
        next.iter_mut().for_each(|v| *v /= beta);
        std::mem::swap(&mut before, &mut now);
        std::mem::swap(&mut now, &mut next);
    }
    Ok(2.0 / largest_eigenvalue(&diagonal, &off).sqrt())
}

/// The size of the body.
fn smallest_scale(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |a, x| a.max(x.abs()))
}

/// Of a tridiagonal matrix, by bisection with Sturm's count.
fn largest_eigenvalue(diagonal: &[f64], off: &[f64]) -> f64 {
    let m = diagonal.len();
    let reach = |i: usize| {
        let before = if i > 0 { off[i - 1] } else { 0.0 };
        diagonal[i] + before + if i + 1 < m { off[i] } else { 0.0 }
    };
    let (mut low, mut high) = (0.0, (0..m).map(reach).fold(0.0, f64::max));
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        let (mut d, mut above) = (1.0, false);
        for i in 0..m {
            let coupling = if i > 0 { off[i - 1] * off[i - 1] / d } else { 0.0 };
            d = diagonal[i] - middle - coupling;
            above |= d >= 0.0;
            if d == 0.0 {
                d = 1e-300;
            }
        }
        if above { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solids::cube::Cube;
    use stationary::integrate::Method;
    use stationary::integrate::sparse::{Sparse, SparseStart};
    use stationary::model::solid::Kind;

    #[test]
    fn the_largest_eigenvalue_of_a_chain() {
        let (m, pi) = (40, std::f64::consts::PI);
        let exact = 2.0 + 2.0 * (pi / (m + 1) as f64).cos();
        let found = largest_eigenvalue(&vec![2.0; m], &vec![1.0; m - 1]);
        assert!((found - exact).abs() < 1e-12, "{found} {exact}");
    }

    /// Below the limit vibrations stay, above it they grow.
    #[test]
    fn the_limit_is_where_runs_begin_to_grow() {
        let cube = Cube::graded(4, Kind::Tet4, 0.5);
        let limit = true_limit(&cube.problem(), cube.points.as_flattened(), 60).unwrap();
        let energy = |part: f64| {
            let start = SparseStart {
                t: 0.0,
                h: part * limit,
                x: cube.points.as_flattened().to_vec(),
                v: cube.shaken(),
            };
            let mut run = Sparse::new(cube.problem(), Method::Verlet { order: 2 }, start, 1e-15).unwrap();
            let first: f64 = run.energy().unwrap().iter().sum();
            for _ in 0..400 {
                if run.step().is_err() {
                    return f64::INFINITY;
                }
            }
            run.energy().unwrap().iter().sum::<f64>() / first
        };
        assert!(energy(0.995) < 2.0, "{}", energy(0.995));
        assert!(energy(1.005) > 10.0, "{}", energy(1.005));
    }
}
