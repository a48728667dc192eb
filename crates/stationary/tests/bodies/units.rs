//! Units: what is scaled by powers of two in mass, length and time gives the same bits, and realistic units the same motion.

use super::piles::pile;
use super::run_with;
use stationary::contact::rigid::Polygon;
use stationary::integrate::collide::{Body, BodyState, Shape, Wall, WallForm, World, contact_time};
use stationary::linalg::Vec2;

/// Units of mass, length and time.
#[derive(Debug, Clone, Copy)]
struct Units {
    mass: f64,
    length: f64,
    time: f64,
}

impl Units {
    fn powers(mass: i32, length: i32, time: i32) -> Units {
        let two = |n: i32| 2.0_f64.powi(n);
        Units { mass: two(mass), length: two(length), time: two(time) }
    }

    fn scaled(&self, world: &World) -> World {
        let Units { mass, length, time } = *self;
        let speed = length / time;
        let body = |b: &Body| Body {
            shape: match &b.shape {
                Shape::Round { radius } => Shape::Round { radius: length * radius },
                Shape::Polygon(polygon) => {
                    let points: Vec<Vec2> = polygon.vertices().iter().map(|v| length * *v).collect();
                    Shape::Polygon(Polygon::new(&points).unwrap().0)
                }
            },
            mass: mass * b.mass,
            inertia: mass * length * length * b.inertia,
            position: length * b.position,
            velocity: speed * b.velocity,
            spin: b.spin / time,
            ..b.clone()
        };
        let wall = |w: &Wall| Wall {
            form: match &w.form {
                WallForm::Plane { normal, offset } => {
                    WallForm::Plane { normal: *normal, offset: length * offset }
                }
                WallForm::Segment(ends) => WallForm::Segment(ends.map(|p| length * p)),
            },
            ..w.clone()
        };
        World {
            gravity: speed / time * world.gravity,
            bodies: world.bodies.iter().map(body).collect(),
            walls: world.walls.iter().map(wall).collect(),
            ..*world
        }
    }

    fn back(&self, state: BodyState) -> BodyState {
        let Units { length, time, .. } = *self;
        BodyState {
            position: state.position / length,
            velocity: state.velocity / (length / time),
            spin: time * state.spin,
            ..state
        }
    }
}

/// Time, pair and impulse of an impact.
type Met = (f64, [usize; 2], f64);

/// The states after so many impacts, and their times, pairs and impulses, in units of one.
fn course(world: &World, units: Units, impacts: u64) -> (Vec<BodyState>, Vec<Met>) {
    let scaled = units.scaled(world);
    let contact_time = contact_time(&scaled);
    let mut run = run_with(scaled, 0.1 * units.time, contact_time);
    let momentum = units.mass * units.length / units.time;
    let mut met = Vec::new();
    for _ in 0..100 {
        run.advance(impacts).unwrap();
        met.extend(
            run.happened().iter().map(|i| (i.time / units.time, i.contact.pair, i.impulse / momentum)),
        );
        if run.impacts() >= impacts {
            break;
        }
    }
    ((0..world.bodies.len()).map(|k| units.back(run.state(k))).collect(), met)
}

/// The vertices are centred once more where a world is scaled: by the scale one too.
fn centred(world: &World) -> World {
    Units::powers(0, 0, 0).scaled(world)
}

#[test]
fn piles_scaled_by_powers_of_two_in_mass_length_and_time_give_the_same_bits() {
    // Molecules, grains and planets in SI are among them, and each unit alone.
    let scales =
        [(-83, -30, -40), (-30, -10, -3), (80, 23, 12), (40, 0, 0), (0, -37, 0), (0, 0, 21), (7, 3, -5)];
    for seed in 0..30 {
        let world = centred(&pile(seed).0);
        let expected = course(&world, Units::powers(0, 0, 0), 200);
        for (mass, length, time) in scales {
            let found = course(&world, Units::powers(mass, length, time), 200);
            assert_eq!(found, expected, "pile {seed} with 2^{mass}, 2^{length}, 2^{time}");
        }
    }
}

#[test]
fn nanometres_and_planets_in_si_move_as_units_of_one_do() {
    for seed in 0..30 {
        let world = centred(&pile(seed).0);
        // Until rounding has grown: a few impacts.
        let expected = course(&world, Units::powers(0, 0, 0), 4);
        for (mass, length, time) in [(1.7e-25, 1e-9, 1e-12), (6e24, 6.4e6, 900.0)] {
            let found = course(&world, Units { mass, length, time }, 4);
            // Impacts at one time may come in another order, and rounding decides whether a graze is one.
            let hits =
                |all: &[Met]| -> Vec<Met> { all.iter().copied().filter(|impact| impact.2 > 1e-6).collect() };
            for (one, other) in hits(&found.1).iter().zip(&hits(&expected.1)) {
                let apart = (one.0 - other.0).abs();
                assert!(apart < 1e-9 * other.0.max(0.1), "pile {seed}: {one:?} {other:?}");
            }
        }
    }
}
