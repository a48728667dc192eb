//! Runs with something measured along the way.

use stationary::integrate::{BuildError, Integrator, Method, Start};
use stationary::model::{Jet, Lagrangian};
use std::sync::Arc;

/// Newton's tolerance of implicit methods: momenta are kept as well as the steps are solved.
const TOLERANCE: f64 = 1e-15;

/// Starts a method from a position and a momentum.
pub fn start<L: Lagrangian + 'static>(
    lagrangian: &Arc<L>,
    method: Method,
    (q, p): (&[f64], &[f64]),
    h: f64,
) -> Result<Box<dyn Integrator>, String> {
    let start = Start { t: 0.0, q: q.to_vec(), p: p.to_vec(), h };
    method.start(lagrangian.clone(), &start, TOLERANCE).map_err(|e| match e {
        BuildError::Unsuited(message) => message,
        BuildError::Start(error) => error.to_string(),
    })
}

/// Makes steps and looks after every `stride` of them, and at the start: the times and what was seen.
pub fn observe<T>(
    integrator: &mut dyn Integrator,
    steps: u64,
    stride: u64,
    mut look: impl FnMut(&[f64], &[f64]) -> T,
) -> Result<(Vec<f64>, Vec<T>), String> {
    let (mut t, mut seen) = (Vec::new(), Vec::new());
    for k in 0..=steps / stride {
        if k > 0 {
            integrator.advance(stride).map_err(|e| e.to_string())?;
        }
        let view = integrator.view();
        t.push(view.t);
        seen.push(look(view.q, view.p));
    }
    Ok((t, seen))
}

/// The energy `p.v - L` of a separable system.
pub fn energy<L: Lagrangian>(lagrangian: &L) -> impl FnMut(&[f64], &[f64]) -> f64 {
    let n = lagrangian.dimension();
    let (mut jet, mut v) = (Jet::new(n), vec![0.0; n]);
    move |q, p| {
        if let Some(mass) = lagrangian.mass() {
            mass.velocity(p, &mut v);
        }
        lagrangian.first(0.0, q, &v, &mut jet);
        p.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>() - jet.value()
    }
}

/// Evaluations of the force in one step of an explicit method: what it costs.
pub fn evaluations(method: Method) -> u64 {
    match method {
        Method::RungeKutta4 => 4,
        Method::Verlet { order: 4 } => 5,
        _ => 1,
    }
}

/// The average kinetic energy [VTI04 (6)] of a system of unit masses up to each of some numbers of steps (ascending,
/// at least 5).
///
/// A method of order one takes the rectangle rule: its momentum `p_k` is the mass times the velocity of step `k`.
/// The others take the trapezoidal rule with Gregory's end corrections, whose error is of order four like theirs.
pub fn heat<L: Lagrangian + 'static>(
    lagrangian: &Arc<L>,
    method: Method,
    state: (&[f64], &[f64]),
    h: f64,
    steps: &[u64],
) -> Result<Vec<f64>, String> {
    let kinetic = |p: &[f64]| 0.5 * p.iter().map(|p| p * p).sum::<f64>();
    let mut integrator = start(lagrangian, method, state, h)?;
    let mut first = vec![kinetic(state.1)];
    let mut recent = [0.0; 3];
    let (mut sum, mut made) = (0.0, 0);
    let mut means = Vec::new();
    for &target in steps {
        while made < target {
            integrator.advance(1).map_err(|e| e.to_string())?;
            made += 1;
            let now = kinetic(integrator.view().p);
            sum += now;
            recent = [recent[1], recent[2], now];
            if first.len() < 3 {
                first.push(now);
            }
        }
        let ends = |k: usize| first[k] + recent[2 - k];
        let correction = match method.order() {
            1 => 0.0,
            _ => first[0] - ends(0) * 5.0 / 8.0 + ends(1) / 6.0 - ends(2) / 24.0,
        };
        means.push((sum + correction) / made as f64);
    }
    Ok(means)
}

/// The smallest and the largest of some values; NaN when one is not a number.
pub fn range(values: &[f64]) -> (f64, f64) {
    if values.iter().any(|x| x.is_nan()) {
        return (f64::NAN, f64::NAN);
    }
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| (lo.min(*x), hi.max(*x)))
}

/// The largest distance of some values from the first of them, over that first.
pub fn largest_deviation(values: &[f64]) -> f64 {
    let (lo, hi) = range(values);
    (hi - values[0]).max(values[0] - lo) / values[0].abs()
}

/// The mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use stationary::model::{Mass, Newtonian, Potential, Scalar};
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Spring;
    impl Potential<1> for Spring {
        fn masses(&self) -> [f64; 1] {
            [1.0]
        }
        fn potential<S: Scalar>(&self, _t: S, [x]: [S; 1]) -> S {
            x.squared() * 0.5
        }
    }

    struct Counted(Newtonian<Spring, 1>, AtomicU64);
    impl Lagrangian for Counted {
        fn dimension(&self) -> usize {
            1
        }
        fn first(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
            self.0.first(t, q, v, jet);
        }
        fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
            self.0.second(t, q, v, jet);
        }
        fn gradient(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.gradient(t, q, v, jet);
        }
        fn mass(&self) -> Option<&Mass> {
            self.0.mass()
        }
        fn force(&self, t: f64, q: &[f64], force: &mut [f64]) {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.force(t, q, force);
        }
    }

    #[test]
    fn study_series_cost_is_the_number_of_counted_evaluations() {
        for method in [Method::Midpoint { alpha: 0.0 }, Method::RungeKutta4, Method::Verlet { order: 4 }] {
            let system = Arc::new(Counted(Newtonian::new(Spring).unwrap(), AtomicU64::new(0)));
            let mut integrator = start(&system, method, (&[1.0], &[0.0]), 0.1).unwrap();
            let before = system.1.load(Ordering::Relaxed);
            (0..10).for_each(|_| integrator.advance(1).unwrap());
            assert_eq!(system.1.load(Ordering::Relaxed) - before, 10 * evaluations(method), "{method:?}");
        }
    }

    #[test]
    fn study_series_average_error_has_the_order_of_the_method() {
        let system = Arc::new(Newtonian::new(Spring).unwrap());
        let (q, p) = ([0.6], [0.5]);
        let exact = crate::modes::Modes::new(&[1.0], &q, &p).heat_until(3.0);
        for (method, order) in [
            (Method::Midpoint { alpha: 0.0 }, 1.0),
            (Method::RungeKutta4, 4.0),
            (Method::Verlet { order: 4 }, 4.0),
        ] {
            let error = |n: u64| {
                let mean = heat(&system, method, (&q, &p), 3.0 / n as f64, &[n]).unwrap()[0];
                (mean - exact).abs()
            };
            let slope = (error(100) / error(200)).log2();
            // On a linear problem RK4's h^4 error is one of phase: the amplitude, and the heat, gain an order.
            let gain = if method == Method::RungeKutta4 { 1.0 } else { 0.0 };
            assert!((slope - order - gain).abs() < 0.35, "{method:?}: {slope}");
        }
    }
}
