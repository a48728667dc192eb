//! `series.csv`: one row a moment, numbers with all their digits, written as the run goes.

use super::envelope::Envelope;
use crate::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The file being written, and a record of the run for the plots, which see every step.
pub struct Series {
    path: PathBuf,
    file: BufWriter<File>,
    columns: Vec<String>,
    /// The first moments, every one of them, column by column.
    opening: Vec<Vec<f64>>,
    /// What the observers saw over the whole run; their columns come after the state's.
    envelope: Envelope,
    state: usize,
    last: f64,
    rows: u64,
    line: String,
}

/// Moments of the opening, and numbers in all: paths are drawn through all their steps or they are not paths.
const OPENING: usize = 4_000;
const OPENING_NUMBERS: usize = 4_000_000;

impl Series {
    /// Creates the file and writes its header: columns of the state, time first, then those of the observers.
    pub fn create(path: &Path, state: Vec<String>, observed: Vec<String>) -> Result<Self, Error> {
        let file = File::create(path).map_err(|e| io(path, &e))?;
        let (state_width, envelope) = (state.len(), Envelope::new(observed.len()));
        let columns = [state, observed].concat();
        let opening = vec![Vec::new(); columns.len()];
        let mut series = Series {
            path: path.to_path_buf(),
            file: BufWriter::new(file),
            columns,
            opening,
            envelope,
            state: state_width,
            last: f64::NAN,
            rows: 0,
            line: String::new(),
        };
        series.line = series.columns.join(",") + "\n";
        series.write_line()?;
        Ok(series)
    }

    /// Writes one row; NaN becomes an empty field.
    pub fn push(&mut self, values: &[f64]) -> Result<(), Error> {
        use std::fmt::Write as _;
        self.line.clear();
        for (i, x) in values.iter().enumerate() {
            if i > 0 {
                self.line.push(',');
            }
            if !x.is_nan() {
                // The shortest text that reads back to the same bits.
                write!(self.line, "{x:?}").expect("writing to a string");
            }
        }
        self.line.push('\n');
        self.write_line()?;
        self.rows += 1;
        Ok(())
    }

    /// Keeps the moment after `step` steps for the plots.
    pub fn keep(&mut self, step: u64, values: &[f64]) {
        if self.opening[0].len() < OPENING.min(OPENING_NUMBERS / self.columns.len()) {
            for (column, x) in self.opening.iter_mut().zip(values) {
                column.push(*x);
            }
        }
        self.last = values[0];
        self.envelope.add(step, values[0], &values[self.state..]);
    }

    fn write_line(&mut self) -> Result<(), Error> {
        self.file.write_all(self.line.as_bytes()).map_err(|e| io(&self.path, &e))
    }

    /// Hands everything written so far to the system, whole rows only.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.file.flush().map_err(|e| io(&self.path, &e))
    }

    /// Rows written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// A column over the first steps, every one of them.
    pub fn opening(&self, name: &str) -> Option<&[f64]> {
        Some(&self.opening[self.position(name)?])
    }

    /// Times and values of an observer's column over the whole run, through the extremes where it is long.
    pub fn whole(&self, name: &str) -> Option<(Vec<f64>, Vec<f64>)> {
        Some(self.envelope.line(self.position(name)?.checked_sub(self.state)?))
    }

    /// The last time kept.
    pub fn last_time(&self) -> f64 {
        self.last
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c == name)
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }
}

/// Replaces a file by a new text in one step: readers see the old or the new one, never half.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    let partial = path.with_extension("partial");
    let write = || {
        let mut file = File::create(&partial)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&partial, path)
    };
    write().map_err(|e| io(path, &e))
}

pub(crate) fn io(path: &Path, error: &std::io::Error) -> Error {
    Error::Io { path: path.display().to_string(), message: error.to_string() }
}
