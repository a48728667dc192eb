//! The levels of local steps in reports.

use super::start::PreparedSolid;
use crate::run::finish::short;
use stationary::integrate::avi::{LevelRow, LevelTable};
use stationary::observe::{Entry, record};
use stationary_report::html::TextTable;

fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

fn boundary_share(row: &LevelRow) -> f64 {
    row.at_boundary as f64 / row.elements as f64
}

/// A level in one line.
pub(super) fn level_in_words(row: &LevelRow) -> String {
    format!(
        "{}: step {}, {} elements, {} of the updates; {} at a boundary",
        row.level,
        short(row.step),
        row.elements,
        percent(row.updates_share),
        percent(boundary_share(row))
    )
}

/// How many elements share a node with a faster one.
pub(super) fn boundaries_in_words(table: &LevelTable) -> String {
    format!("{} of the elements share a node with one of a smaller step", percent(table.boundary_share()))
}

/// The list of the summary; empty for free steps and for implicit methods.
pub(super) fn levels_of_summary(built: &PreparedSolid) -> Entry {
    let rows = built.levels().map_or(Vec::new(), |table| table.rows);
    let row = |row: &LevelRow| {
        Entry::Record(record! {
            "level": u64::from(row.level),
            "step": row.step,
            "elements": row.elements,
            "updates_share": row.updates_share,
            "boundary_share": boundary_share(row),
        })
    };
    Entry::List(rows.iter().map(row).collect())
}

/// The table of the page, where there are several levels.
pub(super) fn level_table(built: &PreparedSolid) -> Option<TextTable> {
    let table = built.levels().filter(|table| table.rows.len() > 1)?;
    let heads = ["level", "step", "elements", "share of the updates", "share at a level boundary"];
    let row = |row: &LevelRow| {
        let cells = [
            row.level.to_string(),
            short(row.step),
            row.elements.to_string(),
            percent(row.updates_share),
            percent(boundary_share(row)),
        ];
        cells.into_iter().map(|cell| ("number", cell)).collect()
    };
    Some(TextTable {
        heading: "Levels of time steps".into(),
        heads: heads.map(String::from).to_vec(),
        rows: table.rows.iter().map(row).collect(),
    })
}
