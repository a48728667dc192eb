//! The journal of a sweep: a line for each run that is over, written at once, so that a sweep that is killed can go on.
//!
//! Every line is a checksum and a JSON object. The first says which sweep it is. `{"keys": [...]}` gives a set of keys
//! the next number, `{"run": 3, "outcome": "finished", "note": "", "keys": 0, "values": ["1", ...]}` is a run. Values are text: it
//! reads back to the same bits, and NaN is the empty one.

use super::table::{Ending, Row, Shapes};
use super::text::number;
use serde_json::{Value, json};
use stationary::error::Error;
use stationary_report::checkpoint::identity;
use stationary_report::failpoint;
use stationary_report::files;
use stationary_report::{OutputFile, io};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Its name in the folder of the sweep.
pub(super) const JOURNAL: &str = "sweep.journal";

const SCHEMA: &str = "stationary.sweep-journal/1";

/// A line is safe from the end of the program at once, and from that of the machine with the first line written so long after
/// the last that was made so.
const SYNC: Duration = Duration::from_secs(1);

/// The file, open for more lines.
pub(super) struct Journal {
    path: PathBuf,
    file: OutputFile,
    shapes: Shapes,
    synced: Instant,
}

impl Journal {
    /// Begins a journal.
    pub fn create(path: &Path, sweep: u64) -> Result<Self, Error> {
        let file = File::create(path).map_err(|e| io(path, &e))?;
        let mut journal = Self::new(path, file);
        journal.write(&head(sweep))?;
        Ok(journal)
    }

    fn new(path: &Path, file: File) -> Self {
        Journal {
            path: path.to_path_buf(),
            file: OutputFile::new(file),
            shapes: Shapes::default(),
            synced: Instant::now(),
        }
    }

    /// Opens the journal of a sweep that goes on; also returns its rows. A last line that was cut short is dropped, and a first one that was,
    /// by a full disk for example, is written anew: no run was over then. Any other damage, or another sweep, is refused,
    /// and nothing is changed.
    pub fn resume(path: &Path, sweep: u64, runs: usize) -> Result<(Self, Vec<Row>), Error> {
        let fault =
            |message: &str| Error::Io { path: path.display().to_string(), message: message.to_string() };
        let bytes = files::read(path, files::LONGEST_RESULT).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => {
                fault("there is no journal to resume from: the sweep is finished, or never began")
            }
            _ => io(path, &e),
        })?;
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(|e| io(path, &e))?;
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        if whole == 0 && head(sweep).as_bytes().starts_with(&bytes) {
            return Ok((Self::create(path, sweep)?, Vec::new()));
        }
        let mut lines = bytes[..whole].split_inclusive(|b| *b == b'\n').map(parse);
        let first = lines.next().flatten().filter(|first| first["schema"] == SCHEMA);
        let first = first.ok_or_else(|| fault("cannot resume: this is not the journal of a sweep"))?;
        if first["sweep"] != format!("{sweep:016x}") {
            return Err(fault(
                "cannot resume: the journal is of another sweep; scenario, values, --set, --keep and version must be the same",
            ));
        }
        let mut journal = Self::new(path, file);
        let (mut rows, mut done) = (Vec::new(), vec![false; runs]);
        for (i, value) in lines.enumerate() {
            let understood = value.and_then(|value| journal.take(&value, &mut done, &mut rows));
            if understood.is_none() {
                return Err(fault(&format!("cannot resume: line {} of the journal is damaged", i + 2)));
            }
        }
        journal.file.cut(whole as u64).map_err(|e| io(path, &e))?;
        Ok((journal, rows))
    }

    /// Understands a line.
    fn take(&mut self, value: &Value, done: &mut [bool], rows: &mut Vec<Row>) -> Option<()> {
        let texts = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|v| v.as_str().map(String::from)).collect()
        };
        if let Some(keys) = texts(&value["keys"]) {
            self.shapes.add(keys.into());
            return Some(());
        }
        let run = value["run"].as_u64()? as usize;
        let keys = self.shapes.get(value["keys"].as_u64()? as usize)?;
        let parse = |text: &String| if text.is_empty() { Some(f64::NAN) } else { text.parse().ok() };
        let values: Vec<f64> = texts(&value["values"])?.iter().map(parse).collect::<Option<_>>()?;
        let fresh = done.get_mut(run).filter(|done| !**done)?;
        if values.len() != keys.len() {
            return None;
        }
        *fresh = true;
        let (ending, note) = (Ending::of(value["outcome"].as_str()?)?, value["note"].as_str()?.to_string());
        rows.push(Row { run, ending, note, keys, values });
        Some(())
    }

    /// Writes a run that is over.
    pub fn push(&mut self, row: &mut Row) -> Result<(), Error> {
        let (keys, new) = self.shapes.share(row);
        let mut text = if new { line(&json!({ "keys": row.keys[..] })) } else { String::new() };
        let values: Vec<String> = row.values.iter().map(|x| number(*x)).collect();
        text += &line(&json!({
            "run": row.run, "outcome": row.ending.name(), "note": row.note, "keys": keys, "values": values
        }));
        self.write(&text)
    }

    /// In one call: what another process sees, or finds after this one is killed, ends between lines or in the last one.
    fn write(&mut self, text: &str) -> Result<(), Error> {
        self.file.write_all(text.as_bytes()).map_err(|e| io(&self.path, &e))?;
        if failpoint::is_due(self.synced, SYNC) {
            self.file.sync().map_err(|e| io(&self.path, &e))?;
            self.synced = Instant::now();
        }
        Ok(())
    }
}

/// The first line.
fn head(sweep: u64) -> String {
    line(&json!({ "schema": SCHEMA, "sweep": format!("{sweep:016x}") }))
}

fn line(value: &Value) -> String {
    let text = value.to_string();
    format!("{:016x} {text}\n", identity(&[text.as_bytes()]))
}

/// The object of a line, if the line is as it was written.
fn parse(line: &[u8]) -> Option<Value> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (sum, text) = line.split_once(' ')?;
    let sound = u64::from_str_radix(sum, 16) == Ok(identity(&[text.as_bytes()]));
    sound.then(|| serde_json::from_str(text).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use stationary_report::testing::Scratch;
    use std::sync::Arc;

    fn row(run: usize, values: &[f64]) -> Row {
        let keys: Vec<String> = (0..values.len()).map(|i| format!("k{i}")).collect();
        Row {
            run,
            ending: Ending::Stopped,
            note: "why, \"so\"\n".into(),
            keys: keys.into(),
            values: values.to_vec(),
        }
    }

    fn filled(path: &Path) -> Journal {
        let mut journal = Journal::create(path, 7).unwrap();
        for mut row in
            [row(2, &[0.1 + 0.2, f64::NAN, -0.0]), row(0, &[5e-324]), row(1, &[1e300, 2.0, 1.0 / 3.0])]
        {
            journal.push(&mut row).unwrap();
        }
        journal
    }

    #[test]
    fn rows_come_back_to_the_bit() {
        let scratch = Scratch::new("journal");
        let path = scratch.0.join(JOURNAL);
        drop(filled(&path));
        let (mut journal, rows) = Journal::resume(&path, 7, 4).unwrap();
        assert_eq!(rows.iter().map(|r| r.run).collect::<Vec<_>>(), [2, 0, 1]);
        let bits: Vec<u64> = rows.iter().flat_map(|r| &r.values).map(|x| x.to_bits()).collect();
        let written = [0.1 + 0.2, f64::NAN, -0.0, 5e-324, 1e300, 2.0, 1.0 / 3.0];
        assert_eq!(bits, written.map(f64::to_bits));
        assert!(Arc::ptr_eq(&rows[0].keys, &rows[2].keys));
        assert_eq!((rows[1].ending, rows[1].note.as_str()), (Ending::Stopped, "why, \"so\"\n"));
        journal.push(&mut row(3, &[4.0])).unwrap();
        assert_eq!(Journal::resume(&path, 7, 4).unwrap().1.len(), 4);
    }

    #[test]
    fn a_line_cut_short_is_dropped_and_written_over() {
        let scratch = Scratch::new("journal-torn");
        let path = scratch.0.join(JOURNAL);
        drop(filled(&path));
        let whole = std::fs::read(&path).unwrap();
        let last = whole[..whole.len() - 1].iter().rposition(|b| *b == b'\n').unwrap() + 1;
        for length in [last + 1, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, rows) = Journal::resume(&path, 7, 4).unwrap();
            assert_eq!(rows.len(), 2, "{length}");
            journal.push(&mut row(1, &[1e300, 2.0, 1.0 / 3.0])).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn damage_and_other_sweeps_are_refused_and_nothing_is_changed() {
        let scratch = Scratch::new("journal-bad");
        let path = scratch.0.join(JOURNAL);
        let refused = |sweep: u64, runs: usize, expected: &str| {
            let before = std::fs::read(&path).unwrap();
            let message = Journal::resume(&path, sweep, runs).map(|_| ()).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
            assert_eq!(std::fs::read(&path).unwrap(), before);
        };
        drop(filled(&path));
        refused(8, 4, "the journal is of another sweep");
        refused(7, 2, "line 3 of the journal is damaged");
        let good = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, good.replacen("0.30000000000000004", "0.30000000000000014", 1)).unwrap();
        refused(7, 4, "line 3 of the journal is damaged");
        let third = good.lines().nth(2).unwrap();
        std::fs::write(&path, format!("{good}{third}\n")).unwrap();
        refused(7, 4, "line 7 of the journal is damaged");
        for text in ["run,step\n1,2\n", "run", &head(8)[..20], &head(8)[..head(8).len() - 1]] {
            std::fs::write(&path, text).unwrap();
            refused(7, 4, "this is not the journal of a sweep");
        }
    }

    #[test]
    fn a_journal_whose_first_line_was_cut_short_begins_anew() {
        let scratch = Scratch::new("journal-head");
        let path = scratch.0.join(JOURNAL);
        drop(filled(&path));
        let whole = std::fs::read(&path).unwrap();
        for length in 0..head(7).len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (journal, rows) = Journal::resume(&path, 7, 4).unwrap();
            drop(journal);
            assert!(rows.is_empty());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), head(7), "{length}");
        }
    }
}
