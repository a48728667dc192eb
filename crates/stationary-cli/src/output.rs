//! Writing to the terminal: the one place through which all text goes to standard output and standard error.
//!
//! Text from scenarios, file names and errors is shown with its control characters made visible
//! ([`visible`](stationary::error::visible)): it cannot move the cursor, rename the window or reorder a line.
//!
//! A reader that has gone away (`stationary list | head -1`) is no error: the command goes on in silence and its exit code is
//! that of its work. Any other output that is lost (a full disk, `/dev/full`) is told on standard error at the end, and the
//! exit code is 2; a run goes on all the same, since its results are in files.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Mutex;

use serde_json::Value;
use stationary::error::{is_unsafe, visible};

/// Why standard output could not be written, the first time.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes a text and a line end to standard output.
pub fn say(text: &str) {
    emit(&visible(text));
}

/// Writes JSON to standard output. JSON escapes ASCII control characters only; the others are escaped by its own rule, so that the
/// value stays the same.
pub fn say_json(text: &str) {
    emit(&safe_json(text));
}

/// A value as JSON over several lines.
pub fn say_pretty(value: &Value) {
    say_json(&format!("{value:#}"));
}

fn emit(text: &str) {
    let mut out = io::stdout().lock();
    note(writeln!(out, "{text}").and_then(|()| out.flush()));
}

/// Remembers that output was lost, until [`exit_code`] tells it.
pub fn note(written: io::Result<()>) {
    let Err(error) = written else { return };
    // Poisoned by a panic, it would still hold a whole value.
    let mut lost = LOST.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    lost.get_or_insert(error);
}

/// The exit code of a command that would end with `code`: 2, and a message, where its output was lost.
pub fn exit_code(code: u8) -> ExitCode {
    let lost = LOST.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    match lost {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("error: standard output: {error}: what was to be printed there is lost"));
            ExitCode::from(2)
        }
        _ => ExitCode::from(code),
    }
}

/// Writes to standard error. Where that cannot be written there is nobody to tell.
pub fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", visible(text));
}

/// JSON in which no character is left that a terminal would obey. Such characters stand in strings only.
fn safe_json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut units = [0; 2];
    for c in text.chars() {
        if c == '\n' || !is_unsafe(c) {
            safe.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            safe.push_str(&format!("\\u{unit:04x}"));
        }
    }
    safe
}

/// A number as people write it.
pub fn number(x: f64) -> String {
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) { format!("{x:.6}") } else { format!("{x:.6e}") }
}

/// Rows with their columns aligned and indented; the last column is not padded. A cell is one line, whatever is in it.
pub fn table(rows: &[Vec<String>]) -> String {
    let one_line = |cell: &String| visible(cell).replace('\n', "\\n").replace('\t', "\\t");
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(one_line).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_string()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_output_escapes_control_characters_and_keeps_its_value() {
        let value = serde_json::json!({ "title": "a\u{1b}[31m\u{9b}31m\u{202e}\u{7f} ä θ \u{e0001}\n" });
        for text in [value.to_string(), format!("{value:#}")] {
            let safe = safe_json(&text);
            assert!(!safe.contains(|c: char| c != '\n' && is_unsafe(c)), "{safe:?}");
            assert!(safe.contains("ä θ"), "{safe}");
            assert_eq!(serde_json::from_str::<Value>(&safe).unwrap(), value);
        }
    }

    #[test]
    fn text_tables_align_columns_by_characters_not_bytes() {
        let rows =
            [vec!["a".into(), "b".into()], vec!["äöü".into(), "c".into()], vec!["d".into(), String::new()]];
        assert_eq!(table(&rows), "  a    b\n  äöü  c\n  d");
    }
}
