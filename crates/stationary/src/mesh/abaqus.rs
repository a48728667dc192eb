//! Abaqus input files: keyword lines with `*`, comments with `**`, data between commas.

use super::abaqus_sets::Set;
use super::abaqus_surfaces::Surface;
use super::cursor::MEGABYTE;
use super::draft::{Draft, Index};
use super::input::{Input, parse_f64, parse_u64, shown};
use super::kind::{CellKind, SUPPORTED};
use crate::error::Diagnostic;
use crate::interrupt;
use std::collections::BTreeMap;

/// A keyword line, with those that continue it.
pub(super) struct Keyword<'a> {
    /// Upper case, single blanks, no star.
    name: String,
    parameters: Vec<(String, &'a [u8])>,
    pub(super) at: usize,
}

impl<'a> Keyword<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'a [u8]> {
        self.parameters.iter().find(|(k, _)| k == key).map(|(_, v)| *v)
    }
}

/// What a line of a set says.
pub(super) enum Item {
    One(u64),
    Range(u64, u64, u64),
    /// Another set, in upper case.
    Set(String),
}

/// An Abaqus input file while it is read.
pub(super) struct Inp<'a> {
    pub(super) input: Input<'a>,
    pos: usize,
    pub(super) draft: Draft<'a>,
    pub(super) sets: Vec<Set>,
    pub(super) surfaces: Vec<Surface>,
    /// Upper-case name and whether of nodes, to position.
    pub(super) by_name: BTreeMap<(String, bool), usize>,
    parts: usize,
    instances: usize,
    /// The name of the instance in upper case, and a dot: what names of its sets may begin with.
    prefix: String,
    pub(super) in_part: bool,
    /// The first type of shells and of plane elements, and where it stands.
    shell: Option<(String, usize)>,
    plane: Option<(String, usize)>,
}

/// Types that a message names.
const TYPES: &str = "T2D2, T3D2, CPS3, CPS4, CPE6, CPE8, CAX4, C3D4, C3D10, C3D5, C3D6, C3D8, C3D20, C3D27";

/// Reads a whole file.
pub(super) fn read(input: Input<'_>) -> Result<Draft<'_>, Diagnostic> {
    let mut inp = Inp {
        input,
        pos: 0,
        draft: Draft::new(input),
        sets: Vec::new(),
        surfaces: Vec::new(),
        by_name: BTreeMap::new(),
        parts: 0,
        instances: 0,
        prefix: String::new(),
        in_part: false,
        shell: None,
        plane: None,
    };
    while let Some(line) = inp.line() {
        if line.first() == Some(&b'*') {
            let keyword = inp.keyword(line)?;
            inp.block(&keyword)?;
        }
    }
    inp.families()?;
    inp.middle_nodes();
    inp.inner_nodes();
    inp.groups()?;
    Ok(inp.draft)
}

pub(super) fn upper(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_uppercase()
}

fn unquoted(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    value.strip_prefix(b"\"").and_then(|v| v.strip_suffix(b"\"")).unwrap_or(value)
}

impl<'a> Inp<'a> {
    /// The next line that is neither blank nor a comment, trimmed.
    fn line(&mut self) -> Option<&'a [u8]> {
        loop {
            let rest = self.input.bytes.get(self.pos..).filter(|r| !r.is_empty())?;
            let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            let from = self.pos;
            self.pos += (length + 1).min(rest.len());
            if (from ^ self.pos) >> MEGABYTE != 0 && interrupt::requested() {
                return None;
            }
            let line = rest[..length].trim_ascii();
            if !line.is_empty() && !line.starts_with(b"**") {
                return Some(line);
            }
        }
    }

    /// The next line, if it is data.
    pub(super) fn data(&mut self) -> Option<&'a [u8]> {
        let before = self.pos;
        let line = self.line()?;
        if line[0] == b'*' {
            self.pos = before;
            return None;
        }
        Some(line)
    }

    pub(super) fn at(&self, piece: &[u8]) -> usize {
        self.input.place(piece)
    }

    pub(super) fn place(&self, piece: &[u8]) -> usize {
        self.at(piece)
    }

    /// A number, or the name of a set; either may have the name of the instance before it.
    pub(super) fn item(&self, field: &[u8], what: &str) -> Result<Item, Diagnostic> {
        let name = upper(unquoted(field));
        let name = name.strip_prefix(&self.prefix).unwrap_or(&name);
        match name.as_bytes() {
            [b'0'..=b'9', ..] if name.len() == field.len() => Ok(Item::One(self.number(field, what)?)),
            digits if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                let number = parse_u64(digits).filter(|n| *n > 0);
                number.map(Item::One).ok_or_else(|| {
                    let message = format!("expected the number of {what}, found `{}`", shown(field));
                    self.input.fault(self.at(field), message)
                })
            }
            _ => Ok(Item::Set(name.to_string())),
        }
    }

    fn keyword(&mut self, first: &'a [u8]) -> Result<Keyword<'a>, Diagnostic> {
        let mut fields: Vec<&'a [u8]> = first[1..].split(|b| *b == b',').collect();
        // A comma at the end continues the line.
        while fields.len() > 1 && fields.last().is_some_and(|f| f.trim_ascii().is_empty()) {
            fields.pop();
            match self.data() {
                Some(line) => fields.extend(line.split(|b| *b == b',')),
                None => break,
            }
        }
        let parameters = fields[1..].iter().map(|field| {
            let equals = field.iter().position(|b| *b == b'=');
            let (key, value) =
                equals.map_or((*field, &field[field.len()..]), |i| (&field[..i], &field[i + 1..]));
            (upper(key), unquoted(value))
        });
        let parameters = parameters.collect();
        Ok(Keyword { name: upper(fields[0]), parameters, at: self.at(first) })
    }

    fn block(&mut self, keyword: &Keyword<'a>) -> Result<(), Diagnostic> {
        let refuse = |what: &str, help: &str| Err(self.input.fault(keyword.at, what).help(help));
        match keyword.name.as_str() {
            "NODE" | "ELEMENT" | "NSET" | "ELSET" | "SURFACE" if keyword.get("INPUT").is_some() => {
                refuse("data in another file (INPUT=) are not supported", "put them into this file")
            }
            "NODE" => self.nodes(keyword),
            "ELEMENT" => self.elements(keyword),
            "NSET" => self.set(keyword, true),
            "ELSET" => self.set(keyword, false),
            "SURFACE" => self.surface(keyword),
            "INCLUDE" => refuse("`*INCLUDE` is not supported", "put everything into one file"),
            "NGEN" | "NFILL" | "NCOPY" | "NMAP" | "ELGEN" | "ELCOPY" | "SYSTEM" => {
                let what = format!("`*{}` is not supported", keyword.name);
                refuse(&what, "give every node by *NODE and every element by *ELEMENT, in global coordinates")
            }
            "PART" if self.parts > 0 => {
                refuse("a second `*PART` is not supported", "merge the parts into one")
            }
            "PART" => {
                (self.parts, self.in_part) = (1, true);
                Ok(())
            }
            "END PART" => {
                self.in_part = false;
                Ok(())
            }
            "INSTANCE" if self.instances > 0 => {
                refuse("a second `*INSTANCE` is not supported", "merge the instances into one part")
            }
            "INSTANCE" => {
                self.instances = 1;
                if let Some(name) = keyword.get("NAME").filter(|name| !name.is_empty()) {
                    self.prefix = upper(name) + ".";
                }
                match self.data() {
                    None => Ok(()),
                    Some(line) => Err(self
                        .input
                        .fault(self.at(line), "an instance moved from its part's place is not supported")
                        .help("give the part where it shall be")),
                }
            }
            _ => Ok(()),
        }
    }

    pub(super) fn number(&self, field: &[u8], what: &str) -> Result<u64, Diagnostic> {
        let field = field.trim_ascii();
        parse_u64(field).filter(|n| *n > 0).ok_or_else(|| {
            let message = format!("expected the number of {what}, found `{}`", shown(field));
            self.input.fault(self.at(field), message)
        })
    }

    fn nodes(&mut self, keyword: &Keyword<'a>) -> Result<(), Diagnostic> {
        if keyword.get("SYSTEM").is_some_and(|s| upper(s) != "R") {
            let message = "only Cartesian coordinates (SYSTEM=R) are supported";
            return Err(self.input.fault(keyword.at, message));
        }
        let set = match keyword.get("NSET") {
            Some(name) => Some(self.set_named(name, true, keyword.at)?),
            None => None,
        };
        while let Some(line) = self.data() {
            let mut fields = line.split(|b| *b == b',');
            let tag = self.number(fields.next().unwrap_or(b""), "a node")?;
            let mut x = [0.0; 3];
            for x in &mut x {
                let Some(field) = fields.next().map(|f| f.trim_ascii()) else { break };
                if !field.is_empty() {
                    *x = parse_f64(field).ok_or_else(|| {
                        let message =
                            format!("expected a coordinate of node {tag}, found `{}`", shown(field));
                        self.input.fault(self.at(field), message)
                    })?;
                }
            }
            let at = self.at(line);
            self.draft.point(tag, at, x);
            if let Some(set) = set {
                self.sets[set].items.push((Item::One(tag), at));
            }
        }
        Ok(())
    }

    fn elements(&mut self, keyword: &Keyword<'a>) -> Result<(), Diagnostic> {
        let Some(name) = keyword.get("TYPE") else {
            return Err(self.input.fault(keyword.at, "`*ELEMENT` has no TYPE"));
        };
        let Some(kind) = kind(&upper(name)) else {
            let message = format!("element type `{}` is not supported", shown(name));
            let help = format!("{SUPPORTED}: {TYPES} and their kin");
            return Err(self.input.fault(self.at(name), message).help(help));
        };
        let type_name = upper(name);
        if is_shell(&type_name) {
            self.shell.get_or_insert((type_name.clone(), self.at(name)));
        }
        if type_name.starts_with("CAX") {
            self.draft.axisymmetric = true;
        } else if type_name.starts_with("CP") {
            self.plane.get_or_insert((type_name, self.at(name)));
        }
        let set = match keyword.get("ELSET") {
            Some(name) => Some(self.set_named(name, false, keyword.at)?),
            None => None,
        };
        while let Some(line) = self.data() {
            let at = self.at(line);
            let tag = self.element(kind, line)?;
            let block = &mut self.draft.blocks[kind as usize];
            block.tags.push(tag);
            block.places.push(at);
            if let Some(set) = set {
                self.sets[set].items.push((Item::One(tag), at));
            }
        }
        Ok(())
    }

    /// Pushes the nodes of one element; a comma at the end continues its line.
    fn element(&mut self, kind: CellKind, mut line: &'a [u8]) -> Result<u64, Diagnostic> {
        let (mut tag, mut found, at) = (None, 0, self.at(line));
        loop {
            let open = line.ends_with(b",");
            for field in line.split(|b| *b == b',') {
                if field.trim_ascii().is_empty() {
                    continue;
                }
                match tag {
                    None => tag = Some(self.number(field, "an element")?),
                    Some(_) => {
                        let node = self.number(field, "a node")?;
                        self.draft.blocks[kind as usize].nodes.push(node);
                        found += 1;
                    }
                }
            }
            if !open || found >= kind.nodes() {
                break;
            }
            match self.data() {
                Some(next) => line = next,
                None => break,
            }
        }
        match tag {
            Some(tag) if found == kind.nodes() => Ok(tag),
            _ => {
                let tag = tag.map_or(String::new(), |t| format!(" {t}"));
                let message =
                    format!("element{tag} has {found} nodes; a {} has {}", kind.name(), kind.nodes());
                Err(self.input.fault(at, message))
            }
        }
    }

    /// Refuses shells that are no sides of a solid body, and plane elements beside axisymmetric ones.
    fn families(&self) -> Result<(), Diagnostic> {
        let filled = CellKind::ALL.into_iter().zip(&self.draft.blocks).filter(|(_, b)| !b.tags.is_empty());
        let dimension = filled.map(|(kind, _)| kind.dimension()).max().unwrap_or(0);
        match (&self.shell, &self.plane) {
            (Some((name, at)), _) if dimension < 3 => {
                let message = format!("`{name}` is a shell; shells are not supported");
                let help = "expected solid elements (C3D8, ...), of which shells may be sides, or plane ones (CPS4, CPE4, ...)";
                Err(self.input.fault(*at, message).help(help))
            }
            (_, Some((name, at))) if self.draft.axisymmetric => {
                let message =
                    format!("`{name}` is a plane element, and others of the file are axisymmetric (CAX...)");
                Err(self.input.fault(*at, message).help("expected elements of one of the two"))
            }
            _ => Ok(()),
        }
    }

    /// Programs differ in the order of the seven inner nodes of a hexahedron of 27: each is put where it lies, between four corners or
    /// all eight. Where that is not clear they stay as they are, and the checks tell.
    fn inner_nodes(&mut self) {
        let block = &mut self.draft.blocks[CellKind::Hexahedron27 as usize];
        let Ok(index) = Index::new(&self.draft.tags) else { return };
        let points = &self.draft.points;
        let between = &CellKind::Hexahedron27.derived().between;
        for cell in block.nodes.as_chunks_mut::<27>().0 {
            let Some(x) = cell
                .iter()
                .map(|tag| index.get(*tag).map(|a| points[a as usize]))
                .collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            let mut placed = [None; 7];
            for own in 20..27 {
                let off = |place: usize| -> f64 {
                    let corners = &between[20 + place];
                    let mean =
                        |i: usize| corners.iter().map(|c| x[*c][i]).sum::<f64>() / corners.len() as f64;
                    (0..3).map(|i| (x[own][i] - mean(i)).powi(2)).sum()
                };
                if let Some(place) = (0..7).min_by(|p, q| off(*p).total_cmp(&off(*q))) {
                    placed[place] = Some(cell[own]);
                }
            }
            if placed.iter().all(Option::is_some) {
                cell[20..].iter_mut().zip(placed).for_each(|(node, found)| *node = found.unwrap_or(*node));
            }
        }
    }

    /// Abaqus puts the middle node of a line second, Gmsh last: we look where it lies.
    fn middle_nodes(&mut self) {
        let block = &mut self.draft.blocks[CellKind::Line3 as usize];
        let Ok(index) = Index::new(&self.draft.tags) else { return };
        for line in block.nodes.as_chunks_mut::<3>().0 {
            let Some([a, b, c]) = line
                .map(|tag| index.get(tag))
                .into_iter()
                .collect::<Option<Vec<_>>>()
                .and_then(|v| <[u32; 3]>::try_from(v).ok())
            else {
                continue;
            };
            let off = |m: u32, p: u32, q: u32| {
                let [m, p, q] = [m, p, q].map(|a| self.draft.points[a as usize]);
                (0..3).map(|i| (2.0 * m[i] - p[i] - q[i]).powi(2)).sum::<f64>()
            };
            if off(b, a, c) < off(c, a, b) {
                line.swap(1, 2);
            }
        }
    }
}

/// Our kind of an Abaqus element type: letters behind the name tell of its integration or material.
fn kind(name: &str) -> Option<CellKind> {
    let fits =
        |own: &str| name.strip_prefix(own).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_alphabetic()));
    CellKind::ALL.into_iter().find(|kind| kind.table().abaqus.iter().any(|own| fits(own)))
}

/// Whether a type is a shell: its name is an `S` and the number of its nodes.
fn is_shell(name: &str) -> bool {
    let number = name.strip_prefix("STRI").or(name.strip_prefix('S'));
    number.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
