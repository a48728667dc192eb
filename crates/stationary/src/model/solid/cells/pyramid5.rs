//! Pyramid of five nodes, with the rational functions `((1 - z + s x)(1 - z + t y))/(4 (1 - z))` of the corners of the base and `z` of the
//! apex. They are linear on triangles and bilinear on the base, so that its faces fit those of tetrahedra and hexahedra.
//!
//! With `x = (1 - z) a` and `y = (1 - z) b` the function of a corner is `(1 + s a)(1 + t b)(1 - z)/4`: on a ray from the apex, at constant `a`
//! and `b`, every function is linear and every gradient constant. So are `F` and `det dX/dx`. An area `da db` of rays has the
//! volume `int (1 - z)^2 dz = 1/3`, and one point a ray is exact for any energy. Points: 2 x 2 rays.

use super::super::kind::{ElementKind, Facts};
use super::super::lanes::Lanes;
use super::super::shape::zero;
use super::super::tensor::{Tensor, norm};
use super::Slopes;
use super::bilinear::{coefficients, corners, gather};
use super::gauss::G2;
use super::{Cell, Place, gauss};
use crate::mesh::CellKind;

/// See the [module](self).
#[derive(Debug)]
pub(in crate::model::solid) struct Pyramid5;

impl Cell for Pyramid5 {
    const KIND: ElementKind = ElementKind::Pyramid5;
    const FACTS: Facts = Facts { name: "pyramid5", cell: CellKind::Pyramid5, mirrored: &[1, 0, 3, 2, 4] };
    const POINTS: usize = 4;
    type AtNodes<T: Clone> = [T; 5];
    type AtPoints<T: Clone> = [T; 4];

    fn rule() -> Vec<(Place, f64)> {
        let z = 0.25;
        let rays = gauss::square(2);
        rays.iter().map(|([a, b, _], w)| ([(1.0 - z) * a, (1.0 - z) * b, z], w / 3.0)).collect()
    }

    fn fine_rule() -> Vec<(Place, f64)> {
        // On a ray N_a N_b times (1 - z)^2 has degree 4.
        let layers = gauss::line(3).iter().map(|(z, w)| (0.5 - 0.5 * z, 0.5 * w));
        let rays = gauss::square(3);
        let layer = |(h, v): (f64, f64)| {
            rays.iter()
                .map(move |([a, b, _], w)| ([h * a, h * b, 1.0 - h], v * w * h * h))
                .collect::<Vec<_>>()
        };
        layers.flat_map(layer).collect()
    }

    // With X = x/(1 - z), Y = y/(1 - z) and the coefficients of the base the slopes are m1 + Y m3, m2 + X m3 and u4 - m0 + X Y m3.
    #[inline(always)]
    fn slopes<L: Lanes>(u: &[L; 5], to: &mut impl Slopes<L>) {
        let [m0, m1, m2, m3] = coefficients([u[0], u[1], u[2], u[3]]);
        let (change, twist) = (L::splat(G2).mul(m3), L::splat(G2 * G2).mul(m3));
        let (along, across) = ([m1.sub(change), m1.add(change)], [m2.sub(change), m2.add(change)]);
        let up = u[4].sub(m0);
        let up = [up.add(twist), up.sub(twist)];
        for q in 0..4 {
            to.put(q, 0, along[q / 2]);
            to.put(q, 1, across[q % 2]);
            to.put(q, 2, up[(q / 2 + q % 2) % 2]);
        }
    }

    #[inline(always)]
    fn loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 5]) {
        let (mut along, mut across) = ([zero::<L>(); 2], [zero::<L>(); 2]);
        for k in 0..2 {
            along[k] = from.get(2 * k, 0).add(from.get(2 * k + 1, 0));
            across[k] = from.get(k, 1).add(from.get(k + 2, 1));
        }
        let [up, _, _, twist] = gather([from.get(0, 2), from.get(1, 2), from.get(2, 2), from.get(3, 2)]);
        let change = along[1].sub(along[0]).add(across[1].sub(across[0]));
        let m3 = L::splat(G2).mul(change).add(L::splat(G2 * G2).mul(twist));
        let (m1, m2) = (along[0].add(along[1]), across[0].add(across[1]));
        let base = corners([zero::<L>().sub(up), m1, m2, m3]);
        out[..4].copy_from_slice(&base);
        out[4] = up;
    }

    fn inradius(_at: &Place, dual: &Tensor) -> f64 {
        // On the axis the base is z/|grad z| away and a side (1 - z)/|grad (z + s x)|.
        let [x, y, z] = dual;
        let side = |s: f64, across: &[f64; 3]| norm(&std::array::from_fn(|i| z[i] + s * across[i]));
        let steepest = [side(1.0, x), side(-1.0, x), side(1.0, y), side(-1.0, y)];
        1.0 / (norm(z) + steepest.into_iter().fold(0.0, f64::max))
    }

    /// The volume ratio is that of the base on the same ray; the apex is on all of them.
    fn corners() -> Vec<Place> {
        Self::FACTS.cell.reference()[..4].into()
    }
}
