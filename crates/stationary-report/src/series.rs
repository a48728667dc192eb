//! `series.csv`: one row a moment, numbers with all their digits, written as the run goes.

use super::checkpoint::Checkpoint;
use super::envelope::Envelope;
use super::file::{OutputFile, create, io, reopen};
use super::in_memory::Table;
use stationary::error::Error;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// The file being written, and a record of the run for the plots, which see every step.
pub struct Series {
    path: PathBuf,
    /// None where no file is wanted.
    file: Option<BufWriter<OutputFile>>,
    /// The rows in memory, if somebody wants them.
    in_memory: Option<Table>,
    columns: Vec<String>,
    /// The first moments, every one of them, column by column.
    opening: Vec<Vec<f64>>,
    /// What the observers saw over the whole run; their columns come after the state's.
    envelope: Envelope,
    state: usize,
    last: f64,
    rows: u64,
    /// Written so far, the header too.
    bytes: u64,
    line: String,
}

/// The name of a section of checkpoints: several series may be in one.
pub(super) fn key(path: &Path, part: &str) -> String {
    format!("{}.{part}", path.file_stem().unwrap_or_default().to_string_lossy())
}

/// Cuts a table back to the bytes and rows that a checkpoint knows, if it is that table; what comes next is written there.
pub(super) fn cut_back(
    file: &mut OutputFile,
    path: &Path,
    header: &str,
    [wanted, expected]: [u64; 2],
) -> Result<(), Error> {
    let fault = |message: String| Error::Io {
        path: path.display().to_string(),
        message: format!("cannot resume: {message}"),
    };
    let io = |e| io(path, &e);
    let mut known = BufReader::new((&mut *file).take(wanted));
    let mut line = Vec::new();
    known.read_until(b'\n', &mut line).map_err(io)?;
    if line != header.as_bytes() {
        return Err(fault(format!("expected the columns {}", header.trim_end())));
    }
    let (mut bytes, mut rows) = (line.len() as u64, 0);
    while !line.is_empty() {
        line.clear();
        bytes += known.read_until(b'\n', &mut line).map_err(io)? as u64;
        rows += u64::from(line.ends_with(b"\n"));
    }
    if (bytes, rows) != (wanted, expected) {
        return Err(fault(format!(
            "the checkpoint knows {expected} rows in {wanted} bytes, of which {rows} rows in {bytes} bytes are here"
        )));
    }
    file.cut(bytes).map_err(io)
}

/// Moments of the opening, and numbers in all: paths are drawn through all their steps or they are not paths.
const OPENING: usize = 4_000;
const OPENING_NUMBERS: usize = 4_000_000;

impl Series {
    /// Creates the file and writes its header: columns of the state, time first, then those of the observers.
    pub fn create(path: &Path, state: Vec<String>, observed: Vec<String>) -> Result<Self, Error> {
        let file = create(path).map_err(|e| io(path, &e))?;
        let mut series = Self::new(path, Some(file), state, observed);
        series.line = series.header();
        series.write_line()?;
        Ok(series)
    }

    /// One without a file: unless it is [`in_memory`](Self::in_memory) it counts its rows and keeps nothing for plots.
    pub fn unwritten(state: Vec<String>, observed: Vec<String>) -> Self {
        Self::new(Path::new(""), None, state, observed)
    }

    /// The same, with its rows in memory, too; those that a file has already are read.
    pub fn in_memory(mut self) -> Result<Self, Error> {
        self.in_memory = Some(match (&self.file, self.rows) {
            (None, _) | (_, 0) => Table::new(self.columns.clone()),
            (Some(_), _) => Table::read(&self.path)?,
        });
        Ok(self)
    }

    /// The rows in memory.
    pub fn into_table(self) -> Option<Table> {
        self.in_memory
    }

    fn new(path: &Path, file: Option<OutputFile>, state: Vec<String>, observed: Vec<String>) -> Self {
        let (state_width, envelope) = (state.len(), Envelope::new(observed.len()));
        let columns = [state, observed].concat();
        Series {
            path: path.to_path_buf(),
            file: file.map(BufWriter::new),
            in_memory: None,
            opening: vec![Vec::new(); columns.len()],
            columns,
            envelope,
            state: state_width,
            last: f64::NAN,
            rows: 0,
            bytes: 0,
            line: String::new(),
        }
    }

    fn header(&self) -> String {
        self.columns.join(",") + "\n"
    }

    /// Puts into a checkpoint what [`resume`](Self::resume) needs, once all rows written so far are on the disk.
    pub fn save(&mut self, checkpoint: &mut Checkpoint) -> Result<(), Error> {
        self.flush()?;
        if let Some(file) = &self.file {
            file.get_ref().sync().map_err(|e| io(&self.path, &e))?;
        }
        let (stride, envelope) = self.envelope.to_numbers();
        let key = |part: &str| key(&self.path, part);
        checkpoint
            .counts(&key("written"), &[self.bytes, self.rows])
            .floats(&key("last"), &[self.last])
            .floats(&key("opening"), &self.opening.concat())
            .counts(&key("stride"), &[stride])
            .floats(&key("envelope"), &envelope);
        Ok(())
    }

    /// Opens the file of a run that goes on from a checkpoint, and cuts off the rows written after it.
    ///
    /// The plots see steps that have no row, so their record comes from the checkpoint, not from the file.
    pub fn resume(
        path: &Path,
        state: Vec<String>,
        observed: Vec<String>,
        checkpoint: &Checkpoint,
    ) -> Result<Self, Error> {
        let key = |part: &str| key(path, part);
        let written = checkpoint.take_counts(&key("written"), Some(2))?;
        let file = reopen(path).map_err(|e| io(path, &e))?;
        let observers = observed.len();
        let mut series = Self::new(path, Some(file), state, observed);
        (series.bytes, series.rows) = (written[0], written[1]);
        series.last = checkpoint.take_floats(&key("last"), Some(1))?[0];
        let opening = checkpoint.take_floats(&key("opening"), None)?;
        let width = series.columns.len();
        if !opening.len().is_multiple_of(width) {
            let n = opening.len();
            return Err(
                checkpoint.fault(format!("section `{}` has {n} numbers for {width} columns", key("opening")))
            );
        }
        let moments = opening.len() / width;
        series.opening = (0..width).map(|i| opening[i * moments..(i + 1) * moments].to_vec()).collect();
        let stride = checkpoint.take_counts(&key("stride"), Some(1))?[0];
        let envelope = checkpoint.take_floats(&key("envelope"), None)?;
        series.envelope = Envelope::from_numbers(observers, stride, &envelope).ok_or_else(|| {
            checkpoint.fault(format!("section `{}` is not of {observers} columns", key("envelope")))
        })?;
        let header = series.header();
        if let Some(file) = &mut series.file {
            cut_back(file.get_mut(), path, &header, [series.bytes, series.rows])?;
        }
        Ok(series)
    }

    /// Writes one row; NaN becomes an empty field.
    pub fn push(&mut self, values: &[f64]) -> Result<(), Error> {
        use std::fmt::Write as _;
        self.rows += 1;
        if let Some(table) = &mut self.in_memory {
            table.numbers.extend_from_slice(values);
        }
        if self.file.is_none() {
            return Ok(());
        }
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
        self.write_line()
    }

    /// Records the moment after `step` steps for the plots.
    pub fn record(&mut self, step: u64, values: &[f64]) {
        if self.file.is_none() && self.in_memory.is_none() {
            return;
        }
        if self.opening[0].len() < OPENING.min(OPENING_NUMBERS / self.columns.len()) {
            for (column, x) in self.opening.iter_mut().zip(values) {
                column.push(*x);
            }
        }
        self.last = values[0];
        self.envelope.add(step, values[0], &values[self.state..]);
    }

    fn write_line(&mut self) -> Result<(), Error> {
        if let Some(file) = &mut self.file {
            file.write_all(self.line.as_bytes()).map_err(|e| io(&self.path, &e))?;
        }
        self.bytes += self.line.len() as u64;
        Ok(())
    }

    /// Hands everything written so far to the system, whole rows only.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.file.as_mut().map_or(Ok(()), |file| file.flush().map_err(|e| io(&self.path, &e)))
    }

    /// Rows written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// A column over the first steps, every one of them.
    pub fn opening(&self, name: &str) -> Option<&[f64]> {
        Some(&self.opening[self.column(name)?])
    }

    /// Times and values of an observer's column over the whole run, through the extremes where it is long.
    pub fn whole(&self, name: &str) -> Option<(Vec<f64>, Vec<f64>)> {
        Some(self.envelope.line(self.column(name)?.checked_sub(self.state)?))
    }

    /// The last time recorded.
    pub fn last_time(&self) -> f64 {
        self.last
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c == name)
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }
}

#[cfg(test)]
mod tests;
