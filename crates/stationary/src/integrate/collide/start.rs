//! Gaps at a moment, and whether bodies may start where they are.

use super::world::{WallForm, World};
use crate::contact::broad_phase::{Grid, Reach};
use crate::contact::rigid::{BodyState, Shape, signed_gap, vertices};
use crate::contact::time_of_impact::{Against, Mover, OutlineSearch};

/// Why bodies cannot start where they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartFault {
    /// The body, and the other body or the wall, whose numbers follow those of the bodies.
    pub pair: [usize; 2],
    /// By how much they overlap.
    pub depth: f64,
}

/// Overlaps up to this, in sizes, are rounding: bodies may touch.
pub(super) const ROUNDING: f64 = 1e-12;

/// The least gap at the start in sizes, or the first pair that overlaps.
pub(super) fn check(world: &World) -> Result<f64, StartFault> {
    let state = |k: usize| {
        let b = &world.bodies[k];
        BodyState { position: b.position, velocity: b.velocity, angle: b.angle, spin: b.spin }
    };
    let mut grid = Grid::default();
    let boxes = world.bodies.iter().map(|b| {
        let reach = b.shape.reach();
        Reach { low: b.position.map(|x| x - reach), high: b.position.map(|x| x + reach) }
    });
    grid.rebuild(boxes.collect(), world.dimension);
    let (n, mut least, mut near) = (world.bodies.len(), f64::INFINITY, Vec::new());
    let mut outlines = OutlineSearch::default();
    for i in 0..n {
        grid.near(i, &mut near);
        let later = near.iter().map(|j| *j as usize).filter(|j| *j > i);
        for j in later.chain(n..n + world.walls.len()) {
            let gap = gap_between(world, [i, j], state, &mut outlines);
            let reach = |k: usize| world.bodies.get(k).map_or(f64::INFINITY, |b| b.shape.reach());
            let relative = gap / reach(i).min(reach(j));
            if !(relative >= -ROUNDING) {
                return Err(StartFault { pair: [i, j], depth: -gap });
            }
            least = least.min(relative);
        }
    }
    Ok(least)
}

/// The gap between two bodies, or a body and a wall, of a world at its start; negative by about the depth of an overlap.
pub fn gap(world: &World, pair: [usize; 2]) -> f64 {
    let state = |k: usize| {
        let b = &world.bodies[k];
        BodyState { position: b.position, velocity: b.velocity, angle: b.angle, spin: b.spin }
    };
    gap_between(world, pair, state, &mut OutlineSearch::default())
}

pub(super) fn gap_between(
    world: &World,
    [i, j]: [usize; 2],
    state: impl Fn(usize) -> BodyState,
    outlines: &mut OutlineSearch,
) -> f64 {
    let (body, here) = (&world.bodies[i], state(i));
    let mover = |k: usize| Mover { shape: &world.bodies[k].shape, state: state(k), gravity: world.gravity };
    let against = match (world.bodies.get(j), j.checked_sub(world.bodies.len())) {
        (Some(other), _) => {
            let apart = (here.position - state(j).position).norm();
            let reach = body.shape.reach() + other.shape.reach();
            let round = |shape: &Shape| matches!(shape, Shape::Round { .. });
            // Of far polygons the circles will do.
            if round(&body.shape) && round(&other.shape) || apart > reach {
                return apart - reach;
            }
            Against::Mover(mover(j))
        }
        (None, wall) => match &world.walls[wall.unwrap_or(0)].form {
            WallForm::Plane { normal, offset } => {
                let height = normal.dot(here.position) - offset;
                let reach = body.shape.reach();
                if matches!(body.shape, Shape::Round { .. }) || height > reach {
                    return height - reach;
                }
                Against::HalfPlane(normal.truncate(), *offset)
            }
            WallForm::Segment(ends) => Against::Segment(ends),
        },
    };
    outlines.put(&mover(i), &against, 0.0);
    match against {
        Against::HalfPlane(normal, offset) => {
            let mut least = f64::INFINITY;
            vertices(&outlines.one, normal, offset, |f| least = least.min(f.distance));
            least
        }
        _ => signed_gap(&outlines.one, &outlines.two),
    }
}
