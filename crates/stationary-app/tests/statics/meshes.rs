//! Structured meshes of quadrilaterals, hexahedra and tetrahedra, as Abaqus files.

use stationary::mesh::Mesh;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A place among the points of a grid with half steps.
type At = [usize; 3];

/// The corners of a cell, and what a side of it is called in Abaqus.
pub struct Shape {
    name: &'static str,
    nodes: &'static [At],
    sides: &'static [(&'static str, usize, usize)],
}

const QUAD8: [At; 8] =
    [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 0, 0], [2, 1, 0], [1, 2, 0], [0, 1, 0]];
const HEX20: [At; 20] = [
    [0, 0, 0],
    [2, 0, 0],
    [2, 2, 0],
    [0, 2, 0],
    [0, 0, 2],
    [2, 0, 2],
    [2, 2, 2],
    [0, 2, 2],
    [1, 0, 0],
    [2, 1, 0],
    [1, 2, 0],
    [0, 1, 0],
    [1, 0, 2],
    [2, 1, 2],
    [1, 2, 2],
    [0, 1, 2],
    [0, 0, 1],
    [2, 0, 1],
    [2, 2, 1],
    [0, 2, 1],
];
/// Of a quadrilateral: name, axis, and whether it is the far end.
const EDGES: [(&str, usize, usize); 4] = [("S1", 1, 0), ("S2", 0, 1), ("S3", 1, 1), ("S4", 0, 0)];

pub const CPS4: Shape = Shape { name: "CPS4", nodes: QUAD8.split_at(4).0, sides: &EDGES };
pub const CPS8: Shape = Shape { name: "CPS8", nodes: &QUAD8, sides: &EDGES };
pub const C3D8: Shape = Shape { name: "C3D8", nodes: HEX20.split_at(8).0, sides: &[] };
pub const C3D20: Shape = Shape { name: "C3D20", nodes: &HEX20, sides: &[] };

/// The six tetrahedra of a cube around its diagonal, with the middles of their edges.
fn tetrahedra() -> Vec<[At; 10]> {
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    let tet = |order: [usize; 3], even: bool| {
        let mut corners = [[0; 3]; 4];
        for (k, axis) in order.into_iter().enumerate() {
            corners[k + 1] = corners[k];
            corners[k + 1][axis] = 2;
        }
        if !even {
            corners.swap(2, 1);
        }
        let middle = |a: usize, b: usize| std::array::from_fn(|i| (corners[a][i] + corners[b][i]) / 2);
        let [a, b, c, d] = corners;
        [a, b, c, d, middle(0, 1), middle(1, 2), middle(0, 2), middle(0, 3), middle(1, 3), middle(2, 3)]
    };
    orders
        .into_iter()
        .zip([true, true, true, false, false, false])
        .map(|(order, even)| tet(order, even))
        .collect()
}

/// A grid of cells, mapped from the unit cube. Groups of nodes and sides: `x0`, `x1`, `y0`, ... at the ends of each direction.
pub fn grid(shape: &Shape, cells: [usize; 3], map: impl Fn([f64; 3]) -> [f64; 3]) -> Mesh {
    mesh(shape.name, &[shape.nodes], shape.sides, cells, map)
}

/// The same of tetrahedra with ten nodes.
pub fn grid_of_tet10(cells: [usize; 3], map: impl Fn([f64; 3]) -> [f64; 3]) -> Mesh {
    let tets = tetrahedra();
    let parts: Vec<&[At]> = tets.iter().map(|tet| &tet[..]).collect();
    mesh("C3D10", &parts, &[], cells, map)
}

fn mesh(
    name: &str,
    parts: &[&[At]],
    sides: &[(&str, usize, usize)],
    cells: [usize; 3],
    map: impl Fn([f64; 3]) -> [f64; 3],
) -> Mesh {
    let mut numbers: BTreeMap<At, usize> = BTreeMap::new();
    let (mut nodes, mut elements) = (String::from("*NODE\n"), format!("*ELEMENT, TYPE={name}, ELSET=body\n"));
    let mut ends: BTreeMap<String, String> = BTreeMap::new();
    let mut surfaces: BTreeMap<String, String> = BTreeMap::new();
    let mut count = 0;
    for k in 0..cells[2].max(1) {
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                for part in parts {
                    count += 1;
                    write!(elements, "{count}").unwrap();
                    for (place, at) in part.iter().enumerate() {
                        let at = [2 * i + at[0], 2 * j + at[1], 2 * k + at[2]];
                        let next = numbers.len() + 1;
                        let number = *numbers.entry(at).or_insert(next);
                        if number == next {
                            let s = std::array::from_fn(|d| at[d] as f64 / (2 * cells[d].max(1)) as f64);
                            let [x, y, z] = map(s);
                            writeln!(nodes, "{number}, {x:?}, {y:?}, {z:?}").unwrap();
                            for (d, axis) in ["x", "y", "z"].iter().enumerate().filter(|(d, _)| cells[*d] > 0)
                            {
                                let end = if at[d] == 0 {
                                    "0"
                                } else if at[d] == 2 * cells[d] {
                                    "1"
                                } else {
                                    continue;
                                };
                                let set = ends.entry(format!("{axis}{end}")).or_default();
                                writeln!(set, "{number},").unwrap();
                            }
                        }
                        let comma = if place % 12 == 11 { ",\n" } else { ", " };
                        write!(elements, "{comma}{number}").unwrap();
                    }
                    elements.push('\n');
                    for (side, axis, far) in sides {
                        let cell = [i, j][*axis];
                        if cell == far * (cells[*axis] - 1) {
                            let name = format!("side-{}{far}", ["x", "y"][*axis]);
                            writeln!(surfaces.entry(name).or_default(), "{count}, {side}").unwrap();
                        }
                    }
                }
            }
        }
    }
    let mut text = nodes + &elements;
    for (name, members) in &ends {
        write!(text, "*NSET, NSET={name}\n{members}").unwrap();
    }
    for (name, members) in &surfaces {
        write!(text, "*SURFACE, NAME={name}, TYPE=ELEMENT\n{members}").unwrap();
    }
    Mesh::read("given.inp", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

/// Two bars that meet at an apex, each along a row of nodes.
pub fn truss(half: f64, height: f64) -> Mesh {
    let text = format!(
        "*NODE\n1, 0, 0, 0\n2, {half}, {height}, 0\n3, {}, 0, 0\n*ELEMENT, TYPE=T3D2, ELSET=body\n1, 1, 2\n2, 2, 3\n\
         *NSET, NSET=feet\n1, 3\n*NSET, NSET=apex\n2\n",
        2.0 * half
    );
    Mesh::read("truss.inp", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}
