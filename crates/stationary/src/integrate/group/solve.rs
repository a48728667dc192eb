//! The equation between the angular momentum of a body and the rotation that one step makes.
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
use crate::linalg::{Mat3, NewtonProgress, Vec3, Vector, Verdict};

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

/// A point of the iteration and the length of its residual.
struct Iterate {
    g: Vec3,
    residual: f64,
}

const MOST_ITERATIONS: usize = 60;
const MOST_HALVINGS: usize = 30;
/// Newton's method converges quadratically: after a correction of this relative size only rounding is left.
const LAST: f64 = 1e-9;

impl Turn {
    /// Solves for the turn; `inverse_inertia` only serves the first guess.
    pub fn solve(self, inertia: &Mat3, inverse_inertia: &Mat3, b: Vec3) -> Result<Solved, Cause> {
        let mut g = self.guess(inertia, inverse_inertia, b);
        let mut residual = self.left(inertia, g) - b;
        let failed = |iterations: usize, residual: Vec3| Cause::Newton {
            iterations,
            residual: residual.norm() / b.norm(),
        };
        let mut progress = NewtonProgress::new(LAST).limit(MOST_ITERATIONS).forecast_below(0.0);
        while progress.begin() {
            let iterations = progress.iterations();
            let derivative = self.derivative(inertia, g);
            let delta = -(derivative.inverse() * residual);
            // The components are those of one vector in one unit: none of them is hidden by the largest.
            let verdict = progress.judge(delta.norm(), g.norm(), || true, || false);
            if verdict == Verdict::Diverged {
                return Err(failed(iterations, residual));
            }
            if verdict.ends() {
                // On the branch that begins at rest the derivative keeps its sign: beyond a fold it would not.
                if derivative.determinant() <= 0.0 {
                    return Err(failed(iterations, Vector([f64::NAN; 3])));
                }
                return Ok(self.turned(g + delta, iterations as u64));
            }
            (g, residual) = self
                .shorter(inertia, b, &Iterate { g, residual: residual.norm() }, delta)
                .ok_or_else(|| failed(iterations, residual))?;
        }
        Err(failed(MOST_ITERATIONS, residual))
    }

    /// Two terms of the series of the solution, or something of the right size where the turn is large.
    fn guess(self, inertia: &Mat3, inverse_inertia: &Mat3, b: Vec3) -> Vec3 {
        let first = inverse_inertia * b;
        let size = first.norm();
        if size < 0.3 {
            let second = inverse_inertia * first.cross(inertia * first);
            return first - second;
        }
        match self {
            Turn::MoserVeselov => (0.5 / size.max(0.5)) * first,
            Turn::Cayley => (1.0 / (1.0 + size).cbrt().powi(2)) * first,
        }
    }

    /// The largest part of the correction, by halves, that brings the residual down.
    fn shorter(self, inertia: &Mat3, b: Vec3, now: &Iterate, delta: Vec3) -> Option<(Vec3, Vec3)> {
        let mut part = 1.0;
        for _ in 0..MOST_HALVINGS {
            let trial = now.g + part * delta;
            let residual = self.left(inertia, trial) - b;
            // Where the trial is no turn at all its residual is not a number.
            if residual.norm() < now.residual {
                return Some((trial, residual));
            }
            part *= 0.5;
        }
        None
    }

    /// The left side of the equation.
    #[inline]
    fn left(self, inertia: &Mat3, g: Vec3) -> Vec3 {
        let jg = inertia * g;
        let turned = g.cross(jg);
        match self {
            Turn::MoserVeselov => turned + (1.0 - g.dot(g)).sqrt() * jg,
            Turn::Cayley => turned + jg + g.dot(jg) * g,
        }
    }

    /// Its derivative in `g`.
    #[inline]
    fn derivative(self, inertia: &Mat3, g: Vec3) -> Mat3 {
        let jg = inertia * g;
        let (w, diagonal) = match self {
            Turn::MoserVeselov => ((1.0 - g.dot(g)).sqrt(), 0.0),
            Turn::Cayley => (1.0, g.dot(jg)),
        };
        let (by_g, by_jg) = (Mat3::skew(g), Mat3::skew(jg));
        let mut out = Mat3::default();
        for i in 0..3 {
            for j in 0..3 {
                // The inertia tensor is symmetric: its row is its column.
                let spin = by_g[i].dot(inertia[j]) - by_jg[i][j];
                let outer = match self {
                    Turn::MoserVeselov => -jg[i] * g[j] / w,
                    Turn::Cayley => 2.0 * g[i] * jg[j],
                };
                out[i][j] = w * inertia[i][j] + spin + outer + if i == j { diagonal } else { 0.0 };
            }
        }
        out
    }

    fn turned(self, g: Vec3, iterations: u64) -> Solved {
        let squared = g.dot(g);
        let (w, u) = match self {
            Turn::MoserVeselov => ((1.0 - squared).sqrt(), g),
            Turn::Cayley => {
                let w = 1.0 / (1.0 + squared).sqrt();
                (w, w * g)
            }
        };
        Solved { g, u, less_one: -u.dot(u) / (1.0 + w), iterations }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Quaternion;

    const INERTIA: Mat3 = Mat3::from_rows([[2.0, 0.2, -0.1], [0.2, 1.5, 0.3], [-0.1, 0.3, 1.1]]);

    #[test]
    fn rigid_body_step_derivatives_agree_with_finite_differences() {
        let g = Vec3::new(0.3, -0.2, 0.4);
        for turn in [Turn::MoserVeselov, Turn::Cayley] {
            let exact = turn.derivative(&INERTIA, g);
            for j in 0..3 {
                let by = 1e-5 * Vec3::unit(j);
                let up = turn.left(&INERTIA, g + by);
                let down = turn.left(&INERTIA, g - by);
                for i in 0..3 {
                    assert!(((up[i] - down[i]) / 2e-5 - exact[i][j]).abs() < 1e-9, "{turn:?} {i} {j}");
                }
            }
        }
    }

    /// The momentum is the derivative of `(2/h) g.J g` along a turn of the first orientation; that of the second one is
    /// the same vector, seen from the turned body: the discrete coadjoint action.
    #[test]
    fn rigid_body_momenta_are_derivatives_of_the_discrete_lagrangian() {
        let b = Vec3::new(0.3, 0.25, -0.4);
        for turn in [Turn::MoserVeselov, Turn::Cayley] {
            let solved = turn.solve(&INERTIA, &INERTIA.inverse(), b).unwrap();
            let [x, y, z] = solved.u.0;
            let f = Quaternion([1.0 + solved.less_one, x, y, z]);
            // With h = 2, L_d = g.J g.
            let action = |f: Quaternion| {
                let (w, u) = f.unit().parts();
                let g = if turn == Turn::MoserVeselov { u } else { 1.0 / w * u };
                g.dot(INERTIA * g)
            };
            let after = f.matrix().transpose() * b;
            for k in 0..3 {
                let axis = Vec3::unit(k);
                let along = |side: fn(Quaternion, Quaternion) -> Quaternion| {
                    let at = |angle| action(side(f, Quaternion::about(axis, angle)));
                    (at(1e-5) - at(-1e-5)) / 2e-5
                };
                assert!((along(|f, by| by.after(&f)) - b[k]).abs() < 1e-9, "{turn:?} before {k}");
                assert!((along(|f, by| f.after(&by)) - after[k]).abs() < 1e-9, "{turn:?} after {k}");
            }
        }
    }

    /// The Cayley step exists however long it is; that of Moser and Veselov ends, and says so.
    #[test]
    fn cayley_step_always_converges_and_moser_veselov_refuses_too_long_steps() {
        let inverse_inertia = INERTIA.inverse();
        let mut refused = 0;
        for k in 0..4000 {
            let size = 10f64.powf(f64::from(k) / 4000.0 * 8.0 - 4.0);
            let k = f64::from(k);
            let b = size * Vec3::new((1.3 * k).sin(), (2.1 * k + 1.0).sin(), (0.7 * k + 2.0).sin());
            let solved = Turn::Cayley.solve(&INERTIA, &inverse_inertia, b).unwrap();
            let residual = Turn::Cayley.left(&INERTIA, solved.g) - b;
            assert!(residual.norm() < 4e-15 * b.norm(), "{b:?}");
            match Turn::MoserVeselov.solve(&INERTIA, &inverse_inertia, b) {
                Ok(solved) => {
                    let residual = Turn::MoserVeselov.left(&INERTIA, solved.g) - b;
                    assert!(residual.norm() < 4e-15 * b.norm(), "{b:?}");
                    assert!(b.norm() < 2.0, "beyond the fold: {b:?}");
                }
                Err(_) => {
                    assert!(b.norm() > 0.4, "{b:?}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 1000, "{refused}");
        assert_eq!(Turn::Cayley.solve(&INERTIA, &inverse_inertia, Vec3::ZERO).unwrap().g, Vec3::ZERO);
        assert!(Turn::Cayley.solve(&INERTIA, &inverse_inertia, Vector([f64::NAN; 3])).is_err());
    }
}
