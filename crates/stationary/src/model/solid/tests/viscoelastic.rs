//! Viscoelasticity against closed forms.

use super::super::tensor::{IDENTITY, combine, product, transpose};
use super::*;
use crate::model::Past;

/// A point that is led along a path.
struct Point {
    law: Viscoelastic,
    history: Vec<f64>,
}

impl Point {
    fn new(law: Viscoelastic) -> Self {
        let mut history = vec![0.0; law.history_size()];
        law.first_history(&mut history);
        Point { law, history }
    }

    /// The Kirchhoff stress after an increment.
    fn go(&mut self, f: &Tensor, dt: f64) -> Tensor {
        let mut after = self.history.clone();
        let update = self.law.update(f, Past { history: &self.history, dt }, Some(&mut after)).unwrap();
        self.history = after;
        product(&update.stress, &transpose(f))
    }
}

/// Isochoric stretch, in axes that turn: the logarithmic strain is diagonal with `s`, `-s`.
fn stretch(s: f64) -> Tensor {
    [[s.exp(), 0.0, 0.0], [0.0, (-s).exp(), 0.0], [0.0, 0.0, 1.0]]
}

/// The stress of the equilibrium spring there.
fn spring(mu: f64, s: f64) -> f64 {
    mu * ((2.0 * s).exp() - 1.0)
}

/// A large strain that is held, under a rotation that goes on: every branch relaxes with its own time, however the time is divided.
#[test]
fn viscoelastic_stress_relaxes_as_the_sum_of_exponentials() {
    let strain = 0.6;
    let mu = MU - 0.6;
    for parts in [1, 5, 40] {
        let mut point = Point::new(viscoelastic());
        let mut tau = point.go(&stretch(strain), 0.0);
        let first = spring(mu, strain) + 2.0 * 0.6 * strain;
        assert!((tau[0][0] - first).abs() < 1e-12, "{} {first}", tau[0][0]);
        let total = 1.5;
        for i in 1..=parts {
            let q = rotation(0.9 * f64::from(i));
            let t = total * f64::from(i) / f64::from(parts);
            tau = point.go(&product(&q, &stretch(strain)), total / f64::from(parts));
            let tau = product(&product(&transpose(&q), &tau), &q);
            let branches = 0.4 * (-t / 0.3).exp() + 0.2 * (-t / 2.0).exp();
            let expected = spring(mu, strain) + 2.0 * strain * branches;
            assert!((tau[0][0] - expected).abs() < 1e-11, "{parts} {t}: {} {expected}", tau[0][0]);
        }
        let lost = |mu: f64, time: f64| 2.0 * mu * strain * strain * (1.0 - (-2.0 * total / time).exp());
        let dissipated = lost(0.4, 0.3) + lost(0.2, 2.0);
        assert!((point.history[point.history.len() - 1] - dissipated).abs() < 1e-11);
        assert!(tau[0][0] < first);
    }
}

/// Strain that grows at a constant rate: the exact stress of a branch is `2 mu time rate (1 - exp(-t/time))`, of second order in the increment.
#[test]
fn viscoelastic_stress_at_constant_rate_is_of_second_order() {
    let (rate, end) = (0.4, 1.0);
    let error = |parts: u32| {
        let mut point = Point::new(viscoelastic());
        let mut tau = IDENTITY;
        for i in 1..=parts {
            tau = point.go(&stretch(rate * end * f64::from(i) / f64::from(parts)), end / f64::from(parts));
        }
        let branch = |mu: f64, time: f64| 2.0 * mu * time * rate * (1.0 - (-end / time).exp());
        let expected = spring(MU - 0.6, rate * end) + branch(0.4, 0.3) + branch(0.2, 2.0);
        (tau[0][0] - expected).abs()
    };
    let (coarse, fine) = (error(20), error(40));
    assert!((coarse / fine - 4.0).abs() < 0.1 && fine < 1e-4, "{coarse:e} {fine:e}");
}

/// Creep under a constant shear stress of small strain, by Newton's method at the end of each increment: the standard linear solid,
/// `strain = stress/mu (1 - mu_1/(mu + mu_1) exp(-t mu/((mu + mu_1) time)))`.
#[test]
fn viscoelastic_creep_is_that_of_the_standard_linear_solid() {
    let (mu, own, time) = (1.0, 0.5, 0.7);
    let law = Viscoelastic::new(Lame::new(2.0, mu).unwrap(), vec![MaxwellBranch { mu: own, time }]).unwrap();
    let load = 1e-6;
    let shear = |g: f64| combine([(1.0, &IDENTITY), (g, &[[0.0, 1.0, 0.0], [0.0; 3], [0.0; 3]])]);
    let error = |parts: u32| {
        let mut point = Point::new(law.clone());
        let mut strain = load / (mu + own);
        point.go(&shear(strain), 0.0);
        let dt = 2.0 / f64::from(parts);
        for _ in 0..parts {
            for _ in 0..4 {
                let past = Past { history: &point.history, dt };
                let rest = load - law.update(&shear(strain), past, None).unwrap().stress[0][1];
                let df = [[0.0, 1.0, 0.0], [0.0; 3], [0.0; 3]];
                strain += rest / law.action_after(&shear(strain), &df, past).unwrap()[0][1];
            }
            point.go(&shear(strain), dt);
        }
        let whole = mu + own;
        let expected = load / mu * (1.0 - own / whole * (-2.0 * mu / (whole * time)).exp());
        (strain - expected).abs() / expected
    };
    let (coarse, fine) = (error(20), error(40));
    assert!((coarse / fine - 4.0).abs() < 0.2 && fine < 1e-4, "{coarse:e} {fine:e}");
}

#[test]
fn viscoelastic_branches_out_of_range_are_named() {
    let refused = |branches: Vec<MaxwellBranch>| Viscoelastic::new(lame(), branches).unwrap_err().message;
    assert!(refused(vec![]).contains("0 branches"));
    assert!(refused(vec![MaxwellBranch { mu: 1.0, time: 0.0 }]).contains("relaxation time of branch 1"));
    assert!(refused(vec![MaxwellBranch { mu: -1.0, time: 1.0 }]).contains("shear modulus of branch 1"));
}
