//! What is written of the modes of a solid: `modes.csv`, `summary.json`, frames with the shapes, and a page in which they move.

use super::build::Body;
use super::modes::ModalOutcome;
use super::results::{arranged, cells};
use crate::run::finish::{short, to_json};
use crate::run::page::text_as_run;
use crate::scenario::Scenario;
use stationary::error::Error;
use stationary::integrate::sparse::modes::{Mode, ModeKind, Modes};
use stationary::model::Potentials;
use stationary::observe::{Entry, Record, record};
use stationary_report::Folder;
use stationary_report::frames::{CellBlock, Field, Frames, Values};
use stationary_report::html::{Page, TextTable};
use stationary_report::scene::{Scene, Surface};
use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::Path;

/// The version of the keys of `summary.json`.
const SCHEMA: &str = "stationary.modes/1";
/// How far the page moves a mode: the largest displacement, in parts of the size of the body.
const AMPLITUDE: f64 = 0.1;
const AXES: [&str; 3] = ["x", "y", "z"];

/// Writes everything into the folder, if there is one, and enters the summary.
pub(super) fn write(
    scenario: &Scenario,
    body: &Body,
    outcome: &mut ModalOutcome,
    out: Option<&Path>,
) -> Result<(), Error> {
    outcome.summary = to_json(&summary(scenario, body, outcome));
    let Some(path) = out else { return Ok(()) };
    let mut folder = Folder::at(path);
    folder.begin()?;
    folder.write("modes.csv", &csv(body, &outcome.modes))?;
    let frames = write_frames(scenario, body, path, &outcome.modes)?;
    folder.write("report.html", &page(scenario, body, outcome).to_html())?;
    let text = serde_json::to_string_pretty(&outcome.summary).expect("a summary is plain data") + "\n";
    // Last: where it is, all other files are complete.
    folder.write("summary.json", &text)?;
    let names = ["modes.csv", "summary.json", "report.html", frames];
    outcome.files = names.into_iter().filter_map(|name| folder.file(name)).collect();
    Ok(())
}

/// Cycles in a unit of time; zero for what does not vibrate.
fn frequency(mode: &Mode) -> f64 {
    mode.angular_frequency() / TAU
}

/// The part of the mass that is free to move along an axis; nothing across the axis of rings, whose displacement is radial.
fn mass_part(body: &Body, found: &Modes, mode: &Mode, axis: usize) -> Option<f64> {
    let is_direction = !body.problem.solid().has_rings() || axis == 1;
    let whole = found.free_mass[axis];
    (is_direction && whole > 0.0).then(|| mode.effective_mass()[axis] / whole)
}

fn summary(scenario: &Scenario, body: &Body, outcome: &ModalOutcome) -> Record {
    let found = &outcome.modes;
    let solid = body.problem.solid();
    let mut modes = Record::default();
    for (k, mode) in found.modes.iter().enumerate() {
        let vibrates = mode.kind == ModeKind::Vibration;
        let part = |axis| mass_part(body, found, mode, axis);
        let direction = |values: [f64; 3]| {
            Record::of(AXES.iter().zip(values).map(|(axis, x)| (axis.to_string(), Entry::Number(x))))
        };
        let parts = (0..3).map(|i| (AXES[i].to_string(), Entry::from(part(i)))).collect::<Vec<_>>();
        modes.set(
            &(k + 1).to_string(),
            record! {
                "kind": mode.kind.name(),
                "frequency": frequency(mode),
                "angular_frequency": mode.angular_frequency(),
                "period": vibrates.then(|| TAU / mode.angular_frequency()),
                "growth_rate": mode.growth_rate(),
                "eigenvalue": mode.eigenvalue,
                "damping_ratio": mode.damping,
                "participation": direction(mode.participation),
                "effective_mass": direction(mode.effective_mass()),
                "mass_part": Record::of(parts),
                "residual": mode.residual,
            },
        );
    }
    let count = |kind| found.modes.iter().filter(|m| m.kind == kind).count();
    let overrides = scenario.overrides.iter().map(|(key, value)| format!("{key}={value}"));
    record! {
        "schema": SCHEMA,
        "scenario": scenario.name.as_str(),
        "title": scenario.title.clone(),
        "overrides": overrides.collect::<Vec<_>>(),
        "version": env!("CARGO_PKG_VERSION"),
        "time": scenario.start,
        "elements": solid.elements(),
        "nodes": solid.mass().len(),
        "unknowns": found.unknowns,
        "without_stiffness": found.loose,
        "mass": solid.mass().iter().sum::<f64>(),
        "free_mass": found.free_mass,
        "count": found.modes.len(),
        "rigid": count(ModeKind::Rigid),
        "mechanisms": count(ModeKind::Mechanism),
        "unstable": count(ModeKind::Unstable),
        "mode": modes,
        "orthogonality": found.orthogonality,
        "asymmetry": found.asymmetry,
        "shift": found.shift,
        "factor_numbers": found.fill,
        "solves": found.solves,
        "count_check": found.count_check.map(|check| record! {
            "below": check.below, "there": check.there, "found": check.found,
        }),
        "warnings": outcome.warnings.clone(),
        "notes": outcome.notes.clone(),
    }
}

/// A row for each mode; nothing stands where a number has no meaning.
fn csv(body: &Body, found: &Modes) -> String {
    let mut text = String::from(
        "mode,kind,frequency,angular_frequency,period,eigenvalue,damping_ratio,participation.x,participation.y,participation.z,\
         mass_part.x,mass_part.y,mass_part.z,residual\n",
    );
    for (k, mode) in found.modes.iter().enumerate() {
        let period = if mode.kind == ModeKind::Vibration {
            (TAU / mode.angular_frequency()).to_string()
        } else {
            String::new()
        };
        let [x, y, z] = mode.participation;
        let parts =
            [0, 1, 2].map(|i| mass_part(body, found, mode, i).map_or(String::new(), |p| p.to_string()));
        let _ = writeln!(
            text,
            "{},{},{},{},{period},{},{},{x},{y},{z},{},{}",
            k + 1,
            mode.kind.name(),
            frequency(mode),
            mode.angular_frequency(),
            mode.eigenvalue,
            mode.damping,
            parts.join(","),
            mode.residual
        );
    }
    text
}

/// A frame for each mode, at the time of its number: the initial shape, and the field `mode`. Returns the list to open.
fn write_frames(scenario: &Scenario, body: &Body, path: &Path, found: &Modes) -> Result<&'static str, Error> {
    let solid = body.problem.solid();
    let format = scenario.solid().map(|system| system.output.format).unwrap_or_default();
    let mut frames = Frames::create(path, format, 0)?;
    let order = body.order();
    let of_nodes = |values: &[f64]| match &order {
        Some(order) => arranged(values, 3, &order.nodes),
        None => values.to_vec(),
    };
    let elements = order.as_ref().map(|o| &o.elements[..]);
    let nodes = cells(body, elements);
    let blocks: Vec<CellBlock> = solid
        .blocks()
        .iter()
        .zip(&nodes)
        .map(|(b, nodes)| CellBlock { vtk_type: b.kind().cell().vtk(), nodes, per_cell: b.kind().nodes() })
        .collect();
    let of_cells = |value: &dyn Fn(usize) -> u64| -> Vec<u64> {
        (0..solid.elements()).map(|k| value(elements.map_or(k, |e| e[k] as usize))).collect()
    };
    let material = of_cells(&|k| body.material(k) as u64);
    let number = of_cells(&|k| body.problem.tag(k));
    let counts = |name, values| Field { name, components: 1, values: Values::Counts(values) };
    let points = of_nodes(&body.x);
    for (k, mode) in found.modes.iter().enumerate() {
        let shape = of_nodes(&mode.shape);
        let field = Field { name: "mode", components: 3, values: Values::Floats(&shape) };
        let of_cells = [counts("material", &material), counts("element", &number)];
        frames.write((k + 1) as f64, &points, &blocks, &[field], &of_cells)?;
    }
    Ok(frames.list())
}

/// What a mode is called in the page.
fn title(k: usize, mode: &Mode) -> String {
    match mode.kind {
        ModeKind::Vibration => format!("{}: frequency {}", k + 1, short(frequency(mode))),
        kind => format!("{}: {}", k + 1, kind.name()),
    }
}

fn scene(body: &Body, found: &Modes) -> Scene {
    let solid = body.problem.solid();
    let kinds = solid.blocks().iter().flat_map(|b| std::iter::repeat_n(b.kind().cell(), b.len()));
    let elements = kinds.enumerate().map(|(k, kind)| (kind, Potentials::nodes(solid, k)));
    let mut scene = Scene::of_modes(&body.x, Surface::of(&body.x, elements));
    let size = (0..3)
        .map(|i| {
            let along = || body.x.iter().skip(i).step_by(3).copied();
            along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
        })
        .fold(0.0, f64::max);
    let seen = scene.surface().nodes.clone();
    for (k, mode) in found.modes.iter().enumerate() {
        let largest = mode.shape.iter().fold(0.0, |most: f64, u| most.max(u.abs()));
        let factor = AMPLITUDE * size / largest;
        let shape: Vec<f64> =
            seen.iter().flat_map(|a| &mode.shape[3 * *a as usize..][..3]).map(|u| factor * u).collect();
        scene.push_mode(title(k, mode), &shape);
    }
    scene
}

fn page(scenario: &Scenario, body: &Body, outcome: &ModalOutcome) -> Page {
    let found = &outcome.modes;
    let fact = |name: &str, value: String| (name.to_string(), value);
    let solid = body.problem.solid();
    Page {
        title: scenario.title.clone().unwrap_or_else(|| scenario.name.clone()),
        subtitle: format!(
            "The {} lowest natural frequencies and mode shapes about the initial shape.",
            found.modes.len()
        ),
        facts: vec![
            fact("scenario", scenario.name.clone()),
            fact("elements", solid.elements().to_string()),
            fact("nodes", solid.mass().len().to_string()),
            fact("unknowns", found.unknowns.to_string()),
            fact("mass", short(solid.mass().iter().sum())),
            fact(
                "largest residual",
                format!("{:.1e}", found.modes.iter().map(|m| m.residual).fold(0.0, f64::max)),
            ),
            fact("orthogonality", format!("{:.1e}", found.orthogonality)),
            fact("version", env!("CARGO_PKG_VERSION").into()),
        ],
        warnings: outcome.warnings.iter().chain(&outcome.notes).cloned().collect(),
        sections: vec![scene(body, found).section(&[])],
        tables: vec![table(body, found)],
        scenario_text: text_as_run(scenario),
        ..Page::default()
    }
}

fn table(body: &Body, found: &Modes) -> TextTable {
    let heads = [
        "mode",
        "kind",
        "frequency",
        "angular frequency",
        "period",
        "mass x",
        "mass y",
        "mass z",
        "residual",
    ];
    let row = |(k, mode): (usize, &Mode)| {
        let is_vibration = mode.kind == ModeKind::Vibration;
        let number = |x: f64| ("number", if is_vibration { short(x) } else { String::new() });
        let part = |axis| {
            let part = mass_part(body, found, mode, axis);
            ("number", part.map_or(String::new(), |part| format!("{:.2} %", 100.0 * part)))
        };
        vec![
            ("number", (k + 1).to_string()),
            ("", mode.kind.name().to_string()),
            number(frequency(mode)),
            number(mode.angular_frequency()),
            number(TAU / mode.angular_frequency()),
            part(0),
            part(1),
            part(2),
            ("number", format!("{:.1e}", mode.residual)),
        ]
    };
    TextTable {
        heading: "Modes".into(),
        heads: heads.map(String::from).to_vec(),
        rows: found.modes.iter().enumerate().map(row).collect(),
    }
}
