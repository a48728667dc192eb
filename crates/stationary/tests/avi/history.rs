//! Elements with memory in asynchronous and synchronous runs.

use super::bodies::*;
use super::harmonic_schedule::{compare, rounded};
use super::{free_schedule, state};
use stationary::integrate::Method;
use stationary::integrate::avi::{Avi, AviStart, Boundary};
use stationary::integrate::sparse::{Sparse, SparseStart};
use stationary::model::Potentials;
use stationary::model::solid::{
    ConstitutiveLaw, ElementKind, Hardening, J2, Lame, MaxwellBranch, PlaneAssumption, RateDependence,
    SolidProblem, Viscoelastic,
};
use std::sync::Arc;

type Run = Avi<Arc<SolidProblem>>;

/// Metal that yields early; with a rate, how long it takes matters, too.
fn metal(rate: bool) -> ConstitutiveLaw {
    let hardening = Hardening { linear: 0.1, ..Hardening::none(0.03) };
    let viscous = if rate { 0.02 } else { 0.0 };
    let rate = RateDependence { reference: 1.0, viscous, exponent: 0.5, ..RateDependence::NONE };
    ConstitutiveLaw::J2(J2::new(Lame::new(2.0, 1.0).unwrap(), hardening, rate).unwrap())
}

fn rubber() -> ConstitutiveLaw {
    let branches = vec![MaxwellBranch { mu: 0.5, time: 0.2 }, MaxwellBranch { mu: 0.2, time: 3.0 }];
    ConstitutiveLaw::Viscoelastic(Viscoelastic::new(Lame::new(2.0, 0.6).unwrap(), branches).unwrap())
}

fn setup(body: Body, law: &ConstitutiveLaw) -> Setup {
    let solid = body.solid(law, PlaneAssumption::Strain);
    Setup::of(body, solid)
}

/// A body with a traction in time, a weight and a support that moves.
fn pulled(kind: ElementKind, law: &ConstitutiveLaw) -> (Arc<SolidProblem>, AviStart) {
    setup(grid(kind, [4, 2, 2], [1.3, 1.0, 0.8], 1.4, 0.1), law)
        .gravity(&["0.1", "-0.3", "0"])
        .traction(&["sin(5*t)", "0.5*t*X", "0"], |p| p[0] > 1.1)
        .prescribe(1, "0.03*sin(4*t)+0.01*X*t", 1, |p| p[0] < 0.15)
        .finish(0.5)
}

#[test]
fn harmonic_schedule_has_the_bits_of_the_queue_with_memory() {
    for (law, kind) in [(metal(true), ElementKind::Tet4), (rubber(), ElementKind::Tri6)] {
        let (problem, first) = setup(small(kind), &law).finish(0.5);
        compare(&problem, &rounded(&problem, &first), 0.9);
        let (problem, first) = pulled(kind, &law);
        compare(&problem, &rounded(&problem, &first), 0.5);
    }
}

#[test]
fn harmonic_schedule_has_the_same_bits_on_several_threads_with_memory() {
    let (problem, first) =
        setup(grid(ElementKind::Tet4, [12, 10, 8], [1.3, 1.0, 0.8], 1.5, 0.05), &metal(true)).finish(0.4);
    let first = rounded(&problem, &first);
    let runs = [1, 2, 3].map(|threads| {
        let mut run = Avi::with_boundary(problem.clone(), first.clone(), Boundary::Envelope).unwrap();
        run.set_threads(threads);
        run.advance(0.5).unwrap();
        assert!(run.updates() > 300_000 && run.snapshot().unwrap().dissipated > 0.0);
        state::bits(&run.state())
    });
    assert!(runs.iter().all(|run| *run == runs[0]));
}

#[test]
fn free_schedule_has_the_bits_of_the_queue_with_memory() {
    let (problem, start) =
        setup(grid(ElementKind::Tet4, [4, 3, 3], [1.3, 1.0, 0.8], 1.6, 0.1), &metal(true)).finish(0.4);
    free_schedule::check(
        || Avi::new(problem.clone(), start.clone()).unwrap(),
        &free_schedule::pieces(&start, 2.5),
    );
    let (problem, start) = pulled(ElementKind::Tet4, &rubber());
    free_schedule::check(
        || Avi::new(problem.clone(), start.clone()).unwrap(),
        &free_schedule::pieces(&start, 2.0),
    );
}

#[test]
fn runs_with_memory_continue_from_a_state_with_the_same_bits() {
    let (problem, start) = pulled(ElementKind::Tet4, &metal(true));
    state::check(|| Avi::new(problem.clone(), start.clone()).unwrap(), true);
    state::check(|| changing(problem.clone(), start.clone()), false);
    let levels = rounded(&problem, &start);
    let boundary = Boundary::Envelope;
    state::check(|| Avi::with_boundary(problem.clone(), levels.clone(), boundary).unwrap(), false);
}

/// Momenta to rounding; energy lost is energy dissipated, which never falls.
#[test]
fn momenta_are_exact_and_energy_is_dissipated_in_asynchronous_runs_with_memory() {
    for law in [metal(false), metal(true), rubber()] {
        let (problem, mut first) = setup(small(ElementKind::Tet4), &law).finish(0.3);
        // At rest and then pulled apart: a start beyond yield would flow at once, in one increment.
        first.x = problem.solid().points().to_vec();
        for (v, x) in first.v.chunks_exact_mut(3).zip(problem.solid().points().chunks_exact(3)) {
            v[0] += 0.6 * (x[0] - 0.6);
            v[1] -= 0.3 * (x[1] - 0.5);
        }
        let first = rounded(&problem, &first);
        let mut run = Avi::with_boundary(problem.clone(), first, Boundary::Envelope).unwrap();
        let start = run.snapshot().unwrap();
        let total = start.kinetic + start.potential;
        let mut last = start.dissipated;
        for i in 1..=40 {
            run.advance(0.1 * f64::from(i)).unwrap();
            let now = run.snapshot().unwrap();
            assert!(now.dissipated >= last);
            last = now.dissipated;
            let error = (now.kinetic + now.potential + now.dissipated - total) / total;
            assert!(error.abs() < 5e-3, "{i}: {error:e}");
            for balance in [run.linear_balance(), run.angular_balance()] {
                assert!(balance.residual() < 1e-13 * balance.scale, "{balance:?}");
            }
        }
        let part = last / total;
        assert!(part > 0.1, "{part}");
    }
}

/// One step for all by both engines.
#[test]
fn newmark_has_the_same_motion_in_both_engines_with_memory() {
    for law in [metal(true), rubber()] {
        let (problem, mut first) = setup(small(ElementKind::Tet4), &law).finish(0.4);
        let h = first.step.iter().copied().fold(f64::INFINITY, f64::min);
        first.step.fill(h);
        let mut one = Avi::new(problem.clone(), first.clone()).unwrap();
        let mut other = synchronous(&problem, &first, h, Method::Newmark { beta: 0.0, gamma: 0.5 });
        (0..200).for_each(|_| other.step().unwrap());
        one.advance(other.elapsed()).unwrap();
        let shot = one.snapshot().unwrap();
        assert!(distance(&shot.x, other.positions()) < 1e-11);
        let [kinetic, potential] = other.energy().unwrap();
        let lost = other.dissipated().unwrap();
        assert!((shot.kinetic - kinetic).abs() < 1e-11 && (shot.potential - potential).abs() < 1e-11);
        assert!((shot.dissipated - lost).abs() < 1e-11 && lost > 0.01 * kinetic, "{lost}");
    }
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

/// Local steps, one explicit step and implicit methods all lead to the same motion as steps become shorter.
#[test]
fn all_methods_converge_to_one_motion_with_memory() {
    for law in [metal(false), rubber()] {
        let (problem, first) = setup(small(ElementKind::Tet4), &law).finish(0.4);
        let h = first.step.iter().copied().fold(f64::INFINITY, f64::min);
        let steps = (1.0 / h).ceil();
        let (end, h) = (1.0, 1.0 / steps);
        let whole = |method: Method, parts: f64| {
            let mut run = synchronous(&problem, &first, h / parts, method);
            (0..(steps * parts) as u64).for_each(|_| run.step().unwrap());
            run.positions().to_vec()
        };
        let explicit = Method::Newmark { beta: 0.0, gamma: 0.5 };
        let reference = whole(explicit, 16.0);
        let local = |parts: f64| {
            let mut first = rounded(&problem, &first);
            let least = first.step.iter().copied().fold(f64::INFINITY, f64::min);
            first.step.iter_mut().for_each(|s| *s *= h / parts / least);
            let mut run = Avi::with_boundary(problem.clone(), first, Boundary::Envelope).unwrap();
            run.advance(end).unwrap();
            run.snapshot().unwrap().x
        };
        let trapezoidal = Method::Newmark { beta: 0.25, gamma: 0.5 };
        let midpoint = Method::Midpoint { alpha: 0.5 };
        let errors = |run: &dyn Fn(f64) -> Vec<f64>| [1.0, 4.0].map(|p| distance(&run(p), &reference));
        for (name, [coarse, fine]) in [
            ("explicit", errors(&|p| whole(explicit, p))),
            ("local", errors(&local)),
            ("trapezoidal", errors(&|p| whole(trapezoidal, p))),
            ("midpoint", errors(&|p| whole(midpoint, p))),
        ] {
            assert!(fine < 0.35 * coarse && fine < 1e-3, "{name}: {coarse:e} {fine:e}");
        }
    }
}

#[test]
fn implicit_runs_with_memory_continue_from_a_state_with_the_same_bits() {
    let (problem, first) = setup(small(ElementKind::Tet4), &metal(true)).finish(0.4);
    let h = 2.0 * first.step.iter().copied().fold(f64::INFINITY, f64::min);
    for method in [Method::Newmark { beta: 0.25, gamma: 0.5 }, Method::Midpoint { alpha: 0.5 }] {
        let new = || synchronous(&problem, &first, h, method);
        let mut run = new();
        (0..7).for_each(|_| run.step().unwrap());
        let saved = run.state();
        (0..9).for_each(|_| run.step().unwrap());
        let mut other = new();
        other.restore(&saved).unwrap();
        (0..9).for_each(|_| other.step().unwrap());
        assert_eq!(run.state(), other.state(), "{method}");
        assert!(run.dissipated().unwrap() > 0.0);
    }
    let backwards = Method::Verlet { order: 4 };
    let start = SparseStart { t: 0.0, h, x: first.x.clone(), v: first.v };
    let refused = Sparse::new(problem, backwards, start, 1e-14).err().unwrap().to_string();
    assert!(refused.contains("backwards in time"), "{refused}");
}

#[test]
fn rescaled_steps_keep_the_snapshot_with_memory() {
    let (problem, first) = pulled(ElementKind::Tet4, &metal(true));
    let mut run: Run = Avi::with_midpoint_events(problem.clone(), rounded(&problem, &first)).unwrap();
    run.advance(0.43).unwrap();
    let before = run.snapshot().unwrap();
    run.rescale_steps(0.7).unwrap();
    let after = run.snapshot().unwrap();
    assert!(distance(&before.x, &after.x) < 1e-14 && distance(&before.v, &after.v) < 1e-11);
    assert_eq!(before.dissipated, after.dissipated);
    assert!((before.potential - after.potential).abs() < 1e-12);
    run.advance(0.9).unwrap();
    assert!(run.snapshot().unwrap().dissipated > before.dissipated);
    assert!(problem.count() > 0);
}
