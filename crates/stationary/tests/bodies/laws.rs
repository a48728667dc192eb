//! Laws of single impacts: energy and momenta of the pair, the symplectic form, restitution, friction.

use super::{Random, plane, polygon, room, run, star};
use stationary::contact::ContactLaw;
use stationary::integrate::collide::{Body, BodyState, Collisions, World};
use stationary::linalg::Vec3;

fn total(run: &Collisions) -> f64 {
    run.energy().iter().sum()
}

/// Two bodies thrown at each other, of any shapes, many times over.
fn throws(mut each: impl FnMut(World)) {
    let mut random = Random(5);
    let shapes = [
        Body::round(2, 0.8),
        star(5, 0.4, 1.0),
        polygon(&[[-1.0, -0.5], [1.0, -0.5], [0.7, 0.6], [-0.4, 0.9]]),
    ];
    for k in 0..60 {
        let mut body = |x: f64, shape: &Body| Body {
            position: Vec3::new(x, random.within(-0.5, 0.5), 0.0),
            velocity: Vec3::new(-x * random.within(0.2, 0.6), random.within(-0.2, 0.2), 0.0),
            angle: random.within(0.0, 6.0),
            spin: Vec3::new(0.0, 0.0, random.within(-3.0, 3.0)),
            mass: random.within(0.5, 3.0),
            inertia: random.within(0.1, 1.0),
            ..shape.clone()
        };
        let bodies = vec![body(-2.5, &shapes[k % 3]), body(2.5, &shapes[k / 3 % 3])];
        each(World { dimension: 2, gravity: Vec3::new(0.0, -0.4, 0.0), bodies, walls: vec![] });
    }
}

#[test]
fn a_pair_keeps_energy_and_both_momenta() {
    let mut impacts = 0;
    throws(|mut world| {
        world.gravity = Vec3::ZERO;
        let size: f64 = world.bodies.iter().map(|b| b.inertia * b.spin[2].abs() + 4.0 * b.mass).sum();
        let mut pair = run(world, 1.0);
        let (energy, momentum, angular) = (total(&pair), pair.momentum().0, pair.angular_momentum());
        for _ in 0..8 {
            pair.advance(u64::MAX).unwrap();
            let gap = pair.least_gap();
            assert!(gap >= -1e-12, "{gap}");
        }
        impacts += pair.impacts();
        assert!((total(&pair) - energy).abs() < 1e-14 * energy, "energy {}", total(&pair) - energy);
        for k in 0..3 {
            assert!((pair.momentum().0[k] - momentum[k]).abs() < 1e-14 * size, "momentum");
            assert!((pair.angular_momentum()[k] - angular[k]).abs() < 1e-13 * size, "angular momentum");
        }
    });
    assert!(impacts > 60, "{impacts}");
}

#[test]
fn restitution_turns_the_normal_rate_around_and_books_the_energy() {
    let mut impacts = 0;
    throws(|mut world| {
        world.bodies[0].surface.restitution = 0.6;
        let masses: Vec<[f64; 2]> = world.bodies.iter().map(|b| [b.mass, b.inertia]).collect();
        let mut pair = run(world, 10.0);
        let before = pair.energy().iter().sum::<f64>();
        pair.advance(1).unwrap();
        let Some(impact) = pair.happened().first().copied() else { return };
        impacts += 1;
        // From the states after the impact and its impulse, those before.
        let states = [pair.state(0), pair.state(1)];
        let rate = |undo: f64| {
            let of = |k: usize| {
                let sign = [1.0, -1.0][k] * undo * impact.impulse;
                let BodyState { position, velocity, spin, .. } = states[k];
                let arm = [impact.contact.point[0] - position[0], impact.contact.point[1] - position[1]];
                let n = impact.contact.normal;
                let v = [velocity[0] - sign * n[0] / masses[k][0], velocity[1] - sign * n[1] / masses[k][0]];
                let w = spin[2] - sign * (arm[0] * n[1] - arm[1] * n[0]) / masses[k][1];
                (v[0] - w * arm[1]) * n[0] + (v[1] + w * arm[0]) * n[1]
            };
            of(0) - of(1)
        };
        let (after, first) = (rate(0.0), rate(1.0));
        assert!(first < 0.0 && (after + 0.6 * first).abs() < 1e-12, "{first} {after}");
        let lost = 0.5 * impact.impulse * (first + after);
        assert!((impact.energy_after - impact.energy_before - lost).abs() < 1e-13 * before.abs().max(1.0));
        assert!((total(&pair) - before - lost).abs() < 1e-13 * before.abs().max(1.0));
        assert!(lost < 0.0 && impact.friction == 0.0);
    });
    assert!(impacts > 30, "{impacts}");
}

#[test]
fn friction_sticks_within_its_cone_slides_outside_and_never_gains() {
    let (mut stuck, mut slid) = (0, 0);
    for mu in [0.05, 0.3, 1.5] {
        for e in [0.0, 0.5, 1.0] {
            throws(|mut world| {
                for b in &mut world.bodies {
                    b.surface = ContactLaw { restitution: e, friction: mu };
                }
                let mut pair = run(world, 10.0);
                pair.advance(1).unwrap();
                let Some(impact) = pair.happened().first().copied() else { return };
                let gain = impact.energy_after - impact.energy_before;
                assert!(gain < 1e-13 * impact.energy_before.abs().max(1.0), "{gain}");
                assert!(impact.friction <= mu * impact.impulse * (1.0 + 1e-12));
                let [a, b] = [pair.state(0), pair.state(1)];
                let at = |s: &BodyState| {
                    let arm =
                        [impact.contact.point[0] - s.position[0], impact.contact.point[1] - s.position[1]];
                    [s.velocity[0] - s.spin[2] * arm[1], s.velocity[1] + s.spin[2] * arm[0]]
                };
                let (u, v) = (at(&a), at(&b));
                let slip =
                    (u[1] - v[1]) * impact.contact.normal[0] - (u[0] - v[0]) * impact.contact.normal[1];
                let full = impact.friction > mu * impact.impulse * (1.0 - 1e-9);
                assert!(full || slip.abs() < 1e-12 || gain.abs() < 1e-12, "{slip}");
                if full {
                    slid += 1
                } else {
                    stuck += 1
                };
            });
        }
    }
    assert!(stuck > 20 && slid > 20, "{stuck} {slid}");
}

#[test]
fn a_sphere_that_slips_on_the_floor_rolls_after_enough_friction() {
    let floor = plane([0.0, 0.0, 1.0], 0.0);
    let rough = ContactLaw { restitution: 1.0, friction: 10.0 };
    let ball = Body {
        position: Vec3::new(0.0, 0.0, 2.0),
        velocity: Vec3::new(3.0, 4.0, -1.0),
        surface: rough,
        ..Body::round(3, 1.0)
    };
    let mut floor = floor;
    floor.surface = rough;
    let mut one =
        run(World { dimension: 3, gravity: Vec3::ZERO, bodies: vec![ball], walls: vec![floor] }, 3.0);
    one.advance(u64::MAX).unwrap();
    let BodyState { velocity, spin, .. } = one.state(0);
    // Rolling: v = spin x up, and 5/7 of the speed is left.
    assert!((velocity[0] - 15.0 / 7.0).abs() < 1e-14 && (velocity[1] - 20.0 / 7.0).abs() < 1e-14);
    assert!((velocity[0] - spin[1]).abs() < 1e-14 && (velocity[1] + spin[0]).abs() < 1e-14);
    assert_eq!(velocity[2], 1.0);
}

/// The pair with these positions, angles and momenta.
fn placed(world: &World, z: &[f64; 12]) -> World {
    let mut world = world.clone();
    for (k, body) in world.bodies.iter_mut().enumerate() {
        let z = &z[6 * k..];
        body.position = Vec3::new(z[0], z[1], 0.0);
        body.angle = z[2];
        body.velocity = Vec3::new(z[3] / body.mass, z[4] / body.mass, 0.0);
        body.spin = Vec3::new(0.0, 0.0, z[5] / body.inertia);
    }
    world
}

/// The map of a pair over some time, from positions, angles and momenta to the same.
fn flow(world: &World, z: &[f64; 12], time: f64) -> [f64; 12] {
    let world = placed(world, z);
    let bodies = world.bodies.clone();
    let mut pair = run(world, time);
    pair.advance(u64::MAX).unwrap();
    assert_eq!(pair.impacts(), 1);
    let mut out = [0.0; 12];
    for (k, body) in bodies.iter().enumerate() {
        let s = pair.state(k);
        let values = [s.position[0], s.position[1], s.angle];
        out[6 * k..6 * k + 3].copy_from_slice(&values);
        let momenta = [s.velocity[0] * body.mass, s.velocity[1] * body.mass, s.spin[2] * body.inertia];
        out[6 * k + 3..6 * k + 6].copy_from_slice(&momenta);
    }
    out
}

#[test]
fn the_map_through_an_impact_is_symplectic() {
    let shapes = [Body::round(2, 0.8), star(4, 0.5, 1.0), polygon(&[[-1.0, -0.5], [1.0, -0.5], [0.3, 0.9]])];
    for (a, b) in [(0, 0), (0, 1), (1, 2)] {
        let (mut first, mut second) = (shapes[a].clone(), shapes[b].clone());
        (first.mass, first.inertia, second.mass, second.inertia) = (1.3, 0.4, 0.8, 0.3);
        let world = World {
            dimension: 2,
            gravity: Vec3::new(0.0, -0.3, 0.0),
            bodies: vec![first, second],
            walls: vec![],
        };
        let z = [-2.0, 0.3, 0.3, 1.3, 0.1, 0.1, 2.0, -0.2, 0.5, -0.8, 0.0, 0.05];
        // Between the first impact and the second, if there is one.
        let mut base = run(placed(&world, &z), 8.0);
        base.advance(u64::MAX).unwrap();
        let times: Vec<f64> = base.happened().iter().map(|i| i.time).collect();
        let time = 0.5 * (times[0] + times.get(1).copied().unwrap_or(times[0] + 1.0));
        // Differences of sixth order.
        let h = 1e-4;
        let column = |j: usize| -> [f64; 12] {
            let at = |by: f64| {
                let mut z = z;
                z[j] += by * h;
                flow(&world, &z, time)
            };
            let parts = [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)].map(|(by, weight)| (at(by), at(-by), weight));
            std::array::from_fn(|i| parts.iter().map(|(p, m, w)| w * (p[i] - m[i])).sum::<f64>() / (60.0 * h))
        };
        let tangent: Vec<[f64; 12]> = (0..12).map(column).collect();
        let form = |u: &[f64; 12], v: &[f64; 12]| -> f64 {
            (0..12).filter(|i| i % 6 < 3).map(|i| u[i] * v[i + 3] - u[i + 3] * v[i]).sum()
        };
        let size: f64 = tangent.iter().flatten().fold(1.0, |m: f64, x| m.max(x.abs()));
        for i in 0..12 {
            for j in 0..12 {
                let expected = match j as i32 - i as i32 {
                    3 if i % 6 < 3 => 1.0,
                    -3 if j % 6 < 3 => -1.0,
                    _ => 0.0,
                };
                let residual = (form(&tangent[i], &tangent[j]) - expected).abs() / (size * size);
                assert!(residual < 2e-10, "shapes {a} {b}: {i} {j} {residual}");
            }
        }
    }
}

#[test]
fn an_elastic_bounce_keeps_its_energy_over_very_many_impacts() {
    let ball = Body {
        position: Vec3::new(5.0, 3.0, 0.0),
        velocity: Vec3::new(0.7, 0.0, 0.0),
        ..Body::round(2, 0.25)
    };
    let world = World {
        dimension: 2,
        gravity: Vec3::new(0.0, -9.81, 0.0),
        bodies: vec![ball],
        walls: room(10.0, 10.0),
    };
    let mut bounce = run(world, 1.0);
    let energy = total(&bounce);
    let mut worst = 0.0_f64;
    while bounce.impacts() < 50_000 {
        bounce.advance(u64::MAX).unwrap();
        worst = worst.max((total(&bounce) - energy).abs() / energy);
    }
    assert!(worst < 1e-12, "{worst}");
}
