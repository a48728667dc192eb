//! What an update of an element costs, in those of a four-node tetrahedron in vector lanes.

use super::build::Body;
use stationary::model::Potentials;

/// An element that no vector kernel evaluates takes so many times as long: 120 ns for six-node triangles of three points, where ten-node tetrahedra of
/// four points take 30 to 40 (one core of a virtual EPYC).
const ONE_BY_ONE: f64 = 4.0;

/// The cost of an update of an element with a load of its own or a prescribed node, where that of any other is one. Such elements are
/// updated one by one, and their impulses and work are summed. On a part of 16,318 tetrahedra of which 7.5 % were fixed or loaded, an
/// update took 234 instructions without and 467 with supports and loads, that is 3,360 for one of these elements (callgrind).
const LOADED_OR_FIXED: f64 = 14.0;

/// The costs of the blocks of a body.
pub(super) struct UpdateCosts<'a> {
    body: &'a Body,
    /// The end of each block, and the cost of its elements.
    blocks: Vec<(usize, f64)>,
}

impl<'a> UpdateCosts<'a> {
    pub fn new(body: &'a Body) -> Self {
        let solid = body.problem.solid();
        let mut blocks = Vec::new();
        let mut first = 0;
        for block in solid.blocks().iter().filter(|block| !block.is_empty()) {
            let compiled = solid.compile(&[first as u32], &|_| true).potentials.is_some();
            first += block.len();
            let points = block.points() as f64;
            blocks.push((first, points * if compiled { 1.0 } else { ONE_BY_ONE }));
        }
        UpdateCosts { body, blocks }
    }

    /// The cost of one update of an element.
    pub fn of(&self, k: usize) -> f64 {
        let problem = &self.body.problem;
        let is_fixed = |a: &u32| {
            let components = 3 * *a as usize..3 * *a as usize + 3;
            problem.supports().is_some_and(|s| components.into_iter().any(|i| s.is_fixed(i)))
        };
        let is_dear = problem.loaded(k) || problem.nodes(k).iter().any(is_fixed);
        let block = self.blocks.partition_point(|(end, _)| *end <= k);
        self.blocks[block].1 * if is_dear { LOADED_OR_FIXED } else { 1.0 }
    }
}
