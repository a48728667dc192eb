//! A mesh from arrays is the mesh of the file that has them, and arrays that are none get a message.

use super::super::{CellKind, Mesh, NewGroup};
use super::{FILES, mesh};

type Points = Vec<[f64; 3]>;
type Blocks = Vec<(CellKind, Vec<u32>)>;

/// The arrays of a mesh.
fn arrays(mesh: &Mesh) -> (Points, Blocks, Vec<NewGroup>) {
    let groups = mesh.groups.iter().map(|g| {
        let of_block = |b: usize| g.cells.iter().filter(|c| c.0 as usize == b).map(|c| c.1).collect();
        let cells = (0..mesh.cells.len()).map(|b| (b, of_block(b))).collect();
        NewGroup { name: g.name.clone(), nodes: g.nodes.clone(), cells }
    });
    let cells = mesh.cells.iter().map(|c| (c.kind, c.nodes.clone())).collect();
    (mesh.points.clone(), cells, groups.collect())
}

fn again(mesh: &Mesh) -> Mesh {
    let (points, cells, groups) = arrays(mesh);
    Mesh::from_arrays(&mesh.name, points, cells, groups).unwrap()
}

/// With the numbers that arrays give.
fn numbered(mut mesh: Mesh) -> Mesh {
    mesh.point_tags = (1..=mesh.points.len() as u64).collect();
    let mut last = 0;
    for tag in mesh.cells.iter_mut().flat_map(|c| &mut c.tags) {
        last += 1;
        *tag = last;
    }
    mesh
}

#[test]
fn mesh_from_arrays_equals_the_mesh_read_from_a_file() {
    for (name, _) in FILES {
        let mesh = mesh(name);
        assert_eq!(again(&mesh), numbered(mesh), "{name}");
    }
    let shipped = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/meshes")).unwrap();
    let shipped: Vec<_> = shipped.map(|file| file.unwrap().path()).collect();
    let meshes = shipped.iter().filter(|file| file.extension().is_some_and(|e| e == "msh"));
    assert!(meshes.clone().count() > 4);
    for file in meshes {
        let mesh = Mesh::read("shipped", &std::fs::read(file).unwrap()).unwrap();
        assert_eq!(again(&mesh), numbered(mesh), "{}", file.display());
    }
}

/// Two triangles and an edge between two blocks of their kinds.
fn square() -> (Points, Blocks) {
    let points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let cells = vec![
        (CellKind::Triangle3, vec![0, 1, 2]),
        (CellKind::Line2, vec![3, 0]),
        (CellKind::Triangle3, vec![0, 2, 3]),
    ];
    (points, cells)
}

#[test]
fn mesh_arrays_of_one_cell_kind_are_joined_and_groups_keep_their_cells() {
    let (points, cells) = square();
    let group = |name: &str, nodes: &[u32], cells: &[(usize, Vec<u32>)]| NewGroup {
        name: name.into(),
        nodes: nodes.to_vec(),
        cells: cells.to_vec(),
    };
    let groups = vec![
        group("second", &[], &[(2, vec![0])]),
        group("left", &[], &[(1, vec![0])]),
        group("some", &[2, 1, 2], &[]),
        group("both", &[1], &[(1, vec![0]), (0, vec![0])]),
    ];
    let mesh = Mesh::from_arrays("square", points, cells, groups).unwrap();
    assert_eq!(mesh.cells.len(), 2);
    assert_eq!((mesh.cells[1].nodes_of(1), &mesh.cells[1].tags[..]), (&[0, 2, 3][..], &[1, 3][..]));
    assert_eq!(mesh.cells[0].tags, [2]);
    let found = |name: &str| {
        let group = mesh.group(name).unwrap();
        (group.dimension, group.nodes.clone(), group.cells.clone())
    };
    assert_eq!(found("second"), (2, vec![0, 2, 3], vec![(1, 1)]));
    assert_eq!(found("left"), (1, vec![0, 3], vec![(0, 0)]));
    assert_eq!(found("some"), (0, vec![1, 2], vec![]));
    assert_eq!(found("both"), (2, vec![0, 1, 2, 3], vec![(0, 0), (1, 0)]));
}

#[test]
fn wrong_mesh_arrays_are_refused_with_array_and_index() {
    let message = |change: &dyn Fn(&mut Points, &mut Blocks)| {
        let (mut points, mut cells) = square();
        change(&mut points, &mut cells);
        Mesh::from_arrays("square", points, cells, vec![]).unwrap_err().to_string()
    };
    for (found, expected) in [
        (message(&|x, _| x[2][1] = f64::NAN), "square: node 3 has y = NaN, not a finite number (points[2])"),
        (message(&|x, _| x.push([2.0; 3])), "square: node 5 belongs to no element (points[4])"),
        (message(&|x, _| x[3] = [1.0, 0.2, 0.0]), "square: element 3 (3-node triangle) is inverted"),
        (message(&|x, _| x[3] = [1.0, 0.2, 0.0]), "(cells[2][0])\n"),
        (message(&|_, c| c[0].1[1] = 9), "square: cells[0][0] names node 9, and there are 4 points"),
        (message(&|_, c| c[0].1[1] = 9), "expected numbers from 0 to 3"),
        (
            message(&|_, c| c[0].1[1] = 2),
            "square: element 1 (3-node triangle) names node 3 twice (cells[0][0])",
        ),
        (message(&|_, c| c[2].1.push(0)), "square: cells[2] (3-node triangle) has 4 numbers"),
        (message(&|_, c| c.clear()), "square: the mesh has no elements"),
        (message(&|x, c| (x.clear(), c.clear()).0), "square: the mesh has no nodes"),
        (message(&|_, c| c[2].1 = vec![1, 2, 0]), "square: element 3 (3-node triangle) has the same nodes"),
    ] {
        assert!(found.contains(expected), "{found}\nexpected {expected}");
    }
    let mut broken = mesh("4.1.msh");
    broken.groups[1].cells.push((9, 0));
    let message = broken.validate().unwrap_err().to_string();
    assert!(message.ends_with("group `body` names a node or a cell beyond the last"), "{message}");
    let group = |group: NewGroup| {
        let (points, cells) = square();
        Mesh::from_arrays("", points, cells, vec![group.clone(), group]).unwrap_err().to_string()
    };
    let new = |name: &str, nodes: &[u32], cells: &[(usize, Vec<u32>)]| {
        group(NewGroup { name: name.into(), nodes: nodes.to_vec(), cells: cells.to_vec() })
    };
    for (found, expected) in [
        (new("", &[1], &[]), "a group has no name"),
        (new("a", &[], &[(0, vec![])]), "group `a` has no nodes and no cells"),
        (new("a", &[4], &[]), "group `a` names node 4, and there are 4 points"),
        (new("a", &[], &[(3, vec![0])]), "group `a` names cells of block 3, and there are 3 blocks"),
        (new("a", &[], &[(1, vec![1])]), "group `a` names cell 1 of cells[1], which has 1"),
        (new("a", &[1], &[]), "group `a` is given a second time"),
    ] {
        assert!(found.starts_with(expected), "{found}\nexpected {expected}");
    }
}

#[test]
fn cell_kinds_are_accepted_by_both_of_their_names() {
    for kind in CellKind::ALL {
        assert_eq!(CellKind::from_name(kind.word()), Ok(kind));
        assert_eq!(CellKind::from_name(kind.name()), Ok(kind));
    }
    let help = |name: &str| CellKind::from_name(name).unwrap_err().help.unwrap();
    assert!(help("tetrahedra").starts_with("expected one of vertex, line,"), "{}", help("tetrahedra"));
    assert!(help("Triangle").starts_with("did you mean `triangle`?"), "{}", help("Triangle"));
}
