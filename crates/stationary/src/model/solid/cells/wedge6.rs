//! Wedge of six nodes. Points: three in the triangle by two along the axis.

use super::super::kind::{ElementKind, Facts};
use super::super::lanes::Lanes;
use super::super::shape::zero;
use super::super::tensor::{Tensor, norm};
use super::Slopes;
use super::gauss::G2;
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

/// The points in the triangle.
const PLACES: [[f64; 2]; 3] = [[1.0 / 6.0, 1.0 / 6.0], [2.0 / 3.0, 1.0 / 6.0], [1.0 / 6.0, 2.0 / 3.0]];

/// See the [module](self).
#[derive(Debug)]
pub(in crate::model::solid) struct Wedge6;

impl Cell for Wedge6 {
    const KIND: ElementKind = ElementKind::Wedge6;
    const FACTS: Facts = Facts { name: "wedge6", cell: CellKind::Wedge6, mirrored: &[1, 0, 2, 4, 3, 5] };
    const POINTS: usize = 6;
    type AtNodes<T: Clone> = [T; 6];
    type AtPoints<T: Clone> = [T; 6];

    fn rule() -> Vec<(Place, f64)> {
        gauss::prism(&gauss::triangle_three(), 2)
    }

    fn fine_rule() -> Vec<(Place, f64)> {
        gauss::prism(&gauss::triangle_fine(), 3)
    }

    // u = sum_a L_a (mean_a + z rise_a) over the corners of the triangle.
    #[inline(always)]
    fn slopes<L: Lanes>(u: &[L; 6], to: &mut impl Slopes<L>) {
        let half = L::splat(0.5);
        let (mut mean, mut rise) = ([zero::<L>(); 3], [zero::<L>(); 3]);
        for a in 0..3 {
            mean[a] = half.mul(u[a + 3].add(u[a]));
            rise[a] = half.mul(u[a + 3].sub(u[a]));
        }
        let (rise_x, rise_y) = (rise[1].sub(rise[0]), rise[2].sub(rise[0]));
        let (x, y) = (mean[1].sub(mean[0]), mean[2].sub(mean[0]));
        let g = L::splat(G2);
        let (change_x, change_y) = (g.mul(rise_x), g.mul(rise_y));
        let along = [x.sub(change_x), x.add(change_x)];
        let across = [y.sub(change_y), y.add(change_y)];
        for t in 0..3 {
            let [lx, ly] = PLACES[t];
            let up = rise[0].add(L::splat(lx).mul(rise_x)).add(L::splat(ly).mul(rise_y));
            for k in 0..2 {
                to.put(3 * k + t, 0, along[k]);
                to.put(3 * k + t, 1, across[k]);
                to.put(3 * k + t, 2, up);
            }
        }
    }

    #[inline(always)]
    fn loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 6]) {
        let (mut along, mut across) = ([zero::<L>(); 2], [zero::<L>(); 2]);
        for k in 0..2 {
            along[k] = from.get(3 * k, 0).add(from.get(3 * k + 1, 0)).add(from.get(3 * k + 2, 0));
            across[k] = from.get(3 * k, 1).add(from.get(3 * k + 1, 1)).add(from.get(3 * k + 2, 1));
        }
        let g = L::splat(G2);
        let mut up = zero::<L>();
        let mut rise = [zero(), g.mul(along[1].sub(along[0])), g.mul(across[1].sub(across[0]))];
        for t in 0..3 {
            let own = from.get(t, 2).add(from.get(t + 3, 2));
            up = up.add(own);
            for c in 0..2 {
                rise[c + 1] = rise[c + 1].add(L::splat(PLACES[t][c]).mul(own));
            }
        }
        rise[0] = up.sub(rise[1]).sub(rise[2]);
        let (x, y) = (along[0].add(along[1]), across[0].add(across[1]));
        let mean = [zero::<L>().sub(x.add(y)), x, y];
        let half = L::splat(0.5);
        for a in 0..3 {
            out[a] = half.mul(mean[a].sub(rise[a]));
            out[a + 3] = half.mul(mean[a].add(rise[a]));
        }
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        // The circle in the triangle, or half of the height.
        gauss::triangle_inradius(dual).min(1.0 / norm(&dual[2]))
    }
}
