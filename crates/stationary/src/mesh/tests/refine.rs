//! Refinement: counts, sizes, groups, curves.

use super::super::{CellKind, Mesh};
use super::mesh;
use std::collections::BTreeSet;

fn slab() -> Mesh {
    Mesh::read("slab.msh", include_bytes!("../../../../../scenarios/meshes/slab.msh")).unwrap()
}

fn block(mesh: &Mesh, kind: CellKind) -> usize {
    mesh.cells.iter().position(|c| c.kind == kind).unwrap()
}

fn size(mesh: &Mesh, block: usize) -> f64 {
    (0..mesh.cells[block].len()).map(|k| mesh.volume((block as u32, k as u32))).sum()
}

#[test]
fn refinement_of_the_slab_multiplies_its_triangles_by_four() {
    let (mut mesh, mut elements) = (slab(), 88);
    let clamped = mesh.group("clamped").unwrap().cells.len();
    for level in 0..4 {
        mesh.validate().unwrap();
        let b = block(&mesh, CellKind::Triangle6);
        assert_eq!(mesh.cells[b].len(), elements);
        assert_eq!(slab().refined_count(level), mesh.cells.iter().map(|c| c.len() as u64).sum::<u64>());
        assert!((size(&mesh, b) - 4.0).abs() < 1e-13);
        let wall = mesh.group("clamped").unwrap();
        assert_eq!(wall.cells.len(), clamped << level);
        let on_wall: Vec<u32> =
            (0..).zip(&mesh.points).filter(|(_, x)| x[0] == 0.0).map(|(a, _)| a).collect();
        assert_eq!(wall.nodes, on_wall);
        assert_eq!(mesh.boundary_faces(wall).unwrap().len(), clamped << level);
        assert_eq!(mesh.group("body").unwrap().nodes.len(), mesh.points.len());
        // Without holes: nodes - edges + triangles = 1 for the corners; a middle node for each edge.
        let corners: BTreeSet<u32> =
            mesh.cells[b].nodes.chunks_exact(6).flat_map(|n| n[..3].to_vec()).collect();
        assert_eq!(mesh.points.len() + 1, 2 * corners.len() + elements);
        let finer = mesh.refined();
        assert_eq!(finer, mesh.refined());
        assert_eq!(finer.points[..mesh.points.len()], mesh.points);
        assert_eq!(finer.point_tags.iter().collect::<BTreeSet<_>>().len(), finer.points.len());
        for k in 0..elements {
            for child in 0..4 {
                let part = finer.volume((b as u32, (4 * k + child) as u32));
                assert!((4.0 * part / mesh.volume((b as u32, k as u32)) - 1.0).abs() < 1e-11);
            }
        }
        (mesh, elements) = (finer, 4 * elements);
    }
}

#[test]
fn refinement_of_a_tetrahedron_gives_eight_of_equal_volume() {
    for name in ["4.1.msh", "flat.inp"] {
        let coarse = mesh(name);
        let fine = coarse.refined();
        fine.validate().unwrap_or_else(|e| panic!("{name}: {e}"));
        for (b, cells) in coarse.cells.iter().enumerate() {
            let n = 1 << cells.kind.dimension();
            for k in 0..cells.len() {
                for child in 0..n {
                    let part = fine.volume((b as u32, (n * k + child) as u32));
                    let whole = coarse.volume((b as u32, k as u32));
                    assert!((part - whole / n as f64).abs() < 1e-14, "{name} {:?} {k} {child}", cells.kind);
                }
            }
        }
        // Sides of the fine body are the children of the sides of the coarse one.
        for (old, new) in coarse.groups.iter().zip(&fine.groups) {
            assert_eq!((&old.name, old.dimension), (&new.name, new.dimension));
            if old.dimension == 2 && !old.cells.is_empty() {
                assert_eq!(
                    fine.boundary_faces(new).unwrap().len(),
                    4 * coarse.boundary_faces(old).unwrap().len()
                );
            }
        }
    }
}

/// The whole blade: faces shared by two tetrahedra stay shared, or the number of nodes would not come out.
#[test]
fn refinement_of_a_tetrahedral_mesh_keeps_volume_and_surface() {
    let coarse =
        Mesh::read("blade.msh", include_bytes!("../../../../../scenarios/meshes/blade.msh")).unwrap();
    let fine = coarse.refined();
    fine.validate().unwrap();
    let b = block(&coarse, CellKind::Tetrahedron10);
    assert!((size(&fine, b) / size(&coarse, b) - 1.0).abs() < 1e-12);
    let skin = |mesh: &Mesh| mesh.boundary_faces(mesh.group("skin").unwrap()).unwrap().len();
    assert_eq!(skin(&fine), 4 * skin(&coarse));
    // Corners of the fine mesh are the nodes of the coarse one.
    let corners: BTreeSet<u32> = fine.cells[b].nodes.chunks_exact(10).flat_map(|n| n[..4].to_vec()).collect();
    assert_eq!(corners.len(), coarse.points.len());
}

#[test]
fn refinement_places_new_nodes_of_curved_sides_on_the_curve() {
    // The lower side is y = -0.4 x (1 - x), which a quadratic cell has exactly.
    let nodes = "1,0,0\n2,1,0\n3,0,1\n4,0.5,-0.1\n5,0.5,0.5\n6,0,0.5\n";
    let text = format!(
        "*NODE\n{nodes}*ELEMENT, TYPE=CPS6\n1,1,2,3,4,5,6\n*NSET, NSET=low\n1,2,4\n*NSET, NSET=ends\n1,2\n"
    );
    let mut mesh = Mesh::read("a.inp", text.as_bytes()).unwrap();
    for level in 1..4 {
        mesh = mesh.refined();
        mesh.validate().unwrap();
        let low = mesh.group("low").unwrap();
        assert_eq!(low.nodes.len(), (2 << level) + 1);
        for a in &low.nodes {
            let [x, y, _] = mesh.points[*a as usize];
            assert!((y + 0.4 * x * (1.0 - x)).abs() < 1e-15, "{x} {y}");
        }
        assert_eq!(mesh.group("ends").unwrap().nodes, [0, 1]);
    }
}

#[test]
fn refinement_gives_linear_cells_mid_side_nodes() {
    let square = "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT, TYPE=CPS3, ELSET=low\n1,1,2,3\n";
    let text = format!("{square}*ELEMENT, TYPE=CPS3\n2,1,3,4\n*NSET, NSET=bottom\n1,2\n");
    let mesh = Mesh::read("a.inp", text.as_bytes()).unwrap().refined();
    mesh.validate().unwrap();
    assert_eq!((mesh.points.len(), mesh.cells[0].len()), (9, 8));
    assert_eq!(mesh.group("low").unwrap().cells, [(0, 0), (0, 1), (0, 2), (0, 3)]);
    let bottom = mesh.group("bottom").unwrap();
    assert_eq!(bottom.nodes.len(), 3);
    assert!(bottom.nodes.iter().all(|a| mesh.points[*a as usize][1] == 0.0));
}
