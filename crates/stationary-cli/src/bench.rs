//! `stationary bench`: how fast this build is on this machine, as ratios.

use serde_json::{Value, json};
use stationary::error::{Diagnostic, Error, near_miss};
use stationary_bench::machine::machine;
use stationary_bench::{BenchRow, Effort, HEADER, When, rows};

use crate::output::{complain, say, say_pretty, table};
use crate::{Verdict, arguments};

/// The form of the JSON; a change that takes something away or gives it another meaning counts it up.
const FORMAT: u32 = 1;

/// Measures the rows that are asked for, and tells which keep their bars.
pub fn bench(arguments: &arguments::Bench) -> Result<Verdict, Error> {
    let all = rows();
    let chosen = choose(&all, arguments)?;
    if arguments.list {
        let row = |r: &&BenchRow| vec![r.group.into(), r.name.into(), r.what.into()];
        say(&table(&chosen.iter().map(row).collect::<Vec<_>>()));
        return Ok(Verdict::Done);
    }
    let effort = Effort { insist: arguments.check, full: arguments.full };
    let (mut found, mut well) = (Vec::new(), true);
    if !arguments.json {
        say(HEADER);
    }
    for (i, row) in chosen.iter().enumerate() {
        if !arguments.quiet && arguments.json {
            complain(&format!("[{}/{}] {}: {}", i + 1, chosen.len(), row.name, row.what));
        }
        let measured =
            row.measure(effort).map_err(|why| Diagnostic::new(format!("row `{}`: {why}", row.name)))?;
        well &= measured.passes();
        if arguments.json {
            found.push(measured.json());
        } else {
            say(&measured.line());
        }
    }
    if arguments.json {
        let effort = json!({ "check": effort.insist, "full": effort.full });
        let all =
            json!({ "format": FORMAT, "machine": machine(), "effort": effort, "rows": Value::Array(found) });
        say_pretty(&all);
    }
    Ok(if arguments.check && !well { Verdict::ClaimFailed } else { Verdict::Done })
}

/// The rows whose name or group is asked for, in the order of the table; without a word all that always run.
fn choose<'a>(all: &'a [BenchRow], arguments: &arguments::Bench) -> Result<Vec<&'a BenchRow>, Error> {
    for word in &arguments.rows {
        if !all.iter().any(|row| row.name == word || row.group == word) {
            let mut known: Vec<&str> = Vec::new();
            for name in all.iter().map(|row| row.group).chain(all.iter().map(|row| row.name)) {
                if !known.contains(&name) {
                    known.push(name);
                }
            }
            let near = near_miss(word, known.iter().copied());
            let suggestion = near.map_or(String::new(), |n| format!("did you mean `{n}`? "));
            let help = format!("{suggestion}groups and rows: {}", known.join(", "));
            return Err(Diagnostic::new(format!("the bench has no row or group `{word}`")).help(help).into());
        }
    }
    let asked = |row: &&BenchRow| {
        let says = |word: &str| arguments.rows.iter().any(|w| w == word);
        let (bare, full) = (arguments.rows.is_empty(), arguments.full || arguments.list);
        says(row.name)
            || match row.when {
                When::Always => bare || says(row.group),
                When::Full => full && (bare || says(row.group)),
                When::Group => says(row.group) || (bare && arguments.list),
            }
    };
    Ok(all.iter().filter(asked).collect())
}
