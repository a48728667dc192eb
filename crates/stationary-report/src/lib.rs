//! Results of a run: tables, plots and the page that shows them, frames for ParaView, checkpoints to resume from.

use std::borrow::Cow;

pub mod checkpoint;
mod decimate;
mod encode;
mod envelope;
mod events;
pub mod failpoint;
mod file;
pub mod files;
pub mod film;
mod folder;
pub mod frames;
pub mod html;
mod in_memory;
pub mod parquet;
pub mod plot;
pub mod scene;
mod series;
#[doc(hidden)]
pub mod testing;

pub use decimate::{Decimated, Decimator};
pub use envelope::Envelope;
pub use events::{Cell, Events};
pub use file::write_whole;
pub use file::{OutputFile, io, replace};
pub use folder::Folder;
pub use in_memory::{Column, InMemoryResults, Listing, Table};
pub use series::Series;

/// Text made safe for XML and HTML, in content as well as in quoted attributes.
///
/// Control characters that XML 1.0 forbids become U+FFFD, so that no input can make a plot unreadable.
pub fn escape(text: &str) -> Cow<'_, str> {
    let forbidden =
        |c: char| (c < ' ' && !matches!(c, '\n' | '\r' | '\t')) || matches!(c, '\u{fffe}' | '\u{ffff}');
    if !text.contains(|c: char| matches!(c, '&' | '<' | '>' | '"' | '\'') || forbidden(c)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if forbidden(c) => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaping_leaves_nothing_to_inject() {
        assert_eq!(escape("a < b && \"c\" > 'd'"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
        assert_eq!(escape("bell\u{7} line\nkept"), "bell\u{fffd} line\nkept");
        assert!(matches!(escape("plain θ̇ text"), Cow::Borrowed(_)));
    }
}
