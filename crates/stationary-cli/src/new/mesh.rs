//! A small mesh of tetrahedra: a beam with its two ends as groups.

use std::fmt::Write;

/// Cells along the beam, across it and up: 4 m by 1 m by 1 m in cubes of half a metre.
const CELLS: [usize; 3] = [8, 2, 2];
const SIZE: f64 = 0.5;

/// The paths along the edges of a cube from its first corner to the opposite one, as permutations of the axes; each is a
/// tetrahedron, and neighbouring cubes fit (Kuhn's triangulation). The last three go around the other way.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// The beam as a Gmsh file, version 2.2: the groups `beam` of all tetrahedra, `left` and `right` of the triangles at the ends.
pub fn beam() -> String {
    let mut text = String::from(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 2 \"left\"\n2 3 \"right\"\n3 1 \"beam\"\n$EndPhysicalNames\n",
    );
    let [nx, ny, nz] = CELLS.map(|n| n + 1);
    let node = |[i, j, k]: [usize; 3]| 1 + i + nx * (j + ny * k);
    _ = writeln!(text, "$Nodes\n{}", nx * ny * nz);
    for (k, j, i) in grid([nz, ny, nx]) {
        let [x, y, z] = [i, j, k].map(|n| n as f64 * SIZE);
        _ = writeln!(text, "{} {x} {y} {z}", node([i, j, k]));
    }
    text.push_str("$EndNodes\n$Elements\n");
    let elements = [sides(), tetrahedra()].concat();
    _ = writeln!(text, "{}", elements.len());
    for (at, (group, corners)) in elements.iter().enumerate() {
        // Gmsh's types: 2 is a triangle, 4 a tetrahedron; two tags, the group twice.
        let kind = if corners.len() == 3 { 2 } else { 4 };
        _ = write!(text, "{} {kind} 2 {group} {group}", at + 1);
        for corner in corners {
            _ = write!(text, " {}", node(*corner));
        }
        text.push('\n');
    }
    text.push_str("$EndElements\n");
    text
}

type Element = (usize, Vec<[usize; 3]>);

/// Six tetrahedra a cube.
fn tetrahedra() -> Vec<Element> {
    let mut all = Vec::new();
    for (i, j, k) in grid(CELLS) {
        for (number, path) in PATHS.iter().enumerate() {
            let mut corners = vec![[i, j, k]];
            for axis in path {
                let mut next = corners[corners.len() - 1];
                next[*axis] += 1;
                corners.push(next);
            }
            if number >= 3 {
                corners.swap(2, 3);
            }
            all.push((1, corners));
        }
    }
    all
}

/// Two triangles for each square of the ends, along the same diagonals as the tetrahedra.
fn sides() -> Vec<Element> {
    let mut all = Vec::new();
    for (group, i) in [(2, 0), (3, CELLS[0])] {
        for (j, k, _) in grid([CELLS[1], CELLS[2], 1]) {
            all.push((group, vec![[i, j, k], [i, j + 1, k], [i, j + 1, k + 1]]));
            all.push((group, vec![[i, j, k], [i, j + 1, k + 1], [i, j, k + 1]]));
        }
    }
    all
}

fn grid([a, b, c]: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| (i, j, k))))
}
