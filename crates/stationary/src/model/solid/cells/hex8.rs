//! Hexahedron of eight nodes, trilinear. Points: 2 x 2 x 2. Its volume ratio is averaged.

use super::super::kind::{ElementKind, Facts};
use super::super::lanes::Lanes;
use super::super::shape::zero;
use super::super::tensor::Tensor;
use super::Slopes;
use super::bilinear::{coefficients, corners, gather, spread};
use super::gauss::G2;
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

    // u = s0 + s1 x + s2 y + s3 x y + z (t0 + t1 x + t2 y + t3 x y): each slope has four values at the eight points.
    #[inline(always)]
    fn slopes<L: Lanes>(u: &[L; 8], to: &mut impl Slopes<L>) {
        let (low, high) = (coefficients([u[0], u[1], u[2], u[3]]), coefficients([u[4], u[5], u[6], u[7]]));
        let half = L::splat(0.5);
        let (mut s, mut t) = ([zero::<L>(); 4], [zero::<L>(); 4]);
        for k in 0..4 {
            s[k] = half.mul(high[k].add(low[k]));
            t[k] = half.mul(high[k].sub(low[k]));
        }
        let g = L::splat(G2);
        let (s3, t1, t2, t3) = (g.mul(s[3]), g.mul(t[1]), g.mul(t[2]), L::splat(G2 * G2).mul(t[3]));
        let x = spread([s[1], s3, t1, t3]);
        let y = spread([s[2], s3, t2, t3]);
        let z = spread([t[0], t1, t2, t3]);
        for q in 0..8 {
            let [i, j, k] = [q % 2, q / 2 % 2, q / 4];
            to.put(q, 0, x[j + 2 * k]);
            to.put(q, 1, y[i + 2 * k]);
            to.put(q, 2, z[i + 2 * j]);
        }
    }

    #[inline(always)]
    fn loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 8]) {
        let mut sums = [[zero::<L>(); 4]; 3];
        for n in 0..4 {
            let [i, j] = [n % 2, n / 2];
            sums[0][n] = from.get(2 * i + 4 * j, 0).add(from.get(1 + 2 * i + 4 * j, 0));
            sums[1][n] = from.get(i + 4 * j, 1).add(from.get(2 + i + 4 * j, 1));
            sums[2][n] = from.get(n, 2).add(from.get(n + 4, 2));
        }
        let (x, y, z) = (gather(sums[0]), gather(sums[1]), gather(sums[2]));
        // The half of s and t belongs to each.
        let (half, g) = (L::splat(0.5), L::splat(0.5 * G2));
        let s = [zero(), half.mul(x[0]), half.mul(y[0]), g.mul(x[1].add(y[1]))];
        let t3 = L::splat(0.5 * (G2 * G2)).mul(x[3].add(y[3]).add(z[3]));
        let t = [half.mul(z[0]), g.mul(x[2].add(z[1])), g.mul(y[2].add(z[2])), t3];
        let (mut low, mut high) = (s, s);
        for k in 0..4 {
            low[k] = s[k].sub(t[k]);
            high[k] = s[k].add(t[k]);
        }
        out[..4].copy_from_slice(&corners(low));
        out[4..].copy_from_slice(&corners(high));
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::box_inradius(dual)
    }
}
