//! VTK's XML file of an unstructured grid: one piece, with arrays inline or appended.

use super::draft::Draft;
use super::geometry::volume;
use super::input::{Input, parse_u64, shown};
use super::kind::{CellKind, SUPPORTED};
use super::vtu_data::{Encoding, Format, Numbers};
use super::vtu_groups::groups;
use crate::error::Diagnostic;
use std::cell::Cell;

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
    /// `Points`, `Cells`, `PointData`, `CellData` or `FieldData`.
    pub parent: &'a [u8],
    pub name: String,
    /// `Float64`, `Int32`, ...
    pub number: &'a [u8],
    pub components: u64,
    /// Of an array of the field data.
    pub tuples: u64,
    pub format: Format,
    pub at: usize,
}

/// What the elements of the file say.
pub(super) struct Outline<'a> {
    pub encoding: Encoding,
    pub points: u64,
    pub cells: u64,
    pub arrays: Vec<DataArray<'a>>,
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
    pub fn charge(&self, input: &Input, array: &DataArray, count: Option<u64>) -> Result<(), Diagnostic> {
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
    wedges(&mut draft);
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
        let (kind, order) = kind(&input, types.at, k, *code)?;
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
        for i in 0..own.len() {
            let node = own[order.map_or(i, |order| order[i])];
            block.nodes.push(u64::try_from(node).map_err(|_| {
                input.fault(nodes.at, format!("element {k} names node {node}, which the file does not give"))
            })?);
        }
        if block.places.is_empty() {
            block.places.push(nodes.at);
        }
    }
    Ok(place)
}

/// Our kind of a number of VTK, and which of VTK's nodes is each of ours.
fn kind(
    input: &Input,
    at: usize,
    k: usize,
    code: i64,
) -> Result<(CellKind, Option<&'static [usize]>), Diagnostic> {
    if let Some(kind) = u8::try_from(code).ok().and_then(CellKind::from_vtk) {
        return Ok((kind, kind.vtk_order()));
    }
    let unsupported = match code {
        // A pixel and a voxel: cells of a regular grid, row by row.
        8 => return Ok((CellKind::Quadrilateral4, Some(&[0, 1, 3, 2]))),
        11 => return Ok((CellKind::Hexahedron8, Some(&[0, 1, 3, 2, 4, 5, 7, 6]))),
        2 => "several points in one",
        4 => "a chain of lines",
        6 => "a strip of triangles",
        7 => "a polygon",
        26 => "a wedge of 15 nodes",
        27 => "a pyramid of 13 nodes",
        30 => "a quadrilateral of 6 nodes",
        31 => "a wedge of 12 nodes",
        32 => "a wedge of 18 nodes",
        33 => "a hexahedron of 24 nodes",
        34 => "a triangle of 7 nodes",
        37 => "a pyramid of 14 nodes",
        42 => "a polyhedron",
        68..=74 => "a Lagrange cell",
        75..=81 => "a Bezier cell",
        _ => "unknown",
    };
    let message = format!("cell {k} has type {code} ({unsupported}), which is not supported");
    Err(input.fault(at, message).help(SUPPORTED))
}

/// VTK's linear wedge begins with the triangle whose nodes run anticlockwise seen from outside; many programs write it the other way, as
/// Gmsh and Abaqus have it. Where all wedges of a file come out inverted, they are of these.
fn wedges(draft: &mut Draft) {
    let points = &draft.points;
    let nodes = &mut draft.blocks[CellKind::Wedge6 as usize].nodes;
    let inverted = |wedge: &[u64]| {
        let mut x = [[0.0; 3]; 6];
        for (x, a) in x.iter_mut().zip(wedge) {
            match usize::try_from(*a).ok().and_then(|a| points.get(a)) {
                Some(point) => *x = *point,
                None => return false,
            }
        }
        volume(CellKind::Wedge6, &x) < 0.0
    };
    let (wedges, _) = nodes.as_chunks_mut::<6>();
    if !wedges.is_empty() && wedges.iter().all(|wedge| inverted(wedge)) {
        for wedge in wedges {
            wedge.swap(1, 2);
            wedge.swap(4, 5);
        }
    }
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
            b"FieldData" => parent = tag.name,
            b"/Points" | b"/Cells" | b"/PointData" | b"/CellData" | b"/FieldData" => parent = b"",
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
    let tuples = tag.get("NumberOfTuples").and_then(|value| parse_u64(value.trim_ascii())).unwrap_or(0);
    let number = tag.get("type").unwrap_or(b"");
    Ok(DataArray { parent, name, number, components, tuples, format, at: tag.at })
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
