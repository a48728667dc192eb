//! Rubber, orthotropic matter and fluids against closed forms.

use super::super::tensor::{IDENTITY, combine, product, transpose};
use super::*;
use crate::linalg::max_abs;

fn diagonal(a: f64, b: f64, c: f64) -> Tensor {
    [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]]
}

/// An incompressible stretch: the difference of the principal stresses, `tau_1 - tau_2 = sum_p mu_p (l_1^a - l_2^a)`, whatever the bulk modulus.
#[test]
fn ogden_stress_differences_are_those_of_the_closed_form() {
    let term = |modulus, exponent| OgdenTerm { modulus, exponent };
    let terms = vec![term(0.63, 1.3), term(0.0012, 5.0), term(-0.01, -2.0)];
    for bulk in [10.0, 1e4] {
        let rubber = Ogden::new(terms.clone(), bulk).unwrap();
        for l in [0.3_f64, 1.7, 6.0] {
            let f = diagonal(l, l.powf(-0.5), l.powf(-0.5));
            let p = rubber.stress(&product(&rotation(1.1), &f)).unwrap().1;
            let p = product(&transpose(&rotation(1.1)), &p);
            let difference = p[0][0] * f[0][0] - p[1][1] * f[1][1];
            let expected: f64 =
                terms.iter().map(|t| t.modulus * (l.powf(t.exponent) - l.powf(-0.5 * t.exponent))).sum();
            assert!(
                (difference - expected).abs() < 1e-9 * expected.abs().max(1.0),
                "{difference} {expected}"
            );
        }
    }
    // One term with the exponent two is neo-Hookean in shear.
    let one = Ogden::new(vec![term(1.0, 2.0)], 1e3).unwrap();
    let sheared = [[1.0, 0.8, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert!((one.stress(&sheared).unwrap().1[0][1] - 0.8).abs() < 1e-10);
    assert!((one.energy(&sheared).unwrap() - 0.32).abs() < 1e-10);
}

/// Uniaxial stress along each axis of a turned frame: Young's modulus and both ratios of Poisson.
#[test]
fn orthotropic_matter_answers_with_its_nine_constants() {
    let constants =
        OrthotropicConstants { young: [12.0, 1.0, 0.6], poisson: [0.4, 0.35, 0.02], shear: [0.7, 0.1, 0.9] };
    let wood = Orthotropic::new(constants, [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]).unwrap();
    let third = [1.0, -1.0, 2.0].map(|x| x / 6.0_f64.sqrt());
    let first = [1.0, 1.0, 0.0].map(|x| x / 2.0_f64.sqrt());
    let axes = [first, crate::linalg::cross(&third, &first), third];
    let [e, nu, g] = [constants.young, constants.poisson, constants.shear];
    let size = 1e-7;
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        // nu_ik from nu_ki / E_k.
        let other = nu[k] / e[k] * e[i];
        let mut strain = [[0.0; 3]; 3];
        strain[i][i] = size;
        strain[j][j] = -nu[i] * size;
        strain[k][k] = -other * size;
        strain[i][j] = 0.3 * size;
        strain[j][i] = 0.3 * size;
        let turned = product(&product(&transpose(&axes), &strain), &axes);
        let p = wood.stress(&combine([(1.0, &IDENTITY), (1.0, &turned)])).unwrap().1;
        let own = product(&product(&axes, &p), &transpose(&axes));
        let mut expected = [[0.0; 3]; 3];
        expected[i][i] = e[i] * size;
        expected[i][j] = 0.6 * g[i] * size;
        expected[j][i] = expected[i][j];
        let off = combine([(1.0, &own), (-1.0, &expected)]);
        assert!(max_abs(off.as_flattened()) < 1e-5 * size * e[i], "{i}: {own:?}");
    }
    // Rotations cost nothing, but turning the matter itself does.
    let f = combine([(1.0, &IDENTITY), (1.0, &Random(3).matrix(0.1))]);
    let (w, turned) = (wood.energy(&f).unwrap(), wood.energy(&product(&rotation(0.7), &f)).unwrap());
    assert!(
        (w - turned).abs() < 1e-13 && (wood.energy(&product(&f, &rotation(0.7))).unwrap() - w).abs() > 1e-3
    );
    // No wave is faster.
    let a = wood.tangent(&IDENTITY).unwrap();
    for n in (0..40).map(|i| rotation(0.3 * f64::from(i))[0]) {
        let acoustic: Vec<f64> = (0..9)
            .map(|at| {
                let (i, k) = (at / 3, at % 3);
                (0..9).map(|jl| n[jl / 3] * n[jl % 3] * a[27 * i + 9 * (jl / 3) + 3 * k + jl % 3]).sum()
            })
            .collect();
        let trace = acoustic[0] + acoustic[4] + acoustic[8];
        let square = wood.wave_speed(1.0).powi(2);
        assert!(acoustic.iter().all(|x| *x <= square) && trace > 0.0);
    }
}

#[test]
fn fluid_pressure_is_that_of_its_law_and_shear_costs_nothing() {
    let slide = [[1.0, 3.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for gamma in [1.0, 1.4, 7.15] {
        let water = Fluid::new(2.2, gamma).unwrap();
        for j in [0.7_f64, 0.999, 1.0, 1.3] {
            let f = product(&rotation(0.4), &product(&slide, &diagonal(j, 1.0, 1.0)));
            let sigma = water.cauchy(&f).unwrap();
            let pressure = 2.2 / gamma * (j.powf(-gamma) - 1.0);
            let off = combine([(1.0, &sigma), (pressure, &IDENTITY)]);
            assert!(max_abs(off.as_flattened()) < 1e-13, "{gamma} {j}");
        }
        assert_eq!(water.energy(&IDENTITY).unwrap(), 0.0);
        assert!(water.energy(&slide).unwrap().abs() < 1e-15);
        assert!((water.wave_speed(2.0) - 1.1_f64.sqrt()).abs() < 1e-15);
        // First and second derivatives against differences.
        let f = combine([(1.0, &IDENTITY), (1.0, &Random(8).matrix(0.3))]);
        let a = water.tangent(&f).unwrap();
        let p = water.stress(&f).unwrap().1;
        for (at, (entry, h)) in p.as_flattened().iter().map(|p| (*p, 1e-5)).enumerate() {
            let go = |h: f64| {
                let mut f = f;
                f.as_flattened_mut()[at] += h;
                water.stress(&f).unwrap()
            };
            let ((w, q), (v, r)) = (go(h), go(-h));
            assert!(((w - v) / (2.0 * h) - entry).abs() < 1e-8);
            for i in 0..9 {
                let slope = (q.as_flattened()[i] - r.as_flattened()[i]) / (2.0 * h);
                assert!(
                    (slope - a[9 * i + at]).abs() < 1e-6 && (a[9 * i + at] - a[9 * at + i]).abs() < 1e-12
                );
            }
        }
    }
}

#[test]
fn constants_of_rubber_fluids_and_orthotropic_matter_out_of_range_are_named() {
    let term = |modulus, exponent| OgdenTerm { modulus, exponent };
    assert!(Ogden::new(vec![], 1.0).unwrap_err().message.contains("no terms"));
    assert!(Ogden::new(vec![term(1.0, 2.0), term(1.0, -2.0)], 1.0).unwrap_err().message.contains("term 2"));
    assert!(Ogden::new(vec![term(1.0, 2.0)], 0.0).unwrap_err().message.contains("bulk modulus is 0"));
    assert!(Fluid::new(-1.0, 7.0).unwrap_err().message.contains("bulk modulus is -1"));
    assert!(Fluid::new(1.0, 0.5).unwrap_err().message.contains("exponent of the fluid is 0.5"));
    let whole = OrthotropicConstants { young: [1.0; 3], poisson: [0.3; 3], shear: [0.4; 3] };
    let refused =
        |c: OrthotropicConstants, b: [f64; 3]| Orthotropic::new(c, [1.0, 0.0, 0.0], b).unwrap_err().message;
    let y = [0.0, 1.0, 0.0];
    assert!(refused(OrthotropicConstants { young: [1.0, 0.0, 1.0], ..whole }, y).contains("Young's moduli"));
    assert!(refused(OrthotropicConstants { poisson: [0.6; 3], ..whole }, y).contains("Poisson's ratios"));
    assert!(refused(whole, [2.0, 0.0, 0.0]).contains("axes"));
}
