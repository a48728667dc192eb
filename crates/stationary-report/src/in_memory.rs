//! What a run leaves in memory, for whoever called it: the same numbers that its files have.

use super::events::Cell;
use super::file::io;
use super::frames::InMemoryFrames;
use super::html::Page;
use crate::files;
use stationary::error::Error;
use std::path::Path;

/// Everything that a run left in memory; empty where only files were wanted.
#[derive(Debug, Clone, Default)]
pub struct InMemoryResults {
    /// The rows of `series.csv`.
    pub series: Option<Table>,
    /// The rows of `sections.csv`.
    pub section: Option<Table>,
    /// The rows of `impacts.csv`.
    pub impacts: Option<Listing>,
    /// The frames of a solid.
    pub frames: Option<InMemoryFrames>,
    /// What `report.html` shows.
    pub page: Option<Page>,
}

/// Rows of numbers, one after the other; a field that is empty in a file is NaN.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// All numbers of the first row, then those of the next.
    pub numbers: Vec<f64>,
}

/// Rows of numbers and words, column by column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listing {
    /// Names of the columns, and what they hold.
    pub columns: Vec<(String, Column)>,
}

/// A column of a listing.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers, NaN where a file has an empty field.
    Numbers(Vec<f64>),
    /// Words.
    Words(Vec<String>),
}

impl Table {
    /// One without rows.
    pub(super) fn new(columns: Vec<String>) -> Self {
        Table { columns, numbers: Vec::new() }
    }

    /// Reads a table that we wrote: shortest texts come back to the same bits.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (columns, rows) = fields(path)?;
        let mut table = Table::new(columns);
        for (line, row) in rows.iter().enumerate() {
            for text in row {
                table.numbers.push(number(text).ok_or_else(|| damaged(path, line + 2, text))?);
            }
        }
        Ok(table)
    }
}

impl Listing {
    pub(super) fn new(columns: &[&str]) -> Self {
        Listing { columns: columns.iter().map(|c| (c.to_string(), Column::Numbers(Vec::new()))).collect() }
    }

    /// Adds a row. A column with a word in it holds words.
    pub(super) fn push(&mut self, cells: &[Cell<'_>]) {
        for ((_, column), cell) in self.columns.iter_mut().zip(cells) {
            if let (Column::Numbers(numbers), Cell::Text(_)) = (&*column, cell) {
                *column = Column::Words(numbers.iter().map(|x| format!("{x:?}")).collect());
            }
            match (column, cell) {
                (Column::Numbers(numbers), Cell::Number(x)) => numbers.push(*x),
                (Column::Words(words), Cell::Number(x)) => words.push(format!("{x:?}")),
                (Column::Words(words), Cell::Text(text)) => words.push(text.to_string()),
                (Column::Numbers(_), Cell::Text(_)) => unreachable!("it holds words by now"),
            }
        }
    }

    /// Reads a listing that we wrote.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (columns, rows) = fields(path)?;
        let mut listing = Listing::new(&columns.iter().map(String::as_str).collect::<Vec<_>>());
        for row in &rows {
            let cells: Vec<Cell<'_>> =
                row.iter().map(|text| number(text).map_or(Cell::Text(text), Cell::Number)).collect();
            listing.push(&cells);
        }
        Ok(listing)
    }
}

/// The columns of a file, and the fields of each row.
fn fields(path: &Path) -> Result<(Vec<String>, Vec<Vec<String>>), Error> {
    let bytes = files::read(path, files::LONGEST_RESULT).map_err(|e| io(path, &e))?;
    let text = String::from_utf8(bytes).map_err(|_| damaged(path, 1, "not UTF-8 text"))?;
    let mut lines = text.lines().map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
    let columns = lines.next().unwrap_or_default();
    let rows: Vec<_> = lines.collect();
    match rows.iter().position(|row| row.len() != columns.len()) {
        Some(row) => Err(damaged(path, row + 2, &rows[row].join(","))),
        None => Ok((columns, rows)),
    }
}

fn number(text: &str) -> Option<f64> {
    match text {
        "" => Some(f64::NAN),
        // The name of something, not what we write.
        "nan" | "NaN" | "infinity" => None,
        _ => text.parse().ok(),
    }
}

fn damaged(path: &Path, line: usize, text: &str) -> Error {
    Error::Io { path: path.display().to_string(), message: format!("line {line} is damaged: {text}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Folder;
    use crate::testing::Scratch;

    #[test]
    fn results_in_memory_equal_those_in_the_files_to_the_bit() {
        let scratch = Scratch::new("kept");
        let out = Folder::at(&scratch.0).in_memory();
        let names = || (vec!["t".to_string()], vec!["energy".to_string()]);
        let mut series = out.table("series.csv", names(), None).unwrap();
        let mut events = out.events("impacts.csv", &["time", "gap"], None).unwrap();
        for k in 0..5 {
            series.push(&[0.1 * f64::from(k), if k == 3 { f64::NAN } else { 1.0 / f64::from(k) }]).unwrap();
            events.push(&[Cell::Number(0.3 * f64::from(k)), Cell::Text("floor+wall")]).unwrap();
        }
        series.flush().unwrap();
        events.flush().unwrap();
        let bits = |table: &Table| table.numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let (kept, read) =
            (series.into_table().unwrap(), Table::read(&scratch.0.join("series.csv")).unwrap());
        assert_eq!((&kept.columns, bits(&kept)), (&read.columns, bits(&read)));
        assert_eq!(events.into_listing().unwrap(), Listing::read(&scratch.0.join("impacts.csv")).unwrap());
    }

    #[test]
    fn results_are_held_in_memory_only_if_asked_for() {
        let out = Folder::none();
        let mut series = out.table("series.csv", (vec!["t".into()], Vec::new()), None).unwrap();
        series.push(&[1.0]).unwrap();
        assert_eq!((series.rows(), series.into_table()), (1, None));
    }
}
