//! Times that survive a shared machine: reference and candidate take turns in short repetitions, and the best of each
//! counts, so that what disturbs one disturbs both.

use crate::cases::Case;
use crate::row::BenchOutcome;
use std::time::Instant;

/// Pairs of repetitions in a round.
const REPETITIONS: u64 = 300;
/// About how long one repetition takes, in seconds.
const SHORT: f64 = 2e-4;

/// Measures a case of formulas.
pub fn measure(mut case: Case) -> Result<BenchOutcome, String> {
    if !case.agrees_after(300) {
        return Err("not the state of the C loop".into());
    }
    let steps = steps_for(&mut case);
    let best = take_turns(REPETITIONS, |which| match (which, &mut case.reference) {
        (0, Some(reference)) => seconds(|| reference.advance(steps)),
        (0, None) => 0.0,
        _ => seconds(|| case.candidate.advance(steps).expect("a run of ours")),
    });
    let each = 1e9 / (steps as f64 * case.share);
    let outcome =
        BenchOutcome::ns(best[1] * each).counts(case.share as u64, steps * case.share as u64, REPETITIONS);
    Ok(match case.reference {
        Some(_) => outcome.over(best[0] * each),
        None => outcome,
    })
}

/// The best times of two that take turns: `run(0)` and `run(1)` return how long they took.
pub fn take_turns(repetitions: u64, mut run: impl FnMut(usize) -> f64) -> [f64; 2] {
    let mut best = [f64::INFINITY; 2];
    for _ in 0..repetitions {
        for which in 0..2 {
            best[which] = best[which].min(run(which));
        }
    }
    best
}

/// Steps that take the candidate about as long as a repetition should.
fn steps_for(case: &mut Case) -> u64 {
    let trial = 200;
    let time = seconds(|| case.candidate.advance(trial).expect("a run of ours"));
    ((trial as f64 * SHORT / time) as u64).max(trial)
}

/// How long it takes.
pub fn seconds(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64()
}
