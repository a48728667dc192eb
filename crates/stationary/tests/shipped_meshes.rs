//! The meshes of the shipped solid scenarios: each is read, and is what the table beside it says.

use stationary::mesh::{CellKind, Mesh, inradius};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

struct Shipped {
    name: &'static str,
    kinds: &'static [CellKind],
    elements: usize,
    nodes: usize,
    /// Names and dimensions, by name.
    groups: &'static [(&'static str, u32)],
    /// Length, area or volume of the body.
    size: f64,
}

use CellKind::{
    Hexahedron8, Line2, Pyramid5, Quadrilateral4, Tetrahedron4, Tetrahedron10, Triangle6, Wedge6,
};

const SHIPPED: [Shipped; 11] = [
    Shipped {
        name: "taylor-bar",
        kinds: &[Quadrilateral4],
        elements: 300,
        nodes: 357,
        groups: &[("axis", 1), ("bar", 2), ("end", 1), ("foot", 1), ("side", 1)],
        size: 3.2e-3 * 32.4e-3,
    },
    Shipped {
        name: "necking",
        kinds: &[Quadrilateral4],
        elements: 180,
        nodes: 217,
        groups: &[("axis", 1), ("bar", 2), ("cell", 2), ("grip", 1), ("middle", 1), ("side", 1)],
        size: 6.413e-3 * 46.667e-3,
    },
    Shipped {
        name: "viscoelastic-ring",
        kinds: &[Quadrilateral4],
        elements: 80,
        nodes: 123,
        groups: &[("bottom", 1), ("inside", 1), ("left", 1), ("outside", 1), ("ring", 2)],
        size: RING_AREA,
    },
    Shipped {
        name: "mixed-mesh",
        kinds: &[Hexahedron8, Wedge6, Pyramid5, Tetrahedron4],
        elements: 324,
        nodes: 268,
        groups: &[
            ("bar", 3),
            ("cube", 3),
            ("end", 2),
            ("foot", 2),
            ("skin", 2),
            ("y-sides", 2),
            ("z-sides", 2),
        ],
        size: 3.0 / 9.0 + 1.0,
    },
    Shipped {
        name: "tube-wave",
        kinds: &[Hexahedron8],
        elements: 400,
        nodes: 909,
        groups: &[("open", 2), ("valve", 2), ("water", 3), ("y-walls", 2), ("z-walls", 2)],
        size: 10.0 * 0.1 * 0.1,
    },
    Shipped {
        name: "bar-wave",
        kinds: &[Line2],
        elements: 200,
        nodes: 201,
        groups: &[("bar", 1), ("left", 0), ("right", 0)],
        size: 1.0,
    },
    Shipped {
        name: "blade",
        kinds: &[Tetrahedron10],
        elements: 2089,
        nodes: 4420,
        groups: &[("blade", 3), ("joint", 3), ("skin", 2), ("tips", 2)],
        size: BLADE_VOLUME,
    },
    Shipped {
        name: "block",
        kinds: &[Triangle6],
        elements: 380,
        nodes: 821,
        groups: &[("body", 2), ("bottom", 1), ("left", 1), ("right", 1), ("top", 1)],
        size: 1.0,
    },
    Shipped {
        name: "graded-cube",
        kinds: &[Tetrahedron10],
        elements: 5869,
        nodes: 9617,
        groups: &[("body", 3), ("x0", 2), ("x1", 2), ("y0", 2), ("y1", 2), ("z0", 2), ("z1", 2)],
        size: 1.0,
    },
    Shipped {
        name: "l-beam",
        kinds: &[Tetrahedron10],
        elements: 621,
        nodes: 1262,
        groups: &[("body", 3), ("foot", 2), ("sides", 2), ("tip", 2)],
        size: 0.35 * 0.35 * (1.8 + 1.8 - 0.35),
    },
    Shipped {
        name: "slab",
        kinds: &[Triangle6],
        elements: 88,
        nodes: 209,
        groups: &[("body", 2), ("bottom", 1), ("clamped", 1), ("end", 1), ("top", 1)],
        size: 4.0,
    },
];

/// Span times the area of the section of eight corners.
const BLADE_VOLUME: f64 = 14.4 * 0.533 * 0.04 * (0.3328 * (1.0 + 0.516) + 0.516 * (0.5 - 0.3328));

/// Forty trapezoids over a quarter of a circle, between radii of 97.5 and 102.5 mm: `40 sin(pi/80) (b^2 - a^2)/2`.
const RING_AREA: f64 = 40.0 * 0.039_259_815_759_068_61 * (0.1025 * 0.1025 - 0.0975 * 0.0975) / 2.0;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/meshes")
}

fn open(name: &str) -> Mesh {
    let bytes = std::fs::read(folder().join(format!("{name}.msh"))).unwrap();
    Mesh::read(name, &bytes).unwrap()
}

/// Inscribed radius of every element over the wave speed of its group, which `speed` gives by name.
fn steps(mesh: &Mesh, speed: impl Fn(&str) -> f64) -> Vec<f64> {
    let bodies = mesh.groups.iter().filter(|g| g.dimension == mesh.dimension());
    let of_group = |g: &stationary::mesh::Group| {
        let c = speed(&g.name);
        let radius = |(block, index): &(u32, u32)| {
            let cells = &mesh.cells[*block as usize];
            let points: Vec<_> =
                cells.nodes_of(*index as usize).iter().map(|a| mesh.points[*a as usize]).collect();
            inradius(cells.kind, &points) / c
        };
        g.cells.iter().map(radius).collect::<Vec<f64>>()
    };
    bodies.flat_map(of_group).collect()
}

/// The ideal speed-up [VTI04 (62)], and the largest step over the smallest.
fn speed_up(steps: &[f64]) -> [f64; 2] {
    let mut sorted = steps.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
    let updates: f64 = steps.iter().map(|dt| 1.0 / dt).sum();
    [steps.len() as f64 / least / updates, most / least]
}

/// The cells of a row of the table in `README.md`.
fn row(name: &str) -> Vec<String> {
    let page = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let start = format!("| `{name}` |");
    let line = page.lines().find(|l| l.starts_with(&start)).unwrap_or_else(|| panic!("no row of {name}"));
    line.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect()
}

#[test]
fn every_shipped_mesh_is_in_the_test_list() {
    let files: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter_map(|f| f.strip_suffix(".msh").map(String::from))
        .collect();
    assert_eq!(files, SHIPPED.iter().map(|s| s.name.to_string()).collect());
}

#[test]
fn shipped_meshes_have_the_documented_counts_groups_and_sizes() {
    for want in &SHIPPED {
        let mesh = open(want.name);
        assert_eq!(mesh.points.len(), want.nodes, "{}", want.name);
        let groups: Vec<(&str, u32)> = mesh.groups.iter().map(|g| (g.name.as_str(), g.dimension)).collect();
        assert_eq!(groups, want.groups, "{}", want.name);

        let bodies: Vec<_> = mesh.groups.iter().filter(|g| g.dimension == mesh.dimension()).collect();
        let elements: BTreeSet<_> = bodies.iter().flat_map(|g| &g.cells).copied().collect();
        assert_eq!(elements.len(), want.elements, "{}", want.name);
        assert_eq!(
            elements.len(),
            bodies.iter().map(|g| g.cells.len()).sum::<usize>(),
            "{}: groups overlap",
            want.name
        );
        let volumes: Vec<f64> = elements.iter().map(|&id| mesh.volume(id)).collect();
        let found: BTreeSet<CellKind> = elements.iter().map(|id| mesh.cells[id.0 as usize].kind).collect();
        assert_eq!(found, want.kinds.iter().copied().collect(), "{}", want.name);
        assert!(volumes.iter().all(|v| *v > 0.0), "{}", want.name);
        let total: f64 = volumes.iter().sum();
        assert!((total / want.size - 1.0).abs() < 1e-12, "{}: {total} for {}", want.name, want.size);

        let cells = row(want.name);
        assert_eq!(cells[1], want.elements.to_string(), "{}", want.name);
        assert_eq!(cells[2], want.nodes.to_string(), "{}", want.name);
        let named = want.groups.iter().map(|(name, _)| format!("`{name}`"));
        assert!(named.clone().all(|n| cells[3].contains(&n)), "{}: {}", want.name, cells[3]);
    }
}

/// No crack: the free sides of the elements are the named ones, each once.
#[test]
fn every_free_side_of_shipped_meshes_is_in_a_group() {
    for want in SHIPPED.iter().filter(|s| s.kinds != [Line2]) {
        let mesh = open(want.name);
        let count = |dimension: u32| {
            let groups = mesh.groups.iter().filter(|g| g.dimension == dimension);
            groups.map(|g| mesh.boundary_faces(g).unwrap().len()).sum::<usize>()
        };
        assert_eq!(count(mesh.dimension()), count(mesh.dimension() - 1), "{}", want.name);
    }
}

#[test]
fn side_groups_of_shipped_meshes_are_where_their_names_say() {
    let sides = [
        ("block", "left", 0, 0.0),
        ("block", "right", 0, 1.0),
        ("block", "bottom", 1, 0.0),
        ("block", "top", 1, 1.0),
        ("slab", "clamped", 0, 0.0),
        ("slab", "end", 0, 4.0),
        ("slab", "bottom", 1, 0.0),
        ("slab", "top", 1, 1.0),
        ("l-beam", "foot", 1, 0.0),
        ("l-beam", "tip", 0, 1.8),
        ("taylor-bar", "foot", 1, 0.0),
        ("taylor-bar", "end", 1, 32.4e-3),
        ("taylor-bar", "axis", 0, 0.0),
        ("taylor-bar", "side", 0, 3.2e-3),
        ("necking", "middle", 1, 0.0),
        ("necking", "axis", 0, 0.0),
        ("necking", "side", 0, 6.413e-3),
        ("necking", "grip", 1, 46.667e-3),
        ("viscoelastic-ring", "bottom", 1, 0.0),
        ("viscoelastic-ring", "left", 0, 0.0),
        ("tube-wave", "valve", 0, 0.0),
        ("tube-wave", "open", 0, 10.0),
        ("bar-wave", "left", 0, 0.0),
        ("bar-wave", "right", 0, 1.0),
        ("graded-cube", "x0", 0, 0.0),
        ("graded-cube", "x1", 0, 1.0),
        ("graded-cube", "y0", 1, 0.0),
        ("graded-cube", "y1", 1, 1.0),
        ("graded-cube", "z0", 2, 0.0),
        ("graded-cube", "z1", 2, 1.0),
    ];
    for (name, group, axis, at) in sides {
        let mesh = open(name);
        let on: BTreeSet<u32> = (0u32..)
            .zip(&mesh.points)
            .filter(|(_, p)| (p[axis] - at).abs() < 1e-12)
            .map(|(a, _)| a)
            .collect();
        let named: BTreeSet<u32> = mesh.group(group).unwrap().nodes.iter().copied().collect();
        assert_eq!(named, on, "{name}: {group}");
    }
    let blade = open("blade");
    let inside = |name: &str, what: fn(f64) -> bool| {
        blade.group(name).unwrap().nodes.iter().all(|a| what(blade.points[*a as usize][0].abs()))
    };
    assert!(inside("joint", |x| x < 0.65 + 1e-12) && inside("blade", |x| x > 0.65 - 1e-12));
    assert!(inside("tips", |x| (x - 7.2).abs() < 1e-12));
}

#[test]
fn mid_side_nodes_of_shipped_meshes_are_in_the_middle() {
    for want in &SHIPPED {
        let mesh = open(want.name);
        for cells in &mesh.cells {
            for index in 0..cells.len() {
                let nodes = cells.nodes_of(index);
                let (corners, middles) = nodes.split_at(cells.kind.corners());
                for ([a, b], middle) in cells.kind.edges().iter().zip(middles) {
                    let [a, b, m] = [corners[*a], corners[*b], *middle].map(|n| mesh.points[n as usize]);
                    let off = (0..3).map(|i| (m[i] - 0.5 * (a[i] + b[i])).abs());
                    assert!(off.sum::<f64>() < 1e-12, "{}: node {middle}", want.name);
                }
            }
        }
    }
}

#[test]
fn ideal_speedups_of_shipped_meshes_are_those_of_the_table() {
    let same = |_: &str| 1.0;
    // sqrt((lambda + 2 mu) / rho) of the third case [VTI04 4.5].
    let case_3 =
        |name: &str| if name == "joint" { (4.5e9f64 / 4500.0).sqrt() } else { (0.15e9f64 / 250.0).sqrt() };
    let mut rows: Vec<(&str, &str, Vec<f64>)> =
        SHIPPED.iter().map(|s| (s.name, s.name, steps(&open(s.name), same))).collect();
    rows.push(("blade", "blade, case 3", steps(&open("blade"), case_3)));
    for (name, label, steps) in rows {
        let cells = if label == name { row(name) } else { row("blade-3") };
        for (cell, found) in cells[4..6].iter().zip(speed_up(&steps)) {
            let stated: f64 = cell.parse().unwrap_or_else(|_| panic!("{label}: `{cell}` is no number"));
            assert!((found / stated - 1.0).abs() < 0.01, "{label}: {found}, the table says {stated}");
        }
    }
}

/// The blade turns about `z` through the origin: its centre of mass must be there, also with the joint heavier.
#[test]
fn blade_mesh_is_centred() {
    let mesh = open("blade");
    for name in ["joint", "blade"] {
        let mut moment = [0.0; 3];
        for &(block, index) in &mesh.group(name).unwrap().cells {
            let nodes = &mesh.cells[block as usize].nodes_of(index as usize)[..4];
            for i in 0..3 {
                let centre: f64 = nodes.iter().map(|a| mesh.points[*a as usize][i]).sum::<f64>() / 4.0;
                moment[i] += mesh.volume((block, index)) * centre;
            }
        }
        assert!(moment.iter().all(|m| m.abs() < 1e-13), "{name}: {moment:?}");
    }
}
