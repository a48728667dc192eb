//! Laws of steps whose length the energy chooses: exact derivatives in the length, the energy kept to rounding, the
//! spacetime form, momenta, order, and what happens where there is no length.

use super::broken::WrongImpulse;
use super::systems::{self, Problem, constraints, force, lagrangian};
use stationary::action::{DiscreteLagrangian, Galerkin, Leg, Slots};
use stationary::integrate::{
    BuildError, EnergyStepSpec, EnergySteps, Integrator, Interactions, Method, Turning,
};
use stationary::laws;
use stationary::linalg::max_abs;

const MIDPOINT: Method = Method::Midpoint { alpha: 0.5 };

/// The methods that can have such steps.
fn adaptive() -> Vec<Method> {
    vec![
        MIDPOINT,
        Method::Trapezoidal { alpha: 0.5 },
        Method::Verlet { order: 2 },
        Method::Gauss { stages: 2 },
        Method::Gauss { stages: 3 },
        Method::Lobatto { points: 3 },
        Method::Lobatto { points: 4 },
    ]
}

fn problems() -> Vec<Problem> {
    vec![systems::pendulum(), systems::henon_heiles(), systems::kepler(), systems::double_pendulum()]
}

/// The double well of SEM99 8.1, at rest for one step.
fn double_well(q: f64, h: f64) -> Problem {
    let system = lagrangian("0.5*vx^2 - 0.5*(x^4 - x^2)", 1);
    let p = MIDPOINT.momentum_between(system.clone(), (0.0, h), &[q], &[q]).unwrap();
    Problem { name: "double well", system, q: vec![q], p, length: 100.0 }
}

fn start(problem: &Problem, method: Method, h: f64, turning: Turning) -> Box<dyn Integrator> {
    let choice = EnergyStepSpec { turning, ..EnergyStepSpec::default() };
    let start = problem.start(h);
    method.start_energy(problem.system.clone(), &Interactions::default(), &start, (choice, 1e-15)).unwrap()
}

/// Largest changes of the discrete energy of steps that keep it and of the others, and the number of the others.
fn kept(x: &mut dyn Integrator, steps: u64) -> ([f64; 2], u64) {
    let (mut worst, mut flagged, mut initial) = ([0.0; 2], 0, f64::NAN);
    for _ in 0..steps {
        x.advance(1).unwrap();
        let (energy, adaption) = (x.discrete_energy().unwrap(), x.adaption().unwrap());
        if initial.is_nan() {
            initial = energy;
        }
        flagged += u64::from(adaption.flagged);
        let (error, worst) = ((energy - initial).abs(), &mut worst[usize::from(adaption.flagged)]);
        if error > *worst || error.is_nan() {
            *worst = error;
        }
    }
    (worst, flagged)
}

/// `D_j D3` and `D3 D3` against differences of `D_j` and `D3`, and the rest against `second`.
fn check_length<D: DiscreteLagrangian>(name: &str, mut ld: D, n: usize) {
    let s = ld.pieces();
    let mut leg = Leg::new(n, s);
    (leg.t, leg.h) = (0.4, 0.13);
    leg.q.iter_mut().enumerate().for_each(|(i, q)| *q = 0.8 + 0.3 * i as f64);
    leg.u.iter_mut().enumerate().for_each(|(i, u)| *u = 0.05 + 0.013 * (i as f64 * 1.7).sin());
    let width = (s + 1) * n;
    let all = [0..s + 1, 0..s + 1];
    let (mut d, mut dd, mut mixed) = (vec![0.0; width], vec![0.0; width * width], vec![f64::NAN; width]);
    let length = ld.second_in_length(&leg, all, &mut d, &mut dd, &mut mixed).unwrap();
    let (mut d2, mut dd2) = (vec![0.0; width], vec![0.0; width * width]);
    ld.second(&leg, &mut d2, &mut dd2, 0..s + 1, 0..s + 1);
    let close = |a: f64, b: f64, what: &str| {
        assert!((a - b).abs() < 1e-7 * (1.0 + b.abs()), "{name} {what}: {a} {b}");
    };
    d.iter().zip(&d2).chain(dd.iter().zip(&dd2)).for_each(|(a, b)| close(*a, *b, "as `second`"));
    let mut at = |h: f64| {
        let mut slots = Slots::new(n, s);
        ld.first(&Leg { h, ..leg.clone() }, &mut slots);
        slots
    };
    let (centre, e) = (at(leg.h), 1e-5);
    close(length.d3, centre.d3, "D3");
    let (plus, minus) = (at(leg.h + e), at(leg.h - e));
    close(length.d33, (plus.d3 - minus.d3) / (2.0 * e), "D3 D3");
    for j in 0..width {
        close(mixed[j], (plus.d[j] - minus.d[j]) / (2.0 * e), "D_j D3");
    }
    assert!(length.size >= length.d3.abs());
}

#[test]
fn derivatives_in_the_length_match_differences() {
    for problem in problems() {
        let (l, n) = (|| problem.system.clone(), problem.q.len());
        check_length("midpoint", Galerkin::midpoint(l(), 0.3), n);
        check_length("trapezoidal", Galerkin::trapezoidal(l(), 0.2), n);
        check_length("gauss", Galerkin::gauss(l(), 3), n);
        check_length("lobatto", Galerkin::lobatto(l(), 4), n);
    }
    // Velocities and positions that do not separate, from text.
    check_length("text", Galerkin::gauss(lagrangian("0.5*(1+x^2)*vx^2 + x*vx - cos(x)", 1), 2), 1);
}

#[test]
fn the_energy_is_kept_to_rounding_where_a_length_keeps_it() {
    for problem in problems() {
        for method in adaptive() {
            let mut x = start(&problem, method, 0.05, Turning::First);
            let (worst, flagged) = kept(x.as_mut(), 2000);
            assert!(worst[0] < 1e-13, "{} {method}: {worst:?}, {flagged} flagged", problem.name);
            // At high orders the energy of a short step does not depend on its length but by rounding.
            assert!(
                flagged < 2000 || method.order() > 4,
                "{} {method}: no step keeps the energy",
                problem.name
            );
        }
    }
}

/// Away from flagged steps, a hundred times below fixed ones.
#[test]
fn fixed_steps_change_the_energy_a_hundred_times_more() {
    for (q, flags) in [(0.74, false), (0.995, true), (1.0, true), (1.001, true)] {
        let problem = double_well(q, 0.1);
        let mut fixed = MIDPOINT.start(problem.system.clone(), &problem.start(0.1), 1e-15).unwrap();
        let (mut initial, mut worst) = (f64::NAN, 0.0_f64);
        for _ in 0..1000 {
            fixed.advance(1).unwrap();
            let energy = fixed.discrete_energy().unwrap();
            initial = if initial.is_nan() { energy } else { initial };
            worst = worst.max((energy - initial).abs());
        }
        for (_, turning) in Turning::ALL.iter().filter(|(_, t)| *t != Turning::Reset) {
            let (kept, flagged) = kept(start(&problem, MIDPOINT, 0.1, *turning).as_mut(), 1000);
            assert!(100.0 * kept[0] < worst, "{q} {turning}: {kept:?} against {worst:e}");
            assert!(kept[1] < worst, "{q} {turning}: {kept:?} against {worst:e}");
            assert_eq!(flagged > 0, flags, "{q} {turning}: {flagged} flagged");
        }
    }
}

/// `dq1 ^ dp1 + dE ^ dh = dq0 ^ dp0` on all pairs of variations: the largest error relative to the squared tangent, and the
/// same without the term of energy and length.
fn spacetime_residual(tangent: &[f64], n: usize) -> [f64; 2] {
    let m = 2 * n + 1;
    let mut worst: [f64; 2] = [0.0; 2];
    for a in 0..m {
        for b in 0..a {
            let at = |row: usize, column: usize| tangent[row * m + column];
            let mut form: f64 = (0..n).map(|i| at(i, a) * at(n + i, b) - at(i, b) * at(n + i, a)).sum();
            if a == b + n && a < 2 * n {
                form += 1.0;
            }
            let energy = |column: usize| f64::from(u8::from(column == 2 * n));
            let spacetime = energy(a) * at(2 * n, b) - energy(b) * at(2 * n, a);
            for (worst, x) in worst.iter_mut().zip([form + spacetime, form]) {
                // A NaN stays.
                *worst = if x.abs() <= *worst { *worst } else { x.abs() };
            }
        }
    }
    let size = max_abs(tangent).max(1.0);
    worst.map(|x| x / (size * size))
}

#[test]
fn the_spacetime_form_is_kept() {
    for problem in [systems::pendulum(), systems::henon_heiles(), systems::double_pendulum()] {
        let n = problem.q.len();
        let mut tangent = vec![0.0; (2 * n + 1) * (2 * n + 1)];
        let ld = || Galerkin::midpoint(problem.system.clone(), 0.5);
        let mut x = EnergySteps::new(ld(), &problem.start(0.1), EnergyStepSpec::default()).unwrap();
        let mut twin =
            EnergySteps::new(WrongImpulse(ld()), &problem.start(0.1), EnergyStepSpec::default()).unwrap();
        let mut seen: f64 = 0.0;
        for step in 0..50 {
            x.advance(1).unwrap();
            twin.advance(1).unwrap();
            assert!(x.spacetime_tangent(&mut tangent));
            let residual = spacetime_residual(&tangent, n);
            assert!(residual[0] < 1e-12, "{} {step}: {residual:?}", problem.name);
            let flagged = x.adaption().unwrap().flagged || twin.adaption().unwrap().flagged;
            if step > 0 && !flagged {
                // Without the energy it is no form, and a wrong derivative in the length is noticed.
                assert!(residual[1] > 1e-9, "{} {step}: {residual:?}", problem.name);
                assert!(twin.spacetime_tangent(&mut tangent));
                seen = seen.max(spacetime_residual(&tangent, n)[0]);
            }
        }
        assert!(seen > 1e-10, "{}: the broken twin passes with {seen:e}", problem.name);
    }
}

#[test]
fn steps_of_one_energy_are_symplectic() {
    for problem in problems() {
        for method in adaptive() {
            let mut x = start(&problem, method, 0.05, Turning::First);
            let residual = laws::worst_symplectic_residual(x.as_mut(), 200);
            assert!(residual < 1e-11, "{} {method}: {residual:e}", problem.name);
        }
    }
}

/// Largest relative change of the angular momentum.
fn angular_drift(x: &mut dyn Integrator, steps: u64) -> f64 {
    let momentum = |x: &dyn Integrator| {
        let view = x.view();
        view.q[0] * view.p[1] - view.q[1] * view.p[0]
    };
    let (initial, mut worst) = (momentum(x), 0.0_f64);
    for _ in 0..steps / 500 {
        x.advance(500).unwrap();
        let change = (momentum(x) / initial - 1.0).abs();
        worst = if change > worst || change.is_nan() { change } else { worst };
    }
    worst
}

#[test]
fn angular_momentum_is_kept_by_steps_of_every_length() {
    let problem = systems::kepler();
    for method in [MIDPOINT, Method::Gauss { stages: 2 }] {
        for turning in [Turning::First, Turning::Hold] {
            let mut x = start(&problem, method, 0.0632, turning);
            let drift = angular_drift(x.as_mut(), 300_000);
            assert!(drift < 1e-12, "{method} {turning}: {drift:e}");
        }
    }
    // Where the paper's minimisation takes over, momentum is lost: in a plane ring of wells that the orbit leaves.
    let system = lagrangian("0.5*(vx^2 + vy^2) - 0.5*((x^2 + y^2)^2 - x^2 - y^2)", 2);
    let ring = Problem { name: "ring", system, q: vec![1.0, 0.0], p: vec![0.05, 0.02], length: 100.0 };
    for (_, turning) in Turning::ALL {
        let choice = EnergyStepSpec { smallest: 0.2, turning, ..EnergyStepSpec::default() };
        let interactions = Interactions::default();
        let mut x = MIDPOINT
            .start_energy(ring.system.clone(), &interactions, &ring.start(0.1), (choice, 1e-15))
            .unwrap();
        let (_, flagged) = kept(x.as_mut(), 2000);
        assert!(flagged > 0, "{turning}: the ring has a saddle");
        let drift = angular_drift(x.as_mut(), 2000);
        assert_eq!(drift > 1e-9, turning == Turning::Minimise, "{turning}: {drift:e}");
    }
}

/// Positions and momenta at the time that so many first steps take, against a fine run to that very time.
fn error(problem: &Problem, method: Method, count: u64) -> f64 {
    let mut x = start(problem, method, problem.length / count as f64, Turning::First);
    while x.view().t < problem.length {
        x.advance(1).unwrap();
        assert!(!x.adaption().unwrap().flagged, "{} {method}", problem.name);
    }
    let fine = problem.start(x.view().t / 200.0);
    let mut reference = Method::Gauss { stages: 8 }.start(problem.system.clone(), &fine, 1e-15).unwrap();
    reference.advance(200).unwrap();
    let (a, b) = (x.view(), reference.view());
    let difference: Vec<f64> = a.q.iter().chain(a.p).zip(b.q.iter().chain(b.p)).map(|(x, y)| x - y).collect();
    max_abs(&difference)
}

#[test]
fn steps_of_chosen_length_have_the_order_of_the_method() {
    for problem in [systems::pendulum(), Problem { length: 4.0, ..systems::henon_heiles() }] {
        let counts = [80, 113, 160, 226, 320];
        let steps = counts.map(|count| problem.length / count as f64);
        let errors = counts.map(|count| error(&problem, MIDPOINT, count));
        let order = laws::order(&steps, &errors, 1e-12).unwrap();
        assert!((order - 2.0).abs() < 0.15, "{}: {order} from {errors:?}", problem.name);
    }
}

/// With `L_d - S = h^3 (|V'|^2 + v.V'' v)/24` the lengths follow `h^3 (|V'|^2 + v.V'' v) = const`, the better the smaller they are.
#[test]
fn lengths_follow_the_error_of_the_action() {
    let problem = systems::pendulum();
    let spread = |h: f64| {
        let mut x = start(&problem, MIDPOINT, h, Turning::First);
        let (mut least, mut most, mut shortest, mut longest) = (f64::MAX, 0.0_f64, f64::MAX, 0.0_f64);
        while x.view().t < 20.0 {
            let (q0, t0) = (x.view().q[0], x.view().t);
            x.advance(1).unwrap();
            let h = x.adaption().unwrap().length;
            assert!((x.view().t - t0 - h).abs() < 1e-13);
            let (q, v) = (0.5 * (q0 + x.view().q[0]), (x.view().q[0] - q0) / h);
            let constant = h.powi(3) * (q.sin().powi(2) + v * v * q.cos());
            (least, most) = (least.min(constant), most.max(constant));
            (shortest, longest) = (shortest.min(h), longest.max(h));
        }
        assert!(longest > 1.05 * shortest, "lengths vary");
        most / least - 1.0
    };
    let (coarse, fine) = (spread(0.1), spread(0.05));
    assert!(coarse < 0.02 && fine < 0.35 * coarse, "{coarse} {fine}");
}

#[test]
fn at_rest_and_without_forces_every_length_is_right() {
    let rest = Problem { q: vec![0.5_f64.sqrt()], p: vec![0.0], ..double_well(0.74, 0.1) };
    let free =
        Problem { name: "free", system: lagrangian("0.5*vx^2", 1), q: vec![0.0], p: vec![0.7], length: 1.0 };
    for problem in [rest, free] {
        let mut x = start(&problem, MIDPOINT, 0.1, Turning::First);
        let (worst, flagged) = kept(x.as_mut(), 1000);
        assert!(worst[0] < 1e-15 && flagged == 0, "{}: {worst:?} {flagged}", problem.name);
        assert!((x.view().t - 100.0).abs() < 1e-9, "{}: {}", problem.name, x.view().t);
        assert!((x.view().q[0] - problem.q[0] - 100.0 * problem.p[0]).abs() < 1e-7, "{}", problem.name);
    }
}

#[test]
fn methods_and_systems_whose_energy_cannot_choose_steps_are_refused() {
    let problem = systems::henon_heiles();
    let refused = |problem: &Problem, method: Method, interactions: &Interactions| {
        let choice = (EnergyStepSpec::default(), 1e-15);
        match method.start_energy(problem.system.clone(), interactions, &problem.start(0.1), choice) {
            Err(BuildError::Unsuited(why)) => why.contains("steps chosen by the energy"),
            _ => false,
        }
    };
    let none = Interactions::default();
    for method in [
        Method::RungeKutta4,
        Method::Verlet { order: 4 },
        Method::Newmark { beta: 0.25, gamma: 0.5 },
        Method::Newmark { beta: 0.0, gamma: 0.7 },
    ] {
        assert!(refused(&problem, method, &none), "{method}");
    }
    assert!(refused(&problem, MIDPOINT, &force(&["-vx", "-vy"])));
    assert!(refused(&problem, MIDPOINT, &constraints(&["x^2 + y^2 - 0.1"], 2)));
    assert!(refused(&systems::shaken(), MIDPOINT, &none));
    assert!(adaptive().iter().all(|method| !refused(&problem, *method, &none)));
}

#[test]
fn energy_steps_fail_with_the_time_where_a_number_is_not_finite() {
    // Beyond x = 1 there is no potential, and the particle runs there.
    let system = lagrangian("0.5*vx^2 + sqrt(1 - x)", 1);
    let problem = Problem { name: "edge", system, q: vec![0.0], p: vec![2.0], length: 1.0 };
    for (_, turning) in Turning::ALL {
        let mut x = start(&problem, MIDPOINT, 0.05, turning);
        let mut twin = start(&problem, MIDPOINT, 0.05, turning);
        let Err(error) = x.advance(100_000) else { panic!("{turning}: {:?}", x.view()) };
        assert!(error.step > 0 && error.time > 0.3 && error.time < 1.2, "{turning}: {error}");
        twin.advance(error.step).unwrap();
        assert_eq!((x.view().q, x.view().p, x.view().t), (twin.view().q, twin.view().p, twin.view().t));
    }
}

#[test]
fn grouping_chosen_steps_changes_no_bit() {
    let problem = double_well(1.001, 0.1);
    for (_, turning) in Turning::ALL {
        let (mut one, mut other) =
            (start(&problem, MIDPOINT, 0.1, turning), start(&problem, MIDPOINT, 0.1, turning));
        one.advance(300).unwrap();
        for steps in [1, 7, 92, 200] {
            other.advance(steps).unwrap();
            other.discrete_energy();
            other.tangent(&mut [0.0; 4]);
        }
        assert_eq!(
            (one.view().q, one.view().p, one.view().t),
            (other.view().q, other.view().p, other.view().t)
        );
    }
}
