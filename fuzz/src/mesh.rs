//! Any bytes as a mesh: reading must end in a sound mesh or one message, and what others ask of a mesh must not fail.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stationary::mesh::{Mesh, inradius};

fuzz_target!(|bytes: &[u8]| {
    match Mesh::read("fuzz", bytes) {
        Ok(mesh) => {
            mesh.validate().expect("checked as it was read");
            for group in &mesh.groups {
                assert!(mesh.group_of(&group.name, group.dimension).is_ok());
                let _ = mesh.boundary_faces(group);
            }
            let around = mesh.node_cells(|kind| kind.dimension() > 0);
            assert!((0..mesh.points.len() as u32).all(|a| !around.of(a).is_empty()));
            for cells in mesh.cells.iter().filter(|c| c.kind.dimension() > 0) {
                let x: Vec<_> = cells.nodes_of(0).iter().map(|a| mesh.points[*a as usize]).collect();
                assert!(inradius(cells.kind, &x) > 0.0);
            }
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.trim().is_empty() && message.len() < 4000, "{message}");
        }
    }
});
