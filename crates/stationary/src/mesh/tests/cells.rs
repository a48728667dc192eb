//! Laws of every kind of cell.

use super::super::cells::Jet;
use super::super::geometry::{affine, longest_edge, smallest_jacobian};
use super::super::{CellKind, Mesh, inradius, quality};
use std::collections::BTreeMap;

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    crate::linalg::cross(&a, &b)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn mean(x: &[[f64; 3]]) -> [f64; 3] {
    std::array::from_fn(|i| x.iter().map(|x| x[i]).sum::<f64>() / x.len() as f64)
}

/// A bent and warped image of the reference cell; plane cells stay in the plane.
pub(super) fn bent(kind: CellKind) -> Vec<[f64; 3]> {
    let map = |[x, y, z]: [f64; 3]| {
        let u = 1.1 * x + 0.1 * y + 0.05 * x * y + 0.07 * y * z;
        let v = 0.9 * y - 0.2 * x + 0.06 * x * x + 0.03 * x * z;
        let w = 1.2 * z + 0.1 * x - 0.05 * y + 0.06 * x * y - 0.04 * x * z;
        [u, v, if kind.dimension() < 3 { 0.0 } else { w }]
    };
    kind.reference().iter().map(|x| map(*x)).collect()
}

pub(super) fn alone(kind: CellKind, points: Vec<[f64; 3]>) -> Result<Mesh, String> {
    let nodes = (0..kind.nodes() as u32).collect();
    Mesh::from_arrays("one", points, vec![(kind, nodes)], vec![]).map_err(|e| e.to_string())
}

/// Kinds with sides.
pub(super) fn kinds() -> impl Iterator<Item = CellKind> {
    CellKind::ALL.into_iter().filter(|kind| kind.dimension() > 1)
}

#[test]
fn shape_functions_are_one_at_their_node_and_sum_to_one() {
    for kind in CellKind::ALL {
        for (b, at) in kind.reference().iter().enumerate() {
            for (a, n) in kind.shape_at(at).iter().enumerate() {
                assert_eq!(n.value, f64::from(a == b), "{kind:?} {a} {b}");
            }
        }
        if kind == CellKind::Point {
            continue;
        }
        let at = [0.21, 0.17, 0.32];
        let n = kind.shape_at(&at);
        assert!((n.iter().map(|n| n.value).sum::<f64>() - 1.0).abs() < 1e-15, "{kind:?}");
        for i in 0..3 {
            assert!(n.iter().map(|n| n.gradient[i]).sum::<f64>().abs() < 1e-14, "{kind:?}");
            // A linear function is itself.
            let x: f64 = n.iter().zip(kind.reference()).map(|(n, x)| n.value * x[i]).sum();
            assert!((x - if i < kind.dimension() as usize { at[i] } else { 0.0 }).abs() < 1e-15, "{kind:?}");
            let step = 1e-6;
            let moved = |by: f64| {
                let mut at = at;
                at[i] += by;
                kind.shape_at(&at)
            };
            for ((plus, minus), n) in moved(step).iter().zip(&moved(-step)).zip(&n) {
                let difference = (plus.value - minus.value) / (2.0 * step);
                assert!((difference - n.gradient[i]).abs() < 1e-9, "{kind:?}");
            }
        }
    }
}

#[test]
fn middle_nodes_lie_between_the_corners_of_their_edge_or_side() {
    for kind in kinds() {
        let x = kind.reference();
        for ([a, b], m) in kind.edges().iter().zip(&x[kind.corners()..]) {
            assert_eq!(*m, mean(&[x[*a], x[*b]]), "{kind:?}");
        }
        for (side, local) in kind.faces().iter().enumerate() {
            let own = kind.face_kind(side);
            assert_eq!((own.nodes(), own.dimension() + 1), (local.len(), kind.dimension()));
            for (between, m) in own.derived().between.iter().zip(*local) {
                let corners: Vec<_> = between.iter().map(|c| x[local[*c]]).collect();
                assert_eq!(x[*m], mean(&corners), "{kind:?} side {side}");
            }
        }
    }
}

/// The sides of a cell are closed: their area vectors sum to zero, each edge belongs to two of them and is run along both ways.
#[test]
fn sides_of_a_cell_are_closed_and_run_anticlockwise_from_outside() {
    for kind in kinds() {
        let x = bent(kind);
        let middle = mean(&x[..kind.corners()]);
        let mut sum = [0.0; 3];
        let mut edges = BTreeMap::new();
        for (side, local) in kind.faces().iter().enumerate() {
            let corners = &local[..kind.face_kind(side).corners()];
            let at: Vec<_> = corners.iter().map(|c| x[*c]).collect();
            let area = match kind.dimension() {
                2 => cross(minus(at[1], at[0]), [0.0, 0.0, 1.0]),
                _ => {
                    let from = |i: usize| minus(at[i % at.len()], at[0]);
                    (1..at.len())
                        .map(|i| cross(from(i), from(i + 1)))
                        .fold([0.0; 3], |s, a| minus(s, minus([0.0; 3], a)))
                }
            };
            assert!(dot(area, minus(mean(&at), middle)) > 0.0, "{kind:?} side {side} points inwards");
            (0..3).for_each(|i| sum[i] += area[i]);
            for i in 0..corners.len() {
                let pair = (corners[i], corners[(i + 1) % corners.len()]);
                *edges
                    .entry((pair.0.min(pair.1), pair.0.max(pair.1)))
                    .or_insert([0; 2])
                    .get_mut(usize::from(pair.0 > pair.1))
                    .unwrap() += 1;
            }
        }
        assert!(sum.iter().all(|s| s.abs() < 1e-14), "{kind:?} {sum:?}");
        if kind.dimension() == 3 {
            assert_eq!(edges.len(), kind.edges().len());
            assert!(edges.values().all(|uses| *uses == [1, 1]), "{kind:?}");
            assert!(
                kind.edges().iter().all(|[a, b]| edges.contains_key(&(*a.min(b), *a.max(b)))),
                "{kind:?}"
            );
        }
    }
}

fn reference_size(kind: CellKind) -> f64 {
    match (kind.dimension(), kind.corners()) {
        (0, _) => 0.0,
        (1, _) => 2.0,
        (2, 3) => 0.5,
        (2, _) => 4.0,
        (_, 4) => 1.0 / 6.0,
        (_, 5) => 4.0 / 3.0,
        (_, 6) => 1.0,
        _ => 8.0,
    }
}

#[test]
fn reference_cells_have_their_volume() {
    for kind in CellKind::ALL.into_iter().skip(1) {
        let mesh = alone(kind, kind.reference().to_vec()).unwrap();
        assert!((mesh.volume((0, 0)) - reference_size(kind)).abs() < 1e-15, "{kind:?}");
    }
}

/// The integral of the Jacobian over the reference cell, by points of Gauss on the cube: collapsed for wedges and pyramids.
fn integrated(kind: CellKind, x: &[[f64; 3]]) -> f64 {
    let gauss = [(-0.6f64.sqrt(), 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.6f64.sqrt(), 5.0 / 9.0)];
    let mut sum = 0.0;
    for (u, a) in gauss {
        for (v, b) in gauss {
            for (w, c) in gauss {
                let (at, weight) = match kind.corners() {
                    8 => ([u, v, w], 1.0),
                    6 => {
                        let (p, q) = (0.5 + 0.5 * u, 0.5 + 0.5 * v);
                        ([p, q * (1.0 - p), w], 0.25 * (1.0 - p))
                    }
                    _ => {
                        let height = 0.5 + 0.5 * w;
                        ([u * (1.0 - height), v * (1.0 - height), height], 0.5 * (1.0 - height).powi(2))
                    }
                };
                let mut columns = [[0.0; 3]; 3];
                for (n, x) in kind.shape_at(&at).iter().zip(x) {
                    (0..3).for_each(|j| (0..3).for_each(|i| columns[j][i] += n.gradient[j] * x[i]));
                }
                sum += a * b * c * weight * dot(columns[0], cross(columns[1], columns[2]));
            }
        }
    }
    sum
}

#[test]
fn volumes_of_warped_cells_are_integrals_of_the_jacobian() {
    for kind in [CellKind::Pyramid5, CellKind::Wedge6, CellKind::Hexahedron8] {
        let x = bent(kind);
        assert!(!affine(kind, &x, longest_edge(kind, &x)), "{kind:?} is to be warped");
        let volume = alone(kind, x.clone()).unwrap().volume((0, 0));
        assert!((volume / integrated(kind, &x) - 1.0).abs() < 1e-14, "{kind:?}");
    }
}

#[test]
fn inradius_is_exact_for_plates_prisms_and_right_pyramids() {
    let close =
        |kind, x: &[[f64; 3]], r: f64| assert!((inradius(kind, x) - r).abs() < 1e-15 * (1.0 + r), "{kind:?}");
    let boxed = |size: [f64; 3]| {
        CellKind::Hexahedron8
            .reference()
            .iter()
            .map(|x| std::array::from_fn(|i| 0.5 * size[i] * x[i]))
            .collect::<Vec<_>>()
    };
    close(CellKind::Hexahedron8, &boxed([3.0, 2.0, 5.0]), 1.0);
    close(CellKind::Hexahedron27, &boxed([3.0, 0.02, 5.0]), 0.01);
    // A sheared plate keeps its thickness.
    let sheared: Vec<_> = boxed([3.0, 1.0, 3.0]).iter().map(|[x, y, z]| [x + 0.7 * y, *y, *z]).collect();
    close(CellKind::Hexahedron8, &sheared, 0.5);
    let prism = |height: f64| {
        let base = [[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]];
        [0.0, height].iter().flat_map(|z| base.map(|[x, y]| [x, y, *z])).collect::<Vec<_>>()
    };
    close(CellKind::Wedge6, &prism(9.0), 1.0);
    close(CellKind::Wedge6, &prism(0.5), 0.25);
    // The ball in a pyramid of base 2 and height h touches all five sides.
    for h in [0.1f64, 1.0, 3.0] {
        let mut x = CellKind::Pyramid5.reference().to_vec();
        x[4] = [0.0, 0.0, h];
        close(CellKind::Pyramid5, &x, h / (1.0 + (1.0 + h * h).sqrt()));
    }
}

/// Cells whose edges are all of one length.
fn regular(kind: CellKind) -> Vec<[f64; 3]> {
    let (s, h) = (0.75f64.sqrt(), 0.5);
    let corners = match (kind.dimension(), kind.corners()) {
        (2, 3) => vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [h, s, 0.0]],
        (3, 4) => vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [h, s, 0.0], [h, s / 3.0, (2.0f64 / 3.0).sqrt()]],
        (3, 5) => {
            let mut x: Vec<_> = CellKind::Pyramid5.reference().iter().map(|x| x.map(|c| h * c)).collect();
            x[4] = [0.0, 0.0, h.sqrt()];
            x
        }
        (3, 6) => [0.0, 1.0].iter().flat_map(|z| [[0.0, 0.0, *z], [1.0, 0.0, *z], [h, s, *z]]).collect(),
        _ => kind.reference()[..kind.corners()].to_vec(),
    };
    let at = |between: &Vec<usize>| mean(&between.iter().map(|c| corners[*c]).collect::<Vec<_>>());
    kind.derived().between.iter().map(at).collect()
}

#[test]
fn quality_is_one_for_regular_cells_and_falls_with_every_distortion() {
    for kind in kinds() {
        let x = regular(kind);
        assert!((quality(kind, &x) - 1.0).abs() < 1e-14, "{kind:?} {}", quality(kind, &x));
        // The same at any place, size and attitude.
        let moved: Vec<_> = x.iter().map(|[x, y, z]| [7.0 - 3.0 * y, 3.0 * x, 3.0 * z + 1.0]).collect();
        assert!((quality(kind, &moved) - 1.0).abs() < 1e-13, "{kind:?}");
        let flat: Vec<_> = x.iter().map(|[x, y, z]| [*x, 0.01 * y, *z]).collect();
        assert!(quality(kind, &flat) < 0.05, "{kind:?}");
        let mut last = 1.0;
        for k in 1..6 {
            let mut skew = x.clone();
            let centre = mean(&x[..kind.corners()]);
            let part = 0.2 * f64::from(k);
            skew[0] = std::array::from_fn(|i| x[0][i] + part * (centre[i] - x[0][i]));
            let q = quality(kind, &skew);
            assert!(q < last, "{kind:?} {k}: {q} {last}");
            last = q;
        }
    }
}

#[test]
fn bent_cells_pass_and_inverted_or_folded_ones_are_refused() {
    for kind in kinds() {
        let x = bent(kind);
        alone(kind, x.clone()).unwrap_or_else(|e| panic!("{kind:?}: {e}"));
        if kind.dimension() == 3 {
            let mirrored = x.iter().map(|[x, y, z]| [*x, *y, -z]).collect();
            let told = alone(kind, mirrored).unwrap_err();
            assert!(
                told.contains(&format!("one: element 1 ({}) is inverted: its volume is -", kind.name())),
                "{told}"
            );
            assert!(told.contains("run anticlockwise seen from"), "{told}");
        }
        if kind.corners() > kind.dimension() as usize + 1 {
            // A corner beyond the middle: the volume is still positive.
            let mut folded = x.clone();
            let beyond = mean(&x[..kind.corners()]);
            folded[1] = std::array::from_fn(|i| x[1][i] + 1.25 * (beyond[i] - x[1][i]));
            let told = alone(kind, folded).unwrap_err();
            assert!(told.contains("is folded: its Jacobian is -"), "{kind:?} {told}");
            let mut twice: Vec<u32> = (0..kind.nodes() as u32).collect();
            twice[1] = 0;
            let told =
                Mesh::from_arrays("one", x.clone(), vec![(kind, twice)], vec![]).unwrap_err().to_string();
            assert!(
                told.contains("names node 1 twice")
                    && told.contains("a collapsed cell has a kind of its own"),
                "{told}"
            );
        }
        if !kind.is_linear() {
            let mut folded = x.clone();
            let m = kind.corners();
            folded[m] = std::array::from_fn(|i| 2.0 * x[kind.edges()[0][0]][i] - x[m][i]);
            let told = alone(kind, folded).unwrap_err();
            assert!(told.contains("is folded: its Jacobian is -") && told.contains("middle nodes"), "{told}");
        }
    }
}

/// All corners of this hexahedron are sound, and it is turned inside out between them.
#[test]
fn hexahedron_folded_between_its_corners_is_refused() {
    let kind = CellKind::Hexahedron8;
    let x = [
        [-0.3, 0.1, -0.7],
        [0.1, -0.2, -0.3],
        [1.5, -0.1, 0.1],
        [0.1, 0.3, 0.0],
        [-1.2, -2.0, 0.4],
        [1.3, 0.1, 2.1],
        [0.9, 0.6, 1.4],
        [-1.6, 0.7, 1.2],
    ];
    let at_corner = |at: &[f64; 3]| {
        let mut columns = [[0.0; 3]; 3];
        for (Jet { gradient, .. }, x) in kind.shape_at(at).iter().zip(&x) {
            (0..3).for_each(|j| (0..3).for_each(|i| columns[j][i] += gradient[j] * x[i]));
        }
        dot(columns[0], cross(columns[1], columns[2]))
    };
    assert!(kind.reference().iter().all(|at| at_corner(at) > 0.08));
    let (least, point) = smallest_jacobian(kind, &x);
    assert!((least + 0.04415625).abs() < 1e-15 && point >= 8, "{least} {point}");
    let told = alone(kind, x.to_vec()).unwrap_err();
    assert!(told.contains("is folded: its Jacobian is -4.415625e-2 between its nodes"), "{told}");
}

#[test]
fn clockwise_plane_cells_are_turned_over_with_their_middle_nodes() {
    for kind in kinds().filter(|kind| kind.dimension() == 2) {
        let x = bent(kind);
        // The first corner stays; the others, and the middles, come in reverse order.
        let mut order: Vec<u32> = (0..kind.nodes() as u32).collect();
        order[1..kind.corners()].reverse();
        if !kind.is_linear() {
            order[kind.corners()..2 * kind.corners()].reverse();
        }
        let mesh = Mesh::from_arrays("one", x, vec![(kind, order)], vec![]).unwrap();
        assert_eq!(mesh.cells[0].nodes, (0..kind.nodes() as u32).collect::<Vec<_>>(), "{kind:?}");
        assert_eq!(mesh.notes, [format!("element 1 ({}) ran clockwise and was turned over", kind.name())]);
    }
}

/// Refinement fills the cell, stays sound, and puts the nodes of its sides where the sides alone would have them.
#[test]
fn refinement_of_every_kind_fills_the_cell_and_its_sides() {
    for kind in kinds() {
        for x in [kind.reference().to_vec(), bent(kind)] {
            let coarse = alone(kind, x).unwrap();
            let fine = coarse.refined();
            fine.validate().unwrap_or_else(|e| panic!("{kind:?}: {e}"));
            let cells: usize = fine.cells.iter().map(|c| c.len()).sum();
            let pyramid = kind == CellKind::Pyramid5;
            assert_eq!(cells, if pyramid { 10 } else { 1 << kind.dimension() }, "{kind:?}");
            for times in 0..4 {
                let count = (0..times)
                    .fold(coarse.clone(), |mesh, _| mesh.refined())
                    .cells
                    .iter()
                    .map(|c| c.len() as u64)
                    .sum();
                assert_eq!(coarse.refined_count(times), count, "{kind:?}");
            }
            let size = |mesh: &Mesh| -> f64 {
                (0..)
                    .zip(&mesh.cells)
                    .flat_map(|(b, c)| (0..c.len() as u32).map(move |k| mesh.volume((b, k))))
                    .sum()
            };
            // Between corners alone: of a curved cell, the pieces fill more of it.
            if kind.is_linear() {
                assert!((size(&fine) / size(&coarse) - 1.0).abs() < 1e-14, "{kind:?}");
            }
            let all = Mesh { groups: vec![], ..fine.clone() };
            let group = super::super::Group {
                name: "all".into(),
                dimension: 0,
                nodes: (0..fine.points.len() as u32).collect(),
                cells: vec![],
            };
            let sides = all.boundary_faces(&group).unwrap();
            assert_eq!(sides.len(), kind.faces().len() << (kind.dimension() - 1), "{kind:?}");
            assert_eq!(fine.survey().coincident, 0, "{kind:?}");
            assert_eq!(fine.survey().pieces.len(), 1, "{kind:?}");
        }
    }
}

/// Two cells of different kinds share the nodes of their common side after refinement too.
#[test]
fn refinement_of_neighbours_of_different_kinds_conforms() {
    // A hexahedron, a pyramid on its top, a wedge at its side x = 1, a tetrahedron at a triangle of the wedge.
    let mut points: Vec<[f64; 3]> = CellKind::Hexahedron8.reference().to_vec();
    points.extend([[0.0, 0.0, 2.0], [2.5, 0.0, -1.0], [2.5, 0.0, 1.0], [1.5, 0.0, 2.5]]);
    let cells = vec![
        (CellKind::Hexahedron8, (0..8).collect()),
        (CellKind::Pyramid5, vec![4, 5, 6, 7, 8]),
        (CellKind::Wedge6, vec![1, 9, 2, 5, 10, 6]),
        (CellKind::Tetrahedron4, vec![5, 10, 6, 11]),
        (CellKind::Quadrilateral4, vec![0, 3, 2, 1]),
    ];
    let mut mesh = Mesh::from_arrays("mixed", points, cells, vec![]).unwrap();
    let sides = |mesh: &Mesh| {
        let nodes = (0..mesh.points.len() as u32).collect();
        let group = super::super::Group { name: "all".into(), dimension: 0, nodes, cells: vec![] };
        mesh.boundary_faces(&group).unwrap().len()
    };
    let first = sides(&mesh);
    assert_eq!(first, 4 + 4 + 3 + 3);
    for level in 1..3 {
        mesh = mesh.refined();
        mesh.validate().unwrap();
        let survey = mesh.survey();
        assert_eq!((survey.coincident, survey.pieces.len()), (0, 1));
        assert_eq!(sides(&mesh), first << (2 * level));
    }
}

#[test]
fn refinement_places_new_nodes_of_curved_cells_on_their_map() {
    for kind in kinds().filter(|kind| !kind.is_linear()) {
        let x = bent(kind);
        let fine = alone(kind, x.clone()).unwrap().refined();
        // The same cell, straight: where the nodes lie in the reference cell.
        let straight = alone(kind, kind.reference().to_vec()).unwrap().refined();
        assert_eq!(fine.cells, straight.cells);
        for (at, found) in straight.points.iter().zip(&fine.points) {
            let n = kind.shape_at(at);
            for i in 0..3 {
                let expected: f64 = n.iter().zip(&x).map(|(n, x)| n.value * x[i]).sum();
                assert!((expected - found[i]).abs() < 1e-14, "{kind:?} {at:?}");
            }
        }
    }
}
