//! Wedge of six nodes. Points: three in the triangle by two along the axis.

use super::super::kind::{ElementKind, Facts};
use super::super::tensor::{Tensor, norm};
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

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

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        // The circle in the triangle, or half of the height.
        gauss::triangle_inradius(dual).min(1.0 / norm(&dual[2]))
    }
}
