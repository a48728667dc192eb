//! Laws of the path of its own that elastic impacts of small separable systems have: it is the general one, faster.

use stationary::action::Galerkin;
use stationary::contact::{FormulaGap, Gap, GapNodes};
use stationary::formula::{Expr, Graph, Scope, Var};
use stationary::integrate::{Bounce, Colliding, Integrator, Start};
use stationary::model::FormulaLagrangian;
use std::sync::Arc;

type System = (Arc<FormulaLagrangian>, Arc<dyn Gap>);

/// A system of coordinates `x`, `y`, `a` and its gaps.
fn system(text: &str, gaps: &[&str], n: usize) -> System {
    let mut scope = Scope::new();
    scope.variable("t", Var::T);
    for (i, name) in ["x", "y", "a"].iter().enumerate().take(n) {
        scope.variable(*name, Var::Q(i as u32)).variable(format!("v{name}"), Var::V(i as u32));
    }
    let mut graph = Graph::new();
    let mut node = |g: &&str| graph.lower(&Expr::parse(g).unwrap(), &scope).unwrap();
    let nodes: Vec<GapNodes> = gaps.iter().map(|g| GapNodes { gap: node(g), slip: Vec::new() }).collect();
    let lagrangian = FormulaLagrangian::new(text, &scope, n).unwrap();
    (Arc::new(lagrangian), Arc::new(FormulaGap::new(&mut graph, &nodes, n)))
}

fn start(q: &[f64], p: &[f64], h: f64) -> Start {
    Start { t: 0.0, q: q.to_vec(), p: p.to_vec(), h }
}

const PARTICLE: &str = "0.5*(vx^2 + vy^2) - 9.81*y";

fn particle() -> (System, Start) {
    (system(PARTICLE, &["y"], 2), start(&[0.0, 1.0], &[-2.0, 0.0], 0.01))
}

fn ellipse() -> (System, Start) {
    let body = "0.5*(vx^2 + vy^2) + 0.5*0.078125*va^2 - 9.81*y";
    let gap = "y - sqrt((0.5*sin(a))^2 + (0.25*cos(a))^2)";
    (system(body, &[gap], 3), start(&[0.0, 1.5, 0.3], &[-2.0, 0.0, 0.2], 0.01))
}

/// A billiard between four walls and around a disc, under a force that is not uniform.
fn billiard() -> (System, Start) {
    let walls = ["1 - x", "1 + x", "1 - y", "1 + y", "x^2 + y^2 - 0.09"];
    let text = "0.5*(2*vx^2 + 3*vy^2) - 0.3*x^2 - 0.2*x*y^2 - exp(-x^2)";
    (system(text, &walls, 2), start(&[0.5, 0.2], &[2.1, -3.7], 0.05))
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + a.abs()))
}

/// Makes the same steps on both paths and compares all that can be seen; the number of impacts.
fn agree<const N: usize>(((l, gap), start): (System, Start), alpha: f64, steps: u64) -> usize {
    let mut fast = Bounce::<_, _, N>::new(Arc::clone(&l), alpha, Arc::clone(&gap), &start).unwrap().unwrap();
    let mut general = Colliding::new(Galerkin::trapezoidal(l, alpha), gap, &start).unwrap();
    let (mut a, mut b, mut seen) = (vec![0.0; 4 * N * N], vec![0.0; 4 * N * N], 0);
    for _ in 0..steps {
        fast.advance(1).unwrap();
        general.advance(1).unwrap();
        let (x, y) = (fast.view(), general.view());
        assert_eq!((x.step, x.t), (y.step, y.t));
        assert!(close(x.q, y.q, 1e-10) && close(x.p, y.p, 1e-10), "{x:?} {y:?}");
        assert_eq!(fast.impacts().len(), general.impacts().len(), "{:?} {:?}", x, general.impacts());
        for (x, y) in fast.impacts().iter().zip(general.impacts()) {
            assert_eq!((x.kind, &x.contact), (y.kind, &y.contact));
            let numbers =
                |z: &stationary::contact::GapImpact| [z.time, z.impulse, z.energy_before, z.energy_after];
            assert!(close(&numbers(x), &numbers(y), 1e-10), "{x:?} {y:?}");
            let moved = x.energy_before + x.prescribed;
            assert!(x.prescribed != 0.0 || close(&[moved], &[x.energy_after], 4e-15), "{x:?}");
            seen += 1;
        }
        assert!(close(&[fast.discrete_energy().unwrap()], &[general.discrete_energy().unwrap()], 1e-10));
        assert_eq!(fast.action().is_some(), general.action().is_some());
        if let (Some(x), Some(y)) = (fast.action(), general.action()) {
            assert!(close(&[x], &[y], 1e-10), "{x} {y}");
        }
        assert_eq!(fast.tangent(&mut a), general.tangent(&mut b));
        assert!(close(&a, &b, 1e-6), "{a:?} {b:?}");
    }
    seen
}

#[test]
fn bounce_and_the_general_path_agree() {
    for alpha in [0.5, 0.3] {
        assert!(agree::<2>(particle(), alpha, 1000) >= 10);
        assert!(agree::<3>(ellipse(), alpha, 300) >= 4);
        assert!(agree::<2>(billiard(), alpha, 120) >= 5);
    }
}

#[test]
fn impacts_beyond_one_elastic_gap_are_left_to_the_general_path() {
    // The corner of a box, hit by both walls at once.
    let corner = (
        system("0.5*(vx^2 + vy^2)", &["1 - x", "1 - y", "x", "y"], 2),
        start(&[0.5, 0.5], &[1.0, 1.0], 0.07),
    );
    assert!(agree::<2>(corner, 0.5, 100) > 3);
    // A wall that moves, and a force that changes in time.
    let wall = (system(PARTICLE, &["y - 0.1*sin(3*t)"], 2), start(&[0.0, 1.0], &[-2.0, 0.0], 0.01));
    assert!(agree::<2>(wall, 0.5, 300) > 2);
    let driven = (
        system("0.5*(vx^2 + vy^2) - (9.81 + sin(5*t))*y", &["y"], 2),
        start(&[0.0, 1.0], &[-2.0, 0.0], 0.01),
    );
    assert!(agree::<2>(driven, 0.5, 300) > 2);
}

/// A gap that closes and opens again within a step is not missed, nor a second impact in it, nor the kinks of a star.
#[test]
fn the_fast_path_of_bounces_sees_gaps_that_close_and_open_within_a_step() {
    // Past the rim of a disc: both ends of the step that touches it lie outside.
    let rim = (system("0.5*(vx^2 + vy^2)", &["x^2 + y^2 - 1"], 2), start(&[-3.0, 0.98], &[2.0, 0.0], 0.4));
    assert_eq!(agree::<2>(rim, 0.5, 20), 1);
    // Between two walls, several times a step.
    let walls = (system("0.5*(vx^2 + vy^2) - y", &["1 - x", "x"], 2), start(&[0.3, 0.0], &[7.0, 1.0], 0.5));
    assert!(agree::<2>(walls, 0.5, 10) > 30);
    let text = "0.5*(vx^2 + vy^2) + 0.5*29/192*va^2 - 9.81*y";
    let star = system(text, &["y - 0.5*(abs(sin(a)) + abs(cos(a)))"], 3);
    let spinning = start(&[0.0, 1.5, 0.3], &[-2.0, 0.0, 5.0 * 29.0 / 192.0], 0.005);
    assert!(agree::<3>((star.clone(), spinning), 0.5, 500) >= 3);
    // It lands straight, on two points at once.
    let straight = start(&[0.0, 1.5, 0.0], &[-2.0, 0.0, 0.0], 0.005);
    assert!(agree::<3>((star, straight), 0.5, 500) >= 2);
}

/// How steps are grouped into calls changes no bit.
#[test]
fn grouping_steps_of_the_fast_path_of_bounces_changes_no_bit() {
    fn check<const N: usize>(((l, gap), start): (System, Start), steps: u64) {
        let new = || Bounce::<_, _, N>::new(Arc::clone(&l), 0.5, Arc::clone(&gap), &start).unwrap().unwrap();
        let (mut one, mut all, mut some) = (new(), new(), new());
        (0..steps).for_each(|_| one.advance(1).unwrap());
        all.advance(steps).unwrap();
        (0..steps / 7).for_each(|_| some.advance(7).unwrap());
        some.advance(steps % 7).unwrap();
        for other in [&all, &some] {
            assert_eq!((one.view().q, one.view().p), (other.view().q, other.view().p));
            assert_eq!(one.impacts(), other.impacts());
        }
        let energies = [&mut one, &mut all, &mut some].map(|x| x.discrete_energy());
        assert!(energies[0] == energies[1] && energies[1] == energies[2]);
    }
    check::<2>(particle(), 5000);
    check::<3>(ellipse(), 5000);
    check::<2>(billiard(), 1000);
}

/// Every impact keeps the discrete energy, and every place that is stored is admissible.
#[test]
fn a_hundred_thousand_elastic_impacts_lose_no_energy() {
    let ((l, gap), start) = particle();
    let mut x = Bounce::<_, _, 2>::new(l, 0.5, gap, &start).unwrap().unwrap();
    let (mut seen, mut low, mut high) = (0, f64::INFINITY, f64::NEG_INFINITY);
    while seen < 100_000 {
        x.advance(1).unwrap();
        assert!(x.view().q[1] >= 0.0);
        for impact in x.impacts() {
            assert!((impact.energy_after / impact.energy_before - 1.0).abs() < 1e-14, "{impact:?}");
            (low, high) = (low.min(impact.energy_after), high.max(impact.energy_after));
            seen += 1;
        }
    }
    // An impact that parts a step unequally moves the Hamiltonian by up to g^2 h^2/8 = 1.2e-3; these moves do not add up.
    assert!(high - low < 0.025, "{low} {high}");
}

/// A run that leaves the range of numbers says so where it does, and stays at its last good step.
#[test]
fn a_bouncing_particle_that_leaves_the_range_of_numbers_is_an_error() {
    let (l, gap) = system("0.5*(vx^2 + vy^2) + 1e3*x^4", &["y"], 2);
    let start = start(&[1.0, 1.0], &[1.0, 0.0], 0.1);
    let mut x = Bounce::<_, _, 2>::new(Arc::clone(&l), 0.5, Arc::clone(&gap), &start).unwrap().unwrap();
    let error = x.advance(1000).unwrap_err();
    assert_eq!(error.step, x.view().step);
    assert!(x.view().q.iter().chain(x.view().p).all(|x| x.is_finite()));
    let mut y = Colliding::new(Galerkin::trapezoidal(l, 0.5), gap, &start).unwrap();
    assert_eq!(error, y.advance(1000).unwrap_err());
}
