//! Tables of things that happen now and then: rows of text and numbers, written as the run goes.

use super::checkpoint::Checkpoint;
use super::file::{OutputFile, create, io, reopen};
use super::in_memory::Listing;
use super::series::{cut_back, key};
use stationary::error::Error;
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// The file being written; none where only the number of rows is wanted.
pub struct Events {
    path: PathBuf,
    file: Option<BufWriter<OutputFile>>,
    /// The rows in memory, if somebody wants them.
    in_memory: Option<Listing>,
    rows: u64,
    /// Written so far, the header too.
    bytes: u64,
    line: String,
}

/// A field of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Text without commas, quotes and line breaks.
    Text(&'a str),
    /// A number: the shortest text that reads back to the same bits, nothing for NaN.
    Number(f64),
}

impl Events {
    /// Creates the file, if there is to be one, and writes its header.
    pub fn create(path: Option<&Path>, columns: &[&str]) -> Result<Self, Error> {
        let file = match path {
            Some(path) => Some(BufWriter::new(create(path).map_err(|e| io(path, &e))?)),
            None => None,
        };
        let path = path.map_or_else(PathBuf::new, Path::to_path_buf);
        let mut events = Events { path, file, in_memory: None, rows: 0, bytes: 0, line: columns.join(",") };
        events.write_line()?;
        Ok(events)
    }

    /// Puts into a checkpoint what [`resume`](Self::resume) needs, once all rows written so far are on the disk.
    pub fn save(&mut self, checkpoint: &mut Checkpoint) -> Result<(), Error> {
        self.flush()?;
        if let Some(file) = &self.file {
            file.get_ref().sync().map_err(|e| io(&self.path, &e))?;
        }
        checkpoint.counts(&key(&self.path, "written"), &[self.bytes, self.rows]);
        Ok(())
    }

    /// Opens the table of a run that goes on from a checkpoint, and cuts off the rows written after it.
    pub fn resume(path: &Path, columns: &[&str], checkpoint: &Checkpoint) -> Result<Self, Error> {
        let written = checkpoint.take_counts(&key(path, "written"), Some(2))?;
        let mut file = reopen(path).map_err(|e| io(path, &e))?;
        cut_back(&mut file, path, &(columns.join(",") + "\n"), [written[0], written[1]])?;
        let (bytes, rows) = (written[0], written[1]);
        let file = Some(BufWriter::new(file));
        Ok(Events { path: path.to_path_buf(), file, in_memory: None, rows, bytes, line: String::new() })
    }

    /// The same, with its rows in memory, too; those that a file has already are read.
    pub fn in_memory(mut self, columns: &[&str]) -> Result<Self, Error> {
        self.in_memory = Some(match self.rows {
            0 => Listing::new(columns),
            _ => Listing::read(&self.path)?,
        });
        Ok(self)
    }

    /// The rows in memory.
    pub fn into_listing(self) -> Option<Listing> {
        self.in_memory
    }

    /// Writes one row.
    pub fn push(&mut self, cells: &[Cell<'_>]) -> Result<(), Error> {
        self.rows += 1;
        if let Some(listing) = &mut self.in_memory {
            listing.push(cells);
        }
        self.line.clear();
        for (i, cell) in cells.iter().enumerate() {
            if i > 0 {
                self.line.push(',');
            }
            match cell {
                Cell::Text(text) => self.line.push_str(text),
                Cell::Number(x) if x.is_nan() => {}
                Cell::Number(x) => write!(self.line, "{x:?}").expect("writing to a string"),
            }
        }
        self.write_line()
    }

    fn write_line(&mut self) -> Result<(), Error> {
        let Some(file) = &mut self.file else { return Ok(()) };
        self.line.push('\n');
        self.bytes += self.line.len() as u64;
        file.write_all(self.line.as_bytes()).map_err(|e| io(&self.path, &e))
    }

    /// Hands everything written so far to the system, whole rows only.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.file.as_mut().map_or(Ok(()), |file| file.flush().map_err(|e| io(&self.path, &e)))
    }

    /// Rows written.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn rows_read_back_and_nan_is_empty() {
        let scratch = Scratch::new("events");
        let path = scratch.0.join("impacts.csv");
        let mut events = Events::create(Some(&path), &["t", "gap", "impulse"]).unwrap();
        events.push(&[Cell::Number(0.1), Cell::Text("floor+wall"), Cell::Number(f64::NAN)]).unwrap();
        events.flush().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "t,gap,impulse\n0.1,floor+wall,\n");
        assert_eq!(events.rows(), 1);
        // Broken off in the middle of a row after the checkpoint, it goes on after the first.
        let mut checkpoint = Checkpoint::new(0);
        events.save(&mut checkpoint).unwrap();
        events.push(&[Cell::Number(0.2), Cell::Text("wall"), Cell::Number(1.0)]).unwrap();
        events.flush().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 3]).unwrap();
        let columns = ["t", "gap", "impulse"];
        let mut events = Events::resume(&path, &columns, &checkpoint).unwrap();
        events.push(&[Cell::Number(0.2), Cell::Text("wall"), Cell::Number(1.0)]).unwrap();
        events.flush().unwrap();
        assert_eq!((std::fs::read_to_string(&path).unwrap(), events.rows()), (text, 2));
    }
}
