//! Quadrilateral of nine nodes, biquadratic. Points: 3 x 3, since with 2 x 2 three deformations that are no rigid motions have no energy.

use super::super::kind::{ElementKind, Facts};
use super::super::lanes::Lanes;
use super::super::shape::zero;
use super::super::tensor::Tensor;
use super::Slopes;
use super::quadratic::{
    square_grid, square_loads, square_nodes, square_slopes, square_value_loads, square_values,
};
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

/// See the [module](self).
#[derive(Debug)]
pub(in crate::model::solid) struct Quad9;

impl Cell for Quad9 {
    const KIND: ElementKind = ElementKind::Quad9;
    const FACTS: Facts =
        Facts { name: "quad9", cell: CellKind::Quadrilateral9, mirrored: &[1, 0, 3, 2, 4, 7, 6, 5, 8] };
    const POINTS: usize = 9;
    type AtNodes<T: Clone> = [T; 9];
    type AtPoints<T: Clone> = [T; 9];

    fn rule() -> Vec<(Place, f64)> {
        gauss::square(3)
    }

    fn fine_rule() -> Vec<(Place, f64)> {
        gauss::square(4)
    }

    #[inline(always)]
    fn slopes<L: Lanes>(u: &[L; 9], to: &mut impl Slopes<L>) {
        square_slopes(&square_grid(u), to);
    }

    #[inline(always)]
    fn loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 9]) {
        let mut grid = [zero(); 9];
        square_loads(from, &mut grid);
        square_nodes(grid, out);
    }

    #[inline(always)]
    fn values<L: Lanes>(u: &[L; 9]) -> [L; 9] {
        square_values(&square_grid(u))
    }

    #[inline(always)]
    fn value_loads<L: Lanes>(from: &[L; 9], out: &mut [L; 9]) {
        let mut grid = [zero(); 9];
        square_value_loads(from, &mut grid);
        square_nodes(grid, out);
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::box_inradius(&dual[..2])
    }
}
