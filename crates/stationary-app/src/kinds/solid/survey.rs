//! What `stationary check` says of a mesh: extent, pieces, coincident nodes, worst elements.

use crate::run::finish::short;
use stationary::mesh::{COINCIDENT, CellId, Mesh, MeshPiece, Survey};

/// Pieces that are named.
const PIECES: usize = 5;

/// The lines, by their names.
pub(super) fn lines(mesh: &Mesh) -> Vec<(&'static str, String)> {
    let survey = mesh.survey();
    let mut lines = vec![("box", extent(&survey)), ("pieces", pieces(mesh, &survey.pieces))];
    if survey.coincident > 0 {
        lines.push(("coincident", coincident(mesh, &survey)));
    }
    if !survey.worst.is_empty() {
        lines.push(("worst", worst(mesh, &survey.worst)));
    }
    lines
}

fn extent(survey: &Survey) -> String {
    let [low, high] = survey.bounds;
    let axes = ["x", "y", "z"].into_iter().zip(low).zip(high);
    let axes = axes.map(|((name, low), high)| format!("{name} {} to {}", short(low), short(high)));
    axes.collect::<Vec<_>>().join(", ")
}

fn pieces(mesh: &Mesh, pieces: &[MeshPiece]) -> String {
    if pieces.len() < 2 {
        return "1".into();
    }
    let one = |piece: &MeshPiece| {
        let plural = if piece.elements == 1 { "" } else { "s" };
        let tag = mesh.point_tags[piece.first as usize];
        format!("{} element{plural} with {} nodes about node {tag}", piece.elements, piece.nodes)
    };
    let named: Vec<String> = pieces.iter().take(PIECES).map(one).collect();
    let rest = if pieces.len() > PIECES { "; ..." } else { "" };
    format!("{} that share no node: {}{rest}", pieces.len(), named.join("; "))
}

fn coincident(mesh: &Mesh, survey: &Survey) -> String {
    let tag = |a: u32| mesh.point_tags[a as usize];
    let pairs: Vec<String> =
        survey.pairs.iter().map(|[a, b]| format!("{} and {}", tag(*a), tag(*b))).collect();
    let rest = if survey.coincident > pairs.len() { ", ..." } else { "" };
    let (count, plural) = (survey.coincident, if survey.coincident == 1 { "" } else { "s" });
    format!(
        "{count} pair{plural} of nodes closer than {COINCIDENT:e} of the box ({}{rest}): they move apart; to join the parts, \
         merge the nodes (Gmsh: Coherence Mesh)",
        pairs.join(", ")
    )
}

fn worst(mesh: &Mesh, worst: &[(CellId, f64)]) -> String {
    let one = |(cell, quality): &(CellId, f64)| {
        let tag = mesh.cells[cell.0 as usize].tags[cell.1 as usize];
        let group = mesh.groups.iter().find(|g| g.cells.binary_search(cell).is_ok());
        let group = group.map_or(String::new(), |g| format!(" of `{}`", g.name));
        format!("element {tag}{group} {quality:.3}")
    };
    let named: Vec<String> = worst.iter().map(one).collect();
    format!("{} (quality, 1 for a regular element)", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stationary::mesh::{CellKind, NewGroup};

    fn told(points: Vec<[f64; 3]>, cells: Vec<u32>) -> Vec<(&'static str, String)> {
        let group = NewGroup { name: "plate".into(), nodes: vec![], cells: vec![(0, vec![1])] };
        let blocks = vec![(CellKind::Quadrilateral4, cells)];
        lines(&Mesh::from_arrays("a", points, blocks, vec![group]).unwrap())
    }

    #[test]
    fn check_of_a_mesh_tells_pieces_coincident_nodes_and_worst_elements() {
        let square = |x: f64, length: f64| {
            [[x, 0.0, 0.0], [x + length, 0.0, 0.0], [x + length, 1.0, 0.0], [x, 1.0, 0.0]]
        };
        let apart = told([square(0.0, 1.0), square(1.0, 4.0)].concat(), (0..8).collect());
        assert_eq!(
            apart,
            [
                ("box", "x 0 to 5, y 0 to 1, z 0 to 0".to_string()),
                (
                    "pieces",
                    "2 that share no node: 1 element with 4 nodes about node 1; 1 element with 4 nodes about node 5".into()
                ),
                (
                    "coincident",
                    "2 pairs of nodes closer than 1e-9 of the box (2 and 5, 3 and 8): they move apart; to join the parts, \
                     merge the nodes (Gmsh: Coherence Mesh)"
                        .into()
                ),
                ("worst", "element 2 of `plate` 0.250, element 1 1.000 (quality, 1 for a regular element)".into()),
            ]
        );
        let mut points = square(0.0, 1.0).to_vec();
        points.extend([[2.0, 0.0, 0.0], [2.0, 1.0, 0.0]]);
        let joined = told(points, vec![0, 1, 2, 3, 1, 4, 5, 2]);
        assert_eq!(joined.iter().map(|line| line.0).collect::<Vec<_>>(), ["box", "pieces", "worst"]);
        assert_eq!(joined[1].1, "1");
    }
}
