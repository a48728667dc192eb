//! The results folder of bodies that collide.

use super::build::Built;
use super::film;
use crate::run::finish::{Course, Findings, finish, head, short};
use crate::run::keep::Keeper;
use crate::run::page::ImpactTimes;
use crate::run::{End, Outcome};
use crate::scenario::Scenario;
use serde_json::{Map, Value, json};
use stationary::archive::Archive;
use stationary::error::Error;
use stationary::integrate::collide::{Impact, World};
use stationary_report::film::{Film, Pose};
use stationary_report::html::Section;
use stationary_report::plot::Plot;
use stationary_report::{Cell, Events, Kept, Series};

/// Bodies with columns of their own; more would bury the reader.
const SHOWN: usize = 8;
/// Overlap, in sizes, that is rounding.
const ADMISSIBLE: f64 = 1e-12;
/// Columns of `impacts.csv`.
const COLUMNS: [&str; 7] =
    ["time", "first", "second", "impulse", "friction_impulse", "energy_before", "energy_after"];
/// Impacts written when the scenario does not say how many.
const IMPACTS: u64 = 200_000;

/// A results folder being filled.
pub(super) struct Results<'a> {
    scenario: &'a Scenario,
    pub keeper: Keeper,
    series: Series,
    row: Vec<f64>,
    /// The moving picture, and room for a frame; none without a folder.
    film: Option<(Film, Vec<Pose>)>,
    impacts: Events,
    most_impacts: u64,
    /// Time and impulse of impacts for the plot, and how many are passed over between two of them.
    impulses: (Vec<f64>, Vec<f64>, u64),
}

impl<'a> Results<'a> {
    /// Makes the folder and the tables, or goes on with them.
    pub fn create(scenario: &'a Scenario, built: &Built<'_>, mut keeper: Keeper) -> Result<Self, Error> {
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
        let series = keeper.series((state, observed))?;
        let impacts = keeper.out.events("impacts.csv", &COLUMNS, keeper.from.as_ref())?;
        let mut results = Results {
            scenario,
            series,
            row: Vec::new(),
            film: keeper.out.shows().then(|| (film::film(built), Vec::new())),
            impacts,
            most_impacts: built.system.output_impacts.unwrap_or(IMPACTS),
            impulses: (Vec::new(), Vec::new(), 1),
            keeper,
        };
        if let Some(checkpoint) = results.keeper.from.take() {
            checkpoint.take_state("shown", |archive| results.pass(archive))?;
            results.keeper.from = Some(checkpoint);
        }
        results.keeper.go_on()?;
        Ok(results)
    }

    /// Writes a checkpoint after a step; `state` shows all else that it needs.
    pub fn checkpoint(&mut self, step: u64, state: impl FnOnce(&mut Archive)) -> Result<(), Error> {
        let mut shown = Archive::writer();
        self.pass(&mut shown);
        let (series, impacts) = (&mut self.series, &mut self.impacts);
        self.keeper.save(|checkpoint| {
            checkpoint.counts("run.step", &[step]).state("state", state);
            checkpoint.bytes("shown", &shown.into_bytes());
            series.save(checkpoint)?;
            impacts.save(checkpoint)
        })
    }

    /// What the page will show.
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.impulses);
        if let Some((film, _)) = &mut self.film {
            archive.pass(film);
        }
    }

    /// Writes the impacts since the last step.
    pub fn book(&mut self, built: &Built<'_>) -> Result<(), Error> {
        let happened = built.run.happened();
        let first = built.run.impacts() - happened.len() as u64;
        for (number, impact) in (first + 1..).zip(happened) {
            self.remember(number, impact);
            if let Some((film, _)) = &mut self.film {
                film.mark(impact.time, impact.point);
            }
            if self.impacts.rows() < self.most_impacts {
                self.impacts.push(&cells(impact, built.run.world()))?;
            }
        }
        Ok(())
    }

    /// Keeps an impulse for the plot; of very many every second, every fourth, and so on.
    fn remember(&mut self, number: u64, impact: &Impact) {
        const MOST: usize = 20_000;
        let (times, impulses, stride) = &mut self.impulses;
        if self.film.is_none() || !number.is_multiple_of(*stride) {
            return;
        }
        times.push(impact.time);
        impulses.push(impact.impulse);
        if times.len() == MOST {
            let thin = |all: &mut Vec<f64>| *all = all.iter().copied().skip(1).step_by(2).collect();
            thin(times);
            thin(impulses);
            *stride *= 2;
        }
    }

    /// The present moment as a row.
    pub fn fill(&mut self, built: &Built<'_>) {
        let (run, kept, space) = (&built.run, &built.kept, built.system.space);
        let row = &mut self.row;
        row.clear();
        row.push(run.time());
        for i in 0..run.world().bodies.len().min(SHOWN) {
            let state = run.state(i);
            row.extend(&state.position[..space]);
            if space == 2 {
                row.push(state.angle);
            }
        }
        let ([kinetic, potential], momentum, balance) = kept.now;
        row.extend([kinetic + potential, kinetic, potential, kept.lost()]);
        row.extend(&momentum[..space]);
        row.extend([balance, run.impacts() as f64]);
    }

    /// Keeps the present moment, and writes it if it is to be a row.
    pub fn keep(&mut self, built: &Built<'_>, step: u64, written: bool) -> Result<(), Error> {
        self.fill(built);
        self.series.keep(step, &self.row);
        if let Some((film, poses)) = &mut self.film {
            film::poses(built, poses);
            film.push(built.run.time(), poses);
        }
        if written { self.series.push(&self.row) } else { Ok(()) }
    }

    /// Writes the moment last kept.
    pub fn keep_last(&mut self) -> Result<(), Error> {
        self.series.push(&self.row)
    }

    pub fn flush(&mut self) -> Result<(), Error> {
        self.impacts.flush()?;
        self.series.flush()
    }

    /// Writes summary and report.
    pub fn finish(self, built: &mut Built<'_>, end: End) -> Result<Outcome, Error> {
        let summary = summary(self.scenario, built, &end, (self.series.rows(), self.keeper.seconds()));
        let mut warnings = Vec::new();
        if self.impacts.rows() < built.run.impacts() && self.keeper.out.shows() {
            warnings.push(format!(
                "impacts.csv has the first {} of {} impacts: output.impacts sets how many",
                self.impacts.rows(),
                built.run.impacts()
            ));
        }
        if !(built.kept.min_gap > -ADMISSIBLE) {
            warnings.push(format!(
                "bodies overlap by up to {:.1e} of their size: see impacts.min_gap; a smaller step may help",
                -built.kept.min_gap
            ));
        }
        let findings = Findings {
            facts: facts(self.scenario, built, &Value::Object(summary.clone())),
            summary,
            conserved: built.kept.conserved(),
            sections: self.film.iter().flat_map(|(film, _)| [film.section(), self.plots(built)]).collect(),
            tables: Vec::new(),
            impacts: ImpactTimes::default(),
            warnings,
            energy_scale: built.kept.scale,
            files: self.keeper.out.file("impacts.csv").into_iter().collect(),
            kept: Kept { impacts: self.impacts.into_listing(), ..Kept::default() },
        };
        finish(self.scenario, self.keeper, self.series, findings, end)
    }

    /// Energies, the balance of momentum, impulses, and how fast the bodies are in the end.
    fn plots(&self, built: &Built<'_>) -> Section {
        let svg = |plot: Plot| plot.to_page();
        let mut plots = Vec::new();
        let whole = |name: &str| self.series.whole(name).unwrap_or_default();
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
            x.iter().zip(&lost).map(|(x, lost)| (x + lost - first) / built.kept.scale).collect();
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
        let (t, impulse, stride) = &self.impulses;
        let plot = Plot::new("Impulses").x_label("t").y_label("impulse").points("impulse", t, impulse);
        let every = if *stride > 1 { format!(" One of {stride} impacts is shown.") } else { String::new() };
        plots.push((svg(plot), format!("The impulse of each impact along its normal.{every}")));
        if built.run.world().bodies.len() >= 50 {
            plots.push((svg(energies(built)), energies_caption(built.system.space).into()));
        }
        Section { heading: "Bodies".into(), text: String::new(), plots }
    }
}

/// How the kinetic energies of the bodies' motion are distributed, beside that of a gas in equilibrium.
fn energies(built: &Built<'_>) -> Plot {
    let run = &built.run;
    let all = run.world().bodies.iter().enumerate().map(|(i, b)| {
        let v = run.state(i).velocity;
        0.5 * b.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
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

/// A row of `impacts.csv`.
fn cells<'a>(impact: &Impact, world: &'a World) -> [Cell<'a>; 7] {
    let Impact { time, pair: [i, j], impulse, friction, energy: [before, after], .. } = *impact;
    let [impulse, friction, before, after] = [impulse, friction, before, after].map(Cell::Number);
    let [first, second] = [i, j].map(|k| Cell::Text(world.name(k)));
    [Cell::Number(time), first, second, impulse, friction, before, after]
}

fn facts(scenario: &Scenario, built: &Built<'_>, summary: &Value) -> Vec<(String, String)> {
    let end = summary["time"]["end"].as_f64().unwrap_or(f64::NAN);
    let fact = |name: &str, value: String| (name.to_string(), value);
    let world = built.run.world();
    vec![
        fact("scenario", scenario.name.clone()),
        fact("integrator", "collisions, exact between impacts, variational".into()),
        fact("bodies", world.bodies.len().to_string()),
        fact("walls", built.system.walls.len().to_string()),
        fact("time", format!("{} to {}", short(scenario.start), short(end))),
        fact("steps", summary["moves"].to_string()),
        fact("impacts", built.run.impacts().to_string()),
        fact("contact time", short(built.contact_time)),
        fact("wall time", format!("{:.3} s", summary["wall_seconds"].as_f64().unwrap_or(0.0))),
        fact("version", env!("CARGO_PKG_VERSION").into()),
    ]
}

/// All keys but those that judge the others: claims and warnings.
fn summary(
    scenario: &Scenario,
    built: &Built<'_>,
    end: &End,
    (rows, wall): (u64, f64),
) -> Map<String, Value> {
    let mut summary = head(&Course {
        scenario,
        end,
        method: (format!("collisions (contact time {})", short(built.contact_time)), 2, true),
        iterations: 0,
        rows,
        wall,
    });
    summary["time"]["step"] = json!(built.system.step);
    let world = built.run.world();
    let bodies = json!({
        "count": world.bodies.len(),
        "walls": built.system.walls.len(),
        "space": built.system.space,
        "mass": world.bodies.iter().map(|b| b.mass).sum::<f64>(),
        "resting": built.run.resting(),
    });
    summary.insert("bodies".into(), bodies);
    let [energy, momentum] = built.kept.summary(built.system.space);
    summary.insert("energy".into(), energy);
    summary.insert("momentum".into(), momentum);
    let impacts = json!({
        "count": built.run.impacts(),
        "max_per_step": built.kept.most_in_a_step,
        "with_walls": built.kept.with_walls,
        "first_time": built.kept.first_and_last.map(|[first, _]| first),
        "last_time": built.kept.first_and_last.map(|[_, last]| last),
        "dissipated": built.kept.lost(),
        "min_gap": built.kept.min_gap,
    });
    summary.insert("impacts".into(), impacts);
    summary
}

/// Refuses claims about keys that this run will not have, before it is run.
pub(super) fn check_claims(scenario: &Scenario, built: &Built<'_>) -> Result<(), Error> {
    let end = End { stopped: None, interrupted: false, time: scenario.start, step: 0 };
    let keys = Value::Object(summary(scenario, built, &end, (0, 0.0)));
    scenario.claims.iter().try_for_each(|claim| Ok(claim.check(&keys)?))
}
