//! The patch test across levels: a body in equilibrium stays at rest.

use super::*;

/// The largest kinetic energy over the potential energy at many times in many steps.
fn unrest(problem: &Arc<SolidProblem>, start: &AviStart, boundary: Boundary) -> f64 {
    let mut run = run(problem, start, boundary);
    let h = start.step.iter().copied().fold(f64::INFINITY, f64::min);
    let first = run.snapshot().unwrap().potential.abs();
    let mut largest = 0.0_f64;
    for i in 1..300 {
        // Every phase of the slow steps is met.
        run.advance(3.37 * h * f64::from(i)).unwrap();
        let now = run.snapshot().unwrap();
        largest = largest.max(now.kinetic / first);
    }
    println!("{boundary:?}: {largest:e}, evaluations {:?}", run.envelope_evaluations());
    largest
}

fn check(problem: &Arc<SolidProblem>, start: &AviStart, one_evaluation: f64) {
    assert!(unrest(problem, start, Boundary::Envelope) < one_evaluation);
    assert!(unrest(problem, start, Boundary::IteratedEnvelope) < 1e-12);
    assert!(unrest(problem, start, Boundary::Impulse) > 1e-8, "the test can fail");
}

#[test]
fn envelope_leaves_a_stretched_bar_at_rest() {
    let (problem, mut start) = bar(64, 0.35 / 64.0, |_| {});
    (0..=64).for_each(|a| start.x[3 * a] *= 1.02);
    // The supports are where the ends were: move them along.
    let points: Vec<[f64; 3]> = start.x.chunks_exact(3).map(|x| [x[0], x[1], x[2]]).collect();
    let mut supports = Supports::new(&points);
    for a in [0, 64] {
        (0..3).for_each(|i| supports.fix(a, i, 0.0, 0).unwrap());
    }
    let places: Vec<f64> = (0..=64).map(|i| f64::from(i) / 64.0).collect();
    let solid = chain(&places, 1.0, 1.0);
    let loads = LoadsBuilder::default().finish(&points, 64);
    drop(problem);
    let problem = Arc::new(SolidProblem::new(solid, loads, supports, Vec::new()));
    check(&problem, &start, 1e-12);
}

/// A force on the node that the levels share: constant, or of a formula of the time, which makes it a load of an element, fast or slow.
#[test]
fn envelope_leaves_a_bar_under_a_force_at_the_boundary_at_rest() {
    let n = 32;
    let middle = n / 2;
    for (force, element) in [("0.02", middle), ("0.02*cos(1e-9*t)", middle), ("0.02*cos(1e-9*t)", middle - 1)]
    {
        let field = field(&[force, "0", "0"]);
        let local = if element == middle { 0 } else { 1 };
        let (problem, mut start) = bar(n, 0.35 / n as f64, |loads| {
            loads.dead(element, (local, middle as u32), 1.0, &field);
        });
        for a in 0..=n {
            let place = a as f64 / n as f64;
            start.x[3 * a] += 0.01 * if a <= middle { place } else { 1.0 - place };
        }
        check(&problem, &start, 1e-12);
    }
}

/// A block of tetrahedra under uniform stretch, with rollers on all sides and levels at random. One evaluation leaves something of it, since the
/// forces of a node before and after the swing are not parallel.
#[test]
fn envelope_leaves_a_stretched_block_at_rest_whatever_the_levels() {
    for kind in [ElementKind::Tet4, ElementKind::Tet10] {
        let cells = if kind == ElementKind::Tet4 { [5, 5, 5] } else { [3, 3, 3] };
        let mut setup = Setup::new(grid(kind, cells, [1.0, 1.0, 1.0], 1.0, 0.0));
        setup.supports = Supports::new(
            &setup.body.points.iter().map(|p| [1.02 * p[0], p[1], 0.99 * p[2]]).collect::<Vec<_>>(),
        );
        for i in 0..3 {
            setup = setup.fix(&[i], i, |p| p[i] < 1e-9 || p[i] > 1.0 - 1e-9);
        }
        let points = setup.body.points.clone();
        let (problem, mut start) = setup.finish(0.5);
        for (a, p) in points.iter().enumerate() {
            start.x[3 * a..3 * a + 3].copy_from_slice(&[1.02 * p[0], p[1], 0.99 * p[2]]);
        }
        start.v.fill(0.0);
        let h = start.step.iter().copied().fold(f64::INFINITY, f64::min);
        speckled(&mut start, 0.8 * h);
        check(&problem, &start, 1e-10);
    }
}
