//! Triangle of six nodes as a ring; in the plane it has kernels of its own. Points: three.

use super::super::kind::{ElementKind, Facts};
use super::super::lanes::Lanes;
use super::super::shape::zero;
use super::super::tensor::Tensor;
use super::Slopes;
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

/// The points.
const PLACES: [[f64; 2]; 3] = [[1.0 / 6.0, 1.0 / 6.0], [2.0 / 3.0, 1.0 / 6.0], [1.0 / 6.0, 2.0 / 3.0]];

/// The shape functions at a point.
#[inline(always)]
const fn shape([x, y]: [f64; 2]) -> [f64; 6] {
    let w = 1.0 - x - y;
    [w * (2.0 * w - 1.0), x * (2.0 * x - 1.0), y * (2.0 * y - 1.0), 4.0 * w * x, 4.0 * x * y, 4.0 * y * w]
}

/// See the [module](self).
#[derive(Debug)]
pub(in crate::model::solid) struct Tri6;

impl Cell for Tri6 {
    const KIND: ElementKind = ElementKind::Tri6;
    const FACTS: Facts = Facts { name: "tri6", cell: CellKind::Triangle6, mirrored: &[1, 0, 2, 3, 5, 4] };
    const POINTS: usize = 3;
    type AtNodes<T: Clone> = [T; 6];
    type AtPoints<T: Clone> = [T; 3];

    fn rule() -> Vec<(Place, f64)> {
        gauss::triangle_three().into()
    }

    fn fine_rule() -> Vec<(Place, f64)> {
        gauss::triangle_fine()
    }

    // With the third coordinate w = 1 - x - y the slopes are (4x - 1) u1 - (4w - 1) u0 + 4 (w - x) u3 + 4y (u4 - u5), and likewise in y.
    #[inline(always)]
    fn slopes<L: Lanes>(u: &[L; 6], to: &mut impl Slopes<L>) {
        let (inner_x, inner_y) = (u[4].sub(u[5]), u[4].sub(u[3]));
        for q in 0..3 {
            let ([x, y], w) = (PLACES[q], 1.0 - PLACES[q][0] - PLACES[q][1]);
            let first = L::splat(1.0 - 4.0 * w).mul(u[0]);
            let along = L::splat(4.0 * x - 1.0).mul(u[1]).add(L::splat(4.0 * (w - x)).mul(u[3]));
            let across = L::splat(4.0 * y - 1.0).mul(u[2]).add(L::splat(4.0 * (w - y)).mul(u[5]));
            to.put(q, 0, first.add(along).add(L::splat(4.0 * y).mul(inner_x)));
            to.put(q, 1, first.add(across).add(L::splat(4.0 * x).mul(inner_y)));
        }
    }

    #[inline(always)]
    fn loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 6]) {
        *out = [zero(); 6];
        for q in 0..3 {
            let ([x, y], w) = (PLACES[q], 1.0 - PLACES[q][0] - PLACES[q][1]);
            let (along, across) = (from.get(q, 0), from.get(q, 1));
            let (inner_x, inner_y) = (L::splat(4.0 * y).mul(along), L::splat(4.0 * x).mul(across));
            out[1] = out[1].add(L::splat(4.0 * x - 1.0).mul(along));
            out[2] = out[2].add(L::splat(4.0 * y - 1.0).mul(across));
            out[3] = out[3].add(L::splat(4.0 * (w - x)).mul(along)).sub(inner_y);
            out[4] = out[4].add(inner_x).add(inner_y);
            out[5] = out[5].add(L::splat(4.0 * (w - y)).mul(across)).sub(inner_x);
        }
    }

    #[inline(always)]
    fn values<L: Lanes>(u: &[L; 6]) -> [L; 3] {
        let mut values = [zero::<L>(); 3];
        for q in 0..3 {
            for (a, n) in shape(PLACES[q]).into_iter().enumerate() {
                values[q] = values[q].add(L::splat(n).mul(u[a]));
            }
        }
        values
    }

    #[inline(always)]
    fn value_loads<L: Lanes>(from: &[L; 3], out: &mut [L; 6]) {
        *out = [zero(); 6];
        for q in 0..3 {
            for (a, n) in shape(PLACES[q]).into_iter().enumerate() {
                out[a] = out[a].add(L::splat(n).mul(from[q]));
            }
        }
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::triangle_inradius(dual)
    }
}
