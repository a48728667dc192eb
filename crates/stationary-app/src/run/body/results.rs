//! The results folder of a body.

use super::build::Built;
use super::kept::What;
use crate::run::finish::{Course, Findings, enter, finish, head, short};
use crate::run::keep::Keeper;
use crate::run::{End, Outcome};
use crate::scenario::Scenario;
use serde_json::{Map, Value, json};
use stationary::archive::Archive;
use stationary::error::Error;
use stationary::observe::{Conserved, Record};
use stationary_report::film::{Figure, Film, Outline, Pose};
use stationary_report::html::Section;
use stationary_report::plot::Plot;
use stationary_report::{Kept, Series};

/// A results folder being filled.
pub(super) struct Results<'a> {
    scenario: &'a Scenario,
    pub keeper: Keeper,
    series: Series,
}

impl<'a> Results<'a> {
    /// Makes the folder and the series, or goes on with it.
    pub fn create(scenario: &'a Scenario, built: &Built<'_>, mut keeper: Keeper) -> Result<Self, Error> {
        let mut observed = vec![built.energy.what.column()];
        observed.extend(built.kept.iter().map(|kept| kept.what.column()));
        observed.extend(built.observers.iter().flat_map(|o| o.columns()));
        let columns = (super::columns(built.system), observed);
        let series = keeper.series(columns)?;
        keeper.go_on()?;
        Ok(Results { scenario, keeper, series })
    }

    /// Writes a checkpoint after a step; `state` shows all else that it needs.
    pub fn checkpoint(&mut self, step: u64, state: impl FnOnce(&mut Archive)) -> Result<(), Error> {
        let series = &mut self.series;
        self.keeper.save(|checkpoint| {
            checkpoint.counts("run.step", &[step]).state("state", state);
            series.save(checkpoint)
        })
    }

    pub fn series(&mut self) -> &mut Series {
        &mut self.series
    }

    /// Writes summary and report.
    pub fn finish(self, built: &Built, end: End) -> Result<Outcome, Error> {
        let summary = summary(self.scenario, built, &end, (self.series.rows(), self.keeper.seconds()));
        let mut conserved: Vec<Conserved> = built.energy.conserved().into_iter().collect();
        conserved.extend(built.observers.iter().filter_map(|o| o.conserved()));
        conserved.extend(built.kept.iter().filter_map(|k| k.conserved()));
        let findings = Findings {
            facts: facts(self.scenario, built, &Value::Object(summary.clone())),
            summary,
            conserved,
            sections: match self.keeper.out.shows() {
                true => vec![axes_film(built, &self.series), motion(built, &self.series)],
                false => Vec::new(),
            },
            kept: Kept::default(),
            tables: Vec::new(),
            impacts: Default::default(),
            warnings: built.warnings.clone(),
            energy_scale: built.energy.scale,
            files: Vec::new(),
        };
        finish(self.scenario, self.keeper, self.series, findings, end)
    }
}

fn facts(scenario: &Scenario, built: &Built<'_>, summary: &Value) -> Vec<(String, String)> {
    let newton = summary["newton"]["per_step"].as_f64().unwrap_or(0.0);
    let end = summary["time"]["end"].as_f64().unwrap_or(f64::NAN);
    let [a, b, c] = built.run.body().principal().0.map(short);
    let fact = |name: &str, value: String| (name.to_string(), value);
    let mut facts = vec![
        fact("scenario", scenario.name.clone()),
        fact("integrator", format!("{}, order {}, variational", built.method, built.method.order())),
        fact("step", short(built.system.step)),
        fact("time", format!("{} to {}", short(scenario.start), short(end))),
        fact("steps", summary["moves"].to_string()),
        fact("solve", format!("{newton:.2} Newton iterations a step")),
        fact("principal moments", format!("{a}, {b}, {c}")),
    ];
    if let Some(period) = built.free_period {
        facts.push(fact("period of the free body", short(period)));
    }
    facts.push(fact("wall time", format!("{:.3} s", summary["wall_seconds"].as_f64().unwrap_or(0.0))));
    facts.push(fact("version", env!("CARGO_PKG_VERSION").into()));
    facts
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
        method: (built.method.to_string(), built.method.order(), true),
        iterations: built.run.iterations(),
        rows,
        wall,
    });
    summary["time"]["step"] = json!(built.system.step);
    let body = json!({
        "mass": built.system.mass,
        "fixed": built.system.fixed,
        "principal_moments": built.run.body().principal().0,
        "free_period": built.free_period,
        "compiled": built.compiled,
    });
    summary.insert("body".into(), body);
    summary.insert("energy".into(), built.energy.summary());
    let mut momenta = Map::new();
    for kept in &built.kept {
        match kept.what {
            What::Casimir => summary.insert("casimir".into(), kept.summary()),
            what => momenta.insert(what.name(), kept.summary()),
        };
    }
    summary.insert("momentum".into(), Value::Object(momenta));
    let mut found = Record::default();
    for observer in &built.observers {
        observer.summarise(&mut found);
    }
    enter(&mut summary, &found);
    summary
}

/// Refuses claims about keys that this run will not have, before it is run.
pub(super) fn check_claims(scenario: &Scenario, built: &Built<'_>) -> Result<(), Error> {
    let end = End { stopped: None, interrupted: false, time: scenario.start, step: 0 };
    let keys = Value::Object(summary(scenario, built, &end, (0, 0.0)));
    scenario.claims.iter().try_for_each(|claim| Ok(claim.check(&keys)?))
}

/// The axes of the body turning through the opening of the run, and the way of the tip of the third.
fn axes_film(built: &Built<'_>, series: &Series) -> Section {
    let axis = |name: &str| Figure { name: name.into(), outline: Outline::Segment };
    let tip = Figure { name: "axis 3".into(), outline: Outline::Sphere { radius: 0.03 } };
    let mut film = Film::new(3, vec![axis("axis 1"), axis("axis 2"), axis("axis 3"), tip], Vec::new());
    let column = |name: &str| series.opening(name).unwrap_or(&[]);
    let quaternion = ["qw", "qx", "qy", "qz"].map(column);
    for (k, t) in column("t").iter().enumerate() {
        let r = super::rotation(quaternion.map(|q| q[k]));
        let end = |axis: usize| Pose { at: [r[0][axis], r[1][axis], r[2][axis]], angle: 0.0 };
        let centre = Pose::default();
        film.push(*t, &[centre, end(0), centre, end(1), centre, end(2), end(2)]);
    }
    let seen = if built.system.fixed { "the point that is held" } else { "its centre of mass" };
    let text = format!("The axes of the body, of length 1, about {seen}. {}", opening(series));
    Section { text, ..film.section() }
}

/// How much of a long run the opening is.
fn opening(series: &Series) -> String {
    let t = series.opening("t").unwrap_or(&[]);
    match t.last() {
        Some(shown) if *shown < series.last_time() => {
            format!("The first {} steps, to time {shown:.6}.", t.len() - 1)
        }
        _ => String::new(),
    }
}

/// Paths through the opening of the run: of a long one, the whole would be a blot.
fn motion(built: &Built<'_>, series: &Series) -> Section {
    let column = |name: &str| series.opening(name).unwrap_or(&[]);
    let t = column("t");
    let svg = |plot: Plot| plot.to_page();
    let mut plots = Vec::new();
    let mut plot = Plot::new("Angular velocity").x_label("t");
    for name in ["w1", "w2", "w3"] {
        plot = plot.line(name, t, column(name));
    }
    plots.push((svg(plot), "Components of the angular velocity in the body.".to_string()));
    let quaternion = ["qw", "qx", "qy", "qz"].map(column);
    let axes = (0..t.len()).map(|k| {
        let r = super::rotation(quaternion.map(|q| q[k]));
        [r[0][2], r[1][2], r[2][2]]
    });
    let axes: Vec<[f64; 3]> = axes.collect();
    let [x, y, z] = [0, 1, 2].map(|i| axes.iter().map(|a| a[i]).collect::<Vec<f64>>());
    let plot = Plot::new("Third axis, from above").x_label("R13").y_label("R23").equal_aspect();
    let plot = plot.line("path", &x, &y).points("start", &x[..1.min(x.len())], &y[..1.min(y.len())]);
    plots.push((svg(plot), "Path of the tip of the body's third axis, seen along z.".into()));
    let plot = Plot::new("Third axis, height").x_label("t").y_label("R33").line("R33", t, &z);
    plots.push((svg(plot), "Cosine of the angle between the body's third axis and z.".into()));
    if !built.system.fixed {
        let plot = Plot::new("Trajectory").x_label("x").y_label("y").equal_aspect();
        plots.push((svg(plot.line("path", column("x"), column("y"))), "Path of the centre of mass.".into()));
    }
    let text = opening(series);
    Section { heading: "Motion".into(), text, plots }
}
