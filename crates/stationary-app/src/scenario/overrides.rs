//! `--set key=value`: the scenario tree with some of its values replaced.
//!
//! A dotted key reaches every key of the file and every key the file could have. A key without a dot replaces the
//! whole value, with all that is inside: `integrator=verlet` leaves no option of the file, whatever its method was.
//! Four rules beyond plain replacement, the first two because two values cannot both hold:
//!
//! - `integrator.method` also applies where the file says `integrator = "name"`. When it changes the method, the
//!   file's options belonged to the old method and are dropped; options given by `--set` stay, and so do, between
//!   `auto`, `avi` and `newmark`, the options by which they choose their steps.
//! - one of `initial.velocity`, `initial.momentum`, `initial.next_position` replaces the other two of the file, and
//!   `initial.deformation` and `initial.displacement` replace each other.
//! - `mesh.scale` and `mesh.refine` also apply where the file says `mesh = "file"`; and `gap.restitution`, or with several gaps
//!   `gap.1.restitution`, where it says `gap = "formula"`.
//! - a number after a list's key replaces that element, counted from 0: `initial.position.1=0.5`; of a list of tables it
//!   also leads to their keys, and so does a `name`: `draw.0.radius=0.2`, `gap.floor.friction=0.1`.

use std::sync::Arc;

use super::place::Place;
use super::tree::{self, Entry, Node, Table, Value};
use stationary::error::{Diagnostic, Source};

/// The three ways to state the initial motion, of which a scenario uses one.
pub(crate) const MOTIONS: [&str; 3] = ["velocity", "momentum", "next_position"];

/// The two ways to state the initial shape of a solid.
const SHAPES: [&str; 2] = ["deformation", "displacement"];

/// Methods that choose their steps by the same rules, and the options that say how.
const STEP_RULED: [&str; 3] = ["auto", "avi", "newmark"];
const STEP_RULES: [&str; 11] = [
    "rule", "fraction", "split", "limit", "steps", "buffer", "events", "boundary", "step", "factor",
    "threads",
];

/// No key of a scenario lies deeper (a list inside an option at most); longer paths must not build a deep tree.
const DEEPEST: usize = 8;

/// Applies one override.
pub(crate) fn apply(root: &mut Table, file: &Arc<Source>, key: &str, value: &str) -> Result<(), Diagnostic> {
    let source = Arc::new(Source { name: format!("--set {}", tree::shorten(key)), text: value.to_string() });
    let path: Vec<&str> = key.split('.').map(|part| unquoted(part.trim())).collect();
    if path.iter().any(|part| part.is_empty()) || path.len() > DEEPEST {
        return Err(Diagnostic::new(format!("`{}` is not a key", tree::shorten(key)))
            .help("expected names joined by dots, as in `integrator.stages`"));
    }
    let node = tree::value(&source)?;
    match path[..] {
        ["integrator", ref rest @ ..] => integrator(root, file, &source, rest, node),
        ["initial", key, ..] => {
            let rivals: &[&str] =
                [&MOTIONS[..], &SHAPES].into_iter().find(|r| r.contains(&key)).unwrap_or(&[]);
            if let Some(Value::Table(initial)) = find(root, "initial").map(|n| &mut n.value) {
                initial.retain(|e| e.key == key || !rivals.contains(&e.key.as_str()) || !of(e, file));
            }
            put(root, &source, &path, node)
        }
        ["mesh", _, ..] => {
            lengthen(root, "mesh", "file");
            put(root, &source, &path, node)
        }
        ["gap", _, ref deeper @ ..] => {
            lengthen(root, "gap", "gap");
            if let (false, Some(Value::List(list))) =
                (deeper.is_empty(), find(root, "gap").map(|n| &mut n.value))
            {
                list.iter_mut().for_each(|gap| lengthen_node(gap, "gap"));
            }
            // The only gap has a name and a number too.
            let only = find(root, "gap").is_some_and(|gap| {
                matches!(gap.value, Value::Table(_)) && (path[1] == "0" || named(gap, path[1]))
            });
            let path = if only && !deeper.is_empty() { [&["gap"], deeper].concat() } else { path };
            put(root, &source, &path, node)
        }
        _ => put(root, &source, &path, node),
    }
}

/// A part of a key without the quotes that TOML allows around it: `material."soft rubber".mu`.
fn unquoted(part: &str) -> &str {
    let inner = |quote: char| part.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(part)
}

/// A key without the quotes around its parts.
pub(crate) fn plain_key(key: &str) -> String {
    key.split('.').map(|part| unquoted(part.trim())).collect::<Vec<_>>().join(".")
}

/// A value without its quotes where it is the same text without them: `"verlet"` is `verlet`, but `"1"` is text and 1 a number.
pub(crate) fn plain_value(value: &str) -> &str {
    let inner = unquoted(value);
    let bare = !inner.contains(['"', '\'', '\\', '\n']) && inner == inner.trim();
    let source = Arc::new(Source { name: String::new(), text: inner.to_string() });
    let text = |node: Node| matches!(node.value, Value::Text(text) if text == inner);
    if bare && !inner.is_empty() && tree::value(&source).is_ok_and(text) { inner } else { value }
}

/// Turns `key = "text"` into the table `key = { inner = "text" }` that it is short for, so that other keys can join it.
fn lengthen(root: &mut Table, key: &str, inner: &str) {
    if let Some(present) = find(root, key) {
        lengthen_node(present, inner);
    }
}

fn lengthen_node(present: &mut Node, inner: &str) {
    if matches!(present.value, Value::Text(_)) {
        let place = present.place.clone();
        let entry = Entry { key: inner.into(), key_place: place.clone(), node: present.clone() };
        *present = Node { value: Value::Table(vec![entry]), place };
    }
}

fn integrator(
    root: &mut Table,
    file: &Arc<Source>,
    source: &Arc<Source>,
    rest: &[&str],
    node: Node,
) -> Result<(), Diagnostic> {
    lengthen(root, "integrator", "method");
    if rest != ["method"] {
        return put(root, source, &[&["integrator"], rest].concat(), node);
    }
    if let Some(Value::Table(options)) = find(root, "integrator").map(|n| &mut n.value) {
        let old = options.iter().find(|e| e.key == "method").map(|e| &e.node);
        if old.is_some_and(|old| !same_text(old, &node)) {
            let kept = if old.is_some_and(step_ruled) && step_ruled(&node) { &STEP_RULES[..] } else { &[] };
            let kept = |e: &Entry| e.key == "method" || kept.contains(&e.key.as_str());
            options.retain(|e| kept(e) || !of(e, file));
        }
    }
    put(root, source, &["integrator", "method"], node)
}

fn same_text(a: &Node, b: &Node) -> bool {
    matches!((&a.value, &b.value), (Value::Text(a), Value::Text(b)) if a == b)
}

fn step_ruled(method: &Node) -> bool {
    matches!(&method.value, Value::Text(name) if STEP_RULED.contains(&name.as_str()))
}

/// Whether the value of an entry was written in this source.
fn of(entry: &Entry, source: &Arc<Source>) -> bool {
    Arc::ptr_eq(&entry.node.place.source, source)
}

fn find<'a>(table: &'a mut Table, key: &str) -> Option<&'a mut Node> {
    table.iter_mut().find(|e| e.key == key).map(|e| &mut e.node)
}

/// Puts a value at a path, making the tables on the way.
fn put(mut table: &mut Table, source: &Arc<Source>, path: &[&str], node: Node) -> Result<(), Diagnostic> {
    let place = Place { source: Arc::clone(source), span: 0..source.text.len() };
    for (depth, part) in path.iter().enumerate() {
        let last = depth + 1 == path.len();
        let at = match table.iter().position(|e| e.key == *part) {
            Some(at) => at,
            None => {
                let empty = Node { value: Value::Table(Vec::new()), place: place.clone() };
                table.push(Entry { key: (*part).to_string(), key_place: place.clone(), node: empty });
                table.len() - 1
            }
        };
        let present = &mut table[at].node;
        if last {
            *present = node;
            return Ok(());
        }
        let kind = present.kind();
        match &mut present.value {
            Value::Table(inner) => table = inner,
            Value::List(list) => return element(list, source, path, depth + 1, node),
            _ => return Err(not_inside(&place, &path[..=depth], kind)),
        }
    }
    Ok(())
}

/// Replaces one element of a list, or a value inside one.
fn element(
    list: &mut [Node],
    source: &Arc<Source>,
    path: &[&str],
    depth: usize,
    node: Node,
) -> Result<(), Diagnostic> {
    let place = Place { source: Arc::clone(source), span: 0..source.text.len() };
    let count = list.len();
    let at = path[depth].parse::<usize>().ok().or_else(|| list.iter().position(|n| named(n, path[depth])));
    let inside = depth + 1 < path.len();
    match at.and_then(|k| list.get_mut(k)) {
        Some(slot) if !inside => {
            *slot = node;
            Ok(())
        }
        Some(Node { value: Value::Table(table), .. }) => put(table, source, &path[depth + 1..], node),
        Some(Node { value: Value::List(inner), .. }) => element(inner, source, path, depth + 1, node),
        _ => Err(not_inside(&place, &path[..depth], &format!("a list of {count}"))),
    }
}

/// Whether an element of a list is a table of this name.
fn named(node: &Node, name: &str) -> bool {
    let Value::Table(table) = &node.value else { return false };
    table.iter().any(|e| e.key == "name" && matches!(&e.node.value, Value::Text(text) if text == name))
}

fn not_inside(place: &Place, path: &[&str], kind: &str) -> Diagnostic {
    let owner = tree::shorten(&path.join("."));
    place
        .error(format!("`{owner}` is {kind} in this scenario and has no such key"))
        .help(format!("replace the whole value: --set {owner}=..."))
}
