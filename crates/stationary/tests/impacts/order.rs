//! The order of accuracy through an impact is that of the method [FET03 Fig. 5.4].

use super::common::{GAUSS, MIDPOINT, Setup, VERLET};
use stationary::integrate::Method;
use stationary::laws;

/// The slope of the error at time 1 against a fine run, over many steps: where in a step the impact falls changes the error of each.
fn slope(setup: &Setup, method: Method, impacts: usize) -> f64 {
    let state = |steps: u64| {
        let (x, hits) = setup.run(method, 1.0 / steps as f64, steps);
        assert_eq!(hits.len(), impacts, "{method}, {steps} steps: {hits:?}");
        [x.view().q, x.view().p].concat()
    };
    let [fine, least, most] =
        if method.order() > 2 { [2000.0, 12.0, 120.0] } else { [40_000.0, 30.0, 900.0_f64] };
    let exact = state(fine as u64);
    let counts: Vec<u64> = (0..=40).map(|k| (least * (most / least).powf(k as f64 / 40.0)) as u64).collect();
    let error = |n: u64| state(n).iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let errors: Vec<f64> = counts.iter().map(|&n| error(n)).collect();
    let sizes: Vec<f64> = counts.iter().map(|n| 1.0 / *n as f64).collect();
    laws::order(&sizes, &errors, 1e-13).unwrap_or_else(|| panic!("{method}: {errors:?}"))
}

fn has_its_order(setup: &Setup, impacts: usize) {
    for method in [VERLET, MIDPOINT, GAUSS] {
        let (seen, order) = (slope(setup, method, impacts), method.order() as f64);
        assert!((seen - order).abs() < 0.25, "{}: {method} has order {seen}", setup.lagrangian);
    }
}

#[test]
fn impacts_in_nonlinear_gravity_keep_the_order_of_the_method() {
    has_its_order(
        &Setup {
            lagrangian: "0.5*(vx^2 + vy^2) + 0.5*29/192*va^2 + 20/(y + 1)",
            gaps: &["y - 0.5*(abs(sin(a)) + abs(cos(a)))"],
            q: &[0.0, 1.5, 0.3],
            v: &[-2.0, -1.0, 1.5],
            ..Setup::default()
        },
        1,
    );
}

#[test]
fn impacts_with_a_force_keep_the_order_of_the_method() {
    has_its_order(
        &Setup {
            lagrangian: "0.5*(vx^2 + vy^2) - 9.81*y - 0.2*x^2*y",
            gaps: &["y + 0.1*sin(x)"],
            force: &["-0.4*vx + 0.1*y", "-0.7*vy - 0.2*vx"],
            q: &[0.3, 1.0],
            v: &[0.5, -1.0],
            ..Setup::default()
        },
        1,
    );
}

#[test]
fn impacts_with_a_lagrangian_of_time_keep_the_order_of_the_method() {
    has_its_order(
        &Setup {
            lagrangian: "(0.5 + 0.1*sin(t))*(vx^2 + vy^2) - (9.81 + 3*cos(5*t))*y - 0.3*x*y*t",
            gaps: &["y + 0.1*x^2"],
            q: &[0.3, 1.0],
            v: &[0.5, -1.0],
            ..Setup::default()
        },
        1,
    );
}

#[test]
fn impacts_at_a_moving_wall_keep_the_order_of_the_method() {
    has_its_order(
        &Setup {
            lagrangian: "0.5*(vx^2 + vy^2) - 9.81*y - 0.2*x^2*y",
            gaps: &["y - 0.1*sin(6*t) - 0.05*x*t"],
            q: &[0.3, 1.0],
            v: &[0.5, -1.0],
            ..Setup::default()
        },
        1,
    );
}

#[test]
fn impacts_under_a_constraint_keep_the_order_of_the_method() {
    has_its_order(
        &Setup {
            lagrangian: "0.5*(vx^2 + vy^2) - 9.81*y",
            constraint: &["x^2 + y^2 - 1"],
            gaps: &["y + 0.8"],
            q: &[1.0, 0.0],
            v: &[0.0, -1.0],
            ..Setup::default()
        },
        1,
    );
}

/// A moving constraint does work, also at the impact.
#[test]
fn impacts_under_a_moving_constraint_and_a_force_keep_the_order_of_the_method() {
    has_its_order(
        &Setup {
            lagrangian: "0.5*(vx^2 + vy^2) - 9.81*y",
            constraint: &["x^2 + y^2 - (1 + 0.2*t)^2"],
            force: &["-0.2*vx", "-0.2*vy"],
            gaps: &["y + 0.8 - 0.1*t"],
            q: &[1.0, 0.0],
            v: &[0.2, -1.0],
            ..Setup::default()
        },
        1,
    );
}

/// A system whose mass matrix depends on the place.
#[test]
fn impacts_of_a_double_pendulum_with_a_stop_keep_the_order_of_the_method() {
    has_its_order(
        &Setup {
            lagrangian: "vx^2 + 0.5*vy^2 + vx*vy*cos(x - y) + 9.81*(2*cos(x) + cos(y))",
            gaps: &["x + 0.3", "y + 1.4"],
            q: &[0.5, 0.8],
            v: &[-1.0, 0.3],
            ..Setup::default()
        },
        1,
    );
}

/// Twenty bounces in one step are those of small steps: in uniform gravity the fourth-order method has no error.
#[test]
fn many_bounces_in_one_step_are_those_of_small_steps() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) - 9.81*y",
        gaps: &["y"],
        q: &[0.0, 0.2],
        v: &[1.0, -0.3],
        ..Setup::default()
    };
    let (large, few) = setup.run(GAUSS, 8.3, 1);
    let (small, many) = setup.run(GAUSS, 0.01, 830);
    assert!(few.len() >= 20 && few.len() == many.len(), "{} {}", few.len(), many.len());
    for (a, b) in few.iter().zip(&many) {
        assert!((a.time - b.time).abs() < 1e-11 && (a.impulse - b.impulse).abs() < 1e-11, "{a:?} {b:?}");
    }
    for i in 0..2 {
        assert!((large.view().q[i] - small.view().q[i]).abs() < 1e-10);
        assert!((large.view().p[i] - small.view().p[i]).abs() < 1e-10);
    }
}

/// A wall that moves at a constant velocity is one at rest in its own frame.
#[test]
fn an_impact_with_a_moving_wall_is_elastic_in_the_frame_of_the_wall() {
    let setup = Setup {
        lagrangian: "0.5*vy^2 + 0.5*vx^2",
        gaps: &["x - 0.5*t"],
        q: &[1.0, 0.0],
        v: &[-1.0, 0.3],
        ..Setup::default()
    };
    for method in [VERLET, MIDPOINT, GAUSS] {
        let (x, impacts) = setup.run(method, 0.07, 20);
        assert!((impacts[0].time - 2.0 / 3.0).abs() < 1e-14, "{impacts:?}");
        assert!((x.view().p[0] - 2.0).abs() < 1e-13 && (x.view().p[1] - 0.3).abs() < 1e-14, "{:?}", x.view());
        assert!((impacts[0].energy_after - impacts[0].energy_before - 1.5).abs() < 1e-13);
        assert!((impacts[0].prescribed - 1.5).abs() < 1e-13);
    }
}
