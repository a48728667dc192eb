//! What a survey of a mesh says.

use super::super::{CellKind, Mesh};

fn grid(n: usize, shift: [f64; 3]) -> (Vec<[f64; 3]>, Vec<u32>) {
    let at = |i: usize, j: usize| (i + (n + 1) * j) as u32;
    let mut points = Vec::new();
    let mut nodes = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            points.push([i as f64 + shift[0], j as f64 + shift[1], shift[2]]);
            if i < n && j < n {
                nodes.extend([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    (points, nodes)
}

#[test]
fn pieces_and_coincident_nodes_of_two_grids_side_by_side_are_counted() {
    let n = 40;
    for (gap, coincident) in [(0.0, n + 1), (1e-12, n + 1), (1e-3, 0)] {
        let (mut points, mut nodes) = grid(n, [0.0; 3]);
        let first = points.len() as u32;
        let (more, others) = grid(n, [n as f64 + gap, 0.0, 0.0]);
        points.extend(more);
        nodes.extend(others.iter().map(|a| a + first));
        // A third piece, smaller.
        let (lone, cell) = grid(1, [0.0, 100.0, 0.0]);
        nodes.extend(cell.iter().map(|a| a + points.len() as u32));
        points.extend(lone);
        let mesh =
            Mesh::from_arrays("grids", points, vec![(CellKind::Quadrilateral4, nodes)], vec![]).unwrap();
        let survey = mesh.survey();
        assert_eq!(survey.bounds, [[0.0; 3], [2.0 * n as f64 + gap, 101.0, 0.0]]);
        let pieces: Vec<_> = survey.pieces.iter().map(|p| (p.nodes, p.elements, p.first)).collect();
        assert_eq!(pieces, [(first as usize, n * n, 0), (first as usize, n * n, first), (4, 1, 2 * first)]);
        assert_eq!(survey.coincident, coincident, "{gap}");
        if coincident > 0 {
            // The right side of the one and the left side of the other, from below.
            let of_row = |j: u32| [j * (n as u32 + 1) + n as u32, first + j * (n as u32 + 1)];
            assert_eq!(survey.pairs, [of_row(0), of_row(1), of_row(2)]);
        }
    }
}

#[test]
fn worst_elements_are_the_most_distorted_in_order() {
    let n = 10;
    let (mut points, nodes) = grid(n, [0.0; 3]);
    // Node 12 is the corner of four cells; node 60 is moved less.
    points[12] = [1.4, 1.4, 0.0];
    points[60] = [points[60][0] + 0.1, points[60][1], 0.0];
    let mesh = Mesh::from_arrays("grid", points, vec![(CellKind::Quadrilateral4, nodes)], vec![]).unwrap();
    let worst = mesh.survey().worst;
    let qualities: Vec<f64> = worst.iter().map(|w| w.1).collect();
    assert_eq!(worst.len(), 3);
    assert!(qualities.is_sorted() && qualities[0] < 0.6, "{qualities:?}");
    assert!(
        worst.iter().all(|((b, k), _)| mesh.cells[*b as usize].nodes_of(*k as usize).contains(&12)),
        "{worst:?}"
    );
}

/// A point mass on every node of a body at one place: no time is lost in pairs.
#[test]
fn many_nodes_at_one_place_are_counted_in_bounded_time() {
    let n = 20_000u32;
    let points = (0..n).flat_map(|i| [[0.0; 3], [1.0, f64::from(i), 0.0]]).collect();
    let nodes = (0..2 * n).collect();
    let mesh = Mesh::from_arrays("fan", points, vec![(CellKind::Line2, nodes)], vec![]).unwrap();
    let survey = mesh.survey();
    assert!(survey.coincident >= n as usize && survey.worst.is_empty());
    assert_eq!((survey.pieces.len(), survey.pieces[0].elements), (n as usize, 1));
}
