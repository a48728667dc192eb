//! Quadrilateral of four nodes, bilinear. Points: 2 x 2. Its volume ratio is averaged.

use super::super::kind::{ElementKind, Facts};
use super::super::tensor::Tensor;
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

/// See the [module](self).
#[derive(Debug)]
pub(in crate::model::solid) struct Quad4;

impl Cell for Quad4 {
    const KIND: ElementKind = ElementKind::Quad4;
    const FACTS: Facts = Facts { name: "quad4", cell: CellKind::Quadrilateral4, mirrored: &[1, 0, 3, 2] };
    const POINTS: usize = 4;
    const AVERAGED: bool = true;
    type AtNodes<T: Clone> = [T; 4];
    type AtPoints<T: Clone> = [T; 4];

    fn rule() -> Vec<(Place, f64)> {
        gauss::square(2)
    }

    fn fine_rule() -> Vec<(Place, f64)> {
        gauss::square(3)
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::box_inradius(&dual[..2])
    }
}
