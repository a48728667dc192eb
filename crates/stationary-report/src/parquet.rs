//! `series.parquet`: the numbers of `series.csv` for programs that read columns, to the same bits.
//!
//! Written from the specification of Apache Parquet: after `PAR1`, groups of rows; of each, column after column, one page with a
//! header and plain doubles; then the list of it all, its length, and `PAR1` again. Headers and list are structures of
//! Thrift's compact protocol. No field of the CSV file (no value) is NaN here, as it is to those who read that.

use super::file::{io, replace};
use crate::files;
use stationary::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

/// Numbers in a group of rows.
const GROUP: usize = 1 << 20;

// What the format calls by numbers.
const DOUBLE: i64 = 5;
const REQUIRED: i64 = 0;
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const DATA_PAGE: i64 = 0;
const UNCOMPRESSED: i64 = 0;

/// Writes the table of a CSV file of numbers as a Parquet file, which is whole or not there.
///
/// ```
/// use stationary_report::parquet::convert;
///
/// let folder = std::env::temp_dir().join(format!("stationary-doc-parquet-{}", std::process::id()));
/// std::fs::create_dir_all(&folder).unwrap();
/// let (csv, parquet) = (folder.join("series.csv"), folder.join("series.parquet"));
/// std::fs::write(&csv, "t,x\n0.0,1.5\n0.1,\n").unwrap();
/// convert(&csv, &parquet)?;
/// assert!(std::fs::read(&parquet).unwrap().ends_with(b"PAR1"));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), stationary::error::Error>(())
/// ```
pub fn convert(csv: &Path, parquet: &Path) -> Result<(), Error> {
    let file = files::open(csv).map_err(|e| io(csv, &e))?;
    let mut table = Table { lines: BufReader::new(file), number: 0, line: String::new() };
    // What is wrong with the one must not be said of the other.
    let mut fault = None;
    let written = replace(parquet, |out| {
        write(out, &mut table).inspect_err(|e| {
            if e.kind() == io::ErrorKind::InvalidData {
                fault = Some(Error::Io { path: csv.display().to_string(), message: e.to_string() });
            }
        })
    });
    fault.map_or(written, Err)
}

/// A CSV file of numbers, line by line.
struct Table {
    lines: BufReader<File>,
    number: usize,
    line: String,
}

impl Table {
    /// The next line without its end, if there is one.
    fn next(&mut self) -> io::Result<Option<&str>> {
        self.line.clear();
        self.number += 1;
        let more = self.lines.read_line(&mut self.line)? > 0;
        Ok(more.then(|| self.line.trim_end_matches(['\n', '\r'])))
    }

    /// Up to so many rows, by columns; false at the end.
    fn fill(&mut self, columns: &mut [Vec<f64>], most: usize) -> io::Result<bool> {
        columns.iter_mut().for_each(Vec::clear);
        for _ in 0..most {
            let number = self.number + 1;
            let Some(line) = self.next()? else { return Ok(false) };
            let fault =
                |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("line {number}: {what}"));
            let mut fields = line.split(',');
            for column in columns.iter_mut() {
                column.push(match fields.next().map(|f| (f, f.parse())) {
                    Some(("", _)) => f64::NAN,
                    Some((_, Ok(x))) => x,
                    Some((text, Err(_))) => return Err(fault(&format!("expected a number, found `{text}`"))),
                    None => return Err(fault("a field is missing")),
                });
            }
            if fields.next().is_some() {
                return Err(fault("a field too many"));
            }
        }
        Ok(true)
    }
}

/// A column of a group: where it is and how long.
struct Chunk {
    place: u64,
    bytes: u64,
}

fn write(out: &mut impl Write, table: &mut Table) -> io::Result<()> {
    let names: Vec<String> = table.next()?.unwrap_or_default().split(',').map(String::from).collect();
    let mut columns = vec![Vec::new(); names.len()];
    let most = (GROUP / names.len()).max(1);
    out.write_all(b"PAR1")?;
    let (mut groups, mut at, mut more) = (Vec::new(), 4, true);
    while more {
        more = table.fill(&mut columns, most)?;
        let rows = columns[0].len();
        if rows == 0 {
            break;
        }
        let mut chunks = Vec::new();
        for column in &columns {
            let head = page_header(rows);
            out.write_all(&head)?;
            column.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
            let bytes = (head.len() + 8 * rows) as u64;
            chunks.push(Chunk { place: at, bytes });
            at += bytes;
        }
        groups.push((rows, chunks));
    }
    let list = list(&names, &groups);
    out.write_all(&list)?;
    out.write_all(&(list.len() as u32).to_le_bytes())?;
    out.write_all(b"PAR1")
}

fn page_header(rows: usize) -> Vec<u8> {
    let (rows, bytes) = (rows as i64, 8 * rows as i64);
    let mut thrift = Thrift::default();
    thrift.i32(1, DATA_PAGE).i32(2, bytes).i32(3, bytes);
    thrift.structure(5, |page| {
        page.i32(1, rows).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
    });
    thrift.end()
}

/// What the file holds: names and types, then groups and where their columns are.
fn list(names: &[String], groups: &[(usize, Vec<Chunk>)]) -> Vec<u8> {
    let rows: usize = groups.iter().map(|g| g.0).sum();
    let mut thrift = Thrift::default();
    thrift.i32(1, 1);
    thrift.list(2, STRUCT, 1 + names.len());
    thrift.member(|root| {
        root.text(4, "series").i32(5, names.len() as i64);
    });
    for name in names {
        thrift.member(|column| {
            column.i32(1, DOUBLE).i32(3, REQUIRED).text(4, name);
        });
    }
    thrift.i64(3, rows as i64).list(4, STRUCT, groups.len());
    for (rows, chunks) in groups {
        thrift.member(|group| {
            group.list(1, STRUCT, chunks.len());
            for (chunk, name) in chunks.iter().zip(names) {
                group.member(|column| {
                    column.i64(2, chunk.place as i64);
                    column.structure(3, |meta| chunk.describe(meta, name, *rows));
                });
            }
            let bytes: u64 = chunks.iter().map(|c| c.bytes).sum();
            group.i64(2, bytes as i64).i64(3, *rows as i64);
        });
    }
    thrift.text(6, concat!("stationary ", env!("CARGO_PKG_VERSION")));
    thrift.end()
}

impl Chunk {
    fn describe(&self, meta: &mut Thrift, name: &str, rows: usize) {
        let bytes = self.bytes as i64;
        meta.i32(1, DOUBLE).list(2, I32, 1);
        meta.number(PLAIN);
        meta.list(3, BINARY, 1);
        meta.letters(name);
        meta.i32(4, UNCOMPRESSED).i64(5, rows as i64).i64(6, bytes).i64(7, bytes).i64(9, self.place as i64);
    }
}

// Thrift's kinds of fields.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A structure in Thrift's compact protocol; fields come in the order of their numbers.
#[derive(Default)]
struct Thrift {
    bytes: Vec<u8>,
    /// The number of the last field.
    last: u8,
}

impl Thrift {
    fn field(&mut self, number: u8, kind: u8) {
        debug_assert!(number > self.last && number - self.last < 16, "field {number} after {}", self.last);
        self.bytes.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    /// Seven bits a byte, the least first; the highest bit says that more follow.
    fn varint(&mut self, mut x: u64) {
        while x >= 0x80 {
            self.bytes.push(x as u8 | 0x80);
            x >>= 7;
        }
        self.bytes.push(x as u8);
    }

    /// Signs alternate, so that small numbers of either sign are short.
    fn number(&mut self, x: i64) {
        self.varint(((x << 1) ^ (x >> 63)) as u64);
    }

    fn letters(&mut self, text: &str) {
        self.varint(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    fn i32(&mut self, number: u8, x: i64) -> &mut Self {
        self.field(number, I32);
        self.number(x);
        self
    }

    fn i64(&mut self, number: u8, x: i64) -> &mut Self {
        self.field(number, I64);
        self.number(x);
        self
    }

    fn text(&mut self, number: u8, text: &str) -> &mut Self {
        self.field(number, BINARY);
        self.letters(text);
        self
    }

    /// A list of so many members, which follow.
    fn list(&mut self, number: u8, kind: u8, count: usize) -> &mut Self {
        self.field(number, LIST);
        match count {
            0..15 => self.bytes.push((count as u8) << 4 | kind),
            _ => {
                self.bytes.push(0xf0 | kind);
                self.varint(count as u64);
            }
        }
        self
    }

    /// A structure in a list.
    fn member(&mut self, fill: impl FnOnce(&mut Thrift)) {
        let last = std::mem::take(&mut self.last);
        fill(self);
        self.bytes.push(0);
        self.last = last;
    }

    fn structure(&mut self, number: u8, fill: impl FnOnce(&mut Thrift)) {
        self.field(number, STRUCT);
        self.member(fill);
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    /// Numbers of the protocol as its specification gives them.
    #[test]
    fn compact_numbers_are_those_of_the_specification() {
        let mut thrift = Thrift::default();
        [0, -1, 1, -2, 63, -64, 64].into_iter().for_each(|x| thrift.number(x));
        thrift.varint(300);
        assert_eq!(thrift.bytes, [0, 1, 2, 3, 126, 127, 0x80, 1, 0xac, 2]);
        let mut thrift = Thrift::default();
        thrift.i32(1, 1).i64(3, -1).text(4, "ab").list(6, I32, 20);
        assert_eq!(thrift.end(), [0x15, 2, 0x26, 1, 0x18, 2, b'a', b'b', 0x29, 0xf5, 20, 0]);
    }

    #[test]
    fn columns_lie_where_the_list_says_and_hold_the_bits_of_the_csv() {
        let scratch = Scratch::new("parquet");
        let (csv, parquet) = (scratch.0.join("series.csv"), scratch.0.join("series.parquet"));
        std::fs::write(&csv, "t,x\n0.0,0.1\n0.5,\n1e300,-0.0\n").unwrap();
        convert(&csv, &parquet).unwrap();
        let file = std::fs::read(&parquet).unwrap();
        assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
        let head = page_header(3).len();
        let column = |at: usize| -> Vec<u64> {
            let words = file[at..at + 24].as_chunks::<8>().0;
            words.iter().map(|w| u64::from_le_bytes(*w)).collect()
        };
        assert_eq!(column(4 + head), [0.0_f64, 0.5, 1e300].map(f64::to_bits));
        assert_eq!(column(4 + head + 24 + head), [0.1, f64::NAN, -0.0].map(f64::to_bits));
        // The list, which comes last, has these places and no others.
        let bytes = (head + 24) as u64;
        let chunks = vec![Chunk { place: 4, bytes }, Chunk { place: 4 + bytes, bytes }];
        let expected = list(&["t".into(), "x".into()], &[(3, chunks)]);
        assert_eq!(file[4 + 2 * (head + 24)..file.len() - 8], expected);
    }

    #[test]
    fn a_table_that_is_none_is_told_by_its_line() {
        let scratch = Scratch::new("parquet-bad");
        let (csv, parquet) = (scratch.0.join("series.csv"), scratch.0.join("series.parquet"));
        for (text, expected) in [
            ("t,x\n1,2\n1\n", "series.csv: line 3: a field is missing"),
            ("t,x\n1,2,3\n", "series.csv: line 2: a field too many"),
            ("t\nabc\n", "series.csv: line 2: expected a number, found `abc`"),
        ] {
            std::fs::write(&csv, text).unwrap();
            let message = convert(&csv, &parquet).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
            assert!(!parquet.exists());
        }
    }
}
