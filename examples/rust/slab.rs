//! A finite-element slab in which every element keeps its own time step (asynchronous variational integrator):
//! `cargo run --release -p stationary --example slab`.

use stationary::error::Diagnostic;
use stationary::integrate::avi::{Avi, AviStart, Buffer, harmonic};
use stationary::mesh::{CellKind, Mesh};
use stationary::model::Supports;
use stationary::model::solid::{
    ConstitutiveLaw, ElementGroup, ElementKind, Lame, LoadsBuilder, MassSplit, NeoHookean, Solid,
    SolidProblem,
};
use std::sync::Arc;

/// Triangles whose columns get narrower to the right, as an Abaqus file: 40 columns of two triangles.
fn mesh() -> String {
    let columns = 40;
    let mut text = "*NODE\n".to_string();
    let place = |i: i32| 4.0 * (1.0 - 0.93_f64.powi(i)) / (1.0 - 0.93_f64.powi(columns));
    for i in 0..=columns {
        for j in 0..2 {
            text += &format!("{}, {}, {}\n", 2 * i + j + 1, place(i), j);
        }
    }
    text += "*ELEMENT, TYPE=CPS3, ELSET=slab\n";
    for i in 0..columns {
        let [a, b, c, d] = [2 * i + 1, 2 * i + 2, 2 * i + 3, 2 * i + 4];
        text += &format!("{}, {a}, {c}, {d}\n{}, {a}, {d}, {b}\n", 2 * i + 1, 2 * i + 2);
    }
    text + "*NSET, NSET=wall\n1, 2\n"
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = Mesh::read("slab.inp", mesh().as_bytes())?;
    let rubber = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(3.0, 1.3)?)?);
    let triangles = mesh.cells.iter().find(|c| c.kind == CellKind::Triangle3).expect("they were written");
    let blocks = ElementGroup::new(ElementKind::Tri3, &triangles.nodes, 1.0).build(&mesh.points, &rubber)?;
    let solid = Solid::new(&mesh.points, blocks, &[])?;
    let loads = LoadsBuilder::default().finish(&mesh.points, solid.elements());
    let mut supports = Supports::new(&mesh.points);
    for node in &mesh.group("wall")?.nodes {
        for direction in 0..2 {
            supports.fix(*node, direction, 0.0, 0).map_err(|_| Diagnostic::new("held twice"))?;
        }
    }
    let problem = Arc::new(SolidProblem::new(solid, loads, supports, triangles.tags.clone()));
    let solid = problem.solid();
    let x = solid.points().to_vec();
    // Each element half of its own limit, rounded down to the next power of two below the largest.
    let step = harmonic(&*problem, &solid.steps_eigen(0.5, &x, MassSplit::Stiffness)?, Buffer::Ring);
    let updates_at_smallest = step.len() as f64 / step.iter().copied().fold(f64::INFINITY, f64::min);
    let updates = step.iter().map(|h| 1.0 / h).sum::<f64>();
    // It starts as it is, and moves along x the faster the farther from the wall.
    let v = x.chunks_exact(3).flat_map(|x| [0.05 * x[0], 0.0, 0.0]).collect();
    let start = AviStart { t: 0.0, mass: solid.mass().to_vec(), x, v, step };
    let mut avi = Avi::new(Arc::clone(&problem), start)?;
    let energy = |avi: &Avi<Arc<SolidProblem>>| avi.snapshot().map(|s| s.kinetic + s.potential);
    let before = energy(&avi)?;
    avi.advance(50.0)?;
    println!(
        "{} updates; with the smallest step for all {:.1} times as many",
        avi.updates(),
        updates_at_smallest / updates
    );
    println!("energy {before:.6}, then {:.6}", energy(&avi)?);
    Ok(())
}
