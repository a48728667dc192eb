//! Piles by chance: shapes, masses, surfaces, gravity, contact times and steps of all sizes.

use super::{Random, plane, polygon, room};
use stationary::contact::BodyImpact;
use stationary::contact::ContactLaw;
use stationary::integrate::collide::{
    Body, CollisionOptions, Collisions, Wall, WallForm, World, contact_time,
};
use stationary::linalg::{Vec2, Vec3};

/// A number from the environment: more piles, or longer runs, than a test should take.
fn asked(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Width and height of the room.
const ROOM: f64 = 4.0;

fn choose<T: Copy>(random: &mut Random, among: &[T]) -> T {
    among[(random.unit() * among.len() as f64) as usize]
}

/// A disc, a convex polygon or a star that fits into a cell of the lattice.
fn shape(random: &mut Random) -> Body {
    let sides = 3 + (random.unit() * 6.0) as usize;
    let spiky = random.unit() < 0.4;
    let reach = random.within(0.1, 0.44);
    if random.unit() < 0.25 {
        return Body::round(2, reach);
    }
    let turn = std::f64::consts::TAU / sides as f64;
    let mut points = Vec::new();
    for k in 0..sides {
        let angle = turn * (k as f64 + random.within(0.0, if spiky { 0.0 } else { 0.3 }));
        points.push([reach * angle.cos(), reach * angle.sin()]);
        if spiky {
            let angle = turn * (k as f64 + 0.5);
            let notch = reach * random.within(0.3, 0.8);
            points.push([notch * angle.cos(), notch * angle.sin()]);
        }
    }
    polygon(&points)
}

/// A pile and how it is run.
pub(crate) fn pile(seed: u64) -> (World, CollisionOptions) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 77);
    for _ in 0..8 {
        random.unit();
    }
    let random = &mut random;
    let space = if random.unit() < 0.15 { 3 } else { 2 };
    let surface = ContactLaw {
        restitution: choose(random, &[0.0, 1e-9, 0.2, 0.5, 0.9, 1.0]),
        friction: choose(random, &[0.0, 0.0, 0.1, 0.3, 1.0, 10.0]),
    };
    let pull = choose(random, &[0.0, 0.1, 9.81, 9.81]);
    let tilt = if random.unit() < 0.5 { 0.0 } else { random.within(0.0, std::f64::consts::TAU) };
    let gravity = match space {
        3 => Vec3::new(0.0, 0.3 * pull * tilt.sin(), -pull),
        _ => Vec3::new(pull * tilt.sin(), -pull * tilt.cos(), 0.0),
    };
    let ratio = choose(random, &[1.0, 10.0, 1e3, 1e6]);
    let speed = choose(random, &[0.0, 0.5, 3.0, 10.0]);
    let whirl = choose(random, &[0.0, 3.0, 30.0]);
    let count = 1 + (random.unit() * 10.0) as usize;
    let kind = shape(random);
    let mut bodies = Vec::new();
    for k in 0..count {
        let base = match space {
            3 => Body::round(3, random.within(0.1, 0.44)),
            _ if random.unit() < 0.5 => kind.clone(),
            _ => shape(random),
        };
        let heavy = if random.unit() < 0.5 { ratio } else { 1.0 };
        let mut either = |size: f64| random.within(-size, size);
        let velocity = Vec3::new(either(speed), either(speed), if space == 3 { either(speed) } else { 0.0 });
        let spin = match space {
            3 => Vec3::new(either(whirl), either(whirl), either(whirl)),
            _ => Vec3::new(0.0, 0.0, either(whirl)),
        };
        let angle = either(3.0);
        let side = 4;
        bodies.push(Body {
            name: format!("body {k}"),
            position: Vec3::new(
                (k % side) as f64 + 0.5,
                (k / side) as f64 + 0.5,
                if space == 3 { random.within(0.5, 3.0) } else { 0.0 },
            ),
            velocity,
            spin,
            angle: if space == 3 { 0.0 } else { angle },
            mass: heavy * base.mass,
            inertia: heavy * base.inertia,
            surface,
            ..base
        });
    }
    let mut walls = room(ROOM, ROOM);
    if space == 3 {
        walls.push(plane([0.0, 0.0, 1.0], 0.0));
        walls.push(plane([0.0, 0.0, -1.0], -ROOM));
    } else if random.unit() < 0.3 {
        // A corner is cut off.
        let (sin, cos) = random.within(0.3, 1.2).sin_cos();
        walls.push(plane([cos, sin, 0.0], -0.05 * (sin + cos)));
        let bar = WallForm::Segment([[0.7, 3.6], [2.0, 3.7]].map(Vec2::from));
        walls.push(Wall { form: bar, ..plane([0.0, 1.0, 0.0], 0.0) });
    }
    walls.iter_mut().for_each(|w| w.surface = surface);
    let world = World { dimension: space, gravity, bodies, walls };
    let step = choose(random, &[0.01, 0.1, 0.3, 1.0, 10.0]);
    let usual = contact_time(&world);
    let contact_time = match choose(random, &[0, 0, 1, 2, 3]) {
        0 => usual,
        1 => 0.1 * usual,
        2 => 10.0 * usual,
        _ => 0.1,
    };
    (world, CollisionOptions { start: 0.0, step, contact_time })
}

/// The sizes of the energies of a pair: what rounding is measured by.
fn scale(world: &World, impact: &BodyImpact) -> f64 {
    let pull = world.gravity.norm();
    let weight = |k: &usize| world.bodies.get(*k).map_or(0.0, |b| b.mass * pull * 2.0 * ROOM);
    impact.energy_before.abs()
        + impact.energy_after.abs()
        + impact.contact.pair.iter().map(weight).sum::<f64>()
}

/// What is wrong with a pile until it has made so many impacts or a time has passed, if anything.
fn fault(seed: u64, most: u64, end: f64) -> Option<String> {
    let (world, options) = pile(seed);
    let weights: f64 = {
        let pull = world.gravity.norm();
        world.bodies.iter().map(|b| b.mass * pull * ROOM).sum()
    };
    let mut run = match Collisions::new(world, options) {
        Ok(run) => run,
        Err(fault) => return Some(format!("start: {fault:?}")),
    };
    let [kinetic, potential] = run.energy();
    let whole = kinetic + potential.abs() + weights;
    let mut last = kinetic + potential;
    let first = last;
    while run.time() < end && run.impacts() < most {
        if let Err(stop) = run.advance(most) {
            return Some(format!("stopped: {stop}"));
        }
        for impact in run.happened() {
            let gain = impact.energy_after - impact.energy_before;
            if !(gain <= 1e-13 * scale(run.world(), impact)) {
                return Some(format!("gain {gain:e} of {:e} at {impact:?}", scale(run.world(), impact)));
            }
        }
        let gap = run.least_gap();
        if !(gap >= -1e-11) {
            return Some(format!("gap {gap} at {}", run.time()));
        }
        let now: f64 = run.energy().iter().sum();
        if !(now <= last + 1e-12 * whole && (now + run.lost() - first).abs() <= 1e-12 * whole) {
            return Some(format!("energy {now} after {last}, lost {}, of {whole}", run.lost()));
        }
        last = now;
    }
    None
}

#[test]
fn impacts_of_random_piles_never_add_energy_and_runs_finish() {
    let first = asked("STATIONARY_FIRST_PILE", 0);
    let count = asked("STATIONARY_PILES", 300);
    let most = asked("STATIONARY_PILE_IMPACTS", 1500);
    let end = asked("STATIONARY_PILE_END", 4) as f64;
    let mut faults = Vec::new();
    for seed in first..first + count {
        if let Some(fault) = fault(seed, most, end) {
            faults.push(format!("pile {seed}: {fault}"));
        }
    }
    assert!(faults.is_empty(), "{} piles:\n{}", faults.len(), faults.join("\n"));
}
