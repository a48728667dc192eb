//! The symplectic form, by Poincare's integral invariant over a loop of starts; what is not variational loses it.

use super::*;
use std::f64::consts::PI;

const POINTS: usize = 96;

/// A loop of starts, closed and smooth.
fn on_loop(k: usize, h: f64) -> BodyStart {
    let s = 2.0 * PI * k as f64 / POINTS as f64;
    let turned = Quaternion::about(Vec3::new(0.3, 1.0, -0.4), 0.3 * s.cos())
        .after(&Quaternion::about(Vec3::new(1.0, 0.2, 0.1), 0.3 * s.sin()));
    let base = super::start(h);
    BodyStart {
        orientation: turned.after(&base.orientation.unit()),
        position: base.position + 0.2 * Vec3::new(s.cos(), s.sin(), (s + 1.0).sin()),
        velocity: base.velocity + 0.2 * Vec3::new((s + 0.5).sin(), s.cos(), -s.sin()),
        angular_velocity: base.angular_velocity + 0.3 * Vec3::new(s.sin(), (s + 2.0).cos(), s.cos()),
        ..base
    }
}

/// The derivative of a periodic function from its values: exact for the trigonometric polynomial through them.
fn derivative(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let weight = |d: usize| {
        let sign = if d.is_multiple_of(2) { 0.5 } else { -0.5 };
        sign / (PI * d as f64 / n as f64).tan()
    };
    (0..n).map(|j| (0..n).filter(|k| *k != j).map(|k| weight((j + n - k) % n) * values[k]).sum()).collect()
}

/// The integral of `p dx + spin . dR R'` around the loop.
fn invariant(views: &[(Vec3, Quaternion, Vec3, Vec3)]) -> f64 {
    let rates = |value: &dyn Fn(usize) -> f64| derivative(&(0..views.len()).map(value).collect::<Vec<_>>());
    let dx: Vec<Vec<f64>> = (0..3).map(|i| rates(&|k| views[k].0[i])).collect();
    let dq: Vec<Vec<f64>> = (0..4).map(|i| rates(&|k| views[k].1.0[i])).collect();
    let mut sum = 0.0;
    for (k, (_, q, p, spin)) in views.iter().enumerate() {
        let [w, x, y, z] = q.0;
        let rate = Quaternion([dq[0][k], dq[1][k], dq[2][k], dq[3][k]]);
        let (_, half) = rate.after(&Quaternion([w, -x, -y, -z])).parts();
        sum += p.dot(Vec3::new(dx[0][k], dx[1][k], dx[2][k])) + 2.0 * spin.dot(half);
    }
    sum * 2.0 * PI / views.len() as f64
}

fn seen(view: &BodyView) -> (Vec3, Quaternion, Vec3, Vec3) {
    (view.position, view.orientation, view.momentum, view.spin)
}

#[test]
fn every_integrator_of_bodies_keeps_the_integral_invariant() {
    let h = 0.1;
    for method in methods() {
        let mut runs: Vec<BodyRun> = (0..POINTS)
            .map(|k| BodyRun::new(tumbling().with_potential(Spring), method, &on_loop(k, h)).unwrap())
            .collect();
        let views = |runs: &[BodyRun]| runs.iter().map(|r| seen(&r.view())).collect::<Vec<_>>();
        let before = invariant(&views(&runs));
        runs.iter_mut().for_each(|run| run.advance(20).unwrap());
        let change = invariant(&views(&runs)) / before - 1.0;
        println!("{method}: invariant {before:.6}, relative change {change:.1e}");
        assert!(before.abs() > 0.05 && change.abs() < 1e-12, "{method}: {before} changes by {change}");
    }
}

/// The classical Runge-Kutta method for the same body: position, quaternion, both momenta.
fn runge_kutta(body: &RigidBody, mut x: [f64; 13], t: f64, h: f64) -> [f64; 13] {
    let rate = |t: f64, x: &[f64; 13]| {
        let v = |i: usize| Vec3::new(x[i], x[i + 1], x[i + 2]);
        let q = Quaternion([x[3], x[4], x[5], x[6]]);
        let (position, p, spin, r) = (v(0), v(7), v(10), q.matrix());
        let jet = body.potential(t, position, &r);
        let w = r * body.angular_velocity(r.transpose() * spin);
        let dq = Quaternion([0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]]).after(&q);
        let mut out = [0.0; 13];
        out[..3].copy_from_slice(&(1.0 / body.mass() * p).0);
        out[3..7].copy_from_slice(&dq.0);
        out[7..10].copy_from_slice(&(-jet.position).0);
        out[10..].copy_from_slice(&torque(&r, &jet.rotation).0);
        out
    };
    let moved = |x: &[f64; 13], s: f64, k: &[f64; 13]| std::array::from_fn(|i| x[i] + s * k[i]);
    let a = rate(t, &x);
    let b = rate(t + 0.5 * h, &moved(&x, 0.5 * h, &a));
    let c = rate(t + 0.5 * h, &moved(&x, 0.5 * h, &b));
    let d = rate(t + h, &moved(&x, h, &c));
    for i in 0..13 {
        x[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
    }
    x
}

/// The test above can fail, and the equations of motion are those of the textbook: the contrast converges to the same motion.
#[test]
fn runge_kutta_loses_the_invariant_and_agrees_about_the_motion() {
    let (body, h) = (tumbling().with_potential(Spring), 0.1);
    let begin = |start: &BodyStart| {
        let run = BodyRun::new(body.clone(), BodyMethod::EulerPoincare { order: 2 }, start).unwrap();
        let (position, q, p, spin) = seen(&run.view());
        let all = [&position.0[..], &q.0, &p.0, &spin.0].concat();
        <[f64; 13]>::try_from(all).unwrap()
    };
    let split = |x: &[f64; 13]| {
        let v = |i: usize| Vec3::new(x[i], x[i + 1], x[i + 2]);
        (v(0), Quaternion([x[3], x[4], x[5], x[6]]).unit(), v(7), v(10))
    };
    let mut states: Vec<[f64; 13]> = (0..POINTS).map(|k| begin(&on_loop(k, h))).collect();
    let before = invariant(&states.iter().map(split).collect::<Vec<_>>());
    for step in 0..20 {
        for x in &mut states {
            *x = runge_kutta(&body, *x, 0.3 + h * f64::from(step), h);
        }
    }
    let change = invariant(&states.iter().map(split).collect::<Vec<_>>()) / before - 1.0;
    println!("rk4: relative change {change:.1e}");
    assert!(change.abs() > 1e-8, "{change}");

    let start = super::start(1e-3);
    let mut x = begin(&start);
    for step in 0..1000 {
        x = runge_kutta(&body, x, 0.3 + 1e-3 * f64::from(step), 1e-3);
    }
    let mut run =
        BodyRun::new(body.clone(), BodyMethod::EulerPoincare { order: 8 }, &super::start(0.05)).unwrap();
    run.advance(20).unwrap();
    let ((position, q, p, spin), view) = (split(&x), run.view());
    let error = distance(
        &[&position.0[..], &q.0, &p.0, &spin.0].concat(),
        &[&view.position.0[..], &view.orientation.0, &view.momentum.0, &view.spin.0].concat(),
    );
    assert!(error < 1e-11, "{error}");
}
