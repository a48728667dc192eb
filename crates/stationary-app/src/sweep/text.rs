//! Numbers and cells as they stand in the tables of a sweep.

use std::borrow::Cow;

/// The shortest text that reads back to the same bits; whole numbers have no point, NaN is an empty cell.
pub(super) fn number(x: f64) -> String {
    if x.is_nan() {
        String::new()
    } else if x.fract() == 0.0 && x.abs() < 1e15 {
        format!("{x}")
    } else {
        format!("{x:?}")
    }
}

/// A cell of a CSV file: in quotes where it must be.
pub(super) fn cell(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) || text.trim() != text {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

/// At most so many characters, and a sign that there were more.
pub(super) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
