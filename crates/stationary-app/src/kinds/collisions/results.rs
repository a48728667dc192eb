//! What the run of colliding bodies leaves: `impacts.csv`, summary keys, facts, and parts of the page.

use super::build::PreparedCollisions;
use super::film;
use crate::run::engine::{Columns, EngineReport, FinishedRun, Summary};
use crate::run::finish::short;
use crate::run::impacts;
use stationary::archive::{Archive, Persist};
use stationary::error::Error;
use stationary::observe::record;
use stationary_report::film::{Film, Pose};
use stationary_report::html::Section;
use stationary_report::plot::Plot;
use stationary_report::{Decimated, Events, Series};

/// Bodies with columns of their own; more would bury the reader.
const SHOWN: usize = 8;
/// Overlap, in sizes, that is rounding.
const ADMISSIBLE: f64 = 1e-12;
/// Impulses that are drawn.
const DRAWN: usize = 20_000;

/// Names of the columns of the series.
pub(super) fn columns(built: &PreparedCollisions) -> Columns {
    let axes = &["x", "y", "z"][..built.system.space];
    let mut state = vec!["t".to_string()];
    for body in built.run.world().bodies.iter().take(SHOWN) {
        state.extend(axes.iter().map(|axis| format!("{}.{axis}", body.name)));
        if built.system.space == 2 {
            state.push(format!("{}.angle", body.name));
        }
    }
    let mut observed: Vec<String> = ["energy", "kinetic", "potential", "lost"].map(String::from).to_vec();
    observed.extend(axes.iter().map(|axis| format!("momentum.linear.{axis}")));
    observed.extend(["balance.linear", "impacts"].map(String::from));
    Columns { state, observed }
}

/// The present moment as a row.
pub(super) fn fill(built: &PreparedCollisions, row: &mut Vec<f64>) {
    let (run, invariants, space) = (&built.run, &built.invariants, built.system.space);
    row.push(run.time());
    for i in 0..run.world().bodies.len().min(SHOWN) {
        let state = run.state(i);
        row.extend(&state.position.0[..space]);
        if space == 2 {
            row.push(state.angle);
        }
    }
    let ([kinetic, potential], momentum, balance) = invariants.now;
    row.extend([kinetic + potential, kinetic, potential, invariants.lost()]);
    row.extend(&momentum.0[..space]);
    row.extend([balance, run.impacts() as f64]);
}

/// Writes the impacts since the last step.
pub(super) fn write_impacts(built: &PreparedCollisions, file: &mut Events) -> Result<(), Error> {
    let most = built.system.output_impacts;
    for impact in built.run.happened() {
        if file.rows() < most {
            impacts::write(impact, &|number| built.run.world().name(number), file)?;
        }
    }
    Ok(())
}

/// What the page shows of a run.
pub(super) struct Shown {
    /// The moving picture, and room for a frame.
    film: Film,
    poses: Vec<Pose>,
    /// Time and impulse of impacts for the plot.
    impulses: Decimated<[f64; 2]>,
}

impl Persist for Shown {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.impulses).pass(&mut self.film);
    }
}

impl Shown {
    pub fn new(built: &PreparedCollisions) -> Self {
        let impulses = Decimated::new(DRAWN).numbered_from(1);
        Shown { film: film::film(built), poses: Vec::new(), impulses }
    }

    /// Sees the present moment, and the impacts since the last.
    pub fn look(&mut self, built: &PreparedCollisions) {
        for impact in built.run.happened() {
            self.impulses.push([impact.time, impact.impulse]);
            self.film.mark(impact.time, impact.contact.point.0);
        }
        film::poses(built, &mut self.poses);
        self.film.push(built.run.time(), &self.poses);
    }

    /// Energies, the balance of momentum, impulses, and how fast the bodies are in the end.
    fn plots(&self, built: &PreparedCollisions, series: &Series) -> Section {
        let svg = |plot: Plot| plot.to_page();
        let mut plots = Vec::new();
        let whole = |name: &str| series.whole(name).unwrap_or_default();
        let mut plot = Plot::new("Energies").x_label("t");
        for name in ["kinetic", "potential", "energy"] {
            let (t, x) = whole(name);
            plot = plot.line(name, &t, &x);
        }
        plots.push((svg(plot), "Kinetic and potential energy, and their sum.".to_string()));
        let (t, x) = whole("energy");
        let first = x.first().copied().unwrap_or(0.0);
        let lost = whole("lost").1;
        let error: Vec<f64> =
            x.iter().zip(&lost).map(|(x, lost)| built.invariants.scale.part(x + lost - first)).collect();
        let plot = Plot::new("Energy error").x_label("t").y_label("relative error");
        plots.push((
            svg(plot.line("energy", &t, &error)),
            "Change of the energy, with what impacts took, since the start over the energy scale.".into(),
        ));
        let (t, x) = whole("balance.linear");
        let plot = Plot::new("Balance of momentum").x_label("t").y_label("residual").line("residual", &t, &x);
        let text = "Momentum less that of the start and the impulses of gravity and walls, over the sum of its sizes.";
        plots.push((svg(plot), text.into()));
        let (t, x) = whole("impacts");
        let plot = Plot::new("Impacts").x_label("t").y_label("impacts so far").line("impacts", &t, &x);
        plots.push((svg(plot), "The slope is the rate of impacts.".into()));
        let t: Vec<f64> = self.impulses.iter().map(|[t, _]| *t).collect();
        let impulse: Vec<f64> = self.impulses.iter().map(|[_, impulse]| *impulse).collect();
        let plot = Plot::new("Impulses").x_label("t").y_label("impulse").points("impulse", &t, &impulse);
        let stride = self.impulses.decimator().stride();
        let every = if stride > 1 { format!(" One of {stride} impacts is shown.") } else { String::new() };
        plots.push((svg(plot), format!("The impulse of each impact along its normal.{every}")));
        if built.run.world().bodies.len() >= 50 {
            plots.push((svg(energies(built)), energies_caption(built.system.space).into()));
        }
        Section { heading: "Bodies".into(), text: String::new(), plots }
    }
}

/// What is told of a run.
pub(super) fn report(
    built: &PreparedCollisions,
    shown: Option<&Shown>,
    finished: &FinishedRun<'_>,
) -> EngineReport {
    let mut warnings = Vec::new();
    let written = finished.outputs.impacts.as_ref().map_or(0, Events::rows);
    if written < built.run.impacts() && finished.shows {
        warnings.push(format!(
            "impacts.csv has the first {written} of {} impacts: output.impacts sets how many",
            built.run.impacts()
        ));
    }
    if !(built.invariants.min_gap > -ADMISSIBLE) {
        warnings.push(format!(
            "bodies overlap by up to {:.1e} of their size: see impacts.min_gap; a smaller step may help",
            -built.invariants.min_gap
        ));
    }
    let sections = |shown: &Shown| [shown.film.section(), shown.plots(built, finished.series)];
    EngineReport {
        facts: facts(built, finished),
        conserved: built.invariants.conserved(),
        sections: shown.into_iter().flat_map(sections).collect(),
        warnings,
        ..EngineReport::default()
    }
}

/// How the kinetic energies of the bodies' motion are distributed, beside that of a gas in equilibrium.
fn energies(built: &PreparedCollisions) -> Plot {
    let run = &built.run;
    let all = run.world().bodies.iter().enumerate().map(|(i, b)| {
        let v = run.state(i).velocity;
        0.5 * b.mass * v.norm_squared()
    });
    let mut all: Vec<f64> = all.collect();
    all.sort_by(f64::total_cmp);
    let n = all.len() as f64;
    let mean = (all.iter().sum::<f64>() / n).max(f64::MIN_POSITIVE);
    let scaled: Vec<f64> = all.iter().map(|e| e / mean).collect();
    let above: Vec<f64> = (0..all.len()).map(|k| 1.0 - k as f64 / n).collect();
    let plot = Plot::new("Kinetic energies at the end")
        .x_label("energy over its mean")
        .y_label("part of the bodies above");
    let plot = plot.log_y().line("bodies", &scaled, &above);
    if built.system.space == 3 {
        return plot;
    }
    let most = scaled.last().copied().unwrap_or(1.0).min(40.0);
    let x: Vec<f64> = (0..=100).map(|k| most * f64::from(k) / 100.0).collect();
    let y: Vec<f64> = x.iter().map(|x| (-x).exp()).collect();
    plot.dashed_line("equilibrium", &x, &y)
}

fn energies_caption(space: usize) -> &'static str {
    match space {
        3 => "The part of the bodies whose kinetic energy is above a multiple of the mean.",
        _ => {
            "The part of the bodies whose kinetic energy is above a multiple of the mean; in equilibrium exp(-x)."
        }
    }
}

fn facts(built: &PreparedCollisions, finished: &FinishedRun<'_>) -> Vec<(String, String)> {
    let fact = |name: &str, value: String| (name.to_string(), value);
    let world = built.run.world();
    vec![
        fact("scenario", finished.scenario.name.clone()),
        fact("integrator", "collisions, exact between impacts, variational".into()),
        fact("bodies", world.bodies.len().to_string()),
        fact("walls", built.system.walls.len().to_string()),
        fact("time", format!("{} to {}", short(finished.scenario.start), short(finished.end.time))),
        fact("steps", finished.end.step.to_string()),
        fact("impacts", built.run.impacts().to_string()),
        fact("contact time", short(built.contact_time)),
        fact("wall time", format!("{:.3} s", finished.seconds)),
        fact("version", env!("CARGO_PKG_VERSION").into()),
    ]
}

/// What the summary has of colliding bodies.
pub(super) fn summary(built: &PreparedCollisions) -> Summary {
    let world = built.run.world();
    let invariants = &built.invariants;
    let bodies = record! {
        "count": world.bodies.len(),
        "walls": built.system.walls.len(),
        "space": built.system.space,
        "mass": world.bodies.iter().map(|b| b.mass).sum::<f64>(),
        "resting": built.run.resting(),
    };
    let [energy, momentum] = invariants.summary(built.system.space);
    let impacts = record! {
        "count": built.run.impacts(),
        "max_per_step": invariants.most_in_a_step,
        "with_walls": invariants.with_walls,
        "first_time": invariants.first_and_last.map(|[first, _]| first),
        "last_time": invariants.first_and_last.map(|[_, last]| last),
        "dissipated": invariants.lost(),
        "min_gap": invariants.min_gap,
    };
    let keys = record! {
        "time": record! { "step": built.system.step },
        "bodies": bodies,
        "energy": energy,
        "momentum": momentum,
        "impacts": impacts,
    };
    Summary {
        method: format!("collisions (contact time {})", short(built.contact_time)),
        order: 2,
        variational: true,
        iterations: 0,
        keys,
    }
}
