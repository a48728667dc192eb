//! The results folder: `series.csv` as the run goes, `summary.json` and `report.html` at its end.

use super::build::Built;
use super::contacts::{self, Contacts};
use crate::run::finish::{Course, Findings, enter, finish, head, short};
use crate::run::keep::Keeper;
use crate::run::{End, Outcome};
use crate::scenario::Scenario;
use serde_json::{Map, Value, json};
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, Error, RunError};
use stationary::observe::{Conserved, Observer, Record};
use stationary_report::html::Section as Part;
use stationary_report::plot::Plot;
use stationary_report::{Kept, Series};
use std::path::PathBuf;

/// A results folder being filled.
pub(super) struct Results<'a> {
    scenario: &'a Scenario,
    pub keeper: Keeper,
    series: Series,
    section: Option<Crossings>,
    contacts: Option<Contacts>,
}

/// `sections.csv`, and the points of its plot.
struct Crossings {
    file: Series,
    names: Vec<String>,
    shown: [Vec<f64>; 2],
    points: usize,
}

/// Points of a section that are drawn.
const DRAWN: usize = 20_000;

impl Persist for Crossings {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.shown).pass(&mut self.points);
    }
}

impl Crossings {
    fn push(&mut self, rows: Vec<Vec<f64>>) -> Result<(), Error> {
        for row in rows {
            self.file.push(&row)?;
            self.points += 1;
            if self.points <= DRAWN {
                // A section of one column is drawn over time.
                let at = if self.names.len() > 2 { [1, 2] } else { [0, 1] };
                (0..2).for_each(|k| self.shown[k].push(row[at[k]]));
            }
        }
        Ok(())
    }

    fn part(&self, when: &str) -> Part {
        let at = if self.names.len() > 2 { [1, 2] } else { [0, 1] };
        let plot = Plot::new("Poincare section").x_label(&self.names[at[0]]).y_label(&self.names[at[1]]);
        let plot = plot.points("crossings", &self.shown[0], &self.shown[1]);
        let more = match self.points > DRAWN {
            true => format!(" The first {DRAWN} of {}; all are in sections.csv.", self.points),
            false => format!(" {} points.", self.points),
        };
        let caption = format!("Where {when} crosses zero upward.{more}");
        let svg = plot.to_page();
        Part { heading: "Section".into(), text: String::new(), plots: vec![(svg, caption)] }
    }
}

impl<'a> Results<'a> {
    /// Makes the folder and the tables, or goes on with them.
    pub fn create(scenario: &'a Scenario, built: &Built<'_>, mut keeper: Keeper) -> Result<Self, Error> {
        let series = keeper.series((columns(built), observed(built)))?;
        let (out, from) = (&keeper.out, keeper.from.as_ref());
        let section = match &built.section {
            None => None,
            Some(section) => {
                let names = section.columns();
                let file = out.table("sections.csv", (names.clone(), Vec::new()), from)?;
                let mut crossings = Crossings { file, names, shown: Default::default(), points: 0 };
                from.map_or(Ok(()), |c| c.take_state("crossings", |archive| crossings.pass(archive)))?;
                Some(crossings)
            }
        };
        let contacts = match &built.impacts {
            None => None,
            Some(_) => {
                let names = built.system.gaps.iter().map(|g| g.name.clone());
                Some(Contacts::create(out, names.collect(), from)?)
            }
        };
        keeper.go_on()?;
        Ok(Results { scenario, keeper, series, section, contacts })
    }

    /// Writes a checkpoint after a step; `state` shows all else that it needs.
    pub fn checkpoint(&mut self, step: u64, state: impl FnOnce(&mut Archive)) -> Result<(), Error> {
        let (series, section, contacts) = (&mut self.series, &mut self.section, &mut self.contacts);
        self.keeper.save(|checkpoint| {
            checkpoint.counts("run.step", &[step]).state("state", state);
            series.save(checkpoint)?;
            if let Some(crossings) = section {
                checkpoint.state("crossings", |archive| crossings.pass(archive));
                crossings.file.save(checkpoint)?;
            }
            contacts.as_mut().map_or(Ok(()), |contacts| contacts.save(checkpoint))
        })
    }

    /// Writes the crossings found since the last step, and its impacts.
    pub fn record(&mut self, built: &mut Built<'_>) -> Result<(), Error> {
        if let Some(contacts) = &mut self.contacts {
            contacts.push(built.integrator.impacts())?;
        }
        self.cross(built)
    }

    fn cross(&mut self, built: &mut Built<'_>) -> Result<(), Error> {
        match (&mut self.section, &mut built.section) {
            (Some(file), Some(section)) => file.push(section.take()),
            _ => Ok(()),
        }
    }

    /// Brings the files up to date.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.series.flush()?;
        self.contacts.as_mut().map_or(Ok(()), Contacts::flush)?;
        self.section.as_mut().map_or(Ok(()), |section| section.file.flush())
    }

    pub fn series(&mut self) -> &mut Series {
        &mut self.series
    }

    /// Writes summary and report.
    pub fn finish(mut self, built: &mut Built<'_>, mut end: End) -> Result<Outcome, Error> {
        if let Some(section) = &mut built.section {
            section.finish();
            // Found in the last window only.
            if let (Some(what), None) = (section.not_finite(), &end.stopped) {
                let cause = Cause::NotFinite { what };
                end.stopped = Some(RunError { time: end.time, step: end.step, cause });
            }
        }
        self.cross(built)?;
        self.flush()?;
        let built = &*built;
        let summary = summary(self.scenario, built, &end, (self.series.rows(), self.keeper.seconds()));
        let mut conserved: Vec<Conserved> = built.energy.conserved().into_iter().collect();
        conserved.extend(built.observers.iter().filter_map(|o| o.conserved()));
        conserved.extend(built.impacts.iter().filter_map(|o| o.conserved()));
        let value = Value::Object(summary.clone());
        let facts = self.facts(built, &value);
        let choice = &built.system.section;
        let mut parts: Vec<Part> = built.picture.iter().map(|picture| picture.section()).collect();
        parts.extend(self.section.iter().zip(choice).map(|(s, choice)| s.part(&choice.when.text)));
        parts.extend(built.energy_choice.iter().filter_map(|_| self.lengths(&value)));
        parts.extend(self.contacts.iter().map(|c| c.part(&value["impacts"], built.energy.scale())));
        let mut files: Vec<PathBuf> =
            self.section.iter().filter_map(|_| self.keeper.out.file("sections.csv")).collect();
        files.extend(self.contacts.iter().filter_map(|_| self.keeper.out.file(contacts::FILE)));
        let findings = Findings {
            summary,
            conserved,
            facts,
            sections: parts,
            warnings: [
                built.warnings.clone(),
                notes(&value, self.scenario),
                built.picture.iter().filter_map(|picture| picture.warning()).collect(),
            ]
            .concat(),
            energy_scale: built.energy.scale(),
            files,
            tables: self.contacts.iter().map(Contacts::table).collect(),
            impacts: self.contacts.as_ref().map(Contacts::times).unwrap_or_default(),
            kept: Kept {
                section: self.section.and_then(|s| s.file.into_table()),
                impacts: self.contacts.and_then(Contacts::into_listing),
                ..Kept::default()
            },
        };
        finish(self.scenario, self.keeper, self.series, findings, end)
    }

    /// The part of the page about steps that the energy chose.
    fn lengths(&self, summary: &Value) -> Option<Part> {
        let found = &summary["energy_steps"];
        let error = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
        let (flagged, stretches) = (found["flagged"].as_u64()?, found["stretches"].as_u64()?);
        let mut text = format!(
            "Each step has the length that keeps the discrete energy; relative error {:.1e}.",
            error("max_relative_error")
        );
        if flagged > 0 {
            let times: Vec<String> = found["where"]
                .as_array()?
                .iter()
                .map(|s| {
                    let at = |key: &str| short(s[key].as_f64().unwrap_or(f64::NAN));
                    format!("{} to {} ({} steps)", at("from"), at("to"), s["steps"])
                })
                .collect();
            let more = if stretches as usize > times.len() { ", ..." } else { "" };
            text += &format!(
                "\n\nNo length within the bounds kept it for {flagged} of {} steps, in {stretches} stretches of time; there the error is up to \
                 {:.1e} (turning: {}). Times: {}{more}.",
                summary["moves"],
                error("max_relative_error_flagged"),
                found["turning"].as_str()?,
                times.join(", ")
            );
        } else {
            text += " No step had to be made otherwise.";
        }
        let (t, h) = self.series.whole("step")?;
        let plot = Plot::new("Length of the steps").x_label("t").y_label("h").line("h", &t, &h);
        let plots = vec![(plot.to_page(), "Length of each step over time.".into())];
        Some(Part { heading: "Steps chosen by the energy".into(), text, plots })
    }

    fn facts(&self, built: &Built<'_>, summary: &Value) -> Vec<(String, String)> {
        let kind = if built.method.variational() { "variational" } else { "not variational" };
        let newton = summary["newton"]["per_step"].as_f64().unwrap_or(0.0);
        let solve =
            if newton > 0.0 { format!("{newton:.2} Newton iterations a step") } else { "explicit".into() };
        let fact = |name: &str, value: String| (name.to_string(), value);
        vec![
            fact("scenario", self.scenario.name.clone()),
            fact(
                "integrator",
                format!("{}, order {}, {kind}", built.method_in_words(), built.method.order()),
            ),
            fact("step", steps(built, summary)),
            fact(
                "time",
                format!(
                    "{} to {}",
                    short(self.scenario.start),
                    short(summary["time"]["end"].as_f64().unwrap_or(f64::NAN))
                ),
            ),
            fact("steps", summary["moves"].to_string()),
            fact("solve", solve),
            fact("coordinates", built.system.coordinates.len().to_string()),
            fact("wall time", format!("{:.3} s", summary["wall_seconds"].as_f64().unwrap_or(0.0))),
            fact("version", env!("CARGO_PKG_VERSION").into()),
        ]
    }
}

/// The length of a step for people.
fn steps(built: &Built<'_>, summary: &Value) -> String {
    let first = short(built.system.step);
    let found = &summary["energy_steps"]["step"];
    match (found["min"].as_f64(), found["max"].as_f64()) {
        (Some(min), Some(max)) => format!("{first}, then {} to {}", short(min), short(max)),
        _ => first,
    }
}

/// What a reader of the summary must not overlook.
fn notes(summary: &Value, scenario: &Scenario) -> Vec<String> {
    let mut notes = Vec::new();
    if let (Some(wanted), Some(seen), Some(true)) =
        (scenario.end_impacts, summary["impacts"]["count"].as_u64(), summary["finished"].as_bool())
        && seen < wanted
    {
        notes.push(match scenario.end.is_finite() {
            true => format!("the end came before impact {wanted}: there were {seen}"),
            false => format!(
                "nothing was hit for very long, so the run ended before impact {wanted}: there were {seen}"
            ),
        });
    }
    if let Some(unmet) = summary["impacts"]["unmet"].as_u64().filter(|n| *n > 0) {
        notes.push(format!(
            "{unmet} of {} impacts were too slow for their energy to be met: momenta alone decide there: a shorter \
             step or a method of higher order makes them fewer",
            summary["impacts"]["count"]
        ));
    }
    if let Some(flagged) = summary["energy_steps"]["flagged"].as_u64().filter(|n| *n > 0) {
        notes.push(format!(
            "no length within the bounds kept the energy for {flagged} of {} steps: they were made otherwise, see \
             `energy_steps`",
            summary["moves"]
        ));
    }
    if summary["section"]["points"] == 0 {
        notes.push("the formula of the section never crossed zero upward".into());
    }
    notes
}

/// Refuses a run two columns of which would have one name.
pub(super) fn check_columns(built: &Built<'_>) -> Result<(), Error> {
    let mut names = columns(built);
    names.extend(observed(built));
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

/// Names of the columns of the state.
fn columns(built: &Built<'_>) -> Vec<String> {
    let names = &built.system.coordinates;
    let mut columns = vec!["t".to_string()];
    columns.extend(names.iter().cloned());
    columns.extend(names.iter().map(|n| format!("v{n}")));
    columns.extend(names.iter().map(|n| format!("p{n}")));
    columns
}

/// Names of the columns of what is observed.
fn observed(built: &Built<'_>) -> Vec<String> {
    let mut observed = built.energy.columns();
    observed.extend(built.observers.iter().flat_map(|o| o.columns()));
    observed.extend(built.impacts.iter().flat_map(|o| o.columns()));
    observed
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
        method: (built.method_in_words(), built.method.order(), built.method.variational()),
        iterations: built.integrator.iterations(),
        rows,
        wall,
    });
    summary["time"]["step"] = json!(built.system.step);
    let system = json!({
        "coordinates": built.system.coordinates.len(),
        "freedom": built.integrator.freedom(),
        "forced": built.extras.force.is_some(),
        "reduced": built.system.reduce.iter().map(|name| &name.text).collect::<Vec<_>>(),
        "separable": built.mechanics.separable(),
        "compiled": built.mechanics.compiled(),
    });
    summary.insert("system".into(), system);
    let mut found = Record::default();
    built.energy.summarise(&mut found);
    for observer in &built.observers {
        observer.summarise(&mut found);
    }
    if let Some(section) = &built.section {
        section.summarise(&mut found);
    }
    if let Some(impacts) = &built.impacts {
        impacts.summarise(&mut found);
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
