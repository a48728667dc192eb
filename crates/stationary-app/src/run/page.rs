//! `report.html`: the page of one run, from its series and what the observers found.

use crate::scenario::claim;
use crate::scenario::{Scenario, System};
use stationary::observe::{Conserved, part};
use stationary_report::Series;
use stationary_report::html::{ClaimRow, ConservationRow, Page, Section, TextTable};
use stationary_report::plot::Plot;

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
    /// Parts of the page that this kind of system has beyond the others.
    pub sections: Vec<Section>,
    /// Tables after them.
    pub tables: Vec<TextTable>,
    /// When something was hit.
    pub impacts: ImpactTimes,
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
    fn on(&self, plot: Plot, last: Option<f64>) -> Plot {
        let times: Vec<f64> = match last {
            Some(last) => self.opening.iter().copied().filter(|t| *t <= last).collect(),
            None => self.whole.clone(),
        };
        if times.is_empty() { plot } else { plot.marks("impacts", &times) }
    }
}

/// Coordinates that get plots of their own; more would bury the reader.
const SHOWN: usize = 4;

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
    let plots = [motion(run), conservation_plots(run), probes(run)].into_iter().flatten();
    Page {
        title: scenario.title.clone().unwrap_or_else(|| scenario.name.clone()),
        subtitle: scenario.description.clone().unwrap_or_default(),
        facts: run.facts.clone(),
        conservation: conservation.collect(),
        claims: claims.collect(),
        warnings: run.warnings.to_vec(),
        sections: plots.chain(run.sections.iter().cloned()).collect(),
        tables: run.tables.clone(),
        scenario_text: text_as_run(scenario),
    }
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
    plot.to_page()
}

/// Paths through the opening of the run: of a long one, the whole would be a blot.
fn motion(run: &RunPage<'_>) -> Option<Section> {
    let (series, names) = (run.series, &run.scenario.formula()?.coordinates);
    let column = |name: &str| series.opening(name).unwrap_or(&[]);
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
    plot = run.impacts.on(plot, Some(t.last().copied().unwrap_or(f64::NAN)));
    let rest = names.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!(" The other {rest} are in series.csv.") } else { String::new() };
    plots.push((svg(&plot), format!("Positions over time.{more}")));
    let text = match t.last() {
        Some(shown) if *shown < series.last_time() => {
            format!("The first {} steps, to time {shown:.6}.", t.len() - 1)
        }
        _ => String::new(),
    };
    Some(Section { heading: "Motion".into(), text, plots })
}

fn first(values: &[f64]) -> &[f64] {
    &values[..values.len().min(1)]
}

/// Times and changes of an observed quantity since its first value, divided by a scale.
fn change(series: &Series, name: &str, scale: f64) -> Option<(Vec<f64>, Vec<f64>)> {
    let first = series.opening(name)?.iter().copied().find(|x| !x.is_nan())?;
    let (t, x) = series.whole(name)?;
    Some((t, x.iter().map(|x| part(x - first, scale)).collect()))
}

/// Times and changes of the energy less the work of forces, over the energy scale, where forces act and nothing is hit: the
/// series does not have what impacts take.
fn less_work(run: &RunPage<'_>) -> Option<(Vec<f64>, Vec<f64>)> {
    let (t, energy) = run.series.whole("energy")?;
    let (_, work) = run.series.whole("work")?;
    if !run.impacts.whole.is_empty() {
        return None;
    }
    let less: Vec<f64> = energy.iter().zip(&work).map(|(energy, work)| energy - work).collect();
    let first = less.iter().copied().find(|x| !x.is_nan())?;
    Some((t, less.iter().map(|x| part(x - first, run.energy_scale)).collect()))
}

/// The plot of an energy: its error where the system conserves it, else how it changes.
fn energy_plot(run: &RunPage<'_>, quantity: &str, t: &[f64], change: &[f64]) -> (String, String) {
    let row = run.conserved.iter().find(|row| row.quantity == quantity);
    let constant = row.is_none_or(|row| row.constant);
    let capital = quantity[..1].to_uppercase() + &quantity[1..];
    let (title, label) = match constant {
        true => (format!("{capital} error"), "relative error"),
        false => (capital, "relative change"),
    };
    let plot = Plot::new(title).x_label("t").y_label(label).line(label, t, change);
    let since = "Change since the start over the energy scale";
    // Impacts end one bounded wobble and begin another.
    let caption = match (constant, run.impacts.whole.is_empty()) {
        (true, true) => format!("{since}; bounded for variational methods."),
        (true, false) => format!("{since}."),
        (false, _) => format!("{since}; the system does not conserve it."),
    };
    (svg(&run.impacts.on(plot, None)), caption)
}

fn conservation_plots(run: &RunPage<'_>) -> Option<Section> {
    // Loads and supports change energy and momentum of a solid: its own sections book that.
    run.scenario.formula()?;
    let series = run.series;
    let mut plots = Vec::new();
    if let Some((t, change)) = less_work(run) {
        let plot = Plot::new("Energy less work").x_label("t").y_label("relative error");
        let caption =
            "Change of the energy less the work of the forces since the start, over the energy scale.";
        plots.push((svg(&plot.line("relative error", &t, &change)), caption.into()));
    }
    for (column, quantity) in [("energy", "energy"), ("discrete_energy", "discrete energy")] {
        if let Some((t, error)) = change(series, column, run.energy_scale) {
            plots.push(energy_plot(run, quantity, &t, &error));
        }
    }
    let momenta: Vec<&String> = series.columns().iter().filter(|c| c.starts_with("momentum.")).collect();
    if !momenta.is_empty() {
        let mut plot = Plot::new("Noether momenta").x_label("t").y_label("change");
        for name in momenta {
            let (t, drift) = change(series, name, 1.0)?;
            plot = plot.line(&name["momentum.".len()..], &t, &drift);
        }
        plot = run.impacts.on(plot, None);
        plots.push((svg(&plot), "Change of each momentum since the start.".into()));
    }
    if let Some((t, residual)) = series.whole("symplectic_residual") {
        let plot = Plot::new("Symplectic form").x_label("t").y_label("residual").log_y();
        let plot = plot.line("residual", t.get(1..)?, residual.get(1..)?);
        plots.push((
            svg(&plot),
            "Residual of the discrete symplectic form, relative to the squared tangent.".into(),
        ));
    }
    Some(Section { heading: "Conservation over time".into(), text: String::new(), plots })
}

fn probes(run: &RunPage<'_>) -> Option<Section> {
    let probes = match &run.scenario.system {
        System::Formula(system) => &system.probes,
        System::Body(system) => &system.probes,
        System::Solid(_) | System::Bodies(_) => return None,
    };
    let plots: Vec<_> = probes
        .iter()
        .filter_map(|(name, text)| {
            let (t, values) = run.series.whole(name)?;
            let plot = Plot::new(name).x_label("t").y_label(name).line(name, &t, &values);
            let plot = run.impacts.on(plot, None);
            Some((svg(&plot), format!("{name} = {}", text.text)))
        })
        .collect();
    (!plots.is_empty()).then(|| Section { heading: "Probes".into(), text: String::new(), plots })
}
