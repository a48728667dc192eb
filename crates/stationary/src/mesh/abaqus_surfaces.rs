//! `*SURFACE` of Abaqus files: named sides of elements, or nodes.
//!
//! Sides become cells of their own, lines around plane elements, triangles and quadrilaterals around solid ones, as a mesher that knows groups of sides writes
//! them. Loads, supports and refinement then know them like any other group.

use super::abaqus::{Inp, Item, Keyword, upper};
use super::draft::{Block, DraftGroup, Index};
use super::input::shown;
use super::kind::CellKind;
use crate::error::{Diagnostic, near_miss};
use std::collections::{BTreeMap, BTreeSet};

/// A surface being collected.
pub(super) struct Surface {
    name: String,
    of_nodes: bool,
    parts: Vec<Part>,
}

/// What one line of a surface says.
struct Part {
    item: Item,
    /// `S1`, `SPOS`, ... in upper case; empty for all free sides.
    side: String,
    at: usize,
}

/// Sets that are resolved: name in upper case and whether of nodes, to what they hold.
pub(super) struct Known<'a> {
    pub by_name: &'a BTreeMap<(String, bool), usize>,
    pub members: &'a [Vec<u32>],
    /// Positions of nodes and of elements by their numbers.
    pub nodes: &'a Index,
    pub elements: &'a Index,
    /// Kind and index of each element.
    pub cells: &'a [(u32, u32)],
}

impl<'a> Inp<'a> {
    /// Reads the lines of `*SURFACE`.
    pub(super) fn surface(&mut self, keyword: &Keyword<'a>) -> Result<(), Diagnostic> {
        let refuse = |what: String, help: &str| Err(self.input.fault(keyword.at, what).help(help));
        let Some(name) = keyword.get("NAME").filter(|name| !name.is_empty()) else {
            return refuse("`*SURFACE` has no NAME".into(), "expected `*SURFACE, TYPE=ELEMENT, NAME=...`");
        };
        let of_nodes = match upper(keyword.get("TYPE").unwrap_or(b"ELEMENT")).as_str() {
            "ELEMENT" => false,
            "NODE" => true,
            other => {
                let message = format!("a surface of type `{}` is not supported", shown(other.as_bytes()));
                let help = "supported are TYPE=ELEMENT (elements or sets and their sides) and TYPE=NODE; \
                            remove what no load or support needs";
                return refuse(message, help);
            }
        };
        for key in ["COMBINE", "CROP"] {
            if keyword.get(key).is_some() {
                let message = format!("a surface made from others ({key}=) is not supported");
                return refuse(message, "name its elements and their sides");
            }
        }
        let mut parts = Vec::new();
        while let Some(line) = self.data() {
            let at = self.place(line);
            let mut fields = line.split(|b| *b == b',').map(<[u8]>::trim_ascii);
            let first = fields.next().unwrap_or(b"");
            if first.is_empty() {
                let message = format!("a line of surface `{}` names nothing", shown(name));
                return Err(self.input.fault(at, message).help("expected an element or a set, and a side"));
            }
            let item = self.item(first, if of_nodes { "a node" } else { "an element" })?;
            // Of a surface of nodes, the second field is an area, which no load here asks for.
            let side = if of_nodes { String::new() } else { upper(fields.next().unwrap_or(b"")) };
            parts.push(Part { item, side, at });
        }
        self.surfaces.push(Surface { name: String::from_utf8_lossy(name).into_owned(), of_nodes, parts });
        Ok(())
    }

    /// The groups of all surfaces; sides that no cell of the file stands for are added to the blocks.
    pub(super) fn surface_groups(&mut self, known: &Known) -> Result<Vec<DraftGroup>, Diagnostic> {
        let surfaces = std::mem::take(&mut self.surfaces);
        let mut groups = Vec::new();
        let mut sides = Sides::new(&self.draft.blocks);
        for surface in &surfaces {
            let mut group = DraftGroup::new(surface.name.clone(), 0);
            for part in &surface.parts {
                let members = self.surface_members(surface, part, known)?;
                if surface.of_nodes {
                    group.nodes.extend(members.iter().map(|a| (self.draft.tags[*a as usize], part.at)));
                    continue;
                }
                for member in members {
                    let cell = known.cells[member as usize];
                    self.add_sides(surface, part, cell, &mut sides, &mut group)?;
                }
            }
            if group.cells.is_empty() && group.nodes.is_empty() {
                let at = surface.parts.first().map_or(self.input.bytes.len(), |part| part.at);
                let message = format!("surface `{}` has no side of an element", surface.name);
                return Err(self
                    .input
                    .fault(at, message)
                    .help("expected elements with a side on the surface"));
            }
            let dimension = |c: &(u32, u32)| CellKind::ALL[c.0 as usize].dimension();
            group.dimension = group.cells.iter().map(dimension).max().unwrap_or(0);
            groups.push(group);
        }
        Ok(groups)
    }

    /// Whether a set of nodes has the name and the nodes of a surface.
    pub(super) fn is_twin(&self, set: &DraftGroup, surface: &DraftGroup) -> bool {
        if !set.cells.is_empty() || upper(set.name.as_bytes()) != upper(surface.name.as_bytes()) {
            return false;
        }
        let of_cell = |(kind, k): &(u32, u32)| {
            let n = CellKind::ALL[*kind as usize].nodes();
            &self.draft.blocks[*kind as usize].nodes[*k as usize * n..][..n]
        };
        let distinct = |nodes: Vec<u64>| nodes.into_iter().collect::<BTreeSet<u64>>();
        let mut own: Vec<u64> = surface.nodes.iter().map(|(tag, _)| *tag).collect();
        own.extend(surface.cells.iter().flat_map(of_cell));
        distinct(own) == distinct(set.nodes.iter().map(|(tag, _)| *tag).collect())
    }

    /// Positions of the nodes or elements that a line names.
    fn surface_members(&self, surface: &Surface, part: &Part, known: &Known) -> Result<Vec<u32>, Diagnostic> {
        let (what, index) = match surface.of_nodes {
            true => ("node", known.nodes),
            false => ("element", known.elements),
        };
        let name = &surface.name;
        match &part.item {
            Item::Set(set) => {
                let slot = known.by_name.get(&(set.clone(), surface.of_nodes));
                slot.map(|slot| known.members[*slot].clone()).ok_or_else(|| {
                    let message = format!("surface `{name}` names `{set}`, no {what} set of the file");
                    let names = known.by_name.keys().filter(|(_, nodes)| *nodes == surface.of_nodes);
                    let fault = self.input.fault(part.at, message);
                    match near_miss(set, names.map(|(name, _)| name.as_str())) {
                        Some(near) => fault.help(format!("did you mean `{near}`?")),
                        None => fault.help(format!("expected the number of an {what} or the name of a set")),
                    }
                })
            }
            Item::One(tag) => index.get(*tag).map(|i| vec![i]).ok_or_else(|| {
                let message = format!("surface `{name}` names {what} {tag}, which the file does not give");
                self.input.fault(part.at, message)
            }),
            Item::Range(..) => Ok(Vec::new()),
        }
    }

    /// Adds the sides of one element that a line names.
    fn add_sides(
        &mut self,
        surface: &Surface,
        part: &Part,
        (slot, k): (u32, u32),
        sides: &mut Sides,
        group: &mut DraftGroup,
    ) -> Result<(), Diagnostic> {
        let (input, kind) = (self.input, CellKind::ALL[slot as usize]);
        let tag = self.draft.blocks[slot as usize].tags[k as usize];
        let refuse = |message: String, help: &str| {
            let message = format!("surface `{}`: {message}", surface.name);
            Err(input.fault(part.at, message).help(help))
        };
        let whole = matches!(part.side.as_str(), "SPOS" | "SNEG");
        if whole && kind.dimension() == 2 {
            if sides.dimension < 3 {
                let message =
                    format!("{} of element {tag} is the face of a shell, which no load acts on", part.side);
                return refuse(message, "expected its edges, S1, S2, ..., in a plane body");
            }
            group.cells.push((slot, k));
            return Ok(());
        }
        let count = kind.faces().len();
        let chosen: Vec<usize> = match part.side.as_bytes() {
            b"" => (0..count).filter(|side| sides.is_free(&self.draft.blocks, kind, k, *side)).collect(),
            [b'S' | b'E', digit @ b'1'..=b'9'] if usize::from(digit - b'1') < count => {
                vec![usize::from(digit - b'1')]
            }
            _ => {
                let (side, name) = (shown(part.side.as_bytes()), kind.name());
                let message = format!("element {tag} ({name}) has no side `{side}`");
                return match kind.dimension() {
                    3 => refuse(message, &format!("expected S1 to S{count}")),
                    2 => refuse(
                        message,
                        &format!("expected S1 to S{count}, the edges; SPOS and SNEG are faces of shells"),
                    ),
                    _ => refuse(message, "lines have no sides: name their nodes by `*NSET`"),
                };
            }
        };
        for side in chosen {
            let Some(cell) = sides.cell(&mut self.draft.blocks, (kind, k), side, part.at) else {
                return refuse(
                    "there are no numbers left for its sides".into(),
                    "number the elements from 1",
                );
            };
            group.cells.push(cell);
        }
        Ok(())
    }
}

/// The sides that are cells already, and what new ones are to be called.
struct Sides {
    /// Largest dimension of an element.
    dimension: u32,
    /// Kind and index of lines and plane cells, by their nodes in ascending order.
    cells: BTreeMap<Vec<u64>, (u32, u32)>,
    /// How many elements of the largest dimension have a side; counted when first asked for.
    uses: Option<BTreeMap<Vec<u64>, u32>>,
    /// The number of the next side: after all elements of the file.
    next: Option<u64>,
}

fn sorted(mut nodes: Vec<u64>) -> Vec<u64> {
    nodes.sort_unstable();
    nodes
}

fn side_nodes(blocks: &[Block], kind: CellKind, k: u32, side: usize) -> Vec<u64> {
    let own = &blocks[kind as usize].nodes[k as usize * kind.nodes()..];
    kind.faces()[side].iter().map(|local| own[*local]).collect()
}

impl Sides {
    fn new(blocks: &[Block]) -> Self {
        let filled = || CellKind::ALL.into_iter().zip(blocks).filter(|(_, block)| !block.tags.is_empty());
        let dimension = filled().map(|(kind, _)| kind.dimension()).max().unwrap_or(0);
        let mut cells = BTreeMap::new();
        for (kind, block) in filled().filter(|(kind, _)| (1..dimension).contains(&kind.dimension())) {
            for (k, nodes) in (0..).zip(block.nodes.chunks_exact(kind.nodes())) {
                cells.entry(sorted(nodes.to_vec())).or_insert((kind as u32, k));
            }
        }
        let last = blocks.iter().flat_map(|block| &block.tags).max().copied().unwrap_or(0);
        Sides { dimension, cells, uses: None, next: last.checked_add(1) }
    }

    /// Whether a side belongs to one element alone.
    fn is_free(&mut self, blocks: &[Block], kind: CellKind, k: u32, side: usize) -> bool {
        let dimension = self.dimension;
        let uses = self.uses.get_or_insert_with(|| {
            let mut uses = BTreeMap::new();
            for (kind, block) in CellKind::ALL.into_iter().zip(blocks) {
                if kind.dimension() == dimension {
                    for k in 0..block.tags.len() as u32 {
                        for side in 0..kind.faces().len() {
                            *uses.entry(sorted(side_nodes(blocks, kind, k, side))).or_insert(0) += 1;
                        }
                    }
                }
            }
            uses
        });
        uses.get(&sorted(side_nodes(blocks, kind, k, side))) == Some(&1)
    }

    /// The cell of a side, made when first asked for; none if there is no number for it.
    fn cell(
        &mut self,
        blocks: &mut [Block],
        (kind, k): (CellKind, u32),
        side: usize,
        at: usize,
    ) -> Option<(u32, u32)> {
        let nodes = side_nodes(blocks, kind, k, side);
        let key = sorted(nodes.clone());
        if let Some(cell) = self.cells.get(&key) {
            return Some(*cell);
        }
        let tag = self.next?;
        self.next = tag.checked_add(1);
        let own = kind.face_kind(side);
        let block = &mut blocks[own as usize];
        let cell = (own as u32, block.tags.len() as u32);
        block.nodes.extend(nodes);
        block.tags.push(tag);
        block.places.push(at);
        self.cells.insert(key, cell);
        Some(cell)
    }
}
