//! The energy behind a run: discrete actions, truncations of the modified energy, and the whole of it from the steps.

use stationary::formula::{Expr, Graph, Scope, Var};
use stationary::integrate::phase::PhaseStart;
use stationary::integrate::{Extras, Integrator, Method, Start};
use stationary::model::{FormulaConstraint, FormulaLagrangian, FormulaPhase, Lagrangian};
use stationary::run::{EnergyReport, explain_energy};
use stationary::scenario::Scenario;
use std::sync::Arc;

const PENDULUM: &str = "coordinates = [\"u\"]\nlagrangian = \"vu^2/2 + cos(u)\"\n\
                        initial = { position = [1.6], velocity = [0.3] }\n";
const STARS: &str = "coordinates = [\"x\", \"y\"]\nlagrangian = \"(vx^2 + 2*vy^2 + vx*vy)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\"\n\
                     initial = { position = [0.3, 0.1], velocity = [-0.2, 0.25] }\n";
const STARS_H: &str = "coordinates = [\"x\", \"y\"]\nhamiltonian = \"(px^2 + py^2)/2*(1 + 0.3*x^2) + (x^2 + y^2)/2 + x^2*y - y^3/3\"\n\
                       initial = { position = [0.3, 0.1], momentum = [-0.2, 0.25] }\n";
/// A gauge that is not linear.
const VORTICES: &str = "coordinates = [\"x1\", \"y1\", \"x2\", \"y2\", \"x3\", \"y3\"]\n\
    hamiltonian = \"-(2*log((x1-x2)^2 + (y1-y2)^2) + 3*log((x1-x3)^2 + (y1-y3)^2) + 6*log((x2-x3)^2 + (y2-y3)^2))/(4*pi)\"\n\
    one_form = [\"y1/2 + x1^3\", \"-x1/2\", \"y2\", \"-x2\", \"3/2*y3\", \"-3/2*x3\"]\n\
    initial = { position = [1.0, 0.0, -0.3, 0.8, -0.4, -0.9] }\n";
const FIBRED: &str = "coordinates = [\"x\", \"y\"]\nhamiltonian = \"(y^2 + x^2)/2 + 0.1*x^4 + 0.05*x*y^3\"\n\
                      one_form = [\"y + 0.3*y^3 + 0.2*x^2*y\", 0]\ninitial = { position = [0.9, 0.4] }\n";
/// The mass depends on the position.
const BENT: &str = "coordinates = [\"u\"]\nlagrangian = \"vu^2/2*(2 + cos(u)) + cos(u)\"\n\
                    initial = { position = [1.6], velocity = [0.3] }\n";
const ROUND: &str = "coordinates = [\"x\", \"y\"]\nlagrangian = \"(vx^2 + vy^2)/2 - y\"\nconstraint = \"x^2 + y^2 - 1\"\n\
                     initial = { position = [\"sin(1.6)\", \"-cos(1.6)\"], velocity = [0, 0] }\n";

fn report(system: &str, integrator: &str, step: f64) -> EnergyReport {
    let text = format!("step = {step}\nend = 60\nintegrator = {integrator}\n{system}");
    let scenario = Scenario::read("energy", &text, &[]).unwrap_or_else(|e| panic!("{e}"));
    explain_energy(&scenario).unwrap_or_else(|e| panic!("{integrator}: {e}"))
}

fn find<'a>(report: &'a EnergyReport, what: &str) -> &'a stationary::run::EnergyRow {
    report.rows.iter().find(|r| r.what == what).unwrap_or_else(|| panic!("{what}: {report:?}"))
}

/// Each term that is added makes the energy constant to two orders more.
#[test]
fn every_truncation_varies_with_its_order() {
    let cases: [(&str, &str, &[f64]); 13] = [
        (PENDULUM, "\"verlet\"", &[2.0, 4.0, 6.0]),
        (PENDULUM, "{ method = \"trapezoidal\", alpha = 0.0 }", &[1.0, 2.0, 4.0, 6.0]),
        (PENDULUM, "{ method = \"trapezoidal\", alpha = 0.8 }", &[1.0, 2.0, 4.0, 6.0]),
        (PENDULUM, "{ method = \"midpoint\", alpha = 1.0 }", &[1.0, 2.0, 4.0, 6.0]),
        (PENDULUM, "\"midpoint\"", &[2.0, 4.0, 6.0]),
        (STARS, "\"verlet\"", &[2.0, 4.0, 6.0]),
        (STARS, "{ method = \"lobatto\", points = 2 }", &[2.0, 4.0, 6.0]),
        (STARS, "{ method = \"newmark\", beta = 0.0 }", &[2.0, 4.0, 6.0]),
        (STARS, "\"midpoint\"", &[2.0, 4.0, 6.0]),
        (STARS_H, "{ method = \"gauss\", stages = 1 }", &[2.0, 4.0, 6.0]),
        (VORTICES, "\"midpoint\"", &[2.0, 4.0, 6.0]),
        (BENT, "\"midpoint\"", &[2.0, 4.0]),
        (FIBRED, "\"midpoint\"", &[2.0]),
    ];
    for (system, integrator, orders) in cases {
        let report = report(system, integrator, 0.1);
        let slope = |[coarse, fine]: [f64; 2]| (coarse / fine).log2();
        let found: Vec<f64> = report.rows.iter().take(orders.len()).map(|r| slope(r.varies)).collect();
        for (a, b) in found.iter().zip(orders) {
            assert!((a - b).abs() < 0.25, "{integrator} {system}: {found:?}");
        }
        // Whatever was not known of the terms is in the energy that the steps follow.
        let all = find(&report, "H~ through the steps").varies[1];
        assert!(all < 1e-10, "{integrator} {system}: {all:e}");
    }
}

/// For methods of whose modified energy no formula is known: it is constant, and as near to the energy as their order says.
#[test]
fn every_variational_method_follows_an_energy_of_its_order() {
    let cases = [
        (STARS, "{ method = \"gauss\", stages = 2 }", 4.0),
        (STARS, "{ method = \"gauss\", stages = 3 }", 6.0),
        (STARS, "{ method = \"lobatto\", points = 3 }", 4.0),
        (STARS, "{ method = \"verlet\", order = 4 }", 4.0),
        (STARS, "{ method = \"newmark\", beta = 0.25 }", 2.0),
        (STARS, "{ method = \"midpoint\", alpha = 0.3 }", 1.0),
        (STARS_H, "{ method = \"gauss\", stages = 2 }", 4.0),
        (VORTICES, "{ method = \"gauss\", stages = 2 }", 4.0),
        (FIBRED, "{ method = \"gauss\", stages = 2 }", 4.0),
        (BENT, "{ method = \"lobatto\", points = 3 }", 4.0),
        (ROUND, "\"verlet\"", 2.0),
        (ROUND, "{ method = \"gauss\", stages = 2 }", 4.0),
    ];
    for (system, integrator, order) in cases {
        // Where the motion bends sharply, polynomials resolve it at shorter steps only.
        let report = report(system, integrator, if system == FIBRED { 0.05 } else { 0.1 });
        assert!(report.terms.is_empty());
        let [all, away] = ["H~ through the steps", "|H~ - H| at most"].map(|what| find(&report, what));
        let found = away.order().unwrap();
        assert!((found - order).abs() < 0.3, "{integrator} {system}: {found}");
        let gain = report.rows[0].varies[1] / all.varies[1];
        assert!(all.varies[1] < 1e-10 && gain > 10.0, "{integrator} {system}: {:?} {gain:e}", all.varies);
    }
}

/// From two positions the run at half the step starts at the same state, not at the same positions half a step apart.
#[test]
fn two_positions_start_both_runs_alike() {
    let start = |motion: &str| {
        let text = format!(
            "coordinates = [\"u\"]\nlagrangian = \"vu^2/2 + cos(u)\"\ninitial = {{ position = [1.0], {motion} }}\n"
        );
        report(&text, "\"verlet\"", 0.1)
    };
    let (a, b) = (start("next_position = [1.05]"), start("velocity = [0.5]"));
    let orders = a.rows.iter().take(3).map(|r| r.order().unwrap());
    orders.zip([2.0, 4.0, 6.0]).for_each(|(x, y)| assert!((x - y).abs() < 0.25, "{x} {y}"));
    assert!((a.scale - b.scale).abs() > 1e-4, "the two starts are not the same");
}

/// The differential of the action over some steps is `p1.dq1 - p0.dq0`, whatever way the start is varied.
#[test]
fn actions_are_generating_functions() {
    let mut scope = Scope::new();
    for (i, name) in ["x", "y"].iter().enumerate() {
        let i = i as u32;
        scope.variable(*name, Var::Q(i)).variable(format!("v{name}"), Var::V(i));
        scope.variable(format!("p{name}"), Var::P(i));
    }
    let l = "(vx^2 + 2*vy^2 + vx*vy)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3";
    let lagrangian = Arc::new(FormulaLagrangian::new(l, &scope, 2).unwrap());
    let h = Arc::new(FormulaPhase::canonical("(px^2 + py^2)/2*(1 + x^2) + x^2*y", &scope, 2).unwrap());
    let (q, p) = (vec![0.3, 0.1], vec![-0.2, 0.25]);
    let start = |by: [f64; 4]| Start {
        t: 0.0,
        q: vec![q[0] + by[0], q[1] + by[1]],
        p: vec![p[0] + by[2], p[1] + by[3]],
        h: 0.2,
    };
    let methods = [
        Method::Verlet { order: 2 },
        Method::Verlet { order: 4 },
        Method::Trapezoidal { alpha: 0.2 },
        Method::Midpoint { alpha: 0.3 },
        Method::Newmark { beta: 0.25, gamma: 0.5 },
        Method::Gauss { stages: 3 },
        Method::Lobatto { points: 3 },
    ];
    for method in methods {
        generates(&method.to_string(), |by| method.start(lagrangian.clone(), &start(by), 1e-15).unwrap());
    }
    for method in [Method::Midpoint { alpha: 0.5 }, Method::Gauss { stages: 3 }] {
        generates(&format!("{method} on phase space"), |by| {
            let Start { t, q, p, h: step } = start(by);
            let start = PhaseStart { t, z: [q, p].concat(), h: step };
            method.start_phase(h.clone(), &start, 1e-15).unwrap()
        });
    }
    let mut rk4 = Method::RungeKutta4.start(lagrangian.clone(), &start([0.0; 4]), 1e-15).unwrap();
    let mut newmark =
        Method::Newmark { beta: 0.3, gamma: 0.6 }.start(lagrangian.clone(), &start([0.0; 4]), 1e-15).unwrap();
    for x in [&mut rk4, &mut newmark] {
        x.advance(1).unwrap();
        assert_eq!(x.action(), None, "no action is made stationary");
    }
}

fn generates(name: &str, start: impl Fn([f64; 4]) -> Box<dyn Integrator>) {
    let arrive = |by: [f64; 4]| {
        let mut x = start(by);
        assert_eq!(x.action(), None, "{name}: no step has been made");
        let before = (x.view().canonical.to_vec(), x.view().p.to_vec());
        let mut action = 0.0;
        for _ in 0..3 {
            x.advance(1).unwrap();
            action += x.action().unwrap();
        }
        (before, (x.view().canonical.to_vec(), x.view().p.to_vec()), action)
    };
    let (before, after, _) = arrive([0.0; 4]);
    for direction in 0..4 {
        let mut by = [0.0; 4];
        by[direction] = 1e-5;
        let (b0, a0, plus) = arrive(by);
        let (b1, a1, minus) = arrive(by.map(|x| -x));
        let work = |p: &[f64], a: &[f64], b: &[f64]| (0..2).map(|i| p[i] * (a[i] - b[i])).sum::<f64>();
        let expected = work(&after.1, &a0.0, &a1.0) - work(&before.1, &b0.0, &b1.0);
        let error = (plus - minus - expected).abs() / 2e-5;
        assert!(error < 1e-8, "{name} {direction}: {error:e}");
    }
}

/// Under constraints the action is that of the motions they allow.
#[test]
fn constrained_runs_have_actions() {
    let mut scope = Scope::new();
    for (i, name) in ["x", "y"].iter().enumerate() {
        scope.variable(*name, Var::Q(i as u32)).variable(format!("v{name}"), Var::V(i as u32));
    }
    let lagrangian = Arc::new(FormulaLagrangian::new("(vx^2 + vy^2)/2 - y", &scope, 2).unwrap());
    assert!(lagrangian.mass().is_some());
    let mut graph = Graph::new();
    let g = graph.lower(&Expr::parse("x^2 + y^2 - 1").unwrap(), &scope).unwrap();
    let constraint = Arc::new(FormulaConstraint::new(&mut graph, &[g], 2));
    let extras = Extras { constraint: Some(constraint), ..Extras::default() };
    let at = |a: f64| Start { t: 0.0, q: vec![a.sin(), -a.cos()], p: vec![0.0, 0.0], h: 0.1 };
    let arrive = |a: f64| {
        let mut x =
            Method::Verlet { order: 2 }.start_with(lagrangian.clone(), &extras, &at(a), 1e-15).unwrap();
        x.advance(1).unwrap();
        (x.view().q.to_vec(), x.view().p.to_vec(), x.action().unwrap())
    };
    let ((_, p, _), (a, _, plus), (b, _, minus)) = (arrive(1.0), arrive(1.0 + 1e-5), arrive(1.0 - 1e-5));
    let expected: f64 = (0..2).map(|i| p[i] * (a[i] - b[i])).sum();
    let error = (plus - minus - expected).abs() / 2e-5;
    assert!(error < 1e-8, "{error:e}");
}

#[test]
fn systems_and_methods_without_such_an_energy_say_so() {
    let cases = [
        (PENDULUM.to_string(), "\"rk4\"", "rk4 is not variational"),
        (PENDULUM.to_string(), "{ method = \"newmark\", gamma = 0.6 }", "is not variational"),
        (format!("{PENDULUM}force = \"-0.1*vu\"\n"), "\"verlet\"", "forces do work"),
        (PENDULUM.replace("cos(u)", "cos(u)*cos(t)"), "\"verlet\"", "depends on time"),
        (ROUND.replace("- 1", "- 1 - 0.1*sin(t)^2"), "\"verlet\"", "depends on time"),
        (VORTICES.replace("x1^3", "x2^2*y1^2"), "\"midpoint\"", "half of the entries"),
        (
            "[body]\nmass = 1.0\ninertia = [1.0, 2.0, 2.5]\nangular_velocity = [0.1, 1.0, 0.1]\n".into(),
            "\"euler-poincare\"",
            "this is a rigid body",
        ),
    ];
    for (system, integrator, expected) in cases {
        let text = format!("step = 0.1\nend = 60\nintegrator = {integrator}\n{system}");
        let found = Scenario::read("energy", &text, &[]).and_then(|s| explain_energy(&s));
        let message = found.expect_err(&text).to_string();
        assert!(message.contains(expected), "{expected}:\n{message}");
    }
    let short = PENDULUM.to_string() + "step = 0.1\nend = 1\nintegrator = \"verlet\"\n";
    let report = explain_energy(&Scenario::read("short", &short, &[]).unwrap()).unwrap();
    assert!(report.notes.iter().any(|n| n.contains("this run has fewer")), "{:?}", report.notes);
    assert_eq!(report.rows.len(), 3);
}
