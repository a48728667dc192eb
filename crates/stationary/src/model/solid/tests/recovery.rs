//! Values at nodes, from those at quadrature points.

use super::statics::linear_law;
use super::*;

fn all_nodes(mesh: &Mesh) -> Vec<u32> {
    (0..mesh.points.len() as u32).collect()
}

#[test]
fn points_of_every_element_see_the_deformation_and_the_stress_of_the_law() {
    let f = [[1.15, 0.2, 0.0], [-0.1, 0.9, 0.0], [0.0, 0.0, 1.0]];
    let b = tensor::left_cauchy_green(&f);
    for (name, law) in laws() {
        for kind in kinds() {
            let solid = Mesh::new(kind, 1, 0.0, 0.0).build(&law, PlaneAssumption::Strain);
            let x = affine(solid.points(), &f, [0.0; 3]);
            let want = law.material().cauchy(&f).unwrap();
            let block = &solid.blocks()[0];
            let mut states = Vec::new();
            block.point_states(0, &x, None, &mut states).unwrap();
            assert_eq!(states.len(), block.points());
            assert_eq!(block.point_places().len(), block.points());
            let volume: f64 = states.iter().map(|state| state.weight).sum();
            assert!((volume / block.volume(0) - 1.0).abs() < 1e-12, "{name} {kind:?}: {volume}");
            for state in states {
                for i in 0..9 {
                    let (i, j) = (i / 3, i % 3);
                    assert!((state.stress[i][j] - want[i][j]).abs() < 1e-12, "{name} {kind:?}");
                    assert!((state.left_cauchy_green[i][j] - b[i][j]).abs() < 1e-13, "{name} {kind:?}");
                }
            }
        }
    }
}

#[test]
fn linear_fields_are_recovered_exactly_at_all_nodes_of_every_kind() {
    let field = |p: &[f64; 3]| [1.0 + 0.7 * p[0] - 1.9 * p[1] + 0.4 * p[2]];
    for kind in kinds() {
        let mesh = Mesh::new(kind, 3, 0.2, 0.0);
        let solid = mesh.build(&rubber(), PlaneAssumption::Strain);
        let points = QuadraturePoints::new(&solid);
        let recovery = NodalRecovery::new(&solid, &points, &all_nodes(&mesh), |_| 0);
        for (a, place) in mesh.points.iter().enumerate() {
            let [value] = recovery.value(a, |k, q| field(points.place(points.of(k).start + q)));
            assert!((value - field(place)[0]).abs() < 1e-11, "{kind:?} at {place:?}: {value}");
        }
    }
}

/// The largest errors of the recovered stress in the motion `u = a sin(k . X + 0.3)`, over the nodes inside and over all.
fn errors(kind: ElementKind, n: usize) -> [f64; 2] {
    let mesh = Mesh::new(kind, n, 0.0, 0.0);
    let law = linear_law(lame());
    let solid = mesh.build(&law, PlaneAssumption::Strain);
    let flat = if kind.dimension() == 2 { 0.0 } else { 1.0 };
    let (a, k) = ([0.8e-3, -0.5e-3, 0.6e-3 * flat], [1.9, 1.3, -1.1 * flat]);
    let phase = |p: &[f64]| k[0] * p[0] + k[1] * p[1] + k[2] * p[2] + 0.3;
    let x: Vec<f64> = solid
        .points()
        .chunks_exact(3)
        .flat_map(|p| [0, 1, 2].map(|i| p[i] + a[i] * phase(p).sin()))
        .collect();
    let points = QuadraturePoints::new(&solid);
    let recovery = NodalRecovery::new(&solid, &points, &all_nodes(&mesh), |_| 0);
    let stress = |e: usize, q: usize| {
        let mut states = Vec::new();
        solid.point_states(e, &x, None, &mut states).unwrap();
        states[q].stress.as_flattened().try_into().unwrap()
    };
    let mut largest: [f64; 2] = [0.0; 2];
    for (node, p) in mesh.points.iter().enumerate() {
        let f: Tensor = std::array::from_fn(|i| {
            std::array::from_fn(|j| f64::from(u8::from(i == j)) + a[i] * k[j] * phase(p).cos())
        });
        let want = law.material().cauchy(&f).unwrap();
        let got: [f64; 9] = recovery.value(node, stress);
        for (got, want) in got.iter().zip(want.as_flattened()) {
            let error = (got - want).abs() / (MU * 1e-3);
            largest[1] = largest[1].max(error);
            if mesh.is_inner(node) {
                largest[0] = largest[0].max(error);
            }
        }
    }
    largest
}

/// Second order inside, where the mean over an element is of first order at its nodes; at the boundary nodes of linear elements the fit remains of first
/// order, those of quadratic ones have second order, too.
#[test]
fn recovered_stresses_of_smooth_motions_converge_with_second_order_inside() {
    for kind in kinds() {
        let n = if kind.dimension() == 2 { 8 } else { 4 };
        let (coarse, fine) = (errors(kind, n), errors(kind, 2 * n));
        let [inside, all] = [0, 1].map(|i| (coarse[i] / fine[i]).log2());
        println!("{kind:?}: inside {:.2e}, order {inside:.2}; all {:.2e}, order {all:.2}", fine[0], fine[1]);
        let wanted = if kind.cell().is_linear() { 0.8 } else { 1.7 };
        assert!(inside > 1.7 && all > wanted, "{kind:?}: orders {inside}, {all}");
    }
}

#[test]
fn values_of_two_materials_are_not_mixed_but_at_the_nodes_that_they_share() {
    let mesh = Mesh::new(ElementKind::Tet4, 4, 0.0, 0.0);
    let solid = mesh.build(&rubber(), PlaneAssumption::Strain);
    let points = QuadraturePoints::new(&solid);
    let side = |k: usize| usize::from(points.place(points.of(k).start)[0] > 0.5);
    let recovery = NodalRecovery::new(&solid, &points, &all_nodes(&mesh), side);
    for (a, place) in mesh.points.iter().enumerate() {
        let [value] = recovery.value(a, |k, _| [[1.0, 3.0][side(k)]]);
        let sharp = |want: f64| assert!((value - want).abs() < 1e-12, "{place:?}: {value}");
        match place[0] {
            x if x < 0.5 => sharp(1.0),
            x if x > 0.5 => sharp(3.0),
            _ => assert!(value > 1.2 && value < 2.8, "{place:?}: {value}"),
        }
    }
}
