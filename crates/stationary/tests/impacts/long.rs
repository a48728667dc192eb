//! Long runs: energy, momenta, symplecticity, and that every stored configuration is admissible.

use super::common::{GAUSS, MIDPOINT, Setup, VERLET, all_methods, worst_jump};
use stationary::contact::{Gap, GapImpact};
use stationary::integrate::{Integrator, Method};
use stationary::laws;
use stationary::model::Bounds;

pub const PARTICLE: Setup = Setup {
    lagrangian: "0.5*(vx^2 + vy^2) - 9.81*y",
    gaps: &["y"],
    slips: &[],
    laws: Vec::new(),
    force: &[],
    constraint: &[],
    simultaneous: stationary::contact::Simultaneous::Projection,
    q: &[0.0, 1.0],
    v: &[-2.0, 0.0],
};

fn ellipse() -> Setup<'static> {
    Setup {
        lagrangian: "0.5*(vx^2 + vy^2) + 0.5*0.078125*va^2 - 9.81*y",
        gaps: &["y - sqrt((0.5*sin(a))^2 + (0.25*cos(a))^2)"],
        q: &[0.0, 1.5, 0.3],
        v: &[-2.0, 0.0, 2.56],
        ..Setup::default()
    }
}

pub fn star() -> Setup<'static> {
    Setup {
        lagrangian: "0.5*(vx^2 + vy^2) + 0.5*29/192*va^2 - 9.81*y",
        gaps: &["y - 0.5*(abs(sin(a)) + abs(cos(a)))"],
        q: &[0.0, 3.5, 0.0],
        v: &[-2.0, 0.0, 5.0],
        ..Setup::default()
    }
}

/// Runs until so many impacts have happened; returns the last one, the relative spread of the discrete energy, the largest jump, the
/// least gap and how far the momentum of `x` went.
fn until(setup: &Setup, method: Method, h: f64, count: usize) -> (GapImpact, [f64; 4]) {
    let mut x = setup.start(method, h);
    let gap = setup.gap();
    let mut bounds = Bounds::new(setup.q.len(), setup.gaps.len());
    let (mut impacts, mut low, mut high, mut least) =
        (Vec::new(), f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY);
    let mut drift = 0.0_f64;
    while impacts.len() < count {
        x.advance(1).unwrap();
        let e = x.discrete_energy().unwrap();
        (low, high) = (low.min(e), high.max(e));
        assert!(e.is_finite());
        gap.first(x.view().t, x.view().q, &mut bounds);
        least = bounds.value().iter().fold(least, |a, b| a.min(*b));
        drift = drift.max((x.view().p[0] - setup.v[0]).abs());
        impacts.extend_from_slice(x.impacts());
    }
    (impacts[count - 1].clone(), [(high - low) / high.abs(), worst_jump(&impacts), least, drift])
}

#[test]
fn a_particle_bounces_a_thousand_times() {
    let (last, [spread, jump, least, drift]) = until(&PARTICLE, GAUSS, 0.01, 1000);
    assert!((last.time - 902.596).abs() < 1e-3, "{last:?}");
    assert!(
        spread < 1e-12 && jump < 1e-14 && least >= 0.0 && drift < 1e-12,
        "{spread:e} {jump:e} {least:e} {drift:e}"
    );
    let (_, [spread, jump, least, drift]) = until(&PARTICLE, VERLET, 0.01, 1000);
    assert!(
        spread < 1e-3 && jump < 1e-14 && least >= 0.0 && drift < 1e-12,
        "{spread:e} {jump:e} {least:e} {drift:e}"
    );
}

#[test]
fn an_ellipse_bounces_a_thousand_times() {
    let (_, [spread, jump, least, drift]) = until(&ellipse(), GAUSS, 0.01, 1000);
    assert!(
        spread < 1e-10 && jump < 1e-12 && least >= -1e-15 && drift < 1e-12,
        "{spread:e} {jump:e} {least:e} {drift:e}"
    );
    let (_, [spread, jump, least, _]) = until(&ellipse(), VERLET, 0.01, 1000);
    assert!(spread < 1e-2 && jump < 1e-12 && least >= -1e-15, "{spread:e} {jump:e} {least:e}");
}

#[test]
fn a_star_bounces_fifteen_hundred_times() {
    let (_, [spread, jump, least, drift]) = until(&star(), VERLET, 0.005, 1500);
    assert!(
        spread < 1e-2 && jump < 1e-12 && least >= -1e-15 && drift < 1e-12,
        "{spread:e} {jump:e} {least:e} {drift:e}"
    );
    let (_, [spread, jump, _, _]) = until(&star(), GAUSS, 0.005, 300);
    assert!(spread < 1e-10 && jump < 1e-12, "{spread:e} {jump:e}");
}

#[test]
fn every_method_bounces_and_keeps_the_symplectic_form() {
    for method in all_methods() {
        let (_, [_, jump, least, drift]) = until(&ellipse(), method, 0.01, 30);
        assert!(jump < 1e-12 && least >= -1e-15 && drift < 1e-12, "{method}: {jump:e} {least:e} {drift:e}");
        let mut x = ellipse().start(method, 0.01);
        let residual = laws::worst_symplectic_residual(&mut *x, 600);
        assert!(residual < 1e-11, "{method}: {residual:e}");
    }
}

/// Angular momentum about the centre of a round billiard in a central field, over 10^5 steps.
#[test]
fn angular_momentum_stays_in_a_round_billiard() {
    let setup = Setup {
        lagrangian: "0.5*(vx^2 + vy^2) - 0.3*(x^2 + y^2)",
        gaps: &["1 - sqrt(x^2 + y^2)"],
        q: &[0.3, -0.1],
        v: &[0.7, 1.1],
        ..Setup::default()
    };
    for method in [VERLET, MIDPOINT, GAUSS] {
        let mut x = setup.start(method, 0.02);
        let moment = |x: &dyn Integrator| {
            let view = x.view();
            view.q[0] * view.p[1] - view.q[1] * view.p[0]
        };
        let (first, mut hits, mut worst) = (moment(&*x), 0, 0.0_f64);
        for _ in 0..100_000 {
            x.advance(1).unwrap();
            hits += x.impacts().len();
            worst = worst.max((moment(&*x) - first).abs());
        }
        assert!(hits > 1000 && worst < 1e-12, "{method}: {hits} {worst:e}");
    }
}

/// How steps are grouped changes no bit, also where impacts happen; neither does another run.
#[test]
fn grouping_steps_with_impacts_changes_no_bit() {
    for setup in [ellipse(), star()] {
        let (mut a, mut b) = (setup.start(VERLET, 0.01), setup.start(VERLET, 0.01));
        a.advance(700).unwrap();
        for _ in 0..100 {
            b.advance(7).unwrap();
            b.discrete_energy();
            b.action();
            b.tangent(&mut [0.0; 36]);
        }
        assert_eq!((a.view().q, a.view().p), (b.view().q, b.view().p));
    }
}

/// The step with impacts is the gradient of its action: dS = p1.dq1 - p0.dq0.
#[test]
fn the_action_of_a_step_with_impacts_generates_the_step() {
    let setup = Setup { q: &[0.0, 0.52, 0.3], v: &[-2.0, -1.0, 2.0], ..ellipse() };
    for method in [VERLET, GAUSS] {
        let state = |by: f64, k: usize| {
            let (mut q, mut v) = (setup.q.to_vec(), setup.v.to_vec());
            if k < 3 {
                q[k] += by
            } else {
                v[k - 3] += by
            };
            let moved = Setup { q: &q, v: &v, ..setup.clone() };
            let mut x = moved.start(method, 0.2);
            let p0 = x.view().p.to_vec();
            x.advance(1).unwrap();
            assert!(!x.impacts().is_empty());
            let s = x.action().unwrap();
            (q, p0, x.view().q.to_vec(), x.view().p.to_vec(), s)
        };
        for k in 0..6 {
            let (centre, plus, minus) = (state(0.0, k), state(1e-5, k), state(-1e-5, k));
            let mut form = 0.0;
            for i in 0..3 {
                form += centre.3[i] * (plus.2[i] - minus.2[i]) - centre.1[i] * (plus.0[i] - minus.0[i]);
            }
            let error = (plus.4 - minus.4 - form) / 2e-5;
            assert!(error.abs() < 1e-7, "{method} {k}: {error:e}");
        }
    }
}

/// A ball that bounces some 35 times in each step: where it comes back to the same place again and again the rounding of its gap is that
/// of the way in between.
#[test]
fn many_bounces_in_each_step_keep_the_energy() {
    let setup = Setup { lagrangian: "0.5*vx^2 - x", gaps: &["x"], q: &[1.0], v: &[0.0], ..Setup::default() };
    for (h, steps) in [(100.0, 20), (37.0, 54), (1000.0, 2)] {
        let (x, impacts) = setup.run(GAUSS, h, steps);
        let exact = (x.view().t / (2.0 * 2.0_f64.sqrt()) + 0.5).floor();
        assert_eq!(impacts.len(), exact as usize, "step {h}");
        assert!(worst_jump(&impacts) < 1e-13, "step {h}: {:e}", worst_jump(&impacts));
        let energy = 0.5 * x.view().p[0].powi(2) + x.view().q[0];
        assert!((energy - 1.0).abs() < 1e-11, "step {h}: {energy}");
    }
}
