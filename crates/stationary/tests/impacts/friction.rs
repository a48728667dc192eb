//! Restitution and friction at impacts [FET03 (2.37), (2.38)]: the jumps are those prescribed.

use super::common::{GAUSS, MIDPOINT, Setup, VERLET, worst_jump};

fn particle(law: (f64, f64)) -> Setup<'static> {
    Setup {
        lagrangian: "0.5*2*(vx^2 + vy^2)",
        gaps: &["y"],
        slips: &["vx"],
        laws: vec![law],
        q: &[0.0, 1.0],
        v: &[2.0, -1.0],
        ..Setup::default()
    }
}

#[test]
fn a_particle_loses_the_energy_that_restitution_and_friction_prescribe() {
    for method in [VERLET, MIDPOINT, GAUSS] {
        for e in [1.0, 0.7, 0.3, 0.05, 0.0] {
            for mu in [0.0, 0.1, 0.5, 5.0] {
                let (x, impacts) = particle((e, mu)).run(method, 0.03, 50);
                let push = 2.0 * (1.0 + e);
                let slip = (mu * push).min(4.0);
                assert_eq!(impacts.len(), 1, "{e} {mu}: {impacts:?}");
                assert!((x.view().p[1] - 2.0 * e).abs() < 1e-12, "{e} {mu}: {:?}", x.view());
                assert!((x.view().p[0] - (4.0 - slip)).abs() < 1e-12, "{e} {mu}: {:?}", x.view());
                assert!(
                    (impacts[0].impulse - push).abs() < 1e-12 && (impacts[0].friction - slip).abs() < 1e-12
                );
                let lost = 5.0 - (4.0 * e * e + (4.0 - slip).powi(2)) / 4.0;
                assert!((impacts[0].prescribed + lost).abs() < 1e-12, "{e} {mu}: {impacts:?} {lost}");
                assert!(worst_jump(&impacts) < 1e-12);
            }
        }
    }
}

/// Without slip formulas the kinetic energy decides: the same for a particle, whose metric is round.
#[test]
fn without_slip_formulas_friction_acts_in_the_metric_of_the_kinetic_energy() {
    for mu in [0.1, 0.5, 5.0] {
        let (a, first) = particle((0.5, mu)).run(VERLET, 0.03, 50);
        let (b, second) = Setup { slips: &[], ..particle((0.5, mu)) }.run(VERLET, 0.03, 50);
        for i in 0..2 {
            assert!((a.view().p[i] - b.view().p[i]).abs() < 1e-12);
        }
        assert!((first[0].prescribed - second[0].prescribed).abs() < 1e-12);
    }
}

/// A disc of radius 0.5 that slips on the floor: friction turns it until it rolls.
#[test]
fn friction_at_impacts_turns_a_slipping_disc_until_it_rolls() {
    let setup = |mu: f64| Setup {
        lagrangian: "0.5*(vx^2 + vy^2) + 0.5*0.125*va^2",
        gaps: &["y - 0.5"],
        slips: &["vx + 0.5*va"],
        laws: vec![(1.0, mu)],
        q: &[0.0, 1.0, 0.0],
        v: &[3.0, -1.0, 0.0],
        ..Setup::default()
    };
    // Sticking: J_x = -vx/(1/m + r^2/I) = -1; that takes mu >= 0.5.
    for (mu, friction) in [(0.8, 1.0), (0.2, 0.4)] {
        let (x, impacts) = setup(mu).run(GAUSS, 0.03, 50);
        assert!((impacts[0].friction - friction).abs() < 1e-12, "{impacts:?}");
        let view = x.view();
        assert!((view.p[0] - (3.0 - friction)).abs() < 1e-12 && (view.p[2] + 0.5 * friction).abs() < 1e-12);
        let slip = view.p[0] + 0.5 * view.p[2] / 0.125;
        assert!(if mu > 0.5 { slip.abs() < 1e-12 } else { slip > 0.1 }, "{slip}");
        assert!(worst_jump(&impacts) < 1e-12 && impacts[0].prescribed < 0.0);
    }
}

/// A rod that lands on its end: friction and normal are coupled. The rate after is `-e` times that before, and no energy is gained.
#[test]
fn a_rod_that_lands_on_its_end_keeps_restitution_and_gains_no_energy() {
    for e in [1.0, 0.5, 0.0] {
        for mu in [0.05, 0.3, 1.0, 4.0] {
            for angle in [0.2, 0.8, 1.3, 1.9, 2.9] {
                let q = [0.0, f64::sin(angle) + 0.3, angle];
                let setup = Setup {
                    lagrangian: "0.5*(vx^2 + vy^2) + 0.5*va^2/3",
                    gaps: &["y - sin(a)"],
                    slips: &["vx + sin(a)*va"],
                    laws: vec![(e, mu)],
                    q: &q,
                    v: &[0.8, -2.0, 0.3],
                    ..Setup::default()
                };
                let mut x = setup.start(GAUSS, 0.004);
                let mut before = vec![0.0; 3];
                while x.impacts().is_empty() {
                    before = x.view().p.to_vec();
                    x.advance(1).unwrap();
                }
                let impact = x.impacts()[0].clone();
                let rate = |p: &[f64], a: f64| p[1] - a.cos() * 3.0 * p[2];
                let energy = |p: &[f64]| 0.5 * (p[0] * p[0] + p[1] * p[1] + 3.0 * p[2] * p[2]);
                // The angle at the impact: free motion, and the spin before is known.
                let angle_then = angle + 0.3 * impact.time;
                let after = x.view().p.to_vec();
                assert!(energy(&after) <= energy(&before) + 1e-12, "{e} {mu} {angle}: gained");
                assert!(impact.friction <= mu * impact.impulse + 1e-10, "{e} {mu} {angle}: {impact:?}");
                let (close, open) = (rate(&before, angle_then), rate(&after, angle_then));
                assert!(
                    x.impacts().len() > 1
                        || (open + e * close).abs() < 1e-9
                        || impact.prescribed == 0.0
                        || e == 1.0,
                    "{e} {mu} {angle}: {close} {open} {impact:?}"
                );
                assert!(worst_jump(x.impacts()) < 1e-11, "{e} {mu} {angle}: {:?}", x.impacts());
            }
        }
    }
}
