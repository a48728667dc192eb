//! Two summaries, key by key.

use super::{ROUNDING, bad, measures_an_error};
use serde_json::{Value, json};
use stationary::error::Error;
use stationary_report::files;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// A summary longer than this is none.
const LONGEST: u64 = 64 << 20;

/// Keys that differ between equal runs.
const FLEETING: [&str; 3] = ["wall_seconds", "avi.measured_speedup", "avi.nanoseconds_per_update"];

/// Keys that say how a run was made, not what came of it: where a tolerance is given, runs with other steps may agree.
const MAKING: [&str; 6] = ["time.step", "moves", "rows", "newton.", "method.", "symplectic.windows"];

/// A key of the summaries that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyDifference {
    /// The key, as claims name it.
    pub key: String,
    /// Its values; none where only the other has it.
    pub values: [Option<Value>; 2],
    /// The difference of numbers, over their size; of errors it is absolute. Infinite for what is no number.
    pub relative: f64,
    /// Whether it is text, which tells the runs apart but is no result.
    pub text: bool,
}

impl KeyDifference {
    /// Whether it is told but does not count at this tolerance: words never do, and where something may differ at all, neither
    /// does what only one run has and what says how it was made.
    pub fn told_only(&self, tolerance: f64) -> bool {
        let lone = self.values.iter().any(Option::is_none);
        let making = MAKING.iter().any(|key| self.key.starts_with(key));
        self.text || (tolerance > 0.0 && (lone || making))
    }

    /// Whether it counts as the same.
    pub fn within(&self, tolerance: f64) -> bool {
        let numbers = self.values.each_ref().map(|v| v.as_ref().and_then(Value::as_f64));
        let rounding = matches!(numbers, [Some(x), Some(y)] if (x - y).abs() <= ROUNDING);
        self.told_only(tolerance) || self.relative <= tolerance || (tolerance > 0.0 && rounding)
    }

    pub(super) fn json(&self, tolerance: f64) -> Value {
        let [a, b] = &self.values;
        json!({
            "key": self.key,
            "a": a,
            "b": b,
            "relative": self.relative,
            "text": self.text,
            "within": self.within(tolerance),
        })
    }
}

/// Reads the summary of a folder.
pub(super) fn read(folder: &Path) -> Result<Value, Error> {
    let path = folder.join("summary.json");
    let text = files::read(&path, LONGEST).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => bad(&path, "it is too long for a summary"),
        _ => super::no_results(folder, &error),
    })?;
    let value: Value = serde_json::from_slice(&text).map_err(|error| bad(&path, &error.to_string()))?;
    match value["schema"].as_str() {
        Some(schema) if schema.starts_with("stationary.summary/") => Ok(value),
        _ => Err(bad(&path, "it has no `schema` of stationary: it is no summary of a run")),
    }
}

/// The keys that differ, and how many were compared.
pub(super) fn compare(a: &Value, b: &Value) -> (Vec<KeyDifference>, usize) {
    let [a, b] = [a, b].map(|value| {
        let mut flat = BTreeMap::new();
        flatten(String::new(), value, &mut flat);
        flat
    });
    let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let compared = keys.len();
    let differing = keys.into_iter().filter_map(|key| {
        let values = [a.get(key).cloned(), b.get(key).cloned()];
        if values[0] == values[1] || FLEETING.contains(&key.as_str()) {
            return None;
        }
        let text = values.iter().flatten().all(Value::is_string) || key.starts_with("overrides");
        let relative = relative(key, &values);
        (relative > 0.0).then(|| KeyDifference { key: key.clone(), values, relative, text })
    });
    (differing.collect(), compared)
}

fn flatten(prefix: String, value: &Value, into: &mut BTreeMap<String, Value>) {
    let join = |key: &str| if prefix.is_empty() { key.to_string() } else { format!("{prefix}.{key}") };
    match value {
        Value::Object(object) => object.iter().for_each(|(key, inner)| flatten(join(key), inner, into)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(k, inner)| flatten(join(&k.to_string()), inner, into));
        }
        _ => _ = into.insert(prefix, value.clone()),
    }
}

fn relative(key: &str, values: &[Option<Value>; 2]) -> f64 {
    let [Some(x), Some(y)] = values.each_ref().map(|v| v.as_ref().and_then(Value::as_f64)) else {
        return f64::INFINITY;
    };
    let counts = values.each_ref().map(|v| v.as_ref().and_then(Value::as_u64));
    let difference = match counts {
        // Beyond 2^53 numbers in floating point do not tell counts apart.
        [Some(m), Some(n)] => m.abs_diff(n) as f64,
        _ => (x - y).abs(),
    };
    let name = key.rsplit('.').next().unwrap_or(key);
    match (difference, measures_an_error(name)) {
        (0.0, _) => 0.0,
        (_, true) => difference,
        (_, false) => (difference / x.abs().max(y.abs())).max(f64::MIN_POSITIVE),
    }
}
