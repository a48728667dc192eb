//! Laws of the integrators of rigid bodies.

use super::*;
use crate::linalg::{Mat3, Quaternion, Vec3};
use crate::model::BodyPotential;

mod contrast;

fn methods() -> Vec<BodyMethod> {
    let orders = [2, 4, 6, 8];
    let first = orders.map(|order| BodyMethod::MoserVeselov { order });
    first.into_iter().chain(orders.map(|order| BodyMethod::EulerPoincare { order })).collect()
}

/// `V = R33`: the weight of a top whose axis is its third.
struct Weight;
impl BodyPotential for Weight {
    fn at(&self, _t: f64, _x: Vec3, r: &Mat3) -> BodyJet {
        BodyJet { value: r[2][2], rotation: Mat3::diagonal(0.0, 0.0, 1.0), ..BodyJet::default() }
    }
}

/// Couples position, orientation and time: a spring from the origin to a point of the body, in a field that swells.
pub(super) struct Spring;
const POINT: Vec3 = Vec3::new(0.3, -0.2, 0.5);
impl BodyPotential for Spring {
    fn at(&self, t: f64, x: Vec3, r: &Mat3) -> BodyJet {
        let end = x + (r * POINT);
        let (stiffness, rate) = (1.0 + 0.3 * t.sin(), 0.3 * t.cos());
        let force = stiffness * end;
        BodyJet {
            value: 0.5 * stiffness * end.dot(end) + 0.4 * x[2],
            rate: 0.5 * rate * end.dot(end),
            position: force + 0.4 * Vec3::unit(2),
            rotation: Mat3(force.0.map(|f| f * POINT)),
        }
    }
}

fn start(h: f64) -> BodyStart {
    BodyStart {
        t: 0.3,
        h,
        position: Vec3::new(0.8, 0.1, -0.4),
        orientation: Quaternion([0.8, 0.3, -0.4, 0.2]),
        velocity: Vec3::new(0.1, 0.7, 0.2),
        angular_velocity: Vec3::new(0.4, -0.6, 1.1),
    }
}

fn tumbling() -> RigidBody {
    RigidBody::new(1.3, Mat3::from_rows([[1.0, 0.1, 0.05], [0.1, 1.4, -0.2], [0.05, -0.2, 1.7]])).unwrap()
}

fn heavy_top() -> RigidBody {
    RigidBody::new(1.0, Mat3::diagonal(1.0, 1.0, 0.5)).unwrap().held().with_potential(Weight)
}

/// Everything that can be wrong at the end of a run.
fn end(body: RigidBody, method: BodyMethod, steps: u64, span: f64) -> Vec<f64> {
    let mut run = BodyRun::new(body, method, &start(span / steps as f64)).unwrap();
    run.advance(steps).unwrap();
    let view = run.view();
    view.position
        .iter()
        .chain(&view.momentum)
        .chain(&view.spin)
        .copied()
        .chain(view.rotation.entries())
        .collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[test]
fn every_integrator_of_bodies_has_its_order() {
    let bodies = [("heavy top", heavy_top()), ("on a spring", tumbling().with_potential(Spring))];
    for (name, body) in bodies {
        let exact = end(body.clone(), BodyMethod::EulerPoincare { order: 8 }, 400, 4.0);
        let other = end(body.clone(), BodyMethod::MoserVeselov { order: 8 }, 400, 4.0);
        assert!(
            distance(&exact, &other) < 1e-11,
            "{name}: the references differ by {}",
            distance(&exact, &other)
        );
        for method in methods() {
            let steps = [0, 0, 200, 0, 60, 0, 40, 0, 32][method.order()];
            let [coarse, fine] =
                [steps, 2 * steps].map(|n| distance(&end(body.clone(), method, n, 4.0), &exact));
            let slope = (coarse / fine).log2();
            println!("{name} {method}: {coarse:.2e} {fine:.2e} slope {slope:.2}");
            let order = method.order() as f64;
            assert!((slope - order).abs() < 0.35, "{name} {method}: {slope} from {coarse:e} and {fine:e}");
        }
    }
}

fn worse(worst: &mut f64, error: f64) {
    if error > *worst || error.is_nan() {
        *worst = error;
    }
}

fn orthogonality(r: &Mat3) -> f64 {
    let mut worst = 0.0;
    for i in 0..3 {
        for j in 0..3 {
            let one = f64::from(u8::from(i == j));
            worse(&mut worst, (r.column(i).dot(r.column(j)) - one).abs());
        }
    }
    worst
}

/// The momentum in space of the path alone, from two orientations and the discrete Lagrangian: it knows nothing of the
/// momentum that the run carries.
fn path_momentum(turn: Turn, inertia: &Mat3, h: f64, before: &BodyView, after: &BodyView) -> Vec3 {
    let [w, x, y, z] = before.orientation.0;
    let (w, u) = Quaternion([w, -x, -y, -z]).after(&after.orientation).parts();
    // The parameter is sin or tan of half the angle; the derivative of `(2/h) g.J g`, see `solve`.
    let g = if turn == Turn::MoserVeselov { u } else { 1.0 / w * u };
    let jg = inertia * g;
    let b = match turn {
        Turn::MoserVeselov => g.cross(jg) + w * jg,
        Turn::Cayley => (g.cross(jg) + jg) + g.dot(jg) * g,
    };
    before.rotation * (2.0 / h * b)
}

#[test]
fn a_free_body_keeps_momentum_and_casimir_over_a_million_steps() {
    for method in [
        BodyMethod::MoserVeselov { order: 2 },
        BodyMethod::EulerPoincare { order: 2 },
        BodyMethod::EulerPoincare { order: 4 },
    ] {
        let h = 0.1;
        let mut run = BodyRun::new(tumbling(), method, &start(h)).unwrap();
        let first = run.view();
        let (size, casimir) = (first.spin.norm(), first.body_momentum.dot(first.body_momentum));
        let mut worst = [0.0; 5];
        let mut thirds = [0.0_f64; 3];
        for k in 0..100_000_u64 {
            run.advance(9).unwrap();
            let before = run.view();
            run.advance(1).unwrap();
            let view = run.view();
            worse(&mut worst[0], (view.spin - first.spin).norm() / size);
            worse(&mut worst[1], (view.body_momentum.dot(view.body_momentum) / casimir - 1.0).abs());
            worse(&mut worst[2], orthogonality(&view.rotation).max((view.orientation.squared() - 1.0).abs()));
            worse(&mut thirds[(3 * k / 100_000) as usize], (view.energy[0] / first.energy[0] - 1.0).abs());
            if method.order() == 2 {
                let seen = path_momentum(run.turn, run.body.inertia(), h, &before, &view);
                worse(&mut worst[3], (seen - first.spin).norm() / size);
            }
            worse(&mut worst[4], (view.momentum - first.momentum).norm());
        }
        println!(
            "{method}: spin {:.1e}, casimir {:.1e}, rotation {:.1e}, path {:.1e}; energy {thirds:?}",
            worst[0], worst[1], worst[2], worst[3]
        );
        assert_eq!((worst[0], worst[4]), (0.0, 0.0), "{method}");
        assert!(worst[1] < 1e-14 && worst[2] < 2e-15, "{method}: {worst:?}");
        // A rounding error of the two orientations, over the step.
        assert!(worst[3] < 1e-15 / h * 10.0, "{method}: {worst:?}");
        assert!(thirds[0] < 1e-2 && thirds[2] < 1.01 * thirds[0] + 1e-13, "{method}: {thirds:?}");
        // The discretisation of Moser and Veselov is integrable: it keeps the energy of the free body itself.
        let exact = matches!(method, BodyMethod::MoserVeselov { .. });
        assert!(exact == (thirds[2] < 1e-12), "{method}: {thirds:?}");
    }
}

#[test]
fn a_heavy_top_keeps_both_its_momenta_and_bounds_its_energy_over_a_million_steps() {
    for method in [BodyMethod::MoserVeselov { order: 2 }, BodyMethod::EulerPoincare { order: 2 }] {
        let mut run = BodyRun::new(heavy_top(), method, &start(0.05)).unwrap();
        let first = run.view();
        let total = first.energy[0] + first.energy[1];
        let (mut vertical, mut axis, mut rotation) = (0.0, 0.0, 0.0);
        let mut thirds = [0.0_f64; 3];
        for k in 0..250_000_u64 {
            run.advance(4).unwrap();
            let view = run.view();
            worse(&mut vertical, (view.spin[2] - first.spin[2]).abs());
            worse(&mut axis, (view.body_momentum[2] - first.body_momentum[2]).abs());
            worse(&mut rotation, orthogonality(&view.rotation));
            let energy = view.energy[0] + view.energy[1];
            worse(&mut thirds[(3 * k / 250_000) as usize], (energy / total - 1.0).abs());
        }
        println!(
            "{method}: vertical {vertical:.1e}, axis {axis:.1e}, rotation {rotation:.1e}, energy {thirds:?}"
        );
        assert!(
            vertical == 0.0 && axis < 1e-12 && rotation < 2e-15,
            "{method}: {vertical} {axis} {rotation}"
        );
        assert!(thirds[0] < 1e-2 && thirds[2] < 1.01 * thirds[0], "{method}: {thirds:?}");
    }
}

/// A potential of the distance alone: the total angular momentum in space is kept though orbit and spin exchange theirs.
#[test]
fn orbit_and_spin_exchange_angular_momentum_and_keep_the_sum() {
    struct Tide;
    impl BodyPotential for Tide {
        /// `-1/r + (3/2) x.J x/r^5 - tr J/(2 r^3)` with the inertia `R J R'` in space: the gravity gradient.
        fn at(&self, _t: f64, x: Vec3, r: &Mat3) -> BodyJet {
            let inertia = Mat3::diagonal(0.01, 0.02, 0.025);
            let body = r.transpose() * x;
            let (jb, d) = (inertia * body, x.norm());
            let (moment, trace) = (body.dot(jb), 0.055);
            let value = -1.0 / d + 1.5 * moment / d.powi(5) - 0.5 * trace / d.powi(3);
            let radial = 1.0 / d.powi(3) - 7.5 * moment / d.powi(7) + 1.5 * trace / d.powi(5);
            let position = radial * x + 3.0 / d.powi(5) * (r * jb);
            let rotation = Mat3(x.0.map(|x| 3.0 * x / d.powi(5) * jb));
            BodyJet { value, rate: 0.0, position, rotation }
        }
    }
    let body = RigidBody::new(1.0, Mat3::diagonal(0.01, 0.02, 0.025)).unwrap().with_potential(Tide);
    let start = BodyStart {
        t: 0.0,
        h: 0.02,
        position: Vec3::unit(0),
        orientation: Quaternion([0.9, 0.1, 0.3, 0.2]),
        velocity: Vec3::new(0.0, 1.1, 0.1),
        angular_velocity: Vec3::new(0.1, 0.3, 0.9),
    };
    let mut run = BodyRun::new(body, BodyMethod::EulerPoincare { order: 2 }, &start).unwrap();
    let first = run.view();
    let (mut worst, mut exchanged) = (0.0, 0.0);
    for _ in 0..10_000 {
        run.advance(100).unwrap();
        let view = run.view();
        worse(&mut worst, (view.angular_momentum() - first.angular_momentum()).norm());
        worse(&mut exchanged, (view.spin - first.spin).norm());
    }
    println!("total angular momentum {worst:.1e}, exchanged {exchanged:.1e}");
    assert!(worst < 1e-12 && exchanged > 1e-3, "{worst} {exchanged}");
}

/// The flips of a body that turns nearly about its middle axis, against Jacobi's elliptic functions.
#[test]
fn flips_come_in_the_period_of_the_elliptic_functions() {
    for (inertia, angular_velocity) in [
        (Mat3::diagonal(1.0, 2.0, 2.5), Vec3::new(0.01, 1.0, 0.02)),
        (Mat3::diagonal(1.0, 2.0, 2.5), Vec3::new(0.2, 1.0, 0.01)),
        (Mat3::diagonal(2.5, 1.0, 2.0), Vec3::new(0.3, 0.1, 1.0)),
    ] {
        for method in [BodyMethod::EulerPoincare { order: 6 }, BodyMethod::MoserVeselov { order: 6 }] {
            let start = BodyStart { t: 0.0, angular_velocity, ..start(0.004) };
            let body = RigidBody::new(1.0, inertia).unwrap();
            let middle = (0..3).find(|i| inertia[*i][*i] == body.principal().0[1]).unwrap();
            let mut run = BodyRun::new(body, method, &start).unwrap();
            let period = run.body.free_period(run.view().body_momentum).unwrap();
            let mut crossings = Vec::new();
            let mut before = run.view();
            while crossings.len() < 9 {
                run.advance(1).unwrap();
                let view = run.view();
                if (view.body_momentum[middle] > 0.0) != (before.body_momentum[middle] > 0.0) {
                    // Euler's equations give the rate; about its zero the component is odd, so the error is cubic.
                    let rate = view.body_momentum.cross(view.angular_velocity)[middle];
                    crossings.push(view.t - view.body_momentum[middle] / rate);
                }
                before = view;
            }
            let measured = (crossings[8] - crossings[0]) / 4.0;
            println!("{method}: period {period}, relative error {:.1e}", measured / period - 1.0);
            assert!((measured / period - 1.0).abs() < 1e-9, "{method}: {measured} {period}");
        }
    }
}

#[test]
fn grouping_the_steps_of_a_rigid_body_changes_no_bit() {
    for method in methods() {
        let body = || tumbling().with_potential(Spring);
        let mut one = BodyRun::new(body(), method, &start(0.1)).unwrap();
        let mut many = one.clone();
        one.advance(60).unwrap();
        for steps in [1, 2, 7, 50] {
            many.advance(steps).unwrap();
        }
        assert_eq!((one.view(), one.discrete_energy()), (many.view(), many.discrete_energy()));
    }
}

/// `-D3 L_d` is the difference quotient of the action between the same two poses over a longer and a shorter step.
#[test]
fn the_discrete_energy_is_the_derivative_of_the_action_in_the_step() {
    let (body, h) = (tumbling().with_potential(Spring), 0.2);
    for (turn, method) in [
        (Turn::MoserVeselov, BodyMethod::MoserVeselov { order: 2 }),
        (Turn::Cayley, BodyMethod::EulerPoincare { order: 2 }),
    ] {
        let mut run = BodyRun::new(body.clone(), method, &start(h)).unwrap();
        let before = run.view();
        run.advance(1).unwrap();
        let after = run.view();
        let [w, x, y, z] = before.orientation.0;
        let (w, u) = Quaternion([w, -x, -y, -z]).after(&after.orientation).parts();
        let g = if turn == Turn::MoserVeselov { u } else { 1.0 / w * u };
        let moved = after.position - before.position;
        let action = |h: f64| {
            let kinetic = 2.0 / h * g.dot(body.inertia() * g) + 0.5 * body.mass() * moved.dot(moved) / h;
            let value = |t, view: &BodyView| body.potential(t, view.position, &view.rotation).value;
            kinetic - 0.5 * h * (value(before.t, &before) + value(before.t + h, &after))
        };
        let difference = -(action(h + 1e-5) - action(h - 1e-5)) / 2e-5;
        let exact = run.discrete_energy().unwrap();
        assert!((difference - exact).abs() < 1e-8, "{method}: {difference} {exact}");
    }
}

#[test]
fn a_step_that_fails_leaves_the_last_good_state() {
    let fast = BodyStart { angular_velocity: Vec3::new(0.0, 0.1, 30.0), ..start(0.1) };
    let mut run = BodyRun::new(tumbling(), BodyMethod::MoserVeselov { order: 2 }, &fast).unwrap();
    let before = run.view();
    let error = run.advance(1).unwrap_err();
    assert!(matches!(error.cause, Cause::Newton { .. }), "{error}");
    assert_eq!((error.step, run.view()), (0, before));
    let mut cayley = BodyRun::new(tumbling(), BodyMethod::EulerPoincare { order: 2 }, &fast).unwrap();
    cayley.advance(1000).unwrap();
    assert_eq!(cayley.view().spin, before.spin);

    struct Hole;
    impl BodyPotential for Hole {
        fn at(&self, _t: f64, x: Vec3, _r: &Mat3) -> BodyJet {
            BodyJet { value: (0.85 - x[0]).sqrt(), ..BodyJet::default() }
        }
    }
    let body = tumbling().with_potential(Hole);
    let mut run = BodyRun::new(body, BodyMethod::EulerPoincare { order: 2 }, &start(0.1)).unwrap();
    let error = run.advance(100).unwrap_err();
    assert!(matches!(&error.cause, Cause::NotFinite { what } if what == "the potential"), "{error}");
    assert_eq!(run.view().step, error.step);
}
