//! Every method on `L = v.M v/2 - V(t, x)` as coefficients of one form.
//!
//! With a constant mass matrix the control points of a polynomial path enter the discrete Euler-Lagrange equations linearly,
//! and can be eliminated once and for all. What remains are the positions `Y_i` at the quadrature nodes (Nystrom's
//! form), with `f_j` the forces there:
//!
//! `Y_i = x0 + a_i h v0 + h^2 M^-1 sum_j A_ij f_j`,
//! `x1 = x0 + h v0 + h^2 M^-1 sum_j c_j f_j`, `p1 = p0 + h sum_j b_j f_j`.
//!
//! Nodes that `A` couples to themselves or to later ones are unknowns: one for the midpoint rule, Newmark's and
//! Lobatto's with three points, `s` for Gauss' with `s` stages, none for explicit methods. Among them only the masses,
//! which are diagonal, couple different nodes, so the matrices are as sparse as they can be.

use crate::action::quadrature::{self, LARGEST, Quadrature};
use crate::integrate::{BuildError, Composition, Method};
use crate::linalg::Lu;
use std::ops::Range;

/// `u = velocity h v0 + h^2 M^-1 sum_j force_j f_j + sum_i point_i y_i`, an increment of the position; `y_i` are the increments
/// of the unknown nodes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub velocity: f64,
    /// One a node.
    pub force: Vec<f64>,
    /// One for each unknown node. The forces there are expressed by their positions: for stiff bodies the products
    /// `h^2 f / m` are large and would carry the rounding of the forces into the position.
    pub point: Vec<f64>,
}

/// Where the step ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum End {
    /// At this node.
    Node(usize),
    /// Elsewhere.
    Row(Row),
}

/// The coefficients of a method.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    /// `a_i`, as fractions of the step.
    pub nodes: Vec<f64>,
    /// `b_i`
    pub weights: Vec<f64>,
    /// The increments of the nodes; for unknown ones the part that is known beforehand.
    pub rows: Vec<Row>,
    /// The nodes that are unknown.
    pub unknown: Range<usize>,
    /// Inverse of `A` among the unknown nodes, by rows.
    pub inverse: Vec<f64>,
    pub end: End,
    /// Newmark's `beta`: the momenta are conjugate to `x - beta h^2 M^-1 f(x)`.
    pub beta: f64,
}

/// The coefficients as the heading writes them: `a`, `b`, `c`, and `A` by rows.
pub(super) struct Raw {
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    pub c: Vec<f64>,
    pub matrix: Vec<f64>,
}

impl Table {
    /// The coefficients of a method whose parameters are in range.
    pub fn new(method: &Method) -> Result<Self, BuildError> {
        let beta = if let Method::Newmark { beta, .. } = *method { beta } else { 0.0 };
        Ok(Table { beta, ..Raw::of(method)?.table() })
    }

    /// Number of unknown nodes.
    pub fn unknowns(&self) -> usize {
        self.unknown.len()
    }

    /// Whether the forces at the end of a step are those at the first node of the next.
    pub fn carries(&self) -> Option<usize> {
        let first = &self.rows[0];
        let starts = self.nodes[0] == 0.0 && !self.unknown.contains(&0) && first.velocity == 0.0;
        match self.end {
            End::Node(last) if starts => Some(last),
            _ => None,
        }
    }
}

impl Raw {
    /// The coefficients of a method whose parameters are in range.
    pub fn of(method: &Method) -> Result<Self, BuildError> {
        let within = |name: &str, x: f64, to: f64| match (0.0..=to).contains(&x) {
            true => Ok(()),
            false => Err(unsuited(method, &format!("expected `{name}` from 0 to {to}"))),
        };
        let count = |name: &str, n: usize, from: usize| match (from..=LARGEST).contains(&n) {
            true => Ok(()),
            false => Err(unsuited(method, &format!("expected `{name}` from {from} to {LARGEST}"))),
        };
        Ok(match *method {
            Method::Midpoint { alpha } => {
                within("alpha", alpha, 1.0)?;
                galerkin(1, &Quadrature { nodes: vec![alpha], weights: vec![1.0] })
            }
            Method::Trapezoidal { alpha } => {
                within("alpha", alpha, 1.0)?;
                galerkin(1, &Quadrature { nodes: vec![0.0, 1.0], weights: vec![1.0 - alpha, alpha] })
            }
            Method::Gauss { stages } => {
                count("stages", stages, 1)?;
                symmetrised(galerkin(stages, &quadrature::gauss(stages)))
            }
            Method::Lobatto { points } => {
                count("stages", points, 2)?;
                symmetrised(galerkin(points - 1, &quadrature::lobatto(points)))
            }
            Method::Newmark { beta, gamma } => {
                within("beta", beta, 0.5)?;
                within("gamma", gamma, 1.0)?;
                newmark(beta, gamma)
            }
            Method::Verlet { order } => match Composition::of_order(order) {
                Some(composition) => composed(composition.0),
                None => return Err(unsuited(method, "expected an `order` of 2, 4, 6 or 8")),
            },
            Method::RungeKutta4 => runge_kutta(),
        })
    }
}

fn unsuited(method: &Method, help: &str) -> BuildError {
    BuildError::Unsuited(format!("the method {method}: {help}"))
}

/// A polynomial path under a quadrature [VTI04 (20)-(23)]. The equations of point `j = 0..s-1` are, with `u_k` the
/// increments of the points `k = 1..=s`, `sum_k D_jk M u_k / h + h sum_i w_i phi_j(a_i) f_i = -p0` for `j = 0`
/// and `0` for the others, where `D_jk = sum_i w_i phi_j'(a_i) phi_k'(a_i)`.
fn galerkin(degree: usize, rule: &Quadrature) -> Raw {
    let (s, n) = (degree, rule.nodes.len());
    let points = quadrature::lobatto(degree + 1).nodes;
    let shapes: Vec<_> = rule.nodes.iter().map(|a| quadrature::lagrange(&points, *a)).collect();
    let mut lu = Lu::new(s);
    for j in 0..s {
        for k in 1..=s {
            lu.matrix()[j * s + k - 1] =
                shapes.iter().zip(&rule.weights).map(|((_, d), w)| w * d[j] * d[k]).sum();
        }
    }
    assert!(lu.factor(), "the masses of a polynomial path can be inverted");
    let mut matrix = vec![0.0; n * n];
    let mut column = vec![0.0; s];
    for j in 0..n {
        for k in 0..s {
            column[k] = -rule.weights[j] * shapes[j].0[k];
        }
        lu.solve(&mut column);
        for i in 0..n {
            matrix[i * n + j] = (0..s).map(|k| shapes[i].0[k + 1] * column[k]).sum();
        }
    }
    // Noether's theorem for rotations demands this `c`; computed as the last `u_k` it would be less exact.
    let c = rule.weights.iter().zip(&rule.nodes).map(|(w, a)| w * (1.0 - a)).collect();
    Raw { a: rule.nodes.clone(), b: rule.weights.clone(), c, matrix }
}

/// Makes `b_i (c_j - A_ij)` symmetric to rounding, the other demand of Noether's theorem for rotations: coefficients that
/// miss it push the angular momentum the same way in every step.
fn symmetrised(mut raw: Raw) -> Raw {
    let n = raw.a.len();
    let before = raw.matrix.clone();
    let excess = |i: usize, j: usize| raw.b[i] * (raw.c[j] - before[i * n + j]);
    for i in 0..n {
        for j in 0..n {
            if before[i * n + j] != 0.0 {
                let mean = 0.5 * (excess(i, j) + excess(j, i));
                raw.matrix[i * n + j] = raw.c[j] - mean / raw.b[i];
            }
        }
        if raw.a[i] == 1.0 {
            // The node at the end is the end.
            raw.matrix[i * n..(i + 1) * n].copy_from_slice(&raw.c);
        }
    }
    raw
}

/// Newmark's family [VTI04 (19)].
fn newmark(beta: f64, gamma: f64) -> Raw {
    let c = vec![0.5 - beta, beta];
    let matrix = [vec![0.0, 0.0], c.clone()].concat();
    Raw { a: vec![0.0, 1.0], b: vec![1.0 - gamma, gamma], c, matrix }
}

/// Velocity Verlet with sub-steps: a kick at node `j` moves all later nodes by the time between.
fn composed(steps: &[f64]) -> Raw {
    let n = steps.len() + 1;
    let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
    for (i, g) in steps.iter().enumerate() {
        a[i + 1] = a[i] + g;
        b[i] += 0.5 * g;
        b[i + 1] += 0.5 * g;
    }
    a[n - 1] = 1.0;
    let moved = |i: usize, j: usize| if j < i { b[j] * (a[i] - a[j]) } else { 0.0 };
    let matrix: Vec<f64> = (0..n * n).map(|k| moved(k / n, k % n)).collect();
    Raw { c: matrix[n * (n - 1)..].to_vec(), a, b, matrix }
}

/// The classical method for `x' = p/m`, `p' = f`, the velocities of its stages written out.
fn runge_kutta() -> Raw {
    let (sixth, third) = (1.0 / 6.0, 1.0 / 3.0);
    let mut matrix = vec![0.0; 16];
    (matrix[2 * 4], matrix[3 * 4 + 1]) = (0.25, 0.5);
    Raw {
        a: vec![0.0, 0.5, 0.5, 1.0],
        b: vec![sixth, third, third, sixth],
        c: vec![sixth, sixth, sixth, 0.0],
        matrix,
    }
}

impl Raw {
    fn table(self) -> Table {
        let n = self.a.len();
        let row = |i: usize| &self.matrix[i * n..(i + 1) * n];
        let coupled = |i: &usize| row(*i)[*i..].iter().any(|x| *x != 0.0);
        let unknown = match (0..n).find(coupled) {
            Some(first) => first..(first..n).rev().find(coupled).map_or(first, |last| last + 1),
            None => 0..0,
        };
        let k = unknown.len();
        let mut lu = Lu::new(k);
        for i in 0..k * k {
            lu.matrix()[i] = row(unknown.start + i / k)[unknown.start + i % k];
        }
        assert!(lu.factor(), "the coefficients of unknown nodes can be inverted");
        let mut inverse = vec![0.0; k * k];
        for j in 0..k {
            let mut column = vec![0.0; k];
            column[j] = 1.0;
            lu.solve(&mut column);
            (0..k).for_each(|i| inverse[i * k + j] = column[i]);
        }
        let part = Solved { raw: &self, unknown: unknown.clone(), inverse: &inverse };
        let rows = (0..n).map(|i| part.row(self.a[i], row(i), i)).collect();
        let end = match (0..n).find(|i| self.a[*i] == 1.0 && row(*i) == self.c) {
            Some(node) => End::Node(node),
            None => End::Row(part.row(1.0, &self.c, n)),
        };
        Table { rows, end, nodes: self.a.clone(), weights: self.b.clone(), unknown, inverse, beta: 0.0 }
    }
}

/// The unknown nodes with their inverse.
struct Solved<'a> {
    raw: &'a Raw,
    unknown: Range<usize>,
    inverse: &'a [f64],
}

impl Solved<'_> {
    /// The increment of node `i` (the end comes after all nodes).
    fn row(&self, a: f64, coefficients: &[f64], i: usize) -> Row {
        let (k, first, n) = (self.unknown.len(), self.unknown.start, coefficients.len());
        let mut row = Row { velocity: a, force: coefficients.to_vec(), point: vec![0.0; k] };
        row.force[self.unknown.clone()].fill(0.0);
        if i < self.unknown.end {
            return row;
        }
        for j in 0..k {
            row.point[j] = (0..k).map(|l| coefficients[first + l] * self.inverse[l * k + j]).sum();
            row.velocity -= row.point[j] * self.raw.a[first + j];
            for l in 0..first {
                row.force[l] -= row.point[j] * self.raw.matrix[(first + j) * n + l];
            }
        }
        // What is nought but for rounding.
        for x in row.force.iter_mut().chain([&mut row.velocity]) {
            if x.abs() < 1e-13 {
                *x = 0.0;
            }
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_method_tables_satisfy_noether_conditions_and_end_at_the_end_of_the_step() {
        for stages in 1..=LARGEST {
            let mut all = vec![galerkin(stages, &quadrature::gauss(stages))];
            if stages > 1 {
                all.push(galerkin(stages - 1, &quadrature::lobatto(stages)));
            }
            for raw in all {
                let n = raw.a.len();
                // Exact for a constant force; a straight path is so only at its end.
                assert!((raw.c.iter().sum::<f64>() - 0.5).abs() < 1e-14);
                let curved = stages > 2 || (stages == 2 && raw.a[0] > 0.0);
                for i in 0..if curved { n } else { 0 } {
                    let sum: f64 = raw.matrix[i * n..(i + 1) * n].iter().sum();
                    assert!((sum - 0.5 * raw.a[i] * raw.a[i]).abs() < 1e-12, "{stages} {i} {sum}");
                }
                let before = raw.matrix.clone();
                let raw = symmetrised(raw);
                for (x, y) in raw.matrix.iter().zip(&before) {
                    assert!((x - y).abs() < 1e-12, "{stages}: {x} {y}");
                }
                let excess = |i: usize, j: usize| raw.b[i] * (raw.c[j] - raw.matrix[i * n + j]);
                for i in 0..n {
                    for j in 0..n {
                        assert!((excess(i, j) - excess(j, i)).abs() < 1e-16, "{stages} {i} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn sparse_method_tables_have_the_expected_number_of_unknowns() {
        for (method, unknowns, carries) in [
            (Method::Midpoint { alpha: 0.5 }, 1, None),
            (Method::Midpoint { alpha: 1.0 }, 0, None),
            (Method::Trapezoidal { alpha: 0.3 }, 0, Some(1)),
            (Method::Newmark { beta: 0.25, gamma: 0.5 }, 1, Some(1)),
            (Method::Newmark { beta: 0.0, gamma: 0.5 }, 0, Some(1)),
            (Method::Gauss { stages: 3 }, 3, None),
            (Method::Lobatto { points: 2 }, 0, Some(1)),
            (Method::Lobatto { points: 3 }, 1, Some(2)),
            (Method::Lobatto { points: 8 }, 6, Some(7)),
            (Method::Verlet { order: 8 }, 0, Some(15)),
            (Method::RungeKutta4, 0, None),
        ] {
            let table = Table::new(&method).unwrap();
            assert_eq!((table.unknowns(), table.carries()), (unknowns, carries), "{method}");
        }
        for method in [
            Method::Gauss { stages: 9 },
            Method::Verlet { order: 3 },
            Method::Midpoint { alpha: f64::NAN },
            Method::Newmark { beta: -0.1, gamma: 0.5 },
        ] {
            assert!(matches!(Table::new(&method), Err(BuildError::Unsuited(_))), "{method}");
        }
    }
}
