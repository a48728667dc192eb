//! Hexahedron of twenty nodes, serendipity. Points: 3 x 3 x 3, since the fourteen points that suffice for a cube fail the patch test of
//! other shapes.

use super::super::kind::{ElementKind, Facts};
use super::super::lanes::Lanes;
use super::super::shape::zero;
use super::super::tensor::Tensor;
use super::Slopes;
use super::quadratic::{CUBE, cube_loads, cube_slopes, middle, middle_loads};
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

/// Corners and sides of the faces, in the order in which 27 nodes have their middles.
const FACES: [[[usize; 4]; 2]; 6] = [
    [[0, 3, 4, 7], [11, 15, 16, 19]],
    [[1, 2, 5, 6], [9, 13, 17, 18]],
    [[0, 1, 4, 5], [8, 12, 16, 17]],
    [[2, 3, 6, 7], [10, 14, 18, 19]],
    [[0, 1, 2, 3], [8, 9, 10, 11]],
    [[4, 5, 6, 7], [12, 13, 14, 15]],
];

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

    // A serendipity function is a triquadratic one with the same values at twenty nodes, and these in the middles of the faces and of the body.
    #[inline(always)]
    fn slopes<L: Lanes>(u: &[L; 20], to: &mut impl Slopes<L>) {
        let mut grid = [zero::<L>(); 27];
        for a in 0..20 {
            grid[CUBE[a]] = u[a];
        }
        let (mut sum, mut corners) = (zero::<L>(), zero::<L>());
        for n in 0..6 {
            let [a, b, c, d] = FACES[n][0];
            let [e, f, g, h] = FACES[n][1];
            let own = middle([u[a], u[b], u[c], u[d]], [u[e], u[f], u[g], u[h]]);
            grid[CUBE[20 + n]] = own;
            sum = sum.add(own);
        }
        for a in 0..8 {
            corners = corners.add(u[a]);
        }
        grid[26] = L::splat(0.25).mul(sum).sub(L::splat(0.0625).mul(corners));
        cube_slopes(&grid, to);
    }

    #[inline(always)]
    fn loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 20]) {
        let mut grid = [zero::<L>(); 27];
        cube_loads(from, &mut grid);
        for a in 0..20 {
            out[a] = grid[CUBE[a]];
        }
        for a in 0..8 {
            out[a] = out[a].sub(L::splat(0.0625).mul(grid[26]));
        }
        for n in 0..6 {
            let [corner, side] = middle_loads(grid[CUBE[20 + n]].add(L::splat(0.25).mul(grid[26])));
            for a in 0..4 {
                let [on_corner, on_side] = [FACES[n][0][a], FACES[n][1][a]];
                out[on_corner] = out[on_corner].add(corner);
                out[on_side] = out[on_side].add(side);
            }
        }
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::box_inradius(dual)
    }
}
