//! Energy: what a run has, less what came in, is constant to second order; and the balance of each element.

use super::bodies::*;
use stationary::integrate::avi::{Avi, AviStart, Buffer, Snapshot, harmonic};
use stationary::laws;
use stationary::model::Potentials;
use stationary::model::solid::{ElementKind, SolidProblem};
use std::sync::Arc;

fn total(s: &Snapshot) -> f64 {
    s.kinetic + s.potential - s.work
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Regime {
    Free,
    Equal,
    Harmonic,
    Changing,
    /// Free, and harmonic, with events in the middle of steps.
    Middle,
    HarmonicMiddle,
}

const REGIMES: [Regime; 6] =
    [Regime::Free, Regime::Equal, Regime::Harmonic, Regime::Changing, Regime::Middle, Regime::HarmonicMiddle];

fn run(
    make: &dyn Fn(f64) -> (Arc<SolidProblem>, AviStart),
    regime: Regime,
    fraction: f64,
) -> Avi<Arc<SolidProblem>> {
    let (problem, mut start) = make(1.0);
    // Rounded before they are made small, so that refinement keeps the ratios.
    match regime {
        Regime::Free | Regime::Changing | Regime::Middle => {}
        Regime::Equal => {
            let least = start.step.iter().copied().fold(1.0, f64::min);
            start.step.fill(least);
        }
        Regime::Harmonic | Regime::HarmonicMiddle => {
            start.step = harmonic(&problem, &start.step, Buffer::None);
        }
    }
    start.step.iter_mut().for_each(|h| *h *= fraction);
    match regime {
        Regime::Changing => changing(problem, start),
        Regime::Middle | Regime::HarmonicMiddle => Avi::with_midpoint_events(problem, start).unwrap(),
        _ => Avi::new(problem, start).unwrap(),
    }
}

/// Orders of the energy's error and of the trajectory's, over times at which nothing special happens.
fn orders(make: &dyn Fn(f64) -> (Arc<SolidProblem>, AviStart), regime: Regime) -> (f64, f64, Vec<f64>) {
    let times: Vec<f64> = (1..=8).map(|i| 0.1237 * f64::from(i)).collect();
    let trace = |fraction: f64| {
        let mut avi = run(make, regime, fraction);
        let first = total(&avi.snapshot().unwrap());
        let (mut energy, mut state) = (0.0, Vec::new());
        for t in &times {
            avi.advance(*t).unwrap();
            let s = avi.snapshot().unwrap();
            energy += (total(&s) - first).powi(2);
            state.extend(s.x);
            state.extend(s.v);
        }
        (energy.sqrt(), state)
    };
    let exact = trace(0.01).1;
    let steps = [0.4, 0.2, 0.1, 0.05];
    let (mut energies, mut errors) = (Vec::new(), Vec::new());
    for fraction in steps {
        let (energy, state) = trace(fraction);
        energies.push(energy);
        errors.push(distance(&state, &exact));
    }
    let energy = laws::order(&steps, &energies, 1e-13).unwrap();
    (energy, laws::order(&steps, &errors, 1e-13).unwrap(), energies)
}

type Make = fn(Setup) -> Setup;

#[test]
fn avi_energy_minus_work_and_trajectory_are_of_second_order() {
    let cases: [(&str, Make); 6] = [
        ("free", |s| s),
        ("gravity, roller", |s| s.gravity(&["0.1", "-1", "0"]).fix(&[1], 0, |p| p[1] < 0.1)),
        ("driven", |s| {
            s.prescribe(1, "0.1*sin(4*t)", 0, |p| p[0] < 0.15).prescribe(0, "0.2*t^2", 1, |p| p[0] < 0.15)
        }),
        ("traction in time", |s| s.traction(&["3*sin(5*t)", "2*t", "0"], |p| p[0] > 0.9)),
        ("pressure", |s| s.pressure("1+Y", |p| p[0] > 0.9)),
        ("pressure in time, roller", |s| {
            s.pressure("1+sin(4*t)", |p| p[0] > 0.9).fix(&[0], 0, |p| p[0] < 0.15)
        }),
    ];
    for (name, case) in cases {
        let make = |fraction: f64| {
            case(Setup::new(grid(ElementKind::Tri3, [4, 2, 0], [1.1, 0.9, 0.0], 1.6, 0.05))).finish(fraction)
        };
        for regime in REGIMES {
            let (energy, trajectory, errors) = orders(&make, regime);
            println!("{name}, {regime:?}: energy {energy:.2}, trajectory {trajectory:.2} {errors:?}");
            assert!((energy - 2.0).abs() < 0.3, "{name}, {regime:?}: {energy} {errors:?}");
            assert!((trajectory - 2.0).abs() < 0.2, "{name}, {regime:?}: {trajectory}");
        }
    }
}

#[test]
fn avi_energy_minus_work_of_ten_node_elements_is_of_second_order() {
    let make = |fraction: f64| everything(ElementKind::Tet10, fraction);
    let error = |fraction: f64| {
        let mut avi = run(&make, Regime::Harmonic, fraction);
        let first = total(&avi.snapshot().unwrap());
        let mut sum = 0.0;
        for n in 1..=24 {
            avi.advance(0.0137 * f64::from(n)).unwrap();
            sum += (total(&avi.snapshot().unwrap()) - first).powi(2);
        }
        sum.sqrt()
    };
    let steps = [0.4, 0.2, 0.1, 0.05];
    let errors = steps.map(error);
    let order = laws::order(&steps, &errors, 1e-13).unwrap();
    println!("tet10, everything: energy {order:.2} {errors:?}");
    assert!((order - 2.0).abs() < 0.3, "{order} {errors:?}");
}

/// (43) for every element, from positions of the events alone: the velocities are replayed.
#[test]
fn avi_local_energy_balance_is_that_of_the_paper() {
    for driven in [false, true] {
        let setup = Setup::new(small(ElementKind::Tri3)).traction(&["sin(5*t)", "0", "0"], |p| p[0] > 1.1);
        let setup = if driven { setup.prescribe(1, "0.3*sin(4*t)", 0, |p| p[0] < 0.15) } else { setup };
        let (problem, start) = setup.finish(0.4);
        let mut avi = Avi::new(problem.clone(), start.clone()).unwrap();
        avi.follow_local_energy(1e-12);
        let AviStart { mut x, mut v, mass, .. } = start.clone();
        if let Some(supports) = problem.supports() {
            supports.impose(0.0, &mut x, &mut v);
        }
        let count = problem.count();
        let (mut pending, mut last, mut sums) = (vec![f64::NAN; count], vec![0.0; count], vec![0.0; count]);
        let mut energies = vec![0.0; count];
        let mut event = |k: usize, t: f64, weight: f64, x: &[f64], follow: bool| {
            let nodes = problem.nodes(k);
            let n = 3 * nodes.len();
            let (mut gradient, mut dead, mut follower) = ([0.0; 30], [0.0; 30], [0.0; 30]);
            let mut potential = problem.gradient(k, t, x, &mut gradient[..n]).unwrap();
            let load = problem.load(k, t, x, &mut dead[..n], &mut follower[..n]);
            let own = potential;
            potential += load.potential;
            let mut inflow = weight * load.rate;
            let kinetic = |v: &[f64]| -> f64 {
                let one = |a: &u32| {
                    0.5 * mass[*a as usize] * v[3 * *a as usize..][..3].iter().map(|v| v * v).sum::<f64>()
                };
                nodes.iter().map(one).sum()
            };
            if let Some(supports) = problem.supports() {
                let mut places = x.to_vec();
                nodes.iter().for_each(|a| impose_on_node(supports, *a, t, &mut places, &mut v));
            }
            let before = kinetic(&v);
            for (m, a) in nodes.iter().enumerate() {
                for i in 0..3 {
                    let (c, kick) = (3 * *a as usize + i, gradient[3 * m + i] - dead[3 * m + i]);
                    match problem.supports().is_some_and(|s| s.is_fixed(c)) {
                        false => v[c] -= weight / mass[*a as usize] * kick,
                        true => inflow += weight * kick * v[c],
                    }
                }
            }
            if follow {
                let residual = pending[k] - potential;
                if residual.is_finite() {
                    last[k] = residual;
                    sums[k] += residual;
                }
                energies[k] = before + own;
                pending[k] = before + potential + inflow - kinetic(&v);
            }
        };
        (0..count).for_each(|k| event(k, 0.0, 0.5 * start.step[k], &x, false));
        avi.advance_watched(1.5, |f| event(f.element, f.time, f.weight, f.x, true)).unwrap();
        let local = avi.local_energy().unwrap();
        for k in 0..count {
            assert!((local.residual(k) - last[k]).abs() < 1e-13, "{k}: {} {}", local.residual(k), last[k]);
            assert!((local.accumulated(k) - sums[k]).abs() < 1e-12, "{k}");
            assert!(last[k] != 0.0 && (local.energy(k) - energies[k]).abs() < 1e-13 && energies[k] > 0.0);
        }
        let worst: Vec<f64> = local.worst().collect();
        assert_eq!(worst.len(), count);
        let below = |bound: f64| worst.iter().filter(|w| **w < bound).count() as f64 / count as f64;
        assert_eq!((local.fraction_below(0.01), local.fraction_below(1.0)), (below(0.01), below(1.0)));
        assert!(local.fraction_below(1e-9) == 0.0 && local.fraction_below(1.0) == 1.0);
    }
}

/// Residuals shrink as the square of the step in every element, next to a driven support too.
#[test]
fn avi_local_energy_residuals_are_of_second_order() {
    let worst = |fraction: f64| {
        let setup = Setup::new(small(ElementKind::Tri3)).prescribe(1, "0.3*sin(4*t)", 0, |p| p[0] < 0.15);
        let (problem, start) = setup.finish(fraction);
        let mut avi = Avi::new(problem, start).unwrap();
        avi.follow_local_energy(1e-12);
        avi.advance(1.0).unwrap();
        largest(avi.local_energy().unwrap().worst().collect::<Vec<f64>>())
    };
    let steps = [0.2, 0.1, 0.05, 0.025];
    let errors = steps.map(worst);
    let order = laws::order(&steps, &errors, 1e-13).unwrap();
    println!("residuals (43): order {order:.2} {errors:?}");
    assert!(order > 1.7, "{order} {errors:?}");
}

/// One event: its element, its number there, and where the node was.
type Visit = (usize, usize, [f64; 3]);

/// The events of a run: times and potentials by element and number, the start first, and the visits of each node.
#[derive(Clone)]
struct Events {
    times: Vec<Vec<f64>>,
    potentials: Vec<Vec<f64>>,
    visits: Vec<Vec<Visit>>,
}

impl Events {
    /// Those terms of `S = sum over segments of m |dx|^2/(2 dt) - sum_j (t^(j+1) - t^(j-1))/2 V(x^j)` in which the time of event `j` of element
    /// `k` stands. The nodes of the element begin at `start`.
    fn action(&self, nodes: &[u32], start: &AviStart, (k, j): (usize, usize)) -> f64 {
        let mut sum = 0.0;
        for a in nodes.iter().map(|a| *a as usize) {
            let visits = &self.visits[a];
            let at = visits.iter().position(|(e, i, _)| (*e, *i) == (k, j)).unwrap();
            let point = |n: usize| (self.times[visits[n].0][visits[n].1], visits[n].2);
            let origin = (start.t, std::array::from_fn(|i| start.x[3 * a + i]));
            let points = [if at > 0 { point(at - 1) } else { origin }, point(at), point(at + 1)];
            for pair in points.windows(2) {
                let square: f64 = (0..3).map(|i| (pair[1].1[i] - pair[0].1[i]).powi(2)).sum();
                sum += 0.5 * start.mass[a] * square / (pair[1].0 - pair[0].0);
            }
        }
        let t = &self.times[k];
        (j - 1..=j + 1).for_each(|i| sum -= 0.5 * (t[i + 1] - t[i - 1]) * self.potentials[k][i]);
        sum
    }
}

/// Where steps change, the residual of an element is minus the derivative of the discrete action in the time of the event, the positions
/// held fixed. Cause: the balance (43) was used, which belongs to the weights `t^(j+1) - t^j`.
#[test]
fn avi_local_energy_balance_with_varying_steps_is_the_derivative_of_the_action() {
    let (problem, start) = Setup::new(small(ElementKind::Tri3)).finish(0.4);
    let count = problem.count();
    let energy = |k: usize, t: f64, x: &[f64]| {
        problem.gradient(k, t, x, &mut vec![0.0; 3 * problem.nodes(k).len()]).unwrap()
    };
    let mut avi = changing(problem.clone(), start.clone());
    avi.follow_local_energy(1e-12);
    let mut events = Events {
        times: vec![vec![start.t]; count],
        potentials: (0..count).map(|k| vec![energy(k, start.t, &start.x)]).collect(),
        visits: vec![Vec::new(); start.mass.len()],
    };
    avi.advance_watched(1.0, |fired| {
        let k = fired.element;
        for a in problem.nodes(k) {
            let place = std::array::from_fn(|i| fired.x[3 * *a as usize + i]);
            events.visits[*a as usize].push((k, events.times[k].len(), place));
        }
        events.times[k].push(fired.time);
        events.potentials[k].push(energy(k, fired.time, fired.x));
    })
    .unwrap();
    let local = avi.local_energy().unwrap();
    let mut worth = 0;
    for k in 0..count {
        // The last residual known is that of the event before the last. The time after the last is a constant in the weights.
        let last = events.times[k].len() - 1;
        let step = events.times[k][last] - events.times[k][last - 1];
        let moved = |by: f64| {
            let mut events = events.clone();
            let after = events.times[k][last] + step;
            events.times[k].push(after);
            events.times[k][last - 1] += by;
            events.action(problem.nodes(k), &start, (k, last - 1))
        };
        let slope = |h: f64| (moved(h) - moved(-h)) / (2.0 * h);
        // Richardson's extrapolation, with steps far below the shortest segment that ends there.
        let at = events.times[k][last - 1];
        let others = problem.nodes(k).iter().flat_map(|a| &events.visits[*a as usize]);
        let segments =
            others.map(|(e, i, _)| (events.times[*e][*i] - at).abs()).filter(|length| *length > 0.0);
        let h = 1e-3 * segments.fold(step, f64::min);
        let derivative = (4.0 * slope(h) - slope(2.0 * h)) / 3.0;
        let (residual, scale) = (local.residual(k), local.energy(k));
        assert!(
            (residual + derivative).abs() < 1e-6 * scale,
            "{k}: {residual:e} {derivative:e} of {scale:e}"
        );
        // The residual of (43), which is none of this action's.
        let v = &events.potentials[k];
        let other = residual + v[last - 1] - 0.5 * (v[last - 2] + v[last]);
        worth += usize::from((other + derivative).abs() > 1e-5 * scale);
    }
    assert!(2 * worth > count, "only {worth} of {count} tell the balances apart");
}
