//! `stationary run`: a scenario becomes a folder of results and a table of what was conserved.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Value, json};
use stationary::error::Error;
use stationary::interrupt;
use stationary_app::run::{Conserved, Progress, RunOutcome};
use stationary_app::scenario::{Scenario, Template, claim};

use crate::output::{complain, number, say, table};
use crate::progress::{Display, ProgressLabels, catch_interrupts, interrupted};
use crate::{Verdict, arguments, events};

/// Runs a scenario.
pub fn run(arguments: &arguments::Run) -> Result<Verdict, Error> {
    let mut set = arguments.scenario.set.clone();
    set.extend(arguments.threads.map(|n| ("integrator.threads".to_string(), n.to_string())));
    let scenario = Template::find(&arguments.scenario.scenario)?.read(&set)?;
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from("results").join(&scenario.name));
    catch_interrupts();
    if arguments.json {
        events::write(&start(&scenario, &out, arguments.resume));
    }
    let mut display = Display::new(arguments.quiet, arguments.json);
    let words = ProgressLabels::of(&scenario);
    let begin = if arguments.resume { stationary_app::run::resume } else { stationary_app::run::run };
    let mut watch = |progress: &Progress| display.watch(progress, words);
    let outcome = interrupt::listen(Rc::new(interrupted), || begin(&scenario, &out, &mut watch));
    display.finish();
    let outcome = outcome?;
    if arguments.json {
        return Ok(told(&outcome, &out));
    }
    if !arguments.quiet {
        say(&report(scenario.title.as_deref().unwrap_or(&scenario.name), &outcome, &out));
    }
    Ok(verdict(&outcome))
}

/// The first event of a run.
fn start(scenario: &Scenario, out: &Path, resumed: bool) -> Value {
    json!({
        "event": "start",
        "format": events::FORMAT,
        "command": "run",
        "scenario": scenario.name,
        "title": scenario.title,
        "kind": scenario.kind_name(),
        "start": scenario.start,
        "end": scenario.end,
        "end_impacts": scenario.end_impacts,
        "out": out.display().to_string(),
        "resumed": resumed,
    })
}

/// Its warnings, and its last event.
fn told(outcome: &RunOutcome, out: &Path) -> Verdict {
    outcome.warnings.iter().for_each(|warning| events::warning(warning));
    let well = outcome.claims.iter().all(|c| c.holds);
    let (word, verdict) = match (&outcome.stopped, outcome.interrupted, well) {
        (Some(_), _, _) => ("stopped", Verdict::Stopped),
        (None, true, _) => ("interrupted", Verdict::Stopped),
        (None, false, false) => ("claim_failed", Verdict::ClaimFailed),
        (None, false, true) => ("finished", Verdict::Done),
    };
    let claim = |c: &claim::CheckedClaim| json!({ "text": c.text, "holds": c.holds, "reason": c.reason });
    let files: Vec<String> = outcome.files.iter().map(|f| f.display().to_string()).collect();
    events::write(&json!({
        "event": "done",
        "outcome": word,
        "exit": verdict.code(),
        "message": outcome.stopped.as_ref().map(|error| format!("the run {error}")),
        "out": out.display().to_string(),
        "files": files,
        "claims": outcome.claims.iter().map(claim).collect::<Vec<_>>(),
        "summary": outcome.summary,
    }));
    verdict
}

/// Says on standard error whatever is not as it should be.
fn verdict(outcome: &RunOutcome) -> Verdict {
    for note in &outcome.notes {
        complain(&format!("note: {note}"));
    }
    for warning in &outcome.warnings {
        complain(&format!("warning: {warning}"));
    }
    if let Some(error) = &outcome.stopped {
        complain(&format!("error: the run {error}; everything up to then is written"));
        return Verdict::Stopped;
    }
    if outcome.interrupted {
        complain(
            "interrupted: the run ended early; everything up to the last step is written; --resume goes on from here",
        );
        return Verdict::Stopped;
    }
    let failed: Vec<_> = outcome.claims.iter().filter(|c| !c.holds).collect();
    for claim in &failed {
        complain(&format!("claim failed: {} ({})", claim.text, claim.reason));
    }
    if failed.is_empty() { Verdict::Done } else { Verdict::ClaimFailed }
}

fn report(title: &str, outcome: &RunOutcome, out: &Path) -> String {
    let mut text = title.to_string();
    if !outcome.conserved.is_empty() {
        let row = |c: &Conserved| vec![c.quantity.clone(), number(c.initial), c.verdict.clone()];
        let head = vec!["quantity".into(), "at the start".into(), "over the run".into()];
        let rows: Vec<_> = std::iter::once(head).chain(outcome.conserved.iter().map(row)).collect();
        text.push_str(&format!("\n\nConserved\n{}", table(&rows)));
    }
    if let Some(rows) = elements(&outcome.summary) {
        text.push_str(&format!("\n\nElements\n{}", table(&rows)));
    }
    if let Some(rows) = impacts(&outcome.summary) {
        text.push_str(&format!("\n\nImpacts\n{}", table(&rows)));
    }
    if !outcome.claims.is_empty() {
        let word = |holds| if holds { "holds" } else { "FAILED" }.to_string();
        let rows: Vec<_> =
            outcome.claims.iter().map(|c| vec![word(c.holds), c.text.clone(), c.reason.clone()]).collect();
        text.push_str(&format!("\n\nClaims\n{}", table(&rows)));
    }
    let files: Vec<String> = outcome.files.iter().map(|f| short(f)).collect();
    text.push_str(&format!("\n\nResults in {}: {}", out.display(), files.join(", ")));
    text
}

/// What happened where gaps closed: none without gaps.
fn impacts(summary: &Value) -> Option<Vec<Vec<String>>> {
    let found = summary["impacts"].as_object()?;
    let row = |name: &str, value: String| vec![name.to_string(), value];
    let short = |key: &str| found.get(key).and_then(Value::as_f64).map_or("-".to_string(), number);
    let count = |key: &str| found.get(key).and_then(Value::as_u64).unwrap_or(0);
    let mut rows =
        vec![row("bounces", format!("{}, at most {} in a step", count("count"), count("max_per_step")))];
    if count("count") > 0 {
        rows.push(row("first and last at", format!("{} and {}", short("first_time"), short("last_time"))));
    }
    if count("rests") + count("releases") > 0 {
        rows.push(row(
            "contacts that lasted",
            format!("{} began, {} ended by themselves", count("rests"), count("releases")),
        ));
    }
    let taken = found.get("dissipated").and_then(Value::as_f64).unwrap_or(0.0);
    // Elastic impacts leave rounding.
    if taken.abs() > 1e-12 * summary["energy"]["scale"].as_f64().unwrap_or(0.0) {
        let what = if taken < 0.0 { "energy given" } else { "energy taken" };
        rows.push(row(what, number(taken.abs())));
    }
    Some(rows)
}

/// What the elements of a solid did: none for other systems.
fn elements(summary: &Value) -> Option<Vec<Vec<String>>> {
    let avi = summary["avi"].as_object()?;
    let count = |v: &Value| {
        v.as_f64().map_or("-".to_string(), |x| if x < 1e6 { x.to_string() } else { format!("{x:.3e}") })
    };
    let ratio = |v: &Value| v.as_f64().map_or("-".to_string(), |x| format!("{x:.2}"));
    let percent = |v: &Value| v.as_f64().map_or("-".to_string(), |x| format!("{:.1} %", 100.0 * x));
    let row = |name: &str, value: String| vec![name.to_string(), value];
    let (updates, local) = (&avi["updates"], &summary["local_energy"]);
    let mut rows = vec![
        row("elements, nodes", format!("{}, {}", avi["elements"], avi["nodes"])),
        row(
            "updates",
            format!(
                "{}, from {} to {} each",
                count(&updates["total"]),
                count(&updates["min"]),
                count(&updates["max"])
            ),
        ),
        row("with one step for all", count(&avi["synchronous_updates"])),
        row("ideal speed-up (62)", ratio(&avi["ideal_speedup"])),
    ];
    if let Some(levels) = avi["levels"].as_array().filter(|levels| levels.len() > 1) {
        let elements: Vec<String> = levels.iter().map(|level| level["elements"].to_string()).collect();
        let boundary = percent(&avi["boundary_share"]);
        let counts = elements.join(" + ");
        rows.push(row("levels of steps", format!("{} elements, {boundary} at a boundary", counts)));
    }
    if let Some(reason) = avi["chosen"]["reason"].as_str() {
        rows.push(row("chosen", reason.to_string()));
    }
    if local["worst"].is_number() {
        let [fine, fair] =
            [&local["fraction_below_0_1_percent"], &local["fraction_below_1_percent"]].map(percent);
        rows.push(row("local energy residual (43)", format!("below 0.1 % in {fine}, below 1 % in {fair}")));
    }
    for (name, probe) in summary["probe"].as_object()? {
        let place: Vec<String> = probe["position"].as_array()?.iter().map(coordinate).collect();
        let is_away = probe["distance"].as_f64().is_some_and(|distance| distance > 0.0);
        let away = if is_away { format!(", {} away", coordinate(&probe["distance"])) } else { String::new() };
        let taken = format!("node {} at ({}){away}", probe["node"], place.join(", "));
        rows.push(row(&format!("probe {name}"), taken));
    }
    for (name, impulse) in summary["reaction_impulse"].as_object()? {
        rows.push(row(&format!("impulse of support {name}"), impulse.to_string()));
    }
    Some(rows)
}

/// A length to six digits, without zeros behind.
fn coordinate(value: &Value) -> String {
    let rounded = value.as_f64().and_then(|x| format!("{x:.5e}").parse::<f64>().ok());
    rounded.map_or("-".to_string(), |x| x.to_string())
}

fn short(file: &Path) -> String {
    file.file_name().map_or_else(|| file.display().to_string(), |n| n.to_string_lossy().into_owned())
}
