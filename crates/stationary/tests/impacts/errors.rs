//! What cannot go on says so.

use super::common::{GAUSS, Setup, VERLET};
use stationary::contact::check_gaps;
use stationary::error::{Cause, ContactFault, RunError};
use stationary::integrate::{BuildError, Method};

fn falling<'a>(gaps: &'a [&'a str]) -> Setup<'a> {
    Setup {
        lagrangian: "0.5*(vx^2 + vy^2) - 9.81*y",
        gaps,
        q: &[0.0, 1.0],
        v: &[1.0, 0.0],
        ..Setup::default()
    }
}

fn fails(setup: &Setup, method: Method) -> RunError {
    let mut x = setup.start(method, 0.01);
    let error = (0..1000).find_map(|_| x.advance(1).err()).expect("a run that cannot go on");
    assert!(x.view().q.iter().all(|q| q.is_finite()) && x.view().step == error.step);
    error
}

#[test]
fn a_start_inside_an_obstacle_is_refused() {
    let setup = falling(&["y", "y - 2"]);
    let fault = check_gaps(&setup.gap(), 0.0, setup.q).unwrap_err();
    assert_eq!((fault.gap, fault.why), (1, ContactFault::Inside(-1.0)));
    let Err(BuildError::Start(error)) = setup.try_start(VERLET, 0.01) else { panic!("it started") };
    assert!(error.to_string().contains("gap 1") && error.to_string().contains("inside"), "{error}");
    // At the contact, and a rounding below it, is fine.
    assert!(check_gaps(&falling(&["y - 1"]).gap(), 0.0, setup.q).is_ok());
    assert!(check_gaps(&falling(&["y - 1.0000000000000002"]).gap(), 0.0, setup.q).is_ok());
}

#[test]
fn a_closed_gap_without_a_gradient_is_an_error() {
    for gap in ["y^2", "y^4", "y^3", "(y - 0.3)^2*(1 + x^2)"] {
        let error = fails(&falling(&[gap]), VERLET);
        assert!(
            matches!(&error.cause, Cause::Gap { gaps, why: ContactFault::Flat, .. } if gaps == &[0]),
            "{gap}: {error}"
        );
        assert!(error.to_string().contains("gradient"), "{error}");
    }
    let setup = Setup { q: &[0.0, 0.0], ..falling(&["y^2"]) };
    assert_eq!(check_gaps(&setup.gap(), 0.0, setup.q).unwrap_err().why, ContactFault::Flat);
}

#[test]
fn walls_that_close_on_each_other_are_an_error() {
    let setup = falling(&["y - 0.5*t", "1.5 - 0.5*t - y"]);
    let error = fails(&setup, GAUSS);
    assert!(
        matches!(&error.cause, Cause::Gap { why: ContactFault::Opposed | ContactFault::Endless(_), .. }),
        "{error}"
    );
}

/// Both are closed at the start and move towards each other: there is no velocity that they allow.
#[test]
fn closed_walls_that_leave_no_velocity_are_named() {
    let error = fails(&falling(&["y - 1 - 0.1*t", "x + 5", "1 - 0.1*t - y"]), VERLET);
    let Cause::Gap { mut gaps, why, time } = error.cause.clone() else { panic!("{error}") };
    gaps.sort_unstable();
    assert_eq!((gaps, why, time), (vec![0, 2], ContactFault::Opposed, 0.0));
    assert!(error.to_string().contains("no velocity"), "{error}");
}

/// A slot that leaves nothing but the way along it is no contradiction.
#[test]
fn opposite_walls_at_rest_leave_the_motion_along_their_slot() {
    let (x, _) = falling(&["y - 1", "1 - y"]).run(GAUSS, 0.01, 100);
    assert!((x.view().q[0] - 1.0).abs() < 1e-12 && (x.view().q[1] - 1.0).abs() < 1e-12, "{:?}", x.view());
}

#[test]
fn a_gap_that_is_not_a_number_is_an_error() {
    let error = fails(&falling(&["sqrt(y - 0.5) + 1"]), VERLET);
    assert!(
        matches!(&error.cause, Cause::Gap { gaps, why: ContactFault::NotFinite, .. } if gaps == &[0]),
        "{error}"
    );
}

#[test]
fn methods_whose_steps_cannot_be_cut_refuse_gaps() {
    for method in
        [Method::RungeKutta4, Method::Verlet { order: 4 }, Method::Newmark { beta: 0.25, gamma: 0.5 }]
    {
        let Err(BuildError::Unsuited(why)) = falling(&["y"]).try_start(method, 0.01) else {
            panic!("{method}")
        };
        assert!(why.contains("gaps"), "{why}");
    }
}

#[test]
fn a_gap_that_jumps_is_an_error() {
    for gap in ["sign(y)", "sign(y) + 0.5*y"] {
        let error = fails(&falling(&[gap]), VERLET);
        assert!(
            matches!(&error.cause, Cause::Gap { why: ContactFault::Jumps | ContactFault::Flat, .. }),
            "{error}"
        );
    }
}
