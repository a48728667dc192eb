//! What the envelope conserves: momenta to rounding, the symplectic form to the tolerance of its iteration, the energy without a trend.

use super::*;

/// Residuals of the linear and the angular momentum over their scales after 3,000 steps; at half time one node is moved by a part of the smallest
/// step times its velocity, and its velocity is changed by that part.
fn momentum_residuals(kind: ElementKind, spoilt: f64) -> [f64; 2] {
    let (problem, start) = free_body(kind, 0.6);
    let h = start.step.iter().copied().fold(f64::INFINITY, f64::min);
    let mut run = run(&problem, &start, Boundary::Envelope);
    run.advance(1500.0 * h).unwrap();
    if spoilt > 0.0 {
        let mut state = run.state();
        for i in 0..3 {
            state.x[i] += spoilt * h * state.v[i];
            state.v[i] *= 1.0 + spoilt;
        }
        assert!(run.restore(&state));
    }
    run.advance(3000.0 * h).unwrap();
    let linear = run.linear_balance();
    let angular = run.angular_balance();
    [linear.residual() / linear.scale, angular.residual() / angular.scale]
}

#[test]
fn envelope_conserves_linear_and_angular_momentum_to_rounding() {
    for kind in [ElementKind::Tri3, ElementKind::Tet4, ElementKind::Tet10] {
        let residuals = momentum_residuals(kind, 0.0);
        let spoilt = momentum_residuals(kind, 1e-9);
        println!("{kind:?}: {residuals:?}, spoilt {spoilt:?}");
        assert!(residuals.iter().all(|r| *r < 1e-13), "{kind:?} {residuals:?}");
        assert!(spoilt.iter().all(|r| *r > 1e-13), "{kind:?} the test can fail: {spoilt:?}");
    }
}

/// With supports and loads of every kind the momenta balance with external impulses.
#[test]
fn envelope_balances_momenta_with_loads_and_supports() {
    for kind in [ElementKind::Tri3, ElementKind::Tet4] {
        let (problem, mut start) = everything(kind, 0.5);
        let h = start.step.iter().copied().fold(f64::INFINITY, f64::min);
        speckled(&mut start, 0.5 * h);
        let mut run = run(&problem, &start, Boundary::Envelope);
        run.advance(0.7).unwrap();
        let linear = run.linear_balance();
        let angular = run.angular_balance();
        println!("{kind:?}: {:e} {:e}", linear.residual() / linear.scale, angular.residual() / angular.scale);
        assert!(linear.residual() < 1e-12 * linear.scale, "{kind:?}");
        assert!(angular.residual() < 1e-9 * angular.scale, "{kind:?}");
    }
}

/// The symplectic form of two variations, by central differences of four runs, after `end`; `damped` spoils the velocities at half time.
fn form(problem: &Arc<SolidProblem>, start: &AviStart, end: f64, damped: f64) -> [f64; 2] {
    const NEAR: f64 = 1e-4;
    let mut random = Random(11);
    let mut random_state = || -> Vec<f64> { (0..2 * start.x.len()).map(|_| random.next()).collect() };
    let size = 0.02;
    let variations = [random_state(), random_state()];
    let n = start.x.len();
    let run_to_end = |variation: &[f64], sign: f64| -> Vec<f64> {
        let mut first = start.clone();
        for i in (0..n).filter(|i| i % 3 != 2 || start.x[*i] != 0.0) {
            first.x[i] += sign * NEAR * size * variation[i];
            first.v[i] += sign * NEAR * variation[n + i];
        }
        let mut run = run(problem, &first, Boundary::Envelope);
        run.advance(0.5 * end).unwrap();
        if damped > 0.0 {
            let mut state = run.state();
            state.v.iter_mut().for_each(|v| *v *= 1.0 - damped);
            assert!(run.restore(&state));
        }
        run.advance(end).unwrap();
        // All nodes on their straight lines to the end: the map of the state, not what is shown.
        let state = run.state();
        let drifted = (0..n).map(|i| state.x[i] + (end - state.node_time[i / 3]) * state.v[i]);
        drifted.chain(state.v.iter().copied()).collect()
    };
    let ends = variations.each_ref().map(|variation| {
        let plus = run_to_end(variation, 1.0);
        let minus = run_to_end(variation, -1.0);
        plus.iter().zip(&minus).map(|(a, b)| (a - b) / (2.0 * NEAR)).collect::<Vec<f64>>()
    });
    let wedge = |one: &[f64], other: &[f64], scale: f64| -> f64 {
        (0..n)
            .filter(|i| i % 3 != 2 || start.x[*i] != 0.0)
            .map(|i| start.mass[i / 3] * scale * (one[i] * other[n + i] - other[i] * one[n + i]))
            .sum()
    };
    [wedge(&variations[0], &variations[1], size), wedge(&ends[0], &ends[1], 1.0)]
}

#[test]
fn envelope_preserves_the_symplectic_form() {
    for kind in [ElementKind::Tri3, ElementKind::Tet4] {
        let (problem, start) = free_body(kind, 0.6);
        let h = start.step.iter().copied().fold(f64::INFINITY, f64::min);
        // Whole slow steps, since the map begins and ends where all levels do.
        let end = 64.0 * h;
        let change = |damped: f64| {
            let [before, after] = form(&problem, &start, end, damped);
            (after / before - 1.0).abs()
        };
        println!("{kind:?}: {:e}, spoilt {:e}", change(0.0), change(1e-4));
        // The iteration is exactly symplectic for small motions, and to its tolerance for large ones.
        assert!(change(0.0) < 1e-5, "{kind:?} {:e}", change(0.0));
        assert!(change(1e-4) > 5e-5, "{kind:?} the test can fail");
    }
}

/// The trend and the spread of the energy in a hundred thousand slow steps: the mean of the last quarter over that of the first, and the largest
/// deviation from this. A run that is spoilt gains a part of its velocities every 250 steps.
fn trend_and_spread(gain: f64) -> [f64; 2] {
    let (problem, start) = free_body(ElementKind::Tri3, 0.6);
    let h = start.step.iter().copied().fold(f64::INFINITY, f64::min);
    let mut run = run(&problem, &start, Boundary::Envelope);
    let mut energies = Vec::new();
    for i in 1..=400 {
        run.advance(2.0 * h * 250.0 * f64::from(i)).unwrap();
        let now = run.snapshot().unwrap();
        energies.push(now.kinetic + now.potential);
        if gain > 0.0 {
            let mut state = run.state();
            state.v.iter_mut().for_each(|v| *v *= 1.0 + gain);
            assert!(run.restore(&state));
        }
    }
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let first = mean(&energies[..100]);
    let trend = mean(&energies[300..]) / first - 1.0;
    [trend, energies.iter().map(|e| (e / first - 1.0).abs()).fold(0.0, f64::max)]
}

#[test]
fn envelope_has_no_trend_of_the_energy_in_a_hundred_thousand_steps() {
    let [trend, spread] = trend_and_spread(0.0);
    let [spoilt, _] = trend_and_spread(2e-6);
    println!("trend {trend:e}, spread {spread:e}, trend of the spoilt run {spoilt:e}");
    assert!(trend.abs() < 1e-4 && spread < 1e-2, "trend {trend:e}, spread {spread:e}");
    assert!(spoilt > 1e-4, "the test can fail: {spoilt:e}");
}
