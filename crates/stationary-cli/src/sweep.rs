//! `stationary sweep`: many runs of a scenario become a table.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stationary::error::Error;
use stationary_app::scenario::Template;
use stationary_app::sweep::{Ending, Factor, Plan, Row, Sweep, SweepOptions, SweepOutcome};

use crate::output::{complain, say, table};
use crate::progress::{Display, catch_interrupts};
use crate::{Verdict, arguments, events};

/// Runs amiss that are told one by one.
const TOLD: usize = 10;

/// Sweeps a scenario.
pub fn sweep(arguments: &arguments::Sweep) -> Result<Verdict, Error> {
    let sweep = Sweep {
        template: Template::find(&arguments.scenario.scenario)?,
        set: arguments.scenario.set.clone(),
        plan: plan(arguments)?,
    };
    let first = sweep.scenario(0)?;
    let out = arguments.out.clone();
    let out = out.unwrap_or_else(|| PathBuf::from("results").join(format!("{}-sweep", first.name)));
    let mut options = SweepOptions::new(&out);
    options.jobs = arguments.jobs.map_or(options.jobs, usize::from);
    (options.keep, options.resume) = (arguments.keep, arguments.resume);
    options.plots.clone_from(&arguments.plot);
    catch_interrupts();
    if arguments.json {
        events::write(&json!({
            "event": "start",
            "format": events::FORMAT,
            "command": "sweep",
            "scenario": first.name,
            "title": first.title,
            "keys": sweep.plan.keys().collect::<Vec<_>>(),
            "runs": sweep.plan.len(),
            "out": out.display().to_string(),
            "resumed": arguments.resume,
        }));
    }
    let mut display = Display::new(arguments.quiet, arguments.json);
    let outcome = sweep.run(&options, &mut |progress| display.watch_sweep(progress));
    display.finish();
    let outcome = outcome?;
    if arguments.json {
        return Ok(told(&sweep, &outcome, &out));
    }
    if !arguments.quiet && !outcome.interrupted {
        let title = first.title.as_deref().unwrap_or(&first.name);
        say(&report(title, &sweep, &outcome, &arguments.plot, &out));
    }
    Ok(verdict(&sweep, &outcome))
}

/// A list is the slowest factor; then come the keys in their order.
fn plan(arguments: &arguments::Sweep) -> Result<Plan, Error> {
    let list = arguments.list.as_deref().map(Factor::open_list);
    let over = arguments.over.iter().map(|(key, values)| Factor::over(key, values));
    Plan::new(list.into_iter().chain(over).collect::<Result<_, _>>()?)
}

/// The last event of a sweep, after a warning for each run that has a note.
fn told(sweep: &Sweep, outcome: &SweepOutcome, out: &Path) -> Verdict {
    for row in outcome.table.rows().iter().filter(|row| !row.note.is_empty()) {
        events::warning(&format!("run {} ({}): {}", row.run + 1, sweep.plan.describe(row.run), row.note));
    }
    let rows = outcome.table.rows().len();
    let (word, verdict) = match (outcome.interrupted, outcome.table.count(Ending::Finished) == rows) {
        (true, _) => ("interrupted", Verdict::Stopped),
        (false, false) => ("claim_failed", Verdict::ClaimFailed),
        (false, true) => ("finished", Verdict::Done),
    };
    let counts: serde_json::Map<String, Value> =
        Ending::ALL.iter().map(|e| (e.name().replace(' ', "_"), outcome.table.count(*e).into())).collect();
    events::write(&json!({
        "event": "done",
        "outcome": word,
        "exit": verdict.code(),
        "message": null,
        "out": out.display().to_string(),
        "files": outcome.files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>(),
        "runs": sweep.plan.len(),
        "counts": counts,
    }));
    verdict
}

/// Says on standard error whatever is not as it should be.
fn verdict(sweep: &Sweep, outcome: &SweepOutcome) -> Verdict {
    for note in &outcome.notes {
        complain(&format!("note: {note}"));
    }
    let rows = outcome.table.rows();
    let noted: Vec<&Row> = rows.iter().filter(|row| !row.note.is_empty()).collect();
    for row in noted.iter().take(TOLD) {
        let word = if row.ending == Ending::Refused { "refused: " } else { "" };
        complain(&format!("run {} ({}): {word}{}", row.run + 1, sweep.plan.describe(row.run), row.note));
    }
    if noted.len() > TOLD {
        complain(&format!("and {} runs more: see the column `note`", noted.len() - TOLD));
    }
    if outcome.interrupted && outcome.files.is_empty() {
        complain("interrupted before the first run; nothing was written");
        return Verdict::Stopped;
    }
    if outcome.interrupted {
        let (done, all) = (rows.len(), sweep.plan.len());
        complain(&format!(
            "interrupted: {done} of {all} runs are over and kept; --resume goes on with the others"
        ));
        return Verdict::Stopped;
    }
    if outcome.table.count(Ending::Finished) == rows.len() { Verdict::Done } else { Verdict::ClaimFailed }
}

fn report(title: &str, sweep: &Sweep, outcome: &SweepOutcome, plotted: &[String], out: &Path) -> String {
    let keys: Vec<&str> = sweep.plan.keys().collect();
    let plural = if sweep.plan.len() == 1 { "" } else { "s" };
    let mut text = format!("{title}: {} run{plural} over {}\n\nRuns\n", sweep.plan.len(), keys.join(", "));
    let counts = Ending::ALL.map(|ending| (ending, outcome.table.count(ending)));
    let rows: Vec<_> = counts
        .iter()
        .filter(|(ending, count)| *count > 0 || *ending == Ending::Finished)
        .map(|(ending, count)| vec![ending.name().to_string(), count.to_string()])
        .collect();
    text.push_str(&table(&rows));
    let default = ["energy.max_relative_error".to_string()];
    let shown = if plotted.is_empty() { &default[..] } else { plotted };
    let rows: Vec<_> = shown.iter().filter_map(|key| extremes(key, sweep, outcome)).collect();
    if !rows.is_empty() {
        let head = ["key", "least", "in run", "largest", "in run"].map(String::from).to_vec();
        let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
        text.push_str(&format!("\n\nOver the runs that reached their end\n{}", table(&rows)));
    }
    let names = outcome.files.iter().filter_map(|f| f.file_name()).map(|n| n.to_string_lossy().into_owned());
    text.push_str(&format!("\n\nResults in {}: {}", out.display(), names.collect::<Vec<_>>().join(", ")));
    text
}

/// The least and the largest value of a key, and where they are.
fn extremes(key: &str, sweep: &Sweep, outcome: &SweepOutcome) -> Option<Vec<String>> {
    let ended = |row: &&Row| matches!(row.ending, Ending::Finished | Ending::ClaimFailed);
    let rows = outcome.table.rows().iter().filter(ended);
    let values: Vec<(f64, usize)> = rows.filter_map(|row| Some((row.value(key)?, row.run))).collect();
    let least = values.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let most = values.iter().rev().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let run = |run: usize| format!("{} ({})", run + 1, sweep.plan.describe(run));
    let number = |x: f64| format!("{x:.3e}");
    Some(vec![key.to_string(), number(least.0), run(least.1), number(most.0), run(most.1)])
}
