//! Time to solution: the same body to the same time, with one step for all and with a step for each element.

use super::cube::Cube;
use super::runs::{FRACTION, asynchronous, free_steps, harmonic_steps, lambda, largest, least};
use super::runs::{synchronous, true_limit};
use crate::measure::{seconds, take_turns};
use crate::row::{BenchOutcome, Effort};
use serde_json::json;
use stationary::integrate::sparse::Sparse;
use stationary::model::solid::{ElementKind, SolidProblem};

/// Pairs of repetitions, and synchronous steps in each. Short ones, a millisecond or two, find a shared core free now and then.
const REPETITIONS: u64 = 100;
const STEPS: u64 = 8;
/// A run at the very limit is neither stable nor not: a little below.
const WHOLE: f64 = 0.999;
/// Updates of the smallest element over which the energy is followed, in an ordinary run and in a full one.
const FOLLOWED: [u64; 2] = [2_000, 100_000];
/// How much of its mean the energy may move from the second quarter of these to the last.
const DRIFT: f64 = 1e-3;

/// Synchronous over asynchronous time, over the same ratio of updates: what a schedule that costs nothing would give.
pub fn solution(cube: &Cube, effort: Effort) -> Result<BenchOutcome, String> {
    let problem = cube.problem();
    let (steps, free) = (harmonic_steps(&problem)?, free_steps(&problem)?);
    let limit = true_limit(&problem)?;
    let (smallest, largest) = (least(&steps), largest(&steps));
    let mut avi = asynchronous(cube, problem, &steps)?;
    let mut one = synchronous(cube, WHOLE * limit, cube.points.as_flattened().to_vec(), cube.shaken())?;
    // A whole turn of the schedule.
    let (span, before, mut made) = (largest, avi.updates(), 0);
    let best = take_turns(REPETITIONS, |which| match which {
        0 => seconds(|| (0..STEPS).for_each(|_| one.step().expect("a run of ours"))),
        _ => {
            made += 1;
            seconds(|| avi.advance(made as f64 * span).expect("a run of ours"))
        }
    });
    let avi_updates = (avi.updates() - before) as f64 / REPETITIONS as f64;
    let elements = cube.elements() as f64;
    // The synchronous run to the same time need not be whole steps.
    let sync_time = best[0] * (span / (WHOLE * limit)) / STEPS as f64;
    let [sync_ns, avi_ns] = [1e9 * best[0] / (STEPS as f64 * elements), 1e9 * best[1] / avi_updates];
    let speedup = sync_time / best[1];
    let (used, ideal) = (lambda(&steps), lambda(&steps) * smallest / (WHOLE * limit));
    let trends = trends(cube, &steps, WHOLE * limit, effort)?;
    let outcome = BenchOutcome::ns(avi_ns)
        .over(sync_ns)
        .counts(cube.elements() as u64, avi_updates.round() as u64, REPETITIONS)
        .value(speedup / ideal, "of ideal")
        .note(format!(
            ": {speedup:.2} of {ideal:.2}; at equal safety {:.2}, lambda {used:.2}",
            speedup / FRACTION
        ))
        .with("speedup", speedup)
        .with("speedup_at_equal_safety", speedup / FRACTION)
        .with("ideal_speedup", ideal)
        .with("value_by_lambda", speedup / used)
        .with("value_by_lambda_at_equal_safety", speedup / FRACTION / used)
        .with("value_by_free_lambda", speedup / lambda(&free))
        .with("fraction", FRACTION)
        .with("lambda", used)
        .with("lambda_of_free_steps", lambda(&free))
        .with("span", span)
        .with("synchronous_steps", span / (WHOLE * limit))
        .with("asynchronous_steps_of_the_smallest", span / smallest)
        .with("asynchronous_updates", avi_updates)
        .with("update_cost_ratio", avi_ns / sync_ns)
        .with("smallest_step_over_true_limit", smallest / limit)
        .with("smallest_free_step_over_true_limit", least(&free) / limit)
        .with("energy", trends.iter().map(Trend::json).collect::<serde_json::Value>());
    // That of the synchronous run, at its very limit, wobbles too much to tell.
    let [_, ours] = &trends;
    Ok(if ours.drift.abs() <= DRIFT {
        outcome
    } else {
        outcome.fail(format!("the energy of the {} run moved by {:.1e}", ours.run, ours.drift))
    })
}

/// How the energy of a run went.
struct Trend {
    run: &'static str,
    steps: u64,
    /// Mean of the last quarter over that of the second, less one.
    drift: f64,
    /// Widest swing within the last quarter, over the mean.
    wobble: f64,
}

impl Trend {
    /// From energies at equal times.
    fn new(run: &'static str, steps: u64, energies: &[f64]) -> Self {
        let quarter = energies.len() / 4;
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let (second, last) = (&energies[quarter..2 * quarter], &energies[3 * quarter..]);
        let wide = last.iter().fold(f64::NEG_INFINITY, |a, e| a.max(*e))
            - last.iter().fold(f64::INFINITY, |a, e| a.min(*e));
        Trend { run, steps, drift: mean(last) / mean(second) - 1.0, wobble: wide / mean(last) }
    }

    fn json(&self) -> serde_json::Value {
        json!({ "run": self.run, "steps": self.steps, "drift": self.drift, "wobble": self.wobble })
    }
}

/// Follows the energy of both runs.
fn trends(cube: &Cube, steps: &[f64], h: f64, effort: Effort) -> Result<[Trend; 2], String> {
    const SAMPLES: u64 = 64;
    let count = FOLLOWED[usize::from(effort.full)];
    let (mut sync, mut async_) = (Vec::new(), Vec::new());
    let mut one = synchronous(cube, h, cube.points.as_flattened().to_vec(), cube.shaken())?;
    let mut avi = asynchronous(cube, cube.problem(), steps)?;
    let span = count as f64 * least(steps);
    for sample in 1..=SAMPLES {
        while one.steps() < count * sample / SAMPLES {
            one.step().map_err(|e| e.to_string())?;
        }
        sync.push(energy(&one)?);
        avi.advance(span * sample as f64 / SAMPLES as f64).map_err(|e| e.fault.why)?;
        let snapshot = avi.snapshot().map_err(|e| e.fault.why)?;
        async_.push(snapshot.kinetic + snapshot.potential);
    }
    Ok([Trend::new("synchronous", count, &sync), Trend::new("avi", count, &async_)])
}

fn energy(run: &Sparse<SolidProblem>) -> Result<f64, String> {
    run.energy().map(|e| e.iter().sum()).map_err(|e| e.to_string())
}

/// One update of each at a million elements.
pub fn million() -> Result<BenchOutcome, String> {
    let cube = Cube::graded(55, ElementKind::Tet4, 0.5);
    let problem = cube.problem();
    let steps = harmonic_steps(&problem)?;
    let (smallest, largest) = (least(&steps), largest(&steps));
    let mut avi = asynchronous(&cube, problem, &steps)?;
    let mut one = synchronous(&cube, smallest, cube.points.as_flattened().to_vec(), cube.shaken())?;
    let (repetitions, before) = (5, avi.updates());
    let mut made = 0;
    let best = take_turns(repetitions, |which| match which {
        0 => seconds(|| (0..2).for_each(|_| one.step().expect("a run of ours"))),
        _ => {
            made += 1;
            seconds(|| avi.advance(made as f64 * largest).expect("a run of ours"))
        }
    });
    let each = (avi.updates() - before) / repetitions;
    let elements = cube.elements();
    Ok(BenchOutcome::ns(1e9 * best[1] / each as f64)
        .over(1e9 * best[0] / (2 * elements) as f64)
        .counts(elements as u64, each, repetitions)
        .with("lambda", lambda(&steps)))
}
