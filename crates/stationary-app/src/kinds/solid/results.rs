//! What a run of a solid leaves: frames, summary, page.

use super::build::Body;
use super::engine::SolidEngine;
use super::fields::{self, components, principal};
use super::level_words::{level_table, levels_of_summary};
use super::motion::Look;
use super::start::{PreparedSolid, extremes};
use super::static_results;
use super::step_watch::StepWatch;
use crate::run::engine::{EngineReport, FinishedRun, Summary};
use crate::run::finish::short;
use crate::scenario::SolidSystem;
use stationary::error::Error;
use stationary::integrate::avi::{LocalEnergy, levels};
use stationary::model::Potentials;
use stationary::model::solid::{ElementKind, Solid};
use stationary::observe::{Entry, Record, part, record};
use stationary_report::Series;
use stationary_report::frames::{CellBlock, Field, Frames, Values};
use stationary_report::html::Section;
use stationary_report::plot::Plot;
use std::ops::Range;

/// The nodes of an element in VTK's order.
pub(super) fn in_vtk_order(kind: ElementKind, nodes: &[u32]) -> impl Iterator<Item = u32> {
    let order = kind.cell().vtk_order();
    (0..nodes.len()).map(move |a| nodes[order.map_or(a, |order| order[a])])
}

/// Writes the body as it is now, nodes and elements in the order of the mesh file.
pub(super) fn write_frame(frames: &mut Frames, built: &PreparedSolid, look: &Look) -> Result<(), Error> {
    let solid = built.body.problem.solid();
    let order = built.body.order();
    let of_nodes_by = |values: Vec<f64>, each: usize| match &order {
        Some(order) => arranged(&values, each, &order.nodes),
        None => values,
    };
    let of_nodes = |values: Vec<f64>| of_nodes_by(values, 3);
    let elements = order.as_ref().map(|o| &o.elements[..]);
    let of_elements = |values: Vec<f64>, each: usize| match elements {
        Some(elements) => arranged(&values, each, elements),
        None => values,
    };
    let counted = |values: &dyn Fn(usize) -> u64| -> Vec<u64> {
        match elements {
            Some(elements) => elements.iter().map(|k| values(*k as usize)).collect(),
            None => (0..solid.elements()).map(values).collect(),
        }
    };
    let nodes = cells(&built.body, elements);
    let blocks: Vec<CellBlock> = solid
        .blocks()
        .iter()
        .zip(&nodes)
        .map(|(b, nodes)| CellBlock { vtk_type: b.kind().cell().vtk(), nodes, per_cell: b.kind().nodes() })
        .collect();
    let points = of_nodes(solid.points().to_vec());
    let displacement = of_nodes(look.x.iter().zip(solid.points()).map(|(x, p)| x - p).collect());
    let velocity = of_nodes(look.v.clone());
    let stress = of_elements(stresses(built, &look.x), 6);
    let von_mises: Vec<f64> = stress.chunks_exact(6).map(von_mises).collect();
    let principal: Vec<f64> = stress.chunks_exact(6).flat_map(principal).collect();
    let at_nodes = built.nodal_fields().values(&built.motion, &built.body, &look.x);
    let of_each = |range: Range<usize>| at_nodes.iter().flat_map(|row| row[range.clone()].to_vec()).collect();
    let nodal_stress = of_nodes_by(of_each(fields::STRESS), 6);
    let nodal_strain = of_nodes_by(of_each(fields::STRAIN), 6);
    let nodal_von_mises = of_nodes_by(of_each(fields::VON_MISES), 1);
    let steps = built.motion.steps();
    let level = levels(&steps);
    let level = level.map(|level| counted(&|k| u64::from(level[k])));
    let steps = of_elements(steps, 1);
    let updates = built.motion.updates();
    let updates = counted(&|k| updates[k]);
    let material = counted(&|k| built.body.material(k) as u64);
    let number = counted(&|k| built.body.problem.tag(k));
    let floats = |name, components, values| Field { name, components, values: Values::Floats(values) };
    let counts = |name, values| Field { name, components: 1, values: Values::Counts(values) };
    let mut of_cells = vec![
        floats("stress", 6, &stress),
        floats("von_mises", 1, &von_mises),
        floats("principal_stress", 3, &principal),
        floats("step", 1, &steps),
        counts("updates", &updates),
        counts("material", &material),
        counts("element", &number),
    ];
    let histories: Vec<(&'static str, Vec<f64>)> =
        histories(built).into_iter().map(|(name, values)| (name, of_elements(values, 1))).collect();
    of_cells.extend(histories.iter().map(|(name, values)| floats(name, 1, values)));
    // Free steps have no levels.
    of_cells.extend(level.as_ref().map(|level| counts("level", level)));
    frames.write(
        look.t,
        &points,
        &blocks,
        &[
            floats("displacement", 3, &displacement),
            floats("velocity", 3, &velocity),
            floats("nodal_stress", 6, &nodal_stress),
            floats("nodal_strain", 6, &nodal_strain),
            floats("nodal_von_mises", 1, &nodal_von_mises),
        ],
        &of_cells,
    )
}

/// Runs of `each` numbers in another order.
pub(super) fn arranged(values: &[f64], each: usize, order: &[u32]) -> Vec<f64> {
    order.iter().flat_map(|k| &values[each * *k as usize..][..each]).copied().collect()
}

/// The nodes of each block's elements, as numbered in the file.
pub(super) fn cells(body: &Body, elements: Option<&[u32]>) -> Vec<Vec<u32>> {
    let solid = body.problem.solid();
    let element = |k: usize| elements.map_or(k, |e| e[k] as usize);
    let mut first = 0;
    let mut blocks = Vec::new();
    for block in solid.blocks() {
        let own = first..first + block.len();
        first = own.end;
        let nodes = own.flat_map(|k| in_vtk_order(block.kind(), Potentials::nodes(solid, element(k))));
        blocks.push(nodes.map(|a| body.place(a as usize) as u32).collect());
    }
    blocks
}

fn stresses(built: &PreparedSolid, x: &[f64]) -> Vec<f64> {
    (0..built.body.problem.solid().elements()).flat_map(|k| stress(built, k, x)).collect()
}

/// What materials with memory show of their history, by name, for all elements; NaN where an element has nothing of this name.
fn histories(built: &PreparedSolid) -> Vec<(&'static str, Vec<f64>)> {
    let solid = built.body.problem.solid();
    let mut names: Vec<&'static str> = solid.blocks().iter().flat_map(|b| b.shown_history()).collect();
    names.sort_unstable();
    names.dedup();
    let value = |k: usize, name: &str| {
        let (block, j) = solid.locate(k);
        built.motion.past(k).map_or(f64::NAN, |past| block.shown_value(j, past.history, name))
    };
    let of_name = |name| (name, (0..solid.elements()).map(|k| value(k, name)).collect());
    names.into_iter().map(of_name).collect()
}

/// The true stress of an element as xx, yy, zz, xy, yz, xz; NaN where it has none.
pub(super) fn stress(built: &PreparedSolid, k: usize, x: &[f64]) -> [f64; 6] {
    let (block, j) = built.body.problem.solid().locate(k);
    let stress = match built.motion.past(k) {
        Some(past) => block.stress_after(j, x, past),
        None => block.stress(j, x),
    };
    match stress {
        Ok(stress) => components(&stress),
        Err(_) => [f64::NAN; 6],
    }
}

pub(super) fn von_mises(s: &[f64]) -> f64 {
    let shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    let parts = (s[0] - s[1]).powi(2) + (s[1] - s[2]).powi(2) + (s[2] - s[0]).powi(2);
    (0.5 * parts + 3.0 * shear).sqrt()
}

/// What is told of a run.
pub(super) fn report(engine: &SolidEngine, finished: &FinishedRun<'_>) -> EngineReport {
    let built = &engine.built;
    EngineReport {
        facts: facts(engine, finished),
        conserved: built.record.conserved(),
        sections: if finished.shows { sections(engine, finished.series) } else { Vec::new() },
        tables: level_table(built).into_iter().collect(),
        warnings: warnings(engine),
        notes: built.body.notes.clone(),
    }
}

fn warnings(engine: &SolidEngine) -> Vec<String> {
    let built = &engine.built;
    let probes = built.record.probes().iter().filter_map(|probe| probe.warning());
    probes.chain(built.growth.warning(&built.choice)).chain(engine.watch.warning()).collect()
}

/// What the summary has of a solid that moved for a time, in so many seconds of wall time.
pub(super) fn summary(built: &PreparedSolid, watch: &StepWatch, passed: f64, moving: f64) -> Summary {
    let solid = built.body.problem.solid();
    let of_solid = record! {
        "mass": solid.mass().iter().sum::<f64>(),
        "volume": volume(solid),
        "eroded": eroded(built),
    };
    if built.motion.statics().is_some() {
        return static_results::summary(built, of_solid).expect("the solution is static");
    }
    let (steps, updates) = (built.motion.steps(), built.motion.updates());
    let (least, most) = extremes(&steps);
    let total = updates.iter().sum::<u64>();
    let synchronous = (passed / built.one_step * (1.0 + 1e-12)).floor() * solid.elements() as f64;
    let avi = record! {
        "elements": solid.elements(),
        "nodes": solid.mass().len(),
        "updates": record! {
            "total": total,
            "min": updates.iter().min().copied(),
            "max": updates.iter().max().copied(),
        },
        "synchronous_updates": synchronous as u64,
        "ideal_speedup": built.ideal_speedup(),
        "update_ratio": if total > 0 { synchronous / total as f64 } else { 1.0 },
        // How long another method would have taken is not to be had from this run.
        "measured_speedup": Entry::Nothing,
        "step": record! { "min": least, "max": most },
        "levels": levels_of_summary(built),
        "boundary_share": built.levels().map_or(f64::NAN, |table| table.boundary_share()),
        "chosen": built.auto.as_ref().map_or(Entry::Nothing, |auto| Entry::Record(auto.summary())),
        "certificate": built.stability.as_ref().map_or(Entry::Nothing, |found| found.summary().into()),
        "rescaled": watch.summary(),
        "passages": watch.passages(),
        "nanoseconds_per_update": if total > 0 { 1e9 * moving / total as f64 } else { f64::NAN },
    };
    let mut keys = record! {
        "solid": of_solid,
        "avi": avi,
        "local_energy": local_energy(built.motion.avi().and_then(|avi| avi.local_energy())),
    };
    built.record.summarise(&mut keys);
    keys.group("energy").set("growth", built.growth.summary());
    Summary {
        method: built.choice.to_string(),
        order: built.choice.order(),
        variational: built.choice.variational(),
        iterations: built.motion.iterations(),
        keys,
    }
}

/// The number of elements that are removed.
fn eroded(built: &PreparedSolid) -> usize {
    let of_name = histories(built).into_iter().filter(|(name, _)| *name == "eroded");
    of_name.flat_map(|(_, values)| values).filter(|value| *value == 1.0).count()
}

fn volume(solid: &Solid) -> f64 {
    solid.blocks().iter().map(|b| (0..b.len()).map(|k| b.volume(k)).sum::<f64>()).sum()
}

fn local_energy(local: Option<&LocalEnergy>) -> Record {
    let part = |bound: f64| local.map_or(f64::NAN, |l| l.fraction_below(bound));
    let worst = local.map(|l| l.worst().fold(0.0, f64::max));
    record! {
        "fraction_below_0_1_percent": part(1e-3),
        "fraction_below_1_percent": part(1e-2),
        "worst": worst.unwrap_or(f64::NAN),
    }
}

fn facts(engine: &SolidEngine, finished: &FinishedRun<'_>) -> Vec<(String, String)> {
    let built = &engine.built;
    if let Some(facts) = static_results::facts(built, finished) {
        return facts;
    }
    let FinishedRun { scenario, summary, .. } = finished;
    let get = |path: &str| short(summary.number(path));
    let count = |path: &str| summary.count(path).unwrap_or(0).to_string();
    let fact = |name: &str, value: String| (name.to_string(), value);
    let probes = built.record.probes().iter().map(|p| fact(&format!("probe {}", p.name), p.taken()));
    let facts = vec![
        fact("scenario", scenario.name.clone()),
        fact("integrator", built.choice.to_string()),
        fact("elements", get("avi.elements")),
        fact("nodes", get("avi.nodes")),
        fact("mass", get("solid.mass")),
        fact("steps of elements", format!("{} to {}", get("avi.step.min"), get("avi.step.max"))),
        fact("time", format!("{} to {}", short(scenario.start), short(finished.end.time))),
        fact("updates", count("avi.updates.total")),
        fact(
            "updates of an element",
            format!("{} to {}", count("avi.updates.min"), count("avi.updates.max")),
        ),
        fact("updates at the smallest step", count("avi.synchronous_updates")),
        fact("ideal speed-up", get("avi.ideal_speedup")),
        fact("wall time", format!("{:.3} s", finished.seconds)),
        fact("version", env!("CARGO_PKG_VERSION").into()),
    ];
    let eroded = (eroded(built) > 0).then(|| fact("eroded elements", count("solid.eroded")));
    let chosen = built.auto.iter().map(|auto| fact("chosen", auto.words()));
    let reductions = engine.watch.reductions().iter().map(|r| fact("steps reduced", r.to_string()));
    facts.into_iter().chain(eroded).chain(chosen).chain(reductions).chain(probes).collect()
}

fn svg(plot: &Plot) -> String {
    plot.to_page()
}

fn sections(engine: &SolidEngine, series: &Series) -> Vec<Section> {
    let built = &engine.built;
    let picture = engine.picture.as_ref().map(|p| p.section(built));
    let course = match built.motion.statics() {
        Some(_) => static_results::section(series, built),
        None => energies(series, built),
    };
    let parts = [picture, course, elements(built), probes(&engine.system, series)];
    parts.into_iter().flatten().collect()
}

fn energies(series: &Series, built: &PreparedSolid) -> Option<Section> {
    let mut plot = Plot::new("Energies").x_label("t").y_label("energy");
    for name in ["energy", "kinetic", "potential", "work"] {
        let (t, values) = series.whole(name)?;
        plot = plot.line(name, &t, &values);
    }
    let [(t, energy), (_, work)] = [series.whole("energy")?, series.whole("work")?];
    let mut balance: Vec<f64> = energy.iter().zip(&work).map(|(e, w)| e - w).collect();
    // Only bodies that dissipate have this column.
    let dissipation = series.whole("dissipation");
    if let Some((t, dissipated)) = &dissipation {
        plot = plot.line("dissipation", t, dissipated);
        balance.iter_mut().zip(dissipated).for_each(|(sum, d)| *sum += d);
    }
    let first = balance.iter().copied().find(|x| !x.is_nan()).unwrap_or(0.0);
    let scale = built.record.energy_scale();
    let change: Vec<f64> = balance.iter().map(|sum| part(sum - first, scale)).collect();
    let error =
        Plot::new("Energy error").x_label("t").y_label("relative error").line("relative error", &t, &change);
    let captions = match dissipation {
        None => [
            "Kinetic and potential energy, their sum, and the work done from outside.",
            "Change of the energy less the work done from outside, over the energy scale.",
        ],
        Some(_) => [
            "Kinetic and potential energy, their sum, the work done from outside, and what was dissipated.",
            "Change of the energy and the dissipation less the work done from outside, over the energy scale.",
        ],
    };
    let mut plots = vec![(svg(&plot), captions[0].into()), (svg(&error), captions[1].into())];
    let mut balance = Plot::new("Balance of momentum").x_label("t").y_label("residual over scale");
    for (name, column) in [("linear", "balance.linear"), ("angular", "balance.angular")] {
        let (t, values) = series.whole(column)?;
        balance = balance.line(name, &t, &values);
    }
    // Methods that do not book impulses of loads and supports leave these columns empty.
    if series.whole("balance.linear")?.1.iter().any(|x| !x.is_nan()) {
        let caption =
            "Momentum less what it was and what loads and supports gave, over the size of its terms.";
        plots.push((svg(&balance), caption.into()));
    }
    Some(Section { heading: "Energy and momentum".into(), text: String::new(), plots })
}

/// How steps, updates and local residuals are spread over the elements.
fn elements(built: &PreparedSolid) -> Option<Section> {
    let avi = built.motion.avi()?;
    let updates: Vec<f64> = avi.events().iter().map(|n| *n as f64).collect();
    let mut plots = Vec::new();
    let (least, most) = extremes(avi.steps());
    if least < most {
        plots
            .push((spread("Steps", "step", avi.steps()), "Share of elements with at most this step.".into()));
        plots.push((
            spread("Updates", "updates", &updates),
            "Share of elements with at most so many updates.".into(),
        ));
    }
    if let Some(local) = avi.local_energy() {
        let worst: Vec<f64> = local.worst().collect();
        let caption = "Share of elements whose balance of energy left at most this residual at worst, over their energy.";
        plots.push((spread("Local energy residual", "relative residual", &worst), caption.into()));
    }
    Some(Section { heading: "Elements".into(), text: String::new(), plots })
}

/// The share of elements at or below each value, over the logarithm of the value.
fn spread(title: &str, label: &str, values: &[f64]) -> String {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|x| *x > 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len().max(1) as f64;
    let every = sorted.len().div_ceil(400).max(1);
    let chosen: Vec<usize> = (0..sorted.len()).filter(|i| i % every == 0 || i + 1 == sorted.len()).collect();
    let x: Vec<f64> = chosen.iter().map(|i| sorted[*i].log10()).collect();
    let y: Vec<f64> = chosen.iter().map(|i| (i + 1) as f64 / count).collect();
    svg(&Plot::new(title)
        .x_label(format!("log10 of {label}"))
        .y_label("share of elements")
        .line("elements", &x, &y))
}

fn probes(system: &SolidSystem, series: &Series) -> Option<Section> {
    let plots: Vec<_> = system
        .probes
        .iter()
        .filter_map(|probe| {
            let name = &probe.name.text;
            let (t, values) = series.whole(name)?;
            let plot = Plot::new(name).x_label("t").y_label(name).line(name, &t, &values);
            Some((svg(&plot), format!("{name} = {}", probe.value.text)))
        })
        .collect();
    (!plots.is_empty()).then(|| Section { heading: "Probes".into(), text: String::new(), plots })
}

#[cfg(test)]
mod tests {
    use super::von_mises;

    #[test]
    fn the_equivalent_stress_is_that_of_the_bar_and_feels_no_pressure() {
        let close = |stress: [f64; 6], expected: f64| assert!((von_mises(&stress) - expected).abs() < 1e-12);
        close([-3.0, 0.0, 0.0, 0.0, 0.0, 0.0], 3.0);
        close([5.0, 5.0, 5.0, 0.0, 0.0, 0.0], 0.0);
        // Pure shear, in each plane, and turned by 45 degrees: the same stress along other axes.
        for plane in 3..6 {
            let mut stress = [0.0; 6];
            stress[plane] = 2.0;
            close(stress, 2.0 * 3.0_f64.sqrt());
        }
        close([2.0, -2.0, 0.0, 0.0, 0.0, 0.0], 2.0 * 3.0_f64.sqrt());
    }
}
