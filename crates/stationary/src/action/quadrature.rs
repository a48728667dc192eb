//! Quadrature on `[0, 1]` and polynomials through given points: the data of Galerkin methods.

/// Nodes and weights on `[0, 1]`; the weights add to one.
#[derive(Debug, Clone, PartialEq)]
pub struct Quadrature {
    /// Nodes, increasing.
    pub nodes: Vec<f64>,
    /// Weights.
    pub weights: Vec<f64>,
}

/// Most stages or points offered.
pub const LARGEST: usize = 8;

/// Legendre polynomial `P_n` and its derivative at `x` in `(-1, 1)`.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut p) = (1.0, x);
    if n == 0 {
        return (1.0, 0.0);
    }
    for k in 2..=n {
        let k = k as f64;
        (before, p) = (p, ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k);
    }
    (p, n as f64 * (before - x * p) / (1.0 - x * x))
}

/// Newton's method on a smooth function with a simple root, to rounding.
fn root(mut x: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
    for _ in 0..100 {
        let (value, slope) = f(x);
        let dx = value / slope;
        x -= dx;
        if dx.abs() < 1e-16 {
            break;
        }
    }
    x
}

/// Makes nodes exactly symmetric about 1/2 and maps them from `[-1, 1]` to `[0, 1]`.
fn symmetric(n: usize, x: impl Fn(usize) -> (f64, f64)) -> Quadrature {
    let (mut nodes, mut weights) = (vec![0.5; n], vec![0.0; n]);
    for i in 0..n.div_ceil(2) {
        let (x, w) = x(i);
        weights[i] = w / 2.0;
        weights[n - 1 - i] = w / 2.0;
        if 2 * i + 1 != n {
            nodes[i] = 0.5 * (1.0 - x);
            nodes[n - 1 - i] = 0.5 * (1.0 + x);
        }
    }
    Quadrature { nodes, weights }
}

/// Gauss-Legendre quadrature with `s` nodes, exact for degree `2s - 1`.
pub fn gauss(s: usize) -> Quadrature {
    symmetric(s, |i| {
        let guess = (std::f64::consts::PI * (i as f64 + 0.75) / (s as f64 + 0.5)).cos();
        let x = if 2 * i + 1 == s { 0.0 } else { root(guess, |x| legendre(s, x)) };
        let slope = legendre(s, x).1;
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    })
}

/// Gauss-Lobatto quadrature with `s >= 2` nodes, both ends among them, exact for degree `2s - 3`.
pub fn lobatto(s: usize) -> Quadrature {
    let n = s - 1;
    symmetric(s, |i| {
        let end = 2.0 / (n as f64 * s as f64);
        if i == 0 {
            return (1.0, end);
        }
        let guess = (std::f64::consts::PI * i as f64 / n as f64).cos();
        let x = if 2 * i + 1 == s {
            0.0
        } else {
            // Roots of P_n'; its slope follows from Legendre's equation.
            root(guess, |x| {
                let (p, dp) = legendre(n, x);
                (dp, (2.0 * x * dp - (n * (n + 1)) as f64 * p) / (1.0 - x * x))
            })
        };
        let p = legendre(n, x).0;
        (x, end / (p * p))
    })
}

/// Values and derivatives at `x` of the Lagrange polynomials of the given nodes.
pub fn lagrange(nodes: &[f64], x: f64) -> (Vec<f64>, Vec<f64>) {
    let n = nodes.len();
    let (mut value, mut slope) = (vec![0.0; n], vec![0.0; n]);
    for j in 0..n {
        let factor = |k: usize| (x - nodes[k]) / (nodes[j] - nodes[k]);
        let product = |skip: usize| (0..n).filter(|&k| k != j && k != skip).map(factor).product::<f64>();
        value[j] = product(j);
        slope[j] = (0..n).filter(|&m| m != j).map(|m| product(m) / (nodes[j] - nodes[m])).sum();
    }
    (value, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integrate(rule: &Quadrature, degree: i32) -> f64 {
        rule.nodes.iter().zip(&rule.weights).map(|(x, w)| w * x.powi(degree)).sum()
    }

    /// Exact up to the promised degree, and, so that the test can fail, not one beyond.
    fn exact_to(rule: &Quadrature, degree: i32) {
        for k in 0..=degree {
            let error = integrate(rule, k) - 1.0 / f64::from(k + 1);
            assert!(error.abs() < 4e-16, "degree {k} of {degree}: {error:e}");
        }
        let beyond = integrate(rule, degree + 1) - 1.0 / f64::from(degree + 2);
        assert!(beyond.abs() > 1e-11, "degree {}: {beyond:e}", degree + 1);
    }

    #[test]
    fn gauss_and_lobatto_quadrature_have_their_degree_of_exactness() {
        for s in 1..=LARGEST {
            exact_to(&gauss(s), 2 * s as i32 - 1);
        }
        for s in 2..=LARGEST {
            exact_to(&lobatto(s), 2 * s as i32 - 3);
        }
    }

    #[test]
    fn lagrange_interpolation_reproduces_powers() {
        let nodes = lobatto(5).nodes;
        let x = 0.37;
        let (value, slope) = lagrange(&nodes, x);
        for k in 0..5 {
            let f: f64 = nodes.iter().zip(&value).map(|(c, w)| w * c.powi(k)).sum();
            let df: f64 = nodes.iter().zip(&slope).map(|(c, w)| w * c.powi(k)).sum();
            assert!((f - x.powi(k)).abs() < 1e-14);
            assert!((df - f64::from(k) * x.powi(k - 1)).abs() < 1e-13);
        }
    }
}
