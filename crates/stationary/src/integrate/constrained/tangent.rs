//! The derivative of a constrained step, in a canonical basis of the motions that the constraints allow.
//!
//! States that obey `g = 0` and `g' v + g_t = 0` form a manifold on which `dq ^ dp` is a symplectic form of `2 d` dimensions,
//! `d = n - m`. At each state a basis `e_1 .. e_d, f_1 .. f_d` of its tangent space with `omega(e_i, f_j) = 1` if `i = j` and
//! all other pairs zero is a fixed function of the state, so the derivatives of successive steps in these bases multiply,
//! and each is a symplectic matrix in the usual sense.

use super::Constrained;
use crate::action::DiscreteLagrangian;
use crate::linalg::{Lu, dot};
use crate::model::{Bounds, Constraint, Jet, Lagrangian, fill_saddle};

/// A variation of a state.
#[derive(Debug, Clone)]
struct Variation {
    q: Vec<f64>,
    p: Vec<f64>,
}

impl Variation {
    /// `omega(self, other) = dq . dp' - dp . dq'`.
    fn form(&self, other: &Variation) -> f64 {
        dot(&self.q, &other.p) - dot(&self.p, &other.q)
    }

    fn add(&mut self, factor: f64, other: &Variation) {
        self.q.iter_mut().zip(&other.q).for_each(|(x, y)| *x += factor * y);
        self.p.iter_mut().zip(&other.p).for_each(|(x, y)| *x += factor * y);
    }
}

impl<D: DiscreteLagrangian, C: Constraint> Constrained<D, C> {
    /// The derivative of the last step; `None` where it has none.
    pub(super) fn reduced_tangent(&mut self, matrix: &mut [f64]) -> Option<()> {
        let (n, m, s) = (self.now.q.len(), self.saddle.count(), self.ld.pieces());
        let d = n - m;
        let done = self.done.as_ref()?;
        let (leg, mu) = (&done.leg, &done.mu);
        self.saddle.look_at_all(leg, true);
        self.saddle.look(leg, s, &self.now.q, true);
        let l = self.ld.system();
        let mut jet = Jet::new(n);
        l.second(leg.t, &leg.q, &done.velocity, &mut jet);
        let start = basis(&jet, self.saddle.bounds(0), &done.velocity)?;
        l.second(leg.t + leg.h, &self.now.q, &self.now.v, &mut jet);
        let end = basis(&jet, self.saddle.bounds(s), &self.now.v)?;
        // Second derivatives of the augmented action `L_full + sum_j mu_j g(Q_j)`.
        let width = (s + 1) * n;
        let (mut gradient, mut hessian) = (vec![0.0; width], vec![0.0; width * width]);
        self.ld.second(leg, &mut gradient, &mut hessian, 0..s + 1, 0..s + 1);
        for j in 0..=s {
            let block = &mut hessian[j * n * width + j * n..];
            self.saddle.bounds(j).add_curvature(&mu[j * m..(j + 1) * m], block, width);
        }
        self.saddle.assemble(&mut self.ld, leg, mu, (0..s, 1..s + 1));
        if !self.saddle.factor() {
            return None;
        }
        let mut hidden = Lu::new(n + m);
        let units = fill_saddle(&mut hidden, &jet, self.saddle.bounds(s), n);
        if !hidden.factor() {
            return None;
        }
        let mut b = vec![0.0; s * (n + m)];
        for (column, from) in start.iter().enumerate() {
            b.fill(0.0);
            for r in 0..s * n {
                b[r] = -dot(&hessian[r * width..r * width + n], &from.q);
            }
            (0..n).for_each(|i| b[i] -= from.p[i]);
            self.saddle.solve(&mut b);
            let mut to = Variation { q: b[(s - 1) * n..s * n].to_vec(), p: vec![0.0; n] };
            for i in 0..n {
                let row = &hessian[(s * n + i) * width..(s * n + i + 1) * width];
                to.p[i] = dot(&row[..n], &from.q) + dot(&row[n..], &b[..s * n]);
            }
            self.project_variation(&mut to, &jet, (&hidden, &units));
            for i in 0..d {
                matrix[i * 2 * d + column] = to.form(&end[d + i]);
                matrix[(d + i) * 2 * d + column] = end[i].form(&to);
            }
        }
        Some(())
    }

    /// The derivative of the projection at the end of the step: `L_vv dv + L_vq dq = dp + g'^T dmu`,
    /// `g' dv + (g'' v + g_tq) dq = 0`.
    fn project_variation(&self, x: &mut Variation, jet: &Jet, (hidden, units): (&Lu, &[f64])) {
        let (n, m) = (x.q.len(), units.len());
        let bounds = self.saddle.bounds(self.ld.pieces());
        let mixed = mixed(jet, &x.q);
        let mut b = vec![0.0; n + m];
        for i in 0..n {
            b[i] = x.p[i] - mixed[i];
        }
        for a in 0..m {
            b[n + a] = -units[a] * turn(bounds, a, &self.now.v, &x.q);
        }
        hidden.solve(&mut b);
        for i in 0..n {
            x.p[i] = dot(&jet.dvv()[i * n..(i + 1) * n], &b[..n]) + mixed[i];
        }
    }
}

/// `L_vq dq`.
fn mixed(jet: &Jet, dq: &[f64]) -> Vec<f64> {
    let n = dq.len();
    (0..n).map(|j| (0..n).map(|i| jet.dqv()[i * n + j] * dq[i]).sum()).collect()
}

/// How the hidden constraint `a` changes with the position: `g_a''(v, dq) + g_tq dq`.
fn turn(bounds: &Bounds, a: usize, v: &[f64], dq: &[f64]) -> f64 {
    let n = v.len();
    let hessian = &bounds.dqq()[a * n * n..(a + 1) * n * n];
    let curved: f64 = (0..n).map(|x| v[x] * dot(&hessian[x * n..(x + 1) * n], dq)).sum();
    curved + dot(&bounds.dtq()[a * n..(a + 1) * n], dq)
}

/// The canonical basis `e_1 .. e_d, f_1 .. f_d` at a state whose Lagrangian has the derivatives `jet`.
fn basis(jet: &Jet, bounds: &Bounds, v: &[f64]) -> Option<Vec<Variation>> {
    let (n, m) = (v.len(), bounds.value().len());
    let [normal, free] = directions(bounds, n)?;
    let d = free.len();
    let inertia = |x: &[f64]| -> Vec<f64> { jet.dvv().chunks(n).map(|row| dot(row, x)).collect() };
    // f_j = (0, L_vv Z c_j) with Z' L_vv Z c_j the unit vector j.
    let heavy: Vec<Vec<f64>> = free.iter().map(|z| inertia(z)).collect();
    let mut lu = Lu::new(d);
    for i in 0..d {
        for j in 0..d {
            lu.matrix()[i * d + j] = dot(&free[i], &heavy[j]);
        }
    }
    if !lu.factor() {
        return None;
    }
    let mut vertical = Vec::with_capacity(d);
    for j in 0..d {
        let mut c = vec![0.0; d];
        c[j] = 1.0;
        lu.solve(&mut c);
        let p = (0..n).map(|i| (0..d).map(|k| c[k] * heavy[k][i]).sum()).collect();
        vertical.push(Variation { q: vec![0.0; n], p });
    }
    // e_i = (z_i, L_vv dv + L_vq z_i) with g' dv = -(g'' v + g_tq) z_i, along the normals.
    let mut gram = Lu::new(m);
    for a in 0..m {
        for b in 0..m {
            gram.matrix()[a * m + b] = dot(bounds.gradient(a), &normal[b]);
        }
    }
    if !gram.factor() {
        return None;
    }
    let mut flat = Vec::with_capacity(2 * d);
    for z in &free {
        let mut along: Vec<f64> = (0..m).map(|a| -turn(bounds, a, v, z)).collect();
        gram.solve(&mut along);
        let dv: Vec<f64> = (0..n).map(|i| (0..m).map(|a| along[a] * normal[a][i]).sum()).collect();
        let p = inertia(&dv).iter().zip(mixed(jet, z)).map(|(x, y)| x + y).collect();
        flat.push(Variation { q: z.clone(), p });
    }
    // omega(e_i, e_j) vanishes after half of it is added along f_j to e_i.
    let skew: Vec<f64> = flat.iter().flat_map(|e| flat.iter().map(|other| e.form(other))).collect();
    for i in 0..d {
        for j in 0..d {
            flat[i].add(0.5 * skew[i * d + j], &vertical[j]);
        }
    }
    flat.append(&mut vertical);
    Some(flat)
}

/// Orthonormal directions: across the constraint set, and along it.
fn directions(bounds: &Bounds, n: usize) -> Option<[Vec<Vec<f64>>; 2]> {
    let m = bounds.value().len();
    let mut all: Vec<Vec<f64>> = Vec::with_capacity(n);
    let clear = |x: &mut Vec<f64>, all: &[Vec<f64>]| {
        for _ in 0..2 {
            for direction in all {
                let part = dot(direction, x);
                x.iter_mut().zip(direction).for_each(|(x, d)| *x -= part * d);
            }
        }
        let norm = dot(x, x).sqrt();
        x.iter_mut().for_each(|x| *x /= norm);
        norm
    };
    for a in 0..m {
        let mut x = bounds.gradient(a).to_vec();
        let size = dot(&x, &x).sqrt();
        let independent = clear(&mut x, &all) > 1e-13 * size;
        if !independent {
            return None;
        }
        all.push(x);
    }
    let mut rest: Vec<usize> = (0..n).collect();
    while all.len() < n {
        // The axis that lies least in what there is.
        let inside = |i: usize| all.iter().map(|x| x[i] * x[i]).sum::<f64>();
        let at = (0..rest.len()).min_by(|a, b| inside(rest[*a]).total_cmp(&inside(rest[*b])))?;
        let mut x = vec![0.0; n];
        x[rest.swap_remove(at)] = 1.0;
        clear(&mut x, &all);
        all.push(x);
    }
    let free = all.split_off(m);
    Some([all, free])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Galerkin;
    use crate::formula::{Expr, Graph, Scope, Var};
    use crate::integrate::{Integrator, Start, settle};
    use crate::model::{FormulaConstraint, FormulaLagrangian};
    use std::sync::Arc;

    /// The reduced tangent against differences of steps that start at neighbouring states of the constraint set, for a
    /// system that does not separate under a constraint that depends on time.
    #[test]
    fn constrained_tangent_is_the_derivative_of_the_step() {
        let mut scope = Scope::new();
        scope.variable("t", Var::T);
        for (k, name) in ["x", "y", "z"].into_iter().enumerate() {
            scope.variable(name, Var::Q(k as u32)).variable(format!("v{name}"), Var::V(k as u32));
        }
        let text = "0.5*(1 + 0.3*x^2)*vx^2 + 0.5*vy^2 + 0.7*vz^2 + 0.4*x*vy - x*y - z^3";
        let lagrangian = Arc::new(FormulaLagrangian::new(text, &scope, 3).unwrap());
        let mut graph = Graph::new();
        let expr = Expr::parse("(x - 0.1*t)^2 + y^2 + 2*z^2 - 1").unwrap();
        let node = graph.lower(&expr, &scope).unwrap();
        let constraint = Arc::new(FormulaConstraint::new(&mut graph, &[node], 3));
        let build = |q: &[f64], p: &[f64]| {
            let mut q = q.to_vec();
            settle(&constraint, 0.0, &mut q).unwrap();
            let start = Start { t: 0.0, q, p: p.to_vec(), h: 0.1 };
            Constrained::new(Galerkin::gauss(lagrangian.clone(), 2), constraint.clone(), &start).unwrap()
        };
        let state = |x: &dyn Integrator| Variation { q: x.view().q.to_vec(), p: x.view().p.to_vec() };
        let frame = |x: &mut Constrained<_, Arc<FormulaConstraint>>, t: f64| {
            let mut jet = Jet::new(3);
            lagrangian.second(t, &x.now.q, &x.now.v, &mut jet);
            let mut bounds = Bounds::new(3, 1);
            constraint.second(t, &x.now.q, &mut bounds);
            basis(&jet, &bounds, &x.now.v).unwrap()
        };
        let mut centre = build(&[0.5, 0.5, 0.5], &[0.3, -0.2, 0.1]);
        let (from, start) = (frame(&mut centre, 0.0), state(&centre));
        centre.advance(1).unwrap();
        let to = frame(&mut centre, 0.1);
        let mut matrix = vec![0.0; 16];
        assert!(centre.tangent(&mut matrix));
        for column in 0..4 {
            let moved = |by: f64| {
                let mut x = start.clone();
                x.add(by, &from[column]);
                let mut run = build(&x.q, &x.p);
                run.advance(1).unwrap();
                state(&run)
            };
            let (mut difference, minus) = (moved(1e-5), moved(-1e-5));
            difference.add(-1.0, &minus);
            for row in 0..4 {
                let seen =
                    if row < 2 { difference.form(&to[2 + row]) } else { to[row - 2].form(&difference) };
                let error = seen / 2e-5 - matrix[row * 4 + column];
                assert!(error.abs() < 1e-8, "{row},{column}: {error:e}");
            }
        }
    }
}
