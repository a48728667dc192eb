//! `report.html`: the page of one run, from its series and what the observers found.

use super::html::{ClaimRow, ConservationRow, PLOT_SIZE, Page, Section};
use super::plot::Plot;
use super::series::Series;
use crate::observe::Conserved;
use crate::scenario::Scenario;
use crate::scenario::claim;

/// What the page tells.
pub struct RunPage<'a> {
    /// The scenario that was run.
    pub scenario: &'a Scenario,
    /// The rows written.
    pub series: &'a Series,
    /// Name and value of the run's facts.
    pub facts: Vec<(String, String)>,
    /// What was conserved.
    pub conserved: &'a [Conserved],
    /// The claims held against the results.
    pub claims: &'a [claim::Outcome],
    /// What the reader must know first.
    pub warnings: &'a [String],
    /// What relative energy errors refer to.
    pub energy_scale: f64,
}

/// Coordinates that get plots of their own; more would bury the reader.
const SHOWN: usize = 4;

/// The page as HTML.
pub fn run_page(run: &RunPage<'_>) -> String {
    let scenario = run.scenario;
    let conservation = run.conserved.iter().map(|c| ConservationRow {
        quantity: c.quantity.clone(),
        initial: format!("{:.6e}", c.initial),
        worst: format!("{:.1e}", c.worst),
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
        sections: [motion(run), conservation_plots(run), probes(run)].into_iter().flatten().collect(),
        scenario_text: text_as_run(scenario),
    }
    .to_html()
}

/// The scenario's text, and below it what `--set` changed: together they are what was run.
fn text_as_run(scenario: &Scenario) -> String {
    let mut text = scenario.source.text.trim_end().to_string() + "\n";
    for (key, value) in &scenario.overrides {
        text.push_str(&format!("# changed by --set {key}={value}\n"));
    }
    text
}

fn svg(plot: &Plot) -> String {
    plot.to_svg(PLOT_SIZE.0, PLOT_SIZE.1)
}

fn motion(run: &RunPage<'_>) -> Option<Section> {
    let (series, names) = (run.series, &run.scenario.coordinates);
    let column = |name: &str| series.column(name).unwrap_or(&[]);
    let t = column("t");
    let mut plots = Vec::new();
    if let [x, y, ..] = names.as_slice() {
        let plot = Plot::new("Trajectory").x_label(x).y_label(y).equal_aspect();
        let plot =
            plot.line("path", column(x), column(y)).points("start", first(column(x)), first(column(y)));
        plots.push((svg(&plot), format!("The path in the plane of {x} and {y}.")));
    }
    for name in names.iter().take(SHOWN) {
        let p = format!("p{name}");
        let plot = Plot::new(format!("Phase plane of {name}")).x_label(name).y_label(&p);
        plots.push((
            svg(&plot.line("path", column(name), column(&p))),
            format!("Momentum {p} over position {name}."),
        ));
    }
    let mut plot = Plot::new("Positions").x_label("t");
    for name in names.iter().take(SHOWN) {
        plot = plot.line(name, t, column(name));
    }
    let rest = names.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!(" The other {rest} are in series.csv.") } else { String::new() };
    plots.push((svg(&plot), format!("Positions over time.{more}")));
    Some(Section { heading: "Motion".into(), text: String::new(), plots })
}

fn first(values: &[f64]) -> &[f64] {
    &values[..values.len().min(1)]
}

/// Times and changes of a column since its first value, divided by a scale; moments without a value are left out.
fn change(t: &[f64], values: &[f64], scale: f64) -> (Vec<f64>, Vec<f64>) {
    let known = || t.iter().zip(values).filter(|(_, x)| !x.is_nan());
    let first = known().next().map_or(f64::NAN, |(_, x)| *x);
    known().map(|(t, x)| (*t, (x - first) / scale)).unzip()
}

fn conservation_plots(run: &RunPage<'_>) -> Option<Section> {
    let series = run.series;
    let t = series.column("t")?;
    let mut plots = Vec::new();
    let mut energy = Plot::new("Energy error").x_label("t").y_label("relative error");
    for (column, name) in [("energy", "energy"), ("discrete_energy", "discrete energy")] {
        let Some(values) = series.column(column) else { continue };
        let (t, error) = change(t, values, run.energy_scale);
        // Methods without a discrete Lagrangian have no discrete energy, and no line for it in the legend.
        if !t.is_empty() {
            energy = energy.line(name, &t, &error);
        }
    }
    plots.push((
        svg(&energy),
        "Change since the start over the energy scale; bounded for variational methods.".into(),
    ));
    let momenta: Vec<&String> = series.columns().iter().filter(|c| c.starts_with("momentum.")).collect();
    if !momenta.is_empty() {
        let mut plot = Plot::new("Noether momenta").x_label("t").y_label("change");
        for name in momenta {
            let (t, drift) = change(t, series.column(name)?, 1.0);
            plot = plot.line(&name["momentum.".len()..], &t, &drift);
        }
        plots.push((svg(&plot), "Change of each momentum since the start.".into()));
    }
    if let Some(residual) = series.column("symplectic_residual") {
        let plot = Plot::new("Symplectic form").x_label("t").y_label("residual").log_y();
        let plot = plot.line("residual", t.get(1..)?, residual.get(1..)?);
        plots.push((
            svg(&plot),
            "Residual of the discrete symplectic form, relative to the squared tangent.".into(),
        ));
    }
    Some(Section { heading: "What is conserved".into(), text: String::new(), plots })
}

fn probes(run: &RunPage<'_>) -> Option<Section> {
    let t = run.series.column("t")?;
    let plots: Vec<_> = run
        .scenario
        .probes
        .iter()
        .filter_map(|(name, text)| {
            let plot = Plot::new(name).x_label("t").y_label(name);
            Some((svg(&plot.line(name, t, run.series.column(name)?)), format!("{name} = {}", text.text)))
        })
        .collect();
    (!plots.is_empty()).then(|| Section { heading: "Probes".into(), text: String::new(), plots })
}
