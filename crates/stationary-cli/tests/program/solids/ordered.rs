//! A mesh large enough to be put in order: whatever the order of the file, results are told in it and are the same.

use super::{Folder, stderr};
use std::collections::BTreeMap;

/// Cells a side: `6 * 15^3` tetrahedra are more than a mesh may have and stay as it is.
const SIDE: usize = 15;

/// A cube: nodes and elements with their numbers in the file, as they follow each other there.
struct Cube {
    nodes: Vec<(usize, [f64; 3])>,
    tets: Vec<(usize, [usize; 4])>,
    ends: [Vec<usize>; 2],
}

fn cube() -> Cube {
    let side = SIDE + 1;
    let id = |at: [usize; 3]| (at[2] * side + at[1]) * side + at[0] + 1;
    let place = |i: usize| [i % side, i / side % side, i / (side * side)];
    // Finer towards the origin, so that steps differ; no two edges alike.
    let coordinate = |i: usize, axis: usize| (i as f64 / SIDE as f64).powf(1.5 + 0.1 * axis as f64);
    let nodes = (0..side.pow(3)).map(|i| {
        let at = place(i);
        (i + 1, [coordinate(at[0], 0), coordinate(at[1], 1), coordinate(at[2], 2)])
    });
    let mut tets = Vec::new();
    for cell in (0..SIDE.pow(3)).map(|i| [i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)]) {
        for (t, path) in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]].iter().enumerate()
        {
            let (mut at, mut tet) = (cell, [id(cell); 4]);
            for (slot, step) in path.iter().enumerate() {
                at[*step] += 1;
                tet[slot + 1] = id(at);
            }
            if t > 2 {
                tet.swap(0, 1);
            }
            tets.push((tets.len() + 1, tet));
        }
    }
    let layer = |z: usize| (1..=side * side).map(|i| i + z * side * side).collect();
    Cube { nodes: nodes.collect(), tets, ends: [layer(0), layer(SIDE)] }
}

impl Cube {
    fn shuffled(mut self) -> Self {
        let mut random = 5u64;
        let mut dice = |below: usize| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) as usize % below
        };
        (1..self.nodes.len()).for_each(|i| self.nodes.swap(i, dice(i + 1)));
        (1..self.tets.len()).for_each(|i| self.tets.swap(i, dice(i + 1)));
        self
    }

    /// An Abaqus file: the sets of nodes need no sides.
    fn text(&self) -> String {
        let mut text = String::from("*NODE\n");
        self.nodes.iter().for_each(|(tag, x)| text += &format!("{tag}, {}, {}, {}\n", x[0], x[1], x[2]));
        text += "*ELEMENT, TYPE=C3D4, ELSET=body\n";
        self.tets.iter().for_each(|(tag, [a, b, c, d])| text += &format!("{tag}, {a}, {b}, {c}, {d}\n"));
        for (name, end) in ["floor", "roof"].iter().zip(&self.ends) {
            text += &format!("*NSET, NSET={name}\n");
            end.iter().for_each(|tag| text += &format!("{tag}\n"));
        }
        text
    }
}

const SCENARIO: &str = r#"mesh = "cube.inp"
end = 0.02
integrator = { method = "avi", steps = "harmonic", rule = "eigen", fraction = 0.2 }
[material.rubber]
law = "neo-hookean"
lambda = 3
mu = 1
density = 1
[support.floor]
group = "floor"
fixed = true
[load.push]
group = "roof"
force = ["0.01*X", 0, -0.01]
[load.side]
group = "roof"
traction = [0, 0.1, 0]
[probe]
top = { at = [0.5, 0.5, 1], value = "x - X" }
[initial]
velocity = ["0.1*Z", 0, "0.05*Z*X"]
[output]
rows = 4
frames = 1
"#;

/// The numbers of an array of a frame, found as a reader would find them.
fn array<const N: usize>(file: &[u8], name: &str) -> Vec<[u8; N]> {
    let find = |what: &str| file.windows(what.len()).position(|w| w == what.as_bytes()).unwrap();
    let data = find("\"raw\">\n_") + 8;
    let head = String::from_utf8(file[..data].to_vec()).unwrap();
    let tag = head.lines().find(|l| l.contains(&format!("Name=\"{name}\""))).unwrap();
    let offset = tag.split("offset=\"").nth(1).unwrap().split('"').next().unwrap();
    let at = data + offset.parse::<usize>().unwrap();
    let length = u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    file[at + 8..at + 8 + length].as_chunks::<N>().0.to_vec()
}

/// Rows, and by the numbers of the file: displacement and velocity of nodes, stress and step of elements.
struct Results {
    rows: Vec<Vec<f64>>,
    nodes: BTreeMap<usize, Vec<f64>>,
    elements: BTreeMap<usize, Vec<f64>>,
}

fn results(name: &str, cube: &Cube) -> Results {
    let folder = Folder::new(name);
    std::fs::write(folder.0.join("cube.inp"), cube.text()).unwrap();
    std::fs::write(folder.0.join("cube.toml"), SCENARIO).unwrap();
    let out = folder.stationary(&["run", "cube.toml", "--out", "out"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let frame = std::fs::read(folder.0.join("out/frames/frame-000001.vtu")).unwrap();
    let floats = |name: &str| -> Vec<f64> {
        array::<8>(&frame, name).iter().map(|b| f64::from_le_bytes(*b)).collect()
    };
    // Points and elements stand as in the file.
    let points: Vec<f64> = cube.nodes.iter().flat_map(|(_, x)| *x).collect();
    assert_eq!(floats("Points"), points);
    let numbers: Vec<usize> =
        array::<8>(&frame, "element").iter().map(|b| u64::from_le_bytes(*b) as usize).collect();
    assert_eq!(numbers, cube.tets.iter().map(|(tag, _)| *tag).collect::<Vec<_>>());
    let (u, v, stress, step) = (floats("displacement"), floats("velocity"), floats("stress"), floats("step"));
    let nodes = cube.nodes.iter().enumerate();
    let elements = cube.tets.iter().enumerate();
    let series = std::fs::read_to_string(folder.0.join("out/series.csv")).unwrap();
    let row = |line: &str| line.split(',').map(|x| x.parse().unwrap_or(0.0)).collect();
    Results {
        rows: series.lines().skip(1).map(row).collect(),
        nodes: nodes
            .map(|(i, (tag, _))| (*tag, [&u[3 * i..3 * i + 3], &v[3 * i..3 * i + 3]].concat()))
            .collect(),
        elements: elements
            .map(|(k, (tag, _))| (*tag, [&stress[6 * k..6 * k + 6], &step[k..k + 1]].concat()))
            .collect(),
    }
}

#[test]
fn order_of_nodes_and_elements_in_a_mesh_file_changes_no_result() {
    let (plain, other) = (results("ordered", &cube()), results("shuffled", &cube().shuffled()));
    let close =
        |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-10);
    assert_eq!((plain.rows.len(), other.rows.len()), (5, 5));
    for (ours, theirs) in plain.rows.iter().zip(&other.rows) {
        assert!(close(ours, theirs), "{ours:?} {theirs:?}");
    }
    for (ours, theirs) in [(&plain.nodes, &other.nodes), (&plain.elements, &other.elements)] {
        assert!(ours.keys().eq(theirs.keys()));
        for (tag, values) in ours {
            assert!(close(values, &theirs[tag]), "{tag}: {values:?} {:?}", theirs[tag]);
        }
    }
    // Nodes that moved unlike each other: a mixed-up order would show.
    let farthest = plain.nodes.values().map(|u| u[0].abs()).fold(0.0, f64::max);
    assert!(farthest > 1e-4, "{farthest}");
}
