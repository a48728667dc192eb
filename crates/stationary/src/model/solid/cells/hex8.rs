//! Hexahedron of eight nodes, trilinear. Points: 2 x 2 x 2. Its volume ratio is averaged.

use super::super::kind::{ElementKind, Facts};
use super::super::tensor::Tensor;
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

/// See the [module](self).
#[derive(Debug)]
pub(in crate::model::solid) struct Hex8;

impl Cell for Hex8 {
    const KIND: ElementKind = ElementKind::Hex8;
    const FACTS: Facts =
        Facts { name: "hex8", cell: CellKind::Hexahedron8, mirrored: &[1, 0, 3, 2, 5, 4, 7, 6] };
    const POINTS: usize = 8;
    const AVERAGED: bool = true;
    type AtNodes<T: Clone> = [T; 8];
    type AtPoints<T: Clone> = [T; 8];

    fn rule() -> Vec<(Place, f64)> {
        gauss::cube(2)
    }

    fn fine_rule() -> Vec<(Place, f64)> {
        gauss::cube(3)
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::box_inradius(dual)
    }
}
