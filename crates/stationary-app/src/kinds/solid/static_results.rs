//! What a static solution leaves: columns, summary, and the parts of the page on convergence and work.

use super::start::PreparedSolid;
use super::static_motion::StaticLook;
use crate::run::engine::{FinishedRun, Summary};
use crate::run::finish::short;
use stationary::archive::{Archive, Persist};
use stationary::observe::{Entry, Record, record};
use stationary_report::Series;
use stationary_report::html::Section;
use stationary_report::plot::Plot;

/// What is followed of a static solution from row to row.
#[derive(Debug, Default)]
pub(super) struct StaticRecord {
    largest_residual: f64,
}

impl StaticRecord {
    /// Names of the columns after the time, before reactions and probes.
    pub fn columns(dissipates: bool) -> Vec<String> {
        let mut names = vec!["work", "stored"];
        names.extend(dissipates.then_some("dissipation"));
        names.extend(["residual", "load_steps", "halvings", "iterations", "load.x", "load.y", "load.z"]);
        names.into_iter().map(String::from).collect()
    }

    /// Sees an equilibrium, and writes its row.
    pub fn see(&mut self, look: &StaticLook, dissipates: bool, row: &mut Vec<f64>) {
        // Written so that NaN stays once it has come.
        if !(look.residual <= self.largest_residual) {
            self.largest_residual = look.residual;
        }
        row.extend([look.work, look.stored]);
        row.extend(dissipates.then_some(look.dissipated));
        row.push(look.residual);
        row.extend([look.steps, look.halvings, look.iterations].map(|n| n as f64));
        row.extend(look.loads);
    }

    pub fn largest_residual(&self) -> f64 {
        self.largest_residual
    }
}

impl Persist for StaticRecord {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.largest_residual);
    }
}

/// The equilibrium now.
fn now(built: &PreparedSolid) -> Option<StaticLook> {
    built.motion.statics().and_then(|statics| statics.look().statics)
}

/// What the summary has of a static solution.
pub(super) fn summary(built: &PreparedSolid, solid: Record) -> Option<Summary> {
    let look = now(built)?;
    let unknowns = built.motion.statics().map_or(0, |statics| statics.solution().unknowns());
    let reactions = built.record.supports().iter().cloned();
    let reactions = reactions.zip(look.reactions.iter().map(|force| Entry::from(*force)));
    let mut keys = record! {
        "solid": solid,
        "statics": record! {
            "unknowns": unknowns,
            "load_steps": look.steps,
            "halvings": look.halvings,
            "iterations": look.iterations,
            "residual": record! { "final": look.residual, "max": built.record.largest_residual() },
            "work": look.work,
            "stored": look.stored,
            "dissipated": look.dissipated,
            "work_mismatch": look.mismatch(),
            "load": look.loads,
        },
        "reaction": Record::of(reactions),
    };
    built.record.summarise(&mut keys);
    Some(Summary {
        method: built.choice.to_string(),
        order: built.choice.order(),
        variational: built.choice.variational(),
        iterations: look.iterations,
        keys,
    })
}

/// The facts of a static solution.
pub(super) fn facts(built: &PreparedSolid, finished: &FinishedRun<'_>) -> Option<Vec<(String, String)>> {
    let look = now(built)?;
    let solid = built.body.problem.solid();
    let unknowns = built.motion.statics().map_or(0, |statics| statics.solution().unknowns());
    let residual = match built.record.largest_residual() {
        0.0 => "rounding".to_string(),
        residual => format!("{residual:.1e} of the forces"),
    };
    let fact = |name: &str, value: String| (name.to_string(), value);
    let mut facts = vec![
        fact("scenario", finished.scenario.name.clone()),
        fact("integrator", built.choice.to_string()),
        fact("elements", solid.elements().to_string()),
        fact("nodes", solid.mass().len().to_string()),
        fact("unknowns", unknowns.to_string()),
        fact("time", format!("{} to {}", short(finished.scenario.start), short(finished.end.time))),
        fact("load steps", format!("{}, {} halved", look.steps, look.halvings)),
        fact("Newton iterations", look.iterations.to_string()),
        fact("largest residual", residual),
        fact("work of loads and supports", short(look.work)),
        fact("stored energy", short(look.stored)),
    ];
    if built.body.problem.dissipates() {
        facts.push(fact("dissipated energy", short(look.dissipated)));
    }
    facts.push(fact("work less stored and dissipated energy", format!("{:.1e} of it", look.mismatch())));
    for (name, force) in built.record.supports().iter().zip(&look.reactions) {
        let [x, y, z] = force.map(short);
        facts.push(fact(&format!("reaction of {name}"), format!("({x}, {y}, {z})")));
    }
    facts.push(fact("wall time", format!("{:.3} s", finished.seconds)));
    facts.push(fact("version", env!("CARGO_PKG_VERSION").into()));
    facts.extend(built.record.probes().iter().map(|p| fact(&format!("probe {}", p.name), p.taken())));
    Some(facts)
}

/// Plots of work and convergence.
pub(super) fn section(series: &Series, built: &PreparedSolid) -> Option<Section> {
    let plot = |title: &str, label: &str, columns: &[(&str, &str)]| {
        let mut plot = Plot::new(title).x_label("t").y_label(label);
        for (name, column) in columns {
            let (t, values) = series.whole(column)?;
            plot = plot.line(*name, &t, &values);
        }
        Some(plot.to_page())
    };
    let mut energies = vec![("work of loads and supports", "work"), ("stored energy", "stored")];
    if built.body.problem.dissipates() {
        energies.push(("dissipated energy", "dissipation"));
    }
    let mut plots = vec![
        (
            plot("Work", "energy", &energies)?,
            "The work of loads and supports, by the trapezoidal rule over load steps, and the energy that it became: with shorter load \
             steps the difference falls with their square."
                .to_string(),
        ),
        (
            plot("Newton iterations", "iterations so far", &[("iterations", "iterations")])?,
            "Iterations since the start, those of load steps that were halved among them.".to_string(),
        ),
    ];
    let axes = ["x", "y", "z"];
    for name in built.record.supports() {
        let columns = axes.map(|axis| format!("reaction.{name}.{axis}"));
        let lines: Vec<(&str, &str)> = axes.into_iter().zip(columns.iter().map(String::as_str)).collect();
        plots.push((
            plot(&format!("Reaction of {name}"), "force", &lines)?,
            format!("The force of the support {name} on the body."),
        ));
    }
    Some(Section { heading: "Convergence, work and reactions".into(), text: String::new(), plots })
}
