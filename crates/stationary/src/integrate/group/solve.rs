//! Which rotation a step makes: the equation between the body's angular momentum and the turn of one step.
//!
//! Both discrete Lagrangians of the free body are `L_d = (2/h) g.J g`, where the turn `F = R_0' R_1` by an angle `a` about
//! the unit axis `e` has the parameter
//!
//! - `g = sin(a/2) e` for Moser and Veselov, whose `L_d` is `tr((1 - F) J_d)/h` with `J_d = tr(J)/2 - J`;
//! - `g = tan(a/2) e` for the Cayley transform: the velocity `2 g/h` is constant over the step.
//!
//! `D1 L_d` along `R_0 -> R_0 exp(eta)` is `-m.eta` with the momentum `m` in the body: a turn by `eta` changes the
//! quaternion `(w, u)` by `(-eta.u, w eta + eta x u)/2`, which gives, with `b = h m/2`,
//!
//! - `w J g + g x J g = b`, `w = sqrt(1 - |g|^2)`: it has solutions up to a quarter turn or so;
//! - `J g + g x J g + (g.J g) g = b`: it has one for every `b`, for its left side grows with the cube of `g`.

use crate::error::Cause;
use crate::linalg::space::{Mat3, Vec3, apply, cross, determinant, inner, inverse, norm, plus, times};

/// The discrete Lagrangian of a free turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    MoserVeselov,
    Cayley,
}

/// The turn of one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Solved {
    /// The parameter, see the module.
    pub g: Vec3,
    /// Vector part of the unit quaternion, and its scalar part less one: near no turn that difference has more digits.
    pub u: Vec3,
    pub less_one: f64,
    pub iterations: u64,
}

const MOST_ITERATIONS: u64 = 60;
const MOST_HALVINGS: usize = 30;
/// Newton's method converges quadratically: after a correction of this relative size only rounding is left.
const LAST: f64 = 1e-9;

impl Turn {
    /// Solves for the turn; `inverse_inertia` only serves the first guess.
    pub fn solve(self, inertia: &Mat3, inverse_inertia: &Mat3, b: &Vec3) -> Result<Solved, Cause> {
        let mut g = self.guess(inertia, inverse_inertia, b);
        let mut residual = plus(&self.left(inertia, &g), -1.0, b);
        let failed = |iterations: u64, residual: &Vec3| Cause::Newton {
            iterations: iterations as usize,
            residual: norm(residual) / norm(b),
        };
        for iterations in 1..=MOST_ITERATIONS {
            let derivative = self.derivative(inertia, &g);
            let delta = times(-1.0, &apply(&inverse(&derivative), &residual));
            if !delta.iter().all(|x| x.is_finite()) {
                return Err(failed(iterations, &residual));
            }
            if norm(&delta) <= LAST * norm(&g) {
                // On the branch that begins at rest the derivative keeps its sign: beyond a fold it would not.
                if determinant(&derivative) <= 0.0 {
                    return Err(failed(iterations, &[f64::NAN; 3]));
                }
                return Ok(self.turned(plus(&g, 1.0, &delta), iterations));
            }
            (g, residual) = self
                .shorter(inertia, b, (&g, norm(&residual)), &delta)
                .ok_or_else(|| failed(iterations, &residual))?;
        }
        Err(failed(MOST_ITERATIONS, &residual))
    }

    /// Two terms of the series of the solution, or something of the right size where the turn is large.
    fn guess(self, inertia: &Mat3, inverse_inertia: &Mat3, b: &Vec3) -> Vec3 {
        let first = apply(inverse_inertia, b);
        let size = norm(&first);
        if size < 0.3 {
            let second = apply(inverse_inertia, &cross(&first, &apply(inertia, &first)));
            return plus(&first, -1.0, &second);
        }
        match self {
            Turn::MoserVeselov => times(0.5 / size.max(0.5), &first),
            Turn::Cayley => times(1.0 / (1.0 + size).cbrt().powi(2), &first),
        }
    }

    /// The largest part of the correction, by halves, that brings the residual down.
    fn shorter(self, inertia: &Mat3, b: &Vec3, (g, now): (&Vec3, f64), delta: &Vec3) -> Option<(Vec3, Vec3)> {
        let mut part = 1.0;
        for _ in 0..MOST_HALVINGS {
            let trial = plus(g, part, delta);
            let residual = plus(&self.left(inertia, &trial), -1.0, b);
            // Where the trial is no turn at all its residual is not a number.
            if norm(&residual) < now {
                return Some((trial, residual));
            }
            part *= 0.5;
        }
        None
    }

    /// The left side of the equation.
    #[inline]
    fn left(self, inertia: &Mat3, g: &Vec3) -> Vec3 {
        let jg = apply(inertia, g);
        let turned = cross(g, &jg);
        match self {
            Turn::MoserVeselov => plus(&turned, (1.0 - inner(g, g)).sqrt(), &jg),
            Turn::Cayley => plus(&plus(&turned, 1.0, &jg), inner(g, &jg), g),
        }
    }

    /// Its derivative in `g`.
    #[inline]
    fn derivative(self, inertia: &Mat3, g: &Vec3) -> Mat3 {
        let jg = apply(inertia, g);
        let (w, diagonal) = match self {
            Turn::MoserVeselov => ((1.0 - inner(g, g)).sqrt(), 0.0),
            Turn::Cayley => (1.0, inner(g, &jg)),
        };
        let hat = |a: &Vec3| [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]];
        let (by_g, by_jg) = (hat(g), hat(&jg));
        let mut out = [[0.0; 3]; 3];
        for (i, row) in out.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                // The inertia tensor is symmetric: its row is its column.
                let spin = inner(&by_g[i], &inertia[j]) - by_jg[i][j];
                let outer = match self {
                    Turn::MoserVeselov => -jg[i] * g[j] / w,
                    Turn::Cayley => 2.0 * g[i] * jg[j],
                };
                *entry = w * inertia[i][j] + spin + outer + if i == j { diagonal } else { 0.0 };
            }
        }
        out
    }

    fn turned(self, g: Vec3, iterations: u64) -> Solved {
        let squared = inner(&g, &g);
        let (w, u) = match self {
            Turn::MoserVeselov => ((1.0 - squared).sqrt(), g),
            Turn::Cayley => {
                let w = 1.0 / (1.0 + squared).sqrt();
                (w, times(w, &g))
            }
        };
        Solved { g, u, less_one: -inner(&u, &u) / (1.0 + w), iterations }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::space::{Quaternion, apply_transposed};

    const INERTIA: Mat3 = [[2.0, 0.2, -0.1], [0.2, 1.5, 0.3], [-0.1, 0.3, 1.1]];

    #[test]
    fn derivatives_match_differences() {
        let g = [0.3, -0.2, 0.4];
        for turn in [Turn::MoserVeselov, Turn::Cayley] {
            let exact = turn.derivative(&INERTIA, &g);
            for j in 0..3 {
                let mut by = [0.0; 3];
                by[j] = 1e-5;
                let (up, down) =
                    (turn.left(&INERTIA, &plus(&g, 1.0, &by)), turn.left(&INERTIA, &plus(&g, -1.0, &by)));
                for i in 0..3 {
                    assert!(((up[i] - down[i]) / 2e-5 - exact[i][j]).abs() < 1e-9, "{turn:?} {i} {j}");
                }
            }
        }
    }

    /// The momentum is the derivative of `(2/h) g.J g` along a turn of the first orientation; that of the second one is
    /// the same vector, seen from the turned body: the discrete coadjoint action.
    #[test]
    fn momenta_are_the_derivatives_of_the_discrete_lagrangian() {
        let b = [0.3, 0.25, -0.4];
        for turn in [Turn::MoserVeselov, Turn::Cayley] {
            let solved = turn.solve(&INERTIA, &crate::linalg::space::inverse(&INERTIA), &b).unwrap();
            let [x, y, z] = solved.u;
            let f = Quaternion([1.0 + solved.less_one, x, y, z]);
            // With h = 2, L_d = g.J g.
            let action = |f: Quaternion| {
                let (w, u) = f.unit().parts();
                let g = if turn == Turn::MoserVeselov { u } else { times(1.0 / w, &u) };
                inner(&g, &apply(&INERTIA, &g))
            };
            let after = apply_transposed(&f.matrix(), &b);
            for k in 0..3 {
                let mut axis = [0.0; 3];
                axis[k] = 1.0;
                let along = |side: fn(Quaternion, Quaternion) -> Quaternion| {
                    let at = |angle| action(side(f, Quaternion::about(&axis, angle)));
                    (at(1e-5) - at(-1e-5)) / 2e-5
                };
                assert!((along(|f, by| by.after(&f)) - b[k]).abs() < 1e-9, "{turn:?} before {k}");
                assert!((along(|f, by| f.after(&by)) - after[k]).abs() < 1e-9, "{turn:?} after {k}");
            }
        }
    }

    /// The Cayley step exists however long it is; that of Moser and Veselov ends, and says so.
    #[test]
    fn solves_are_robust() {
        let inverse_inertia = crate::linalg::space::inverse(&INERTIA);
        let mut refused = 0;
        for k in 0..4000 {
            let size = 10f64.powf(f64::from(k) / 4000.0 * 8.0 - 4.0);
            let k = f64::from(k);
            let b = times(size, &[(1.3 * k).sin(), (2.1 * k + 1.0).sin(), (0.7 * k + 2.0).sin()]);
            let solved = Turn::Cayley.solve(&INERTIA, &inverse_inertia, &b).unwrap();
            let residual = plus(&Turn::Cayley.left(&INERTIA, &solved.g), -1.0, &b);
            assert!(norm(&residual) < 4e-15 * norm(&b), "{b:?}");
            match Turn::MoserVeselov.solve(&INERTIA, &inverse_inertia, &b) {
                Ok(solved) => {
                    let residual = plus(&Turn::MoserVeselov.left(&INERTIA, &solved.g), -1.0, &b);
                    assert!(norm(&residual) < 4e-15 * norm(&b), "{b:?}");
                    assert!(norm(&b) < 2.0, "beyond the fold: {b:?}");
                }
                Err(_) => {
                    assert!(norm(&b) > 0.4, "{b:?}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 1000, "{refused}");
        assert_eq!(Turn::Cayley.solve(&INERTIA, &inverse_inertia, &[0.0; 3]).unwrap().g, [0.0; 3]);
        assert!(Turn::Cayley.solve(&INERTIA, &inverse_inertia, &[f64::NAN; 3]).is_err());
    }
}
