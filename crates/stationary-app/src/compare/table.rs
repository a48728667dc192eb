//! Tables of results, read row by row: of a file of any length only a line is in memory.

use super::bad;
use stationary::error::Error;
use stationary_report::files;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Longer lines and wider tables are no table of results.
const LONGEST_LINE: u64 = 16 << 20;
const MOST_COLUMNS: usize = 200_000;

/// A field of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Field {
    /// A number.
    Number(f64),
    /// Nothing: there was no value.
    Empty,
    /// A word: the name of a gap, the kind of an impact.
    Word(String),
}

impl Field {
    fn read(text: &str) -> Field {
        match (text, text.parse::<f64>()) {
            ("", _) => Field::Empty,
            (_, Ok(number)) => Field::Number(number),
            (_, Err(_)) => Field::Word(text.to_string()),
        }
    }
}

/// A table being read.
pub(super) struct Table {
    path: PathBuf,
    file: BufReader<File>,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// The last row.
    pub row: Vec<Field>,
    /// The text of the last line.
    pub line: String,
    /// Lines read, the header too.
    pub lines: u64,
    /// Whether a last row without an end was left out.
    pub torn: bool,
}

impl Table {
    /// Opens a table and reads its header; none where there is no such file.
    pub fn open(path: &Path) -> Result<Option<Table>, Error> {
        let file = match files::open(path) {
            Ok(file) => BufReader::new(file),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(super::io(path, &error)),
        };
        let mut table = Table {
            path: path.to_path_buf(),
            file,
            columns: Vec::new(),
            row: Vec::new(),
            line: String::new(),
            lines: 0,
            torn: false,
        };
        if !table.next_line()? {
            return Err(bad(path, "it has no header"));
        }
        table.columns = table.line.split(',').map(str::to_string).collect();
        if table.columns.len() > MOST_COLUMNS {
            return Err(bad(path, &format!("{} columns, at most {MOST_COLUMNS}", table.columns.len())));
        }
        Ok(Some(table))
    }

    /// Reads the next row; false at the end.
    pub fn advance(&mut self) -> Result<bool, Error> {
        if !self.next_line()? {
            self.row.clear();
            return Ok(false);
        }
        self.row.clear();
        self.row.extend(self.line.split(',').map(Field::read));
        if self.row.len() != self.columns.len() {
            let message = format!(
                "line {} has {} fields, the header has {}",
                self.lines,
                self.row.len(),
                self.columns.len()
            );
            return Err(bad(&self.path, &message));
        }
        Ok(true)
    }

    /// The number in the first column of the row.
    pub fn time(&self) -> Result<f64, Error> {
        match self.row.first() {
            Some(Field::Number(time)) if time.is_finite() => Ok(*time),
            _ => Err(bad(&self.path, &format!("line {} does not begin with a time", self.lines))),
        }
    }

    /// The next whole line. A last one without its end was being written when the run was cut off.
    fn next_line(&mut self) -> Result<bool, Error> {
        let mut bytes = std::mem::take(&mut self.line).into_bytes();
        bytes.clear();
        let read = (&mut self.file).take(LONGEST_LINE).read_until(b'\n', &mut bytes);
        let read = read.map_err(|error| super::io(&self.path, &error))?;
        if read == 0 {
            return Ok(false);
        }
        self.lines += 1;
        if bytes.last() != Some(&b'\n') {
            if read as u64 == LONGEST_LINE {
                return Err(bad(&self.path, &format!("line {} is too long for a table", self.lines)));
            }
            self.torn = true;
            self.lines -= 1;
            return Ok(false);
        }
        bytes.pop();
        self.line = String::from_utf8(bytes)
            .map_err(|_| bad(&self.path, &format!("line {} is not text in UTF-8", self.lines)))?;
        Ok(true)
    }
}
