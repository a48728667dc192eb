//! Bodies of revolution: Lame's thick cylinder and sphere under inner pressure.

use super::super::side::Depth;
use super::statics::{Statics, error_inside, linear_law};
use super::*;

/// The map from the unit square to the section, and the displacement of a place under the pressure 1 on the inside, radius 1; the outside
/// has radius 2.
struct Case {
    place: fn([f64; 2]) -> [f64; 3],
    exact: fn(&Lame, &[f64; 3]) -> [f64; 3],
}

/// `u = A r + B / r` between planes that stay.
const CYLINDER: Case = Case {
    place: |[s, t]| [1.0 + s, t, 0.0],
    exact: |lame, p| {
        let c = 1.0 / (4.0 - 1.0);
        let (a, b) = (c / (2.0 * (lame.lambda + lame.mu)), 4.0 * c / (2.0 * lame.mu));
        [a * p[0] + b / p[0], 0.0, 0.0]
    },
};

/// `u = A rho + B / rho^2`.
const SPHERE: Case = Case {
    place: |[s, t]| {
        let angle = t * std::f64::consts::FRAC_PI_2;
        [(1.0 + s) * angle.cos().max(0.0), (1.0 + s) * angle.sin(), 0.0]
    },
    exact: |lame, p| {
        let c = 1.0 / (8.0 - 1.0);
        let (a, b) = (c / (3.0 * lame.lambda + 2.0 * lame.mu), 8.0 * c / (4.0 * lame.mu));
        let rho = p[0].hypot(p[1]);
        [0, 1, 2].map(|i| p[i] * (a + b / rho.powi(3)))
    },
};

fn error(case: &Case, kind: ElementKind, n: usize, lame: Lame) -> f64 {
    let unit = Mesh::new(kind, n, 0.0, 0.0);
    let points: Vec<[f64; 3]> = unit
        .points
        .iter()
        .map(|p| {
            let mut place = (case.place)([p[0], p[1]]);
            // The axis is the axis.
            if place[0] < 1e-14 {
                place[0] = 0.0;
            }
            place
        })
        .collect();
    let group =
        ElementGroup { plane: PlaneAssumption::Axisymmetric, ..ElementGroup::new(kind, &unit.nodes, 1.0) };
    let solid = Solid::new(&points, group.build(&points, &linear_law(lame)).unwrap(), &[]).unwrap();
    let mut force = vec![0.0; 3 * points.len()];
    for element in unit.nodes.chunks_exact(kind.nodes()) {
        for side in kind.cell().faces() {
            let side: Vec<u32> = side.iter().map(|a| element[*a]).collect();
            if side.iter().any(|a| unit.points[*a as usize][0] > 1e-12) {
                continue;
            }
            // At small displacements a pressure is the follower force at rest.
            let side = super::super::side::ElementSide::new(&side, Some(Depth::Ring));
            side.push(&super::super::side::Pressure::Uniform(1.0), solid.points(), |a, f| {
                let node = side.nodes()[a] as usize;
                (0..3).for_each(|i| force[3 * node + i] += f[i]);
            });
        }
    }
    let given = (0..force.len()).map(|i| {
        let (p, s) = (&points[i / 3], &unit.points[i / 3]);
        let fixed = match i % 3 {
            0 => p[0] == 0.0,
            1 => p[1].abs() < 1e-12 || (points.iter().all(|p| p[1] < 1.5) && s[1] > 1.0 - 1e-12),
            _ => true,
        };
        fixed.then_some(0.0)
    });
    let statics = Statics { solid: &solid, force, given: given.collect() };
    error_inside(&solid, &statics.solve(), &|p| (case.exact)(&lame, p))
}

#[test]
fn thick_cylinder_and_sphere_converge_to_lames_solutions() {
    for kind in kinds().filter(|kind| kind.dimension() == 2) {
        let order = if kind.cell().is_linear() { 2.0 } else { 3.0 };
        for (name, case) in [("cylinder", CYLINDER), ("sphere", SPHERE)] {
            let (coarse, fine) = (error(&case, kind, 5, lame()), error(&case, kind, 10, lame()));
            let slope = (coarse / fine).log2();
            println!("{name} {kind:?}: {coarse:.2e} {fine:.2e}, order {slope:.2}");
            assert!(
                slope > order - 0.4 && fine < 0.02,
                "{name} {kind:?}: {coarse:e} {fine:e}, order {slope}"
            );
        }
    }
}

#[test]
fn rings_of_averaged_volume_do_not_lock() {
    let lame = Lame::from_young(1.0, 0.49999).unwrap();
    // Of about the size of the displacement, 1.
    let averaged = error(&SPHERE, ElementKind::Quad4, 8, lame);
    assert!(averaged < 0.03, "{averaged}");
}

#[test]
fn rings_across_the_axis_are_refused() {
    let points = [[-0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let group = ElementGroup {
        plane: PlaneAssumption::Axisymmetric,
        first: 3,
        ..ElementGroup::new(ElementKind::Quad4, &[0, 1, 2, 3], 1.0)
    };
    let refused = group.build(&points, &laws()[0].1).unwrap_err();
    assert!(
        refused.message.contains("quad4 element 3 has a node at (-0.1, 0, 0), across the axis"),
        "{refused:?}"
    );
}

fn fluid(gamma: f64) -> ConstitutiveLaw {
    ConstitutiveLaw::Fluid(Fluid::new(1.0, gamma).unwrap())
}

fn rings_of(law: &ConstitutiveLaw, kind: ElementKind, points: &[[f64; 3]], nodes: &[u32]) -> Solid {
    let group = ElementGroup { plane: PlaneAssumption::Axisymmetric, ..ElementGroup::new(kind, nodes, 1.0) };
    Solid::new(points, group.build(points, law).unwrap(), &[]).unwrap()
}

/// Rings of a fluid that are all compressed alike have its pressure, and nothing else, on their surface.
#[test]
fn fluid_rings_under_uniform_compression_balance_the_pressure_on_their_sides() {
    let law = fluid(7.0);
    for kind in kinds().filter(|kind| kind.dimension() == 2) {
        let unit = Mesh::new(kind, 3, 0.0, 0.0);
        let solid = rings_of(&law, kind, &unit.points, &unit.nodes);
        let [radial, axial] = [0.97, 1.01];
        let x: Vec<f64> = unit.points.iter().flat_map(|p| [radial * p[0], axial * p[1], 0.0]).collect();
        let mut force = vec![0.0; x.len()];
        solid.forces(0.0, &x, &mut force).unwrap();
        let size = crate::linalg::max_abs(&force);
        let ratio: f64 = radial * radial * axial;
        let pressure = (ratio.powf(-7.0) - 1.0) / 7.0;
        for element in unit.nodes.chunks_exact(kind.nodes()) {
            for side in kind.cell().faces() {
                let side: Vec<u32> = side.iter().map(|a| element[*a]).collect();
                let side = super::super::side::ElementSide::new(&side, Some(Depth::Ring));
                // Sides between two elements cancel.
                side.push(&super::super::side::Pressure::Uniform(pressure), &x, |a, f| {
                    let node = side.nodes()[a] as usize;
                    (0..3).for_each(|i| force[3 * node + i] += f[i]);
                });
            }
        }
        assert!(size > 1e-3 && crate::linalg::max_abs(&force) < 1e-12, "{kind:?}: {size:e} {force:?}");
    }
}

/// Bessel's function of the first kind and order, by its series.
fn bessel(x: f64) -> f64 {
    let mut term = 0.5 * x;
    let mut sum = term;
    for m in 1..30 {
        term *= -0.25 * x * x / f64::from(m * (m + 1));
        sum += term;
    }
    sum
}

/// The first radial vibration of a fluid in a rigid cylinder of radius 1, `v = J1(k r) cos(k c t)` with `J1(k) = 0`: after half a period the velocity has turned
/// round.
#[test]
fn fluid_in_a_cylinder_vibrates_with_the_root_of_bessels_function() {
    let k = 3.831_705_970_207_512;
    let error = |n: usize| {
        let points: Vec<[f64; 3]> = (0..2 * (n + 1))
            .map(|a| [(a / 2) as f64 / n as f64, if a % 2 == 0 { 0.0 } else { 0.1 }, 0.0])
            .collect();
        let nodes: Vec<u32> = (0..n as u32).flat_map(|e| [2 * e, 2 * e + 2, 2 * e + 3, 2 * e + 1]).collect();
        let solid = rings_of(&fluid(1.0), ElementKind::Quad4, &points, &nodes);
        let is_free = |i: usize| i.is_multiple_of(3) && i / 6 > 0 && i / 6 < n;
        let start: Vec<f64> = (0..6 * (n + 1))
            .map(|i| if is_free(i) { 1e-6 * bessel(k * points[i / 3][0]) } else { 0.0 })
            .collect();
        let (mut x, mut v, mut force) = (solid.points().to_vec(), start.clone(), vec![0.0; start.len()]);
        let steps = 3 * n;
        let h = std::f64::consts::PI / k / steps as f64;
        for _ in 0..steps {
            (0..x.len()).for_each(|i| x[i] += 0.5 * h * v[i]);
            force.fill(0.0);
            solid.forces(0.0, &x, &mut force).unwrap();
            for i in (0..x.len()).filter(|i| is_free(*i)) {
                v[i] += h * force[i] / solid.mass()[i / 3];
            }
            (0..x.len()).for_each(|i| x[i] += 0.5 * h * v[i]);
        }
        let off = v.iter().zip(&start).map(|(v, v0)| (v + v0).abs()).fold(0.0, f64::max);
        off / crate::linalg::max_abs(&start)
    };
    let (coarse, fine) = (error(20), error(40));
    assert!(fine < 5e-3 && coarse / fine > 3.0, "{coarse:e} {fine:e}");
}
