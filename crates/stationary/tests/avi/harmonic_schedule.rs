//! The harmonic schedule, on any number of threads and advanced in any pieces, has the bits of one priority queue.

use super::bodies::*;
use stationary::integrate::avi::{Avi, AviStart, Boundary, Buffer, harmonic};
use stationary::model::solid::{
    Bars, ConstitutiveLaw, ElementGroup, ElementKind, Elements, Lame, LoadsBuilder, NeoHookean, Solid,
    SolidProblem,
};
use stationary::model::{Potentials, Supports};
use std::sync::Arc;

const THREADS: [usize; 3] = [1, 2, 3];

type Run = Avi<Arc<SolidProblem>>;

/// Where in their steps elements act, and how levels do where they share nodes.
#[derive(Debug, Clone, Copy)]
enum Events {
    End,
    Middle,
    Envelope,
    Iterated,
}

use Events::{End, Envelope, Iterated, Middle};

fn start(problem: &Arc<SolidProblem>, start: &AviStart, events: Events) -> Run {
    let problem = problem.clone();
    let start = start.clone();
    match events {
        End => Avi::new(problem, start).unwrap(),
        Middle => Avi::with_midpoint_events(problem, start).unwrap(),
        Envelope | Iterated => {
            let boundary =
                if matches!(events, Envelope) { Boundary::Envelope } else { Boundary::IteratedEnvelope };
            let damped = (0..problem.count()).any(|k| problem.stiffness_damping(k) > 0.0);
            let run = Avi::with_boundary(problem, start, boundary).unwrap();
            assert_eq!(
                run.boundary(),
                if damped { Boundary::Impulse } else { boundary },
                "levels that share nodes"
            );
            run
        }
    }
}

/// Every number of a run, as bits.
fn bits(run: &Run) -> Vec<u64> {
    let state = run.state();
    let numbers =
        [state.x, state.v, state.node_time, state.work_balance, state.history, vec![state.time]].concat();
    numbers.iter().map(|x| x.to_bits()).chain(state.events).collect()
}

/// Sweeps against the queue: at once, in odd pieces, and with a restart in between.
pub fn compare(problem: &Arc<SolidProblem>, first: &AviStart, end: f64) {
    for events in [End, Middle, Envelope, Iterated] {
        let mut queue = start(problem, first, events);
        queue.use_priority_queue();
        let mut halfway = Vec::new();
        for part in [0.37, 1.0] {
            queue.advance(part * end).unwrap();
            halfway.push(bits(&queue));
        }
        let most = *queue.events().iter().max().unwrap();
        assert!(most > 10 && queue.events().iter().any(|e| 3 * e <= 2 * most), "steps of several lengths");
        assert_eq!(queue.updates(), queue.events().iter().sum::<u64>());
        for threads in THREADS {
            let new = || {
                let mut run = start(problem, first, events);
                run.set_threads(threads);
                run
            };
            let mut run = new();
            run.advance(end).unwrap();
            assert_eq!(bits(&run), halfway[1], "{threads} threads, {events:?}");
            assert_eq!(run.updates(), queue.updates());
            let mut pieces = new();
            for i in 1..=37 {
                pieces.advance(0.01 * f64::from(i) * end).unwrap();
            }
            assert_eq!(bits(&pieces), halfway[0], "in pieces, {threads} threads, {events:?}");
            let mut resumed = new();
            assert!(resumed.restore(&pieces.state()));
            resumed.set_threads(THREADS[threads % 3]);
            resumed.advance_watched(0.5 * end, |_| {}).unwrap();
            resumed.advance(end).unwrap();
            assert_eq!(bits(&resumed), halfway[1], "resumed, {threads} threads, {events:?}");
        }
    }
}

/// Harmonic steps for a start.
pub fn rounded(problem: &Arc<SolidProblem>, start: &AviStart) -> AviStart {
    AviStart { step: harmonic(problem, &start.step, Buffer::None), ..start.clone() }
}

#[test]
fn harmonic_schedule_has_the_bits_of_the_queue_without_loads() {
    for kind in [ElementKind::Tet4, ElementKind::Tet10, ElementKind::Tri3] {
        let (problem, first) = Setup::new(small(kind)).finish(0.5);
        compare(&problem, &rounded(&problem, &first), 1.2);
    }
}

#[test]
fn harmonic_schedule_has_the_bits_of_the_queue_under_weight() {
    for kind in [ElementKind::Tet4, ElementKind::Tet10, ElementKind::Tri3] {
        let setup = Setup::new(small(kind)).gravity(&["0.1", "-0.3", "0"]);
        let (problem, first) = setup.fix(&[0, 1], 0, |p| p[0] < 0.15).finish(0.5);
        assert!((0..problem.count()).all(|k| !problem.loaded(k)), "weight is a constant load");
        compare(&problem, &rounded(&problem, &first), 1.2);
    }
}

#[test]
fn harmonic_schedule_has_the_bits_of_the_queue_with_loads_and_moving_supports() {
    for kind in [ElementKind::Tet4, ElementKind::Tet10] {
        let setup = Setup::new(grid(kind, [5, 3, 2], [1.3, 1.0, 0.8], 1.4, 0.1))
            .traction(&["sin(5*t)", "0.5*t*X", "0"], |p| p[0] > 1.1)
            .pressure("0.1+0.05*sin(3*t)", |p| p[0] > 1.1)
            .prescribe(1, "0.03*sin(4*t)+0.01*X*t", 1, |p| p[0] < 0.1)
            .fix(&[0], 0, |p| p[0] < 0.1 && p[1] > 0.5);
        let (problem, first) = setup.finish(0.5);
        let free = (0..problem.count()).filter(|k| !problem.loaded(*k)).count();
        assert!(free < problem.count() && 2 * free > problem.count());
        compare(&problem, &rounded(&problem, &first), 0.5);
    }
    let (problem, first) = everything(ElementKind::Tet4, 0.5);
    compare(&problem, &rounded(&problem, &first), 0.5);
}

/// Two neo-Hookean materials, a linear one, and springs, on one set of nodes.
fn mixed() -> (Arc<SolidProblem>, AviStart) {
    let body = grid(ElementKind::Tet4, [5, 4, 3], [1.3, 1.0, 0.8], 1.4, 0.1);
    let law = |lambda: f64, mu: f64| {
        ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(lambda, mu).unwrap()).unwrap())
    };
    let laws = [law(2.0, 1.0), linear(3.0, 0.3), law(5.0, 0.4)];
    let third = body.nodes.len() / 12 * 4;
    let mut blocks: Vec<Box<dyn Elements>> = Vec::new();
    for (i, law) in laws.iter().enumerate() {
        let end = if i == 2 { body.nodes.len() } else { (i + 1) * third };
        let group = ElementGroup::new(ElementKind::Tet4, &body.nodes[i * third..end], 1.0);
        blocks.extend(group.build(&body.points, law).unwrap());
    }
    let springs: Vec<u32> = (0..20).flat_map(|i| [i, 40 + i]).collect();
    blocks.push(Box::new(Bars::elastic(&body.points, &springs, 0, 0.1, 0.01).unwrap()));
    let solid = Solid::new(&body.points, blocks, &[]).unwrap();
    let loads = LoadsBuilder::default().finish(&body.points, solid.elements());
    let first = body.start(&solid, 0.4);
    (Arc::new(SolidProblem::new(solid, loads, Supports::new(&body.points), Vec::new())), first)
}

#[test]
fn harmonic_schedule_has_the_bits_of_the_queue_with_several_element_kinds_and_materials() {
    let (problem, first) = mixed();
    compare(&problem, &rounded(&problem, &first), 0.8);
}

/// Enough work for threads to start, and ticks large enough for them to share.
#[test]
fn harmonic_schedule_has_the_same_bits_on_several_threads() {
    let body = grid(ElementKind::Tet4, [12, 10, 8], [1.3, 1.0, 0.8], 1.5, 0.05);
    let setup = Setup::new(body).gravity(&["0.1", "-0.3", "0"]).fix(&[0, 1], 0, |p| p[0] < 0.03);
    let (problem, first) = setup.finish(0.4);
    let first = rounded(&problem, &first);
    for events in [End, Middle, Envelope, Iterated] {
        let runs = THREADS.map(|threads| {
            let mut run = start(&problem, &first, events);
            run.set_threads(threads);
            run.advance(0.5).unwrap();
            assert!(run.updates() > 300_000, "{}", run.updates());
            bits(&run)
        });
        assert!(runs.iter().all(|run| *run == runs[0]), "{events:?}");
    }
}

#[test]
fn queue_and_harmonic_schedule_name_the_same_inverted_element_on_any_number_of_threads() {
    let body = || grid(ElementKind::Tet4, [12, 10, 8], [1.3, 1.0, 0.8], 1.5, 0.05);
    let (problem, first) = Setup::new(body()).finish(0.4);
    let first = rounded(&problem, &first);
    for (element, late) in [(5, false), (4000, false), (2500, true)] {
        // Two bullets: the first element in order must be told, whoever meets it. From the start, or after a while.
        let mut first = first.clone();
        let speed = if late { 20.0 } else { 300.0 };
        for (k, sign) in [(element, 1.0), (element + 300, -1.0)] {
            first.v[3 * problem.nodes(k)[0] as usize] = sign * speed;
        }
        for events in [End, Envelope] {
            let mut queue = start(&problem, &first, events);
            queue.use_priority_queue();
            let error = queue.advance(2.0).unwrap_err();
            assert!(error.fault.why.contains("inverted"), "{error:?}");
            for threads in THREADS {
                let mut run = start(&problem, &first, events);
                run.set_threads(threads);
                assert_eq!(run.advance(2.0).unwrap_err(), error, "{threads} threads, {events:?}");
            }
        }
    }
}

#[test]
fn harmonic_schedule_stops_at_huge_or_nan_positions_where_the_queue_stops() {
    let (problem, first) = Setup::new(small(ElementKind::Tet10)).finish(0.3);
    let first = rounded(&problem, &first);
    for speed in [f64::NAN, f64::INFINITY, 1e80, 1e160, 1e300] {
        let mut first = first.clone();
        first.v.iter_mut().for_each(|v| *v *= speed);
        for events in [End, Envelope] {
            let mut queue = start(&problem, &first, events);
            queue.use_priority_queue();
            let error = queue.advance(1.0).unwrap_err();
            for threads in THREADS {
                let mut run = start(&problem, &first, events);
                run.set_threads(threads);
                assert_eq!(run.advance(1.0).unwrap_err(), error, "{speed} on {threads} threads, {events:?}");
            }
        }
    }
}

#[test]
fn avi_memory_of_the_harmonic_schedule_is_counted() {
    let body = grid(ElementKind::Tet4, [12, 10, 8], [1.3, 1.0, 0.8], 1.5, 0.05);
    let (problem, first) = Setup::new(body).finish(0.4);
    let mut run = start(&problem, &rounded(&problem, &first), End);
    let before = run.memory();
    run.advance(0.01).unwrap();
    let elements = problem.count();
    // Nodes and seven numbers of each element are read by the compiled form.
    assert!(run.memory() > before + 72 * elements, "{before} {}", run.memory());
    assert!(run.memory() < 150 * elements, "{} bytes an element", run.memory() / elements);
}
