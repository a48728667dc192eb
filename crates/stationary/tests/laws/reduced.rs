//! Laws of discrete Routh reduction: a reduced run is the full one, and a variational one of its own.

use super::order::{measured_against, samples, tolerance};
use super::structure::{check_partials, check_slots};
use super::systems::{Problem, lagrangian};
use super::variational;
use stationary::action::{DiscreteLagrangian, Galerkin, Leg, Routh, Slots};
use stationary::integrate::{DiscreteEulerLagrange, Integrator, Interactions, Method, Reduced};
use stationary::laws;
use stationary::linalg::max_abs;
use stationary::model::{Jet, Lagrangian, Legendre, Reduction, Routhian};
use std::sync::Arc;

/// A problem and its cyclic coordinates.
fn problem(name: &'static str, text: &str, [q, v]: [&[f64]; 2], cyclic: &[usize]) -> (Problem, Vec<usize>) {
    let system = lagrangian(text, q.len());
    let mut p = vec![0.0; q.len()];
    Legendre::new(q.len()).momentum(&*system, 0.0, q, v, &mut p);
    (Problem { name, system, q: q.to_vec(), p, length: 4.0 }, cyclic.to_vec())
}

fn problems() -> Vec<(Problem, Vec<usize>)> {
    let double = "vx^2 + sin(x)^2*vw^2 + 0.5*(vy^2 + sin(y)^2*(vz + vw)^2) + 2*cos(x) + cos(y) \
                  + vx*vy*(cos(x)*cos(y)*cos(z) + sin(x)*sin(y)) + sin(x)*sin(y)*cos(z)*vw*(vz + vw) \
                  + sin(z)*(sin(x)*cos(y)*vw*vy - cos(x)*sin(y)*vx*(vz + vw))";
    let oblate = "0.5*(vx^2 + vy^2 + x^2*vz^2) + (x^2 + y^2)^(-0.5) \
                  + 0.05*(x^2 + y^2)^(-1.5)*(1 - 3*y^2/(x^2 + y^2))";
    // Depends on time, on velocities beyond the second power, and linearly on that of a cyclic coordinate.
    let odd = "0.5*(1 + 0.2*cos(t))*vx^2 + 0.5*(1 + x^2)*(vy^2 + vz^2) + 0.3*sin(x)*vy + 0.05*vy^4 + 0.2*vy*vz \
               - 0.5*x^2";
    vec![
        problem(
            "spherical pendulum",
            "0.5*(vx^2 + sin(x)^2*vy^2) + cos(x)",
            [&[1.0, 0.4], &[0.2, 0.9]],
            &[1],
        ),
        problem("double spherical", double, [&[0.7, 1.1, 0.5, -0.3], &[0.1, -0.2, 0.4, 0.8]], &[3]),
        problem("oblate planet", oblate, [&[1.2, 0.1, 0.0], &[0.1, 0.3, 0.7]], &[2]),
        problem("odd", odd, [&[0.8, 0.1, -2.0], &[0.3, 0.7, -0.4]], &[1, 2]),
    ]
}

/// The methods that have a discrete Lagrangian of one step of positions.
fn reducible() -> impl Iterator<Item = Method> {
    variational().filter(|m| !matches!(m, Method::Newmark { .. } | Method::Verlet { order: 4.. }))
}

fn without(cyclic: &[usize]) -> Interactions {
    Interactions { cyclic: cyclic.to_vec(), ..Interactions::default() }
}

fn reduced(method: Method, problem: &Problem, cyclic: &[usize], h: f64) -> Box<dyn Integrator> {
    method.start_with(problem.system.clone(), &without(cyclic), &problem.start(h), 1e-15).unwrap()
}

#[test]
fn a_reduced_run_is_the_full_one_with_its_phases() {
    for (problem, cyclic) in problems() {
        for method in reducible() {
            let mut full = method.start(problem.system.clone(), &problem.start(0.05), 1e-15).unwrap();
            let mut shape = reduced(method, &problem, &cyclic, 0.05);
            for _ in 0..8 {
                full.advance(25).unwrap();
                shape.advance(25).unwrap();
                let (a, b) = (full.view(), shape.view());
                assert_eq!((a.t, a.step), (b.t, b.step));
                let apart: Vec<f64> =
                    [a.q, a.p].concat().iter().zip([b.q, b.p].concat()).map(|(a, b)| a - b).collect();
                assert!(max_abs(&apart) < 2e-11, "{} {method:?}: {apart:?}", problem.name);
            }
            let energies = [full.discrete_energy().unwrap(), shape.discrete_energy().unwrap()];
            assert!((energies[0] - energies[1]).abs() < 1e-11, "{} {method:?}: {energies:?}", problem.name);
            let actions = [full.action(), shape.action()].map(Option::unwrap);
            assert!((actions[0] - actions[1]).abs() < 1e-11, "{} {method:?}: {actions:?}", problem.name);
            assert_eq!(shape.freedom(), problem.q.len() - cyclic.len());
        }
    }
}

#[test]
fn a_reduced_step_is_symplectic() {
    for (problem, cyclic) in problems() {
        for method in reducible() {
            let residual =
                laws::worst_symplectic_residual(reduced(method, &problem, &cyclic, 0.1).as_mut(), 40);
            assert!(residual < 1e-12, "{} {method:?}: {residual:e}", problem.name);
        }
    }
}

#[test]
fn every_reduced_integrator_has_its_order() {
    for (problem, cyclic) in problems() {
        let reference = samples(&problem, 200, |p, h| {
            Method::Gauss { stages: 8 }.start(p.system.clone(), &p.start(h), 1e-15).unwrap()
        });
        for method in reducible().filter(|m| m.order() <= 6) {
            let order = method.order();
            let slope =
                measured_against(&reference, &problem, order, |p, h| reduced(method, p, &cyclic, h)).unwrap();
            assert!((slope - order as f64).abs() < tolerance(order), "{} {method:?}: {slope}", problem.name);
        }
    }
}

/// A reduction with a momentum that is not that of the run: the agreement above is no accident.
#[test]
fn a_wrong_momentum_is_noticed() {
    let (problem, cyclic) = problems().remove(2);
    let mut full =
        Method::Midpoint { alpha: 0.5 }.start(problem.system.clone(), &problem.start(0.05), 1e-15).unwrap();
    let mut start = problem.start(0.05);
    start.p[cyclic[0]] *= 1.001;
    let ld = Galerkin::midpoint(problem.system.clone(), 0.5);
    let mut twin = Reduced::new(ld, problem.system.clone(), &cyclic, &start, 1e-15).unwrap();
    full.advance(200).unwrap();
    twin.advance(200).unwrap();
    assert!((full.view().q[0] - twin.view().q[0]).abs() > 1e-5);
}

#[test]
fn derivatives_of_routhians_match_differences() {
    for (problem, cyclic) in problems() {
        let n = problem.q.len();
        let reduction = Reduction::new(n, &cyclic, &problem.p);
        let (l, m) = (|| problem.system.clone(), n - cyclic.len());
        let routh = |ld| Routh::new(ld, l(), reduction.clone());
        check_slots(problem.name, routh(Galerkin::midpoint(l(), 0.3)), m);
        check_slots(problem.name, routh(Galerkin::trapezoidal(l(), 0.2)), m);
        check_slots(problem.name, routh(Galerkin::gauss(l(), 3)), m);
        check_slots(problem.name, routh(Galerkin::lobatto(l(), 4)), m);
        check_partials(problem.name, &Routhian::new(l(), reduction.clone()), &reduction.reduce(&problem.q));
    }
}

/// Largest difference of two discrete Lagrangians in their first derivatives.
fn apart(a: &mut impl DiscreteLagrangian, b: &mut impl DiscreteLagrangian) -> f64 {
    let (n, s) = (a.dimension(), a.pieces());
    let mut leg = Leg::new(n, s);
    leg.h = 0.2;
    leg.q.iter_mut().enumerate().for_each(|(i, q)| *q = 0.8 + 0.3 * i as f64);
    leg.u.iter_mut().enumerate().for_each(|(i, u)| *u = 0.05 + 0.013 * (i as f64 * 1.7).sin());
    let (mut x, mut y) = (Slots::new(n, s), Slots::new(n, s));
    a.first(&leg, &mut x);
    b.first(&leg, &mut y);
    max_abs(&x.d.iter().zip(&y.d).map(|(x, y)| x - y).collect::<Vec<_>>())
}

/// With as many quadrature nodes as pieces the velocities at the nodes are free, so reduction and discretisation
/// commute; a trapezoidal rule shares one velocity between two nodes, and they do not.
#[test]
fn gauss_quadrature_and_reduction_commute() {
    for (problem, cyclic) in problems() {
        let reduction = Reduction::new(problem.q.len(), &cyclic, &problem.p);
        let l = || problem.system.clone();
        let routhian = || Routhian::new(l(), reduction.clone());
        let routh = |ld| Routh::new(ld, l(), reduction.clone());
        for stages in 1..=4 {
            let difference =
                apart(&mut routh(Galerkin::gauss(l(), stages)), &mut Galerkin::gauss(routhian(), stages));
            assert!(difference < 1e-13, "{} {stages}: {difference:e}", problem.name);
        }
        let difference =
            apart(&mut routh(Galerkin::trapezoidal(l(), 0.5)), &mut Galerkin::trapezoidal(routhian(), 0.5));
        assert!(difference > 1e-6, "{}: {difference:e}", problem.name);
    }
}

#[test]
fn systems_that_cannot_be_reduced_are_refused_with_the_reason() {
    let (problem, cyclic) = problems().remove(0);
    for method in
        [Method::RungeKutta4, Method::Verlet { order: 4 }, Method::Newmark { beta: 0.25, gamma: 0.5 }]
    {
        let refused = method
            .start_with(problem.system.clone(), &without(&cyclic), &problem.start(0.1), 1e-15)
            .err()
            .unwrap();
        assert!(format!("{refused:?}").contains("to reduce"), "{refused:?}");
    }
}

/// A particle of limited speed in a plane has a Routhian for every angular momentum.
#[test]
fn a_routhian_exists_where_the_kinetic_energy_is_not_quadratic() {
    let system = lagrangian("-sqrt(1 - vx^2 - x^2*vy^2) + 1/x", 2);
    for mu in [0.0, 0.3, 3.0, 50.0] {
        let routhian = Routhian::new(Arc::clone(&system), Reduction::new(2, &[1], &[0.0, mu]));
        let mut jet = Jet::new(1);
        routhian.first(0.0, &[2.0], &[0.1], &mut jet);
        // R = -sqrt((1 - v^2) (1 + mu^2/r^2)) + 1/r
        let exact = -(0.99_f64 * (1.0 + mu * mu / 4.0)).sqrt() + 0.5;
        assert!((jet.value() - exact).abs() < 1e-12 * (1.0 + exact.abs()), "{mu}: {} {exact}", jet.value());
    }
    let start = stationary::integrate::Start { t: 0.0, q: vec![2.0], p: vec![0.1], h: 0.01 };
    let routhian = Routhian::new(system, Reduction::new(2, &[1], &[0.0, 3.0]));
    DiscreteEulerLagrange::new(Galerkin::gauss(routhian, 2), &start).unwrap().advance(100).unwrap();
}
