//! Quadrilateral of four nodes, bilinear. Points: 2 x 2. Its volume ratio is averaged.

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

    #[inline(always)]
    fn slopes<L: Lanes>(u: &[L; 4], to: &mut impl Slopes<L>) {
        let [_, m1, m2, m3] = coefficients(*u);
        let change = L::splat(G2).mul(m3);
        let (along, across) = ([m1.sub(change), m1.add(change)], [m2.sub(change), m2.add(change)]);
        for q in 0..4 {
            to.put(q, 0, along[q / 2]);
            to.put(q, 1, across[q % 2]);
        }
    }

    #[inline(always)]
    fn loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 4]) {
        let (mut along, mut across) = ([zero::<L>(); 2], [zero::<L>(); 2]);
        for k in 0..2 {
            along[k] = from.get(2 * k, 0).add(from.get(2 * k + 1, 0));
            across[k] = from.get(k, 1).add(from.get(k + 2, 1));
        }
        let change = along[1].sub(along[0]).add(across[1].sub(across[0]));
        let (m1, m2) = (along[0].add(along[1]), across[0].add(across[1]));
        *out = corners([zero(), m1, m2, L::splat(G2).mul(change)]);
    }

    #[inline(always)]
    fn values<L: Lanes>(u: &[L; 4]) -> [L; 4] {
        let [m0, m1, m2, m3] = coefficients(*u);
        let (g, square) = (L::splat(G2), L::splat(G2 * G2));
        spread([m0, g.mul(m1), g.mul(m2), square.mul(m3)])
    }

    #[inline(always)]
    fn value_loads<L: Lanes>(from: &[L; 4], out: &mut [L; 4]) {
        let [m0, m1, m2, m3] = gather(*from);
        let (g, square) = (L::splat(G2), L::splat(G2 * G2));
        *out = corners([m0, g.mul(m1), g.mul(m2), square.mul(m3)]);
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        gauss::box_inradius(&dual[..2])
    }
}
