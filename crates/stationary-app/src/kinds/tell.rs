//! Which kind a scenario is of, and whose keys it has.

use super::SystemKind;
use crate::scenario::tree::{self, Entry, Table};
use stationary::error::{Diagnostic, Source};
use std::sync::Arc;

/// The kind of a scenario: the one that its keys tell.
pub(crate) fn kind_of(
    kinds: &'static [&'static SystemKind],
    root: &Table,
    source: &Arc<Source>,
) -> Result<&'static SystemKind, Diagnostic> {
    let telling = |kind: &SystemKind| -> Option<&Entry> {
        kind.all_identifying_keys().find_map(|key| root.iter().find(|entry| entry.key == key))
    };
    let mut found = kinds.iter().rev().filter_map(|kind| Some((*kind, telling(kind)?)));
    match (found.next(), found.next()) {
        (None, _) => Err(no_system(kinds, root, source)),
        (Some((kind, _)), None) => Ok(kind),
        (Some((_, first)), Some((_, other))) => {
            let message = format!("`{}` besides `{}`: a scenario has one system", first.key, other.key);
            Err(first.key_place.error(message).help(format!("keep {}", ways(kinds))))
        }
    }
}

/// The error of a scenario that has no system. A misspelt key may be the reason, and is named first.
fn no_system(kinds: &[&'static SystemKind], root: &Table, source: &Arc<Source>) -> Diagnostic {
    let mut all: Vec<&str> = Vec::new();
    for key in kinds.iter().flat_map(|kind| kind.keys_of("")) {
        if !all.contains(&key) {
            all.push(key);
        }
    }
    if let Err(unknown) = tree::only(root, "the scenario", &all) {
        return unknown;
    }
    let keys: Vec<String> = kinds.iter().map(|kind| format!("`{}`", kind.defining_keys[0])).collect();
    let mut diagnostic = Diagnostic::new(format!("the scenario has neither {}", keys.join(" nor ")));
    diagnostic.source = Some(Arc::clone(source));
    diagnostic.help(format!("add {}", ways(kinds)))
}

/// What makes a scenario one of each kind, in words.
fn ways(kinds: &[&'static SystemKind]) -> String {
    let ways: Vec<&str> = kinds.iter().map(|kind| kind.names.made_by).collect();
    match ways.split_last() {
        Some((last, [])) => last.to_string(),
        Some((last, first)) => format!("{}, or {last}", first.join(", ")),
        None => String::new(),
    }
}

/// Rejects the first key that scenarios of a kind do not have in a table; "" is the top level. A key that another kind has is told apart
/// from one that nobody knows.
pub(crate) fn only(
    kinds: &[&'static SystemKind],
    kind: &SystemKind,
    table: &Table,
    section: &str,
) -> Result<(), Diagnostic> {
    let allowed = kind.keys_of(section);
    let Some(entry) = table.iter().find(|e| !allowed.contains(&e.key.as_str())) else { return Ok(()) };
    let has_it = |other: &&&'static SystemKind| {
        **other != kind && other.keys_of(section).contains(&entry.key.as_str())
    };
    let Some(owner) = kinds.iter().find(has_it) else {
        let place = if section.is_empty() { "the scenario".to_string() } else { format!("`{section}`") };
        return Err(tree::unknown_key(entry, &place, &allowed));
    };
    let dot = if section.is_empty() { "" } else { "." };
    let message = format!("`{section}{dot}{}` is no key of {}", entry.key, kind.names.one);
    let help = format!("it belongs to {}; allowed keys: {}", owner.names.many, allowed.join(", "));
    Err(entry.key_place.error(message).help(help))
}
