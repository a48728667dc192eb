//! Derivatives of a step whose length the energy chooses.

use super::{EnergySteps, Kind};
use crate::action::DiscreteLagrangian;
use crate::linalg::{Lu, dot};

impl<D: DiscreteLagrangian> EnergySteps<D> {
    /// The derivative of the last step as a map of `(q0, p0, E)` to `(q1, p1, h)`, a matrix of `2n + 1` rows and columns, by
    /// rows; `false` before the first step and for a minimised one.
    ///
    /// It obeys `dq1 ^ dp1 + dE ^ dh = dq0 ^ dp0`: the spacetime form [SEM99 (6.4)]. Varying `p0 = -D_0`, `0 = D_j`,
    /// `-E = D3` gives the points and the length, `p1 = D_s` the rest. A step of given length has `dh = 0`.
    pub fn spacetime_tangent(&mut self, matrix: &mut [f64]) -> bool {
        let Some((leg, kind)) = &self.done else { return false };
        let (n, s) = (leg.q.len(), self.ld.pieces());
        let (width, m) = ((s + 1) * n, s * n);
        let free = match kind {
            Kind::Solved => 1,
            Kind::Given => 0,
            Kind::Minimised => return false,
        };
        let (mut d, mut dd, mut mixed) = (vec![0.0; width], vec![0.0; width * width], vec![0.0; width]);
        let length = self.ld.second_in_length(leg, [0..s + 1, 0..s + 1], &mut d, &mut dd, &mut mixed);
        let Some(length) = length else { return false };
        let size = m + free;
        let mut lu = Lu::new(size);
        for r in 0..m {
            lu.matrix()[r * size..r * size + m].copy_from_slice(&dd[r * width + n..(r + 1) * width]);
        }
        if free == 1 {
            for r in 0..m {
                lu.matrix()[r * size + m] = mixed[r];
            }
            lu.matrix()[m * size..m * size + m].copy_from_slice(&mixed[n..]);
            lu.matrix()[m * size + m] = length.d33;
        }
        if !lu.factor() {
            return false;
        }
        let columns = 2 * n + 1;
        for column in 0..columns {
            // Start, other points, length.
            let mut x = vec![0.0; width + 1];
            if column < n {
                x[column] = 1.0;
                for r in 0..m {
                    x[n + r] = -dd[r * width + column];
                }
                x[width] = -mixed[column];
            } else if column < 2 * n {
                x[column] = -1.0;
            } else {
                x[width] = -1.0;
            }
            lu.solve(&mut x[n..n + size]);
            if free == 0 {
                x[width] = 0.0;
            }
            for i in 0..n {
                let row = &dd[(m + i) * width..(m + i + 1) * width];
                matrix[i * columns + column] = x[m + i];
                matrix[(n + i) * columns + column] = dot(row, &x[..width]) + mixed[m + i] * x[width];
            }
            matrix[2 * n * columns + column] = x[width];
        }
        true
    }

    /// The part of it that belongs to a fixed energy, which is symplectic: `(q0, p0)` to `(q1, p1)`.
    pub(super) fn canonical_tangent(&mut self, matrix: &mut [f64]) -> bool {
        let n = self.q.len();
        let columns = 2 * n + 1;
        let mut whole = vec![0.0; columns * columns];
        if !self.spacetime_tangent(&mut whole) {
            return false;
        }
        for r in 0..2 * n {
            matrix[r * 2 * n..(r + 1) * 2 * n].copy_from_slice(&whole[r * columns..r * columns + 2 * n]);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::action::Galerkin;
    use crate::formula::{Scope, Var};
    use crate::integrate::{EnergyStepSpec, EnergySteps, Integrator, Start};
    use crate::model::FormulaLagrangian;
    use std::sync::Arc;

    /// Each column against differences of the step itself, in position, momentum and the energy to be kept.
    #[test]
    fn energy_step_spacetime_tangent_is_the_derivative_of_the_step() {
        let mut scope = Scope::new();
        for (k, name) in ["x", "y"].into_iter().enumerate() {
            scope.variable(name, Var::Q(k as u32)).variable(format!("v{name}"), Var::V(k as u32));
        }
        let text = "0.5*(vx^2 + (1 + 0.1*x^2)*vy^2) - 0.5*(x^2 + 2*y^2) - 0.1*x^2*y + 0.05*x*vy";
        let l = Arc::new(FormulaLagrangian::new(text, &scope, 2).unwrap());
        let start = Start { t: 0.0, q: vec![0.7, 0.4], p: vec![0.1, 0.5], h: 0.1 };
        for ld in [Galerkin::midpoint(Arc::clone(&l), 0.5), Galerkin::gauss(l, 2)] {
            let mut x = EnergySteps::new(ld, &start, EnergyStepSpec::default()).unwrap();
            x.advance(4).unwrap();
            let moved = |column: usize, by: f64| {
                let mut y = x.clone();
                match column {
                    0 | 1 => y.q[column] += by,
                    2 | 3 => y.p[column - 2] += by,
                    _ => y.target += by,
                }
                y.advance(1).unwrap();
                let adaption = y.adaption().unwrap();
                assert!(!adaption.flagged);
                [y.view().q, y.view().p, &[adaption.length]].concat()
            };
            let mut exact = vec![0.0; 25];
            let mut centre = x.clone();
            centre.advance(1).unwrap();
            assert!(centre.spacetime_tangent(&mut exact));
            for column in 0..5 {
                // Lengths depend on the energy steeply.
                let e = if column == 4 { 1e-9 } else { 1e-8 };
                let (plus, minus) = (moved(column, e), moved(column, -e));
                for row in 0..5 {
                    let difference = (plus[row] - minus[row]) / (2.0 * e);
                    let exact = exact[row * 5 + column];
                    assert!(
                        (difference - exact).abs() < 1e-3 * (1.0 + exact.abs()),
                        "{row} {column}: {difference} {exact}"
                    );
                }
            }
        }
    }
}
