//! What the run of a system of formulas leaves: summary keys, facts, and parts of the page.

use super::FormulaSystem;
use super::build::PreparedFormula;
use super::contacts::Contacts;
use super::engine::FormulaEngine;
use super::plots::{self, Observed};
use crate::run::engine::{Columns, EngineReport, FinishedRun, Summary};
use crate::run::finish::short;
use crate::run::page;
use stationary::error::Error;
use stationary::observe::{Conserved, Entry, Observer, Record, record};
use stationary_report::html::Section as Part;
use stationary_report::plot::Plot;

/// What is told of a run.
pub(super) fn report(engine: &FormulaEngine, finished: &FinishedRun<'_>) -> EngineReport {
    let FormulaEngine { built, crossings, contacts, .. } = engine;
    let mut conserved: Vec<Conserved> = built.energy.conserved().into_iter().collect();
    conserved.extend(built.observers.iter().filter_map(|o| o.conserved()));
    conserved.extend(built.impacts.iter().filter_map(|o| o.conserved()));
    let impacts = contacts.as_ref().map(Contacts::times).unwrap_or_default();
    let energy_scale = built.energy.scale();
    let observed =
        Observed { series: finished.series, conserved: &conserved, energy_scale, impacts: &impacts };
    let mut sections = if finished.shows { plots(&observed, &built.system) } else { Vec::new() };
    sections.extend(built.picture.iter().map(|picture| picture.section()));
    sections.extend(crossings.iter().zip(&built.system.section).map(|(c, choice)| c.part(&choice.when.text)));
    sections.extend(built.energy_choice.iter().filter_map(|_| lengths(finished)));
    sections.extend(contacts.iter().map(|c| c.part(finished.summary, built.energy.scale())));
    let mut warnings = built.warnings.clone();
    warnings.extend(notes(finished));
    warnings.extend(built.picture.iter().filter_map(|picture| picture.warning()));
    EngineReport {
        conserved,
        facts: facts(built, finished),
        sections,
        tables: contacts.iter().map(Contacts::table).collect(),
        warnings,
        notes: Vec::new(),
    }
}

/// Plots over time.
fn plots(observed: &Observed<'_>, system: &FormulaSystem) -> Vec<Part> {
    let motion = plots::motion(observed, &system.coordinates);
    let conservation = plots::conservation(observed);
    let probes = page::probes(observed.series, &system.probes, observed.impacts);
    [Some(motion), conservation, probes].into_iter().flatten().collect()
}

/// The part of the page about steps that the energy chose.
fn lengths(finished: &FinishedRun<'_>) -> Option<Part> {
    let Entry::Record(found) = finished.summary.get("energy_steps")? else { return None };
    let flagged = found.count("flagged")?;
    let stretches = found.count("stretches")?;
    let Entry::Text(turning) = found.get("turning")? else { return None };
    let mut text = format!(
        "Each step has the length that keeps the discrete energy; relative error {:.1e}.",
        found.number("max_relative_error")
    );
    if flagged > 0 {
        let Entry::List(listed) = found.get("where")? else { return None };
        let stretch = |entry: &Entry| {
            let Entry::Record(s) = entry else { return None };
            let steps = s.count("steps")?;
            Some(format!("{} to {} ({steps} steps)", short(s.number("from")), short(s.number("to"))))
        };
        let times: Vec<String> = listed.iter().filter_map(stretch).collect();
        let more = if stretches as usize > times.len() { ", ..." } else { "" };
        text += &format!(
            "\n\nNo length within the bounds kept it for {flagged} of {} steps, in {stretches} stretches of time; there the error is up to \
             {:.1e} (turning: {}). Times: {}{more}.",
            finished.end.step,
            found.number("max_relative_error_flagged"),
            turning,
            times.join(", ")
        );
    } else {
        text += " No step had to be made otherwise.";
    }
    let (t, h) = finished.series.whole("step")?;
    let plot = Plot::new("Length of the steps").x_label("t").y_label("h").line("h", &t, &h);
    let plots = vec![(plot.to_page(), "Length of each step over time.".into())];
    Some(Part { heading: "Steps chosen by the energy".into(), text, plots })
}

fn facts(built: &PreparedFormula, finished: &FinishedRun<'_>) -> Vec<(String, String)> {
    let FinishedRun { scenario, summary, .. } = finished;
    let kind = if built.method.variational() { "variational" } else { "not variational" };
    let newton = summary.number("newton.per_step");
    let solve =
        if newton > 0.0 { format!("{newton:.2} Newton iterations a step") } else { "explicit".into() };
    let fact = |name: &str, value: String| (name.to_string(), value);
    vec![
        fact("scenario", scenario.name.clone()),
        fact("integrator", format!("{}, order {}, {kind}", built.method_in_words(), built.method.order())),
        fact("step", steps(built, summary)),
        fact("time", format!("{} to {}", short(scenario.start), short(finished.end.time))),
        fact("steps", finished.end.step.to_string()),
        fact("solve", solve),
        fact("coordinates", built.system.coordinates.len().to_string()),
        fact("wall time", format!("{:.3} s", finished.seconds)),
        fact("version", env!("CARGO_PKG_VERSION").into()),
    ]
}

/// The length of a step for people.
fn steps(built: &PreparedFormula, summary: &Record) -> String {
    let first = short(built.system.step);
    let least = summary.number("energy_steps.step.min");
    let most = summary.number("energy_steps.step.max");
    if least.is_finite() && most.is_finite() {
        return format!("{first}, then {} to {}", short(least), short(most));
    }
    first
}

/// What a reader of the summary must not overlook.
fn notes(finished: &FinishedRun<'_>) -> Vec<String> {
    let FinishedRun { scenario, summary, end, .. } = finished;
    let mut notes = Vec::new();
    let impacts = summary.count("impacts.count");
    if let (Some(wanted), Some(seen)) = (scenario.end_impacts, impacts)
        && end.stopped.is_none()
        && !end.interrupted
        && seen < wanted
    {
        notes.push(match scenario.end.is_finite() {
            true => format!("the end came before impact {wanted}: there were {seen}"),
            false => format!(
                "nothing was hit for very long, so the run ended before impact {wanted}: there were {seen}"
            ),
        });
    }
    if let Some(mismatches) = summary.count("impacts.energy_mismatches").filter(|n| *n > 0) {
        notes.push(format!(
            "{mismatches} of {} impacts were too slow for their energy to be met: momenta alone decide there: a shorter \
             step or a method of higher order makes them fewer",
            impacts.unwrap_or(0)
        ));
    }
    if let Some(flagged) = summary.count("energy_steps.flagged").filter(|n| *n > 0) {
        notes.push(format!(
            "no length within the bounds kept the energy for {flagged} of {} steps: they were made otherwise, see \
             `energy_steps`",
            end.step
        ));
    }
    if summary.count("section.points") == Some(0) {
        notes.push("the formula of the section never crossed zero upward".into());
    }
    notes
}

/// Refuses a run two columns of which would have one name.
pub(super) fn check_columns(built: &PreparedFormula) -> Result<(), Error> {
    let Columns { state, observed } = columns(built);
    let names = [state, observed].concat();
    for (at, name) in names.iter().enumerate() {
        if !names[..at].contains(name) {
            continue;
        }
        let probe = built.system.probes.iter().find(|(probe, _)| probe == name);
        let (place, what) =
            probe.map_or((&built.system.lagrangian.place, "coordinate"), |(_, text)| (&text.place, "probe"));
        let message = format!("two columns of the results would be called `{name}`");
        return Err(place.error(message).help(format!("give the {what} another name")).into());
    }
    Ok(())
}

/// Names of the columns of the series.
pub(super) fn columns(built: &PreparedFormula) -> Columns {
    let names = &built.system.coordinates;
    let mut state = vec!["t".to_string()];
    state.extend(names.iter().cloned());
    state.extend(names.iter().map(|n| format!("v{n}")));
    state.extend(names.iter().map(|n| format!("p{n}")));
    let mut observed = built.energy.columns();
    observed.extend(built.observers.iter().flat_map(|o| o.columns()));
    observed.extend(built.impacts.iter().flat_map(|o| o.columns()));
    Columns { state, observed }
}

/// What the summary has of such a system.
pub(super) fn summary(built: &PreparedFormula) -> Summary {
    let reduced = built.system.reduce.iter().map(|name| name.text.as_str());
    let system = record! {
        "coordinates": built.system.coordinates.len(),
        "freedom": built.integrator.freedom(),
        "forced": built.interactions.force.is_some(),
        "reduced": reduced.collect::<Vec<_>>(),
        "separable": built.mechanics.separable(),
        "compiled": built.mechanics.compiled(),
    };
    let mut keys = record! { "time": record! { "step": built.system.step }, "system": system };
    built.energy.summarise(&mut keys);
    for observer in &built.observers {
        observer.summarise(&mut keys);
    }
    if let Some(section) = &built.section {
        section.summarise(&mut keys);
    }
    if let Some(impacts) = &built.impacts {
        impacts.summarise(&mut keys);
    }
    Summary {
        method: built.method_in_words(),
        order: built.method.order(),
        variational: built.method.variational(),
        iterations: built.integrator.iterations(),
        keys,
    }
}
