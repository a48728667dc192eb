//! Laws of impacts [FET03 4-5].

use stationary::action::Galerkin;
use stationary::formula::{Expr, Graph, Scope, Var};
use stationary::integrate::{Colliding, Impact, Integrator, Start};
use stationary::laws;
use stationary::model::{FormulaGap, FormulaLagrangian, GapNodes};
use std::sync::Arc;

type System = Arc<FormulaLagrangian>;

/// A system of coordinates `x`, `y`, `a` and its gaps.
fn system(text: &str, gaps: &[&str], n: usize) -> (System, Arc<FormulaGap>) {
    let mut scope = Scope::new();
    for (i, name) in ["x", "y", "a"].iter().enumerate().take(n) {
        scope.variable(*name, Var::Q(i as u32)).variable(format!("v{name}"), Var::V(i as u32));
    }
    let mut graph = Graph::new();
    let nodes =
        |g: &&str| GapNodes { gap: graph.lower(&Expr::parse(g).unwrap(), &scope).unwrap(), slip: Vec::new() };
    let nodes: Vec<GapNodes> = gaps.iter().map(nodes).collect();
    let lagrangian = FormulaLagrangian::new(text, &scope, n).unwrap();
    (Arc::new(lagrangian), Arc::new(FormulaGap::new(&mut graph, &nodes, n)))
}

fn run_to(impacts: usize, x: &mut Colliding<Galerkin<System>, Arc<FormulaGap>>) -> (Impact, f64, f64) {
    let (mut seen, mut last, mut low, mut high) = (0, None, f64::INFINITY, f64::NEG_INFINITY);
    let mut worst = 0.0_f64;
    while seen < impacts {
        x.advance(1).unwrap();
        let e = x.discrete_energy().unwrap();
        (low, high) = (low.min(e), high.max(e));
        for impact in x.impacts() {
            worst = worst.max((impact.energy_after / impact.energy_before - 1.0).abs());
            seen += 1;
            if seen <= impacts {
                last = Some(impact.clone());
            }
        }
    }
    (last.unwrap(), (high - low) / high.abs(), worst)
}

#[test]
fn a_particle_bounces_a_thousand_times() {
    let (l, gap) = system("0.5*(vx^2 + vy^2) - 9.81*y", &["y"], 2);
    let start = Start { t: 0.0, q: vec![0.0, 1.0], p: vec![-2.0, 0.0], h: 0.01 };
    let mut x = Colliding::new(Galerkin::trapezoidal(l, 0.5), gap, &start).unwrap();
    let clock = std::time::Instant::now();
    let (last, spread, worst) = run_to(1000, &mut x);
    eprintln!(
        "{last:?} {spread:e} {worst:e} {:?} ns a step",
        clock.elapsed().as_nanos() as f64 / x.view().step as f64
    );
    assert!((last.time - 902.596).abs() < 0.1, "{last:?}");
    assert!(worst < 1e-12);
}

#[test]
fn an_ellipse_bounces_a_thousand_times() {
    let (l, gap) = system(
        "0.5*(vx^2 + vy^2) + 0.5*0.078125*va^2 - 9.81*y",
        &["y - sqrt((0.5*sin(a))^2 + (0.25*cos(a))^2)"],
        3,
    );
    let start = Start { t: 0.0, q: vec![0.0, 1.5, 0.3], p: vec![-2.0, 0.0, 0.2], h: 0.01 };
    let mut x = Colliding::new(Galerkin::trapezoidal(l, 0.5), gap, &start).unwrap();
    let clock = std::time::Instant::now();
    let (last, spread, worst) = run_to(1000, &mut x);
    eprintln!(
        "{last:?} {spread:e} {worst:e} {:?} ns a step",
        clock.elapsed().as_nanos() as f64 / x.view().step as f64
    );
    let residual = laws::worst_symplectic_residual(&mut x, 2000);
    eprintln!("residual {residual:e}");
    assert!(spread < 1e-2 && worst < 1e-12 && residual < 1e-11);
}

#[test]
fn a_star_bounces() {
    let (l, gap) =
        system("0.5*(vx^2 + vy^2) + 0.5*29/192*va^2 - 9.81*y", &["y - 0.5*(abs(sin(a)) + abs(cos(a)))"], 3);
    let start = Start { t: 0.0, q: vec![0.0, 3.5, 0.0], p: vec![-2.0, 0.0, 5.0 * 29.0 / 192.0], h: 0.005 };
    let mut x = Colliding::new(Galerkin::trapezoidal(l, 0.5), gap, &start).unwrap();
    let (last, spread, worst) = run_to(1500, &mut x);
    eprintln!("{last:?} {spread:e} {worst:e}");
    assert!(spread < 1e-2 && worst < 1e-12);
}
