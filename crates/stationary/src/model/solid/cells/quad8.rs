//! Quadrilateral of eight nodes, serendipity. Points: 3 x 3, since with 2 x 2 a deformation that is no rigid motion has no energy.

use super::super::kind::{ElementKind, Facts};
use super::super::tensor::Tensor;
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

/// See the [module](self).
#[derive(Debug)]
pub(in crate::model::solid) struct Quad8;

impl Cell for Quad8 {
    const KIND: ElementKind = ElementKind::Quad8;
    const FACTS: Facts =
        Facts { name: "quad8", cell: CellKind::Quadrilateral8, mirrored: &[1, 0, 3, 2, 4, 7, 6, 5] };
    const POINTS: usize = 9;
    type AtNodes<T: Clone> = [T; 8];
    type AtPoints<T: Clone> = [T; 9];

    fn rule() -> Vec<(Place, f64)> {
        gauss::square(3)
    }

    fn fine_rule() -> Vec<(Place, f64)> {
        gauss::square(4)
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::box_inradius(&dual[..2])
    }
}
