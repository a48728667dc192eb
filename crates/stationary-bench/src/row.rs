//! A row: what is measured, against what, and the bar.

use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// How long a missed bar is measured again before it is believed, and the pause before each round: what shares the
/// core with us slows our many instructions more than C's long chains of few, and goes away in time.
const PATIENCE: Duration = Duration::from_secs(45);
const PAUSE: Duration = Duration::from_millis(500);

/// What a row must keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bar {
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
}

impl Bar {
    /// Whether a value keeps it; a value that is no number does not.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Bar::AtMost(bar) => value <= bar,
            Bar::AtLeast(bar) => value >= bar,
        }
    }

    /// The number, and which side of it is good.
    fn parts(self) -> (f64, &'static str) {
        match self {
            Bar::AtMost(bar) => (bar, "at most"),
            Bar::AtLeast(bar) => (bar, "at least"),
        }
    }
}

/// When a row runs that is not asked for by its own name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// With all others, and with its group.
    #[default]
    Always,
    /// The same, but only in a full run: it takes long.
    Full,
    /// Only with its group: it is no measure of quality.
    Group,
}

/// How a row is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Measure again what misses its bar.
    pub insist: bool,
    /// Long runs too.
    pub full: bool,
}

type Run = Box<dyn Fn(Effort) -> Result<BenchOutcome, String>>;

/// One row.
pub struct BenchRow {
    /// Its name, unique, as on the command line.
    pub name: &'static str,
    /// The group.
    pub group: &'static str,
    /// What is measured.
    pub what: &'static str,
    /// What its value must keep.
    pub bar: Option<Bar>,
    /// The bar is not reached yet: a check does not ask for it.
    pub goal: bool,
    /// When it runs.
    pub when: When,
    run: Run,
}

impl BenchRow {
    /// A row without a bar.
    pub fn new(
        group: &'static str,
        name: &'static str,
        what: &'static str,
        run: impl Fn() -> Result<BenchOutcome, String> + 'static,
    ) -> Self {
        BenchRow::with_effort(group, name, what, move |_| run())
    }

    /// The same where the effort matters.
    pub fn with_effort(
        group: &'static str,
        name: &'static str,
        what: &'static str,
        run: impl Fn(Effort) -> Result<BenchOutcome, String> + 'static,
    ) -> Self {
        BenchRow { name, group, what, bar: None, goal: false, when: When::Always, run: Box::new(run) }
    }

    /// With a largest value.
    pub fn at_most(self, bar: f64) -> Self {
        BenchRow { bar: Some(Bar::AtMost(bar)), ..self }
    }

    /// With a smallest value.
    pub fn at_least(self, bar: f64) -> Self {
        BenchRow { bar: Some(Bar::AtLeast(bar)), ..self }
    }

    /// With a bar that is not reached yet.
    pub fn as_goal(self) -> Self {
        BenchRow { goal: true, ..self }
    }

    /// Not always.
    pub fn when(self, when: When) -> Self {
        BenchRow { when, ..self }
    }

    /// Measures; with `insist`, again while the bar is missed, and the best value counts.
    pub fn measure(&self, effort: Effort) -> Result<Measured<'_>, String> {
        let began = Instant::now();
        let mut best = Measured { row: self, outcome: (self.run)(effort)? };
        while effort.insist && !best.passes() && began.elapsed() < PATIENCE {
            std::thread::sleep(PAUSE);
            let next = Measured { row: self, outcome: (self.run)(effort)? };
            let better = match self.bar {
                Some(Bar::AtMost(_)) => next.value() < best.value(),
                _ => next.value() > best.value(),
            };
            if better {
                best = next;
            }
        }
        Ok(best)
    }
}

/// What was measured.
#[derive(Debug, Clone, Default)]
pub struct BenchOutcome {
    ns: Option<f64>,
    reference_ns: Option<f64>,
    /// Elements (or particles), updates in a repetition, repetitions.
    counts: [u64; 3],
    /// What the bar is held against, and its unit; the ratio of the times unless something else is said.
    value: Option<(f64, &'static str)>,
    /// A claim beside the bar that failed.
    failed: Option<String>,
    /// A few words for the table.
    note: String,
    more: Map<String, Value>,
}

impl BenchOutcome {
    /// Nanoseconds for one step or update.
    pub fn ns(ns: f64) -> Self {
        BenchOutcome { ns: Some(ns), ..BenchOutcome::default() }
    }

    /// Those of the reference.
    pub fn over(self, reference_ns: f64) -> Self {
        BenchOutcome { reference_ns: Some(reference_ns), ..self }
    }

    /// How much was done: elements (or particles, or 1), updates in a repetition, repetitions.
    pub fn counts(self, elements: u64, updates: u64, repeats: u64) -> Self {
        BenchOutcome { counts: [elements, updates, repeats], ..self }
    }

    /// What the bar is held against, where that is not the ratio of the times.
    pub fn value(self, value: f64, unit: &'static str) -> Self {
        BenchOutcome { value: Some((value, unit)), ..self }
    }

    /// Misses the bar whatever the value.
    pub fn fail(self, why: String) -> Self {
        BenchOutcome { failed: Some(why), ..self }
    }

    /// A few words for the table.
    pub fn note(self, note: String) -> Self {
        BenchOutcome { note, ..self }
    }

    /// More of what was found.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.more.insert(key.into(), value.into());
        self
    }
}

/// A row with what was measured.
pub struct Measured<'a> {
    /// The row.
    pub row: &'a BenchRow,
    /// What was measured of it.
    pub outcome: BenchOutcome,
}

/// The head of the table.
pub const HEADER: &str =
    "row                        ns  ref ns    value unit           bar           what is measured";

impl Measured<'_> {
    fn ratio(&self) -> Option<f64> {
        Some(self.outcome.ns? / self.outcome.reference_ns?)
    }

    /// What the bar is held against.
    pub fn value(&self) -> Option<f64> {
        self.outcome.value.map(|v| v.0).or(self.ratio())
    }

    /// Whether the bar, if any, holds.
    pub fn ok(&self) -> bool {
        self.outcome.failed.is_none()
            && self.row.bar.is_none_or(|bar| self.value().is_some_and(|value| bar.holds(value)))
    }

    /// Whether a check lets it pass: a goal may be missed.
    pub fn passes(&self) -> bool {
        self.ok() || (self.row.goal && self.outcome.failed.is_none())
    }

    /// The row as JSON.
    pub fn json(&self) -> Value {
        let BenchOutcome {
            ns, reference_ns, counts: [elements, updates, repeats], value, failed, more, ..
        } = &self.outcome;
        json!({
            "name": self.row.name, "group": self.row.group, "what": self.row.what,
            "elements": elements, "updates": updates, "repeats": repeats,
            "ns": ns, "reference_ns": reference_ns, "ratio": self.ratio(),
            "value": self.value(), "unit": value.map_or("ratio", |v| v.1),
            "bar": self.row.bar.map(|b| b.parts().0), "bound": self.row.bar.map(|b| b.parts().1), "goal": self.row.goal,
            "ok": self.ok(), "failed": failed, "more": more,
        })
    }

    /// The row as text, in the columns of [`HEADER`].
    pub fn line(&self) -> String {
        let number = |x: Option<f64>, digits| x.map_or("-".into(), |x: f64| format!("{x:.digits$}"));
        let unit = if self.value().is_some() { self.outcome.value.map_or("ratio", |v| v.1) } else { "" };
        let bar = self.row.bar.map_or(String::new(), |bar| {
            let (bar, side) = bar.parts();
            let verdict = match (self.ok(), self.row.goal) {
                (true, _) => "ok",
                (false, true) => "goal",
                (false, false) => "MISSED",
            };
            format!("{} {bar} {verdict}", if side == "at most" { "<=" } else { ">=" })
        });
        let failed = self.outcome.failed.as_ref().map_or(String::new(), |why| format!("; FAILED: {why}"));
        format!(
            "{:20} {:>8} {:>7} {:>8} {:14} {:13} {}{}{failed}",
            self.row.name,
            number(self.outcome.ns, 1),
            number(self.outcome.reference_ns, 1),
            number(self.value(), 2),
            unit,
            bar,
            self.row.what,
            self.outcome.note,
        )
        .trim_end()
        .to_string()
    }
}
