//! Surfaces of Abaqus files.

use super::super::Mesh;
use super::{message, text};

/// Two tetrahedra on each other, and what is added behind.
fn tets(more: &str) -> String {
    format!(
        "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,1,1,1\n*ELEMENT,TYPE=C3D4,ELSET=low\n11,1,2,3,4\n\
         *ELEMENT,TYPE=C3D4,ELSET=high\n12,2,5,3,4\n{more}"
    )
}

/// The corners of a group's sides, by their numbers in the file.
fn sides(mesh: &Mesh, group: &str) -> Vec<Vec<u64>> {
    let group = mesh.group(group).unwrap();
    let faces = mesh.boundary_faces(group).unwrap();
    let tags = |nodes: &[u32]| {
        let mut tags: Vec<u64> = nodes.iter().map(|a| mesh.point_tags[*a as usize]).collect();
        tags.sort_unstable();
        tags
    };
    let mut sides: Vec<Vec<u64>> = faces.iter().map(|f| tags(f.nodes())).collect();
    sides.sort();
    sides
}

fn read(more: &str) -> Mesh {
    Mesh::read("a.inp", tets(more).as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn abaqus_sides_of_tetrahedra_have_the_numbers_of_abaqus() {
    let mesh = read(
        "*SURFACE, TYPE=ELEMENT, NAME=Floor\nlow, S1\n*Surface, name=Wall\n 11, S2\n11, s4\n\
         *SURFACE, TYPE=ELEMENT, NAME=Roof\nHIGH, S1\nhigh, S2\n",
    );
    assert_eq!(sides(&mesh, "Floor"), [[1, 2, 3]]);
    assert_eq!(sides(&mesh, "Wall"), [[1, 2, 4], [1, 3, 4]]);
    assert_eq!(sides(&mesh, "Roof"), [[2, 3, 5], [2, 4, 5]]);
    // They are groups of triangles, whose nodes supports take.
    let wall = mesh.group("Wall").unwrap();
    assert_eq!((wall.dimension, wall.cells.len(), wall.nodes.len()), (2, 2, 4));
}

#[test]
fn abaqus_surface_without_side_numbers_has_the_free_sides() {
    let mesh = read("*SURFACE, TYPE=ELEMENT, NAME=skin\nlow,\nhigh\n");
    assert_eq!(sides(&mesh, "skin").len(), 6);
    assert!(!sides(&mesh, "skin").contains(&vec![2, 3, 4]));
    let mesh = read("*SURFACE, TYPE=ELEMENT, NAME=skin\nlow,\n");
    assert_eq!(sides(&mesh, "skin"), [[1, 2, 3], [1, 2, 4], [1, 3, 4]]);
}

#[test]
fn abaqus_side_that_is_an_element_or_in_two_surfaces_is_one_cell() {
    let mesh = read(
        "*ELEMENT,TYPE=S3,ELSET=shell\n20,1,3,2\n*SURFACE,NAME=a\nlow,S1\nlow,S2\n*SURFACE,NAME=b\n11,S1\nshell,SPOS\n",
    );
    mesh.validate().unwrap();
    assert_eq!(mesh.cells[0].tags, [20, 21]);
    assert_eq!((sides(&mesh, "a").len(), sides(&mesh, "b")), (2, vec![vec![1, 2, 3]]));
}

#[test]
fn abaqus_sides_of_plane_elements_are_edges() {
    let plate = "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT,TYPE=CPE3,ELSET=plate\n5,1,2,3\n6,1,3,4\n";
    let mesh =
        Mesh::read("a.inp", format!("{plate}*SURFACE,NAME=s\nplate,S2\n*SURFACE,NAME=e\n5,E1\n").as_bytes());
    let mesh = mesh.unwrap();
    assert_eq!((sides(&mesh, "s"), sides(&mesh, "e")), (vec![vec![2, 3], vec![3, 4]], vec![vec![1, 2]]));
    let told = message("a.inp", format!("{plate}*SURFACE,NAME=s\nplate,SPOS\n"));
    assert!(told.starts_with("a.inp:10:1: surface `s`: SPOS of element 5 is the face of a shell"), "{told}");
    // Three nodes of a quadratic side.
    let mesh =
        Mesh::read("flat.inp", (text("flat.inp") + "\n*SURFACE, NAME=side\n104, S3\n").as_bytes()).unwrap();
    assert_eq!(sides(&mesh, "side")[0].len(), 6);
}

#[test]
fn abaqus_surfaces_of_nodes_become_groups_of_nodes() {
    let mesh = read("*NSET,NSET=ends\n1,5\n*SURFACE, TYPE=NODE, NAME=pins\nends, 0.5\n3,\n");
    assert_eq!(mesh.group("pins").unwrap().nodes, [0, 2, 4]);
    assert_eq!(mesh.group("pins").unwrap().dimension, 0);
}

/// As Abaqus/CAE writes them: in the assembly, over sets that bear the name of the instance.
#[test]
fn abaqus_surfaces_of_an_assembly_refer_to_its_instance() {
    let text = tets("").replace("*NODE", "*PART, NAME=Part-1\n*NODE")
        + "*END PART\n*ASSEMBLY, NAME=Assembly\n*INSTANCE, NAME=Part-1-1, PART=Part-1\n*END INSTANCE\n\
           *ELSET, ELSET=_Surf-1_S1, INTERNAL, INSTANCE=Part-1-1\n11,\n*SURFACE, TYPE=ELEMENT, NAME=Surf-1\n_Surf-1_S1, S1\n\
           *SURFACE, TYPE=ELEMENT, NAME=Surf-2\nPart-1-1.high, S2\nPart-1-1.11, S2\n*END ASSEMBLY\n";
    let mesh = Mesh::read("a.inp", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(sides(&mesh, "Surf-1"), [[1, 2, 3]]);
    assert_eq!(sides(&mesh, "Surf-2"), [[1, 2, 4], [2, 4, 5]]);
}

#[test]
fn abaqus_node_set_with_the_name_of_a_surface_joins_its_group() {
    let mesh = read("*NSET,NSET=Floor\n1,2,3\n*SURFACE,NAME=FLOOR\nlow,S1\n");
    assert_eq!(mesh.group("FLOOR").unwrap().dimension, 2);
    assert!(mesh.group("Floor").is_err());
}

#[test]
fn wrong_abaqus_surfaces_are_refused() {
    let cases = [
        ("*SURFACE\nlow,S1\n", "a.inp:11:1: `*SURFACE` has no NAME"),
        ("*SURFACE,NAME=a\nlwo,S1\n", "a.inp:12:1: surface `a` names `LWO`, no element set of the file\n"),
        (
            "*SURFACE,NAME=a\n13,S1\n",
            "a.inp:12:1: surface `a` names element 13, which the file does not give",
        ),
        (
            "*SURFACE,NAME=a\nlow,S5\n",
            "a.inp:12:1: surface `a`: element 11 (4-node tetrahedron) has no side `S5`",
        ),
        (
            "*SURFACE,NAME=a\nlow,SPOS\n",
            "a.inp:12:1: surface `a`: element 11 (4-node tetrahedron) has no side `SPOS`",
        ),
        (
            "*SURFACE,NAME=a,TYPE=CYLINDER\nlow,S1\n",
            "a.inp:11:1: a surface of type `CYLINDER` is not supported",
        ),
        ("*SURFACE,NAME=a,COMBINE=UNION\nb,c\n", "a.inp:11:1: a surface made from others (COMBINE=) is not"),
        (
            "*SURFACE,NAME=a,TYPE=NODE\n9\n",
            "a.inp:12:1: surface `a` names node 9, which the file does not give",
        ),
        ("*SURFACE,NAME=a\n", "a.inp:12:1: surface `a` has no side of an element"),
        ("*SURFACE,NAME=a,INPUT=b.inp\n", "a.inp:11:1: data in another file (INPUT=) are not supported"),
    ];
    for (more, expected) in cases {
        let told = message("a.inp", tets(more));
        assert!(told.starts_with(expected), "\n{told}\nexpected\n{expected}");
    }
    let told = message("a.inp", tets("*SURFACE,NAME=a\nlwo,S1\n"));
    assert!(told.contains("did you mean `LOW`?"), "{told}");
    // A side between two elements is a fault of loads on it, told with its group.
    let mesh = read("*SURFACE,NAME=between\nlow,S3\n");
    let told = mesh.boundary_faces(mesh.group("between").unwrap()).unwrap_err().to_string();
    assert!(told.contains("of group `between` lies inside the body"), "{told}");
}
