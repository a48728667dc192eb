//! Files of other programs with every kind of cell: `tests/meshes/programs/make.py` writes them by Gmsh and meshio.

use super::super::{CellKind, Mesh};
use super::message;
use std::path::Path;

const BRICKS: [(&str, CellKind, CellKind); 3] = [
    ("hexahedron8", CellKind::Hexahedron8, CellKind::Quadrilateral4),
    ("hexahedron20", CellKind::Hexahedron20, CellKind::Quadrilateral8),
    ("hexahedron27", CellKind::Hexahedron27, CellKind::Quadrilateral9),
];
pub(super) const NAMES: [&str; 5] = ["hexahedron8", "hexahedron20", "hexahedron27", "wedge", "mixed"];
pub(super) const ENDINGS: [&str; 6] =
    ["-4.1.msh", "-4.1-binary.msh", "-2.2.msh", "-2.2-binary.msh", ".inp", ".vtu"];

pub(super) fn bytes(file: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshes/programs");
    std::fs::read(folder.join(file)).unwrap()
}

fn read(file: &str) -> Mesh {
    Mesh::read(file, &bytes(file)).unwrap_or_else(|e| panic!("{e}"))
}

fn size(mesh: &Mesh) -> f64 {
    let solid = (0..).zip(&mesh.cells).filter(|(_, c)| c.kind.dimension() == 3);
    solid.flat_map(|(b, c)| (0..c.len() as u32).map(move |k| mesh.volume((b, k)))).sum()
}

/// Each middle node lies between its corners: a node order of a format that was mistaken would show.
fn middles_lie_in_the_middle(mesh: &Mesh, file: &str) {
    for cells in &mesh.cells {
        for k in 0..cells.len() {
            let x: Vec<_> = cells.nodes_of(k).iter().map(|a| mesh.points[*a as usize]).collect();
            for (between, x_m) in cells.kind.derived().between.iter().zip(&x) {
                for i in 0..3 {
                    let mean = between.iter().map(|c| x[*c][i]).sum::<f64>() / between.len() as f64;
                    assert!((mean - x_m[i]).abs() < 1e-12, "{file}: {:?} {k}", cells.kind);
                }
            }
        }
    }
}

#[test]
fn hexahedra_of_gmsh_and_meshio_are_read_in_our_order() {
    for (name, solid, side) in BRICKS {
        for ending in ENDINGS {
            let file = format!("{name}{ending}");
            let mesh = read(&file);
            assert!(mesh.cells.iter().any(|c| c.kind == solid && c.len() == 1), "{file}");
            assert!(mesh.cells.iter().any(|c| c.kind == side), "{file}");
            middles_lie_in_the_middle(&mesh, &file);
            assert!((size(&mesh) - 6.0).abs() < 1e-14, "{file}");
            let left = mesh.boundary_faces(mesh.group("left").unwrap()).unwrap();
            assert_eq!((left.len(), left[0].kind, left[0].side), (1, side, left[0].side), "{file}");
            assert!(left[0].nodes().iter().all(|a| mesh.points[*a as usize][0] == 0.0), "{file}");
        }
    }
}

#[test]
fn wedges_and_mixed_meshes_of_gmsh_and_meshio_are_read() {
    for (name, volume, kinds) in [
        ("wedge", 2.0, vec![CellKind::Wedge6]),
        ("mixed", 2.0, vec![CellKind::Tetrahedron4, CellKind::Pyramid5, CellKind::Hexahedron8]),
    ] {
        for ending in ENDINGS {
            let file = format!("{name}{ending}");
            let mesh = read(&file);
            let found: Vec<_> = mesh.cells.iter().map(|c| c.kind).filter(|k| k.dimension() == 3).collect();
            assert_eq!(found, kinds, "{file}");
            assert!((size(&mesh) - volume).abs() < 1e-6, "{file} {}", size(&mesh));
            let body = mesh.group("body").unwrap();
            let left = mesh.boundary_faces(mesh.group("left").unwrap()).unwrap();
            assert!(
                !left.is_empty()
                    && left.iter().all(|f| f.nodes().iter().all(|a| mesh.points[*a as usize][0] == 0.0)),
                "{file}"
            );
            // By Gauss's theorem with a field that has divergence 1: sides point outwards.
            let mut flux = 0.0;
            for face in mesh.boundary_faces(body).unwrap() {
                let x: Vec<_> = face.nodes().iter().map(|a| mesh.points[*a as usize]).collect();
                for i in 1..x.len() - 1 {
                    let area = |j: usize, k: usize| {
                        (x[i][j] - x[0][j]) * (x[i + 1][k] - x[0][k])
                            - (x[i][k] - x[0][k]) * (x[i + 1][j] - x[0][j])
                    };
                    flux += 0.5 * area(1, 2) * (x[0][0] + x[i][0] + x[i + 1][0]) / 3.0;
                }
            }
            assert!((flux - volume).abs() < 1e-6, "{file} {flux}");
        }
    }
}

/// Many programs write wedges with the order of Gmsh into VTU files: both are read.
#[test]
fn wedges_of_vtu_files_are_read_in_both_orders() {
    let file = |nodes: &str| {
        format!(
            "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"7\" NumberOfCells=\"2\">\
             <Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1 0.3 0.3 2</DataArray></Points>\
             <Cells><DataArray type=\"Int32\" Name=\"connectivity\">{nodes} 3 4 5 6</DataArray>\
             <DataArray type=\"Int32\" Name=\"offsets\">6 10</DataArray><DataArray type=\"UInt8\" Name=\"types\">13 10</DataArray></Cells>\
             <CellData><DataArray type=\"UInt8\" Name=\"upper\">0 1</DataArray><DataArray type=\"Int32\" Name=\"material\">4 7</DataArray>\
             <DataArray type=\"Int64\" Name=\"low-high\">-1 1</DataArray><DataArray type=\"UInt8\" Name=\"vtkGhostType\">0 1</DataArray></CellData>\
             </Piece><FieldData><DataArray type=\"Int32\" Name=\"steel\" NumberOfTuples=\"2\">4 3</DataArray></FieldData></VTKFile>"
        )
    };
    for nodes in ["0 2 1 3 5 4", "0 1 2 3 4 5"] {
        let mesh = Mesh::read("a.vtu", file(nodes).as_bytes()).unwrap();
        assert_eq!(mesh.cells[1].nodes, [0, 1, 2, 3, 4, 5]);
        assert!((mesh.volume((1, 0)) - 0.5).abs() < 1e-15);
        let names: Vec<_> = mesh.groups.iter().map(|g| (g.name.as_str(), g.nodes.len())).collect();
        assert_eq!(names, [("7", 4), ("high", 4), ("low", 0), ("steel", 6), ("upper", 4)]);
    }
    let told = message("a.vtu", file("0 1 2 4 3 5"));
    assert!(
        told.contains("element 0 (6-node wedge) has no volume") && told.contains("in a wrong order"),
        "{told}"
    );
}

#[test]
fn pixels_and_voxels_of_vtu_files_are_quadrilaterals_and_hexahedra() {
    let file = |points: &str, n: usize, code: u8| {
        let all: Vec<_> = (0..n).map(|i| i.to_string()).collect();
        format!(
            "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"{n}\" NumberOfCells=\"1\">\
             <Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">{points}</DataArray></Points>\
             <Cells><DataArray type=\"Int32\" Name=\"connectivity\">{}</DataArray><DataArray type=\"Int32\" Name=\"offsets\">{n}</DataArray>\
             <DataArray type=\"UInt8\" Name=\"types\">{code}</DataArray></Cells></Piece></VTKFile>",
            all.join(" ")
        )
    };
    let mesh = Mesh::read("a.vtu", file("0 0 0 2 0 0 0 1 0 2 1 0", 4, 8).as_bytes()).unwrap();
    assert_eq!((mesh.cells[0].kind, mesh.volume((0, 0))), (CellKind::Quadrilateral4, 2.0));
    let voxel = "0 0 0 2 0 0 0 1 0 2 1 0 0 0 3 2 0 3 0 1 3 2 1 3";
    let mesh = Mesh::read("a.vtu", file(voxel, 8, 11).as_bytes()).unwrap();
    assert_eq!((mesh.cells[0].kind, mesh.volume((0, 0))), (CellKind::Hexahedron8, 6.0));
}

fn inp(kind: &str, x: &[[f64; 3]], more: &str) -> String {
    let mut text = "*NODE\n".to_string();
    x.iter().zip(1..).for_each(|(x, a)| text += &format!("{a}, {}, {}, {}\n", x[0], x[1], x[2]));
    let nodes: Vec<_> = (1..=x.len()).map(|a| a.to_string()).collect();
    text + &format!("*ELEMENT, TYPE={kind}, ELSET=all\n7, {}\n{more}", nodes.join(", "))
}

/// Sides as the manual of Abaqus numbers them, by their corners.
#[test]
fn abaqus_sides_of_every_kind_have_the_numbers_of_abaqus() {
    let cases: [(&str, CellKind, &[&[u64]]); 5] = [
        (
            "C3D8R",
            CellKind::Hexahedron8,
            &[&[1, 2, 3, 4], &[5, 8, 7, 6], &[1, 5, 6, 2], &[2, 6, 7, 3], &[3, 7, 8, 4], &[4, 8, 5, 1]],
        ),
        (
            "C3D20",
            CellKind::Hexahedron20,
            &[&[1, 2, 3, 4], &[5, 8, 7, 6], &[1, 5, 6, 2], &[2, 6, 7, 3], &[3, 7, 8, 4], &[4, 8, 5, 1]],
        ),
        ("C3D6", CellKind::Wedge6, &[&[1, 2, 3], &[4, 6, 5], &[1, 4, 5, 2], &[2, 5, 6, 3], &[3, 6, 4, 1]]),
        ("C3D5", CellKind::Pyramid5, &[&[1, 2, 3, 4], &[1, 5, 2], &[2, 5, 3], &[3, 5, 4], &[4, 5, 1]]),
        ("CPE4R", CellKind::Quadrilateral4, &[&[1, 2], &[2, 3], &[3, 4], &[4, 1]]),
    ];
    for (name, kind, sides) in cases {
        let surfaces: String =
            (1..=sides.len()).map(|i| format!("*SURFACE, NAME=side{i}\nall, S{i}\n")).collect();
        let mesh = Mesh::read("a.inp", inp(name, kind.reference(), &surfaces).as_bytes()).unwrap();
        for (i, corners) in sides.iter().enumerate() {
            let face = mesh.boundary_faces(mesh.group(&format!("side{}", i + 1)).unwrap()).unwrap()[0];
            let mut found: Vec<u64> =
                face.nodes()[..face.kind.corners()].iter().map(|a| mesh.point_tags[*a as usize]).collect();
            let mut expected = corners.to_vec();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{name} S{}", i + 1);
        }
        let told = message("a.inp", inp(name, kind.reference(), "*SURFACE, NAME=a\nall, S7\n"));
        assert!(told.contains(&format!("expected S1 to S{}", sides.len())), "{told}");
    }
}

/// The inner nodes of a 27-node hexahedron may come in any order.
#[test]
fn abaqus_inner_nodes_of_hexahedra_are_put_where_they_lie() {
    let kind = CellKind::Hexahedron27;
    for turn in 0..7 {
        let mut x = kind.reference().to_vec();
        x[20..].rotate_left(turn);
        let mesh = Mesh::read("a.inp", inp("C3D27", &x, "").as_bytes()).unwrap();
        let found: Vec<_> = mesh.cells[0].nodes.iter().map(|a| mesh.points[*a as usize]).collect();
        assert_eq!(found, kind.reference());
    }
}

#[test]
fn abaqus_axisymmetric_elements_are_told_and_shells_alone_refused() {
    let square = CellKind::Quadrilateral4.reference();
    let mesh = |name: &str| Mesh::read("a.inp", inp(name, square, "").as_bytes()).unwrap();
    assert!(mesh("CAX4R").axisymmetric && !mesh("CPS4").axisymmetric);
    assert_ne!(mesh("CAX4").to_bytes(), mesh("CPS4").to_bytes());
    assert!(mesh("CAX4").refined().axisymmetric);
    let told = message("a.inp", inp("S4R", square, ""));
    assert!(told.starts_with("a.inp:6:16: `S4R` is a shell; shells are not supported"), "{told}");
    let mixed = "*ELEMENT, TYPE=CAX4\n8, 1, 2, 3, 4\n";
    let told = message("a.inp", inp("CPE4", square, mixed));
    assert!(
        told.starts_with("a.inp:6:16: `CPE4` is a plane element, and others of the file are axisymmetric"),
        "{told}"
    );
    // As sides of a solid body they are read.
    let shell = "*ELEMENT, TYPE=S4, ELSET=skin\n8, 1, 4, 3, 2\n*SURFACE, NAME=load\nskin, SPOS\n";
    let mesh = Mesh::read("a.inp", inp("C3D8", CellKind::Hexahedron8.reference(), shell).as_bytes()).unwrap();
    assert_eq!(mesh.boundary_faces(mesh.group("load").unwrap()).unwrap().len(), 1);
}
