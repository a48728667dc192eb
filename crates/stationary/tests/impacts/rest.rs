//! Sustained contact: bounces that end, sliding, sticking, release.

use super::common::{GAUSS, MIDPOINT, Setup, VERLET, all_methods};
use stationary::contact::ImpactKind;
use stationary::contact::Simultaneous;

/// A ball dropped from height 1 with restitution 1/2 comes to rest after sqrt(2/g) (1 + e)/(1 - e), and stays.
#[test]
fn a_dropped_ball_with_restitution_comes_to_rest_at_the_known_time() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) - 9.81*y",
        gaps: &["y"],
        laws: vec![(0.5, 0.0)],
        q: &[0.0, 1.0],
        v: &[1.0, 0.0],
        ..Setup::default()
    };
    for method in all_methods() {
        let (x, impacts) = setup.run(method, 0.01, 300);
        let rest = impacts.iter().find(|x| x.kind == ImpactKind::Rest).unwrap();
        let exact = (2.0_f64 / 9.81).sqrt() * 3.0;
        // Bounces of a step or two feel the error of the discrete energy over them.
        let within = if method.order() == 1 { 8.0 * 0.01 } else { 0.4 * 0.01 };
        assert!((rest.time - exact).abs() < within, "{method}: {rest:?} {exact}");
        assert_eq!(impacts.iter().filter(|x| x.kind == ImpactKind::Rest).count(), 1, "{method}");
        assert!(x.view().q[1].abs() < 1e-12 && x.view().p[1].abs() < 1e-12, "{method}: {:?}", x.view());
        assert!(
            (x.view().q[0] - 3.0).abs() < 1e-10 && (x.view().p[0] - 1.0).abs() < 1e-12,
            "{method}: {:?}",
            x.view()
        );
    }
    // In uniform gravity the fourth-order method has no error but that of the last ten-thousandth of a step.
    let (_, impacts) = setup.run(GAUSS, 0.01, 300);
    let rest = impacts.iter().find(|x| x.kind == ImpactKind::Rest).unwrap();
    assert!((rest.time - (2.0_f64 / 9.81).sqrt() * 3.0).abs() < 1e-5, "{rest:?}");
}

/// A particle that slides down a sphere leaves it where cos = 2/3.
#[test]
fn a_particle_that_slides_down_a_sphere_leaves_it_at_two_thirds() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) - y",
        gaps: &["sqrt(x^2 + y^2) - 1"],
        laws: vec![(0.0, 0.0)],
        q: &[0.0, 1.0],
        v: &[0.1, 0.0],
        ..Setup::default()
    };
    // v^2 = v0^2 + 2 (1 - y) = y at the release.
    let exact = (2.0 + 0.01) / 3.0;
    for (method, h, within) in [(VERLET, 0.01, 2e-4), (MIDPOINT, 0.01, 2e-4), (GAUSS, 0.05, 1e-6)] {
        let mut x = setup.start(method, h);
        let mut kinds = Vec::new();
        let mut height = 0.0;
        for _ in 0..(4.0 / h) as usize {
            x.advance(1).unwrap();
            for impact in x.impacts() {
                kinds.push(impact.kind);
                if impact.kind == ImpactKind::Release {
                    // Back from the end of the step, in free fall.
                    let (back, view) = (x.view().t - impact.time, x.view());
                    height = view.q[1] - view.p[1] * back - 0.5 * back * back;
                }
            }
        }
        assert_eq!(kinds, [ImpactKind::Rest, ImpactKind::Release], "{method}");
        assert!((height - exact).abs() < within, "{method}: {height} {exact}");
    }
}

/// A block on an incline with friction slides, stops where the energy is used up, and stays.
#[test]
fn a_block_that_slides_on_an_incline_is_stopped_by_friction_and_stays() {
    // Down the slope -x; gravity g (sin, cos) of an angle with tan = 0.3; friction 0.5 holds it.
    let (s, c) = (0.3 / 1.09_f64.sqrt(), 1.0 / 1.09_f64.sqrt());
    let lagrangian = format!("0.5*(vx^2 + vy^2) - 9.81*({c}*y + {s}*x)");
    for slips in [&["vx"][..], &[]] {
        let setup = Setup {
            lagrangian: &lagrangian,
            gaps: &["y"],
            slips,
            laws: vec![(0.0, 0.5)],
            q: &[0.0, 0.0],
            v: &[2.0, 0.0],
            ..Setup::default()
        };
        // Up with deceleration g (s + mu c), then it stays because mu > tan.
        let (time, way) = (2.0 / (9.81 * (s + 0.5 * c)), 2.0 / (9.81 * (s + 0.5 * c)));
        for method in [VERLET, MIDPOINT, GAUSS] {
            let (x, impacts) = setup.run(method, 0.01, 100);
            assert_eq!(impacts.len(), 1, "{impacts:?}");
            assert!(time < 1.0 && (x.view().q[0] - way).abs() < 1e-9, "{method}: {:?} {way}", x.view());
            assert!(x.view().p.iter().all(|p| p.abs() < 1e-12), "{method}: {:?}", x.view());
        }
        // Less friction than the slope: it stops and slides back.
        let weak = Setup { laws: vec![(0.0, 0.1)], ..setup };
        let (up, down) = (9.81 * (s + 0.1 * c), 9.81 * (s - 0.1 * c));
        let turn = 2.0 / up;
        for method in [VERLET, GAUSS] {
            let (x, _) = weak.run(method, 0.01, 100);
            let exact = 2.0 / up - 0.5 * down * (1.0 - turn).powi(2);
            assert!((x.view().q[0] - exact).abs() < 1e-9, "{method}: {:?} {exact}", x.view());
            assert!((x.view().p[0] + down * (1.0 - turn)).abs() < 1e-9, "{method}: {:?}", x.view());
        }
    }
}

/// What friction takes while the block slides is told as work.
#[test]
fn the_work_of_sliding_friction_is_reported() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) - 9.81*y",
        gaps: &["y"],
        slips: &["vx"],
        laws: vec![(0.0, 0.3)],
        q: &[0.0, 0.0],
        v: &[2.0, 0.0],
        ..Setup::default()
    };
    let mut x = setup.start(GAUSS, 0.01);
    let mut work = 0.0;
    for _ in 0..100 {
        x.advance(1).unwrap();
        work += x.work().unwrap();
    }
    assert!((work + 2.0).abs() < 1e-9 && x.view().p[0].abs() < 1e-12, "{work} {:?}", x.view());
}

/// A bead that is pressed over a bump leaves it and lands again.
#[test]
fn a_bead_pressed_over_a_bump_leaves_it_and_lands_again() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) - 9.81*y",
        gaps: &["y - exp(-2*x^2)"],
        laws: vec![(0.0, 0.0)],
        q: &[-2.0, 0.000335462627902512],
        v: &[6.0, 0.016],
        ..Setup::default()
    };
    for method in [VERLET, GAUSS] {
        let (x, impacts) = setup.run(method, 0.002, 500);
        let kinds: Vec<ImpactKind> = impacts.iter().map(|x| x.kind).collect();
        let releases = kinds.iter().filter(|k| **k == ImpactKind::Release).count();
        assert!(releases >= 1 && kinds.contains(&ImpactKind::Rest), "{method}: {kinds:?}");
        let view = x.view();
        assert!(view.q[1] - (-2.0 * view.q[0] * view.q[0]).exp() > -1e-12 && view.q[0] > 1.0, "{view:?}");
    }
}

/// A block in a corner rests on two walls; a third one that adds nothing is no harm.
#[test]
fn a_block_rests_in_a_corner_with_a_redundant_wall() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) - 3*x - 9.81*y",
        gaps: &["x", "y", "x + y"],
        laws: vec![(0.4, 0.0), (0.6, 0.0), (0.5, 0.0)],
        q: &[0.3, 0.5],
        v: &[0.2, 0.1],
        ..Setup::default()
    };
    for method in [VERLET, GAUSS] {
        let (x, _) = setup.run(method, 0.01, 500);
        let view = x.view();
        assert!(view.q.iter().chain(view.p).all(|x| x.abs() < 1e-12), "{method}: {view:?}");
    }
}

/// While it slides along the floor a block hits a wall, and comes back along the floor.
#[test]
fn a_block_that_slides_on_the_floor_bounces_off_a_wall() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) - 9.81*y",
        gaps: &["y", "1 - x"],
        laws: vec![(0.0, 0.0), (0.5, 0.0)],
        q: &[0.0, 0.0],
        v: &[2.0, 0.0],
        ..Setup::default()
    };
    for method in [VERLET, GAUSS] {
        let (x, impacts) = setup.run(method, 0.03, 50);
        assert_eq!(impacts.len(), 2, "{impacts:?}");
        assert!((impacts[1].time - 0.5).abs() < 1e-12 && impacts[1].contact.gap == 1);
        assert!(x.view().q[1].abs() < 1e-13 && (x.view().p[0] + 1.0).abs() < 1e-11, "{:?}", x.view());
    }
}

/// A square that falls flat and loses all it brings stands on two corners.
#[test]
fn a_square_that_falls_comes_to_stand_on_two_corners() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) + 0.5*va^2/6 - 9.81*y",
        gaps: &["y - 0.5*(abs(sin(a)) + abs(cos(a)))"],
        laws: vec![(0.3, 0.0)],
        q: &[0.0, 1.0, 0.15],
        v: &[0.0, 0.0, 0.0],
        ..Setup::default()
    };
    for method in [VERLET, GAUSS] {
        let (x, impacts) = setup.run(method, 0.005, 1000);
        let view = x.view();
        assert!(
            (view.q[1] - 0.5).abs() < 1e-10 && view.q[2].abs() < 1e-10,
            "{method}: {view:?} {}",
            impacts.len()
        );
        assert!(view.p.iter().all(|p| p.abs() < 1e-10), "{method}: {view:?}");
    }
}

/// The floor accelerates away faster than things fall: it is left, and met again.
#[test]
fn a_shaken_floor_throws_a_resting_particle_and_meets_it_again() {
    let setup = Setup {
        lagrangian: "0.5*vx^2 - 9.81*x",
        gaps: &["x - 0.1*sin(12*t)"],
        laws: vec![(0.0, 0.0)],
        q: &[0.0],
        v: &[1.2],
        ..Setup::default()
    };
    // Pressed as long as -0.1 144 sin(12 t) > -9.81.
    let exact = (9.81_f64 / 14.4).asin() / 12.0;
    for (method, within) in [(VERLET, 1e-4), (GAUSS, 1e-6)] {
        let (_, impacts) = setup.run(method, 0.002, 1000);
        let release = impacts.iter().find(|x| x.kind == ImpactKind::Release).unwrap();
        assert!((release.time - exact).abs() < within, "{method}: {release:?} {exact}");
        assert!(impacts.iter().filter(|x| x.kind == ImpactKind::Release).count() >= 3, "{method}");
    }
}

/// Rolling: a disc that is driven down an incline and sticks accelerates with g sin/(1 + I/(m r^2)).
#[test]
fn a_disc_that_sticks_rolls_down_an_incline_with_the_known_acceleration() {
    let (s, c) = (0.6, 0.8);
    let lagrangian = format!("0.5*(vx^2 + vy^2) + 0.5*0.125*va^2 - 9.81*({c}*y + {s}*x)");
    let setup = Setup {
        lagrangian: &lagrangian,
        gaps: &["y - 0.5"],
        slips: &["vx + 0.5*va"],
        laws: vec![(0.0, 0.9)],
        q: &[0.0, 0.5, 0.0],
        v: &[0.0, 0.0, 0.0],
        ..Setup::default()
    };
    for method in [VERLET, GAUSS] {
        let (x, _) = setup.run(method, 0.01, 100);
        let a = 9.81 * s / 1.5;
        assert!((x.view().p[0] + a).abs() < 1e-9 && (x.view().q[0] + 0.5 * a).abs() < 1e-9, "{:?}", x.view());
        assert!((x.view().p[2] / 0.125 - 2.0 * a).abs() < 1e-8, "{:?}", x.view());
        // Too little friction to roll: it slides, a = g (s - mu c).
        let (x, _) = Setup { laws: vec![(0.0, 0.1)], ..setup.clone() }.run(method, 0.01, 100);
        assert!((x.view().p[0] + 9.81 * (s - 0.1 * c)).abs() < 1e-9, "{:?}", x.view());
    }
}

/// A puck on a plane in space whose path bends: friction is against the slip, whose direction turns. Second order.
#[test]
fn friction_follows_the_slip_of_a_puck_whose_path_bends_to_second_order() {
    for slips in [&["vx; va"][..], &[]] {
        let setup = Setup {
            lagrangian: "0.5*(vx^2 + vy^2 + va^2) - 9.81*y + 2*a",
            gaps: &["y"],
            slips,
            laws: vec![(0.0, 0.1)],
            q: &[0.0, 0.0, 0.0],
            v: &[2.0, 0.0, 0.0],
            ..Setup::default()
        };
        let end = |n: u64| setup.run(GAUSS, 1.0 / n as f64, n).0.view().q.to_vec();
        let (exact, coarse, fine) = (end(320), end(10), end(40));
        let error = |q: &[f64]| (q[0] - exact[0]).abs() + (q[2] - exact[2]).abs();
        let order = (error(&coarse) / error(&fine)).log2() / 2.0;
        assert!(order > 1.7 && error(&fine) < 1e-3, "{order} {exact:?} {coarse:?} {fine:?}");
        // Against the equations of motion, by many small steps of the plain kind.
        let (mut q, mut v, h) = ([0.0, 0.0], [2.0, 0.0], 1e-5);
        for _ in 0..100_000 {
            let speed = f64::hypot(v[0], v[1]);
            let a = [-0.981 * v[0] / speed, 2.0 - 0.981 * v[1] / speed];
            for i in 0..2 {
                q[i] += h * (v[i] + 0.5 * h * a[i]);
                v[i] += h * a[i];
            }
        }
        assert!((q[0] - exact[0]).abs() < 1e-4 && (q[1] - exact[2]).abs() < 1e-4, "{q:?} {exact:?}");
    }
}

/// Balls that fall on each other and lose all they bring: each landing is plastic, and the pile stands.
#[test]
fn balls_that_fall_on_each_other_come_to_rest_as_a_pile() {
    for simultaneous in [Simultaneous::Projection, Simultaneous::Sequence] {
        for (e, method) in [(0.0, GAUSS), (0.0, VERLET), (0.3, GAUSS)] {
            let setup = Setup {
                lagrangian: "0.5*(vx^2 + vy^2 + va^2 + vb^2) - 9.81*(x + y + a + b)",
                gaps: &["x", "y - x - 1", "a - y - 1", "b - a - 1"],
                laws: vec![(e, 0.0); 4],
                q: &[0.1, 1.2, 2.5, 4.0],
                v: &[0.0; 4],
                simultaneous,
                ..Setup::default()
            };
            let (x, impacts) = setup.run(method, 0.01, 400);
            for (k, q) in x.view().q.iter().enumerate() {
                assert!((q - k as f64).abs() < 1e-10, "{e} {method}: {:?}", x.view());
            }
            if e == 0.0 {
                let lost: f64 = impacts.iter().map(|x| x.energy_before - x.energy_after).sum();
                assert!(method != GAUSS || (lost - 17.658).abs() < 1e-9, "{lost}: {impacts:?}");
            }
        }
    }
}

/// A square that stands on two corners and slides: friction slows it down and stops it, and adds no energy.
#[test]
fn a_square_that_slides_on_two_corners_is_stopped_by_friction() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) + 0.5*va^2/6 - 9.81*y",
        gaps: &["y - 0.5*(abs(sin(a)) + abs(cos(a)))"],
        laws: vec![(0.0, 0.1)],
        q: &[0.0, 0.5, 0.0],
        v: &[1.0, 0.0, 0.0],
        ..Setup::default()
    };
    for method in [VERLET, MIDPOINT, GAUSS] {
        let mut x = setup.start(method, 0.01);
        let mut speed = 1.0;
        for _ in 0..300 {
            x.advance(1).unwrap();
            assert!(x.view().p[0] <= speed + 1e-12, "{method}: {:?}", x.view());
            speed = x.view().p[0];
        }
        assert!(x.view().p.iter().all(|p| p.abs() < 1e-9) && x.view().q[0] > 0.1, "{method}: {:?}", x.view());
    }
}

/// Bounces that end just where the step does: the energy of the rebound can be met for some lengths of the leg and not for others, which
/// is no jump of the gap.
#[test]
fn a_disc_whose_bounce_ends_with_the_step_comes_to_roll() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) + 0.5*0.4*va^2 - 9.81*y",
        gaps: &["y - 1"],
        slips: &["vx + va"],
        laws: vec![(0.5, 1.0)],
        q: &[0.0, 3.0, -0.464],
        v: &[-0.87, 0.63, -19.21],
        ..Setup::default()
    };
    let (x, impacts) = setup.run(MIDPOINT, 0.02, 200);
    assert!(impacts.iter().any(|x| x.kind == ImpactKind::Rest), "{impacts:?}");
    let roll = (-0.87 + 0.4 * 19.21) / 1.4;
    assert!((x.view().p[0] - roll).abs() < 1e-9, "{:?} {roll}", x.view());
    assert!((x.view().q[1] - 1.0).abs() < 1e-12, "{:?}", x.view());
}

/// A square that falls from corner to corner with friction and lies still in the end.
#[test]
fn a_square_with_friction_lies_still_after_a_fall() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) + 0.5*0.004*va^2 - 9.81*y",
        gaps: &["y - 0.1*max(abs(sin(a)), abs(cos(a)))"],
        laws: vec![(0.5, 0.5)],
        q: &[0.0, 1.5, 0.048],
        v: &[-1.38, -1.01, -14.07],
        ..Setup::default()
    };
    for (method, h) in [(VERLET, 0.05), (VERLET, 0.01), (MIDPOINT, 0.05), (GAUSS, 0.02)] {
        let (x, _) = setup.run(method, h, (4.0 / h) as u64);
        let view = x.view();
        assert!(view.p.iter().all(|p| p.abs() < 1e-9), "{method} {h}: {view:?}");
        assert!((view.q[1] - 0.05 * 2.0_f64.sqrt()).abs() < 1e-9, "{method} {h}: {view:?}");
    }
}
