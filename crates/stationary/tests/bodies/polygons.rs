//! Gaps of polygons: corners, edges, notches, several at once.

use super::{Random, plane, polygon, room, run, star};
use stationary::integrate::collide::{Body, BodyState, Collisions, Wall, WallForm, World};
use stationary::linalg::{Vec2, Vec3};

fn square(side: f64) -> Body {
    let a = 0.5 * side;
    polygon(&[[-a, -a], [a, -a], [a, a], [-a, a]])
}

fn total(run: &Collisions) -> f64 {
    run.energy().iter().sum()
}

#[test]
fn stars_and_discs_in_a_room_keep_energy_and_never_overlap() {
    let mut random = Random(9);
    let mut bodies = Vec::new();
    for k in 0..25 {
        let shape =
            [star(5, 0.2, 0.45), Body::round(2, 0.3), square(0.6), star(3, 0.15, 0.45)][k % 4].clone();
        bodies.push(Body {
            position: Vec3::new((k % 5) as f64 + 0.5, (k / 5) as f64 + 0.5, 0.0),
            velocity: Vec3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 0.0),
            spin: Vec3::new(0.0, 0.0, random.within(-4.0, 4.0)),
            angle: random.within(0.0, 6.0),
            ..shape
        });
    }
    let mut walls = room(5.0, 5.0);
    // A bar in the air, solid from both sides.
    let bar = WallForm::Segment([[2.0, 0.999], [3.0, 1.0]].map(Vec2::from));
    walls.push(Wall { form: bar, ..plane([0.0, 1.0, 0.0], 0.0) });
    let mut room = run(World { dimension: 2, gravity: Vec3::new(0.0, -0.5, 0.0), bodies, walls }, 0.05);
    let energy = total(&room);
    for _ in 0..400 {
        room.advance(u64::MAX).unwrap();
        let gap = room.least_gap();
        assert!(gap >= -1e-12, "{gap} at {}", room.time());
    }
    assert!(room.impacts() > 2_000, "{}", room.impacts());
    let error = (total(&room) - energy).abs() / energy.abs();
    assert!(error < 1e-12, "{error}");
}

/// Falls onto the floor; returns the state after the first instant of impact.
fn dropped(body: Body, height: f64) -> (BodyState, Vec<f64>) {
    let body = Body { position: Vec3::new(0.0, height, 0.0), velocity: Vec3::new(0.0, -1.0, 0.0), ..body };
    let floor = plane([0.0, 1.0, 0.0], 0.0);
    let mut fall =
        run(World { dimension: 2, gravity: Vec3::ZERO, bodies: vec![body], walls: vec![floor] }, 5.0);
    fall.advance(u64::MAX).unwrap();
    (fall.state(0), fall.happened().iter().map(|i| i.impulse).collect())
}

#[test]
fn a_flat_face_bounces_as_a_whole_and_a_corner_as_its_lever_says() {
    let (state, impulses) = dropped(square(1.0), 2.0);
    assert_eq!(impulses.len(), 1, "both corners at once");
    assert!((state.velocity[1] - 1.0).abs() < 1e-15 && state.spin[2].abs() < 1e-15);
    // A square of mass one on one corner, turned a little: effective mass 1/(1 + d^2/I).
    let turned = Body { angle: 0.1, ..square(1.0) };
    let (state, impulses) = dropped(turned, 2.0);
    let (d, inertia) = (0.5_f64 * (0.1_f64.cos() - 0.1_f64.sin()), 1.0 / 6.0);
    let expected = 2.0 / (1.0 + d * d / inertia);
    assert!((impulses[0] - expected).abs() < 1e-12, "{} {expected}", impulses[0]);
    let energy = 0.5 * state.velocity[1].powi(2) + 0.5 * inertia * state.spin[2].powi(2);
    assert!((energy - 0.5).abs() < 1e-14);
}

#[test]
fn corner_on_corner_bounces_straight_back() {
    // Two squares on their corners, aimed at each other exactly: the closest-point projection is the line of flight.
    let diamond = |x: f64, v: f64| Body {
        position: Vec3::new(x, 0.0, 0.0),
        velocity: Vec3::new(v, 0.0, 0.0),
        angle: std::f64::consts::FRAC_PI_4,
        ..square(1.0)
    };
    let bodies = vec![diamond(-2.0, 1.0), diamond(2.0, -1.0)];
    let mut pair = run(World { dimension: 2, gravity: Vec3::ZERO, bodies, walls: vec![] }, 3.0);
    pair.advance(u64::MAX).unwrap();
    for (k, v) in [(0, -1.0), (1, 1.0)] {
        let state = pair.state(k);
        assert!((state.velocity[0] - v).abs() < 1e-9 && state.velocity[1].abs() < 1e-9, "{state:?}");
        assert!(state.spin[2].abs() < 1e-9);
    }
    let energy = total(&pair);
    assert!((energy - 1.0).abs() < 1e-14, "{energy}");
}

#[test]
fn a_tip_in_a_notch_pushes_both_flanks_at_once() {
    // The notch of a star that does not move meets a disc in the middle: the disc returns the way it came.
    let heavy = Body { mass: 1e12, inertia: 1e12, ..star(4, 0.5, 2.0) };
    let quarter = std::f64::consts::FRAC_PI_4;
    let ball = Body {
        position: Vec3::new(3.0 * quarter.cos(), 3.0 * quarter.sin(), 0.0),
        velocity: Vec3::new(-quarter.cos(), -quarter.sin(), 0.0),
        ..Body::round(2, 0.2)
    };
    let world = World { dimension: 2, gravity: Vec3::ZERO, bodies: vec![heavy, ball], walls: vec![] };
    let mut pair = run(world, 4.0);
    pair.advance(u64::MAX).unwrap();
    let v = pair.state(1).velocity;
    assert!((v[0] - quarter.cos()).abs() < 1e-6 && (v[1] - quarter.sin()).abs() < 1e-6, "{v:?}");
}

#[test]
fn fast_thin_bodies_do_not_pass_through_each_other() {
    let rod = polygon(&[[-1.0, -0.005], [1.0, -0.005], [1.0, 0.005], [-1.0, 0.005]]);
    let upright =
        Body { position: Vec3::new(0.0, 0.1, 0.0), angle: std::f64::consts::FRAC_PI_2, ..rod.clone() };
    let needle = Body {
        position: Vec3::new(-50.0, 0.0, 0.0),
        velocity: Vec3::new(400.0, 0.0, 0.0),
        spin: Vec3::new(0.0, 0.0, 30.0),
        ..rod
    };
    let world = World { dimension: 2, gravity: Vec3::ZERO, bodies: vec![upright, needle], walls: vec![] };
    let mut pair = run(world, 1.0);
    pair.advance(1).unwrap();
    assert_eq!(pair.impacts(), 1);
    assert!(pair.state(1).position[0] < 0.0);
}
