//! Lists of runs as CSV: a header of keys, then a row for each run.

use super::plan::{Factor, MOST_RUNS};
use stationary::error::{Diagnostic, Error, Source, near_miss};
use stationary_report::files;
use stationary_report::io;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Longer lists are refused unread.
const LONGEST: u64 = 200_000_000;

impl Factor {
    /// Reads a list: keys in the first line, a run in each of the others. Cells in quotes may hold commas, quotes (twice)
    /// and line breaks; an empty cell leaves what the scenario says; empty lines are skipped.
    ///
    /// ```
    /// use stationary_app::sweep::Factor;
    /// let list = Factor::list("table.csv", "step, initial.position\n0.1,\"[1, 0]\"\n0.2,\n")?;
    /// assert_eq!(list.keys, ["step", "initial.position"]);
    /// assert_eq!(list.rows, [["0.1", "[1, 0]"], ["0.2", ""]]);
    /// # Ok::<(), stationary::error::Error>(())
    /// ```
    pub fn list(name: &str, text: &str) -> Result<Factor, Error> {
        let source = Arc::new(Source { name: name.to_string(), text: text.to_string() });
        let text = &source.text;
        let mut lines = Lines { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
        let fault = |place: Range<usize>, message: &str| Diagnostic::new(message).at(&source, place);
        let mut next = || loop {
            match lines.next() {
                Some(Ok(cells)) if cells.len() == 1 && cells[0].0.is_empty() => {}
                Some(Ok(cells)) => return Ok(Some(cells)),
                Some(Err(place)) => return Err(fault(place, "a quote that is not closed, or text after it")),
                None => return Ok(None),
            }
        };
        let Some(header) = next()? else {
            return Err(fault(0..0, "an empty list")
                .help("expected a line of keys and a line for each run")
                .into());
        };
        if let Some((_, place)) = header.iter().find(|(key, _)| key.is_empty()) {
            return Err(fault(place.clone(), "a column without a key").into());
        }
        let keys: Vec<String> = header.into_iter().map(|(key, _)| key).collect();
        let mut rows = Vec::new();
        while let Some(cells) = next()? {
            let place = cells[0].1.start..cells[cells.len() - 1].1.end;
            if cells.len() != keys.len() {
                let message = format!("{} cells under {} keys", cells.len(), keys.len());
                let help = "expected a cell for each key; one with a comma in it stands in quotes";
                return Err(fault(place, &message).help(help).into());
            }
            if rows.len() == MOST_RUNS {
                return Err(fault(place, &format!("more than {MOST_RUNS} runs")).into());
            }
            rows.push(cells.into_iter().map(|(value, _)| value).collect());
        }
        if rows.is_empty() {
            return Err(fault(0..0, "a list of no runs")
                .help("expected a line for each run below the keys")
                .into());
        }
        Ok(Factor { keys, rows })
    }

    /// Reads a list from a file.
    pub fn open_list(path: &Path) -> Result<Factor, Error> {
        let name = path.display().to_string();
        let bytes = files::read_text(path, LONGEST).map_err(|e| match e.kind() {
            ErrorKind::NotFound => missing(path).into(),
            ErrorKind::FileTooLarge => {
                let most = LONGEST / 1_000_000;
                Diagnostic::new(format!("{name}: too long for a list of runs: more than {most} MB")).into()
            }
            _ => io(path, &e),
        })?;
        let text =
            String::from_utf8(bytes).map_err(|_| Diagnostic::new(format!("{name}: not UTF-8 text")))?;
        Factor::list(&name, &text)
    }
}

fn missing(path: &Path) -> Diagnostic {
    let name = path.display().to_string();
    let parent = path.parent().unwrap_or(Path::new(""));
    let folder = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(1000);
    let mut files: Vec<String> = entries.map(|e| parent.join(e.file_name()).display().to_string()).collect();
    files.sort();
    let near = near_miss(&name, files.iter().map(String::as_str));
    let help =
        near.map_or("expected a CSV file with the list of runs".into(), |n| format!("did you mean `{n}`?"));
    Diagnostic::new(format!("there is no list `{name}`")).help(help)
}

/// Lines of cells. A fault is the place where it begins.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

type Cells = Vec<(String, Range<usize>)>;

impl Iterator for Lines<'_> {
    type Item = Result<Cells, Range<usize>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.text.len() {
            return None;
        }
        let mut cells = Vec::new();
        loop {
            match self.cell() {
                Ok(cell) => cells.push(cell),
                Err(place) => {
                    self.at = self.text.len();
                    return Some(Err(place));
                }
            }
            let rest = &self.text[self.at..];
            if rest.starts_with(',') {
                self.at += 1;
                continue;
            }
            self.at += if rest.starts_with("\r\n") { 2 } else { usize::from(!rest.is_empty()) };
            return Some(Ok(cells));
        }
    }
}

impl Lines<'_> {
    /// The next cell, up to but not with the comma or line end after it.
    fn cell(&mut self) -> Result<(String, Range<usize>), Range<usize>> {
        let rest = &self.text[self.at..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let start = self.at + blanks;
        if !rest[blanks..].starts_with('"') {
            let end = rest.find([',', '\n', '\r']).map_or(self.text.len(), |length| self.at + length);
            self.at = end;
            return Ok((self.text[start.min(end)..end].trim().to_string(), start.min(end)..end));
        }
        let (mut value, mut at) = (String::new(), start + 1);
        loop {
            let Some(length) = self.text[at..].find('"') else { return Err(start..start + 1) };
            value.push_str(&self.text[at..at + length]);
            at += length + 1;
            if !self.text[at..].starts_with('"') {
                break;
            }
            value.push('"');
            at += 1;
        }
        let after = self.text[at..].trim_start_matches([' ', '\t']);
        if !(after.is_empty() || after.starts_with([',', '\n', '\r'])) {
            return Err(start..at);
        }
        self.at = self.text.len() - after.len();
        Ok((value, start..at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_as_spreadsheets_write_them() {
        let text = "\u{feff}a,\"b.c\"\r\n1, 2 \r\n\r\n\"x, \"\"y\"\"\", \"two\nlines\"\n,5";
        let list = Factor::list("l.csv", text).unwrap();
        assert_eq!(list.keys, ["a", "b.c"]);
        assert_eq!(list.rows, [["1", "2"], ["x, \"y\"", "two\nlines"], ["", "5"]]);
    }

    #[test]
    fn what_is_written_as_a_cell_reads_back() {
        for text in ["plain", "a, b", "say \"x\"", " spaces ", "two\nlines", "", "θ = 1"] {
            let line = format!("k,l\n{},1\n", super::super::text::cell(text));
            assert_eq!(Factor::list("l.csv", &line).unwrap().rows[0][0], text);
        }
    }

    #[test]
    fn faults_name_their_line() {
        for (text, expected) in [
            ("", "l.csv:1:1: an empty list"),
            ("\n\n", "an empty list"),
            ("a,b\n", "a list of no runs"),
            ("a,\n1,2\n", "l.csv:1:3: a column without a key"),
            ("a,b\n1,2\n1,2,3\n", "l.csv:3:1: 3 cells under 2 keys"),
            ("a,b\n1\n", "l.csv:2:1: 1 cells under 2 keys"),
            ("a,b\n1,\"2\n", "l.csv:2:3: a quote that is not closed"),
            ("a,b\n1,\"2\" 3\n", "l.csv:2:3: a quote"),
        ] {
            let message = Factor::list("l.csv", text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
    }
}
