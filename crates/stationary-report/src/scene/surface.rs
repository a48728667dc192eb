//! What can be seen of a body: the sides of its elements that no other shares, as flat triangles, and bars as lines.

use stationary::mesh::CellKind;
use std::collections::{HashMap, HashSet};

/// Triangles that a page holds and a phone still turns smoothly; of more, neighbours are joined.
const MOST: usize = 100_000;

/// Sides of a triangle, as bits: all of them.
const ALL: u8 = 0b111;

/// The surface of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The nodes that are seen, by number in the body.
    pub nodes: Vec<u32>,
    /// The elements that are seen, by number in the body.
    pub elements: Vec<u32>,
    /// Corners of triangles, as places in `nodes`.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Ends of bars, likewise.
    pub(super) bars: Vec<[u32; 2]>,
    /// Of each triangle, then of each bar, its element as a place in `elements`.
    pub(super) owners: Vec<u32>,
    /// Of each triangle, which of its sides 01, 12, 20 are sides of elements too, as bits.
    pub(super) sides: Vec<u8>,
    /// Triangles and bars before neighbours were joined; none if they were not.
    pub(super) whole: Option<usize>,
}

/// A triangle of a side: places of its corners among the nodes of the side, and which of its sides are sides of elements.
type Piece = ([usize; 3], u8);

/// How a side is divided into flat triangles.
fn pieces(kind: CellKind) -> &'static [Piece] {
    match kind {
        CellKind::Triangle6 => &[([0, 3, 5], 0b101), ([3, 1, 4], 0b011), ([5, 4, 2], 0b110), ([3, 4, 5], 0)],
        CellKind::Quadrilateral4 => &[([0, 1, 2], 0b011), ([0, 2, 3], 0b110)],
        CellKind::Quadrilateral8 => &[
            ([0, 4, 7], 0b101),
            ([4, 1, 5], 0b011),
            ([5, 2, 6], 0b011),
            ([7, 6, 3], 0b110),
            ([4, 5, 6], 0),
            ([4, 6, 7], 0),
        ],
        // A fan around the middle.
        CellKind::Quadrilateral9 => &[
            ([0, 4, 8], 0b001),
            ([4, 1, 8], 0b001),
            ([1, 5, 8], 0b001),
            ([5, 2, 8], 0b001),
            ([2, 6, 8], 0b001),
            ([6, 3, 8], 0b001),
            ([3, 7, 8], 0b001),
            ([7, 0, 8], 0b001),
        ],
        _ => &[([0, 1, 2], ALL)],
    }
}

impl Surface {
    /// The surface of these elements, at these points (three numbers each).
    ///
    /// ```
    /// use stationary::mesh::CellKind;
    /// use stationary_report::scene::Surface;
    ///
    /// // Two tetrahedra that share a side: six of their eight sides are seen.
    /// let points = [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 1., 1., 1.];
    /// let cells = [(CellKind::Tetrahedron4, &[0, 1, 2, 3][..]), (CellKind::Tetrahedron4, &[1, 2, 3, 4][..])];
    /// assert_eq!(Surface::of(&points, cells.into_iter()).triangles(), 6);
    /// ```
    pub fn of<'a>(points: &[f64], cells: impl Iterator<Item = (CellKind, &'a [u32])> + Clone) -> Surface {
        let mut surface = Surface::default();
        let mut draft = Draft { surface: &mut surface, known: vec![u32::MAX; points.len() / 3] };
        for (k, kind, side) in outer_sides(points.len() / 3, cells.clone()) {
            draft.side(kind, &side, k);
        }
        for (k, (kind, nodes)) in (0..).zip(cells.clone()).filter(|(_, (kind, _))| kind.dimension() == 2) {
            draft.side(kind, nodes, k);
        }
        for (k, (_, nodes)) in (0..).zip(cells).filter(|(_, (kind, _))| kind.dimension() == 1) {
            draft.bar(nodes, k);
        }
        surface.coarsened(points)
    }

    /// How many triangles it has.
    pub fn triangles(&self) -> usize {
        self.triangles.len()
    }

    /// The same with at most [`MOST`] triangles and bars: nodes in one box of a grid become one of them.
    fn coarsened(self, points: &[f64]) -> Surface {
        let count = self.triangles.len() + self.bars.len();
        if count <= MOST {
            return self;
        }
        let (rim, mut boxes) = (self.rim(), 512.0);
        loop {
            let joined = self.joined(points, boxes, &rim);
            let left = joined.triangles.len() + joined.bars.len();
            if left <= MOST {
                return Surface { whole: Some(count), ..joined };
            }
            // Sides of a surface become fewer by the square of the boxes along it.
            boxes *= (0.97 * (MOST as f64 / left as f64).sqrt()).min(0.95);
        }
    }

    /// Which nodes lie on a side of one triangle only.
    fn rim(&self) -> Vec<bool> {
        let mut sides: HashMap<[u32; 2], bool> = HashMap::new();
        for [a, b, c] in &self.triangles {
            for [p, q] in [[a, b], [b, c], [c, a]] {
                sides.entry([*p.min(q), *p.max(q)]).and_modify(|once| *once = false).or_insert(true);
            }
        }
        let mut rim = vec![false; self.nodes.len()];
        for (side, _) in sides.iter().filter(|(_, once)| **once) {
            side.iter().for_each(|a| rim[*a as usize] = true);
        }
        rim
    }

    /// Joins nodes within boxes of which so many lie along the longest side of the body.
    fn joined(&self, points: &[f64], boxes: f64, rim: &[bool]) -> Surface {
        let at = |a: u32, i: usize| points[3 * self.nodes[a as usize] as usize + i];
        let nodes = 0..self.nodes.len() as u32;
        let bounds: [[f64; 2]; 3] = std::array::from_fn(|i| {
            let start = [f64::INFINITY, f64::NEG_INFINITY];
            nodes.clone().fold(start, |[lo, hi], a| [lo.min(at(a, i)), hi.max(at(a, i))])
        });
        let size = bounds.iter().map(|[lo, hi]| hi - lo).fold(0.0, f64::max);
        let place = |a: u32| -> [u32; 3] {
            std::array::from_fn(|i| ((at(a, i) - bounds[i][0]) / size * boxes) as u32)
        };
        // Nodes at the rim lead those of their box, so that it stays straight.
        let mut first: HashMap<[u32; 3], u32> = HashMap::new();
        for a in nodes.clone().filter(|a| rim[*a as usize]).chain(nodes.clone()) {
            first.entry(place(a)).or_insert(a);
        }
        let leader: Vec<u32> = nodes.map(|a| first[&place(a)]).collect();
        let mut joined = Surface::default();
        let mut draft = Draft { surface: &mut joined, known: vec![u32::MAX; points.len() / 3] };
        let mut seen = HashSet::new();
        let owner = |k: usize| self.elements[self.owners[k] as usize];
        let body = |a: u32| self.nodes[leader[a as usize] as usize];
        for (k, corners) in self.triangles.iter().enumerate() {
            let corners = corners.map(body);
            let mut sorted = corners;
            sorted.sort_unstable();
            if sorted[0] < sorted[1] && sorted[1] < sorted[2] && seen.insert(sorted) {
                draft.side(CellKind::Triangle3, &corners, owner(k));
            }
        }
        for (k, ends) in self.bars.iter().enumerate() {
            let [a, b] = ends.map(body);
            if a != b && seen.insert([a.min(b), a.max(b), u32::MAX]) {
                draft.bar(&[a, b], owner(self.triangles.len() + k));
            }
        }
        joined
    }
}

/// A surface in the making.
struct Draft<'a> {
    surface: &'a mut Surface,
    /// The place of each node of the body in the surface, if it has one.
    known: Vec<u32>,
}

impl Draft<'_> {
    fn node(&mut self, a: u32) -> u32 {
        let place = &mut self.known[a as usize];
        if *place == u32::MAX {
            *place = self.surface.nodes.len() as u32;
            self.surface.nodes.push(a);
        }
        *place
    }

    fn owner(&mut self, element: u32) {
        if self.surface.elements.last() != Some(&element) {
            self.surface.elements.push(element);
        }
        self.surface.owners.push(self.surface.elements.len() as u32 - 1);
    }

    /// A side, divided into triangles.
    fn side(&mut self, kind: CellKind, nodes: &[u32], element: u32) {
        for (corners, sides) in pieces(kind) {
            let corners = corners.map(|c| self.node(nodes[c]));
            self.surface.triangles.push(corners);
            self.surface.sides.push(*sides);
            self.owner(element);
        }
    }

    fn bar(&mut self, nodes: &[u32], element: u32) {
        let ends = [self.node(nodes[0]), self.node(nodes[1])];
        self.surface.bars.push(ends);
        self.owner(element);
    }
}

/// The corners of a side of a cell in ascending order; a triangle has no fourth.
fn corners(kind: CellKind, nodes: &[u32], side: usize) -> [u32; 4] {
    let mut corners = [u32::MAX; 4];
    let local = &kind.faces()[side][..kind.face_kind(side).corners()];
    corners.iter_mut().zip(local).for_each(|(corner, c)| *corner = nodes[*c]);
    corners.sort_unstable();
    corners
}

/// The sides of solid cells that only one of them has, with its number and their kind, cell by cell.
fn outer_sides<'a>(
    nodes: usize,
    cells: impl Iterator<Item = (CellKind, &'a [u32])> + Clone,
) -> Vec<(u32, CellKind, Vec<u32>)> {
    let solid = || (0..).zip(cells.clone()).filter(|(_, (kind, _))| kind.dimension() == 3);
    // A bucket for each node holds the sides of which it is the smallest: sorting them all at once takes thrice the time.
    let mut first = vec![0usize; nodes + 1];
    for (_, (kind, n)) in solid() {
        (0..kind.faces().len()).for_each(|side| first[corners(kind, n, side)[0] as usize + 1] += 1);
    }
    for a in 0..nodes {
        first[a + 1] += first[a];
    }
    let mut filled = first.clone();
    let mut sides = vec![([0u32; 3], 0u32, 0u8); first[nodes]];
    for (k, (kind, n)) in solid() {
        for side in 0..kind.faces().len() {
            let [a, rest @ ..] = corners(kind, n, side);
            sides[filled[a as usize]] = (rest, k, side as u8);
            filled[a as usize] += 1;
        }
    }
    let mut outer = Vec::new();
    for a in 0..nodes {
        let bucket = &mut sides[first[a]..first[a + 1]];
        bucket.sort_unstable();
        for same in bucket.chunk_by(|p, q| p.0 == q.0).filter(|same| same.len() == 1) {
            outer.push((same[0].1, same[0].2));
        }
    }
    outer.sort_unstable();
    let mut chosen = outer.into_iter().peekable();
    let mut found = Vec::new();
    for (k, (kind, n)) in solid() {
        while let Some((_, side)) = chosen.next_if(|(owner, _)| *owner == k) {
            let places = kind.faces()[side as usize];
            found.push((k, kind.face_kind(side as usize), places.iter().map(|c| n[*c]).collect()));
        }
    }
    found
}
