//! The laws on a free network of nonlinear springs in space, whose neighbours are many and whose steps spread over a decade.

use stationary::integrate::avi::{Avi, AviStart};
use stationary::laws;
use stationary::model::{PotentialFault, Potentials};

/// Springs with energy `s/8 (d^2 - r^2)^2`.
#[derive(Debug, Clone)]
struct Springs {
    ends: Vec<[u32; 2]>,
    stiffness: Vec<f64>,
    rest: Vec<f64>,
}

impl Potentials for Springs {
    fn count(&self) -> usize {
        self.ends.len()
    }
    fn nodes(&self, k: usize) -> &[u32] {
        &self.ends[k]
    }
    fn gradient(&self, k: usize, _: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let [a, b] = self.ends[k].map(|a| a as usize);
        let d: [f64; 3] = std::array::from_fn(|i| x[3 * b + i] - x[3 * a + i]);
        let excess = d.iter().map(|d| d * d).sum::<f64>() - self.rest[k] * self.rest[k];
        if !excess.is_finite() {
            return Err(PotentialFault { number: k, why: "its length is not a number".into() });
        }
        for i in 0..3 {
            let pull = 0.5 * self.stiffness[k] * excess * d[i];
            out[i] = -pull;
            out[3 + i] = pull;
        }
        Ok(self.stiffness[k] / 8.0 * excess * excess)
    }
}

/// A small cube of masses with springs along edges and diagonals, turning and shaken; steps as `f` times each spring's own
/// scale `sqrt(m/s)`.
fn network(f: f64) -> (Springs, AviStart) {
    let place = |i: u32| [i % 3, i / 3 % 3, i / 9].map(f64::from);
    let (mut ends, mut stiffness, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for a in 0..27 {
        for b in a + 1..27 {
            let d2: f64 = place(a).iter().zip(place(b)).map(|(p, q)| (p - q).powi(2)).sum();
            if d2 < 2.5 {
                ends.push([a, b]);
                // From soft to a hundred times stiffer.
                stiffness.push(10.0_f64.powf(f64::from((a * 7 + b * 13) % 21) / 10.0));
                rest.push(d2.sqrt());
            }
        }
    }
    let mass: Vec<f64> = (0..27).map(|a| 1.0 + 0.1 * f64::from(a % 5)).collect();
    // Deformed from the start: at rest the half kick there would be nothing, and untested.
    let x: Vec<f64> =
        (0..27).flat_map(place).enumerate().map(|(i, x)| x + 0.03 * (i as f64 * 1.9).sin()).collect();
    let v = (0..27).flat_map(|a| {
        let [x, y, _] = place(a);
        let shake = |k: f64| 0.05 * (f64::from(a) * k).sin();
        [-0.2 * y + shake(1.3) + 0.1, 0.2 * x + shake(2.1), shake(3.7)]
    });
    let step = stiffness.iter().map(|s| f / f64::sqrt(*s)).collect();
    let start = AviStart { t: 0.0, v: v.collect(), x, mass, step };
    (Springs { ends, stiffness, rest }, start)
}

fn run(f: f64) -> Avi<Springs> {
    let (springs, start) = network(f);
    Avi::new(springs, start).unwrap()
}

#[test]
fn avi_springs_give_the_same_bits_in_any_order_that_respects_neighbours() {
    let mut queue = run(0.05);
    queue.advance(20.0).unwrap();
    for seed in [1, 2, 99] {
        let mut descent = run(0.05);
        // In two calls, so that the hand-over is under test too.
        descent.advance_by_descent(7.3, seed).unwrap();
        let walk = descent.advance_by_descent(20.0, seed + 1).unwrap();
        assert_eq!(queue.positions(), descent.positions());
        assert_eq!(queue.velocities(), descent.velocities());
        assert_eq!(queue.events(), descent.events());
        assert!(walk.mean() > 0.0 && walk.mean() < 30.0, "{}", walk.mean());
    }
    // The test can fail: other steps give other bits.
    let mut other = run(0.049);
    other.advance(20.0).unwrap();
    assert_ne!(queue.positions(), other.positions());
}

#[test]
fn avi_springs_conserve_momenta_to_rounding() {
    let mut avi = run(0.1);
    let scale: f64 =
        avi.positions().iter().zip(avi.velocities()).map(|(x, v)| (x * v).abs()).sum::<f64>() * 1.2;
    let (p, l) = (avi.linear_momentum(), avi.angular_momentum());
    while avi.events().iter().sum::<u64>() < 1_000_000 {
        avi.advance(avi.time() + 5.0).unwrap();
        for i in 0..3 {
            let drift = (avi.linear_momentum()[i] - p[i]).abs().max((avi.angular_momentum()[i] - l[i]).abs());
            assert!(drift / scale < 1e-12, "{drift:e} of {scale}");
        }
    }
}

#[test]
fn avi_springs_with_equal_steps_are_explicit_newmark() {
    let (springs, mut start) = network(0.05);
    let h = 0.01;
    start.step.fill(h);
    let (mut x, mut v, mass) = (start.x.clone(), start.v.clone(), start.mass.clone());
    let mut avi = Avi::new(springs.clone(), start).unwrap();
    let force = |x: &[f64]| {
        let mut f = vec![0.0; x.len()];
        let mut out = [0.0; 6];
        for k in 0..springs.count() {
            springs.gradient(k, 0.0, x, &mut out).unwrap();
            for (n, a) in springs.nodes(k).iter().enumerate() {
                (0..3).for_each(|i| f[3 * *a as usize + i] -= out[3 * n + i]);
            }
        }
        f
    };
    let mut f = force(&x);
    for _ in 0..200 {
        (0..x.len()).for_each(|i| {
            v[i] += 0.5 * h * f[i] / mass[i / 3];
            x[i] += h * v[i];
        });
        f = force(&x);
        (0..x.len()).for_each(|i| v[i] += 0.5 * h * f[i] / mass[i / 3]);
    }
    avi.advance(200.0 * h).unwrap();
    let snapshot = avi.snapshot().unwrap();
    for i in 0..x.len() {
        assert!((snapshot.x[i] - x[i]).abs() < 1e-12 && (snapshot.v[i] - v[i]).abs() < 1e-12, "{i}");
    }
}

/// Order two in the steps, by slope, at a time at which no element has just fired.
#[test]
fn avi_springs_have_trajectory_and_energy_of_second_order() {
    let end = 2.017;
    let at_end = |f: f64| {
        let mut avi = run(f);
        avi.advance(end).unwrap();
        avi.snapshot().unwrap()
    };
    let exact = at_end(0.0005);
    let first = run(0.001).snapshot().unwrap();
    let (mut steps, mut errors, mut energies) = (Vec::new(), Vec::new(), Vec::new());
    for f in [0.032, 0.016, 0.008, 0.004] {
        let s = at_end(f);
        let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        steps.push(f);
        errors.push(distance(&s.x, &exact.x) + distance(&s.v, &exact.v));
        energies.push((s.kinetic + s.potential - first.kinetic - first.potential).abs());
    }
    let order = laws::order(&steps, &errors, 1e-13).unwrap();
    assert!((order - 2.0).abs() < 0.15, "{order} {errors:?}");
    let order = laws::order(&steps, &energies, 1e-13).unwrap();
    assert!(order > 1.7, "{order} {energies:?}");
}

#[test]
fn avi_springs_update_at_their_steps_and_a_fault_names_its_element() {
    let mut avi = run(0.05);
    avi.advance(10.0).unwrap();
    let (springs, start) = network(0.05);
    for (events, step) in avi.events().iter().zip(&start.step) {
        assert_eq!(*events, (10.0 / step + 1e-9).floor() as u64);
    }
    let total: u64 = avi.events().iter().sum();
    let most = *avi.events().iter().max().unwrap();
    let measured = most as f64 * springs.count() as f64 / total as f64;
    assert!((avi.ideal_speedup() / measured - 1.0).abs() < 0.01, "{} {measured}", avi.ideal_speedup());

    let mut broken = start;
    broken.x[0] = f64::NAN;
    let error = Avi::new(springs, broken).unwrap_err();
    assert_eq!(error.fault.to_string(), "element 0: its length is not a number");
}
