use super::*;
use std::time::Instant;

/// Nanoseconds per neo-Hookean element in a synchronous sweep and one element at a time, best of several.
#[test]
#[ignore = "a measurement: cargo test --release -- --ignored --nocapture nanoseconds"]
fn nanoseconds_per_element_of_every_kind() {
    for (kind, n, bend) in [
        (ElementKind::Tet4, 15, 0.0),
        (ElementKind::Tet10, 15, 0.0),
        (ElementKind::Tet10, 15, 0.02),
        (ElementKind::Tri6, 80, 0.0),
        (ElementKind::Quad4, 80, 0.0),
        (ElementKind::Hex8, 15, 0.0),
        (ElementKind::Hex20, 8, 0.0),
        (ElementKind::Wedge6, 15, 0.0),
        (ElementKind::Pyramid5, 10, 0.0),
    ] {
        let mesh = Mesh::new(kind, n, 0.2, bend);
        for (name, law) in laws() {
            let solid = mesh.build(&law, PlaneAssumption::Strain);
            let x = deformed_a_little(&solid);
            let mut out = vec![0.0; x.len()];
            let mut sweep = f64::INFINITY;
            let mut single = f64::INFINITY;
            for _ in 0..15 {
                let clock = Instant::now();
                solid.gradient(0.0, &x, &mut out).unwrap();
                sweep = sweep.min(clock.elapsed().as_secs_f64());
                let clock = Instant::now();
                let mut local = [0.0; 3 * MAX_NODES];
                for block in solid.blocks() {
                    for k in 0..block.len() {
                        std::hint::black_box(block.gradient(k, 0.0, &x, &mut local).unwrap());
                    }
                }
                single = single.min(clock.elapsed().as_secs_f64());
            }
            let each = 1e9 / solid.elements() as f64;
            println!(
                "{:6} bend {bend:<5} {name:20} {:6} elements: sweep {:6.1} ns, single {:6.1} ns",
                kind.name(),
                solid.elements(),
                sweep * each,
                single * each
            );
        }
    }
}

fn deformed_a_little(solid: &Solid) -> Vec<f64> {
    let mut x = solid.points().to_vec();
    for x in x.chunks_exact_mut(3) {
        x[0] += 0.05 * (2.0 * x[1]).sin();
    }
    x
}
