//! The cost model [VTI04 (60)-(63)] with the constants of this machine, predicted against measured.
//!
//! ```text
//! C_AVI = (C_EU + C_S) sum T/dt_K,    C_NM = C_EU sum T/dt_min,    C_NM / C_AVI = lambda / (1 + C_S / C_EU)
//! ```
//!
//! `C_EU` is an update of a synchronous run, `C_S` what the scheduler adds: `kappa log2 E` for a queue. Both are taken from one
//! small body that fits the caches, so that what larger ones show beyond them is memory.

use super::cube::Cube;
use super::runs::{asynchronous, free, free_steps, harmonic_steps, lambda, largest, least, synchronous};
use crate::measure::{seconds, take_turns};
use crate::row::{BenchOutcome, BenchRow, When};
use stationary::model::solid::ElementKind;
use std::sync::OnceLock;

/// Which steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Regime {
    Harmonic,
    Free,
}

/// The small body of which the constants are taken: cells a side and grading.
const SMALL: (usize, f64) = (7, 0.5);

/// Rows over the size at one grading, and over the grading at one size.
pub fn rows() -> Vec<BenchRow> {
    let all: [(&str, &str, Regime, usize, f64); 18] = [
        ("harmonic-2k", "harmonic steps, 2,058 tet4", Regime::Harmonic, 7, 0.5),
        ("harmonic-20k", "harmonic steps, 20,250 tet4", Regime::Harmonic, 15, 0.5),
        ("harmonic-100k", "harmonic steps, 105,456 tet4", Regime::Harmonic, 26, 0.5),
        ("harmonic-1m", "harmonic steps, 998,250 tet4", Regime::Harmonic, 55, 0.5),
        ("free-2k", "free steps, 2,058 tet4", Regime::Free, 7, 0.5),
        ("free-20k", "free steps, 20,250 tet4", Regime::Free, 15, 0.5),
        ("free-100k", "free steps, 105,456 tet4", Regime::Free, 26, 0.5),
        ("free-1m", "free steps, 998,250 tet4", Regime::Free, 55, 0.5),
        ("harmonic-even", "harmonic steps, 20,250 tet4, not graded", Regime::Harmonic, 15, 0.0),
        ("harmonic-0.25", "the same graded by the power 0.25", Regime::Harmonic, 15, 0.25),
        ("harmonic-0.75", "the same by 0.75", Regime::Harmonic, 15, 0.75),
        ("harmonic-1.0", "the same by 1", Regime::Harmonic, 15, 1.0),
        ("harmonic-1.5", "the same by 1.5", Regime::Harmonic, 15, 1.5),
        ("free-even", "free steps, 20,250 tet4, not graded", Regime::Free, 15, 0.0),
        ("free-0.25", "the same graded by the power 0.25", Regime::Free, 15, 0.25),
        ("free-0.75", "the same by 0.75", Regime::Free, 15, 0.75),
        ("free-1.0", "the same by 1", Regime::Free, 15, 1.0),
        ("free-1.5", "the same by 1.5", Regime::Free, 15, 1.5),
    ];
    let row = |(name, what, regime, n, power)| {
        BenchRow::new("model", name, what, move || predicted(regime, n, power)).when(When::Group)
    };
    all.into_iter().map(row).collect()
}

/// What an update costs, in nanoseconds.
#[derive(Debug, Clone, Copy)]
struct Costs {
    synchronous: f64,
    asynchronous: f64,
    elements: u64,
    updates: u64,
    repetitions: u64,
    lambda: f64,
    spread: f64,
}

fn costs(regime: Regime, n: usize, power: f64) -> Result<Costs, String> {
    let cube = Cube::graded(n, ElementKind::Tet4, power);
    let problem = cube.problem();
    let (steps, mut avi) = match regime {
        Regime::Harmonic => {
            let steps = harmonic_steps(&problem)?;
            (steps.clone(), asynchronous(&cube, problem, &steps)?)
        }
        Regime::Free => {
            let steps = free_steps(&problem)?;
            (steps.clone(), free(&cube, problem, &steps)?)
        }
    };
    let mut one = synchronous(&cube, least(&steps), cube.points.as_flattened().to_vec(), cube.shaken())?;
    let largest = largest(&steps);
    // About a hundred thousand updates in a repetition, and at least a whole turn of the schedule.
    let elements = cube.elements() as f64;
    let rate: f64 = steps.iter().map(|h| 1.0 / h).sum();
    let span = largest * (1e5 / (rate * largest)).floor().max(1.0);
    let sync_steps = (1e5 / elements).ceil() as u64;
    let repetitions = if n > 30 { 6 } else { 60 };
    let (mut made, before) = (0, avi.updates());
    let best = take_turns(repetitions, |which| match which {
        0 => seconds(|| (0..sync_steps).for_each(|_| one.step().expect("a run of ours"))),
        _ => {
            made += 1;
            seconds(|| avi.advance(made as f64 * span).expect("a run of ours"))
        }
    });
    let made = avi.updates() - before;
    Ok(Costs {
        synchronous: 1e9 * best[0] / (sync_steps as f64 * elements),
        asynchronous: 1e9 * best[1] * repetitions as f64 / made as f64,
        elements: cube.elements() as u64,
        updates: made / repetitions,
        repetitions,
        lambda: lambda(&steps),
        spread: largest / least(&steps),
    })
}

/// The constants of a regime.
fn small(regime: Regime) -> Result<Costs, String> {
    static SEEN: [OnceLock<Result<Costs, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    SEEN[regime as usize].get_or_init(|| costs(regime, SMALL.0, SMALL.1)).clone()
}

/// Measured over predicted.
fn predicted(regime: Regime, n: usize, power: f64) -> Result<BenchOutcome, String> {
    let (small, here) = (small(regime)?, costs(regime, n, power)?);
    let levels = |elements: u64| (elements as f64).log2();
    let scheduler = match regime {
        Regime::Harmonic => small.asynchronous - small.synchronous,
        Regime::Free => {
            (small.asynchronous - small.synchronous) / levels(small.elements) * levels(here.elements)
        }
    };
    let foreseen = here.lambda / (1.0 + scheduler / small.synchronous);
    let measured = here.lambda * here.synchronous / here.asynchronous;
    Ok(BenchOutcome::ns(here.asynchronous)
        .over(here.synchronous)
        .counts(here.elements, here.updates, here.repetitions)
        .value(measured / foreseen, "of the model")
        .note(format!(": lambda {:.2}, {foreseen:.2} foreseen, {measured:.2} measured", here.lambda))
        .with("lambda", here.lambda)
        .with("spread", here.spread)
        .with("foreseen", foreseen)
        .with("measured", measured)
        .with("kernel", small.synchronous)
        .with("scheduler_foreseen", scheduler)
        .with("scheduler", here.asynchronous - here.synchronous)
        .with("memory", here.synchronous - small.synchronous))
}
