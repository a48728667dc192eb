//! Measured order of accuracy, by slope, on nonlinear problems.

use crate::systems::{self, Problem};
use crate::{broken, methods};
use stationary::integrate::{Del, Integrator, Method};
use stationary::laws;

/// Position and momentum at the end of the problem's measuring time, in `steps` steps.
fn end(problem: &Problem, steps: u64, build: impl Fn(&Problem, f64) -> Box<dyn Integrator>) -> Vec<f64> {
    let mut integrator = build(problem, problem.length / steps as f64);
    integrator.advance(steps).unwrap();
    [integrator.view().q, integrator.view().p].concat()
}

fn start(method: Method) -> impl Fn(&Problem, f64) -> Box<dyn Integrator> {
    move |problem, h| method.start(problem.system.clone(), &problem.start(h), 1e-15).unwrap()
}

fn measured(
    problem: &Problem,
    coarsest: u64,
    build: impl Fn(&Problem, f64) -> Box<dyn Integrator>,
) -> Option<f64> {
    let reference = end(problem, 200, start(Method::Gauss { stages: 8 }));
    let counts: Vec<u64> = (0..9).map(|k| (coarsest as f64 * 1.3_f64.powi(k)).round() as u64).collect();
    let errors: Vec<f64> = counts
        .iter()
        .map(|&n| {
            let x = end(problem, n, &build);
            x.iter()
                .zip(&reference)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, |m, e| if e > m || e.is_nan() { e } else { m })
        })
        .collect();
    let steps: Vec<f64> = counts.iter().map(|&n| problem.length / n as f64).collect();
    if std::env::var("SHOW").is_ok() { eprintln!("{} {errors:.1e?}", problem.name); }
    laws::order(&steps, &errors, 2e-13)
}

/// So coarse a start that high orders show before rounding does, and fine enough for the asymptotic range.
fn coarsest(order: usize) -> u64 {
    match order {
        1 => 400,
        2 => 60,
        4 => 16,
        6 => 8,
        8 => 5,
        _ => 3,
    }
}

#[test]
fn every_integrator_has_its_order() {
    let mut failures = Vec::new();
    for problem in [systems::pendulum(), systems::henon_heiles(), systems::kepler()] {
        for method in methods() {
            let order = method.order();
            // Beyond order 10 only a few points lie between the asymptotic range and rounding.
            if order > 10 {
                continue;
            }
            let slope = measured(&problem, coarsest(order), start(method));
            // Some problems are kind to some methods; no method may be better by more than an even order.
            let ok = slope.is_some_and(|s| (s - order as f64).abs() < 0.15 + 0.03 * order as f64);
            if !ok {
                failures.push(format!("{} {method:?}: order {order}, measured {slope:?}", problem.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn order_holds_where_the_mass_or_the_potential_is_not_constant() {
    for problem in [systems::double_pendulum(), systems::shaken()] {
        for method in methods() {
            let suited = !matches!(method, Method::Newmark { .. } | Method::Verlet { order: 4.. });
            if !suited || method.order() > 8 {
                continue;
            }
            let order = method.order() as f64;
            let slope = measured(&problem, coarsest(method.order()), start(method)).unwrap();
            assert!((slope - order).abs() < 0.2 + 0.05 * order, "{} {method:?}: {slope}", problem.name);
        }
    }
}

#[test]
fn a_wrong_weight_is_noticed() {
    for problem in [systems::pendulum(), systems::henon_heiles(), systems::kepler()] {
        let slope = measured(&problem, coarsest(2), |p, h| {
            Box::new(Del::new(broken::wrong_weight(p.system.clone()), &p.start(h)).unwrap())
        });
        assert!(slope.is_none_or(|s| (s - 2.0).abs() > 0.21), "{}: {slope:?}", problem.name);
    }
}
