//! Triangle of six nodes as a ring; in the plane it has kernels of its own. Points: three.

use super::super::kind::{ElementKind, Facts};
use super::super::tensor::Tensor;
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

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

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::triangle_inradius(dual)
    }
}
