//! VTK's XML file of an unstructured grid: one piece, with arrays inline or appended.

use super::draft::{Draft, DraftGroup};
use super::input::{Input, parse_u64, shown};
use super::kind::{CellKind, SUPPORTED};
use super::vtu_data::{Encoding, Format, Numbers};
use crate::error::Diagnostic;
use std::cell::Cell;
use std::collections::BTreeMap;

/// A start tag: its name and attributes, and where it stands.
struct Tag<'a> {
    name: &'a [u8],
    attributes: &'a [u8],
    at: usize,
}

impl<'a> Tag<'a> {
    /// The value of an attribute, as written.
    fn get(&self, key: &str) -> Option<&'a [u8]> {
        let mut rest = self.attributes;
        loop {
            let equals = rest.iter().position(|b| *b == b'=')?;
            let name = rest[..equals].trim_ascii();
            let value = rest[equals + 1..].trim_ascii_start();
            let quote = *value.first().filter(|b| matches!(b, b'"' | b'\''))?;
            let length = value[1..].iter().position(|b| *b == quote)?;
            if name == key.as_bytes() {
                return Some(&value[1..1 + length]);
            }
            rest = &value[length + 2..];
        }
    }

    fn number(&self, input: &Input, key: &str) -> Result<u64, Diagnostic> {
        let value = self.get(key).ok_or_else(|| {
            input.fault(self.at, format!("<{}> has no attribute `{key}`", shown(self.name)))
        })?;
        parse_u64(value.trim_ascii()).ok_or_else(|| {
            input.fault(self.at, format!("expected a whole number for `{key}`, found `{}`", shown(value)))
        })
    }
}

/// One `<DataArray>`.
pub(super) struct DataArray<'a> {
    /// `Points`, `Cells`, `PointData` or `CellData`.
    parent: &'a [u8],
    pub name: String,
    /// `Float64`, `Int32`, ...
    pub number: &'a [u8],
    components: u64,
    pub format: Format,
    pub at: usize,
}

/// What the elements of the file say.
struct Outline<'a> {
    encoding: Encoding,
    points: u64,
    cells: u64,
    arrays: Vec<DataArray<'a>>,
    /// Bytes of numbers that may still come out of the file.
    room: Cell<u64>,
}

/// The numbers of a mesh take at most this many times the bytes of its file. Meshes of the most regular grids compress to a tenth; a
/// file of a few megabytes that fills the memory is none.
const MOST_EXPANSION: u64 = 32;

/// What the numbers of any file may take.
const LEAST_ROOM: u64 = 64 << 20;

impl Outline<'_> {
    /// The numbers of an array, which must be so many. What was promised is charged before anything is unpacked.
    fn read(&self, input: &Input, array: &DataArray, count: Option<u64>) -> Result<Numbers, Diagnostic> {
        self.encoding.read(input, array, count, &|| self.charge(input, array, count))
    }

    /// Takes the memory of so many numbers from what the file may have.
    fn charge(&self, input: &Input, array: &DataArray, count: Option<u64>) -> Result<(), Diagnostic> {
        let left = count.and_then(|n| n.checked_mul(8)).and_then(|need| self.room.get().checked_sub(need));
        let Some(left) = left else {
            let name = if array.name.is_empty() { array.parent } else { array.name.as_bytes() };
            let (name, size) = (shown(name), input.bytes.len());
            let many = count.map_or("too many".into(), |n| n.to_string());
            let message = format!(
                "array `{name}` of {many} numbers: the file has {size} bytes and would take more than {MOST_EXPANSION} \
                 times as much memory"
            );
            let help = "meshes do not compress that far: the file may be damaged; a sound one can be saved without compression";
            return Err(input.fault(array.at, message).help(help));
        };
        self.room.set(left);
        Ok(())
    }
}

/// Reads a whole file.
pub(super) fn read(mut input: Input<'_>) -> Result<Draft<'_>, Diagnostic> {
    let outline = outline(&mut input)?;
    let mut draft = Draft::new(input);
    let find = |parent: &str, name: Option<&str>| {
        let found =
            outline.arrays.iter().find(|a| a.parent == parent.as_bytes() && name.is_none_or(|n| a.name == n));
        found.ok_or_else(|| {
            let what = name.map_or("DataArray".into(), |n| format!("DataArray `{n}`"));
            input.fault(input.text, format!("<{parent}> has no {what}"))
        })
    };
    let points = find("Points", None)?;
    if points.components != 3 {
        return Err(input.fault(points.at, format!("points have 3 components, not {}", points.components)));
    }
    let x = outline.read(&input, points, outline.points.checked_mul(3))?.floats();
    draft.points = x.as_chunks::<3>().0.to_vec();
    draft.tags = (0..outline.points).collect();
    draft.places = vec![points.at];
    let place = cells(
        &mut draft,
        &outline,
        [
            find("Cells", Some("connectivity"))?,
            find("Cells", Some("offsets"))?,
            find("Cells", Some("types"))?,
        ],
    )?;
    groups(&mut draft, &outline, &place)?;
    Ok(draft)
}

/// Fills the blocks; gives the kind and index of each cell of the file.
fn cells(
    draft: &mut Draft,
    outline: &Outline,
    [nodes, ends, types]: [&DataArray; 3],
) -> Result<Vec<(u32, u32)>, Diagnostic> {
    let input = draft.input;
    let read = |array: &DataArray, count| outline.read(&input, array, count)?.whole(&input, array);
    let ends_at = ends.at;
    let (ends, codes) = (read(ends, Some(outline.cells))?, read(types, Some(outline.cells))?);
    let total = ends.last().copied().unwrap_or(0);
    let connectivity = read(nodes, u64::try_from(total).ok())?;
    let (mut start, mut place) = (0, Vec::with_capacity(codes.len()));
    for (k, (end, code)) in ends.iter().zip(&codes).enumerate() {
        let kind = kind(&input, types.at, k, *code)?;
        let own = usize::try_from(*end).ok().and_then(|end| connectivity.get(start..end));
        let Some(own) = own.filter(|own| own.len() == kind.nodes()) else {
            let n = i128::from(*end) - start as i128;
            let message = format!("cell {k}, a {}, has {n} nodes by its offset", kind.name());
            return Err(input.fault(ends_at, message));
        };
        start += own.len();
        let block = &mut draft.blocks[kind as usize];
        place.push((kind as u32, block.tags.len() as u32));
        block.tags.push(k as u64);
        for node in own {
            block.nodes.push(u64::try_from(*node).map_err(|_| {
                input.fault(nodes.at, format!("element {k} names node {node}, which the file does not give"))
            })?);
        }
        if block.places.is_empty() {
            block.places.push(nodes.at);
        }
    }
    Ok(place)
}

fn kind(input: &Input, at: usize, k: usize, code: i64) -> Result<CellKind, Diagnostic> {
    use CellKind::*;
    let unsupported = match code {
        1 => return Ok(Point),
        3 => return Ok(Line2),
        21 => return Ok(Line3),
        5 => return Ok(Triangle3),
        22 => return Ok(Triangle6),
        10 => return Ok(Tetrahedron4),
        24 => return Ok(Tetrahedron10),
        2 => "several points in one",
        4 => "a chain of lines",
        6 => "a strip of triangles",
        7 => "a polygon",
        8 | 9 | 23 | 28 | 70 => "a quadrangle",
        11 | 12 | 25 | 29 | 72 => "a hexahedron",
        13 | 26 | 32 | 73 => "a prism",
        14 | 27 | 74 => "a pyramid",
        42 => "a polyhedron",
        68 | 69 | 71 => "a Lagrange simplex",
        _ => "unknown",
    };
    let message = format!("cell {k} has type {code} ({unsupported}), which is not supported");
    Err(input.fault(at, message).help(SUPPORTED))
}

fn groups(draft: &mut Draft, outline: &Outline, place: &[(u32, u32)]) -> Result<(), Diagnostic> {
    let input = draft.input;
    for array in &outline.arrays {
        let count = match array.parent {
            b"CellData" => outline.cells,
            b"PointData" => outline.points,
            _ => continue,
        };
        let on_cells = array.parent == b"CellData";
        let numbered = on_cells && matches!(array.name.as_str(), "group" | "gmsh:physical");
        let named = array.name.strip_prefix("group:");
        if array.components != 1 || (!numbered && named.is_none()) {
            continue;
        }
        // Not charged, since they go again: points and cells were. Members of groups stay.
        let Numbers::Whole(values) = outline.encoding.read(&input, array, Some(count), &|| Ok(()))? else {
            let message = format!("array `{}` names groups and must hold whole numbers", array.name);
            return Err(input.fault(array.at, message));
        };
        let chosen = values.iter().filter(|v| **v != 0).count();
        outline.charge(&input, array, Some(chosen as u64))?;
        let members = values.iter().zip(0..).filter(|(v, _)| **v != 0);
        match named {
            Some(name) if on_cells => {
                let mut group = DraftGroup::new(name, 0);
                group.cells.extend(members.map(|(_, k): (_, usize)| place[k]));
                let dimension = |c: &(u32, u32)| CellKind::ALL[c.0 as usize].dimension();
                group.dimension = group.cells.iter().map(dimension).max().unwrap_or(0);
                draft.groups.push(group);
            }
            Some(name) => {
                let mut group = DraftGroup::new(name, 0);
                group.nodes.extend(members.map(|(_, a): (_, usize)| (a as u64, array.at)));
                draft.groups.push(group);
            }
            None => {
                let mut groups = BTreeMap::new();
                for (value, k) in members {
                    let cell = place[k];
                    let dimension = CellKind::ALL[cell.0 as usize].dimension();
                    let group = groups.entry((dimension, *value));
                    group.or_insert_with(|| DraftGroup::new(value.to_string(), dimension)).cells.push(cell);
                }
                draft.groups.extend(groups.into_values());
            }
        }
    }
    Ok(())
}

/// Walks through the tags. What is appended ends the walk, and the text of the file if it is raw.
fn outline<'a>(input: &mut Input<'a>) -> Result<Outline<'a>, Diagnostic> {
    let room = LEAST_ROOM.saturating_add(MOST_EXPANSION.saturating_mul(input.bytes.len() as u64));
    let mut out = Outline {
        encoding: Encoding::default(),
        points: 0,
        cells: 0,
        arrays: Vec::new(),
        room: Cell::new(room),
    };
    let (mut parent, mut pieces, mut pos): (&[u8], u32, usize) = (b"", 0, 0);
    let mut inside = false;
    while let Some(tag) = next_tag(input, &mut pos)? {
        match tag.name {
            b"VTKFile" => {
                let kind = tag.get("type").unwrap_or(b"");
                if kind != b"UnstructuredGrid" {
                    let message = format!("expected type=\"UnstructuredGrid\", found `{}`", shown(kind));
                    return Err(input.fault(tag.at, message));
                }
                inside = true;
                let word = |key| tag.get(key).unwrap_or(b"");
                let words = [word("byte_order"), word("header_type"), word("compressor")];
                out.encoding = Encoding::new(input, tag.at, words)?;
            }
            b"Piece" => {
                pieces += 1;
                if pieces > 1 {
                    let message = "a file of several pieces is not supported";
                    return Err(input.fault(tag.at, message).help("merge them into one mesh"));
                }
                out.points = tag.number(input, "NumberOfPoints")?;
                out.cells = tag.number(input, "NumberOfCells")?;
            }
            b"Points" | b"Cells" | b"PointData" | b"CellData" if pieces == 1 => parent = tag.name,
            b"/Points" | b"/Cells" | b"/PointData" | b"/CellData" => parent = b"",
            b"DataArray" if !parent.is_empty() => out.arrays.push(data_array(input, &tag, parent, pos)?),
            b"AppendedData" => {
                let raw = tag.get("encoding") != Some(b"base64".as_slice());
                let rest = &input.bytes[pos..];
                let Some(mark) = rest.iter().position(|b| *b == b'_') else {
                    return Err(input.fault(tag.at, "no `_` marks the start of the appended data"));
                };
                out.encoding.append(pos + mark + 1, raw);
                if raw {
                    input.text = pos + mark + 1;
                }
                break;
            }
            _ => {}
        }
    }
    if !inside || pieces == 0 {
        let missing = if inside { "<Piece>" } else { "<VTKFile>" };
        return Err(input.fault(pos, format!("the file ends without {missing}")));
    }
    Ok(out)
}

fn data_array<'a>(
    input: &Input,
    tag: &Tag<'a>,
    parent: &'a [u8],
    pos: usize,
) -> Result<DataArray<'a>, Diagnostic> {
    let format = match tag.get("format").unwrap_or(b"ascii") {
        b"ascii" => Format::Text(pos),
        b"binary" => Format::Inline(pos),
        b"appended" => Format::Appended(tag.number(input, "offset")?),
        other => {
            let message = format!("array format `{}` is unknown", shown(other));
            return Err(input.fault(tag.at, message).help("expected ascii, binary or appended"));
        }
    };
    let name = String::from_utf8_lossy(tag.get("Name").unwrap_or(b"")).into_owned();
    let name = name.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    let name = name.replace("&apos;", "'").replace("&amp;", "&");
    let components = if tag.get("NumberOfComponents").is_some() {
        tag.number(input, "NumberOfComponents")?.max(1)
    } else {
        1
    };
    Ok(DataArray { parent, name, number: tag.get("type").unwrap_or(b""), components, format, at: tag.at })
}

/// The next tag after `pos`, which moves behind it.
fn next_tag<'a>(input: &Input<'a>, pos: &mut usize) -> Result<Option<Tag<'a>>, Diagnostic> {
    loop {
        let rest = &input.bytes[*pos..];
        let Some(open) = rest.iter().position(|b| *b == b'<') else {
            *pos = input.bytes.len();
            return Ok(None);
        };
        let at = *pos + open;
        let rest = &rest[open..];
        let close: &[u8] = match rest {
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'?', ..] => b"?>",
            _ => b">",
        };
        let Some(length) = rest.windows(close.len()).position(|w| w == close) else {
            return Err(input.fault(at, "the file ends inside this tag"));
        };
        *pos = at + length + close.len();
        if close.len() > 1 {
            continue;
        }
        let inner = &rest[1..length];
        let split = inner.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(inner.len());
        let name = inner[..split].strip_suffix(b"/").unwrap_or(&inner[..split]);
        return Ok(Some(Tag { name, attributes: &inner[split..], at }));
    }
}
