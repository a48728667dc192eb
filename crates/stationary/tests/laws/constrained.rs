//! Laws of constrained steps: the constraint set, order, symplectic form and momenta on it, RATTLE, bad starts.

use super::order::{measured_against, samples, tolerance};
use super::systems::{constraints, lagrangian};
use super::{broken, methods, systems::Problem};
use stationary::action::Galerkin;
use stationary::error::Cause;
use stationary::integrate::{Constrained, Fault, Integrator, Interactions, Method, settle, stays};
use stationary::laws;
use stationary::linalg::{dot, max_abs};
use stationary::model::{Bounds, Constraint, Jet, Legendre};

/// A system, where it starts, and what constrains it.
fn problem(
    name: &'static str,
    text: &str,
    [q, v]: [&[f64]; 2],
    on: &[&str],
    length: f64,
) -> (Problem, Interactions) {
    let system = lagrangian(text, q.len());
    let mut p = vec![0.0; q.len()];
    Legendre::new(q.len()).momentum(&*system, 0.0, q, v, &mut p);
    (Problem { name, system, q: q.to_vec(), p, length }, constraints(on, q.len()))
}

fn pendulum() -> (Problem, Interactions) {
    let (s, c) = 1.2_f64.sin_cos();
    let (q, v) = ([s, -c], [0.3 * c, 0.3 * s]);
    problem("pendulum", "0.5*(vx^2 + vy^2) - y", [&q, &v], &["x^2 + y^2 - 1"], 2.0)
}

fn spherical() -> (Problem, Interactions) {
    let (s, c) = 1.9_f64.sin_cos();
    let lagrangian = "0.5*(vx^2 + vy^2 + vz^2) - z";
    problem(
        "spherical pendulum",
        lagrangian,
        [&[s, 0.0, -c], &[0.0, 0.6, 0.0]],
        &["x^2 + y^2 + z^2 - 1"],
        2.0,
    )
}

/// Two masses, one hanging from the other.
fn double() -> (Problem, Interactions) {
    let (q, v) = ([0.6, -0.8, 1.6, -0.8], [0.4, 0.3, 0.4, 0.05]);
    let on = ["x^2 + y^2 - 1", "(z - x)^2 + (w - y)^2 - 1"];
    let lagrangian = "0.5*(vx^2 + vy^2) + 0.7*(vz^2 + vw^2) - 0.25*y - 0.35*w";
    problem("double pendulum", lagrangian, [&q, &v], &on, 4.0)
}

/// Crank, coupler and rocker: four coordinates, one degree of freedom.
fn linkage() -> (Problem, Interactions) {
    let (q, v) = ([0.0, 1.0, 2.0, 1.0], [-1.0, 0.0, -1.0, 0.0]);
    let on = ["x^2 + y^2 - 1", "(z - x)^2 + (w - y)^2 - 4", "(z - 2)^2 + (w + 0.5)^2 - 2.25"];
    problem("linkage", "0.5*(vx^2 + vy^2) + 0.7*(vz^2 + vw^2) - y - 1.4*w", [&q, &v], &on, 2.0)
}

/// A mass matrix that depends on the position, and a velocity-dependent potential.
fn heavy() -> (Problem, Interactions) {
    let (q, v) = ([0.6, 0.8], [0.4, -0.3]);
    let lagrangian = "0.5*(1 + 0.3*x^2)*vx^2 + 0.5*(1 + 0.2*y)*vy^2 + 0.4*x*vy - x*y";
    problem("heavy bead", lagrangian, [&q, &v], &["x^2 + y^2 - 1"], 1.0)
}

/// A pendulum whose pivot is shaken: the constraint depends on time.
fn shaken() -> (Problem, Interactions) {
    let on = ["(x - 0.3*sin(2*t))^2 + y^2 - 1"];
    // Hidden constraint at t = 0: 2 x (vx - 0.6) + 2 y vy = 0.
    problem("shaken pendulum", "0.5*(vx^2 + vy^2) - y", [&[0.6, -0.8], &[0.6 + 0.8, 0.6]], &on, 1.0)
}

fn problems() -> Vec<(Problem, Interactions)> {
    vec![pendulum(), spherical(), double(), linkage(), heavy(), shaken()]
}

fn start(
    (problem, interactions): &(Problem, Interactions),
    method: Method,
    h: f64,
) -> Option<Box<dyn Integrator>> {
    method.start_with(problem.system.clone(), interactions, &problem.start(h), 1e-15).ok()
}

/// The methods that take constraints; which do not is a fixed list.
fn constrainable() -> impl Iterator<Item = Method> {
    methods().into_iter().filter(|m| match *m {
        Method::RungeKutta4 | Method::Verlet { order: 4.. } => false,
        Method::Newmark { beta, gamma } => beta == 0.0 && gamma == 0.5,
        _ => true,
    })
}

#[test]
fn methods_that_cannot_be_constrained_say_so() {
    for case in problems() {
        for method in methods() {
            let separable = case.0.system.mass().is_some();
            let suited = constrainable().any(|m| m == method)
                && (separable || !matches!(method, Method::Newmark { .. }));
            assert_eq!(start(&case, method, 0.05).is_some(), suited, "{} {method}", case.0.name);
        }
    }
}

/// Largest violation of constraints and hidden constraints over some steps.
fn violation(case: &(Problem, Interactions), x: &mut dyn Integrator, steps: u64) -> f64 {
    let (problem, interactions) = case;
    let (n, constraint) = (problem.q.len(), interactions.constraint.as_ref().unwrap());
    let (mut bounds, mut v) = (Bounds::new(n, constraint.count()), vec![0.0; n]);
    let (mut worst, mut legendre) = (0.0, Legendre::new(n));
    for _ in 0..steps {
        x.advance(1).unwrap();
        let view = x.view();
        legendre.velocity(&*problem.system, view.t, view.q, view.p, &mut v).unwrap();
        constraint.first(view.t, view.q, &mut bounds);
        for a in 0..constraint.count() {
            for x in [bounds.value()[a].abs(), (dot(bounds.gradient(a), &v) + bounds.dt()[a]).abs()] {
                worst = if x > worst || x.is_nan() { x } else { worst };
            }
        }
    }
    worst
}

#[test]
fn constraints_and_hidden_constraints_hold_to_rounding() {
    for case in problems() {
        for method in constrainable() {
            let Some(mut x) = start(&case, method, 0.05) else { continue };
            let worst = violation(&case, x.as_mut(), 400);
            assert!(worst < 1e-12, "{} {method}: {worst:e}", case.0.name);
        }
    }
}

/// The same pendulum in an angle, without constraint: the two share no code beyond the Lagrangian's.
#[test]
fn the_constrained_pendulum_is_the_pendulum_in_an_angle() {
    let angle = super::systems::pendulum();
    let mut exact =
        Method::Gauss { stages: 8 }.start(angle.system.clone(), &angle.start(0.05), 1e-15).unwrap();
    let mut x = start(&pendulum(), Method::Gauss { stages: 6 }, 0.05).unwrap();
    let mut rattle = start(&pendulum(), Method::Verlet { order: 2 }, 0.05).unwrap();
    let mut worst: f64 = 0.0;
    for _ in 0..200 {
        exact.advance(1).unwrap();
        x.advance(1).unwrap();
        rattle.advance(1).unwrap();
        let (theta, omega) = (exact.view().q[0], exact.view().p[0]);
        let (s, c) = theta.sin_cos();
        let truth = [s, -c, omega * c, omega * s];
        let far = |x: &dyn Integrator| {
            let state = x.view().q.iter().chain(x.view().p).zip(truth);
            max_abs(&state.map(|(a, b)| a - b).collect::<Vec<_>>())
        };
        assert!(far(x.as_ref()) < 1e-11, "{:e}", far(x.as_ref()));
        worst = if far(rattle.as_ref()) > worst { far(rattle.as_ref()) } else { worst };
    }
    assert!((1e-4..1e-2).contains(&worst), "second order at h = 0.05: {worst:e}");
    // The force of the rod: centripetal, and the weight along it; the gradient has length 2.
    let tension = |theta: f64, omega: f64| -(omega * omega + theta.cos()) / 2.0;
    let view = exact.view();
    let multiplier = x.multipliers().unwrap()[0];
    let middle = tension(view.q[0] - 0.025 * view.p[0], view.p[0] + 0.025 * view.q[0].sin());
    assert!((multiplier - middle).abs() < 1e-3, "{multiplier} {middle}");
    let multiplier = rattle.multipliers().unwrap()[0];
    assert!((multiplier - middle).abs() < 1e-2, "{multiplier} {middle}");
}

#[test]
fn every_constrained_method_has_its_order() {
    let mut failures = Vec::new();
    for case in problems() {
        let reference = samples(&case.0, 100, |_, h| start(&case, Method::Gauss { stages: 6 }, h).unwrap());
        for method in constrainable().filter(|m| m.order() <= 8) {
            if start(&case, method, 0.1).is_none() {
                continue;
            }
            let order = method.order();
            let slope = measured_against(&reference, &case.0, order, |_, h| start(&case, method, h).unwrap());
            if slope.is_none_or(|s| (s - order as f64).abs() > 0.1 + tolerance(order)) {
                failures.push(format!("{} {method}: order {order}, measured {slope:?}", case.0.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn constrained_steps_are_symplectic_on_the_constraint_set() {
    for case in problems() {
        for method in constrainable() {
            let Some(mut x) = start(&case, method, 0.1) else { continue };
            let residual = laws::worst_symplectic_residual(x.as_mut(), 100);
            assert!(residual < 1e-12, "{} {method}: {residual:e}", case.0.name);
        }
    }
    let (problem, interactions) = spherical();
    let ld = broken::WrongImpulse(Galerkin::gauss(problem.system.clone(), 2));
    let mut twin = Constrained::new(ld, interactions.constraint.unwrap(), &problem.start(0.1)).unwrap();
    let residual = laws::worst_symplectic_residual(&mut twin, 50);
    assert!(residual > 1e-9, "the broken twin passes with {residual:e}");
}

#[test]
fn momenta_of_constrained_symmetries_are_kept() {
    let case = spherical();
    let angular = |x: &dyn Integrator| x.view().q[0] * x.view().p[1] - x.view().q[1] * x.view().p[0];
    for method in constrainable() {
        let mut x = start(&case, method, 0.05).unwrap();
        let initial = angular(x.as_ref());
        x.advance(20_000).unwrap();
        let drift = (angular(x.as_ref()) / initial - 1.0).abs();
        assert!(drift < 1e-12, "{method}: {drift:e}");
    }
}

#[test]
fn energy_of_constrained_steps_stays_bounded() {
    let case = double();
    for method in [Method::Verlet { order: 2 }, Method::Midpoint { alpha: 0.5 }, Method::Gauss { stages: 2 }]
    {
        let mut x = start(&case, method, 0.02).unwrap();
        let mut jet = Jet::new(4);
        let mut v = vec![0.0; 4];
        let (mut times, mut energies) = (Vec::new(), Vec::new());
        for _ in 0..400 {
            let mut sum = 0.0;
            for _ in 0..100 {
                x.advance(1).unwrap();
                let view = x.view();
                case.0.system.mass().unwrap().velocity(view.p, &mut v);
                case.0.system.first(view.t, view.q, &v, &mut jet);
                sum += dot(view.p, &v) - jet.value();
            }
            times.push(x.view().t);
            energies.push(sum / 100.0);
        }
        let change = laws::line_fit(&times, &energies).0 * times.last().unwrap();
        assert!(change.abs() < 2e-4, "{method}: {change:e}");
    }
}

/// RATTLE written down: a half kick, a drift with the multiplier that reaches the circle, a half kick, a projection.
#[test]
fn the_trapezoidal_rule_is_rattle() {
    let case = pendulum();
    let h = 0.05;
    let mut ours = start(&case, Method::Trapezoidal { alpha: 0.5 }, h).unwrap();
    let ([mut x, mut y], [mut u, mut w]) = ([case.0.q[0], case.0.q[1]], [ours.view().p[0], ours.view().p[1]]);
    for _ in 0..100 {
        let (a, b) = (u, w - 0.5 * h);
        // |q + h (v + lambda q)| = 1, the smaller root.
        let (vx, vy) = (x + h * a, y + h * b);
        let (qq, qv, vv) = (h * h * (x * x + y * y), h * (x * vx + y * vy), vx * vx + vy * vy - 1.0);
        let lambda = -vv / (qv + (qv * qv - qq * vv).sqrt());
        let (a, b) = (a + lambda * x, b + lambda * y);
        (x, y) = (x + h * a, y + h * b);
        let b = b - 0.5 * h;
        let normal = (a * x + b * y) / (x * x + y * y);
        (u, w) = (a - normal * x, b - normal * y);
        ours.advance(1).unwrap();
        let view = ours.view();
        let error = max_abs(&[view.q[0] - x, view.q[1] - y, view.p[0] - u, view.p[1] - w]);
        assert!(error < 1e-13, "{error:e}");
    }
}

#[test]
fn a_start_from_two_positions_on_the_constraint_set_reaches_the_second() {
    for case in problems() {
        let (problem, interactions) = &case;
        for method in constrainable() {
            let Some(mut x) = start(&case, method, 0.05) else { continue };
            x.advance(1).unwrap();
            let (t, q) = (0.05, x.view().q.to_vec());
            let p = method
                .momentum_between_with(problem.system.clone(), interactions, (0.0, t), [&problem.q, &q])
                .unwrap();
            let error = max_abs(&p.iter().zip(&problem.p).map(|(a, b)| a - b).collect::<Vec<_>>());
            assert!(error < 1e-11, "{} {method}: {error:e}", problem.name);
        }
    }
}

#[test]
fn grouping_and_observing_constrained_steps_change_no_bit() {
    for case in problems() {
        for method in constrainable() {
            let (Some(mut one), Some(mut other)) = (start(&case, method, 0.05), start(&case, method, 0.05))
            else {
                continue;
            };
            one.advance(60).unwrap();
            let mut tangent = vec![0.0; 4 * other.freedom() * other.freedom()];
            for steps in [1, 7, 22, 30] {
                other.advance(steps).unwrap();
                other.discrete_energy();
                assert!(other.tangent(&mut tangent));
            }
            assert_eq!((one.view().q, one.view().p), (other.view().q, other.view().p), "{method}");
        }
    }
}

/// The same system in units a million times larger or smaller takes the same steps.
#[test]
fn constrained_steps_do_not_depend_on_units() {
    for method in [Method::Gauss { stages: 2 }, Method::Verlet { order: 2 }] {
        units_do_not_matter(method);
    }
}

fn units_do_not_matter(method: Method) {
    let mut reference = start(&pendulum(), method, 0.05).unwrap();
    reference.advance(100).unwrap();
    let reference = reference.view().q.to_vec();
    for (mass, length, weight) in [(1e-26, 1e-10, 1.0), (1e24, 1e9, 1.0), (1.0, 1.0, 1e12), (1.0, 1.0, 1e-12)]
    {
        let text = format!("{mass:e}*(0.5*(vx^2 + vy^2) - {length:e}*y)");
        let on = format!("{weight:e}*(x^2 + y^2 - {length:e}^2)");
        let (s, c) = 1.2_f64.sin_cos();
        let (q, v) = ([length * s, -length * c], [0.3 * length * c, 0.3 * length * s]);
        let case = problem("scaled", &text, [&q, &v], &[&on], 1.0);
        let mut x = start(&case, method, 0.05).unwrap();
        x.advance(100).unwrap();
        for (a, b) in x.view().q.iter().zip(&reference) {
            assert!((a / length - b).abs() < 1e-11, "{mass:e} {length:e} {weight:e}: {} {b}", a / length);
        }
    }
}

#[test]
fn bad_starts_name_the_constraint() {
    let check = |texts: &[&str], q: &[f64], v: &[f64]| {
        let constraint = constraints(texts, q.len()).constraint.unwrap();
        let mut q = q.to_vec();
        settle(&constraint, 0.0, &mut q)?;
        stays(&constraint, 0.0, &q, v)
    };
    let (q, v) = ([0.6, 0.8], [0.8, -0.6]);
    assert_eq!(check(&["x^2 + y^2 - 1"], &q, &v), Ok(()));
    assert!(matches!(check(&["x^2 + y^2 - 2"], &q, &v), Err(Fault::Violated(0, value)) if value == -1.0));
    assert!(
        matches!(check(&["x^2 + y^2 - 1", "2*x^2 + 2*y^2 - 2"], &q, &v), Err(Fault::Dependent(1, a)) if a == [0])
    );
    assert!(matches!(
        check(&["x - 0.6", "y - 0.8", "x + y - 1.4"], &q, &[0.0; 2]),
        Err(Fault::Dependent(2, _))
    ));
    assert!(matches!(check(&["(x^2 + y^2 - 1)^2"], &q, &v), Err(Fault::Flat(0))));
    assert!(matches!(check(&["log(x - 1)"], &q, &v), Err(Fault::NotFinite(0))));
    assert!(matches!(check(&["x^2 + y^2 - 1"], &q, &[0.8, 0.6]), Err(Fault::Leaves(0, _))));
}

/// All derivatives of constraints against differences.
#[test]
fn derivatives_of_constraints_match_differences() {
    let texts = ["x^2*y + sin(t*z) - w", "x*exp(-0.3*w) + t^2*y^2"];
    let constraint = constraints(&texts, 4).constraint.unwrap();
    let (t, q, e) = (0.7, [0.4, 1.1, -0.6, 0.9], 1e-5);
    let at = |t: f64, q: &[f64]| {
        let mut bounds = Bounds::new(4, 2);
        constraint.second(t, q, &mut bounds);
        let mut first = Bounds::new(4, 2);
        constraint.first(t, q, &mut first);
        assert_eq!((bounds.value(), bounds.dt(), bounds.dq()), (first.value(), first.dt(), first.dq()));
        bounds
    };
    let close = |a: f64, b: f64, c: f64| assert!(((a - b) / (2.0 * e) - c).abs() < 1e-8, "{a} {b} {c}");
    let (centre, late, early) = (at(t, &q), at(t + e, &q), at(t - e, &q));
    for a in 0..2 {
        close(late.value()[a], early.value()[a], centre.dt()[a]);
        for i in 0..4 {
            let shifted = |by: f64| {
                let mut q = q;
                q[i] += by;
                at(t, &q)
            };
            let (plus, minus) = (shifted(e), shifted(-e));
            close(plus.value()[a], minus.value()[a], centre.gradient(a)[i]);
            close(plus.dt()[a], minus.dt()[a], centre.dtq()[a * 4 + i]);
            for j in 0..4 {
                close(plus.gradient(a)[j], minus.gradient(a)[j], centre.dqq()[(a * 4 + i) * 4 + j]);
            }
        }
    }
}

/// A rod is pulled beyond its length: where no position obeys the constraints the run stops, with a reason, at the last that
/// did.
#[test]
fn constraints_that_nothing_obeys_stop_the_run() {
    let (q, v) = ([0.6, 0.8], [0.5, -0.375]);
    let on = ["x^2 + y^2 - 1", "x - 0.6 - 0.5*t"];
    let case = problem("stretched", "0.5*(vx^2 + vy^2)", [&q, &v], &on, 1.0);
    for method in constrainable() {
        // From t = 0.8 on x exceeds 1; eleven steps of 0.07 end before.
        let mut x = start(&case, method, 0.07).unwrap();
        let error = x.advance(100_000).unwrap_err();
        assert_eq!((error.step, x.view().step), (11, 11), "{method}");
        // The circle, or the pull: whichever Newton's method leaves further behind.
        assert!(
            matches!(error.cause, Cause::Constraint { value, .. } if value.abs() > 1e-8),
            "{method}: {error}"
        );
        let (constraint, mut bounds) = (case.1.constraint.as_ref().unwrap(), Bounds::new(2, 2));
        constraint.first(x.view().t, x.view().q, &mut bounds);
        assert!(max_abs(bounds.value()) < 1e-12, "{method}: the last good state obeys the constraints");
        let again = x.advance(1).unwrap_err();
        assert_eq!((again.step, again.time), (error.step, error.time), "{method}: it stays there");
    }
}

/// The path of RATTLE alone and the one of every discrete Lagrangian.
#[test]
fn rattle_and_the_general_path_agree() {
    for (problem, interactions) in [pendulum(), spherical(), double(), linkage(), shaken()] {
        for alpha in [0.5, 0.2, 0.0] {
            let method = Method::Trapezoidal { alpha };
            let constraint = interactions.constraint.clone().unwrap();
            let ld = Galerkin::trapezoidal(problem.system.clone(), alpha);
            let mut general = Constrained::new(ld, constraint, &problem.start(0.02)).unwrap();
            let mut fast = method
                .start_with(problem.system.clone(), &interactions, &problem.start(0.02), 1e-15)
                .unwrap();
            let size = 4 * fast.freedom() * fast.freedom();
            assert_eq!(fast.freedom(), general.freedom());
            for _ in 0..100 {
                fast.advance(1).unwrap();
                general.advance(1).unwrap();
                let mut tangents = [vec![0.0; size], vec![0.0; size]];
                assert!(fast.tangent(&mut tangents[0]) && general.tangent(&mut tangents[1]));
                let pairs = [
                    (fast.view().q.to_vec(), general.view().q.to_vec(), 1e-12),
                    (fast.view().p.to_vec(), general.view().p.to_vec(), 1e-12),
                    (fast.multipliers().unwrap().to_vec(), general.multipliers().unwrap().to_vec(), 1e-10),
                    (vec![fast.discrete_energy().unwrap()], vec![general.discrete_energy().unwrap()], 1e-11),
                    (tangents[0].clone(), tangents[1].clone(), 1e-10),
                ];
                for (k, (a, b, most)) in pairs.iter().enumerate() {
                    let error = max_abs(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
                    assert!(error < *most, "{} alpha {alpha}, {k}: {error:e}", problem.name);
                }
            }
            assert!(fast.iterations() < 100 * 5, "{}", fast.iterations());
        }
    }
}

/// A redundant constraint is named with those it depends on, not with all that its gradient is not orthogonal to.
#[test]
fn partners_of_a_redundant_constraint_are_those_it_is_made_of() {
    for (texts, partners) in [(["x", "x + y", "y"], vec![0, 1]), (["x + y", "x", "2*x"], vec![1])] {
        let constraint = constraints(&texts, 3).constraint.unwrap();
        let fault = settle(&constraint, 0.0, &mut [0.0, 0.0, 1.0]).unwrap_err();
        assert_eq!(fault, Fault::Dependent(2, partners), "{texts:?}");
    }
}
