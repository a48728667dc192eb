//! From nodes to the edges at each point of a tetrahedron, and back from their forces.

use super::kernel::Edges;
use crate::model::solid::kind::{ElementKind, SIMPLEX_NODES, SIMPLEX_POINTS, far, near, pair, quadratic};
use crate::model::solid::lanes::Lanes;

/// Tetrahedra with straight sides.
pub(super) trait TetShape: std::fmt::Debug + Send + Sync + 'static {
    const KIND: ElementKind;
    const NODES: usize = Self::KIND.nodes();
    const POINTS: usize;

    /// The edges at each point, from the positions of the nodes.
    fn edges<L: Lanes>(x: &[[L; 3]; SIMPLEX_NODES], d: &mut [Edges<L>]);
    /// The forces on the nodes, from those on the corners past the first at each point.
    fn nodal<L: Lanes>(h: &[Edges<L>; SIMPLEX_POINTS]) -> [[L; 3]; SIMPLEX_NODES];
    /// The edges at a point are `sum_a m[c][a] x_a`.
    fn matrix(point: usize) -> [[f64; SIMPLEX_NODES]; 3];
}

/// Four nodes, one point.
#[derive(Debug)]
pub(super) struct FourNode;

impl TetShape for FourNode {
    const KIND: ElementKind = ElementKind::Tet4;
    const POINTS: usize = 1;

    #[inline(always)]
    fn edges<L: Lanes>(x: &[[L; 3]; SIMPLEX_NODES], d: &mut [Edges<L>]) {
        for c in 0..3 {
            for i in 0..3 {
                d[0][c][i] = x[c + 1][i].sub(x[0][i]);
            }
        }
    }

    #[inline(always)]
    fn nodal<L: Lanes>(h: &[Edges<L>; SIMPLEX_POINTS]) -> [[L; 3]; SIMPLEX_NODES] {
        let mut out = [[L::splat(0.0); 3]; SIMPLEX_NODES];
        out[0] = first(&h[0]);
        out[1..4].copy_from_slice(&h[0]);
        out
    }

    fn matrix(_point: usize) -> [[f64; SIMPLEX_NODES]; 3] {
        let mut m = [[0.0; SIMPLEX_NODES]; 3];
        for c in 0..3 {
            m[c][0] = -1.0;
            m[c][c + 1] = 1.0;
        }
        m
    }
}

/// Ten nodes, four points: as [`Straight`](crate::model::solid::shape::Straight) explains.
#[derive(Debug)]
pub(super) struct TenNode;

const BETA: f64 = 4.0 * far::<3>();
const KAPPA: f64 = 4.0 * (near::<3>() - far::<3>());

impl TetShape for TenNode {
    const KIND: ElementKind = ElementKind::Tet10;
    const POINTS: usize = 4;

    #[inline(always)]
    fn edges<L: Lanes>(x: &[[L; 3]; SIMPLEX_NODES], d: &mut [Edges<L>]) {
        let (beta, kappa) = (L::splat(BETA), L::splat(KAPPA));
        for i in 0..3 {
            let mut base = [L::splat(0.0); 4];
            for c in 0..4 {
                let at = |b: usize| x[pair::<3>(c, b)][i];
                let sum = at(0).add(at(1)).add(at(2).add(at(3)));
                base[c] = beta.mul(sum).sub(x[c][i]);
            }
            for c in 1..4 {
                let common = base[c].sub(base[0]);
                for q in 0..4 {
                    let own = x[pair::<3>(c, q)][i].sub(x[pair::<3>(0, q)][i]);
                    d[q][c - 1][i] = kappa.mul_add(own, common);
                }
            }
        }
    }

    #[inline(always)]
    fn nodal<L: Lanes>(h: &[Edges<L>; SIMPLEX_POINTS]) -> [[L; 3]; SIMPLEX_NODES] {
        let (beta, kappa) = (L::splat(BETA), L::splat(KAPPA));
        let corner = L::splat(BETA - 1.0);
        let mut out = [[L::splat(0.0); 3]; SIMPLEX_NODES];
        let zero = [first(&h[0]), first(&h[1]), first(&h[2]), first(&h[3])];
        for i in 0..3 {
            let t = |q: usize, c: usize| if c == 0 { zero[q][i] } else { h[q][c - 1][i] };
            let mut sum = [L::splat(0.0); 4];
            for c in 0..4 {
                sum[c] = t(0, c).add(t(1, c)).add(t(2, c).add(t(3, c)));
                out[c][i] = kappa.mul_add(t(c, c), corner.mul(sum[c]));
            }
            for a in 1..4 {
                for b in 0..a {
                    let own = kappa.mul(t(a, b).add(t(b, a)));
                    out[pair::<3>(a, b)][i] = beta.mul_add(sum[a].add(sum[b]), own);
                }
            }
        }
        out
    }

    fn matrix(point: usize) -> [[f64; SIMPLEX_NODES]; 3] {
        let mut l = [far::<3>(); 4];
        l[point] = near::<3>();
        let (_, d) = quadratic::<3>(&l);
        let mut m = [[0.0; SIMPLEX_NODES]; 3];
        for c in 0..3 {
            for a in 0..SIMPLEX_NODES {
                m[c][a] = d[a][c + 1] - d[a][0];
            }
        }
        m
    }
}

/// The force on the first corner: minus the sum of the others, so that forces balance.
#[inline(always)]
fn first<L: Lanes>(h: &Edges<L>) -> [L; 3] {
    let mut out = h[0];
    for i in 0..3 {
        out[i] = L::splat(0.0).sub(h[0][i].add(h[1][i]).add(h[2][i]));
    }
    out
}
