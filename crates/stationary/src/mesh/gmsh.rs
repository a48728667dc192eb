//! Gmsh's MSH files, versions 4.1 and 2.2: sections between `$Name` and `$EndName`.
//!
//! Layouts as in the reference manual of Gmsh, chapter "Gmsh file formats". Text and binary hold the same numbers in the
//! same order, so that one reader serves both; only the elements of 2.2 differ.

use super::cursor::{Cursor, Mode};
use super::draft::{Draft, DraftGroup};
use super::gmsh_sections::{Entities, Labels};
use super::input::{Input, shown};
use super::kind::{CellKind, SUPPORTED};
use crate::error::Diagnostic;
use std::collections::BTreeMap;

/// Dimension and number of an entity or physical group.
pub(super) type Tag = (u32, i64);

/// What is collected while sections pass.
pub(super) struct Msh<'a> {
    pub cursor: Cursor<'a>,
    pub draft: Draft<'a>,
    pub names: BTreeMap<Tag, String>,
    pub entities: Entities,
    /// Groups by dimension and number, as positions in the draft.
    pub groups: BTreeMap<Tag, usize>,
    /// Physical group and entity of each element of 2.2.
    pub labels: Labels,
}

/// Reads a whole file.
pub(super) fn read(input: Input<'_>) -> Result<Draft<'_>, Diagnostic> {
    let mut cursor = Cursor::new(input);
    let old = format(&mut cursor)?;
    let binary = cursor.mode;
    let mut msh = Msh {
        draft: Draft::new(cursor.input),
        cursor,
        names: BTreeMap::new(),
        entities: Entities::default(),
        groups: BTreeMap::new(),
        labels: Labels::default(),
    };
    let mut seen = [false; 2];
    while let Some((name, at)) = section(&mut msh.cursor)? {
        msh.cursor.section = format!("${}", shown(name));
        msh.cursor.mode = binary;
        match name {
            b"PhysicalNames" => msh.physical_names()?,
            b"Entities" if !old => msh.entities()?,
            b"Nodes" if old => msh.nodes_2()?,
            b"Nodes" => msh.nodes_4()?,
            b"Elements" if old => msh.elements_2()?,
            b"Elements" => msh.elements_4()?,
            b"PartitionedEntities" => {
                let message = "partitioned meshes are not supported";
                return Err(msh.cursor.input.fault(at, message).help("save the mesh before partitioning it"));
            }
            _ => {
                skip(&mut msh.cursor, name)?;
                continue;
            }
        }
        seen[0] |= name == b"Nodes";
        seen[1] |= name == b"Elements";
        end(&mut msh.cursor, name)?;
    }
    for (seen, name) in seen.into_iter().zip(["$Nodes", "$Elements"]) {
        if !seen {
            let message = format!("the file ends without {name}");
            return Err(msh.cursor.input.fault(msh.cursor.input.bytes.len(), message));
        }
    }
    msh.merge_labels();
    msh.name_groups();
    Ok(msh.draft)
}

/// `$MeshFormat`, which says how the rest is written; true for 2.2. Comments may stand before it.
fn format(cursor: &mut Cursor) -> Result<bool, Diagnostic> {
    cursor.section = "$MeshFormat".into();
    loop {
        match section(cursor)? {
            Some((b"MeshFormat", _)) => break,
            Some((b"Comments", _)) => skip(cursor, b"Comments")?,
            Some((_, at)) => return Err(cursor.input.fault(at, "expected `$MeshFormat` first")),
            None => return Err(cursor.ends()),
        }
    }
    let at = cursor.place();
    let version = cursor.word()?;
    let old = match version {
        b"4.1" => false,
        b"2.2" | b"2.1" | b"2" | b"2.0" => true,
        other => {
            let message = format!("version `{}` of the MSH format is not supported", shown(other));
            return Err(cursor.input.fault(at, message).help("save as version 4.1 or 2.2"));
        }
    };
    let at = cursor.place();
    let binary = match cursor.int()? {
        0 => false,
        1 => true,
        other => {
            let message = format!("expected file type 0 (text) or 1 (binary), found {other}");
            return Err(cursor.input.fault(at, message));
        }
    };
    let at = cursor.place();
    let size = cursor.int()?;
    if size != 8 && (old || size != 4) {
        return Err(cursor.input.fault(at, format!("data size {size} is not supported")).help("expected 8"));
    }
    if binary {
        newline(cursor);
        cursor.input.text = cursor.pos;
        cursor.mode = Mode::Binary { big: false, wide: size == 8 && !old };
        let at = cursor.pos;
        match cursor.int()? {
            1 => {}
            0x0100_0000 => cursor.mode = Mode::Binary { big: true, wide: size == 8 && !old },
            other => {
                let message = format!("expected the number 1 in either byte order, found {other}");
                return Err(cursor.input.fault(at, message));
            }
        }
    }
    end(cursor, b"MeshFormat")?;
    Ok(old)
}

/// The name of the next section, and where it stands. In binary, the newline after it is passed too, and no more.
fn section<'a>(cursor: &mut Cursor<'a>) -> Result<Option<(&'a [u8], usize)>, Diagnostic> {
    cursor.skip_blanks();
    let at = cursor.pos;
    if at == cursor.input.bytes.len() {
        return Ok(None);
    }
    let word = cursor.word()?;
    let Some(name) = word.strip_prefix(b"$") else {
        let message = format!("expected the `$` of a section, found `{}`", shown(word));
        return Err(cursor.input.fault(at, message));
    };
    if name.starts_with(b"End") || name.is_empty() {
        return Err(cursor.input.fault(at, format!("`{}` begins no section", shown(word))));
    }
    newline(cursor);
    Ok(Some((name, at)))
}

fn newline(cursor: &mut Cursor) {
    let rest = &cursor.input.bytes[cursor.pos..];
    let blanks = rest.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\r')).unwrap_or(rest.len());
    if rest.get(blanks) == Some(&b'\n') {
        cursor.pos += blanks + 1;
    }
}

fn end(cursor: &mut Cursor, name: &[u8]) -> Result<(), Diagnostic> {
    cursor.skip_blanks();
    let at = cursor.pos;
    let word = cursor.word()?;
    if word.strip_prefix(b"$End") == Some(name) {
        return Ok(());
    }
    let message = format!("expected `$End{}`, found `{}`", shown(name), shown(word));
    Err(cursor.input.fault(at, message).help("the section holds more than it promises"))
}

fn skip(cursor: &mut Cursor, name: &[u8]) -> Result<(), Diagnostic> {
    let last = [b"$End", name].concat();
    let rest = &cursor.input.bytes[cursor.pos..];
    let mut from = 0;
    while let Some(i) = rest[from..].iter().position(|b| *b == b'$') {
        from += i;
        let after = rest[from..].strip_prefix(&last[..]);
        if after.is_some_and(|after| after.first().is_none_or(u8::is_ascii_whitespace)) {
            cursor.pos += from + last.len();
            return Ok(());
        }
        from += 1;
    }
    cursor.section = format!("${}", shown(name));
    Err(cursor.ends())
}

/// Our kind of a Gmsh element type.
pub(super) fn kind(cursor: &Cursor, at: usize, code: i64) -> Result<CellKind, Diagnostic> {
    if let Some(kind) = CellKind::ALL.into_iter().find(|kind| kind.table().gmsh == code) {
        return Ok(kind);
    }
    let unsupported = match code {
        13 => "18-node prism",
        18 => "15-node prism",
        14 => "14-node pyramid",
        19 => "13-node pyramid",
        20..=25 => "triangle of third or higher order",
        26..=28 => "line of third or higher order",
        29..=31 => "tetrahedron of third or higher order",
        _ => "unknown",
    };
    let message = format!("element type {code} ({unsupported}) is not supported");
    Err(cursor.input.fault(at, message).help(SUPPORTED))
}

impl Msh<'_> {
    /// The group of a dimension and number, made when first asked for.
    pub fn group(&mut self, tag: Tag) -> usize {
        let draft = &mut self.draft;
        *self.groups.entry(tag).or_insert_with(|| {
            draft.groups.push(DraftGroup::new("", tag.0));
            draft.groups.len() - 1
        })
    }

    /// Named groups exist also without elements.
    fn name_groups(&mut self) {
        for tag in self.names.keys().copied().collect::<Vec<_>>() {
            self.group(tag);
        }
        for (tag, slot) in &self.groups {
            let name = self.names.get(tag).cloned().unwrap_or_else(|| tag.1.to_string());
            self.draft.groups[*slot].name = name;
        }
    }
}
