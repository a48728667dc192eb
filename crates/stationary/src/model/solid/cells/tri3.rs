//! Triangle of three nodes as a ring; in the plane it has a kernel of its own. Points: the centre.

use super::super::kind::{ElementKind, Facts};
use super::super::lanes::Lanes;
use super::super::tensor::Tensor;
use super::Slopes;
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

/// See the [module](self).
#[derive(Debug)]
pub(in crate::model::solid) struct Tri3;

impl Cell for Tri3 {
    const KIND: ElementKind = ElementKind::Tri3;
    const FACTS: Facts = Facts { name: "tri3", cell: CellKind::Triangle3, mirrored: &[1, 0, 2] };
    const POINTS: usize = 1;
    type AtNodes<T: Clone> = [T; 3];
    type AtPoints<T: Clone> = [T; 1];

    fn rule() -> Vec<(Place, f64)> {
        vec![([1.0 / 3.0, 1.0 / 3.0, 0.0], 0.5)]
    }

    fn fine_rule() -> Vec<(Place, f64)> {
        gauss::triangle_fine()
    }

    #[inline(always)]
    fn slopes<L: Lanes>(u: &[L; 3], to: &mut impl Slopes<L>) {
        to.put(0, 0, u[1].sub(u[0]));
        to.put(0, 1, u[2].sub(u[0]));
    }

    #[inline(always)]
    fn loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 3]) {
        (out[1], out[2]) = (from.get(0, 0), from.get(0, 1));
    }

    #[inline(always)]
    fn values<L: Lanes>(u: &[L; 3]) -> [L; 1] {
        [L::splat(1.0 / 3.0).mul(u[0].add(u[1]).add(u[2]))]
    }

    #[inline(always)]
    fn value_loads<L: Lanes>(from: &[L; 1], out: &mut [L; 3]) {
        *out = [L::splat(1.0 / 3.0).mul(from[0]); 3];
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::triangle_inradius(dual)
    }
}
