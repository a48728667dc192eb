//! A thousand discs, and the exact run beside them.

use super::reference::HardDiscs;
use super::{Random, plane, room, run};
use stationary::integrate::collide::{Body, Collisions, World};
use stationary::linalg::Vec3;

const WIDTH: f64 = 40.0;
const RADIUS: f64 = 0.4;

/// A thousand discs on a lattice, with velocities in all directions.
fn thousand() -> (Vec<[f64; 2]>, Vec<[f64; 2]>) {
    let mut random = Random(3);
    let n = 32;
    let place = |k: usize| (k as f64 + 0.5) * WIDTH / n as f64;
    let x = (0..1000).map(|k| [place(k % n), place(k / n)]).collect();
    let v = (0..1000).map(|_| [random.within(-1.0, 1.0), random.within(-1.0, 1.0)]).collect();
    (x, v)
}

fn gas() -> Collisions {
    let (x, v) = thousand();
    let disc = |(x, v): (&[f64; 2], &[f64; 2])| Body {
        position: Vec3::new(x[0], x[1], 0.0),
        velocity: Vec3::new(v[0], v[1], 0.0),
        ..Body::round(2, RADIUS)
    };
    let bodies = x.iter().zip(&v).map(disc).collect();
    run(World { dimension: 2, gravity: Vec3::ZERO, bodies, walls: room(WIDTH, WIDTH) }, 0.1)
}

#[test]
fn a_thousand_discs_follow_the_exact_run_then_its_statistics() {
    const IMPACTS: u64 = 100_000;
    let (x, v) = thousand();
    let mut exact = HardDiscs::new(WIDTH, RADIUS, x, v);
    let mut gas = gas();
    let ([kinetic, _], (momentum, size)) = (gas.energy(), gas.momentum());
    let (mut same, mut parted) = (0_u64, false);
    let mut rate = [0.0; 2];
    while gas.impacts() < IMPACTS {
        gas.advance(IMPACTS).unwrap();
        for impact in gas.happened() {
            let expected = exact.step();
            let [i, j] = impact.contact.pair;
            if !parted {
                parted = (i.min(j), i.max(j)) != expected || (impact.time - exact.time).abs() > 1e-6;
                same += u64::from(!parted);
            }
        }
    }
    let ([after, _], (last, _)) = (gas.energy(), gas.momentum());
    assert!(((after - kinetic) / kinetic).abs() < 1e-12, "energy {}", (after - kinetic) / kinetic);
    let walls = gas.impulse_of_walls();
    let off = (0..2).map(|k| (last[k] - momentum[k] - walls[k]).abs()).fold(0.0, f64::max);
    assert!(off < 1e-12 * size, "momentum {off}");
    let gap = gas.least_gap();
    assert!(gap >= -1e-12, "overlap {gap}");
    // Rounding doubles about once an impact of a disc: forty of them, on 1,000 discs.
    assert!(same > 5_000, "only {same} impacts alike");
    rate[0] = IMPACTS as f64 / gas.time();
    rate[1] = IMPACTS as f64 / exact.time;
    assert!((rate[0] / rate[1] - 1.0).abs() < 0.02, "{rate:?}");
    // Velocities: of a plane gas in equilibrium the energies of the discs are distributed exponentially.
    let mean = kinetic / 1000.0;
    let part =
        |energies: &[f64], above: f64| energies.iter().filter(|e| **e > above * mean).count() as f64 / 1000.0;
    let ours: Vec<f64> =
        (0..1000).map(|i| gas.state(i).velocity).map(|v| 0.5 * (v[0] * v[0] + v[1] * v[1])).collect();
    let theirs: Vec<f64> = exact.v.iter().map(|v| 0.5 * (v[0] * v[0] + v[1] * v[1])).collect();
    for above in [0.5, 1.0, 2.0] {
        let (a, b, expected) = (part(&ours, above), part(&theirs, above), f64::exp(-above));
        assert!((a - expected).abs() < 0.06 && (b - expected).abs() < 0.06, "{above}: {a} {b} {expected}");
    }
}

#[test]
fn a_gas_of_discs_has_the_same_bits_however_its_run_is_cut() {
    let mut whole = gas();
    let mut cut = gas();
    for _ in 0..20 {
        whole.advance(u64::MAX).unwrap();
    }
    let mut most = 0;
    while cut.steps() < 20 {
        most += 7;
        cut.advance(most).unwrap();
        most = most.max(cut.impacts());
    }
    assert_eq!(whole.impacts(), cut.impacts());
    for i in 0..1000 {
        assert_eq!(whole.state(i), cut.state(i));
    }
}

#[test]
fn numbers_of_bodies_do_not_matter_to_a_single_pair() {
    let ball = |x: f64, v: f64, m: f64| Body {
        position: Vec3::new(x, 0.3 * x, 0.0),
        velocity: Vec3::new(v, 0.1, 0.0),
        mass: m,
        ..Body::round(2, 1.0)
    };
    let pair = [ball(-2.0, 1.0, 1.0), ball(2.0, -0.5, 3.0)];
    let end = |bodies: Vec<Body>| {
        let mut run =
            run(World { dimension: 2, gravity: Vec3::new(0.0, -1.0, 0.0), bodies, walls: vec![] }, 10.0);
        run.advance(u64::MAX).unwrap();
        assert_eq!(run.impacts(), 1);
        [run.state(0), run.state(1)]
    };
    let [a, b] = end(pair.to_vec());
    let [d, c] = end(vec![pair[1].clone(), pair[0].clone()]);
    assert_eq!((a, b), (c, d));
}

#[test]
fn a_row_of_five_passes_the_impulse_to_the_last_through_gaps_or_none() {
    for gap in [0.0, 1e-9, 0.1] {
        let ball = |k: usize| Body {
            position: Vec3::new(k as f64 * (0.2 + gap), 0.7, 0.0),
            velocity: Vec3::new(if k == 0 { 1.5 } else { 0.0 }, 0.0, 0.0),
            ..Body::round(2, 0.1)
        };
        let mut bodies: Vec<Body> = (0..5).map(ball).collect();
        bodies[0].position[0] = -1.0;
        let mut row = run(World { dimension: 2, gravity: Vec3::ZERO, bodies, walls: vec![] }, 0.7);
        for _ in 0..4 {
            row.advance(u64::MAX).unwrap();
        }
        assert_eq!(row.impacts(), 4, "{gap}");
        for k in 0..5 {
            let expected = if k == 4 { 1.5 } else { 0.0 };
            assert!((row.state(k).velocity[0] - expected).abs() < 1e-15, "{gap} {k} {:?}", row.state(k));
        }
    }
}

#[test]
fn spheres_in_a_box_in_space_keep_energy_and_never_overlap() {
    let mut random = Random(11);
    let mut bodies = Vec::new();
    for k in 0..216 {
        let place = |k: usize| (k as f64 + 0.5) * 1.0;
        bodies.push(Body {
            position: Vec3::new(place(k % 6), place(k / 6 % 6), place(k / 36)),
            velocity: Vec3::from_fn(|_| random.within(-1.0, 1.0)),
            mass: random.within(0.5, 2.0),
            ..Body::round(3, random.within(0.2, 0.4))
        });
    }
    let mut walls = room(6.0, 6.0);
    walls.push(plane([0.0, 0.0, 1.0], 0.0));
    walls.push(plane([0.0, 0.0, -1.0], -6.0));
    let mut gas = run(World { dimension: 3, gravity: Vec3::new(0.1, 0.0, -0.5), bodies, walls }, 0.1);
    let total = |g: &Collisions| g.energy().iter().sum::<f64>();
    let (before, mut size) = (total(&gas), 0.0_f64);
    for _ in 0..400 {
        gas.advance(u64::MAX).unwrap();
        let gap = gas.least_gap();
        assert!(gap >= -1e-12, "{gap}");
        size = size.max(gas.energy()[0]);
    }
    assert!(gas.impacts() > 10_000, "{}", gas.impacts());
    assert!((total(&gas) - before).abs() < 1e-12 * size);
}
