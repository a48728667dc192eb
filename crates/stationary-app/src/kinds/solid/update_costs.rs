//! What an update of an element costs, in those of a four-node tetrahedron in vector lanes.

use super::build::Body;
use stationary::model::Potentials;
use stationary::model::solid::ElementKind;

/// An element that no vector kernel evaluates takes so many times as long: 120 ns for a triangle of three points by itself, where ten-node tetrahedra of
/// four points take 30 to 40 in lanes (one core of a virtual EPYC).
const ONE_BY_ONE: f64 = 4.0;

/// What each number of history adds to the cost of a point, of that of a neo-Hookean one: metals have eight numbers of it, viscoelastic laws ten and six for each branch
/// (`stationary bench materials`).
const OF_HISTORY: f64 = 0.08;

/// What a point of an element costs in vector lanes, where that of a tetrahedron costs one: `stationary bench elements`, neo-Hookean.
fn of_point(kind: ElementKind) -> f64 {
    match kind {
        ElementKind::Quad8 | ElementKind::Quad9 => 0.7,
        ElementKind::Tri3 | ElementKind::Hex8 => 1.3,
        ElementKind::Tri6 => 1.4,
        ElementKind::Hex20 => 1.5,
        ElementKind::Hex27 => 1.6,
        _ => 1.0,
    }
}

/// The costs of the blocks of a body. What acts on elements from outside costs little besides.
pub(super) struct UpdateCosts {
    /// The end of each block, and the cost of its elements.
    blocks: Vec<(usize, f64)>,
}

impl UpdateCosts {
    pub fn new(body: &Body) -> Self {
        let solid = body.problem.solid();
        let mut blocks = Vec::new();
        let mut first = 0;
        for block in solid.blocks().iter().filter(|block| !block.is_empty()) {
            let compiled = solid.compile(&[first as u32], &|_| true).potentials.is_some();
            first += block.len();
            let kernel = if compiled { of_point(block.kind()) } else { ONE_BY_ONE };
            // Springs and bars have no points.
            let points = block.points() as f64;
            blocks.push((first, kernel * (points + OF_HISTORY * block.history_size() as f64)));
        }
        UpdateCosts { blocks }
    }

    /// The cost of one update of an element.
    pub fn of(&self, k: usize) -> f64 {
        let block = self.blocks.partition_point(|(end, _)| *end <= k);
        self.blocks[block].1
    }
}
