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
    /// Every how many steps one is kept; doubles when there are too many.
    stride: u64,
    rows: u64,
    line: String,
}

/// Moments, and numbers in all, kept for the plots at most.
const KEPT: usize = 40_000;
const KEPT_NUMBERS: usize = 4_000_000;

impl Series {
    /// Creates the file and writes its header.
    pub fn create(path: &Path, columns: Vec<String>) -> Result<Self, Error> {
        let file = File::create(path).map_err(|e| io(path, &e))?;
        let kept = vec![Vec::new(); columns.len()];
        let mut series = Series {
            path: path.to_path_buf(),
            file: BufWriter::new(file),
            columns,
            kept,
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

    /// Whether the moment after `step` steps is to be kept for the plots.
    pub fn keeps(&self, step: u64) -> bool {
        step.is_multiple_of(self.stride)
    }

    /// Keeps a moment for the plots.
    pub fn keep(&mut self, values: &[f64]) {
        for (column, x) in self.kept.iter_mut().zip(values) {
            column.push(*x);
        }
        if self.kept[0].len() > KEPT.min(KEPT_NUMBERS / self.columns.len()).max(2) {
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

    /// The kept moments of a column.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let at = self.columns.iter().position(|c| c == name)?;
        Some(&self.kept[at])
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
