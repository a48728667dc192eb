//! A table of a scenario, read by the rows of its keys: what a value may be, its default and the messages about it come from the row.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::constants::{Constants, at_index};
use super::keys::{IfAbsent, Key};
use super::place::Place;
use super::readable::{Context, Misfit, Readable, misfit};
use super::tree::{self, Entry, Node, Table, Value};
use stationary::error::{Diagnostic, Source};

/// A table whose values are taken out key by key.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    entries: Table,
    /// The keys that the table and the tables in it may have.
    keys: Cow<'static, [Key]>,
    /// The table in the paths of these keys; "" is the top.
    path: &'static str,
    owner: Owner,
    constants: Constants,
}

/// A table as messages name it.
#[derive(Debug, Clone)]
pub(crate) struct Owner {
    words: String,
    source: Option<Arc<Source>>,
    /// None for a whole file.
    span: Option<Range<usize>>,
}

impl Owner {
    /// A table that begins at a place.
    pub fn at(words: impl Into<String>, place: &Place) -> Self {
        let Place { source, span } = place.clone();
        Owner { words: words.into(), source: Some(source), span: Some(span) }
    }

    /// The whole scenario.
    pub fn scenario(source: &Arc<Source>) -> Self {
        Owner { words: "the scenario".into(), source: Some(Arc::clone(source)), span: None }
    }

    /// An error about the table as a whole.
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        let mut error = Diagnostic::new(message);
        error.source.clone_from(&self.source);
        error.span.clone_from(&self.span);
        error
    }
}

/// A value that was given, with the row of its key.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    key: Key,
    /// The value; it has the outer form that the row asks for.
    pub node: Node,
}

impl Item {
    /// The key in messages.
    pub fn name(&self) -> &'static str {
        self.key.place().1
    }

    /// The value, as far as constants decide it.
    pub fn read<T: Readable>(&self, constants: &Constants) -> Result<T, Diagnostic> {
        let (_, name) = self.key.place();
        T::read(&self.key.form, &self.node, &Context { name, constants, default: &self.key.default })
    }

    /// The values of a formula written once for many: the `k`-th of `count` sees `i = k`.
    pub fn repeated<T: Readable>(&self, constants: &Constants, count: usize) -> Result<Vec<T>, Diagnostic> {
        constants.each(count, |own, k| self.read(own).map_err(|d| at_index(d, k, &self.node)))
    }
}

impl Section {
    /// A table with these keys; others are refused. `path` is the table in the paths of the keys.
    pub fn open(
        entries: Table,
        keys: impl Into<Cow<'static, [Key]>>,
        path: &'static str,
        owner: Owner,
        constants: &Constants,
    ) -> Result<Self, Diagnostic> {
        let section = Section { entries, keys: keys.into(), path, owner, constants: constants.shared() };
        let names: Vec<&str> = section.rows().map(|key| key.place().1).collect();
        tree::only(&section.entries, &section.owner.words, &names)?;
        Ok(section)
    }

    /// The rows of the keys that the table itself may have.
    fn rows(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter().filter(|key| key.place().0 == self.path)
    }

    /// The row of a key.
    pub fn row(&self, name: &str) -> Key {
        let row = self.rows().find(|key| key.place().1 == name);
        *row.unwrap_or_else(|| panic!("`{name}` is read from `{}` and is no key of it", self.path))
    }

    /// Whether a key is given and not yet taken.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The entry of a key that is not yet taken.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == name)
    }

    /// The entries that are not yet taken, in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The constants that its values may name.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// An error about the table as a whole.
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.owner.error(message)
    }

    /// Takes a value out, if it was given: of the form that its row asks for, as far as the form of TOML goes.
    pub fn take(&mut self, name: &str) -> Result<Option<Item>, Diagnostic> {
        let key = self.row(name);
        let Some(at) = self.entries.iter().position(|entry| entry.key == name) else { return Ok(None) };
        let node = self.entries.remove(at).node;
        match misfit(&key.form, &node) {
            Some(Misfit { form, node, name: inner }) => {
                Err(node.wrong(inner.unwrap_or(name), &form.to_string()))
            }
            None => Ok(Some(Item { key, node })),
        }
    }

    /// The value of a key, if it was given.
    pub fn given<T: Readable>(&mut self, name: &str) -> Result<Option<T>, Diagnostic> {
        if !self.has(name) {
            return Ok(None);
        }
        let item = self.take(name)?;
        item.map(|item| item.read(&self.constants)).transpose()
    }

    /// The value of a key that is required or has a default.
    pub fn get<T: Readable>(&mut self, name: &str) -> Result<T, Diagnostic> {
        match self.given(name)? {
            Some(value) => Ok(value),
            None => self.default(name),
        }
    }

    /// The value of a key of every kind of system, of which some kinds only have the default.
    pub fn get_row<T: Readable>(&mut self, key: &Key) -> Result<T, Diagnostic> {
        match self.given(key.place().1)? {
            Some(value) => Ok(value),
            None => {
                Ok(T::from_default(&key.default).unwrap_or_else(|| panic!("`{}` has no default", key.path)))
            }
        }
    }

    /// A value that must be given.
    pub fn need(&mut self, name: &str) -> Result<Item, Diagnostic> {
        match self.take(name)? {
            Some(item) => Ok(item),
            None => Err(self.missing(name)),
        }
    }

    /// The default of a key; of one that is required the error that it is missing.
    fn default<T: Readable>(&self, name: &str) -> Result<T, Diagnostic> {
        let key = self.row(name);
        match T::from_default(&key.default) {
            Some(value) => Ok(value),
            None if key.is_required() => Err(self.missing(name)),
            None => panic!("`{}` is neither required nor has it such a default", key.path),
        }
    }

    /// The error of a key that must be given.
    pub fn missing(&self, name: &str) -> Diagnostic {
        let error = self.owner.error(format!("{} has no `{name}`", self.owner.words));
        match self.row(name).default {
            IfAbsent::Required(example) | IfAbsent::Depends { example, .. } if !example.is_empty() => {
                error.help(format!("add: {example}"))
            }
            _ => error,
        }
    }

    /// The table of a key that may be left out: then an empty one.
    pub fn optional_table(&mut self, name: &'static str) -> Result<Section, Diagnostic> {
        if self.has(name)
            && let Some(table) = self.table(name)?
        {
            return Ok(table);
        }
        Section::open(Vec::new(), self.keys.clone(), name, self.owner.clone(), &self.constants)
    }

    /// The table of a key, if it was given: `[body.orientation]`.
    pub fn table(&mut self, name: &str) -> Result<Option<Section>, Diagnostic> {
        let Some(Item { key, node, .. }) = self.take(name)? else { return Ok(None) };
        let place = node.place.clone();
        let Value::Table(entries) = node.value else { return Ok(None) };
        let owner = Owner::at(format!("`{name}`"), &place);
        Section::open(entries, self.keys.clone(), key.path, owner, &self.constants).map(Some)
    }

    /// What is left of the table where its owner does not know its keys.
    pub fn into_entries(self) -> Table {
        self.entries
    }
}

impl Section {
    /// The tables of a key by their names: `[support.left]`, `[support.right]`. `what` names one of them in messages.
    pub fn tables(&mut self, name: &str, what: &str) -> Result<Vec<(Entry, Section)>, Diagnostic> {
        let Some(Item { key, node, .. }) = self.take(name)? else { return Ok(Vec::new()) };
        let Value::Table(entries) = node.value else { return Ok(Vec::new()) };
        let mut all = Vec::with_capacity(entries.len());
        for mut entry in entries {
            let Value::Table(inner) = &mut entry.node.value else {
                return Err(entry.node.wrong(&format!("{name}.{}", entry.key), "a table").help(format!(
                    "everything here has a name of your choice, and its keys stand below: [{name}.NAME]"
                )));
            };
            let inner = std::mem::take(inner);
            let owner = Owner::at(format!("the {what} `{}`", entry.key), &entry.key_place);
            let section = Section::open(inner, self.keys.clone(), key.path, owner, &self.constants)?;
            all.push((entry, section));
        }
        Ok(all)
    }
}
