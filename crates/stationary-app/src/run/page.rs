//! `report.html`: the page of one run, from its series and what the observers found.

use crate::scenario::claim;
use crate::scenario::{Scenario, Text};
use stationary::observe::Conserved;
use stationary_report::Series;
use stationary_report::html::{ClaimRow, ConservationRow, Page, Section, TextTable};
use stationary_report::plot::Plot;

/// What the page tells.
pub struct RunPage<'a> {
    /// The scenario that was run.
    pub scenario: &'a Scenario,
    /// Name and value of the run's facts.
    pub facts: Vec<(String, String)>,
    /// What was conserved.
    pub conserved: &'a [Conserved],
    /// The claims held against the results.
    pub claims: &'a [claim::CheckedClaim],
    /// What the reader must know first.
    pub warnings: &'a [String],
    /// Plots and pictures of the motion.
    pub sections: Vec<Section>,
    /// Tables after them.
    pub tables: Vec<TextTable>,
}

/// Times of impacts, to be marked in plots.
#[derive(Clone, Debug, Default)]
pub struct ImpactTimes {
    /// The first ones, each.
    pub opening: Vec<f64>,
    /// Those of the whole run, every so many of very many.
    pub whole: Vec<f64>,
}

impl ImpactTimes {
    /// Marks them in a plot over the opening of a run, that ends at `last`, or over the whole of it.
    pub fn on(&self, plot: Plot, last: Option<f64>) -> Plot {
        let times: Vec<f64> = match last {
            Some(last) => self.opening.iter().copied().filter(|t| *t <= last).collect(),
            None => self.whole.clone(),
        };
        if times.is_empty() { plot } else { plot.marks("impacts", &times) }
    }
}

/// The page.
pub fn run_page(run: &RunPage<'_>) -> Page {
    let scenario = run.scenario;
    let conservation = run.conserved.iter().map(|c| ConservationRow {
        quantity: c.quantity.clone(),
        initial: format!("{:.6e}", c.initial),
        change: format!("{:.1e}", c.change),
        verdict: c.verdict.clone(),
    });
    let claims = run.claims.iter().map(|c| ClaimRow {
        text: c.text.clone(),
        outcome: c.holds,
        measured: c.reason.clone(),
    });
    Page {
        title: scenario.title.clone().unwrap_or_else(|| scenario.name.clone()),
        subtitle: scenario.description.clone().unwrap_or_default(),
        facts: run.facts.clone(),
        conservation: conservation.collect(),
        claims: claims.collect(),
        warnings: run.warnings.to_vec(),
        sections: run.sections.clone(),
        tables: run.tables.clone(),
        scenario_text: text_as_run(scenario),
    }
}

/// The scenario's text, and below it what `--set` changed: together they are what was run.
pub(crate) fn text_as_run(scenario: &Scenario) -> String {
    let mut text = scenario.source.text.trim_end().to_string() + "\n";
    for (key, value) in &scenario.overrides {
        text.push_str(&format!("# changed by --set {key}={value}\n"));
    }
    text
}

/// A plot of each probe over time.
pub(crate) fn probes(series: &Series, probes: &[(String, Text)], impacts: &ImpactTimes) -> Option<Section> {
    let plots: Vec<_> = probes
        .iter()
        .filter_map(|(name, text)| {
            let (t, values) = series.whole(name)?;
            let plot = Plot::new(name).x_label("t").y_label(name).line(name, &t, &values);
            let plot = impacts.on(plot, None);
            Some((plot.to_page(), format!("{name} = {}", text.text)))
        })
        .collect();
    (!plots.is_empty()).then(|| Section { heading: "Probes".into(), text: String::new(), plots })
}
