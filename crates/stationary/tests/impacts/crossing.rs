//! Contacts that are easily missed: grazes, dips within a step, impacts at the ends of steps.

use super::common::{GAUSS, MIDPOINT, Setup, VERLET, worst_jump};

/// A ball thrown so that the floor lies just below or just above the lowest point of its path, which is passed within one step.
fn thrown(depth: f64) -> Setup<'static> {
    // Lowest at y = 0 at time 0.5005, in a force upwards.
    let (t, rise) = (0.5005, 4.0);
    let gap: &'static str = Box::leak(format!("y + {depth}").into_boxed_str());
    let q: &'static [f64] = Box::leak(Box::new([0.0, 0.5 * rise * t * t]));
    let v: &'static [f64] = Box::leak(Box::new([1.0, -rise * t]));
    Setup {
        lagrangian: "0.5*(vx^2 + vy^2) + 4*y",
        gaps: Box::leak(Box::new([gap])),
        q,
        v,
        ..Setup::default()
    }
}

#[test]
fn a_dip_within_a_step_is_not_missed() {
    for depth in [-1e-3, -1e-5, -1e-7, -1e-9] {
        for method in [VERLET, MIDPOINT, GAUSS] {
            let (x, impacts) = thrown(depth).run(method, 0.1, 10);
            assert_eq!(impacts.len(), 1, "{method} {depth:e}: {impacts:?}");
            let exact = 0.5005 - (0.5 * -depth).sqrt();
            assert!((impacts[0].time - exact).abs() < 1e-6, "{method} {depth:e}: {impacts:?} {exact}");
            // The discrete energy of such long legs is exact for the fourth-order method only.
            assert!(method != GAUSS || worst_jump(&impacts) < 1e-12, "{depth:e}: {impacts:?}");
            assert!(x.view().q[1] > 0.0);
        }
    }
}

#[test]
fn a_path_that_just_misses_an_obstacle_has_no_impact() {
    for depth in [1e-3, 1e-6, 1e-9, 1e-12] {
        for method in [VERLET, MIDPOINT, GAUSS] {
            let (_, impacts) = thrown(depth).run(method, 0.1, 10);
            assert!(impacts.is_empty(), "{method} {depth:e}: {impacts:?}");
        }
    }
}

/// A path that only touches goes on as if there were nothing.
#[test]
fn a_path_that_only_touches_an_obstacle_goes_on_unchanged() {
    for method in [VERLET, MIDPOINT, GAUSS] {
        let (x, impacts) = thrown(0.0).run(method, 0.1, 10);
        let push: f64 = impacts.iter().map(|x| x.impulse.abs()).sum();
        assert!(push < 1e-6, "{method}: {impacts:?}");
        let (t, y) = (1.0 - 0.5005, 2.0 * (1.0 - 0.5005_f64).powi(2));
        assert!(
            (x.view().q[1] - y).abs() < 1e-6 && (x.view().p[1] - 4.0 * t).abs() < 1e-6,
            "{method}: {:?}",
            x.view()
        );
    }
}

/// Impacts exactly at the end of a step belong to one step, complete, and change nothing else.
#[test]
fn an_impact_at_the_end_of_a_step_is_complete_and_counted_once() {
    let setup =
        Setup { lagrangian: "0.5*vx^2", gaps: &["x", "1 - x"], q: &[0.5], v: &[-1.0], ..Setup::default() };
    for method in [VERLET, GAUSS] {
        for h in [0.5, 0.25, 0.125, 1.0, 2.0, 0.1] {
            let steps = (8.0 / h) as u64;
            let (x, impacts) = setup.run(method, h, steps);
            // The last one may be completed by the step after.
            assert!((7..=8).contains(&impacts.len()), "{h}: {}", impacts.len());
            for (k, impact) in impacts.iter().enumerate() {
                assert!((impact.time - (0.5 + k as f64)).abs() < 1e-12 && impact.impulse > 1.9, "{impact:?}");
                assert_eq!(impact.contact.gap, k % 2);
            }
            assert!(worst_jump(&impacts) < 1e-13 && (x.view().q[0] - 0.5).abs() < 1e-11, "{:?}", x.view());
        }
    }
}

/// The first of several gaps counts, also if a later one is violated more at the end of the step.
#[test]
fn of_several_gaps_that_close_in_a_step_the_earliest_is_hit_first() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2)",
        gaps: &["10*(x + 0.5)", "y + 0.2*x", "2 - y"],
        q: &[1.0, 0.3],
        v: &[-1.0, -1.0],
        ..Setup::default()
    };
    let (large, few) = setup.run(GAUSS, 7.0, 1);
    let (small, many) = setup.run(GAUSS, 0.01, 700);
    assert!(few.len() > 3 && few.len() == many.len(), "{few:?}");
    for (a, b) in few.iter().zip(&many) {
        assert!(a.contact.gap == b.contact.gap && (a.time - b.time).abs() < 1e-11, "{a:?} {b:?}");
    }
    assert!((large.view().q[0] - small.view().q[0]).abs() < 1e-10);
}

/// A ball between a floor and a ceiling that closes in on it: the time between impacts falls as the gap does.
#[test]
fn a_ball_under_a_falling_ceiling_gains_twice_its_velocity_at_each_impact() {
    let setup = Setup {
        lagrangian: "0.5*vx^2",
        gaps: &["x", "1 - 0.1*t - x"],
        q: &[0.5],
        v: &[1.0],
        ..Setup::default()
    };
    let (x, impacts) = setup.run(GAUSS, 0.05, 180);
    assert!(impacts.len() > 15 && worst_jump(&impacts) < 1e-12);
    // Each impact at the ceiling adds twice its velocity.
    let up = impacts.iter().filter(|x| x.contact.gap == 1).count() as f64;
    assert!((x.view().p[0].abs() - (1.0 + 0.2 * up)).abs() < 1e-11, "{:?} {up}", x.view());
}

/// A small obstacle that lies wholly within one large step.
#[test]
fn an_obstacle_within_a_step_is_not_missed() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2)",
        gaps: &["hypot(x, y) - 0.1"],
        q: &[-7.3, 0.05],
        v: &[3.0, 0.0],
        ..Setup::default()
    };
    for h in [5.0, 2.0, 1.0, 0.1] {
        for method in [VERLET, GAUSS] {
            let (_, impacts) = setup.run(method, h, (5.0 / h) as u64);
            assert_eq!(impacts.len(), 1, "{method} {h}: {impacts:?}");
            let exact = (7.3 - (0.01_f64 - 0.0025).sqrt()) / 3.0;
            assert!((impacts[0].time - exact).abs() < 1e-12, "{method} {h}: {impacts:?}");
        }
    }
}
