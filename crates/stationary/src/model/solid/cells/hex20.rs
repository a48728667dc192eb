//! Hexahedron of twenty nodes, serendipity. Points: 3 x 3 x 3, since the fourteen points that suffice for a cube fail the patch test of
//! other shapes.

use super::super::kind::{ElementKind, Facts};
use super::super::tensor::Tensor;
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

/// See the [module](self).
#[derive(Debug)]
pub(in crate::model::solid) struct Hex20;

impl Cell for Hex20 {
    const KIND: ElementKind = ElementKind::Hex20;
    const FACTS: Facts = Facts {
        name: "hex20",
        cell: CellKind::Hexahedron20,
        mirrored: &[1, 0, 3, 2, 5, 4, 7, 6, 8, 11, 10, 9, 12, 15, 14, 13, 17, 16, 19, 18],
    };
    const POINTS: usize = 27;
    type AtNodes<T: Clone> = [T; 20];
    type AtPoints<T: Clone> = [T; 27];

    fn rule() -> Vec<(Place, f64)> {
        gauss::cube(3)
    }

    fn fine_rule() -> Vec<(Place, f64)> {
        gauss::cube(4)
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::box_inradius(dual)
    }
}
