//! Sizes, sides and neighbours.

use super::super::{CellKind, Mesh, inradius};
use super::mesh;

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[test]
fn cell_volumes_are_those_of_their_corners() {
    let mesh = mesh("4.1.msh");
    assert_eq!(mesh.volume((0, 0)), 0.0);
    assert_eq!(mesh.volume((1, 0)), 0.5);
    assert!((mesh.volume((2, 0)) - 1.0 / 6.0).abs() < 1e-16);
    assert!((mesh.volume((2, 1)) - 1.0 / 3.0).abs() < 1e-16);
}

/// The ball about the incentre (corners weighted by the opposite faces) touches every face.
#[test]
fn inscribed_ball_of_a_cell_touches_every_face() {
    let x = [[0.1, 0.0, 0.2], [1.3, 0.1, 0.0], [0.2, 0.9, 0.1], [0.3, 0.2, 1.1]];
    let r = inradius(CellKind::Tetrahedron4, &x);
    let faces = CellKind::Tetrahedron4.faces();
    let normal = |f: &[usize]| cross(minus(x[f[1]], x[f[0]]), minus(x[f[2]], x[f[0]]));
    let weight = |a: usize| {
        let opposite = faces.iter().find(|f| !f.contains(&a)).unwrap();
        dot(normal(opposite), normal(opposite)).sqrt()
    };
    let total: f64 = (0..4).map(weight).sum();
    let centre: [f64; 3] = std::array::from_fn(|i| (0..4).map(|a| weight(a) * x[a][i]).sum::<f64>() / total);
    for f in faces {
        let n = normal(f);
        let distance = dot(n, minus(x[f[0]], centre)) / dot(n, n).sqrt();
        assert!((distance - r).abs() < 1e-15, "{distance} {r}");
    }
    assert_eq!(inradius(CellKind::Line2, &[[0.0; 3], [0.0, 2.0, 0.0]]), 1.0);
    let equilateral = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 3f64.sqrt(), 0.0]];
    assert!((inradius(CellKind::Triangle6, &equilateral) - 1.0 / 3f64.sqrt()).abs() < 1e-15);
}

/// By Gauss's theorem, faces that point outwards give the volume: the integral of x . n over 3.
#[test]
fn boundary_faces_of_a_mesh_enclose_its_volume() {
    for name in ["4.1.msh", "text.vtu", "flat.inp"] {
        let mesh = mesh(name);
        let faces = mesh.boundary_faces(mesh.group("body").unwrap()).unwrap();
        assert_eq!(faces.len(), 6);
        let mut volume = 0.0;
        for face in &faces {
            let x: Vec<_> = face.nodes().iter().map(|a| mesh.points[*a as usize]).collect();
            volume += dot(x[0], cross(minus(x[1], x[0]), minus(x[2], x[0]))) / 6.0;
            assert_eq!(face.kind, CellKind::Triangle6);
            for (i, [a, b]) in face.kind.edges().iter().enumerate() {
                assert_eq!(x[3 + i], std::array::from_fn(|c| 0.5 * (x[*a][c] + x[*b][c])));
            }
        }
        assert!((volume - 0.5).abs() < 1e-15, "{volume}");
    }
}

#[test]
fn surface_group_selects_its_own_element_sides() {
    let mesh = mesh("4.1.msh");
    let faces = mesh.boundary_faces(mesh.group("clamp").unwrap()).unwrap();
    assert_eq!(faces.len(), 1);
    assert_eq!((faces[0].cell, faces[0].side), ((2, 0), 0));
    assert_eq!(faces[0].nodes(), mesh.cells[1].nodes_of(0));
    // As a set of nodes it means the same.
    let mut set = mesh.group("clamp").unwrap().clone();
    (set.cells, set.dimension) = (Vec::new(), 0);
    assert_eq!(mesh.boundary_faces(&set).unwrap(), faces);
    assert_eq!(mesh.boundary_faces(mesh.group("tip").unwrap()).unwrap(), []);
}

#[test]
fn surface_load_on_interior_faces_is_refused() {
    let mut mesh = mesh("4.1.msh");
    // The common face of the two tetrahedra, then three corners of no face.
    for (corners, why) in [([1, 2, 3], "lies inside the body"), ([0, 1, 4], "is no side of the body")] {
        mesh.cells[1].nodes[..3].copy_from_slice(&corners);
        let mut group = mesh.group("clamp").unwrap().clone();
        group.nodes = (0..14).collect();
        let told = mesh.boundary_faces(&group).unwrap_err().to_string();
        let message = format!("4.1.msh: element 102 (6-node triangle) of group `clamp` {why}");
        assert!(told.starts_with(&message), "{told}");
    }
}

#[test]
fn boundary_edges_of_a_plane_mesh_have_the_body_on_their_left() {
    let text =
        "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n*ELEMENT, TYPE=CPE3, ELSET=all\n1, 1, 2, 3\n2, 1, 3, 4\n";
    let mesh = Mesh::read("a.inp", text.as_bytes()).unwrap();
    let edges = mesh.boundary_faces(mesh.group("all").unwrap()).unwrap();
    let area: f64 = edges
        .iter()
        .map(|e| {
            let [a, b] = [e.nodes()[0], e.nodes()[1]].map(|a| mesh.points[a as usize]);
            0.5 * cross(a, b)[2]
        })
        .sum();
    assert_eq!((edges.len(), area), (4, 1.0));
}

#[test]
fn cells_around_a_node_are_those_that_contain_it() {
    let mesh = mesh("4.1.msh");
    let around = mesh.node_cells(|kind| kind.dimension() >= 2);
    for node in 0..mesh.points.len() as u32 {
        let mut expected = Vec::new();
        for (b, cells) in mesh.cells.iter().enumerate().filter(|(_, c)| c.kind.dimension() >= 2) {
            let ks = (0..cells.len()).filter(|k| cells.nodes_of(*k).contains(&node));
            expected.extend(ks.map(|k| (b as u32, k as u32)));
        }
        assert_eq!(around.of(node), expected);
    }
}
