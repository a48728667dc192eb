//! Two tables side by side: the largest difference of each column, and where it is.

use super::table::{Field, Table};
use super::{ROUNDING, measures_an_error};
use serde_json::{Value, json};
use stationary::error::Error;
use std::collections::HashMap;
use std::path::Path;

/// Times this close, relative to their size, are one: `k h` and `2 k (h/2)` may differ by rounding.
const SAME_TIME: f64 = 1e-9;

/// How rows find each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// By the time in the first column; rows between those of the other table are passed over.
    Time,
    /// By their number.
    Row,
}

/// A column of both tables.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDifference {
    /// Its name.
    pub name: String,
    /// The largest absolute difference; infinite where only one has a number, or the words are others.
    pub largest: f64,
    /// The time (or first field) of the row where it is; of several the first.
    pub at: f64,
    /// The largest difference over the largest size of the values; as it is where the column measures an error; 0 where all are
    /// equal.
    pub relative: f64,
    /// The difference in the last row that both have.
    pub last: f64,
    size: f64,
}

/// What came of the comparison of two tables.
#[derive(Debug, Clone, PartialEq)]
pub struct TableDifference {
    /// The file.
    pub name: String,
    /// Rows of the first and of the second.
    pub rows: [u64; 2],
    /// Rows that were compared.
    pub matched: u64,
    /// The columns that both have, in the order of the first.
    pub columns: Vec<ColumnDifference>,
    /// Columns that only one has.
    pub only: [Vec<String>; 2],
    /// Whether every byte is the same.
    pub same_bytes: bool,
    /// Whether a last row that was not whole was left out.
    pub torn: [bool; 2],
}

impl ColumnDifference {
    /// Whether it counts as the same.
    pub fn within(&self, tolerance: f64) -> bool {
        self.relative <= tolerance || (tolerance > 0.0 && self.largest <= ROUNDING)
    }
}

impl TableDifference {
    /// Whether it counts as the same: up to rounding of nothing at tolerance 0, else in the rows and columns that both have.
    pub fn within(&self, tolerance: f64) -> bool {
        let alike = self.columns.iter().all(|c| c.within(tolerance));
        let whole = self.rows[0] == self.rows[1]
            && self.matched == self.rows[0]
            && self.only.iter().all(Vec::is_empty)
            && self.torn == [false; 2];
        // The start alone is no run in common.
        let common = self.matched > 1 || self.rows.iter().all(|r| *r <= 1);
        alike && if tolerance == 0.0 { whole } else { common }
    }

    pub(super) fn json(&self, tolerance: f64) -> Value {
        let column = |c: &ColumnDifference| {
            json!({
                "name": c.name,
                "largest": c.largest,
                "at": c.at,
                "relative": c.relative,
                "final": c.last,
                "within": c.within(tolerance),
            })
        };
        json!({
            "file": self.name,
            "rows": self.rows,
            "matched": self.matched,
            "same_bytes": self.same_bytes,
            "within": self.within(tolerance),
            "only_a": self.only[0],
            "only_b": self.only[1],
            "columns": self.columns.iter().map(column).collect::<Vec<_>>(),
        })
    }
}

/// Compares a table of two folders; none where neither has it.
pub(super) fn compare(folders: [&Path; 2], name: &str, by: By) -> Result<Option<TableDifference>, Error> {
    let [a, b] = folders.map(|folder| folder.join(name));
    let (a, b) = match (Table::open(&a)?, Table::open(&b)?) {
        (None, None) => return Ok(None),
        (Some(a), Some(b)) => (a, b),
        (None, Some(_)) => return Err(super::missing(&a, &b)),
        (Some(_), None) => return Err(super::missing(&b, &a)),
    };
    Ok(Some(Pair::new(a, b, name).walk(by)?))
}

struct Pair {
    tables: [Table; 2],
    /// Where the columns that both have are in each.
    places: Vec<[usize; 2]>,
    found: TableDifference,
}

impl Pair {
    fn new(a: Table, b: Table, name: &str) -> Self {
        let in_b: HashMap<&str, usize> = b.columns.iter().enumerate().map(|(k, c)| (c.as_str(), k)).collect();
        let in_a: HashMap<&str, usize> = a.columns.iter().enumerate().map(|(k, c)| (c.as_str(), k)).collect();
        let both = a.columns.iter().enumerate().filter_map(|(k, c)| Some((c, [k, *in_b.get(c.as_str())?])));
        let both: Vec<(&String, [usize; 2])> = both.collect();
        let new = |name: &String| ColumnDifference {
            name: name.clone(),
            largest: 0.0,
            at: f64::NAN,
            relative: 0.0,
            last: 0.0,
            size: 0.0,
        };
        let columns = both.iter().map(|(name, _)| new(name)).collect();
        let places = both.iter().map(|(_, places)| *places).collect();
        let absent = |columns: &[String], other: &HashMap<&str, usize>| {
            columns.iter().filter(|c| !other.contains_key(c.as_str())).cloned().collect()
        };
        let only = [absent(&a.columns, &in_b), absent(&b.columns, &in_a)];
        let found = TableDifference {
            name: name.to_string(),
            rows: [0; 2],
            matched: 0,
            columns,
            only,
            same_bytes: a.line == b.line,
            torn: [false; 2],
        };
        Pair { tables: [a, b], places, found }
    }

    fn walk(mut self, by: By) -> Result<TableDifference, Error> {
        let mut more = [self.advance(0)?, self.advance(1)?];
        while more[0] && more[1] {
            let order = match by {
                By::Row => 0,
                By::Time => order(self.tables[0].time()?, self.tables[1].time()?),
            };
            if order == 0 {
                self.rows();
            } else {
                self.found.same_bytes = false;
            }
            if order <= 0 {
                more[0] = self.advance(0)?;
            }
            if order >= 0 {
                more[1] = self.advance(1)?;
            }
        }
        for side in 0..2 {
            while more[side] {
                self.found.same_bytes = false;
                more[side] = self.advance(side)?;
            }
        }
        self.found.torn = [self.tables[0].torn, self.tables[1].torn];
        self.found.same_bytes &= self.found.torn == [false; 2];
        for column in &mut self.found.columns {
            // Words that differ, and a number beside none, are infinitely far apart; no difference is as good as none.
            column.relative = match column.largest {
                0.0 => 0.0,
                largest if largest.is_infinite() => f64::INFINITY,
                largest if measures_an_error(&column.name) => largest,
                largest => (largest / column.size).max(f64::MIN_POSITIVE),
            };
        }
        Ok(self.found)
    }

    fn advance(&mut self, side: usize) -> Result<bool, Error> {
        let more = self.tables[side].advance()?;
        self.found.rows[side] += u64::from(more);
        Ok(more)
    }

    /// Two rows that belong together.
    fn rows(&mut self) {
        let [a, b] = &self.tables;
        self.found.matched += 1;
        self.found.same_bytes &= a.line == b.line;
        let at = if let Some(Field::Number(time)) = a.row.first() { *time } else { a.lines as f64 };
        for (column, [i, j]) in self.found.columns.iter_mut().zip(&self.places) {
            let (x, y) = (&a.row[*i], &b.row[*j]);
            for field in [x, y] {
                if let Field::Number(value) = field
                    && value.is_finite()
                    && value.abs() > column.size
                {
                    column.size = value.abs();
                }
            }
            column.last = difference(x, y);
            if column.last > column.largest {
                (column.largest, column.at) = (column.last, at);
            }
        }
    }
}

/// How far apart two fields are; never NaN.
fn difference(x: &Field, y: &Field) -> f64 {
    match (x, y) {
        (Field::Number(x), Field::Number(y)) if x == y || (x.is_nan() && y.is_nan()) => 0.0,
        (Field::Number(x), Field::Number(y)) => {
            let d = (x - y).abs();
            if d.is_nan() { f64::INFINITY } else { d }
        }
        _ if x == y => 0.0,
        _ => f64::INFINITY,
    }
}

/// Which time comes first: -1, 0 if they are one, 1.
fn order(a: f64, b: f64) -> i32 {
    match (a - b).abs() <= SAME_TIME * a.abs().max(b.abs()) {
        true => 0,
        false if a < b => -1,
        false => 1,
    }
}
