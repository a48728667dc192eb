//! What a person wants to know of a mesh before a run: its extent, its pieces, nodes that lie on each other, its worst elements.

use super::geometry::quality;
use super::orient::Sets;
use super::{CellId, CellKind, Mesh};

/// Nodes closer than this part of the diagonal of the bounding box coincide.
pub const COINCIDENT: f64 = 1e-9;

/// The worst elements that are named.
const WORST: usize = 3;

/// Pairs of coincident nodes that are named.
const PAIRS: usize = 3;

/// A mesh in a few numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// The smallest and the largest coordinates.
    pub bounds: [[f64; 3]; 2],
    /// Parts of the mesh that share no node, the largest first.
    pub pieces: Vec<MeshPiece>,
    /// How many pairs of nodes coincide: closer than [`COINCIDENT`] times the diagonal of the bounding box.
    pub coincident: usize,
    /// The first such pairs, by their nodes.
    pub pairs: Vec<[u32; 2]>,
    /// The plane and solid elements of the lowest [`quality`], the worst first. Of equal ones, the first of the mesh.
    pub worst: Vec<(CellId, f64)>,
}

/// Elements that are connected by nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeshPiece {
    /// How many nodes.
    pub nodes: usize,
    /// How many elements: cells of dimension 1 or more that are no sides of the body.
    pub elements: usize,
    /// The first of its nodes.
    pub first: u32,
}

impl Mesh {
    /// The extent, the pieces, the coincident nodes and the worst elements.
    ///
    /// ```
    /// use stationary::mesh::{CellKind, Mesh};
    /// // Two squares side by side that share no node.
    /// let square = |x: f64| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x + 1.0, 1.0, 0.0], [x, 1.0, 0.0]];
    /// let points = [square(0.0), square(1.0)].concat();
    /// let mesh = Mesh::from_arrays("two", points, vec![(CellKind::Quadrilateral4, (0..8).collect())], vec![])?;
    /// let survey = mesh.survey();
    /// assert_eq!((survey.pieces.len(), survey.coincident, survey.worst[0].1), (2, 2, 1.0));
    /// # Ok::<(), stationary::error::Error>(())
    /// ```
    pub fn survey(&self) -> Survey {
        let bounds = self.bounds();
        let (coincident, pairs) = self.coincident(&bounds);
        Survey { bounds, pieces: self.pieces(), coincident, pairs, worst: self.worst() }
    }

    fn bounds(&self) -> [[f64; 3]; 2] {
        let start = [self.points.first().copied().unwrap_or_default(); 2];
        self.points.iter().fold(start, |[low, high], x| {
            [std::array::from_fn(|i| low[i].min(x[i])), std::array::from_fn(|i| high[i].max(x[i]))]
        })
    }

    fn pieces(&self) -> Vec<MeshPiece> {
        let mut sets = Sets::new(self.points.len());
        for cells in &self.cells {
            for nodes in cells.nodes.chunks_exact(cells.kind.nodes()) {
                nodes[1..].iter().for_each(|a| sets.join(nodes[0] as usize, *a as usize));
            }
        }
        let mut pieces: Vec<MeshPiece> = Vec::new();
        let mut place = vec![usize::MAX; self.points.len()];
        for a in 0..self.points.len() {
            let slot = &mut place[sets.of(a)];
            if *slot == usize::MAX {
                *slot = pieces.len();
                pieces.push(MeshPiece { nodes: 0, elements: 0, first: a as u32 });
            }
            pieces[*slot].nodes += 1;
        }
        let dimension = self.dimension();
        for cells in &self.cells {
            // Cells of one dimension less are sides of the body; lines beside a solid body are bars.
            if cells.kind.dimension() == 0 || (dimension > 1 && cells.kind.dimension() + 1 == dimension) {
                continue;
            }
            for nodes in cells.nodes.chunks_exact(cells.kind.nodes()) {
                pieces[place[sets.of(nodes[0] as usize)]].elements += 1;
            }
        }
        pieces.sort_by_key(|p| (std::cmp::Reverse(p.nodes), p.first));
        pieces
    }

    /// Pairs of nodes that coincide. Nodes are sorted along a direction that no grid follows, so that few others come between two of a
    /// pair.
    fn coincident(&self, bounds: &[[f64; 3]; 2]) -> (usize, Vec<[u32; 2]>) {
        // 1 : sqrt(2) : sqrt(5).
        const DIRECTION: [f64; 3] = [0.353_553_390_593_273_8, 0.5, 0.790_569_415_042_094_8];
        // Of thousands of nodes at one place, not every pair is looked at.
        const MOST: usize = 64;
        let square = |x: &[f64; 3], y: &[f64; 3]| (0..3).map(|i| (x[i] - y[i]).powi(2)).sum::<f64>();
        let near = COINCIDENT * square(&bounds[0], &bounds[1]).sqrt();
        let along = |x: &[f64; 3]| (0..3).map(|i| DIRECTION[i] * (x[i] - bounds[0][i])).sum::<f64>();
        let mut sorted: Vec<(f64, u32)> = self.points.iter().map(along).zip(0..).collect();
        sorted.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        let (mut count, mut pairs) = (0, Vec::new());
        for (i, (t, a)) in sorted.iter().enumerate() {
            for (_, b) in sorted[i + 1..].iter().take(MOST).take_while(|(u, _)| u - t <= near) {
                if square(&self.points[*a as usize], &self.points[*b as usize]) <= near * near {
                    count += 1;
                    let pair = [*a.min(b), *a.max(b)];
                    let place = pairs.partition_point(|known| *known < pair);
                    pairs.insert(place, pair);
                    pairs.truncate(PAIRS);
                }
            }
        }
        (count, pairs)
    }

    fn worst(&self) -> Vec<(CellId, f64)> {
        let mut worst: Vec<(CellId, f64)> = Vec::new();
        let mut x = [[0.0; 3]; CellKind::MOST_NODES];
        let dimension = self.dimension();
        for (b, cells) in
            (0..).zip(&self.cells).filter(|(_, c)| c.kind.dimension() == dimension && dimension > 1)
        {
            for k in 0..cells.len() {
                let q = quality(cells.kind, self.positions(cells.nodes_of(k), &mut x));
                let place = worst.partition_point(|(_, known)| *known <= q);
                if place < WORST {
                    worst.insert(place, ((b, k as u32), q));
                    worst.truncate(WORST);
                }
            }
        }
        worst
    }
}
