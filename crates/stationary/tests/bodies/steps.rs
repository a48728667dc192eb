//! The step says where to look, and nothing else; a state put away at any moment goes on to the same bits.

use super::piles::pile;
use super::{Random, plane, room, run_with};
use stationary::archive::{Archive, Persist};
use stationary::contact::BodyImpact;
use stationary::integrate::collide::{Body, BodyState, CollisionOptions, Collisions, World, contact_time};
use stationary::linalg::Vec3;

const STEPS: [f64; 8] = [0.01, 0.5, 7.0, 100.0, 320.0, 0.3 * std::f64::consts::SQRT_2, 1.0 / 3.0, 1e6];

/// The impacts until there are so many, and the state at the last.
fn course(world: &World, contact_time: f64, step: f64, impacts: u64) -> (Vec<BodyImpact>, Vec<BodyState>) {
    let mut run = run_with(world.clone(), step, contact_time);
    let mut all = Vec::new();
    // Where fewer happen, a time ends it, which is late enough for every step.
    while run.impacts() < impacts && run.time() < 2e3 {
        run.advance(impacts).unwrap();
        all.extend_from_slice(run.happened());
    }
    let states = (0..world.bodies.len()).map(|k| run.state(k)).collect();
    (all, states)
}

fn elastic_disc() -> World {
    let disc = Body { position: Vec3::new(1.0, 1.0, 0.0), ..Body::round(2, 0.2) };
    World { dimension: 2, gravity: Vec3::new(0.0, -9.81, 0.0), bodies: vec![disc], walls: room(4.0, 4.0) }
}

#[test]
fn every_step_gives_the_same_impacts_and_states_to_the_bit() {
    let mut worlds = vec![(elastic_disc(), 2000)];
    let mut seed = 0;
    while worlds.len() < 30 {
        let (world, _) = pile(seed);
        seed += 1;
        worlds.push((world, 150));
    }
    for (number, (world, impacts)) in worlds.iter().enumerate() {
        let time = contact_time(world);
        let expected = course(world, time, STEPS[0], *impacts);
        if (expected.0.len() as u64) < *impacts {
            // What comes to rest before is looked at after different times: its impacts alone are compared.
            continue;
        }
        for step in &STEPS[1..] {
            assert_eq!(course(world, time, *step, *impacts), expected, "world {number} with step {step}");
        }
    }
}

#[test]
fn the_states_seen_at_common_times_are_the_same_for_every_step() {
    for seed in 0..12 {
        let (world, _) = pile(seed);
        let time = contact_time(&world);
        let seen = |step: f64, count: usize| {
            let mut run = run_with(world.clone(), step, time);
            for _ in 0..count {
                run.advance(u64::MAX).unwrap();
            }
            let states: Vec<BodyState> = (0..world.bodies.len()).map(|k| run.state(k)).collect();
            (run.time(), run.impacts(), run.energy(), run.lost(), states)
        };
        // Powers of two, so that the times are the same to the bit.
        let expected = seen(1.0, 1);
        for cuts in [4, 64] {
            assert_eq!(seen(1.0 / cuts as f64, cuts), expected, "pile {seed} in {cuts}");
        }
    }
}

#[test]
fn an_elastic_disc_keeps_its_energy_with_every_step() {
    for step in STEPS {
        let mut run = run_with(elastic_disc(), step, contact_time(&elastic_disc()));
        let before: f64 = run.energy().iter().sum();
        let mut steps = 0;
        while run.time() < 2000.0 && steps < 20_000 {
            run.advance(3000).unwrap();
            steps += 1;
            if run.impacts() >= 3000 {
                break;
            }
        }
        let after: f64 = run.energy().iter().sum();
        assert!((after - before).abs() < 1e-14 * before, "step {step}: {before} becomes {after}");
        assert!(run.lost().abs() < 1e-13, "step {step}: lost {}", run.lost());
        assert!(run.state(0).position[1] < 1.0 + 1e-12, "step {step}");
    }
}

#[test]
fn a_state_put_away_after_any_step_goes_on_to_the_same_bits() {
    let mut random = Random(21);
    for seed in 0..40 {
        let (world, options) = pile(seed);
        let step = 0.05 * (1.0 + random.unit());
        let options = CollisionOptions { step, ..options };
        let mut whole = Collisions::new(world.clone(), options).unwrap();
        let cut = (random.unit() * 15.0) as usize;
        for _ in 0..cut {
            whole.advance(u64::MAX).unwrap();
        }
        let mut noted = Archive::writer();
        whole.pass(&mut noted);
        let mut again = Collisions::new(world.clone(), options).unwrap();
        let mut back = Archive::reader(noted.into_bytes());
        again.pass(&mut back);
        back.finish().unwrap();
        for _ in 0..10 {
            whole.advance(u64::MAX).unwrap();
            again.advance(u64::MAX).unwrap();
            assert_eq!(whole.happened(), again.happened(), "pile {seed}");
        }
        for k in 0..world.bodies.len() {
            assert_eq!(whole.state(k), again.state(k), "pile {seed}");
        }
        assert_eq!((whole.lost(), whole.energy()), (again.lost(), again.energy()), "pile {seed}");
    }
}

#[test]
fn a_velocity_out_of_range_is_named_and_stops_the_run() {
    let fast = Body {
        name: "comet".into(),
        position: Vec3::new(1.0, 1.0, 0.0),
        velocity: Vec3::new(1e200, 3e199, 0.0),
        ..Body::round(2, 0.2)
    };
    let still = Body { name: "moon".into(), position: Vec3::new(3.0, 3.0, 0.0), ..Body::round(2, 0.2) };
    let world = World {
        dimension: 2,
        gravity: Vec3::ZERO,
        bodies: vec![still, fast],
        walls: vec![plane([1.0, 0.0, 0.0], 0.0)],
    };
    let time = contact_time(&world);
    let mut run = run_with(world, 1.0, time);
    let stop = run.advance(u64::MAX).expect_err("its energy is infinite");
    assert!(stop.to_string().contains("`comet` is not a finite number"), "{stop}");
}
