//! Laws of many bodies that collide: energy, momenta, the symplectic form through an impact, restitution, friction, admissibility,
//! and an exact event-driven run of hard discs to compare with.

mod discs;
mod laws;
mod piles;
mod polygons;
mod reference;
mod rest;
mod steps;
mod units;

use stationary::contact::ContactLaw;
use stationary::contact::rigid::Polygon;
use stationary::integrate::collide::{
    Body, CollisionOptions, Collisions, Wall, WallForm, World, contact_time,
};
use stationary::linalg::Vec2;

/// Numbers that look random, the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51afd7ed558ccd);
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

/// Four walls around `[0, w] x [0, h]`.
pub(crate) fn room(w: f64, h: f64) -> Vec<Wall> {
    let planes =
        [([1.0, 0.0, 0.0], 0.0), ([-1.0, 0.0, 0.0], -w), ([0.0, 1.0, 0.0], 0.0), ([0.0, -1.0, 0.0], -h)];
    planes.into_iter().map(|(normal, offset)| plane(normal, offset)).collect()
}

pub(crate) fn plane(normal: [f64; 3], offset: f64) -> Wall {
    Wall {
        name: "wall".into(),
        form: WallForm::Plane { normal: normal.into(), offset },
        surface: ContactLaw::ELASTIC,
    }
}

pub(crate) fn run(world: World, step: f64) -> Collisions {
    let contact_time = contact_time(&world);
    run_with(world, step, contact_time)
}

pub(crate) fn run_with(world: World, step: f64, contact_time: f64) -> Collisions {
    Collisions::new(world, CollisionOptions { start: 0.0, step, contact_time }).unwrap()
}

pub(crate) fn polygon(points: &[[f64; 2]]) -> Body {
    let points: Vec<Vec2> = points.iter().copied().map(Vec2::from).collect();
    Body::polygon(Polygon::new(&points).unwrap().0)
}

/// A star with so many tips.
pub(crate) fn star(tips: usize, inner: f64, outer: f64) -> Body {
    let points: Vec<[f64; 2]> = (0..2 * tips)
        .map(|k| {
            let (sin, cos) = (std::f64::consts::PI * k as f64 / tips as f64).sin_cos();
            let r = if k % 2 == 0 { outer } else { inner };
            [r * cos, r * sin]
        })
        .collect();
    polygon(&points)
}
