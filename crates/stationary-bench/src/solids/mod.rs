//! Solids: synchronous steps against vector C (`solids.c`), asynchronous ones against synchronous ones.

pub mod cube;
mod free;
mod kinds;
mod large;
mod loads;
mod materials;
mod model;
mod reference;
mod runs;
mod solution;

use crate::measure::{seconds, take_turns};
use crate::row::{BenchOutcome, BenchRow, When};
use cube::Cube;
use reference::SolidReference;
use runs::synchronous;
use stationary::model::solid::ElementKind;

/// Steps of one repetition, and pairs of repetitions.
const STEPS: u64 = 4;
const REPETITIONS: u64 = 150;

/// The rows of solids.
pub fn rows() -> Vec<BenchRow> {
    let mut rows = vec![
        BenchRow::new("solids", "sync-tet4", "synchronous update, 20,250 tet4, over vector C", || {
            sync(&Cube::new(15, ElementKind::Tet4), 0.02 / 15.0)
        })
        .at_most(1.15),
        BenchRow::new("solids", "sync-tet10", "synchronous update, 4,374 tet10, over vector C", || {
            sync(&Cube::new(9, ElementKind::Tet10), 0.01 / 9.0)
        })
        .at_most(1.15),
        BenchRow::new(
            "solids",
            "free-tet4",
            "free steps, 20,250 graded tet4, over C with a calendar queue",
            || free::over_c(15),
        )
        .at_most(1.2),
        BenchRow::new("solids", "free-tet4-large", "the same, 118,098 graded tet4", || free::over_c(27))
            .at_most(1.2),
        BenchRow::with_effort(
            "solids",
            "solution-tet10",
            "time to solution, synchronous over avi, of what updates allow, 4,374 graded tet10",
            |effort| solution::solution(&Cube::graded(9, ElementKind::Tet10, 1.0), effort),
        )
        .at_least(0.95),
        BenchRow::with_effort("solids", "solution-tet4", "the same, 20,250 graded tet4", |effort| {
            solution::solution(&Cube::graded(15, ElementKind::Tet4, 1.0), effort)
        })
        .at_least(0.8),
        BenchRow::new(
            "solids",
            "avi-million",
            "avi update over a synchronous one, 998,250 graded tet4",
            solution::million,
        )
        .at_most(1.0)
        .as_goal()
        .when(When::Full),
        BenchRow::new(
            "solids",
            "threads",
            "avi with two threads, 105,456 graded tet4, over one",
            large::threads,
        )
        .at_least(1.8)
        .as_goal(),
        BenchRow::new(
            "solids",
            "weight",
            "avi update of a body under its weight and held, over a free one, 105,456 graded tet4",
            large::weight,
        )
        .at_most(2.0),
        BenchRow::new("solids", "memory", "avi, 105,456 graded tet4, memory for each", large::memory)
            .at_most(300.0),
        BenchRow::new("solids", "load", "a Gmsh file of 998,250 tet4 to its first update", large::load)
            .at_most(3.0)
            .when(When::Full),
    ];
    rows.extend(model::rows());
    rows.extend(kinds::rows());
    rows.extend(materials::rows());
    rows.extend(loads::rows());
    rows
}

/// One step of all elements, ours and C's, from the same start.
fn sync(cube: &Cube, h: f64) -> Result<BenchOutcome, String> {
    let mut ours = synchronous(cube, h, cube.sheared(), vec![0.0; 3 * cube.points.len()])?;
    let mut reference = SolidReference::new(cube, ours.structure().solid().mass());
    for _ in 0..100 {
        ours.step().map_err(|e| e.to_string())?;
    }
    reference.advance(h, 100);
    let off = reference.positions().iter().zip(ours.positions()).map(|(a, b)| (a - b).abs()).fold(0.0, keep);
    if !(off < 1e-12) {
        return Err(format!("positions differ from those of C by {off}"));
    }
    let best = take_turns(REPETITIONS, |which| match which {
        0 => seconds(|| reference.advance(h, STEPS)),
        _ => seconds(|| (0..STEPS).for_each(|_| ours.step().expect("a run of ours"))),
    });
    let updates = STEPS * cube.elements() as u64;
    let [theirs, ours] = best.map(|time| 1e9 * time / updates as f64);
    Ok(BenchOutcome::ns(ours).over(theirs).counts(cube.elements() as u64, updates, REPETITIONS))
}

/// The larger; NaN if one is.
fn keep(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
