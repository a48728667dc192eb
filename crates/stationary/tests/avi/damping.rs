//! Damping in proportion to mass and stiffness, of asynchronous and synchronous runs.

use super::bodies::*;
use super::harmonic_schedule::{compare, rounded};
use super::{free_schedule, state};
use stationary::integrate::Method;
use stationary::integrate::avi::{Avi, AviStart, Boundary};
use stationary::integrate::sparse::{Sparse, SparseStart};
use stationary::model::solid::{
    ConstitutiveLaw, Damped, ElementGroup, ElementKind, Lame, LinearElastic, LoadsBuilder, NeoHookean,
    PlaneAssumption, Solid, SolidProblem, damped_limit,
};
use stationary::model::{Potentials, Supports};
use std::sync::Arc;

const EXPLICIT: Method = Method::Newmark { beta: 0.0, gamma: 0.5 };

fn rubber(beta: f64) -> ConstitutiveLaw {
    let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(2.0, 1.0).unwrap()).unwrap());
    ConstitutiveLaw::Damped(Damped::new(&law, beta).unwrap())
}

fn setup(body: Body, law: &ConstitutiveLaw) -> Setup {
    let solid = body.solid(law, PlaneAssumption::Strain);
    Setup::of(body, solid)
}

fn with_mass_damping(
    (problem, start): (Arc<SolidProblem>, AviStart),
    alpha: impl Fn(usize) -> f64,
) -> (Arc<SolidProblem>, AviStart) {
    let problem = Arc::into_inner(problem).expect("only one");
    (Arc::new(problem.with_mass_damping(alpha)), start)
}

fn synchronous(
    problem: &Arc<SolidProblem>,
    first: &AviStart,
    h: f64,
    method: Method,
) -> Sparse<Arc<SolidProblem>> {
    let start = SparseStart { t: first.t, h, x: first.x.clone(), v: first.v.clone() };
    Sparse::new(problem.clone(), method, start, 1e-14).unwrap()
}

/// `omega^2` of [`oscillator`]: stiffness 4 of a unit cube, whose half mass moves.
const SQUARE: f64 = 8.0;

/// A unit cube that can only be stretched along x, slightly stretched: an oscillator.
fn oscillator([alpha, beta]: [f64; 2]) -> (Arc<SolidProblem>, AviStart) {
    let law = ConstitutiveLaw::Linear(LinearElastic::new(Lame::new(2.0, 1.0).unwrap()));
    let law = ConstitutiveLaw::Damped(Damped::new(&law, beta).unwrap());
    let corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
    let points = corners.map(|c| c.map(f64::from));
    let nodes: Vec<u32> = (0..8).collect();
    let blocks = ElementGroup::new(ElementKind::Hex8, &nodes, 1.0).build(&points, &law).unwrap();
    let solid = Solid::new(&points, blocks, &[]).unwrap();
    let mut supports = Supports::new(&points);
    for (a, point) in (0..8).zip(&points) {
        let held = if point[0] < 0.5 { 0..3 } else { 1..3 };
        held.for_each(|i| supports.fix(a, i, 0.0, 0).unwrap());
    }
    let loads = LoadsBuilder::default().finish(&points, 1);
    let mass = solid.mass().to_vec();
    let mut x = points.as_flattened().to_vec();
    x.iter_mut().step_by(3).for_each(|x| *x += 1e-7 * *x);
    let problem = SolidProblem::new(solid, loads, supports, vec![1]).with_mass_damping(|_| alpha);
    (Arc::new(problem), AviStart { t: 0.0, v: vec![0.0; x.len()], x, mass, step: vec![0.1] })
}

/// Elongation and velocity at a time, over the elongation at the start.
fn exact([alpha, beta]: [f64; 2], t: f64) -> f64 {
    let rate = 0.5 * (alpha + beta * SQUARE);
    let turn = (SQUARE - rate * rate).sqrt();
    (-rate * t).exp() * ((turn * t).cos() + rate / turn * (turn * t).sin())
}

#[test]
fn damped_oscillations_converge_to_the_closed_form() {
    let end = 6.0;
    for (damping, order) in [([0.3, 0.0], 2.0), ([0.0, 0.05], 1.0), ([0.2, 0.03], 1.0)] {
        let (problem, first) = oscillator(damping);
        let a = (0..8).find(|a| problem.solid().points()[3 * a] > 0.5).unwrap();
        let elongation = |x: &[f64]| (x[3 * a] - 1.0) / 1e-7;
        let wanted = exact(damping, end);
        let by_steps = |method: Method, n: u64| {
            let mut run = synchronous(&problem, &first, end / n as f64, method);
            (0..n).for_each(|_| run.step().unwrap());
            (elongation(run.positions()) - wanted).abs()
        };
        let by_events = |n: u64| {
            let first = AviStart { step: vec![end / n as f64], ..first.clone() };
            let mut run = Avi::with_midpoint_events(problem.clone(), first).unwrap();
            run.advance(end).unwrap();
            (elongation(&run.snapshot().unwrap().x) - wanted).abs()
        };
        let errors: [(&str, &dyn Fn(u64) -> f64); 3] = [
            ("explicit", &|n| by_steps(EXPLICIT, n)),
            ("midpoint", &|n| by_steps(Method::Midpoint { alpha: 0.5 }, n)),
            ("events", &by_events),
        ];
        for (name, error) in errors {
            let [coarse, fine] = [400, 1600].map(error);
            let measured = (coarse / fine).log2() / 2.0;
            assert!(measured > order - 0.15 && fine < 2e-3, "{name} {damping:?}: {measured} {fine:e}");
        }
    }
}

/// The largest stable step of a vibration whose rate is seen half a step late.
#[test]
fn steps_of_the_damped_limit_are_bounded_and_longer_ones_are_not() {
    let largest = |beta: f64, h: f64| {
        let (problem, first) = oscillator([0.0, beta]);
        let fixed = |i: usize| problem.supports().unwrap().is_fixed(i);
        let used = problem.solid().used_limit_of_free(&first.x, &[h], fixed).unwrap();
        let mut run = synchronous(&problem, &first, h, EXPLICIT);
        let mut most = 0.0_f64;
        for _ in 0..400 {
            // Far enough beyond the limit the cube is turned inside out.
            if run.step().is_err() {
                return (used, f64::INFINITY);
            }
            let stretch = |(x, p): (&f64, &f64)| (x - p).abs();
            most = run.positions().iter().zip(problem.solid().points()).map(stretch).fold(most, f64::max);
        }
        (used, most)
    };
    for xi in [0.1, 0.5, 2.0] {
        let omega = SQUARE.sqrt();
        let limit = damped_limit(2.0 / omega, 2.0 * xi / omega);
        assert!((limit * omega / 2.0 - ((1.0 + xi * xi).sqrt() - xi)).abs() < 1e-14);
        let beta = 2.0 * xi / omega;
        let (below, bounded) = largest(beta, 0.98 * limit);
        let (beyond, unbounded) = largest(beta, 1.02 * limit);
        assert!(below < 1.0 && beyond > 1.0, "{xi}: {below} {beyond}");
        assert!(bounded < 3e-7 && unbounded > 1e-5, "{xi}: {bounded:e} {unbounded:e}");
    }
}

#[test]
fn mass_damping_takes_rigid_momentum_exactly() {
    let alpha = 0.8;
    let made = setup(grid(ElementKind::Tet4, [4, 3, 3], [1.3, 1.0, 0.8], 1.6, 0.1), &rubber(0.0)).finish(0.4);
    let (problem, mut first) = with_mass_damping(made, |_| alpha);
    first.x = problem.solid().points().to_vec();
    first.v.chunks_exact_mut(3).for_each(|v| v.copy_from_slice(&[0.3, -0.2, 0.1]));
    let mass: f64 = problem.solid().mass().iter().sum();
    let left = |t: f64| (-alpha * t).exp();
    let first = rounded(&problem, &first);
    let mut run = Avi::with_boundary(problem.clone(), first.clone(), Boundary::Envelope).unwrap();
    let whole = run.snapshot().unwrap().kinetic;
    for t in [0.37, 1.1, 2.3] {
        run.advance(t).unwrap();
        let shot = run.snapshot().unwrap();
        let momentum: f64 = shot.v.iter().step_by(3).zip(problem.solid().mass()).map(|(v, m)| m * v).sum();
        assert!((momentum - 0.3 * mass * left(t)).abs() < 1e-12 * mass, "{t}");
        assert!((shot.kinetic - whole * left(2.0 * t)).abs() < 1e-12 * whole);
        assert!((shot.dissipated - whole * (1.0 - left(2.0 * t))).abs() < 1e-12 * whole);
        let way = 0.3 * (1.0 - left(t)) / alpha;
        assert!((shot.x[0] - first.x[0] - way).abs() < 1e-12);
        for balance in [run.linear_balance(), run.angular_balance()] {
            assert!(balance.residual() < 1e-13 * balance.scale, "{balance:?}");
        }
        for balance in run.balances_at_time().unwrap().0 {
            assert!(balance.residual() < 1e-12 * balance.scale, "{balance:?}");
        }
    }
    let mut run = synchronous(&problem, &first, 0.01, EXPLICIT);
    (0..230).for_each(|_| run.step().unwrap());
    let momentum: f64 = run.momenta().iter().step_by(3).sum();
    assert!((momentum - 0.3 * mass * left(2.3)).abs() < 1e-12 * mass);
    assert!((run.dissipated().unwrap() - whole * (1.0 - left(4.6))).abs() < 1e-12 * whole);
}

#[test]
fn only_the_group_is_damped() {
    let body = grid(ElementKind::Tet4, [6, 2, 2], [1.3, 1.0, 0.8], 1.0, 0.1);
    let solid = body.solid(&rubber(0.0), PlaneAssumption::Strain);
    let elements = solid.elements();
    let chosen = |k: usize| if 2 * k < elements { 0.5 } else { 0.0 };
    let mut of_node = vec![[false; 2]; solid.mass().len()];
    for (k, nodes) in body.elements().enumerate() {
        nodes.iter().for_each(|a| of_node[*a as usize][usize::from(chosen(k) > 0.0)] = true);
    }
    let (problem, _) = with_mass_damping(Setup::of(body, solid).finish(0.4), chosen);
    for ([outside, inside], rate) in of_node.into_iter().zip(problem.mass_damping().unwrap()) {
        match (outside, inside) {
            (true, false) => assert_eq!(*rate, 0.0),
            (false, _) => assert!((rate - 0.5).abs() < 1e-15),
            (true, true) => assert!(*rate > 0.0 && *rate < 0.5),
        }
    }
}

/// A body half of which is damped both ways, with loads and a support that moves.
fn damped(law: &ConstitutiveLaw, fraction: f64) -> (Arc<SolidProblem>, AviStart) {
    let made = setup(grid(ElementKind::Tet4, [4, 2, 2], [1.3, 1.0, 0.8], 1.4, 0.1), law)
        .gravity(&["0.1", "-0.3", "0"])
        .traction(&["sin(5*t)", "0.5*t*X", "0"], |p| p[0] > 1.1)
        .prescribe(1, "0.03*sin(4*t)+0.01*X*t", 1, |p| p[0] < 0.15)
        .finish(fraction);
    with_mass_damping(made, |k| if k % 3 == 0 { 0.7 } else { 0.0 })
}

#[test]
fn damped_runs_have_the_same_bits_for_all_schedulers_threads_and_restarts() {
    let (problem, first) = damped(&rubber(0.05), 0.5);
    compare(&problem, &rounded(&problem, &first), 0.5);
    free_schedule::check(
        || Avi::new(problem.clone(), first.clone()).unwrap(),
        &free_schedule::pieces(&first, 2.0),
    );
    state::check(|| Avi::new(problem.clone(), first.clone()).unwrap(), false);
    let levels = rounded(&problem, &first);
    state::check(|| Avi::with_boundary(problem.clone(), levels.clone(), Boundary::Envelope).unwrap(), false);
    let mut run = Avi::with_boundary(problem.clone(), levels, Boundary::Envelope).unwrap();
    run.advance(1.3).unwrap();
    assert!(run.snapshot().unwrap().dissipated > 0.0);
    for balance in [run.linear_balance(), run.angular_balance()] {
        assert!(balance.residual() < 1e-12 * balance.scale, "{balance:?}");
    }
    let h = first.step.iter().copied().fold(f64::INFINITY, f64::min);
    let mut one =
        Avi::new(problem.clone(), AviStart { step: vec![h; first.step.len()], ..first.clone() }).unwrap();
    one.advance(1.3 + 0.3 * h).unwrap();
    for balance in one.balances_at_time().unwrap().0 {
        assert!(balance.residual() < 1e-12 * balance.scale, "{balance:?}");
    }
    let mut run = synchronous(&problem, &first, h, EXPLICIT);
    (0..7).for_each(|_| run.step().unwrap());
    let saved = run.state();
    (0..9).for_each(|_| run.step().unwrap());
    let mut other = synchronous(&problem, &first, h, EXPLICIT);
    other.restore(&saved).unwrap();
    (0..9).for_each(|_| other.step().unwrap());
    assert_eq!(run.state(), other.state());
}

/// Momenta to rounding, energy and dissipation together as good as without damping as steps become shorter.
#[test]
fn momenta_and_energy_are_balanced_with_damping() {
    for (alpha, beta) in [(0.5, 0.0), (0.0, 0.05), (0.3, 0.03)] {
        let worst = |fraction: f64| {
            let made = setup(small(ElementKind::Tet4), &rubber(beta)).finish(fraction);
            let (problem, first) = with_mass_damping(made, |k| if k % 2 == 0 { alpha } else { 0.0 });
            let first = rounded(&problem, &first);
            let mut run = Avi::with_boundary(problem, first, Boundary::Envelope).unwrap();
            let start = run.snapshot().unwrap();
            let total = start.kinetic + start.potential;
            let (mut last, mut worst) = (0.0, 0.0_f64);
            for i in 1..=30 {
                run.advance(0.1 * f64::from(i)).unwrap();
                let now = run.snapshot().unwrap();
                assert!(now.dissipated >= last);
                last = now.dissipated;
                worst = worst.max(((now.kinetic + now.potential + now.dissipated - total) / total).abs());
                for balance in [run.linear_balance(), run.angular_balance()] {
                    assert!(balance.residual() < 1e-13 * balance.scale, "{balance:?}");
                }
            }
            assert!(last > 0.05 * total, "{alpha} {beta}: {last} of {total}");
            worst
        };
        let [coarse, fine] = [0.4, 0.1].map(worst);
        assert!(fine < 0.35 * coarse && fine < 5e-3, "{alpha} {beta}: {coarse:e} {fine:e}");
    }
}
