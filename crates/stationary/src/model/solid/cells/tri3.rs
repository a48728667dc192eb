//! Triangle of three nodes as a ring; in the plane it has a kernel of its own. Points: the centre.

use super::super::kind::{ElementKind, Facts};
use super::super::tensor::Tensor;
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

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::triangle_inradius(dual)
    }
}
