//! The checkpoint of a run: named sections of numbers, kept to the bit, in a file that is whole or not there.
//!
//! All words are little endian and eight bytes wide; names and bytes are filled up with zeros to whole words.
//!
//! ```text
//! 16 bytes   "\x89stationary ckpt"
//! word       version of the format
//! word       bytes of the body
//! word       checksum of the body
//! body       word: identity of the scenario, then the sections:
//!            words: kind (1 floats, 2 counts, 3 bytes), bytes of the name, count; the name; the data
//! ```

use super::file::replace;
use crate::files;
use stationary::archive::{Archive, Persist};
use stationary::error::{Error, near_miss};
use std::collections::BTreeSet;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// The name of its file in the folder of a run.
pub const CHECKPOINT: &str = "checkpoint";

const MAGIC: &[u8; 16] = b"\x89stationary ckpt";
const VERSION: u64 = 1;
/// Bytes before the body.
const HEAD: usize = 40;

/// What a run needs to go on, as named sections of numbers.
///
/// ```
/// use stationary_report::checkpoint::{Checkpoint, identity};
///
/// let path = std::env::temp_dir().join(format!("stationary-doc-{}.checkpoint", std::process::id()));
/// let scenario = identity(&[b"the text of the scenario", b"the bytes of its mesh"]);
/// let mut checkpoint = Checkpoint::new(scenario);
/// checkpoint.floats("q", &[1.0, -0.0]).counts("step", &[7]);
/// checkpoint.save(&path)?;
///
/// let back = Checkpoint::load(&path)?;
/// back.expect_identity(scenario)?;
/// assert_eq!(back.take_counts("step", Some(1))?, [7]);
/// let message = back.take_floats("q", Some(3)).unwrap_err().to_string();
/// assert!(message.ends_with("section `q` has 2 numbers, expected 3"));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), stationary::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Checkpoint {
    /// The file, for messages.
    name: String,
    identity: u64,
    /// As in the file.
    body: Vec<u8>,
    sections: Vec<Section>,
}

/// Where a section is in the body.
#[derive(Debug, Clone)]
struct Section {
    name: String,
    kind: Kind,
    data: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Floats = 1,
    Counts = 2,
    Bytes = 3,
}

impl Kind {
    fn of(code: u64) -> Option<Kind> {
        [Kind::Floats, Kind::Counts, Kind::Bytes].into_iter().find(|k| *k as u64 == code)
    }

    fn size(self) -> usize {
        if self == Kind::Bytes { 1 } else { 8 }
    }

    fn units(self) -> &'static str {
        match self {
            Kind::Floats => "numbers",
            Kind::Counts => "counts",
            Kind::Bytes => "bytes",
        }
    }
}

impl Checkpoint {
    /// An empty one; `identity` says which scenario it belongs to, see [`identity`].
    pub fn new(identity: u64) -> Self {
        let body = identity.to_le_bytes().to_vec();
        Checkpoint { name: "checkpoint".into(), identity, body, sections: Vec::new() }
    }

    /// Adds a section of numbers; every bit is kept, those of NaN too.
    ///
    /// # Panics
    /// As all that add: when there is a section of this name.
    pub fn floats(&mut self, name: &str, values: &[f64]) -> &mut Self {
        self.add(name, Kind::Floats, values.len());
        self.body.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        self
    }

    /// Adds a section of whole numbers.
    pub fn counts(&mut self, name: &str, values: &[u64]) -> &mut Self {
        self.add(name, Kind::Counts, values.len());
        self.body.extend(values.iter().flat_map(|n| n.to_le_bytes()));
        self
    }

    /// Adds a section of bytes.
    pub fn bytes(&mut self, name: &str, values: &[u8]) -> &mut Self {
        self.add(name, Kind::Bytes, values.len());
        self.body.extend(values);
        self.fill();
        self
    }

    /// Adds a section with a state, as [`Persist`](stationary::archive::Persist) shows it.
    pub fn state(&mut self, name: &str, state: impl FnOnce(&mut Archive)) -> &mut Self {
        let mut archive = Archive::writer();
        state(&mut archive);
        self.bytes(name, &archive.into_bytes())
    }

    /// Everything of a section but its data, which must follow.
    fn add(&mut self, name: &str, kind: Kind, count: usize) {
        assert!(self.sections.iter().all(|s| s.name != name), "section `{name}` is there already");
        for word in [kind as u64, name.len() as u64, count as u64] {
            self.body.extend(word.to_le_bytes());
        }
        self.body.extend(name.as_bytes());
        self.fill();
        let data = self.body.len()..self.body.len() + count * kind.size();
        self.sections.push(Section { name: name.into(), kind, data });
    }

    fn fill(&mut self) {
        self.body.resize(self.body.len().next_multiple_of(8), 0);
    }

    /// Replaces the file in one step; when this fails the old one stays. What it returns from is on the disk.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        replace(path, |file| {
            file.write_all(&self.head())?;
            file.write_all(&self.body)
        })
    }

    /// What [`save`](Self::save) writes.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.head()[..], &self.body].concat()
    }

    fn head(&self) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        let words = [VERSION, self.body.len() as u64, absorb(SEED, &self.body)];
        for (place, word) in head[MAGIC.len()..].chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        head
    }

    /// Reads a file that [`save`](Self::save) wrote; one message for anything else.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        match files::read(path, files::LONGEST_RESULT) {
            Ok(bytes) => Checkpoint::from_bytes(&name, bytes),
            Err(e) => Err(Error::Io { path: name, message: format!("cannot read the checkpoint: {e}") }),
        }
    }

    /// The checkpoint of some bytes, as [`load`](Self::load) reads it; `name` is for messages.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, Error> {
        let fault = |message| Error::Io { path: name.to_string(), message };
        let body = body(bytes).map_err(fault)?;
        let (identity, sections) = sections(&body).map_err(fault)?;
        Ok(Checkpoint { name: name.to_string(), identity, body, sections })
    }

    /// Refuses the checkpoint of another scenario.
    pub fn expect_identity(&self, identity: u64) -> Result<(), Error> {
        if self.identity == identity {
            return Ok(());
        }
        Err(self.fault(
            "this checkpoint belongs to another scenario: resume with the scenario, options and mesh it was \
             begun with, or start anew",
        ))
    }

    /// A section of numbers, and whether they must be so many.
    pub fn take_floats(&self, name: &str, expected: Option<usize>) -> Result<Vec<f64>, Error> {
        Ok(self.words(name, Kind::Floats, expected)?.map(f64::from_bits).collect())
    }

    /// A section of whole numbers.
    pub fn take_counts(&self, name: &str, expected: Option<usize>) -> Result<Vec<u64>, Error> {
        Ok(self.words(name, Kind::Counts, expected)?.collect())
    }

    /// A section of bytes.
    pub fn take_bytes(&self, name: &str, expected: Option<usize>) -> Result<Vec<u8>, Error> {
        Ok(self.section(name, Kind::Bytes, expected)?.to_vec())
    }

    /// Sets a state to that of a section; on an error it may be set in part.
    pub fn take_state(&self, name: &str, state: impl FnOnce(&mut Archive)) -> Result<(), Error> {
        let mut archive = Archive::reader(self.take_bytes(name, None)?);
        state(&mut archive);
        archive
            .finish()
            .map_err(|why| self.fault(format!("section `{name}` is not what such a run writes: {why}")))
    }

    /// Sets a state to that which a section begins with; on an error it may be set in part.
    pub fn take_first(&self, name: &str, state: &mut (impl Persist + ?Sized)) -> Result<(), Error> {
        let mut archive = Archive::reader(self.take_bytes(name, None)?);
        archive.pass(state);
        let why = archive.fault().map(|why| format!("section `{name}` is not what such a run writes: {why}"));
        why.map_or(Ok(()), |why| Err(self.fault(why)))
    }

    /// Whether there is a section of this name.
    pub fn has(&self, name: &str) -> bool {
        self.sections.iter().any(|s| s.name == name)
    }

    /// An error about this file.
    pub fn fault(&self, message: impl Into<String>) -> Error {
        Error::Io { path: self.name.clone(), message: message.into() }
    }

    fn words(
        &self,
        name: &str,
        kind: Kind,
        expected: Option<usize>,
    ) -> Result<impl Iterator<Item = u64> + '_, Error> {
        let words = self.section(name, kind, expected)?.as_chunks::<8>().0;
        Ok(words.iter().map(|w| u64::from_le_bytes(*w)))
    }

    fn section(&self, name: &str, kind: Kind, expected: Option<usize>) -> Result<&[u8], Error> {
        let Some(section) = self.sections.iter().find(|s| s.name == name) else {
            let near = near_miss(name, self.sections.iter().map(|s| s.name.as_str()));
            let near = near.map_or(String::new(), |n| format!("; it has `{n}`"));
            return Err(self.fault(format!("the checkpoint has no section `{name}`{near}")));
        };
        let (found, count) = (section.kind, section.data.len() / section.kind.size());
        let units = kind.units();
        if found != kind {
            let found = found.units();
            return Err(self.fault(format!("section `{name}` holds {found}, expected {units}")));
        }
        match expected {
            Some(n) if n != count => {
                Err(self.fault(format!("section `{name}` has {count} {units}, expected {n}")))
            }
            _ => Ok(&self.body[section.data.clone()]),
        }
    }
}

/// The body of a file, once its head agrees with it.
fn body(mut bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let magic = &bytes[..bytes.len().min(MAGIC.len())];
    if !MAGIC.starts_with(magic) || bytes.is_empty() {
        return Err("this is not a checkpoint of stationary".into());
    }
    let word = |i: usize| bytes.get(i..i + 8).map(word);
    if let Some(version) = word(16).filter(|v| *v != VERSION) {
        return Err(format!(
            "the checkpoint was written by format version {version}, this program reads {VERSION}"
        ));
    }
    let (Some(length), Some(checksum)) = (word(24), word(32)) else {
        return Err(format!("the checkpoint is cut short: {} bytes, its head alone has {HEAD}", bytes.len()));
    };
    let found = (bytes.len() - HEAD) as u64;
    if found < length {
        return Err(format!("the checkpoint is cut short: {found} bytes of {length}"));
    }
    if found > length {
        return Err(format!("the checkpoint is damaged: {found} bytes where {length} were expected"));
    }
    bytes.drain(..HEAD);
    if absorb(SEED, &bytes) != checksum {
        return Err("the checkpoint is damaged: its checksum does not fit".into());
    }
    Ok(bytes)
}

/// Identity and sections of a body. The checksum was right, and yet nothing is taken on trust.
fn sections(body: &[u8]) -> Result<(u64, Vec<Section>), String> {
    let mut at = 0;
    let mut take = |bytes: u64| -> Result<Range<usize>, String> {
        let cut = || format!("the checkpoint is damaged: a section at byte {at} reaches beyond its end");
        let bytes = usize::try_from(bytes).map_err(|_| cut())?;
        let end = bytes.checked_next_multiple_of(8).and_then(|n| n.checked_add(at));
        let end = end.filter(|end| *end <= body.len()).ok_or_else(cut)?;
        let range = at..at + bytes;
        at = end;
        Ok(range)
    };
    let identity = word(&body[take(8)?]);
    let (mut sections, mut names, mut end) = (Vec::new(), BTreeSet::new(), 8);
    while end < body.len() {
        let [code, letters, count] = [(); 3].map(|()| take(8).map(|r| word(&body[r])));
        let kind = code?;
        let kind =
            Kind::of(kind).ok_or_else(|| format!("the checkpoint is damaged: kind {kind} of a section"))?;
        let name = std::str::from_utf8(&body[take(letters?)?]);
        let name = name.map_err(|_| "the checkpoint is damaged: a section's name is no text")?;
        if !names.insert(name) {
            return Err(format!("the checkpoint is damaged: two sections `{name}`"));
        }
        let data = take(count?.saturating_mul(kind.size() as u64))?;
        end = data.end.next_multiple_of(8);
        sections.push(Section { name: name.into(), kind, data });
    }
    Ok((identity, sections))
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// A number for the parts that make a scenario what it is: another scenario has, for all purposes, another one.
///
/// Where one part ends and the next begins counts as well.
///
/// ```
/// use stationary_report::checkpoint::identity;
///
/// assert_ne!(identity(&[b"ab", b"c"]), identity(&[b"a", b"bc"]));
/// ```
pub fn identity(parts: &[&[u8]]) -> u64 {
    parts.iter().fold(SEED, |hash, part| absorb(hash, part))
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Takes the length, then word after word, into a hash. Every step is invertible in the hash and in the word, so that
/// no change within one word goes unseen; the shift brings high bits, such as signs, down again, where the product
/// would only move them up and out.
fn absorb(hash: u64, bytes: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| {
        let x = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^ (x >> 32)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(mix(hash, bytes.len() as u64), |h, w| mix(h, u64::from_le_bytes(*w)));
    if rest.is_empty() { hash } else { mix(hash, word(rest)) }
}

#[cfg(test)]
mod tests;
