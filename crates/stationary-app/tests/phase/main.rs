//! The laws of the Hamiltonian side: order, forms, invariants, and the observers that look behind a run.

mod observers;

use stationary::formula::{Expr, Graph, Node, Scope, Var};
use stationary::integrate::phase::PhaseStart;
use stationary::integrate::{BuildError, Integrator, Method, Start};
use stationary::laws;
use stationary::linalg::max_abs;
use stationary::model::{FormulaLagrangian, FormulaPhase, PhaseFault, PhaseJet, PhaseSpace, TwoForm};
use stationary_app::run::{RunOutcome, check, run};
use stationary_app::scenario::Scenario;
use std::ops::ControlFlow;
use std::sync::Arc;

const MIDPOINT: Method = Method::Midpoint { alpha: 0.5 };

struct Problem {
    name: &'static str,
    system: Arc<FormulaPhase>,
    z: Vec<f64>,
}

impl Problem {
    fn start(&self, method: Method, h: f64) -> Box<dyn Integrator> {
        let start = PhaseStart { t: 0.0, z: self.z.clone(), h };
        method.start_phase(self.system.clone(), &start, 1e-15).unwrap()
    }
}

fn nodes(texts: &[&str], graph: &mut Graph, scope: &Scope) -> Vec<Node> {
    texts.iter().map(|t| graph.lower(&Expr::parse(t).unwrap(), scope).unwrap()).collect()
}

fn with_one_form(hamiltonian: &str, theta: &[&str], names: &[&str]) -> Result<Arc<FormulaPhase>, PhaseFault> {
    let mut scope = Scope::new();
    scope.variable("t", Var::T);
    for (i, name) in names.iter().enumerate() {
        scope.variable(*name, Var::Q(i as u32));
    }
    let mut graph = Graph::new();
    let h = nodes(&[hamiltonian], &mut graph, &scope)[0];
    let theta = nodes(theta, &mut graph, &scope);
    FormulaPhase::of_nodes(graph, h, Some(&theta), names.len()).map(Arc::new)
}

fn canonical(hamiltonian: &str, names: &[&str]) -> Arc<FormulaPhase> {
    let mut scope = Scope::new();
    scope.variable("t", Var::T);
    for (i, name) in names.iter().enumerate() {
        scope.variable(*name, Var::Q(i as u32)).variable(format!("p{name}"), Var::P(i as u32));
    }
    Arc::new(FormulaPhase::canonical(hamiltonian, &scope, names.len()).unwrap())
}

const HENON_HEILES: &str = "(px^2 + py^2)/2 + (x^2 + y^2)/2 + x^2*y - y^3/3";

/// Not separable, and driven.
fn turning() -> Problem {
    let system =
        canonical("(px^2 + py^2)/2*(1 + 0.3*x^2) + x*py - y*px + (x^2 + y^4)/2 + 0.2*x*cos(t)", &["x", "y"]);
    Problem { name: "canonical", system, z: vec![0.3, 0.1, -0.2, 0.4] }
}

/// Three vortices of unlike strength, in the symmetric gauge: the form is constant, no entry of the one-form vanishes.
fn vortices() -> Problem {
    let h = "-(2*log((x1-x2)^2 + (y1-y2)^2) + 3*log((x1-x3)^2 + (y1-y3)^2) + 6*log((x2-x3)^2 + (y2-y3)^2))/(4*pi)";
    let theta = ["y1/2", "-x1/2", "y2", "-x2", "3/2*y3", "-3/2*x3"];
    let system = with_one_form(h, &theta, &["x1", "y1", "x2", "y2", "x3", "y3"]).unwrap();
    assert!(matches!(system.form(), TwoForm::Constant(_)));
    Problem { name: "vortices", system, z: vec![1.0, 0.0, -0.3, 0.8, -0.4, -0.9] }
}

/// A form that changes from place to place.
fn fibred() -> Problem {
    let theta = ["y + 0.3*y^3 + 0.2*x^2*y", "0"];
    let system = with_one_form("(y^2 + x^2)/2 + 0.1*x^4 + 0.05*x*y^3", &theta, &["x", "y"]).unwrap();
    assert!(matches!(system.form(), TwoForm::Fibred(_)));
    Problem { name: "fibred", system, z: vec![0.9, 0.4] }
}

fn problems() -> [Problem; 3] {
    [turning(), vortices(), fibred()]
}

fn methods() -> [Method; 5] {
    [
        MIDPOINT,
        Method::Gauss { stages: 2 },
        Method::Gauss { stages: 3 },
        Method::Gauss { stages: 5 },
        Method::RungeKutta4,
    ]
}

fn end(problem: &Problem, method: Method, steps: u64) -> Vec<f64> {
    let mut x = problem.start(method, 3.0 / steps as f64);
    x.advance(steps).unwrap();
    [x.view().q, x.view().p].concat()
}

#[test]
fn every_phase_space_method_has_its_order() {
    for problem in problems() {
        let exact = end(&problem, Method::Gauss { stages: 6 }, 100);
        for method in methods().into_iter().filter(|m| m.order() <= 6) {
            let counts: [u64; 5] =
                if method.order() == 6 { [12, 16, 20, 25, 32] } else { [30, 40, 50, 65, 80] };
            let steps = counts.map(|n| 3.0 / n as f64);
            let errors = counts.map(|n| {
                let x = end(&problem, method, n);
                max_abs(&x.iter().zip(&exact).map(|(a, b)| a - b).collect::<Vec<_>>())
            });
            let slope = laws::order(&steps, &errors, 1e-13).unwrap();
            let order = method.order() as f64;
            assert!((slope - order).abs() < 0.1 * order, "{} {method}: {slope}, {errors:?}", problem.name);
        }
    }
}

/// How far a tangent is from keeping the form of a problem.
fn residual(problem: &Problem, tangent: &[f64]) -> f64 {
    let m = problem.system.dimension();
    match problem.system.form() {
        TwoForm::Constant(form) => {
            let omega = form.omega();
            let mut worst: f64 = 0.0;
            for a in 0..m {
                for b in 0..m {
                    let mut sum = -omega[a * m + b];
                    for i in 0..m {
                        for j in 0..m {
                            sum += tangent[i * m + a] * omega[i * m + j] * tangent[j * m + b];
                        }
                    }
                    worst = if sum.abs() > worst || sum.is_nan() { sum.abs() } else { worst };
                }
            }
            worst
        }
        _ => laws::symplectic_residual(tangent, m / 2),
    }
}

#[test]
fn every_phase_space_method_but_rk4_keeps_the_form() {
    for problem in problems() {
        for method in methods() {
            let mut x = problem.start(method, 0.3);
            let mut tangent = vec![0.0; problem.system.dimension().pow(2)];
            assert!(!x.tangent(&mut tangent), "no step has been made");
            let mut worst: f64 = 0.0;
            for _ in 0..50 {
                x.advance(1).unwrap();
                let seen = if x.tangent(&mut tangent) { residual(&problem, &tangent) } else { f64::NAN };
                // A NaN stays.
                if !(seen <= worst) {
                    worst = seen;
                }
            }
            let known = x.variational() || problem.name != "fibred";
            assert_eq!(x.variational(), worst < 1e-12, "{} {method}: {worst:e}", problem.name);
            assert!(known != worst.is_nan(), "{} {method}", problem.name);
        }
    }
}

/// A gauge, the derivative of a function of the base, changes no motion; its rounding must not stop one.
#[test]
fn a_large_gauge_is_no_obstacle() {
    let theta = ["y + 0.3*y^3 + 0.2*x^2*y + 10*x", "0"];
    for method in methods() {
        let system = with_one_form("(y^2 + x^2)/2 + 0.1*x^4 + 0.05*x*y^3", &theta, &["x", "y"]).unwrap();
        let gauged = Problem { name: "gauged", system, z: vec![0.9, 0.4] };
        let [mut plain, mut other] = [fibred(), gauged].map(|p| p.start(method, 0.05));
        for _ in 0..20 {
            plain.advance(200).unwrap();
            other.advance(200).unwrap();
        }
        let apart: Vec<f64> = plain.view().q.iter().zip(other.view().q).map(|(a, b)| a - b).collect();
        let tolerance = if method == MIDPOINT { 0.1 } else { 1e-3 };
        assert!(max_abs(&apart) < tolerance, "{method}: {apart:?}");
    }
}

/// The tangent of the constant forms against differences of steps; in the fibred case the canonical variables are
/// `x` and `theta`, and residuals above would not notice a wrong tangent that is symplectic.
#[test]
fn tangents_are_derivatives_of_the_step() {
    for problem in problems() {
        let m = problem.system.dimension();
        for method in methods() {
            let fibred = problem.name == "fibred";
            let mut tangent = vec![0.0; m * m];
            let mut x = problem.start(method, 0.2);
            x.advance(1).unwrap();
            if !x.tangent(&mut tangent) {
                continue;
            }
            let arrive = |z: Vec<f64>| {
                let mut x = Problem { z, system: problem.system.clone(), ..problem }.start(method, 0.2);
                x.advance(1).unwrap();
                let view = x.view();
                if fibred { vec![view.q[0], view.p[0]] } else { state(&problem, view.q, view.p) }
            };
            let theta_y = {
                let (x, y) = (problem.z[0], problem.z[1]);
                1.0 + 0.9 * y * y + 0.2 * x * x
            };
            let theta_x = 0.4 * problem.z[0] * problem.z[1];
            for column in 0..m {
                // A change of x at equal theta changes y too.
                let mut direction = vec![0.0; m];
                direction[column] = 1.0;
                if fibred {
                    direction =
                        if column == 0 { vec![1.0, -theta_x / theta_y] } else { vec![0.0, 1.0 / theta_y] };
                }
                let shifted =
                    |by: f64| arrive(problem.z.iter().zip(&direction).map(|(z, d)| z + by * d).collect());
                let (plus, minus) = (shifted(1e-5), shifted(-1e-5));
                for row in 0..m {
                    let slope = (plus[row] - minus[row]) / 2e-5;
                    let error = (slope - tangent[row * m + column]).abs();
                    assert!(error < 1e-8, "{} {method} {row} {column}: {error:e}", problem.name);
                }
            }
        }
    }
}

fn state(problem: &Problem, q: &[f64], p: &[f64]) -> Vec<f64> {
    if problem.system.positions() < problem.system.dimension() { [q, p].concat() } else { q.to_vec() }
}

/// The same system twice: with a one-form that is not linear, and canonical in `x` and `p = theta(x, y)`.
#[test]
fn a_fibred_system_moves_as_its_canonical_twin() {
    // p = y^3 + y is solved for y by Cardano's formula inside the canonical Hamiltonian.
    let fibred = with_one_form("y^2/2 + cos(x)", &["y + y^3", "0"], &["x", "y"]).unwrap();
    let y = "(cbrt(px/2 + sqrt(px^2/4 + 1/27)) + cbrt(px/2 - sqrt(px^2/4 + 1/27)))";
    let y = y.replace("cbrt(px/2 - sqrt(px^2/4 + 1/27))", "(-(sqrt(px^2/4 + 1/27) - px/2)^(1/3))");
    let y = y.replace("cbrt(px/2 + sqrt(px^2/4 + 1/27))", "(px/2 + sqrt(px^2/4 + 1/27))^(1/3)");
    let twin = canonical(&format!("{y}^2/2 + cos(x)"), &["x"]);
    let (x, y) = (0.4, 0.6f64);
    for method in [MIDPOINT, Method::Gauss { stages: 3 }] {
        let mut a = Problem { name: "", system: fibred.clone(), z: vec![x, y] }.start(method, 0.2);
        let mut b = Problem { name: "", system: twin.clone(), z: vec![x, y + y.powi(3)] }.start(method, 0.2);
        for _ in 0..100 {
            a.advance(1).unwrap();
            b.advance(1).unwrap();
            let gap = [a.view().q[0] - b.view().q[0], a.view().p[0] - b.view().p[0]];
            assert!(max_abs(&gap) < 1e-11, "{method}: {gap:?}");
            let energies = [a.discrete_energy().unwrap(), b.discrete_energy().unwrap()];
            assert!((energies[0] - energies[1]).abs() < 1e-11, "{method}: {energies:?}");
        }
    }
}

/// Where the Legendre transform exists, both sides are one method.
#[test]
fn both_sides_give_one_motion() {
    let mut scope = Scope::new();
    scope.variable("t", Var::T);
    for (i, name) in ["x", "y"].iter().enumerate() {
        scope.variable(*name, Var::Q(i as u32)).variable(format!("v{name}"), Var::V(i as u32));
    }
    let l = "(vx^2 + vy^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3";
    let lagrangian = Arc::new(FormulaLagrangian::new(l, &scope, 2).unwrap());
    let system = canonical(HENON_HEILES, &["x", "y"]);
    let z = vec![0.3, 0.1, -0.2, 0.25];
    let start = Start { t: 0.0, q: z[..2].to_vec(), p: z[2..].to_vec(), h: 0.2 };
    for method in [MIDPOINT, Method::Gauss { stages: 2 }, Method::Gauss { stages: 4 }, Method::RungeKutta4] {
        let mut a = method.start(lagrangian.clone(), &start, 1e-15).unwrap();
        let mut b = Problem { name: "", system: system.clone(), z: z.clone() }.start(method, 0.2);
        for _ in 0..100 {
            a.advance(1).unwrap();
            b.advance(1).unwrap();
            let (va, vb) = (a.view(), b.view());
            let gap: Vec<f64> =
                va.q.iter().chain(va.p).zip(vb.q.iter().chain(vb.p)).map(|(a, b)| a - b).collect();
            assert!(max_abs(&gap) < 1e-12, "{method}: {gap:?}");
            if let (Some(a), Some(b)) = (a.discrete_energy(), b.discrete_energy()) {
                assert!((a - b).abs() < 1e-12, "{method}: {a} {b}");
            }
        }
    }
}

/// Two vortices turn about their centre, with positive strength counterclockwise, at the rate `(g1 + g2)/(2 pi d^2)`.
#[test]
fn a_vortex_pair_turns_as_it_must() {
    let h = "-2*log((x1 - x2)^2 + (y1 - y2)^2)/(4*pi)";
    let gauges = [["y1", "0", "2*y2", "0"], ["0", "-x1", "0", "-2*x2"], ["y1/2", "-x1/2", "y2", "-x2"]];
    let rate = 3.0 / (std::f64::consts::TAU * 2.25);
    for theta in gauges {
        let system = with_one_form(h, &theta, &["x1", "y1", "x2", "y2"]).unwrap();
        let problem = Problem { name: "pair", system, z: vec![1.0, 0.0, -0.5, 0.0] };
        for method in [MIDPOINT, Method::Gauss { stages: 3 }, Method::RungeKutta4] {
            let mut x = problem.start(method, 0.05);
            x.advance(200).unwrap();
            let (sin, cos) = (10.0 * rate).sin_cos();
            let exact = [cos, sin, -0.5 * cos, -0.5 * sin];
            let gap: Vec<f64> = x.view().q.iter().zip(exact).map(|(a, b)| a - b).collect();
            assert!(max_abs(&gap) < 1e-4, "{method} {theta:?}: {gap:?}");
        }
    }
}

/// Linear and quadratic invariants of the vortices over a million steps, and an energy that does not drift.
#[test]
fn impulses_are_kept_over_a_million_steps() {
    let problem = vortices();
    let strength = [1.0, 2.0, 3.0];
    let invariants = |z: &[f64]| {
        let sum = |f: &dyn Fn(usize) -> f64| (0..3).map(|k| strength[k] * f(k)).sum::<f64>();
        [
            sum(&|k| z[2 * k]),
            sum(&|k| z[2 * k + 1]),
            sum(&|k| z[2 * k] * z[2 * k] + z[2 * k + 1] * z[2 * k + 1]),
        ]
    };
    let mut jet = PhaseJet::new(6);
    let mut energy = |z: &[f64]| {
        problem.system.first(0.0, z, &mut jet);
        jet.value()
    };
    let (initial, e0) = (invariants(&problem.z), energy(&problem.z));
    for (method, steps, bound) in
        [(MIDPOINT, 1_000_000, 1e-12), (Method::Gauss { stages: 2 }, 200_000, 1e-12)]
    {
        let mut x = problem.start(method, 0.2);
        let (mut worst, mut least, mut most): (f64, f64, f64) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
        let mut means = Vec::new();
        for _ in 0..100 {
            let mut sum = 0.0;
            for _ in 0..100 {
                x.advance(steps / 10_000).unwrap();
                let now = invariants(x.view().q);
                for k in 0..3 {
                    let change = (now[k] - initial[k]).abs() / initial[2];
                    worst = if change > worst || change.is_nan() { change } else { worst };
                }
                let e = energy(x.view().q);
                (least, most) = (least.min(e), most.max(e));
                sum += e / 100.0;
            }
            means.push(sum);
        }
        let times: Vec<f64> = (0..100).map(f64::from).collect();
        let drift = (laws::line_fit(&times, &means).0 * 100.0 / (most - least)).abs();
        println!(
            "{method}: invariants {worst:e}, energy within {:e}, drift {drift:e}",
            (most - least) / e0.abs()
        );
        assert!(worst < bound, "{method}: {worst:e}");
        assert!(drift < 0.05, "{method}: the energy drifts by {drift:e} of its range");
    }
    let mut rk4 = problem.start(Method::RungeKutta4, 0.2);
    rk4.advance(100_000).unwrap();
    assert!((invariants(rk4.view().q)[2] / initial[2] - 1.0).abs() > 1e-9, "the bound can be missed");
}

#[test]
fn degenerate_forms_and_unsuited_methods_are_refused() {
    let fault = |theta: &[&str], names: &[&str]| with_one_form("x^2", theta, names).unwrap_err();
    assert_eq!(fault(&["1"], &["x"]), PhaseFault::Odd);
    assert_eq!(fault(&["x", "3"], &["x", "y"]), PhaseFault::Singular);
    let general = with_one_form("x^2 + y^2", &["x*y^2", "x^2"], &["x", "y"]).unwrap();
    let start = PhaseStart { t: 0.0, z: vec![0.5, 0.5], h: 0.1 };
    assert!(matches!(MIDPOINT.start_phase(general.clone(), &start, 1e-15), Err(BuildError::Unsuited(_))));
    assert!(Method::RungeKutta4.start_phase(general, &start, 1e-15).is_ok());
    for method in
        [Method::Verlet { order: 2 }, Method::Midpoint { alpha: 0.3 }, Method::Lobatto { points: 3 }]
    {
        let refused = method.start_phase(vortices().system, &start, 1e-15);
        assert!(matches!(refused, Err(BuildError::Unsuited(_))), "{method}");
    }
}

/// How steps are grouped, and whether they are looked at, changes no bit.
#[test]
fn grouping_phase_space_steps_changes_no_bit() {
    for problem in problems() {
        for method in methods() {
            let (mut a, mut b) = (problem.start(method, 0.2), problem.start(method, 0.2));
            let mut tangent = vec![0.0; problem.system.dimension().pow(2)];
            a.advance(20).unwrap();
            for _ in 0..10 {
                b.advance(2).unwrap();
                b.tangent(&mut tangent);
                b.discrete_energy();
                b.action();
            }
            let bits = |x: &dyn Integrator| -> Vec<u64> {
                x.view().q.iter().chain(x.view().p).map(|x| x.to_bits()).collect()
            };
            assert_eq!(bits(&*a), bits(&*b), "{} {method}", problem.name);
            assert_eq!(2 * a.freedom(), problem.system.dimension());
        }
    }
}
