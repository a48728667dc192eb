//! The Newmark family [VTI04 (19)], variational for `gamma = 1/2` and any `beta`.
//!
//! In the variable `x = q + beta h^2 M^-1 grad V(q)` Newmark's positions obey
//! `M (x_2 - 2 x_1 + x_0) = -h^2 grad V(q_1)`, and `M v_0 = M (x_1 - x_0)/h + (h/2) grad V(q_0)`: the
//! trapezoidal rule for the potential whose gradient in `x` is `grad V(q(x))`. That potential is
//! the Moreau envelope `ext_q [V(q) + |x - q|_M^2 / (2 beta h^2)]`, so
//!
//! `L_d(x0, x1) = ext_{q0, q1} h/2 |(x1-x0)/h|_M^2 - (h/2) sum_{i=0,1} [V(q_i) + |x_i - q_i|_M^2 / (2 beta h^2)]`
//!
//! with the points `x0, q0, q1, x1`. It needs no third derivatives of `V`, and the momentum
//! conjugate to `x` is plainly `M v`. For `beta = 0` the points `x` and `q` coincide and the
//! trapezoidal rule remains. `gamma != 1/2` adds `h (gamma - 1/2) (f(q1) - f(q0))` to the momentum, which no
//! discrete Lagrangian gives.

use super::{DiscreteLagrangian, Leg, QuadraturePoint, Slots};
use crate::linalg::dot;
use crate::model::{Jet, Lagrangian};
use std::ops::Range;

/// Newmark's method for a separable system.
#[derive(Debug, Clone)]
pub struct Newmark<L> {
    lagrangian: L,
    beta: f64,
    gamma: f64,
    matrix: Vec<f64>,
    jet: Jet,
    q: Vec<f64>,
    rest: Vec<f64>,
}

impl<L: Lagrangian> Newmark<L> {
    /// `None` unless the system is separable (constant mass matrix).
    pub fn new(lagrangian: L, beta: f64, gamma: f64) -> Option<Self> {
        let n = lagrangian.dimension();
        let matrix = lagrangian.mass()?.matrix().to_vec();
        Some(Newmark {
            lagrangian,
            beta,
            gamma,
            matrix,
            jet: Jet::new(n),
            q: vec![0.0; n],
            rest: vec![0.0; n],
        })
    }

    /// The two points at which the potential acts.
    fn ends(&self) -> [usize; 2] {
        if self.beta == 0.0 { [0, 1] } else { [1, 2] }
    }

    /// Sets `self.q` to point `j`.
    fn place(&mut self, leg: &Leg, j: usize) {
        self.q.copy_from_slice(&leg.q);
        if j > 0 {
            for (q, u) in self.q.iter_mut().zip(leg.increment(j)) {
                *q += u;
            }
        }
    }

    /// Adds `factor * M u` to `d` and returns `u . M u`.
    fn add_mass(&self, factor: f64, u: &[f64], d: &mut [f64]) -> f64 {
        let n = u.len();
        let mut square = 0.0;
        for i in 0..n {
            let mu = dot(&self.matrix[i * n..(i + 1) * n], u);
            d[i] += factor * mu;
            square += mu * u[i];
        }
        square
    }

    /// `x_i - q_i` at the start or the end of the step.
    fn stretch(&self, leg: &Leg, end: usize) -> Vec<f64> {
        let q = leg.increment(end + 1);
        if end == 0 {
            q.iter().map(|u| -u).collect()
        } else {
            leg.increment(3).iter().zip(q).map(|(x, q)| x - q).collect()
        }
    }

    /// Kinetic and spring terms of `value`, `D_j` and `D3`.
    fn add_quadratic(&self, leg: &Leg, out: &mut Slots) {
        let (n, s, h) = (self.q.len(), self.pieces(), leg.h);
        let u = leg.increment(s);
        let twice = self.add_mass(-1.0 / h, u, &mut out.d[..n]);
        self.add_mass(1.0 / h, u, &mut out.d[s * n..]);
        out.value += twice / (2.0 * h);
        out.d3 -= twice / (2.0 * h * h);
        if self.beta > 0.0 {
            let c = 1.0 / (2.0 * self.beta * h);
            for end in [0, 1] {
                let a = self.stretch(leg, end);
                let x = 3 * end;
                let square = self.add_mass(-c, &a, &mut out.d[x * n..(x + 1) * n]);
                self.add_mass(c, &a, &mut out.d[(end + 1) * n..(end + 2) * n]);
                out.value -= 0.5 * c * square;
                out.d3 += 0.5 * c * square / h;
            }
        }
    }

    /// Adds `(h/2) f(q_j)` to `D_j` and to the sum, from the jet.
    fn add_force(&self, h: f64, j: usize, out: &mut Slots) {
        let n = self.q.len();
        for i in 0..n {
            let impulse = 0.5 * h * self.jet.dq()[i];
            out.d[j * n + i] += impulse;
            out.sum[i] += impulse;
        }
    }

    /// The coefficient of `M` in `D_k D_j`.
    fn mass_coefficient(&self, h: f64, j: usize, k: usize) -> f64 {
        let s = self.pieces();
        let c = if self.beta > 0.0 { 1.0 / (2.0 * self.beta * h) } else { 0.0 };
        let x = |j: usize| j == 0 || j == s;
        match (x(j), x(k)) {
            (true, true) if j == k => 1.0 / h - c,
            (true, true) => -1.0 / h,
            (false, false) if j == k => -c,
            (false, false) => 0.0,
            // x0 is tied to q0 (points 0, 1), x1 to q1 (points 3, 2).
            _ => {
                if j.abs_diff(k) == 1 {
                    c
                } else {
                    0.0
                }
            }
        }
    }
}

impl<L: Lagrangian> DiscreteLagrangian for Newmark<L> {
    type System = L;

    fn system(&self) -> &L {
        &self.lagrangian
    }

    fn pieces(&self) -> usize {
        if self.beta == 0.0 { 1 } else { 3 }
    }

    fn abscissae(&self) -> &[f64] {
        if self.beta == 0.0 { &[0.0, 1.0] } else { &[0.0, 0.0, 1.0, 1.0] }
    }

    /// At both ends, with the velocity `(x1 - x0)/h` that carries the kinetic energy.
    fn samples(&self) -> Vec<QuadraturePoint> {
        let s = self.pieces();
        let unit = |j: usize| (0..=s).map(|k| f64::from(u8::from(j == k))).collect::<Vec<f64>>();
        let slope: Vec<f64> = unit(s).iter().zip(unit(0)).map(|(end, start)| end - start).collect();
        let sample =
            |(abscissa, j)| QuadraturePoint { abscissa, weight: 0.5, shape: unit(j), slope: slope.clone() };
        [0.0, 1.0].into_iter().zip(self.ends()).map(sample).collect()
    }

    fn first(&mut self, leg: &Leg, out: &mut Slots) {
        (out.value, out.d3, out.dt) = (0.0, 0.0, 0.0);
        out.d.fill(0.0);
        out.sum.fill(0.0);
        self.add_quadratic(leg, out);
        self.rest.fill(0.0);
        for (i, j) in self.ends().into_iter().enumerate() {
            self.place(leg, j);
            let t = leg.t + i as f64 * leg.h;
            self.lagrangian.first(t, &self.q, &self.rest, &mut self.jet);
            self.add_force(leg.h, j, out);
            // At rest L = -V.
            let l = self.jet.value();
            out.value += 0.5 * leg.h * l;
            out.d3 += 0.5 * l + if i == 1 { 0.5 * leg.h * self.jet.dt() } else { 0.0 };
            out.dt += 0.5 * leg.h * self.jet.dt();
        }
    }

    fn second(
        &mut self,
        leg: &Leg,
        d: &mut [f64],
        dd: &mut [f64],
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        let n = self.q.len();
        let width = columns.len() * n;
        let mut out = Slots::new(n, self.pieces());
        self.add_quadratic(leg, &mut out);
        for (r, j) in rows.clone().enumerate() {
            for (c, k) in columns.clone().enumerate() {
                let factor = self.mass_coefficient(leg.h, j, k);
                for x in 0..n {
                    for y in 0..n {
                        dd[(r * n + x) * width + c * n + y] = factor * self.matrix[x * n + y];
                    }
                }
            }
        }
        self.rest.fill(0.0);
        for (i, j) in self.ends().into_iter().enumerate() {
            self.place(leg, j);
            self.lagrangian.second(leg.t + i as f64 * leg.h, &self.q, &self.rest, &mut self.jet);
            self.add_force(leg.h, j, &mut out);
            if rows.contains(&j) && columns.contains(&j) {
                let (r, c) = (j - rows.start, j - columns.start);
                for x in 0..n {
                    for y in 0..n {
                        dd[(r * n + x) * width + c * n + y] += 0.5 * leg.h * self.jet.dqq()[x * n + y];
                    }
                }
            }
        }
        d.copy_from_slice(&out.d[rows.start * n..rows.end * n]);
    }

    fn end_position(&self) -> usize {
        self.ends()[1]
    }

    fn enter(&mut self, t: f64, h: f64, outer: &[f64], q: &mut [f64]) {
        let n = q.len();
        let (mut force, mut a) = (vec![0.0; n], vec![0.0; n]);
        self.lagrangian.force(t, q, &mut force);
        force.iter_mut().zip(outer).for_each(|(f, outer)| *f += outer);
        if let Some(mass) = self.lagrangian.mass() {
            mass.velocity(&force, &mut a);
        }
        for i in 0..n {
            q[i] -= self.beta * h * h * a[i];
        }
    }

    fn extra_impulse(&mut self, leg: &Leg, p: &mut [f64], mut tangent: Option<&mut [f64]>) -> bool {
        if self.gamma == 0.5 {
            return false;
        }
        let n = self.q.len();
        let width = (self.pieces() + 1) * n;
        self.rest.fill(0.0);
        for (i, j) in self.ends().into_iter().enumerate() {
            self.place(leg, j);
            self.lagrangian.second(leg.t + i as f64 * leg.h, &self.q, &self.rest, &mut self.jet);
            let factor = leg.h * (self.gamma - 0.5) * if i == 0 { -1.0 } else { 1.0 };
            for x in 0..n {
                p[x] += factor * self.jet.dq()[x];
                if let Some(tangent) = tangent.as_deref_mut() {
                    for y in 0..n {
                        tangent[x * width + j * n + y] += factor * self.jet.dqq()[x * n + y];
                    }
                }
            }
        }
        true
    }
}
