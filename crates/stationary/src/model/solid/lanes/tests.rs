use super::hencky::{Hencky, exponential};
use super::math::{exp, exp_m1, inverse_root, power};
use super::spectrum::Spectrum;
use super::tensor::{PLACE, Symmetric};
use super::*;

/// Numbers in (-1, 1), the same in every run.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[test]
fn vector_exponentials_are_accurate_to_two_units_in_the_last_place() {
    let mut seed = 4;
    let (mut worst, mut worst_m1): (f64, f64) = (0.0, 0.0);
    for i in 0..200_000 {
        let size = [1e-9, 0.3, 3.0, 700.0][i % 4];
        let x = size * random(&mut seed);
        let error = |got: f64, want: f64| (got - want).abs() / (f64::EPSILON * want.abs());
        worst = worst.max(error(exp(Num(x)).0, x.exp()));
        worst_m1 = worst_m1.max(error(exp_m1(Num(x)).0, x.exp_m1()));
    }
    assert!(worst < 1.1 && worst_m1 < 2.1, "{worst} {worst_m1}");
    let both = |x: f64| [exp(Num(x)).0, exp_m1(Num(x)).0];
    assert_eq!(both(0.0), [1.0, 0.0]);
    assert_eq!(both(f64::NEG_INFINITY), [0.0, -1.0]);
    assert_eq!(both(-800.0), [0.0, -1.0]);
    assert_eq!(both(f64::INFINITY), [f64::INFINITY; 2]);
    assert!(both(f64::NAN).iter().all(|x| x.is_nan()));
}

#[test]
fn vector_inverse_roots_are_accurate_to_two_units_in_the_last_place() {
    let mut seed = 5;
    let mut worst = [0.0_f64; 2];
    for i in 0..200_000 {
        let x = ([1e-9, 0.2, 5.0, 690.0][i % 4] * random(&mut seed)).exp();
        let got = [inverse_root::<f64, 2>(Num(x)).0, inverse_root::<f64, 3>(Num(x)).0];
        for (n, want) in [1.0 / x.sqrt(), 1.0 / x.cbrt()].into_iter().enumerate() {
            worst[n] = worst[n].max((got[n] - want).abs() / (f64::EPSILON * want));
        }
    }
    assert!(worst.iter().all(|worst| *worst < 2.1), "{worst:?}");
}

#[test]
fn vector_powers_are_those_of_the_library_to_rounding() {
    let mut seed = 8;
    for _ in 0..10_000 {
        let (x, n) = ((40.0 * random(&mut seed)).exp(), 1.1 + random(&mut seed));
        let (got, want) = (power(Num(x), n).0, x.powf(n));
        assert!((got - want).abs() <= 2.0 * f64::EPSILON * (1.0 + n * x.ln().abs()) * want, "{x} {n}");
    }
    assert_eq!((power(Num(0.0), 0.3).0, power(Num(1.0), 0.3).0), (0.0, 1.0));
}

/// All operations on masks and numbers, of every width, against single numbers.
#[test]
fn vector_comparisons_and_choices_are_those_of_single_numbers() {
    struct Check;
    impl Kernel for Check {
        type Output = Vec<u64>;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Vec<u64> {
            let special = [0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-310];
            let mut bits = Vec::new();
            for shift in 0..WIDEST {
                let other: Vec<f64> = (0..WIDEST).map(|i| special[(i + shift) % WIDEST]).collect();
                for k in (0..WIDEST).step_by(L::WIDTH) {
                    let (a, b) = (L::load(&special[k..]), L::load(&other[k..]));
                    let (less, most) = (a.below(b), a.at_most(b));
                    let whole = L::load(&[-1022.0, 1023.0, 0.0, 5.0, -7.0, 1.0, -1.0, 100.0][k..]);
                    let every = if L::every(most) { 1.0 } else { 0.0 };
                    let results = [
                        L::pick(less, a, b),
                        L::pick(most, a, b),
                        L::pick(L::both(most, L::not(less)), a, b),
                        L::pick(L::always(), a, b),
                        a.abs(),
                        a.abs().sqrt(),
                        whole.two_to(),
                        L::splat(every),
                    ];
                    for (n, result) in results.into_iter().enumerate() {
                        let mut out = [0.0; WIDEST];
                        result.store(&mut out);
                        // `every` is one answer for all lanes of a vector.
                        if n < 7 {
                            bits.extend(
                                out[..L::WIDTH]
                                    .iter()
                                    .map(|x| (n, x))
                                    .map(|(n, x)| if x.is_nan() { n as u64 } else { x.to_bits() }),
                            );
                        } else {
                            let all = (k..k + L::WIDTH).all(|i| special[i] <= other[i]);
                            assert_eq!(out[0] == 1.0, all);
                        }
                    }
                }
            }
            bits
        }
    }
    // In an order that does not depend on the width.
    let sorted = |mut bits: Vec<u64>| {
        bits.sort_unstable();
        bits
    };
    let want = sorted(Check.run::<f64>());
    for isa in Isa::available() {
        assert_eq!(sorted(isa.run(Check)), want, "{isa:?}");
    }
}

type Full = [[f64; 3]; 3];

/// An orthogonal matrix: that of a random quaternion.
fn orthogonal(seed: &mut u64) -> Full {
    let q: [f64; 4] = std::array::from_fn(|_| random(seed));
    let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [w, x, y, z] = q.map(|q| q / n);
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// The tensor with these values in the axes in the rows of `q`.
fn with_values(q: &Full, values: [f64; 3]) -> Symmetric<f64> {
    let entry = |(i, j): (usize, usize)| (0..3).map(|k| values[k] * q[k][i] * q[k][j]).sum();
    PLACE.map(entry).map(Num)
}

/// Principal values of all sorts: far apart, nearly and exactly equal, of one or two sizes.
fn principal_values(seed: &mut u64, case: usize) -> [f64; 3] {
    let close = [0.0, 1e-16, 3e-15, 1e-12, 1e-9, 1e-7, 1e-4, 0.1][case / 6 % 8];
    let value = (2.0 * random(seed)).exp();
    let [a, b] = [1.0 + close * random(seed), 1.0 + close * random(seed)];
    match case % 6 {
        0 => [value, value * a, value * b],
        1 => [value, value * a, 3.0 * value],
        2 => [0.2 * value, value, value * a],
        3 => [1.0, 1.0 + close, 1.0 - close],
        4 => [1e-6, value, value * a],
        _ => std::array::from_fn(|_| (3.0 * random(seed)).exp()),
    }
}

#[test]
fn vector_spectrum_rebuilds_the_tensor_from_orthonormal_axes() {
    let mut seed = 2;
    for case in 0..100_000 {
        let values = principal_values(&mut seed, case);
        let q = if case % 7 == 0 {
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        } else {
            orthogonal(&mut seed)
        };
        let a = with_values(&q, values);
        let spectrum = Spectrum::new(&a);
        let size = values.iter().fold(0.0_f64, |a, b| a.max(*b));
        let rebuilt = spectrum.tensor(spectrum.values);
        for i in 0..6 {
            let error = (rebuilt[i].0 - a[i].0).abs();
            assert!(error < 6e-15 * size, "{values:?}: {error:e}");
        }
        let n = spectrum.axes.map(|row| row.map(|x| x.0));
        for (i, j) in PLACE {
            let dot: f64 = (0..3).map(|k| n[i][k] * n[j][k]).sum();
            let want = if i == j { 1.0 } else { 0.0 };
            assert!((dot - want).abs() < 3e-15, "{values:?}: {:e}", dot - want);
        }
        let mut sorted = spectrum.values.map(|x| x.0);
        sorted.sort_unstable_by(f64::total_cmp);
        let mut wanted = values;
        wanted.sort_unstable_by(f64::total_cmp);
        for (got, want) in sorted.into_iter().zip(wanted) {
            let unit = if case % 7 == 0 { want } else { size };
            assert!((got - want).abs() < 6e-15 * unit, "{values:?}: {got} {want}");
        }
    }
    // All sizes, and no deviator at all.
    for size in [1e-280, 1e-100, 1.0, 1e100] {
        let spectrum = Spectrum::new(&with_values(&orthogonal(&mut seed), [size, 2.0 * size, 2.0 * size]));
        let sum: f64 = spectrum.values.iter().map(|x| x.0).sum();
        assert!((sum / size - 5.0).abs() < 1e-14 && spectrum.values.iter().all(|x| x.0 > 0.9 * size));
        let ball = [size, size, size, 0.0, 0.0, 0.0].map(Num);
        assert!(Spectrum::new(&ball).values.iter().all(|x| x.0 == size));
    }
}

#[test]
fn vector_logarithmic_strain_and_its_exponential_are_accurate_to_rounding() {
    let mut seed = 6;
    for case in 0..60_000 {
        // On both sides of the border between the short way and the long one.
        let size = [1e-12, 1e-6, 1e-3, 0.0035, 0.0045, 0.01, 0.034, 0.036, 0.3, 2.0][case % 10];
        let mut strain: [f64; 3] = std::array::from_fn(|_| size * random(&mut seed));
        if case % 3 == 0 {
            strain[1] = strain[0] * (1.0 + [0.0, 1e-15, 1e-8][case / 3 % 3]);
        }
        let q = orthogonal(&mut seed);
        let b = with_values(&q, strain.map(|e| (2.0 * e).exp()));
        let hencky = Hencky::new(&b);
        assert!(hencky.exists);
        let volume = strain[0] + strain[1] + strain[2];
        let deviator = with_values(&q, strain.map(|e| e - volume / 3.0));
        // The rounding of the entries of the tensor, over its smallest value.
        let largest = strain.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        let smallest = strain.iter().fold(f64::INFINITY, |a, b| a.min(*b));
        let unit = 4e-15 * (2.0 * (largest - smallest)).exp();
        assert!((hencky.volume.0 - volume).abs() < unit, "{strain:?}: {:e}", hencky.volume.0 - volume);
        for i in 0..6 {
            let error = (hencky.deviator[i].0 - deviator[i].0).abs();
            assert!(error < unit, "{strain:?}: {error:e}");
        }
        let back = exponential(&hencky.deviator);
        let want = with_values(&q, strain.map(|e| (e - volume / 3.0).exp()));
        for i in 0..6 {
            let error = (back[i].0 - want[i].0).abs();
            assert!(error < 2.0 * unit * (largest - volume / 3.0).exp(), "{strain:?}: {error:e}");
        }
        for left in [1.0, 0.4, 0.0] {
            let back = hencky.shortened(Num(left));
            let want =
                with_values(&q, strain.map(|e| (2.0 * (volume / 3.0 + left * (e - volume / 3.0))).exp()));
            for i in 0..6 {
                let error = (back[i].0 - want[i].0).abs();
                assert!(error < 2.0 * unit * (2.0 * largest).exp(), "{strain:?} {left}: {error:e}");
            }
        }
    }
    let unit = Hencky::new(&[1.0, 1.0, 1.0, 0.0, 0.0, 0.0].map(Num));
    assert!(unit.volume.0 == 0.0 && unit.square.0 == 0.0);
    for wrong in [-1.0, 0.0, f64::NAN] {
        assert!(!Hencky::new(&[1.0, wrong, 1.0, 0.0, 0.0, 0.0].map(Num)).exists);
    }
}
