//! Laws of forced steps: exact derivatives, order, agreement with potentials, work, decay of energy.

use super::order::{measured_against, samples, tolerance};
use super::systems::{self, Problem, constraints, force, lagrangian};
use super::{methods, variational};
use stationary::action::{DiscreteLagrangian, Galerkin, Leg, Newmark, WithForce};
use stationary::integrate::{Integrator, Interactions, Method};
use stationary::linalg::{dot, max_abs};
use stationary::model::Jet;

/// Friction that grows with the velocity, a magnetic turn, and driving.
const FRICTION: [&str; 2] = ["-0.1*vx*(1 + vx^2) + 0.2*vy*x + 0.1*sin(2*t)", "-0.05*vy - 0.2*vx*x + 0.1*x*y"];

fn start(
    problem: &Problem,
    interactions: &Interactions,
    method: Method,
    h: f64,
) -> Option<Box<dyn Integrator>> {
    method.start_with(problem.system.clone(), interactions, &problem.start(h), 1e-15).ok()
}

/// The methods that take forces; which do not is a fixed list.
fn forceable() -> impl Iterator<Item = Method> {
    methods().into_iter().filter(|m| match *m {
        Method::Verlet { order: 4.. } => false,
        Method::Newmark { gamma, .. } => gamma == 0.5,
        _ => true,
    })
}

#[test]
fn methods_that_cannot_be_forced_say_so() {
    let (problem, interactions) = (systems::henon_heiles(), force(&FRICTION));
    for method in methods() {
        let suited = forceable().any(|m| m == method);
        assert_eq!(start(&problem, &interactions, method, 0.05).is_some(), suited, "{method}");
    }
}

/// `D_j + F_j` against its second derivatives: what Newton's method relies on.
fn check_slots<D: DiscreteLagrangian>(name: &str, mut ld: D, n: usize) {
    let s = ld.pieces();
    let mut leg = Leg::new(n, s);
    (leg.t, leg.h) = (0.4, 0.13);
    leg.q.iter_mut().enumerate().for_each(|(i, q)| *q = 0.8 + 0.3 * i as f64);
    leg.u.iter_mut().enumerate().for_each(|(i, u)| *u = 0.05 + 0.013 * (i as f64 * 1.7).sin());
    let width = (s + 1) * n;
    let mut at = |leg: &Leg| {
        let (mut d, mut dd) = (vec![f64::NAN; width], vec![f64::NAN; width * width]);
        ld.second(leg, &mut d, &mut dd, 0..s + 1, 0..s + 1);
        let (mut later, mut sum) = (vec![0.0; s * n], vec![0.0; n]);
        ld.gradient(leg, &mut later, &mut sum);
        for i in 0..n {
            let total: f64 = (0..=s).map(|j| d[j * n + i]).sum();
            assert!((total - sum[i]).abs() < 1e-11, "{name}: {total} {}", sum[i]);
        }
        assert!(later.iter().zip(&d[n..]).all(|(a, b)| (a - b).abs() < 1e-11), "{name}");
        (d, dd)
    };
    let (_, exact) = at(&leg);
    let e = 1e-5;
    for k in 0..width {
        let mut shifted = |sign: f64| {
            let mut moved = leg.clone();
            if k < n {
                moved.q[k] += sign * e;
                (0..s).for_each(|j| moved.u[j * n + k] -= sign * e);
            } else {
                moved.u[k - n] += sign * e;
            }
            at(&moved).0
        };
        let (plus, minus) = (shifted(1.0), shifted(-1.0));
        for j in 0..width {
            let (difference, exact) = ((plus[j] - minus[j]) / (2.0 * e), exact[j * width + k]);
            assert!(
                (difference - exact).abs() < 1e-6 * (1.0 + exact.abs()),
                "{name} {j},{k}: {difference} {exact}"
            );
        }
    }
}

#[test]
fn derivatives_of_discrete_forces_match_differences() {
    let problem = systems::henon_heiles();
    let l = || problem.system.clone();
    let f = || force(&FRICTION).force.unwrap();
    check_slots("midpoint", WithForce::new(Galerkin::midpoint(l(), 0.3), f()), 2);
    check_slots("trapezoidal", WithForce::new(Galerkin::trapezoidal(l(), 0.2), f()), 2);
    check_slots("gauss", WithForce::new(Galerkin::gauss(l(), 3), f()), 2);
    check_slots("lobatto", WithForce::new(Galerkin::lobatto(l(), 4), f()), 2);
    for beta in [0.0, 0.2] {
        check_slots("newmark", WithForce::new(Newmark::new(l(), beta, 0.5).unwrap(), f()), 2);
    }
}

#[test]
fn every_forced_method_has_its_order() {
    let mut failures = Vec::new();
    let mut problem = systems::henon_heiles();
    problem.length = 4.0;
    let interactions = force(&FRICTION);
    let reference =
        samples(&problem, 100, |p, h| start(p, &interactions, Method::Gauss { stages: 8 }, h).unwrap());
    for method in forceable().filter(|m| m.order() <= 8) {
        let order = method.order();
        let slope =
            measured_against(&reference, &problem, order, |p, h| start(p, &interactions, method, h).unwrap());
        if slope.is_none_or(|s| (s - order as f64).abs() > 0.1 + tolerance(order)) {
            failures.push(format!("{method}: order {order}, measured {slope:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A force that is the gradient of a potential is that potential: the same steps, whichever way it is written.
#[test]
fn a_force_from_a_potential_is_that_potential() {
    let whole = systems::henon_heiles();
    let kinetic = Problem { system: lagrangian("0.5*(vx^2 + vy^2)", 2), ..systems::henon_heiles() };
    let interactions = force(&["-x - 2*x*y", "-y - x^2 + y^2"]);
    for method in forceable() {
        let mut one = method.start(whole.system.clone(), &whole.start(0.1), 1e-15).unwrap();
        let mut other = start(&kinetic, &interactions, method, 0.1).unwrap();
        for _ in 0..50 {
            one.advance(1).unwrap();
            other.advance(1).unwrap();
        }
        let (a, b) = (one.view(), other.view());
        let difference: Vec<f64> =
            a.q.iter().chain(a.p).zip(b.q.iter().chain(b.p)).map(|(x, y)| x - y).collect();
        assert!(max_abs(&difference) < 1e-12, "{method}: {:e}", max_abs(&difference));
    }
}

/// Under forces the tangent is still the derivative of the step, and visibly no longer symplectic.
#[test]
fn the_tangent_of_a_forced_step_is_its_derivative() {
    let (problem, interactions) = (systems::henon_heiles(), force(&FRICTION));
    for method in forceable() {
        let run = |shift: usize, by: f64| {
            let mut start = problem.start(0.1);
            if shift < 2 {
                start.q[shift] += by
            } else {
                start.p[shift - 2] += by
            }
            let mut x = method.start_with(problem.system.clone(), &interactions, &start, 1e-15).unwrap();
            x.advance(1).unwrap();
            x
        };
        let mut centre = run(0, 0.0);
        if matches!(method, Method::Newmark { beta, .. } if beta > 0.0) {
            continue;
        }
        let mut tangent = vec![0.0; 16];
        assert!(centre.tangent(&mut tangent));
        assert!(stationary::laws::symplectic_residual(&tangent, 2) > 1e-4, "{method}");
        for column in 0..4 {
            let (plus, minus) = (run(column, 1e-5), run(column, -1e-5));
            for row in 0..4 {
                let pick = |x: &dyn Integrator| if row < 2 { x.view().q[row] } else { x.view().p[row - 2] };
                let difference = (pick(plus.as_ref()) - pick(minus.as_ref())) / 2e-5;
                let error = difference - tangent[row * 4 + column];
                assert!(error.abs() < 1e-8, "{method} {row},{column}: {error:e}");
            }
        }
    }
}

/// The well of SUR04 Fig. 2.2 with weak friction.
fn damped() -> (Problem, Interactions) {
    let system = lagrangian("0.5*(vx^2 + vy^2) - (x^2 + y^2)*(x^2 + y^2 - 1)^2", 2);
    let problem = Problem { name: "damped", system, q: vec![1.2, 0.0], p: vec![0.0, 0.4], length: 1000.0 };
    (problem, force(&["-5e-4*vx", "-5e-4*vy"]))
}

/// Means of the energy over blocks of the run, and energy less work at the end less the energy at the start.
fn energies(method: Method, h: f64) -> (Vec<f64>, f64) {
    let (problem, interactions) = damped();
    let mut x = start(&problem, &interactions, method, h).unwrap();
    let mut jet = Jet::new(2);
    let mut energy = |x: &dyn Integrator| {
        let view = x.view();
        problem.system.first(view.t, view.q, view.p, &mut jet);
        dot(view.p, view.p) - jet.value()
    };
    let (initial, mut work, blocks) = (energy(x.as_ref()), 0.0, 10);
    let steps = (problem.length / h).round() as u64 / blocks;
    let mut means = Vec::new();
    for _ in 0..blocks {
        let mut sum = 0.0;
        for _ in 0..steps {
            x.advance(1).unwrap();
            sum += energy(x.as_ref());
            work += x.work().unwrap();
        }
        means.push(sum / steps as f64);
    }
    (means, energy(x.as_ref()) - work - initial)
}

#[test]
fn the_decay_of_energy_follows_a_fine_reference_where_rk4_does_not() {
    let (reference, balance) = energies(Method::Gauss { stages: 4 }, 0.02);
    assert!(balance.abs() < 1e-9, "the work is what the energy lost: {balance:e}");
    assert!(reference[9] < 0.6 * reference[0], "there is decay");
    let h = 0.08;
    for method in
        [Method::Midpoint { alpha: 0.5 }, Method::Lobatto { points: 3 }, Method::Gauss { stages: 2 }]
    {
        for (mean, exact) in energies(method, h).0.iter().zip(&reference) {
            assert!((mean / exact - 1.0).abs() < 0.008, "{method}: {mean} {exact}");
        }
    }
    let lost = energies(Method::RungeKutta4, h).0[9] / reference[9] - 1.0;
    assert!(lost < -0.05, "RK4 is visibly off: {lost}");
    // The second-order rule with the most error of its own still decays at the right rate.
    let verlet = energies(Method::Verlet { order: 2 }, h).0;
    let decay = (verlet[9] / verlet[0]) / (reference[9] / reference[0]) - 1.0;
    assert!(decay.abs() < 0.01, "{decay}");
}

#[test]
fn forces_and_constraints_go_together() {
    // A pendulum with friction, in an angle and on a circle.
    let angle = Problem {
        name: "angle",
        system: lagrangian("0.5*vx^2 + cos(x)", 1),
        q: vec![1.2],
        p: vec![0.3],
        length: 1.0,
    };
    let damped = force(&["-0.2*vx"]);
    let (s, c) = 1.2_f64.sin_cos();
    let (q, p) = (vec![s, -c], vec![0.3 * c, 0.3 * s]);
    let circle =
        Problem { name: "circle", system: lagrangian("0.5*(vx^2 + vy^2) - y", 2), q, p, length: 1.0 };
    let interactions =
        Interactions { force: force(&["-0.2*vx", "-0.2*vy"]).force, ..constraints(&["x^2 + y^2 - 1"], 2) };
    let (method, h) = (Method::Gauss { stages: 5 }, 0.05);
    let mut exact = start(&angle, &damped, method, h).unwrap();
    let mut x = start(&circle, &interactions, method, h).unwrap();
    for _ in 0..200 {
        exact.advance(1).unwrap();
        x.advance(1).unwrap();
        let (a, b) = (exact.work().unwrap(), x.work().unwrap());
        assert!((a - b).abs() < 1e-10, "{a} {b}");
    }
    let (s, c) = exact.view().q[0].sin_cos();
    assert!(max_abs(&[x.view().q[0] - s, x.view().q[1] + c]) < 1e-10);
}

#[test]
fn without_forces_nothing_changes() {
    let problem = systems::henon_heiles();
    for method in variational() {
        let mut one = method.start(problem.system.clone(), &problem.start(0.1), 1e-15).unwrap();
        let mut other = start(&problem, &Interactions::default(), method, 0.1).unwrap();
        one.advance(20).unwrap();
        other.advance(20).unwrap();
        assert_eq!(one.view().q, other.view().q, "{method}");
        assert_eq!((other.work(), other.multipliers()), (None, None));
    }
}
