//! Other time steps in the middle of a run, a factor for all and halves of some: what is conserved, what is accurate, and what is bit-identical.

use super::bodies::*;
use super::state::bits;
use stationary::integrate::avi::{Avi, AviStart, Boundary, Buffer, Snapshot, halvings_for, harmonic, levels};
use stationary::model::solid::{ElementKind, SolidProblem};
use std::sync::Arc;

type Run = Avi<Arc<SolidProblem>>;

/// Events at the ends and in the middle of time steps, free and harmonic.
fn runs(problem: &Arc<SolidProblem>, start: &AviStart) -> [Run; 4] {
    let ticks = AviStart { step: harmonic(problem, &start.step, true), ..start.clone() };
    let ends = |start: &AviStart| Avi::new(problem.clone(), start.clone()).unwrap();
    let middles = |start: &AviStart| Avi::with_midpoint_events(problem.clone(), start.clone()).unwrap();
    [ends(start), middles(start), ends(&ticks), middles(&ticks)]
}

/// Those, and one with envelopes between levels.
fn all_runs(problem: &Arc<SolidProblem>, start: &AviStart) -> Vec<Run> {
    let ticks = AviStart { step: harmonic(problem, &start.step, Buffer::Jump), ..start.clone() };
    let envelope = Avi::with_boundary(problem.clone(), ticks, Boundary::Envelope).unwrap();
    runs(problem, start).into_iter().chain([envelope]).collect()
}

/// Lets every so manyth element have less than a third of its first time step, and its neighbours what levels need.
fn refine(run: &mut Run, every: usize) {
    let halvings = run.halvings().to_vec();
    let part = |k: usize| f64::from(halvings.get(k).copied().unwrap_or(0)).exp2();
    let whole: Vec<f64> = run.steps().iter().enumerate().map(|(k, h)| part(k) * h).collect();
    let most: Vec<f64> =
        whole.iter().enumerate().map(|(k, h)| if k % every == 1 { 0.3 * h } else { *h }).collect();
    let was_harmonic = levels(&whole).is_some();
    let before = run.steps().to_vec();
    run.refine_steps(&halvings_for(run.potentials(), &whole, &most)).unwrap();
    assert!(run.steps().iter().zip(&most).all(|(h, most)| h <= most));
    assert!(run.steps().iter().zip(&before).any(|(h, before)| h < before), "some are halved");
    assert_eq!(levels(run.steps()).is_some(), was_harmonic);
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The largest difference of two snapshots.
fn difference(a: &Snapshot, b: &Snapshot) -> f64 {
    let energies = |s: &Snapshot| [s.kinetic, s.potential, s.work, s.t];
    let of_nodes = largest_difference(&a.x, &b.x).max(largest_difference(&a.v, &b.v));
    of_nodes.max(largest_difference(&energies(a), &energies(b)))
}

#[test]
fn avi_rescaled_free_body_conserves_momenta_to_rounding() {
    for kind in [ElementKind::Tri6, ElementKind::Tet4] {
        let (problem, start) = Setup::new(small(kind)).finish(0.4);
        for mut run in all_runs(&problem, &start) {
            let before = [run.linear_balance(), run.angular_balance()];
            for (round, factor) in [0.75, 0.85, 1.3, 0.5].into_iter().enumerate() {
                run.advance(0.21 * (round + 1) as f64).unwrap();
                run.rescale_steps(factor).unwrap();
                run.advance(0.21 * (round + 1) as f64 + 0.1).unwrap();
                refine(&mut run, 3 + round);
            }
            run.refine_steps(&[]).unwrap();
            run.advance(1.0).unwrap();
            for (now, before) in [run.linear_balance(), run.angular_balance()].iter().zip(&before) {
                assert!(distance(&now.now, &before.start) < 1e-13 * now.scale, "{now:?}");
            }
        }
    }
}

#[test]
fn avi_snapshot_and_balances_are_the_same_before_and_after_a_rescale_under_every_load() {
    for kind in [ElementKind::Tri3, ElementKind::Tri6, ElementKind::Tet4] {
        let (problem, start) = everything(kind, 0.4);
        for mut run in runs(&problem, &start) {
            for round in 1..=4 {
                run.advance(0.17 * f64::from(round)).unwrap();
                let before = run.snapshot().unwrap();
                let (balances, reactions) = run.balances_at_time().unwrap();
                let events = run.events();
                match round {
                    1 | 3 => run.rescale_steps(0.8).unwrap(),
                    2 => refine(&mut run, 4),
                    _ => run.refine_steps(&[]).unwrap(),
                }
                assert_eq!(run.events(), events, "counts continue");
                assert!(difference(&run.snapshot().unwrap(), &before) < 1e-12);
                let (after, reactions_after) = run.balances_at_time().unwrap();
                for (after, before) in after.iter().zip(&balances) {
                    assert!(after.residual() < 1e-12 * after.scale, "{after:?}");
                    assert!(distance(&after.now, &before.now) < 1e-12, "{after:?} {before:?}");
                    assert!(distance(&after.loads, &before.loads) < 1e-12, "{after:?} {before:?}");
                }
                let flat = |all: &[[f64; 3]]| all.as_flattened().to_vec();
                assert!(largest_difference(&flat(&reactions_after), &flat(&reactions)) < 1e-12);
                for balance in [run.linear_balance(), run.angular_balance()] {
                    assert!(balance.residual() < 1e-12 * balance.scale, "{balance:?}");
                }
            }
        }
    }
}

/// Without loads nothing but positions, velocities and steps decides how a run goes on.
#[test]
fn avi_rescaled_run_goes_on_as_a_run_started_at_its_snapshot() {
    let (problem, start) = Setup::new(small(ElementKind::Tet4)).finish(0.4);
    for (which, mut run) in runs(&problem, &start).into_iter().enumerate() {
        run.advance(0.3).unwrap();
        let Snapshot { t, x, v, .. } = run.snapshot().unwrap();
        run.rescale_steps(0.7).unwrap();
        refine(&mut run, 5);
        let anew = AviStart { t, x, v, mass: start.mass.clone(), step: run.steps().to_vec() };
        let mut other = match which % 2 {
            0 => Avi::new(problem.clone(), anew).unwrap(),
            _ => Avi::with_midpoint_events(problem.clone(), anew).unwrap(),
        };
        let before = run.updates();
        run.advance(0.8).unwrap();
        other.advance(0.8).unwrap();
        let [one, two] = [&run, &other].map(|run| run.snapshot().unwrap());
        assert!(largest_difference(&one.x, &two.x).max(largest_difference(&one.v, &two.v)) < 1e-11);
        assert_eq!(run.updates() - before, other.updates());
        assert!((one.t - two.t).abs() < 1e-15);
    }
}

/// With equal steps the method is of second order, and stays so through a rescale. A run that goes on with the velocities that nodes have
/// after their last kicks, with half a step of impulses ahead, is of first order.
#[test]
fn avi_with_equal_steps_is_second_order_accurate_through_a_rescale() {
    let (problem, start) = Setup::new(small(ElementKind::Tri3)).finish(0.4);
    let smallest = start.step.iter().copied().fold(f64::INFINITY, f64::min);
    let end = 0.6;
    let at = |divisor: f64, broken: bool| {
        let step = vec![smallest / divisor; start.step.len()];
        let first = AviStart { step, ..start.clone() };
        let mut run = Avi::with_midpoint_events(problem.clone(), first.clone()).unwrap();
        // After an event: impulses of half a step are ahead.
        let events = (0.5 * end / smallest).floor() * divisor + 0.5;
        run.advance(events * first.step[0] * (1.0 + 1e-9)).unwrap();
        if broken {
            let Snapshot { t, x, .. } = run.snapshot().unwrap();
            let step = first.step.iter().map(|h| 0.75 * h).collect();
            let anew = AviStart { t, x, v: run.velocities().to_vec(), step, ..first };
            run = Avi::with_midpoint_events(problem.clone(), anew).unwrap();
        } else {
            run.rescale_steps(0.75).unwrap();
        }
        run.advance(end).unwrap();
        run.snapshot().unwrap().x
    };
    let exact = at(64.0, false);
    let order = |broken: bool| {
        let error = |divisor: f64| largest_difference(&at(divisor, broken), &exact);
        (error(2.0) / error(8.0)).log2() / 2.0
    };
    let right = order(false);
    assert!((1.8..2.4).contains(&right), "{right}");
    let broken = order(true);
    assert!((0.7..1.3).contains(&broken), "{broken}");
}

#[test]
fn avi_rescaled_run_has_the_same_bits_on_several_threads_and_under_every_scheduler() {
    let body = grid(ElementKind::Tet4, [10, 6, 5], [1.3, 1.0, 0.8], 1.5, 0.05);
    let setup = Setup::new(body)
        .gravity(&["0.1", "-0.3", "0"])
        .traction(&["sin(5*t)", "0", "0"], |p| p[1] > 0.95)
        .fix(&[0, 1], 0, |p| p[0] < 0.03);
    let (problem, start) = setup.finish(0.4);
    for which in 0..5 {
        let whole = |threads: usize, queue: bool| {
            let mut run = all_runs(&problem, &start).into_iter().nth(which).unwrap();
            run.set_threads(threads);
            if queue {
                run.use_priority_queue();
            }
            run.advance(0.1).unwrap();
            run.rescale_steps(0.75).unwrap();
            run.advance(0.15).unwrap();
            refine(&mut run, 97);
            run.advance(0.2).unwrap();
            run.rescale_steps(0.85).unwrap();
            run.advance(0.25).unwrap();
            bits(&run.state())
        };
        let reference = whole(1, true);
        for threads in [1, 2, 3] {
            assert_eq!(whole(threads, false), reference, "{which}, {threads} threads");
        }
    }
}

#[test]
fn avi_restored_run_ends_with_the_same_bits_after_a_rescale() {
    let (problem, start) = everything(ElementKind::Tri6, 0.4);
    for which in 0..5 {
        for local in [false, true] {
            let fresh = || {
                let mut run = all_runs(&problem, &start).into_iter().nth(which).unwrap();
                if local {
                    run.follow_local_energy(1e-9);
                }
                run
            };
            let mut whole = fresh();
            whole.advance(0.31).unwrap();
            let first = whole.state();
            whole.rescale_steps(0.75).unwrap();
            whole.advance(0.35).unwrap();
            refine(&mut whole, 4);
            whole.advance(0.4).unwrap();
            let second = whole.state();
            whole.advance(0.9).unwrap();
            let mut later = fresh();
            assert!(later.restore(&second));
            assert_eq!(
                (later.steps(), later.updates()),
                (whole.steps(), second.events.iter().chain(&second.events_before).sum())
            );
            later.advance(0.9).unwrap();
            assert_eq!(bits(&later.state()), bits(&whole.state()));
            // Back to the steps before, and forward once more.
            assert!(later.restore(&first));
            assert_eq!(later.steps(), fresh().steps());
            later.rescale_steps(0.75).unwrap();
            later.advance(0.35).unwrap();
            refine(&mut later, 4);
            later.advance(0.9).unwrap();
            assert_eq!(bits(&later.state()), bits(&whole.state()));
            let mut wrong = second.clone();
            wrong.scale = f64::NAN;
            assert!(!later.restore(&wrong));
            wrong.scale = 0.75;
            wrong.events_before.pop();
            assert!(!later.restore(&wrong));
            let mut wrong = second.clone();
            wrong.halvings.pop();
            assert!(!later.restore(&wrong));
            wrong.halvings = vec![99; second.halvings.len()];
            assert!(!later.restore(&wrong));
            assert_eq!(
                bits(&later.state()),
                bits(&whole.state()),
                "a state that does not fit changes nothing"
            );
        }
    }
}

#[test]
fn avi_steps_that_vary_by_a_formula_are_not_rescaled() {
    let (problem, start) = everything(ElementKind::Tri3, 0.4);
    let mut run = changing(problem.clone(), start.clone());
    assert!(!run.can_rescale());
    let mut rescaled = Avi::new(problem, start).unwrap();
    rescaled.advance(0.1).unwrap();
    rescaled.rescale_steps(0.5).unwrap();
    assert!(rescaled.can_rescale() && rescaled.step_scale() == 0.5);
    assert!(!run.restore(&rescaled.state()));
}
