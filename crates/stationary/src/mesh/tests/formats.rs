//! Every format gives the same mesh.

use super::super::{CellKind, Mesh};
use super::{FILES, mesh, message, text};
use std::collections::BTreeMap;

/// What all formats can say: Abaqus has no points as cells, VTU numbers from 0.
type Common<'a> =
    (Vec<[f64; 3]>, Vec<(CellKind, &'a [u32])>, BTreeMap<(String, u32), (Vec<u32>, Vec<(CellKind, u32)>)>);

fn common(mesh: &Mesh) -> Common<'_> {
    let kind = |b: u32| mesh.cells[b as usize].kind;
    let cells = mesh.cells.iter().filter(|c| c.kind != CellKind::Point);
    let groups = mesh.groups.iter().filter(|g| g.name != "ALL").map(|g| {
        let cells = g.cells.iter().map(|(b, k)| (kind(*b), *k)).filter(|c| c.0 != CellKind::Point);
        ((g.name.clone(), g.dimension), (g.nodes.clone(), cells.collect()))
    });
    (mesh.points.clone(), cells.map(|c| (c.kind, &c.nodes[..])).collect(), groups.collect())
}

#[test]
fn all_mesh_formats_give_the_same_mesh() {
    let first = mesh("4.1.msh");
    for (name, bytes) in FILES {
        let other = Mesh::read(name, bytes).unwrap();
        assert_eq!(common(&other), common(&first), "{name}");
        if !name.ends_with("vtu") {
            assert_eq!(other.point_tags, first.point_tags, "{name}");
            assert_eq!(other.cells.last().unwrap().tags, [103, 104], "{name}");
        }
        other.validate().unwrap();
    }
    assert_eq!(first.points.len(), 14);
    assert_eq!(first.dimension(), 3);
}

#[test]
fn mid_side_nodes_lie_on_the_documented_edges() {
    for (name, _) in FILES {
        let mesh = mesh(name);
        let mut middles = 0;
        for cells in &mesh.cells {
            for k in 0..cells.len() {
                let x: Vec<_> = cells.nodes_of(k).iter().map(|a| mesh.points[*a as usize]).collect();
                for ([a, b], m) in cells.kind.edges().iter().zip(&x[cells.kind.corners()..]) {
                    assert_eq!(*m, std::array::from_fn(|i| 0.5 * (x[*a][i] + x[*b][i])), "{name}");
                    middles += 1;
                }
            }
        }
        assert_eq!(middles, 3 + 2 * 6, "{name}");
    }
}

#[test]
fn mesh_groups_keep_names_dimensions_and_overlaps() {
    let mesh = mesh("4.1-big.msh");
    let names: Vec<_> = mesh.groups.iter().map(|g| (g.name.as_str(), g.dimension, g.cells.len())).collect();
    // 7 has no name in the file; both tetrahedra are in `body`, one also in `upper half`.
    assert_eq!(names, [("7", 2, 1), ("body", 3, 2), ("clamp", 2, 1), ("tip", 0, 1), ("upper half", 3, 1)]);
    assert_eq!(mesh.group("tip").unwrap().nodes, [4]);
    assert_eq!(mesh.group("upper half").unwrap().cells, [(2, 1)]);
}

#[test]
fn missing_mesh_group_is_reported_with_a_suggestion() {
    let mesh = mesh("4.1.msh");
    let told = |r: Result<&super::super::Group, crate::error::Error>| r.unwrap_err().to_string();
    assert_eq!(
        told(mesh.group("clmap")),
        "4.1.msh: the mesh has no group `clmap`\n  = did you mean `clamp`?"
    );
    assert_eq!(
        told(mesh.group("elephant")),
        "4.1.msh: the mesh has no group `elephant`\n  = it has `7`, `body`, `clamp`, `tip`, `upper half`"
    );
    assert_eq!(
        told(mesh.group_of("clamp", 3)),
        "4.1.msh: the mesh has no group `clamp` of dimension 3\n  = `clamp` has dimension 2"
    );
    assert_eq!(mesh.group_of("clamp", 2).unwrap(), mesh.group("clamp").unwrap());
}

#[test]
fn group_name_of_two_dimensions_is_ambiguous() {
    let text = text("2.2.msh").replace("0 4 \"tip\"", "0 4 \"body\"");
    let mesh = Mesh::read("a.msh", text.as_bytes()).unwrap();
    let told = mesh.group("body").unwrap_err().to_string();
    assert!(told.contains("`body` names groups of dimension 0 and 3"), "{told}");
    assert_eq!(mesh.group_of("body", 0).unwrap().nodes, [4]);
}

#[test]
fn integer_cell_arrays_of_vtu_files_become_groups() {
    let text = text("text.vtu").replace("Name=\"group:tip\"", "Name=\"gmsh:physical\"");
    let text = text.replace("\n1 0 0 0\n", "\n-3 5 0 5\n");
    let mesh = Mesh::read("a.vtu", text.as_bytes()).unwrap();
    let found: Vec<_> = mesh.groups.iter().map(|g| (g.name.as_str(), g.dimension, g.nodes.len())).collect();
    assert_eq!(found[..4], [("-3", 0, 1), ("5", 2, 6), ("5", 3, 10), ("7", 2, 6)]);
}

#[test]
fn abaqus_sets_may_generate_name_others_and_share_a_name() {
    let more =
        "*NSET, NSET=few, GENERATE\n10, 14, 2\n*NSET, NSET=More\n18, Few\n*NSET, NSET=upper half\n10\n";
    let text = text("flat.inp") + more;
    let mesh = Mesh::read("a.inp", text.as_bytes()).unwrap();
    assert_eq!(mesh.group("More").unwrap().nodes, [0, 1, 2, 4]);
    assert!(mesh.group("upper half").is_err());
    assert_eq!(mesh.group_of("upper half", 0).unwrap().nodes, [0]);
    // The same nodes under the same name are one group.
    let text = text.replace("NSET=ALL", "NSET=BODY").replace("nset=ALL", "nset=BODY");
    assert_eq!(Mesh::read("a.inp", text.as_bytes()).unwrap().group("body").unwrap().dimension, 3);
}

#[test]
fn abaqus_reads_one_part_and_its_instance_in_place() {
    let whole = text("flat.inp");
    let (head, sets) = whole.split_at(whole.find("*NSET, NSET=tip").unwrap());
    let part = |motion: &str| {
        format!(
            "*Part, name=P\n{head}*End Part\n*Assembly, name=A\n*Instance, name=P-1, part=P\n{motion}*End Instance\n{sets}"
        )
    };
    assert_eq!(common(&Mesh::read("a.inp", part("").as_bytes()).unwrap()), common(&mesh("4.1.msh")));
    let told = message("a.inp", part("0., 0., 1.\n"));
    assert!(told.contains("an instance moved from its part's place is not supported"), "{told}");
    let told = message("a.inp", part("") + "*PART, NAME=Q\n");
    assert!(told.contains("a second `*PART` is not supported"), "{told}");
}

#[test]
fn abaqus_mid_side_nodes_of_lines_are_found_at_any_position() {
    for order in ["1, 2, 3", "1, 3, 2"] {
        let middle = if order == "1, 2, 3" { [1.0, 2.0] } else { [2.0, 1.0] };
        let text =
            format!("*NODE\n1, 0.\n2, {}\n3, {}\n*ELEMENT, TYPE=T3D3\n1, {order}\n", middle[0], middle[1]);
        let mesh = Mesh::read("a.inp", text.as_bytes()).unwrap();
        let x: Vec<f64> = mesh.cells[0].nodes.iter().map(|a| mesh.points[*a as usize][0]).collect();
        assert_eq!(x, [0.0, 2.0, 1.0]);
    }
}

#[test]
fn mesh_files_with_crlf_line_ends_and_fortran_exponents_are_read() {
    for name in ["4.1.msh", "2.2.msh", "text.vtu", "flat.inp"] {
        let text = text(name).replace('\n', "\r\n");
        let other = Mesh::read(name, text.as_bytes()).unwrap();
        assert_eq!(common(&other), common(&mesh(name)), "{name}");
    }
    let text = text("flat.inp").replace("20, 0.5,", "20, 5.D-1,");
    assert_eq!(common(&Mesh::read("a.inp", text.as_bytes()).unwrap()), common(&mesh("flat.inp")));
}
