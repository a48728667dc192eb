//! `stationary compare`: how far two folders of results are apart.

use serde_json::Value;
use stationary::error::Error;
use stationary_app::compare::{
    ClaimDifference, ColumnDifference, Comparison, KeyDifference, TableDifference, compare as measure,
};

use crate::output::{say, say_pretty, table};
use crate::{Verdict, arguments};

/// Rows of a table that are shown; the largest differences come first.
const SHOWN: usize = 20;

/// Compares two folders.
pub fn compare(arguments: &arguments::Compare) -> Result<Verdict, Error> {
    let found = measure(&arguments.a, &arguments.b)?;
    let within = found.within(arguments.tolerance);
    if arguments.json {
        say_pretty(&found.json(arguments.tolerance));
    } else {
        say(&text(&found, arguments.tolerance));
    }
    Ok(if within { Verdict::Done } else { Verdict::ClaimFailed })
}

fn text(found: &Comparison, tolerance: f64) -> String {
    let [a, b] = found.folders.each_ref().map(|folder| folder.display().to_string());
    let mut text = format!("A  {a}\nB  {b}");
    for difference in &found.tables {
        text.push_str(&format!("\n\n{}", of_table(difference, tolerance)));
    }
    let counted: Vec<&KeyDifference> = found.keys.iter().filter(|key| !key.text).collect();
    let told: Vec<&KeyDifference> = found.keys.iter().filter(|key| key.text).collect();
    let head = format!("summary.json: {} of {} keys differ", found.keys.len(), found.keys_compared);
    text.push_str(&format!("\n\n{head}"));
    let mut ordered = counted;
    ordered.sort_by(|x, y| y.relative.total_cmp(&x.relative));
    let rows: Vec<Vec<String>> = ordered.iter().take(SHOWN).map(|key| of_key(key, tolerance)).collect();
    let words: Vec<Vec<String>> = told.iter().take(SHOWN).map(|key| of_key(key, tolerance)).collect();
    if !rows.is_empty() || !words.is_empty() {
        let titles = ["key", "A", "B", "relative", ""].map(String::from).to_vec();
        let all: Vec<_> = std::iter::once(titles).chain(rows).chain(words).collect();
        text.push_str(&format!("\n{}", table(&all)));
    }
    let hidden = ordered.len().saturating_sub(SHOWN) + told.len().saturating_sub(SHOWN);
    if hidden > 0 {
        text.push_str(&format!("\n  and {hidden} more: --json has them all"));
    }
    if !found.claims.is_empty() {
        let word = |holds: Option<bool>| match holds {
            Some(true) => "holds",
            Some(false) => "FAILED",
            None => "-",
        };
        let row = |c: &ClaimDifference| {
            vec![c.text.clone(), format!("A {}", word(c.holds[0])), format!("B {}", word(c.holds[1]))]
        };
        let rows: Vec<_> = found.claims.iter().map(row).collect();
        text.push_str(&format!("\n\nClaims that differ\n{}", table(&rows)));
    }
    text.push_str(&format!("\n\n{}", verdict(found, tolerance)));
    text
}

fn verdict(found: &Comparison, tolerance: f64) -> String {
    match (found.same_bits(), found.within(tolerance), tolerance == 0.0) {
        (true, _, _) => "The same bits: every number of both is equal.".into(),
        (false, true, true) => "Equal: every number of both is the same.".into(),
        (false, true, false) => format!("Within the tolerance {tolerance:e}."),
        (false, false, true) => {
            "Different. --tolerance 1e-9 lets numbers differ by that part of their size.".into()
        }
        (false, false, false) => format!("Beyond the tolerance {tolerance:e}."),
    }
}

fn of_table(found: &TableDifference, tolerance: f64) -> String {
    let [a, b] = found.rows;
    let mut text = format!("{}: {} rows in common", found.name, found.matched);
    if [a, b] != [found.matched; 2] {
        text.push_str(&format!(", of {a} in A and {b} in B"));
    }
    if found.same_bytes {
        return text + ", the same bytes";
    }
    for (side, torn) in ["A", "B"].iter().zip(found.torn) {
        if torn {
            text.push_str(&format!("\n  the last row of {side} is not whole and left out"));
        }
    }
    for (side, names) in ["A", "B"].iter().zip(&found.only) {
        if !names.is_empty() {
            let few: Vec<&str> = names.iter().map(String::as_str).take(SHOWN).collect();
            let more = names.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            text.push_str(&format!("\n  only in {side}: {}{more}", few.join(", ")));
        }
    }
    let mut columns: Vec<&ColumnDifference> = found.columns.iter().filter(|c| c.relative > 0.0).collect();
    columns.sort_by(|x, y| y.relative.total_cmp(&x.relative));
    if columns.is_empty() {
        return text + "\n  all numbers in common are equal";
    }
    let head =
        ["column", "largest difference", "at", "relative", "at the end", ""].map(String::from).to_vec();
    let row = |c: &&ColumnDifference| {
        let mark = if c.within(tolerance) { "" } else { "beyond" };
        vec![
            c.name.clone(),
            short(c.largest),
            c.at.to_string(),
            short(c.relative),
            short(c.last),
            mark.into(),
        ]
    };
    let rows: Vec<_> = std::iter::once(head).chain(columns.iter().take(SHOWN).map(row)).collect();
    text.push_str(&format!("\n{}", table(&rows)));
    if columns.len() > SHOWN {
        text.push_str(&format!("\n  and {} columns more: --json has them all", columns.len() - SHOWN));
    }
    text
}

fn of_key(key: &KeyDifference, tolerance: f64) -> Vec<String> {
    let value = |value: &Option<Value>| match value {
        None => "-".to_string(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let [a, b] = key.values.each_ref().map(value);
    let relative = if key.text { String::new() } else { short(key.relative) };
    let mark = match (key.told_only(tolerance), key.within(tolerance)) {
        (true, _) => "does not count",
        (false, true) => "",
        (false, false) => "beyond",
    };
    vec![key.key.clone(), a, b, relative, mark.into()]
}

fn short(x: f64) -> String {
    if x == 0.0 { "0".into() } else { format!("{x:.2e}") }
}
