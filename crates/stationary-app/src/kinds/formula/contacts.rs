//! Impacts of gaps: their rows of `impacts.csv`, and the part of the page about them.

use crate::run::finish::short;
use crate::run::impacts;
use crate::run::page::ImpactTimes;
use stationary::archive::{Archive, Persist};
use stationary::contact::{GapImpact, ImpactKind};
use stationary::error::Error;
use stationary::observe::{Entry, Record, part};
use stationary_report::html::{Section as Part, TextTable};
use stationary_report::plot::Plot;
use stationary_report::{Decimated, Envelope, Events};
use std::collections::VecDeque;

/// Impacts at the begin and at the end that the page lists.
const LISTED: usize = 6;

/// What the page shows of impacts.
pub(super) struct Contacts {
    names: Vec<String>,
    /// Energy before and after, and the time since the bounce before.
    course: Envelope,
    seen: u64,
    bounced: f64,
    first: Vec<Row>,
    last: VecDeque<Row>,
    /// Times of the first bounces, and of bounces over the whole run.
    opening: Vec<f64>,
    whole: Decimated<f64>,
}

/// Times of bounces in a plot.
const TIMES: usize = 4_000;

/// An impact as it is listed.
type Row = (f64, String, ImpactKind, [f64; 4]);

impl Contacts {
    /// Of gaps with these names.
    pub fn new(names: Vec<String>) -> Self {
        Contacts {
            names,
            course: Envelope::new(3),
            seen: 0,
            bounced: f64::NAN,
            first: Vec::new(),
            last: VecDeque::new(),
            opening: Vec::new(),
            whole: Decimated::new(TIMES),
        }
    }

    /// Writes the impacts of a step into the table.
    pub fn push(&mut self, impacts: &[GapImpact], file: &mut Events) -> Result<(), Error> {
        for impact in impacts {
            let name = |k: usize| self.names[k].as_str();
            impacts::write(impact, &name, file)?;
            let shown = impact.row(&name);
            let [gaps, _] = shown.parties;
            let row: Row = (impact.time, gaps.into_owned(), impact.kind, shown.numbers);
            let since = if impact.kind == ImpactKind::Bounce {
                if self.opening.len() < TIMES {
                    self.opening.push(impact.time);
                }
                self.whole.push(impact.time);
                impact.time - std::mem::replace(&mut self.bounced, impact.time)
            } else {
                f64::NAN
            };
            self.course.add(self.seen, impact.time, &[impact.energy_before, impact.energy_after, since]);
            self.seen += 1;
            if self.first.len() < LISTED {
                self.first.push(row);
            } else {
                if self.last.len() == LISTED {
                    self.last.pop_front();
                }
                self.last.push_back(row);
            }
        }
        Ok(())
    }

    /// The times of bounces.
    pub fn times(&self) -> ImpactTimes {
        ImpactTimes { opening: self.opening.clone(), whole: self.whole.iter().copied().collect() }
    }

    /// The part of the page, from what the summary has under `impacts`.
    pub fn part(&self, summary: &Record, scale: f64) -> Part {
        let mut plots = Vec::new();
        let mut add = |plot: Plot, caption: &str| plots.push((plot.to_page(), caption.to_string()));
        if let Some(first) = self.first.first() {
            let relative = |quantity| {
                let (t, e) = self.course.line(quantity);
                (t, e.iter().map(|e| part(e - first.3[2], scale)).collect::<Vec<f64>>())
            };
            let ((before_t, before), (after_t, after)) = (relative(0), relative(1));
            let plot = Plot::new("Energy at impacts").x_label("t").y_label("relative change");
            let plot = plot.points("before", &before_t, &before).points("after", &after_t, &after);
            add(
                plot,
                "Discrete energy of the legs that arrive and leave, less that before the first impact, over the energy scale.",
            );
        }
        let (t, since) = self.course.line(2);
        if !t.is_empty() {
            let plot =
                Plot::new("Time between impacts").x_label("t").y_label("time").points("time", &t, &since);
            add(plot, "Time since the bounce before, of any gap.");
        }
        Part { heading: "Impacts".into(), text: self.text(summary), plots }
    }

    fn text(&self, summary: &Record) -> String {
        let number = |key: &str| {
            let value = summary.number(&format!("impacts.{key}"));
            if value.is_finite() { short(value) } else { "-".to_string() }
        };
        let count = |key: &str| summary.count(&format!("impacts.{key}")).unwrap_or(0);
        if self.seen == 0 {
            return "No gap closed.".into();
        }
        let mut text = format!(
            "{} bounces, at most {} in one step, the last at time {}.",
            count("count"),
            count("max_per_step"),
            number("last_time")
        );
        if count("rests") + count("releases") > 0 {
            text += &format!(
                " Contacts that lasted: {} began, {} ended by themselves.",
                count("rests"),
                count("releases")
            );
        }
        if let Some(Entry::Record(per_gap)) = summary.get("impacts.per_gap")
            && per_gap.entries().len() > 1
        {
            let names = per_gap.entries().iter().take(20).map(|(name, _)| name);
            let all: Vec<String> =
                names.map(|name| format!("{name} {}", per_gap.count(name).unwrap_or(0))).collect();
            let more = if per_gap.entries().len() > 20 { ", ..." } else { "" };
            text += &format!(" By gap: {}{more}.", all.join(", "));
        }
        text += &format!(
            "\n\nThe energies before and after an impact differ from what its law asks for by at most {} of the energy scale. Taken by \
             impacts in all: {}. The least gap at any step is {} of its size at the start.",
            number("max_energy_jump_error"),
            number("dissipated"),
            number("min_gap")
        );
        text
    }

    /// The first and last impacts.
    pub fn table(&self) -> TextTable {
        let cells = |(t, gap, kind, numbers): &Row| {
            let mut row = vec![("number", short(*t)), ("", gap.clone()), ("", kind.name().to_string())];
            row.extend(numbers.iter().enumerate().map(|(i, x)| {
                // Energies differ in digits that six do not show.
                let text = if i < 2 { short(*x) } else { format!("{x:.12}") };
                ("number", text)
            }));
            row
        };
        let mut rows: Vec<Vec<(&'static str, String)>> = self.first.iter().map(cells).collect();
        let between = self.seen as usize - self.first.len() - self.last.len();
        if between > 0 {
            let mut row = vec![("", String::new()); GapImpact::COLUMNS.len()];
            row[1].1 = format!("{between} more");
            rows.push(row);
        }
        rows.extend(self.last.iter().map(cells));
        let heads = GapImpact::COLUMNS.map(|c| c.replace('_', " ")).to_vec();
        TextTable { heading: "First and last impacts".into(), heads, rows }
    }
}

impl Persist for Contacts {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.course).pass(&mut self.seen).pass(&mut self.bounced);
        archive.pass(&mut self.first).pass(&mut self.last);
        archive.pass(&mut self.opening).pass(&mut self.whole);
    }
}
