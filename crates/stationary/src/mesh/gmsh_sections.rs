//! What stands inside the sections of a MSH file.

use super::cursor::Mode;
use super::draft::Block;
use super::gmsh::{Msh, Tag, kind};
use super::input::shown;
use super::kind::CellKind;
use super::topology::duplicates;
use crate::error::Diagnostic;
use std::collections::BTreeMap;

/// Physical groups of each entity (4.1).
#[derive(Default)]
pub(super) struct Entities(BTreeMap<Tag, Vec<i64>>);

/// Physical group and entity of each element, by kind (2.2).
#[derive(Default)]
pub(super) struct Labels([Vec<(i64, i64)>; CellKind::ALL.len()]);

impl Msh<'_> {
    /// Always text: dimension, number and name in quotes, one a line.
    pub fn physical_names(&mut self) -> Result<(), Diagnostic> {
        let cursor = &mut self.cursor;
        cursor.mode = Mode::Text;
        for _ in 0..cursor.count("names", 3)? {
            let at = cursor.place();
            let (dimension, tag) = (cursor.int()?, cursor.int()?);
            let Ok(dimension @ 0..=3) = u32::try_from(dimension) else {
                let message = format!("a group has dimension 0 to 3, not {dimension}");
                return Err(cursor.input.fault(at, message));
            };
            cursor.skip_blanks();
            let rest = &cursor.input.bytes[cursor.pos..];
            let line = &rest[..rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())];
            let inner = line.trim_ascii().strip_prefix(b"\"").and_then(|l| l.strip_suffix(b"\""));
            let Some(inner) = inner else {
                let message = format!("expected a name in quotes, found `{}`", shown(line.trim_ascii()));
                return Err(cursor.input.fault(cursor.pos, message));
            };
            cursor.pos += line.len();
            let name = String::from_utf8_lossy(inner).into_owned();
            let twice = |(d, t): &Tag| *d == dimension && *t != tag;
            if self.names.iter().any(|(other, n)| *n == name && twice(other)) {
                let message = format!("two groups of dimension {dimension} are called `{name}`");
                return Err(cursor.input.fault(at, message));
            }
            self.names.insert((dimension, tag), name);
        }
        Ok(())
    }

    pub fn entities(&mut self) -> Result<(), Diagnostic> {
        let cursor = &mut self.cursor;
        let mut counts = [0; 4];
        for (d, count) in counts.iter_mut().enumerate() {
            *count = cursor.count("entities", if d == 0 { 5 } else { 9 })?;
        }
        for (dimension, count) in (0..).zip(counts) {
            for _ in 0..count {
                let tag = cursor.int()?;
                for _ in 0..if dimension == 0 { 3 } else { 6 } {
                    cursor.double()?;
                }
                let physical = cursor.count("physical groups of an entity", 1)?;
                let mut groups = Vec::with_capacity(physical);
                for _ in 0..physical {
                    // A sign tells the orientation, which the elements have already.
                    groups.push(cursor.int()?.saturating_abs());
                }
                if !groups.is_empty() {
                    self.entities.0.insert((dimension, tag), groups);
                }
                if dimension > 0 {
                    for _ in 0..cursor.count("bounding entities", 1)? {
                        cursor.int()?;
                    }
                }
            }
        }
        Ok(())
    }

    pub fn nodes_4(&mut self) -> Result<(), Diagnostic> {
        let cursor = &mut self.cursor;
        let blocks = cursor.count("blocks", 4)?;
        let at = cursor.place();
        let promised = cursor.count("nodes", 4)?;
        cursor.size()?;
        cursor.size()?;
        let before = self.draft.points.len();
        self.draft.points.reserve(promised);
        for _ in 0..blocks {
            let (dimension, _) = (cursor.int()?, cursor.int()?);
            let parametric = cursor.int()? != 0;
            let count = cursor.count("nodes of a block", 4)?;
            for _ in 0..count {
                let place = cursor.place();
                self.draft.places.push(place);
                self.draft.tags.push(cursor.size()?);
            }
            let extra = if parametric { dimension.clamp(0, 3) } else { 0 };
            for _ in 0..count {
                self.draft.points.push([cursor.double()?, cursor.double()?, cursor.double()?]);
                for _ in 0..extra {
                    cursor.double()?;
                }
            }
        }
        let found = self.draft.points.len() - before;
        if found != promised {
            let message = format!("$Nodes promises {promised} nodes, its blocks hold {found}");
            return Err(cursor.input.fault(at, message));
        }
        Ok(())
    }

    pub fn elements_4(&mut self) -> Result<(), Diagnostic> {
        let blocks = self.cursor.count("blocks", 4)?;
        let at = self.cursor.place();
        let promised = self.cursor.count("elements", 2)?;
        self.cursor.size()?;
        self.cursor.size()?;
        let mut found = 0;
        for _ in 0..blocks {
            let (dimension, entity) = (self.cursor.int()?, self.cursor.int()?);
            let type_at = self.cursor.place();
            let code = self.cursor.int()?;
            let kind = kind(&self.cursor, type_at, code)?;
            if dimension != i64::from(kind.dimension()) {
                let message = format!("a {} cannot lie in an entity of dimension {dimension}", kind.name());
                return Err(self.cursor.input.fault(type_at, message));
            }
            let count = self.cursor.count("elements of a block", 1 + kind.nodes())?;
            found += count;
            let first = self.draft.blocks[kind as usize].tags.len();
            self.draft.blocks[kind as usize].nodes.reserve(count * kind.nodes());
            for _ in 0..count {
                let place = self.cursor.place();
                let tag = self.cursor.size()?;
                let mut nodes = [0; CellKind::MOST_NODES];
                for node in &mut nodes[..kind.nodes()] {
                    *node = self.cursor.size()?;
                }
                self.draft.blocks[kind as usize].element(kind, tag, place, nodes);
            }
            let groups = self.entities.0.get(&(kind.dimension(), entity)).cloned().unwrap_or_default();
            for physical in groups {
                let slot = self.group((kind.dimension(), physical));
                let range = (first..first + count).map(|k| (kind as u32, k as u32));
                self.draft.groups[slot].cells.extend(range);
            }
        }
        if found != promised {
            let message = format!("$Elements promises {promised} elements, its blocks hold {found}");
            return Err(self.cursor.input.fault(at, message));
        }
        Ok(())
    }

    pub fn nodes_2(&mut self) -> Result<(), Diagnostic> {
        let cursor = &mut self.cursor;
        let mode = cursor.mode;
        let count = text_count(cursor, "nodes", 4)?;
        cursor.mode = mode;
        self.draft.points.reserve(count);
        for _ in 0..count {
            let place = cursor.place();
            let tag = cursor.size()?;
            let x = [cursor.double()?, cursor.double()?, cursor.double()?];
            self.draft.point(tag, place, x);
        }
        Ok(())
    }

    pub fn elements_2(&mut self) -> Result<(), Diagnostic> {
        let mode = self.cursor.mode;
        let count = text_count(&mut self.cursor, "elements", 2)?;
        self.cursor.mode = mode;
        let mut found = 0;
        while found < count {
            // Binary: type and number of labels once for several elements; text: for each, after its number.
            let start = self.cursor.place();
            let number = if mode == Mode::Text { Some(self.cursor.size()?) } else { None };
            let at = self.cursor.place();
            let code = self.cursor.int()?;
            let kind = kind(&self.cursor, at, code)?;
            let several = match number {
                Some(_) => 1,
                None => self.cursor.count("elements of a block", 1 + kind.nodes())?,
            };
            if several == 0 || several > count - found {
                let message = format!("a block of {several} elements does not fit into the {count} promised");
                return Err(self.cursor.input.fault(at, message));
            }
            let labels = self.cursor.count("labels of an element", 1)?;
            for _ in 0..several {
                let (place, tag) = match number {
                    Some(number) => (start, number),
                    None => (self.cursor.pos, self.cursor.size()?),
                };
                self.element_2(kind, tag, place, labels)?;
            }
            found += several;
        }
        Ok(())
    }

    fn element_2(&mut self, kind: CellKind, tag: u64, place: usize, labels: usize) -> Result<(), Diagnostic> {
        let (mut label, mut nodes) = ([0; 2], [0; CellKind::MOST_NODES]);
        for i in 0..labels {
            let value = self.cursor.int()?;
            if let Some(slot) = label.get_mut(i) {
                *slot = value;
            }
        }
        for node in &mut nodes[..kind.nodes()] {
            *node = self.cursor.size()?;
        }
        self.labels.0[kind as usize].push((label[0].saturating_abs(), label[1]));
        self.draft.blocks[kind as usize].element(kind, tag, place, nodes);
        Ok(())
    }

    /// Groups of 2.2. An element in several groups is written once for each: one element again is made of these, and
    /// what remains equal is a fault for the checks to find.
    pub fn merge_labels(&mut self) {
        for kind in CellKind::ALL {
            let labels = std::mem::take(&mut self.labels.0[kind as usize]);
            let (mut same, mut others) = (BTreeMap::<u32, u32>::new(), BTreeMap::<u32, Vec<i64>>::new());
            let block = &mut self.draft.blocks[kind as usize];
            let nodes = |k: u32| &block.nodes[k as usize * kind.nodes()..][..kind.nodes()];
            for (first, later) in duplicates(labels.len(), nodes) {
                let (of_first, of_later) = (labels[first as usize], labels[later as usize]);
                let known = others.entry(first).or_insert_with(|| vec![of_first.0]);
                if of_first.1 == of_later.1 && !known.contains(&of_later.0) {
                    known.push(of_later.0);
                    same.insert(later, first);
                }
            }
            let mut place: Vec<u32> = (0..labels.len() as u32).collect();
            if !same.is_empty() {
                let mut kept = 0;
                for k in 0..labels.len() {
                    place[k] = match same.get(&(k as u32)) {
                        Some(first) => place[*first as usize],
                        None => {
                            block.keep(kind, k, kept as usize);
                            kept += 1;
                            kept - 1
                        }
                    };
                }
                block.cut(kind, kept as usize);
            }
            let mut last = (0, 0);
            for ((physical, _), k) in labels.iter().zip(place).filter(|((p, _), _)| *p != 0) {
                if last.0 != *physical {
                    last = (*physical, self.group((kind.dimension(), *physical)));
                }
                self.draft.groups[last.1].cells.push((kind as u32, k));
            }
        }
    }
}

/// Version 2.2 writes counts as text also in binary files, and numbers in four bytes each.
fn text_count(cursor: &mut super::cursor::Cursor, what: &str, numbers: usize) -> Result<usize, Diagnostic> {
    let binary = cursor.mode != Mode::Text;
    cursor.mode = Mode::Text;
    let count = cursor.count(what, if binary { 1 } else { numbers })?;
    if binary && cursor.input.bytes.get(cursor.pos) == Some(&b'\r') {
        cursor.pos += 1;
    }
    if binary && cursor.input.bytes.get(cursor.pos) == Some(&b'\n') {
        cursor.pos += 1;
    }
    Ok(count)
}

impl Block {
    /// Adds an element, its nodes in Gmsh's order.
    fn element(&mut self, kind: CellKind, tag: u64, place: usize, nodes: [u64; CellKind::MOST_NODES]) {
        self.tags.push(tag);
        self.places.push(place);
        match kind.table().gmsh_order {
            Some(order) => self.nodes.extend(order.iter().map(|i| nodes[*i])),
            None => self.nodes.extend_from_slice(&nodes[..kind.nodes()]),
        }
    }

    fn keep(&mut self, kind: CellKind, from: usize, to: usize) {
        let n = kind.nodes();
        self.tags[to] = self.tags[from];
        self.places[to] = self.places[from];
        self.nodes.copy_within(from * n..(from + 1) * n, to * n);
    }

    fn cut(&mut self, kind: CellKind, kept: usize) {
        self.tags.truncate(kept);
        self.places.truncate(kept);
        self.nodes.truncate(kept * kind.nodes());
    }
}
