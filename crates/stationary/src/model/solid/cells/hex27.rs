//! Hexahedron of 27 nodes, triquadratic. Points: 3 x 3 x 3.

use super::super::kind::{ElementKind, Facts};
use super::super::lanes::Lanes;
use super::super::shape::zero;
use super::super::tensor::Tensor;
use super::Slopes;
use super::quadratic::{CUBE, cube_loads, cube_slopes};
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

/// See the [module](self).
#[derive(Debug)]
pub(in crate::model::solid) struct Hex27;

impl Cell for Hex27 {
    const KIND: ElementKind = ElementKind::Hex27;
    const FACTS: Facts = Facts {
        name: "hex27",
        cell: CellKind::Hexahedron27,
        mirrored: &[
            1, 0, 3, 2, 5, 4, 7, 6, 8, 11, 10, 9, 12, 15, 14, 13, 17, 16, 19, 18, 21, 20, 22, 23, 24, 25, 26,
        ],
    };
    const POINTS: usize = 27;
    type AtNodes<T: Clone> = [T; 27];
    type AtPoints<T: Clone> = [T; 27];

    fn rule() -> Vec<(Place, f64)> {
        gauss::cube(3)
    }

    fn fine_rule() -> Vec<(Place, f64)> {
        gauss::cube(4)
    }

    #[inline(always)]
    fn slopes<L: Lanes>(u: &[L; 27], to: &mut impl Slopes<L>) {
        let mut grid = [zero::<L>(); 27];
        for a in 0..27 {
            grid[CUBE[a]] = u[a];
        }
        cube_slopes(&grid, to);
    }

    #[inline(always)]
    fn loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 27]) {
        let mut grid = [zero::<L>(); 27];
        cube_loads(from, &mut grid);
        for a in 0..27 {
            out[a] = grid[CUBE[a]];
        }
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::box_inradius(dual)
    }
}
