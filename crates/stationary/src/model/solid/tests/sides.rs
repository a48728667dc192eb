//! Sides of quadrilaterals, hexahedra, wedges and pyramids, flat, curved and warped, and of rings.

use super::*;
use crate::formula::{Expr, Graph, Var};
use crate::linalg::max_abs;
use crate::model::{FieldValues, FormulaField};
use std::sync::Arc;

fn field(text: &str) -> Arc<FormulaField> {
    let mut scope = Scope::new();
    for (i, name) in ["X", "Y", "Z"].iter().enumerate() {
        scope.variable(*name, Var::Q(i as u32));
    }
    let mut graph = Graph::new();
    let node = graph.lower(&Expr::parse(text).unwrap(), &scope).unwrap();
    Arc::new(FormulaField::new(&mut graph, &[node]))
}

/// One element, every node moved on its own, under a pressure on all its sides.
fn element(kind: ElementKind, ring: bool, pressure: &str) -> (Vec<f64>, Loads) {
    let mut random = Random(31);
    let d = kind.dimension();
    let place = |p: &[f64; 3]| -> [f64; 3] { [1.5 + p[0], p[1], p[2]] };
    let points: Vec<[f64; 3]> = kind.cell().reference().iter().map(place).collect();
    let nodes: Vec<u32> = (0..points.len() as u32).collect();
    let depth = (d == 2).then_some(if ring { Depth::Ring } else { Depth::Thickness(1.0) });
    let mut loads = LoadsBuilder::default();
    for side in kind.cell().faces() {
        let side: Vec<u32> = side.iter().map(|a| *a as u32).collect();
        loads.pressure(0, &nodes, &side, depth, &field(pressure));
    }
    let x = points.iter().flat_map(|p| {
        std::array::from_fn::<f64, 3, _>(|i| if i < d { p[i] + 0.08 * random.next() } else { 0.0 })
    });
    (x.collect(), loads.finish(&points, 1))
}

fn volume(kind: ElementKind, ring: bool, x: &[f64]) -> f64 {
    let nodes: Vec<u32> = (0..kind.nodes() as u32).collect();
    let plane = if ring { PlaneAssumption::Axisymmetric } else { PlaneAssumption::Strain };
    let group = ElementGroup { plane, ..ElementGroup::new(kind, &nodes, 1.0) };
    group.build(x.as_chunks().0, &laws()[0].1).unwrap()[0].volume(0)
}

fn cases() -> impl Iterator<Item = (ElementKind, bool)> {
    kinds()
        .flat_map(|kind| [false, true].map(|ring| (kind, ring)))
        .filter(|(k, ring)| !ring || k.dimension() == 2)
}

/// The volume is of the first degree in every coordinate, that of a ring of the second in radii: central differences are derivatives.
#[test]
fn pressure_on_all_sides_of_an_element_is_the_slope_of_its_volume() {
    for (kind, ring) in cases() {
        let (mut x, loads) = element(kind, ring, "0.7");
        let n = x.len();
        let (mut dead, mut f) = (vec![0.0; n], vec![0.0; n]);
        assert!(loads.forces(0, &mut FieldValues::new(0.0), &x, &mut dead, &mut f).follower);
        let size = max_abs(&f);
        assert!(size > 0.02);
        for i in (0..n).filter(|i| i % 3 < kind.dimension()) {
            let old = x[i];
            let mut at = |x_i: f64| {
                x[i] = x_i;
                volume(kind, ring, &x)
            };
            let slope = (at(old + 0.02) - at(old - 0.02)) / 0.04;
            x[i] = old;
            assert!(
                (f[i] + 0.7 * slope).abs() < 1e-11 * size.max(1.0),
                "{kind:?} {ring} {i}: {} {slope}",
                f[i]
            );
        }
        let sum = |i: usize| f.iter().skip(i).step_by(3).sum::<f64>();
        for i in (0..3).filter(|i| !ring || *i == 1) {
            assert!(sum(i).abs() < 1e-13 * size.max(1.0), "{kind:?} {ring}: {}", sum(i));
        }
    }
}

#[test]
fn pressure_stiffness_of_every_side_is_the_derivative_of_its_forces() {
    for (kind, ring) in cases() {
        for pressure in ["0.7", "0.7 + X - 0.4*Y^2"] {
            let (mut x, loads) = element(kind, ring, pressure);
            let n = x.len();
            let mut stiffness = vec![0.0; n * n];
            loads.subtract_stiffness(0, 0.0, &x, kind.nodes(), &mut stiffness);
            let size = max_abs(&stiffness);
            let (mut dead, mut up, mut down) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
            for j in 0..n {
                let old = x[j];
                // Forces are quadratic in the positions.
                x[j] = old + 0.25;
                loads.forces(0, &mut FieldValues::new(0.0), &x, &mut dead, &mut up);
                x[j] = old - 0.25;
                loads.forces(0, &mut FieldValues::new(0.0), &x, &mut dead, &mut down);
                x[j] = old;
                for i in 0..n {
                    let slope = 2.0 * (up[i] - down[i]);
                    let entry = stiffness[i * n + j];
                    assert!(
                        (entry + slope).abs() < 1e-13 * (1.0 + size),
                        "{kind:?} {ring} {i} {j}: {entry} {slope}"
                    );
                }
            }
        }
    }
}

#[test]
fn shares_of_a_traction_add_up_to_the_area() {
    // A square of side 2 in every kind, tilted: corners of eight nodes have negative shares, -1/12 of the area.
    for (kind, corner) in
        [(ElementKind::Quad4, 0.25), (ElementKind::Quad8, -1.0 / 12.0), (ElementKind::Quad9, 1.0 / 36.0)]
    {
        let x: Vec<f64> =
            kind.cell().reference().iter().flat_map(|p| [0.6 * p[0], p[1], 0.8 * p[0]]).collect();
        let nodes: Vec<u32> = (0..kind.nodes() as u32).collect();
        let shares = ElementSide::new(&nodes, None).shares(&x);
        assert!((shares.iter().sum::<f64>() - 4.0).abs() < 1e-13 && (shares[0] - 4.0 * corner).abs() < 1e-13);
    }
    // A cone between the radii 1 and 3 over the height 2.
    let cone = [1.0, 0.0, 0.0, 3.0, 2.0, 0.0];
    let shares = ElementSide::new(&[0, 1], Some(Depth::Ring)).shares(&cone);
    let area = std::f64::consts::PI * (1.0 + 3.0) * 8f64.sqrt();
    assert!((shares.iter().sum::<f64>() - area).abs() < 1e-13 * area && shares[1] > shares[0]);
}
