//! What the readers of all formats fill in, and how it becomes a mesh.

use super::check::{At, check};
use super::input::Input;
use super::orient::turn_over;
use super::{CellId, CellKind, Cells, Group, Mesh};
use crate::error::Diagnostic;

/// Cells of one kind, their nodes by number.
#[derive(Default)]
pub(super) struct Block {
    pub nodes: Vec<u64>,
    pub tags: Vec<u64>,
    /// Bytes at which they stand in the file; one for all, if there is only one.
    pub places: Vec<usize>,
}

/// A group before its nodes are known. Cells are given by kind (its position in [`CellKind::ALL`]) and index.
pub(super) struct DraftGroup {
    pub name: String,
    pub dimension: u32,
    pub cells: Vec<CellId>,
    /// Numbers of nodes.
    pub nodes: Vec<(u64, usize)>,
}

pub(super) struct Draft<'a> {
    pub input: Input<'a>,
    pub points: Vec<[f64; 3]>,
    pub tags: Vec<u64>,
    pub places: Vec<usize>,
    pub blocks: [Block; CellKind::ALL.len()],
    pub groups: Vec<DraftGroup>,
    pub axisymmetric: bool,
}

impl<'a> Draft<'a> {
    pub fn new(input: Input<'a>) -> Self {
        Draft {
            input,
            points: Vec::new(),
            tags: Vec::new(),
            places: Vec::new(),
            blocks: Default::default(),
            groups: Vec::new(),
            axisymmetric: false,
        }
    }

    pub fn point(&mut self, tag: u64, place: usize, x: [f64; 3]) {
        self.points.push(x);
        self.tags.push(tag);
        self.places.push(place);
    }

    /// Numbers to indices, checks, blocks and groups.
    pub fn finish(self) -> Result<Mesh, Diagnostic> {
        let Draft { input, points, tags, places, blocks, groups, axisymmetric } = self;
        if u32::try_from(points.len()).is_err() || blocks.iter().any(|b| u32::try_from(b.tags.len()).is_err())
        {
            return Err(input.fault(0, "the mesh has more than 4294967295 nodes or elements of a kind"));
        }
        let index = Index::new(&tags).map_err(|(_, second)| {
            let message = format!("node {} is given a second time", tags[second]);
            input.fault(place(&places, second), message)
        })?;
        distinct_elements(&input, &blocks)?;
        let mut mesh =
            Mesh { name: input.name.into(), points, point_tags: tags, axisymmetric, ..Mesh::default() };
        let mut cell_places = Vec::new();
        let mut slot = [0; CellKind::ALL.len()];
        for (kind, block) in CellKind::ALL.into_iter().zip(blocks) {
            slot[kind as usize] = mesh.cells.len() as u32;
            if !block.tags.is_empty() {
                mesh.cells.push(resolve(&input, &index, kind, &block)?);
                cell_places.push(block.places);
            }
        }
        for group in groups {
            let group = group.finish(&input, &index, &mesh, &slot)?;
            mesh.groups.push(group);
        }
        mesh.groups.sort_by(|a, b| (&a.name, a.dimension).cmp(&(&b.name, b.dimension)));
        turn_over(&mut mesh);
        check(&mesh).map_err(|fault| {
            let at = match fault.at {
                At::Mesh => 0,
                At::Node(a) => place(&places, a as usize),
                At::Cell((b, k)) => place(&cell_places[b as usize], k as usize),
            };
            let d = input.fault(at, fault.message);
            if let Some(help) = fault.help { d.help(help) } else { d }
        })?;
        Ok(mesh)
    }
}

pub(super) fn place(places: &[usize], i: usize) -> usize {
    places.get(i).or(places.last()).copied().unwrap_or(0)
}

fn resolve(input: &Input, index: &Index, kind: CellKind, block: &Block) -> Result<Cells, Diagnostic> {
    let mut nodes = Vec::with_capacity(block.nodes.len());
    for (i, tag) in block.nodes.iter().enumerate() {
        let node = index.get(*tag).ok_or_else(|| {
            let k = i / kind.nodes();
            let message = format!("element {} names node {tag}, which the file does not give", block.tags[k]);
            input.fault(place(&block.places, k), message)
        })?;
        nodes.push(node);
    }
    Ok(Cells { kind, nodes, tags: block.tags.clone() })
}

fn distinct_elements(input: &Input, blocks: &[Block]) -> Result<(), Diagnostic> {
    let all: Vec<u64> = blocks.iter().flat_map(|b| b.tags.iter().copied()).collect();
    let Err((first, second)) = Index::new(&all) else { return Ok(()) };
    let place_of = |mut i: usize| {
        for block in blocks {
            if i < block.tags.len() {
                return place(&block.places, i);
            }
            i -= block.tags.len();
        }
        0
    };
    // Blocks by kind need not come in the order of the file.
    let at = place_of(first).max(place_of(second));
    Err(input.fault(at, format!("element {} is given a second time", all[second])))
}

impl DraftGroup {
    pub fn new(name: impl Into<String>, dimension: u32) -> Self {
        DraftGroup { name: name.into(), dimension, cells: Vec::new(), nodes: Vec::new() }
    }

    fn finish(self, input: &Input, index: &Index, mesh: &Mesh, slot: &[u32]) -> Result<Group, Diagnostic> {
        let mut cells: Vec<CellId> = self.cells.iter().map(|(kind, k)| (slot[*kind as usize], *k)).collect();
        cells.sort_unstable();
        cells.dedup();
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for (tag, at) in &self.nodes {
            nodes.push(index.get(*tag).ok_or_else(|| {
                input
                    .fault(*at, format!("set `{}` names node {tag}, which the file does not give", self.name))
            })?);
        }
        let of = |(b, k): &CellId| mesh.cells[*b as usize].nodes_of(*k as usize);
        // Marks, where sorting would be slower: a group may be the whole body.
        let mut inside = vec![false; if cells.is_empty() { 0 } else { mesh.points.len() }];
        cells.iter().flat_map(of).for_each(|a| inside[*a as usize] = true);
        nodes.extend((0..).zip(inside).filter(|(_, inside)| *inside).map(|(a, _)| a));
        nodes.sort_unstable();
        nodes.dedup();
        Ok(Group { name: self.name, dimension: self.dimension, nodes, cells })
    }
}

/// From numbers in the file to positions.
pub(super) enum Index {
    /// By number, less the smallest; `u32::MAX` where there is none.
    Dense(u64, Vec<u32>),
    /// Sorted by number.
    Sparse(Vec<(u64, u32)>),
}

impl Index {
    /// The positions of two equal numbers, if there are any.
    pub fn new(tags: &[u64]) -> Result<Index, (usize, usize)> {
        let (Some(low), Some(high)) = (tags.iter().min(), tags.iter().max()) else {
            return Ok(Index::Sparse(Vec::new()));
        };
        // Numbers are dense as a rule; a lying file shall not cost memory.
        if high - low < 4 * tags.len() as u64 + 1024 {
            let mut at = vec![u32::MAX; (high - low) as usize + 1];
            for (i, tag) in tags.iter().enumerate() {
                let slot = &mut at[(tag - low) as usize];
                if *slot != u32::MAX {
                    return Err((*slot as usize, i));
                }
                *slot = i as u32;
            }
            return Ok(Index::Dense(*low, at));
        }
        let mut sorted: Vec<(u64, u32)> = tags.iter().zip(0..).map(|(tag, i)| (*tag, i)).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|w| w[0].0 == w[1].0) {
            Some(w) => Err((w[0].1 as usize, w[1].1 as usize)),
            None => Ok(Index::Sparse(sorted)),
        }
    }

    pub fn get(&self, tag: u64) -> Option<u32> {
        match self {
            Index::Dense(low, at) => {
                let slot = usize::try_from(tag.checked_sub(*low)?).ok()?;
                at.get(slot).copied().filter(|i| *i != u32::MAX)
            }
            Index::Sparse(sorted) => sorted.binary_search_by_key(&tag, |e| e.0).ok().map(|i| sorted[i].1),
        }
    }
}
