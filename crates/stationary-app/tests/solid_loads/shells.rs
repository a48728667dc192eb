//! Meshes of rings and of spherical shells whose quadratic elements follow the true boundary.

use stationary::mesh::{CellKind, Mesh, NewGroup};
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

/// Radii of the ring and of the shell.
pub const INNER: f64 = 0.1;
pub const OUTER: f64 = 0.2;

/// Corners of a grid, divided into simplices by Kuhn's paths, with a middle node on every edge; all nodes are then mapped.
struct Grid {
    /// Parameters of the nodes in units of half a cell.
    nodes: Vec<[usize; 3]>,
    elements: Vec<u32>,
}

fn grid(cells: [usize; 3], dimension: usize) -> Grid {
    let mut number: BTreeMap<[usize; 3], u32> = BTreeMap::new();
    let mut nodes = Vec::new();
    let mut node = |at: [usize; 3]| {
        *number.entry(at).or_insert_with(|| {
            nodes.push(at);
            nodes.len() as u32 - 1
        })
    };
    let paths: &[[usize; 3]] = match dimension {
        2 => &[[0, 1, 2], [1, 0, 2]],
        _ => &[[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]],
    };
    let kind = if dimension == 2 { CellKind::Triangle6 } else { CellKind::Tetrahedron10 };
    let mut elements = Vec::new();
    let count = cells.iter().product::<usize>();
    for cell in 0..count {
        let low = [cell % cells[0], cell / cells[0] % cells[1], cell / cells[0] / cells[1]].map(|i| 2 * i);
        for (p, path) in paths.iter().enumerate() {
            let mut corners = vec![low];
            for axis in &path[..dimension] {
                let mut next = *corners.last().unwrap();
                next[*axis] += 2;
                corners.push(next);
            }
            // Odd orders of the axes turn the simplex over.
            if p >= paths.len() / 2 {
                corners.swap(1, 2);
            }
            elements.extend(corners.iter().map(|c| node(*c)));
            for [a, b] in kind.edges() {
                elements.push(node(std::array::from_fn(|i| (corners[*a][i] + corners[*b][i]) / 2)));
            }
        }
    }
    Grid { nodes, elements }
}

fn mapped(grid: Grid, kind: CellKind, cells: [usize; 3], map: impl Fn([f64; 3]) -> [f64; 3]) -> Mesh {
    let unit = |at: &[usize; 3]| std::array::from_fn(|i| at[i] as f64 / (2 * cells[i]) as f64);
    let points: Vec<[f64; 3]> = grid.nodes.iter().map(|at| map(unit(at))).collect();
    let where_ = |choose: &dyn Fn(&[usize; 3]) -> bool| -> Vec<u32> {
        (0..).zip(&grid.nodes).filter(|(_, at)| choose(at)).map(|(a, _)| a).collect()
    };
    let group = |name: &str, nodes: Vec<u32>| NewGroup { name: name.into(), nodes, cells: vec![] };
    let groups = vec![
        group("inner", where_(&|at| at[0] == 0)),
        group("outer", where_(&|at| at[0] == 2 * cells[0])),
        group("below", where_(&|at| at[1] == 0)),
        group("left", where_(&|at| at[1] == 2 * cells[1])),
        group("all", (0..points.len() as u32).collect()),
    ];
    Mesh::from_arrays("shell", points, vec![(kind, grid.elements)], groups).unwrap()
}

/// A quarter of a ring: `n` elements along the arc, `m` across.
pub fn ring(n: usize, m: usize) -> Mesh {
    let cells = [m, n, 1];
    mapped(grid(cells, 2), CellKind::Triangle6, cells, |[u, v, _]| {
        let (r, angle) = (INNER + (OUTER - INNER) * u, FRAC_PI_2 * v);
        // On the axes to the bit, where supports and probes look.
        let [x, y] = if v == 0.0 {
            [r, 0.0]
        } else if v == 1.0 {
            [0.0, r]
        } else {
            [r * angle.cos(), r * angle.sin()]
        };
        [x, y, 0.0]
    })
}

/// A sixth of a spherical shell, as the side of a cube sees it: `n` by `n` elements along it, one across.
pub fn shell(n: usize) -> Mesh {
    let cells = [1, n, n];
    mapped(grid(cells, 3), CellKind::Tetrahedron10, cells, |[u, v, w]| {
        let r = INNER + (OUTER - INNER) * u;
        let [b, c] = [v, w].map(|v| (FRAC_PI_2 * (v - 0.5)).tan());
        [1.0, b, c].map(|x| r * x / (1.0 + b * b + c * c).sqrt())
    })
}
