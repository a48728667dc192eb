//! Plots of a system given by formulas: its motion, and what it conserves.

use crate::run::page::ImpactTimes;
use stationary::observe::{Conserved, part};
use stationary_report::Series;
use stationary_report::html::Section;
use stationary_report::plot::Plot;

/// Coordinates that get plots of their own; more would bury the reader.
const SHOWN: usize = 4;

/// What was seen of a run.
pub(super) struct Observed<'a> {
    /// The rows written.
    pub series: &'a Series,
    /// What was conserved.
    pub conserved: &'a [Conserved],
    /// What relative energy errors refer to.
    pub energy_scale: f64,
    /// When something was hit.
    pub impacts: &'a ImpactTimes,
}

fn svg(plot: &Plot) -> String {
    plot.to_page()
}

/// Paths through the opening of the run: of a long one, the whole would be a blot.
pub(super) fn motion(run: &Observed<'_>, names: &[String]) -> Section {
    let series = run.series;
    let column = |name: &str| series.opening(name).unwrap_or(&[]);
    let t = column("t");
    let mut plots = Vec::new();
    if let [x, y, ..] = names {
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
    Section { heading: "Motion".into(), text, plots }
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
fn less_work(run: &Observed<'_>) -> Option<(Vec<f64>, Vec<f64>)> {
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
fn energy_plot(run: &Observed<'_>, quantity: &str, t: &[f64], change: &[f64]) -> (String, String) {
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

/// Energies, momenta and the symplectic form over time.
pub(super) fn conservation(run: &Observed<'_>) -> Option<Section> {
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
