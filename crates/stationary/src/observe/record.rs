//! What a run found, by name: typed values in the order in which they were entered. Whoever writes them down chooses the form.

/// A value that a run found.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// There is none.
    Nothing,
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Count(u64),
    /// A number, or NaN where it is not known.
    Number(f64),
    /// A word or a sentence.
    Text(String),
    /// Several values.
    List(Vec<Entry>),
    /// Values with names of their own.
    Record(Record),
}

/// Named values, in the order in which they were entered.
///
/// ```
/// use stationary::observe::{Entry, Record, record};
///
/// let mut summary = record! { "steps": 500u64, "energy": record! { "initial": -0.5 } };
/// summary.group("energy").set("final", -0.5);
/// assert_eq!(summary.get("energy.final"), Some(&Entry::Number(-0.5)));
/// assert_eq!(summary.get("energy.scale"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    entries: Vec<(String, Entry)>,
}

/// A [`Record`] from its names and values.
#[macro_export]
macro_rules! record {
    ($($name:literal : $value:expr),* $(,)?) => {
        $crate::observe::Record::of([$(($name.to_string(), $crate::observe::Entry::from($value))),*])
    };
}

pub use record;

impl Record {
    /// A record of named values.
    pub fn of(entries: impl IntoIterator<Item = (String, Entry)>) -> Self {
        Record { entries: entries.into_iter().collect() }
    }

    /// Enters a value, or replaces the one of this name.
    pub fn set(&mut self, name: &str, value: impl Into<Entry>) {
        match self.entries.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value.into(),
            None => self.entries.push((name.to_string(), value.into())),
        }
    }

    /// The record of this name within this one; made, where there is none.
    pub fn group(&mut self, name: &str) -> &mut Record {
        let is_group = |(known, entry): &(String, Entry)| known == name && matches!(entry, Entry::Record(_));
        if !self.entries.iter().any(is_group) {
            self.set(name, Record::default());
        }
        let found = self.entries.iter_mut().find(|(known, _)| known == name);
        match found {
            Some((_, Entry::Record(group))) => group,
            _ => unreachable!("it has just been entered"),
        }
    }

    /// The value of a name, or of a path of names with dots between them.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        let own = self.entries.iter().find(|(name, _)| name == path).map(|(_, entry)| entry);
        own.or_else(|| {
            let (name, rest) = path.split_once('.')?;
            match self.entries.iter().find(|(known, _)| known == name)? {
                (_, Entry::Record(group)) => group.get(rest),
                _ => None,
            }
        })
    }

    /// The number at a path; NaN where there is none.
    pub fn number(&self, path: &str) -> f64 {
        match self.get(path) {
            Some(Entry::Number(x)) => *x,
            Some(Entry::Count(n)) => *n as f64,
            _ => f64::NAN,
        }
    }

    /// The whole number at a path, if there is one.
    pub fn count(&self, path: &str) -> Option<u64> {
        match self.get(path) {
            Some(Entry::Count(n)) => Some(*n),
            _ => None,
        }
    }

    /// Enters all values of another record; those of groups that both have are joined.
    pub fn merge(&mut self, other: Record) {
        for (name, entry) in other.entries {
            match entry {
                Entry::Record(more) => self.group(&name).merge(more),
                entry => self.set(&name, entry),
            }
        }
    }

    /// Names and values, in their order.
    pub fn entries(&self) -> &[(String, Entry)] {
        &self.entries
    }
}

impl From<f64> for Entry {
    fn from(x: f64) -> Self {
        Entry::Number(x)
    }
}

impl From<u64> for Entry {
    fn from(n: u64) -> Self {
        Entry::Count(n)
    }
}

impl From<usize> for Entry {
    fn from(n: usize) -> Self {
        Entry::Count(n as u64)
    }
}

impl From<bool> for Entry {
    fn from(flag: bool) -> Self {
        Entry::Flag(flag)
    }
}

impl From<&str> for Entry {
    fn from(text: &str) -> Self {
        Entry::Text(text.to_string())
    }
}

impl From<String> for Entry {
    fn from(text: String) -> Self {
        Entry::Text(text)
    }
}

impl From<Record> for Entry {
    fn from(record: Record) -> Self {
        Entry::Record(record)
    }
}

impl<T: Into<Entry>> From<Option<T>> for Entry {
    fn from(value: Option<T>) -> Self {
        value.map_or(Entry::Nothing, Into::into)
    }
}

impl<T: Into<Entry>> From<Vec<T>> for Entry {
    fn from(values: Vec<T>) -> Self {
        Entry::List(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Entry>, const N: usize> From<[T; N]> for Entry {
    fn from(values: [T; N]) -> Self {
        Entry::List(values.into_iter().map(Into::into).collect())
    }
}
