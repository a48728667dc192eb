//! Quadrilaterals, hexahedra, wedges and pyramids: their spectra, averaged volumes, and shapes that are refused.

use super::super::averaged::Averaging;
use super::super::cells::{
    Cell, Hex8, Hex20, Hex27, Pyramid5, Quad4, Quad8, Quad9, Slopes, Tri3, Tri6, Wedge6,
};
use super::super::kind::Facts;
use super::super::lanes::Lanes;
use super::super::shape::{Local, zero};
use super::*;
use crate::linalg::max_abs;

/// The eigenvalues of a symmetric matrix, ascending, by Jacobi's rotations.
fn eigenvalues(mut a: Vec<f64>, n: usize) -> Vec<f64> {
    for _ in 0..60 {
        let off: f64 = (0..n * n).filter(|i| i / n != i % n).map(|i| a[i] * a[i]).sum();
        if off.sqrt() < 1e-15 * a.iter().map(|x| x * x).sum::<f64>().sqrt() {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p * n + q] == 0.0 {
                    continue;
                }
                let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut values: Vec<f64> = (0..n).map(|i| a[i * n + i]).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// How many deformations of an undeformed element have no energy; none may have a negative one.
fn modes_without_energy(block: &dyn Elements, x: &[f64], name: &str) -> usize {
    let (m, d) = (3 * block.kind().nodes(), block.kind().dimension());
    let mut tangent = vec![0.0; m * m];
    block.tangent(0, 0.0, x, &mut tangent).unwrap();
    let free: Vec<usize> = (0..m).filter(|i| i % 3 < d).collect();
    let mut matrix = Vec::new();
    for i in &free {
        matrix.extend(free.iter().map(|j| tangent[i * m + j]));
    }
    let values = eigenvalues(matrix, free.len());
    let size = values[values.len() - 1];
    assert!(values[0] > -1e-12 * size, "{name}: {:e} of {size}", values[0]);
    // The softest true deformation of these elements has a thousandth of the largest eigenvalue.
    let none = values.iter().filter(|v| **v < 1e-10 * size).count();
    assert!(values[none] > 1e-5 * size, "{name}: {:e} of {size}", values[none]);
    none
}

#[test]
fn only_rigid_motions_of_one_element_have_no_energy() {
    let law = &laws()[0].1;
    for kind in kinds() {
        for shake in [0.0, 0.3] {
            let mesh = Mesh::new(kind, 2, shake, 0.0);
            for integration in [Integration::AveragedVolume, Integration::Full] {
                use PlaneAssumption::*;
                for plane in [Strain, Stress, Axisymmetric] {
                    let name = format!("{kind:?} {shake} {integration:?} {plane:?}");
                    let group =
                        ElementGroup { plane, integration, ..ElementGroup::new(kind, &mesh.nodes, 1.0) };
                    let block = &group.build(&mesh.points, law).unwrap()[0];
                    let rigid = match (kind.dimension(), plane) {
                        (3, _) => 6,
                        (_, Axisymmetric) => 1,
                        _ => 3,
                    };
                    let x = mesh.points.as_flattened();
                    let got = modes_without_energy(&**block, x, &name);
                    // A triangle of three nodes as a ring has one point for six displacements: four strains, one is rigid, and one is
                    // the rotation that leaves the radius of the point.
                    let spared = usize::from(kind == ElementKind::Tri3 && plane == Axisymmetric);
                    assert_eq!(got, rigid + spared, "{name}");
                }
            }
        }
    }
}

/// The broken twin: eight nodes with two by two points.
#[derive(Debug)]
struct Reduced;

impl Cell for Reduced {
    const KIND: ElementKind = ElementKind::Quad8;
    const FACTS: Facts = Quad8::FACTS;
    const POINTS: usize = 4;
    type AtNodes<T: Clone> = [T; 8];
    type AtPoints<T: Clone> = [T; 4];

    fn rule() -> Vec<([f64; 3], f64)> {
        let a = 1.0 / 3f64.sqrt();
        [[-a, -a, 0.0], [a, -a, 0.0], [a, a, 0.0], [-a, a, 0.0]].map(|at| (at, 1.0)).into()
    }

    fn fine_rule() -> Vec<([f64; 3], f64)> {
        Quad8::fine_rule()
    }

    fn inradius(at: &[f64; 3], dual: &Tensor) -> f64 {
        Quad8::inradius(at, dual)
    }

    fn slopes<L: Lanes>(u: &[L; 8], to: &mut impl Slopes<L>) {
        for (q, (at, _)) in Self::rule().iter().enumerate() {
            for c in 0..2 {
                let slope = |a: usize| L::splat(Self::FACTS.cell.functions(at).slopes[a][c]).mul(u[a]);
                to.put(q, c, (1..8).fold(zero(), |sum: L, a| sum.add(slope(a))));
            }
        }
    }

    fn loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 8]) {
        *out = [zero(); 8];
        for (q, (at, _)) in Self::rule().iter().enumerate() {
            for c in 0..2 {
                for (a, out) in out.iter_mut().enumerate() {
                    let slope = L::splat(Self::FACTS.cell.functions(at).slopes[a][c]);
                    *out = out.add(slope.mul(from.get(q, c)));
                }
            }
        }
    }
}

#[test]
fn eight_nodes_with_four_points_have_one_deformation_without_energy() {
    let mesh = Mesh::new(ElementKind::Quad8, 1, 0.0, 0.0);
    let group = ElementGroup::new(ElementKind::Quad8, &mesh.nodes, 1.0);
    let material = NeoHookean::new(lame()).unwrap();
    let material = (SharedMaterial::new(material), Averaging::Off);
    let block = &group.cells::<Reduced, false>(&mesh.points, material).unwrap()[0];
    assert_eq!(modes_without_energy(&**block, mesh.points.as_flattened(), "reduced"), 4);
}

/// Numbers at points.
struct AtPoints(Vec<[f64; 3]>);

impl Slopes<f64> for AtPoints {
    fn put(&mut self, q: usize, c: usize, value: f64) {
        self.0[q][c] = value;
    }

    fn get(&self, q: usize, c: usize) -> f64 {
        self.0[q][c]
    }
}

/// The largest errors of the slopes of a kind and their transpose, and of its values.
fn errors_of<C: Cell>() -> [f64; 2] {
    let (n, d) = (C::KIND.nodes(), C::KIND.dimension());
    let table: Vec<_> = C::rule().iter().map(|(at, _)| C::FACTS.cell.functions(at)).collect();
    assert_eq!(table.len(), C::POINTS, "{:?}", C::KIND);
    let (mut slopes, mut values) = (0.0f64, 0.0f64);
    for a in 1..n {
        let mut u = C::AtNodes::<f64>::of(0.0);
        u[a] = 1.0;
        let mut got = AtPoints(vec![[0.0; 3]; C::POINTS]);
        C::slopes(&u, &mut got);
        let at_points = (d == 2).then(|| C::values(&u));
        for q in 0..C::POINTS {
            (0..d).for_each(|c| slopes = slopes.max((got.0[q][c] - table[q].slopes[a][c]).abs()));
            if let Some(at_points) = &at_points {
                values = values.max((at_points[q] - table[q].values[a]).abs());
            }
        }
    }
    for q in 0..C::POINTS {
        for c in 0..d {
            let mut one = AtPoints(vec![[0.0; 3]; C::POINTS]);
            one.0[q][c] = 1.0;
            let mut got = C::AtNodes::<f64>::of(0.0);
            C::loads(&one, &mut got);
            (1..n).for_each(|a| slopes = slopes.max((got[a] - table[q].slopes[a][c]).abs()));
        }
        if d == 2 {
            let mut one = C::AtPoints::<f64>::of(0.0);
            one[q] = 1.0;
            let mut got = C::AtNodes::<f64>::of(0.0);
            C::value_loads(&one, &mut got);
            (1..n).for_each(|a| values = values.max((got[a] - table[q].values[a]).abs()));
        }
    }
    [slopes, values]
}

#[test]
fn slopes_and_values_of_every_kind_and_their_transposes_are_those_of_its_shape_functions() {
    let plane = [errors_of::<Tri3>(), errors_of::<Tri6>(), errors_of::<Quad4>()];
    let quadratic = [errors_of::<Quad8>(), errors_of::<Quad9>(), errors_of::<Hex20>(), errors_of::<Hex27>()];
    let linear = [errors_of::<Pyramid5>(), errors_of::<Wedge6>(), errors_of::<Hex8>()];
    for errors in plane.into_iter().chain(quadratic).chain(linear) {
        assert!(errors.iter().all(|e| *e < 4e-15), "{plane:?} {quadratic:?} {linear:?}");
    }
}

#[test]
fn averaged_volume_has_the_energy_of_one_volume_ratio() {
    // A fluid, W = (J - 1)^2 / 2 without any shear modulus, knows the volume of the element alone.
    let mut scope = Scope::new();
    scope.constant("mu", 1e-6);
    let text = "(J - 1)^2/2 + mu/2*(I1 - 3 - 2*log(J))";
    let law = ConstitutiveLaw::Formula(FormulaMaterial::new(text, &scope).unwrap());
    for (kind, plane) in [
        (ElementKind::Quad4, PlaneAssumption::Strain),
        (ElementKind::Quad4, PlaneAssumption::Axisymmetric),
        (ElementKind::Hex8, PlaneAssumption::Strain),
    ] {
        let mesh = Mesh { ring: plane == PlaneAssumption::Axisymmetric, ..Mesh::new(kind, 2, 0.3, 0.0) };
        let build = |integration| {
            let group = ElementGroup { plane, integration, ..ElementGroup::new(kind, &mesh.nodes, 1.0) };
            Solid::new(&mesh.points, group.build(&mesh.points, &law).unwrap(), &[]).unwrap()
        };
        let (averaged, full) = (build(Integration::AveragedVolume), build(Integration::Full));
        let x = deformed(&mesh, &averaged);
        // The volume of the deformed element is that of an undeformed one there.
        let moved: Vec<[f64; 3]> = x.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
        let there = ElementGroup { plane, ..ElementGroup::new(kind, &mesh.nodes, 1.0) };
        let there = there.build(&moved, &law).unwrap();
        let (mut worst, mut apart): (f64, f64) = (0.0, 0.0);
        for k in 0..averaged.elements() {
            let (block, _) = averaged.locate(k);
            let v0 = block.volume(k);
            let want = 0.5 * v0 * (there[0].volume(k) / v0 - 1.0).powi(2);
            worst = worst.max((block.energy(k, 0.0, &x).unwrap() - want).abs() / v0);
            apart = apart.max((full.locate(k).0.energy(k, 0.0, &x).unwrap() - want).abs() / v0);
        }
        assert!(worst < 1e-6 && apart > 1e-4, "{kind:?} {plane:?}: {worst:e} {apart:e}");
    }
}

/// The hexahedron of these corners, refused or not.
fn built(kind: ElementKind, points: &[[f64; 3]]) -> Result<(), String> {
    let nodes: Vec<u32> = (0..points.len() as u32).collect();
    let group = ElementGroup { first: 10, ..ElementGroup::new(kind, &nodes, 1.0) };
    group.build(points, &laws()[0].1).map(drop).map_err(|d| d.message)
}

#[test]
fn elements_of_any_shape_are_refused_by_name_or_have_positive_volume_everywhere() {
    for kind in kinds() {
        let unit: Vec<[f64; 3]> = kind.cell().reference().to_vec();
        assert_eq!(built(kind, &unit), Ok(()));
        let flat: Vec<[f64; 3]> = unit
            .iter()
            .map(|p| if kind.dimension() == 2 { [p[0], 0.0, 0.0] } else { [p[0], p[1], 0.0] })
            .collect();
        let name = format!("{} element 10 has no volume", kind.name());
        assert!(built(kind, &flat).unwrap_err().contains(&name), "{:?}", built(kind, &flat));
        let over: Vec<[f64; 3]> = unit.iter().map(|p| [p[0], -p[1], p[2]]).collect();
        assert!(built(kind, &over).unwrap_err().contains("is turned over"), "{kind:?}");
        // Slivers run: a millionth as high as wide.
        let thin: Vec<[f64; 3]> = unit
            .iter()
            .map(|p| if kind.dimension() == 2 { [p[0], 1e-6 * p[1], 0.0] } else { [p[0], p[1], 1e-6 * p[2]] })
            .collect();
        assert_eq!(built(kind, &thin), Ok(()));
        if kind.is_simplex() {
            continue;
        }
        // A corner drawn across the element.
        let mut folded = unit.clone();
        (0..kind.dimension()).for_each(|i| folded[0][i] += 2.5);
        assert!(built(kind, &folded).is_err(), "{kind:?}");
        let mut random = Random(5);
        let mut accepted = 0;
        for _ in 0..200 {
            let size = 0.9 * random.next().abs();
            let moved: Vec<[f64; 3]> = unit
                .iter()
                .map(|p| {
                    std::array::from_fn(
                        |i| if i < kind.dimension() { p[i] + size * random.next() } else { 0.0 },
                    )
                })
                .collect();
            if built(kind, &moved).is_err() {
                continue;
            }
            accepted += 1;
            let nodes: Vec<u32> = (0..moved.len() as u32).collect();
            let block = &ElementGroup::new(kind, &nodes, 1.0).build(&moved, &laws()[0].1).unwrap()[0];
            let (mut gradient, mut mass) = (vec![0.0; 3 * kind.nodes()], vec![0.0; kind.nodes()]);
            let energy = block.gradient(0, 0.0, moved.as_flattened(), &mut gradient).unwrap();
            block.lumped_mass(0, &mut mass);
            let reach = 1.0 / block.inradius(0);
            assert!(energy.abs() < 1e-12 && max_abs(&gradient) < 1e-12 * reach, "{kind:?}: {energy:e}");
            assert!(mass.iter().all(|m| *m > 0.0) && block.inradius(0) > 0.0, "{kind:?} {mass:?}");
        }
        assert!(accepted > 20 && accepted < 200, "{kind:?}: {accepted}");
    }
}

#[test]
fn inscribed_radii_of_cells_agree_with_known_values() {
    let radius = |kind: ElementKind, points: &[[f64; 3]]| {
        let nodes: Vec<u32> = (0..points.len() as u32).collect();
        ElementGroup::new(kind, &nodes, 1.0).build(points, &laws()[0].1).unwrap()[0].inradius(0)
    };
    let scaled = |kind: ElementKind, by: [f64; 3]| -> f64 {
        let points: Vec<[f64; 3]> =
            kind.cell().reference().iter().map(|p| std::array::from_fn(|i| by[i] * p[i])).collect();
        radius(kind, &points)
    };
    for kind in [ElementKind::Hex8, ElementKind::Hex20, ElementKind::Hex27] {
        assert!((scaled(kind, [1.5, 2.0, 3.0]) - 1.5).abs() < 1e-14);
    }
    assert!((scaled(ElementKind::Quad4, [2.0, 0.3, 1.0]) - 0.3).abs() < 1e-14);
    // The base is 2 by 2, the height 1: a ball of radius r touches the sides at r = (1 - r)/sqrt(2).
    assert!((scaled(ElementKind::Pyramid5, [1.0; 3]) - 1.0 / (1.0 + 2f64.sqrt())).abs() < 1e-14);
    // The triangle 3-4-5 has a circle of radius 1.
    assert!((scaled(ElementKind::Wedge6, [3.0, 4.0, 7.0]) - 1.0).abs() < 1e-14);
    assert!((scaled(ElementKind::Wedge6, [3.0, 4.0, 0.7]) - 0.7).abs() < 1e-14);
}

#[test]
fn courant_step_of_a_regular_cell_is_stable_for_it() {
    for kind in kinds() {
        let mesh = Mesh::new(kind, 2, 0.3, 0.0);
        let solid = mesh.build(&laws()[0].1, PlaneAssumption::Strain);
        let eigen = solid.steps_eigen(1.0, solid.points(), MassSplit::Own).unwrap();
        let courant = solid.steps_courant(if kind.cell().is_linear() { 1.0 } else { 0.4 });
        let least = eigen.iter().zip(&courant).map(|(e, c)| e / c).fold(f64::INFINITY, f64::min);
        println!("{kind:?}: {least}");
        assert!(least > 0.9, "{kind:?}: {least}");
    }
}
