//! The Moreau envelope of the slower of two levels that share nodes. Every law is also seen to fail for the impulse of the papers, or for a
//! run that is spoilt on purpose.

mod order;
mod rest;
mod structure;

use super::bodies::*;
use stationary::integrate::avi::{Avi, AviStart, Boundary};
use stationary::model::Supports;
use stationary::model::solid::{ElementKind, LoadsBuilder, SolidProblem};
use std::sync::Arc;

type Run = Avi<Arc<SolidProblem>>;

fn run(problem: &Arc<SolidProblem>, start: &AviStart, boundary: Boundary) -> Run {
    let run = Avi::with_boundary(problem.clone(), start.clone(), boundary).unwrap();
    assert_eq!(run.boundary(), boundary, "levels that share nodes");
    run
}

/// A bar of length one in `n` linear elements, `E = rho = 1`, with fixed ends. The left half has the step `h`, the right half `2 h`.
fn bar(n: usize, h: f64, loads: impl FnOnce(&mut LoadsBuilder)) -> (Arc<SolidProblem>, AviStart) {
    let places: Vec<f64> = (0..=n).map(|i| i as f64 / n as f64).collect();
    let points: Vec<[f64; 3]> = places.iter().map(|x| [*x, 0.0, 0.0]).collect();
    let solid = chain(&places, 1.0, 1.0);
    let mut supports = Supports::new(&points);
    for a in [0, n as u32] {
        (0..3).for_each(|i| supports.fix(a, i, 0.0, 0).unwrap());
    }
    let mut builder = LoadsBuilder::default();
    loads(&mut builder);
    let loads = builder.finish(&points, n);
    let start = AviStart {
        t: 0.0,
        x: solid.points().to_vec(),
        v: vec![0.0; 3 * n + 3],
        mass: solid.mass().to_vec(),
        step: (0..n).map(|k| if 2 * k < n { h } else { 2.0 * h }).collect(),
    };
    (Arc::new(SolidProblem::new(solid, loads, supports, Vec::new())), start)
}

/// Levels at random: most elements share nodes with faster or slower ones.
fn speckled(start: &mut AviStart, h: f64) {
    let mut random = Random(3);
    start.step.iter_mut().for_each(|step| *step = if random.next() > 0.0 { h } else { 2.0 * h });
}

/// A free body of tetrahedra or triangles, deformed and turning, with levels at random.
fn free_body(kind: ElementKind, fraction: f64) -> (Arc<SolidProblem>, AviStart) {
    let (problem, mut start) = Setup::new(small(kind)).finish(fraction);
    let h = start.step.iter().copied().fold(f64::INFINITY, f64::min);
    speckled(&mut start, 0.5 * h);
    (problem, start)
}
