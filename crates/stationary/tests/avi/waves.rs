//! Against theory: waves in a bar, and the bending of a slender beam.

use super::bodies::*;
use stationary::integrate::avi::{Avi, AviStart, harmonic};
use stationary::laws;
use stationary::model::solid::{ElementKind, MassSplit, PlaneAssumption};
use std::f64::consts::PI;

/// d'Alembert: a pulse runs through a bar of unequal elements at `c = sqrt(EA / rho A)` and keeps its shape.
///
/// Harmonic steps converge at a fixed fraction of the limit. Free steps converge when the fraction shrinks with the
/// elements, and not otherwise: neighbours kick a node at different times, which moves it by `(c dt / h)^2` of the
/// strain however small the elements. (The theorem of [VTI04 4.6] is about one mesh and steps that go to zero.)
#[test]
fn avi_pulse_in_a_bar_converges_to_dalembert() {
    let (ea, density) = (4.0, 1.0);
    let c = f64::sqrt(ea / density);
    let pulse = |s: f64| 0.01 * (-(s / 0.6).powi(2)).exp();
    let slope = |s: f64| -2.0 * s / 0.36 * pulse(s);
    let (length, from, end) = (10.0, 3.0, 1.75);
    let error = |n: usize, fraction: f64, rounded: bool| {
        // Elements from a half to one and a half of the mean length.
        let places: Vec<f64> = (0..=n)
            .map(|i| i as f64 / n as f64)
            .map(|s| length * (s - 0.5 / (4.0 * PI) * (4.0 * PI * s).sin()))
            .collect();
        let solid = chain(&places, ea, density);
        let (mut x, mut v) = (solid.points().to_vec(), vec![0.0; 3 * (n + 1)]);
        for (i, place) in places.iter().enumerate() {
            x[3 * i] += pulse(place - from);
            v[3 * i] = -c * slope(place - from);
        }
        let mut step = solid.steps_courant(fraction);
        if rounded {
            step = harmonic(&solid, &step, true);
        }
        let mass = solid.mass().to_vec();
        let mut avi = Avi::new(solid, AviStart { t: 0.0, x, v, mass, step }).unwrap();
        avi.advance(end).unwrap();
        let s = avi.snapshot().unwrap();
        let off = |i: usize| s.x[3 * i] - places[i] - pulse(places[i] - from - c * end);
        largest((0..=n).map(off)) / 0.01
    };
    let counts = [50, 100, 200, 400];
    let widths = counts.map(|n| 1.0 / n as f64);
    let rounded = counts.map(|n| error(n, 0.8, true));
    let free = counts.map(|n| error(n, 0.8 * 50.0 / n as f64, false));
    for (name, errors) in [("harmonic", rounded), ("free, finer steps", free)] {
        let order = laws::order(&widths, &errors, 1e-13).unwrap();
        println!("bar, {name}: order {order:.3}, errors {errors:?}");
        assert!((order - 2.0).abs() < 0.25, "{name}: {order} {errors:?}");
        assert!(errors[3] < 2e-3, "{name}: {errors:?}");
    }
    let fixed = [0.8, 0.4, 0.2].map(|fraction| error(400, fraction, false));
    println!("bar, free at fractions 0.8, 0.4, 0.2 of the radius: errors {fixed:?}");
    assert!(
        fixed[0] > 20.0 * rounded[3] && fixed[0] > 3.0 * fixed[1] && fixed[1] > 3.0 * fixed[2],
        "{fixed:?}"
    );
}

/// The shape of a clamped beam's mode on [0, 1] and its slope, for a root of `cos b cosh b = -1`.
fn mode(b: f64, s: f64) -> (f64, f64) {
    let r = (b.cosh() + b.cos()) / (b.sinh() + b.sin());
    let (u, bs) = (1.0, b * s);
    let shape = bs.cosh() - bs.cos() - r * (bs.sinh() - bs.sin());
    let slope = b * (bs.sinh() + bs.sin() - r * (bs.cosh() - bs.cos()));
    (u * shape, slope)
}

/// The measured frequency over that of Euler and Bernoulli.
fn bending(cells: [usize; 2], b: f64) -> f64 {
    const LENGTH: f64 = 20.0;
    let body = grid(ElementKind::Tri6, [cells[0], cells[1], 0], [LENGTH, 1.0, 0.0], 1.0, 0.0);
    let solid = body.solid(&linear(1.0, 0.3), PlaneAssumption::Stress);
    let theory = b * b * f64::sqrt(1.0 / 12.0) / (LENGTH * LENGTH);
    let tip = (0..body.points.len()).find(|a| body.points[*a] == [LENGTH, 1.0, 0.0]).unwrap();
    let v: Vec<f64> = body
        .points
        .iter()
        .flat_map(|p| {
            let (shape, slope) = mode(b, p[0] / LENGTH);
            [-1e-4 * (p[1] - 0.5) * slope / LENGTH, 1e-4 * shape, 0.0]
        })
        .collect();
    let setup = Setup::of(body, solid).fix(&[0, 1], 0, |p| p[0] == 0.0);
    let limits = setup.solid.steps_eigen(0.7, setup.solid.points(), MassSplit::Stiffness).unwrap();
    let x = setup.solid.points().to_vec();
    let (problem, start) = setup.finish(1.0);
    let step = harmonic(&problem, &limits, true);
    let mut avi = Avi::new(problem, AviStart { x, v, step, ..start }).unwrap();
    // From the middle upwards: back there after half a period.
    let (sample, mut last) = (PI / theory / 60.0, 0.0);
    for n in 1..=90 {
        avi.advance(sample * f64::from(n)).unwrap();
        let y = avi.snapshot().unwrap().x[3 * tip + 1] - 1.0;
        if n > 1 && (y < 0.0) != (last < 0.0) {
            let half = sample * (f64::from(n) - y / (y - last));
            return PI / half / theory;
        }
        last = y;
    }
    panic!("no return in one and a half half-periods");
}

/// Euler and Bernoulli's frequencies of a clamped beam, 20 to 1; rotation and shear lower them by `O((h/l)^2)`.
#[test]
fn avi_bending_frequencies_of_a_slender_beam_converge_to_theory() {
    for (b, lowered) in [(1.875_104_068_711_961, 0.002), (4.694_091_132_974_175, 0.010)] {
        let ratios = [[5, 1], [10, 1], [20, 1]].map(|cells| bending(cells, b));
        println!("beam, root {b:.3}: measured over theory {ratios:?}");
        assert!((ratios[2] - 1.0).abs() < 0.015, "{ratios:?}");
        // Refinement approaches what a beam with shear has.
        let off = ratios.map(|r| (r - (1.0 - lowered)).abs());
        assert!(off[1] < off[0] && off[2] < 0.005, "{ratios:?}");
    }
}
