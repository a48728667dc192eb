//! Measured order of accuracy, by slope, on nonlinear problems.

use super::systems::{self, Problem};
use super::{broken, methods};
use stationary::integrate::{DiscreteEulerLagrange, Integrator, Method};
use stationary::laws;

/// Position and momentum halfway through and at the end of the problem's measuring time, in `steps` steps.
pub fn samples(
    problem: &Problem,
    steps: u64,
    build: impl Fn(&Problem, f64) -> Box<dyn Integrator>,
) -> Vec<f64> {
    let mut integrator = build(problem, problem.length / steps as f64);
    let mut seen = Vec::new();
    for _ in 0..2 {
        integrator.advance(steps / 2).unwrap();
        seen.extend([integrator.view().q, integrator.view().p].concat());
    }
    seen
}

fn start(method: Method) -> impl Fn(&Problem, f64) -> Box<dyn Integrator> {
    move |problem, h| method.start(problem.system.clone(), &problem.start(h), 1e-15).unwrap()
}

/// Refines until rounding is near and returns the slope over the finest steps before it.
fn measured(
    problem: &Problem,
    order: usize,
    build: impl Fn(&Problem, f64) -> Box<dyn Integrator>,
) -> Option<f64> {
    let reference = samples(problem, 200, start(Method::Gauss { stages: 8 }));
    measured_against(&reference, problem, order, build)
}

/// The same against the samples of a reference.
pub fn measured_against(
    reference: &[f64],
    problem: &Problem,
    order: usize,
    build: impl Fn(&Problem, f64) -> Box<dyn Integrator>,
) -> Option<f64> {
    let (mut steps, mut errors) = (Vec::new(), Vec::new());
    let coarsest = match order {
        1 => 0.02,
        2 => 0.1,
        4 => 0.3,
        _ => 0.6,
    };
    for k in 0..14 {
        let count = 2 * (problem.length / (2.0 * coarsest) * 1.2_f64.powi(k)).round() as u64;
        let x = samples(problem, count, &build);
        let difference: Vec<f64> = x.iter().zip(reference).map(|(a, b)| a - b).collect();
        let error = stationary::linalg::max_abs(&difference);
        if error < ROUNDING {
            break;
        }
        steps.push(problem.length / count as f64);
        errors.push(error);
    }
    let last = steps.len().saturating_sub(4);
    laws::order(&steps[last..], &errors[last..], ROUNDING)
}

/// High orders have few points between their asymptotic range and rounding. Neighbouring orders stay apart: above
/// the second, orders are even.
pub fn tolerance(order: usize) -> f64 {
    0.05 + 0.1 * order as f64
}

/// Errors below this are rounding's, not the method's.
const ROUNDING: f64 = 1e-13;

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
            let slope = measured(&problem, order, start(method));
            let ok = slope.is_some_and(|s| (s - order as f64).abs() < tolerance(order));
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
            let slope = measured(&problem, method.order(), start(method)).unwrap();
            assert!(
                (slope - order).abs() < tolerance(method.order()),
                "{} {method:?}: {slope}",
                problem.name
            );
        }
    }
}

#[test]
fn a_wrong_weight_is_noticed() {
    for problem in [systems::pendulum(), systems::henon_heiles(), systems::kepler()] {
        let slope = measured(&problem, 2, |p, h| {
            Box::new(DiscreteEulerLagrange::new(broken::wrong_weight(p.system.clone()), &p.start(h)).unwrap())
        });
        assert!(slope.is_none_or(|s| (s - 2.0).abs() > tolerance(2)), "{}: {slope:?}", problem.name);
    }
}
