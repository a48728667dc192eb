//! What the documentation says of each key: the tables of the scenario reference, which tests hold against the readers.

use crate::scenario::Kind;
use std::collections::HashMap;

const PAGE: &str = include_str!("../../../../docs/src/scenario.md");

/// What is said of the keys of a kind, by their paths: `support.<name>.group`.
pub(super) fn described(kind: Kind) -> HashMap<String, String> {
    let heading = match kind {
        Kind::Formula => "## Keys",
        Kind::Solid => "## Keys of solids",
        Kind::Body => "## Keys of bodies",
        Kind::Bodies => "## Keys of bodies that collide",
    };
    let mut all = table(heading);
    if kind == Kind::Formula {
        all.extend(table("## Drawing").into_iter().map(|(key, text)| (format!("draw.{key}"), text)));
    }
    all
}

/// Whether a key must be there whatever else is.
pub(super) fn required(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("required") else { return false };
    !rest.starts_with(" unless") && !rest.starts_with(", ")
}

fn table(heading: &str) -> HashMap<String, String> {
    let lines = PAGE.lines().skip_while(|l| *l != heading).skip(1).take_while(|l| !l.starts_with("## "));
    lines.filter_map(row).collect()
}

/// `| `key` | text |`, in words without links.
fn row(line: &str) -> Option<(String, String)> {
    let line = line.replace("\\|", "\u{1}");
    let mut cells = line.trim_matches('|').split('|').map(|cell| cell.trim().replace('\u{1}', "|"));
    let (key, text) = (cells.next()?, cells.next()?);
    let key = key.strip_prefix('`')?.strip_suffix('`')?.to_string();
    Some((key, plain(&text)))
}

/// Text with its links replaced by their words.
fn plain(text: &str) -> String {
    let mut words = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        words.push_str(before);
        match link.split_once("](").and_then(|(name, after)| Some((name, after.split_once(')')?.1))) {
            Some((name, after)) if !name.contains('[') => {
                words.push_str(name);
                rest = after;
            }
            _ => {
                words.push('[');
                rest = link;
            }
        }
    }
    words + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_their_words() {
        assert_eq!(plain("a [claim](#claims) or [a list]"), "a claim or [a list]");
        assert_eq!(plain("a quaternion `[w, x]`, see [there](a.md)"), "a quaternion `[w, x]`, see there");
        assert!(
            required("required; a table")
                && required("required in `section`; x")
                && required("required table")
        );
        assert!(!required("optional") && !required("required unless x") && !required("required, unless x"));
    }
}
