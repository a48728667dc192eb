//! `sweep.html`: the page of a sweep.

use super::plan::Factor;
use super::plots::{plot, short};
use super::table::{Ending, Row, SweepTable};
use super::{PLOTTED, Sweep};
use stationary_report::html::{Page, Section, TextTable};

/// Rows of the table on the page, and runs amiss that are told one by one; `sweep.csv` has them all.
const SHOWN: usize = 200;
const TOLD: usize = 5;

/// The page as HTML. Without keys to plot, the default is plotted if there is such a number.
pub(super) fn page(sweep: &Sweep, table: &SweepTable, title: Option<&str>, plots: &[String]) -> String {
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
        subtitle: format!("Sweep of {} over {}.", count(sweep.plan.len()), keys.join(", ")),
        facts: facts(sweep, table, &name),
        warnings: warnings(sweep, table),
        sections,
        tables: vec![runs(sweep, table, &plotted)],
        scenario_text: scenario_text(sweep),
        ..Page::default()
    }
    .to_html()
}

fn count(runs: usize) -> String {
    if runs == 1 { "1 run".into() } else { format!("{runs} runs") }
}

fn facts(sweep: &Sweep, table: &SweepTable, name: &str) -> Vec<(String, String)> {
    let mut facts =
        vec![("scenario".to_string(), name.to_string()), ("runs".into(), sweep.plan.len().to_string())];
    facts.extend(Ending::ALL.into_iter().filter_map(|ending| {
        let ended = table.count(ending);
        (ended > 0 || ending == Ending::Finished).then(|| (ending.name().to_string(), ended.to_string()))
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

fn warnings(sweep: &Sweep, table: &SweepTable) -> Vec<String> {
    let amiss: Vec<&Row> = table.rows().iter().filter(|row| !row.note.is_empty()).collect();
    let tell = |row: &&Row| format!("Run {} ({}): {}", row.run + 1, sweep.plan.describe(row.run), row.note);
    let mut told: Vec<String> = amiss.iter().take(TOLD).map(tell).collect();
    if amiss.len() > TOLD {
        told.push(format!("And {} runs more with a note: see sweep.csv.", amiss.len() - TOLD));
    }
    told
}

/// What varies, how it ended, and what is plotted.
fn runs(sweep: &Sweep, table: &SweepTable, plotted: &[&str]) -> TextTable {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Template, shipped};
    use crate::sweep::{Factor, Plan};
    use stationary_report::testing::check_well_formed;

    /// The page of a made-up sweep in which some runs went wrong.
    fn made_up(factors: &[(&str, &str)], key: &str) -> String {
        let plan =
            Plan::new(factors.iter().map(|(key, values)| Factor::over(key, values).unwrap()).collect())
                .unwrap();
        let row = |run: usize| Row {
            run,
            ending: Ending::ALL[if run.is_multiple_of(5) { run % 4 } else { 0 }],
            note: if run.is_multiple_of(5) { "1 < 2 & \"3\"".into() } else { String::new() },
            keys: [key.to_string()].into(),
            values: vec![if run.is_multiple_of(7) { f64::NAN } else { run as f64 }],
        };
        let table = SweepTable::new((0..plan.len()).map(row).collect());
        let template = Template::new("pendulum", shipped::find("pendulum").unwrap().text);
        let sweep = Sweep { template, set: vec![("title".into(), "a < b".into())], plan };
        page(&sweep, &table, Some("a < b"), &[key.to_string()])
    }

    #[test]
    fn every_kind_of_sweep_has_its_picture() {
        let (step, few, words) =
            (("step", "0.01..0.1:30"), ("parameters.l", "1,2"), ("integrator", "verlet,rk4"));
        let many = ("parameters.g", "1..10:20");
        for (factors, pictures, expected) in [
            (&[step][..], 1, "Over step."),
            (&[words], 1, "integrator: 1 verlet, 2 rk4"),
            (&[few, step], 1, "Over step, a line for each parameters.l."),
            (&[step, many], 1, "Over parameters.g and step."),
            (&[few, words, step], 1, "Over the runs in their order."),
            (&[("step", "0.1")], 0, "Sweep of 1 run over step."),
        ] {
            let html = made_up(factors, "energy.max<script>");
            check_well_formed(&html).unwrap_or_else(|e| panic!("{factors:?}: {e}"));
            assert_eq!(html.matches("<svg").count(), pictures, "{factors:?}");
            assert!(html.contains(expected) && !html.contains("<script"), "{factors:?}");
        }
    }
}
