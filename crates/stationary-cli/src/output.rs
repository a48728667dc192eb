//! Writing to the terminal. A reader that has gone away (`stationary list | head -1`) is no error.

use std::io::Write;

/// Writes to standard output.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Writes to standard error.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A number as people write it.
pub fn number(x: f64) -> String {
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) { format!("{x:.6}") } else { format!("{x:.6e}") }
}

/// Rows with their columns aligned and indented; the last column is not padded.
pub fn table(rows: &[Vec<String>]) -> String {
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
    #[test]
    fn tables_align_by_characters() {
        let rows =
            [vec!["a".into(), "b".into()], vec!["äöü".into(), "c".into()], vec!["d".into(), String::new()]];
        assert_eq!(super::table(&rows), "  a    b\n  äöü  c\n  d");
    }
}
