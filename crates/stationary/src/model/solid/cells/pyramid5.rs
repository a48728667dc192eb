//! Pyramid of five nodes, with the rational functions `((1 - z + s x)(1 - z + t y))/(4 (1 - z))` of the corners of the base and `z` of the
//! apex. They are linear on triangles and bilinear on the base, so that its faces fit those of tetrahedra and hexahedra.
//!
//! With `x = (1 - z) a` and `y = (1 - z) b` the function of a corner is `(1 + s a)(1 + t b)(1 - z)/4`: on a ray from the apex, at constant `a`
//! and `b`, every function is linear and every gradient constant. So are `F` and `det dX/dx`. An area `da db` of rays has the
//! volume `int (1 - z)^2 dz = 1/3`, and one point a ray is exact for any energy. Points: 2 x 2 rays.

use super::super::kind::{ElementKind, Facts};
use super::super::tensor::{Tensor, norm};
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
