//! Plane triangles that run clockwise.

use super::super::{CellKind, Mesh};
use super::message;

const SQUARE: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]];

fn read(points: &[[f64; 3]], kind: CellKind, cells: &[u32]) -> Result<Mesh, String> {
    let mesh = Mesh::from_arrays("square", points.to_vec(), vec![(kind, cells.to_vec())], vec![]);
    mesh.map_err(|e| e.to_string())
}

#[test]
fn clockwise_mesh_is_reoriented_with_a_note() {
    let right = read(&SQUARE, CellKind::Triangle3, &[0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]).unwrap();
    assert!(right.notes.is_empty());
    let turned = read(&SQUARE, CellKind::Triangle3, &[0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0]).unwrap();
    assert_eq!(turned.notes, ["all 4 triangles of the mesh ran clockwise and were turned over"]);
    assert_eq!((turned.cells, turned.points), (right.cells, right.points));
}

#[test]
fn mid_side_nodes_stay_on_their_edges_when_a_triangle_is_reoriented() {
    let mut points = vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    points.extend([[0.0, 1.0, 0.0], [1.1, 1.1, 0.0], [1.0, 0.0, 0.0]]);
    let mesh = read(&points, CellKind::Triangle6, &[0, 2, 1, 3, 4, 5]).unwrap();
    assert_eq!(mesh.cells[0].nodes, [0, 1, 2, 5, 4, 3]);
    assert_eq!(mesh.notes, ["element 1 (6-node triangle) ran clockwise and was turned over"]);
}

/// Two surfaces of a mesher, one of which looks down.
#[test]
fn clockwise_patch_of_a_mesh_is_reoriented_alone() {
    let turned = read(&SQUARE, CellKind::Triangle3, &[0, 1, 4, 1, 2, 4, 2, 4, 3, 3, 4, 0]).unwrap();
    let note =
        "2 triangles, the first of them element 3 (3-node triangle), ran clockwise and were turned over";
    assert_eq!(turned.notes, [note]);
    assert_eq!(turned.cells[0].nodes, [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]);
}

/// The middle of the square beyond its side: one triangle is inside out, in the sense of its neighbours.
#[test]
fn folded_mesh_is_refused_and_not_reoriented() {
    let mut points = SQUARE;
    points[4] = [0.5, -0.5, 0.0];
    for cells in [[0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4], [0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0]] {
        let told = read(&points, CellKind::Triangle3, &cells).unwrap_err();
        assert!(told.contains("(3-node triangle) is inverted: its area is -"), "{told}");
    }
}

#[test]
fn only_triangles_of_a_plane_mesh_are_reoriented() {
    let mut points = SQUARE;
    points[4][2] = 1.0;
    let mesh = read(&points, CellKind::Triangle3, &[0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0]).unwrap();
    assert_eq!((mesh.notes.len(), &mesh.cells[0].nodes[..3]), (0, &[0, 4, 1][..]));
    // Tetrahedra that are inside out are an error, as ever.
    let tet = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4\n5, 1,3,2,4\n";
    assert!(message("a.inp", tet).starts_with("a.inp:7:1: element 5 (4-node tetrahedron) is inverted"));
}
