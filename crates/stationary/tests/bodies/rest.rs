//! What comes to rest: infinitely many bounces, piles, slopes.

use super::{Random, plane, polygon, room, run_with};
use stationary::contact::ContactLaw;
use stationary::integrate::collide::{Body, Collisions, World};
use stationary::linalg::Vec3;

const STEP: f64 = 0.01;

fn rough(mut world: World, restitution: f64, friction: f64) -> World {
    let surface = ContactLaw { restitution, friction };
    world.bodies.iter_mut().for_each(|b| b.surface = surface);
    world.walls.iter_mut().for_each(|w| w.surface = surface);
    world
}

fn total(run: &Collisions) -> f64 {
    run.energy().iter().sum()
}

#[test]
fn a_ball_passes_the_end_of_its_bounces_and_rests() {
    for e in [0.0, 0.3, 0.9] {
        let ball = Body { position: Vec3::new(0.0, 1.5, 0.0), ..Body::round(2, 0.5) };
        let world = World {
            dimension: 2,
            gravity: Vec3::new(0.0, -10.0, 0.0),
            bodies: vec![ball],
            walls: vec![plane([0.0, 1.0, 0.0], 0.0)],
        };
        let mut fall = run_with(rough(world, e, 0.0), STEP, STEP);
        let mut last = f64::INFINITY;
        for _ in 0..2000 {
            fall.advance(u64::MAX).unwrap();
            let now = total(&fall);
            assert!(now <= last + 1e-3 * 10.0 * STEP * STEP, "{e}: {now} after {last}");
            last = now;
        }
        // Hops of the contact time rise by g T^2/8.
        let height = fall.state(0).position[1] - 0.5;
        assert!((-1e-12..10.0 * STEP * STEP / 8.0 + 1e-9).contains(&height), "{e}: {height}");
        assert!(fall.least_gap() >= -1e-12);
        assert!(fall.impacts() < 8 * 2000 + 1000, "{e}: {}", fall.impacts());
    }
}

#[test]
fn bodies_that_start_at_rest_on_the_floor_stay_there() {
    for e in [0.0, 1.0] {
        let ball = Body { position: Vec3::new(0.0, 0.5, 0.0), ..Body::round(2, 0.5) };
        let on_top = Body { position: Vec3::new(0.0, 1.5, 0.0), ..Body::round(2, 0.5) };
        let floor = plane([0.0, 1.0, 0.0], 0.0);
        let world = World {
            dimension: 2,
            gravity: Vec3::new(0.0, -10.0, 0.0),
            bodies: vec![ball, on_top],
            walls: vec![floor],
        };
        let mut rest = run_with(rough(world, e, 0.0), STEP, STEP);
        let before = total(&rest);
        for _ in 0..200 {
            rest.advance(u64::MAX).unwrap();
        }
        assert!((rest.state(1).position[1] - 1.5).abs() < 1e-3, "{e}");
        assert!((total(&rest) - before).abs() < 1e-4 * before, "{e}: {}", total(&rest) - before);
        assert!(rest.least_gap() >= -1e-12);
    }
}

#[test]
fn a_block_on_a_slope_sticks_or_slides_as_coulomb_says() {
    let block = polygon(&[[-0.5, -0.25], [0.5, -0.25], [0.5, 0.25], [-0.5, 0.25]]);
    let g = 10.0;
    for (tilt, mu) in [(0.3_f64, 0.4), (0.3, 0.2), (0.1, 0.05)] {
        // The slope is the floor, and gravity is tilted.
        let body = Body { position: Vec3::new(0.0, 0.25 + 1e-4, 0.0), ..block.clone() };
        let world = World {
            dimension: 2,
            gravity: Vec3::new(g * tilt.sin(), -g * tilt.cos(), 0.0),
            bodies: vec![body],
            walls: vec![plane([0.0, 1.0, 0.0], 0.0)],
        };
        let mut slide = run_with(rough(world, 0.0, mu), STEP, STEP);
        for _ in 0..200 {
            slide.advance(u64::MAX).unwrap();
        }
        let time = 200.0 * STEP;
        let expected = 0.5 * g * (tilt.sin() - mu * tilt.cos()).max(0.0) * time * time;
        let way = slide.state(0).position[0];
        assert!((way - expected).abs() < 0.02 * expected + 0.02, "{tilt} {mu}: {way} for {expected}");
        assert!(slide.least_gap() >= -1e-12);
        assert!(slide.impacts() < 20_000, "{}", slide.impacts());
    }
}

#[test]
fn a_pile_settles_in_reasonable_time_and_stays_admissible() {
    let mut random = Random(2);
    let mut bodies = Vec::new();
    for k in 0..24 {
        let sides = 3 + k % 4;
        let points: Vec<[f64; 2]> = (0..sides)
            .map(|i| (std::f64::consts::TAU * i as f64 / sides as f64).sin_cos())
            .map(|(s, c)| [0.4 * c, 0.4 * s])
            .collect();
        bodies.push(Body {
            position: Vec3::new((k % 4) as f64 + 0.5, (k / 4) as f64 + 0.5, 0.0),
            angle: random.within(0.0, 6.0),
            velocity: Vec3::new(random.within(-0.5, 0.5), 0.0, 0.0),
            ..polygon(&points)
        });
    }
    let world = World { dimension: 2, gravity: Vec3::new(0.0, -10.0, 0.0), bodies, walls: room(4.0, 20.0) };
    let mut pile = run_with(rough(world, 0.3, 0.4), STEP, STEP);
    let mut last = f64::INFINITY;
    for k in 0..500 {
        pile.advance(u64::MAX).unwrap();
        if k % 100 == 99 {
            let gap = pile.least_gap();
            assert!(gap >= -1e-12, "{gap}");
            let [kinetic, potential] = pile.energy();
            assert!(kinetic + potential < last * (1.0 + 1e-3));
            last = kinetic + potential;
        }
    }
    let [kinetic, _] = pile.energy();
    assert!(kinetic < 0.1, "{kinetic}");
    assert!(pile.resting() > 5 && pile.impacts() < 200_000, "{} {}", pile.resting(), pile.impacts());
}

#[test]
fn squares_stacked_exactly_on_each_other_stay_stacked() {
    let square = polygon(&[[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]);
    let bodies: Vec<Body> = (0..5)
        .map(|k| Body { position: Vec3::new(0.0, 0.5 + f64::from(k), 0.0), ..square.clone() })
        .collect();
    let floor = plane([0.0, 1.0, 0.0], 0.0);
    let world = World { dimension: 2, gravity: Vec3::new(0.0, -10.0, 0.0), bodies, walls: vec![floor] };
    let mut stack = run_with(rough(world, 0.2, 0.5), STEP, STEP);
    for _ in 0..300 {
        stack.advance(u64::MAX).unwrap();
        let gap = stack.least_gap();
        assert!(gap >= -1e-12, "{gap}");
    }
    for k in 0..5 {
        let state = stack.state(k);
        assert!(
            state.position[0].abs() < 0.02 && (state.position[1] - 0.5 - k as f64).abs() < 5e-3,
            "{state:?}"
        );
    }
}

#[test]
fn a_sleeping_body_wakes_when_it_is_hit_and_books_all_impulses() {
    // A box at rest on the floor is hit hard from the side and flies off.
    let square = polygon(&[[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]);
    let resting: Vec<Body> = (0..3)
        .map(|k| Body { position: Vec3::new(0.2 * f64::from(k), 0.5 + f64::from(k), 0.0), ..square.clone() })
        .collect();
    let bullet = Body {
        position: Vec3::new(-40.0, 1.2, 0.0),
        velocity: Vec3::new(20.0, 9.0, 0.0),
        ..Body::round(2, 0.2)
    };
    let bodies = [resting, vec![bullet]].concat();
    let mass: f64 = bodies.iter().map(|b| b.mass).sum();
    let floor = plane([0.0, 1.0, 0.0], 0.0);
    let world = World { dimension: 2, gravity: Vec3::new(0.0, -10.0, 0.0), bodies, walls: vec![floor] };
    let mut hit = run_with(rough(world, 0.3, 0.5), STEP, STEP);
    let ((first, _), energy) = (hit.momentum(), total(&hit));
    let mut most_held = 0;
    for _ in 0..400 {
        hit.advance(u64::MAX).unwrap();
        most_held = most_held.max(hit.resting());
        let ((momentum, size), walls) = (hit.momentum(), hit.impulse_of_walls());
        let given = [0.0, -10.0 * mass * hit.time()];
        for k in 0..2 {
            let residual = momentum[k] - first[k] - given[k] - walls[k];
            assert!(residual.abs() < 1e-12 * (size + given[1].abs()), "{residual}");
        }
        assert!((total(&hit) + hit.lost() - energy).abs() < 1e-12 * energy);
    }
    assert!(most_held > 0 && hit.least_gap() >= -1e-12);
    assert!(hit.state(0).position[0] > 1.0, "{:?}", hit.state(0));
}

/// A world of one body on an inclined wall that it touches at the start, without any speed into it.
fn on_a_slope(body: Body, tilt: f64, velocity: [f64; 2]) -> World {
    let normal = [tilt.sin(), tilt.cos(), 0.0];
    let along = [tilt.cos(), -tilt.sin()];
    let height = match &body.shape {
        stationary::integrate::collide::Shape::Round { radius } => *radius,
        stationary::integrate::collide::Shape::Polygon(_) => 0.25,
    };
    let speed = velocity[0];
    let body = Body {
        position: Vec3::new(height * normal[0], height * normal[1], 0.0),
        velocity: Vec3::new(speed * along[0], speed * along[1], 0.0),
        spin: Vec3::new(0.0, 0.0, velocity[1]),
        angle: -tilt,
        ..body
    };
    World {
        dimension: 2,
        gravity: Vec3::new(0.0, -10.0, 0.0),
        bodies: vec![body],
        walls: vec![plane(normal, 0.0)],
    }
}

/// How far along the slope the body is after two seconds, and by how much it ever gained energy.
fn way(world: World, restitution: f64, friction: f64, tilt: f64) -> f64 {
    let mut slide = run_with(rough(world, restitution, friction), STEP, STEP);
    let from = slide.state(0).position;
    let mut last = total(&slide);
    for _ in 0..200 {
        slide.advance(u64::MAX).unwrap();
        let now = total(&slide);
        assert!(now <= last + 1e-12, "{now} after {last}");
        last = now;
        assert!(slide.least_gap() >= -1e-12);
    }
    let to = slide.state(0).position;
    (to[0] - from[0]) * tilt.cos() - (to[1] - from[1]) * tilt.sin()
}

#[test]
fn a_body_that_touches_a_slope_at_the_start_slides_or_rolls_and_gains_no_energy() {
    let block = polygon(&[[-0.5, -0.25], [0.5, -0.25], [0.5, 0.25], [-0.5, 0.25]]);
    let disc = Body::round(2, 0.5);
    for restitution in [0.0, 0.5, 1.0] {
        for tilt in [0.1_f64, 0.3] {
            let fall = 0.5 * 10.0 * tilt.sin() * 4.0;
            for body in [&block, &disc] {
                let smooth = way(on_a_slope(body.clone(), tilt, [0.0; 2]), restitution, 0.0, tilt);
                assert!((smooth - fall).abs() < 0.02 * fall, "slides {smooth} for {fall}");
            }
            // A disc that rolls has 3/2 of its mass to move.
            let rolled = way(on_a_slope(disc.clone(), tilt, [0.0; 2]), restitution, 1.0, tilt);
            assert!((rolled - fall / 1.5).abs() < 0.03 * fall, "rolls {rolled} for {}", fall / 1.5);
            let sticks = way(on_a_slope(block.clone(), tilt, [0.0; 2]), restitution, 1.0, tilt);
            assert!(sticks.abs() < 0.01, "sticks {sticks}");
        }
    }
}

#[test]
fn a_body_that_slides_or_rolls_on_the_floor_from_the_start_goes_on_evenly() {
    let disc = Body::round(2, 0.5);
    for restitution in [0.0, 0.5, 1.0] {
        for speed in [0.02, 1.0] {
            let slides = way(on_a_slope(disc.clone(), 0.0, [speed, 0.0]), restitution, 0.0, 0.0);
            assert!((slides - 2.0 * speed).abs() < 0.02 * speed, "{restitution} {speed}: slides {slides}");
            let rolls = way(on_a_slope(disc.clone(), 0.0, [speed, -speed / 0.5]), restitution, 0.5, 0.0);
            assert!((rolls - 2.0 * speed).abs() < 0.02 * speed, "{restitution} {speed}: rolls {rolls}");
        }
    }
}
