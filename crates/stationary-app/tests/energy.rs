//! The energy behind a run: discrete actions, truncations of the modified energy, and the whole of it from the steps; runs whose energy
//! explodes.

use stationary::error::{Cause, Error};
use stationary::formula::{Expr, Graph, Scope, Var};
use stationary::integrate::phase::PhaseStart;
use stationary::integrate::{Integrator, Interactions, Method, Start};
use stationary::model::{FormulaConstraint, FormulaLagrangian, FormulaPhase, Lagrangian};
use stationary_app::run::{self, EnergyReport, RunOutcome, explain_energy};
use stationary_app::scenario::Scenario;
use std::ops::ControlFlow;
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

fn find<'a>(report: &'a EnergyReport, what: &str) -> &'a stationary_app::run::EnergyRow {
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
    let interactions = Interactions { constraint: Some(constraint), ..Interactions::default() };
    let at = |a: f64| Start { t: 0.0, q: vec![a.sin(), -a.cos()], p: vec![0.0, 0.0], h: 0.1 };
    let arrive = |a: f64| {
        let mut x =
            Method::Verlet { order: 2 }.start_with(lagrangian.clone(), &interactions, &at(a), 1e-15).unwrap();
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

/// A slab of rubber, free in space and set spinning.
const SLAB: &str = "mesh = \"meshes/slab.msh\"\nend = 0.05\n[material.rubber]\nlaw = \"neo-hookean\"\nlambda = 2e6\nmu = 2e6\ndensity = 1000\n\
                    [initial]\nvelocity = [\"-Y\", \"X\"]\n[output]\nrows = 20\nframes = 0\n";

fn read(text: &str) -> Scenario {
    Scenario::read("energy", text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn outcome(text: &str) -> Result<RunOutcome, Error> {
    run::gather(&read(text), None, false, &mut |_| ControlFlow::Continue(()))
}

/// One coordinate.
fn single(lagrangian: &str, start: [f64; 2], rest: &str) -> String {
    let [x, v] = start;
    format!(
        "coordinates = [\"x\"]\nlagrangian = \"{lagrangian}\"\ninitial = {{ position = [{x}], velocity = [{v}] }}\n{rest}\n"
    )
}

/// Cause: nothing looked at the size of the energy. Expected: a stop that names the time, and rows of numbers up to then.
#[test]
fn runs_whose_energy_explodes_stop_whatever_the_kind_and_the_method() {
    let spring = "0.5*vx^2 - 0.5*x^2";
    // Its stiffness is that of the spring where it starts, and no constant.
    let bent = "0.5*vx^2 - 0.5*x^2 - 0.001*sin(x)";
    let body = "step = 0.1\nend = 30\nintegrator = \"euler-poincare\"\n[body]\npotential = \"5e3*(x^2 + y^2 + z^2)\"\nmass = 1.0\n\
                inertia = [1.0, 2.0, 2.5]\nposition = [0.1, 0, 0]\nvelocity = [0, 1, 0]\nangular_velocity = [0.1, 1, 0.1]\n";
    let linear = SLAB.replace("neo-hookean", "linear").replace("end = 0.05", "end = 0.5");
    for (name, text) in [
        ("verlet", single(bent, [1.0, 0.0], "step = 2.2\nend = 600\nintegrator = \"verlet\"")),
        ("rk4", single(bent, [1.0, 0.0], "step = 2.9\nend = 600\nintegrator = \"rk4\"")),
        (
            "damped",
            single(
                spring,
                [1.0, 0.0],
                "force = [\"-0.01*vx\"]\nstep = 2.2\nend = 600\nintegrator = \"trapezoidal\"",
            ),
        ),
        (
            "lobatto",
            single(
                bent,
                [1.0, 0.0],
                "step = 2.9\nend = 600\nintegrator = { method = \"lobatto\", stages = 3 }",
            ),
        ),
        (
            "at rest",
            single(
                "0.5*vx^2 - 0.5*(x - 0.3)^2 - 0.001*sin(x - 0.3)^3",
                [0.3 + 1e-15, 0.0],
                "step = 2.2\nend = 600\nintegrator = \"verlet\"",
            ),
        ),
        ("rigid body", body.to_string()),
        (
            "free steps",
            format!(
                "integrator = {{ method = \"avi\", steps = \"free\", fraction = 1.6, limit = \"element\", factor = \"1\" }}\n{linear}"
            ),
        ),
        (
            "harmonic steps",
            format!("integrator = {{ method = \"avi\", events = \"end\", step = 0.02 }}\n{linear}"),
        ),
        (
            "newmark that feeds",
            format!("integrator = {{ method = \"newmark\", gamma = 0.1 }}\nstep = 2e-3\n{linear}"),
        ),
    ] {
        let outcome = outcome(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let stopped = outcome.stopped.unwrap_or_else(|| panic!("{name}: {:#}", outcome.summary["energy"]));
        let Cause::Energy { time, growth, .. } = &stopped.cause else { panic!("{name}: {stopped}") };
        assert!(*growth >= 1e3 && *time > stopped.time, "{name}: {stopped}");
        assert!(stopped.to_string().contains("the energy explodes: at time "), "{stopped}");
        let solid = text.contains("mesh");
        assert_eq!(stopped.to_string().contains("element "), solid, "{stopped}");
        assert_eq!(outcome.summary["finished"], false, "{name}");
        let series = outcome.in_memory.series.unwrap();
        let energy = series.columns.iter().position(|c| c == "energy").unwrap();
        let rows: Vec<&[f64]> = series.numbers.chunks_exact(series.columns.len()).collect();
        assert!(!rows.is_empty() && rows.iter().all(|r| r[0].is_finite() && r[energy].is_finite()), "{name}");
        assert_eq!(rows[rows.len() - 1][0], stopped.time, "{name}: the last good row");
    }
}

/// Energies that grow by right, errors that are large and bounded, and starts without any energy.
#[test]
fn runs_whose_energy_grows_by_right_or_jumps_are_not_stopped() {
    let verlet = |step: f64, end: f64| format!("step = {step}\nend = {end}\nintegrator = \"verlet\"");
    let kepler = |v: f64, step: f64| {
        format!(
            "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*(vx^2 + vy^2) + 1/sqrt(x^2 + y^2)\"\n\
             initial = {{ position = [1, 0], velocity = [0, {v}] }}\n{}\n",
            verlet(step, 60.0)
        )
    };
    let mut all = vec![
        (
            "time",
            single(
                "0.5*vx^2*exp(-t) - 0.5*x^2*exp(t)",
                [1.0, 0.0],
                "step = 0.01\nend = 20\nintegrator = \"gauss\"",
            ),
        ),
        ("growing stiffness", single("0.5*vx^2 - 0.5*(1 + t^4)*x^2", [1.0, 0.0], &verlet(1e-3, 15.0))),
        (
            "negative damping",
            single(
                "0.5*vx^2 - 0.5*x^2",
                [1.0, 0.0],
                "force = [\"vx\"]\nstep = 0.05\nend = 60\nintegrator = \"midpoint\"",
            ),
        ),
        (
            "driven",
            single(
                "0.5*vx^2 - 0.5*x^2",
                [0.0, 0.0],
                "force = [\"1e6*cos(t)\"]\nstep = 0.05\nend = 60\nintegrator = \"midpoint\"",
            ),
        ),
        ("a hill", single("0.5*vx^2 + 0.5*x^2", [1e-9, 0.0], &verlet(0.1, 60.0))),
        ("a fall", single("0.5*vx^2 - x", [0.0, 0.0], &verlet(0.1, 1e5))),
        ("rest", single("0.5*vx^2 - 0.5*(x - 0.3)^2", [0.3, 0.0], &verlet(1.3, 1e5))),
        ("nothing", single("0.5*vx^2", [0.0, 0.0], &verlet(1.0, 100.0))),
        (
            "a moving wall",
            single(
                "0.5*vx^2",
                [0.5, -1.0],
                "gap = [\"x\", \"1 - 0.019*t - x\"]\nstep = 0.01\nend = 50\nintegrator = \"verlet\"",
            ),
        ),
        ("one-form", format!("step = 0.05\nend = 60\nintegrator = \"gauss\"\n{VORTICES}")),
    ];
    // From a circle to a fall through the centre, with steps far too long for that.
    for k in 0..40 {
        all.push(("kepler", kepler(0.9 * (1.0 - f64::from(k) / 39.0), 0.01 + 0.003 * f64::from(k % 7))));
    }
    for (name, text) in all {
        let outcome = outcome(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        if let Some(stopped) = outcome.stopped {
            assert!(!matches!(stopped.cause, Cause::Energy { .. }), "{name}: {stopped}\n{text}");
            assert_eq!(name, "kepler", "{stopped}");
        }
    }
}

/// The system with stiffness `K` and masses `M` whose largest frequency is known: a chain of `n` equal masses and springs, fixed at both ends.
fn chain(n: usize) -> (String, f64) {
    let names: Vec<String> = (0..n).map(|i| format!("\"x{i}\"")).collect();
    let mut terms = vec!["0.5*x0^2".to_string(), format!("0.5*x{}^2", n - 1)];
    terms.extend((1..n).map(|i| format!("0.5*(x{i} - x{})^2", i - 1)));
    let kinetic: Vec<String> = (0..n).map(|i| format!("0.5*vx{i}^2")).collect();
    let start: Vec<String> = (0..n).map(|i| format!("{}", (1.7 * i as f64).sin())).collect();
    let text = format!(
        "coordinates = [{}]\nlagrangian = \"{} - ({})\"\ninitial = {{ position = [{}], velocity = [{}] }}\n",
        names.join(", "),
        kinetic.join(" + "),
        terms.join(" + "),
        start.join(", "),
        vec!["0"; n].join(", ")
    );
    (text, 2.0 * (0.5 * std::f64::consts::PI * n as f64 / (n as f64 + 1.0)).sin())
}

/// Of quadratic potentials the limit is exact: a step a little beyond it is refused before the run, one a little below stays bounded.
#[test]
fn explicit_steps_beyond_the_limit_of_a_quadratic_potential_are_refused() {
    let methods = [
        "\"verlet\"",
        "{ method = \"verlet\", order = 4 }",
        "{ method = \"verlet\", order = 6 }",
        "{ method = \"verlet\", order = 8 }",
        "\"trapezoidal\"",
        "{ method = \"newmark\", beta = 0 }",
        "{ method = \"newmark\", beta = 0.1 }",
        "{ method = \"lobatto\", stages = 3 }",
        "\"rk4\"",
    ];
    for n in [1, 2, 7, 30] {
        let (system, omega) = chain(n);
        let omega = if n == 1 { 2.0_f64.sqrt() } else { omega };
        for method in methods {
            let with = |step: f64| {
                format!("step = {step}\nend = {}\nintegrator = {method}\n{system}", 4000.0 * step)
            };
            // Where the limit lies is told by the refusal of a step that is far too long.
            let Err(Error::Input(refusal)) = run::check(&read(&with(20.0 / omega))) else {
                panic!("{n} {method}")
            };
            let text = refusal.to_string();
            let told = text.split("below ").nth(1).and_then(|t| t.split(',').next()).unwrap();
            let limit: f64 = told.parse().unwrap_or_else(|_| panic!("{text}"));
            assert!(text.contains("beyond the limit of ") && text.contains("implicit method"), "{text}");
            if !method.contains("order")
                && !method.contains("rk4")
                && !method.contains("lobatto")
                && !method.contains("0.1")
            {
                assert!((limit * omega - 2.0).abs() < 1e-4, "{n} {method}: {limit}");
            }
            assert!(run::check(&read(&with(1.01 * limit))).is_err(), "{n} {method}");
            assert!(outcome(&with(1.01 * limit)).is_err(), "{n} {method}");
            let below = outcome(&with(0.99 * limit)).unwrap();
            assert!(
                below.stopped.is_none() && below.warnings.is_empty(),
                "{n} {method}: {:?}",
                below.stopped
            );
            assert!(below.summary["energy"]["max_relative_error"].as_f64().unwrap() < 1e3, "{n} {method}");
        }
        let implicit = format!("step = 50\nend = 5000\nintegrator = \"midpoint\"\n{system}");
        assert!(outcome(&implicit).unwrap().stopped.is_none());
    }
    // The frequency is that of the masses too, coupled ones among them.
    let coupled = "coordinates = [\"x\", \"y\"]\nlagrangian = \"vx^2 + vy^2 + vx*vy - 0.5*x^2 - 0.5*y^2\"\nend = 10\n\
                   integrator = \"verlet\"\ninitial = { position = [1, 0], velocity = [0, 0] }\n";
    // The least mass is 2 - 1 = 1, so the largest frequency is 1.
    assert!(run::check(&read(&format!("step = 2.01\n{coupled}"))).is_err());
    assert!(run::check(&read(&format!("step = 1.99\n{coupled}"))).is_ok());
    // About another start there might be other frequencies: the run is made, and the user told.
    let bent = single("0.5*vx^2 + cos(3*x)", [0.1, 0.0], "step = 0.7\nend = 7\nintegrator = \"verlet\"");
    assert!(
        run::check(&read(&bent))
            .unwrap()
            .to_string()
            .contains("too long for verlet (order 2) near the start")
    );
    let warnings = outcome(&bent).unwrap().warnings;
    assert!(
        warnings.iter().any(|w| w.contains("steps beyond 0.6") && w.contains("let them grow")),
        "{warnings:?}"
    );
}

/// One step for all of a solid: refused beyond the limit of the method, whatever it is, and bounded below it.
#[test]
fn one_step_for_a_whole_solid_beyond_its_limit_is_refused() {
    let linear = SLAB.replace("neo-hookean", "linear");
    let held = format!("{linear}[support.wall]\ngroup = \"clamped\"\nfixed = true\n");
    for solid in [&linear, &held] {
        for method in [
            "\"newmark\"",
            "\"verlet\"",
            "{ method = \"verlet\", order = 4 }",
            "{ method = \"verlet\", order = 8 }",
            "\"trapezoidal\"",
            "{ method = \"newmark\", beta = 0.1 }",
            "\"rk4\"",
        ] {
            let with = |step: f64| format!("step = {step}\nintegrator = {method}\n{solid}");
            let Err(Error::Input(refusal)) = run::check(&read(&with(0.01))) else { panic!("{method}") };
            let text = refusal.to_string();
            assert!(
                text.contains("beyond the limit of ") && text.contains("largest frequency of this body"),
                "{text}"
            );
            let limit: f64 = text.split("below ").nth(1).unwrap().split(';').next().unwrap().parse().unwrap();
            assert!(outcome(&with(1.02 * limit)).is_err(), "{method}");
            let below = outcome(&with(0.97 * limit)).unwrap();
            assert!(below.stopped.is_none(), "{method}: {:?}", below.stopped);
            assert!(below.summary["energy"]["max_relative_error"].as_f64().unwrap() < 5.0, "{method}");
        }
        let rule = format!("integrator = {{ method = \"newmark\", fraction = 1.2 }}\n{solid}");
        assert!(run::check(&read(&rule)).unwrap_err().to_string().contains("a smaller `fraction`"));
        assert!(run::check(&read(&rule.replace("1.2", "1"))).is_ok());
        // What is chosen without a word is within the limit of every method.
        for order in [4, 6, 8] {
            let usual = format!("integrator = {{ method = \"verlet\", order = {order} }}\n{solid}");
            assert!(outcome(&usual).unwrap().stopped.is_none(), "{order}");
        }
    }
}

/// Cause: explicit Newmark had the whole kick of its last event, half a step ahead of the time. Expected: momentum at the end of a step is what it
/// was, and the impulses of loads and supports up to then. Loads linear in time are integrated exactly by every symmetric quadrature.
#[test]
fn momentum_less_the_impulse_of_loads_is_kept_by_every_synchronous_method() {
    let (mass, step, steps) = (4000.0, 1e-4, 25);
    let end = f64::from(steps) * step;
    for (load, impulse) in [
        ("[30, -9.81]", [30.0 * end, -9.81 * end]),
        ("[\"300*t\", \"-9.81 + 5000*t\"]", [150.0 * end * end, -9.81 * end + 2500.0 * end * end]),
    ] {
        for support in ["", "fixed = true", "x = \"0.3*sin(40*t)\"\ny = 0"] {
            for method in [
                "\"newmark\"",
                "{ method = \"newmark\", beta = 0.25 }",
                "\"verlet\"",
                "{ method = \"verlet\", order = 4 }",
                "\"midpoint\"",
                "\"trapezoidal\"",
                "{ method = \"gauss\", stages = 2 }",
                "{ method = \"lobatto\", stages = 3 }",
                "\"rk4\"",
            ] {
                let mut text = format!(
                    "step = {step}\nintegrator = {method}\n{SLAB}[load.weight]\nacceleration = {load}\n"
                )
                .replace("end = 0.05", &format!("end = {end}"))
                .replace("[\"-Y\", \"X\"]", "[\"-40*Y\", \"3 + X\"]");
                if !support.is_empty() {
                    text += &format!("[support.wall]\ngroup = \"clamped\"\n{support}\n");
                }
                let outcome = outcome(&text).unwrap_or_else(|e| panic!("{method}: {e}"));
                assert!(outcome.stopped.is_none(), "{method}: {:?}", outcome.stopped);
                let series = outcome.in_memory.series.unwrap();
                let column = |name: &str| series.columns.iter().position(|c| c == name).unwrap();
                let rows: Vec<&[f64]> = series.numbers.chunks_exact(series.columns.len()).collect();
                assert!((rows[rows.len() - 1][0] - end).abs() < 1e-12, "{method}");
                for (i, axis) in ["x", "y"].into_iter().enumerate() {
                    let momentum = |row: &[f64]| row[column(&format!("momentum.linear.{axis}"))];
                    let given = outcome.summary["reaction_impulse"]["wall"][i].as_f64().unwrap_or(0.0);
                    let residual =
                        momentum(rows[rows.len() - 1]) - momentum(rows[0]) - mass * impulse[i] - given;
                    let scale = outcome.summary["momentum"]["linear"]["scale"].as_f64().unwrap();
                    assert!(
                        residual.abs() < 1e-11 * scale,
                        "{method}, {load}, `{support}`, {axis}: {residual:e} of {scale:e}"
                    );
                }
            }
        }
    }
}

/// Cause: numbers that are none were written as empty fields and nobody said so. Expected: refused at the start, else a stop with the name.
#[test]
fn formulas_that_are_not_numbers_are_named() {
    let free = |more: &str| {
        single("0.5*vx^2", [0.0, 1.0], &format!("step = 0.1\nend = 2\nintegrator = \"gauss\"\n{more}"))
    };
    for (more, name) in [
        ("probe.a = \"log(1.05 - x)\"", "the probe `a`"),
        ("symmetry.s = [\"sqrt(1.05 - x)\"]", "the momentum of `s`"),
        (
            "section = { when = \"sin(20*x)*sqrt(1.05 - x)\", columns = { x = \"x\" } }",
            "the formula of the section",
        ),
        (
            "section = { when = \"x - 1.3\", columns = { root = \"sqrt(1.05 - x)\" } }",
            "the column `root` of the section",
        ),
    ] {
        let outcome = outcome(&free(more)).unwrap_or_else(|e| panic!("{more}: {e}"));
        let stopped = outcome.stopped.unwrap_or_else(|| panic!("{more}: not stopped"));
        assert_eq!(stopped.cause, Cause::NotFinite { what: name.into() }, "{more}");
        assert!(stopped.time > 0.95 && stopped.time < 1.9, "{more}: {stopped}");
    }
    let solid = |more: &str| format!("step = 1e-4\nintegrator = \"newmark\"\n{SLAB}{more}");
    let later = "[probe]\ndeep = { at = [4, 0.5, 0], value = \"log(0.02 - t)\" }\n";
    let stopped = outcome(&solid(later)).unwrap().stopped.unwrap();
    assert_eq!(stopped.cause, Cause::NotFinite { what: "the probe `deep`".into() });
    let now = "[probe]\ndeep = { at = [4, 0.5, 0], value = \"1/(x - X)\" }\n";
    let body = "step = 0.1\nend = 3\nintegrator = \"euler-poincare\"\nprobe.a = \"1/x\"\n[body]\nmass = 1.0\ninertia = [1.0, 2.0, 2.5]\n";
    for (text, message) in [
        (free("probe.a = \"1/x\""), "the probe `a` is inf at the start"),
        (solid(now), "the probe `deep` is inf at the start"),
        (body.into(), "the probe `a` is inf at the start"),
        (free("").replace("[1]", "[1e200]"), "is not a finite number at the initial state"),
        (solid("").replace("-Y", "1e200"), "the energy is not a finite number at the start: kinetic inf"),
        (body.replace("probe.a = \"1/x\"", "") + "angular_velocity = [1e200, 0, 0]\n", "finite number"),
    ] {
        let Err(Error::Input(refusal)) = run::check(&read(&text)) else { panic!("{message}") };
        assert!(refusal.to_string().contains(message), "{refusal}");
        assert!(matches!(outcome(&text), Err(Error::Input(_))), "{message}");
    }
}
