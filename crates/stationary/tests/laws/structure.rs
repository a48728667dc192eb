//! Symplecticity, derivative and cost laws of single steps.

use super::systems::{self, Problem};
use super::{broken, methods, variational};
use stationary::action::{DiscreteLagrangian, Galerkin, Leg, Newmark, Slots};
use stationary::integrate::{DiscreteEulerLagrange, Integrator, Method};
use stationary::laws;
use stationary::model::{Jet, Lagrangian, Mass};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn problems() -> Vec<Problem> {
    vec![
        systems::pendulum(),
        systems::henon_heiles(),
        systems::kepler(),
        systems::double_pendulum(),
        systems::shaken(),
    ]
}

#[test]
fn every_variational_step_is_symplectic() {
    for problem in problems() {
        for method in variational() {
            let Ok(mut integrator) = method.start(problem.system.clone(), &problem.start(0.1), 1e-15) else {
                assert!(problem.system.mass().is_none(), "{method:?} refused {}", problem.name);
                continue;
            };
            let residual = laws::worst_symplectic_residual(integrator.as_mut(), 200);
            assert!(residual < 1e-12, "{} {method:?}: {residual:e}", problem.name);
        }
    }
}

#[test]
fn methods_that_are_not_variational_are_visibly_not_symplectic() {
    let not = methods().into_iter().filter(|m| !m.variational());
    for method in not {
        for problem in [systems::pendulum(), systems::henon_heiles(), systems::kepler()] {
            let mut integrator = method.start(problem.system.clone(), &problem.start(0.1), 1e-15).unwrap();
            let residual = laws::worst_symplectic_residual(integrator.as_mut(), 50);
            assert!(residual > 1e-9, "{} {method:?}: {residual:e}", problem.name);
        }
    }
    let problem = systems::kepler();
    let ld = broken::WrongImpulse(Galerkin::gauss(problem.system.clone(), 2));
    let mut twin = DiscreteEulerLagrange::new(ld, &problem.start(0.1)).unwrap();
    let residual = laws::worst_symplectic_residual(&mut twin, 50);
    assert!(residual > 1e-9, "the broken twin passes with {residual:e}");
}

/// The tangent is the derivative of the step itself, not only a symplectic matrix.
#[test]
fn the_tangent_is_the_derivative_of_the_step() {
    for problem in problems() {
        let n = problem.q.len();
        for method in methods() {
            let run = |shift: usize, by: f64| {
                let mut start = problem.start(0.1);
                if shift < n {
                    start.q[shift] += by
                } else {
                    start.p[shift - n] += by
                }
                let mut x = method.start(problem.system.clone(), &start, 1e-15).ok()?;
                x.advance(1).unwrap();
                Some(x)
            };
            // Newmark's canonical variable is not the position: its tangent is tested by symplecticity.
            let Some(mut centre) = run(0, 0.0) else { continue };
            if matches!(method, Method::Newmark { .. }) && centre.view().q != centre.view().canonical {
                continue;
            }
            let mut tangent = vec![0.0; 4 * n * n];
            assert!(centre.tangent(&mut tangent));
            for column in 0..2 * n {
                let (plus, minus) = (run(column, 1e-5).unwrap(), run(column, -1e-5).unwrap());
                for row in 0..2 * n {
                    let pick =
                        |x: &dyn Integrator| if row < n { x.view().q[row] } else { x.view().p[row - n] };
                    let difference = (pick(plus.as_ref()) - pick(minus.as_ref())) / 2e-5;
                    let error = difference - tangent[row * 2 * n + column];
                    assert!(error.abs() < 1e-8, "{} {method:?} {row},{column}: {error:e}", problem.name);
                }
            }
        }
    }
}

/// `D_j`, `D3` and second derivatives of every discrete Lagrangian against central differences.
pub fn check_slots<D: DiscreteLagrangian>(name: &str, mut ld: D, n: usize) {
    let s = ld.pieces();
    let mut leg = Leg::new(n, s);
    (leg.t, leg.h) = (0.4, 0.13);
    leg.q.iter_mut().enumerate().for_each(|(i, q)| *q = 0.8 + 0.3 * i as f64);
    leg.u.iter_mut().enumerate().for_each(|(i, u)| *u = 0.05 + 0.013 * (i as f64 * 1.7).sin());
    let mut slots = Slots::new(n, s);
    let width = (s + 1) * n;
    let (mut d, mut second) = (vec![f64::NAN; width], vec![f64::NAN; width * width]);
    ld.second(&leg, &mut d, &mut second, 0..s + 1, 0..s + 1);
    ld.first(&leg, &mut slots);
    let first = slots.clone();
    assert_eq!(d, first.d, "{name}: both ways to the same derivatives");
    let total: Vec<f64> = (0..n).map(|i| (0..=s).map(|j| first.d[j * n + i]).sum()).collect();
    let close = |a: f64, b: f64, what: &str| {
        assert!((a - b).abs() < 2e-8 * (1.0 + a.abs()), "{name} {what}: {a} {b}")
    };
    for i in 0..n {
        close(total[i], first.sum[i], "sum");
        let (mut d, mut sum) = (vec![0.0; s * n], vec![0.0; n]);
        ld.gradient(&leg, &mut d, &mut sum);
        close(sum[i], first.sum[i], "sum of the gradient");
        (1..=s).for_each(|j| close(d[(j - 1) * n + i], first.d[j * n + i], "gradient"));
    }
    let e = 1e-5;
    let mut at = |leg: &Leg| {
        ld.first(leg, &mut slots);
        slots.clone()
    };
    let longer = |sign: f64| Leg { h: leg.h + sign * e, ..leg.clone() };
    close((at(&longer(1.0)).value - at(&longer(-1.0)).value) / (2.0 * e), first.d3, "D3");
    for k in 0..(s + 1) * n {
        // Points are stored relative to the first one, so moving that one alone moves all increments back.
        let shifted = |sign: f64| {
            let mut moved = leg.clone();
            if k < n {
                moved.q[k] += sign * e;
                (0..s).for_each(|j| moved.u[j * n + k] -= sign * e);
            } else {
                moved.u[k - n] += sign * e;
            }
            moved
        };
        let (plus, minus) = (at(&shifted(1.0)), at(&shifted(-1.0)));
        close((plus.value - minus.value) / (2.0 * e), first.d[k], "D");
        for j in 0..(s + 1) * n {
            let difference = (plus.d[j] - minus.d[j]) / (2.0 * e);
            let exact = second[j * (s + 1) * n + k];
            assert!(
                (difference - exact).abs() < 1e-6 * (1.0 + exact.abs()),
                "{name} DD {j},{k}: {difference} {exact}"
            );
        }
    }
}

#[test]
fn derivatives_of_discrete_lagrangians_match_differences() {
    for problem in problems() {
        let n = problem.q.len();
        let l = || problem.system.clone();
        check_slots("midpoint", Galerkin::midpoint(l(), 0.3), n);
        check_slots("trapezoidal", Galerkin::trapezoidal(l(), 0.2), n);
        check_slots("gauss", Galerkin::gauss(l(), 3), n);
        check_slots("lobatto", Galerkin::lobatto(l(), 4), n);
        for beta in [0.0, 0.2] {
            if let Some(newmark) = Newmark::new(l(), beta, 0.5) {
                check_slots("newmark", newmark, n);
            }
        }
    }
}

/// Partials of the model problems against differences: automatic differentiation is itself under test.
#[test]
fn partials_of_lagrangians_match_differences() {
    for problem in problems() {
        check_partials(problem.name, &*problem.system, &problem.q);
    }
}

/// First and second partials of a Lagrangian near `q` against central differences.
pub fn check_partials(name: &str, l: &dyn Lagrangian, q: &[f64]) {
    let n = q.len();
    let v = vec![0.37; n];
    let jet = |t: f64, q: &[f64], v: &[f64]| {
        let mut jet = Jet::new(n);
        l.second(t, q, v, &mut jet);
        l.first(t, q, v, &mut jet);
        jet
    };
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-7, "{name}: {a} {b}");
    let (centre, e) = (jet(0.4, q, &v), 1e-5);
    close((jet(0.4 + e, q, &v).value() - jet(0.4 - e, q, &v).value()) / (2.0 * e), centre.dt());
    let shift = |x: &[f64], i: usize, e: f64| {
        let mut x = x.to_vec();
        x[i] += e;
        x
    };
    for i in 0..n {
        let (plus, minus) = (jet(0.4, &shift(q, i, e), &v), jet(0.4, &shift(q, i, -e), &v));
        close((plus.value() - minus.value()) / (2.0 * e), centre.dq()[i]);
        for j in 0..n {
            close((plus.dq()[j] - minus.dq()[j]) / (2.0 * e), centre.dqq()[i * n + j]);
            close((plus.dv()[j] - minus.dv()[j]) / (2.0 * e), centre.dqv()[i * n + j]);
        }
        let (plus, minus) = (jet(0.4, q, &shift(&v, i, e)), jet(0.4, q, &shift(&v, i, -e)));
        close((plus.value() - minus.value()) / (2.0 * e), centre.dv()[i]);
        for j in 0..n {
            close((plus.dv()[j] - minus.dv()[j]) / (2.0 * e), centre.dvv()[i * n + j]);
        }
    }
}

/// A system that counts what is asked of it.
struct Counted {
    inner: Arc<dyn Lagrangian>,
    forces: AtomicUsize,
    others: AtomicUsize,
}

impl Lagrangian for Counted {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }
    fn first(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        self.others.fetch_add(1, Ordering::Relaxed);
        self.inner.first(t, q, v, jet);
    }
    fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        self.others.fetch_add(1, Ordering::Relaxed);
        self.inner.second(t, q, v, jet);
    }
    fn mass(&self) -> Option<&Mass> {
        self.inner.mass()
    }
    fn force(&self, t: f64, q: &[f64], force: &mut [f64]) {
        self.forces.fetch_add(1, Ordering::Relaxed);
        self.inner.force(t, q, force);
    }
}

#[test]
fn explicit_methods_cost_one_gradient_a_step_and_no_solve() {
    let problem = systems::kepler();
    let explicit = [
        Method::Midpoint { alpha: 0.0 },
        Method::Midpoint { alpha: 1.0 },
        Method::Trapezoidal { alpha: 0.5 },
        Method::Trapezoidal { alpha: 0.2 },
        Method::Verlet { order: 2 },
        Method::Newmark { beta: 0.0, gamma: 0.5 },
        Method::Lobatto { points: 2 },
    ];
    for method in explicit {
        let counted = Arc::new(Counted { inner: problem.system.clone(), forces: 0.into(), others: 0.into() });
        let mut integrator = method.start(counted.clone(), &problem.start(0.01), 1e-15).unwrap();
        integrator.advance(1000).unwrap();
        // One more for the force at the start.
        assert_eq!(counted.forces.load(Ordering::Relaxed), 1001, "{method:?}");
        assert_eq!(counted.others.load(Ordering::Relaxed), 0, "{method:?}");
        assert_eq!(integrator.iterations(), 0);
    }
}

/// The same discrete Lagrangian through the general code path and through the explicit one.
#[test]
fn explicit_and_general_paths_agree() {
    let problem = systems::henon_heiles();
    for alpha in [0.5, 0.2, 0.0, 1.0] {
        let ld = Galerkin::trapezoidal(problem.system.clone(), alpha);
        let mut general = DiscreteEulerLagrange::new(ld, &problem.start(0.05)).unwrap();
        let method = Method::Trapezoidal { alpha };
        let mut explicit = method.start(problem.system.clone(), &problem.start(0.05), 1e-15).unwrap();
        for _ in 0..100 {
            general.advance(1).unwrap();
            explicit.advance(1).unwrap();
            let (a, b) = (general.view(), explicit.view());
            for (x, y) in a.q.iter().chain(a.p).zip(b.q.iter().chain(b.p)) {
                assert!((x - y).abs() < 1e-13, "alpha {alpha}: {x} {y}");
            }
            let (a, b) = (general.discrete_energy().unwrap(), explicit.discrete_energy().unwrap());
            assert!((a - b).abs() < 1e-13, "alpha {alpha}: {a} {b}");
        }
    }
}

/// Newmark's own relations (19), checked on the output of the variational construction.
#[test]
fn newmark_satisfies_its_printed_relations() {
    let problem = systems::henon_heiles();
    let h = 0.1;
    let acceleration = |q: &[f64]| {
        let mut f = [0.0; 2];
        problem.system.force(0.0, q, &mut f);
        f
    };
    for (beta, gamma) in [(0.25, 0.5), (1.0 / 6.0, 0.5), (0.3, 0.6), (0.0, 0.5), (0.0, 0.7)] {
        let method = Method::Newmark { beta, gamma };
        let mut x = method.start(problem.system.clone(), &problem.start(h), 1e-15).unwrap();
        for _ in 0..50 {
            let (q0, v0) = (x.view().q.to_vec(), x.view().p.to_vec());
            x.advance(1).unwrap();
            let (q1, v1) = (x.view().q, x.view().p);
            let (a0, a1) = (acceleration(&q0), acceleration(q1));
            for i in 0..2 {
                let q = q0[i] + h * v0[i] + 0.5 * h * h * ((1.0 - 2.0 * beta) * a0[i] + 2.0 * beta * a1[i]);
                let v = v0[i] + h * ((1.0 - gamma) * a0[i] + gamma * a1[i]);
                assert!((q - q1[i]).abs() < 1e-14 && (v - v1[i]).abs() < 1e-14, "{beta} {gamma}");
            }
        }
    }
}

#[test]
fn grouping_steps_and_observing_change_no_bit() {
    for problem in problems() {
        for method in methods() {
            let build = || method.start(problem.system.clone(), &problem.start(0.05), 1e-15).ok();
            let (Some(mut one), Some(mut other)) = (build(), build()) else { continue };
            one.advance(60).unwrap();
            let mut tangent = vec![0.0; 4 * problem.q.len() * problem.q.len()];
            for steps in [1, 7, 22, 30] {
                other.advance(steps).unwrap();
                other.discrete_energy();
                other.tangent(&mut tangent);
            }
            assert_eq!((one.view().q, one.view().p), (other.view().q, other.view().p), "{method:?}");
        }
    }
}

/// Sizes known to the compiler change speed only: the same steps with sizes as data have the same bits.
#[test]
fn fixed_and_dynamic_sizes_agree_to_the_bit() {
    for problem in problems() {
        for stages in 1..=3 {
            let start = problem.start(0.05);
            let mut fixed = Method::Gauss { stages }.start(problem.system.clone(), &start, 1e-15).unwrap();
            let mut dynamic =
                DiscreteEulerLagrange::new(Galerkin::gauss(problem.system.clone(), stages), &start).unwrap();
            fixed.advance(100).unwrap();
            dynamic.advance(100).unwrap();
            assert_eq!(fixed.view().q, dynamic.view().q, "{} {stages}", problem.name);
            assert_eq!(fixed.view().p, dynamic.view().p, "{} {stages}", problem.name);
            assert_eq!(fixed.iterations(), dynamic.iterations(), "{} {stages}", problem.name);
        }
    }
}

/// After a failed step everything an observer can ask belongs to the last good one.
#[test]
fn a_failed_step_leaves_the_last_good_one() {
    let mut problem = systems::henon_heiles();
    // Beyond the saddle: the cubic potential takes it to infinity in finite time.
    (problem.q, problem.p) = (vec![0.0, 3.0], vec![0.0, 3.0]);
    for method in methods() {
        let build = || method.start(problem.system.clone(), &problem.start(0.1), 1e-15).unwrap();
        let (mut run, mut twin) = (build(), build());
        let Err(error) = run.advance(10_000) else { panic!("{method} did not fail") };
        twin.advance(error.step).unwrap();
        assert_eq!(run.view().step, error.step, "{method}");
        assert_eq!((run.view().q, run.view().p), (twin.view().q, twin.view().p), "{method}");
        let bits = |x: Option<f64>| x.map(f64::to_bits);
        assert_eq!(bits(run.discrete_energy()), bits(twin.discrete_energy()), "{method}");
    }
}

/// Looked at after every step or not: what observers ask of the legs costs no force.
#[test]
fn composed_steps_cost_one_gradient_a_stage() {
    let problem = systems::kepler();
    for (order, stages) in [(2, 1), (4, 5), (6, 9), (8, 15)] {
        let counted = Arc::new(Counted { inner: problem.system.clone(), forces: 0.into(), others: 0.into() });
        let method = Method::Verlet { order };
        let mut integrator = method.start(counted.clone(), &problem.start(0.01), 1e-15).unwrap();
        integrator.advance(10).unwrap();
        for _ in 0..10 {
            integrator.advance(1).unwrap();
            integrator.discrete_energy().unwrap();
        }
        // One more for the force at the start; each leg has two ends to sample.
        assert_eq!(counted.forces.load(Ordering::Relaxed), 20 * stages + 1, "order {order}");
        assert_eq!(counted.others.load(Ordering::Relaxed), 10 * 2 * stages, "order {order}");
    }
}
