//! How a cell of each family is divided.
//!
//! Every cell has a *lattice*: its corners, the middles of its edges, the middles of its quadrilateral sides, and, of plane and solid cells
//! with quadrilaterals (a pyramid apart), its own middle. The corners of the children are points of the lattice, given by the corners of
//! the parent that they lie between.

use super::super::CellKind;
use std::sync::LazyLock;

/// Children of one kind: the corners of each, as points of the lattice.
pub(super) struct Children {
    /// The family of the children by its cell without middle nodes.
    pub family: CellKind,
    pub corners: Vec<Vec<usize>>,
}

/// The lattice of a family and its division. A tetrahedron has four children here; the octahedron that they leave is cut along its
/// shortest diagonal.
pub(super) struct Division {
    /// Of each point of the lattice, the corners it lies between.
    pub lattice: Vec<Vec<usize>>,
    pub children: Vec<Children>,
}

static ALL: LazyLock<Vec<Division>> =
    LazyLock::new(|| CellKind::ALL.into_iter().map(Division::new).collect());

/// What the corners of a tetrahedron leave is an octahedron: cut along a diagonal into the four pieces around it.
pub(super) const OCTAHEDRA: [[&[usize]; 4]; 3] = [
    [&[4, 9, 5, 6], &[4, 9, 6, 7], &[4, 9, 7, 8], &[4, 9, 8, 5]],
    [&[5, 7, 4, 8], &[5, 7, 8, 9], &[5, 7, 9, 6], &[5, 7, 6, 4]],
    [&[6, 8, 4, 5], &[6, 8, 5, 9], &[6, 8, 9, 7], &[6, 8, 7, 4]],
];

/// Of a kind.
pub(super) fn division(kind: CellKind) -> &'static Division {
    &ALL[kind as usize]
}

/// How many children of each kind a cell has: its own kind first.
pub(super) fn counts(kind: CellKind) -> &'static [(CellKind, usize)] {
    use CellKind::*;
    match kind {
        Point => &[(Point, 1)],
        Line2 => &[(Line2, 2)],
        Line3 => &[(Line3, 2)],
        Triangle3 => &[(Triangle3, 4)],
        Triangle6 => &[(Triangle6, 4)],
        Quadrilateral4 => &[(Quadrilateral4, 4)],
        Quadrilateral8 => &[(Quadrilateral8, 4)],
        Quadrilateral9 => &[(Quadrilateral9, 4)],
        Tetrahedron4 => &[(Tetrahedron4, 8)],
        Tetrahedron10 => &[(Tetrahedron10, 8)],
        Pyramid5 => &[(Pyramid5, 6), (Tetrahedron4, 4)],
        Wedge6 => &[(Wedge6, 8)],
        Hexahedron8 => &[(Hexahedron8, 8)],
        Hexahedron20 => &[(Hexahedron20, 8)],
        Hexahedron27 => &[(Hexahedron27, 8)],
    }
}

/// The smallest part of a cell that has these corners: an edge, a side, or all of it.
pub(super) fn part(kind: CellKind, corners: &[usize]) -> Vec<usize> {
    let family = kind.linear();
    let edges = family.edges().iter().map(|e| &e[..]);
    let sides = family.faces().iter().copied();
    let parts = edges.chain(sides).find(|part| corners.iter().all(|c| part.contains(c)));
    let mut part = match (corners, parts) {
        ([one], _) => vec![*one],
        (_, Some(part)) => part.to_vec(),
        _ => (0..kind.corners()).collect(),
    };
    part.sort_unstable();
    part
}

impl Division {
    fn new(kind: CellKind) -> Division {
        let corners = kind.corners();
        let mut lattice: Vec<Vec<usize>> = (0..corners).map(|c| vec![c]).collect();
        let mut add = |mut point: Vec<usize>| {
            point.sort_unstable();
            lattice.push(point);
        };
        let family = kind.linear();
        family.edges().iter().for_each(|e| add(e.to_vec()));
        let quadrilaterals = family.faces().iter().filter(|f| kind.dimension() == 3 && f.len() == 4);
        quadrilaterals.for_each(|f| add(f.to_vec()));
        if family == CellKind::Quadrilateral4 || family == CellKind::Hexahedron8 {
            add((0..corners).collect());
        }
        let at = |between: &[usize]| {
            let part = part(kind, between);
            lattice.iter().position(|p| *p == part).expect("a point of the lattice")
        };
        // Half as large about each of its corners.
        let around = |c: usize| -> Vec<usize> {
            (0..corners).map(|other| if other == c { c } else { at(&[c.min(other), c.max(other)]) }).collect()
        };
        let mut own: Vec<Vec<usize>> = (0..corners).map(around).collect();
        let mut children = Vec::new();
        match family {
            CellKind::Line2 => own = vec![vec![0, 2], vec![2, 1]],
            CellKind::Triangle3 => own = [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]].map(Vec::from).to_vec(),
            CellKind::Tetrahedron4 => {
                own = [[0, 4, 6, 7], [4, 1, 5, 8], [6, 5, 2, 9], [7, 8, 9, 3]].map(Vec::from).to_vec();
            }
            CellKind::Wedge6 => {
                let height = [[0, 3], [1, 4], [2, 5]];
                let low = [[0, 1], [1, 2], [0, 2]].map(|e| at(&e));
                let high = [[3, 4], [4, 5], [3, 5]].map(|e| at(&e));
                let between = [[0, 1], [1, 2], [0, 2]].map(|[a, b]| at(&[height[a], height[b]].concat()));
                own.push([low, between].concat());
                own.push([between, high].concat());
            }
            CellKind::Pyramid5 => {
                // Upside down below the apex's child, and a tetrahedron at each edge of the base.
                let middle = at(&[0, 1, 2, 3]);
                let up = |c: usize| at(&[c, 4]);
                own.push(vec![up(0), up(3), up(2), up(1), middle]);
                let tetrahedron = |c: usize| {
                    let next = (c + 1) % 4;
                    vec![at(&[c.min(next), c.max(next)]), middle, up(c), up(next)]
                };
                let corners = (0..4).map(tetrahedron).collect();
                children.push(Children { family: CellKind::Tetrahedron4, corners });
            }
            _ => {}
        }
        children.insert(0, Children { family, corners: own });
        Division { lattice, children }
    }
}
