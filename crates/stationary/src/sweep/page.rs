//! `sweep.html`: the page of a sweep.

use super::plan::Factor;
use super::plots::{plot, short};
use super::table::{Ending, Row, Table};
use super::{PLOTTED, Sweep};
use crate::report::html::{Page, Section, TextTable};

/// Rows of the table on the page, and runs amiss that are told one by one; `sweep.csv` has them all.
const SHOWN: usize = 200;
const TOLD: usize = 5;

/// The page as HTML. Without keys to plot, the default is plotted if there is such a number.
pub(super) fn page(sweep: &Sweep, table: &Table, title: Option<&str>, plots: &[String]) -> String {
    let name = sweep.scenario(0).map_or(String::new(), |s| s.name);
    let default = [PLOTTED.to_string()];
    let plotted: Vec<&str> = match plots {
        [] => default.iter().filter(|key| table.columns().contains(key)).map(String::as_str).collect(),
        keys => keys.iter().map(String::as_str).collect(),
    };
    let keys: Vec<&str> = sweep.plan.keys().collect();
    let figures = plotted.iter().filter_map(|key| plot(&sweep.plan, table, key)).collect::<Vec<_>>();
    let mut sections = Vec::new();
    if !figures.is_empty() {
        sections.push(Section { heading: "Over the sweep".into(), text: String::new(), plots: figures });
    }
    Page {
        title: title.unwrap_or(&name).to_string(),
        subtitle: format!("Sweep of {} runs over {}.", sweep.plan.len(), keys.join(", ")),
        facts: facts(sweep, table, &name),
        warnings: warnings(sweep, table),
        sections,
        tables: vec![runs(sweep, table, &plotted)],
        scenario_text: scenario_text(sweep),
        ..Page::default()
    }
    .to_html()
}

fn facts(sweep: &Sweep, table: &Table, name: &str) -> Vec<(String, String)> {
    let mut facts =
        vec![("scenario".to_string(), name.to_string()), ("runs".into(), sweep.plan.len().to_string())];
    facts.extend(Ending::ALL.into_iter().filter_map(|ending| {
        let count = table.count(ending);
        (count > 0 || ending == Ending::Finished).then(|| (ending.name().to_string(), count.to_string()))
    }));
    facts.extend(sweep.plan.factors().iter().map(|f| (f.keys.join(", "), extent(f))));
    facts.extend(sweep.set.iter().cloned());
    facts.push(("version".into(), env!("CARGO_PKG_VERSION").into()));
    facts
}

/// The values of a factor in a few words.
fn extent(factor: &Factor) -> String {
    if factor.keys.len() > 1 {
        return format!("{} rows", factor.rows.len());
    }
    let values: Vec<String> = factor.rows.iter().map(|row| short(&row[0])).collect();
    match &values[..] {
        [first, .., last] if values.len() > 6 => format!("{} values, {first} to {last}", values.len()),
        _ => values.join(", "),
    }
}

fn warnings(sweep: &Sweep, table: &Table) -> Vec<String> {
    let amiss: Vec<&Row> = table.rows().iter().filter(|row| !row.note.is_empty()).collect();
    let tell = |row: &&Row| format!("Run {} ({}): {}", row.run + 1, sweep.plan.describe(row.run), row.note);
    let mut told: Vec<String> = amiss.iter().take(TOLD).map(tell).collect();
    if amiss.len() > TOLD {
        told.push(format!("And {} runs more with a note: see sweep.csv.", amiss.len() - TOLD));
    }
    told
}

/// What varies, how it ended, and what is plotted.
fn runs(sweep: &Sweep, table: &Table, plotted: &[&str]) -> TextTable {
    let heads =
        ["run"].into_iter().chain(sweep.plan.keys()).chain(["outcome"]).chain(plotted.iter().copied());
    let row = |row: &Row| {
        let class = if row.ending == Ending::Finished { "" } else { "fails" };
        let mut cells = vec![("number", (row.run + 1).to_string())];
        cells.extend(sweep.plan.values(row.run).into_iter().map(|v| ("number", short(v))));
        cells.push((class, row.ending.name().to_string()));
        let value = |key: &&str| row.value(key).map_or(String::new(), |x| format!("{x:.6e}"));
        cells.extend(plotted.iter().map(|key| ("number", value(key))));
        cells
    };
    let all = table.rows().len();
    let heading = if all > SHOWN { format!("Runs 1 to {SHOWN} of {all}") } else { "Runs".to_string() };
    TextTable {
        heading,
        heads: heads.map(String::from).collect(),
        rows: table.rows().iter().take(SHOWN).map(row).collect(),
    }
}

/// The scenario's text, and below it what was changed in all runs.
fn scenario_text(sweep: &Sweep) -> String {
    let mut text = sweep.template.text().trim_end().to_string() + "\n";
    for (key, value) in &sweep.set {
        text.push_str(&format!("# changed by --set {key}={value}\n"));
    }
    text
}
