//! Quantity the run of a body leaves: summary keys, facts, and parts of the page.

use super::build::RigidBodyEngine;
use super::engine;
use super::invariants::Quantity;
use crate::run::engine::{Columns, EngineReport, FinishedRun, Summary};
use crate::run::finish::short;
use crate::run::page::{self, ImpactTimes};
use stationary::observe::{Conserved, Record, record};
use stationary_report::Series;
use stationary_report::film::{Figure, Film, Outline, Pose};
use stationary_report::html::Section;
use stationary_report::plot::Plot;

/// Names of the columns of the series.
pub(super) fn columns(built: &RigidBodyEngine) -> Columns {
    let moving: &[&str] =
        if built.system.fixed { &[] } else { &["x", "y", "z", "vx", "vy", "vz", "px", "py", "pz"] };
    let state = [&["t", "qw", "qx", "qy", "qz"], moving, &["w1", "w2", "w3", "m1", "m2", "m3"]].concat();
    let mut observed = vec![built.energy.quantity.column()];
    observed.extend(built.invariants.iter().map(|invariant| invariant.quantity.column()));
    observed.extend(built.observers.iter().flat_map(|o| o.columns()));
    Columns { state: state.into_iter().map(String::from).collect(), observed }
}

/// Quantity is told of a run.
pub(super) fn report(built: &RigidBodyEngine, finished: &FinishedRun<'_>) -> EngineReport {
    let mut conserved: Vec<Conserved> = built.energy.conserved().into_iter().collect();
    conserved.extend(built.observers.iter().filter_map(|o| o.conserved()));
    conserved.extend(built.invariants.iter().filter_map(|k| k.conserved()));
    let series = finished.series;
    EngineReport {
        conserved,
        facts: facts(built, finished),
        sections: if finished.shows { plots(built, series) } else { Vec::new() },
        warnings: built.warnings.clone(),
        ..EngineReport::default()
    }
}

/// Plots and the moving picture.
fn plots(built: &RigidBodyEngine, series: &Series) -> Vec<Section> {
    let probes = page::probes(series, &built.system.probes, &ImpactTimes::default());
    probes.into_iter().chain([axes_film(built, series), motion(built, series)]).collect()
}

fn facts(built: &RigidBodyEngine, finished: &FinishedRun<'_>) -> Vec<(String, String)> {
    let newton = finished.summary.number("newton.per_step");
    let [a, b, c] = built.run.body().principal().0.0.map(short);
    let fact = |name: &str, value: String| (name.to_string(), value);
    let mut facts = vec![
        fact("scenario", finished.scenario.name.clone()),
        fact("integrator", format!("{}, order {}, variational", built.method, built.method.order())),
        fact("step", short(built.system.step)),
        fact("time", format!("{} to {}", short(finished.scenario.start), short(finished.end.time))),
        fact("steps", finished.end.step.to_string()),
        fact("solve", format!("{newton:.2} Newton iterations a step")),
        fact("principal moments", format!("{a}, {b}, {c}")),
    ];
    if let Some(period) = built.free_period {
        facts.push(fact("period of the free body", short(period)));
    }
    facts.push(fact("wall time", format!("{:.3} s", finished.seconds)));
    facts.push(fact("version", env!("CARGO_PKG_VERSION").into()));
    facts
}

/// Quantity the summary has of a body.
pub(super) fn summary(built: &RigidBodyEngine) -> Summary {
    let body = record! {
        "mass": built.system.mass,
        "fixed": built.system.fixed,
        "principal_moments": built.run.body().principal().0.0,
        "free_period": built.free_period,
        "compiled": built.compiled,
    };
    let mut keys = record! {
        "time": record! { "step": built.system.step },
        "body": body,
        "energy": built.energy.summary(),
    };
    let mut momenta = Record::default();
    for invariant in &built.invariants {
        match invariant.quantity {
            Quantity::Casimir => keys.set("casimir", invariant.summary()),
            quantity => momenta.set(&quantity.name(), invariant.summary()),
        }
    }
    keys.set("momentum", momenta);
    for observer in &built.observers {
        observer.summarise(&mut keys);
    }
    Summary {
        method: built.method.to_string(),
        order: built.method.order(),
        variational: true,
        iterations: built.run.iterations(),
        keys,
    }
}

/// The axes of the body turning through the opening of the run, and the way of the tip of the third.
fn axes_film(built: &RigidBodyEngine, series: &Series) -> Section {
    let axis = |name: &str| Figure { name: name.into(), outline: Outline::Segment };
    let tip = Figure { name: "axis 3".into(), outline: Outline::Sphere { radius: 0.03 } };
    let mut film = Film::new(3, vec![axis("axis 1"), axis("axis 2"), axis("axis 3"), tip], Vec::new());
    let column = |name: &str| series.opening(name).unwrap_or(&[]);
    let quaternion = ["qw", "qx", "qy", "qz"].map(column);
    for (k, t) in column("t").iter().enumerate() {
        let r = engine::rotation(quaternion.map(|q| q[k]));
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
fn motion(built: &RigidBodyEngine, series: &Series) -> Section {
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
        let r = engine::rotation(quaternion.map(|q| q[k]));
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
