//! Meshes made here: cubes of tetrahedra, even or graded towards a corner.

use stationary::formula::Graph;
use stationary::model::solid::{
    ConstitutiveLaw, ElementGroup, ElementKind, Lame, LoadsBuilder, NeoHookean, Solid, SolidProblem,
};
use stationary::model::{FormulaField, Supports};
use std::collections::HashMap;
use std::sync::Arc;

/// Lame's moduli of the material, of density 1.
pub const LAME: [f64; 2] = [3.0, 1.3];

/// The middles that follow the corners of a ten-node tetrahedron.
const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

/// A cube of `6 n^3` tetrahedra, inner nodes shaken, numbered in the order in which elements need them.
pub struct Cube {
    /// Tet4 or tet10.
    pub kind: ElementKind,
    /// Places of the nodes at rest.
    pub points: Vec<[f64; 3]>,
    /// Nodes of the elements.
    pub nodes: Vec<u32>,
}

impl Cube {
    /// Cells a side, and the kind.
    pub fn new(n: usize, kind: ElementKind) -> Self {
        Cube::graded(n, kind, 0.0)
    }

    /// The same, finer towards the corner at nought: a node at distance `r` (the largest coordinate) goes to `r^power` times where
    /// it was, so that sizes are in proportion to `r^power` there.
    pub fn graded(n: usize, kind: ElementKind, power: f64) -> Self {
        Cube::layers(n, n, kind, power)
    }

    /// Of so many layers of cells.
    fn layers(n: usize, layers: usize, kind: ElementKind, power: f64) -> Self {
        let corners = corners(n, power);
        let mut numbers =
            Numbers { at: vec![u32::MAX; corners.len()], middles: HashMap::new(), points: Vec::new() };
        let cells = n.pow(2) * layers;
        let mut nodes = Vec::with_capacity(6 * cells * kind.nodes());
        for cell in (0..cells).map(|i| [i % n, i / n % n, i / (n * n)]) {
            for tet in kuhn(cell, n + 1) {
                nodes.extend(tet.map(|a| numbers.corner(a, &corners)));
                if kind == ElementKind::Tet10 {
                    nodes.extend(EDGES.map(|[a, b]| numbers.middle([tet[a], tet[b]], &corners)));
                }
            }
        }
        Cube { kind, points: numbers.points, nodes }
    }

    /// A plate of tet4, one layer of cells of the cube.
    pub fn plate(n: usize) -> Self {
        Cube::layers(n, 1, ElementKind::Tet4, 0.0)
    }

    /// How many elements.
    pub fn elements(&self) -> usize {
        self.nodes.len() / self.kind.nodes()
    }

    /// Positions of the start, three numbers a node.
    pub fn sheared(&self) -> Vec<f64> {
        self.points.iter().flat_map(|p| [p[0] + 0.05 * (2.0 * p[1]).sin(), p[1], p[2]]).collect()
    }

    /// Velocities by lot, so small that the body is as good as linear: every vibration is there.
    pub fn shaken(&self) -> Vec<f64> {
        let mut random = Random(11);
        (0..3 * self.points.len()).map(|_| 1e-4 * random.next()).collect()
    }

    /// The body of the library, free.
    pub fn problem(&self) -> SolidProblem {
        let solid = self.solid();
        let loads = LoadsBuilder::default().finish(&self.points, solid.elements());
        SolidProblem::new(solid, loads, Supports::new(&self.points), Vec::new())
    }

    /// The same under its weight, held at the far side.
    pub fn hanging(&self) -> SolidProblem {
        let (solid, mut loads, mut supports) =
            (self.solid(), LoadsBuilder::default(), Supports::new(&self.points));
        let mut graph = Graph::new();
        let weight = [0.0, 0.0, -1e-3].map(|g| graph.constant(g));
        let weight = Arc::new(FormulaField::new(&mut graph, &weight));
        let mut mass = vec![0.0; self.kind.nodes()];
        for (k, nodes) in self.nodes.chunks_exact(self.kind.nodes()).enumerate() {
            let (block, at) = solid.locate(k);
            block.lumped_mass(at, &mut mass);
            for (n, (a, m)) in nodes.iter().zip(&mass).enumerate() {
                loads.dead(k, (n, *a), *m, &weight);
            }
        }
        for (a, _) in self.points.iter().enumerate().filter(|(_, p)| p[2] == 1.0) {
            (0..3).for_each(|i| supports.fix(a as u32, i, 0.0, 0).expect("held once"));
        }
        let loads = loads.finish(&self.points, solid.elements());
        SolidProblem::new(solid, loads, supports, Vec::new())
    }

    /// The body alone.
    pub fn solid(&self) -> Solid {
        let lame = Lame::new(LAME[0], LAME[1]).expect("a material of ours");
        let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(lame).expect("a material of ours"));
        let blocks =
            ElementGroup::new(self.kind, &self.nodes, 1.0).build(&self.points, &law).expect("a mesh of ours");
        Solid::new(&self.points, blocks, &[]).expect("a mesh of ours")
    }
}

/// Numbers between -1 and 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Places of the corners of all cells.
fn corners(n: usize, power: f64) -> Vec<[f64; 3]> {
    let (mut random, side) = (Random(7), n + 1);
    let place = |at: [usize; 3]| {
        let inner = at.iter().all(|i| *i > 0 && *i < n);
        let even = at.map(|i| (i as f64 + if inner { 0.2 * random.next() } else { 0.0 }) / n as f64);
        // Whole powers of nought are one.
        let scale = even.iter().copied().fold(0.0, f64::max).powf(power);
        even.map(|x| scale * x)
    };
    (0..side.pow(3)).map(|i| [i % side, i / side % side, i / (side * side)]).map(place).collect()
}

/// Kuhn's six: paths of unit steps from one corner of the cell to the opposite one, half of them turned over.
fn kuhn(cell: [usize; 3], side: usize) -> impl Iterator<Item = [usize; 4]> {
    let id = move |at: [usize; 3]| (at[2] * side + at[1]) * side + at[0];
    let paths = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    paths.into_iter().enumerate().map(move |(t, path)| {
        let mut at = cell;
        let mut tet = [id(cell); 4];
        for (slot, step) in tet[1..].iter_mut().zip(path) {
            at[step] += 1;
            *slot = id(at);
        }
        if t > 2 {
            tet.swap(0, 1);
        }
        tet
    })
}

/// Nodes by their corner, or by the two corners that they are in the middle of.
struct Numbers {
    at: Vec<u32>,
    middles: HashMap<[usize; 2], u32>,
    points: Vec<[f64; 3]>,
}

impl Numbers {
    fn corner(&mut self, a: usize, corners: &[[f64; 3]]) -> u32 {
        if self.at[a] == u32::MAX {
            self.at[a] = self.points.len() as u32;
            self.points.push(corners[a]);
        }
        self.at[a]
    }

    fn middle(&mut self, [a, b]: [usize; 2], corners: &[[f64; 3]]) -> u32 {
        let points = &mut self.points;
        *self.middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            points.push([0, 1, 2].map(|i| 0.5 * (corners[a][i] + corners[b][i])));
            points.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graded_cube_mesh_fills_the_cube_and_is_finer_at_its_corner() {
        for (kind, nodes) in [(ElementKind::Tet4, 343), (ElementKind::Tet10, 2197)] {
            let cube = Cube::graded(6, kind, 0.7);
            assert_eq!((cube.elements(), cube.points.len()), (6 * 216, nodes));
            let problem = cube.problem();
            let mass: f64 = problem.solid().mass().iter().sum();
            assert!((mass - 1.0).abs() < 1e-12, "{mass}");
            let steps = problem.solid().steps_courant(1.0);
            let (least, most) =
                steps.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), h| (a.min(*h), b.max(*h)));
            assert!(most / least > 4.0, "{least} {most}");
        }
    }
}
