//! What makes the method worth having: a million steps without drift.

use super::systems::{self, Problem};
use super::{broken, variational};
use stationary::action::Galerkin;
use stationary::integrate::{DiscreteEulerLagrange, Integrator, Method};
use stationary::laws;

const STEPS: u64 = 1_000_000;

fn angular_momentum(x: &dyn Integrator) -> f64 {
    let view = x.view();
    view.canonical[0] * view.p[1] - view.canonical[1] * view.p[0]
}

/// Largest relative change of the angular momentum over a million steps, looked at every few steps.
fn drift(mut x: Box<dyn Integrator>) -> f64 {
    let initial = angular_momentum(x.as_ref());
    let mut worst: f64 = 0.0;
    for _ in 0..STEPS / 1000 {
        x.advance(1000).unwrap();
        let change = ((angular_momentum(x.as_ref()) - initial) / initial).abs();
        if change > worst || change.is_nan() {
            worst = change;
        }
    }
    worst
}

#[test]
fn angular_momentum_is_kept_over_a_million_steps() {
    let problem = systems::kepler();
    let h = 0.0632;
    let methods: Vec<Method> = variational().collect();
    let worst =
        |method: &Method| drift(method.start(problem.system.clone(), &problem.start(h), 1e-15).unwrap());
    let results = in_parallel(&methods, worst);
    let failures: Vec<String> = methods
        .iter()
        .zip(&results)
        .filter(|(_, worst)| worst.is_nan() || **worst >= 1e-12)
        .map(|(method, worst)| format!("{method}: {worst:e}"))
        .collect();
    if std::env::var("SHOW").is_ok() {
        methods.iter().zip(&results).for_each(|(m, w)| println!("{m}: {w:e}"));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_broken_impulse_loses_angular_momentum() {
    let problem = systems::kepler();
    let ld = broken::WrongImpulse(Galerkin::midpoint(problem.system.clone(), 0.5));
    let mut twin = DiscreteEulerLagrange::new(ld, &problem.start(0.05)).unwrap();
    twin.advance(1000).unwrap();
    assert!((angular_momentum(&twin) / 0.8 - 1.0).abs() > 1e-6);
}

/// Applies `f` to each item on the machine's cores; the order of results is that of the items.
fn in_parallel<T: Sync>(items: &[T], f: impl Fn(&T) -> f64 + Sync) -> Vec<f64> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results: Vec<_> = items.iter().map(|_| std::sync::Mutex::new(f64::NAN)).collect();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    *results[at].lock().unwrap() = f(item);
                }
            });
        }
    });
    results.into_iter().map(|r| r.into_inner().unwrap()).collect()
}

/// Energy over a million steps as means over blocks, and its range within them.
struct EnergyRecord {
    times: Vec<f64>,
    means: Vec<f64>,
    range: f64,
}

fn energy_record(problem: &Problem, method: Method, h: f64) -> EnergyRecord {
    let n = problem.q.len();
    let mut x = method.start(problem.system.clone(), &problem.start(h), 1e-15).unwrap();
    let mut jet = stationary::model::Jet::new(n);
    let mut v = vec![0.0; n];
    let mut record = EnergyRecord { times: Vec::new(), means: Vec::new(), range: 0.0 };
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    const BLOCKS: u64 = 200;
    for _ in 0..BLOCKS {
        let mut sum = 0.0;
        for _ in 0..STEPS / BLOCKS {
            x.advance(1).unwrap();
            let view = x.view();
            problem.system.mass().unwrap().velocity(view.p, &mut v);
            problem.system.first(view.t, view.q, &v, &mut jet);
            let energy = view.p.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>() - jet.value();
            least = if energy < least { energy } else { least };
            most = if energy > most { energy } else { most };
            sum += energy;
        }
        record.times.push(x.view().t);
        record.means.push(sum / (STEPS / BLOCKS) as f64);
    }
    record.range = most - least;
    record
}

#[test]
fn energy_stays_bounded_for_a_million_steps_where_rk4_drifts() {
    let cases = [(systems::pendulum(), 0.2), (systems::henon_heiles(), 0.2), (systems::kepler(), 0.05)];
    let methods = [
        Method::Midpoint { alpha: 0.5 },
        Method::Verlet { order: 2 },
        Method::Verlet { order: 4 },
        Method::Newmark { beta: 0.25, gamma: 0.5 },
        Method::Gauss { stages: 2 },
        Method::Lobatto { points: 3 },
        Method::RungeKutta4,
    ];
    let all: Vec<(usize, Method)> = (0..cases.len()).flat_map(|c| methods.map(|m| (c, m))).collect();
    // The fitted line's change over the run, in standard errors of that fit and in ranges of the energy.
    let measure = |&(case, method): &(usize, Method)| {
        let (problem, h) = &cases[case];
        let record = energy_record(problem, method, *h);
        let (slope, error) = laws::line_fit(&record.times, &record.means);
        let change = slope * record.times.last().unwrap();
        if std::env::var("SHOW").is_ok() {
            println!(
                "{} {method}: slope/error {:.2}, change/range {:.1e}, range {:.1e}",
                problem.name,
                slope / error,
                change / record.range,
                record.range
            );
        }
        if method.variational() { (change / record.range).abs() } else { -change / record.range }
    };
    for ((case, method), result) in all.iter().zip(in_parallel(&all, measure)) {
        let name = cases[*case].0.name;
        if method.variational() {
            assert!(result < 1e-3, "{name} {method}: the energy drifts by {result:e} of its range");
        } else {
            assert!(result > 0.5, "{name} {method}: no drift, {result:e}");
        }
    }
}
