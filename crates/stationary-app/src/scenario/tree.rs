//! TOML as a tree of values that know where they were written.
//!
//! The parser's own tree borrows the text and sorts its keys; this one owns its values and keeps the file's order,
//! so that `--set` can graft values from other texts into it and parameters can use earlier ones.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::place::{Place, Text};
use stationary::error::{Diagnostic, Source, near_miss};

/// A value and its place.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub value: Value,
    pub place: Place,
}

/// What TOML can say, as far as scenarios use it.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Flag(bool),
    Date,
    List(Vec<Node>),
    Table(Table),
}

/// The entries of a table in the order of the file.
pub(crate) type Table = Vec<Entry>;

/// `key = value`.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

impl Node {
    /// What the value is, in words.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "text",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::Date => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The error of a value of the wrong type.
    pub fn wrong(&self, key: &str, expected: &str) -> Diagnostic {
        self.place.error(format!("`{key}` must be {expected}, found {}", self.kind()))
    }

    /// The value as text.
    pub fn text(self, key: &str, expected: &str) -> Result<Text, Diagnostic> {
        match self.value {
            Value::Text(text) => Ok(Text { text, place: self.place, index: None }),
            _ => Err(self.wrong(key, expected)),
        }
    }

    /// The value as a formula; a plain number may stand in its place.
    pub fn formula(self, key: &str) -> Result<Text, Diagnostic> {
        let text = match self.value {
            Value::Text(text) => text,
            Value::Integer(integer) => integer.to_string(),
            Value::Float(value) if value.is_finite() => format!("{value:?}"),
            Value::Float(value) => {
                let message = format!("`{key}` must be a finite number or a formula, found {value}");
                return Err(self.place.error(message));
            }
            _ => return Err(self.wrong(key, "a formula in quotes")),
        };
        Ok(Text { text, place: self.place, index: None })
    }

    /// The entries of a table.
    pub fn as_table(&self) -> Option<&Table> {
        if let Value::Table(table) = &self.value { Some(table) } else { None }
    }

    /// The value as a table.
    pub fn table(self, key: &str, expected: &str) -> Result<Table, Diagnostic> {
        match self.value {
            Value::Table(table) => Ok(table),
            _ => Err(self.wrong(key, expected)),
        }
    }
}

/// Removes and returns the value of a key.
pub(crate) fn take(table: &mut Table, key: &str) -> Option<Node> {
    let at = table.iter().position(|e| e.key == key)?;
    Some(table.remove(at).node)
}

/// Rejects the first key that is not allowed.
pub(crate) fn only(table: &Table, owner: &str, allowed: &[&str]) -> Result<(), Diagnostic> {
    match table.iter().find(|e| !allowed.contains(&e.key.as_str())) {
        Some(entry) => Err(unknown_key(entry, owner, allowed)),
        None => Ok(()),
    }
}

/// The error of a key nobody knows.
pub(crate) fn unknown_key(entry: &Entry, owner: &str, allowed: &[&str]) -> Diagnostic {
    let near = near_miss(&entry.key, allowed.iter().copied());
    let suggestion = near.map_or(String::new(), |n| format!("did you mean `{n}`? "));
    let list = allowed.join(", ");
    let known =
        if list.is_empty() { "no keys are allowed here".into() } else { format!("allowed keys: {list}") };
    entry
        .key_place
        .error(format!("unknown key `{}` in {owner}", shorten(&entry.key)))
        .help(format!("{suggestion}{known}"))
}

/// A name as it is quoted in a message: no longer than a line.
pub(crate) fn shorten(name: &str) -> String {
    const LONGEST: usize = 60;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_string(),
    }
}

/// Parses a whole document.
pub(crate) fn document(source: &Arc<Source>) -> Result<Table, Diagnostic> {
    // The parser bounds its own depth (80 levels), so neither it nor the conversion can exhaust the stack.
    match DeTable::parse(&source.text) {
        Ok(table) => Ok(convert_table(table.into_inner(), source)),
        Err(error) => Err(syntax(&error, source)),
    }
}

/// Parses the value of a `--set`: TOML if it is TOML, otherwise text.
///
/// A date counts as text: nothing in a scenario is one, and `2026-11-15` is also a formula. No formula begins with a
/// quote or a list's bracket, so what begins so must be TOML.
pub(crate) fn value(source: &Arc<Source>) -> Result<Node, Diagnostic> {
    match DeValue::parse(&source.text).map(|v| convert(v, source)) {
        Ok(node) if !matches!(node.value, Value::Date) => Ok(node),
        Err(error) if source.text.starts_with(['[', '{', '"', '\'']) => Err(syntax(&error, source)),
        _ => Ok(Node { value: Value::Text(source.text.clone()), place: place(source, 0..source.text.len()) }),
    }
}

fn syntax(error: &toml::de::Error, source: &Arc<Source>) -> Diagnostic {
    if error.message().contains("recurs") {
        // Of a key the parser does not say where it is.
        let span = if error.message() == "recursion limit" { None } else { error.span() };
        return Diagnostic::new(format!("nested more than {DEEPEST} deep"))
            .at(source, span.unwrap_or_else(|| long_key(&source.text)))
            .help("no key of a scenario is deeper than three");
    }
    let mut lines = error.message().splitn(2, ", expected ");
    let message = lines.next().unwrap_or("not valid TOML").trim().replace('\n', ", ");
    let message = if message.is_empty() { "not valid TOML".into() } else { message };
    let span = error.span().unwrap_or(0..0);
    let diagnostic = Diagnostic::new(message).at(source, span);
    match lines.next() {
        Some(expected) => diagnostic.help(format!("expected {}", expected.replace('\n', ", "))),
        None => diagnostic.help("expected valid TOML"),
    }
}

/// Depth at which the parser gives up.
const DEEPEST: usize = 80;

/// Where a key first has too many dots. Quoted text is not looked into; the place is for a message only.
fn long_key(text: &str) -> Range<usize> {
    let (mut dots, mut quote) = (0, None);
    for (at, byte) in text.bytes().enumerate() {
        match (byte, quote) {
            (b'\n', _) => (dots, quote) = (0, None),
            (_, Some(open)) => quote = quote.filter(|_| byte != open),
            (b'"' | b'\'', None) => quote = Some(byte),
            (b'=' | b',', None) => dots = 0,
            (b'.', None) => dots += 1,
            _ => {}
        }
        if dots >= DEEPEST {
            return at..at + 1;
        }
    }
    0..0
}

fn convert(value: Spanned<DeValue<'_>>, source: &Arc<Source>) -> Node {
    let place = place(source, value.span());
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(integer) => Value::Integer(integer),
            // Too long for 64 bits: as good as any other number, and out of range wherever a count is wanted.
            Err(_) => Value::Float(digits.as_str().parse().unwrap_or(f64::INFINITY)),
        },
        DeValue::Float(digits) => Value::Float(digits.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Flag(flag),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(list) => Value::List(list.into_iter().map(|v| convert(v, source)).collect()),
        DeValue::Table(table) => Value::Table(convert_table(table, source)),
    };
    Node { value, place }
}

fn convert_table(table: DeTable<'_>, source: &Arc<Source>) -> Table {
    let mut entries: Table = table
        .into_iter()
        .map(|(key, value)| Entry {
            key_place: place(source, key.span()),
            key: key.into_inner().into_owned(),
            node: convert(value, source),
        })
        .collect();
    entries.sort_by_key(|e| e.key_place.span.start);
    entries
}

fn place(source: &Arc<Source>, span: Range<usize>) -> Place {
    Place { source: Arc::clone(source), span }
}
