//! Corners and simultaneous impacts [FET03 5.4]: the normal is a cone.

use super::common::{GAUSS, MIDPOINT, Setup, VERLET, worst_jump};
use super::long::star;
use stationary::contact::Simultaneous;

/// A particle that runs exactly into the corner of two walls comes back the way it came.
#[test]
fn a_particle_that_hits_a_corner_of_two_walls_returns_the_way_it_came() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2)",
        gaps: &["x", "y"],
        q: &[1.0, 0.5],
        v: &[-2.0, -1.0],
        ..Setup::default()
    };
    for method in [VERLET, MIDPOINT, GAUSS] {
        for simultaneous in [Simultaneous::Projection, Simultaneous::Sequence] {
            let (x, impacts) = Setup { simultaneous, ..setup.clone() }.run(method, 0.03, 30);
            assert_eq!(impacts.len(), 1, "{impacts:?}");
            assert_eq!(impacts[0].contact.others.len(), 1);
            assert!((impacts[0].time - 0.5).abs() < 1e-14 && worst_jump(&impacts) < 1e-14);
            let view = x.view();
            assert!((view.p[0] - 2.0).abs() < 1e-13 && (view.p[1] - 1.0).abs() < 1e-13, "{view:?}");
            assert!((view.q[0] - 0.8).abs() < 1e-13 && (view.q[1] - 0.4).abs() < 1e-13, "{view:?}");
        }
    }
}

/// The same corner as one gap with a kink; pieces that meet as a minimum must all stay open.
#[test]
fn a_gap_with_a_kink_as_a_minimum_acts_as_two_walls() {
    for gap in ["min(x, y)", "0.5*(x + y) - 0.5*abs(x - y)", "-max(-x, -y)"] {
        let setup = Setup {
            lagrangian: "0.5*(vx^2 + vy^2)",
            gaps: &[gap],
            q: &[1.0, 0.5],
            v: &[-2.0, -1.0],
            ..Setup::default()
        };
        let (x, impacts) = setup.run(VERLET, 0.03, 30);
        assert_eq!(impacts.len(), 1, "{gap}: {impacts:?}");
        let view = x.view();
        assert!((view.p[0] - 2.0).abs() < 1e-13 && (view.p[1] - 1.0).abs() < 1e-13, "{gap}: {view:?}");
    }
}

/// The tip of an obstacle: pieces that meet as a maximum; one that opens suffices, the one that needs less.
#[test]
fn a_gap_with_a_kink_as_a_maximum_pushes_with_the_lesser_impulse() {
    for gap in ["max(x, y)", "0.5*(x + y) + 0.5*abs(x - y)"] {
        let setup = Setup {
            lagrangian: "0.5*(vx^2 + vy^2)",
            gaps: &[gap],
            q: &[1.0, 0.5],
            v: &[-2.0, -1.0],
            ..Setup::default()
        };
        let (x, impacts) = setup.run(VERLET, 0.03, 30);
        assert_eq!(impacts.len(), 1, "{gap}: {impacts:?}");
        let view = x.view();
        assert!((view.p[0] + 2.0).abs() < 1e-13 && (view.p[1] - 1.0).abs() < 1e-13, "{gap}: {view:?}");
    }
}

/// The star dropped without spin lands on two points at once: by symmetry it does not start to turn.
#[test]
fn a_star_that_lands_flat_does_not_start_to_turn() {
    let setup = Setup { q: &[0.0, 1.5, 0.0], v: &[1.0, 0.0, 0.0], ..star() };
    let (x, impacts) = setup.run(GAUSS, 0.01, 500);
    assert!(impacts.len() >= 4 && worst_jump(&impacts) < 1e-12, "{impacts:?}");
    assert!(x.view().q[2].abs() < 1e-9 && x.view().q[1] > 0.5, "{:?}", x.view());
}

/// With spin both points still stop together: the projection takes the least impulse, here on one of them.
#[test]
fn a_spinning_star_that_lands_on_a_kink_stays_above_the_floor() {
    // At the end of the fall the angle is exactly a quarter turn but for rounding.
    let fall = (2.0_f64 / 9.81).sqrt();
    let spin = std::f64::consts::FRAC_PI_2 / fall;
    let setup = Setup { q: &[0.0, 1.5, -std::f64::consts::FRAC_PI_2], v: &[0.0, 0.0, spin], ..star() };
    let (x, impacts) = setup.run(GAUSS, fall / 10.5, 12);
    assert!(!impacts.is_empty() && worst_jump(&impacts) < 1e-12, "{impacts:?}");
    let view = x.view();
    assert!(view.q[1] - 0.5 * (view.q[2].sin().abs() + view.q[2].cos().abs()) > 0.0);
}

/// A row of three equal balls of which the first is hit: one after the other the blow goes to the last; at once all of them share.
#[test]
fn a_blow_to_a_row_of_balls_is_shared_at_once_or_passed_on_in_sequence() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2 + va^2)",
        gaps: &["y - x - 1", "a - y - 1"],
        q: &[-1.5, 0.0, 1.0],
        v: &[1.0, 0.0, 0.0],
        ..Setup::default()
    };
    let (x, impacts) = Setup { simultaneous: Simultaneous::Sequence, ..setup.clone() }.run(GAUSS, 0.1, 20);
    assert!((impacts[0].time - 0.5).abs() < 1e-13 && worst_jump(&impacts) < 1e-13, "{impacts:?}");
    for (p, exact) in x.view().p.iter().zip([0.0, 0.0, 1.0]) {
        assert!((p - exact).abs() < 1e-12, "{:?}", x.view());
    }
    let (x, impacts) = setup.run(GAUSS, 0.1, 20);
    assert!(worst_jump(&impacts) < 1e-13, "{impacts:?}");
    // The stopping impulse leaves (1, 1, 1)/3; as much again gives (-1/3, 2/3, 2/3).
    for (p, exact) in x.view().p.iter().zip([-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]) {
        assert!((p - exact).abs() < 1e-12, "{:?}", x.view());
    }
}

/// Five gaps meet in one point of space, more than there are coordinates: energy stays and nothing is entered.
#[test]
fn an_impact_with_more_walls_than_coordinates_keeps_the_energy() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2 + va^2)",
        gaps: &["x", "y", "a", "x + y", "x + a"],
        q: &[1.0, 0.5, 0.25],
        v: &[-2.0, -1.0, -0.5],
        ..Setup::default()
    };
    let (x, impacts) = setup.run(VERLET, 0.03, 30);
    assert_eq!((impacts.len(), impacts[0].contact.others.len()), (1, 4), "{impacts:?}");
    assert!(worst_jump(&impacts) < 1e-14);
    for (p, v) in x.view().p.iter().zip(setup.v) {
        assert!((p + v).abs() < 1e-12, "{:?}", x.view());
    }
}
