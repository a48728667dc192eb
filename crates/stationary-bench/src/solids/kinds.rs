//! Every kind of element against neo-Hookean tetrahedra, by quadrature points: forces of a body that fits the nearer caches.

use super::cube::{Cube, LAME};
use crate::measure::{seconds, take_turns};
use crate::row::{BenchOutcome, BenchRow, When};
use stationary::model::solid::{
    ConstitutiveLaw, ElementGroup, ElementKind, Lame, NeoHookean, PlaneAssumption, Solid,
};
use std::collections::HashMap;

/// About so many quadrature points.
const POINTS: usize = 16_000;
const REPETITIONS: u64 = 60;

/// The rows that miss the bar, or keep it by less than what a measurement varies by.
const GOALS: [&str; 6] = ["tri3", "tri6", "hex8", "hex20", "hex27", "ring-tri3"];

/// A row for each kind; plane ones also as rings.
pub fn rows() -> Vec<BenchRow> {
    use ElementKind::*;
    let row = |(name, what, kind, plane)| {
        let row = BenchRow::new("elements", name, what, move || over_tetrahedra(kind, plane))
            .at_most(1.3)
            .when(When::Group);
        if GOALS.contains(&name) { row.as_goal() } else { row }
    };
    let (strain, ring) = (PlaneAssumption::Strain, PlaneAssumption::Axisymmetric);
    let all: [(&str, &str, ElementKind, PlaneAssumption); 14] = [
        ("tri3", "forces, tri3 over tet4, a point", Tri3, strain),
        ("tri6", "the same, tri6 over tet10", Tri6, strain),
        ("quad4", "the same, quad4 over tet4", Quad4, strain),
        ("quad8", "the same, quad8 over tet10", Quad8, strain),
        ("quad9", "the same, quad9 over tet10", Quad9, strain),
        ("pyramid5", "the same, pyramid5 over tet4", Pyramid5, strain),
        ("wedge6", "the same, wedge6 over tet4", Wedge6, strain),
        ("hex8", "the same, hex8 over tet4", Hex8, strain),
        ("hex20", "the same, hex20 over tet10", Hex20, strain),
        ("hex27", "the same, hex27 over tet10", Hex27, strain),
        ("ring-tri3", "the same, rings of tri3 over tet4", Tri3, ring),
        ("ring-tri6", "the same, rings of tri6 over tet10", Tri6, ring),
        ("ring-quad4", "the same, rings of quad4 over tet4", Quad4, ring),
        ("ring-quad8", "the same, rings of quad8 over tet10", Quad8, ring),
    ];
    all.into_iter().map(row).collect()
}

/// A point of a kind over one of tetrahedra.
fn over_tetrahedra(kind: ElementKind, plane: PlaneAssumption) -> Result<BenchOutcome, String> {
    let told = |e: &dyn std::fmt::Display| e.to_string();
    let reference = if kind.cell().is_linear() { ElementKind::Tet4 } else { ElementKind::Tet10 };
    let cube = Cube::new(if reference == ElementKind::Tet4 { 14 } else { 9 }, reference);
    let law = ConstitutiveLaw::NeoHookean(
        NeoHookean::new(Lame::new(LAME[0], LAME[1]).map_err(|e| told(&e))?).map_err(|e| told(&e))?,
    );
    let body = |points: &[[f64; 3]], kind: ElementKind, nodes: &[u32]| -> Result<Solid, String> {
        let group = ElementGroup { plane, ..ElementGroup::new(kind, nodes, 1.0) };
        Solid::new(points, group.build(points, &law).map_err(|e| told(&e))?, &[]).map_err(|e| told(&e))
    };
    let (points, nodes) = grid(kind);
    let bodies = [body(&cube.points, reference, &cube.nodes)?, body(&points, kind, &nodes)?];
    let sheared = bodies.each_ref().map(|body| {
        let mut x = body.points().to_vec();
        x.chunks_exact_mut(3).for_each(|x| x[0] *= 1.0 + 0.05 * (2.0 * x[1]).sin());
        x
    });
    let mut out = sheared.clone();
    let best = take_turns(REPETITIONS, |which| {
        seconds(|| {
            out[which].fill(0.0);
            bodies[which].forces(0.0, &sheared[which], &mut out[which]).expect("a body of ours");
        })
    });
    let count =
        bodies.each_ref().map(|body| body.blocks().iter().map(|b| b.len() * b.points()).sum::<usize>());
    let [theirs, ours] = [0, 1].map(|which| 1e9 * best[which] / count[which] as f64);
    let elements = bodies[1].elements() as u64;
    Ok(BenchOutcome::ns(ours).over(theirs).counts(elements, count[1] as u64, REPETITIONS))
}

/// A square or cube of elements of a kind.
pub fn grid(kind: ElementKind) -> (Vec<[f64; 3]>, Vec<u32>) {
    let d = kind.dimension();
    let cell = in_cell(kind);
    let points_each = match kind {
        ElementKind::Tri3 | ElementKind::Tri6 => 3 * cell.len(),
        ElementKind::Hex20 | ElementKind::Hex27 => 27,
        ElementKind::Quad8 | ElementKind::Quad9 => 9,
        _ => 6 * cell.len(),
    };
    let n = ((POINTS / points_each) as f64).powf(1.0 / d as f64).ceil() as usize;
    let (mut numbers, mut points, mut nodes) = (HashMap::new(), Vec::new(), Vec::new());
    for c in 0..n.pow(d as u32) {
        let origin = [c % n, c / n % n, c / (n * n)];
        for place in cell.iter().flatten() {
            // In half cells.
            let at: [usize; 3] = std::array::from_fn(|i| 2 * origin[i] + place[i]);
            nodes.push(*numbers.entry(at).or_insert_with(|| {
                points.push(at.map(|i| i as f64 / (2 * n) as f64));
                points.len() as u32 - 1
            }));
        }
    }
    (points, nodes)
}

/// The nodes of the elements in one cell, in half cells.
fn in_cell(kind: ElementKind) -> Vec<Vec<[usize; 3]>> {
    let of = |kind: ElementKind| -> Vec<[usize; 3]> {
        let flat = kind.dimension() == 2;
        let half = |x: &f64| (x + 1.0) as usize;
        kind.cell()
            .reference()
            .iter()
            .map(|p| [half(&p[0]), half(&p[1]), if flat { 0 } else { half(&p[2]) }])
            .collect()
    };
    let (square, cube) = (of(ElementKind::Quad4), of(ElementKind::Hex8));
    let pick = |from: &[[usize; 3]], corners: &[usize]| -> Vec<[usize; 3]> {
        corners.iter().map(|c| from[*c]).collect()
    };
    match kind {
        ElementKind::Tri3 => vec![pick(&square, &[0, 1, 2]), pick(&square, &[0, 2, 3])],
        ElementKind::Tri6 => {
            let mut triangles = in_cell(ElementKind::Tri3);
            for corners in &mut triangles {
                for [a, b] in [[0, 1], [1, 2], [2, 0]] {
                    let [p, q] = [corners[a], corners[b]];
                    corners.push(std::array::from_fn(|i| (p[i] + q[i]) / 2));
                }
            }
            triangles
        }
        ElementKind::Wedge6 => vec![pick(&cube, &[0, 1, 2, 4, 5, 6]), pick(&cube, &[0, 2, 3, 4, 6, 7])],
        ElementKind::Pyramid5 => {
            // Seen from the middle the sides of the cube turn the other way.
            let side = |side: &&[usize]| side.iter().rev().map(|c| cube[*c]).chain([[1; 3]]).collect();
            ElementKind::Hex8.cell().faces().iter().map(side).collect()
        }
        _ => vec![of(kind)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bench_bodies_of_every_kind_fill_the_square_or_cube() {
        for kind in ElementKind::ALL
            .iter()
            .copied()
            .filter(|kind| kind.dimension() > 1 && !matches!(kind, ElementKind::Tet4 | ElementKind::Tet10))
        {
            let (points, nodes) = grid(kind);
            let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(1.0, 1.0).unwrap()).unwrap());
            let blocks = ElementGroup::new(kind, &nodes, 1.0).build(&points, &law).unwrap();
            let mass: f64 = blocks.iter().map(|b| (0..b.len()).map(|k| b.mass(k)).sum::<f64>()).sum();
            assert!((mass - 1.0).abs() < 1e-9, "{kind:?} {mass}");
            let count: usize = blocks.iter().map(|b| b.len() * b.points()).sum();
            assert!(count > POINTS / 4 && count < 4 * POINTS, "{kind:?} {count}");
        }
    }
}
