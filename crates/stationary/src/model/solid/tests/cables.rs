//! Cables: bars that only pull.

use super::*;

const POINTS: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.5, 0.2], [2.0, -0.3, 0.9], [2.5, 0.4, 0.1]];
const NODES: [u32; 6] = [0, 1, 1, 2, 3, 2];

fn bars() -> Bars {
    Bars::elastic(&POINTS, &NODES, 0, 2.0, 0.5).unwrap()
}

/// Everything that can be asked of an element at a place.
fn asked(bars: &Bars, k: usize, x: &[f64]) -> Vec<f64> {
    let (mut gradient, mut tangent) = ([0.0; 6], [0.0; 36]);
    let energy = bars.gradient(k, 0.0, x, &mut gradient).unwrap();
    bars.tangent(k, 0.0, x, &mut tangent).unwrap();
    let mut all = vec![energy, bars.energy(k, 0.0, x).unwrap(), bars.stress(k, x).unwrap()[0][0]];
    all.extend(gradient.iter().chain(&tangent));
    all.extend([bars.mass(k), bars.wave_speed(k), bars.step_eigen(k, x, &[0.3, 0.7]).unwrap()]);
    all
}

#[test]
fn taut_cable_is_a_bar_to_the_bit_and_a_slack_one_is_not_there() {
    let (bars, cables) = (bars(), bars().cables());
    let scaled = |s: f64| POINTS.as_flattened().iter().map(|x| s * x).collect::<Vec<_>>();
    for k in 0..3 {
        for s in [1.0 + 1e-9, 1.3, 4.0] {
            assert_eq!(asked(&bars, k, &scaled(s)), asked(&cables, k, &scaled(s)));
        }
        for s in [1.0 - 1e-9, 0.4, 0.0] {
            let slack = asked(&cables, k, &scaled(s));
            assert!(slack[..45].iter().all(|x| *x == 0.0), "{s}: {slack:?}");
            // Steps are those of the cable when it becomes taut: of the axial stiffness, which does not depend on the direction.
            let step = bars.step_eigen(k, &scaled(1.0), &[0.3, 0.7]).unwrap();
            assert!((slack[47] / step - 1.0).abs() < 1e-13 && step.is_finite(), "{s}: {} {step}", slack[47]);
        }
    }
    // As bars they would push.
    assert!(asked(&bars, 0, &scaled(0.4))[0] > 0.1);
}

#[test]
fn cable_energy_has_a_continuous_gradient_at_the_natural_length() {
    let cables = bars().cables();
    let force = |s: f64| {
        let mut gradient = [0.0; 6];
        let x: Vec<f64> = POINTS.as_flattened().iter().map(|x| s * x).collect();
        cables.gradient(1, 0.0, &x, &mut gradient).unwrap();
        gradient.iter().map(|g| g * g).sum::<f64>().sqrt()
    };
    assert!(force(1.0 - 1e-7) == 0.0 && force(1.0 + 1e-7) > 0.0 && force(1.0 + 1e-7) < 1e-6);
}

#[test]
fn stretched_bars_have_the_stiffness_and_the_mass_of_their_natural_length() {
    let x = POINTS.as_flattened();
    let (plain, stretched) = (bars(), bars().stretched(1.25).unwrap());
    for k in 0..3 {
        // E A (l - L) / L with l = 1.25 L.
        assert!((stretched.stress(k, x).unwrap()[0][0] - 2.0 * 0.25).abs() < 1e-15);
        assert!((stretched.mass(k) * 1.25 - plain.mass(k)).abs() < 1e-15);
        assert!((stretched.wave_speed(k) - plain.wave_speed(k)).abs() < 1e-14);
        assert!((stretched.volume(k) * 1.25 - plain.volume(k)).abs() < 1e-15);
        assert_eq!(asked(&bars().stretched(1.0).unwrap(), k, x), asked(&plain, k, x));
        assert_eq!(bars().stretched(0.8).unwrap().cables().energy(k, 0.0, x), Ok(0.0));
    }
    for stretch in [0.0, -1.0, f64::NAN] {
        assert!(bars().stretched(stretch).unwrap_err().to_string().contains("stretch"));
    }
}
