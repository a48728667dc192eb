//! Two folders of results against each other: trajectories, energies, counts and claims.

mod series;
mod summary;
mod table;

#[cfg(test)]
mod tests;

pub use series::{ColumnDifference, TableDifference};
pub use summary::KeyDifference;

use serde_json::{Value, json};
use series::By;
use stationary::error::{Diagnostic, Error, Source};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The form of [`Comparison::json`]; a change that takes something away or gives it another meaning counts it up.
const FORMAT: u32 = 1;

/// With a tolerance, differences below this are rounding: a momentum that is zero has no size to measure them by.
const ROUNDING: f64 = 1e-12;

/// Words in the names of keys and columns that measure an error, which is small against something else: by their own size two
/// roundings would be as far apart as two numbers can be.
const ERRORS: [&str; 9] =
    ["error", "drift", "residual", "violation", "jump", "gap", "wobble", "mismatch", "growth"];

fn measures_an_error(name: &str) -> bool {
    ERRORS.iter().any(|word| name.contains(word))
}

/// The tables of a run, the trajectories first.
const TABLES: [(&str, By); 3] =
    [("series.csv", By::Time), ("sections.csv", By::Row), ("impacts.csv", By::Row)];

/// A claim that held in one run and not in the other, or that only one makes.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimDifference {
    /// The claim.
    pub text: String,
    /// Whether it held; none where the run does not make it.
    pub holds: [Option<bool>; 2],
}

/// What came of a comparison.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The folders.
    pub folders: [PathBuf; 2],
    /// The tables that there are: `series.csv`, and with sections and impacts theirs.
    pub tables: Vec<TableDifference>,
    /// Keys of `summary.json` that differ, claims aside.
    pub keys: Vec<KeyDifference>,
    /// How many keys were compared.
    pub keys_compared: usize,
    /// Claims that differ.
    pub claims: Vec<ClaimDifference>,
}

/// Compares two folders of results. Files of any length are read in passing.
///
/// An `Err` means that one of them is no folder of results, or cannot be read.
pub fn compare(a: &Path, b: &Path) -> Result<Comparison, Error> {
    let [mut first, mut second] = [summary::read(a)?, summary::read(b)?];
    let claims = claims(&take(&mut first, "claims"), &take(&mut second, "claims"));
    let (keys, keys_compared) = summary::compare(&first, &second);
    let mut tables = Vec::new();
    for (name, by) in TABLES {
        // A run without impacts beside one with them differs in its summary already.
        let there = |folder: &Path| folder.join(name).is_file();
        if name == "series.csv" || (there(a) && there(b)) {
            tables.extend(series::compare([a, b], name, by)?);
        }
    }
    Ok(Comparison { folders: [a.to_path_buf(), b.to_path_buf()], tables, keys, keys_compared, claims })
}

impl Comparison {
    /// Whether the results agree: exactly at tolerance 0; else numbers up to this part of their size, in the rows, columns and keys
    /// that both have.
    pub fn within(&self, tolerance: f64) -> bool {
        self.tables.iter().all(|table| table.within(tolerance))
            && self.keys.iter().all(|key| key.within(tolerance))
            && self.claims.iter().all(|claim| match claim.holds {
                [Some(a), Some(b)] => a == b,
                _ => tolerance > 0.0,
            })
    }

    /// Whether the tables have the same bytes, and the summaries the same values but for the duration and words.
    pub fn same_bits(&self) -> bool {
        self.tables.iter().all(|table| table.same_bytes)
            && self.keys.iter().all(|key| key.text)
            && self.claims.is_empty()
    }

    /// All of it, with documented keys. Infinite differences are `null`.
    pub fn json(&self, tolerance: f64) -> Value {
        let claim = |c: &ClaimDifference| json!({ "text": c.text, "a": c.holds[0], "b": c.holds[1] });
        json!({
            "format": FORMAT,
            "a": self.folders[0].display().to_string(),
            "b": self.folders[1].display().to_string(),
            "tolerance": tolerance,
            "within": self.within(tolerance),
            "same_bits": self.same_bits(),
            "tables": self.tables.iter().map(|table| table.json(tolerance)).collect::<Vec<_>>(),
            "keys_compared": self.keys_compared,
            "keys": self.keys.iter().map(|key| key.json(tolerance)).collect::<Vec<_>>(),
            "claims": self.claims.iter().map(claim).collect::<Vec<_>>(),
        })
    }
}

fn take(summary: &mut Value, key: &str) -> Value {
    summary.as_object_mut().and_then(|object| object.shift_remove(key)).unwrap_or_default()
}

fn claims(a: &Value, b: &Value) -> Vec<ClaimDifference> {
    let made = |value: &Value| -> Vec<(String, Option<bool>)> {
        let all = value.as_array().map_or(&[][..], |list| list);
        let text = |c: &Value| c["claim"].as_str().unwrap_or_default().to_string();
        all.iter().map(|c| (text(c), c["holds"].as_bool())).collect()
    };
    let (a, b) = (made(a), made(b));
    let mut differing: Vec<ClaimDifference> = Vec::new();
    let names = a.iter().chain(&b).map(|(text, _)| text);
    for text in names {
        let of = |all: &[(String, Option<bool>)]| {
            all.iter().find(|(t, _)| t == text).and_then(|(_, holds)| *holds)
        };
        let holds = [of(&a), of(&b)];
        if holds[0] != holds[1] && !differing.iter().any(|c| c.text == *text) {
            differing.push(ClaimDifference { text: text.clone(), holds });
        }
    }
    differing
}

fn io(path: &Path, error: &std::io::Error) -> Error {
    Error::Io { path: path.display().to_string(), message: error.to_string() }
}

/// A file that is not what its name says.
fn bad(path: &Path, message: &str) -> Error {
    let mut diagnostic = Diagnostic::new(message);
    diagnostic.source = Some(Arc::new(Source { name: path.display().to_string(), text: String::new() }));
    diagnostic.into()
}

fn missing(path: &Path, other: &Path) -> Error {
    bad(path, &format!("there is no such file, but there is {}", other.display()))
}

fn no_results(folder: &Path, error: &std::io::Error) -> Error {
    let name = folder.display();
    let message = match (folder.is_dir(), folder.exists()) {
        (true, _) if folder.join("sweep.csv").exists() => {
            format!("`{name}` has the results of a sweep, not of a run")
        }
        (true, _) => format!("`{name}` has no results of a run: summary.json: {error}"),
        (false, true) => format!("`{name}` is no folder"),
        (false, false) => format!("there is no folder `{name}`"),
    };
    Diagnostic::new(message).help("expected a folder that `stationary run` wrote to the end").into()
}
