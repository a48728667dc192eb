//! Abaqus input files: keyword lines with `*`, comments with `**`, data between commas.

use super::abaqus_surfaces::{Known, Surface};
use super::cursor::MEGABYTE;
use super::draft::{Draft, DraftGroup, Index};
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

/// A set being collected; names do not tell small letters from capitals.
struct Set {
    name: String,
    of_nodes: bool,
    in_part: bool,
    items: Vec<(Item, usize)>,
}

pub(super) struct Inp<'a> {
    pub(super) input: Input<'a>,
    pos: usize,
    pub(super) draft: Draft<'a>,
    sets: Vec<Set>,
    pub(super) surfaces: Vec<Surface>,
    /// Upper-case name and whether of nodes, to position.
    by_name: BTreeMap<(String, bool), usize>,
    parts: usize,
    instances: usize,
    /// The name of the instance in upper case, and a dot: what names of its sets may begin with.
    prefix: String,
    in_part: bool,
}

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
    };
    while let Some(line) = inp.line() {
        if line.first() == Some(&b'*') {
            let keyword = inp.keyword(line)?;
            inp.block(&keyword)?;
        }
    }
    inp.middle_nodes();
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

    fn at(&self, piece: &[u8]) -> usize {
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

    fn number(&self, field: &[u8], what: &str) -> Result<u64, Diagnostic> {
        let field = field.trim_ascii();
        parse_u64(field).filter(|n| *n > 0).ok_or_else(|| {
            let message = format!("expected the number of {what}, found `{}`", shown(field));
            self.input.fault(self.at(field), message)
        })
    }

    /// The set that a keyword names, made when first met.
    fn set_named(&mut self, name: &[u8], of_nodes: bool, at: usize) -> Result<usize, Diagnostic> {
        if name.is_empty() {
            return Err(self.input.fault(at, "a set has no name"));
        }
        let key = (upper(name), of_nodes);
        let slot = *self.by_name.entry(key).or_insert(self.sets.len());
        if slot == self.sets.len() {
            let name = String::from_utf8_lossy(name).into_owned();
            self.sets.push(Set { name, of_nodes, in_part: self.in_part, items: Vec::new() });
        }
        if self.sets[slot].in_part != self.in_part {
            let message = format!("set `{}` is given both inside the part and outside", shown(name));
            return Err(self.input.fault(at, message).help("rename one of them"));
        }
        Ok(slot)
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
            let help = format!("{SUPPORTED}: T2D2, T3D2, CPS3, CPE3, CPS6, CPE6, C3D4, C3D10 and their kin");
            return Err(self.input.fault(self.at(name), message).help(help));
        };
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

    fn set(&mut self, keyword: &Keyword<'a>, of_nodes: bool) -> Result<(), Diagnostic> {
        let key = if of_nodes { "NSET" } else { "ELSET" };
        let Some(name) = keyword.get(key) else {
            return Err(self.input.fault(keyword.at, format!("`*{key}` has no {key}= with its name")));
        };
        let slot = self.set_named(name, of_nodes, keyword.at)?;
        if keyword.get("ELSET").is_some() && of_nodes {
            let message = "a node set made from an element set (ELSET=) is not supported";
            return Err(self
                .input
                .fault(keyword.at, message)
                .help("use the element set; it knows its nodes"));
        }
        let generate = keyword.get("GENERATE").is_some();
        let what = if of_nodes { "a node" } else { "an element" };
        while let Some(line) = self.data() {
            let fields = line.split(|b| *b == b',').map(<[u8]>::trim_ascii).filter(|f| !f.is_empty());
            if generate {
                let numbers = fields.map(|f| self.number(f, what)).collect::<Result<Vec<_>, _>>()?;
                let (first, last, step) = match numbers[..] {
                    [first, last] => (first, last, 1),
                    [first, last, step] => (first, last, step),
                    _ => (1, 0, 1),
                };
                if first > last {
                    let message = "GENERATE takes a first number, a last not below it, and a step";
                    return Err(self.input.fault(self.at(line), message));
                }
                let at = self.at(line);
                self.sets[slot].items.push((Item::Range(first, last, step), at));
                continue;
            }
            for field in fields {
                let item = self.item(field, what)?;
                let at = self.at(field);
                self.sets[slot].items.push((item, at));
            }
        }
        Ok(())
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

    fn groups(&mut self) -> Result<(), Diagnostic> {
        let blocks = &self.draft.blocks;
        let cells: Vec<(u32, u32)> = (0..)
            .zip(blocks)
            .flat_map(|(b, block)| (0..block.tags.len() as u32).map(move |k| (b, k)))
            .collect();
        let tags: Vec<u64> = blocks.iter().flat_map(|b| b.tags.iter().copied()).collect();
        // Numbers given twice are for the draft to tell.
        let (Ok(of_cells), Ok(of_nodes)) = (Index::new(&tags), Index::new(&self.draft.tags)) else {
            return Ok(());
        };
        let mut done: Vec<Vec<u32>> = Vec::new();
        for set in &self.sets {
            let index = if set.of_nodes { &of_nodes } else { &of_cells };
            let members = self.members(set, index, &done)?;
            done.push(members);
        }
        let nodes_of = |members: &[u32]| {
            let own = members.iter().map(|i| cells[*i as usize]);
            let mut nodes: Vec<u64> = own
                .flat_map(|(b, k)| {
                    let n = CellKind::ALL[b as usize].nodes();
                    &blocks[b as usize].nodes[k as usize * n..][..n]
                })
                .copied()
                .collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let mut groups = Vec::new();
        for (set, members) in self.sets.iter().zip(&done) {
            let at = set.items.first().map_or(0, |i| i.1);
            let mut group = DraftGroup::new(set.name.clone(), 0);
            if set.of_nodes {
                let mut tags: Vec<u64> = members.iter().map(|a| self.draft.tags[*a as usize]).collect();
                tags.sort_unstable();
                let twin = self.by_name.get(&(upper(set.name.as_bytes()), false));
                if twin.is_some_and(|t| nodes_of(&done[*t]) == tags) {
                    continue;
                }
                group.nodes = tags.into_iter().map(|t| (t, at)).collect();
            } else {
                group.cells = members.iter().map(|i| cells[*i as usize]).collect();
                let dimension = |c: &(u32, u32)| CellKind::ALL[c.0 as usize].dimension();
                group.dimension = group.cells.iter().map(dimension).max().unwrap_or(0);
            }
            groups.push(group);
        }
        if !self.surfaces.is_empty() {
            let by_name = std::mem::take(&mut self.by_name);
            let known = Known {
                by_name: &by_name,
                members: &done,
                nodes: &of_nodes,
                elements: &of_cells,
                cells: &cells,
            };
            let surfaces = self.surface_groups(&known)?;
            // A set of the nodes of a surface, of the same name, is one group with it.
            groups.retain(|group| !surfaces.iter().any(|surface| self.is_twin(group, surface)));
            groups.extend(surfaces);
        }
        self.draft.groups = groups;
        Ok(())
    }

    /// Positions of what a set holds, ascending. A set may name those before it.
    fn members(&self, set: &Set, index: &Index, done: &[Vec<u32>]) -> Result<Vec<u32>, Diagnostic> {
        let what = if set.of_nodes { "node" } else { "element" };
        let mut members = Vec::new();
        let mut most = 1024;
        for (item, at) in &set.items {
            let unknown = |tag: u64| {
                let message = format!("set `{}` names {what} {tag}, which the file does not give", set.name);
                self.input.fault(*at, message)
            };
            match item {
                Item::One(tag) => members.push(index.get(*tag).ok_or_else(|| unknown(*tag))?),
                Item::Range(first, last, step) => {
                    // Ends at the first number that does not exist, so no range outlasts the mesh.
                    for i in 0..=(last - first) / step {
                        let tag = first + i * step;
                        members.push(index.get(tag).ok_or_else(|| unknown(tag))?);
                    }
                }
                Item::Set(name) => {
                    let known = self.by_name.get(&(name.clone(), set.of_nodes)).and_then(|i| done.get(*i));
                    let Some(known) = known else {
                        let message =
                            format!("set `{}` names `{name}`, no {what} set given before it", set.name);
                        return Err(self.input.fault(*at, message));
                    };
                    members.extend_from_slice(known);
                }
            }
            if members.len() > most {
                members.sort_unstable();
                members.dedup();
                most = 2 * members.len() + 1024;
            }
        }
        members.sort_unstable();
        members.dedup();
        Ok(members)
    }
}

/// Our kind of an Abaqus element type: a letter behind the name tells of its integration or material.
fn kind(name: &str) -> Option<CellKind> {
    const KINDS: [(&str, CellKind); 24] = [
        ("T2D2", CellKind::Line2),
        ("T3D2", CellKind::Line2),
        ("B21", CellKind::Line2),
        ("B31", CellKind::Line2),
        ("SPRINGA", CellKind::Line2),
        ("T2D3", CellKind::Line3),
        ("T3D3", CellKind::Line3),
        ("B22", CellKind::Line3),
        ("B32", CellKind::Line3),
        ("CPS3", CellKind::Triangle3),
        ("CPE3", CellKind::Triangle3),
        ("S3", CellKind::Triangle3),
        ("STRI3", CellKind::Triangle3),
        ("M3D3", CellKind::Triangle3),
        ("SFM3D3", CellKind::Triangle3),
        ("R3D3", CellKind::Triangle3),
        ("CPS6", CellKind::Triangle6),
        ("CPE6", CellKind::Triangle6),
        ("S6", CellKind::Triangle6),
        ("STRI65", CellKind::Triangle6),
        ("M3D6", CellKind::Triangle6),
        ("SFM3D6", CellKind::Triangle6),
        ("C3D4", CellKind::Tetrahedron4),
        ("C3D10", CellKind::Tetrahedron10),
    ];
    let fits =
        |own: &str| name.strip_prefix(own).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_alphabetic()));
    KINDS.iter().find(|(own, _)| fits(own)).map(|(_, kind)| *kind)
}
