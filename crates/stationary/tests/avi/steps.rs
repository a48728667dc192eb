//! Steps: harmonic rounding, the ring around small ones, and changing steps that do not go on.

use super::bodies::*;
use stationary::integrate::avi::{Avi, AviStart, Buffer, LevelTable, StepFactor, harmonic};
use stationary::model::Potentials;
use stationary::model::solid::{Bars, ElementKind, Elements, MassSplit, Solid};
use std::sync::Arc;

#[test]
fn harmonic_steps_are_powers_of_two_times_a_base_and_stable() {
    let body = small(ElementKind::Tet4);
    let solid = body.neo_hookean();
    let mut random = Random(13);
    for _ in 0..20 {
        let stable: Vec<f64> = (0..solid.elements()).map(|_| (3.0 * random.next()).exp()).collect();
        let [plain, ring, jump] =
            [Buffer::None, Buffer::Ring, Buffer::Jump].map(|b| harmonic(&solid, &stable, b));
        let least = |h: &[f64]| h.iter().copied().fold(f64::INFINITY, f64::min);
        let base = least(&plain);
        for k in 0..stable.len() {
            let ratio = plain[k] / base;
            assert!(ratio.log2().fract() == 0.0 && base * ratio == plain[k]);
            assert!(plain[k] <= stable[k] && 2.0 * plain[k] > stable[k], "{} {}", plain[k], stable[k]);
            let nodes = solid.nodes(k);
            let around = (0..stable.len()).filter(|n| solid.nodes(*n).iter().any(|a| nodes.contains(a)));
            let least = |of: &[f64]| around.clone().map(|n| of[n]).fold(f64::INFINITY, f64::min);
            assert_eq!(ring[k], least(&plain));
            // Within the limit, with a base of its own, and within a factor of two of the neighbours.
            assert!(jump[k] <= stable[k]);
            assert!(jump[k] <= 2.0 * least(&jump));
            assert!((jump[k] / jump[0]).log2().fract() == 0.0);
        }
        assert!(base <= least(&stable) && 2.0 * base > least(&stable));
        // The base loses no more than the smallest step would.
        let cost = |h: &[f64]| h.iter().map(|h| 1.0 / h).sum::<f64>();
        let simple: Vec<f64> =
            stable.iter().map(|h| least(&stable) * (h / least(&stable)).log2().floor().exp2()).collect();
        assert!(cost(&plain) <= cost(&simple) * (1.0 + 1e-12), "{} {}", cost(&plain), cost(&simple));
    }
}

/// A chain of equal masses whose springs go from 1 to 100, smoothly or at once, and its steps at a fraction of their
/// own limits.
fn springs(abrupt: bool, fraction: f64) -> (Solid, Vec<f64>) {
    const N: u32 = 20;
    let points: Vec<[f64; 3]> = (0..=N).map(|i| [f64::from(i), 0.0, 0.0]).collect();
    let mut blocks: Vec<Box<dyn Elements>> = Vec::new();
    for k in 0..N {
        let smooth = 100_f64.powf(f64::from(k) / f64::from(N - 1));
        let stiffness = if !abrupt {
            smooth
        } else if k < N / 2 {
            1.0
        } else {
            100.0
        };
        blocks.push(Box::new(Bars::springs(&points, &[k, k + 1], k as usize, stiffness, None).unwrap()));
    }
    let masses: Vec<(u32, f64)> = (0..=N).map(|a| (a, 1.0)).collect();
    let solid = Solid::new(&points, blocks, &masses).unwrap();
    let steps = solid.steps_eigen(fraction, solid.points(), MassSplit::Own).unwrap();
    (solid, steps)
}

/// Largest energy on the way, over the first.
fn growth(solid: &Arc<Solid>, step: Vec<f64>, middle: bool, end: f64) -> f64 {
    let mut random = Random(2);
    let (x, mass) = (solid.points().to_vec(), solid.mass().to_vec());
    let v: Vec<f64> = (0..x.len()).map(|i| if i % 3 == 0 { 0.01 * random.next() } else { 0.0 }).collect();
    let start = AviStart { t: 0.0, x, v, mass, step };
    let mut avi = match middle {
        false => Avi::new(solid.clone(), start),
        true => Avi::with_midpoint_events(solid.clone(), start),
    }
    .unwrap();
    let energy = |avi: &Avi<_>| avi.snapshot().map_or(f64::INFINITY, |s| s.kinetic + s.potential);
    let first = energy(&avi);
    let mut most = 1.0;
    for round in 1..=50 {
        if avi.advance(end / 50.0 * f64::from(round)).is_err() {
            return f64::INFINITY;
        }
        most = largest([most, energy(&avi) / first]);
    }
    most
}

/// Well inside every spring's own limit, free steps drive neighbours into resonance; harmonic ones with the ring do not.
#[test]
fn harmonic_steps_with_a_ring_buffer_stay_bounded_where_free_steps_grow() {
    for (abrupt, fraction) in [(true, 0.5), (false, 0.7)] {
        let (solid, free) = springs(abrupt, fraction);
        let solid = Arc::new(solid);
        let ring = harmonic(&solid, &free, true);
        let (free, ring) = (growth(&solid, free, false, 1e4), growth(&solid, ring, false, 1e4));
        println!(
            "chain 1:100, at once {abrupt}, at {fraction} of the limit: free {free:e}, harmonic with ring {ring}"
        );
        assert!(free > 1e6, "{free}");
        assert!(ring < 1.5, "{ring}");
    }
}

/// So do harmonic ones with neighbours within a factor of two, and with events in the middle nearer the limit.
#[test]
fn harmonic_steps_with_ratio_two_between_neighbours_stay_bounded() {
    for (abrupt, fraction) in [(true, 0.65), (true, 0.85), (false, 0.7), (false, 0.8)] {
        let (solid, stable) = springs(abrupt, fraction);
        let solid = Arc::new(solid);
        let [none, jump] = [Buffer::None, Buffer::Jump].map(|b| harmonic(&solid, &stable, b));
        let grown = growth(&solid, jump, true, 1e4);
        assert!(grown < 1.5, "{abrupt} {fraction}: {grown}");
        if abrupt {
            let grown = growth(&solid, none, true, 1e4);
            assert!(grown > 10.0, "without it: {fraction}: {grown}");
        }
    }
}

/// On a mesh with irregular steps the levels of least cost have fewer boundaries than those that are merely rounded and limited, for few more updates.
#[test]
fn levels_by_cost_have_fewer_boundaries_than_rounded_ones() {
    let body = grid(ElementKind::Tet4, [12, 12, 12], [1.0; 3], 2.0, 0.12);
    let solid = body.neo_hookean();
    let stable = solid.steps_eigen(0.5, solid.points(), MassSplit::Stiffness).unwrap();
    let rounded = {
        let mut steps = harmonic(&solid, &stable, Buffer::None);
        loop {
            let mut least = vec![f64::INFINITY; solid.mass().len()];
            for (k, h) in steps.iter().enumerate() {
                solid.nodes(k).iter().for_each(|a| least[*a as usize] = least[*a as usize].min(*h));
            }
            let around =
                |k: usize| solid.nodes(k).iter().map(|a| least[*a as usize]).fold(f64::INFINITY, f64::min);
            let next: Vec<f64> = (0..steps.len()).map(|k| steps[k].min(2.0 * around(k))).collect();
            if next == steps {
                break steps;
            }
            steps = next;
        }
    };
    let chosen = harmonic(&solid, &stable, Buffer::Jump);
    let updates = |steps: &[f64]| steps.iter().map(|h| 1.0 / h).sum::<f64>();
    let share = |steps: &[f64]| LevelTable::new(&solid, steps).unwrap().boundary_share();
    println!(
        "{} elements: boundary share {:.3} rounded, {:.3} chosen; updates {:.3} times as many",
        stable.len(),
        share(&rounded),
        share(&chosen),
        updates(&chosen) / updates(&rounded)
    );
    // Measured: 0.556 and 0.482, a ratio of 0.867, for 1.8 % more updates.
    assert!(share(&chosen) < 0.9 * share(&rounded));
    assert!(updates(&chosen) < 1.05 * updates(&rounded));
}

#[test]
fn avi_steps_that_do_not_advance_time_are_refused_by_element() {
    let make = |factor: &str| {
        let (problem, start) = Setup::new(small(ElementKind::Tri3)).finish(0.4);
        let places = (0..problem.count()).map(|k| [k as f64, 0.0, 0.0]).collect();
        Avi::with_varying_steps(problem, start, StepFactor { factor: field(&[factor]), places })
    };
    for factor in ["0", "-1", "0/0", "1/0", "log(-1-t)"] {
        let error = make(factor).unwrap_err();
        assert_eq!((error.time, error.fault.number), (0.0, 1000), "{factor}: {error:?}");
        assert!(error.fault.why.contains("step"), "{error:?}");
    }
    // One element of all, by its number in the user's mesh.
    assert_eq!(make("7-X").unwrap_err().fault.number, 1007);
    // Not before a while.
    for factor in ["sqrt(0.5-t)", "1-2*t"] {
        let error = make(factor).and_then(|mut avi| avi.advance(2.0)).unwrap_err();
        assert!(error.time > 0.3 && error.time < 0.6 && error.fault.number >= 1000, "{factor}: {error:?}");
    }
    // Constant steps too.
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let (problem, mut start) = Setup::new(small(ElementKind::Tri3)).finish(0.4);
        start.step[5] = bad;
        assert_eq!(Avi::new(problem.clone(), start.clone()).unwrap_err().fault.number, 1005);
        assert_eq!(Avi::with_midpoint_events(problem.clone(), start.clone()).unwrap_err().fault.number, 1005);
        let steps = harmonic(&problem, &start.step, true);
        if !(bad > 0.0) {
            assert!(Avi::new(problem, AviStart { step: steps, ..start }).is_err(), "{bad}");
        }
    }
}

#[test]
fn avi_with_nan_end_time_executes_no_event() {
    let (problem, mut start) = Setup::new(small(ElementKind::Tri3)).finish(0.4);
    let mut free = Avi::new(problem.clone(), start.clone()).unwrap();
    dyadic(&mut start);
    let mut ticks = Avi::new(problem, start).unwrap();
    for avi in [&mut free, &mut ticks] {
        avi.advance(f64::NAN).unwrap();
        assert!(avi.time() == 0.0 && avi.events().iter().all(|e| *e == 0));
    }
}
