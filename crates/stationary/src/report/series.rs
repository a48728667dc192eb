//! `series.csv`: one row a moment, numbers with all their digits, written as the run goes.

use crate::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The file being written, and a record of the run for the plots: thinned when long, but finer than the file's rows.
pub struct Series {
    path: PathBuf,
    file: BufWriter<File>,
    columns: Vec<String>,
    /// Kept moments, column by column.
    kept: Vec<Vec<f64>>,
    /// The first moments, every one of them, column by column.
    opening: Vec<Vec<f64>>,
    /// Every how many steps one is kept; doubles when there are too many.
    stride: u64,
    rows: u64,
    line: String,
}

/// Moments, and numbers in all, kept for the plots at most.
const KEPT: usize = 40_000;
const KEPT_NUMBERS: usize = 4_000_000;
/// Moments of the opening: paths are drawn through all their steps or they are not paths.
const OPENING: usize = 4_000;

impl Series {
    /// Creates the file and writes its header.
    pub fn create(path: &Path, columns: Vec<String>) -> Result<Self, Error> {
        let file = File::create(path).map_err(|e| io(path, &e))?;
        let kept = vec![Vec::new(); columns.len()];
        let opening = kept.clone();
        let mut series = Series {
            path: path.to_path_buf(),
            file: BufWriter::new(file),
            columns,
            kept,
            opening,
            stride: 1,
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

    /// Keeps the moment after `step` steps for the plots, if it is one to keep.
    pub fn keep(&mut self, step: u64, values: &[f64]) {
        let room = KEPT_NUMBERS / self.columns.len();
        if self.opening[0].len() < OPENING.min(room) {
            push(&mut self.opening, values);
        }
        if !step.is_multiple_of(self.stride) {
            return;
        }
        push(&mut self.kept, values);
        if self.kept[0].len() > KEPT.min(room).max(2) {
            self.stride *= 2;
            for column in &mut self.kept {
                let mut keep = false;
                column.retain(|_| {
                    keep = !keep;
                    keep
                });
            }
        }
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

    /// A column over the whole run, thinned if that is long.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        Some(&self.kept[self.position(name)?])
    }

    /// A column over the first steps, every one of them.
    pub fn opening(&self, name: &str) -> Option<&[f64]> {
        Some(&self.opening[self.position(name)?])
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c == name)
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }
}

fn push(columns: &mut [Vec<f64>], values: &[f64]) {
    for (column, x) in columns.iter_mut().zip(values) {
        column.push(*x);
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
