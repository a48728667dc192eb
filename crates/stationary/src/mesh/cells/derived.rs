//! What follows from the tables: computed once.

use super::{CellKind, Jet};
use std::sync::LazyLock;

/// Facts of a kind that its table implies.
pub(in crate::mesh) struct Derived {
    /// Of each node, the corners that it lies between: of a corner itself, of the middle of an edge two, of a face or of the body all.
    pub between: Vec<Vec<usize>>,
    /// Gradients of the shape functions at each point where the Jacobian is looked at.
    pub gradients: Vec<Vec<[f64; 3]>>,
    /// The edges that meet at a corner, as the corner and its neighbours: positively oriented in the reference cell.
    pub meetings: Vec<Vec<usize>>,
}

static ALL: LazyLock<Vec<Derived>> = LazyLock::new(|| CellKind::ALL.into_iter().map(Derived::new).collect());

impl CellKind {
    pub(in crate::mesh) fn derived(self) -> &'static Derived {
        &ALL[self as usize]
    }

    /// The kind with the same corners and no other nodes.
    pub(in crate::mesh) fn linear(self) -> CellKind {
        let same = |k: &CellKind| k.dimension() == self.dimension() && k.corners() == self.corners();
        CellKind::ALL.into_iter().find(same).expect("every kind has corners")
    }

    /// The shape functions at a point of the reference cell.
    pub(in crate::mesh) fn shape_at(self, at: &[f64; 3]) -> Vec<Jet> {
        let mut n = vec![Jet::default(); self.nodes()];
        (self.table().shape)(&Jet::coordinates(at), &mut n);
        n
    }
}

impl Derived {
    fn new(kind: CellKind) -> Derived {
        let between = |at: &[f64; 3]| {
            let weights = kind.linear().shape_at(at);
            (0..kind.corners()).filter(|c| weights[*c].value > 1e-9).collect()
        };
        let samples = kind.table().samples.unwrap_or(kind.reference());
        let gradients = |at| kind.shape_at(at).iter().map(|n| n.gradient).collect();
        Derived {
            between: kind.reference().iter().map(between).collect(),
            gradients: samples.iter().map(gradients).collect(),
            meetings: meetings(kind),
        }
    }
}

fn meetings(kind: CellKind) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for corner in 0..kind.corners() {
        let touching = kind.edges().iter().filter(|e| e.contains(&corner));
        let others: Vec<usize> = touching.map(|[a, b]| a + b - corner).collect();
        match kind.dimension() {
            2 => all.push(vec![corner, others[0], others[1]]),
            // Four edges meet at the apex of a pyramid: any three of them.
            3 => (0..if others.len() == 3 { 1 } else { others.len() }).for_each(|left_out| {
                let mut three = vec![corner];
                three.extend(
                    (0..others.len()).filter(|i| others.len() == 3 || *i != left_out).map(|i| others[i]),
                );
                all.push(three);
            }),
            _ => {}
        }
    }
    let x = kind.reference();
    for meeting in &mut all {
        let edge = |i: usize| -> [f64; 3] { std::array::from_fn(|k| x[meeting[i]][k] - x[meeting[0]][k]) };
        let third = if kind.dimension() == 2 { [0.0, 0.0, 1.0] } else { edge(3) };
        let normal = crate::linalg::cross(&edge(1), &edge(2));
        if normal.iter().zip(third).map(|(n, e)| n * e).sum::<f64>() < 0.0 {
            meeting.swap(1, 2);
        }
    }
    all
}
