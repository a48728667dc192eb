//! Sets of nodes and elements in Abaqus files (`*NSET`, `*ELSET`), and the groups made of sets and surfaces.

use super::abaqus::{Inp, Item, Keyword, upper};
use super::abaqus_surfaces::Known;
use super::draft::{Block, DraftGroup, Index};
use super::input::shown;
use super::kind::CellKind;
use crate::error::Diagnostic;

/// A set while it is read. Names of sets do not distinguish upper and lower case.
pub(super) struct Set {
    name: String,
    of_nodes: bool,
    in_part: bool,
    pub(super) items: Vec<(Item, usize)>,
}

impl<'a> Inp<'a> {
    /// The set that a keyword names, made when first met.
    pub(super) fn set_named(&mut self, name: &[u8], of_nodes: bool, at: usize) -> Result<usize, Diagnostic> {
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

    /// Reads a node set or an element set.
    pub(super) fn set(&mut self, keyword: &Keyword<'a>, of_nodes: bool) -> Result<(), Diagnostic> {
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

    /// Makes groups of all sets and surfaces.
    pub(super) fn groups(&mut self) -> Result<(), Diagnostic> {
        let blocks = &self.draft.blocks;
        let cells: Vec<(u32, u32)> = (0..)
            .zip(blocks)
            .flat_map(|(b, block)| (0..block.tags.len() as u32).map(move |k| (b, k)))
            .collect();
        let tags: Vec<u64> = blocks.iter().flat_map(|b| b.tags.iter().copied()).collect();
        // Duplicate numbers are reported by the draft.
        let (Ok(of_cells), Ok(of_nodes)) = (Index::new(&tags), Index::new(&self.draft.tags)) else {
            return Ok(());
        };
        let mut done: Vec<Vec<u32>> = Vec::new();
        for set in &self.sets {
            let index = if set.of_nodes { &of_nodes } else { &of_cells };
            let members = self.members(set, index, &done)?;
            done.push(members);
        }
        let nodes_of = |members: &[u32]| nodes_of_cells(blocks, members.iter().map(|i| cells[*i as usize]));
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
            // A node set with the name and the nodes of a surface is one group with it.
            groups.retain(|group| !surfaces.iter().any(|surface| self.is_twin(group, surface)));
            groups.extend(surfaces);
        }
        self.draft.groups = groups;
        Ok(())
    }

    /// Positions of the members of a set, ascending. A set may name sets before it.
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

/// The numbers of the nodes of some cells, in ascending order.
fn nodes_of_cells(blocks: &[Block], cells: impl Iterator<Item = (u32, u32)>) -> Vec<u64> {
    let of_cell = |(b, k): (u32, u32)| {
        let n = CellKind::ALL[b as usize].nodes();
        &blocks[b as usize].nodes[k as usize * n..][..n]
    };
    let mut nodes: Vec<u64> = cells.flat_map(of_cell).copied().collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
