//! What a run leaves behind: plots and the page that holds them, frames for ParaView, the checkpoint to go on from.

use std::borrow::Cow;

pub mod checkpoint;
mod encode;
mod envelope;
mod events;
mod file;
pub mod film;
mod folder;
pub mod frames;
pub mod html;
mod kept;
pub mod parquet;
pub mod plot;
mod run_page;
pub mod scene;
mod series;

pub(crate) use envelope::Envelope;
pub use events::{Cell, Events};
#[cfg(test)]
pub(crate) use file::Scratch;
pub use file::write_whole;
pub(crate) use file::{OutputFile, io, replace};
pub use folder::Folder;
pub use kept::{Column, Kept, Listing, Table};
pub use run_page::{ImpactTimes, RunPage, run_page};
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

/// A small well-formedness check: tags balance, attributes are quoted, text holds no stray `<` or `&`.
#[cfg(test)]
pub(crate) fn check_well_formed(xml: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml.strip_prefix("<!DOCTYPE html>").unwrap_or(xml);
    let entities = |text: &str| {
        text.split('&')
            .skip(1)
            .all(|after| ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|known| after.starts_with(known)))
    };
    while let Some(at) = rest.find('<') {
        if rest[..at].contains('>') || !entities(&rest[..at]) {
            return Err(format!("stray character in text {:?}", &rest[..at]));
        }
        let end = rest[at..].find('>').ok_or("unclosed tag")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes nothing"));
            }
            continue;
        }
        if tag.contains('<') || !tag.matches('"').count().is_multiple_of(2) || !entities(tag) {
            return Err(format!("bad tag <{tag}>"));
        }
        if tag.starts_with("script") {
            // What a script says is no markup; what would end it is looked for by a reader of pages too.
            rest = &rest[rest.find("</script>").ok_or("unclosed script")?..];
        }
        if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().ok_or("empty tag")?);
        }
    }
    if open.is_empty() && entities(rest) { Ok(()) } else { Err(format!("left open: {open:?}")) }
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

    #[test]
    fn the_checker_rejects_what_is_broken() {
        assert!(check_well_formed("<a><b x=\"1\"/>t &amp; u</a>").is_ok());
        for broken in ["<a>", "<a></b>", "<a>&nbsp</a>", "<a>1 > 0</a>", "<a x=\"1></a>", "</a>"] {
            assert!(check_well_formed(broken).is_err(), "{broken}");
        }
    }
}
